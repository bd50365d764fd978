"""What all charts share: colours, sizes, fonts, how names are shown, and how a figure is saved."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import takewhile
from typing import Any, NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.textpath import text_to_path
from matplotlib.ticker import ScalarFormatter

from carob.corpus.problems import UsageError, nearest, plain

INK, SOFT, GRID, PAPER = "#1f2328", "#59636e", "#d1d9e0", "#ffffff"

SERIES = ("#0072b2", "#e69f00", "#d55e00", "#8b949e", "#56b4e9", "#009e73", "#cc79a7")
"""Colours that the colour-blind can tell apart, on light and dark paper: those of Okabe & Ito
(2008), "Color Universal Design", without black and yellow, and with grey."""

VARIABLES = {
    color: f"var(--{name},{color})"
    for name, color in (
        ("ink", INK), ("soft", SOFT), ("grid", GRID), ("paper", PAPER),
        *((f"series-{i}", color) for i, color in enumerate(SERIES, 1)),
    )
}  # fmt: skip
"""The colours as variables of CSS, so that a page can be light or dark."""

WIDTHS: Mapping[str, float] = {"column": 3.25, "page": 6.75}
"""In inches. Columns of journals and proceedings are 3.0 to 3.5 wide."""

FONTS: Mapping[str, str] = {"sans": "DejaVu Sans", "serif": "STIXGeneral"}
"""The fonts that Matplotlib brings along; the second looks like Times."""

SIZE, SMALL = 8.0, 7.0
"""The sizes of text, in points."""

LINE = 0.15
"""The height of a line of text, in inches."""

_STYLE: dict[str, Any] = {
    "font.size": SIZE,
    "text.parse_math": False,  # a label with two dollar signs is no formula
    "text.color": INK,
    "axes.titlesize": SIZE,
    "axes.titlecolor": INK,
    "axes.labelsize": SMALL,
    "axes.labelcolor": INK,
    "axes.edgecolor": SOFT,
    "axes.linewidth": 0.6,
    "axes.facecolor": PAPER,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": SOFT,
    "xtick.labelcolor": INK,
    "xtick.labelsize": SMALL,
    "xtick.major.width": 0.6,
    "xtick.major.size": 2.0,
    "xtick.major.pad": 2.0,
    "ytick.color": SOFT,
    "ytick.labelcolor": INK,
    "ytick.labelsize": SMALL,
    "ytick.major.width": 0.6,
    "ytick.major.size": 2.0,
    "ytick.major.pad": 3.0,
    "grid.color": GRID,
    "grid.linewidth": 0.5,
    "lines.solid_capstyle": "butt",
    "figure.facecolor": PAPER,
    "figure.edgecolor": PAPER,
    # How files are written: text as text; in PDF as TrueType, because some publishers refuse
    # Type 3; and the same bytes each time.
    "svg.fonttype": "none",
    "svg.hashsalt": "carob",
    "pdf.fonttype": 42,
    "savefig.dpi": 300,
}

_NO_DATE: Mapping[str, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}
"""What would make the file of tomorrow, or of the next version of Matplotlib, another one."""


class Chart(Figure):
    """A figure of Matplotlib. It shows itself in a notebook, and is saved as the same bytes each
    time.
    """

    link_names: dict[str, str]
    """What each link of the chart shows, by its address."""

    def __init__(self, *arguments: Any, **parameters: Any) -> None:
        super().__init__(*arguments, **parameters)
        self.link_names = {}

    def savefig(self, fname: Any, **parameters: Any) -> None:
        """Save the figure: see the documentation of Matplotlib."""
        name = os.fspath(fname) if isinstance(fname, (str, os.PathLike)) else ""
        form = parameters.get("format") or os.path.splitext(name)[1][1:]  # noqa: PTH122
        with settings():
            metadata = {**_NO_DATE.get(form, {}), **(parameters.pop("metadata", None) or {})}
            super().savefig(fname, metadata=metadata or None, **parameters)

    def content(self, form: str, dpi: float = 300) -> bytes:
        """The figure as the content of a file: svg, pdf or png."""
        file = io.BytesIO()
        self.savefig(file, format=form, dpi=dpi)
        return file.getvalue()

    def _repr_svg_(self) -> str:
        return self.content("svg").decode()

    def missing_signs(self) -> list[str]:
        """A remark if the fonts lack signs that the chart has; files other than SVG then have boxes
        instead.
        """
        texts = [each for each in self.findobj(Text) if isinstance(each, Text)]
        signs = {sign for each in texts for sign in each.get_text()} - {"\n"}
        families = [name for each in texts for name in each.get_fontfamily()]
        for name in dict.fromkeys(families):
            signs -= {chr(code) for code in get_font(findfont(name)).get_charmap()}
        if not signs:
            return []
        few = ", ".join(sorted(signs)[:5]) + (" ..." if len(signs) > 5 else "")
        return [f"the font has no sign for {few}: boxes are drawn instead; --font names another"]


def check_font(font: str) -> None:
    """Refuse the name of a font that is not installed."""
    if font not in FONTS and font not in (names := fontManager.get_font_names()):
        few = nearest(font, names).partition(" there are: ")[0]
        raise UsageError(f"no font is called {font!r}{few if '?' in few else ''}")


@contextmanager
def settings(font: str = "sans") -> Iterator[None]:
    """The style of charts, whatever the user's own settings of Matplotlib are; these come back."""
    check_font(font)
    family = FONTS.get(font, font)
    with mpl.rc_context(), warnings.catch_warnings():
        # A sign that the font lacks is drawn as a box. `missing_signs` tells which these are.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        mpl.rcdefaults()
        style: Any = _STYLE | {"font.family": list(dict.fromkeys([family, FONTS["sans"]]))}
        mpl.rcParams.update(style)
        yield


