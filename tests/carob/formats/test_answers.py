"""Answers of language models: mended if asked for and counted, empty if they cannot be read and
counted, never lines that are missing; without `repair=json`, an error with line and column.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from carob import Corpus, InputError, read, score
from carob.cli import main
from carob.corpus.corpus import fact_remarks
from carob.corpus.problems import UsageError
from carob.corpus.source import Source
from carob.evaluate.check import check
from carob.evaluate.read import sniffed
from carob.formats._mend import mended
from carob.formats._objects import is_object
from carob.formats.records import Records
from tests.carob.formats._files import of_bytes


def slots(corpus: Corpus) -> list[dict[str, list[str | None]]]:
    return [
        {name: [filler.text for filler in fillers]  # type: ignore[union-attr]
         for template in document.templates for name, fillers in template.slots.items()}
        for document in corpus
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('```json\n{"a": "b"}\n```', {"a": "b"}), ('~~~\n{"a": "b"}', {"a": "b"}),
        ('Sure! {"a": "b"} Anything else?', {"a": "b"}), ('As in [1]: {"a": "b"}', {"a": "b"}),
        ('use {x} like {"a": "b"}!', {"a": "b"}), ('{"a": ["b", "c",],}', {"a": ["b", "c"]}),
        ('{"a": "b", "c": "d', {"a": "b"}), ('{"a": "b", "c', {"a": "b"}),
        ('{"a": "b", "c":', {"a": "b"}), ('{"a": [1, {"c": 1}, {"e": "', {"a": [1, {"c": 1}, {}]}),
        ('{"a": "b", "c": 12', {"a": "b"}), ('{"a": "b", "c": "\\', {"a": "b"}),
        ('{"a": "line\nbreak", "c": None, "d": True}', {"a": "line\nbreak", "c": None, "d": True}),
        ('{"a": "{[,]}\\"", }', {"a": '{[,]}"'}),
        ("I cannot help with that.", None), ("", None), ("{'a': 'b'}", None), ("[1, 2]", None),
        ('{"a": ["b"}', None), ('{"a": "b" "c": "d"}', None), ('{"a": NaN}', None),
        ('{"a": "b", "a": "c"}', None), ('{"a": "b"} or {"a": "c"}', None), ("[" * 100_000, None),
        ('{"a":' * 100_000, None), ("{" * 100_000 + '"a"', None),
    ],
)  # fmt: skip
def test_what_can_be_mended_is_mended(text: str, value: Any) -> None:
    assert value == mended(text, is_object)


def test_of_two_answers_that_differ_none_is_taken() -> None:
    first, final = '```json\n{"a": ["b"]}\n```', '```json\n{"a": []}\n```'
    assert mended(f"Draft:\n{first}\nfinal:\n{final}", is_object) is None
    assert mended(f'<think>{final}\n</think>{{"a": ["b"]}}', is_object) is None
    assert {"a": ["b"]} == mended(f"Draft:\n{first}\nfinal:\n{first}", is_object)
    assert {"a": ["b"]} == mended(f"```\nprint()\n```\n{first}", is_object)
    quoted = {"a": "```\nprint()\n```", "b": "c"}
    assert quoted == mended(f"So: {json.dumps(quoted)}", is_object)
    raw = json.dumps({"out": f"{first}\n{final}"}).encode()
    assert 1 == of_bytes(raw, "records", raw="out", repair="json").facts["unparsed"]


def test_right_json_and_any_beginning_of_it_can_be_read() -> None:
    rng = random.Random(6)

    def some(depth: int) -> Any:
        kind = rng.randrange(6 if depth else 3)
        if kind < 3:
            return rng.choice(["Ann", 'a "b"', "{,]", "\\", 5, -1.5, True, None, "é\n"])
        if kind < 5:
            return {rng.choice("abcd"): some(depth - 1) for _ in range(3)}
        return [some(depth - 1) for _ in range(3)]

    def within(part: Any, whole: Any) -> bool:
        if isinstance(part, dict):
            return isinstance(whole, dict) and all(
                key in whole and within(each, whole[key]) for key, each in part.items()
            )
        if isinstance(part, list):
            return isinstance(whole, list) and all(map(within, part, whole))
        return bool(part == whole)

    for _ in range(300):
        value = {"k": "v", "x": some(3)}
        text = json.dumps(value, ensure_ascii=rng.random() < 0.5)
        assert value == mended(f"Here:\n{text}\nDone.", is_object)
        cut = text[: rng.randint(9, len(text))]
        found = mended(cut, is_object)
        assert found is not None and within(found, value), cut


LINES = b'{"id": "a", "who": "Ann"}\n{"id": "b", "who": "Bo",}\n{"id": "c", "who": \nno idea\n'


def counts(corpus: Corpus) -> dict[str, int]:
    """The facts that are counts, without those that name the first of what is counted."""
    return {name: count for name, count in corpus.facts.items() if ": " not in str(name)}


def test_lines_are_mended_and_counted() -> None:
    with pytest.raises(InputError) as caught:
        of_bytes(LINES, "records")
    assert ["K211"] * 3 == [problem.code for problem in caught.value.problems]
    assert str(caught.value.problems[0]).startswith("file:2: K211 found")
    assert ", column 2" in str(caught.value.problems[0])
    corpus = of_bytes(LINES, "records", repair="json")
    assert ("a", "b", "c") == corpus.documents.id
    assert [{"who": ["Ann"]}, {"who": ["Bo"]}, {}] == slots(corpus)
    assert {"empty_texts": 0, "mended": 2, "unparsed": 1} == counts(corpus)
    assert [1, 2, 3] == corpus.documents.line.tolist()


def test_without_ids_an_answer_that_cannot_be_read_keeps_its_place() -> None:
    corpus = of_bytes(b'no\n{"who": "Ann"}\nno\n{"who": "Bo"}', "records", raw="", repair="json")
    assert [{}, {"who": ["Ann"]}, {}, {"who": ["Bo"]}] == slots(corpus)
    corpus = of_bytes(b'no\n{"who": "Ann"}\nno', "records", repair="json")
    assert [{"who": ["Ann"]}] == slots(corpus)  # one answer in a file, with prose around it
    corpus = of_bytes(b'[{"who": "Ann"}, "no", {"who": "Bo"}]', "records", repair="json")
    assert [{"who": ["Ann"]}, {}, {"who": ["Bo"]}] == slots(corpus)
    assert 1 == corpus.facts["unparsed"]
    corpus = of_bytes(b'{"who"\n{"who": "Ann"}\n{no}\n{"who": "Bo"}', "records", repair="json")
    assert [{}, {"who": ["Ann"]}, {}, {"who": ["Bo"]}] == slots(corpus)
    assert 2 == corpus.facts["unparsed"]


@pytest.mark.parametrize(
    "file", [b'```json\n{"who": "Ann",\n "text": "Ann left"}\n```',
             b'Sure!\n[{"who": "Ann", "text": "Ann left"},]'],
)  # fmt: skip
def test_a_whole_file_is_mended(file: bytes) -> None:
    corpus = of_bytes(file, "records", repair="json")
    assert [{"who": ["Ann"]}] == slots(corpus)
    assert "Ann left" == corpus[0].text
    assert 1 == corpus.facts["mended"]


def test_an_answer_is_a_text_under_a_key() -> None:
    answers = ['{"who": "Ann", "id": "x"}', "no idea", '{"who": "Bo",}', None, {"who": "Cy"}]
    file = b"\n".join(
        json.dumps({"id": i, "text": "t", "raw": each}).encode() for i, each in enumerate(answers)
    )
    corpus = of_bytes(file, "records", raw="raw")
    assert [{"who": ["Ann"]}, {}, {}, {}, {"who": ["Cy"]}] == slots(corpus)
    assert {"empty_texts": 0, "unparsed": 3} == counts(corpus)
    (remark,) = fact_remarks(corpus)
    assert remark == ("K215", "3 answers could not be read and count as empty, first line 2: "
                      "'no idea' (Expecting value, column 1)")  # fmt: skip
    corpus = of_bytes(file, "records", raw="raw", repair="json")
    assert [{"who": ["Ann"]}, {}, {"who": ["Bo"]}, {}, {"who": ["Cy"]}] == slots(corpus)
    assert {"empty_texts": 0, "mended": 1, "unparsed": 2} == counts(corpus)
    assert ("01234", ["t"] * 5) == ("".join(corpus.documents.id or ()), [d.text for d in corpus])
    with pytest.raises(InputError, match="K212 found raw = 5, expected the text of an answer"):
        of_bytes(b'{"raw": 5}', "records", raw="raw")
    with pytest.raises(UsageError, match="repair of records is none or json, not 'discard'"):
        Records(repair="discard")


ENTITIES = (
    '{"id": "a", "text": "Ann", "entities": [{"text": "Ann", "type": "PER"},]}',
    '{"id": "b", "entities": {"PER": ["Bo"],}}',
    'Sure! {"id": "c", "entities": [{"text": "Cy", "type": "PER"}]} Anything else?',
    '{"id": "d", "entities": [{"text": "Di", "type": "PER"}, {"text": "Rome", "ty',
    '{"id": "e", "entities": {"PER": ["Ed", "Fl',
    '{"id": "f", "entities": [{"text": "Al", "type": "PER"}, {"text": "Oslo", "type": "LOC"',
    '{"id": "g", "entities": []}',
)
TRIPLES = (
    '{"id": "a", "triples": [{"head": "Ann", "type": "BORN", "tail": "Oslo",}]}',
    '{"id": "b", "relations": [{"subj": "Bo", "relation": "MET", "obj": "Ann"}, {"subj": "Cy", "r',
)


def test_entities_are_mended_and_counted() -> None:
    file = "\n".join(ENTITIES).encode()
    corpus = of_bytes(file, "entities", repair="json")
    assert tuple("abcdefg") == corpus.documents.id
    names = [["Ann"], ["Bo"], ["Cy"], ["Di"], ["Ed"], ["Al"], []]
    assert [{"PER": each} if each else {} for each in names] == slots(corpus)
    assert {"mended": 6, "empty_texts": 0} == corpus.facts
    assert ["Ann", *[None] * 6] == [document.text for document in corpus]
    with pytest.raises(InputError) as caught:
        of_bytes(file, "entities")
    problems = caught.value.problems
    assert [("K231", line) for line in range(1, 7)] == [(each.code, each.line) for each in problems]
    assert all(", column " in str(each) for each in problems)


def test_triples_are_mended_and_counted() -> None:
    corpus = of_bytes("\n".join(TRIPLES).encode(), "triples", repair="json")
    assert [{"from": ["Ann"], "to": ["Oslo"]}, {"from": ["Bo"], "to": ["Ann"]}] == slots(corpus)
    assert [["BORN"], ["MET"]] == [[each.label for each in doc.templates] for doc in corpus]
    assert {"mended": 2, "empty_texts": 0} == corpus.facts
    with pytest.raises(InputError, match=r"file:1: K231 .*\(.*, column \d+\)"):
        of_bytes("\n".join(TRIPLES).encode(), "triples")


@pytest.mark.parametrize(("name", "lines"), [("entities", ENTITIES), ("triples", TRIPLES)])
def test_answers_that_cannot_be_read_are_empty_and_counted(
    name: str, lines: tuple[str, ...]
) -> None:
    """Each in its place if there are no ids; by the others' ids if there are."""
    bad = ["{no", '{"error": "I cannot"}', "Sorry.", "[1]", '{"id": "x"'] + ["{"] * 5000
    plain = [line.replace('"id"', '"nr"') for line in lines]
    mixed = [plain[0], *bad, plain[1]]
    corpus = of_bytes("\n".join(mixed).encode(), name, repair="json")
    assert len(mixed) == len(corpus)
    assert (len(bad), 2) == (corpus.facts["unparsed"], corpus.facts["mended"])
    filled = [bool(document.templates) for document in corpus]
    assert [True, *[False] * len(bad), True] == filled
    corpus = of_bytes("\n".join([lines[0], *bad, lines[1]]).encode(), name, repair="json")
    assert (("a", "b"), len(bad)) == (corpus.documents.id, corpus.facts["unparsed"])
    corpus = of_bytes(b"{no", name, repair="json")
    assert (1, {"unparsed": 1, "empty_texts": 0}) == (len(corpus), counts(corpus))


