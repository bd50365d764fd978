"""self-training keeps what helps on held-out training documents, and nothing if nothing does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from carob.corpus.corpus import Corpus
from carob.corpus.problems import CarobError, DataError, InputError, UsageError
from carob.pair.texts import Examples, Spans, Texts
from carob.plugin import hook
from carob.recipe import learner as parse_learner
from carob.recipe import spell
from carob.registry import names
from carob_lab.learn._inner import inner_split, oaod_f1
from carob_lab.learn.rote import Rote, RoteModel
from carob_lab.learn.self_training import SelfTraining
from carob_lab.learn.train import load_model, train


class ByModel(RoteModel):
    """Marks each known name, and any word after `by`."""

    def answers(self, texts: Texts) -> Corpus:
        names = {entry[0] for entry in self.entries[0]}
        rows = []
        for doc in range(len(texts)):
            words = texts.corpus.words(doc)[1] or ()
            rows += [
                (doc, n, n + 1, 0)
                for n, word in enumerate(words) if word in names or words[n - 1 : n] == ("by",)
            ]  # fmt: skip
        columns = np.array(rows, np.int64).reshape(-1, 4).T
        return texts.answers(self.slots, Spans(*columns), np.full(len(rows), 0.9))


@dataclass(frozen=True)
class By:
    """A learner of names that is sure to find more of them in texts with `by`."""

    name: ClassVar[str] = "by"

    def fit(self, examples: Examples, slots: tuple[str, ...], seed: int) -> RoteModel:
        gold = examples.gold
        names: dict[tuple[str, ...], float] = {}
        for row in range(len(gold)):
            words = gold.words(row)[1] or ()
            names |= {words[m.start : m.end]: 1.0 for m in gold[row].mentions}
        return ByModel(slots, (names,))

    def load(self, folder: Path) -> RoteModel:
        raise AssertionError


NAMES = [f"n{i}" for i in range(12)]
TRAIN = Examples.of(Corpus.of(*(f"[{name}]who met the by [m{name}]who" for name in NAMES)))


def fit(more: Corpus, examples: Examples = TRAIN) -> Mapping[str, object]:
    learner = SelfTraining(By())
    return learner.fit(replace(examples, unlabelled=Texts.of(more)), ("who",), 0).describe()


def test_documents_that_help_are_kept() -> None:
    facts = fit(Corpus.of(*(f"by {name}" for name in NAMES), "nothing"))
    assert (0.9, 13, 12) == (facts["threshold"], facts["unlabelled"], facts["kept"])
    # Alone, the names after `by` are found: half of gold, without a wrong answer.
    assert 2 / 3 == pytest.approx(facts["inner_f1_alone"])
    assert facts["inner_f1"] == 1.0


def test_documents_that_do_harm_are_not_kept() -> None:
    facts = fit(Corpus.of("by the", "by met"))
    assert facts["threshold"] is None
    assert facts["kept"] == 0
    assert facts["inner_f1"] == facts["inner_f1_alone"]


def test_one_document_is_not_divided() -> None:
    assert fit(Corpus.of("by n1"), TRAIN.only(np.array([3])))["threshold"] is None


def test_an_inner_split_depends_on_ids_and_not_on_their_order() -> None:
    def held_out(names: list[str]) -> set[str]:
        corpus = Corpus.of(*({"id": name, "tokens": ["a"], "mentions": []} for name in names))
        inside, outside = inner_split(Examples.of(corpus), 1)
        assert set(range(len(names))) == {*inside.tolist(), *outside.tolist()}
        return {names[row] for row in outside.tolist()}

    assert 4 == len(held_out(NAMES))
    assert held_out(NAMES) == held_out(NAMES[::-1])


def test_f1_counts_every_place_once() -> None:
    gold, answers = Corpus.of("[a]x [b]y c", "[a]x"), Corpus.of("[a]x b [c]x", "[a]y")
    assert 2 * 1 / (3 + 3) == oaod_f1(gold, answers, ("x", "y"))
    assert 2 * 1 / (2 + 2) == oaod_f1(gold, answers, ("x",))
    assert 0 == oaod_f1(Corpus.of("a"), Corpus.of("a"), ("x",))


def test_it_needs_unlabelled_documents_and_confidences() -> None:
    with pytest.raises(DataError, match="self-training needs unlabelled documents"):
        SelfTraining(Rote()).fit(TRAIN, ("who",), 0)

    class Silent(By):
        def fit(self, examples: Examples, slots: tuple[str, ...], seed: int) -> RoteModel:
            class Model(ByModel):
                def answers(self, texts: Texts) -> Corpus:
                    found = super().answers(texts)
                    return replace(found, mentions=replace(found.mentions, confidence=None))

            return Model(slots, ({("n1",): 1.0},))

    more = replace(TRAIN, unlabelled=TRAIN.texts)
    with pytest.raises(DataError, match="whose answers have confidences"):
        SelfTraining(Silent()).fit(more, ("who",), 0)
    with pytest.raises(UsageError, match="found itself as its learner"):
        SelfTraining(SelfTraining(Rote()))


def test_a_saved_model_answers_the_same(tmp_path: Path) -> None:
    corpus = Corpus.of("by [Ann]who", "by [Bo]who", "[Ann]who", "Bo by [Ann]who")
    model = train("self-training(learner=rote(precision=0.4))", corpus, unlabelled=corpus)
    model.save(tmp_path / "m")
    again = load_model(tmp_path / "m")
    assert again.describe() == model.describe()
    assert [d.mentions for d in again.answers(corpus)] == [
        d.mentions for d in model.answers(corpus)
    ]
    (tmp_path / "m" / "inner" / "model.json").write_text("[]")
    with pytest.raises(InputError, match="found a list, expected a JSON object"):
        load_model(tmp_path / "m")
    (tmp_path / "m" / "model.json").unlink()
    with pytest.raises(InputError, match=r"model\.json: K911 found no such file"):
        load_model(tmp_path / "m")


def test_what_the_learner_within_has_is_passed_on() -> None:
    model = SelfTraining(Rote()).fit(replace(TRAIN, unlabelled=TRAIN.texts), ("who",), 0)
    assert hook(model, "uncertainty") is None
    assert ("who",) == model.slots
    assert not hook(SelfTraining(Rote()), "runs_programs")
    assert not hook(SelfTraining(Rote()), "own_features")


@pytest.mark.parametrize("name", sorted({*names("learn")} - {"self-training"}))
def test_every_learner_can_be_within(name: str) -> None:
    try:
        inner = parse_learner(name)
    except CarobError:
        inner = parse_learner(f'{name}(train="a b"+"3",predict="1"+"{{input}}")')
    text = f"self-training(learner={spell(inner, full=True)})"
    assert inner == parse_learner(text).learner
    assert text == spell(parse_learner(text), full=True)
