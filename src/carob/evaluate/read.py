"""From paths to corpora and back: which format a file has, and how it is read and written."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from carob import progress, registry
from carob.corpus.corpus import Corpus, Origin
from carob.corpus.lists import holds_documents, is_list, of_lists
from carob.corpus.problems import (
    CarobError,
    DataError,
    InputError,
    UsageError,
    nearest,
    plain,
    raise_all,
    shown,
)
from carob.corpus.source import Source, ending
from carob.plugin import hook

Readable = Corpus | str | os.PathLike[str]
Scorable = Readable | Sequence[Any]
"""A corpus, the path of a file or folder, or a list of documents."""

_BOM = b"\xef\xbb\xbf"
_JSON = re.compile(rb'\{|\[\s*(?:[\[{"]|\]\s*(?:[\[,]|$))')
"""How JSON begins, and hardly anything else."""


def require_one_system(function: str, gold: Scorable, system: Any) -> None:
    """Refuse what can only be several systems, before it is taken for documents.

    >>> require_one_system("explain", [["O"]], [[["O"]], [["O"]]])
    Traceback (most recent call last):
    carob.corpus.problems.UsageError: explain takes one system, found a list of 2: give one of them
    """
    if all(isinstance(each, (list, tuple)) and not each for each in (gold, system)):
        raise UsageError("both lists are empty: give at least one document of gold and of a system")
    if isinstance(system, Mapping):
        raise UsageError(f"{function} takes one system, found a mapping: give one of its values")
    if not is_list(system) or not len(system) or holds_documents(system):
        return
    if all(is_list(each) or isinstance(each, (Corpus, str, os.PathLike)) for each in system):
        found = f"a list of {len(system)}"
        raise UsageError(f"{function} takes one system, found {found}: give one of them")


LARGE = 1 << 26
"""Files of this many bytes together are read at the same time: from here on it saves time."""


def sniffed(source: Source, raw: str = "") -> str:
    """The name of the format that a file, or the files of a folder, look like. With `raw`, that of
    the texts under this key, if there are any.

    A folder with .ann files is brat, and so is x.ann, and x.txt when x.ann is beside it.

    >>> sniffed(Source.of_bytes(b"Ann B-PER"))
    'conll'
    """
    if raw and (name := _format_of_answers(source, raw)) is not None:
        return name
    if any(ending(name)[1] == ".ann" for name in source.files):
        return "brat"
    if source.is_folder:
        return _sniffed_folder(source)
    sure = _sureness(source)
    if not sure:
        raise source.failure("K002", "an empty file", "at least one document")
    best = max(sure, key=lambda name: sure[name])
    if sure[best] < 0.5:
        _refuse_empty_lists(source)
        _refuse_words(source)
        if ending(source.name)[1] in (".csv", ".tsv") and _is_table(source.head(1 << 10)):
            return "csv"  # which says how to name its columns
    if sure[best] > 0:
        return best
    every = ", ".join(registry.names("formats"))
    raise source.failure("K006", "a file that looks like no known format", f"one of {every}")


def _format_of_answers(source: Source, raw: str) -> str | None:
    """The format of the answers under a key, by the first that tell; None if there are none."""
    import json  # only answers need it

    from carob.formats.json_text import answers_under

    for file in source.files.values() if source.is_folder else [source]:
        if file.head(1 << 10).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"{":
            continue
        head = "\n".join(map(json.dumps, answers_under(file, raw))).encode()
        if not head:
            continue
        from carob.formats import entities, triples

        for bare in (entities, triples):
            if bare.has_bare_lists(head):
                return bare.__name__.rpartition(".")[2]
        every = {name: registry.load("formats", name) for name in registry.names("formats")}
        readers = {name: each for name, each in every.items()
                   if "raw" in {field.name for field in fields(each)}}  # fmt: skip
        return max(readers, key=lambda name: readers[name].sniff(head))
    return None


def _sureness(source: Source) -> dict[str, float]:
    """How much a file looks like each format, up to the first that is sure.

    Plugins come first, so that they win a tie, then the format that the file name ends in: if it
    is sure, the other formats need not be imported.
    """
    head = source.head()
    if not head.strip():
        return {}
    if _is_binary(head):
        return _binary_sureness(source, head)
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        from carob.formats.json_text import telling_head  # columns need no JSON

        head = telling_head(source, head, _keys_of_formats())
    sure: dict[str, float] = {}
    for name in registry.plugins("formats"):
        sure[name] = registry.load("formats", name).sniff(head)
    if max(sure.values(), default=0.0) < 0.5:
        _refuse_foreign(source, head)
    for name in _candidates(source, head):
        sure[name] = registry.load("formats", name).sniff(head)
        if sure[name] >= 0.9:
            break
    if max(sure, key=lambda name: sure[name], default="") == "records":
        _refuse_like_records(source, head)
    return sure


def _keys_of_formats() -> frozenset[str]:
    """The keys of JSON objects by which formats are known."""
    words = " ".join(registry.signs("formats").values()).split(" ")
    return frozenset(word.strip('"') for word in words if word[:1] == '"')


def _is_table(head: bytes) -> bool:
    """Whether the first line has several columns, or says what separates them."""
    first = head.removeprefix(_BOM).partition(b"\n")[0]
    if first.strip(b'"\r')[:4].lower() == b"sep=":
        return True
    return max(first.count(sign) for sign in (b",", b";", b"\t")) > 1


def _candidates(source: Source, head: bytes) -> Iterator[str]:
    """The formats that a file may be in, by the words that each has as signs: first the one that
    the file name ends in, last those for any text. The others need not be imported.
    """
    named, signs = ending(source.name)[1], registry.signs("formats")
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    is_json = _JSON.match(start) is not None
    may_be_json = start[:1] in (b"{", b"[") or start[:3] in (b"```", b"~~~")

    def has(word: str) -> bool:
        # Keys are looked for in JSON only, and other words only elsewhere.
        if is_json and not set(word) & set('"{[') and word:
            return False
        if not may_be_json and word[:1] == '"':
            return False
        return word == "text" or word.encode() in head

    def may_be(name: str) -> bool:
        return any(map(has, signs.get(name, "").split(" ")))

    every = registry.builtin("formats")
    first = [name for name in every if f".{name}" == named and may_be(name)]
    yield from first  # if it is sure, the words of the others need not be looked for
    found = [name for name in every if name not in first and may_be(name)]
    any_text = {name for name in found if signs.get(name, "text") == "text"}
    yield from sorted(found, key=lambda name: (name in any_text, name))


def _is_binary(head: bytes) -> bool:
    """Whether a file begins as no text does: with a zero byte, or compressed by zlib."""
    compressed = head[:2] in (b"x\x01", b"x\x9c", b"x\xda")
    return compressed or (b"\0" in head and head[:2] not in (b"\xff\xfe", b"\xfe\xff"))


def _binary_sureness(source: Source, head: bytes) -> dict[str, float]:
    """How much a binary file looks like each format that is binary; an error if like none."""
    signs = registry.signs("formats")
    names = [*registry.plugins("formats"), *(name for name in signs if signs[name] == "binary")]
    sure = {name: registry.load("formats", name).sniff(head) for name in names}
    if max(sure.values(), default=0.0) > 0:
        return sure
    from carob.formats.foreign import binary  # few files need it

    found, advice = binary(head)
    raise source.failure("K003", found, "a text file in UTF-8", advice)


def _sniffed_folder(source: Source) -> str:
    """The one format of all files that look like any; the others are taken for the same."""
    formats: dict[str, Source] = {}
    unsure: dict[str, float] = {}
    for file in source.files.values():
        sure = _sureness(file)
        best = max(sure, key=lambda name: sure[name], default="")
        if best and sure[best] >= 0.5:
            formats.setdefault(best, file)
        elif best:
            unsure[best] = max(sure[best], unsure.get(best, 0.0))
    if len(formats) > 1:
        (one, first), (other, second) = list(formats.items())[:2]
        raise source.failure(
            "K007", f"{other} in {second.name}, {one} in {first.name}", "files of one format",
            "say which it is, or keep them apart",
        )  # fmt: skip
    if formats:
        return next(iter(formats))
    if not unsure:
        what = "empty files" if source.files else "an empty folder"
        raise source.failure("K002", what, "at least one document")
    for file in source.files.values():
        _refuse_empty_lists(file)
        _refuse_words(file)
    return max(unsure, key=lambda name: unsure[name])


def _refuse_foreign(source: Source, head: bytes) -> None:
    """A file of another tool that carob does not read is not taken for something else."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    first = start[:400].partition(b"\n")[0]
    if start[:1] not in (b"{", b"[", b"<") and not re.search(
        rb"#FORMAT|[,;\t]|= *\[|/O\b|\|\|t=", first
    ):
        return
    from carob.formats.foreign import foreign  # most files need it not

    if (known := foreign(start)) is not None:
        found, advice = known
        raise source.failure(
            "K239", f"what looks like {found}", "a format that carob reads", advice
        )