@pytest.mark.parametrize(("name", "lines"), [("entities", ENTITIES), ("triples", TRIPLES)])
def test_an_answer_of_entities_or_triples_is_a_text_under_a_key(
    name: str, lines: tuple[str, ...]
) -> None:
    answers = [*lines, "Sorry.", None, json.loads('{"entities": [], "triples": []}'), {"id": 1}]
    file = "\n".join(
        json.dumps({"id": i, "text": "t", "raw": each}) for i, each in enumerate(answers)
    )
    corpus = of_bytes(file.encode(), name, raw="raw", repair="json")
    filled = len(lines) - (name == "entities")  # the last one is empty
    assert [True] * filled == [bool(document.templates) for document in corpus][:filled]
    assert not any(document.templates for document in list(corpus)[filled:])
    assert 3 == corpus.facts["unparsed"]
    assert [str(i) for i in range(len(answers))] == list(corpus.documents.id or ())
    assert {"t"} == {document.text for document in corpus}
    with pytest.raises(InputError, match="K232 found raw = 5, expected the text of an answer"):
        of_bytes(b'{"raw": 5}', name, raw="raw")
    with pytest.raises(UsageError, match=f"repair of {name} is none or json, not 'all'"):
        of_bytes(b"{}", name, repair="all")


@pytest.mark.parametrize(
    ("name", "file"),
    [
        *(("entities", line) for line in ENTITIES if line.startswith("{")),
        *(("triples", line) for line in TRIPLES),
        ("entities", f"```json\n{ENTITIES[0]}\n```"), ("triples", f"~~~\n{TRIPLES[0]}"),
        ("entities", f"[{ENTITIES[0]},"), ("entities", f"\ufeff{ENTITIES[0]}\n{ENTITIES[1]}\n"),
    ],
)  # fmt: skip
def test_what_is_damaged_is_recognised(name: str, file: str, tmp_path: Path) -> None:
    """It is not taken for plain objects, whose keys would be slots."""
    path = tmp_path / "answers.jsonl"
    path.write_text(file)
    assert name == sniffed(Source(path))
    corpus = read(path, repair="json")
    assert corpus.origin is not None and name == corpus.origin.format


