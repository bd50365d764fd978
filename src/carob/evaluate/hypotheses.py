"""Hypotheses about a file that does not fit gold: what could be wrong with it as a whole.

Thousands of wrong tokens often have one cause. Each hypothesis undoes such a cause and is tried on
the data: it explains the file if it then has the words of gold, all of them, in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate, chain, pairwise
from typing import Any

from carob.corpus.corpus import Corpus
from carob.corpus.problems import CarobError, InputError, Problem, UsageError, many, plain
from carob.corpus.source import Source
from carob.evaluate.read import read
from carob.pair.pair import Pair

CODE = "K331"
_ENCODINGS = ("cp1252", "latin-1")
_ENOUGH = 200
"""This many lines show which column has the tokens."""
_OF_MODELS = ("[CLS]", "[SEP]", "<s>", "</s>")
_MARK = b"-DOCSTART-"


def explanation(
    gold: Corpus, source: Source, options: Mapping[str, Any], system: Corpus | None
) -> Problem | None:
    """The one thing that explains why a file does not fit gold; None if no hypothesis does.
    `options` are those of `read`, `system` is the file as it was read, None if it could not be.

    >>> gold = read(Source.of_bytes("é O\\nBo B-PER\\n".encode(), "gold.conll"))
    >>> file = Source.of_bytes("é O\\nBo B-PER\\n".encode("latin-1"), "a.conll")
    >>> print(explanation(gold, file, {}, None))
    a.conll: K331 found text in cp1252, expected UTF-8; read so, it has the words of gold: \
--read system.encoding=cp1252
    """
    if source.is_folder:
        return None
    if system is None and gold.origin is not None:  # it may not even look like its format
        system = _read_as(source, {"format": gold.origin.format, **options})
    if system is not None and not all(map(_has_words, (gold, system))):
        return None
    with suppress(CarobError):
        for hypothesis in _HYPOTHESES:
            if (words := hypothesis(gold, source, options, system)) is not None:
                return Problem(CODE, source.name, None, *words)
    return None


_Explanation = tuple[str, str, str] | None
"""What is found, what is expected, and what to do."""


def _words(corpus: Corpus) -> list[Sequence[str]]:
    """The tokens of each document, otherwise the characters."""
    every = (corpus.words(row) for row in range(len(corpus)))
    return [text if corpus.unit == "char" else tokens for text, tokens in every]  # type: ignore[misc]


def _has_words(corpus: Corpus) -> bool:
    return corpus.library is not None and bool((corpus.documents.length >= 0).all())


def _flat(documents: Sequence[Sequence[str]]) -> list[str]:
    return list(chain.from_iterable(each or () for each in documents))


def _read_as(source: Source, options: Mapping[str, Any]) -> Corpus | None:
    with suppress(InputError, UsageError):
        return read(source, **options)
    return None


def _fits(gold: Corpus, system: Corpus | None) -> bool:
    """Whether documents, sentences and all words are those of gold."""
    with suppress(CarobError):
        return system is not None and bool(Pair.of(gold, system, words="error"))
    return False


def _in_another_encoding(
    gold: Corpus, source: Source, options: Mapping[str, Any], system: Corpus | None
) -> _Explanation:
    with suppress(UnicodeDecodeError):
        source.content().decode("utf-8")
        return None
    for encoding in _ENCODINGS:
        if _fits(gold, _read_as(source, {**options, "encoding": encoding})):
            hint = f"read so, it has the words of gold: --read system.encoding={encoding}"
            return f"text in {encoding}", "UTF-8", hint
    return None


def _in_other_columns(
    gold: Corpus, source: Source, options: Mapping[str, Any], system: Corpus | None
) -> _Explanation:
    if gold.unit != "token" or {"tag", "token"} & {*options}:
        return None
    lines = (line.split() for line in source.head().decode("utf-8", "replace").split("\n")[:-1])
    rows = [row for row in lines if row and _MARK.decode() not in row][:_ENOUGH]
    width = min(map(len, rows), default=0)
    words = _flat([gold.words(row)[1] or () for row in range(min(len(gold), _ENOUGH))])
    for token in range(1, width):
        if [row[token] for row in rows] != words[: len(rows)]:
            continue
        for tag in (each for each in range(width) if each != token):
            columns = {"format": "conll", "tag": tag, "token": token}
            found = f"the tokens of gold in column {token + 1} and tags in column {tag + 1}"
            expected = "tokens in the first column and tags in the last"
            made = _read_as(source, {**options, **columns})
            if made is not None and len(made.mentions) and _fits(gold, made):
                return found, expected, f"--read system.columns={tag},token={token}"
            fields = (line.split() for line in source.content().split(b"\n"))
            moved = (b" ".join([row[token], row[tag]]) if len(row) >= width else b"".join(row)
                     for row in fields)  # fmt: skip
            made = _read_as(Source.of_bytes(b"\n".join(moved), source.name), options)
            if made is not None and len(made.mentions) and _fits(gold, made):
                awk = f"""awk '{{print NF ? ${token + 1} " " ${tag + 1} : ""}}'"""
                return found, expected, f"{awk} {plain(source.name)} puts them there"
    return None


def _in_word_pieces(
    gold: Corpus, source: Source, options: Mapping[str, Any], system: Corpus | None
) -> _Explanation:
    if system is None or gold.unit != "token" or system.unit != "token":
        return None
    words: list[str] = []
    tokens = _flat(_words(system))
    pieces = 0
    for token in tokens:
        if token.startswith("##") and words:
            words[-1] += token[2:]
            pieces += 1
        elif token not in _OF_MODELS:
            words.append(token)
    wanted = _flat(_words(gold))
    if not pieces or [each.lower() for each in words] != [each.lower() for each in wanted]:
        return None
    return (
        f"word pieces: {many(len(tokens), 'token')}, {pieces:,} of which begin with ##",
        f"the {len(wanted):,} words of gold, which the pieces make",
        "write one line for each word, with the tag of its first piece",
    )


def _without_documents(
    gold: Corpus, source: Source, options: Mapping[str, Any], system: Corpus | None
) -> _Explanation:
    """Sentences, or documents, of one side that are some of the other's, in their order."""
    if system is None or gold.unit != system.unit:
        return None
    ours, theirs = (list(_blocks(each)) for each in (gold, system))
    if len(ours) == len(theirs):
        return None
    few, most, side = (theirs, ours, gold) if len(theirs) < len(ours) else (ours, theirs, system)
    at, left = 0, []
    for place, words in most:
        if at < len(few) and few[at][1] == words:
            at += 1
        else:
            left.append(place)
    if at < len(few) or len(left) > len(few):
        return None
    kind = "document" if len(ours) == len(gold) else "sentence"
    lines = ", ".join(f"{side.line(*place):,}" for place in left[:5])
    lines += " ..." if len(left) > 5 else ""
    if side is gold:
        return (
            f"no answer for {many(len(left), kind)}; all others are there, in order",
            f"all {len(ours):,} {kind}s of gold",
            f"add their words with O: those at line {lines} of {plain(_name(gold))}",
        )
    return (
        f"{many(len(left), kind)} that gold lacks; all others are there, in order",
        f"the {len(ours):,} {kind}s of gold",
        f"leave out those at line {lines}",
    )


