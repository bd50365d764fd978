"""Keys of documents that carob does not know: kept and written again, but nothing is scored."""

from __future__ import annotations

from collections.abc import Iterable

from carob.corpus.corpus import Corpus
from carob.corpus.problems import plain

OWN = frozenset({"token_spans", "brat", "tbf"})
"""What formats of carob put aside themselves."""
_NAMED = 5

HINT = "if they are slots, read the file as records"


def aside(corpus: Corpus) -> tuple[list[int], str]:
    """The documents with keys that carob does not know, and those keys for a message.

    >>> aside(Corpus.of({"mentions": [], "speaker": "Ann"}, {"mentions": [], "tbf": {}}))
    ([0], 'speaker')
    """
    rows: list[int] = []
    names: dict[str, None] = {}
    for row in sorted(corpus.extra):
        if strange := corpus.extra[row].keys() - OWN:
            rows.append(row)
            names.update(dict.fromkeys(sorted(strange)))
    told = ", ".join(map(plain, list(names)[:_NAMED]))
    more = len(names) - _NAMED
    return rows, f"{told} and {more:,} more" if more > 0 else told


def told_aside(corpora: Iterable[tuple[str, Corpus]]) -> tuple[str, ...]:
    """A remark for each corpus, by its name, that has such keys.

    >>> print(*told_aside([("gold", Corpus.of({"mentions": [], "who": "Ann"}))]))
    gold: 1 document with keys that jsonl does not know: who; if they are slots, read the file as \
records
    """
    found = []
    for name, corpus in corpora:
        rows, names = aside(corpus)
        if rows:
            many = "1 document" if len(rows) == 1 else f"{len(rows):,} documents"
            lead = f"{plain(name)}: " if name else ""
            found.append(f"{lead}{many} with keys that jsonl does not know: {names}; {HINT}")
    return tuple(found)
