"""JSON in text files: what kind of objects a file holds, and how its lines are decoded and written.

All JSON formats decode with `DECODER`, which refuses what would lose something: a key that an
object has twice, NaN, a number that no float can hold.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache, partial
from itertools import islice
from typing import Any

from carob.corpus.document import Number
from carob.corpus.problems import Problem, Problems, repeated, shown
from carob.corpus.source import LARGEST, Source
from carob.formats._text import BOM
from carob.formats._text import lines as text_lines

CAROB = frozenset({
    "mentions", "templates", "relations", "clusters", "tokens", "token_spans", "sentences", "unit",
})  # fmt: skip
"""An object with one of these keys is a document of carob's own format."""
OWN = CAROB - {"tokens", "relations", "sentences"}
"""Those of them that no other tool writes."""
OWN_IN_LIST = CAROB - {"relations", "sentences", "unit"}
"""Those by which documents in a list are known: lists of records may have the others as slots."""
COMMON = frozenset({"id", "text", "attributes"})
"""Keys that say nothing about the format."""
OBJECT = "a JSON object, one document a line"
ONE_A_LINE = "put each object on a line of its own, or all of them in a list"
NO_FENCE = "take away the lines with ``` around the JSON, or --read repair=json"
TOO_DEEP = "brackets nested too deep"
FENCE = re.compile(r"\s*(```|~~~)")

