"""The page of a report: its parts, each from its own template, in one self-contained file.

A package that brings results can make their pages in the same way, from a folder of its own.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from carob import progress
from carob.report.html.text import visible
from carob.result.comparison import p_value
from carob.result.report import Report
from carob.result.result import library
from carob.result.self_audit import SelfAudit

FOLDER = Path(__file__).parent

PARTS = ("summary", "labels", "errors", "compare", "robustness", "browser", "methods")
"""The parts of the page, in their order. Each is a module with `TITLE` and `part(report)`, which
gives what the template needs, or None if this report has no such part."""


def page(report: Report) -> str:
    """The report as HTML."""
    parts = parts_of(report, "carob.report.html", PARTS)
    return render(_title(report), parts, report.scores.version, ("style.css", "browser.css"),
                  (FOLDER / "browser.js").read_text("utf-8"), report.scores.audit)  # fmt: skip


def parts_of(result: Any, package: str, names: Sequence[str]) -> list[dict[str, Any]]:
    """What the templates need: for each part of a page that this result has, a dict. Templates of
    another package are named with its last folder, and `render` needs the folder above.
    """
    folder = "" if package == __package__ else package.rpartition(".")[2]
    parts = []
    for name in progress.steps(names, "parts of the page"):
        module: Any = import_module(f"{package}.{name}")
        content = module.part(result)
        if content is not None:
            template = f"{folder}/{name}.html.j2".strip("/")
            parts.append({"name": name, "title": module.TITLE, "template": template, **content})
    return parts


def render(
    title: str, parts: Sequence[dict[str, Any]], version: str,
    styles: Sequence[str] = ("style.css",), script: str = "", audit: SelfAudit | None = None,
    folder: Path | None = None,
) -> str:  # fmt: skip
    """A page of parts, in one file; the footer has the checks of an `audit`. More templates are in
    `folder`.
    """
    text: str = environment(folder).get_template("page.html.j2").render(
        parts=parts, style="".join((FOLDER / name).read_text("utf-8") for name in styles),
        script=script, version=version, policy=_policy(script), title=title,
        audit=audit,
    )  # fmt: skip
    # What is not valid UTF-8 was made visible; this makes sure that nothing else is written.
    return text.encode("utf-8", "backslashreplace").decode()


@cache
def environment(folder: Path | None = None) -> Any:
    """The templates of this folder, and of another. Every value is escaped, and a missing one is an
    error.
    """
    jinja2 = library("jinja2", "report")
    loader = jinja2.FileSystemLoader([FOLDER, *([] if folder is None else [folder])])
    made = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, finalize=_finalize,
    )  # fmt: skip
    made.filters |= {
        "exact": _exact, "score": _score, "count": _count, "signed": _signed,
        "whole": _whole, "lines": _lines, "sentence": _sentence, "p_value": _p_value,
    }  # fmt: skip
    return made


def _finalize(value: Any) -> Any:
    """What an expression of a template writes: text from files is made visible, no value is ''."""
    if value is None:
        return ""
    return visible(value) if type(value) is str else value


class _Shown(str):
    """Text that is made visible already."""

    __slots__ = ()


def _whole(text: str) -> str:
    """Text in all its length."""
    return _Shown(visible(text, max(len(text), 1)))


def _sentence(text: str) -> str:
    """A sentence of ours, in which names from files stand."""
    return _Shown(visible(text, 2_000))


def _lines(text: str) -> str:
    """Text of ours that has line breaks."""
    return _Shown(text)


def _title(report: Report) -> str:
    names = [visible(name, 40) for name in report.order]
    few = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"{few} against {visible(Path(report.gold.path).name or 'gold', 60)}"


def _policy(script: str) -> str:
    """Nothing is loaded from anywhere, and no script runs but ours."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    own = f"script-src 'sha256-{digest}'; " if script else ""
    return (
        f"default-src 'none'; {own}style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _exact(value: float | None) -> str:
    """Every digit, as JSON has it."""
    return "" if value is None else repr(value)


def _score(value: float | None, is_count: bool = False) -> str:
    """Four decimals; counts as they are."""
    if value is None:
        return "–"
    return _count(value) if is_count else f"{value:.4f}".replace("-", "−")


def _signed(value: float | None, is_count: bool = False) -> str:
    if value is None:
        return "–"
    text = f"{value:+,.1f}" if is_count else f"{value:+.4f}"
    return text.replace("-", "−") if text.strip("+-0.,") else text[1:]


def _count(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:,.2f}"


def _p_value(p: float | None) -> str:
    return "–" if p is None else p_value(p)
