"""Text from files on a page: hidden characters are visible, long texts lose their middle."""

from __future__ import annotations

import pytest

from carob.report.html.text import visible


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann Lee", "Ann Lee"),
        ("\x00", "\\x00"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\nb\tc", "a b c"),
        ("\u202eevil", "\\u202eevil"),
        ("\udcff", "\\udcff"),
        ("שלום", "שלום"),
        ("e\u0301 👩\u200d🔬", "e\u0301 👩\u200d🔬"),
    ],
)
def test_hidden_characters_are_made_visible(text: str, expected: str) -> None:
    assert expected == visible(text)


def test_a_long_text_loses_its_middle_and_says_how_long_it_is() -> None:
    shown = visible("a" * 1_000_000)
    assert shown.endswith(" (1,000,000 characters)")
    assert len(shown) < 300