_TOKEN = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)(?:"(\s*:)?|\\?\Z)|[{}\[\]]', re.S)
_OPENS = re.compile(r'\{\s*"[^"\\]*+(?:\\.[^"\\]*+)*+"\s*:', re.S)
_TAGGED = re.compile(r"(?:^|[ \t])(?:O|(?:O\|)*[BIESLUMW]-[^ \t]+)[ \t\r]*$")
_LIST = re.compile(rb'\[\s*(?:[\[{"]|\]\s*(?:[\[,]|$))')
"""How a list begins. One without anything in it is alone, or others follow."""
_OBJECTS = re.compile(rb'\s*\[\s*\{\s*["}]')
_BETWEEN = re.compile(r"[ \t\r\n,]*")
_ESCAPE = re.compile(rb"\\(?:u00([2-7][0-9a-fA-F])|\\)")
_SAMPLES = 50
"""How many values of a file are enough to recognise what they are."""
_NEXT, _FARTHEST = 1 << 20, 1 << 22
"""How many bytes are looked at next, and at most, if the first values do not tell what they are."""
_ENOUGH = 1 << 13
"""How many bytes are enough to recognise columns."""


def _finite(number: str) -> float:
    value = float(number)
    if value in (math.inf, -math.inf):
        raise ValueError(f"{number} is too large")
    return value


def _refuse_constant(constant: str) -> Any:
    raise ValueError(f"{constant} is not a JSON number")


def _without_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        twice = repeated([key for key, _ in pairs])
        raise ValueError(f"the key {shown(twice)} occurs twice")
    return value


DECODER = json.JSONDecoder(
    parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=_without_repeated_keys
)

_LONGEST = 4000
"""Whole numbers of more digits are kept as they are written: Python does not print them again."""


def _whole(number: str) -> int | Number:
    return int(number) if len(number) <= _LONGEST else Number(number)


AS_WRITTEN = json.JSONDecoder(
    parse_constant=_refuse_constant,
    parse_float=Number,
    parse_int=_whole,
    object_pairs_hook=_without_repeated_keys,
)
"""The same, but numbers that are not whole stay as they are written, whatever their size."""


def _finite_number(number: str) -> Number:
    _finite(number)
    return Number(number)


FINITE_AS_WRITTEN = json.JSONDecoder(
    parse_constant=_refuse_constant,
    parse_float=_finite_number,
    parse_int=_whole,
    object_pairs_hook=_without_repeated_keys,
)
"""The same, and a number that no float can hold is refused."""

_LENIENT = json.JSONDecoder()
"""For a look at what a file is: reading it will find what is wrong."""


def lines(source: Source) -> Iterator[tuple[int, int, bytes]]:
    """Number, offset and bytes of each line that is not blank; a line may be a whole document."""
    return text_lines(source, LARGEST)


def decoded_object(
    raw: bytes, line: int, code: str, problems: Problems, decoder: json.JSONDecoder = DECODER
) -> dict[str, Any] | None:
    """The object of a line; None if the line is anything else, which is a problem.

    >>> decoded_object(b' {"a": "x"} ', 1, "K201", Problems())
    {'a': 'x'}
    """
    value: dict[str, Any] | None = decoded_value(
        raw, line, code, problems, lambda value: isinstance(value, dict), "object", decoder
    )
    return value


def decoded_value(
    raw: bytes,
    line: int,
    code: str,
    problems: Problems,
    is_record: Callable[[Any], bool],
    record: str,
    decoder: json.JSONDecoder = DECODER,
) -> Any:
    """The value of a line, if it is a record; None if the line is anything else, which is a
    problem. `record` is what messages call it.

    >>> decoded_value(b'["a"]', 1, "K201", Problems(), lambda value: type(value) is list, "list")
    ['a']
    """
    text, hint = "", ""
    try:
        text = raw.decode("utf-8")
        value = decoder.decode(text)
    except UnicodeDecodeError as error:
        problems.add(code, line, shown(raw[error.start : error.end]), "UTF-8")
        return None
    except RecursionError:
        found = TOO_DEEP
    except json.JSONDecodeError as error:
        found = f"{shown(text.strip())} ({reason(error)}, column {error.pos + 1})"
        hint = NO_FENCE if FENCE.match(text) else ""
        if error.msg == "Extra data":
            found, hint = f"{shown(text[error.pos :].strip())} after an object", ONE_A_LINE
    except ValueError as error:
        found = f"{shown(text.strip())} ({error})"
    else:
        if is_record(value):
            return value
        found = shown(text.strip())
    problems.add(code, line, found, f"a JSON {record}, one document a line", hint)
    return None


def reason(error: ValueError) -> str:
    """What is wrong with a JSON text; Python's own words may end in "at", for a place to follow.

    >>> reason(json.JSONDecodeError("Unterminated string starting at", "", 0))
    'Unterminated string'
    """
    words: str = getattr(error, "msg", str(error))
    return words.removesuffix(" at").removesuffix(" starting")


def encoded_object(record: dict[str, Any]) -> bytes:
    """The line of an object.

    >>> encoded_object({"a": "é"}).decode()
    '{"a": "é"}\\n'
    """
    return encoded(record) + b"\n"


def encoded(value: Any) -> bytes:
    """A value as JSON on one line.

    >>> encoded(["a", 1])
    b'["a", 1]'
    """
    try:
        if _has_number(value):
            return _with_numbers(value).encode()
        return json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:  # half of a surrogate pair: JSON can only escape it
        return _with_numbers(value, ascii=True).encode()


def _has_number(value: Any) -> bool:
    """Whether a number that is to be written as it was read is in the slots of a document."""
    if isinstance(value, dict):
        return any(_has_number(each) for each in value.values() if type(each) is not str)
    if isinstance(value, list):
        return any(_has_number(each) for each in value if type(each) is not str)
    return isinstance(value, Number)


def _with_numbers(value: Any, *, ascii: bool = False) -> str:
    """A value as JSON, with numbers as they were read."""
    write = partial(_with_numbers, ascii=ascii)
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        pairs = (f"{write(key)}: {write(each)}" for key, each in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(write, value))}]"
    return json.dumps(value, ensure_ascii=ascii, allow_nan=False)


def keys(head: bytes) -> set[str]:
    """The keys of the objects at the top of a file, or in a list there, as far as they show, or up
    to the first that only carob's own format has.

    >>> sorted(keys(b'{"a": {"b": 1}, "c": "d"} {"e": [{"f'))
    ['a', 'c', 'e']
    """
    if is_list_of_objects(head):
        values = [value for value in samples(head) if isinstance(value, dict)]
        return set().union(*values) if values else _top_keys(head[:_NEXT])[0]
    return _top_keys(head, stop_at=CAROB)[0]


def own_keys(head: bytes) -> frozenset[str]:
    """The keys by which documents of carob's own format are known in this file."""
    return OWN_IN_LIST if is_list_of_objects(head) else CAROB


def is_list_of_objects(head: bytes) -> bool:
    """Whether a file begins as a list of objects does.

    >>> is_list_of_objects(b' [{"a": 1}'), is_list_of_objects(b"[[")
    (True, False)
    """
    return _OBJECTS.match(head.removeprefix(BOM)) is not None


