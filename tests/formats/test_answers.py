"""Answers of language models: mended if asked for and counted, empty if they cannot be read and
counted, never lines that are missing; without `repair=json`, an error with line and column.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from carob import Corpus, InputError, score
from carob.cli import main
from carob.corpus.problems import UsageError
from carob.formats._mend import mended
from carob.formats._objects import is_object
from carob.formats.records import Records
from tests.formats._files import of_bytes


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


def test_lines_are_mended_and_counted() -> None:
    with pytest.raises(InputError) as caught:
        of_bytes(LINES, "records")
    assert ["K211"] * 3 == [problem.code for problem in caught.value.problems]
    assert str(caught.value.problems[0]).startswith("file:2: K211 found")
    assert ", column 2" in str(caught.value.problems[0])
    corpus = of_bytes(LINES, "records", repair="json")
    assert ("a", "b", "c") == corpus.documents.id
    assert [{"who": ["Ann"]}, {"who": ["Bo"]}, {}] == slots(corpus)
    assert {"empty_texts": 0, "mended": 2, "unparsed": 1} == corpus.facts
    assert [1, 2, 3] == corpus.documents.line.tolist()


def test_without_ids_an_answer_that_cannot_be_read_keeps_its_place() -> None:
    corpus = of_bytes(b'no\n{"who": "Ann"}\nno\n{"who": "Bo"}', "records", raw="", repair="json")
    assert [{}] == slots(corpus)  # the file is no list of lines: it has two answers, and prose
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
    assert {"empty_texts": 0, "unparsed": 3} == corpus.facts
    corpus = of_bytes(file, "records", raw="raw", repair="json")
    assert [{"who": ["Ann"]}, {}, {"who": ["Bo"]}, {}, {"who": ["Cy"]}] == slots(corpus)
    assert {"empty_texts": 0, "mended": 1, "unparsed": 2} == corpus.facts
    assert ("01234", ["t"] * 5) == ("".join(corpus.documents.id or ()), [d.text for d in corpus])
    with pytest.raises(InputError, match="K212 found raw = 5, expected the text of an answer"):
        of_bytes(b'{"raw": 5}', "records", raw="raw")
    with pytest.raises(UsageError, match="repair of records is none or json, not 'discard'"):
        Records(repair="discard")


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
    assert "1 answer that could not be read, which count as empty" in capsys.readouterr().out
    gold = [{"id": "a", "templates": [{"slots": {"who": ["Ann"]}}]}]
    assert score(Corpus.of(*gold), Corpus.of(*gold), "oas.F1", resamples=0)
