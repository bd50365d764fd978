"""Features against a loop over tokens, places and columns."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from carob.corpus.corpus import Corpus
from carob.pair.texts import Texts
from carob_lab.learn._features import Features, columns_of

DOCUMENTS = st.lists(st.lists(st.sampled_from(["Ann", "ann", "2:30", "x"]), max_size=5), max_size=3)


@settings(max_examples=50)
@given(DOCUMENTS, DOCUMENTS)
def test_features_are_those_of_a_loop(seen: list[list[str]], new: list[list[str]]) -> None:
    texts = Texts.of(Corpus.of(*({"tokens": own} for own in new)))
    features = Features.of(Texts.of(Corpus.of(*({"tokens": own} for own in seen))))
    columns = columns_of(texts)
    rows = features.rows(texts)
    number: dict[tuple[str, int, str], int] = {}
    for name, values in features.values.items():
        for place in range(-features.windows[name], features.windows[name] + 1):
            for value in (*values, "(outside)"):
                number[name, place, value] = len(number)
    assert len(features) == len(number)
    for low, high in zip(texts.offsets, texts.offsets[1:], strict=False):
        for at in range(low, high):
            expected = []
            for name, window in features.windows.items():
                for place in range(-window, window + 1):
                    there = at + place
                    found = columns[name][there] if low <= there < high else "(outside)"
                    expected.append(number.get((name, place, found or ""), len(features)))
            assert expected == rows[at].tolist()
    assert rows.dtype == np.int32


def test_layers_are_features() -> None:
    record = {"tokens": ["a", "b"], "layers": {"pos": ["DT", "NN"]}}
    features = Features.of(Texts.of(Corpus.of(record)))
    assert ("DT", "NN") == features.values["layer:pos"]
    known = features.rows(Texts.of(Corpus.of({"tokens": ["a", "b"]})))
    assert (known == len(features)).any(), "documents without the layer have no value in it"
