"""Errors in slots: every filler counts once, every number is what a slow look at the strings finds.

The twin here knows one template a document and fillers of one word: then COR, INC, MIS and SPU
are differences of multisets, and what correcting a type would gain is a sum.
"""

# ruff: noqa: E501 (a page that is asserted in full has long lines)
from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from carob import Corpus, Pair, Recipe, UsageError, errors
from carob.cli import main
from carob.explain.slots import SlotErrors
from tests.birnbaum import GOLD, SHORT, WRONG

Slots = dict[str, list[str]]


def analysed(pair: Pair) -> SlotErrors:
    return SlotErrors(pair, Recipe.parse("templates.F1").space(pair), pair.filled.words)


def worlds(seed: int, size: int, *, distinct: bool = False) -> list[Slots]:
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(size):
        slots: Slots = {}
        for slot in "ab":
            words = rng.choice(list("uvwxyz"), rng.integers(0, 5), replace=not distinct).tolist()
            if words:
                slots[slot] = words
        found.append(slots or {"a": ["u"]})
    return found


def corpus(documents: list[Slots]) -> Corpus:
    return Corpus.of(
        *({"id": str(i), "templates": [{"label": "t", "slots": slots}]}
          for i, slots in enumerate(documents))
    )  # fmt: skip


def looked_at(gold: Slots, system: Slots) -> dict[str, tuple[int, int, int, int]]:
    """COR, INC, MIS, SPU of each slot of one document."""
    both = {s: Counter(gold.get(s, [])) & Counter(system.get(s, [])) for s in "ab"}
    aligned = any(both.values())
    found = {}
    for slot in "ab":
        right = both[slot].total()
        ours, theirs = len(gold.get(slot, [])) - right, len(system.get(slot, [])) - right
        wrong = min(ours, theirs) if aligned else 0
        found[slot] = (right, wrong, ours - wrong, theirs - wrong)
    return found


def test_counts_and_gains_are_those_of_multisets() -> None:
    gold, system = worlds(1, 500), worlds(2, 500)
    seen = [looked_at(*both) for both in zip(gold, system, strict=True)]
    found = errors(corpus(gold), corpus(system), recipes=["templates.F1", "templates.SER"])
    for slot in "ab":
        right, wrong, missing, extra = (sum(each[slot][i] for each in seen) for i in range(4))
        wanted = {"COR": right, "PAR": 0, "INC": wrong, "MIS": missing, "SPU": extra,
                  "ungrounded": 0}  # fmt: skip
        assert wanted == found.by_label[f"t.{slot}"]
    cor, inc, mis, spu = (found.counts[kind] for kind in ("COR", "INC", "MIS", "SPU"))

    def f1(cor: float, inc: float, mis: float, spu: float) -> float:
        return 2 * cor / (2 * cor + 2 * inc + mis + spu)

    now = f1(cor, inc, mis, spu)
    assert now == pytest.approx(found.scores["templates.F1"])
    for kind, then in {
        "PAR": now,
        "INC": f1(cor + inc, 0, mis, spu),
        "MIS": f1(cor + mis, inc, 0, spu),
        "SPU": f1(cor, inc, mis, 0),
    }.items():
        assert then - now == pytest.approx(found.gains[kind]["templates.F1"])
    size = cor + inc + mis
    assert -inc / size == pytest.approx(found.gains["INC"]["templates.SER"])
    assert {"INC", "MIS", "SPU"} == {kind for kind, _ in found.order}
    assert 1.0 == found.order[-1][1]


