"""The errors of a system as tables: counts and shares, confusions, gains; and examples."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any

from carob.corpus.problems import plain, shown
from carob.report.terminal import INDENT, WIDTH, Section, Style, Table
from carob.result.errors import (
    RECORD_KINDS,
    Changes,
    Errors,
    Example,
    RelationChanges,
    RelationErrors,
    RelationExample,
    SlotExample,
)

MEANING = {
    "TP": "right",
    "LE": "wrong label",
    "BES": "too short",
    "BEL": "too long",
    "BEO": "overlaps",
    "LBE": "wrong label and boundary",
    "FP": "invented",
    "FN": "missed",
    "COR": "right",
    "PAR": "partly right",
    "INC": "incorrect",
    "MIS": "missing",
    "SPU": "spurious",
    "ungrounded": "not found in the text as written",
}
RECORD_MEANING = {
    "right": "",
    "partly right": "worth a half",
    "wrong value": "gold has another",
    "wrong format": "not of its type",
    "missing": "only gold has one",
    "spurious": "gold has none",
    "invented": "nor has the text",
    "wrong field": "from another slot",
    "swapped": "from another object",
}
"""What the kinds of errors of records mean, whose names already say much."""

LONGEST = 40
"""Of more labels than this, only those with the most errors are shown, and the matrix of labels
becomes a list of its largest entries."""

_LONG_WORD, _LONG_FILLER = 40, 500


def sections(errors: Errors, style: Style, *, width: int = WIDTH) -> list[Section]:
    """Counts and shares, confusions, gains, changes, examples."""
    if errors.of_records:
        return _records(errors)
    made = [_counts(errors), _confusion(errors), _gains(errors, style)]
    if errors.relations is not None:
        made += _relations(errors.relations)
    if errors.changes is not None:
        made += _changes(errors.changes)
    made += [Section(quotes=_examples(kind, few)) for kind, few in errors.examples.items() if few]
    return made


def _records(errors: Errors) -> list[Section]:
    """Errors of records: kinds by slot, changes, then examples with both values in one line."""
    used = [kind for kind in RECORD_KINDS if errors.counts[kind] or kind in ("right", "missing")]
    labels = [label for label in _labels(errors) if any(errors.by_label[label].values())]
    rows = [[plain(errors.name), *used], ["all", *(f"{errors.counts[kind]:,}" for kind in used)]]
    for label in labels:
        row = errors.by_label[label]
        rows.append([INDENT + plain(label), *(f"{row[kind]:,}" for kind in used)])
    moved = [f"{plain(gold)} in {plain(system)} {n:,}" for gold, system, n in errors.confusions[:5]]
    sentences = [f"right values in the wrong field: {', '.join(moved)}"] if moved else []
    made = [Section(Table(rows), sentences=[*sentences, *_not_shown(errors)])]
    if errors.changes is not None:
        made += _changes(errors.changes)
    quotes = [f"{each.outcome:<12} {_values(each)}" for few in errors.examples.values()
              for each in few if isinstance(each, SlotExample)]  # fmt: skip
    if quotes:
        made.append(Section(quotes=quotes))
    return made


def _values(example: SlotExample, after: SlotExample | None = None) -> str:
    """Where a value of a record is wrong, and what each side says, in one line."""
    note = f" ({plain(example.note)})" if example.note else ""
    says = {"gold": " or ".join(_value(text) for text in example.gold) or "-"}
    if after is None:
        says |= {"system": _value(example.system)}
    else:
        says |= {"first": _value(example.system), "second": _value(after.system)}
    values = ", ".join(f"{name} {text}" for name, text in says.items())
    return f"{plain(example.slot)}{note} in {plain(example.document)}: {values}"


def _value(text: str | None) -> str:
    return "-" if text is None else shown(text, 40)


def _not_shown(errors: Errors) -> list[str]:
    rest = len(errors.by_label) - len(_labels(errors))
    what = "slots" if errors.of_slots else "labels"
    return [f"the {LONGEST} {what} with the most errors; {rest:,} more are not shown"][: rest > 0]


def _counts(errors: Errors) -> Section:
    kinds = list(errors.counts)
    rows = [["errors", *kinds], ["all", *(f"{errors.counts[kind]:,}" for kind in kinds)]]
    labels = _labels(errors)
    for label in labels:
        row = errors.by_label[label]
        rows.append([INDENT + plain(label), *(f"{row[kind]:,}" for kind in kinds)])
    all_shares = errors.shares
    for which in (None, *labels):
        name = "share of errors" if which is None else INDENT + plain(which)
        every = (all_shares[which].get(kind) for kind in kinds)
        rows.append([name, *("" if share is None else f"{share:.1%}" for share in every)])
    legend = ", ".join(f"{kind} {MEANING[kind]}" for kind in kinds if kind in MEANING)
    sentences = [legend, *_not_shown(errors)]
    if errors.of_slots:
        moved = sum(count for _, _, count in errors.confusions)
        sentences.append(f"correct strings in the wrong slot: {moved:,}")
        return Section(Table(rows), sentences=sentences)
    return Section(Table(rows), sentences=[*sentences, near_and_unseen(errors)])


RELATION_MEANING = {
    "TP": "right", "TE": "wrong type of an argument", "LE": "wrong label",
    "DE": "wrong direction", "BE": "wrong boundary of an argument", "FP": "invented",
    "FN": "missed",
}  # fmt: skip


def _relations(errors: RelationErrors) -> list[Section]:
    """What became of the relations, and examples."""
    kinds = list(errors.counts)
    rows = [["relations", *kinds], ["all", *(f"{errors.counts[kind]:,}" for kind in kinds)]]
    most = sorted(errors.by_label, key=lambda name: -sum(errors.by_label[name].values()))[:LONGEST]
    for label in sorted(most):
        row = errors.by_label[label]
        rows.append([INDENT + plain(label), *(f"{row[kind]:,}" for kind in kinds)])
    legend = ", ".join(f"{kind} {RELATION_MEANING[kind]}" for kind in kinds)
    made = [Section(Table(rows), sentences=[legend])]
    if (changes := errors.changes) is not None:
        made.append(_changes_table("relations, second against first", kinds[1:], changes))
        made += _relation_quotes("fixed", changes.fixed_examples, "first")
        made += _relation_quotes("broken", changes.broken_examples, "second")
    for kind, few in errors.examples.items():
        made += _relation_quotes(f"{kind} ({RELATION_MEANING[kind]})", few, "system")
    return made


def _relation_quotes(title: str, few: Sequence[RelationExample], system: str) -> list[Section]:
    lines = []
    for document, gold, answer in few:
        lines += [f"{title} in document {plain(document)}"]
        lines += [f"{INDENT}{side:<7} {plain(text or '-')}"
                  for side, text in (("gold", gold), (system, answer))]  # fmt: skip
    return [Section(quotes=lines)] if lines else []


def _changes_table(
    title: str, every_kind: Sequence[str], changes: Changes | RelationChanges
) -> Section:
    """How many errors of each kind are gone and new."""
    sides = {"fixed": changes.fixed, "broken": changes.broken}
    kinds = [kind for kind in every_kind if any(kind in counts for counts in sides.values())]
    rows = [[title, *kinds, "all"]]
    for name, counts in sides.items():
        cells = (f"{counts.get(kind, 0):,}" for kind in kinds)
        rows.append([name, *cells, f"{sum(counts.values()):,}"])
    return Section(Table(rows))


def near_and_unseen(errors: Errors) -> str:
    """How many errors in mentions are nearly right, and how many mentions were not seen at all."""
    boundary = sum(errors.counts[kind] for kind in ("BES", "BEL", "BEO"))
    near = ""
    if errors.near is not None:
        near = f"{errors.near:,} of {boundary:,} boundary errors are one token off; "
    unseen = f"{errors.unseen:,} of {errors.counts['FN']:,} missed mentions overlap nothing"
    return f"{near}{unseen} the system marked"


def _labels(errors: Errors) -> list[str]:
    """The labels whose rows are shown: all, or those with the most errors, in their order."""
    labels = list(errors.by_label)
    if len(labels) <= LONGEST:
        return labels
    wrong = {
        label: sum(row[kind] for kind in errors.kinds) for label, row in errors.by_label.items()
    }
    most = set(sorted(labels, key=lambda label: -wrong[label])[:LONGEST])
    return [label for label in labels if label in most]


def _confusion(errors: Errors) -> Section:
    """The matrix of labels; of many labels, the largest entries of the matrix as a list."""
    names = [plain(name) for name in errors.confusion.names]
    if len(names) > LONGEST + 1:
        return _largest_confusions(errors)
    counts = errors.confusion.matrix()
    top = max(float(counts.max()), 1.0)
    rows = [["gold \\ system", *names]]
    shades = [[0] * (len(names) + 1)]
    for name, row in zip(names, counts.tolist(), strict=True):
        rows.append([name, *(f"{int(count):,}" if count else "." for count in row)])
        shades.append([0, *(1 + min(3, int(4 * count / top)) if count else 0 for count in row)])
    most = [f"{plain(a)} taken for {plain(b)} {n:,}" for a, b, n in errors.confusions[:5]]
    frequent = [f"most frequent: {', '.join(most)}"] if most else []
    return Section(Table(rows, shades=shades), sentences=frequent)


def _largest_confusions(errors: Errors) -> Section:
    entries = sorted(errors.confusion.entries, key=lambda entry: -entry[2])
    rows = [["gold", "system", "count"]]
    rows += [[plain(gold), plain(system), f"{n:,}"] for gold, system, n in entries[:LONGEST]]
    rest = entries[LONGEST:]
    more = f"{len(rest):,} smaller entries with {sum(n for _, _, n in rest):,} errors are not shown"
    return Section(Table(rows, left=frozenset({0, 1})), sentences=[more] if rest else [])


def _gains(errors: Errors, style: Style) -> Section:
    recipes = list(errors.scores)
    rows = [["if all were corrected", *recipes]]
    counts = {recipe: recipe in errors.count_recipes for recipe in recipes}
    rows.append(["now", *(style.cell(errors.scores[r], count=counts[r]) for r in recipes)])
    for kind, gains in errors.gains.items():
        if errors.counts[kind]:
            cells = (style.cell(gains[r], count=counts[r], sign="+") for r in recipes)
            rows.append([INDENT + kind, *cells])
    steps = [
        f"{kind} ({style.number(score, count=counts[recipes[0]])})" for kind, score in errors.order
    ]
    order = f"attack in this order ({recipes[0]} then): {', '.join(steps)}"
    return Section(Table(rows), sentences=[order] if steps else [])


def _changes(changes: Changes) -> list[Section]:
    made = [_changes_table("second against first", (*MEANING, *RECORD_KINDS), changes)]
    examples = {"fixed": changes.fixed_examples, "broken": changes.broken_examples}
    for name, pairs in examples.items():
        if pairs and pairs[0][0].outcome in RECORD_KINDS:
            made.append(Section(quotes=[
                f"{name:<6} {_values(before, after)}" for before, after in pairs
            ]))  # fmt: skip
            continue
        for before, after in pairs:
            gold, first = _in_context(before)
            lines = _lines(gold=gold, first=first, second=_in_context(after)[1])
            made.append(Section(quotes=[f"{name} in {_place(before)}", *lines]))
    return made


def _examples(kind: str, examples: Sequence[Example | SlotExample]) -> list[str]:
    quotes = []
    for each in examples:
        gold, system = _in_context(each)
        if isinstance(each, Example) and gold is None and system is None:
            gold, system = str(each.gold), str(each.system)
        quotes += [f"{kind} ({MEANING[kind]}) in {_place(each)}"]
        quotes += _lines(gold=gold, system=system)
    return quotes


def _place(example: Any) -> str:
    slot = f", slot {plain(example.slot)}" if isinstance(example, SlotExample) else ""
    return f"document {plain(example.document)}{slot}"


def _in_context(example: Example | SlotExample) -> tuple[str | None, str | None]:
    """What gold and the system have, in context; for a filler, its text."""
    if isinstance(example, Example):
        return example.gold_marked, example.system_marked
    system = "" if example.system is None else example.system
    if not example.grounded:
        system += " (not found in the text)"
    return (
        _filler(" or ".join(example.gold), example.gold_marked),
        _filler(system, example.system_marked),
    )


def _filler(text: str, around: str | None) -> str | None:
    """A filler and the words around it; its text is not repeated if they contain it."""
    if around is None:
        return text or None
    return around if f"[{text}]" in around else f"{text}: {around}"


def _lines(**sides: str | None) -> list[str]:
    return [f"  {name:<7} {_cut(safe(text or '-'), _LONG_FILLER)}" for name, text in sides.items()]


def safe(text: str) -> str:
    """Text from a file on one line: control characters escaped, right-to-left text isolated.

    >>> safe("a\\x1b[2J b")
    'a\\\\x1b[2J b'
    >>> [hex(ord(sign)) for sign in safe("\\u05d0")]
    ['0x2068', '0x5d0', '0x2069']
    """
    words = plain(" ".join(_cut(word, _LONG_WORD) for word in text.split()))
    if any(unicodedata.bidirectional(sign) in ("R", "AL", "AN") for sign in words):
        return f"\u2068{words}\u2069"
    return words


def _cut(text: str, size: int) -> str:
    """Leave out the middle of a word or filler that is too long to be one."""
    return text if len(text) <= 2 * size else f"{text[:size]}…{text[-size:]}"