def _top_keys(head: bytes, stop_at: frozenset[str] = frozenset()) -> tuple[set[str], bool]:
    """The keys of the objects at the top, and whether the last object is cut."""
    names: set[str] = set()
    text = head.removeprefix(BOM).lstrip().decode("utf-8", "replace")
    depth = -1 if text.startswith("[") else 0
    for token in _TOKEN.finditer(text):
        if token[1] is None:
            depth += 1 if token.group() in "{[" else -1
        elif token[2] and depth == 1:
            name = _without_escapes(token[1].encode()).decode() if "\\" in token[1] else token[1]
            names.add(name)
            if name in stop_at:
                break
    return names, depth > 0


def _without_escapes(head: bytes) -> bytes:
    """The same JSON, with letters, digits and signs of ASCII as themselves, so that keys are found.
    No key that matters comes first after a megabyte.

    >>> _without_escapes(rb'{"t\\u0065xt": "caf\\u00e9 \\u0022"}').decode()
    '{"text": "caf\\\\u00e9 \\\\u0022"}'
    """

    def plain(escape: re.Match[bytes]) -> bytes:
        sign = bytes.fromhex((escape[1] or b"").decode())
        return escape[0] if sign in (b"", b'"', b"\\") else sign

    first = head[:_NEXT]
    changed = _ESCAPE.sub(plain, first)
    return head if changed == first else changed + head[_NEXT:]


@lru_cache(maxsize=1)  # every format that may be meant looks at the same head
def samples(head: bytes) -> tuple[Any, ...]:
    """The first complete JSON values of a file, and what is in them if they are lists. If there is
    none, the first that can be mended: reading will say what is damaged.

    >>> samples(b'[{"a": 1}, {"b": 2}, {"c')
    ({'a': 1}, {'b': 2})
    >>> samples(b'{"a": [1, 2,]}')
    ({'a': [1, 2]},)
    """
    return _complete_values(head) or _mended_values(head)


def _mended_values(head: bytes) -> tuple[Any, ...]:
    """The value of the first line, or else of the beginning of the file, if it can be mended."""
    from carob.formats._mend import mended  # few files are damaged

    text = head[:_ENOUGH].removeprefix(BOM).decode("utf-8", "replace").strip()
    if text[:1] not in ("{", "[") and not FENCE.match(text):
        return ()
    for part in (text.split("\n", 1)[0], text):
        value = mended(part, lambda value: isinstance(value, (dict, list)))
        if value is not None:
            return (value, *value[:_SAMPLES]) if isinstance(value, list) else (value,)
    return ()


def _complete_values(head: bytes) -> tuple[Any, ...]:
    """Complete JSON values of a file, and what is in them if they are lists: the first ones, up to
    fifty that have something in all their lists. Fifty that have the same keys, with nothing under
    the same ones, are enough.
    """
    kept: list[Any] = []
    shapes: Counter[frozenset[tuple[str, bool]]] = Counter()
    full = 0
    for value in _values(_start(head)):
        for each in [value, *value] if isinstance(value, list) else [value]:
            empty = [_is_empty(part) for part in each.values()] if isinstance(each, dict) else []
            shape = frozenset(zip(each, empty, strict=True)) if empty else frozenset()
            if each == [] or shapes[shape] == _SAMPLES:
                continue
            kept.append(each)
            shapes[shape] += 1
            full += not (any(empty) or isinstance(each, list) or _is_common(each))
            if full == _SAMPLES:
                return tuple(kept)
    return tuple(kept)


def _start(head: bytes) -> str:
    return head.removeprefix(BOM).decode("utf-8", "replace").lstrip()


def _values(text: str) -> Iterator[Any]:
    """The complete JSON values of a text; if it is a list that is cut, the values in it."""
    at = 0
    while at < len(text) and text[:1] in ("{", "["):
        try:
            value, at = _LENIENT.raw_decode(text, at)
        except (ValueError, RecursionError):
            if at or text[:1] != "[":
                return
            at = 1
        else:
            yield value
        between = _BETWEEN.match(text, at)
        at = between.end() if between else at


def _is_empty(value: Any) -> bool:
    return value is None or value == [] or value == {}


def _is_common(value: Any) -> bool:
    """Whether a value is an object without a key that says anything about the format."""
    return isinstance(value, dict) and value.keys() <= COMMON


def _tells(value: Any, signs: frozenset[str]) -> bool:
    """Whether a value may show its format. A list without anything in it does not, nor an object
    that has nothing under those of its keys that are signs of a format.
    """
    if isinstance(value, list):
        return any(each != [] and (isinstance(each, list) or _tells(each, signs)) for each in value)
    if not isinstance(value, dict):
        return True
    known = [each for key, each in value.items() if key in signs]
    return not _is_common(value) and not (known and all(map(_is_empty, known)))


