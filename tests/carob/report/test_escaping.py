"""Names of systems and labels mean nothing in LaTeX, Markdown and HTML, in any kind of result."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from carob import Corpus, Document, Mention, compare, errors, score
from carob.result.result import Result
from tests.results import KINDS, result

TABLES_WITH_NAMES = ("scores", "comparison", "robustness")

HOSTILE = (
    "\\input{x}", "%", "a&b\\\\", "[2ex]", "*", '"a ~^_#$', "two\nlines", "`x' ,,--''", "<|>", "}{",
    "**b** | <i>", "=1+1",
)  # fmt: skip
"""Names of systems that mean something in one format or another."""

COMMANDS = {
    "begin", "end", "toprule", "midrule", "bottomrule", "quad", "par", "smallskip", "footnotesize",
    "textbf", "rlap", "textbackslash", "textasciitilde", "textasciicircum", "textasciigrave",
    "textless", "textgreater", "textbar", "char", "cdot", "leq", "dots",
    "\\", "&", "%", "$", "#", "_", "{", "}",
}  # fmt: skip
"""What our LaTeX may say; everything else comes from a name that was not escaped."""


@cache
def hostile(kind: str) -> Result:
    """Systems with hostile names, of which all labels are hostile, too."""
    tokens = tuple("abcd")

    def corpus(right: int) -> Corpus:
        return Corpus.of(*(
            Document(f"d{i}", None, tokens, tuple(
                Mention(name, 0, 2 if i < right else 1) for name in HOSTILE))
            for i in range(6)
        ))  # fmt: skip

    gold, systems = corpus(6), {name: corpus(i % 5) for i, name in enumerate(HOSTILE)}
    recipes = ["exact.F1", "exact.F1@macro"]
    if kind == "scores":
        return score(gold, systems, recipes, resamples=0)
    if kind == "comparison":
        return compare(gold, systems, recipes, resamples=0, by_label=True)
    return errors(gold, *list(systems.values())[:2], names=list(systems)[:2])


WAYS: list[tuple[str, dict[str, Any]]] = [
    ("scores", {"by_label": True}), ("scores", {"layout": "labels", "percent": True}),
    ("comparison", {}), ("comparison", {"layout": "systems"}), ("comparison", {"layout": "labels"}),
    ("errors", {}),
]  # fmt: skip


def tokens_of(text: str) -> Iterator[tuple[str, str]]:
    """The commands, special signs and other text of LaTeX, without comments."""
    pattern = re.compile(r"\\([a-z]+|.)|(%[^\n]*\n)|([{}$&#^_~])|([^\\{}$&#^_~%]+)", re.S)
    place = 0
    while place < len(text):
        match = pattern.match(text, place)
        assert match, text[place : place + 20]
        place = match.end()
        for kind, value in zip(("command", "comment", "sign", "text"), match.groups(), strict=True):
            if value is not None:
                yield kind, value


def check_latex(text: str) -> int:
    """Groups are balanced, every sign has the meaning that we gave it, rows have all columns; how
    many tables there are.
    """
    depth = tables = cells = columns = 0
    math, row = False, ""
    for kind, value in tokens_of(text):
        if kind == "command":
            assert value in COMMANDS, value
            tables += value == "begin"
            if value in ("toprule", "midrule", "bottomrule"):
                assert (0, "") == (cells, row.strip())
            if value == "\\":
                assert (columns, 0, False) == (cells + 1, depth, math)
                cells, row = 0, ""
            if value in ("toprule", "midrule", "end"):
                row = ""
        elif kind == "sign":
            depth += {"{": 1, "}": -1}.get(value, 0)
            assert depth >= 0
            cells += value == "&"
            math ^= value == "$"
            assert value in "{}$&" or (value == "^" and math), value
        elif kind == "text" and (spec := re.fullmatch("[lr]+", value)) and depth == 1:
            columns = len(spec[0]) if cells == 0 else columns
        elif kind == "text" and depth == 0:
            row += value
    assert (0, 0, False) == (depth, cells, math)
    return tables


def test_the_check_of_latex_can_fail() -> None:
    table = "\\begin{tabular}{lr}\n\\toprule\na & b \\\\\n\\bottomrule\n\\end{tabular}\n"
    assert 1 == check_latex(table)
    for wrong in ("a_1", "a & b", "5 % b", "{", "}", "#1", r"\input", "$", "x^2", r"a\midrule"):
        with pytest.raises(AssertionError):
            check_latex(table.replace("a &", f"{wrong} &"))


@pytest.mark.parametrize("kind", KINDS)
def test_latex_has_no_sign_that_means_something(kind: str) -> None:
    text = result(kind).to("latex", by_label=True)
    assert check_latex(text)
    if kind in TABLES_WITH_NAMES:
        assert r"a\_b \& c\%" in text
        assert r"\$p\{q\}\textasciitilde{}\textasciicircum{}" in text
    if kind in ("scores", "errors"):
        assert r"L\_1 \& 5\% \textbar{} \#" in text


@pytest.mark.parametrize(("kind", "style"), WAYS)
def test_hostile_names_are_text_in_every_format(kind: str, style: dict[str, Any]) -> None:
    made = hostile(kind)
    assert check_latex(made.to_latex(**style))
    text = made.to_markdown(**style)
    for table in re.findall(r"(?:^\|.*\n)+", text, re.M):
        counts = {len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) for row in table.splitlines()}
        assert 1 == len(counts), table
        # A system's own asterisks are escaped; ours are around numbers.
        assert set() == set(re.findall(r"(?<!\\)(?:\\\\)*\*\*(?![\d*.|]|\\\*| )", table))
        assert "<i>" not in table
    html = made.to("html", **style)
    assert "<i>" not in html and "&lt;i&gt;" in html


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
def test_latex_compiles(tmp_path: Path) -> None:
    every = [result(kind).to("latex", by_label=True) for kind in KINDS]
    every += [hostile(kind).to("latex", **style) for kind, style in WAYS]
    body = "\n\n\\bigskip\n".join(every)
    assert sum(map(check_latex, every)) == body.count("\\begin{tabular}")
    (tmp_path / "x.tex").write_text(
        "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n"
        f"{body}\\end{{document}}\n"
    )
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "x.tex"],
        cwd=tmp_path, capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert 0 == done.returncode, done.stdout[-2000:].decode(errors="replace")
    assert b"Missing character" not in (tmp_path / "x.log").read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_markdown_rows_have_as_many_cells_as_the_head(kind: str) -> None:
    text = result(kind).to("markdown", by_label=True)
    for table in re.findall(r"(?:^\|.*\n)+", text, re.M):
        counts = {len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}
        assert 1 == len(counts), table
        assert None is re.search(r"(?<!\\)[_#~]|&(?!amp;)", table), table
    if kind in TABLES_WITH_NAMES:
        assert r"x\|y \#1" in text
        assert r"a\_b &amp; c%" in text