def _refuse_like_records(source: Source, head: bytes) -> None:
    """Objects that could be records, but are something else, are not taken for them."""
    from carob.formats.foreign import like_records  # plain objects alone need it

    if (known := like_records(head)) is not None:
        raise source.failure("K239", known[0], "a format that carob reads", known[1])


def _refuse_empty_lists(source: Source) -> None:
    """The output of a system that found nothing may be in several formats."""
    from carob.formats.json_text import has_only_empty_lists  # most files need it not

    if has_only_empty_lists(source.head()):
        raise source.failure(
            "K006", "lists without anything in them, as several formats have them",
            "a list with an entity in it, or the name of the format",
            "name the format, for example pipeline or gliner: --gold-format, --system-format or "
            "--from, in Python format=",
        )  # fmt: skip


def _refuse_words(source: Source) -> None:
    """JSON with words around it is not taken for columns."""
    from carob.formats.json_text import words_around_json  # most files need it not

    if (problem := words_around_json(source.name, source.head())) is not None:
        raise InputError([problem])


def read(
    path: str | os.PathLike[str] | Source, format: str | None = None, **parameters: Any
) -> Corpus:
    """Read a corpus. The format is detected by default; `parameters` are those of the format (for
    conll: tag, token, scheme, repair, documents), and `encoding` if it is not UTF-8. The files of a
    folder are read as one corpus, in the order of their names.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "dev.conll"
    ...     _ = file.write_text("Ann B-PER\\nslept O\\n")
    ...     read(file)[0].mentions
    (Mention('PER', 0, 1),)
    """
    source = path if isinstance(path, Source) else Source(path)
    if progress.observer is None:
        return _read(source, format, parameters)
    with progress.watched(f"reading {plain(source.name)}", source.total_size(), source.bytes_read):
        return _read(source, format, parameters)


