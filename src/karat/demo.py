"""The built-in example: thirty short documents, gold and three systems that err differently."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from karat.nouns.errors import UsageError


def written(folder: Path) -> list[Path]:
    """Write the example into a folder and say which files it is; nothing else is overwritten.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [file.name for file in written(Path(folder) / "demo")]
    ['README.md', 'careful.conll', 'gold.conll', 'hasty.conll', 'muddled.conll']
    """
    files = sorted(resources.files("karat").joinpath("example").iterdir(), key=lambda f: f.name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        contents = {folder / file.name: file.read_bytes() for file in files}
        for target, content in contents.items():
            if target.exists() and target.read_bytes() != content:
                raise UsageError(f"{target} exists and is not the example's; give another folder")
        for target, content in contents.items():
            target.write_bytes(content)
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror or error}") from None
    return list(contents)
