"""What is wrong with a system: kinds of errors, confusions, examples, what fixing would gain."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from carob.corpus.corpus import Corpus, Words
from carob.corpus.problems import UsageError, nearest
from carob.counts.events import Events
from carob.counts.tally import Tally
from carob.evaluate._gains import gains, order, scores_of
from carob.evaluate._ledger import write_ledger
from carob.evaluate.changes import Changes, changes
from carob.evaluate.options import ErrorsOptions, Options
from carob.evaluate.presets import table_for
from carob.evaluate.read import Readable, corpora
from carob.evaluate.run import prepare
from carob.explain.confusion import Confusion, confusion
from carob.explain.examples import Example, chosen, example
from carob.explain.gains import corrected
from carob.explain.slot_examples import SlotExample
from carob.pair.pair import Pair
from carob.recipe import Recipe, parse
from carob.result.scores import File, whole

if TYPE_CHECKING:
    from typing import Unpack

TYPES = ("LE", "BES", "BEL", "BEO", "LBE", "FP", "FN")
"""The kinds of errors, as Ortmann (2022) has them."""

RECIPES = ("exact.F1", "overlap.F1", "ts.F1@macro", "fair.F1", "slots.SER")
"""What gains are told in, when nobody says what."""

SLOT_TYPES = ("PAR", "INC", "MIS", "SPU", "ungrounded")
"""The kinds of errors in slots, as MUC has them. What is ungrounded is one of the others, too."""

SLOT_RECIPES = ("templates.F1", "templates.SER", "oas.F1", "oaod.F1", "oads.F1")
"""The same where slots are filled."""


@dataclass(frozen=True)
class Errors:
    """Where the errors of a system are. Prints itself; `to_dict` is as SPEC's JSON has it.

    >>> gold = Corpus.of("[Ann Lee]PER met [Bo]PER in [Rome]LOC")
    >>> found = errors(gold, Corpus.of("[Ann]PER Lee met [Bo]LOC in Rome"), recipes=["exact.F1"])
    >>> {kind: count for kind, count in found.counts.items() if count}
    {'LE': 1, 'BES': 1, 'FN': 1}
    >>> found.gains["FN"]
    {'exact.F1': 0.3333333333333333}
    """

    name: str
    counts: Mapping[str, float]
    by_label: Mapping[str, Mapping[str, float]]
    confusion: Confusion
    gains: Mapping[str, Mapping[str, float | None]]
    scores: Mapping[str, float | None]
    order: Sequence[tuple[str, float]]
    near: int | None = None
    unseen: int | None = None
    examples: Mapping[str, Sequence[Example | SlotExample]] = field(default_factory=dict)
    changes: Changes | None = None
    systems: tuple[File, ...] = ()
    remarks: tuple[str, ...] = ()
    signature: str = ""
    kinds: tuple[str, ...] = TYPES
    """The types that errors are of, each error one."""

    @property
    def of_slots(self) -> bool:
        """Whether these are errors in the slots of templates."""
        return self.kinds != TYPES

    @property
    def shares(self) -> dict[str | None, dict[str, float | None]]:
        """Of all errors (None) and of those of each label, the share that each type is."""
        found: dict[str | None, dict[str, float | None]] = {}
        for label, row in ({None: self.counts} | dict(self.by_label)).items():
            wrong = sum(row[kind] for kind in self.kinds)
            found[label] = {kind: row[kind] / wrong if wrong else None for kind in self.kinds}
        return found

    @property
    def confusions(self) -> list[tuple[str, str, int]]:
        """(gold label, system label, count) of labels taken for others, most frequent first."""
        names = self.confusion.names[:-1]
        pairs = [
            (row, column, int(self.confusion.counts[i, k]))
            for i, row in enumerate(names)
            for k, column in enumerate(names)
            if i != k and self.confusion.counts[i, k]
        ]
        return sorted(pairs, key=lambda pair: (-pair[2], pair[0], pair[1]))

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        found: dict[str, Any] = {
            "counts": {kind: whole(count) for kind, count in self.counts.items()},
            "by_label": {
                label: {kind: whole(count) for kind, count in row.items()}
                for label, row in self.by_label.items()
            },
            "confusion": self.confusion.to_dict(),
            "gains": {kind: dict(row) for kind, row in self.gains.items()},
            "order": [{"type": kind, "score": score} for kind, score in self.order],
            **({} if self.of_slots else {"near_misses": self.near, "unseen": self.unseen}),
            "shares": self.shares[None],
            "signature": self.signature,
        }
        if self.changes is not None:
            found |= {"fixed": self.changes.fixed, "broken": self.changes.broken}
        return found

    def to_json(self) -> str:
        """The dict as JSON text."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)

    def __str__(self) -> str:
        from carob.report._errors import terminal

        return terminal(self)

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Tables in long form: `counts`, `confusion`, `gains`.

        >>> gold, system = Corpus.of("[Ann]PER"), Corpus.of("[Ann]LOC")
        >>> errors(gold, system, recipes=["exact.F1"]).rows()["confusion"][0]
        {'gold': 'LOC', 'system': 'LOC', 'count': 0}
        """
        return {
            "counts": [
                {"label": label, "type": kind, "count": whole(count)}
                for label, row in ({None: self.counts} | dict(self.by_label)).items()
                for kind, count in row.items()
            ],
            "confusion": [
                {"gold": gold, "system": system, "count": count}
                for gold, row in self.confusion.to_dict().items()
                for system, count in row.items()
            ],
            "gains": [
                {"type": kind, "recipe": recipe, "gain": gain}
                for kind, row in self.gains.items()
                for recipe, gain in row.items()
            ],
        }

    def to_pandas(self) -> dict[str, Any]:
        """The tables as pandas data frames (the extra `carob[pandas]`)."""
        from carob.result.scores import library

        return {name: library("pandas").DataFrame(rows) for name, rows in self.rows().items()}

    def to_polars(self) -> dict[str, Any]:
        """The tables as polars data frames (the extra `carob[polars]`)."""
        from carob.result.scores import library

        return {name: library("polars").DataFrame(rows) for name, rows in self.rows().items()}


def errors(
    gold: Readable,
    system: Readable,
    other: Readable | None = None,
    *,
    recipes: Iterable[str] | None = None,
    examples: int = 0,
    types: Sequence[str] | None = None,
    label: str | None = None,
    ledger_to: str | os.PathLike[str] | None = None,
    spaces: Iterable[str] | None = None,
    names: Sequence[str] | None = None,
    **options: Unpack[ErrorsOptions],
) -> Errors:
    """What is wrong with a system; with `other`, also what that one fixed and broke.

    Where gold has templates, or the system has some and no mention, errors are those of
    `templates`, else those of `fair`; `preset` is `mentions` or `templates`, to have it otherwise.
    `examples` of each type come in context, of `types` and `label` only if given. `recipes` are
    what gains are told in. `ledger_to` writes the events of `spaces` (default: those of the
    recipes) in long form, as csv, jsonl or parquet by the ending of the name. The other keyword
    arguments are described in `carob.Options`.

    >>> gold, system = Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]ORG slept")
    >>> errors(gold, system, recipes=["exact.F1"]).confusions
    [('PER', 'ORG', 1)]
    """
    systems = [each for each in (system, other) if each is not None]
    called = dict(zip(names or _names(systems), systems, strict=True))
    chosen_ = replace(Options.of(ErrorsOptions, options), resamples=0)
    if chosen_.preset not in (None, "mentions", "templates"):
        raise UsageError(f"errors are those of mentions or templates, not of {chosen_.preset!r}")
    reference, answers = corpora(gold, called, chosen_.gold_options, chosen_.system_options)
    slots = (chosen_.preset or table_for(reference, answers.values())) == "templates"
    kinds = _types(types, slots=slots)

    def defaults(gold: Corpus, systems: Iterable[Corpus]) -> Sequence[str]:
        return SLOT_RECIPES if slots else RECIPES

    run = prepare(reference, answers, recipes, replace(chosen_, preset=None), defaults)
    wanted = list(run.recipes)
    pair, *rest = run.pairs.values()
    words = _Reader(run.reference)
    if slots:
        from carob.evaluate.slot_errors import slot_errors

        spaces_ = [] if ledger_to is None else _spaces(spaces, wanted)
        return slot_errors(run, words, examples, kinds, label, ledger_to, spaces_)
    tagset = pair.labels
    if label is not None and label not in tagset:
        raise UsageError(f"no label is called {label!r}{nearest(label, tagset)}")
    space = parse("fair.F1").space
    events: Events = space(pair)
    tally = Tally.of(space, pair, events)
    by_label = tally.by_label()
    second = None
    if rest:
        second = changes(pair, events, rest[0], space(rest[0]), examples, words)
    now = scores_of(pair, wanted)
    there = [kind for kind in TYPES if np.any(events.outcome == events.outcomes.index(kind))]

    def better(kinds: Sequence[str]) -> Pair:
        return corrected(pair, events, kinds)

    if ledger_to is not None:
        write_ledger(ledger_to, pair, _spaces(spaces, wanted), words)
    return Errors(
        next(iter(run.pairs)),
        {kind: whole(count) for kind, count in tally.counted().items()},
        {
            each: {kind: whole(float(by_label[kind][i])) for kind in tally.outcomes}
            for i, each in enumerate(pair.labels)
        },
        confusion(pair, events),
        gains(better, TYPES, there, wanted, now),
        now,
        order(better, there, wanted[0]),
        _near(pair, events),
        _unseen(pair, events),
        {
            kind: [
                example(pair, events, row, words(int(events.doc[row])))
                for row in chosen(
                    events, pair, kind, examples, None if label is None else tagset.index(label)
                ).tolist()
            ]
            for kind in kinds
            if examples
        },
        second,
        run.system_files(),
        run.remarks,
        run.signature(),
    )


def _names(systems: Sequence[Readable]) -> list[str]:
    """What the systems are called when nobody says."""
    found = [_name(system, i) for i, system in enumerate(systems)]
    return found if len(set(found)) == len(found) else ["first", "second"]


def _name(system: Readable, place: int) -> str:
    path = os.fspath(system) if isinstance(system, (str, os.PathLike)) else ""
    if isinstance(system, Corpus) and system.origin is not None:
        path = system.origin.path
    return Path(path).stem or ("system", "second")[place]


def _types(types: Sequence[str] | None, *, slots: bool = False) -> tuple[str, ...]:
    known = SLOT_TYPES if slots else TYPES
    if types is None:
        return known
    found: list[str] = []
    for kind in types:
        if kind == "BE" and not slots:
            found += ["BES", "BEL", "BEO"]
        elif kind in (*known, "COR" if slots else "TP"):
            found.append(kind)
        else:
            there = known if slots else ["BE", *known]
            raise UsageError(f"no type of error is called {kind!r}{nearest(kind, there)}")
    return tuple(found)


class _Reader:
    """The words of gold's documents, the last one remembered."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.last: tuple[int, Words] | None = None

    def __call__(self, row: int) -> Words:
        if self.last is None or self.last[0] != row:
            library = self.corpus.library
            self.last = (row, library.words(row) if library else (None, None))
        return self.last[1]


def _near(pair: Pair, events: Events) -> int:
    """Boundary errors that are off by one position."""
    codes = [events.outcomes.index(kind) for kind in ("BES", "BEL", "BEO")]
    rows = np.flatnonzero(np.isin(events.outcome, codes))
    tokens = pair.in_tokens
    gold, system = events.gold[rows], events.system[rows]
    off = np.abs(tokens.gold.start[gold] - tokens.system.start[system])
    off += np.abs(tokens.gold.end[gold] - tokens.system.end[system])
    return int(np.count_nonzero(off == 1))


def _unseen(pair: Pair, events: Events) -> int:
    """Mentions of gold where the system marked nothing at all."""
    touched = np.zeros(len(pair.gold), bool)
    touched[pair.overlaps.gold] = True
    missed = events.gold[events.outcome == events.outcomes.index("FN")]
    return int(np.count_nonzero(~touched[missed]))


def _spaces(spaces: Iterable[str] | None, recipes: Sequence[Recipe]) -> list[Any]:
    if spaces is not None:
        return [parse(f"{text}.gold_all").space for text in spaces]
    return list(dict.fromkeys(recipe.space for recipe in recipes))