def _blocks(corpus: Corpus) -> Iterator[tuple[tuple[int, int], Sequence[str]]]:
    """The sentences of a corpus, or its documents: where each is, and its words."""
    for row, words in enumerate(_words(corpus)):
        starts = corpus.documents.sentences(row) or (0,)
        for start, end in pairwise((*starts, len(words))):
            yield (row, start), words[start:end]


def _with_document_marks(
    gold: Corpus, source: Source, options: Mapping[str, Any], system: Corpus | None
) -> _Explanation:
    if system is None or gold.origin is None or _flat(_words(gold)) != _flat(_words(system)):
        return None
    ours = Source(gold.origin.path)
    marks = [_marks(file) for file in (ours, source)]
    if bool(marks[0]) == bool(marks[1]):
        return None
    more, name = (source, source.name) if marks[1] else (ours, ours.name)
    lines = [line for line in more.content().split(b"\n") if not line.startswith(_MARK)]
    bare = _read_as(Source.of_bytes(b"\n".join(lines), name), options)
    other = (gold, bare) if marks[1] else (bare, system)
    here, there = ("that gold lacks", "none") if marks[1] else ("", "as many as gold has")
    hint = "the words are the same"
    if other[0] is not None and _fits(other[0], other[1]):
        hint += f" and so are the sentences without these lines: grep -v '^-DOCSTART-' {name}"
    found = f"{many(marks[1], '-DOCSTART- line')} {here}" if marks[1] else "no -DOCSTART- lines"
    return found, there if marks[1] else f"{marks[0]:,}, as in {plain(_name(gold))}", hint


def _marks(source: Source) -> int:
    return sum(line.startswith(_MARK) for line in source.content().split(b"\n"))


def _without_blank_lines(
    gold: Corpus, source: Source, options: Mapping[str, Any], system: Corpus | None
) -> _Explanation:
    if system is None or gold.unit != "token" or system.unit != "token":
        return None
    sides = [_words(gold), _words(system)]
    if _flat(sides[0]) != _flat(sides[1]):
        return None
    ours, theirs = (list(_starts(*each)) for each in zip((gold, system), sides, strict=True))
    missing, more = sorted({*ours} - {*theirs}), sorted({*theirs} - {*ours})
    if bool(missing) == bool(more):
        return None
    found = f"{len(missing):,} of {len(ours) - 1:,} blank lines of gold lost"
    if more:
        found = f"{many(len(more), 'blank line')} that gold lacks"
    first = (missing + more)[0]
    row = next(row for row, end in enumerate(accumulate(map(len, sides[1]))) if first < end)
    line = system.line(row, first - sum(map(len, sides[1][:row])))
    verb = "put one before" if missing else "take away the one before"
    return (
        found, f"a blank line after each sentence, as in {plain(_name(gold))}",
        f"the words are the same; {verb} line {line:,} first",
    )  # fmt: skip


def _starts(corpus: Corpus, documents: Sequence[Sequence[str]]) -> Iterator[int]:
    """Where sentences and documents start, counted in tokens of the whole corpus."""
    first = 0
    for row, tokens in enumerate(documents):
        yield from (first + start for start in corpus.documents.sentences(row) or (0,))
        first += len(tokens)


def _name(corpus: Corpus) -> str:
    return corpus.origin.path if corpus.origin else "gold"


_HYPOTHESES: tuple[
    Callable[[Corpus, Source, Mapping[str, Any], Corpus | None], _Explanation], ...
] = (
    _in_another_encoding, _in_other_columns, _in_word_pieces, _without_documents,
    _with_document_marks, _without_blank_lines,
)  # fmt: skip
