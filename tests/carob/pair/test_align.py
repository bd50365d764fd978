"""Different tokens or spaces: characters are aligned, mentions of a system move onto gold's text,
and files that share too little are refused. White space at the ends of lines never matters.
"""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carob import Corpus, Document, InputError, Mention, Pair, score
from carob.cli import main
from carob.corpus.problems import DataError
from carob.pair import align
from carob.pair.align import align_texts, aligned, in_own_characters
from tests.worlds import times

GOLD = "Ann B-PER\nleft O\nYork-based B-MISC\nfirms O\n"
SYSTEM = "Ann B-PER\nleft O\nYork B-LOC\n- O\nbased O\nfirms O\n"


def obvious_alignment(left: str, right: str) -> list[int]:
    """The definition, one character and one pair of places at a time."""
    to = [-1] * len(right)
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] == right[j]:
            to[j] = i
            i, j = i + 1, j + 1
            continue
        best = None
        for a in range(min(align.LOOK, len(left) - i) + 1):
            for b in range(min(align.LOOK, len(right) - j) + 1):
                one = [*left[i + a : i + a + align.AGREE], *"\n\n\n"][: align.AGREE]
                other = [*right[j + b : j + b + align.AGREE], *"\n\n\n"][: align.AGREE]
                if one == other and (best is None or (a + b, a) < best[:2]):
                    best = a + b, a, b
        if best is None:
            break
        i, j = i + best[1], j + best[2]
    return to


@given(st.text("ab-", max_size=14), st.text("ab-", max_size=14))
def test_characters_are_aligned_as_the_definition_says(left: str, right: str) -> None:
    assert obvious_alignment(left, right) == align_texts(left, right).tolist()


def test_long_texts_are_aligned_as_the_definition_says() -> None:
    rng = random.Random(4)
    for _ in range(times(0.25)):
        left = "".join(rng.choices("abcdefgh", k=rng.randint(100, 400)))
        right = "".join(sign for sign in left if rng.random() > 0.03)
        assert obvious_alignment(left, right) == align_texts(left, right).tolist()


def _cut(rng: random.Random, text: str) -> list[tuple[int, int]]:
    """The characters of a text in random tokens."""
    ends = [*sorted(rng.sample(range(1, len(text)), rng.randrange(len(text)))), len(text)]
    return list(zip([0, *ends], ends, strict=False))


def test_mentions_keep_their_characters_whatever_the_tokens() -> None:
    rng = random.Random(5)
    for _ in range(150):
        text = "".join(rng.choices("abc", k=rng.randint(2, 12)))
        sides = []
        for _ in range(2):
            tokens = _cut(rng, text)
            first = rng.randrange(len(tokens))
            last = rng.randrange(first, len(tokens))
            words = [text[start:end] for start, end in tokens]
            mention = {"start": first, "end": last + 1, "label": "X"}
            corpus = Corpus.of({"tokens": words, "mentions": [mention]})
            sides.append((corpus, (tokens[first][0], tokens[last][1])))
        (gold, ours), (system, theirs) = sides
        left = in_own_characters(gold, "gold")
        right = aligned(left, system, np.array([0]))
        assert right.facts == {"aligned_characters": 2 * len(text), "unaligned_characters": 0}
        for corpus, (start, end) in ((left, ours), (right, theirs)):
            low, high = corpus.mentions.start.item(), corpus.mentions.end.item()
            assert text[start:end] == (left[0].text or "")[low:high].replace(" ", "")
        found = score(gold, system, "exact.F1", resamples=0, align="characters")
        assert (1.0 if ours == theirs else 0.0) == found["exact.F1"].value


def test_the_time_grows_with_mentions_and_not_with_mentions_times_text() -> None:
    count = 100_000
    mentions = tuple(Mention("X", place, place + 1) for place in range(0, count, 5))
    gold = Corpus.of(Document(tokens=("York-based",) * count, mentions=mentions))
    halves = tuple(Mention("X", 2 * each.start, 2 * each.end) for each in mentions)
    system = Corpus.of(Document(tokens=("York-", "based") * count, mentions=halves))
    began = time.process_time()
    assert 1 == score(gold, system, "exact.F1", resamples=0, align="characters").value
    assert time.process_time() - began < 6


def test_a_mention_of_which_nothing_is_shared_stays_a_mention() -> None:
    gold = in_own_characters(Corpus.of("he said hello to everybody here"), "gold")
    system = Corpus.of("he said [@@@]X hello to everybody here [##]Y")
    found = aligned(gold, system, np.array([0]))
    assert [("h", "X"), ("e", "Y")] == [
        ("he said hello to everybody here"[start:end], found.labels[label])
        for start, end, label in zip(
            found.mentions.start, found.mentions.end, found.mentions.label, strict=True
        )
    ]
    assert 5 == found.facts["unaligned_characters"]


