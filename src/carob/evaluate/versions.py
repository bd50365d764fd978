"""What other versions of carob compute differently: numbers of theirs that cannot be compared.

Each bullet under "Scores that change" of CHANGELOG.md is here, in its words; a test compares both.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from carob._version import __version__
from carob.recipe import Recipe

INTERVALS = frozenset({"low", "high"})
TESTS = frozenset({"p", "p_holm", "significant", "rank_low", "rank_high", "cluster"})
"""What intervals and tests say in JSON."""
MENTIONS = frozenset((
    "boundary", "constrained", "contains", "exact", "fair", "iou", "left", "mentions", "nugget",
    "overlap", "right", "semeval", "slots", "surface", "token", "ts",
))  # fmt: skip
RECORDS = frozenset({"fields", "record"})
RELATIONS = frozenset({"arguments", "relations", "triggers"})
"""Event spaces."""


@dataclass(frozen=True, slots=True)
class Change:
    """Numbers that differ from a version on: scores of some event spaces, or what has these keys in
    JSON. `where` names the only files with other scores, by what a field of the signature says of
    one side; `with_task` says whether only results with a task have other scores, or only those
    without.
    """

    since: str
    words: str
    spaces: frozenset[str] = frozenset()
    keys: frozenset[str] = frozenset()
    where: Mapping[str, Collection[str]] = field(default_factory=dict)
    with_task: bool | None = None

    def concerns(self, fields: Mapping[str, str]) -> bool:
        """Whether a result with these fields in its signature may have other numbers now."""
        return self.with_task in (None, "task" in fields) and all(
            not {*fields.get(key, "").split("/")}.isdisjoint(values)
            for key, values in self.where.items()
        )

    @property
    def reason(self) -> str:
        """Why numbers of an older version are not compared."""
        return f"changed in {self.since}: {self.words}"


CHANGES = (
    Change(
        "0.2.0",
        "`oas`: of several templates that answer a slot without confidence and without a place, "
        "the first in the file counts, as its page says, and no longer the first in the alphabet. "
        "No other score changes.",
        spaces=frozenset({"oas"}),
    ),
    Change(
        "0.2.0",
        "Confidence intervals and p values change: with the same seed, resamples and exchanges are "
        "drawn differently. They move by no more than a different seed would move them.",
        keys=INTERVALS | TESTS | {"detectable"},
    ),
    Change(
        "0.3.0",
        "No score, but the same files now have other **intervals**: the default is "
        "`effective`, Clopper-Pearson's interval at the effective sample size, for every "
        "recipe and every difference. It holds for few documents and for good systems, where "
        "the intervals before were too narrow: `exact.F1` of `careful` in the example has "
        "[0.7172, 0.8439] instead of [0.7293, 0.8326], a perfect score of ten documents "
        "[0.69, 1] instead of [1, 1]. `--interval bca` shows the old kind, with other draws "
        'from the same seed. Since intervals are wider, some release gates turn from "pass" '
        'or "fail" to "cannot tell" (exit 4).',
        keys=INTERVALS | {"detectable"},  # a standard error, whose last digit differs
    ),
    Change(
        "0.3.0",
        "p values of `compare`, `rank` and `report`: a test stops once 20 exchanges give a "
        "difference as large as the observed one, unless its decision is still open. Such a p "
        "moves by about a fifth of itself; which tests are significant changes by chance "
        "alone.",
        keys=TESTS,
    ),
    Change(
        "0.3.0",
        "p values after Holm of `compare` and `report`: each recipe is corrected for its own "
        "tests (pairs, or pairs and labels), and no longer for those of other recipes. They "
        "become smaller where there is more than one recipe, and more differences are "
        "significant.",
        keys=TESTS - {"p"},
    ),
    Change(
        "0.3.0",
        "Every recipe of mentions, for a system of strings without places (entities, records, "
        "jsonl) against gold mentions: the strings are [located](docs/formats/entities.md) in "
        "the text, and what has no place is wrong. Every such score was 0. The default table "
        "is that of mentions; `--preset templates` is the former one, whose values are the "
        "same.",
        spaces=MENTIONS,
        where={"format": {"entities", "records", "jsonl"}},
    ),
    Change(
        "0.3.0",
        "Every recipe of mentions, for conll files: tags such as `B_PER`, `b-per` or `PER-B` "
        "are read as B-PER is, with a remark, and no longer as whole labels, which cut every "
        "mention of several tokens in two. `--scheme io` reads them as before.",
        spaces=MENTIONS,
        where={"scheme": {"io"}},
    ),
    Change(
        "0.3.0",
        "`fields` and `record`: gold against itself is 1 for a list of `datetime` with `match "
        "= \"exact\"` (it was 0) and where gold's list is a choice, `match = \"any_of\"` (`[\"a\", "
        '"b"]` was .67). In lists of objects within objects of a list, the inner items of '
        "gold counted in the first candidate only, so that a worse pair could win.",
        spaces=RECORDS,
    ),
    Change(
        "0.3.0",
        "`fields` and `record` without a task or schema: a slot also gets the types date, "
        "datetime, time and money, and texts can be numbers and booleans, if all values of "
        "gold can be read as that type: `Jan 2, 2024` is then right where gold has "
        "`2024-01-02`. A warning names what was guessed; `carob task init` drafts the same.",
        spaces=RECORDS,
        with_task=False,
    ),
    Change(
        "0.3.0",
        "`fields` and `record` with a JSON Schema or a Pydantic model: a slot of several "
        "types, such as `Decimal` (a number or a text), counts as the most specific one that "
        "all values of gold can be read as, with a warning; it was always a text.",
        spaces=RECORDS,
        with_task=True,
    ),
    Change(
        "0.3.0",
        "`fields` and `record` of `score_records`: documents are paired by the key `id`, and "
        "`text` is the text, unless the schema has slots of these names. Keys that the schema "
        "lacks are left out on both sides, with a warning: gold against itself was .67 where "
        "records have an `id`. An answer that is a text keeps the white space in its strings.",
        spaces=RECORDS,
    ),
    Change(
        "0.3.0",
        '`fields` and `record`: with `missing = "unannotated"`, a slot of a spurious object '
        "is unjudged if no object of gold in the same list has it; with `unknown = "
        '"spurious"`, a key that the task lacks is left out on both sides if gold has it in '
        "that document. Both counted as spurious.",
        spaces=RECORDS,
        with_task=True,
    ),
    Change(
        "0.3.0",
        "`fields` and `record`: `$5 EUR` and other amounts whose symbol belongs to no "
        "currency of that code are unreadable; they were read as EUR 5. `$5 CAD` and `¥5 CNY` "
        "are still read.",
        spaces=RECORDS,
    ),
    Change(
        "0.3.0",
        "`fields.invented-share` leaves out slots that were guessed to be strings and whose "
        "values in gold have digits in more than 5 % of cases, and names them: `02/01/2024` "
        "counted as invented where the text has another form. If no slot is left, it has no "
        "value.",
        spaces=frozenset({"fields"}),
        with_task=False,
    ),
    Change(
        "0.3.0",
        "`ceaf-ree` and `ceaf-rme`: templates that differ in the order of strings or entities "
        "are different templates, and equal ones are one on both sides (in "
        "`ceaf-ree(order=file)` on gold's side, as before), so that gold against itself is 1. "
        "`ceaf-ree(order=file)`, and so the preset GTT, also finds the first of equally good "
        "mappings among those that map templates whose types do not fit, as published rows "
        "need; single items change rows.",
        spaces=frozenset({"ceaf-ree", "ceaf-rme"}),
    ),
    Change(
        "0.3.0",
        "`relations`, `triggers`, `arguments` with `span=aligned` or `span=first`, and "
        "triples with strings that are not in the text: a wrong item that is stated several "
        "times counts once, so P rises.",
        spaces=RELATIONS,
    ),
)  # fmt: skip
"""The oldest first."""


@dataclass(frozen=True, slots=True)
class Maker:
    """The program that made a result. The first release was called karat.

    >>> Maker("karat", "0.1.0").is_older, Maker("carob", __version__).is_older
    (True, False)
    """

    name: str
    version: Any
    fields: Mapping[str, str] = field(default_factory=dict)
    """The signature of the result."""

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Maker:
        """The maker that a result names."""
        name = "karat" if "karat" in content else "carob"
        return cls(name, content.get(name))

    def __str__(self) -> str:
        return f"{self.name} {self.version}"

    @property
    def is_known(self) -> bool:
        """Whether the version is one."""
        text = self.version if isinstance(self.version, str) else ""
        return re.fullmatch(r"\d{1,4}(\.\d{1,4}){2}", text) is not None

    @property
    def is_older(self) -> bool:
        """Whether this version came later."""
        return self.is_known and _numbers(self.version) < _numbers(__version__)

    @property
    def has_checksum(self) -> bool:
        """Whether its results end with a checksum, which the first release did not write."""
        return str(self) != "karat 0.1.0"

    def changes(self) -> list[Change]:
        """What has changed since."""
        if not self.is_older:
            return []
        later = (each for each in CHANGES if _numbers(self.version) < _numbers(each.since))
        return [each for each in later if each.concerns(self.fields)]

    def signing(self, fields: Mapping[str, str]) -> Maker:
        """The maker of a result whose signature has these fields."""
        return replace(self, fields=fields)

    def changed_score(self, recipe: str) -> str | None:
        """Why a score has other numbers now, all that may be the reason; None if its definition is
        the same.
        """
        space = Recipe.parse(recipe).space.name
        changes = [each for each in self.changes() if space in each.spaces]
        if len(changes) < 2:
            return changes[0].reason if changes else None
        since = " and ".join(dict.fromkeys(each.since for each in changes))
        words = "".join(f"\n- {each.words}" for each in changes)
        return f"changed in {since}, by one or more of these changes:{words}"

    def changed_key(self, key: str) -> str | None:
        """Why a number of intervals or tests is another now, by the last such change."""
        every = reversed(self.changes())
        return next((each.reason for each in every if key in each.keys), None)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