def has_only_empty_lists(head: bytes) -> bool:
    """Whether there are lists in a file, and nothing in any of them.

    >>> [has_only_empty_lists(head) for head in (b"[]", b"[]\\n[]", b"[[], []]", b"[[1]]", b"")]
    [True, True, True, False, False]
    """
    text = _start(head)
    return not text.strip("[], \t\r\n") and any(isinstance(value, list) for value in _values(text))


def telling_head(source: Source, head: bytes, signs: frozenset[str] = frozenset()) -> bytes:
    """The head of a file of objects, and as much more of the file as shows what they are. Letters
    in it are not escaped.

    An object that the head cuts is completed: its last key may be the only one of its kind. If
    nothing in the head tells what it is, the first values of the file that do follow. An object
    tells nothing if it has no keys but `id` and `text`, or if nothing is under its `signs`, the
    keys by which formats are known: a list without entities may be that of any tool.

    >>> source = Source.of_bytes(b'{"id": "1"}\\n{"id": "2"}\\n{"id": "3", "who": "Ann"}')
    >>> sorted(keys(telling_head(source, source.head(12))))
    ['id', 'who']
    """
    start = head.removeprefix(BOM).lstrip()
    if _LIST.match(start):
        head = _telling_list(source, head, signs)
    elif start[:1] == b"{" and not _top_keys(head, stop_at=OWN)[0] & OWN:
        head = _telling_lines(source, head, signs)
    return _without_escapes(head)


def _telling_list(source: Source, head: bytes, signs: frozenset[str]) -> bytes:
    """The head of a list, or of lists on lines. If nothing in it tells, a list that begins as it
    does, and has the first values that tell.
    """
    while len(head) < LARGEST and next(_values(_start(head)), None) is None:
        longer = source.between(0, 2 * len(head))
        if len(longer) <= len(head):
            return head
        head = longer
    if any(_tells(value, signs) for value in samples(head)):
        return head
    for size in (_NEXT, _FARTHEST):
        longer = source.between(0, size)
        if len(longer) <= len(head):
            break
        values = list(_values(_start(longer)))
        values = values[0] if len(values) == 1 and isinstance(values[0], list) else values
        telling = [value for value in values if _tells(value, signs)][:_SAMPLES]
        if telling:
            return json.dumps([*samples(head)[:_SAMPLES], *telling]).encode()
    return head


def _telling_lines(source: Source, head: bytes, signs: frozenset[str]) -> bytes:
    """The head of objects on lines, or of one object. If nothing in it tells, the first lines that
    do follow.
    """
    size = len(head)
    head = _completed(source, 0, head)
    values = _complete_values(head)
    if any(_tells(value, signs) for value in values) or not (values or keys(head) <= COMMON):
        return head  # the second if no object is complete
    for _, offset, raw in lines(source):
        if offset > _FARTHEST:
            break
        if offset + len(raw) > len(head) and _tells(_object(raw) or {}, signs):
            piece = source.between(offset, offset + size)
            return head + b"\n" + _completed(source, offset, piece)
    return head


def _completed(source: Source, start: int, piece: bytes) -> bytes:
    """A piece of a file, longer if it cuts a line, or the only object of the file."""
    first, line_end, _ = piece.removeprefix(BOM).lstrip().partition(b"\n")
    in_lines, size = bool(line_end) and _object(first) is not None, len(piece)
    while len(piece) < LARGEST and (in_lines or _top_keys(piece)[1]):
        longer = source.between(start, start + 2 * len(piece))
        end = longer.find(b"\n", size - 1) if in_lines else -1
        if end >= 0 or len(longer) <= len(piece):
            return longer[:end] if end >= 0 else longer
        piece = longer
    return piece


