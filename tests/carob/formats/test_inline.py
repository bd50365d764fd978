"""inline: tags are taken out of a text and put into it again, and everything else is text."""

from __future__ import annotations

import gzip
import io
import random
import time
from pathlib import Path
from typing import Any

import pytest

import carob
from carob import Corpus, Mention
from carob.corpus.problems import InputError, UsageError
from carob.corpus.source import Source
from carob.evaluate.read import sniffed
from carob.evaluate.verify import verify
from carob.formats.inline import Inline, escaped, unescaped
from tests.worlds import times

SEMINAR = """\
<0.21.1.94.09.30@cs.example.edu (Ann Lee).0>
Topic:    Trees & <forests>
<paragraph><sentence>Our speaker is <speaker>Dr. Ann Lee</speaker>, from
<stime>3:30</stime> to <etime>5 PM</etime> in <location>Hall <room n="12">A</room></location>.\
</sentence></paragraph>
"""


def read(text: str | bytes, **parameters: Any) -> Corpus:
    data = text.encode() if isinstance(text, str) else text
    return carob.read(Source.of_bytes(data, "F"), "inline", **parameters)


def written(corpus: Corpus, **parameters: Any) -> str:
    out = io.BytesIO()
    Inline(**parameters).write(corpus, out)
    return out.getvalue().decode()


def wrong(text: str | bytes, **parameters: Any) -> list[str]:
    with pytest.raises(InputError) as error:
        read(text, **parameters)
    assert len(error.value.problems) == error.value.total
    return [str(problem) for problem in error.value.problems]


def found(corpus: Corpus) -> list[tuple[str, str]]:
    document = corpus[0]
    assert document.text is not None
    return [(mention.label, document.text[mention.start : mention.end])
            for mention in document.mentions]  # fmt: skip


LABELS = ("paragraph", "sentence", "speaker", "stime", "etime", "location", "room")


def test_a_seminar_announcement_is_read() -> None:
    corpus = read(SEMINAR, labels=LABELS)
    text = corpus[0].text
    assert text is not None
    assert text.startswith(
        "<0.21.1.94.09.30@cs.example.edu (Ann Lee).0>\nTopic:    Trees & <forests>"
    )
    assert found(corpus)[2:] == [
        ("speaker", "Dr. Ann Lee"), ("stime", "3:30"), ("etime", "5 PM"), ("location", "Hall A"),
        ("room", "A"),
    ]  # fmt: skip
    assert corpus[0].mentions[-1].attributes == {"n": "12"}
    assert ("char", len(text)) == (corpus.unit, corpus.documents.length[0])
    assert corpus.documents.id is None
    assert written(corpus, labels=LABELS) == SEMINAR


def test_tags_may_nest_and_cross() -> None:
    assert (Mention("a", 0, 2), Mention("c", 1, 2), Mention("b", 1, 3)) == (
        read("<a>x<b><c>y</c></a>z</b>")[0].mentions
    )


def test_a_closing_tag_closes_the_nearest_of_its_name() -> None:
    corpus = read("<a>x<a>y</a>z</a>")
    assert (Mention("a", 0, 3), Mention("a", 1, 2)) == corpus[0].mentions


def test_the_same_place_may_be_marked_twice() -> None:
    corpus = read('<a n="1"><a n="2"><b>x</b></a></a>')
    assert [(mention.label, mention.attributes) for mention in corpus[0].mentions] == [
        ("a", {"n": "1"}),
        ("a", {"n": "2"}),
        ("b", {}),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "<0.21.1.94@host>", "a < b > c", "<a@b.c>", "< a>", "<a >", "<a/>", "</a >", "<a b>",
        "<a b=c>", "<a b='c'>", '<a b="<">', '<a b="\n">', '<a b="c"d="e">', '</a b="c">', "<>",
        "</>", "<!-- x -->", "<1>", "<_a>", "&lt;a&gt;", "<a", "a>", "<<", '<a b="c" >',
    ],
)  # fmt: skip
def test_anything_else_in_angle_brackets_is_text(text: str) -> None:
    corpus = read(text)
    assert (text, ()) == (corpus[0].text, corpus[0].mentions)
    assert text == written(corpus)


