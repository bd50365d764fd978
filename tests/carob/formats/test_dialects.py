"""The same corpus in the formats of many tools gives the same scores, to the last digit."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

import carob
from carob import Corpus, Document, Mention, convert, read
from tests.worlds import WORDS

RECIPES = ("exact.PRF", "exact.F1@macro", "exact.F1@macro-doc")
WRITTEN = (
    "jsonl",
    "doccano",
    "prodigy",
    "labelstudio",
    "spacy",
    "huggingface",
    "conll",
    "conllu",
    "inline",
    "brat",
    "csv",
    "gliner",
)


def corpus(seed: int) -> Corpus:
    """Texts with emoji, and mentions of whole words; all seeds have the same texts."""
    words, marks = random.Random("words"), random.Random(seed)
    documents = []
    for number in range(30):
        tokens = ["😀", *words.choices(WORDS, k=9)]
        text, mentions, at = " ".join(tokens), [], 0
        for token in tokens:
            if at and marks.random() < 0.4:
                mentions.append(Mention(marks.choice("ABC"), at, at + len(token)))
            at += len(token) + 1
        documents.append(Document(f"d{number:02}", text=text, mentions=tuple(mentions)))
    return Corpus.of(*documents)


def as_pipeline(documents: Corpus) -> str:
    entities = [
        [{"entity_group": m.label, "start": m.start, "end": m.end, "word": "?"} for m in d.mentions]
        for d in documents
    ]
    return "\n".join(json.dumps(each) for each in entities)


def as_langextract(documents: Corpus) -> str:
    return "\n".join(
        json.dumps({"document_id": d.id, "text": d.text, "extractions": [
            {"extraction_class": m.label, "extraction_text": (d.text or "")[m.start : m.end],
             "char_interval": {"start_pos": m.start, "end_pos": m.end}}
            for m in d.mentions
        ]})
        for d in documents
    )  # fmt: skip


def as_pubtator(documents: Corpus) -> str:
    """The first word is the title."""
    lines = []
    for d in documents:
        title, _, rest = (d.text or "").partition(" ")
        lines += [f"{d.id}|t|{title}", f"{d.id}|a|{rest}"]
        for m in d.mentions:
            words = (d.text or "")[m.start : m.end]
            lines.append("\t".join((str(d.id), str(m.start), str(m.end), words, m.label, "C1")))
        lines.append("")
    return "\n".join(lines)


def as_bioc(documents: Corpus) -> str:
    return "<collection><source/>" + "".join(
        f"<document><id>{d.id}</id><passage><offset>0</offset><text>{escape(d.text or '')}</text>"
        + "".join(
            f'<annotation id="{n}"><infon key="type">{m.label}</infon>'
            f'<location offset="{m.start}" length="{m.end - m.start}"/></annotation>'
            for n, m in enumerate(d.mentions)
        )
        + "</passage></document>"
        for d in documents
    ) + "</collection>"  # fmt: skip


def in_java(text: str, place: int) -> int:
    """A place in UTF-16 units."""
    return len(text[:place].encode("utf-16-le")) // 2


def as_webanno(document: Document) -> str:
    text, rows, at = document.text or "", [], 0
    for number, token in enumerate(text.split(" "), 1):
        label = next((m.label for m in document.mentions if m.start == at), "_")
        begin, end = in_java(text, at), in_java(text, at + len(token))
        rows.append(f"1-{number}\t{begin}-{end}\t{token}\t{label}\t")
        at += len(token) + 1
    head = "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.X|label\n\n\n"
    return f"{head}#Text={text}\n" + "\n".join(rows) + "\n"


def as_cas(document: Document) -> str:
    text = document.text or ""
    rows = [{"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaString": text}] + [
        {"%ID": n, "%TYPE": "custom.X", "@sofa": 1, "begin": in_java(text, m.start),
         "end": in_java(text, m.end), "label": m.label}
        for n, m in enumerate(document.mentions, 2)
    ]  # fmt: skip
    return json.dumps({"%FEATURE_STRUCTURES": rows})


def as_parquet(documents: Corpus) -> bytes:
    polars = pytest.importorskip("polars")
    rows = [
        {"document": d.id, "start": m.start, "end": m.end, "label": m.label}
        for d in documents
        for m in d.mentions or [Mention("", 0, 1)]
    ]
    for row in rows:
        if not row["label"]:
            row |= {"start": None, "end": None, "label": None}
    out = io.BytesIO()
    polars.DataFrame(rows, infer_schema_length=None).write_parquet(out)
    return out.getvalue()


def values(gold: object, system: object) -> list[float | None]:
    scores = carob.score(gold, system, list(RECIPES), resamples=0)  # type: ignore[arg-type]
    return [each.value for each in scores.scores]


@pytest.fixture(scope="module")
def sides() -> tuple[Corpus, Corpus]:
    return corpus(1), corpus(2)


def test_the_same_corpus_in_many_dialects_gives_the_same_scores(
    sides: tuple[Corpus, Corpus], tmp_path: Path
) -> None:
    expected = values(*sides)
    assert 5 == len(expected) and None not in expected and 0 < (expected[2] or 0) < 1
    files: dict[str, list[Path]] = {}
    for format in WRITTEN:
        files[format] = [tmp_path / f"{format}-{side}" for side in ("gold", "system")]
        for documents, path in zip(sides, files[format], strict=True):
            convert(documents, path, format, lossy=True, tokenizer="whitespace")
            assert len(documents.mentions) == len(read(path).mentions)
        assert expected == values(*files[format]), format
    whole: dict[str, Callable[[Corpus], str]] = {
        "pipeline": as_pipeline, "langextract": as_langextract, "pubtator": as_pubtator,
        "bioc": as_bioc,
    }  # fmt: skip
    for name, writer in whole.items():
        files[name] = [tmp_path / f"{name}-{side}" for side in ("gold", "system")]
        for documents, path in zip(sides, files[name], strict=True):
            path.write_text(writer(documents))
        assert expected == values(*files[name]), name
    single: dict[str, Callable[[Document], str]] = {"webanno": as_webanno, "cas": as_cas}
    for name, write in single.items():
        files[name] = [tmp_path / f"{name}-{side}" for side in ("gold", "system")]
        for documents, path in zip(sides, files[name], strict=True):
            path.mkdir()
            for document in documents:
                (path / f"{document.id}.tsv").write_text(write(document))
        assert expected == values(*files[name]), name
    # Each system is also compared with a gold of another tool.
    assert expected == values(files["doccano"][0], files["prodigy"][1])
    assert expected == values(files["spacy"][0], files["pipeline"][1])
    assert expected == values(files["bioc"][0], files["csv"][1])
    assert expected == values(files["webanno"][0], files["langextract"][1])
    assert expected == values(files["gliner"][0], files["cas"][1])
    assert expected == values(files["huggingface"][0], files["doccano"][1])


def test_tables_of_parquet_give_the_same_scores(
    sides: tuple[Corpus, Corpus], tmp_path: Path
) -> None:
    paths = [tmp_path / f"{side}.parquet" for side in ("gold", "system")]
    for documents, path in zip(sides, paths, strict=True):
        path.write_bytes(as_parquet(documents))
    assert values(*sides) == values(*paths)
