"""The contracts: what a format, event space, measure, average, report or learner declares and does.

A component is a frozen dataclass with a `name`. It inherits nothing. `Format`, `Space`, `Measure`,
`Average`, `Report`, `Learner` and `Peer` list what it must have; `FormatHooks`, `SpaceHooks`,
`MeasureHooks`, `AverageHooks`, `ReportHooks` and `LearnerHooks` list what it may have beside, and
what holds if it does not. What a component knows about itself (its range, whether it is symmetric)
it declares here, and nowhere else is a list of names.

A plugin imports from this module and from nothing private: beside the contracts it offers the
vocabulary that components are written in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, NamedTuple, Protocol, runtime_checkable

from carob.arrays.join import join, packed, rest
from carob.arrays.types import BoolArray, FloatArray, IntArray
from carob.corpus.build import of_documents
from carob.corpus.corpus import Corpus
from carob.corpus.document import Document, Filler, Group, Mention, Template
from carob.corpus.problems import (
    CarobError,
    DataError,
    InputError,
    Problem,
    Problems,
    RecipeError,
    UsageError,
    nearest,
)  # fmt: skip
from carob.corpus.record import document_of
from carob.corpus.source import Source
from carob.corpus.tables import Documents, Mentions
from carob.counts.events import Events, Space
from carob.counts.judged import Judged
from carob.counts.quantities import Quantities, mean, missing, ratio, valued
from carob.counts.tally import CountTable, Table, Tally
from carob.pair.pair import Pair
from carob.result.scores import Score, Scores

if TYPE_CHECKING:
    from pathlib import Path  # slow to load

    from carob.pair.readings import Counting, Files, Step  # only other tools need them
    from carob.pair.texts import Examples, Texts  # only learners need them

__all__ = [
    "Average", "AverageHooks", "Averaged", "BoolArray", "CarobError", "Corpus", "CountTable",
    "DataError", "Document", "Documents", "Events", "Filler", "FloatArray", "Format", "FormatHooks",
    "Group", "InputError", "IntArray", "Judged", "Learner", "LearnerHooks", "Measure",
    "MeasureHooks", "Mention", "Mentions", "Model", "ModelHooks", "Pair", "Peer", "Problem",
    "Problems", "Quantities", "RecipeError", "Report", "ReportHooks", "Score", "Scores", "Source",
    "Space", "SpaceHooks", "Table", "Tally", "Template", "UsageError", "document_of", "hook",
    "join", "mean", "missing", "missing_attributes", "nearest", "of_documents", "packed", "ratio",
    "required", "rest", "valued",
]  # fmt: skip


@runtime_checkable
class Format(Protocol):
    """A way to write annotated documents down: a component of formats/."""

    @property
    def name(self) -> str:
        """Its name in `--gold-format` and in signatures."""

    @property
    def extensions(self) -> tuple[str, ...]:
        """How its files end, with the dot: `.conll`."""

    @property
    def holds(self) -> frozenset[str]:
        """Its capabilities: what a file can say (`tokens`, `text`, `nested`, ...), so that a
        conversion can report what is lost. The words are those of `carob.formats.capabilities`.
        """

    @staticmethod
    def sniff(head: bytes) -> float:
        """How much the beginning of a file looks like this format: 0 not at all, 1 surely."""

    def read(self, source: Source) -> Iterator[Corpus]:
        """The documents, in blocks of whole documents. Problems are collected, then raised as one
        `InputError`.
        """


class FormatHooks:
    """What a format may have beside."""

    folders: bool = False
    """Whether it reads and writes folders itself; otherwise the files of a folder are joined."""

    compiled: bool = False
    """Whether it reads without holding the interpreter, so that threads can read large files."""

    signs: str = ""
    """Words of which the beginning of a file has at least one, separated by spaces; other files
    are of another format, and this one need not be imported. `binary` stands for a binary file,
    `text` for one that does not begin as JSON does. Only those of built-in formats are looked at,
    on one line of their source.
    """

    needs: frozenset[str] = frozenset()
    """What a corpus must have to be written: `text`, `document ids`."""

    write: Callable[[Corpus, BinaryIO], None] | None = None
    """Write a corpus to one file; without it the format is for reading only."""

    write_folder: Callable[[Corpus, Path], None] | None = None
    """Write a corpus to a folder, a file for each document."""

    write_parameters: tuple[str, ...] | None = None
    """The parameters that matter where a corpus is written; by default all. To give another one
    with `--write` is refused.
    """

    def write_remarks(self, corpus: Corpus) -> list[str]:
        """What users must know of a corpus that is written with these parameters."""
        return []

    library: Callable[[Source, Documents], Any] | None = None
    """What finds the text and words of a document again, to quote them. Without it the corpora
    that `read` returns keep theirs in memory.
    """

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """What signatures say about how a file was read, and counts for the coverage."""
        return {}, {}

    from_signature: Callable[[Mapping[str, str]], dict[str, Any]] | None = None
    """The parameters again, from the fields of a signature; `carob verify` needs it."""

    held: frozenset[str] | None = None
    """What a file can say with these parameters, if that is not all of `holds`."""


class SpaceHooks:
    """What a space may have beside."""

    signed: Mapping[str, str] = {}
    """What a signature says for a parameter instead of its value: a file with its hash."""

    idle: Mapping[str, tuple[str, ...]] = {}
    """For a parameter that is a space, those of its parameters that mean nothing here."""

    support_text: str = ""
    """What it counts in gold, in the singular: `filled slot`. Spaces that say so count the same
    answers in different ways; a table shows them together.
    """

    with_counts: Callable[[tuple[str, ...]], Any] | None = None
    """The space that also counts what a measure needs, None if it cannot."""

    typed_values: bool = False
    """Whether it reads fillers by their types, so that numbers and booleans may fill slots."""

    judged: Callable[[Pair], Judged] | None = None
    """Whether each answer is right, and how sure the system is, for `carob.by_confidence`."""

    base_outcomes: tuple[str, ...] | None = None
    """The outcomes that results list, where a measure needs more; None: all."""

    mentions_once: bool = True
    """Whether a mention is in at most one event."""

    of_strings: bool = False
    """Whether it can do without places, so that gold and system may have different texts."""

    across_documents: bool = False
    """Whether the counts of a document depend on the others, as where different strings of the
    whole corpus count once each.
    """


@runtime_checkable
class Measure(Protocol):
    """A function of counts: a component of measure/."""

    @property
    def name(self) -> str:
        """Its name in recipes."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The quantities that it is a function of."""

    @property
    def range(self) -> tuple[float, float]:
        """The smallest and the largest value that it can have; `math.inf` if there is none."""

    @property
    def lower_is_better(self) -> bool:
        """Whether the smaller of two values is the better one."""

    def __call__(self, q: Quantities, /) -> FloatArray:
        """Its value for each element; NaN where it is undefined."""


