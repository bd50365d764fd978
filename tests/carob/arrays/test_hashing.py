"""Equal token sequences have equal hashes, any single change shows, and pieces add up."""

from __future__ import annotations

import random

import numpy as np
import pytest

from carob.arrays.hashing import PAD, hash_lists, hash_sequences, hash_stretches, hash_tokens
from tests.worlds import times

ALPHABET = b"abcAB012.\xc3\xa9\xe6\x9d\xb1\xff\x01"


def random_tokens(rng: random.Random, most: int = 6) -> list[bytes]:
    sizes = (1, 1, 2, 3, 7, 8, 9, 15, 16, 17, 24, 31)
    return [
        bytes(rng.choice(ALPHABET) for _ in range(rng.choice(sizes)))
        for _ in range(rng.randint(1, most))
    ]


def stretches(tokens: list[bytes], gap: bytes) -> list[int]:
    """The hash of each token, where they stand in a longer buffer."""
    data = gap.join([b"", *tokens, b""]) + bytes(range(1, PAD + 1))
    starts, at = [], len(gap)
    for token in tokens:
        starts.append(at)
        at += len(token) + len(gap)
    start = np.array(starts)
    end = start + np.array([len(token) for token in tokens])
    found: list[int] = hash_stretches(np.frombuffer(data, np.uint8), start, end).tolist()
    return found


def test_a_stretch_hashes_the_same_wherever_it_stands() -> None:
    rng = random.Random(1)
    for _ in range(300):
        tokens = random_tokens(rng)
        assert stretches(tokens, b" ") == stretches(tokens, b"\t--") == stretches(tokens, b"")


def test_different_stretches_have_different_hashes() -> None:
    rng = random.Random(2)
    tokens = sorted({token for _ in range(3000) for token in random_tokens(rng)})
    assert len(tokens) > 5000
    assert len(tokens) == len(set(stretches(tokens, b" ")))


def test_equal_sequences_have_equal_hashes() -> None:
    rng = random.Random(3)
    for _ in range(300):
        tokens = random_tokens(rng)
        assert hash_tokens(tokens) == hash_tokens([bytes(bytearray(token)) for token in tokens])


def changed(rng: random.Random, tokens: list[bytes]) -> list[bytes]:
    """The same sequence with one thing different."""
    new = list(tokens)
    place = rng.randrange(len(new))
    kind = rng.choice(("letter", "longer", "shorter", "gone", "twice", "swap", "split", "merge"))
    token = new[place]
    if kind == "letter":
        at = rng.randrange(len(token))
        other = rng.choice([letter for letter in ALPHABET if letter != token[at]])
        new[place] = token[:at] + bytes([other]) + token[at + 1 :]
    elif kind == "longer":
        new[place] = token + b"x"
    elif kind == "shorter" and len(token) > 1:
        new[place] = token[:-1]
    elif kind == "gone":
        del new[place]
    elif kind == "twice":
        new.insert(place, token)
    elif kind == "swap":
        new[place], new[0] = new[0], new[place]
    elif kind == "split" and len(token) > 1:
        new[place : place + 1] = [token[:1], token[1:]]
    elif kind == "merge":
        new[place : place + 2] = [b"".join(new[place : place + 2])]
    return new


def test_any_single_change_shows() -> None:
    rng = random.Random(4)
    for _ in range(times(30)):
        tokens = random_tokens(rng)
        other = changed(rng, tokens)
        assert (tokens == other) == (hash_tokens(tokens) == hash_tokens(other))


def test_a_swap_of_two_tokens_may_change_every_bit() -> None:
    rng = random.Random(7)
    changes = []
    for _ in range(2000):
        tokens = rng.sample([bytes([letter]) for letter in ALPHABET], 2) + random_tokens(rng)
        one, other = hash_tokens(tokens), hash_tokens([tokens[1], tokens[0], *tokens[2:]])
        changes.append([(one - other) >> bit & 1 for bit in range(64)])
    share = np.mean(changes, axis=0)
    assert share.min() > 0.4 and share.max() < 0.6


def test_the_hashes_of_pieces_add_up() -> None:
    rng = random.Random(5)
    for _ in range(300):
        tokens = random_tokens(rng)
        values = np.array(stretches(tokens, b" "), np.uint64)
        cut = rng.randint(0, len(tokens))
        pieces = hash_sequences(values, np.arange(len(tokens)), np.array([0, cut, len(tokens)]))
        assert hash_tokens(tokens) == (int(pieces[0]) + int(pieces[1])) % 2**64


def test_runs_are_hashed_each_by_itself() -> None:
    rng = random.Random(6)
    sequences = [random_tokens(rng) for _ in range(50)]
    values = np.array(stretches([t for s in sequences for t in s], b" "), np.uint64)
    place = np.concatenate([np.arange(len(s)) for s in sequences])
    bounds = np.cumsum([0] + [len(s) for s in sequences])
    expected = [hash_tokens(s) for s in sequences]
    assert expected == hash_sequences(values, place, bounds).tolist()


@pytest.mark.parametrize("tokens", [[], ()])
def test_no_tokens_have_the_hash_0(tokens: list[bytes]) -> None:
    assert hash_tokens(tokens) == 0


def test_lists_are_hashed_as_each_by_itself() -> None:
    rng = np.random.default_rng(7)
    letters = ["a", "ü", "\ud800", "漢", "\0", "x" * 9, ""]
    for _ in range(300):
        lists = [
            ["".join(rng.choice(letters, rng.integers(0, 4))) for _ in range(rng.integers(0, 5))]
            for _ in range(rng.integers(0, 6))
        ]
        coded = [
            [token.encode("utf-8", "surrogatepass").replace(b"\0", b"\xff") for token in tokens]
            for tokens in lists
        ]
        assert [hash_tokens(tokens) for tokens in coded] == hash_lists(lists).tolist()