def test_names_may_have_dots_hyphens_and_letters_of_any_script() -> None:
    assert found(read("<a.b-c_1>x</a.b-c_1><Größe>y</Größe>")) == [("a.b-c_1", "x"), ("Größe", "y")]


def test_attributes_become_those_of_the_mention() -> None:
    mention = read('<a b="c d"\txml:id="&quot;">x</a>')[0].mentions[0]
    assert mention.attributes == {"b": "c d", "xml:id": "&quot;"}
    decoded = read('<a b="&quot;&lt;">x</a>', entities="decode")
    assert decoded[0].mentions[0].attributes == {"b": '"<'}


def test_only_the_labels_that_are_named_are_tags() -> None:
    corpus = read("<b>x</c><a>y</a>", labels=("a",))
    assert ("<b>x</c>y", (Mention("a", 8, 9),)) == (corpus[0].text, corpus[0].mentions)
    assert written(corpus, labels="a+d") == "<b>x</c><a>y</a>"
    assert Inline(labels=("a", "d")) == Inline(labels="d+a")  # type: ignore[arg-type]


def test_offsets_count_characters() -> None:
    corpus = read("😀e\u0301<a>𐍈</a>\r\n\t<b>\u0301</b>")
    assert (Mention("a", 3, 4), Mention("b", 7, 8)) == corpus[0].mentions
    assert corpus[0].text == "😀e\u0301𐍈\r\n\t\u0301"


def test_a_byte_order_mark_is_no_text() -> None:
    corpus = read("\ufeff<a>x</a>")
    assert ("x", (Mention("a", 0, 1),)) == (corpus[0].text, corpus[0].mentions)
    assert read("\ufeff\ufeffx")[0].text == "\ufeffx"
    assert written(read("\ufeff\ufeffx")) == "\ufeff\ufeffx"


def test_entities_are_text_unless_they_are_to_be_decoded() -> None:
    text = "<a>R&amp;D</a> &lt;b&gt; &#65;&#x1F600; &eacute; &no; &#xD800; &#0; &amp;lt;"
    assert text.replace("<a>", "").replace("</a>", "") == read(text)[0].text
    corpus = read(text, entities="decode")
    assert corpus[0].text == "R&D <b> A😀 é &no; &#xD800; &#0; &lt;"
    assert (Mention("a", 0, 3),) == corpus[0].mentions
    assert (
        read(written(corpus, entities="decode"), entities="decode")[0].text
    ) == "R&D <b> A😀 é &no; &#xD800; &#0; &lt;"


@pytest.mark.parametrize("text", ["", "a", "&", "&amp;", "<a>", '"', "&#38;lt;", "&&", "&lt"])
def test_what_is_escaped_is_the_same_when_unescaped(text: str) -> None:
    assert text == unescaped(escaped(text))


HINT = (
    "; other names in angle brackets are text when --read labels=A+B says which are tags, "
    "and --read drop=A+B removes tags that mark nothing"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x\n</a>", f"F:2: K702 found '</a>', expected <a> before it{HINT}"),
        ("<a>x</a>\n\n</a>", f"F:3: K702 found '</a>', expected <a> before it{HINT}"),
        ("\n<a>x</A", f"F:2: K703 found <a>, expected </a> after it{HINT}"),
        (
            "<a></a>",
            "F:1: K704 found nothing between <a> and </a>, expected at least one character",
        ),
        (
            '<a b="1" b="2">x</a>',
            "F:1: K705 found the attribute 'b' twice in one tag, expected each attribute once",
        ),
        (
            b"x\ny\xe9<a>",
            r"F:2: K701 found '\\xe9', expected UTF-8; convert it, for example with iconv",
        ),
        (
            "x".encode("utf-16"),
            "F:1: K701 found UTF-16 text, expected UTF-8; convert it, for example with iconv",
        ),
        (b"", "F: K002 found an empty file, expected at least one document"),
    ],
)
def test_wrong_tags_are_named(text: str | bytes, expected: str) -> None:
    assert [expected] == wrong(text)