def test_files_that_share_too_little_are_refused() -> None:
    gold = in_own_characters(Corpus.of("Ann left Rome"), "gold")
    with pytest.raises(InputError) as caught:
        aligned(gold, Corpus.of("It rained all day"), np.array([0]))
    assert (
        "system:1: K260 found 0.0% of the characters aligned with those of gold, expected at least "
        "90%; least of all in document '1': are these the same documents in the same order?"
    ) == str(caught.value)
    with pytest.raises(DataError, match="document 'a' of gold has no text and no tokens"):
        aligned(Corpus.of({"id": "a", "unit": "char"}), Corpus.of({"id": "a", "text": "A"}),
                np.array([0]))  # fmt: skip


@pytest.mark.parametrize("text", ["Ann\nBo", "Ann \r\nBo", "Ann\rBo\n\n", "Ann\t\nBo  \r\n"])
def test_white_space_at_ends_of_lines_never_matters(text: str) -> None:
    at = text.index("Bo")
    mentions = [{"start": 0, "end": 3, "label": "P"}, {"start": at, "end": at + 2, "label": "P"}]
    gold = Corpus.of({"text": "Ann\nBo", "mentions": [
        {"start": 0, "end": 3, "label": "P"}, {"start": 4, "end": 6, "label": "P"}
    ]})  # fmt: skip
    system = Corpus.of({"text": text, "mentions": mentions})
    for one, other in ((gold, system), (system, gold)):
        assert 1.0 == score(one, other, "exact.F1", resamples=0)["exact.F1"].value
    tokens, spaced = Corpus.of({"tokens": ["Ann", "Bo"]}), Corpus.of({"tokens": ["Ann ", "Bo\r"]})
    assert "different_words" not in Pair.of(tokens, spaced).coverage


def test_documents_without_ids_are_found_whatever_white_space_their_lines_end_in() -> None:
    def corpus(*texts: str) -> Corpus:
        mention = {"start": 0, "end": 2, "label": "P"}
        return Corpus.of(*({"text": text, "mentions": [mention]} for text in texts))

    gold = corpus("Ann\nBo", "Al met Di", "Cy")
    pair = Pair.of(gold, corpus("Cy\n", "Al met Di", "Ann \r\nBo"))
    assert ([0, 1, 2], True) == (pair.system.doc.tolist(), bool((pair.system.start == 0).all()))
    warning = "documents without ids are in another order than gold's, and are paired by "
    warning += "their words"
    assert (warning,) == pair.warnings
    assert () == Pair.of(gold, corpus("Ann \r\nBo", "Al met Di", "Cy\n")).warnings
    with pytest.raises(InputError, match="K303"):  # two that are the same: the order counts
        Pair.of(corpus("Al", "Bo", "Bo "), corpus("Bo", "Al\n", "Bo\n"))


def test_texts_that_differ_otherwise_are_still_an_error() -> None:
    gold, system = Corpus.of({"text": "Ann met Bo"}), Corpus.of({"text": "Ann  met Bo"})
    with pytest.raises(InputError, match="only tokens or spaces differ: --align characters"):
        Pair.of(gold, system)


def test_the_command_aligns_reports_and_verifies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.conll").write_text(GOLD)
    Path("system.conll").write_text(SYSTEM)
    files = ["score", "gold.conll", "system.conll", "-m", "exact.PRF", "--resamples", "0"]
    assert main(files) == 1
    assert "--align characters" in capsys.readouterr().err
    assert main([*files, "--align", "characters", "-o", "result.json"]) == 0
    result = json.loads(Path("result.json").read_text())
    scores = {each["recipe"]: each["value"] for each in result["systems"][0]["scores"]}
    assert {"exact.P": 0.5, "exact.R": 0.5, "exact.F1": 0.5} == scores
    assert "|align:characters|" in result["systems"][0]["scores"][0]["signature"]
    assert main(["verify", "result.json"]) == 0
    assert main([*files, "--align", "characters"]) == 0
    assert "system: 100.00% of the characters are aligned with gold's" in capsys.readouterr().out
    for command in ("errors", "report"):
        out = [] if command == "errors" else ["-o", "page.html"]
        assert main([command, *files[1:3], "--align", "characters", *out]) == 0
    assert Mention("PER", 0, 3) in in_own_characters(Corpus.of("[Ann]PER"), "gold")[0].mentions
