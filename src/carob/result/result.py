"""Result: what all results can do. They print themselves, and convert."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from carob.corpus.problems import UsageError
from carob.result.signature import short

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Rows = list[dict[str, Any]]
"""A table in long form."""

LINES = 60
"""The most lines of a result that a notebook or a prompt shows."""


class Part:
    """A part of a result, a dataclass. Its JSON has the `columns`, by default all fields."""

    __slots__ = ()
    columns: ClassVar[tuple[str, ...]] = ()

    def to_dict(self) -> dict[str, Any]:
        """As in JSON (see docs/output.md)."""
        names = self.columns or [each.name for each in fields(self)]  # type: ignore[arg-type]
        return {name: json_data(getattr(self, name)) for name in names}

    def to_json(self) -> str:
        """The dict as JSON text, every digit kept."""
        import json

        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)


def checksum(content: Mapping[str, Any]) -> str:
    """The hash of everything else in a result, so that `carob verify` notices any change.

    >>> checksum({"a": 1.5}) == checksum({"a": 1.5, "checksum": "x"}) != checksum({"a": 1.6})
    True
    """
    import hashlib
    import json

    rest = {key: value for key, value in content.items() if key != "checksum"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def with_checksum(content: dict[str, Any]) -> dict[str, Any]:
    """A result as in JSON, with its checksum."""
    return content | {"checksum": checksum(content)}


def json_data(value: Any) -> Any:
    """A value as JSON holds it: parts of results become dicts, tuples lists.

    >>> json_data({"a": ("b", 1.5)})
    {'a': ['b', 1.5]}
    """
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {key: json_data(each) for key, each in value.items()}
    return [json_data(each) for each in value] if isinstance(value, (list, tuple)) else value


class Tabular(Part):
    """What converts to a data frame: `rows` says what it holds."""

    row_columns: ClassVar[tuple[str, ...] | None] = None
    """The columns of the frame, if there may be no row that shows them."""

    @property
    def signature_lines(self) -> tuple[str, ...]:
        """The full signature; several lines if files were read in several ways, none without."""
        lines = getattr(self, "signatures", None) or (getattr(self, "signature", ""),)
        return tuple(line for line in lines if line)

    def rows(self) -> Rows:
        """The content as a table in long form."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return str(self)

    def to_pandas(self) -> Any:
        """The rows as a pandas data frame; needs pandas. `frame.attrs` has the signature."""
        frame = library("pandas").DataFrame(self.rows(), columns=self.row_columns)
        frame.attrs["signature"] = "\n".join(self.signature_lines)
        return frame

    def to_polars(self) -> Any:
        """The rows as a polars data frame; needs polars. It has no place for the signature."""
        names = None if self.row_columns is None else list(self.row_columns)
        return library("polars").DataFrame(self.rows(), names, infer_schema_length=None)


