"""Everything behind the counting works on slots: scores, intervals, comparisons, robustness,
power, verification; and on the seminars all three counts are those of a slow twin.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from carob import Corpus, Filler, RecipeError, Template, compare, power, robust, score
from carob.cli import main
from carob.counts.events import Events
from carob.evaluate.options import table_for
from carob.example import seminars
from carob.match.answers import Oads
from carob.pair.pair import Pair
from tests import counting
from tests.birnbaum import DOCTOR, GOLD, SHORT, TEXT, WRONG, document

DOCUMENTS = 80


def as_templates(record: dict[str, Any]) -> dict[str, Any]:
    """A plain object, as a language model writes it, as a document with a template."""

    def slots(given: dict[str, Any]) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = {}
        for slot, values in given.items():
            every = values if isinstance(values, list) else [values]
            there = [each for each in every if each is not None]
            found[slot] = [{"slots": slots(e)} if isinstance(e, dict) else e for e in there]
        return found

    rest = {slot: values for slot, values in record.items() if slot != "id"}
    return {"id": record["id"], "templates": [{"slots": slots(rest)}]}


@pytest.fixture(scope="module")
def made() -> dict[str, list[dict[str, Any]]]:
    return seminars.corpus(1, DOCUMENTS)


@pytest.fixture(scope="module")
def corpora(made: dict[str, list[dict[str, Any]]]) -> dict[str, Corpus]:
    every = made | {"llm": [as_templates(each) for each in made["llm"]]}
    return {name: Corpus.of(*documents) for name, documents in every.items()}


@pytest.mark.parametrize(
    ("way", "system"),
    [(way, system) for way in ("oas", "oaod", "oads") for system in ("careful", "eager", "llm")
     if (way, system) != ("oaod", "llm")],
)  # fmt: skip
def test_the_counts_of_seminars_are_those_of_the_twin(
    way: str, system: str, made: dict[str, Any], corpora: dict[str, Corpus]
) -> None:
    measures = ("gold_right", "gold_all", "system_right", "system_all")
    found = score(
        corpora["gold"], corpora[system], [f"{way}.{each}" for each in measures], resamples=0
    )
    slow = counting.counted(way, made["gold"], made[system])

    def four(twin: counting.Counted) -> list[float]:
        return [twin.right_gold, twin.gold, twin.right_system, twin.system]

    assert four(counting.together(slow)) == [found[f"{way}.{each}"].value for each in measures]
    for slot, twin in slow.items():
        rows = (found[f"{way}.{each}"].by_label[f"seminar.{slot}"].value for each in measures)
        assert four(twin) == list(rows)


def test_the_three_counts_differ_on_seminars(corpora: dict[str, Corpus]) -> None:
    answers = {name: corpora[name] for name in ("careful", "eager", "llm")}
    found = score(corpora["gold"], answers, resamples=200)
    assert ["oas.P", "oas.R", "oas.F1", "oaod.P", "oaod.R", "oaod.F1", "oads.P", "oads.R",
            "oads.F1", "oads.ungrounded-share", "templates.P", "templates.R", "templates.F1",
            "templates.SER"] == [each.recipe for each in found if each.system == "llm"]  # fmt: skip
    for name in answers:
        values = {found[name, f"{way}.F1"].value for way in ("oas", "oaod", "oads")}
        assert 3 == len(values)
    made_up = {name: found[name, "oads.ungrounded-share"].value for name in answers}
    assert made_up["careful"] == made_up["eager"] == 0.0
    assert made_up["llm"] is not None and 0.02 < made_up["llm"] < 0.5
    for each in found:
        assert each.low is not None and each.value is not None and each.high is not None
        assert each.low <= each.value <= each.high
    coverage = {system.name: system.coverage for system in found.systems}
    assert 0 == coverage["eager"]["ungrounded"] < coverage["llm"]["ungrounded"]


GOLDEN, SHORTEST, WRONGEST = (Corpus.of(each) for each in (GOLD, SHORT, WRONG))


def test_the_example_of_the_paper() -> None:
    found = score(GOLDEN, SHORTEST, ["oas.R", "oaod.R", "oads.R"], resamples=0)
    rows = [each.by_label["talk.speaker"].value for each in found]
    assert [1 / 1, 1 / 3, 1 / 2] == rows
    one = score(GOLDEN, SHORTEST, 'oads.R@label:"talk.speaker"', resamples=0)
    assert ('oads.R@label:"talk.speaker"', 1 / 2) == (one.scores[0].recipe, one.value)


def test_templates_can_be_made_by_hand() -> None:
    from carob import Document

    gold = Corpus.of(
        Document(id="d1", text=TEXT, templates=(Template("talk", {"speaker": (Filler(DOCTOR),)}),))
    )
    assert 1.0 == score(gold, Corpus.of(document({"speaker": ["DR.  Birnbaum"]})), "oads.F1").value


def test_an_unknown_slot_is_an_error_that_lists_slots() -> None:
    with pytest.raises(RecipeError) as error:
        score(GOLDEN, SHORTEST, "oads.F1@label:speaker", resamples=0)
    assert (
        "no label is called 'speaker'; did you mean talk.speaker? "
        "there are: talk.host, talk.place, talk.speaker"
    ) == str(error.value)


def test_rows_of_slots_can_be_chosen_and_renamed() -> None:
    found = score(GOLDEN, WRONGEST, "oads.F1", labels=["talk.host", "talk.speaker"], resamples=0)
    assert ["talk.host", "talk.speaker"] == list(found.scores[0].by_label)
    assert 2 == found.systems[0].coverage["ignored"]
    assert "labels:talk.host+talk.speaker" in found.scores[0].signature.replace('"', "")
    merged = score(
        GOLDEN, WRONGEST, "oads.R", map={"talk.host": "who", "talk.speaker": "who"}, resamples=0
    )
    assert {"talk.place": 0.0, "who": 2 / 3} == {
        slot: row.value for slot, row in merged.scores[0].by_label.items()
    }
    told = score(GOLDEN, SHORTEST, "oads.F1", labels=["talk.hots"], resamples=0).remarks
    there = "there are: talk.host, talk.place, talk.speaker"
    near = "no mention or filler counts under talk.hots; did you mean talk.host?"
    assert (f"{near} {there}",) == told


def test_all_systems_share_their_rows() -> None:
    other = Corpus.of(document({"speaker": [DOCTOR], "fee": ["none"]}))
    found = score(GOLDEN, {"a": SHORTEST, "b": other}, "oads.F1@macro", resamples=0)
    rows = [list(each.by_label) for each in found]
    assert [["talk.fee", "talk.host", "talk.place", "talk.speaker"]] * 2 == rows


def test_what_cannot_be_counted_is_left_out_of_the_table() -> None:
    bare = {key: value for key, value in GOLD.items() if key != "text"}
    bare["templates"] = [{"label": "talk", "slots": {"speaker": [DOCTOR]}}]
    found = score(Corpus.of(bare), SHORTEST, resamples=0)
    assert ["oas", "oads", "templates"] == list(
        dict.fromkeys(each.recipe.split(".")[0] for each in found)
    )
    assert found.remarks[0].startswith("oaod is left out: oaod ")
    assert "ungrounded-share leaves them out" in found.remarks[1]
    assert "oas and oads count the same answers in two ways" in str(found)


def test_the_default_table_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    count = Oads.__call__

    def watched(self: Oads, pair: Pair) -> Events:
        calls.append(self)
        return count(self, pair)

    monkeypatch.setattr(Oads, "__call__", watched)
    score(GOLDEN, {"a": SHORTEST, "b": WRONGEST}, resamples=0)
    assert 2 == len(calls)


def test_mentions_fill_the_slot_of_their_label() -> None:
    gold = Corpus.of("[Ann]who met [Bo]whom")
    system = Corpus.of("[Ann]who met Bo")
    assert ("mentions", "templates") == (table_for(gold), table_for(GOLDEN))
    found = score(gold, system, preset="templates", resamples=0)
    assert [0.5] * 4 == [found[f"{way}.R"].value for way in ("oas", "oaod", "oads", "templates")]
    assert "gold_fillers" not in found.systems[0].coverage


def test_the_order_of_documents_without_ids_or_words_is_irrelevant() -> None:
    rng = np.random.default_rng(3)

    def form(number: int) -> dict[str, Any]:
        words = [*rng.choice(list("uvwx"), 2).tolist(), f"number {number}"]
        return {"templates": [{"label": "t", "slots": {"a": words}}]}

    pairs = [(form(i), form(i)) for i in range(40)]
    found = []
    for order in (range(40), rng.permutation(40).tolist()):
        gold, system = (Corpus.of(*(pairs[i][side] for i in order)) for side in (0, 1))
        one = score(gold, system, "oads.F1", resamples=200).scores[0]
        found.append((one.low, one.value, one.high))
    assert found[0] == found[1]


def test_sentences_hold_no_fillers() -> None:
    gold = {**GOLD, "sentences": [0, 80]}
    two = [gold, {**gold, "id": "d2"}]
    answers = [SHORT, {**SHORT, "id": "d2"}]
    found = score(
        Corpus.of(*two), Corpus.of(*answers), "oads.F1", resample_by="sentence", resamples=200
    )
    assert (None, ("oads.F1 counts more than mentions, no interval from sentences",)) == (
        found.scores[0].low, found.scores[0].overall.remarks,
    )  # fmt: skip


def test_systems_are_compared_by_slots(corpora: dict[str, Corpus]) -> None:
    answers = {name: corpora[name] for name in ("careful", "llm")}
    found = compare(corpora["gold"], answers, resamples=200, trials=199)
    assert ["oas.F1", "oaod.F1", "oads.F1", "oads.ungrounded-share", "templates.F1",
            "templates.SER"] == [each.recipe for each in found.differences]  # fmt: skip
    made_up = found.differences[3]
    assert made_up.lower_is_better and "careful" == made_up.ahead
    values = score(corpora["gold"], answers, "oads.F1", resamples=0)
    assert values["llm", "oads.F1"].value == found.differences[2].value_b


def test_reasonable_choices_for_slots(corpora: dict[str, Corpus]) -> None:
    answers = {name: corpora[name] for name in ("careful", "eager", "llm")}
    found = robust(corpora["gold"], answers)
    assert 42 == len(found)
    assert {"oas", "oads", "oaod", "templates"} == {
        each.recipe.split(".")[0].split("(")[0] for each in found.choices
    }
    alone = score(corpora["gold"], answers["eager"], "oads(match=overlap).F1@macro", resamples=0)
    choice = next(e for e in found.choices if e.recipe == "oads(match=overlap).F1@macro")
    assert alone.value == choice.scores["eager"]


def test_power_looks_for_a_difference_of_slots(corpora: dict[str, Corpus]) -> None:
    answers = {name: corpora[name] for name in ("careful", "llm")}
    found = power(corpora["gold"], answers, simulations=100, trials=99)
    assert "oads.F1" == found.recipe
    assert found.documents is not None and found.documents > 1


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    found = {}
    for name, line in {"gold": GOLD, "short": SHORT, "wrong": WRONG}.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_text(json.dumps(line) + "\n")
        found[name] = str(path)
    return found


@pytest.mark.parametrize(
    "options",
    [[], ["--zero-division", "0"], ["--labels", "talk.host,talk.place"], ["--map", "talk.host=x"]],
)
def test_a_stored_result_is_recomputed(
    options: list[str], files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = str(tmp_path / "result.json")
    call = ["score", files["gold"], files["short"], files["wrong"], *options]
    call += ["-m", "oads.PRF@macro", "-m", "templates.F1", "-m", "oaod.F1"]
    assert 0 == main([*call, "--format", "json", "-o", result])
    assert 0 == main(["verify", result])
    assert "all equal" in capsys.readouterr().out
    stored = json.loads(Path(result).read_text())
    assert (1, 5) == (stored["gold"]["templates"], stored["gold"]["fillers"])
    stored["systems"][0]["coverage"]["gold_fillers"] += 1
    Path(result).write_text(json.dumps(stored))
    assert 1 == main(["verify", result])


def test_the_coverage_line_tells_of_fillers(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["score", files["gold"], files["wrong"], "--labels", "talk.host", "-m", "oads.F1"]
    assert 0 == main(call)
    assert (
        "wrong: 1 document, 5 gold and 4 system fillers; "
        "0 repaired, 0 discarded, 0 unaligned, 7 ignored, 1 ungrounded\n"
    ) == capsys.readouterr().err


def test_the_preset_has_a_name(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == main(["score", files["gold"], files["wrong"], "--preset", "slots"])
    assert (
        "there are: events, mentions, nugget, records, relations, templates\n"
        in capsys.readouterr().err
    )
    assert 0 == main(["score", files["gold"], files["wrong"], "--preset", "templates"])
    assert capsys.readouterr().out.startswith("answers  count")