def chart(width: float, height: float) -> Chart:
    """An empty figure of this size in inches."""
    return Chart(figsize=(width, height))


def axes(figure: Figure, left: float, top: float, width: float, height: float) -> Axes:
    """Axes at a place in inches from the left and upper edge of the figure."""
    whole_width, whole_height = figure.get_size_inches()
    return figure.add_axes((
        left / whole_width, 1 - (top + height) / whole_height, width / whole_width,
        height / whole_height,
    ))  # fmt: skip


def footnotes(notes: Sequence[str], width: float) -> tuple[list[str], float]:
    """Small lines for the lower edge of a chart of this width, and the room that they need."""
    lines: list[str] = []
    for note in notes:
        line = ""
        for whole_word in note.split(" "):
            word = fitting(whole_word, width - 0.2, _NOTE)
            longer = f"{line} {word}" if line else word
            if line and text_width(longer, _NOTE) > width - 0.2:
                lines.append(line)
                longer = word
            line = longer
        lines.append(line)
    return lines, LINE * 0.9 * len(lines) + 0.05 if lines else 0.0


def draw_footnotes(figure: Figure, lines: Sequence[str]) -> None:
    """The lines of `footnotes`."""
    width, height = figure.get_size_inches()
    for i, line in enumerate(reversed(lines)):
        base = 0.03 + i * LINE * 0.9
        figure.text(0.03 / width, base / height, line, size=_NOTE, color=SOFT)


_NOTE = SMALL - 0.5


class Key(NamedTuple):
    """One entry of a legend: a square of a colour, or the marker of a line."""

    text: str
    color: str
    marker: str = ""


def key_lines(keys: Sequence[Key], width: float) -> list[list[tuple[float, Key]]]:
    """The entries of a legend with their places in inches, in as many lines as they need."""
    lines: list[list[tuple[float, Key]]] = [[]]
    place = 0.0
    for key in keys:
        own = _SQUARE + 0.05 + text_width(key.text)
        if lines[-1] and place + own > width:
            lines.append([])
            place = 0.0
        lines[-1].append((place, key))
        place += own + 0.14
    return lines


_SQUARE = 0.085
"""The side of a square of colour in a legend, in inches."""


