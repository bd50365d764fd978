"""In one slot, longer strings are found before shorter ones, and a place is shared only where there
is no other; what nobody can look up is unknown, not found or made up.
"""

from __future__ import annotations

import random
import re

import carob
from carob import Corpus, Pair
from carob.pair.grounding import Grounded
from carob.pair.occurrences import LEVELS, Occurrences
from tests.worlds import times


def grounded(text: str | None, *fillers: object, slot: str = "s") -> Grounded:
    form = {"id": "1", "templates": [{"label": "t", "slots": {slot: list(fillers)}}]}
    gold = Corpus.of({"id": "1", **({} if text is None else {"text": text}), "templates": []})
    return Pair.of(gold, Corpus.of(form)).filled.grounded


def places(text: str, *fillers: object) -> list[str]:
    found = grounded(text, *fillers).system
    spans = [found.of(row) for row in range(len(found.offsets) - 1)]
    return [" ".join(f"{start}-{end}" for start, end in each) for each in spans]


LEE = "Ann Lee talks. Lee is fun. Ann Lee!"


def test_a_short_name_does_not_stand_in_a_longer_one_while_it_also_stands_alone() -> None:
    assert ["0-7", "15-18"] == places(LEE, "Ann Lee", "Lee")
    assert ["15-18", "0-7"] == places(LEE, "Lee", "Ann Lee"), "the order plays no part"
    assert ["15-18", "27-34", "0-7"] == places(LEE, "Lee", "ANN LEE", "Ann Lee")


def test_one_that_is_free_when_folded_goes_before_one_that_is_taken() -> None:
    assert ["0-7", "15-18"] == places("Ann Lee talks. LEE is fun.", "Ann Lee", "Lee")


def test_where_no_other_is_free_a_place_is_shared_but_never_the_same() -> None:
    assert ["0-7", "4-7", ""] == places("Ann Lee talks.", "Ann Lee", "Lee", "Lee")
    assert ["0-7", "4-10"] == places("Ann Lee Bo", "Ann Lee", "Lee Bo")


def test_places_that_were_given_are_taken() -> None:
    given = {"start": 0, "end": 7}
    assert ["0-7", "15-18"] == places(LEE, given, "Lee")
    apart = {"fragments": [[0, 3], [15, 18]]}
    assert ["0-3 15-18", "4-7"] == places(LEE, apart, "Lee")


def test_slots_are_not_in_each_others_way() -> None:
    form = {"id": "1", "templates": [{"slots": {"a": ["Ann Lee"], "b": ["Lee"]}}]}
    pair = Pair.of(Corpus.of({"id": "1", "text": LEE, "templates": []}), Corpus.of(form))
    found = pair.filled.grounded.system
    assert [((0, 7),), ((4, 7),)] == [found.of(0), found.of(1)]


def test_an_optional_filler_of_gold_stands_where_the_systems_does() -> None:
    slots = {"s": ["Lee", {"text": "Ann Lee", "optional": True}]}
    gold = Corpus.of({"id": "1", "text": LEE, "templates": [{"slots": slots}]})
    system = Corpus.of({"id": "1", "templates": [{"slots": {"s": ["Ann Lee", "Lee"]}}]})
    found = Pair.of(gold, system).filled.grounded
    assert [found.gold.of(1), found.gold.of(0)] == [found.system.of(0), found.system.of(1)]


def test_without_words_nothing_is_known() -> None:
    found = grounded(None, "Ann", {"start": 0, "end": 3})
    assert [True, False] == found.unknown.tolist(), "one with a place was read there"
    assert [False, False] == found.ungrounded.tolist()
    assert [False, False] == grounded("Ann", "Ann", "Bo").unknown.tolist()


def _slow(text: str, string: str) -> tuple[int, int] | None:
    """The first occurrence in a text of ASCII, by trying every place."""

    def ends(at: int) -> bool:
        return not 0 < at < len(text) or not re.match(r"\w\w", text[at - 1 : at + 1])

    def words(part: str) -> list[str]:
        return re.findall(r"\w+", part.lower())

    def like(part: str, level: int) -> bool:
        if level == 0:
            return part == string.strip()
        if level == 1:
            return part == part.strip() and part.lower().split() == string.lower().split()
        return bool(re.fullmatch(r"\w(.*\w)?", part, re.S)) and words(part) == words(string)

    for level in range(3):
        for start in range(len(text)):
            for end in range(start + 1, len(text) + 1):
                if ends(start) and ends(end) and like(text[start:end], level):
                    return start, end
    return None


def test_the_first_occurrence_is_that_of_trying_every_place() -> None:
    rng = random.Random(3)
    signs = ["a", "b", "A", "B", " ", " ", "-", "  ", "\n", "_", "1"]
    found = 0
    for _ in range(times(25)):
        text = "".join(rng.choices(signs, k=rng.randint(1, 12)))
        string = "".join(rng.choices(signs, k=rng.randint(1, 4)))
        if string.strip():
            expected = _slow(text, string)
            found += expected is not None
            spans = [span for level in LEVELS for span in Occurrences(text).of(string, level)]
            assert expected == next(iter(spans), None), (text, string)
    assert times(2.5) < found < times(22)


def _share(gold: list[dict[str, object]], *answers: list[object]) -> carob.Scores:
    system = [
        {"id": f"{i}", "templates": [{"slots": {"s": each}}]} for i, each in enumerate(answers)
    ]
    every = [{"id": f"{i}", "templates": [{"slots": {"s": ["Ann"]}}], **each}
             for i, each in enumerate(gold)]  # fmt: skip
    return carob.score(Corpus.of(*every), Corpus.of(*system), "oads.ungrounded-share", resamples=0)


def test_the_ungrounded_share_is_unknown_without_a_text() -> None:
    found = _share([{}, {}], ["Ann", "Bo"], ["Cy"])
    assert found.value is None
    assert "ungrounded" not in found.systems[0].coverage
    assert found.remarks == (
        "system: 3 answers have no place, and their documents no text: ungrounded-share leaves "
        "them out, since it cannot be checked whether the text has them",
    )


def test_the_share_is_over_the_answers_of_which_one_can_tell() -> None:
    found = _share([{"text": "Ann"}, {}], ["Ann", "Bo"], ["Ann", "Cy", "Di"])
    assert 1 / 2 == found.value
    assert (2, 2, 1, 3) == tuple(
        found.scores[0].counts[n] for n in ("tp", "fp", "ungrounded", "unread")
    )
    assert 1 == found.systems[0].coverage["ungrounded"]
    assert 1 == len(found.remarks)
    placed = _share([{"text": "Ann"}, {"unit": "char"}], ["Bo"],
                    ["Ann", {"text": "Cy", "start": 3, "end": 5}, "Cy"])  # fmt: skip
    assert 1 / 2 == placed.value, "what has a place was read there, the same string counts once"


def test_with_all_texts_there_is_nothing_to_remark() -> None:
    found = _share([{"text": "Ann"}], ["Ann", "Bo", "Cy"])
    assert 2 / 3 == found.value
    assert () == found.remarks
