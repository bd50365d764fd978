"""Train, save, load and answer: the same answers, and nothing in a folder that a stranger made."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import carob
from carob import Corpus, registry
from carob.corpus.problems import CarobError, InputError, UsageError
from carob.plugin import hook
from carob_lab.learn.train import Trained, learner_of, load_model, predict, train

NAMES = ["Ann Lee", "Bo Dahl", "Cy Roe", "Di Poe", "Ed Moe", "Flo Noe", "Gus Zoe"]


def announcements(number: int = 12) -> Corpus:
    """Small announcements that any learner can learn from."""
    return Corpus.of(
        *(
            f"Talk {i} by [{NAMES[i % 7]}]speaker of Oslo at [{i % 9 + 1} : {i % 6}0]stime in "
            f"[Room {i % 5}]place . See you there , friends of {NAMES[(i + 3) % 7].split()[0]} !"
            for i in range(number)
        )
    )


NEEDS = {"crf": "pycrfsuite", "svm": "sklearn"}
"""The package that each extra brings."""


def learned(name: str, seed: int = 0) -> Trained:
    """A model of a learner; self-training needs unlabelled documents, others ignore them."""
    return train(name, announcements(), seed=seed, unlabelled=announcements(15))


def available() -> list[str]:
    """The learners that can be trained here without more than a corpus."""
    names = [name for name in registry.names("learn") if name != "command"]
    extras = {name: hook(registry.load("learn", name), "extra") for name in names}
    return [n for n in names if not extras[n] or importlib.util.find_spec(NEEDS[extras[n]])]


@pytest.fixture(scope="module", params=[n for n in registry.names("learn") if n != "command"])
def trained(request: pytest.FixtureRequest) -> Trained:
    if request.param not in available():
        pytest.skip(f"{request.param} needs an extra")
    return learned(request.param)


def marked(corpus: Corpus) -> list[object]:
    return [document.mentions for document in corpus]


def test_a_saved_model_gives_the_same_answers(trained: Trained, tmp_path: Path) -> None:
    trained.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    texts = announcements(20)
    assert marked(trained.answers(texts)) == marked(again.answers(texts))
    assert trained.describe() == again.describe()
    json.dumps(trained.describe())


def test_what_is_marked_in_the_input_makes_no_difference(trained: Trained) -> None:
    with_gold = announcements()
    without = Corpus.of(*({"tokens": list(d.tokens or ())} for d in with_gold))
    assert marked(trained.answers(with_gold)) == marked(trained.answers(without))


def test_answers_have_confidences_and_known_slots(trained: Trained) -> None:
    answers = trained.answers(announcements())
    assert len(answers.mentions) > 10
    for document in answers:
        for mention in document.mentions:
            assert mention.label in ("speaker", "stime", "place")
            assert mention.confidence is not None and 0 <= mention.confidence <= 1


@pytest.mark.slow
def test_equal_seeds_give_equal_bytes_under_any_hash_seed(tmp_path: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from tests.lab.learn.test_train import available, learned\n"
        "for name in available():\n"
        "    learned(name, seed=3).save(f'{sys.argv[2]}/{name}')\n"
    )
    root = str(Path(__file__).parents[3])
    for seed in ("1", "2"):
        subprocess.run(
            [sys.executable, "-c", code, root, str(tmp_path / seed)],
            check=True, env=os.environ | {"PYTHONHASHSEED": seed},
        )  # fmt: skip
    every = [file for file in (tmp_path / "1").rglob("*") if file.is_file()]
    files = sorted(file.relative_to(tmp_path / "1") for file in every)
    assert len(files) >= 2 * len(available())
    for file in files:
        assert (tmp_path / "1" / file).read_bytes() == (tmp_path / "2" / file).read_bytes(), file


def test_documents_without_tokens_or_anything_known_have_no_answers(trained: Trained) -> None:
    answers = trained.answers(Corpus.of({"tokens": []}, {"tokens": ["zzz"]}, {"tokens": []}))
    assert 3 == len(answers)


@pytest.mark.parametrize("damage", ["", "{", "[]", "{}", '{"slots": []}', "null", "[" * 100_000])
def test_a_hostile_folder_is_one_error(trained: Trained, tmp_path: Path, damage: str) -> None:
    trained.save(tmp_path)
    for name in ("model.json", "carob.json"):
        kept = (tmp_path / name).read_bytes()
        (tmp_path / name).write_text(damage)
        with pytest.raises(CarobError):
            load_model(tmp_path)
        (tmp_path / name).write_bytes(kept)
    arrays = tmp_path / "arrays.npz"
    if arrays.exists():
        for content in (b"", b"PK\3\4", arrays.read_bytes()[:-40]):
            arrays.write_bytes(content)
            with pytest.raises(InputError, match=r"arrays\.npz"):
                load_model(tmp_path)


def test_settings_of_the_wrong_kind_are_one_error(trained: Trained, tmp_path: Path) -> None:
    trained.save(tmp_path)
    settings = json.loads((tmp_path / "model.json").read_text())
    refused = 0
    for key in settings:
        values: list[object] = [None, 7, "x", [], [[]], {"a": 1}, [None], -1, [1e999]]
        for wrong in values:
            (tmp_path / "model.json").write_text(json.dumps(settings | {key: wrong}))
            try:
                load_model(tmp_path).answers(announcements(2))
            except CarobError:
                refused += 1
    assert refused > 0 or not settings  # and nothing else was raised


def test_pickled_arrays_are_not_loaded(tmp_path: Path) -> None:
    import numpy as np

    from carob_lab.learn.folder import read_folder, write_folder

    class Trap:
        def __reduce__(self) -> tuple[object, ...]:
            return (Path.touch, (tmp_path / "trapped",))

    write_folder(tmp_path, {"slots": ["a"]})
    np.savez(tmp_path / "arrays.npz", weights=np.array([Trap()], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="arrays"):
        read_folder(tmp_path)
    assert not (tmp_path / "trapped").exists()


def test_parameters_come_as_texts_or_values() -> None:
    assert 0.7 == learner_of("rote", {"precision": "0.7"}).precision  # type: ignore[attr-defined]
    assert learner_of("rote(precision=0.7)") == learner_of("rote", {"precision": 0.7})
    with pytest.raises(UsageError, match="rote has no parameter 'precison'; did you mean"):
        learner_of("rote", {"precison": 1})
    with pytest.raises(UsageError, match="no learner is called 'rot'; did you mean rote"):
        learner_of("rot")
    for value in ("7", "7.0"):
        with pytest.raises(UsageError, match=r"found precision=7.0, expected one from 0 to 1"):
            learner_of("rote", {"precision": value})


def test_a_corpus_without_mentions_and_unknown_slots_are_refused() -> None:
    with pytest.raises(UsageError, match="nothing is marked"):
        train("rote", Corpus.of("a b"))
    with pytest.raises(UsageError, match="no slot is called 'stme'; did you mean stime"):
        train("rote", announcements(), ["stme"])


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("dear")
    with pytest.raises(UsageError, match="has files and is no model"):
        train("rote", announcements()).save(tmp_path)
    assert ["thesis.tex"] == [file.name for file in tmp_path.iterdir()]


def test_predict_writes_any_format(tmp_path: Path) -> None:
    model = train("rote", announcements())
    done = predict(model, announcements(3), tmp_path / "out.conll", lossy=True)
    assert 3 == len(carob.read(tmp_path / "out.conll")) == done.documents
    predict(model, announcements(3), tmp_path / "out")
    assert b'{"id": "1"' == (tmp_path / "out").read_bytes()[:10]
