"""Names of systems and labels mean nothing in LaTeX and Markdown, in any kind of result."""

from __future__ import annotations

import re

import pytest

from tests.results import KINDS, result

SPECIAL = re.compile(r"(?<!\\)[%$#_^~]|(?<!\\)&(?! )|(?<! )(?<!\\)&")
"""What LaTeX would take for something else; an & between blanks separates two cells."""

TABLES_WITH_NAMES = ("scores", "comparison", "robustness")


@pytest.mark.parametrize("kind", KINDS)
def test_latex_has_no_sign_that_means_something(kind: str) -> None:
    made = result(kind)
    text = made.to("latex", by_label=True)
    code = [line for line in text.splitlines() if not line.startswith("%")]
    rows = [line.removesuffix(r" \\") for line in code if line.endswith(r" \\")]
    assert rows
    for row in rows:
        bare = re.sub(r"\\text\w+\{\}|\$-\$|\$\\cdot\$|\\[{}]", "", row)
        assert None is SPECIAL.search(bare), row
        assert "{" not in bare, row
    tables = text.split(r"\begin{tabular}")[1:]
    for table in tables:
        columns = table[1 : table.index("}\n")]
        for row in table.split("\n"):
            if row.endswith(r" \\"):
                assert len(columns) == 1 + len(re.findall(r"(?<!\\)&", row)), row
    if kind in TABLES_WITH_NAMES:
        assert r"a\_b \& c\%" in "\n".join(rows)
        assert r"\$p\{q\}\textasciitilde{}\textasciicircum{}" in "\n".join(rows)
    if kind in ("scores", "errors"):
        assert r"L\_1 \& 5\% | \#" in "\n".join(rows)


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
