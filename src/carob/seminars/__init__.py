"""Generated seminar announcements: records first, then texts that say them in varied words.

One speaker is `Mirela J. Oxenby, Ph.D.` in one line and `Dr. Oxenby` in another, one time is
`3:30 PM`, `15:30` and `half past three`. So answers per slot, per occurrence and per different
string are three numbers, and the truth is known. The idea is that of the example in Lavelli et al.
(2008), section 3.2. Words and sentences are in `seminars.toml`.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from carob.corpus.problems import UsageError
from carob.seminars._announcements import SLOTS, Page, Record, gold, record
from carob.seminars._systems import careful, eager, llm

__all__ = ["SLOTS", "Record", "corpus", "files", "records"]

_MOST = 100_000  # everything is in memory


def records(seed: int = 0, documents: int = 300) -> list[Record]:
    """What the documents say; a longer list begins with the shorter one.

    >>> records(3, 2) == records(3, 4)[:2]
    True
    """
    if not 1 <= documents <= _MOST:
        raise UsageError(f"cannot generate {documents} documents; expected 1 to {_MOST}")
    return [record(seed, number) for number in range(documents)]


def corpus(seed: int = 0, documents: int = 300) -> dict[str, list[dict[str, Any]]]:
    """Gold and the answers of three systems, a JSON object for each document.

    >>> generated = corpus(0, 2)
    >>> list(generated), generated["gold"][0]["id"]
    (['gold', 'careful', 'eager', 'llm'], 'seminar-0001')
    """
    pages = [Page(seed, each) for each in records(seed, documents)]
    return {
        "gold": [gold(page) for page in pages],
        "careful": [careful(seed, page) for page in pages],
        "eager": [eager(seed, page) for page in pages],
        "llm": [llm(seed, page.record) for page in pages],
    }


def files(seed: int = 0, documents: int = 300) -> dict[str, bytes]:
    """The corpus as files: a line for each document, and a page that explains them.

    >>> sorted(files(0, 1))
    ['README.md', 'careful.jsonl', 'eager.jsonl', 'gold.jsonl', 'llm.jsonl']
    """
    texts = {
        f"{name}.jsonl": "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        for name, lines in corpus(seed, documents).items()
    }
    readme = resources.files("carob.seminars").joinpath("README.md").read_text(encoding="utf-8")
    texts["README.md"] = readme.replace("DOCUMENTS", str(documents)).replace("SEED", str(seed))
    return {name: text.encode() for name, text in texts.items()}
