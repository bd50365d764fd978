"""The tables of docs/explain.md are those that the real data gives, and nothing is unexplained."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_the_page_has_what_the_data_gives(data: Path) -> None:
    spec = importlib.util.spec_from_file_location("explained", ROOT / "tools" / "explained.py")
    assert spec is not None and spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    text = tool.page()
    page = (ROOT / "docs" / "explain.md").read_text(encoding="utf-8")
    assert f"<!-- explained -->\n{text}<!-- /explained -->" in page, "tools/explained.py --write"
    rows = [line for line in text.splitlines() if line.startswith(("| wnut17", "| conll2003"))]
    assert len(rows) == 12 and all(row.endswith("| 0.0000 |") for row in rows)
