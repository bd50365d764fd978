"""carob check tells everything that is wrong with a file, in one pass, each with its place."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import pytest

from carob.cli import main
from carob.corpus.corpus import Corpus
from carob.corpus.source import Source
from carob.evaluate.check import Findings, check, check_answer
from carob.evaluate.draft import draft
from carob.evaluate.read import read
from carob.evaluate.task import Task

ROOT = Path(__file__).parent.parent.parent.parent


def codes(findings: Findings) -> list[tuple[str, int | None, bool]]:
    return [(problem.code, problem.line, problem.warning) for problem in findings.problems]


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    file = tmp_path / "gold.conll"
    file.write_text("Ann B-PER\nLee I-PER\n\nRome B-LOC\n\nOslo B-LOC\n")
    return file


def test_every_problem_of_a_file_is_told(tmp_path: Path) -> None:
    file = tmp_path / "bad.conll"
    file.write_text("a B-X\nb\nc O O\nd B-\ne X-Y\n")
    assert codes(check(file)) == [
        ("K101", 2, False), ("K101", 3, False), ("K104", 4, False), ("K104", 5, False),
    ]  # fmt: skip


def test_the_first_hundred_are_kept_and_all_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "bad.conll"
    file.write_text("a O\n" + "b\n" * 1234)
    findings = check(file)
    assert (len(findings.problems), findings.errors) == (100, 1234)
    assert str(findings).endswith("and 1,134 more\n1 file, 1,234 errors, 0 warnings")


def test_every_line_with_a_wrong_tag_is_told_and_counted(tmp_path: Path) -> None:
    file = tmp_path / "bad.conll"
    file.write_text("a B-X\n" + "b PER\n" * 5 + "c B-\n" + "d PER\n" * 200)
    findings = check(file)
    assert 206 == findings.errors
    assert [2, 3, 4, 5, 6, 7, 8] == [problem.line for problem in findings.problems][:7]


def test_several_files_are_looked_at_even_if_one_is_not_there(gold: Path) -> None:
    findings = check([gold, gold.with_name("nothing")])
    assert codes(findings) == [("K001", None, False)]


def test_what_was_repaired_is_a_warning_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "loose.conll"
    file.write_text("a B-X\nb I-Y\nc O\nd I-X\n")
    findings = check(file)
    assert codes(findings) == [("K108", 2, True), ("K108", 4, True)]
    assert (findings.errors, findings.warnings) == (0, 2)
    assert codes(check(file, options={"repair": "strict"})) == [
        ("K108", 2, False),
        ("K108", 4, False),
    ]


def test_duplicates_and_emptiness_are_warnings(tmp_path: Path) -> None:
    file = tmp_path / "twice.jsonl"
    mention = {"start": 0, "end": 1, "label": "X"}
    file.write_text(json.dumps({"tokens": ["a"], "mentions": [mention] * 3}) + "\n")
    assert codes(check(file)) == [("K312", 1, True), ("K312", 1, True)]
    file.write_text('{"tokens": ["a"]}\n')
    nothing = "no mention and no filler at all, expected at least one in the file"
    assert [f"{file}: K311 found {nothing}"] == [str(problem) for problem in check(file).problems]


def test_labels_that_differ_in_case_only_are_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "case.conll"
    file.write_text("a B-loc\nb B-Loc\nc B-pers\n")
    (problem,) = check(file).problems
    assert (problem.code, problem.warning, problem.found) == ("K317", True, "the labels Loc, loc")


def test_against_gold_all_documents_that_differ_are_told(gold: Path, tmp_path: Path) -> None:
    system = tmp_path / "system.conll"
    system.write_text("Ann B-PER\nLee I-PER\n\nParis B-LOC\n\nBergen B-LOC\n")
    assert codes(check(system, gold)) == [("K303", 4, False), ("K303", 6, False)]
    system.write_text("Ann B-PER\nLee I-PER\n\nRome B-GPE\n\nOslo B-LOC\n")
    assert codes(check(system, gold)) == [("K314", 4, True)]


def test_every_token_that_differs_is_told(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.conll", tmp_path / "system.conll"
    words = ["a", "b", "c", "d", "e", "f"]
    gold.write_text("-DOCSTART- O\n\n" + "".join(f"{word} O\n" for word in words) + "\ng B-X\n")
    system.write_text(gold.read_text().replace("b O", "B O").replace("e O", "E O"))
    found = check(system, gold)
    assert [("K303", 4, False), ("K303", 7, False)] == codes(found)[:2]
    assert "found the token 'E', expected the token 'e'" in str(found.problems[1])
    # One word less moves all that follow: only the first place is reported.
    system.write_text(gold.read_text().replace("b O\n", ""))
    assert [("K303", 4, False)] == codes(check(system, gold))


def test_of_many_tokens_that_differ_the_first_are_told_and_all_counted(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.conll", tmp_path / "system.conll"
    gold.write_text("-DOCSTART- O\n\n" + "a O\n" * 150 + "\n-DOCSTART- O\n\n" + "a O\n" * 30)
    system.write_text(gold.read_text().replace("a O", "b O"))
    found = check(system, gold)
    assert {"error K303": 180} == {key: n for key, n in found.counts.items() if "error" in key}
    assert 100 == sum(problem.code == "K303" for problem in found.problems)


def test_sentences_that_break_elsewhere_are_told(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.conll", tmp_path / "system.conll"
    gold.write_text("-DOCSTART- O\n\na B-X\n\nb O\nc O\n")
    system.write_text("-DOCSTART- O\n\na B-X\nb O\n\nc O\n")
    (problem,) = check(system, gold).problems
    assert (
        f"{system}:4: K304 found sentence 2 of document '1' at token 3, "
        f"expected at token 2, as in {gold}:5"
    ) == str(problem)


def test_documents_without_an_answer_are_a_warning(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.jsonl", tmp_path / "system.jsonl"
    line = '{"id": "%s", "tokens": ["a"], "mentions": [{"start": 0, "end": 1, "label": "X"}]}\n'
    gold.write_text(line % "1" + line % "2")
    system.write_text(line % "2")
    (problem,) = check(system, gold).problems
    assert (
        f"{system}: K313 found no answer for 1 document, "
        "expected all documents of gold; those count as empty"
    ) == str(problem)
    system.write_text(line % "2" + line % "3")
    assert codes(check(system, gold)) == [("K301", 2, False)]


def test_fillers_are_looked_at_as_mentions_are(tmp_path: Path) -> None:
    ours, theirs, empty = (tmp_path / name for name in ("gold.json", "system.json", "empty.json"))
    ours.write_text('{"id": 1, "who": ["Ann", "Ann", "ann"], "place": {"room": ["5", "5"]}}\n')
    theirs.write_text('{"id": 1, "who": "Bo"}\n{"id": 2}\n')
    empty.write_text('{"id": 1, "who": null}\n')
    again = "again, expected each filler once; a duplicate is right at most as often as gold has it"
    assert [
        f"{ours}:1: K312 found the filler 'Ann' of the slot who {again}",
        f"{ours}:1: K312 found the filler '5' of the slot room {again}",
    ] == [str(problem) for problem in check(ours).problems]
    expected = f"{empty}: K311 found no filler at all, expected at least one in the file"
    assert [expected] == [str(problem) for problem in check(empty).problems]
    theirs.write_text('{"id": 1, "who": "Bo"}\n')
    ours.write_text('{"id": 1, "who": "Ann"}\n{"id": 2, "place": {"room": "5"}}\n')
    assert ["K313"] == [problem.code for problem in check(theirs, ours).problems]
    found = check(ours, theirs)
    assert 1 == found.errors and ["K301"] == [problem.code for problem in found.problems]
    theirs.write_text('{"id": 1, "whom": "Bo"}\n{"id": 2, "place": {"room": "5", "x": "y"}}\n')
    assert [
        f"{theirs}:2: K314 found the slot place.x, expected a slot of gold: place.room, who",
        f"{theirs}:1: K314 found the slot whom, expected a slot of gold: place.room, who",
    ] == [str(problem) for problem in check(theirs, ours).problems]


def test_a_filler_whose_text_is_not_at_its_place_is_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "shifted.jsonl"
    fillers = [
        {"text": "zz", "start": 0, "end": 2},
        {"text": "AB  cd", "start": 0, "end": 5},
        {"text": "ab ef", "fragments": [[0, 2], [6, 8]]},
        {"text": "ef", "start": 5, "end": 7, "alternatives": [{"text": "x", "start": 0, "end": 1}]},
        {"text": "nowhere"},
        {"start": 0, "end": 1},
        {"text": "cd", "mention": "T1"},
    ]
    mention = {"id": "T1", "start": 0, "end": 2, "label": "X"}
    inner = [{"slots": {"in\n": fillers[:1]}}]
    slots = {"who": fillers, "of": inner}
    document = {"text": "ab cd ef", "mentions": [mention], "templates": [{"slots": slots}]}
    file.write_text('{"text": "ab", "mentions": []}\n' + json.dumps(document) + "\n")
    told = [str(problem).removeprefix(f"{file}:2: K316 found the filler ") for problem in
            check(file).problems]  # fmt: skip
    assert [
        "'zz' of the slot who at 0..2, expected 'ab', which stands there",
        "'ef' of the slot who at 5..7, expected ' e', which stands there",
        "'x' of the slot who at 0..1, expected 'a', which stands there",
        "'cd' of the slot who at 0..2, expected 'ab', which stands there",
        "'zz' of the slot in\\n at 0..2, expected 'ab', which stands there",
    ] == told
    document |= {"tokens": document.pop("text").split(), "mentions": []}  # type: ignore[attr-defined]
    document["templates"] = [{"slots": {"who": [{"text": "cdef", "start": 1, "end": 3}]}}]
    file.write_text(json.dumps(document))
    assert [] == codes(check(file))
    document["templates"] = [{"slots": {"who": [{"text": "cd", "start": 0, "end": 1}] * 150}}]
    file.write_text(json.dumps(document))
    assert {"warning K316": 150, "warning K312": 149} == check(file).counts
    del document["tokens"]
    file.write_text(json.dumps(document | {"unit": "token"}))
    assert {"warning K312": 149} == check(file).counts


def test_mentions_of_gold_are_slots_for_records(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "gold.inline", tmp_path / "system.json"
    ours.write_text("<who>Ann</who> slept")
    theirs.write_text('{"who": "Ann", "when": "now"}')
    assert ["the slot when"] == [problem.found for problem in check(theirs, ours).problems]


def test_the_command(gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(gold)]) == 0
    assert capsys.readouterr().out == "1 file, nothing wrong\n"
    assert main(["check", str(gold), str(tmp_path / "none"), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert {"files", "errors", "warnings", "counts", "problems", "by_file"} == set(found)
    assert found["counts"] == {"error K001": 1}
    assert {"severity", "code", "file", "line", "found", "expected", "hint"} == set(
        found["problems"][0]
    )


def test_score_gives_the_same_message(
    gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bad.conll"
    file.write_text("Ann B-\n")
    assert main(["score", str(gold), str(file)]) == 1
    assert f"carob: {check(file, gold).problems[0]}\n" == capsys.readouterr().err


def test_every_code_is_documented_and_only_those() -> None:
    files = (ROOT / "src").rglob("*.py")  # of all packages: the page lists all codes
    source = "".join(file.read_text() for file in files)
    used = set(re.findall(r'"(K\d{3})"', source))
    page = (ROOT / "docs" / "checks.md").read_text()
    assert used == set(re.findall(r"^\| (K\d{3}) \|", page, re.M))


def test_messages_to_participants_speak_of_the_inputs(tmp_path: Path) -> None:
    inputs = tmp_path / "place" / "inputs.jsonl"
    inputs.parent.mkdir()
    inputs.write_text('{"id": "a", "text": "Ann slept"}\n')
    definition = tmp_path / "task.toml"
    definition.write_text(draft(Corpus.of("[Ann]PER slept")))
    public, task = read(Source(inputs)), Task.read(definition)

    def messages(answer: str) -> str:
        source = Source.of_bytes(answer.encode(), "answer.jsonl")
        return str(check_answer(source, public, task)[0])

    extra = messages('{"id": "b", "text": "Bo", "mentions": []}\n')
    assert "expected only documents that inputs.jsonl has\n" in extra
    other = messages('{"id": "a", "text": "Amn slept", "mentions": []}\n')
    assert "as in inputs.jsonl:1" in other
    empty = messages("")
    assert "this one finds nothing in the inputs" in empty
    for text in (extra, other, empty):
        assert "gold" not in text and "place" not in text and "--" not in text


def test_the_format_of_gold_is_refused_without_gold(
    gold: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(gold), "--gold-format", "entities"]) == 2
    expected = "--gold-format is that of --against; --system-format names that of the files\n"
    assert capsys.readouterr().err == f"carob: {expected}"
    assert main(["check", str(gold), "--against", str(gold), "--gold-format", "conll"]) == 0


def test_each_of_several_files_has_a_line_however_much_is_wrong(gold: Path) -> None:
    bad, odd, empty = (gold.with_name(name) for name in ("bad.conll", "odd.conll", "empty.conll"))
    bad.write_text("a B-X\n" + "b\n" * 1578)
    odd.write_text("Rome B-LOC\nOslo I-PER\n")
    empty.write_text("")
    every = [bad, empty, gold, odd]
    width = len(str(empty))
    lines = str(check(every)).splitlines()
    assert [
        f"{bad!s:<{width}}  1,578 errors: line 2: K101 found 1 column in 'b', "
        "expected 2, as in line 1",
        f"{empty}  1 error: K002 found an empty file, expected at least one document",
        f"{gold!s:<{width}}  fine",
        f"{odd!s:<{width}}  1 warning: ...",
        f"4 files, 2 with errors; to see all that is wrong with one: carob check {bad}",
    ] == [line if "K108" not in line else f"{line.partition(': ')[0]}: ..." for line in lines]
    command = str(check(every, gold)).rpartition("with one: ")[2]
    assert f"carob check {bad} --against {gold}" == command
    assert "K101" in str(check(bad))
    assert "and 1,478 more" in str(check(bad))
    assert [1578, 1, 0, 0] == [each.errors for each in check(every).by_file]


def test_gold_has_a_line_if_something_is_wrong_with_it(gold: Path) -> None:
    other = gold.with_name("other.conll")
    other.write_text(gold.read_text())
    assert [str(gold), str(other)] == [each.file for each in check([other, gold], gold).by_file]
    assert [str(other)] == [each.file for each in check(other, gold).by_file]
    bad = gold.with_name("bad.conll")
    bad.write_text("Ann B-\n")
    assert str(check([other, gold], bad)).startswith(f"{bad}    1 error: line 1: K110 found")


def test_what_is_in_a_zip_file_is_checked(gold: Path) -> None:
    packed = gold.with_name("packed.zip")
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("a.conll", "Ann B-\n")
    assert [f"{packed}/a.conll"] == [each.file for each in check(packed).problems]
    packed.write_bytes(b"PK\3\4")
    assert ["K930"] == [each.code for each in check(packed).problems]
