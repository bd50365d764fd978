"""Tables have ratios to the first row, and go to their place in docs/performance.md."""

from __future__ import annotations

import pytest

from _race import Contender, Run
from _report import PAGE, machine, replace_part, rounded, table


def ran(name: str, wall: float) -> Contender:
    return Contender(name, [], runs=[Run(wall, wall / 2, 50, 0, "", "")])


def test_the_table_has_ratios_to_the_first() -> None:
    rows = table([ran("a", 0.5), ran("b", 6.0), Contender("c", [], why_not_run="skipped")])
    assert "| b | 1 | 6.00 | 3.00 |" in rows.splitlines()[3]
    assert rows.splitlines()[3].endswith("| 12.0 | 12.0 |")
    assert "| c | skipped |  |  |  |  |  |" == rows.splitlines()[4]


@pytest.mark.parametrize(("ratio", "text"), [(0.123, "0.12"), (12.34, "12.3"), (123.4, "123")])
def test_ratios_have_about_three_digits(ratio: float, text: str) -> None:
    assert text == rounded(ratio)


def test_a_part_of_a_page_is_replaced_between_its_marks() -> None:
    page = "a\n<!-- peers -->\nold\n<!-- /peers -->\nb\n"
    assert "a\n<!-- peers -->\n\nnew\n\n<!-- /peers -->\nb\n" == replace_part(
        page, "peers", "new\n"
    )
    with pytest.raises(ValueError, match="expected one <!-- goals -->"):
        replace_part(page, "goals", "new")


@pytest.mark.parametrize("name", ["peers", "goals", "growth", "rates"])
def test_the_page_on_performance_has_room_for_every_table(name: str) -> None:
    page = replace_part(PAGE.read_text(encoding="utf-8"), name, "as measured")
    assert f"<!-- {name} -->\n\nas measured\n\n<!-- /{name} -->" in page


def test_the_machine_is_described() -> None:
    lines = machine().splitlines()
    assert ["processor:", "system:", "Python", "compiled", "carob"] == [
        line.split()[1] for line in lines
    ]
