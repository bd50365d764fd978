"""Invoices that are made up: texts, the records that are in them, and two systems that read them.

`careful` reads well, knows how sure it is, and writes values as they are in the text. `sloppy`
invents values, loses lines, mixes days and months up, and sometimes answers in words.
"""

from __future__ import annotations

import json
import random
from typing import Any

_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September",
           "October", "November", "December")  # fmt: skip
_VENDORS = (
    "Miller & Sons",
    "Acme Ltd.",
    "Bauer GmbH",
    "Nordlys AS",
    "Rossi S.p.A.",
    "Blue Fox Inc.",
)
_ITEMS = (("paper", "2.49"), ("pens", "0.95"), ("desk lamp", "34.50"), ("chair", "129.00"),
          ("toner", "61.75"), ("folders", "1.20"), ("stapler", "8.99"),
          ("whiteboard", "74.00"))  # fmt: skip

SCHEMA: dict[str, Any] = {
    "title": "Invoice",
    "type": "object",
    "$defs": {
        "Line": {
            "type": "object",
            "properties": {
                "item": {"type": "string"},
                "quantity": {"type": "integer"},
                "price": {"type": "number", "x-carob": {
                    "type": "money", "currency": "EUR", "match": "tol(abs=0.01)"}},
            },
            "required": ["item", "quantity", "price"],
        },
        "Status": {"enum": ["open", "paid"], "type": "string"},
    },
    "properties": {
        "number": {"type": "string", "x-carob": {"type": "id", "weight": 2}},
        "vendor": {"type": "string", "x-carob": {"match": "edit"}},
        "issued": {"type": "string", "format": "date", "x-carob": {"order": "dmy"}},
        "due": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}],
                "x-carob": {"type": "date", "order": "dmy"}},
        "total": {"type": "number", "x-carob": {
            "type": "money", "currency": "EUR", "match": "tol(abs=0.01)", "weight": 2}},
        "status": {"$ref": "#/$defs/Status"},
        "lines": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/Line"}},
    },
    "required": ["number", "vendor", "issued", "total", "status", "lines"],
}  # fmt: skip


def files(seed: int, documents: int) -> dict[str, bytes]:
    """Gold, two systems and the schema, by name.

    >>> sorted(files(0, 3))
    ['careful.jsonl', 'gold.jsonl', 'schema.json', 'sloppy.jsonl']
    """
    rng = random.Random(f"invoices {seed}")
    gold, careful, sloppy = [], [], []
    for number in range(documents):
        record, text = _invoice(rng, number)
        name = f"inv-{number:04}"
        gold.append(json.dumps({"id": name, "text": text, **record}, ensure_ascii=False))
        careful.append(json.dumps(_careful(rng, name, record), ensure_ascii=False))
        sloppy.append(_sloppy(rng, name, record))
    lines = {"gold": gold, "careful": careful, "sloppy": sloppy}
    made = {f"{name}.jsonl": ("\n".join(each) + "\n").encode() for name, each in lines.items()}
    return made | {"schema.json": (json.dumps(SCHEMA, indent=1) + "\n").encode()}


def _euros(amount: float) -> str:
    """An amount as the invoices print it: 1.234,50."""
    whole, _, cents = f"{amount:.2f}".partition(".")
    groups: list[str] = []
    while len(whole) > 3:
        whole, group = whole[:-3], whole[-3:]
        groups.insert(0, group)
    return f"{'.'.join([whole, *groups])},{cents}"


def _day(date: str) -> str:
    year, month, day = date.split("-")
    return f"{int(day)} {_MONTHS[int(month) - 1]} {year}"


