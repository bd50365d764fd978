"""ts and token count what counting unit by unit counts; the four cells add up to the whole
document for every label; nothing depends on the order of mentions; every row can be opened.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import settings

from carob import (
    Corpus,
    Document,
    InputError,
    Mention,
    Pair,
    Recipe,
    RecipeError,
    UsageError,
    score,
)
from carob.counts.events import Events
from carob.counts.tally import Tally
from carob.match.units import Token, Ts

Unit = tuple[str, int]
Space = Ts | Token
LABELS = ("A", "B", "C")


def _mention(rng: random.Random, length: int) -> Mention:
    cuts = sorted(rng.sample(range(length + 1), min(length + 1, rng.choice((2, 2, 2, 4, 6)))))
    cuts = cuts[: len(cuts) // 2 * 2]
    return Mention.of(rng.choice(LABELS), list(zip(cuts[::2], cuts[1::2], strict=True)))


def _side(rng: random.Random, length: int, seen: list[Mention]) -> list[Mention]:
    found = [_mention(rng, length) for _ in range(rng.randint(0, 4)) if length]
    found += rng.sample(seen, rng.randint(0, len(seen)))
    return [*found, found[0]] if found and rng.random() < 0.3 else found


def _worlds(count: int, seed: int) -> tuple[list[Document], list[Document]]:
    rng = random.Random(seed)
    gold, system = [], []
    for _ in range(count):
        length = rng.randint(0, 8)
        tokens = tuple(rng.choice("xyz") for _ in range(length))
        ours = _side(rng, length, [])
        theirs = _side(rng, length, ours)
        gold.append(Document(tokens=tokens, mentions=tuple(ours)))
        system.append(Document(tokens=tokens, mentions=tuple(theirs)))
    return gold, system


GOLD, SYSTEM = _worlds(12 * settings().max_examples, 0)
CORPORA = (Corpus.of(*GOLD), Corpus.of(*SYSTEM))
PAIR, SWAPPED, ITSELF = (
    Pair.of(*sides) for sides in (CORPORA, CORPORA[::-1], (CORPORA[0], CORPORA[0]))
)


def _backwards(documents: list[Document]) -> Corpus:
    return Corpus.of(*(Document(tokens=d.tokens, mentions=d.mentions[::-1]) for d in documents))


BACKWARDS = Pair.of(_backwards(GOLD), _backwards(SYSTEM))
WEIGHTS = [(7 * i % 11) / 8 for i in range(sum(len(d.tokens or ()) for d in GOLD))]


def _units(mention: Mention) -> Counter[Unit]:
    found: Counter[Unit] = Counter()
    for start, end in mention.fragments:
        found.update(("token", i) for i in range(start, end))
        found.update(("separator", i) for i in range(start, end - 1))
    return found


def _tagged(document: Document, label: str, space: Space) -> Counter[Unit]:
    found: Counter[Unit] = Counter()
    for mention in document.mentions:
        if mention.label == label or space.supertag is not None:
            found += _units(mention)
    return found if space.instances == "count" else Counter(set(found))


def _weigher(space: Space, first: int) -> Callable[[Counter[Unit]], float]:
    separator = getattr(space, "sep", 0)

    def weigh(units: Counter[Unit]) -> float:
        return sum(
            count * (separator if kind == "separator" else
                     1.0 if space.token_weights is None else WEIGHTS[first + i])
            for (kind, i), count in units.items()
        )  # fmt: skip

    return weigh


@cache
def _expected(space: Space) -> dict[tuple[int, str], tuple[float, float, float, float]]:
    """For each document and label: tp, fp, fn and the size of the document."""
    found = {}
    first = 0
    for row, (gold, system) in enumerate(zip(GOLD, SYSTEM, strict=True)):
        n = len(gold.tokens or ())
        weigh = _weigher(space, first)
        everything = Counter[Unit]({("token", i): 1 for i in range(n)})
        everything.update(("separator", i) for i in range(n - 1))
        for label in LABELS if space.supertag is None else (space.supertag,):
            ours, theirs = _tagged(gold, label, space), _tagged(system, label, space)
            found[row, label] = (
                weigh(ours & theirs), weigh(theirs - ours), weigh(ours - theirs), weigh(everything),
            )  # fmt: skip
        first += n
    return found


@pytest.fixture(scope="module")
def weights_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("weights") / "w.txt"
    file.write_text("".join(f"{weight}\n" for weight in WEIGHTS))
    return str(file)


def _spaces(file: str) -> list[Space]:
    return [
        Ts(),
        Ts(sep=0.5),
        Ts(sep=0),
        Token(),
        Ts(instances="count"),
        Token(instances="count"),
        Ts(supertag="ALL"),
        Token(supertag="A", instances="count"),
        Ts(token_weights=file),
        Ts(sep=0.25, token_weights=file, instances="count"),
        Token(token_weights=file, supertag="ALL"),
    ]


def _sums(events: Events, labels: tuple[str, ...]) -> dict[tuple[int, str, str], float]:
    found: dict[tuple[int, str, str], float] = defaultdict(float)
    for doc, label, outcome, weight in zip(
        events.doc.tolist(), events.label.tolist(), events.outcome.tolist(),
        events.weight.tolist(), strict=True,
    ):  # fmt: skip
        found[doc, labels[label], events.outcomes[outcome]] += weight
    return found


@pytest.mark.parametrize("which", range(11))
def test_counting_unit_by_unit_gives_the_same(which: int, weights_file: str) -> None:
    space = _spaces(weights_file)[which]
    events = space(PAIR)
    found = _sums(events, events.labels or PAIR.labels)
    expected = _expected(space)
    assert any(cells[0] and cells[1] and cells[2] for cells in expected.values())
    for (doc, label), (tp, fp, fn, size) in expected.items():
        cells = tuple(found.pop((doc, label, outcome), 0.0) for outcome in ("tp", "fp", "fn"))
        assert (tp, fp, fn) == cells
        if events.size is not None:
            assert size == events.size[doc]
    assert found == {}
    assert (space.instances == "set") == (events.size is not None)


@pytest.mark.parametrize("which", [0, 1, 3, 6, 8])
def test_cells_of_every_label_and_document_add_up_to_its_size(
    which: int, weights_file: str
) -> None:
    space = _spaces(weights_file)[which]
    expected = _expected(space)
    tally = Tally.of(space, PAIR)
    total, by_label, by_unit = tally.total(), tally.by_label(), tally.by_unit()
    for q in (total, by_label, by_unit):
        whole = q["tp"] + q["fp"] + q["fn"] + q["tn"]
        np.testing.assert_allclose(whole, q["total"], rtol=1e-12)
        assert (q["tn"] >= 0).all()
    for i, label in enumerate(tally.labels):
        size = sum(cells[3] for (_, name), cells in expected.items() if name == label)
        assert size == pytest.approx(by_label["total"][i], rel=1e-12)
    for doc in range(0, len(GOLD), 50):
        size = sum(expected[doc, label][3] for label in tally.labels)
        assert size == pytest.approx(by_unit["total"][doc], rel=1e-12)


def test_ts_has_2n_minus_1_units_and_token_n_whatever_is_marked() -> None:
    tokens = [len(document.tokens or ()) for document in GOLD]
    assert 0 in tokens
    for pair in (PAIR, SWAPPED, ITSELF):
        units, alone = Ts()(pair).size, Token()(pair).size
        assert units is not None
        assert alone is not None
        assert [max(2 * n - 1, 0) for n in tokens] == units.tolist()
        assert tokens == alone.tolist()


@pytest.mark.parametrize("which", range(11))
def test_gold_against_itself_is_perfect(which: int, weights_file: str) -> None:
    counted = Tally.of(_spaces(weights_file)[which], ITSELF).counted()
    assert counted["tp"] > 0
    assert (counted["fp"], counted["fn"]) == (0.0, 0.0)


@pytest.mark.parametrize("which", range(11))
def test_swapping_gold_and_system_swaps_their_errors(which: int, weights_file: str) -> None:
    space = _spaces(weights_file)[which]
    swapped = Tally.of(space, SWAPPED).by_label()
    q = Tally.of(space, PAIR).by_label()
    assert q["tp"].tolist() == pytest.approx(swapped["tp"].tolist())
    assert q["fp"].tolist() == pytest.approx(swapped["fn"].tolist())
    assert q["fn"].tolist() == pytest.approx(swapped["fp"].tolist())


@pytest.mark.parametrize("which", range(11))
def test_the_order_of_mentions_is_irrelevant(which: int, weights_file: str) -> None:
    space = _spaces(weights_file)[which]
    assert np.array_equal(Tally.of(space, PAIR).counts, Tally.of(space, BACKWARDS).counts)


@pytest.mark.parametrize("space", [Ts(), Token(), Ts(instances="count")])
def test_a_row_names_mentions_that_cover_as_much_as_it_counts(space: Space) -> None:
    gold, system = CORPORA
    events = space(PAIR)
    none: Counter[Unit] = Counter()
    for row in range(0, len(events), 7):
        ours, theirs = int(events.gold[row]), int(events.system[row])
        outcome = events.outcomes[events.outcome[row]]
        sides = {"tp": (True, True), "fp": (False, True), "fn": (True, False)}[outcome]
        assert sides == (ours >= 0, theirs >= 0)
        label = PAIR.labels[events.label[row]]
        named = [
            (corpus.mentions.doc[at], corpus.mention(at)) for corpus, at in
            ((gold, ours), (system, theirs)) if at >= 0
        ]  # fmt: skip
        assert all(doc == events.doc[row] and m.label == label for doc, m in named)
        shared = _units(named[0][1]) & _units(named[-1][1]) if named else none
        least = events.weight[row] if space.instances == "set" else 1
        assert shared.total() >= least > 0


def test_flat_mentions_have_a_row_for_each_that_meet_and_for_each_rest() -> None:
    gold = Corpus.of("The [quick brown]C fox jumps over the [lazy dog]C")
    system = Corpus.of("The [quick brown fox]C jumps over the [lazy]C [dog]C")
    events = Ts()(Pair.of(gold, system))
    rows = [
        (events.outcomes[o], w, g, s) for o, w, g, s in
        zip(events.outcome, events.weight, events.gold, events.system, strict=True)
    ]  # fmt: skip
    expected = [
        ("tp", 3, 0, 0), ("fp", 2, -1, 0), ("tp", 1, 1, 1), ("fn", 1, 1, -1), ("tp", 1, 1, 2),
    ]  # fmt: skip
    assert expected == rows


def test_mentions_side_by_side_leave_the_separator_between_them_alone() -> None:
    apart, together = Corpus.of("[a]X [b]X"), Corpus.of("[a b]X")
    assert tuple(Tally.of(Ts(), Pair.of(apart, together)).counted().values()) == (2.0, 1.0, 0.0)
    assert tuple(Tally.of(Ts(), Pair.of(together, apart)).counted().values()) == (2.0, 0.0, 1.0)
    assert tuple(Tally.of(Token(), Pair.of(apart, together)).counted().values()) == (2.0, 0.0, 0.0)


def test_documents_do_not_touch() -> None:
    gold = Corpus.of("a [b]X", "[c]X d")
    tally = Tally.of(Ts(), Pair.of(gold, Corpus.of("[a b]X", "[c d]X")))
    assert tuple(tally.counted().values()) == (2.0, 4.0, 0.0)
    expected = [3.0, 3.0]
    assert expected == tally.by_unit()["total"].tolist()


def test_true_negatives_and_the_total_are_measures_of_their_own() -> None:
    gold, system = Corpus.of("[a]X b c [d]Y"), Corpus.of("[a b]X c d")
    scores = score(gold, system, ["ts.tn", "ts.total", "ts.tn@label:X", "token.total@label:Y"])
    expected = [10.0, 14.0, 4.0, 4.0]
    assert expected == [each.value for each in scores]


def test_an_empty_corpus_and_empty_documents_have_no_units() -> None:
    for gold in (Corpus.of(), Corpus.of(Document(tokens=()), Document(tokens=()))):
        tally = Tally.of(Ts(), Pair.of(gold, gold))
        assert tally.total()["total"] == 0.0
        assert tally.total()["tn"] == 0.0


def test_a_supertag_is_the_only_label() -> None:
    gold, system = Corpus.of("[San Diego]LOC [Ann]PER"), Corpus.of("[San Diego]PER Ann")
    found = score(gold, system, ["ts(supertag=ENTITY).F1", "ts(supertag=LOC).R@label:LOC"])
    assert list(found["ts(supertag=ENTITY).F1"].by_label) == ["ENTITY"]
    assert found["ts(supertag=ENTITY).F1"].value == 6 / 7
    assert found["ts(supertag=LOC).R@label:LOC"].value == 3 / 4
    with pytest.raises(RecipeError, match="no label is called 'PER'; there are: ENTITY"):
        score(gold, system, "ts(supertag=ENTITY).F1@label:PER")


def test_multiplicities_are_compared_where_several_mentions_cover_a_unit() -> None:
    gold = Corpus.of("[I [love pizza]IN]IN")
    system = Corpus.of("[[I love pizza]IN]IN")
    pair = Pair.of(gold, system)
    assert tuple(Tally.of(Ts(), pair).counted().values()) == (5.0, 0.0, 0.0)
    counted = Tally.of(Ts(instances="count"), pair).counted()
    assert tuple(counted.values()) == (8.0, 2.0, 0.0)


def test_measures_with_true_negatives_are_refused_for_multiplicities() -> None:
    for name in ("kappa", "mcc", "accuracy", "specificity"):
        assert name == Recipe.parse(f"ts.{name}").measure.name
        message = (
            f"{name} needs tn, which ts(instances=count) does not count; "
            "event spaces that do: token, ts"
        )
        with pytest.raises(RecipeError) as raised:
            Recipe.parse(f"ts(instances=count).{name}")
        assert message == str(raised.value)
    with pytest.raises(RecipeError) as raised:
        Recipe.parse("exact.kappa")
    message = "kappa needs tn, which exact does not count; event spaces that do: token, ts"
    assert message == str(raised.value)
    with pytest.raises(RecipeError, match="no measure of ts is called 'total'"):
        Recipe.parse("ts(instances=count).total")


@pytest.mark.parametrize("text", [
    "ts.F1", "ts(sep=0.5).F1", "token(instances=count).P", "ts(supertag=ENTITY).kappa",
    'ts(supertag="a b").F1@macro',
])  # fmt: skip
def test_a_recipe_is_what_it_prints(text: str) -> None:
    assert text == str(Recipe.parse(text))
    assert Recipe.parse(text) == Recipe.parse(Recipe.parse(text).full)


def test_the_signature_has_every_parameter() -> None:
    assert Recipe.parse("TS-F1M").full == "ts(instances=set,sep=1).F1@macro"
    assert Recipe.parse("T-F1M").full == "token(instances=set).F1@macro"
    expected = 'ts(instances=count,sep=0,supertag="a b").P@micro'
    assert expected == Recipe.parse('ts(supertag="a b",sep=0,instances=count).P').full
    assert Recipe.parse("ts.F1") == Recipe.parse('ts(supertag="",token_weights="").F1')


@pytest.mark.parametrize(("text", "message"), [
    ("ts(sep=-1).F1", "ts(sep=-1.0): sep is from 0 to 1,000,000"),
    ("ts(sep=1e308).F1", "ts(sep=1e+308): sep is from 0 to 1,000,000"),
    ("token(sep=1).F1", "token has no parameter 'sep'"),
    ("ts(instances=many).F1", "ts(instances=…): found many"),
    ('ts(token_weights="-").F1', "token_weights: found '-', expected a file"),
])  # fmt: skip
def test_a_wrong_parameter_is_refused(text: str, message: str) -> None:
    with pytest.raises(RecipeError, match=re.escape(message)):
        Recipe.parse(text)
    with pytest.raises(RecipeError, match="instances is set or count, not 'bag'"):
        Ts(instances="bag")  # type: ignore[arg-type]


def test_a_document_of_unknown_length_cannot_be_scored() -> None:
    gold = Corpus.of(Document("d1", unit="token", mentions=(Mention("X", 0, 1),)))
    message = (
        "gold does not say how many tokens the document 'd1' has, and ts counts them; "
        "give its tokens or its text"
    )
    with pytest.raises(UsageError) as raised:
        score(gold, gold, "ts.F1")
    assert message == str(raised.value)


def test_a_mention_outside_of_its_document_cannot_be_scored() -> None:
    gold = Corpus.of(Document("d1", tokens=("a", "b")))
    system = Corpus.of(Document("d1", mentions=(Mention("X", 1, 3),)))
    message = (
        "system: K306 found a mention that ends at 3 in document 'd1', "
        "expected an end within the 2 positions that gold has"
    )
    with pytest.raises(InputError) as raised:
        score(gold, system, "token.F1")
    assert message == str(raised.value)


def test_positions_beyond_2_to_the_30_do_not_wrap_around() -> None:
    length = 2**31 - 2
    documents = Corpus.of(Document(unit="token", mentions=(Mention("X", length - 3, length),)))
    long = replace(
        documents, documents=replace(documents.documents, length=np.array([length], np.int32))
    )
    tally = Tally.of(Ts(), Pair.of(long, long))
    assert tally.counted() == {"tp": 5.0, "fp": 0.0, "fn": 0.0}
    assert tally.total()["tn"] == 2 * length - 1 - 5


@pytest.mark.parametrize("recipe", ["ts", "token", "ts(sep=0.25)", "ts(instances=count)"])
def test_mentions_that_do_not_overlap_count_what_their_stretches_weigh(recipe: str) -> None:
    """The short way for flat mentions against the rows of the ledger, which take the long one."""
    rng = np.random.default_rng(11)
    texts: tuple[list[str], list[str]] = ([], [])
    for _ in range(400):
        size = int(rng.integers(1, 9))
        for side in texts:
            words, at = [], 0
            while at < size:
                width = min(int(rng.integers(1, 4)), size - at)
                run = " ".join("w" * width)
                words.append(f"[{run}]{'AB'[rng.integers(2)]}" if rng.random() < 0.6 else run)
                at += width
            side.append(" ".join(words))
    pair = Pair.of(Corpus.of(*texts[0]), Corpus.of(*texts[1]))
    space = Recipe.parse(f"{recipe}.F1").space
    events = space(pair)
    short = events.counted(2, 2 * pair.size)
    expected = np.zeros_like(short)
    rows = zip(events.doc, events.label, events.outcome, events.weight, strict=True)
    for doc, label, outcome, weight in rows:
        expected[2 * doc + label, outcome] += weight
    assert expected.sum() > 0
    assert np.array_equal(expected, short)