def read_inputs(
    path: str | os.PathLike[str] | Source, format: str | None = None, **parameters: Any
) -> Corpus:
    """Documents to answer: the same as `read`, but a column of bare tokens will do.

    >>> read_inputs(Source.of_bytes(b"Ann\\nslept\\n"))[0].tokens
    ('Ann', 'slept')
    """
    source = path if isinstance(path, Source) else Source(path)
    try:
        return read(source, format, **parameters)
    except InputError as error:
        if {problem.code for problem in error.problems} != {"K107"}:
            raise
    return read(source, "conll", **parameters | {"tag": "none"})


def _read(source: Source, format: str | None, parameters: dict[str, Any]) -> Corpus:
    encoding = parameters.pop("encoding", "")
    source = source.in_encoding(encoding)
    name = sniffed(source, parameters.get("raw", "")) if format is None else format
    reader = with_parameters(name, parameters)
    if source.is_folder and not hook(reader, "folders"):
        from carob.formats.folders import read_files  # only folders need it

        corpus, how, facts = read_files(reader, source)
    else:
        corpus = Corpus.joined(reader.read(source), source.share)
        how, facts = hook(reader, "signature_fields")(corpus.facts)
        if (library := hook(reader, "library")) is not None:
            corpus = replace(corpus, library=library(source, corpus.documents))
    if parameters.get("id") and "id_key" in how and len(corpus) and corpus.documents.id is None:
        facts = {**facts, "unknown_id_key": len(corpus)}
    how = how | {"encoding": encoding} if encoding else how
    origin = Origin(source.path, source.sha256, name, how)
    return replace(corpus, facts=facts, origin=origin)