def _invoice(rng: random.Random, number: int) -> tuple[dict[str, Any], str]:
    """A record, and a text that has all of it."""
    lines: list[dict[str, Any]] = []
    total = 0
    for item, price in rng.sample(_ITEMS, rng.randint(1, 4)):
        quantity = rng.randint(1, 12)
        total += quantity * round(float(price) * 100)
        lines.append({"item": item, "quantity": quantity, "price": float(price)})
    issued = f"2024-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    due = f"2025-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}" if rng.random() < 0.8 else None
    record = {
        "number": f"R-{10_000 + 7 * number}", "vendor": rng.choice(_VENDORS), "issued": issued,
        "due": due, "total": total / 100, "status": rng.choice(("open", "paid")), "lines": lines,
    }  # fmt: skip
    table = "\n".join(
        f"  {each['quantity']} x {each['item']} at {_euros(each['price'])}" for each in lines
    )
    ends = f"Due on {_day(due)}." if due else "Payable at once."
    text = (
        f"{record['vendor']}\nInvoice {record['number']} of {_day(issued)}\n{table}\n"
        f"Total: EUR {_euros(total / 100)}. Status: {record['status']}. {ends}\n"
    )
    return record, text


def _sure(rng: random.Random, *, right: bool) -> float:
    return round(min(max(rng.gauss(0.93 if right else 0.7, 0.06), 0.05), 0.99), 2)


def _careful(rng: random.Random, name: str, record: dict[str, Any]) -> dict[str, Any]:
    """An answer with confidences, in carob's own format."""
    worst = 1.0

    def filler(value: Any, wrong: Any, chance: float) -> dict[str, Any]:
        nonlocal worst
        right = rng.random() >= chance
        confidence = _sure(rng, right=right)
        worst = min(worst, confidence)
        return {"text": value if right else wrong, "confidence": confidence}

    slots: dict[str, list[Any]] = {
        "number": [filler(record["number"], record["number"][:-1] + "0", 0.03)],
        "vendor": [filler(record["vendor"], record["vendor"][:-1], 0.05)],
        "issued": [filler(_day(record["issued"]), record["issued"][:7], 0.04)],
        "total": [filler(f"EUR {_euros(record['total'])}", record["total"] + 10, 0.04)],
        "status": [filler(record["status"], "open", 0.05)],
        "lines": [],
    }
    if record["due"]:
        slots["due"] = [filler(_day(record["due"]), "2025-01-01", 0.04)]
    for line in record["lines"]:
        if rng.random() < 0.98:
            slots["lines"].append({"slots": {
                "item": [filler(line["item"], "item", 0.02)],
                "quantity": [filler(line["quantity"], line["quantity"] + 1, 0.02)],
                "price": [filler(line["price"], line["price"] * 10, 0.02)],
            }})  # fmt: skip
    return {"id": name, "templates": [{"slots": slots, "confidence": worst}]}


def _sloppy(rng: random.Random, name: str, record: dict[str, Any]) -> str:
    """An answer as language models give it: plain JSON, or an apology."""
    if rng.random() < 0.03:
        return f"Sorry, I could not read {name}."
    answer = json.loads(json.dumps(record))
    answer["total"] = f"{record['total']:.2f} EUR"
    for slot in ("issued", "due"):
        if answer[slot] and rng.random() < 0.5:
            year, month, day = answer[slot].split("-")
            swapped = rng.random() < 0.2
            answer[slot] = f"{month}/{day}/{year}" if swapped else f"{day}.{month}.{year}"
    if answer["due"] is None and rng.random() < 0.5:
        answer["due"] = record["issued"]  # the right value in the wrong field
    if rng.random() < 0.15:
        answer["number"] = f"R-{rng.randint(10_000, 99_999)}"
    if rng.random() < 0.1:
        answer["vendor"] = None
    if len(answer["lines"]) > 1 and rng.random() < 0.15:
        one, other = rng.sample(answer["lines"], 2)
        one["price"], other["price"] = other["price"], one["price"]
    if rng.random() < 0.15:
        answer["lines"].pop()
    if rng.random() < 0.1:
        answer["lines"].append({"item": "shipping", "quantity": 1, "price": 4.9})
    rng.shuffle(answer["lines"])
    if answer["lines"] and rng.random() < 0.1:
        answer["lines"][0]["quantity"] = str(answer["lines"][0]["quantity"]) + " pcs"
    return json.dumps({"id": name, **answer}, ensure_ascii=False)
