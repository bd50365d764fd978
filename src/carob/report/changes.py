"""Changes: what differs in a sentence, a table of labels, and the mentions one by one."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from carob.corpus.problems import many, plain
from carob.report.terminal import WIDTH, Section, Style, Table
from carob.result.changes import Changes

EXAMPLES = 20
"""How many mentions, and how many documents of a kind, are shown."""

_NAMES = {
    "added": "added", "removed": "removed", "texts": "with another text",
    "attributes": "with other attributes", "templates": "with other templates",
    "relations": "with other relations", "clusters": "with other clusters",
}  # fmt: skip


def sections(changes: Changes, style: Style, *, width: int = WIDTH) -> list[Section]:
    """From the whole to the parts."""
    made = [Section(sentences=[f"{changes.old} -> {changes.new}: {changes.summary}"])]
    if changes.equal:
        return made
    lists = {"added": changes.added, "removed": changes.removed, "texts": changes.texts}
    lists |= changes.others
    lines = [
        f"{many(len(ids), 'document')} {_NAMES[kind]}: {_some(map(plain, ids), len(ids))}"
        for kind, ids in lists.items() if ids
    ]  # fmt: skip
    if renamed := changes.renamed:
        pairs = (f"{plain(old)} is now {plain(new)}" for old, new in renamed)
        lines.append(f"{many(len(renamed), 'document')} renamed: {_some(pairs, len(renamed))}")
    if lines:
        made.append(Section(sentences=lines, indent="  "))
    if changes.labels:
        columns = list(next(iter(changes.labels.values())))
        rows = [["label", *columns]]
        for label, numbers in changes.labels.items():
            rows.append([plain(label), *(f"{numbers[column]:,}" for column in columns)])
        made.append(Section(Table(rows)))
    if changes.mentions:
        quotes = [str(each) for each in changes.mentions[:EXAMPLES]]
        more = len(changes) - EXAMPLES
        remarks = [f"{more:,} more; JSON has all of them"] if more > 0 else []
        made.append(Section(quotes=quotes, remarks=remarks))
    return made


def _some(names: Iterable[str], total: int) -> str:
    """The first of some names, and how many more there are."""
    listed = ", ".join(islice(names, EXAMPLES))
    return f"{listed} and {total - EXAMPLES:,} more" if total > EXAMPLES else listed
