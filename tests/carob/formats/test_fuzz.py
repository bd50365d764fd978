"""Whatever bytes a reader is given, a corpus comes out or an error of carob's: nothing else.

A corpus that comes out is well formed, scores perfectly against itself, and is read again as it is
from what its writer writes. At least 10,000 inputs, the same ones in every run; forty times as
many in `make nightly`.
"""

from __future__ import annotations

import io
import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

import carob
from carob import Corpus, InputError, RecipeError, UsageError, read, registry
from carob.corpus.source import Source
from carob.recipe import Recipe
from carob.result import signature
from tests.carob.formats._files import speaks
from tests.carob.formats._mutations import Mutator, noise, valid, valid_pairs

pytestmark = pytest.mark.slow

INPUTS = {
    "conll": 18, "jsonl": 18, "spans": 18, "tbf": 18, "inline": 16, "brat": 12, "records": 15,
    "muc": 15, "spacy": 14, "labelstudio": 20,
}  # fmt: skip
OTHERS = 10
"""A reader gets two and a half times as many inputs for each example of the profile of hypothesis;
OTHERS is for one that is not in the list.
"""
SNIFFED = 30 * settings().max_examples

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "conll": [
        {}, {}, {"repair": "discard"}, {"repair": "strict"}, {"documents": "file"},
        {"scheme": "iob2"}, {"tag": 0}, {"token": -2}, {"scheme": "io"}, {"tag": 1, "token": 1},
        {"tag": (-2, -1)}, {"tag": (1, 2), "repair": "discard"},
    ],
    "inline": [{}, {"entities": "decode"}, {"labels": ("A", "B")}],
    "brat": [{}, {"missing": "empty"}],
    "records": [{}, {}, {"id": ""}, {"text": "", "label": "text"}, {"id": "who", "label": "kind"}],
    "muc": [{}, {"label": "INCIDENT: TYPE"}],
    "doccano": [{}, {}, {"offsets": "utf16"}, {"offsets": "char", "id": ""}],
    "huggingface": [{}, {"names": "O+B-A+I-A"}, {"repair": "discard"}, {"scheme": "io"}],
    "spacy": [{}, {}, {"offsets": "utf16"}, {"spans": "sc"}],
    "pipeline": [{}, {"offsets": "inclusive"}, {"offsets": "utf16"}],
    "labelstudio": [{}, {}, {"offsets": "char"}, {"offsets": "inclusive", "annotator": "3"}],
    "entities": [{}, {"id": ""}, {"offsets": "inclusive"}],
    "conllu": [{}, {"repair": "discard"}, {"key": "SpaceAfter", "scheme": "io"}],
    "docred": [{}, {}, {"id": ""}, {"id": "r", "roles": "h+t"}],
    "gliner": [{}, {}, {"ends": "exclusive"}, {"id": ""}],
    "langextract": [{}, {"offsets": "utf16"}, {"id": ""}],
    "pubtator": [{}, {"offsets": "bytes"}, {"offsets": "inclusive"}],
    "bioc": [{}, {}, {"offsets": "utf16"}, {"label": "identifier"}],
    "webanno": [{}, {}, {"offsets": "char"}, {"layer": "NamedEntity", "feature": "identifier"}],
    "cas": [{}, {"offsets": "bytes"}, {"layer": "Person"}],
    "csv": [{}, {}, {"offsets": "inclusive"}, {"text": "", "words": "label"}, {"unit": "token"}],
    "prodigy": [{}, {}, {"offsets": "bytes"}, {"offsets": "inclusive", "id": "text"}],
}  # fmt: skip

EXAMPLE = Path(carob.__file__).parent / "example" / "mentions"
SCORED = 40
"""One corpus of so many is scored against itself."""
REWRITTEN = 4
"""One corpus of so many is written and read again."""


def planned(format: str) -> int:
    return 5 * INPUTS.get(format, OTHERS) * settings().max_examples // 2


def single() -> list[str]:
    """The formats that read a single file of text; the binary ones have tests of their own."""
    every = set(registry.builtin("formats")) - binary()
    return [
        name
        for name in sorted(every)
        if not getattr(registry.load("formats", name), "folders", False)
    ]


def binary() -> set[str]:
    return {name for name, signs in registry.signs("formats").items() if signs == "binary"}


def writes(format: str) -> bool:
    return hasattr(registry.load("formats", format), "write")


