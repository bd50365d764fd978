"""Key files are read as templates and written again; whatever is wrong is one InputError that names
the line. What a filler means is told by a slow reading of its definition.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import carob
from carob import Corpus, Document, InputError, UsageError, read
from carob.corpus.document import Filler, Template
from carob.corpus.source import Source
from carob.formats import muc
from carob.formats.muc import Muc, forms
from tests.carob.formats._files import of_bytes, written
from tests.worlds import times

HEAD = "0. MESSAGE: ID   d1\n1. MESSAGE: TEMPLATE   1\n"
LINE = "a slot like '2. INCIDENT: DATE   FILLER' or 'SLOT: FILLER', or an indented filler"


def form(slots: dict[str, Any], name: str | None = None, label: str = "") -> Template:
    return Template(label, slots, name)


def problems(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        of_bytes(text.encode(), "muc")
    assert len(caught.value.problems) == caught.value.total
    return [str(problem).removeprefix("file:").strip() for problem in caught.value.problems]


def filler(value: str) -> Filler | None:
    """What one value of a slot is."""
    (document,) = of_bytes(f"{HEAD}2. A   {value}\n".encode(), "muc")
    found = document.templates[0].slots.get("A", ())
    assert len(found) <= 1
    return found[0] if found and isinstance(found[0], Filler) else None


def alternatives(*texts: str, optional: bool = False) -> Filler:
    return Filler(texts[0], (), tuple(Filler(text) for text in texts[1:]), optional)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("-", None), ("*", None), ("? -", None), ("- / *", None), ('-: "X"', None),
        ("ATTACK", Filler("ATTACK")), ('"THREE MEN"', Filler("THREE MEN")),
        ("- 07 JAN 90", Filler("- 07 JAN 90")), ("12/03/90", Filler("12/03/90")),
        ("EL SALVADOR: SAN SALVADOR (CITY)", Filler("EL SALVADOR: SAN SALVADOR (CITY)")),
        ("ATTACK / BOMBING", alternatives("ATTACK", "BOMBING")),
        ('"A"/"B" /"C"', alternatives("A", "B", "C")),
        ('"A / B" / "?C"', alternatives("A / B", "?C")),
        ('? "A" / "B"', alternatives("A", "B", optional=True)),
        ('?"A"', Filler("A", optional=True)),
        ('"A" / ? "B"', alternatives("A", "B", optional=True)),
        ('- / "A"', Filler("A", optional=True)),
        (r'"THE \"X\" C:\\D \n\q"', Filler('THE "X" C:\\D \n\\q')),
        ('THE "X" GROUP', Filler('THE "X" GROUP')),
        ('"A": "B"', Filler('"A": "B"')), ('CIVILIAN:"B"', Filler('CIVILIAN: "B"')),
        ('CIVILIAN: "B" / "C"', alternatives('CIVILIAN: "B"', 'CIVILIAN: "C"')),
        ('"A" / "B": "C"', alternatives('"A": "C"', '"B": "C"')),
        ('? ("A" / "B"): "C" / "D"', alternatives(
            '"A": "C"', '"B": "C"', '"A": "D"', '"B": "D"', optional=True)),
        ('X: "A" / Y: "A"', alternatives('X: "A"', 'Y: "A"')),
        ('X: "A" / NONE', alternatives('X: "A"', "NONE")),
        ('- / 2: "X"', Filler('2: "X"', optional=True)),
    ],
)  # fmt: skip
def test_a_value_is_a_filler(value: str, expected: Filler | None) -> None:
    assert expected == filler(value)


def test_slots_templates_and_messages() -> None:
    text = """\
; event 1
0.  MESSAGE: ID                     DEV-MUC3-0001 (NOSC, GE)
1.  MESSAGE: TEMPLATE               1
2.  INCIDENT: DATE\t- 07 JAN 90
  6. INCIDENT: INSTRUMENT ID  "DYNAMITE" /
                                    "EXPLOSIVES"
   ; a comment between fillers
                                    ? "GUN"
                                    / "RIFLE"
