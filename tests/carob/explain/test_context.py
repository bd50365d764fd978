"""The words around a mention: so many on each side, and a long stretch without its middle."""

from __future__ import annotations

import pytest

from carob import Mention
from carob.explain.context import in_context

TOKENS = tuple(f"w{i}" for i in range(60))
TEXT = "".join(chr(ord("a") + i % 26) for i in range(600))


def around_tokens(mention: Mention | None, other: Mention | None = None) -> str | None:
    return in_context((None, TOKENS), "token", mention, other)


def test_six_tokens_are_shown_on_each_side() -> None:
    expected = "… w4 w5 w6 w7 w8 w9 [w10]A w11 w12 w13 w14 w15 w16 …"
    assert expected == around_tokens(Mention("A", 10, 11))


def test_nothing_is_cut_where_the_document_begins_and_ends() -> None:
    assert "w0 w1 w2 w3 w4 w5 [w6]A w7" == in_context(
        (None, TOKENS[:8]), "token", Mention("A", 6, 7)
    )


def test_both_mentions_are_shown_and_the_first_is_marked() -> None:
    expected = "… w4 w5 w6 w7 w8 w9 w10 w11 [w12]A w13 w14 w15 w16 w17 w18 …"
    assert expected == around_tokens(Mention("A", 12, 13), Mention("B", 10, 12))
    assert "w0 w1 w2 w3 w4 w5 w6 …" == around_tokens(None, Mention("B", 0, 1))


def test_every_fragment_is_marked_and_the_label_follows_the_last() -> None:
    assert "[w0] w1 [w2]A w3 w4 w5 w6 w7 w8 …" == around_tokens(Mention.of("A", [(0, 1), (2, 3)]))


@pytest.mark.parametrize(("size", "whole"), [(24, True), (25, False)])
def test_of_a_long_mention_both_ends_are_shown(size: int, whole: bool) -> None:
    shown = around_tokens(Mention("A", 0, size)) or ""
    words = TOKENS[:size] if whole else (*TOKENS[:12], "…", *TOKENS[size - 12 : size])
    assert shown.startswith(f"[{' '.join(words)}]A ")


@pytest.mark.parametrize(("size", "whole"), [(160, True), (161, False)])
def test_a_long_stretch_of_characters_is_cut_too(size: int, whole: bool) -> None:
    shown = in_context((TEXT, None), "char", Mention("A", 50, 50 + size)) or ""
    inside = TEXT[50 : 50 + size]
    expected = inside if whole else f"{inside[:80]}…{inside[-80:]}"
    assert f"…{TEXT[10:50]}[{expected}]A{TEXT[50 + size : 90 + size]}…" == shown


def test_without_words_nothing_is_shown() -> None:
    assert None is in_context((None, None), "token", Mention("A", 0, 1))
    assert None is in_context((None, TOKENS), "char", Mention("A", 0, 1))
    assert None is around_tokens(None)