def test_a_string_in_the_other_slot_is_a_confusion_of_the_two() -> None:
    gold, system = worlds(3, 500), worlds(4, 500)
    wanted: Counter[tuple[str, str]] = Counter()
    lost: Counter[str] = Counter()
    extra: Counter[str] = Counter()
    for ours, theirs in zip(gold, system, strict=True):
        left, back = ({s: Counter(side.get(s, [])) for s in "ab"} for side in (ours, theirs))
        for slot in "ab":
            same = left[slot] & back[slot]
            left[slot], back[slot] = left[slot] - same, back[slot] - same
            lost[slot] += left[slot].total()
            extra[slot] += back[slot].total()
        for one, other in ("ab", "ba"):
            wanted[one, other] += (left[one] & back[other]).total()
    matrix = errors(corpus(gold), corpus(system), recipes=["templates.F1"]).confusion.to_dict()
    for one, other in ("ab", "ba"):
        assert wanted[one, other] == matrix[f"t.{one}"][f"t.{other}"] > 50
        assert lost[one] == sum(matrix[f"t.{one}"].values())
        assert extra[one] == sum(row.get(f"t.{one}", 0) for row in matrix.values())


def test_what_was_fixed_and_broken_agrees_with_looking_at_each_filler() -> None:
    gold = worlds(5, 400, distinct=True)
    one, two = worlds(6, 400), worlds(7, 400)
    fixed = broken = 0
    for ours, first, second in zip(gold, one, two, strict=True):
        for slot, words in ours.items():
            for word in words:
                was, now = word in first.get(slot, []), word in second.get(slot, [])
                fixed += now and not was
                broken += was and not now
    found = errors(corpus(gold), corpus(one), corpus(two), recipes=["templates.F1"]).changes
    assert found is not None
    assert fixed == sum(n for kind, n in found.fixed.items() if kind != "SPU")
    assert broken == sum(n for kind, n in found.broken.items() if kind != "SPU")
    same = errors(corpus(gold), corpus(one), corpus(one), recipes=["templates.F1"]).changes
    assert same is not None and ({}, {}) == (same.fixed, same.broken)


def nested(seed: int, size: int) -> list[Any]:
    """Several templates of two types, templates in templates, alternatives, optional fillers."""
    rng = np.random.default_rng(seed)

    def filler() -> Any:
        words = [" ".join(rng.choice(list("uvwxyz"), rng.integers(1, 3))) for _ in range(2)]
        if rng.random() < 0.3:
            return {"text": words[0], "alternatives": [words[1]], "optional": rng.random() < 0.3}
        return words[0]

    def form(depth: int) -> Any:
        slots: dict[str, list[Any]] = {
            slot: [filler() for _ in range(rng.integers(0, 3))] for slot in "ab"
        }
        if depth < 2 and rng.random() < 0.5:
            slots["c"] = [form(depth + 1) for _ in range(rng.integers(1, 3))]
        return {"label": str(rng.choice(["t", "s"])), "slots": slots}

    return [
        {"id": str(i), "templates": [form(0) for _ in range(rng.integers(0, 3))]}
        for i in range(size)
    ]


def test_a_system_without_its_errors_is_gold() -> None:
    gold, system = Corpus.of(*nested(8, 300)), Corpus.of(*nested(9, 300))
    pair = Pair.of(gold, system)
    found = analysed(pair)
    assert {*range(len(SlotErrors.kinds))} == set(found.kind.tolist())
    again = analysed(found.corrected(found.types))
    assert {SlotErrors.kinds.index("COR")} == set(again.kind.tolist())
    assert 0 < len(again.kind) <= len(pair.filled.gold)


def test_gold_has_no_errors() -> None:
    gold = Corpus.of(*nested(8, 100))
    found = errors(gold, gold, recipes=["templates.F1"])
    assert 0 == sum(found.counts[kind] for kind in ("PAR", "INC", "MIS", "SPU"))
    assert [] == list(found.order)
    assert 0 == found.confusion.counts.sum()