11. PERP: ORGANIZATION CONFIDENCE REPORTED AS FACT: "FMLN"
12. PHYS TGT: ID
2.  INCIDENT: DATE                  "AGAIN"

0.  MESSAGE: ID  OTHER
1.  MESSAGE: TEMPLATE  *
2.  INCIDENT: DATE   *
0.  MESSAGE: ID                     DEV-MUC3-0001
1.  MESSAGE: TEMPLATE               2 (OPTIONAL)
4.  INCIDENT: TYPE                  ATTACK
1.  MESSAGE: TEMPLATE               -
"""
    for data in (text, "\ufeff\n" + text, text.replace("\n", "\r\n")):
        corpus = of_bytes(data.encode(), "muc")
        first, other = corpus
        assert ("DEV-MUC3-0001", {"site": "NOSC, GE"}) == (first.id, first.attributes)
        assert (
            form({
                "INCIDENT: DATE": ("- 07 JAN 90", "AGAIN"),
                "INCIDENT: INSTRUMENT ID": (alternatives("DYNAMITE", "EXPLOSIVES"),
                                            alternatives("GUN", "RIFLE", optional=True)),
                "PERP: ORGANIZATION CONFIDENCE": 'REPORTED AS FACT: "FMLN"',
            }, "1"),
            form({"INCIDENT: TYPE": Filler("ATTACK", optional=True)}, "2"),
            form({}),
        ) == first.templates  # fmt: skip
        assert ("OTHER", {}, ()) == (other.id, other.attributes, other.templates)
        assert {"comments": 2} == corpus.facts
        shift = data.startswith("\ufeff")
        assert [2 + shift, 14 + shift] == corpus.documents.line.tolist()
        assert corpus.unit is None and (None, None) == (first.text, first.tokens)


def test_slots_without_numbers() -> None:
    text = "MESSAGE: ID d1\n\nspeaker: Ann: Lee\nspeaker:Bo\nstime:  3:30\n\nspeaker: Cy\n"
    text += "INCIDENT: DATE 7 JAN\n\n\nMESSAGE: ID   d2\nspeaker: Di\n  Ed\n"
    one, two = of_bytes(text.encode(), "muc")
    assert (
        form({"speaker": ("Ann: Lee", "Bo"), "stime": "3:30"}),
        form({"speaker": "Cy", "INCIDENT: DATE": "7 JAN"}),
    ) == one.templates
    assert ("d2", (form({"speaker": ("Di", "Ed")}),)) == (two.id, two.templates)


def test_a_message_without_slots_has_no_template() -> None:
    (document,) = of_bytes(b"0. MESSAGE: ID   d1", "muc")
    assert () == document.templates


def test_a_slot_can_tell_the_type() -> None:
    text = f"{HEAD}4. INCIDENT: TYPE   ATTACK / BOMBING\n\nMESSAGE: ID d1\nx: y\n".encode()
    (plain,) = of_bytes(text, "muc")
    (typed,) = of_bytes(text, "muc", label="INCIDENT: TYPE")
    assert [["", ""], ["ATTACK", ""]] == [
        [each.label for each in document.templates] for document in (plain, typed)
    ]
    slots = [[dict(each.slots) for each in document.templates] for document in (plain, typed)]
    assert slots[0] == slots[1]
    reader = Muc("INCIDENT: TYPE")
    assert reader == Muc(**Muc.from_signature(reader.signature_fields({})[0]))


# --- what is wrong ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEAD + "foo\n2. A   x\nbar baz\n", [
            f"3: K222 found 'foo', expected {LINE}", f"5: K222 found 'bar baz', expected {LINE}"]),
        (HEAD + '"A": "B"\n3. X\n: y', [
            f"3: K222 found '\"A\": \"B\"', expected {LINE}",
            f"4: K222 found '3. X', expected {LINE}",
            f"5: K222 found ': y', expected {LINE}"]),
        (HEAD + '   "A"\n', ["3: K222 found the filler '\"A\"', expected a slot before it"]),
        (HEAD + "2. A   x\n\n   y\n", ["5: K222 found the filler 'y', expected a slot before it"]),
        ("a: b\nc: d\n", ["1: K223 found the slot 'a', expected MESSAGE: ID before it"]),
        ("MESSAGE: ID\na: b\n", ["1: K223 found MESSAGE: ID without an id, expected an id"]),
        (HEAD + "2. A   x\n\n3. B   y\n4. C   z\n", [
            "5: K223 found the slot 'B' after a blank line, expected MESSAGE: ID or MESSAGE: "
            "TEMPLATE at the beginning of a template; a blank line ends a template"]),
        (HEAD + "2. A   x / / y\n   ?\n   z /\n", [
            "3: K224 found 'x / / y' with an alternative that is empty, expected a filler",
            "4: K224 found '?' with an alternative that is empty, expected a filler",
            "5: K224 found 'z /' with an alternative that is empty, expected a filler"]),
        (HEAD + "2. A   " + " / ".join(["x"] * 1001), [
            f"3: K224 found '{'x / ' * 15}…' with more than 1,000 alternatives, expected fewer"]),
        (HEAD + "\n" + HEAD, [
            "5: K225 found template '1', also on line 2, expected a number of its own for each "
            "template of a message"]),
        (HEAD.replace("   1", "   *") + "2. A   x\n", [
            "2: K225 found MESSAGE: TEMPLATE * with fillers, expected none"]),
        (HEAD.replace("   1", "   1 or 2"), [
            "2: K222 found '1 or 2', expected the number of a template, - or *"]),
        ("", ["K002 found an empty file, expected at least one document"]),
        ("; only this\n", ["K002 found an empty file, expected at least one document"]),
    ],
)  # fmt: skip
def test_what_is_no_key_is_told(text: str, expected: list[str]) -> None:
    assert expected == problems(text)


def test_bytes_that_are_no_text_are_told() -> None:
    with pytest.raises(InputError) as caught:
        of_bytes(HEAD.encode() + b"2. A   \xff\n", "muc")
    expected = r"file:3: K221 found '\\xff', expected UTF-8; convert it, for example with iconv"
    assert expected == str(caught.value)


def test_alternatives_that_multiply_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(muc, "MOST", 8)
    half = " / ".join(['"x"'] * 4)
    (problem,) = problems(f"{HEAD}2. A   ({half}): {half}\n")
    assert problem.endswith("with more than 8 alternatives, expected fewer")


# --- recognised ---


@pytest.mark.parametrize(
    ("head", "sure"),
    [
        (b"0.  MESSAGE: ID      X", 0.95), (b"\xef\xbb\xbf\n; a\n ; b\n0. MESSAGE: ID\n", 0.95),
        (b"MESSAGE: ID x", 0.95), (b"MESSAGE: IDENTITY x", 0.0), (b"; a", 0.0), (b"a: b", 0.0),
        (b"message O\n", 0.0), (b"", 0.0),
    ],
)  # fmt: skip
def test_a_key_file_is_recognised(head: bytes, sure: float) -> None:
    assert sure == Muc.sniff(head)


def test_a_folder_of_key_files_is_one_corpus() -> None:
    files = {f"key-{i}.muc4": HEAD.replace("d1", f"d{i}").encode() for i in range(3)}
    corpus = read(Source.of_files(files, "folder"))
    assert ["d0", "d1", "d2"] == [document.id for document in corpus]


# --- written ---

TEXTS = (
    "ATTACK", "THE FRONT", "-", "*", "?", "? a", "; x", "/", "a / b", "a/b", '"', '"x"', 'x "y"',
    '"A": "B"', 'CIVILIAN: "B"', 'C:"B"', '-: "B"', '(A): "B"', "\\", "\\n", "a\nb", "a\r", "\t x ",
    "東京", "2. A   x", "MESSAGE: ID  d9", "\u2028x", "\x85x", "a  b", '"A" / "B": "C"', "x: y",
)  # fmt: skip
SLOTS = ("INCIDENT: TYPE", "HUM TGT: NAME", "speaker", "A: B", "a/b", "9", "x:y", "- q", "東京")


def random_document(rng: random.Random, name: str) -> Document:
    def one() -> Filler:
        texts = rng.choices(TEXTS, k=rng.choice((1, 1, 1, 2, 3)))
        return alternatives(*texts, optional=rng.random() < 0.2)

    numbers = rng.sample((None, None, "1", "2", "x", "(OPTIONAL)"), rng.randint(0, 3))
    return Document(
        name,
        attributes=rng.choice(({}, {"site": "NOSC, GE"})),
        templates=tuple(
            form({slot: tuple(one() for _ in range(rng.randint(1, 3)))
                  for slot in rng.sample(SLOTS, rng.randint(0, 4))}, number)
            for number in numbers
        ),
    )  # fmt: skip


def test_what_was_written_is_read_back() -> None:
    rng = random.Random(2)
    names = ("d1", "DEV-MUC3-0001", "a b", "x/y", "東京", "a(b)c", "0")
    for _ in range(times(1)):
        corpus = Corpus.of(
            *(random_document(rng, name) for name in rng.sample(names, rng.randint(1, 4)))
        )
        data = written(corpus, "muc")
        found = of_bytes(data, "muc")
        assert list(corpus) == list(found)
        assert data == written(found, "muc")
        assert "muc" == getattr(read(Source.of_bytes(data, "file")).origin, "format", None)


def test_a_filler_is_written_so_that_it_means_the_same() -> None:
    rng = random.Random(3)
    for _ in range(3000):
        texts = rng.choices(TEXTS, k=rng.randint(1, 4))
        optional = rng.random() < 0.5
        assert (texts, optional) == forms(muc.written(texts, optional))


def test_a_key_file_looks_as_they_do() -> None:
    slots = {"INCIDENT: TYPE": ["ATTACK"], "PERP: ORGANIZATION CONFIDENCE": ['POSSIBLE: "FMLN"'],
             "INCIDENT: LOCATION": [{"text": "HERE", "alternatives": ["THERE"], "optional": True},
                                    "ELSEWHERE"]}  # fmt: skip
    corpus = Corpus.of(
        {"id": "D1", "attributes": {"site": "X"}, "templates": [{"id": "1", "slots": slots}]},
        {"id": "D2"},
    )
    assert """\
