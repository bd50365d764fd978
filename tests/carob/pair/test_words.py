"""Words that differ on the same row are counted, ignored or refused; documents that only gold
marks are cut at gold's rows; strings are compared without equal texts.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from carob import Corpus, InputError, Pair, UsageError, check, read, score
from carob.cli import main
from carob.evaluate.verify import verify
from carob.pair.words import different_stretches
from tests.carob.formats._files import of_bytes


def rows(words: int, wrong: int = 0) -> bytes:
    """One document, in which every third word is a mention and the first `wrong` words differ."""
    lines = [
        f"{'x' if n < wrong else ''}w{n} {'B-X' if n % 3 == 0 else 'O'}\n" for n in range(words)
    ]
    return "".join(lines).encode()


def test_a_few_different_words_are_counted() -> None:
    gold, system = of_bytes(rows(100)), of_bytes(rows(100, 4))
    pair = Pair.of(gold, system)
    assert pair.coverage["different_words"] == 4
    assert pair.warnings == ("4 words of 100 differ from gold's; places are compared",)
    assert "different_words" not in Pair.of(gold, gold).coverage
    assert len(pair.identical[0]) == 34


@pytest.mark.parametrize("wrong", [5, 50])
def test_many_different_words_are_an_error_that_says_what_helps(wrong: int) -> None:
    gold, system = of_bytes(rows(100)), of_bytes(rows(100, wrong))
    hint = f"{wrong} of 100 words differ, --words ignore compares places alone"
    with pytest.raises(InputError, match=hint):
        Pair.of(gold, system)
    pair = Pair.of(gold, system, words="ignore")
    assert (pair.warnings, len(pair.identical[0])) == ((), 34)


def test_one_different_word_is_an_error_on_request() -> None:
    with pytest.raises(InputError) as caught:
        Pair.of(of_bytes(rows(100)), of_bytes(rows(100, 1)), words="error")
    assert str(caught.value).endswith("token 1 of document '1'")


@pytest.mark.parametrize("words", ["count", "ignore", "error"])
def test_another_number_of_rows_is_always_an_error(words: str) -> None:
    with pytest.raises(InputError, match="K303 found the end of the document"):
        Pair.of(of_bytes(rows(100)), of_bytes(rows(99)), words=words)


@pytest.mark.parametrize("chars", [False, True])
def test_every_place_that_differs_is_reported(chars: bool) -> None:
    """Words, or characters, that are left out, added and changed far from each other."""
    rng = random.Random(4)
    for _ in range(200):
        left = [rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(300)]
        right, edits = list(left), sorted(rng.sample(range(1, 9), rng.randint(1, 5)))
        for at in reversed(edits):
            right[30 * at : 30 * at + rng.randint(0, 2)] = ["#"] * rng.randint(0, 2) or ["#"]
        found = list(different_stretches(*("".join(s) if chars else s for s in (left, right))))
        assert [30 * at for at in edits] == [place for place, _ in found]
    assert [] == list(different_stretches(left, left))
    assert [(0, 0)] == list(different_stretches(left, ["#"] * 1000))
    assert [(300, 300)] == list(different_stretches(left, [*left, "#"]))


def test_check_reports_every_place_in_texts_and_where_words_were_lost(tmp_path: Path) -> None:
    words = [f"w{n}" for n in range(100)]
    gold = tmp_path / "gold.conll"
    gold.write_text("".join(f"{word} O\n" for word in words))
    system = tmp_path / "system.conll"
    system.write_text("".join(f"{word} O\n" for word in words if word not in ("w9", "w60", "w80")))
    found = check(system, gold).problems
    expected = [(10, "w10", "w9", 10), (60, "w61", "w60", 61), (79, "w81", "w80", 81)]
    assert [
        f"{system}:{line}: K303 found the token '{there}', expected the token '{here}', as in "
        f"{gold}:{row}; token {row} of document '1'"
        for line, there, here, row in expected
    ] == [str(each) for each in found if not each.warning]
    texts = {"gold": "Ann met Bo in Rome, Italy", "system": "Ann met Bob in Roma, Italy"}
    for name, text in texts.items():
        record = {"id": "d", "text": text, "mentions": []}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(record))
    found = check(tmp_path / "system.jsonl", tmp_path / "gold.jsonl").problems
    assert ["character 11 of document 'd'", "character 18 of document 'd'"] == [
        each.hint for each in found if not each.warning
    ]


def test_places_beyond_the_first_hundred_are_counted_by_document() -> None:
    gold, system = (
        Corpus.of(*({"id": str(n), "tokens": ["a", *words, "b"]} for n in range(90)))
        for words in (["x", "y", "z", "x", "y"], ["#", "y", "z", "#"])
    )
    with pytest.raises(InputError) as caught:
        Pair.of(gold, system)
    assert (100, 140) == (len(caught.value.problems), caught.value.total)


def test_texts_are_never_taken_for_words() -> None:
    gold = Corpus.of({"id": "a", "text": "Ann" * 100})
    with pytest.raises(InputError, match="K303 found the character"):
        Pair.of(gold, Corpus.of({"id": "a", "text": "Ann" * 99 + "Anm"}), words="ignore")


def test_words_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold, few, many = (tmp_path / name for name in ("gold.conll", "few.conll", "many.conll"))
    for path, wrong in ((gold, 0), (few, 2), (many, 60)):
        path.write_bytes(rows(100, wrong))
    plain = ["score", "-m", "exact.F1", "--format", "json", str(gold)]
    assert main([*plain, str(few)]) == 0
    out = capsys.readouterr()
    assert "warning: few: 2 words of 100 differ from gold's" in out.err
    assert json.loads(out.out)["systems"][0]["scores"][0]["value"] == 1.0
    assert main([*plain, str(few), "--words", "error"]) == 1
    assert main([*plain, str(many)]) == 1
    capsys.readouterr()
    result = tmp_path / "result.json"
    assert main([*plain, str(many), "--words", "ignore", "-o", str(result)]) == 0
    assert "|words:ignore" in result.read_text()
    assert not verify(result).differences
    assert [(p.code, p.line, p.warning) for p in check(few, gold).problems] == [
        ("K303", 1, True),
        ("K303", 2, True),
    ]


def marked(rng: random.Random, *, ids: bool) -> tuple[str, str, str]:
    """A file with documents, the same without marks, and the same without blank lines as well."""
    lines: list[str] = []
    for number in range(4):
        lines += [f"# newdoc id = {number}" if ids else "-DOCSTART- O\n"]
        for _ in range(rng.randint(2, 3)):
            tags = [rng.choice(("O", "B-X", "I-X")) for _ in range(rng.randint(1, 4))]
            tags[0] = "O"
            lines += [f"w{rng.random()} {tag}" for tag in tags] + [""]
    unmarked = [line for line in lines if line[:1] not in ("#", "-")]
    return tuple("\n".join(each) + "\n" for each in
                 (lines, unmarked, [line for line in unmarked if line]))  # type: ignore[return-value]  # fmt: skip


@pytest.mark.parametrize("ids", [True, False])
def test_documents_that_only_gold_marks_are_cut_at_its_rows(ids: bool) -> None:
    for seed in range(50):
        text, unmarked, together = marked(random.Random(seed), ids=ids)
        gold = of_bytes(text.encode())
        for system in (unmarked, together):
            pair = Pair.of(gold, of_bytes(system.encode()))
            assert pair.coverage["missing_documents"] == 0
            assert pair.gold.doc.tolist() == pair.system.doc.tolist()
            assert len(pair.identical[0]) == len(pair.gold) == len(pair.system)


def test_a_mention_across_a_cut_becomes_two() -> None:
    gold = of_bytes(b"# newdoc id = a\nx O\ny B-X\n# newdoc id = b\nz I-X\n")
    pair = Pair.of(gold, of_bytes(b"x O\ny B-X\nz I-X\n"))
    assert len(pair.identical[0]) == 2
    with pytest.raises(InputError, match=r"file:3: K303 found the token 'q'"):
        Pair.of(gold, of_bytes(b"x O\ny B-X\nq I-X\n"))


@pytest.mark.parametrize("system", [b"x O\ny O\n", b"x O\n\ny O\n\nz O\n\nq O\n"])
def test_another_number_of_rows_is_not_cut(system: bytes) -> None:
    gold = of_bytes(b"-DOCSTART- O\n\nx O\n\ny O\n\n-DOCSTART- O\n\nz O\n")
    with pytest.raises(InputError, match=r"K30[23]"):
        Pair.of(gold, of_bytes(system))


GOLD = Corpus.of(
    {"id": "1", "text": "Talk by Ann Lee at 3:30", "mentions": [
        {"start": 8, "end": 15, "label": "who"}, {"start": 19, "end": 23, "label": "when"}]},
)  # fmt: skip
OTHER = Corpus.of(
    {"id": "1", "text": "  Talk  by Ann Lee at 3:45", "mentions": [
        {"start": 11, "end": 18, "label": "who"}, {"start": 22, "end": 26, "label": "when"}]},
)  # fmt: skip


@pytest.mark.parametrize("recipe", ["oads.F1", "oas.F1", "templates.F1"])
def test_strings_are_compared_without_equal_texts(recipe: str) -> None:
    scores = score(GOLD, OTHER, recipe, resamples=0)
    assert scores[recipe].value == 0.5
    (warning,) = scores.systems[0].warnings
    assert warning == "texts differ from gold's; strings are compared, not places"


@pytest.mark.parametrize("recipe", ["exact.F1", "oaod.F1", ["oads.F1", "exact.F1"]])
def test_places_need_equal_texts(recipe: str | list[str]) -> None:
    with pytest.raises(InputError, match="K303"):
        score(GOLD, OTHER, recipe, resamples=0)


def test_of_the_default_table_places_are_left_out() -> None:
    scores = score(GOLD, OTHER, preset="templates", resamples=0)
    assert {each.recipe.split(".")[0] for each in scores.scores} == {"oas", "oads", "templates"}
    assert any(remark.startswith("oaod is left out: ") for remark in scores.remarks)


def test_equal_texts_are_scored_as_ever() -> None:
    assert score(GOLD, GOLD, "templates.F1", resamples=0)["templates.F1"].value == 1.0
    assert not score(GOLD, GOLD, "templates.F1", resamples=0).systems[0].warnings


def test_a_system_without_marks_has_the_scores_of_one_with_them(tmp_path: Path) -> None:
    text, unmarked, together = marked(random.Random(7), ids=True)
    files = {name: tmp_path / f"{name}.conll" for name in ("gold", "unmarked", "together")}
    for path, content in zip(files.values(), (text, unmarked, together), strict=True):
        path.write_text(content.replace("I-X", "B-X", 1) if path != files["gold"] else content)
    (tmp_path / "same.conll").write_text(text.replace("I-X", "B-X", 1))
    best = score(files["gold"], tmp_path / "same.conll", "exact.F1")
    for name in ("unmarked", "together"):
        assert score(files["gold"], files[name], "exact.F1").scores[0].value == best.scores[0].value


def test_a_mention_after_the_end_names_the_file_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "system").mkdir()
    for name, end in (("a", 2), ("b", 9)):
        mention = {"start": 0, "end": end, "label": "X"}
        document = {"id": name, "unit": "char", "mentions": [mention]}
        (tmp_path / "system" / f"{name}.jsonl").write_text(json.dumps(document))
    gold = Corpus.of({"id": "b", "text": "Ann"}, {"id": "a", "text": "Ann"})
    with pytest.raises(InputError, match=r"system/b\.jsonl: K306"):
        Pair.of(gold, read(tmp_path / "system"))


@pytest.mark.parametrize("recipe", ["oas.F1", "oads.F1", "templates.F1", "oads(match=overlap).F1"])
@pytest.mark.parametrize("gold_unit", ["token", "char"])
@pytest.mark.parametrize("system_unit", ["token", "char"])
def test_strings_are_compared_whatever_positions_count(
    recipe: str, gold_unit: str, system_unit: str
) -> None:
    """The texts of the two sides differ. The twin has the strings alone, without any place."""
    rng = random.Random(7)
    sides: list[list[list[tuple[str, str]]]] = [[], []]
    records: list[list[dict[str, object]]] = [[], []]
    for number in range(40):
        for side, unit in enumerate((gold_unit, system_unit)):
            words = [rng.choice(("Ann", "Bo", "Rome", "met")) for _ in range(rng.randint(1, 6))]
            words += [f"end{side}"]
            places = sorted(rng.sample(range(len(words)), rng.randint(0, min(3, len(words)))))
            found = [(rng.choice("ab"), words[at]) for at in places]
            sides[side].append(found)
            first = [len(" ".join(words[:at])) + (at > 0) for at in places]
            ends = [at + len(words[place]) for at, place in zip(first, places, strict=True)]
            if unit == "token":
                first, ends = places, [place + 1 for place in places]
            mentions = [
                {"label": label, "start": start, "end": end}
                for (label, _), start, end in zip(found, first, ends, strict=True)
            ]
            text = {"tokens": words} if unit == "token" else {"text": " ".join(words)}
            records[side].append({"id": str(number), **text, "mentions": mentions})
    strings = [
        Corpus.of(*(
            {"id": str(number), "templates": [{"slots": {
                label: [text for own, text in found if own == label] for label in "ab"}}]}
            for number, found in enumerate(side)
        ))
        for side in sides
    ]  # fmt: skip
    expected = score(strings[0], strings[1], recipe, resamples=0).value
    gold, system = (Corpus.of(*side) for side in records)
    result = score(gold, {"s": system}, recipe, resamples=0)
    assert expected == result.value
    assert ("texts differ from gold's; strings are compared, not places",) == (
        result.systems[0].warnings
    )
    with pytest.raises((InputError, UsageError)):
        score(gold, system, "exact.F1")


def test_sides_that_cannot_be_aligned_are_an_error_that_says_what_helps() -> None:
    gold = Corpus.of("[Ann]who slept")
    system = Corpus.of({"unit": "char", "mentions": [{"start": 0, "end": 3, "label": "who"}]})
    with pytest.raises(UsageError, match="oas, oads and templates compare strings and do not need"):
        score(gold, system, "exact.F1")