def test_all_problems_come_in_order() -> None:
    found = wrong("<b>\n<a>\n</c>\n<d></d>\n<b>x</e>")
    assert [problem[:9] for problem in found] == [
        "F:1: K703",
        "F:2: K703",
        "F:3: K702",
        "F:4: K704",
        "F:5: K702",
        "F:5: K703",
    ]


def test_at_most_a_hundred_problems_are_kept_and_all_counted() -> None:
    with pytest.raises(InputError) as error:
        read("</a>\n" * 250)
    assert (len(error.value.problems), error.value.total) == (100, 250)


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        (
            {"entities": "decoded"},
            "entities cannot be 'decoded'; did you mean decode? there are: decode, keep",
        ),
        ({"labels": ("a b",)}, "'a b' cannot be the name of a tag"),
    ],
)
def test_wrong_parameters_are_refused(parameters: dict[str, Any], expected: str) -> None:
    with pytest.raises(UsageError) as error:
        Inline(**parameters)
    assert expected == str(error.value)


def one(text: str, *mentions: dict[str, Any]) -> Corpus:
    return Corpus.of({"id": "d", "text": text, "mentions": list(mentions)})


def span(start: int, end: int, label: str = "a", **more: Any) -> dict[str, Any]:
    return {"start": start, "end": end, "label": label} | more


@pytest.mark.parametrize(
    ("corpus", "expected"),
    [
        (
            one("x<b>y"),
            "inline cannot hold the text '<b>' in document 'd': it looks like a tag; "
            "entities=decode escapes it",
        ),
        (
            one("abcd", span(0, 2), span(1, 3)),
            "inline cannot hold two mentions 'a' that cross in document 'd'",
        ),
        (
            one("abcd", {"fragments": [[0, 1], [2, 3]], "label": "a"}),
            "inline cannot hold discontinuous mentions, as in document 'd'",
        ),
        (one("a", span(0, 1, "a b")), "inline cannot hold the label 'a b' in document 'd'"),
        (
            one("a", span(0, 1, attributes={"n": '"'})),
            "inline cannot hold the attribute 'n' = '\"' in document 'd'",
        ),
        (
            one("a", span(0, 1, attributes={"n m": "x"})),
            "inline cannot hold the attribute 'n m' = 'x' in document 'd'",
        ),
        (Corpus.of("a"), "inline writes tags into a text, and there is none in document ''"),
        (
            one("\ud800"),
            r"inline cannot hold '\ud800' in document 'd': it is no character",
        ),
        (
            Corpus.of({"text": "a"}, {"text": "b"}),
            "inline has a file for each document, and there are 2: give a folder",
        ),
    ],
)
def test_what_inline_cannot_hold_is_refused(corpus: Corpus, expected: str) -> None:
    with pytest.raises(UsageError) as error:
        written(corpus)
    assert expected == str(error.value)


def test_labels_that_are_no_tags_are_not_written() -> None:
    with pytest.raises(UsageError, match="cannot hold the label 'a' in"):
        written(one("a", span(0, 1)), labels=("b",))


def test_with_entities_any_text_and_attribute_can_be_held() -> None:
    text = '<b>x</b> &amp; "<a n="1">'
    corpus = one(text, span(0, 4, attributes={"n": '<">&'}))
    marked = written(corpus, entities="decode")
    again = read(marked, entities="decode")[0]
    assert (text, corpus[0].mentions) == (again.text, again.mentions)


def test_a_tag_that_is_cut_by_another_is_no_tag() -> None:
    corpus = one("<b>", span(0, 1))
    assert written(corpus) == "<a><</a>b>"
    assert corpus[0].mentions == read("<a><</a>b>")[0].mentions