0.  MESSAGE: ID                     D1 (X)
1.  MESSAGE: TEMPLATE               1
3.  INCIDENT: LOCATION              ? "HERE" / "THERE"
                                    "ELSEWHERE"
4.  INCIDENT: TYPE                  "ATTACK"
11. PERP: ORGANIZATION CONFIDENCE   POSSIBLE: "FMLN"

0.  MESSAGE: ID                     D2
1.  MESSAGE: TEMPLATE               *
""" == written(corpus, "muc").decode()


@pytest.mark.parametrize(
    ("document", "told"),
    [
        (Document("d", templates=(form({"a": "x"}, label="t"),)),
         "muc cannot hold types of templates (1, the first in document 'd')"),
        (Document("d", templates=(form({"a": form({"b": "x"})}),)),
         "muc cannot hold templates in templates (1, the first in document 'd')"),
        (Document("d", templates=(form({"a": Filler("x", confidence=0.5)}),)),
         "muc cannot hold confidences of fillers (1, the first in document 'd')"),
        (Document("d", "a text"), "muc cannot hold texts (1, the first in document 'd')"),
        (Document("d", templates=(form({"a  b": "x"}),)),
         "muc cannot hold the slot 'a  b': its name cannot be written"),
        (Document("d", templates=(form({"MESSAGE: ID": "x"}),)),
         "muc cannot hold the slot 'MESSAGE: ID': its name cannot be written"),
        (Document("d (x)", templates=()), "muc cannot hold the id 'd (x)'"),
        (Document("a\nb", templates=()), r"muc cannot hold the id 'a\nb'"),
        (Document("", templates=()), "muc cannot hold the id ''"),
        (Document("d", templates=(form({"a": "b\0c"}),)),
         r"muc cannot hold '\x00' in document 'd': a file with it is binary"),
        (Document("d", templates=(form({"a\0": "b"}),)),
         r"muc cannot hold '\x00' in document 'd': a file with it is binary"),
        (Document("d\0", templates=()),
         r"muc cannot hold '\x00' in document 'd\x00': a file with it is binary"),
        (Document("d", templates=(form({}, "1 2"),)),
         "muc cannot hold the id '1 2' of a template"),
        (Document("d", templates=(form({}, "*"),)), "muc cannot hold the id '*' of a template"),
        (Document("d", templates=(form({}, "1"), form({}, "1"))),
         "muc cannot hold the id '1' of a template"),
        (Document(templates=(form({}, "1"),)),
         "muc names every document, and these have no ids"),
        (Document("d", templates=(form({"a": "\ud800"}),)),
         r"muc cannot hold '\ud800' in document 'd': it is no character"),
        (Document("d", templates=(form({"a": alternatives(*["x"] * 1001)}),)),
         "muc cannot hold 1,001 alternatives of a filler, only 1,000"),
    ],
)  # fmt: skip
def test_what_a_key_file_cannot_hold_is_refused(document: Document, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        written(Corpus.of(document), "muc")
    assert told == str(caught.value)


def test_every_other_sign_is_written_and_found_again(tmp_path: Path) -> None:
    signs = [chr(code) for code in (*range(1, 0xA1), 0x2028, 0xFEFF)]
    slots = {"a": [Filler(f"x{sign}y") for sign in signs]}
    corpus = Corpus.of(Document("d", templates=(form(slots),)))
    carob.convert(corpus, tmp_path / "a.muc")
    assert list(corpus) == list(read(tmp_path / "a.muc"))


def test_records_become_keys_and_keys_records(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"who": ["Ann", "Bo"]}\n{"who": null}\n')
    done = carob.convert(tmp_path / "a.json", tmp_path / "a.muc")
    assert (2, 0, 2, ()) == (done.documents, done.mentions, done.fillers, done.losses)
    assert ("documents have no ids and were numbered",) == done.remarks
    carob.convert(tmp_path / "a.muc", tmp_path / "b.json")
    assert '{"id": "1", "who": ["Ann", "Bo"]}\n{"id": "2"}\n' == (tmp_path / "b.json").read_text()


def test_odd_key_files_are_read_and_what_is_odd_is_counted() -> None:
    text = (
        HEAD + '2. A   "x\n   y / "z\n   ""\n   "w" / ""\n3. B   "v"\n* * *\n'
        + HEAD.replace("   1", "   *") + "  ***  \n" + HEAD.replace("d1", "d2")
    )  # fmt: skip
    corpus = of_bytes(text.encode(), "muc")
    first, second = corpus
    assert [form({"A": ["x", alternatives("y", "z"), "w"], "B": ["v"]}, "1")] == list(
        first.templates
    )
    assert [form({}, "1")] == list(second.templates)
    assert {"comments": 0, "empty_texts": 2, "stray_quotes": 2, "idle_marks": 1} == corpus.facts
    warnings = carob.score(corpus, corpus, "oads.F1", resamples=0).remarks
    assert "gold: 2 quotes ignored for lack of a partner" in warnings
    assert "gold: 1 message with templates and also TEMPLATE *, which is ignored" in warnings


def test_one_star_is_no_separator() -> None:
    corpus = of_bytes((HEAD + "2. A   x\n   *\n   y\n").encode(), "muc")
    assert [form({"A": ["x", "y"]}, "1")] == list(corpus[0].templates)


def test_a_filler_at_the_margin_is_no_slot() -> None:
    lines = (
        '7. INCIDENT: INSTRUMENT TYPE   GRENADE: "GRENADE"\nMORTAR: "MORTAR"\n'
        "HUM TGT: TYPE   CIVILIAN\n"
    )
    corpus = of_bytes((HEAD + lines).encode(), "muc")
    fillers = ['GRENADE: "GRENADE"', 'MORTAR: "MORTAR"']
    expected = form({"INCIDENT: INSTRUMENT TYPE": fillers, "HUM TGT: TYPE": ["CIVILIAN"]}, "1")
    assert [expected] == list(corpus[0].templates)