def draw_key(figure: Figure, lines: Sequence[Sequence[tuple[float, Key]]], left: float) -> None:
    """A legend at the upper edge of a figure."""
    width, height = figure.get_size_inches()
    for row, line in enumerate(lines):
        base = 1 - (0.14 + row * LINE) / height
        for place, key in line:
            if key.marker:
                middle = (left + place + _SQUARE / 2) / width, base + _SQUARE / 2 / height
                figure.add_artist(Line2D(
                    *([each] for each in middle), color=key.color, marker=key.marker, markersize=5,
                    markeredgewidth=0, linestyle="none", transform=figure.transFigure,
                ))  # fmt: skip
            else:
                figure.add_artist(Rectangle(
                    ((left + place) / width, base - 0.005 / height), _SQUARE / width,
                    _SQUARE / height, color=key.color, linewidth=0, transform=figure.transFigure,
                ))  # fmt: skip
            figure.text((left + place + _SQUARE + 0.05) / width, base, key.text, size=SMALL)


def without_prefix(names: Sequence[str]) -> tuple[list[str], str]:
    """Names without the part before a dot that all have, and this part.

    >>> without_prefix(["talk.host", "talk.place.room"]), without_prefix(["PER"])
    ((['host', 'place.room'], 'talk.'), (['PER'], ''))
    """
    parts = [name.split(".")[:-1] for name in names] if len(names) > 1 else []
    same = takewhile(lambda level: len(set(level)) == 1, zip(*parts, strict=False))
    prefix = "".join(f"{level[0]}." for level in same)
    return [name.removeprefix(prefix) for name in names], prefix


def plain_numbers() -> ScalarFormatter:
    """Numbers beside an axis: as many decimals each, and no powers of ten."""
    form = ScalarFormatter(useOffset=False)
    form.set_scientific(False)
    return form


def inches(width: float | str) -> float:
    """The width of a chart in inches.

    >>> inches("column"), inches(5)
    (3.25, 5.0)
    """
    if width in WIDTHS:
        return WIDTHS[str(width)]
    try:
        number = float(width)
    except ValueError:
        number = 0.0
    if not 1.5 <= number <= 40:
        raise UsageError(
            f"found width {width!r}, expected {' or '.join(WIDTHS)}, or from 1.5 to 40 inches"
        )
    return number


def printable(text: str) -> str:
    """A text without signs that cannot be shown, not longer than anyone would read.

    >>> printable("a\\nb"), len(printable("x" * 1_000_000))
    ('a\\\\nb', 401)
    """
    return plain(text if len(text) <= 400 else f"{text[:200]}…{text[-200:]}")


def text_width(text: str, size: float = SMALL, weight: str = "normal") -> float:
    """How wide a text is, in inches, in the font of the `settings`."""
    return _text_width(text, size, weight, tuple(mpl.rcParams["font.family"]))


@lru_cache(4096)  # a page has the same names in many charts
def _text_width(text: str, size: float, weight: str, family: tuple[str, ...]) -> float:
    font = FontProperties(family=list(family), size=size, weight=weight)
    width: float = text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]
    return width / 72


def fitting(text: str, room: float, size: float = SMALL, weight: str = "normal") -> str:
    """A name that fits into some inches: one that is too long loses its middle."""
    text = printable(text)
    room += 0.01  # widths are rounded, and as much does not show
    if text_width(text, size, weight) <= room or len(text) < 3:
        return text
    # Names of files differ at their ends as often as at their beginnings.
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if text_width(_without_middle(text, middle), size, weight) <= room:
            low = middle
        else:
            high = middle - 1
    return _without_middle(text, low)


def name_column(
    names: Sequence[str], width: float, size: float = SMALL, share: float = 0.3
) -> tuple[list[str], float]:
    """Names as they fit beside a chart of this width, and the inches that they need. They get this
    share of the width, and more only if long names would look alike.
    """
    for more in (0.0, 0.1, 0.2, 0.3):
        shown = [fitting(name, (share + more) * width, size) for name in names]
        if len(set(shown)) == len(set(names)):
            break
    return shown, max((text_width(name, size) for name in shown), default=0.0)


def _without_middle(text: str, length: int) -> str:
    end = length // 3
    return f"{text[: length - end]}…{text[-end:] if end else ''}"
