"""Generated announcements of seminars, with gold and the answers of three imaginary systems.

One speaker is `Mirela J. Oxenby, Ph.D.` in one line and `Dr. Oxenby` in another, one time is
`3:30 PM`, `15:30` and `half past three`. So answers per slot, per occurrence and per different
string are three numbers, and the truth is known. The idea is that of the example in Lavelli et al.
(2008), section 3.2. Words and sentences are in `seminars.toml`.
"""

from __future__ import annotations

import json
import random
from importlib import resources
from typing import Any

from carob.corpus.problems import UsageError
from carob.example.seminars.announcements import announcement, gold
from carob.example.seminars.systems import careful, eager, llm

__all__ = ["corpus", "files"]

_MOST = 100_000  # everything is in memory


def corpus(seed: int = 0, documents: int = 300) -> dict[str, list[dict[str, Any]]]:
    """Gold and the answers of three systems, a JSON object for each document.

    A longer corpus begins with the shorter one.

    >>> generated = corpus(0, 2)
    >>> list(generated), generated["gold"][0]["id"]
    (['gold', 'careful', 'eager', 'llm'], 'seminar-0001')
    """
    if not 1 <= documents <= _MOST:
        raise UsageError(f"cannot generate {documents} documents; expected 1 to {_MOST}")
    lines: dict[str, list[dict[str, Any]]] = {"gold": [], "careful": [], "eager": [], "llm": []}
    for number in range(1, documents + 1):
        rng = random.Random(f"seminar {number} of seed {seed}")
        page = announcement(rng, f"seminar-{number:04d}")
        lines["gold"].append(gold(page))
        for system in (careful, eager, llm):
            lines[system.__name__].append(system(rng, page))
    return lines


def files(seed: int = 0, documents: int = 300) -> dict[str, bytes]:
    """The corpus as files: a line for each document, and a page that explains them.

    >>> sorted(files(0, 1))
    ['README.md', 'careful.jsonl', 'eager.jsonl', 'gold.jsonl', 'llm.jsonl']
    """
    texts = {
        f"{name}.jsonl": "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        for name, lines in corpus(seed, documents).items()
    }
    readme = (
        resources.files("carob.example.seminars").joinpath("README.md").read_text(encoding="utf-8")
    )
    texts["README.md"] = readme.replace("DOCUMENTS", str(documents)).replace("SEED", str(seed))
    return {name: text.encode() for name, text in texts.items()}
