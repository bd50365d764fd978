"""Between all formats: what both can hold comes back the same; what the target cannot hold is
refused with its number and first place, or left out, counted and told.
"""

from __future__ import annotations

import io
import random
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from carob import Corpus, Document, Group, Mention, UsageError, convert, read
from carob.cli import main
from carob.corpus.document import Filler, Template
from carob.formats.capabilities import EVERYTHING, fitted
from carob.registry import builtin, load

FORMATS = sorted(builtin("formats"))
WRITTEN = [name for name in FORMATS if hasattr(load("formats", name), "write")]
ENDING = {"brat": "", "inline": ""}
WORDS = ("Ann", "Bo", "e\u0301", "東京", "😀", "x", "#", "don't", "</b>x")


WORDLESS = ("needs a text, and document", "these documents have none", "has no text to find")


def target(folder: Path, name: str, number: object) -> Path:
    ending = ENDING.get(name, load("formats", name).extensions[0])
    return folder / f"{name}-{number}{ending}"


def random_document(rng: random.Random, name: str, *, chars: bool) -> Document:
    words = tuple(rng.choice(WORDS[:-1]) for _ in range(rng.randint(1, 7)))
    text = " ".join(words) if chars else None
    length = len(text) if text else len(words)
    mentions: list[Mention] = []
    for place in range(rng.randint(0, 4)):
        spans: list[tuple[int, int]] = []
        at = 0
        for _ in range(rng.choice((1, 1, 1, 2))):
            start = rng.randint(at, length - 1) if at < length else length
            if start < length:
                spans.append((start, rng.randint(start + 1, length)))
                at = spans[-1][1] + 1
        attributes = {k: rng.choice(("u", "v")) for k in ("realis", "x") if rng.random() < 0.2}
        mentions.append(Mention.of(rng.choice("AB"), spans, attributes, None, f"T{place + 1}"))
    mentions.sort(key=lambda m: (m.fragments, m.label, m.id or ""))
    relations: tuple[Group, ...] = ()
    if len(mentions) > 1 and rng.random() < 0.3:
        one, other = mentions[0].id, mentions[1].id
        roles = rng.choice((("from", "to"), ("agent", "theme")))
        relations = (Group("Rel", ((roles[0], one), (roles[1], other)), "R1"),)
    breaks = (0, rng.randint(1, length - 1)) if length > 1 and rng.random() < 0.3 else (0,)
    return Document(
        name, text, None if chars else words, tuple(mentions), breaks, relations=relations,
        attributes={"system": "s"} if rng.random() < 0.2 else {},
    )  # fmt: skip


def plain(document: Document) -> Document:
    """One that every format holds, but for words and ids."""
    kept: list[Mention] = []
    for mention in document.mentions:
        if len(mention.fragments) == 1 and (not kept or kept[-1].end <= mention.start):
            kept.append(Mention(mention.label, mention.start, mention.end))
    return Document(document.id, document.text, document.tokens, tuple(kept), (0,))


def marks(corpus: Corpus) -> list[list[Any]]:
    return [[(m.label, m.fragments) for m in document.mentions] for document in corpus]


@pytest.mark.parametrize("one", WRITTEN)
@pytest.mark.parametrize("other", WRITTEN)
def test_there_and_back_again(one: str, other: str, tmp_path: Path) -> None:
    """What is lost is lost on the first way; the second time there is nothing more to lose."""
    rng = random.Random(one + other)
    chars = one in ("brat", "csv", "inline") or (one in ("jsonl", "tbf") and rng.random() < 0.5)
    documents = [random_document(rng, f"d{i:02}", chars=chars) for i in range(8)]
    start = Corpus.of(*documents)
    first = target(tmp_path, one, 1)
    convert(start, first, one, lossy=True, tokenizer="whitespace")
    ours = read(first, one)
    there = target(tmp_path, other, 2)
    call: Callable[..., Any] = lambda lossy: convert(  # noqa: E731
        ours, there, other, lossy=lossy, tokenizer="whitespace"
    )
    try:
        done = call(lossy=True)
    except UsageError as error:
        # Only what has no words at all cannot become what needs them.
        if one in ("spans", "tbf", "records", "muc") and any(
            words in str(error) for words in WORDLESS
        ):
            return
        raise
    theirs = read(there, other)
    assert done.mentions == len(theirs.mentions)
    if done.losses:
        with pytest.raises(UsageError, match=rf"^{other} cannot hold .*--lossy leaves it out$"):
            call(lossy=False)
    if ours.unit == theirs.unit:
        assert marks(fitted(ours, load("formats", other).holds)[0]) == marks(theirs)
    if ours.unit == theirs.unit and not done.losses:
        back = target(tmp_path, one, 3)
        convert(theirs, back, one, lossy=True)
        again = read(back, one)
        strip = [replace(d, id=None, sentences=()) for d in ours]
        assert strip == [replace(d, id=None, sentences=()) for d in again]