def _object(raw: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def answers_under(source: Source, key: str, most: int = 50) -> list[Any]:
    """The first answers that the records of a file have under a key, as values, mended if that is
    needed.

    >>> answers_under(Source.of_bytes(b'{"out": "Sure: [1]"}\\n{"out": "no"}'), "out")
    [[1]]
    """
    from carob.formats._mend import mended  # few files need it

    answers = []
    for _, _, line in islice(lines(source), most):
        with suppress(ValueError, RecursionError, AttributeError):
            answer = json.loads(line).get(key)
            if isinstance(answer, str):
                answer = mended(answer, lambda value: isinstance(value, (dict, list)))
            answers += [answer] if isinstance(answer, (dict, list)) else []
    return answers


def keys_of_answers(source: Source, most: int = 50) -> tuple[list[str], bool]:
    """The keys under which at least half of the first records of a file have texts that hold JSON
    objects or lists, and whether some of them must be mended.

    >>> keys_of_answers(Source.of_bytes(b'{"id": "1", "out": "{}"}'))
    (['out'], False)
    >>> keys_of_answers(Source.of_bytes(b'{"id": "1", "out": "Sure: {\\\\"who\\\\": 1}"}'))
    (['out'], True)
    """
    whole: Counter[str] = Counter()
    damaged: Counter[str] = Counter()
    size = 0
    for _, _, line in islice(lines(source), most):
        record = _object(line)
        if record is None:
            return [], False
        size += 1
        whole.update(key for key, value in record.items() if _is_json(value))
        # The text of a document may quote JSON.
        damaged.update(key for key, value in record.items()
                       if key != "text" and not _is_json(value) and _holds_json(value))  # fmt: skip
    keys = [key for key in whole | damaged if 2 * (whole[key] + damaged[key]) >= size]
    return sorted(keys), any(damaged[key] for key in keys)


def _holds_json(value: Any) -> bool:
    """Whether a text has a JSON object, or a list of objects, among other words or damaged."""
    from carob.formats._mend import mended  # few files need it

    return isinstance(value, str) and "{" in value and mended(
        value, lambda each: isinstance(each, dict)
        or (isinstance(each, list) and all(isinstance(item, dict) for item in each))
    ) is not None  # fmt: skip


def _is_json(value: Any) -> bool:
    if not isinstance(value, str) or value.strip()[:1] not in ("{", "["):
        return False
    try:
        return isinstance(json.loads(value), (dict, list))
    except (ValueError, RecursionError):
        return False


def words_around_json(file: str, head: bytes) -> Problem | None:
    """The problem of a file that looks like columns, but is JSON with other words around it.

    Language models often answer like this, even if asked for JSON alone. Columns look different:
    their lines have one width or end in a tag, and no object fills whole lines.

    >>> print(words_around_json("a.json", b'Sure! {"who": "Ann"}'))
    a.json:1: K211 found 'Sure!' before an object, expected JSON and nothing else; take away what \
stands around the JSON, or name its format (records, entities or triples) and --read repair=json
    >>> words_around_json("a.conll", b'{"who": O\\n"Ann"} O\\n')
    """
    text = head.decode("utf-8", "replace").removeprefix("\ufeff")
    line = 1 + text[: len(text) - len(text.lstrip())].count("\n")
    if _is_bare_value(text):
        return Problem("K211", file, line, shown(text.strip()), OBJECT)
    opens = _OPENS.search(text)
    if opens is None or (before := text[: opens.start()].strip()) in ("", "["):
        return None
    rows = [row for row in text[:_ENOUGH].split("\n") if row.strip()]
    if len(rows) > 1 and len(text) > _ENOUGH:
        rows.pop()
    if any(_TAGGED.search(row) or row.startswith(("-DOCSTART-", "# newdoc")) for row in rows):
        return None
    rows = [row for row in rows if not row.startswith("# ")]
    widths = {len(row.split()) for row in rows}
    anywhere = len(rows) == 1 or widths == {1}
    if len(widths) == 1 and not _object_at(text, opens.start(), anywhere=anywhere):
        return None
    found = f"{shown(before.split(chr(10))[0].strip())} before an object"
    hint = (
        "take away what stands around the JSON, or name its format (records, entities or triples) "
        "and --read repair=json"
    )
    return Problem("K211", file, line, found, "JSON and nothing else", hint)


def _is_bare_value(text: str) -> bool:
    """Whether the whole text is one JSON value, but neither an object nor a list."""
    try:
        value = DECODER.decode(text)
    except (ValueError, RecursionError):
        return False
    return not isinstance(value, (dict, list))


def _object_at(text: str, start: int, *, anywhere: bool) -> bool:
    """Whether an object begins here, and fills whole lines unless it may stand anywhere."""
    try:
        _, end = DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return False
    beside = text[:start].rsplit("\n", 1)[-1] + text[end:].split("\n", 1)[0]
    return anywhere or not beside.strip()