def is_empty(source: Source) -> bool:
    """Whether there is nothing but white space in a file, or in all files of a folder.

    >>> is_empty(Source.of_bytes(b"\\n")), is_empty(Source.of_bytes(b"Ann B-PER"))
    (True, False)
    """
    files = source.files.values() if source.is_folder or len(source.files) > 1 else [source]
    return all(not block.removeprefix(_BOM).strip() for file in files for block in _blocks(file))


def _blocks(file: Source) -> Iterator[bytes]:
    """A small block that tells most files, then all of them."""
    yield file.head(1 << 10)
    yield from file.blocks()


def read_system(source: Source, options: Mapping[str, Any]) -> Corpus:
    """An answer, by the arguments of `read`: an empty file is an answer without any document.

    >>> len(read_system(Source.of_bytes(b""), {"format": "conll"}))
    0
    """
    if "format" not in options or not is_empty(source):
        return read(source, **options)
    parameters = {key: options[key] for key in options if key not in ("format", "encoding")}
    reader = with_parameters(options["format"], parameters)
    how, _ = hook(reader, "signature_fields")({})
    origin = Origin(source.path, source.sha256, options["format"], how)
    return replace(Corpus.of(), origin=origin)


def read_all(files: Sequence[tuple[Source, Mapping[str, Any]]]) -> list[Corpus | InputError]:
    """Several corpora, or what is wrong with their files. Each file comes with its arguments of
    `read`; an empty one is an answer without any document. Large files are read at the same time
    if their format does not hold the interpreter while it reads.

    >>> files = [Source.of_bytes(b"Ann B-PER"), Source.of_bytes(b"Bo O\\nAnn")]
    >>> [type(each).__name__ for each in read_all([(file, {}) for file in files])]
    ['Corpus', 'InputError']
    """

    def read_one(file: tuple[Source, Mapping[str, Any]]) -> Corpus | InputError:
        try:
            return read_system(*file)
        except InputError as error:
            return error

    if not _threads_pay(files):
        return [read_one(file) for file in files]
    from concurrent.futures import ThreadPoolExecutor  # slow to load

    # This thread reads the first file, so that what comes next can use the memory that it frees.
    with ThreadPoolExecutor(min(_processors(), len(files) - 1)) as threads:
        others = threads.map(read_one, files[1:])
        return [read_one(files[0]), *others]


def _threads_pay(files: Sequence[tuple[Source, Mapping[str, Any]]]) -> bool:
    sources = {id(source) for source, _ in files}
    if len(sources) < 2 or len(sources) < len(files) or _processors() < 2:
        return False
    if sum(source.size for source, _ in files) < LARGE:
        return False
    try:
        formats = {options.get("format") or sniffed(source) for source, options in files}
        return all(hook(registry.load("formats", name), "compiled") for name in formats)
    except CarobError:  # reading will raise it again, in the order of the files
        return False