class Result(Tabular):
    """What the verbs return. A result says what it holds by `to_dict` and `rows`; the rest follows.

    A result of another package also lays itself out, by `sections(style, width=)`. It may have a
    page of its own, `page()`, and be among the `charts` of `intervals` by `interval_rows()`: dicts
    with system, recipe, value, low, high, lower_is_better and is_part.

    >>> from carob import Corpus, score
    >>> scores = score(Corpus.of("[Ann]PER"), Corpus.of("[Ann]PER"), "exact.F1")
    >>> '"exact.F1"' in scores.to_json()
    True
    """

    recipes: Any = ()
    """The recipes of all scores, for the short signature."""
    with_intervals: ClassVar[bool] = True
    """Whether scores have intervals, unless an option says no."""
    charts: ClassVar[tuple[str, ...]] = ()
    """Charts that can show it, beside those that say so themselves; the first is the default."""

    def interval_rows(self) -> Rows:
        """What the chart `intervals` shows of it."""
        raise NotImplementedError

    @property
    def short_signature(self) -> str:
        """The recipes, what differs from the defaults, and a hash of the full signature."""
        lines = self.signature_lines
        hidden = () if self.with_intervals else ("interval", "by")
        return short(lines, self.recipes, hidden) if lines else ""

    def __str__(self) -> str:
        return self.to("terminal")

    def __repr__(self) -> str:
        """The tables, as a notebook shows them: no colour, and not more than fits a screen."""
        lines = self.to("terminal", color=False).rstrip("\n").split("\n")
        if len(lines) > LINES:
            rest = f"... {len(lines) - LINES:,} more lines; print() shows all"
            lines = [*lines[:LINES], rest]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """The tables in HTML, for a notebook."""
        return self.to("html", page=False)

    def to(self, report: str, **parameters: Any) -> str:
        """The result as text: terminal, json, csv, markdown, latex, html, or by a plugin."""
        text: str = load_report(report, parameters)(self)
        return text

    def to_markdown(
        self, *, by_label: bool = False, percent: bool = False, digits: int | None = None,
        intervals: bool = True, layout: str | None = None,
    ) -> str:  # fmt: skip
        """The tables in Markdown. `digits` are the decimals of scores, by default 4; with
        `percent` a score is 84.3 instead of 0.8430, by default with one decimal. `layout` is
        systems or labels for scores; pairs, systems or labels for a comparison.

        >>> from carob import Corpus, score
        >>> gold, system = Corpus.of("[Ann]PER [Bo]PER [Cy]PER"), Corpus.of("[Ann]PER [Bo]PER Cy")
        >>> print(score(gold, system, "exact.R").to_markdown(percent=True).partition("\\n\\n")[0])
        | exact | R | gold |
        |:--|--:|--:|
        | system | 66.7 | 3 |
        """
        return self.to(
            "markdown", by_label=by_label, percent=percent, digits=digits, intervals=intervals,
            layout=layout,
        )  # fmt: skip

    def to_latex(
        self, *, by_label: bool = False, percent: bool = False, digits: int | None = None,
        intervals: bool = True, layout: str | None = None,
    ) -> str:  # fmt: skip
        r"""The tables in LaTeX, for the package booktabs; options as for `to_markdown`.

        >>> from carob import Corpus, score
        >>> gold, system = Corpus.of("[Ann]PER [Bo]PER [Cy]PER"), Corpus.of("[Ann]PER [Bo]PER Cy")
        >>> print(score(gold, system, "exact.R").to_latex(digits=2).splitlines()[4])
        system & 0.67 & 3 \\
        """
        return self.to(
            "latex", by_label=by_label, percent=percent, digits=digits, intervals=intervals,
            layout=layout,
        )  # fmt: skip

    def plot(self, kind: str | None = None, **parameters: Any) -> Figure:
        """The result as a chart, a figure of Matplotlib, which `savefig` writes to a file; needs
        Matplotlib. docs/charts.md describes the kinds and their parameters.

        >>> from carob import Corpus, score
        >>> scores = score(Corpus.of("[Ann]PER"), Corpus.of("[Ann]PER"), "exact.F1")
        >>> scores.plot("labels").axes[0].get_title(loc="left")
        'system'
        """
        from importlib import import_module

        chart: Figure = import_module("carob.report.charts").figure(self, kind, **parameters)
        return chart


def load_report(report: str, parameters: Mapping[str, Any]) -> Callable[[Any], str]:
    """The report with this name and these parameters.

    >>> load_report("csv", {"percent": True})
    Traceback (most recent call last):
    carob.corpus.problems.UsageError: the report csv has no parameter percent; it has: by_label
    """
    # Reports are found by name, as they may be plugins. Results know none of them.
    from importlib import import_module

    made = import_module("carob.registry").load("report", report)
    known = [each.name for each in fields(made)] if is_dataclass(made) else list(parameters)
    for name in parameters:
        if name not in known:
            there = ", ".join(known) or "none"
            raise UsageError(f"the report {report} has no parameter {name}; it has: {there}")
    component: Callable[[Any], str] = made(**parameters)
    return component


def library(name: str, extra: str | None = None) -> Any:
    """A library that is not always installed, or a sentence that says how to get it: by its own
    name, or with an extra of carob.
    """
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        how = f"pip install {name}"
        if extra is not None:
            how = f"in a clone of carob: pip install '.[{extra}]'"
        raise UsageError(f"{name} is not installed; {how}") from None


def number_or_none(value: Any) -> float | None:
    """A number that may be NaN, as results and JSON hold it.

    >>> number_or_none(float("nan")), number_or_none(0.5)
    (None, 0.5)
    """
    return None if math.isnan(value) else float(value)


def whole(number: float) -> float | int:
    """Whole numbers as such.

    >>> whole(3.0), whole(2.5)
    (3, 2.5)
    """
    return int(number) if float(number).is_integer() else number


def points(value: float, digits: int, sign: str = "") -> str:
    """A score in hundredths. Its digits are those of the score, of which two more are before the
    point: to multiply first would round twice.

    >>> points(0.1235, 1), points(0.285, 0), points(-0.012, 1, "+")
    ('12.3', '28', '-1.2')
    """
    from decimal import Decimal  # not needed for most tables

    return format(Decimal(f"{value:.{digits + 2}f}").scaleb(2), f"{sign}.{digits}f")


def with_interval(
    value: float | None, low: float | None, high: float | None, text: Callable[[float], str]
) -> str:
    """A number with its interval, each as `text` writes it; `-` for no value.

    >>> with_interval(0.75, 0.7, 0.8, "{:.2f}".format), with_interval(3, None, None, str)
    ('0.75 [0.70, 0.80]', '3')
    """
    if value is None:
        return "-"
    if low is None or high is None:
        return text(value)
    return f"{text(value)} [{text(low)}, {text(high)}]"