def test_a_gigantic_answer_is_bounded() -> None:
    for text in (b'{"a": "' + b"x" * (1 << 21), b"{" + b'"a":"b",' * (1 << 17), b'{"a": ' * 99_999):
        assert 1 == len(of_bytes(text, "records", repair="json"))


def test_the_command_reports_and_verifies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.jsonl").write_text('{"id": "a", "who": "Ann"}\n{"id": "b", "who": "Bo"}\n')
    Path("system.jsonl").write_text(
        '{"id": "a", "out": "Sure: {\\"who\\": \\"Ann\\"}"}\n{"id": "b", "out": "Sorry"}\n'
    )
    options = ["--read", "system.raw=out", "--read", "system.repair=json", "--resamples", "0"]
    files = ["score", "gold.jsonl", "system.jsonl", "-m", "oas.PRF"]
    assert main([*files, *options, "-o", "result.json"]) == 0
    result = json.loads(Path("result.json").read_text())["systems"][0]
    assert (1, 1) == (result["coverage"]["mended"], result["coverage"]["unparsed"])
    assert [1.0, 0.5] == [each["value"] for each in result["scores"][:2]]
    assert main(["verify", "result.json"]) == 0
    assert main([*files, *options]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "1 answer could not be read and counts as empty: line 2, 'Sorry' (Expect" in printed
    for name, lines in (("entities", ENTITIES), ("triples", TRIPLES)):
        rows = [{"id": "a", "out": lines[0]}, {"id": "b", "out": "Sorry"}]
        Path("system.jsonl").write_text("\n".join(map(json.dumps, rows)))
        chosen = [*files, *options, "--system-format", name, "-o", "result.json"]
        assert main(chosen) == 0
        coverage = json.loads(Path("result.json").read_text())["systems"][0]["coverage"]
        assert (1, 1) == (coverage["mended"], coverage["unparsed"])
        assert main(["verify", "result.json"]) == 0
    capsys.readouterr()
    gold = [{"id": "a", "templates": [{"slots": {"who": ["Ann"]}}]}]
    assert score(Corpus.of(*gold), Corpus.of(*gold), "oas.F1", resamples=0)


LOG = [{"id": "1", "prompt": "p", "out": '{"entities": [{"text": "Ann", "type": "P"}]}'},
       {"id": "2", "prompt": "p", "out": "I cannot say."}]  # fmt: skip


def logged(tmp_path: Path, log: list[dict[str, str]]) -> tuple[Path, Path]:
    gold, system = tmp_path / "gold.conll", tmp_path / "log.jsonl"
    gold.write_text("Ann B-P\nleft O\n\nBo B-P\nleft O\n")
    system.write_text("".join(json.dumps(each) + "\n" for each in log))
    return gold, system


@pytest.mark.parametrize("name", ["records", "entities", "triples"])
def test_a_key_that_no_record_has_is_an_error_that_names_those_there_are(
    tmp_path: Path, name: str
) -> None:
    file = logged(tmp_path, LOG)[1]
    with pytest.raises(InputError) as caught:
        read(file, format=name, raw="output")
    code = "K212" if name == "records" else "K232"
    assert (
        f"{file}: {code} found no key 'output' in any record, expected one of id, out, prompt; "
        "name the key that holds the answers: --read raw=KEY, or system.raw=KEY for one side alone"
    ) == str(caught.value)


@pytest.mark.parametrize(
    ("answer", "name"),
    [({"entities": [{"text": "Ann", "type": "P"}]}, "entities"),
     ([{"text": "Ann", "type": "P"}], "entities"), ({"P": ["Ann"]}, "records"),
     ({"triples": [{"head": "Ann", "type": "T", "tail": "Bo"}]}, "triples"),
     ([{"head": "Ann", "type": "T", "tail": "Bo"}], "triples")],
)  # fmt: skip
def test_what_is_in_the_answers_says_what_format_they_have(
    tmp_path: Path, answer: object, name: str
) -> None:
    for text in (json.dumps(answer), f"Sure!\n```json\n{json.dumps(answer)}\n```"):
        file = logged(tmp_path, [LOG[1], {"id": "3", "out": text}])[1]
        corpus = read(file, raw="out", repair="json")
        assert corpus.origin is not None
        assert (name, 1) == (corpus.origin.format, len(corpus.templates))
        assert any(": line 1: 'I cannot say.'" in str(fact) for fact in corpus.facts)


def test_answers_in_texts_are_refused_with_the_key_that_reads_them(tmp_path: Path) -> None:
    gold, system = logged(tmp_path, [LOG[0], LOG[0] | {"id": "2"}])
    with pytest.raises(InputError) as caught:
        score(gold, system)
    assert (
        f"{system}: K211 found texts under 'out' that are JSON, expected answers that are "
        "objects; --read system.raw=out reads the answers in them; --system-format records takes "
        "them for texts"
    ) == str(caught.value)
    assert [str(caught.value)] == list(map(str, check(system, gold).problems))
    found = score(gold, system, "exact.tp", system_options={"raw": "out"}, resamples=0)
    assert 1 == found.value


def test_answers_among_refusals_and_other_words_are_offered_with_what_reads_them(
    tmp_path: Path,
) -> None:
    around = LOG[0] | {"out": f"Sure!\n```json\n{LOG[0]['out']}\n```"}
    found = "K211 found texts under 'out' that are JSON, expected answers that are objects; "
    for answer, options in ((LOG[0], ""), (around, " --read system.repair=json")):
        gold, system = logged(tmp_path, [answer, LOG[1]])
        with pytest.raises(InputError, match="K211") as caught:
            score(gold, system)
        assert f"{found}--read system.raw=out{options} reads the answers in them; " in str(
            caught.value
        )
    mended = {"raw": "out", "repair": "json"}
    assert 1 == score(gold, system, "exact.tp", system_options=mended, resamples=0).value
    logged(tmp_path, [around | {"prompt": 'Answer like {"entities": []}'}])
    with pytest.raises(InputError, match="K211 found texts under 'out' and 'prompt' that are JSON"):
        score(gold, system)
    quoted = {"id": "1", "P": "Ann", "text": 'Ann: log {"level": 1}'}
    assert not check(logged(tmp_path, [quoted])[1]).problems
    logged(tmp_path, [LOG[1], LOG[1] | {"id": "0"}, around | {"id": "3"}])  # most are no JSON
    assert "K211" not in {each.code for each in check(system, gold).problems}


def test_the_first_answer_that_cannot_be_read_says_whether_it_can_be_mended(
    tmp_path: Path,
) -> None:
    for name, answer in (("records", '{"P": "Ann",}'), ("entities", f"Yes: {LOG[0]['out']}")):
        file = logged(tmp_path, [LOG[0] | {"out": answer}])[1]
        (key,) = (key for key in read(file, format=name, raw="out").facts if ": " in str(key))
        assert str(key).endswith("; --read system.repair=json mends it")