@pytest.mark.parametrize("one", ["brat", "conll", "inline", "jsonl"])
@pytest.mark.parametrize("other", ["brat", "conll", "inline", "jsonl"])
def test_plain_corpora_lose_nothing(one: str, other: str, tmp_path: Path) -> None:
    rng = random.Random(one + other)
    documents = [plain(random_document(rng, f"d{i:02}", chars=False)) for i in range(20)]
    corpus = Corpus.of(*documents)
    made = "ids of mentions" if "brat" in (one, other) else None  # brat gives ids to all mentions
    for place, name in enumerate((one, other, "conll")):
        out = target(tmp_path, name, place)
        done = convert(corpus, out, name, lossy=made is not None, tokenizer="whitespace")
        assert {loss.what for loss in done.losses} <= {made}
        corpus = read(out, name)
    assert documents == list(corpus)


RICH = Document(
    "d1", "Ann Lee met Bo in Rome .",
    mentions=(
        Mention.of("PER", [(0, 3)], {"realis": "x", "sure": "no"}, 0.5, "m1"),
        Mention.of("PER", [(0, 7)], id="T2"),
        Mention.of("PER", [(4, 11)], id="T3"),
        Mention.of("PER", [(0, 3), (12, 14)], id="T4"),
        Mention.of("LOC", [(18, 21)], id="T5"),
    ),
    sentences=(0, 8),
    attributes={"system": "s", "date": "now"},
    token_spans=((0, 3), (4, 7), (8, 11), (12, 14), (15, 17), (18, 22), (23, 24)),
    relations=(Group("Meet", (("agent", "m1"), ("agent", "T4")), "X1"),
               Group("Near", (("from", "T2"), ("to", "T5")), "R2")),
    clusters=(Group("Same", (("", "m1"), ("", "T2")), "C1"),),
    templates=(Template("Tr", {"who": (Filler("Ann"),)}),),
    extra={"note": 1},
)  # fmt: skip


def test_everything_that_is_lost_is_told() -> None:
    corpus = Corpus.of(Document("d0", "x"), RICH)
    assert [] == fitted(corpus, EVERYTHING)[1]
    told = {
        name: [(loss.what, loss.count, loss.where) for loss in
               fitted(corpus, load("formats", name).holds)[1]]
        for name in ("jsonl", "brat", "inline", "tbf", "records", "muc")
    }  # fmt: skip
    assert [("relations that have a role twice", 1, "d1")] == told["jsonl"]
    assert [
        ("templates", 1, "d1"),
        ("ids of relations", 1, "d1"),
        ("ids of clusters", 1, "d1"),
        ("confidences", 1, "d1"),
        ("ids of mentions other than T…", 1, "d1"),
        ("attributes of documents", 1, "d1"),
        ("sentence breaks", 1, "d1"),
        ("further fields of documents", 1, "d1"),
    ] == told["brat"]
    assert [
        ("discontinuous mentions", 1, "d1"),
        ("mentions of one label that cross", 1, "d1"),
        ("relations", 2, "d1"),
        ("clusters", 1, "d1"),
        ("templates", 1, "d1"),
        ("confidences", 1, "d1"),
        ("ids of mentions", 4 - 1, "d1"),
        ("attributes of documents", 1, "d1"),
        ("sentence breaks", 1, "d1"),
        ("further fields of documents", 1, "d1"),
    ] == told["inline"]
    assert [
        ("relations other than from one mention to another", 1, "d1"),
        ("labels of clusters", 1, "d1"),
        ("templates", 1, "d1"),
        ("attributes of mentions other than realis", 1, "d1"),
        ("confidences", 1, "d1"),
        ("attributes of documents other than system", 1, "d1"),
        ("sentence breaks", 1, "d1"),
        ("further fields of documents", 1, "d1"),
        ("texts", 2, "d0"),
    ] == told["tbf"]
    assert [
        ("mentions", 5, "d1"),
        ("relations", 2, "d1"),
        ("clusters", 1, "d1"),
        ("types of templates", 1, "d1"),
        ("attributes of documents", 1, "d1"),
        ("sentence breaks", 1, "d1"),
        ("further fields of documents", 1, "d1"),
    ] == told["records"]
    assert ["attributes of documents other than site"] == [
        what for what, _, _ in told["muc"] if what.startswith("attributes")
    ]