def _processors() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def suited(source: Source, options: Mapping[str, Any]) -> dict[str, Any]:
    """The format of a file, and those options that it takes.

    >>> suited(Source.of_bytes(b"{}"), {"scheme": "iob2"})
    {'format': 'jsonl'}
    >>> suited(Source.of_bytes(b'{"room": "5"}'), {"repair": "discard"})
    {'format': 'records'}
    """
    source = source.in_encoding(options.get("encoding", ""))
    name = options.get("format") or sniffed(source, options.get("raw", ""))
    known = {each.name for each in fields(registry.load("formats", name))} | {"encoding"}
    # A policy for tags says nothing about JSON, and repair=json nothing about tags.
    if (options.get("repair") == "json") == ("scheme" in known):
        known.discard("repair")
    return {"format": name} | {key: options[key] for key in options if key in known}


def write(
    corpus: Corpus, path: str | os.PathLike[str], format: str | None = None, **parameters: Any
) -> None:
    """Write a corpus, by default in the format that the file name ends in; - is standard output.

    A format that has a file for each document writes them to a folder.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "dev.conll"
    ...     write(Corpus.of("[Ann]PER slept"), file)
    ...     file.read_text()
    '-DOCSTART- O\\n\\nAnn B-PER\\nslept O\\n\\n'
    """
    from pathlib import Path  # slow to load, and reading does without

    name = format or format_of_name(path, "format=")
    writer = writer_of(name, parameters)
    out = io.BytesIO()  # nothing is overwritten by a corpus that cannot be written
    several = hook(writer, "folders") or len(corpus) != 1 or Path(path).is_dir()
    try:
        if os.fspath(path) == "-":
            writer.write(corpus, out)
            _to_standard_output(out.getvalue())
        elif several and hasattr(writer, "write_folder"):
            writer.write_folder(corpus, Path(path))
        else:
            writer.write(corpus, out)
            Path(path).write_bytes(out.getvalue())
    except OSError as error:
        if os.fspath(path) == "-":
            raise
        raise UsageError(f"cannot write {os.fspath(path)}: {error.strerror or error}") from None
    except UsageError as error:  # the parameters are right: it is the corpus that does not fit
        raise error if isinstance(error, DataError) else DataError(str(error)) from None


def _to_standard_output(data: bytes) -> None:
    """Write bytes, also where standard output takes text only, as in a notebook."""
    if sys.stdout is None:
        raise UsageError("cannot write: standard output is closed")
    if hasattr(sys.stdout, "buffer"):
        sys.stdout.buffer.write(data)
    else:
        sys.stdout.write(data.decode("utf-8", "surrogateescape"))


def with_parameters(name: str, parameters: Mapping[str, Any]) -> Any:
    """A format with its parameters. One that it does not have is refused."""
    cls = registry.load("formats", name)
    known = [each.name for each in fields(cls)]
    _require_known(parameters, known, f"the format {name} has no parameter")
    return cls(**parameters)


def writer_of(name: str, parameters: Mapping[str, Any]) -> Any:
    """A format that writes, with its parameters. One that makes no difference is refused."""
    writer = with_parameters(name, parameters)
    if not hasattr(writer, "write"):
        raise UsageError(f"the format {name} can only be read")
    used = hook(writer, "write_parameters")
    if used is not None:
        _require_known(parameters, used, f"{name} is written without the parameter")
    return writer


def _require_known(parameters: Mapping[str, Any], known: Sequence[str], problem: str) -> None:
    for key in parameters:
        if key not in known:
            names = nearest(key, known) if known else "; it has none"
            raise UsageError(f"{problem} {key!r}{names}")


def format_of_name(path: str | os.PathLike[str], option: str) -> str:
    """The format that a file name ends in. If there is none, the message names the option."""
    base, tail = os.path.splitext(path)  # noqa: PTH122
    for name in registry.names("formats"):
        if tail.lower() in registry.load("formats", name).extensions:
            return name
    end = tail or os.path.basename(base)  # noqa: PTH119
    raise UsageError(f"no format ends in {end!r}; say which with {option}")