class MeasureHooks:
    """What a measure may have beside."""

    has_no_zero: bool = False
    """Whether an undefined value stays undefined in a mean, although there are items. Set it where
    0 would be praise: an error rate without anything to get wrong.
    """

    of_means: Callable[[FloatArray, FloatArray], FloatArray] | None = None
    """Its value from a mean precision and a mean recall, for the average `macro-doc-pr`."""

    short_name: str | None = None
    """What a recipe writes instead of name and parameters: `F1`."""

    hint: str = ""
    """How to write a recipe in which it makes sense, for the message that one does not."""

    denominator: tuple[str, ...] | None = None
    """The quantities that it is a share or a rate of; by default all items of gold and system. How
    many documents have any says how far a score may be from the truth if all of them agree.
    """

    share: tuple[str, str] | None = None
    """The quantities that are right and that are all, if each document is right or wrong as a
    whole: the interval is then the exact one for that many documents.
    """

    most_items: Callable[[Quantities], FloatArray] | None = None
    """At most how many independent items the documents are worth."""

    by_chance: Callable[[Quantities], FloatArray] | None = None
    """What chance alone would show of an error; tables print it beside the score."""

    without_interval: Callable[[Quantities], list[str]] | None = None
    """For each element why it has no interval; nothing if it has one."""


class Averaged(NamedTuple):
    """A score, or one for each draw; and how many terms the mean left out."""

    value: FloatArray
    left_out: int = 0


@runtime_checkable
class Average(Protocol):
    """How labels or documents are combined: a component of average/.

    It works in two steps, so that ten thousand resamples cost one matrix product: `table` says what
    is summed over documents, `value` computes the score from such sums.
    """

    @property
    def name(self) -> str:
        """Its name in recipes."""

    @property
    def over(self) -> Literal["labels", "documents"]:
        """What a mean is taken over, and what is left out of it."""

    def table(self, measure: Measure, tally: Tally, zero: float | None) -> Table:
        """What is summed over documents: a row for each."""

    def value(self, measure: Measure, table: Any, sums: FloatArray, zero: float | None) -> Averaged:
        """The score of column sums of this table, or one for each draw (draws x columns)."""


class AverageHooks:
    """What an average may have beside."""

    measure_hook: str | None = None
    """A hook that its measures must have, such as `of_means`."""

    label: str | None = None
    """The one label that it is about; support and counts are then those of this label."""

    leaves_out: str = "without any item"
    """Which labels or documents have no value and are left out of the mean."""

    of_labels: bool = False
    """Whether it is the plain mean over labels: its interval is then made from theirs."""

    items: Callable[[FloatArray], FloatArray] | None = None
    """From rows of its table, how much each document has of what the mean is taken over; by default
    of the denominator of the measure.
    """

    colon: str | None = None
    """The parameter that a recipe writes after a colon, as in `label:PER`."""


@runtime_checkable
class Report(Protocol):
    """From a result to text: a component of report/."""

    @property
    def name(self) -> str:
        """Its name in `--format`."""

    def __call__(self, result: Any, /) -> str:
        """The text."""


class ReportHooks:
    """What a report may have beside."""

    for_programs: bool = False
    """Whether programs read it. Remarks are then not part of it, and nothing is quoted."""


