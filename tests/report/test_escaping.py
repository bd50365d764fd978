"""Names of systems and labels mean nothing in LaTeX and Markdown, in any kind of result."""

from __future__ import annotations

import re

import pytest

from carob import Corpus, Document, Mention, compare, errors, power, robust, score
from carob.result.result import Result

NAMES = ("a_b & c%", "x|y #1", "$p{q}~^")
LABEL = "L_1 & 5% | #"
SPECIAL = re.compile(r"(?<!\\)[%$#_^~]|(?<!\\)&(?! )|(?<! )(?<!\\)&")
"""What LaTeX would take for something else; an & between blanks separates two cells."""


def corpora() -> tuple[Corpus, dict[str, Corpus]]:
    tokens = tuple("abcd")
    gold = [Document(f"d{i}", None, tokens, (Mention(LABEL, 0, 2),)) for i in range(6)]
    first = [Document(f"d{i}", None, tokens, (Mention(LABEL, 0, 1),)) for i in range(6)]
    other = [Document(f"d{i}", None, tokens, (Mention("B", 0, 2),)) for i in range(6)]
    systems = (gold[:4] + first[4:], first, other)
    return Corpus.of(*gold), {
        name: Corpus.of(*documents) for name, documents in zip(NAMES, systems, strict=True)
    }


def result(kind: str) -> Result:
    gold, systems = corpora()
    if kind == "scores":
        return score(gold, systems, ["exact.PRF", "slots.SER"], resamples=0)
    if kind == "comparison":
        return compare(gold, systems, ["exact.F1", "overlap.F1"], resamples=0, by_label=True)
    if kind == "robustness":
        return robust(gold, systems, ["exact.F1", "overlap.F1"])
    a, b, _ = systems.values()
    if kind == "power":
        return power(gold, {NAMES[0]: a, NAMES[1]: b}, "exact.F1", simulations=100, trials=99)
    return errors(gold, a, b, names=NAMES[:2])


KINDS = ("scores", "comparison", "robustness", "power", "errors")
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