def corpora(
    gold: Scorable | Source,
    systems: Mapping[str, Scorable | Source],
    gold_options: Mapping[str, Any] | None = None,
    system_options: Mapping[str, Any] | None = None,
    repair: str | None = None,
    invalid: dict[str, InputError] | None = None,
) -> tuple[Corpus, dict[str, Corpus]]:
    """Gold and systems by name, each a corpus as it is, read from a path or made from lists.

    An option that a file's format does not have is left out for this file; one that no format of
    these files has is refused. An empty system file is in the format of gold, unless an option
    names one. `repair` is for the formats that repair tag sequences. What is wrong with systems
    goes to `invalid`, by their names; without it, everything that is wrong with any file is
    raised.

    >>> ann = Corpus.of("[Ann]PER slept")
    >>> corpora(ann, {"good": ann})[1]["good"] is ann
    True
    """
    ours, theirs = dict(gold_options or {}), dict(system_options or {})
    repairing = {"repair": repair} if repair else {}
    sources: dict[str, Source] = {}
    results: dict[str | None, Corpus | InputError] = {}
    files: dict[str | None, tuple[Source, dict[str, Any]]] = {}
    inputs: list[tuple[str | None, Scorable | Source]] = [(None, gold), *systems.items()]
    for name, each in inputs:
        options = ours if name is None else theirs
        try:
            if isinstance(each, (str, os.PathLike)):
                # Standard input can be read only once.
                path = os.fspath(each)
                if path not in sources:
                    sources[path] = Source(each)
                each = sources[path]
            if isinstance(each, Corpus):
                results[name] = each
                continue
            if not isinstance(each, Source):
                results[name] = _listed(each, name, options | repairing)
                continue
            if is_empty(each):
                if name is None:
                    raise each.failure("K002", "an empty file", "at least one document")
                options = {"format": _format_of_gold(files, results)} | options
            given = options | repairing
            each = each.in_encoding(options.get("encoding", ""))
            if name is not None:
                given = _answers_of_models(each, given, files)
            fitting = suited(each, given)
            if fitting["format"] == "records" and "repair" not in options:
                fitting.pop("repair", None)  # a policy for tags, which records do not have
            files[name] = each, fitting
        except InputError as error:
            results[name] = error
    if (ours or theirs) and not any(isinstance(each, InputError) for each in results.values()):
        decoded = [
            each.origin.parameters
            for each in results.values()
            if isinstance(each, Corpus) and each.origin and not each.origin.path
        ]
        rest = {key: value for key, value in {**ours, **theirs}.items()
                if not any(key in parameters for parameters in decoded)}  # fmt: skip
        refuse_unknown(rest, [options for _, options in files.values()])
    if files:
        results |= zip(files, read_all(list(files.values())), strict=True)
    ordered = {name: results[name] for name, _ in inputs}
    errors = {name: each for name, each in ordered.items() if isinstance(each, InputError)}
    if errors and (
        None not in errors or len(errors) == 1
    ):  # the other side is read as it should be
        side = "gold" if None in errors else "system"
        errors = {name: advised_for(side, each) for name, each in errors.items()}
    if invalid is None or None in errors:
        raise_all(errors.values())
    else:
        invalid.update({name: error for name, error in errors.items() if name is not None})
    reference = results[None]
    assert isinstance(reference, Corpus)
    answers = {
        name: each
        for name, each in ordered.items()
        if name is not None and isinstance(each, Corpus)
    }
    return reference, answers


def advised_for(side: str, error: InputError) -> InputError:
    """An error whose advice on columns of tags is for one side alone: as an option for both, it
    would spoil the other one.

    >>> from carob.corpus.problems import Problem
    >>> error = InputError([Problem("K110", "a", 1, "NNP", "tags", "--columns 1 reads them")])
    >>> print(advised_for("system", error))
    a:1: K110 found NNP, expected tags; --read system.columns=1 reads them
    """
    if error.problems[0].code != "K110":
        return error
    own = []
    for each in error.problems:
        hint = each.hint.replace("--columns ", f"--read {side}.columns=")
        own.append(replace(each, hint=hint.replace("--scheme ", f"--read {side}.scheme=")))
    return InputError(own, error.total)


