"""Many texts are folded as one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from carob.values.raw import fold, folded

PARTS = st.sampled_from(["Ann", "BO", " ", "  ", "\n", "\t", "\x1c", "\x85", "\xa0", "É", "ﬁ", ""])


@given(st.lists(st.lists(PARTS, max_size=4).map("".join), max_size=5))
def test_many_texts_are_folded_as_one_by_one(texts: list[str]) -> None:
    assert [fold(text) for text in texts] == folded(texts)