def test_a_folder_has_a_document_in_every_file(tmp_path: Path) -> None:
    files = {
        "cmu.news-1042-0": b"x <a>y</a>", "s/b.txt": b"no tags", "s/c.sgml": b"", "s/d.e": b"z",
    }  # fmt: skip
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    (tmp_path / "s" / "f.inline.gz").write_bytes(gzip.compress(b"<b>g</b>"))
    corpus = carob.read(tmp_path)
    assert corpus.documents.id == ("cmu.news-1042-0", "s/b", "s/c", "s/d.e", "s/f")
    assert [document.text for document in corpus] == ["x y", "no tags", "", "z", "g"]
    assert corpus.labels == ("a", "b")
    carob.write(corpus, tmp_path / "out", "inline")
    assert list(corpus) == list(carob.read(tmp_path / "out", "inline"))
    assert (tmp_path / "out" / "cmu.news-1042-0.inline").read_bytes() == b"x <a>y</a>"


def test_one_document_is_one_file(tmp_path: Path) -> None:
    carob.write(one("x", span(0, 1)), tmp_path / "x.inline")
    assert (tmp_path / "x.inline").read_text() == "<a>x</a>"
    assert ((Mention("a", 0, 1),)) == carob.read(tmp_path / "x.inline")[0].mentions


def test_two_files_for_one_document_are_refused() -> None:
    with pytest.raises(InputError) as error:
        carob.read(Source.of_files({"a.txt": b"x", "a.inline": b"x"}, "F"), "inline")
    assert str(error.value) == (
        "F/a.txt:1: K008 found the id 'a', also in F/a.inline, "
        "expected an id of its own for each document"
    )


def test_files_are_scored_by_place_and_folders_by_name(tmp_path: Path) -> None:
    for side, text in (("gold", "<a>x</a> <b>y</b>"), ("system", "<a>x</a> y")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "1.txt").write_text(text)
        (tmp_path / f"{side}.txt").write_text(text)
    (tmp_path / "gold" / "0.txt").write_text("<b>only in gold</b>")
    assert carob.score(tmp_path / "gold.txt", tmp_path / "system.txt", "exact.R").value == 0.5
    scores = carob.score(tmp_path / "gold", tmp_path / "system", "exact.R")
    assert pytest.approx(1 / 3) == scores.value
    assert scores.systems[0].coverage["missing_documents"] == 1


def test_how_it_was_read_is_said_and_can_be_told_again() -> None:
    corpus = read("<a>x</a>", labels=("b", "a"), entities="decode")
    assert corpus.origin is not None
    assert corpus.origin.parameters == {"tags": "a+b", "entities": "decode"}
    again = Inline.from_signature(corpus.origin.parameters)
    assert Inline(labels=("a", "b"), entities="decode") == Inline(**again)
    assert Inline() == Inline(**Inline.from_signature(Inline().signature_fields({})[0]))


def test_a_result_is_verified_with_the_same_tags(tmp_path: Path) -> None:
    for side, text in (("gold", "<a>x</a> <b>R&amp;D</b>"), ("system", "<a>x</a> <b>R</b>&amp;D")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "1.txt").write_text(text)
    options = {"labels": ("a", "b"), "entities": "decode"}
    scores = carob.score(
        tmp_path / "gold", tmp_path / "system", "exact.R", gold_options=options,
        system_options=options,
    )  # fmt: skip
    assert "|tags:a+b/a+b|entities:decode/decode|" in scores["exact.R"].signature
    (tmp_path / "result.json").write_text(scores.to_json())
    verification = verify(tmp_path / "result.json")
    checked, differences = verification.checked, verification.differences
    assert differences == []
    assert checked > 10


def test_a_line_of_the_file_is_found_again() -> None:
    corpus = read("x\n<a>y\nz</a>")
    assert corpus.library is not None
    assert [corpus.library.line(0, place) for place in (0, 2, 4)] == [1, 2, 3]