def test_templates_lose_what_a_format_cannot_hold_piece_by_piece() -> None:
    def form(slots: dict[str, Any], label: str = "", name: str | None = None) -> Template:
        return Template(label, slots, name)

    rich = form({
        "who": (Filler("Ann", ((0, 3),), (Filler("Anna"), Filler(fragments=((4, 6),))), True, 0.5),
                Filler(fragments=((4, 6),)), Filler(fragments=((3, 4),)), Filler(mention="T1")),
        "in": (form({"room": "5"}, "place", "E2"), form({}),
               form({"x": Filler(fragments=((3, 4),))})),
    }, "talk", "E1")  # fmt: skip
    person = Mention.of("PER", [(0, 3)], id="T1")
    corpus = Corpus.of(
        Document("d0", "x"),
        Document("d1", "Ann Bo", mentions=(person,), templates=(rich, form({"a": "b"}), form({}))),
    )
    kept, lost = fitted(corpus, load("formats", "records").holds)
    assert {
        "mentions": 1, "places of fillers": 6, "confidences of fillers": 1,
        "that fillers are optional": 1, "alternatives of fillers": 2, "fillers without a text": 2,
        "types of templates": 2, "ids of templates": 2, "templates without fillers": 3,
        "templates other than the first of a document": 1,
    } == {loss.what: loss.count for loss in lost}  # fmt: skip
    assert {"d1"} == {loss.where for loss in lost}
    assert (form({"who": ("Ann", "Bo", "Ann"), "in": form({"room": "5"})}),) == kept[1].templates
    kept, lost = fitted(corpus, load("formats", "muc").holds)
    assert {
        "mentions": 1, "places of fillers": 5, "confidences of fillers": 1, "texts": 2,
        "fillers without a text": 1, "types of templates": 1, "templates in templates": 3,
    } == {loss.what: loss.count for loss in lost}  # fmt: skip
    first = Filler("Ann", (), (Filler("Anna"), Filler("Bo")), True)
    assert (form({"who": (first, "Bo", "Ann")}, name="E1"), form({"a": "b"}), form({})) == (
        kept[1].templates
    )
    for name in ("records", "muc"):
        holds = load("formats", name).holds
        assert [] == fitted(fitted(corpus, holds)[0], holds)[1]


