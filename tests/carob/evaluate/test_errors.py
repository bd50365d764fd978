"""carob errors: every count is a sum over the ledger, and what it says of two systems is so."""

from __future__ import annotations

import csv
import json
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from carob import Corpus, Pair, Recipe, Tally, registry
from carob.cli import main
from carob.corpus.problems import UsageError
from carob.evaluate import demo
from carob.evaluate.errors import errors
from carob.evaluate.score import average
from carob.explain.ledger import ledger
from carob.explain.mentions import MentionErrors
from carob.recipe import spell
from tests.worlds import corpora, random_pairs

TYPES = MentionErrors.kinds[1:]
SPACES = sorted(registry.builtin("match"))


def analysed(pair: Pair) -> MentionErrors:
    return MentionErrors(pair, Recipe.parse("fair.F1").space(pair), lambda row: (None, None))


def marked(pair: Pair) -> list[tuple[int, int, str]]:
    table = pair.system
    return [
        (int(table.start[i]), int(table.end[i]), pair.labels[table.label[i]])
        for i in range(len(table))
    ]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    return {file.stem: file for file in demo.write(tmp_path / "demo")}


@cache
def paired() -> Pair:
    return Pair.of(*corpora(random_pairs(5, 150)))


@pytest.mark.parametrize("name", SPACES)
def test_every_count_is_a_sum_over_the_ledger(name: str) -> None:
    space = registry.load("match", name)()
    pair = paired()
    tally = Tally.of(space, pair)
    sums: Counter[tuple[str, str, str]] = Counter()
    for row in ledger(spell(space), pair, space(pair), None):
        sums[row["document"], row["label"], row["outcome"]] += row["weight"]
    for k in range(len(tally.unit)):
        cell = (pair.documents.name(int(tally.unit[k])), tally.labels[tally.label[k]])
        for i, outcome in enumerate(tally.outcomes):
            assert tally.counts[k, i] == pytest.approx(sums.pop((*cell, outcome), 0.0))
    assert not {key: value for key, value in sums.items() if abs(value) > 1e-9}


def test_correcting_everything_makes_a_perfect_system() -> None:
    gold, system = corpora(random_pairs(6, 500))
    pair = Pair.of(gold, system)
    better = analysed(pair).corrected(TYPES)
    exact = Recipe.parse("exact.F1")
    assert 1.0 == average(exact, Tally.of(exact.space, better), None).value


def test_correcting_what_is_not_there_changes_nothing() -> None:
    gold = Corpus.of("[Ann]PER slept")
    pair = Pair.of(gold, gold)
    for kind in TYPES:
        assert [(0, 1, "PER")] == marked(analysed(pair).corrected([kind]))


@pytest.mark.parametrize(
    ("kind", "system", "expected"),
    [
        ("LE", "[Ann Lee]LOC met Bo", "[Ann Lee]PER met Bo"),
        ("BES", "[Ann]PER Lee met Bo", "[Ann Lee]PER met Bo"),
        ("BEL", "[Ann Lee met]PER Bo", "[Ann Lee]PER met Bo"),
        ("LBE", "[Ann]LOC Lee met Bo", "[Ann Lee]PER met Bo"),
        ("FP", "[Ann Lee]PER met [Bo]PER", "[Ann Lee]PER met Bo"),
        ("FN", "Ann Lee met Bo", "[Ann Lee]PER met Bo"),
    ],
)
def test_each_type_is_put_right_in_its_own_way(kind: str, system: str, expected: str) -> None:
    gold = Corpus.of("[Ann Lee]PER met Bo")
    pair = Pair.of(gold, Corpus.of(system))
    wanted = [(m.start, m.end, m.label) for m in Corpus.of(expected)[0].mentions]
    assert wanted == marked(analysed(pair).corrected([kind]))


def test_a_mention_in_two_errors_stays_until_both_are_corrected() -> None:
    # The long mention overlaps PER (a boundary error) and LOC (label and boundary).
    gold = Corpus.of("[a b]PER [c d]LOC e")
    pair = Pair.of(gold, Corpus.of("[a b c d]PER e"))
    analysis = analysed(pair)
    assert {"BEL": 1, "LBE": 1} == {k: n.sum() for k, n in analysis.counts().items() if n.sum()}
    long, person, place = (0, 4, "PER"), (0, 2, "PER"), (2, 4, "LOC")
    assert sorted([person, long]) == sorted(marked(analysis.corrected(["BEL"])))
    assert sorted([long, place]) == sorted(marked(analysis.corrected(["LBE"])))
    assert [person, place] == marked(analysis.corrected(["BEL", "LBE"]))
    found = errors(gold, Corpus.of("[a b c d]PER e"), recipes=["exact.F1"])
    assert pytest.approx(1 / 2) == found.gains["BEL"]["exact.F1"]
    assert pytest.approx(1 / 2) == found.gains["LBE"]["exact.F1"]
    assert [("BEL", pytest.approx(1 / 2)), ("LBE", 1.0)] == found.order