def originals(format: str) -> list[bytes]:
    files = valid(format)
    if format == "conll":
        lines = (EXAMPLE / "gold.conll").read_bytes().split(b"\n")
        files += [b"\n".join(lines[at : at + 12]) for at in range(0, 120, 12)]
        files += [b"-DOCSTART- O\n\n" + files[-1], files[-2].replace(b"\n", b"\r\n")]
        files += [b"# newdoc id = d1\n# text = a b\na B-A|O\nb I-A|B-B\n\n# newdoc id = d2\nc O\n",
                  b"a\tB-A\tO\nb\tI-A\tB-B\nc\tO\tO\n", b"B-A\nI-A\n\nO\n"] * 2  # fmt: skip
    if format == "records":
        files += [b"[" + file.strip().replace(b"\n", b",\n ") + b"]\n" for file in files[:12]]
        files += [file.replace(b", ", b",\n").replace(b"{", b"{\n") for file in files[:12:2]]
    if format == "muc":
        files += [
            b"; made by hand\nMESSAGE: ID  d1\n\nspeaker: Ann Lee\nspeaker: ? Bo\nroom: 5 / 6\n",
            b"0.  MESSAGE: ID      d1 (NOSC)\n1.  MESSAGE: TEMPLATE  1 (OPTIONAL)\n"
            b"4.  INCIDENT: TYPE  ATTACK / BOMBING\n"
            b'20. HUM TGT: TYPE   CIVILIAN: "A" / "B"\n                ("A" / "B"): "C"\n'
            b'21. HUM TGT: NUMBER   -: "A"\n\n0.  MESSAGE: ID      d2\n1.  MESSAGE: TEMPLATE  *\n',
        ] * 3
    if format == "spacy":
        files += [
            b'{"text": "Ann ran", "ents": [{"start": 0, "end": 3, "label": "A"}],\n "tokens": [],'
            b' "spans": {"sc": [{"start": 4, "end": 7, "label": "B"}]}}\n'
        ] * 6
    assert len(files) >= 12 or not writes(format), f"{format} writes too little of what is tried"
    return files


def inputs(format: str) -> Iterator[bytes]:
    """A tenth is noise, the rest are damaged files."""
    rng = random.Random(f"inputs of {format}")
    mutated = Mutator(originals(format), rng)
    return (mutated() if number % 10 else noise(rng) for number in range(planned(format)))


def check(corpus: Corpus) -> None:
    """What every corpus keeps to, whoever made it."""
    table, documents, pieces = corpus.mentions, corpus.documents, corpus.mentions.pieces()
    size = len(table)
    assert size == len(table.start) == len(table.end) == len(table.label)
    assert corpus.labels == tuple(sorted(set(corpus.labels))) and "" not in corpus.labels
    assert len(documents.sentence_offsets) == len(documents) + 1
    if documents.id is not None:
        assert len(documents) == len(documents.id) == len(set(documents.id))
    if not size:
        return
    assert size + 1 == len(pieces.offsets) and (np.diff(pieces.offsets) > 0).all()
    assert 0 <= table.label.min() and table.label.max() < len(corpus.labels)
    assert 0 <= table.doc.min() and table.doc.max() < len(documents)
    assert (pieces.start >= 0).all() and (pieces.start < pieces.end).all()
    assert (table.start == pieces.start[pieces.offsets[:-1]]).all()
    assert (table.end == pieces.end[pieces.offsets[1:] - 1]).all()
    inner = np.ones(len(pieces.start), bool)
    inner[pieces.offsets[:-1]] = False
    assert (pieces.end[:-1] < pieces.start[1:])[inner[1:]].all(), "fragments touch or overlap"
    length = documents.length[table.doc]
    assert ((table.end <= length) | (length < 0)).all()
    bounds = pieces.offsets.tolist()
    spans = list(zip(pieces.start.tolist(), pieces.end.tolist(), strict=True))
    labels = [corpus.labels[code] for code in table.label.tolist()]
    rows = [(doc, spans[bounds[i] : bounds[i + 1]], labels[i])
            for i, doc in enumerate(table.doc.tolist())]  # fmt: skip
    assert rows == sorted(rows), "mentions are not in document order"
    if table.id is not None:
        assert size == len(table.id)


def perfect(corpus: Corpus) -> None:
    """A corpus has no errors against itself."""
    found = carob.score(corpus, corpus, "exact.F1", resamples=0).value
    assert (1.0 if len(corpus.mentions) else None) == found


def content(corpus: Corpus) -> list[Any]:
    return [(document.id, document.text, document.tokens, document.mentions, document.clusters,
             document.relations, document.templates) for document in corpus]  # fmt: skip


def rewritten(corpus: Corpus, format: str, options: dict[str, Any]) -> bool:
    """What a writer writes, its reader reads; what it cannot hold is refused, in words."""
    out = io.BytesIO()
    same = ("entities", "labels", "id", "text", "label")
    own = {key: value for key, value in options.items() if key in same}
    try:
        registry.load("formats", format)(**own).write(corpus, out)
    except UsageError:
        return False
    if all(document.tokens is None for document in corpus) and format == "conll":
        return False  # a file of tags alone; its writer must invent the words
    again = read(Source.of_bytes(out.getvalue(), "file"), format, **own)
    assert content(corpus) == content(again)
    return True


def tried(outcomes: Counter[str], reading: Callable[[], Corpus]) -> Corpus | None:
    """One input: a corpus, or nothing where carob refuses it."""
    try:
        corpus = reading()
    except InputError as error:
        speaks(error)
        outcomes["refused"] += 1
        return None
    check(corpus)
    outcomes["read"] += 1
    if outcomes["read"] % SCORED == 0:
        perfect(corpus)
    return corpus