def test_mentions_become_fillers_where_there_are_no_templates(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text("Ann B-who\nLee I-who\nmet O\nBo B-who\nx B-a\n\ny O\n")
    out = tmp_path / "a.json"
    with pytest.raises(UsageError, match=r"^records cannot hold places of fillers \(3, the first"):
        convert(tmp_path / "a.conll", out)
    done = convert(tmp_path / "a.conll", out, lossy=True)
    assert ["places of fillers", "tokens"] == [loss.what for loss in done.losses]
    assert '{"who": ["Ann Lee", "Bo"], "a": "x"}\n{}\n' == out.read_text()
    rich = Corpus.of(replace(RICH, templates=(), relations=(), clusters=()))
    lost = [(loss.what, loss.count) for loss in fitted(rich, load("formats", "records").holds)[1]]
    assert [("attributes of mentions", 1), ("confidences", 1), ("ids of mentions", 5),
            ("places of fillers", 5)] == lost[:4]  # fmt: skip


def test_conll_is_told_what_it_cannot_hold_and_writes_the_rest(tmp_path: Path) -> None:
    out = tmp_path / "a.conll"
    with pytest.raises(UsageError) as caught:
        convert(Corpus.of(Document("d0", "x"), RICH), out)
    message = str(caught.value)
    assert message.startswith(
        "conll cannot hold borders of mentions that are not those of tokens (1, the first in "
        "document 'd1') and discontinuous mentions (1, the first in document 'd1') and mentions "
        "across sentences (1, the first in document 'd1') and overlapping mentions (1, the first "
        "in document 'd1') and relations (2,"
    )
    assert message.endswith("; --lossy leaves it out")
    assert not out.exists()
    done = convert(Corpus.of(Document("d0", "x"), RICH), out, lossy=True)
    assert ("the texts were cut into tokens (words); white space is not kept",) == done.remarks
    assert 2 == done.mentions
    expected = (
        "# newdoc id = d0\n\nx O\n\n# newdoc id = d1\n\nAnn B-PER\nLee I-PER\n\nmet O\nBo O\nin O\n"
        "Rome B-LOC\n. O\n\n"
    )
    assert expected == out.read_text()


def test_of_mentions_that_overlap_the_first_and_longest_stays() -> None:
    rng = random.Random(8)
    for _ in range(300):
        mentions = tuple(
            Mention(rng.choice("AB"), a, a + rng.randint(1, 4)) for a in rng.choices(range(8), k=6)
        )
        corpus = Corpus.of(Document("d", tokens=("x",) * 12, mentions=mentions))
        kept: list[tuple[int, int]] = []
        for start, end in sorted((m.start, -m.end) for m in mentions):
            if not kept or kept[-1][1] <= start:
                kept.append((start, -end))
        found, losses = fitted(corpus, EVERYTHING - {"overlaps"})
        assert kept == [(m.start, m.end) for m in found[0].mentions]
        assert len(mentions) - len(kept) == sum(loss.count for loss in losses)


def test_tokens_become_a_text_with_single_spaces(tmp_path: Path) -> None:
    corpus = Corpus.of("[Ann Lee]PER met [Bo]PER", "x")
    done = convert(corpus, tmp_path / "out", "inline")
    assert ("the texts are tokens with single spaces between them",) == done.remarks
    assert "<PER>Ann Lee</PER> met <PER>Bo</PER>" == (tmp_path / "out" / "1.inline").read_text()


def test_documents_are_numbered_where_ids_are_needed(tmp_path: Path) -> None:
    done = convert(Corpus.of("[Ann]PER met"), tmp_path / "a.tbf", lossy=True)
    assert ("documents have no ids and were numbered",) == done.remarks
    assert ("1",) == read(tmp_path / "a.tbf").documents.id


def test_one_document_in_one_file_loses_its_id(tmp_path: Path) -> None:
    corpus = Corpus.of(Document("d1", "Ann"))
    for out, name in (("a.ann", "brat"), ("a.inline", "inline")):
        with pytest.raises(UsageError) as caught:
            convert(corpus, tmp_path / out)
        expected = (
            f"{name} cannot hold ids of documents (1, the first in document 'd1'); "
            "--lossy leaves it out"
        )
        assert expected == str(caught.value)
    convert(corpus, tmp_path / "folder", "brat")
    assert ("d1",) == read(tmp_path / "folder").documents.id


def test_what_has_no_words_cannot_become_a_text(tmp_path: Path) -> None:
    corpus = Corpus.of(Document("d", unit="token", mentions=(Mention("A", 0, 1),)))
    with pytest.raises(UsageError) as caught:
        convert(corpus, tmp_path / "out", "brat")
    assert "brat needs a text, and document 'd' has no words" == str(caught.value)


def test_the_command_converts_and_tells(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    gold = tmp_path / "gold.conll"
    gold.write_text("Ann B-PER\nLee I-PER\n\nBo B-PER\n")
    out = tmp_path / "gold.bio"
    assert 0 == main(["convert", str(gold), str(out), "--write", "scheme=iobes"])
    assert "wrote 2 documents, 2 mentions as conll\n" == capsys.readouterr().err
    expected = "-DOCSTART- O\n\nAnn B-PER\nLee E-PER\n\n-DOCSTART- O\n\nBo S-PER\n\n"
    assert expected == out.read_text()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a <b>c</b>\n")))
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written))
    assert 0 == main(["convert", "-", "-", "--from", "inline", "--to", "conll"])
    assert b"-DOCSTART- O\n\na O\nc B-b\n\n" == written.getvalue()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (["a.xyz"], "no format ends in '.xyz'; say which with --to"),
        (["folder"], "no format ends in 'folder'; say which with --to"),
        (["a.conll", "--write", "x"], "found --write 'x', expected KEY=VALUE"),
        (["a.jsonl", "--read", "x=1"], "the format conll has no parameter 'x'; there are: "
         "documents, repair, scheme, tag, token"),
        (["a.jsonl", "--to", "jsonll"], "no format is called 'jsonll'; did you mean jsonl? "
         f"there are: {', '.join(FORMATS)}"),
    ],
)  # fmt: skip
def test_wrong_usage_is_said_in_words(
    call: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "in.conll"
    file.write_text("Ann B-PER\n")
    assert 2 == main(["convert", str(file), str(tmp_path / call[0]), *call[1:]])
    assert f"carob: {message}\n" == capsys.readouterr().err


def test_a_gz_file_is_unzipped_a_few_times_however_many_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import gzip

    from carob.corpus.source import Source

    with gzip.open(tmp_path / "a.conll.gz", "wb") as out:
        out.write(b"Ann B-PER\nslept O\n\n" * 500)
    opened: list[Source] = []
    usual = Source.open

    def counted(source: Source) -> BinaryIO:
        opened.append(source)
        return usual(source)

    monkeypatch.setattr(Source, "open", counted)
    assert 500 == convert(tmp_path / "a.conll.gz", tmp_path / "a.jsonl").documents
    assert len(opened) < 10
    assert ["Ann slept"] * 500 == [" ".join(d.tokens or ()) for d in read(tmp_path / "a.jsonl")]
