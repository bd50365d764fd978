"""From paths to corpora and back: which format a file has, and how it is read and written."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from carob import registry
from carob.corpus.corpus import Corpus, Origin
from carob.corpus.problems import CarobError, DataError, InputError, UsageError, nearest
from carob.corpus.source import Source, ending
from carob.plugin import hook

Readable = Corpus | str | os.PathLike[str]

LARGE = 1 << 26
"""Files of this many bytes together are read at the same time: from here on it saves time."""


def sniffed(source: Source) -> str:
    """The name of the format that a file, or the files of a folder, look like.

    A folder with .ann files is brat, and so is x.ann, and x.txt when x.ann is beside it.

    >>> sniffed(Source.of_bytes(b"Ann B-PER"))
    'conll'
    """
    if any(ending(name)[1] == ".ann" for name in source.files):
        return "brat"
    if source.is_folder:
        return _sniffed_folder(source)
    sure = _sureness(source)
    if not sure:
        raise source.failure("K002", "an empty file", "at least one document")
    best = max(sure, key=lambda name: sure[name])
    if sure[best] < 0.5:
        _refuse_words(source)
    if sure[best] > 0:
        return best
    every = ", ".join(registry.names("formats"))
    raise source.failure("K006", "a file that looks like no known format", f"one of {every}")


def _sureness(source: Source) -> dict[str, float]:
    """How much a file looks like each format, up to the first that is sure.

    Plugins come first, so that they win a tie, then the format that the file name ends in: if it
    is sure, the other formats need not be imported.
    """
    head = source.head()
    if not head.strip():
        return {}
    if b"\0" in head and head[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        raise source.failure("K003", "a binary file", "a text file in UTF-8")
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        from carob.formats.json_text import telling_head  # columns need no JSON

        head = telling_head(source, head)
    sure: dict[str, float] = {}
    for name in registry.plugins("formats"):
        sure[name] = registry.load("formats", name).sniff(head)
    named = ending(source.name)[1]
    for name in sorted(registry.builtin("formats"), key=lambda name: (f".{name}" != named, name)):
        sure[name] = registry.load("formats", name).sniff(head)
        if sure[name] >= 0.9:
            break
    return sure


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
        _refuse_words(file)
    return max(unsure, key=lambda name: unsure[name])


def _refuse_words(source: Source) -> None:
    """JSON with words around it is not taken for columns."""
    from carob.formats.json_text import words_around_json  # most files need it not

    if (problem := words_around_json(source.name, source.head())) is not None:
        raise InputError([problem])


def read(
    path: str | os.PathLike[str] | Source, format: str | None = None, **parameters: Any
) -> Corpus:
    """Read a corpus. The format is detected by default; `parameters` are those of the format (for
    conll: tag, token, scheme, repair, documents). The files of a folder are read as one corpus, in
    the order of their names.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "dev.conll"
    ...     _ = file.write_text("Ann B-PER\\nslept O\\n")
    ...     read(file)[0].mentions
    (Mention('PER', 0, 1),)
    """
    source = path if isinstance(path, Source) else Source(path)
    name = sniffed(source) if format is None else format
    reader = with_parameters(name, parameters)
    if source.is_folder and not hook(reader, "folders"):
        from carob.formats.folders import read_files  # only folders need it

        corpus, how, facts = read_files(reader, source)
    else:
        corpus = Corpus.joined(reader.read(source), source.share)
        how, facts = hook(reader, "signature_fields")(corpus.facts)
        if (library := hook(reader, "library")) is not None:
            corpus = replace(corpus, library=library(source, corpus.documents))
    origin = Origin(source.path, source.sha256, name, how)
    return replace(corpus, facts=facts, origin=origin)


def read_all(files: Sequence[tuple[Source, Mapping[str, Any]]]) -> list[Corpus]:
    """Several corpora, each from a source and with its arguments of `read`. Large files are read
    at the same time if their format does not hold the interpreter while it reads.

    >>> ann, bo = Source.of_bytes(b"Ann B-PER"), Source.of_bytes(b"Bo O")
    >>> [len(corpus.mentions) for corpus in read_all([(ann, {}), (bo, {"format": "conll"})])]
    [1, 0]
    """
    if not _threads_pay(files):
        return [read(source, **options) for source, options in files]
    from concurrent.futures import ThreadPoolExecutor  # slow to load

    with ThreadPoolExecutor(_processors()) as threads:
        return list(threads.map(lambda file: read(file[0], **file[1]), files))


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
    """
    name = options.get("format") or sniffed(source)
    known = {each.name for each in fields(registry.load("formats", name))}
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
    gold: Readable | Source,
    systems: Mapping[str, Readable | Source],
    gold_options: Mapping[str, Any] | None = None,
    system_options: Mapping[str, Any] | None = None,
    repair: str | None = None,
) -> tuple[Corpus, dict[str, Corpus]]:
    """Gold and systems by name, each a corpus as it is or read from a path.

    An option that a file's format does not have is left out for this file; one that no format of
    these files has is refused. `repair` is for the formats that repair tag sequences.

    >>> ann = Corpus.of("[Ann]PER slept")
    >>> corpora(ann, {"good": ann})[1]["good"] is ann
    True
    """
    ours, theirs = dict(gold_options or {}), dict(system_options or {})
    inputs = [(gold, ours), *((system, theirs) for system in systems.values())]
    sources: dict[str, Source] = {}
    files: list[tuple[Source, dict[str, Any]]] = []
    for each, options in inputs:
        if isinstance(each, (str, os.PathLike)):
            # Standard input can be read only once.
            each = sources.setdefault(os.fspath(each), Source(each))
        if isinstance(each, Source):
            files.append((each, suited(each, options | ({"repair": repair} if repair else {}))))
        elif not isinstance(each, Corpus):
            raise UsageError(f"a corpus or a path is needed, not {type(each).__name__}")
    refuse_unknown({**ours, **theirs}, [options for _, options in files])
    contents = iter(read_all(files))
    first, *others = (each if isinstance(each, Corpus) else next(contents) for each, _ in inputs)
    return first, dict(zip(systems, others, strict=True))


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