def test_a_missing_filler_goes_to_the_template_that_is_aligned() -> None:
    two = [{"label": "t", "slots": {"a": ["u"], "b": ["x"]}},
           {"label": "t", "slots": {"a": ["v"], "b": ["y"]}}]  # fmt: skip
    gold = Corpus.of({"id": "1", "templates": two})
    system = Corpus.of({"id": "1", "templates": [{"label": "t", "slots": {"a": ["v"]}}]})
    pair = Pair.of(gold, system)
    better = analysed(pair).corrected(["MIS"]).filled
    texts = [better.texts.values[code] for code in better.texts.system.tolist()]
    assert [0, 0, 1, 1] == better.system.template.tolist()
    assert [["v", "y"], ["u", "x"]] == [texts[:2], texts[2:]]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    found = {}
    for name, line in {"gold": GOLD, "short": SHORT, "wrong": WRONG}.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_text(json.dumps(line) + "\n")
        found[name] = str(path)
    return found


def test_the_page_says_everything(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["errors", files["gold"], files["wrong"], "-m", "templates.F1", "-m", "oads.F1"]
    assert 0 == main(call)
    out = capsys.readouterr()
    assert PAGE == out.out[: out.out.index("carob:")]
    assert "wrong: 1 document, 5 gold and 4 system fillers; " \
        "0 repaired, 0 discarded, 0 unaligned, 0 ignored, 1 ungrounded\n" == out.err  # fmt: skip


PAGE = """\
errors           COR     PAR     INC    MIS   SPU  ungrounded
all                1       1       2      1     0           1
  talk.host        0       0       1      0     0           1
  talk.place       0       1       0      0     0           0
  talk.speaker     1       0       1      1     0           0
share of errors        25.0%   50.0%  25.0%  0.0%
  talk.host             0.0%  100.0%   0.0%  0.0%
  talk.place          100.0%    0.0%   0.0%  0.0%
  talk.speaker          0.0%   50.0%  50.0%  0.0%
COR right, PAR partly right, INC incorrect, MIS missing, SPU spurious, ungrounded not found in the text as written
correct strings in the wrong slot: 1

gold \\ system  talk.host  talk.place  talk.speaker  _
talk.host              .           .             1  .
talk.place             .           1             .  .
talk.speaker           .           .             .  2
_                      1           .             .  .
most frequent: talk.host taken for talk.speaker 1

if all were corrected  templates.F1  oads.F1
now                          0.3333   0.2500
  PAR                       +0.1111  +0.2500
  INC                       +0.4444  +0.5000
  MIS                       +0.1667  +0.1944
  ungrounded                +0.2222  +0.2500
attack in this order (templates.F1 then): INC (0.7778), MIS (0.9000), PAR (1.0000)

PAR (partly right) in document d1, slot talk.place
  gold    ….D Joel S. Birnbaum, Ph.D will speak in [Wean Hall]talk.place. Dr. Birnbaum is a physicist. His host …
  system  …el S. Birnbaum, Ph.D will speak in Wean [Hall]talk.place. Dr. Birnbaum is a physicist. His host …

INC (incorrect) in document d1, slot talk.speaker
  gold    Speaker: [Joel S. Birnbaum, Ph.D]talk.speaker Joel S. Birnbaum, Ph.D will speak in We…
  system  …r. Birnbaum is a physicist. His host is [Ann Lee]talk.speaker.

MIS (missing) in document d1, slot talk.speaker
  gold    Speaker: Joel S. Birnbaum, Ph.D [Joel S. Birnbaum, Ph.D]talk.speaker will speak in Wean Hall. Dr. Birnbaum i…
  system  -

ungrounded (not found in the text as written) in document d1, slot talk.host
  gold    …r. Birnbaum is a physicist. His host is [Ann Lee]talk.host.
  system  Bob Ray (not found in the text)

"""


def test_json_has_the_shape_of_the_other_errors(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["errors", files["gold"], files["wrong"], files["short"], "--format", "json"]
    assert 0 == main(call)
    found = json.loads(capsys.readouterr().out)
    assert [
        "counts", "by_label", "confusion", "gains", "order", "shares", "remarks", "signature",
        "fixed", "broken",
    ] == list(found)  # fmt: skip
    assert ["COR", "PAR", "INC", "MIS", "SPU", "ungrounded"] == list(found["counts"])
    assert ["templates.F1", "templates.SER", "oas.F1", "oaod.F1", "oads.F1"] == list(
        found["gains"]["MIS"]
    )
    assert {"talk.speaker": 1} == found["confusion"]["talk.host"]


def test_examples_can_be_chosen(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    call = ["errors", files["gold"], files["wrong"], "-m", "templates.F1"]
    assert 0 == main([*call, "--type", "ungrounded", "--label", "talk.host"])
    out = capsys.readouterr().out
    assert (
        "ungrounded (not found in the text as written) in document d1, slot talk.host\n"
        "  gold    …r. Birnbaum is a physicist. His host is [Ann Lee]talk.host.\n"
        "  system  Bob Ray (not found in the text)\n"
    ) in out
    assert "MIS (missing)" not in out


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--type", "LE"], "no type of error is called 'LE'; there are: INC, MIS, PAR, SPU, "
         "ungrounded"),
        (["--label", "host"], "no slot is called 'host'; did you mean talk.host? there are: "
         "talk.host, talk.place, talk.speaker"),
    ],
)  # fmt: skip
def test_wrong_usage_is_said(
    files: dict[str, str], options: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (1 if "--label" in options else 2) == main(
        ["errors", files["gold"], files["wrong"], *options]
    )
    assert expected in capsys.readouterr().err


def test_the_ledger_opens_every_count(files: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "ledger.csv"
    call = ["errors", files["gold"], files["wrong"], "-m", "oaod.F1", "-m", "templates.F1"]
    assert 0 == main([*call, "--ledger", str(path)])
    rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    assert LEDGER == [row[2:] for row in rows if row[0] == "oaod"]
    assert {"COR", "INC", "MIS", "PAR", "COR_system", "INC_system", "PAR_system", "SPU"} >= {
        row[3] for row in rows if row[0] == "templates"
    }


LEDGER = [
    ["talk.host", "fn", "1", "121-128", "talk.host", "Ann Lee", "", "", ""],
    ["talk.host", "ungrounded", "1", "", "", "", "", "talk.host", "Bob Ray"],
    ["talk.place", "fp", "1", "", "", "", "74-78", "talk.place", "Hall"],
    ["talk.place", "fn", "1", "69-78", "talk.place", "Wean Hall", "", "", ""],
    [
        "talk.speaker",
        "tp",
        "1",
        "80-92",
        "talk.speaker",
        "Dr. Birnbaum",
        "80-92",
        "talk.speaker",
        "Dr. Birnbaum",
    ],
    ["talk.speaker", "fp", "1", "", "", "", "121-128", "talk.speaker", "Ann Lee"],
    ["talk.speaker", "fn", "1", "9-31", "talk.speaker", "Joel S. Birnbaum, Ph.D", "", "", ""],
    ["talk.speaker", "fn", "1", "32-54", "talk.speaker", "Joel S. Birnbaum, Ph.D", "", "", ""],
]


def test_mentions_keep_their_own_errors() -> None:
    gold = Corpus.of("[Ann]PER slept")
    assert "TP" in errors(gold, gold, recipes=["exact.F1"]).counts
    with pytest.raises(UsageError, match="no type of error is called 'MIS'"):
        errors(gold, gold, types=["MIS"])


def test_a_filler_of_a_whole_text_is_cut_in_examples() -> None:
    gold, system = (
        Corpus.of({"id": "d", "templates": [{"label": "talk", "slots": {"topic": [topic]}}]})
        for topic in ("the topic", "word " * 80_000 + "end")
    )
    text = errors(gold, system, recipes=["templates.F1"], examples=1).to("terminal")
    assert len(text) < 5_000 and "word word …" in text and "word end\n" in text
