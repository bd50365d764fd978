"""The files that are scored. They are kept in build/bench, and generated again only if needed."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

from _race import environment

HERE = Path(__file__).resolve().parent
DATA = HERE.parent / "build" / "bench"
GENERATOR = ("generate.py", "_invent.py")


def data(
    tokens: int,
    labels: int = 4,
    format: str = "conll",
    systems: int = 1,
    sentences: int = 15,
    seed: int = 0,
    spread: float = 0.0,
) -> list[Path]:
    """Gold and systems of this size; generated unless a stamp says that they already exist."""
    name = f"{format}-{tokens}-tokens-{labels}-labels-{sentences}-sentences-seed-{seed}"
    folder = DATA / (f"{name}-spread-{spread:g}" if spread else name)
    stamp = folder / "stamp.json"
    code = b"".join((HERE / name).read_bytes() for name in GENERATOR)
    digest = hashlib.sha256(code).hexdigest()
    last = json.loads(stamp.read_text(encoding="utf-8")) if stamp.exists() else {}
    if last.get("generator") != digest or last["systems"] < systems:
        print(f"generating {tokens:,} tokens, {format}", file=sys.stderr, flush=True)
        stamp.unlink(missing_ok=True)
        options = {"tokens": tokens, "labels": labels, "systems": systems, "seed": seed,
                   "spread": spread,
                   "sentences-per-document": sentences, "formats": format}  # fmt: skip
        # In another process, because NumPy in this one would raise the floor of peak memory.
        subprocess.run(
            [sys.executable, str(HERE / "generate.py"), str(folder),
             *(f"--{name}={value}" for name, value in options.items())],
            check=True, stdout=subprocess.DEVNULL, env=environment(),
        )  # fmt: skip
        stamp.write_text(json.dumps({"systems": systems, "generator": digest}), encoding="utf-8")
    names = ["gold", *(f"system-{number}" for number in range(1, systems + 1))]
    paths = [folder / f"{name}.{format}" for name in names]
    for path in paths:
        warm(path)
    return paths


def warm(path: Path) -> None:
    """Read a file once, so that the disk cache holds it for every contender."""
    with path.open("rb", buffering=0) as file:
        while file.read(1 << 20):
            pass