def test_what_was_fixed_and_broken_agrees_with_looking_at_each_mention() -> None:
    gold, one = corpora(random_pairs(7, 400))
    two = corpora(random_pairs(7, 400))[1]
    shifted = np.roll(np.arange(len(two.mentions)), 3)
    two = two.kept(np.sort(shifted[: 2 * len(shifted) // 3]))
    one = one.kept(np.arange(len(one.mentions))[::2])
    labels = sorted({*gold.labels, *one.labels, *two.labels})
    space = Recipe.parse("fair.F1").space
    a, b = Pair.of(gold, one, labels), Pair.of(gold, two, labels)
    events = [space(a), space(b)]
    found = analysed(a).changes(analysed(b), 0)

    def looked_at(
        pair: Pair, of: object
    ) -> tuple[dict[int, set[str]], Counter[tuple[object, ...]]]:
        kinds: dict[int, set[str]] = {}
        invented: Counter[tuple[object, ...]] = Counter()
        for row in range(len(of)):  # type: ignore[arg-type]
            outcome = of.outcomes[int(of.outcome[row])]  # type: ignore[attr-defined]
            if (mention := int(of.gold[row])) >= 0:  # type: ignore[attr-defined]
                kinds.setdefault(mention, set()).add(outcome)
            if outcome == "FP":
                system = int(of.system[row])  # type: ignore[attr-defined]
                invented[
                    int(pair.system.doc[system]),
                    pair.system.fragments_of(system),
                    int(pair.system.label[system]),
                ] += 1
        return kinds, invented

    (before, ours), (after, theirs) = looked_at(a, events[0]), looked_at(b, events[1])
    fixed = sum("TP" not in before[m] and "TP" in after[m] for m in before)
    broken = sum("TP" in before[m] and "TP" not in after[m] for m in before)
    assert fixed == sum(n for kind, n in found.fixed.items() if kind != "FP")
    assert broken == sum(n for kind, n in found.broken.items() if kind != "FP")
    assert (ours - theirs).total() == found.fixed.get("FP", 0)
    assert (theirs - ours).total() == found.broken.get("FP", 0)


def test_near_misses_and_unseen_mentions_are_counted_apart() -> None:
    gold = Corpus.of("[Ann Lee]PER met [Bo]PER in [New York City Hall]LOC", "[Cy]PER slept")
    system = Corpus.of("[Ann]PER Lee met Bo in New York City [Hall]LOC", "Cy slept")
    found = errors(gold, system, recipes=["exact.F1"])
    assert (1, 2) == (found.near, found.unseen)
    assert (2, 2) == (found.counts["BES"], found.counts["FN"])


def test_gains_are_differences_of_scores(files: dict[str, Path]) -> None:
    found = errors(files["gold"], files["hasty"], recipes=["exact.F1", "slots.SER"])
    assert found.gains["BES"]["exact.F1"] is not None and found.gains["BES"]["exact.F1"] > 0
    assert found.gains["BES"]["slots.SER"] is not None and found.gains["BES"]["slots.SER"] < 0
    assert {"exact.F1": 0.0, "slots.SER": 0.0} == found.gains["LBE"]
    assert 1.0 == found.order[-1][1]
    assert [score for _, score in found.order] == sorted(score for _, score in found.order)


def test_a_gain_in_an_error_rate_is_negative_and_the_lowest_rate_is_attacked_first() -> None:
    gold = Corpus.of("[a]PER [b]PER [c d]LOC [e]LOC f")
    system = Corpus.of("a b [c]LOC d [e]PER f")
    found = errors(gold, system, recipes=["slots.SER", "exact.F1"])
    # 8 slots in gold: 2 mentions missed (4 slots), 1 boundary (1 slot), 1 label (1 slot).
    assert 6 / 8 == found.scores["slots.SER"]
    expected = {"FN": -4 / 8, "BES": -1 / 8, "LE": -1 / 8, "FP": 0.0}
    assert expected == {kind: found.gains[kind]["slots.SER"] for kind in expected}
    assert all((found.gains[kind]["exact.F1"] or 0) > 0 for kind in ("FN", "BES", "LE"))
    assert [("FN", 2 / 8), ("LE", 1 / 8), ("BES", 0.0)] == found.order


def test_the_command_in_all_its_forms(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold, hasty, muddled = (str(files[name]) for name in ("gold", "hasty", "muddled"))
    assert 0 == main(["errors", gold, hasty, muddled, "--examples", "2"])
    out = capsys.readouterr().out
    assert "BES (too short) in document" in out and "fixed" in out and "\x1b" not in out
    assert 0 == main(["errors", gold, hasty, muddled, "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    assert {"counts", "by_label", "confusion", "gains", "fixed", "broken"} <= set(found)
    assert {"TP", "LE", "BES", "BEL", "BEO", "LBE", "FP", "FN"} == set(found["counts"])
    assert 0 == main(["errors", gold, muddled, "--format", "csv"])
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert {"gold": "EVENT", "system": "ORG"}.items() <= rows[2].items()
    assert 0 == main(["errors", gold, muddled, "--type", "LE", "--label", "ORG"])
    out = capsys.readouterr().out
    assert "LE (wrong label)" in out and "FN (missed)" not in out


def test_the_ledger_is_written(files: dict[str, Path], tmp_path: Path) -> None:
    paths = [tmp_path / f"ledger.{ending}" for ending in ("csv", "jsonl", "parquet")]
    for path in paths:
        call = ["errors", str(files["gold"]), str(files["hasty"]), "--ledger", str(path)]
        assert 0 == main([*call, "-m", "exact.F1", "-m", "ts(sep=0.5).F1"])
    rows = list(csv.DictReader(paths[0].read_text(encoding="utf-8").splitlines()))
    assert rows == [
        {key: "" if value is None else str(value) for key, value in json.loads(line).items()}
        for line in paths[1].read_text(encoding="utf-8").splitlines()
    ]
    assert {"exact", "ts(sep=0.5)"} == {row["space"] for row in rows}
    right = [row for row in rows if (row["space"], row["outcome"]) == ("exact", "tp")]
    assert 171 == len(right)
    assert all(row["gold_text"] == row["system_text"] != "" for row in right)
    polars = pytest.importorskip("polars")
    assert len(rows) == polars.read_parquet(paths[2]).height


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--type", "XX"], "no type of error is called 'XX'"),
        (["--label", "XX"], "no label is called 'XX'"),
        (["--examples", "-1"], "--examples must be 0 or more"),
        (["--ledger", "x.txt"], "a ledger is .csv, .jsonl or .parquet, not '.txt'"),
        (["--ledger", "/no/where/x.csv"], "cannot write /no/where/x.csv"),
    ],
)
def test_wrong_usage_is_said(
    files: dict[str, Path], options: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (1 if "--label" in options else 2) == main(
        ["errors", str(files["gold"]), str(files["hasty"]), *options]
    )
    assert expected in capsys.readouterr().err


def test_hostile_text_prints_safely(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["\x1b[2J\x07", "שלום", "x" * 5000, "a\nb", "\u202eevil", "end"] + ["w"] * 500
    mention = {"start": 0, "end": 400, "label": "L\x1b[31m"}
    gold, system = tmp_path / "gold.jsonl", tmp_path / "system.jsonl"
    gold.write_text(json.dumps({"id": "d\x1b", "tokens": words, "mentions": [mention]}) + "\n")
    other = {"start": 1, "end": 3, "label": "M"}
    system.write_text(json.dumps({"id": "d\x1b", "tokens": words, "mentions": [other]}) + "\n")
    assert 0 == main(["errors", str(gold), str(system), "--examples", "3"])
    out = capsys.readouterr().out
    assert "\x1b" not in out and "\x07" not in out and "\u202e" not in out
    assert "\u2068" in out
    assert max(map(len, out.splitlines())) < 6000


def test_frames_have_the_same_content(files: dict[str, Path]) -> None:
    pytest.importorskip("pandas")
    found = errors(files["gold"], files["muddled"], recipes=["exact.F1"])
    frame = found.to_pandas()
    [row] = frame[frame.label.isna() & (frame.type == "LE")].to_dict("records")
    assert found.counts["LE"] == row["count"]
    assert found.shares[None]["LE"] == row["share"]
    assert found.gains["LE"]["exact.F1"] == row["exact.F1"]
    assert frame[frame.label == "PER"]["count"].tolist() == list(found.by_label["PER"].values())
    assert found.to_polars().height == len(frame)


def test_an_unknown_recipe_is_refused() -> None:
    gold = Corpus.of("[Ann]PER")
    with pytest.raises(UsageError, match="give at least one recipe"):
        errors(gold, gold, recipes=[])


def test_what_was_fixed_and_broken_can_be_that_of_one_label_or_type() -> None:
    gold = Corpus.of("[Ann]PER met [Bo]PER in [Rome]LOC", "[Oslo]LOC is big")
    first = Corpus.of("[Ann]PER met Bo in Rome", "[Oslo]LOC [is]LOC big")
    second = Corpus.of("Ann met [Bo]PER in [Rome]LOC", "[Oslo]LOC is [big]PER")

    def changes(
        label: str | None, types: list[str] | None = None
    ) -> tuple[dict[str, int], dict[str, int], int]:
        found = errors(gold, first, second, label=label, types=types, examples=9).changes
        assert found is not None
        shown = [*found.fixed_examples, *found.broken_examples]
        return dict(found.fixed), dict(found.broken), len(shown)

    assert ({"FN": 2, "FP": 1}, {"FN": 1, "FP": 1}, 3) == changes(None)
    assert ({"FN": 1}, {"FN": 1, "FP": 1}, 2) == changes("PER")
    assert ({"FN": 1, "FP": 1}, {}, 1) == changes("LOC")
    assert ({"FN": 2}, {"FN": 1}, 3) == changes(None, ["FN"])
    assert ({"FN": 1}, {"FN": 1}, 2) == changes("PER", ["FN", "LE"])
    assert ({"FP": 1}, {"FP": 1}, 0) == changes(None, ["FP"])
    assert ({}, {}, 0) == changes(None, ["BE"])
    assert changes(None) == changes(None, ["TP"])  # what is right is no error
