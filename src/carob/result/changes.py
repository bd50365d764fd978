"""Changes: how two versions of a corpus differ, document by document and mention by mention."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from carob.corpus.problems import many, plain, shown
from carob.result.result import Part, Result, Rows, json_data

KINDS = ("added", "removed", "moved", "relabelled", "attributes")
"""What may happen to a mention."""

Place = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Version(Part):
    """One of the two versions; `name` is what a task definition calls it."""

    path: str
    sha256: str
    documents: int
    mentions: int
    name: str | None = None

    def __str__(self) -> str:
        return plain(self.path or "a corpus") + (
            f" (version {plain(self.name)})" if self.name else ""
        )


@dataclass(frozen=True, slots=True)
class Change(Part):
    """What happened to one mention. The side on which it does not exist has None."""

    kind: str
    document: str
    old_label: str | None
    new_label: str | None
    old_place: Place | None
    new_place: Place | None
    old_text: str | None
    new_text: str | None

    def __str__(self) -> str:
        sides = [
            f"{plain(label)} {_span(place)}{'' if text is None else f' {shown(text)}'}"
            for label, place, text in (
                (self.old_label, self.old_place, self.old_text),
                (self.new_label, self.new_place, self.new_text),
            )
            if label is not None and place is not None
        ]
        return f"{plain(self.document)}: {self.kind} {' -> '.join(sides)}"


def _span(place: Place) -> str:
    return "+".join(f"{start}..{end}" for start, end in place)


@dataclass(frozen=True, repr=False)
class Changes(Result):
    """Everything that differs between an old and a new version of a corpus.

    `texts` are documents whose text changed, `others` those in which something else than mentions
    did. `labels` has for each label the number of mentions on both sides and of each change.

    >>> from carob import Corpus, diff
    >>> print(diff(Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]LOC slept")).summary)
    0 documents added, 0 removed, 0 renamed, 0 with another text; mentions: 0 added, 0 removed,
    0 moved, 1 relabelled
    """

    old: Version
    new: Version
    added: tuple[str, ...]
    removed: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]
    texts: tuple[str, ...]
    others: Mapping[str, tuple[str, ...]]
    mentions: tuple[Change, ...]
    labels: Mapping[str, Mapping[str, int]]
    signature: str

    recipes = ("diff",)
    with_intervals = False

    def __iter__(self) -> Iterator[Change]:
        return iter(self.mentions)

    def __len__(self) -> int:
        return len(self.mentions)

    @property
    def counts(self) -> dict[str, int]:
        """How many mentions of each kind of change there are."""
        count = Counter(each.kind for each in self)
        return {kind: count[kind] for kind in KINDS}

    @property
    def equal(self) -> bool:
        """Whether nothing differs."""
        some = (self.added, self.removed, self.renamed, self.texts, self.mentions)
        return not any(some) and not any(self.others.values())

    @property
    def summary(self) -> str:
        """Everything in a sentence."""
        if self.equal:
            return f"{many(self.new.documents, 'document')}, nothing differs"
        documents = (
            f"{many(len(self.added), 'document')} added, {len(self.removed):,} removed, "
            f"{len(self.renamed):,} renamed, {len(self.texts):,} with another text"
        )
        counts = self.counts
        if not counts["attributes"]:
            del counts["attributes"]
        names = {"attributes": "with other attributes"}
        mentions = ", ".join(
            f"{number:,} {names.get(kind, kind)}" for kind, number in counts.items()
        )
        return f"{documents}; mentions: {mentions}"

    def to_dict(self) -> dict[str, Any]:
        """Everything, as in JSON (see docs/experiments.md)."""
        return {
            "carob": self.signature.partition("|")[0].removeprefix("carob:"),
            "old": self.old.to_dict(),
            "new": self.new.to_dict(),
            "documents": json_data({
                "added": self.added, "removed": self.removed, "renamed": self.renamed,
                "texts": self.texts, **self.others,
            }),
            "counts": self.counts,
            "by_label": json_data(self.labels),
            "mentions": json_data(self.mentions),
            "signature": self.signature,
        }  # fmt: skip

    def rows(self) -> Rows:
        """A row for each label."""
        return [{"label": label, **numbers} for label, numbers in self.labels.items()]
