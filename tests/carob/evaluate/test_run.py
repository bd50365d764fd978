"""What was asked for and means nothing is told early; where a side has only fillers, they count."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from carob import Corpus, compare, errors, robust, score
from carob.cli import main
from carob.corpus.problems import UsageError
from carob.evaluate.draft import draft
from carob.evaluate.options import table_for
from carob.evaluate.power import power
from carob.evaluate.robust import grid
from carob.evaluate.run import systems_by_name

GOLD = Corpus.of(
    {"id": "1", "text": "Ann in Rome", "mentions": [
        {"start": 0, "end": 3, "label": "who"}, {"start": 7, "end": 11, "label": "where"}]},
    {"id": "2", "text": "Bo in Oslo", "mentions": [
        {"start": 0, "end": 2, "label": "who"}, {"start": 6, "end": 10, "label": "where"}]},
)  # fmt: skip
FILLED = Corpus.of(
    {"id": "1", "templates": [{"slots": {"who": ["Ann"], "where": ["Oslo"]}}]},
    {"id": "2", "templates": [{"slots": {"who": ["Bo"]}}]},
)
BARE = Corpus.of(
    {"id": "1", "mentions": [{"start": 0, "end": 3, "label": "who"}], "unit": "char"},
    {"id": "2", "mentions": [], "unit": "char"},
)
BOTH = Corpus.of(
    {"id": "1", "text": "Ann in Rome", "mentions": [{"start": 0, "end": 3, "label": "who"}],
     "templates": [{"slots": {"who": ["Ann"]}}]},
    {"id": "2", "text": "Bo in Oslo"},
)  # fmt: skip


def test_slots_are_counted_where_a_system_has_fillers_alone() -> None:
    assert "templates" == table_for(BARE, [BARE, FILLED]), "there is no text to find strings in"
    assert "mentions" == table_for(GOLD, [GOLD, FILLED])
    assert "templates" == table_for(FILLED, [GOLD])
    assert "mentions" == table_for(GOLD, [GOLD, BOTH])
    found = score(GOLD, FILLED, preset="templates", resamples=0)
    assert ("oas.P", 2 / 3) == (found.scores[0].recipe, found.scores[0].value)
    assert () == found.remarks
    ours = compare(GOLD, {"a": FILLED, "b": FILLED}, resamples=0, trials=99,
                   preset="templates")  # fmt: skip
    assert "oas.F1" == ours.differences[0].recipe
    assert "oads.F1" == str(robust(GOLD, {"a": FILLED, "b": FILLED}, preset="templates").reference)
    chance = power(GOLD, {"a": FILLED, "b": GOLD}, simulations=200, trials=99, preset="templates")
    assert "oads.F1" == chance.recipe
    wrong = errors(GOLD, FILLED, preset="templates")
    assert wrong.of_slots
    assert {"COR": 2, "PAR": 0, "INC": 1, "MIS": 1, "SPU": 0} == {
        kind: wrong.counts[kind] for kind in ("COR", "PAR", "INC", "MIS", "SPU")
    }


def test_a_preset_says_otherwise() -> None:
    told = "exact counts mentions, and FILLED has only fillers; --preset templates counts fillers"
    systems = {"FILLED": FILLED, "gold": GOLD}
    ours = compare(BARE, systems | {"gold": BARE}, "exact.F1", resamples=0, trials=99)
    assert ("exact.F1", told) == (ours.differences[0].recipe, ours.gold.warnings[0])
    assert told in ours.remarks
    assert not errors(GOLD, FILLED, preset="mentions").of_slots
    assert errors(GOLD, GOLD, preset="templates").of_slots
    assert "exact.F1" == str(robust(GOLD, systems, preset="mentions").reference)
    assert grid(BARE, [FILLED]) == grid(preset="templates")
    assert grid(GOLD, [FILLED]) == grid(preset="mentions")
    assert 'recipes = ["oas.PRF", "oaod.PRF", "oads.PRF", "templates.PRF"]' in draft(
        GOLD, "templates"
    )
    with pytest.raises(
        UsageError, match=r"^errors are those of mentions, templates or records, not of 'nugget'$"
    ):
        errors(GOLD, GOLD, preset="nugget")
    with pytest.raises(UsageError, match=r"^no table is called 'x'; there are: events, mentions,"):
        draft(GOLD, "x")


def test_a_recipe_on_mentions_says_who_has_none() -> None:
    def told(gold: Corpus, system: Corpus, *recipes: str) -> tuple[str, ...]:
        return score(gold, {"llm": system}, recipes, resamples=0).remarks

    assert ("exact counts mentions, and llm has only fillers; --preset templates counts fillers",
            ) == told(BARE, FILLED, "exact.F1")  # fmt: skip
    assert ("exact, overlap count mentions, and gold, llm have only fillers; --preset templates "
            "counts fillers",) == told(FILLED, FILLED, "exact.F1", "overlap.F1")  # fmt: skip
    assert ("llm: no mention has the label where, which gold has 2 times",) == told(
        GOLD, BOTH, "exact.F1"
    )
    assert () == told(GOLD, FILLED, "oads.F1")


def test_names_that_nobody_has_are_told() -> None:
    found = score(GOLD, GOLD, "exact.F1", map={"hwo": "x", "zzz": "y", "who": "w"}, resamples=0)
    assert found.remarks == (
        "hwo=x renames nothing; did you mean who? there are: where, who",
        "zzz=y renames nothing; there are: where, who",
    )
    assert found.remarks == found.gold.warnings
    found = score(GOLD, GOLD, "exact.F1", labels=["wo"], resamples=0)
    assert (
        "no mention has the label wo; did you mean who? there are: where, who",
    ) == found.remarks


def test_the_command_line_tells_early(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    record = {"id": "1", "text": "Ann", "mentions": [],
              "templates": [{"label": "talk", "slots": {"speaker": ["Ann"]}}]}  # fmt: skip
    Path("gold.jsonl").write_text(json.dumps(record))
    told = "; did you mean talk.speaker? there are: talk.speaker\n"
    call = ["score", "gold.jsonl", "gold.jsonl", "--labels", "speaker", "-m", "oas.F1"]
    assert 0 == main([*call, "--map", "speaker=who", "--format", "csv"])
    err = capsys.readouterr().err
    assert err.startswith(
        f"warning: speaker=who renames nothing{told}"
        f"warning: no mention or filler counts under speaker{told}gold: 1 document, "
    )
    assert 2 == err.count(told)
    # A table has them once, also where its lines are short.
    for columns in ("60", "200"):
        monkeypatch.setenv("COLUMNS", columns)
        assert 0 == main([*call, "--map", "speaker=who"])
        out, err = capsys.readouterr()
        assert 2 == " ".join(out.split()).count("; did you mean talk.speaker?")
        assert err.startswith("gold: 1 document, ") and "warning" not in err
        assert max(map(len, err.splitlines())) <= int(columns)
    assert 2 == main(["score", "gold.jsonl", "gold.jsonl", "--map", "A=X, B=X"])
    assert capsys.readouterr().err == (
        "carob: found --map 'A=X, B=X', expected one OLD=NEW: --map A=X --map B=X\n"
    )
    for call in (["compare", "gold.jsonl", "gold.jsonl", "b=gold.jsonl"],
                 ["robust", "gold.jsonl", "gold.jsonl", "b=gold.jsonl"]):  # fmt: skip
        assert 2 == main([*call, "--preset", "templates", "-m", "oas.F1"])
        assert "carob: give --preset or -m, not both\n" == capsys.readouterr().err
        assert 0 == main([*call, "--preset", "templates", "--map", "a=b"])
        assert "a=b renames nothing; there are: talk.speaker" in capsys.readouterr().out
    assert 0 == main(["errors", "gold.jsonl", "gold.jsonl", "--preset", "templates"])
    assert capsys.readouterr().out.splitlines()[-1].startswith("carob:")


def test_systems_are_named_by_the_user_by_their_files_or_by_their_paths() -> None:
    assert {"a": "x/a.conll.gz", "stdin": "-"} == systems_by_name(["x/a.conll.gz", "-"])
    assert ["x/a.conll", "y/a.conll"] == list(systems_by_name(["x/a.conll", "y/a.conll"]))
    assert ["new", "a"] == list(systems_by_name(["x/a.conll", "y/a.conll"], ["new"]))
    assert ["system", "system-2"] == list(systems_by_name([Corpus.of("a"), Corpus.of("b")]))
    with pytest.raises(UsageError, match=r"two systems are called 'a.conll'; give them names"):
        systems_by_name(["a.conll", "a.conll"])
    with pytest.raises(UsageError, match="give at least one system"):
        systems_by_name([])


def labelled(*labels: str) -> Corpus:
    return Corpus.of(" ".join(f"[w]{label}" for label in labels))


def test_labels_of_one_side_are_reported_with_the_map_that_mends_them() -> None:
    def remarks(gold: Corpus, system: Corpus) -> list[str]:
        found = score(gold, {"s": system}, "exact.F1", resamples=0).remarks
        return [each for each in found if each.startswith("s: ")]

    gold = labelled("PER", "LOC", "PER")
    assert [] == remarks(gold, gold)
    assert [
        "s: gold has no label location, person (3 mentions); did you mean LOC, PER? "
        "--map location=LOC --map person=PER"
    ] == remarks(gold, labelled("person", "location", "person"))
    assert [
        "s: gold has no label per (1 mention)",
        "s: the labels PER, per differ in case only, and count as different ones; --map per=PER",
    ] == remarks(gold, labelled("PER", "LOC", "per"))
    assert ["s: gold has no label loc (1 mention); did you mean LOC? --map loc=LOC"] == remarks(
        gold, labelled("PER", "loc", "PER")
    )
    assert ["s: no mention has the label LOC, which gold has 1 time"] == remarks(
        gold, labelled("PER", "PER", "PER")
    )
    mended = score(gold, labelled("person", "LOC", "person"), "exact.F1", map={"person": "PER"})
    assert 1.0 == mended.value
    assert not any("gold has no label" in each for each in mended.remarks)
    many = remarks(labelled(*"A" * 10), labelled("A", *(f"X{i}" for i in range(9))))
    assert ["s: gold has no label X0, X1, X2, X3, X4 and 4 more (9 mentions)"] == many


def test_slots_of_one_side_are_reported() -> None:
    gold = Corpus.of({"templates": [{"label": "talk", "slots": {"speaker": ["Ann"]}}]})
    system = Corpus.of({"templates": [{"label": "talk", "slots": {"Speaker": ["Ann"]}}]})
    (remark,) = score(gold, {"s": system}, "oads.F1", resamples=0).remarks
    assert remark == (
        "s: gold has no slot talk.Speaker (1 filler); did you mean talk.speaker? "
        "--map talk.Speaker=talk.speaker"
    )
    compared = compare(gold, {"s": system, "t": gold}, "oads.F1", resamples=0, trials=99)
    assert remark in compared.remarks
    analysed = errors(gold, system, preset="templates").remarks
    assert any("gold has no slot talk.Speaker" in each for each in analysed)


def test_relations_and_clusters_that_no_recipe_counts_are_reported() -> None:
    mentions = [{"id": "a", "start": 0, "end": 1, "label": "X"},
                {"id": "b", "start": 1, "end": 2, "label": "X"}]  # fmt: skip
    relation = {"label": "r", "arguments": {"x": "a", "y": "b"}}
    gold = Corpus.of({"tokens": ["a", "b"], "mentions": mentions, "relations": [relation]})
    assert "gold has 1 relation, which no recipe counts" in score(gold, gold, "exact.F1").remarks


def test_labels_of_one_file_that_differ_in_case_only_are_told() -> None:
    gold = Corpus.of("[Ann]PER in [Oslo]LOC")
    system = Corpus.of("[Ann]PER in [Oslo]Loc")
    mixed = Corpus.of("[Ann]Per in [Oslo]PER")
    scores = score(gold, {"a": mixed}, "exact.F1", resamples=0)
    told = "a: the labels PER, Per differ in case only, and count as different ones; --map Per=PER"
    assert told in scores.remarks
    assert not [r for r in score(gold, system, "exact.F1", resamples=0).remarks if "in case" in r]