def _answers_of_models(
    source: Source,
    options: dict[str, Any],
    files: Mapping[str | None, tuple[Source, Mapping[str, Any]]],
) -> dict[str, Any]:
    """How a system is read that may answer in plain JSON: what is no object is an empty answer.

    A file that begins with another answer is still one of records if gold is. But words around one
    JSON text on several lines are no answers: the file is refused, with what to do.
    """
    name = options.get("format")
    if name is None:
        try:
            name = sniffed(source, options.get("raw", ""))
        except InputError:
            if None not in files or files[None][1]["format"] != "records":
                raise
            options, name = {**options, "format": "records"}, "records"
    if name != "records":
        return options
    of_gold = None not in files or files[None][1]["format"] != "records"
    if "format" not in options and of_gold and not source.is_folder:
        from carob.formats.entities import has_bare_lists  # only answers need it

        if has_bare_lists(source.head()):
            return {**options, "format": "entities"}
    if "format" not in options and not options.get("raw"):
        refuse_answers_in_texts(source)
    plain_lines = not options.get("raw") and options.get("repair") != "json"
    if plain_lines and not source.is_folder:
        from carob.formats.records import may_be_one_a_line  # only answers need it

        if not may_be_one_a_line(source):
            _refuse_words(source)
    return {"unparsed": "empty", **options}


def refuse_answers_in_texts(source: Source) -> None:
    """Records whose answers are JSON in a text are not scored as that text."""
    from carob.formats.json_text import keys_of_answers  # only answers need it

    keys, damaged = ([], False) if source.is_folder else keys_of_answers(source)
    if keys:
        key = plain(keys[0]) if len(keys) == 1 else "KEY"
        repair = " --read system.repair=json" if damaged else ""
        raise source.failure(
            "K211", f"texts under {' and '.join(map(shown, keys))} that are JSON",
            "answers that are objects",
            f"--read system.raw={key}{repair} reads the answers in them; "
            "--system-format records takes them for texts",
        )  # fmt: skip


def _listed(documents: Any, name: str | None, options: Mapping[str, Any]) -> Corpus:
    """The corpus of documents in memory. An error names the side."""
    if not is_list(documents):
        raise UsageError(
            f"a corpus or a path is needed, not {type(documents).__name__}; "
            "a list of documents will do as well"
        )
    known = {key: options[key] for key in ("scheme", "repair") if key in options}
    try:
        return of_lists(documents, **known, gold=name is None)
    except UsageError as error:
        raise UsageError(f"{plain(name or 'gold')}: {error}") from None


def _format_of_gold(
    files: Mapping[str | None, tuple[Source, Mapping[str, Any]]],
    results: Mapping[str | None, Corpus | InputError],
) -> str:
    """The format of gold, for an answer that is empty; any, if gold has none."""
    if None in files:
        return str(files[None][1]["format"])
    gold = results[None]
    origin = gold.origin if isinstance(gold, Corpus) else None
    return origin.format if origin and origin.path else "jsonl"


def refuse_unknown(options: Mapping[str, Any], used: Sequence[Mapping[str, Any]]) -> None:
    """An option that no file has a use for is a mistake."""
    formats = sorted({str(each["format"]) for each in used})
    for key in options:
        if not formats:
            raise UsageError(f"corpora are not read: the option {key!r} has no use")
        if not any(key in each for each in used):
            loaded = [registry.load("formats", name) for name in formats]
            names = {each.name for format in loaded for each in fields(format)}
            known = nearest(key, sorted(names)) if names else "; it has none"
            raise UsageError(f"the format {' or '.join(formats)} has no parameter {key!r}{known}")
