"""Whatever is wrong with a jsonl file is one InputError that names line, place and what was
expected.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from carob import InputError
from carob.formats import _typed
from tests.carob.formats._files import of_bytes

OBJECT = "a JSON object, one document a line"


def mention_line(**keys: Any) -> str:
    usual: dict[str, Any] = {"start": 0, "end": 1, "label": "X"}
    mention = {key: value for key, value in (usual | keys).items() if value != "-"}
    return json.dumps({"tokens": ["a", "b"], "mentions": [mention]})


def filler_line(filler: Any) -> str:
    return json.dumps({"tokens": ["a", "b"], "templates": [{"slots": {"s": [filler]}}]})


def nested(depth: int) -> Any:
    return {"slots": {"s": [nested(depth - 1)]}} if depth else "x"


AT = "templates[0].slots.s[0]"
FORM = "text, start, end, fragments"

TEMPLATE_KEYS = "one of confidence, id, label, slots, unannotated"
SHAPE = [
    ('{"text": 1}', "text = 1", "a text"),
    ('{"tokens": "ab"}', "tokens = 'ab'", "a list of texts"),
    ('{"tokens": ["a", null]}', "tokens[1] = null", "a text"),
    ('{"unit": "byte"}', "unit = 'byte'", "token or char"),
    ('{"id": 7.5}', "id = 7.5", "a text or a whole number"),
    ('{"id": [7]}', "id = [7]", "a text or a whole number"),
    ('{"text": 1.5}', "text = 1.5", "a text"),
    ('{"tokens": ["a", 1.5]}', "tokens[1] = 1.5", "a text"),
    ('{"attributes": {"a": 1.5}}', "attributes.a = 1.5", "a text"),
    (mention_line(label=5.5), "mentions[0].label = 5.5", "a text"),
    (mention_line(id=1.5), "mentions[0].id = 1.5", "a text"),
    ('{"mentions": {}}', "mentions = {}", "a list"),
    ('{"mentions": [3]}', "mentions[0] = 3", "an object with start, end and label"),
    ('{"tokens": ["a"], "sentences": [2]}', "sentences that do not grow",
     "starts in order, within the document"),
    ('{"tokens": ["a"], "sentences": [0, 0]}', "sentences that do not grow",
     "starts in order, within the document"),
    ('{"tokens": ["a"], "sentences": [0.5]}', "sentences[0] = 0.5", "a whole number"),
    ('{"attributes": {"a": 1}}', "attributes.a = 1", "a text"),
    ('{"attributes": []}', "attributes = []", "an object of names and texts"),
    ('{"token_spans": [[0]]}', "token_spans[0] with 1 numbers", "[start, end]"),
    ('{"token_spans": [0]}', "token_spans[0] = 0", "[start, end]"),
    ('{"token_spans": 0}', "token_spans = 0", "a list of [start, end]"),
    (mention_line(start="-"), "mentions[0] without a place", "start and end, or fragments"),
    (mention_line(label="-"), "mentions[0] without a label", "a label"),
    (mention_line(label=""), "mentions[0].label = ''", "a label that is not empty"),
    (mention_line(label=3), "mentions[0].label = 3", "a text"),
    (mention_line(start=True), "mentions[0].start = true", "a whole number"),
    (mention_line(start="0"), "mentions[0].start = '0'", "a whole number"),
    (mention_line(start=-1), "mentions[0].start = -1", "a position from 0 to 2147483647"),
    (mention_line(end=2**31), "mentions[0].end = 2147483648", "a position from 0 to 2147483647"),
    (mention_line(end=3), "mentions[0] ending at 3", "an end within the 2 positions"),
    (mention_line(end=0),
     "mentions[0]: span 0..0 is empty or negative; "
     "ends are exclusive, so one position at 0 is 0..1",
     "spans that are not empty and do not overlap"),
    (mention_line(start="-", end="-", fragments=[[0, 2], [1, 2]]),
     "mentions[0]: fragments 0..2 and 1..2 of one mention share a position",
     "spans that are not empty and do not overlap"),
    (mention_line(start="-", end="-", fragments=[]),
     "mentions[0]: a mention needs at least one fragment",
     "spans that are not empty and do not overlap"),
    (mention_line(fragments=[[0, 1]]), "mentions[0] with fragments and start or end",
     "the one or the other"),
    (mention_line(type="X"), "mentions[0].type",
     "one of attributes, confidence, end, fragments, head, id, label, start"),
    (mention_line(confidence="high"), "mentions[0].confidence = 'high'", "a number"),
    (mention_line(confidence=10**400), f"mentions[0].confidence = 1{'0' * 39}…", "a finite number"),
    (mention_line(id=4), "mentions[0].id = 4", "a text"),
    ('{"relations": [{"label": null}]}', "relations[0].label = null", "a text"),
    (
        '{"relations": [{"arguments": {"a": 1}}]}',
        "relations[0].arguments.a = 1",
        "the id of a mention, or a list of them",
    ),
    ('{"relations": [1]}', "relations[0] = 1", "an object with label and arguments"),
    ('{"relations": [{"id": 1}]}', "relations[0].id = 1", "a text"),
    ('{"clusters": [[]]}', "clusters[0] = []", "an object with mentions"),
    ('{"clusters": [{"mentions": 1}]}', "clusters[0].mentions = 1", "a list of mention ids"),
    ('{"clusters": [{"mentions": [1]}]}', "clusters[0].mentions[0] = 1", "the id of a mention"),
    ('{"clusters": [{"label": null}]}', "clusters[0].label = null", "a text"),
    ('{"templates": [1]}', "templates[0] = 1", "an object with label and slots"),
    ('{"templates": [{"slots": []}]}', "templates[0].slots = []", "an object of slots"),
    ('{"templates": [{"slots": {"a": 1}}]}', "templates[0].slots.a = 1", "a list of fillers"),
    ('{"templates": [{"slots": {"a": [[]]}}]}', "templates[0].slots.a[0] = []",
     "a text, a number, a boolean or an object"),
    ('{"templates": [{"type": "t"}]}', "templates[0].type", TEMPLATE_KEYS),
    ('{"templates": [{"label": 1}]}', "templates[0].label = 1", "a text"),
    ('{"templates": [{"id": 1}]}', "templates[0].id = 1", "a text"),
    ('{"templates": [{"slots": {"": ["x"]}}]}', "templates[0].slots with a name that is empty",
     "a name for each slot"),
    ('{"templates": [{"slots": {"a": "x"}}]}', "templates[0].slots.a = 'x'", "a list of fillers"),
    (filler_line(None), f"{AT} = null", "a text, a number, a boolean or an object"),
    (filler_line(" "), f"{AT} = ' '", "a text that is not empty"),
    (filler_line({"text": ""}), f"{AT}.text = ''", "a text that is not empty"),
    (filler_line({"text": [7]}), f"{AT}.text = [7]", "a text, a number or a boolean"),
    (filler_line({}), f"{AT} = {{}}", "a text, a place or a mention"),
    (filler_line({"value": "x"}), f"{AT}.value",
     f"one of {FORM}, mention, alternatives, optional, confidence"),
    (filler_line({"start": 0}), f"{AT} with a start or an end alone", "both, or neither"),
    (filler_line({"text": "x", "end": 1}), f"{AT} with a start or an end alone",
     "both, or neither"),
    (filler_line({"start": 0, "end": 3}), f"{AT} ending at 3", "an end within the 2 positions"),
    (filler_line({"start": "0", "end": 1}), f"{AT}.start = '0'", "a whole number"),
    (filler_line({"start": 1, "end": 1}),
     f"{AT}: span 1..1 is empty or negative; ends are exclusive, so one position at 1 is 1..2",
     "spans that are not empty and do not overlap"),
    (filler_line({"start": 0, "end": 1, "fragments": [[0, 1]]}),
     f"{AT} with fragments and start or end", "the one or the other"),
    (filler_line({"mention": 1}), f"{AT}.mention = 1", "the id of a mention"),
    (filler_line({"mention": "T1", "start": 0, "end": 1}), f"{AT} with a mention and a place",
     "the one or the other"),
    (filler_line({"text": "x", "optional": "yes"}), f"{AT}.optional = 'yes'", "true or false"),
    (filler_line({"text": "x", "optional": 1}), f"{AT}.optional = 1", "true or false"),
    (filler_line({"text": "x", "confidence": "1"}), f"{AT}.confidence = '1'", "a number"),
    (filler_line({"text": "x", "alternatives": "y"}), f"{AT}.alternatives = 'y'", "a list"),
    (filler_line({"text": "x", "alternatives": [[3]]}), f"{AT}.alternatives[0] = [3]",
     "a text, a number, a boolean or an object"),
    (filler_line({"text": "x", "alternatives": ["y", ""]}), f"{AT}.alternatives[1] = ''",
     "a text that is not empty"),
    (filler_line({"text": "x", "alternatives": [{}]}), f"{AT}.alternatives[0] = {{}}",
     "a text or a place"),
    (filler_line({"text": "x", "alternatives": [{"text": "y", "optional": True}]}),
     f"{AT}.alternatives[0].optional", f"one of {FORM}"),
    (filler_line({"text": "x", "alternatives": [{"start": 1, "end": 9}]}),
     f"{AT}.alternatives[0] ending at 9", "an end within the 2 positions"),
    (filler_line({"slots": {"t": [[4]]}}), f"{AT}.slots.t[0] = [4]",
     "a text, a number, a boolean or an object"),
    (filler_line({"slots": {}, "text": "x"}), f"{AT}.text", TEMPLATE_KEYS),
    (json.dumps({"templates": [nested(33)]}), f"templates[0]{'.slots.s[0]' * 32}",
     "templates that stand in each other at most 32 deep"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "found", "expected"), SHAPE)
def test_a_document_of_another_shape_is_told(line: str, found: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        of_bytes(b"\n" + line.encode(), "jsonl")
    assert f"file:2: K202 found {found}, expected {expected}" == str(caught.value)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b'{"a": 1', "K201 found '{\"a\": 1' (Expecting ',' delimiter, column 8), "
         f"expected {OBJECT}"),
        (b"[1]", f"K201 found '[1]', expected {OBJECT}"),
        (b"3", f"K201 found '3', expected {OBJECT}"),
        (b'{"a": NaN}',
         f"K201 found '{{\"a\": NaN}}' (NaN is not a JSON number), expected {OBJECT}"),
        (b'{"a": -Infinity}',
         f"K201 found '{{\"a\": -Infinity}}' (-Infinity is not a JSON number), expected {OBJECT}"),
        (b'{"a": 1e999}',
         f"K201 found '{{\"a\": 1e999}}' (1e999 is too large), expected {OBJECT}"),
        (b'{"a": "\xff"}', r"K201 found '\\xff', expected UTF-8"),
        (b'{"a":' + b"[" * 100_000, f"K201 found brackets nested too deep, expected {OBJECT}"),
        (b'{"clusters": [{"mentions": ["T1"]}]}',
         "K205 found clusters[0] with 'T1', expected the ids of mentions of the same document"),
        (b'{"relations": [{"label": "r", "arguments": {"a": "T1"}}]}',
         "K205 found relations[0] with 'T1', expected the ids of mentions of the same document"),
        (b'{"templates": [{}, {"slots": {"a": [{"slots": {"b": [{"mention": "T1"}]}}]}}]}',
         "K205 found templates[1] with the mention 'T1', expected the ids of mentions of the same "
         "document"),
    ],
)  # fmt: skip
def test_a_line_that_is_no_document_is_told(line: bytes, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        of_bytes(line, "jsonl")
    assert f"file:1: {problem}" == str(caught.value)


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ((), "file: K002 found an empty file, expected at least one document"),
        (("", " "), "file: K002 found an empty file, expected at least one document"),
        (('{"id": "a"}', '{"id": "b"}', '{"id": "a"}'),
         "file:3: K203 found the id 'a', also on line 1, expected an id of its own for each "
         "document"),
        (('{"id": "a"}', "{}"),
         "file:2: K203 found a document without an id, expected an id on every line, or on none"),
        (('{"id": "a", "text": "x", "note": 1}', '{"text": "y"}', '{"text": "z"}',
          '{"text": "w"}'),
         "file:2: K203 found a document without an id, expected an id on every line, or on none"),
        (("{}", '{"id": "a"}'),
         "file:2: K203 found a document with an id, expected an id on every line, or on none"),
        (('{"text": "a"}', "{}", '{"tokens": ["a"]}'),
         "file:3: K204 found a document that counts tokens, expected chars, as on line 1"),
    ],
)  # fmt: skip
def test_lines_that_do_not_fit_together_are_told(lines: tuple[str, ...], problem: str) -> None:
    with pytest.raises(InputError) as caught:
        of_bytes("\n".join(lines).encode(), "jsonl")
    assert problem == str(caught.value)


def test_every_wrong_line_is_told() -> None:
    with pytest.raises(InputError) as caught:
        of_bytes(b'{}\n{"id": 3}\n[]\n{}\nx\n', "jsonl")
    assert [2, 3, 5] == [problem.line for problem in caught.value.problems]
    assert str(caught.value).endswith("(and 2 more like it)")


def test_a_line_that_never_ends_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_typed, "LARGEST", 1000)
    with pytest.raises(InputError) as caught:
        of_bytes(b"{}\n" + b" " * 2000, "jsonl")
    expected = "file:2: K005 found a line of more than 1,000 bytes, expected shorter lines; divide"
    assert str(caught.value).startswith(expected)


@pytest.mark.parametrize("depth", [10, 200, 900, 5000])
def test_deep_nesting_is_read_or_refused(depth: int) -> None:
    line = b'{"a": ' + b"[" * depth + b"]" * depth + b"}"
    try:
        corpus = of_bytes(line, "jsonl")
    except InputError:
        assert depth > 500
    else:
        assert 1 == len(corpus)


def test_every_wrong_template_of_a_line_is_told() -> None:
    line = '{"templates": [3, {"slots": {"a": [[]]}}, {"slots": {"a": ["x"]}}, {"slots": 4}]}'
    with pytest.raises(InputError) as caught:
        of_bytes(line.encode(), "jsonl")
    assert [
        "templates[0] = 3", "templates[1].slots.a[0] = []", "templates[3].slots = 4",
    ] == [problem.found for problem in caught.value.problems]  # fmt: skip


def test_templates_may_stand_in_each_other_up_to_a_depth() -> None:
    (document,) = of_bytes(json.dumps({"templates": [nested(32)]}).encode(), "jsonl")
    assert 1 == len(document.templates)


def test_every_wrong_mention_of_a_line_is_told() -> None:
    line = '{"text": "ab", "mentions": [{"start": 0, "end": 9, "label": "A"}, {"start": 0}, 3]}'
    with pytest.raises(InputError) as caught:
        of_bytes(line.encode(), "jsonl")
    assert [
        "mentions[0] ending at 9", "mentions[1] without a label", "mentions[2] = 3",
    ] == [problem.found for problem in caught.value.problems]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('{"text": "a b", "token_spans": [[0, 9]]}', "token_spans[0] = [0, 9]"),
        ('{"text": "ab", "token_spans": [[1, 2], [0, 1]]}', "token_spans[1] = [0, 1]"),
        ('{"text": "ab", "tokens": ["a", "b"], "token_spans": [[0, 1]]}', "1 token_spans"),
    ],
)
def test_places_of_tokens_that_cannot_be_are_told(line: str, found: str) -> None:
    with pytest.raises(InputError) as caught:
        of_bytes(line.encode(), "jsonl")
    assert found == caught.value.problems[0].found