@pytest.mark.parametrize("format", single())
def test_a_reader_gives_a_corpus_or_an_input_error(format: str) -> None:
    outcomes: Counter[str] = Counter()
    options = OPTIONS.get(format, [{}])
    for number, data in enumerate(inputs(format)):
        given = options[number % len(options)]
        source = Source.of_bytes(data, "file")
        corpus = tried(outcomes, lambda s=source, g=given: read(s, format, **g))  # type: ignore[misc]
        if corpus is not None and writes(format) and outcomes["read"] % REWRITTEN == 0:
            outcomes["rewritten"] += rewritten(corpus, format, given)
    assert planned(format) == outcomes["read"] + outcomes["refused"]
    assert min(outcomes["read"], outcomes["refused"]) > planned(format) // 20
    assert outcomes["rewritten"] > 20 or not writes(format)


def test_a_folder_of_damaged_files_gives_a_corpus_or_an_input_error(tmp_path: Path) -> None:
    rng = random.Random("folders")
    outcomes: Counter[str] = Counter()
    folders = valid_pairs()
    texts, annotations = (
        Mutator([data for files in folders for name, data in files.items() if name.endswith(end)],
                rng) for end in (".txt", ".ann")
    )  # fmt: skip
    for number in range(planned("brat")):
        files = dict(rng.choice(folders))
        name = rng.choice(sorted(files))
        files[name] = noise(rng) if number % 10 == 0 else (
            annotations() if name.endswith(".ann") else texts()
        )  # fmt: skip
        if rng.random() < 0.02:
            files[rng.choice(("d3.txt", "d1.ann.gz", "other", "e/d1.ann", "e/.txt"))] = b""
        options = OPTIONS["brat"][number % 2]
        source = Source.of_files(files, "folder")
        if number % 100 == 0:
            place = tmp_path / str(number)
            for inside, data in files.items():
                (place / inside).parent.mkdir(parents=True, exist_ok=True)
                (place / inside).write_bytes(data)
            source = Source(place)
        form = "brat" if number % 3 else None
        given = options if form else {}
        tried(outcomes, lambda s=source, f=form, g=given: read(s, f, **g))  # type: ignore[misc]
    assert planned("brat") == outcomes["read"] + outcomes["refused"]
    assert min(outcomes["read"], outcomes["refused"]) > planned("brat") // 20


def test_a_file_of_any_kind_is_recognised_or_refused() -> None:
    rng = random.Random("sniffed")
    every = [Mutator(originals(format), rng) for format in single()]
    outcomes: Counter[str] = Counter()
    formats: Counter[str] = Counter()
    for number in range(SNIFFED):
        data = noise(rng) if number % 10 == 0 else rng.choice(every)()
        corpus = tried(outcomes, lambda d=data: read(Source.of_bytes(d, "file")))  # type: ignore[misc]
        if corpus is not None and corpus.origin is not None:
            formats[corpus.origin.format] += 1
    assert SNIFFED == outcomes["read"] + outcomes["refused"]
    assert set(single()) == set(formats)


def test_there_are_ten_thousand_inputs() -> None:
    every = registry.builtin("formats")
    assert {*single(), *binary(), "brat"} == set(every)
    assert sum(planned(format) for format in every) + SNIFFED >= 10_000


def test_any_text_is_a_recipe_or_a_recipe_error() -> None:
    rng = random.Random("recipes")
    known = ["exact.F1", "ts(sep=1).F(beta=0.5)@macro", "overlap(match=one).PRF@label:PER",
             "slots.SER@macro-doc", "iou(t=0.5).F1", 'exact(attributes=a+"b c").P']  # fmt: skip
    mutated = Mutator([text.encode() for text in known], rng)
    found = 0
    for number in range(3000):
        text = (mutated() if number % 10 else noise(rng)).decode("utf-8", "surrogateescape")
        try:
            recipes = Recipe.expand(text)
        except RecipeError:
            continue
        found += 1
        for recipe in recipes:
            assert [recipe] == Recipe.expand(str(recipe))
    assert 100 < found < 2900


def test_any_text_is_a_signature_or_a_usage_error() -> None:
    rng = random.Random("signatures")
    line = carob.score(Corpus.of("[a]A b"), Corpus.of("a [b]B"), "exact.F1", resamples=0)
    known = [line.scores[0].signature, 'carob:0.1.0|labels:"a|b"|map:A=B+"c d"=E|seed:0']
    mutated = Mutator([text.encode() for text in [*known, '"a b"+c']], rng)
    found = 0
    for number in range(3000):
        text = (mutated() if number % 10 else noise(rng)).decode("utf-8", "surrogateescape")
        try:
            fields = signature.fields(text)
        except UsageError:
            continue
        found += 1
        assert fields == signature.fields(signature.compose(fields))
        try:
            words = signature.unwords(text)
        except UsageError:
            continue
        assert words == signature.unwords(signature.words(words))
    assert 100 < found < 2900