PIECES = [
    "a", "b", " ", "\t", "\r\n", "\n", "😀", "𐍈", "e\u0301", "\u0301", "\ufeff", "<", ">", "</",
    '"', "&", "&amp;", "<a", '="', "/>",
]  # fmt: skip


def made(rng: random.Random) -> tuple[str, list[dict[str, Any]]]:
    text = "".join(rng.choices(PIECES, k=rng.randrange(1, 15)))
    mentions = []
    for _ in range(rng.randrange(6)):
        start, end = sorted(rng.sample(range(len(text) + 1), 2))
        attributes = {
            name: rng.choice(["", "x y", "é😀", "&lt;", "\t"])
            for name in ("n", "x:ü")
            if rng.random() < 0.2
        }
        mentions.append(span(start, end, rng.choice("abc"), attributes=attributes))
    return text, mentions


def holdable(mentions: list[dict[str, Any]]) -> bool:
    """Whether no two mentions of one label cross; the slow, obvious way."""
    for x in mentions:
        for y in mentions:
            if x["label"] == y["label"] and x["start"] < y["start"] < x["end"] < y["end"]:
                return False
    return True


@pytest.mark.parametrize("entities", ["keep", "decode"])
def test_what_was_written_is_read_again(entities: str) -> None:
    rng = random.Random(entities)
    held = refused = 0
    for _ in range(times(6)):
        text, mentions = made(rng)
        corpus = one(text, *mentions)
        reason = ""
        try:
            marked = written(corpus, entities=entities)
        except UsageError as error:
            reason = str(error)
        assert holdable(mentions) == ("that cross" not in reason)
        if reason:
            assert "that cross" in reason or (entities == "keep" and "like a tag" in reason)
            refused += 1
            continue
        held += 1
        again = read(marked, entities=entities)[0]
        assert (text, corpus[0].mentions) == (again.text, again.mentions)
    assert min(held, refused) > times(1)


def slow(marked: str) -> tuple[str, list[tuple[int, int, str]]] | None:
    """The text and its mentions, one character at a time; None if a tag is wrong."""
    text, spans = "", []
    opened: list[tuple[str, int]] = []
    at = 0
    while at < len(marked):
        end = marked.find(">", at)
        name = marked[at + 1 : end].removeprefix("/")
        first = name[:1]
        tag = marked[at] == "<" and end > at and first.isascii() and first.isalpha()
        if not (tag and all(c.isalnum() or c in "_.-" for c in name)):
            text += marked[at]
            at += 1
            continue
        if marked[at + 1] != "/":
            opened.append((name, len(text)))
        else:
            place = next((i for i in reversed(range(len(opened))) if opened[i][0] == name), None)
            if place is None or opened[place][1] == len(text):
                return None
            spans.append((opened.pop(place)[1], len(text), name))
        at = end + 1
    return None if opened else (text, sorted(spans, key=lambda s: (s[0], s[1], s[2])))


def test_tags_are_found_as_by_the_slow_way() -> None:
    rng = random.Random(5)
    pieces = ["x", "<", ">", "/", "a", "😀", "<a@b>", "\n", "<a b>", "<a>", "</b>", "y", "z"]
    good = 0
    for _ in range(times(15)):
        parts = rng.choices(pieces, weights=[9, *[1] * 10, 9, 9], k=rng.randrange(1, 6))
        for name in rng.choices("ab", k=rng.randrange(4)):
            at = rng.randrange(len(parts) + 1)
            parts.insert(at, f"<{name}>")
            parts.insert(rng.randrange(at + 1, len(parts) + 1), f"</{name}>")
        marked = "".join(parts)
        expected = slow(marked)
        if expected is None:
            wrong(marked)
            continue
        good += bool(expected[1])
        document = read(marked)[0]
        spans = [(m.start, m.end, m.label) for m in document.mentions]
        assert expected == (document.text, spans)
    assert times(1.8) < good < times(12)