@runtime_checkable
class Model(Protocol):
    """What a learner has learned: it answers for documents that it has not seen."""

    @property
    def slots(self) -> tuple[str, ...]:
        """The slots that it fills: the labels of its answers."""

    def answers(self, texts: Texts, /) -> Corpus:
        """The documents with what it finds in them: mentions with a slot as label, and a
        confidence each. `Texts.answers` makes such a corpus from spans of tokens.
        """

    def describe(self) -> Mapping[str, Any]:
        """Facts about it for a report, such as the number of features; JSON can hold them."""

    def save(self, folder: Path, /) -> None:
        """Write it into a folder that exists, so that `load` of its learner finds it again. A
        model may come from a stranger: what is written is data (JSON, arrays), never code.
        """


class ModelHooks:
    """What a model may have beside."""

    uncertainty: Callable[[Texts], tuple[FloatArray, FloatArray]] | None = None
    """How unsure it is about each document, for active learning: the mean uncertainty of tokens,
    and that of the whole sequence divided by its length. Larger is less sure.
    """


@runtime_checkable
class Learner(Protocol):
    """From documents with filled slots to a model: a component of learn/."""

    @property
    def name(self) -> str:
        """Its name in experiments and on the command line."""

    def fit(self, examples: Examples, slots: tuple[str, ...], seed: int, /) -> Model:
        """Learn to fill `slots`. Equal arguments give equal models, on every machine."""

    def load(self, folder: Path, /) -> Model:
        """A model that was saved. Whatever the files hold, they are checked and never run."""


class LearnerHooks:
    """What a learner may have beside."""

    extra: str = ""
    """The extra of carob that brings the packages it needs: `pip install '.[crf]'` in a clone."""

    own_features: bool = False
    """Whether it sees more of a document than the tokens, lines and layers of `Texts`; tables mark
    it, because its scores then also compare features.
    """

    runs_programs: bool = False
    """Whether its models run programs. Such a model is loaded only if the user agrees."""

    knows_uncertainty: bool = False
    """Whether its models have the hook `uncertainty`, so that it can pick documents to label."""


@runtime_checkable
class Peer(Protocol):
    """Another tool: how it reads files and what it counts. A component of peers/.

    It goes from carob's numbers to its own one rule at a time, so that every rule has a share of
    the difference, and the shares add up to it.
    """

    @property
    def name(self) -> str:
        """Its name in `--like`."""

    @property
    def version(self) -> str:
        """The version that it was compared with."""

    @property
    def modes(self) -> tuple[str, ...]:
        """The values of its parameter `mode`: each is explained unless one is named."""

    @property
    def mode(self) -> str:
        """The one that is explained."""

    @property
    def recipes(self) -> Mapping[str, str]:
        """The numbers that it prints by their names, and for each carob's recipe for the same. The
        first F1 is the one that people quote.
        """

    def steps(self, files: Files, ours: Counting, /) -> Iterator[Step]:
        """Its rules in order, each with what holds if it and those before it do; the last step has
        the tool's numbers. Raises `RefusalError` if the tool would fail.
        """


CONTRACTS: Mapping[str, type] = {
    "formats": Format, "match": Space, "measure": Measure, "average": Average, "report": Report,
    "learn": Learner, "peers": Peer,
}  # fmt: skip
"""The contract of each stage whose components may come from plugins."""


def required(stage: str) -> list[str]:
    """What a component of a stage must have.

    >>> required("measure")
    ['name', 'needs', 'range', 'lower_is_better', '__call__']
    """
    contract = vars(CONTRACTS[stage]) if stage in CONTRACTS else ["name"]
    return [name for name in contract if name == "__call__" or not name.startswith("_")]


def missing_attributes(stage: str, cls: type) -> list[str]:
    """What a class lacks to be a component of a stage.

    >>> missing_attributes("report", int)
    ['name', '__call__']
    """
    fields = getattr(cls, "__dataclass_fields__", {})
    # Every class has a __call__, the one that makes its instances.
    own = {name for base in cls.__mro__ for name in vars(base)}
    return [name for name in required(stage) if name not in own and name not in fields]


_DEFAULTS = (
    FormatHooks(), SpaceHooks(), MeasureHooks(), AverageHooks(), ReportHooks(), ModelHooks(),
    LearnerHooks(),
)  # fmt: skip

_DEFAULT_OF = {
    name: getattr(defaults, name) for defaults in reversed(_DEFAULTS) for name in dir(defaults)
}
"""What holds for a component that does not declare a hook; the first of the contracts decides."""


def hook(component: object, name: str) -> Any:
    """An optional attribute of a component, or what holds without it.

    >>> class Error:
    ...     has_no_zero = True
    >>> hook(Error(), "has_no_zero"), hook(Error(), "of_means")
    (True, None)
    """
    if name not in _DEFAULT_OF:
        raise AttributeError(f"no contract has a hook {name!r}")
    return getattr(component, name, _DEFAULT_OF[name])
