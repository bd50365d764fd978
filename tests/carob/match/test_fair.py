"""fair names the errors that the published steps name, one after the other, with lists and sets.

What is simple is decided without looking at mentions one by one. FairEval's own tables come out
to the last digit. Weights are read, printed and refused as they should be.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carob
from carob.corpus.corpus import Corpus
from carob.corpus.document import Document, Mention
from carob.corpus.problems import RecipeError
from carob.counts.events import Events
from carob.counts.tally import Tally
from carob.explain.mentions import MentionErrors
from carob.match import fair
from carob.match.exact import Exact
from carob.match.fair import Fair
from carob.pair.pair import Pair
from tests.worlds import times

LENGTH = 9
EACH = times(10)
Row = tuple[str, tuple[str, tuple[int, ...]] | None, tuple[str, tuple[int, ...]] | None]
Maker = Callable[[np.random.Generator], list[Mention]]


def label(rng: np.random.Generator) -> str:
    return "AB"[rng.integers(2)]


def flat(rng: np.random.Generator) -> list[Mention]:
    """Side by side, nothing overlaps."""
    cuts = sorted(set(rng.integers(0, LENGTH + 1, 6).tolist()))
    return [Mention(label(rng), a, b) for a, b in pairwise(cuts) if rng.random() < 0.8]


def crossing(rng: np.random.Generator) -> list[Mention]:
    """Anywhere: nested, crossing, and some of them twice."""
    found = []
    for _ in range(rng.integers(0, 6)):
        start = int(rng.integers(LENGTH))
        end = min(LENGTH, start + int(rng.integers(1, 6)))
        found += [Mention(label(rng), start, end)] * (1 + int(rng.random() < 0.15))
    return found


def nested(rng: np.random.Generator) -> list[Mention]:
    """One within the other."""
    found, start, end = [], 0, LENGTH
    while end - start > 1 and rng.random() < 0.85:
        found.append(Mention(label(rng), start, end))
        start, end = start + int(rng.integers(0, 3)), end - int(rng.integers(0, 3))
    return found


def gapped(rng: np.random.Generator) -> list[Mention]:
    """With gaps, and some without."""
    found = crossing(rng)[:2]
    for _ in range(rng.integers(1, 4)):
        places = np.flatnonzero(rng.random(LENGTH) < 0.35).tolist() or [0]
        found.append(Mention.of(label(rng), [(i, i + 1) for i in places]))
    return found


MAKERS: dict[str, Maker] = {"flat": flat, "crossing": crossing, "nested": nested, "gaps": gapped}
WORLDS = pytest.mark.parametrize("kind", list(MAKERS))


@cache
def corpora(kind: str) -> tuple[Corpus, Corpus]:
    """The system copies some of gold, some of it with another label."""
    rng = np.random.default_rng(list(MAKERS).index(kind))
    sides: tuple[list[Document], list[Document]] = ([], [])
    for _ in range(EACH):
        ours, theirs = MAKERS[kind](rng), MAKERS[kind](rng)
        if kind != "flat":
            theirs += [each for each in ours if rng.random() < 0.1]
            theirs += [Mention.of(label(rng), e.fragments) for e in ours if rng.random() < 0.1]
        for side, mentions in zip(sides, (ours, theirs), strict=True):
            side.append(Document(tokens=("w",) * LENGTH, mentions=tuple(mentions)))
    return Corpus.of(*sides[0]), Corpus.of(*sides[1])


def world(kind: str) -> Pair:
    return Pair.of(*corpora(kind))


class Span:
    """A mention as the program has it: label, begin, end, tokens that may be taken away."""

    def __init__(self, pair: Pair, side: str, row: int) -> None:
        table = getattr(pair, side)
        self.label = pair.labels[table.label[row]]
        self.all = tuple(p for part in table.fragments_of(row) for p in range(*part))
        self.tokens = set(self.all)
        self.begin, self.end = min(self.all), max(self.all)

    @property
    def extent(self) -> tuple[int, int]:
        return self.begin, self.end

    def named(self) -> tuple[str, tuple[int, ...]]:
        return self.label, self.all


def most_similar(asking: Span, others: list[Span]) -> Span:
    ranked = []
    for place, other in enumerate(others):
        shared = asking.tokens & other.tokens
        ranked.append(
            (-len(shared), len(asking.tokens - shared), len(other.tokens - shared),
             other.end - other.begin, place)
        )  # fmt: skip
    return others[min(ranked)[-1]]


def kind_of(gold: Span, system: Span) -> str:
    if gold.begin <= system.begin and system.end <= gold.end:
        return "BES"
    if system.begin <= gold.begin and gold.end <= system.end:
        return "BEL"
    return "BEO"


def slowly(gold: list[Span], system: list[Span], *, early: bool = False) -> list[Row]:
    """The steps of the algorithm as they are written. An `early` FairEval took mentions out of the
    lists that it was walking through.
    """
    rows: list[Row] = []
    walk: Callable[[list[Span]], list[Span]] = (lambda spans: spans) if early else list

    def add(name: str, g: Span, s: Span) -> None:
        rows.append((name, g.named(), s.named()))

    for g in list(gold):
        same = [s for s in system if s.named() == g.named()]
        if same:
            add("TP", g, same[0])
            gold.remove(g)
            system.remove(same[0])
    for g in list(gold):
        same = [s for s in system if s.extent == g.extent and s.label != g.label]
        if same:
            add("LE", g, same[0])
            gold.remove(g)
            system.remove(same[0])
    gold.sort(key=lambda g: g.end - g.begin)
    system.sort(key=lambda s: s.end - s.begin)
    counted_gold: list[Span] = []
    counted_system: list[Span] = []
    for step in ("BE", "LBE"):

        def fit(g: Span, s: Span, step: str = step) -> bool:
            meet = g.begin <= s.end and s.begin <= g.end and g.extent != s.extent
            return meet and (g.label == s.label) == (step == "BE")

        def match(g: Span, s: Span, step: str = step) -> None:
            add(kind_of(g, s) if step == "BE" else "LBE", g, s)
            shared = g.tokens & s.tokens
            g.tokens, s.tokens = g.tokens - shared, s.tokens - shared

        for g in walk(gold):
            if near := [s for s in system if fit(g, s)]:
                s = most_similar(g, near)
                match(g, s)
                gold.remove(g)
                system.remove(s)
                counted_gold.append(g)
                counted_system.append(s)
        for g in walk(gold):
            if near := [s for s in counted_system if fit(g, s) and g.tokens & s.tokens]:
                match(g, most_similar(g, near))
                gold.remove(g)
                counted_gold.append(g)
        for s in walk(system):
            if near := [g for g in counted_gold if fit(g, s) and g.tokens & s.tokens]:
                match(most_similar(s, near), s)
                system.remove(s)
                counted_system.append(s)
    rows += [("FN", g.named(), None) for g in gold]
    rows += [("FP", None, s.named()) for s in system]
    return rows


def expected(pair: Pair, *, early: bool = False) -> list[Counter[Row]]:
    """The rows of each document."""
    spans: list[tuple[list[Span], list[Span]]] = [([], []) for _ in range(pair.size)]
    for place, side in enumerate(("gold", "system")):
        table = getattr(pair, side)
        for row, doc in enumerate(table.doc.tolist()):
            spans[doc][place].append(Span(pair, side, row))
    return [Counter(slowly(*both, early=early)) for both in spans]


def actual(pair: Pair, events: Events) -> list[Counter[Row]]:
    found: list[Counter[Row]] = [Counter() for _ in range(pair.size)]
    for doc, code, g, s in zip(
        events.doc.tolist(), events.outcome.tolist(), events.gold.tolist(), events.system.tolist(),
        strict=True,
    ):  # fmt: skip
        found[doc][(
            events.outcomes[code],
            Span(pair, "gold", g).named() if g >= 0 else None,
            Span(pair, "system", s).named() if s >= 0 else None,
        )] += 1  # fmt: skip
    return found


@WORLDS
def test_the_errors_are_those_of_the_published_steps(kind: str) -> None:
    pair = world(kind)
    events = Fair()(pair)
    assert expected(pair) == actual(pair, events)
    assert {1.0} == set(events.weight.tolist())


@WORLDS
def test_every_mention_has_a_row_and_wrong_ones_alone_have_several(kind: str) -> None:
    pair = world(kind)
    events = Fair()(pair)
    once = np.isin(events.outcome, [Fair.outcomes.index(o) for o in ("TP", "LE", "FP", "FN")])
    for rows, table in ((events.gold, pair.gold), (events.system, pair.system)):
        assert set(range(len(table))) == set(rows.tolist()) - {-1}
        there = rows[once][rows[once] >= 0].tolist()
        assert len(there) == len(set(there))


@WORLDS
def test_what_is_right_is_what_exact_counts(kind: str) -> None:
    pair = world(kind)
    counted = Tally.of(Fair(), pair).counted()
    assert Tally.of(Exact(), pair).counted()["tp"] == counted["TP"]


@WORLDS
def test_focus_moves_pairs_between_labels_and_changes_no_total(kind: str) -> None:
    pair = world(kind)
    ours, theirs = Tally.of(Fair(), pair), Tally.of(Fair(focus="system"), pair)
    assert ours.counted() == theirs.counted()
    for focus, tally in (("gold", ours), ("system", theirs)):
        events = Fair()(pair)
        rows = Counter[tuple[str, str]]()
        for code, g, s in zip(events.outcome, events.gold, events.system, strict=True):
            name = events.outcomes[code]
            gold_side = name == "FN" or (name != "FP" and focus == "gold")
            table, row = (pair.gold, g) if gold_side else (pair.system, s)
            rows[pair.labels[table.label[row]], name] += 1
        found = tally.by_label()
        assert {
            (label, name): rows[label, name] for label in pair.labels for name in Fair.outcomes
        } == {
            (label, name): found[name][i]
            for i, label in enumerate(pair.labels)
            for name in Fair.outcomes
        }


def test_what_is_simple_is_decided_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("one by one")

    monkeypatch.setattr(fair, "_Contest", refuse)
    gold = Corpus.of("[a]A [b c]A d [e]B [f]A [g h i]A [j]A [k]B", "[a]A b")
    system = Corpus.of("[a]A [b]A c [d]A [e]A f [g]A [h]B [i]A [j k]A", "a b")
    expected = {"TP": 1, "LE": 1, "BES": 3, "BEL": 1, "BEO": 0, "LBE": 2, "FP": 1, "FN": 2}
    assert expected == Tally.of(Fair(), Pair.of(gold, system)).counted()


def test_two_that_compete_are_no_simple_case(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    contest = fair._Contest
    monkeypatch.setattr(
        fair,
        "_Contest",
        lambda *given: seen.append(given) or contest(*given),  # type: ignore[func-returns-value]
    )
    gold, system = Corpus.of("[a b c]A d"), Corpus.of("[[a]A b]A c d")
    expected = {"TP": 0, "LE": 0, "BES": 1, "BEL": 0, "BEO": 0, "LBE": 0, "FP": 1, "FN": 0}
    assert expected == Tally.of(Fair(), Pair.of(gold, system)).counted()
    assert len(seen) == 1


def test_gold_against_itself_has_no_errors() -> None:
    for kind in MAKERS:
        table = world(kind)
        same = Pair(table.gold, table.gold, table.labels, table.documents, "token")
        counted = Tally.of(Fair(), same).counted()
        assert {"TP": float(len(table.gold))} == {k: n for k, n in counted.items() if n}


def test_nothing_is_lost_when_a_side_is_empty() -> None:
    some, none = Corpus.of("[a]A b"), Corpus.of("a b")
    for gold, system, name in ((some, none, "FN"), (none, some, "FP")):
        counted = Tally.of(Fair(), Pair.of(gold, system)).counted()
        assert {name: 1.0} == {k: n for k, n in counted.items() if n}
    assert {0.0} == set(Tally.of(Fair(), Pair.of(none, none)).counted().values())


def test_extents_that_overlap_without_a_shared_token_are_a_boundary_error() -> None:
    def corpus(*places: int) -> Corpus:
        spans = [(i, i + 1) for i in places]
        return Corpus.of(Document(tokens=("w",) * 5, mentions=(Mention.of("A", spans),)))

    counted = Tally.of(Fair(), Pair.of(corpus(0, 4), corpus(2))).counted()
    assert {k: n for k, n in counted.items() if n} == {"BES": 1.0}
    counted = Tally.of(Fair(), Pair.of(corpus(0, 2, 4), corpus(0, 4))).counted()
    assert {k: n for k, n in counted.items() if n} == {"FN": 1.0, "FP": 1.0}


def folder() -> Path:
    root = Path(os.environ.get("CAROB_DATA", Path(__file__).parents[4] / "shared" / "data"))
    if not (root / "faireval-ner").is_dir():
        pytest.skip("the data of FairEval is not here")
    return root / "faireval-ner"


def tables(text: str) -> dict[str, list[dict[str, str]]]:
    """The tables that FairEval printed, by heading."""
    found = {}
    for part in text.split("### ")[1:]:
        heading, *lines = part.strip().splitlines()
        if "\t" in (lines or [""])[0]:
            names = lines[0].split("\t")
            rows = [dict(zip(names, line.split("\t"), strict=True)) for line in lines[1:]]
            found[heading.rstrip(":")] = rows
    return found


def test_the_tables_of_faireval_come_out_to_the_last_digit() -> None:
    data = folder()
    gold, system = (carob.read(data / f"{name}.tsv", "spans") for name in ("target", "system"))
    printed = tables((data / "expected.txt").read_text())
    names: Mapping[str, str] = {"Prec": "P", "Rec": "R", "F1": "F1"}
    spaces = {"Traditional": "exact", "Fair": "fair", "Weighted": "fair(weights=boundary)"}
    compared = 0

    @cache
    def scored(recipe: str) -> carob.Score:
        return carob.score(gold, system, recipe, resamples=0).scores[0]

    for kind, space in spaces.items():
        for row in printed[f"{kind} evaluation"]:
            for name, value in row.items():
                if name == "Label":
                    continue
                measure = names.get(name, name.lower() if kind == "Traditional" else name)
                score = scored(f"{space}.{measure}")
                overall = row["Label"] == "overall"
                found = score.value if overall else score.by_label[row["Label"]].value
                assert found is not None
                shown = f"{100 * found:.2f}" if name in names else f"{found:.0f}"
                assert value == shown, (kind, row["Label"], name)
                compared += 1
        line = next(row for row in printed["Comparison"] if row["Version"] == kind)
        total = next(r for r in printed[f"{kind} evaluation"] if r["Label"] == "overall")
        assert {n: line[n] for n in names} == {n: total[n] for n in names}
    assert compared == 5 * (6 + 9 + 11)


def test_the_confusion_matrix_of_faireval_comes_out() -> None:
    data = folder()
    gold, system = (carob.read(data / f"{name}.tsv", "spans") for name in ("target", "system"))
    pair = Pair.of(gold, system)
    rows = tables((data / "expected.txt").read_text())["Confusion matrix"]
    expected = {
        row["Target\\System"]: {
            k: int(n) for k, n in row.items() if k != "Target\\System" and n != "0"
        }
        for row in rows
    }
    analysis = MentionErrors(pair, Fair()(pair), lambda row: (None, None))
    assert expected == analysis.confusion().to_dict()


def totals(rows: list[Counter[Row]]) -> dict[str, int]:
    """How often each type of error is there."""
    found = Counter[str]()
    for each in rows:
        for (name, _, _), count in each.items():
            found[name] += count
    return dict(found)


def test_an_early_faireval_skipped_the_mention_after_each_pair() -> None:
    gold = Document(tokens=("w",) * 6, mentions=(Mention("B", 0, 3), Mention("A", 3, 6)))
    system = Document(tokens=("w",) * 6, mentions=(Mention("A", 0, 2), Mention("B", 3, 5)))
    pair = Pair.of(Corpus.of(gold), Corpus.of(system))
    assert {"LBE": 2} == totals(expected(pair)) == totals(actual(pair, Fair()(pair)))
    assert {"LBE": 1, "FN": 1, "FP": 1} == totals(expected(pair, early=True))


def test_the_errors_of_an_early_faireval_depend_on_the_order_of_mentions() -> None:
    tokens = ("w",) * 8
    gold = Corpus.of(Document(tokens=tokens, mentions=tuple(
        Mention("A", start, start + 2) for start in (0, 3, 6)
    )))  # fmt: skip
    system = Corpus.of(Document(tokens=tokens, mentions=(Mention("A", 0, 1), Mention("A", 6, 7))))
    pair = Pair.of(gold, system)

    def found(order: tuple[int, ...], *, early: bool) -> dict[str, int]:
        sides = (
            [Span(pair, "gold", row) for row in order],
            [Span(pair, "system", i) for i in (0, 1)],
        )
        return totals([Counter(slowly(*sides, early=early))])

    assert {"BES": 2, "FN": 1} == found((0, 1, 2), early=True) == found((0, 1, 2), early=False)
    assert {"BES": 1, "FN": 2, "FP": 1} == found((0, 2, 1), early=True)
    assert {"BES": 2, "FN": 1} == found((0, 2, 1), early=False)


def test_both_published_tables_of_faireval_come_out() -> None:
    """The results in its repository were replaced once, when mentions were skipped no longer."""
    data = folder()
    gold, system = (carob.read(data / f"{name}.tsv", "spans") for name in ("target", "system"))
    pair = Pair.of(gold, system)
    both = {"TP": 5159, "LE": 252}
    assert totals(expected(pair)) == both | {
        "BES": 71, "BEL": 106, "BEO": 3, "LBE": 155, "FN": 462, "FP": 253
    }  # fmt: skip
    assert totals(expected(pair, early=True)) == both | {
        "BES": 68, "BEL": 101, "BEO": 4, "LBE": 144, "FN": 477, "FP": 267
    }  # fmt: skip


FORMULA = (
    "LE = 0.5 FP + 0.5 FN, BES = 0.5 TP + 0.5 FN, BEL = 0.5 TP + 0.5 FP, "
    "BEO = 0.5 TP + 0.25 FP + 0.25 FN, LBE = 0.5 FP + 0.5 FN"
)


@pytest.mark.parametrize(
    ("given", "canonical"),
    [
        ("default", "default"),
        (FORMULA, "boundary"),
        ("LE=FP,BE=FP,LBE=1FP", "ortmann2021"),
        ("BES = FN, BEL = 1.0 FN, BEO = 1 * FN, LBE = FN, LE = FN", "read2012"),
        ("BE = .5 TP + 5e-1 FN", "BE = 0.5 TP + 0.5 FN"),
        ("LBE=2FN, LE = 0.25 TP + 0.1FN + .3FP", "LE = 0.25 TP + 0.3 FP + 0.1 FN, LBE = 2 FN"),
        (" BEO = 0 FN ", "BEO = 0 FP"),
        ("BES = 0.5 FN + 0.5 FP", "default"),
    ],
)
def test_weights_print_in_one_way_and_come_back(given: str, canonical: str) -> None:
    space = Fair(weights=given)
    assert canonical == space.weights
    recipe = carob.Recipe(
        space, carob.Recipe.parse("fair.F1").measure, carob.Recipe.parse("fair.F1").average
    )
    assert recipe == carob.Recipe.parse(str(recipe))
    assert recipe == carob.Recipe.parse(recipe.full)


def test_weights_make_the_quantities() -> None:
    quantities = Fair(weights="LE = 0.2 TP + 0.3 FP + 0.4 FN, BE = TP").quantities
    sums = {name: {k: round(n, 9) for k, n in q.items() if n} for name, q in quantities.items()}
    boundary = {"BES": 1.0, "BEL": 1.0, "BEO": 1.0}
    right = {"TP": 1.0, "LE": 0.2} | boundary
    assert {
        "gold_right": right,
        "gold_all": right | {"LE": 0.6, "LBE": 0.5, "FN": 1.0},
        "system_right": right,
        "system_all": right | {"LE": 0.5, "LBE": 0.5, "FP": 1.0},
        "BE": boundary,
    } == sums


KINDS = "a type of error: LE, BE, BES, BEL, BEO or LBE"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("XE = FP", f"found 'XE = FP', expected {KINDS}"),
        ("LE = FP,", f"found the end, expected {KINDS}"),
        ("TP = FP",
         f"found 'TP = FP', expected {KINDS}; TP, FP and FN always count as themselves"),
        ("LE = ", "found the end, expected a number and TP, FP or FN"),
        ("LE = 0.5", "found the end, expected TP, FP or FN"),
        ("LE = 0.5 tp", "found 'tp', expected TP, FP or FN"),
        ("LE = FP + TN", "found 'TN', expected a number and TP, FP or FN"),
        ("LE = -1 FP", "found '-1 FP', expected a number that is 0 or more"),
        ("LE = 1e308 FP", "found '1e308 FP', expected a number up to 1,000,000"),
        ("LE = 1e999 FP", "found '1e999 FP', expected a number up to 1,000,000"),
        ("LE = FP FN", "found 'FN', expected '+', ',' or the end"),
        ("LE FP, BE = FN", "found 'FP, BE = FN', expected '='"),
        ("LE = FP, LE = FN",
         "found 'LE = FN', expected each type once; LE has its weight already"),
        ("BES = FP, BE = FN",
         "found 'BE = FN', expected each type once; BES has its weight already "
         "(BE is BES, BEL and BEO)"),
        ("LE = FP + 2 FP",
         "found '2 FP', expected each of TP, FP and FN once; FP has its number already"),
    ],
)  # fmt: skip
def test_a_formula_that_cannot_be_read_is_refused_in_words(text: str, message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        Fair(weights=text)
    assert f"in the weights {text!r}: {message}" == str(caught.value)


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        ("fair(weights=bound).F1",
         "fair(weights=…): found 'bound'; did you mean boundary? there are: boundary, default, "
         "ortmann2021, read2012, or a formula like LE = 0.5 FP + 0.5 FN, BES = 0.5 TP + 0.5 FN"),
        ("fair(focus=target).F1", "fair(focus=…): found target; there are: gold, system"),
    ],
)  # fmt: skip
def test_words_that_mean_nothing_are_refused(recipe: str, message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        carob.Recipe.parse(recipe)
    assert message == str(caught.value)


def test_parameters_are_refused_in_python_too() -> None:
    wrong: list[dict[str, Any]] = [{"focus": "target"}, {"weights": 1}]
    for given in wrong:
        with pytest.raises(RecipeError):
            Fair(**given)