@pytest.mark.parametrize(
    "text",
    [
        "<a>" * 100_000, "</a>" * 100_000, "<a>" * 50_000 + "x" + "</a>" * 50_000,
        "".join(f"<a{i}>\n" for i in range(50_000)), '<a a="' * 100_000, "<a " * 100_000,
        '<a b="c"' + ' b="c"' * 100_000, "<" * 300_000, "&" * 300_000, "&a" * 200_000,
    ],
    ids=lambda text: text[:10],
)  # fmt: skip
@pytest.mark.slow
def test_reading_takes_linear_time(text: str) -> None:
    begin = time.perf_counter()
    total = 0
    try:
        read(text, entities="decode")
    except InputError as error:
        total = error.total
    assert total in (0, 50_000, 100_000)
    assert time.perf_counter() - begin < 10


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (SEMINAR.encode(), "inline"),
        (b"\xef\xbb\xbfat <stime>3 pm</stime>", "inline"),
        (b"Ann B-PER\nslept O\n", "conll"),
        (b"<a>x</a> B-PER\nslept O\n", "conll"),
        (b"<a> O\nx O\n</a> O\n", "conll"),
        (b'{"text": "<a>x</a>"}\n', "jsonl"),
    ],
)
def test_text_with_tags_is_recognised_and_other_formats_still_are(
    head: bytes, expected: str
) -> None:
    assert expected == sniffed(Source.of_bytes(head))


@pytest.mark.parametrize(
    "head",
    [b"<?xml version='1.0'?><a>x</a>", b"<!DOCTYPE html><a>x</a>", b"\n<html><b>x</b></html>",
     b"<a>x", b"x</a>", b"</a><a>", b"<a@b.c>x</a@b.c>", b"plain text"],
)  # fmt: skip
def test_what_has_no_pair_of_tags_or_is_a_markup_document_is_not_inline(head: bytes) -> None:
    assert Inline.sniff(head) == 0.0


MARKED = (
    "<paragraph><sentence>The talk by <speaker>Ann Lee</speaker></sentence>\n<sentence id=3>is at "
    "<stime>3:30</stime></sentence></paragraph>.<sentence/>"
)


@pytest.mark.parametrize("labels", [(), ("speaker", "stime")])
def test_tags_that_mark_nothing_are_dropped_balanced_or_not(labels: tuple[str, ...]) -> None:
    corpus = carob.read(Source.of_bytes(MARKED.encode()), "inline", drop="sentence+paragraph",
                        labels=labels)  # fmt: skip
    (document,) = corpus
    assert document.text == "The talk by Ann Lee\nis at 3:30."
    assert [(m.label, document.text[m.start : m.end]) for m in document.mentions] == [
        ("speaker", "Ann Lee"), ("stime", "3:30"),
    ]  # fmt: skip
    assert corpus.origin is not None
    assert Inline.from_signature(corpus.origin.parameters)["drop"] == ("paragraph", "sentence")
    with pytest.raises(InputError, match="drop=A"):
        carob.read(Source.of_bytes(MARKED.encode()), "inline")


def test_a_label_cannot_be_dropped() -> None:
    with pytest.raises(UsageError, match="'a' cannot be a label and dropped"):
        Inline(labels=("a",), drop=("a", "b"))


def test_errors_in_a_folder_name_the_file(tmp_path: Path) -> None:
    for side, text in (("gold", "Ann <a>Lee</a>"), ("system", "Ann <a>Leo</a>")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "one.txt").write_text("<a>x</a>")
        (tmp_path / side / "two.txt").write_text(text)
    with pytest.raises(InputError) as caught:
        carob.score(tmp_path / "gold", tmp_path / "system", "exact.F1")
    assert f"{tmp_path}/system/two.txt:1: K303" in str(caught.value)
    assert f"as in {tmp_path}/gold/two.txt:1" in str(caught.value)
