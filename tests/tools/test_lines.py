"""Lines and files are counted by folder, whatever the package was called before."""

from __future__ import annotations

from lines import table


def test_a_row_for_each_folder_then_the_totals() -> None:
    before = {"src/old/match/exact.py": 10, "src/old/match/_c.c": 5, "src/old/recipe.py": 3}
    after = {"src/new/match/exact.py": 1000, "src/new/corpus/corpus.py": 7}
    assert [
        "| folder | files before | files after | lines before | lines after |",
        "|---|---:|---:|---:|---:|",
        "| `corpus/` | 0 | 1 | 0 | 7 |",
        "| `match/` | 2 | 1 | 15 | 1,000 |",
        "| root modules | 1 | 0 | 3 | 0 |",
        "| **all C** | 1 | 0 | 5 | 0 |",
        "| **all Python** | 2 | 2 | 13 | 1,007 |",
    ] == table(before, after).splitlines()
