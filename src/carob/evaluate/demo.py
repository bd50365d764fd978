"""The built-in examples: gold and three systems that make different errors."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from carob.corpus.problems import UsageError, nearest
from carob.corpus.source import Source
from carob.evaluate.read import read

KINDS = ("mentions", "seminars", "invoices")
"""`mentions`: thirty short documents with named entities. `seminars`: announcements with slots.
`invoices`: records with numbers, dates and amounts, and their schema.
"""


def write(
    folder: Path, kind: str = "mentions", *, documents: int | None = None, seed: int | None = None
) -> list[Path]:
    """Write an example into a folder and return its files; no other file is overwritten.

    `documents` (default 300) and `seed` (default 0) are for `seminars` and `invoices`, which are
    generated.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [file.name for file in write(Path(folder) / "demo")]
    ['README.md', 'careful.conll', 'gold.conll', 'hasty.conll', 'muddled.conll']
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [file.name for file in write(Path(folder) / "demo", "seminars", documents=2)]
    ['README.md', 'careful.jsonl', 'eager.jsonl', 'gold.jsonl', 'llm.jsonl']
    """
    contents = {
        folder / name: content for name, content in _contents(kind, documents, seed).items()
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for target, content in contents.items():
            if target.exists() and target.read_bytes() != content:
                raise UsageError(f"{target} exists with other content; give another folder")
        for target, content in contents.items():
            target.write_bytes(content)
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror or error}") from None
    return list(contents)


def _contents(kind: str, documents: int | None, seed: int | None) -> dict[str, bytes]:
    """The files of an example, by name and in order."""
    if kind == "seminars":
        from carob.example import seminars

        number = 300 if documents is None else documents
        return dict(sorted(seminars.files(seed or 0, number).items()))
    if kind == "invoices":
        from carob.evaluate.draft import draft
        from carob.example import invoices

        made = invoices.files(seed or 0, 300 if documents is None else documents)
        gold = read(Source.of_bytes(made["gold.jsonl"], "gold.jsonl"))
        made["task.toml"] = draft(gold, schema=invoices.SCHEMA).encode()
        return dict(sorted(made.items()))
    if kind != "mentions":
        raise UsageError(f"no example is called {kind!r}{nearest(kind, KINDS)}")
    if documents is not None or seed is not None:
        raise UsageError(
            "the number of documents and the seed can be chosen for seminars and invoices only"
        )
    files = sorted(
        resources.files("carob").joinpath("example/mentions").iterdir(), key=lambda f: f.name
    )
    return {file.name: file.read_bytes() for file in files}
