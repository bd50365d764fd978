"""Silent nonsense is answered by one line with what to do; good files get no such line, and every
option that a line names finds more of gold.
"""

from __future__ import annotations

import json
import random
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import carob
from carob import Corpus
from carob.cli import main
from carob.evaluate import checks
from carob.evaluate.options import Options
from carob.evaluate.run import prepare
from tests.worlds import times

Span = tuple[int, int, str]


def spans(seed: int, documents: int = 8) -> list[list[Span]]:
    """Spans of documents with a text of a hundred words of four letters."""
    rng = random.Random(seed)
    found = []
    for _ in range(documents):
        starts = sorted(rng.sample(range(1, 99), 4))
        found.append([(5 * s, 5 * (s + rng.randint(1, 2)) - 1, rng.choice("AB")) for s in starts])
    return found


TEXT = " ".join(f"w{row:03}" for row in range(100))


def jsonl(documents: list[list[Span]], start: int = 0, end: int = 0) -> str:
    lines = []
    for row, some in enumerate(documents):
        mentions = [{"start": a + start, "end": b + end, "label": label} for a, b, label in some]
        lines.append(json.dumps({"id": f"d{row}", "text": TEXT + " " * 9, "mentions": mentions}))
    return "\n".join(lines) + "\n"


def looks(gold: Any, system: Any, **options: Any) -> list[str]:
    """What the checks that always run have found, which is among the remarks."""
    run = prepare(gold, {"s": system}, "exact.F1", Options(resamples=0, **options))
    found = [
        f"{each.system or 'gold'}: {each.text}" for each in run.checks if each.verdict == "look"
    ]
    assert found == [each for each in run.remarks if each in found]
    return found


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    def written(name: str, text: str) -> Path:
        file = tmp_path / name
        file.write_text(text)
        return file

    return written


TEXTS = "both sides must count the same text from 0"
FIRST = "the first position is 0, on both sides"


@pytest.mark.parametrize(
    ("shift", "what", "remedy"),
    [
        ((1, 1), "places are moved by -1", TEXTS),
        ((-3, -3), "places are moved by +3", TEXTS),
        ((7, 7), "places are moved by -7", TEXTS),
        ((0, -1), "ends are moved by +1",
         "write the ends of the system exclusive, one past the last position"),
        ((0, 1), "ends are moved by -1",
         "write the ends of gold exclusive, one past the last position"),
        ((1, 0), "starts are moved by -1", FIRST),
        ((-1, 0), "starts are moved by +1", FIRST),
    ],
)  # fmt: skip
def test_a_constant_shift_is_named(
    shift: tuple[int, int], what: str, remedy: str, write: Callable[[str, str], Path]
) -> None:
    gold = write("gold.jsonl", jsonl(spans(1)))
    system = write("system.jsonl", jsonl(spans(1), *shift))
    (found,) = looks(gold, system)
    scores = carob.score(gold, {"s": system}, "exact.F1", resamples=0, audit=True)
    assert found in scores.remarks
    assert scores.audit is not None and found[3:] in [each.text for each in scores.audit]
    assert f"s: 32 of 32 mentions have gold's place if {what}, and 0 as they are: {remedy}" == found


def test_no_shift_is_seen_where_systems_make_errors(write: Callable[[str, str], Path]) -> None:
    for seed in range(times(0.5)):
        rng = random.Random(seed)
        gold = spans(seed)
        system = [
            [
                (a - 5 * rng.choice([0, 0, 1]), b + 5 * rng.choice([0, 1, 1]), label)
                for a, b, label in some
                if rng.random() < 0.8
            ]
            for some in gold
        ]
        files = write("gold.jsonl", jsonl(gold)), write("system.jsonl", jsonl(system))
        assert [] == looks(*files)


def test_a_few_mentions_show_no_shift() -> None:
    gold, system = (
        Corpus.of("[Ann Lee]PER met [Bo Ray]PER"),
        Corpus.of("[Ann]PER Lee met [Bo]PER Ray"),
    )
    assert [] == looks(gold, system)


def test_the_places_of_a_large_file_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    gold = Corpus.of(*map(json.loads, jsonl(spans(1, 50)).splitlines()))
    system = Corpus.of(*map(json.loads, jsonl(spans(1, 50), 2, 2).splitlines()))
    for most, count in ((1000, 200), (40, 40), (39, 36)):
        monkeypatch.setattr(checks, "SAMPLE", most)
        (found,) = looks(gold, system)
        assert found.startswith(f"s: {count} of {count} mentions have gold's place if places are")
    monkeypatch.setattr(checks, "SAMPLE", 2)  # one document, which shows too little
    assert [] == looks(gold, system)


def test_inclusive_ends_are_read_as_such(write: Callable[[str, str], Path]) -> None:
    rows = ["id,start,end,label"]
    for row, some in enumerate(spans(2)):
        rows += [f"d{row},{a},{b - 1},{label}" for a, b, label in some]
    gold = write("gold.jsonl", jsonl(spans(2)))
    system = write("system.csv", "\n".join(rows) + "\n")
    (found,) = looks(gold, system, system_options={"document": "id"})
    assert found.endswith(": --read system.offsets=inclusive")


def test_mentions_that_tokens_of_the_system_cut_are_counted(
    write: Callable[[str, str], Path],
) -> None:
    text = "Ann of York-based Acme"
    mentions = [{"start": 7, "end": 11, "label": "LOC"}, {"start": 18, "end": 22, "label": "ORG"}]
    gold = write("gold.jsonl", json.dumps({"id": "1", "text": text, "mentions": mentions}))
    system = write("system.conll", "# newdoc id = 1\nAnn O\nof O\nYork-based B-LOC\nAcme B-ORG\n")
    assert [
        "s: 1 mention of gold, of 2, begin or end inside a token of the system, which cannot find "
        "them exactly: split its tokens there, or score overlap.PRF"
    ] == looks(gold, system)
    split = "# newdoc id = 1\nAnn O\nof O\nYork B-LOC\n-based O\nAcme B-ORG\n"
    assert [] == looks(gold, write("system.conll", split))


@pytest.mark.parametrize("tags", [["0", "1"], ["0.93", "0.5"], ["LABEL_0", "LABEL_2"]])
def test_numbers_are_no_labels(tags: list[str]) -> None:
    told = f"the labels {', '.join(sorted(tags))} are numbers: write the names, which the model has"
    assert [f"gold: {told} (id2label)", f"s: {told} (id2label)"] == looks([tags], [tags])
    assert [f"s: {told} (id2label)"] == looks([["O", "B-PER"]], [tags])


def test_gold_may_have_numbers_for_labels() -> None:
    gold = Corpus.of("[Ann]12 met [Bo]7")
    assert [] == looks(gold, gold)


def test_a_column_of_tags_beside_a_column_of_o_is_named(
    write: Callable[[str, str], Path],
) -> None:
    gold = write("gold.conll", "Ann B-PER\nslept O\n")
    read = write("read.conll", "Ann B-PER O\nslept O O\n")
    text = "s: no mention in the column that is read: --read system.columns=1 finds some of gold"
    assert [text] == looks(gold, read)
    assert [] == looks(gold, write("chunks.conll", "Ann B-NP O\nslept B-VP O\n"))
    assert [] == looks(gold, write("none.conll", "Ann O\nslept O\n"))


def test_gold_without_any_mention_is_named(write: Callable[[str, str], Path]) -> None:
    gold = write("gold.conll", "Ann B-NP O\nslept O O\n")
    system = write("system.conll", "Ann B-PER\nslept O\n")
    assert [
        "gold: no mention in 1 document, so that every score is 0 or has no value, whatever a "
        "system answers: it may be the wrong file, or the wrong column"
    ] == looks(gold, system)
    assert [] == looks(system, gold)  # a system may find nothing


BIO = "Ann B-PER\nLee I-PER\nmet O\nBo B-PER\nRay I-PER\n"
DETECTED = "without --scheme it is detected"


@pytest.mark.parametrize(
    ("scheme", "told"),
    [
        ("io", f"--scheme io makes labels of tags such as B-PER: {DETECTED}"),
        (
            "iobes",
            "2 sequences of tags, more than half, are not legal in iobes, and 0 in iob2: "
            f"{DETECTED}",
        ),
        ("ioe2", None),
        ("iob2", None),
        ("auto", None),
    ],
)  # fmt: skip
def test_a_scheme_that_does_not_fit_is_named(
    scheme: str, told: str | None, write: Callable[[str, str], Path]
) -> None:
    file = write("gold.conll", BIO if scheme != "ioe2" else "Ann I-PER\nLee E-PER\nmet O\n")
    options = {"scheme": scheme}
    found = looks(file, file, gold_options=options, system_options=options)
    assert ([f"gold: {told}", f"s: {told}"] if told else []) == found


def options_in(remark: str) -> list[str]:
    """The options that a remark names, as a shell splits them."""
    words = [each.rstrip(",;:)") for each in shlex.split(remark.replace("'s ", " "))]
    return [word for at, name in enumerate(words) if name in ("--map", "--read", "--system-format")
            for word in (name, words[at + 1])]  # fmt: skip


def records(*rows: Any) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def doccano(end: int = 0, unit: str = "char") -> str:
    """Documents of words of letters, two of which are marked after a sign of two UTF-16 units."""

    def place(text: str, at: int) -> int:
        return at if unit == "char" else len(text[:at].encode("utf-16-le")) // 2

    rows = []
    for row in range(6):
        text = f"\N{GRINNING FACE} met Annabel and {'x' * row} Robertson there"
        words = "Annabel", "Robertson"
        marked = [(text.index(word), text.index(word) + len(word)) for word in words]
        label = [[place(text, a), place(text, b) + end, "PER"] for a, b in marked]
        rows.append({"id": row, "text": text, "label": label})
    return records(*rows)


CASES = {
    "a label in words": ("Ann B-PER\nmet O\n", "Ann B-person\nmet O\n", []),
    "labels of other case": ("Ann B-PER\nBo B-PER\n", "Ann B-PER\nBo B-Per\n", []),
    "tags in small letters": (BIO, BIO.replace("B-PER", "b-per").replace("I-PER", "i-per"), []),
    "several labels": (
        "Ann B-PER\nmet O\nOslo B-LOC\n", "Ann B-person\nmet O\nOslo B-location\n", []
    ),
    "offsets of the system": (doccano(), doccano(unit="utf16"), []),
    "offsets of gold": (doccano(unit="utf16"), doccano(), []),
    "inclusive ends of the system": (doccano(), doccano(-1), []),
    "inclusive ends of gold": (doccano(-1), doccano(), []),
    "slots": (
        records({"id": "1", "speaker": "Ann"}), records({"id": "1", "speakers": "Ann"}), []
    ),
    "entities": (
        records({"id": "1", "who": "Ann", "where": "Oslo"}),
        records({"id": "1", "entities": [{"text": "Ann", "type": "who"}]}),
        ["--system-format", "records"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_every_option_that_a_remark_names_finds_more(
    case: str, write: Callable[[str, str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    gold, system, own = CASES[case]
    ending = "jsonl" if gold.startswith("{") else "conll"
    paths = [str(write(f"gold.{ending}", gold)), str(write(f"system.{ending}", system))]
    recipe = "oads.R" if case in ("slots", "entities") else "exact.R"

    def score(*options: str) -> dict[str, Any]:
        assert 0 == main(["score", *paths, "-m", recipe, "--format", "json", *options])
        result: dict[str, Any] = json.loads(capsys.readouterr().out)
        return result

    def recall(result: dict[str, Any]) -> float:
        return result["systems"][0]["scores"][0]["value"] or 0.0

    before = score(*own)
    remarks = carob.score(paths[0], paths[1], recipe, resamples=0,
                          system_options={"format": "records"} if own else {}).remarks  # fmt: skip
    suggested = [word for remark in dict.fromkeys(remarks) for word in options_in(remark)]
    assert suggested, remarks
    assert recall(score(*own, *suggested)) > recall(before)


@pytest.mark.parametrize("tags", [("b-PER", "i-PER"), ("B_PER", "I_PER"), ("PER-B", "PER-I")])
def test_no_new_names_are_suggested_for_prefixes(
    tags: tuple[str, str], write: Callable[[str, str], Path]
) -> None:
    system = BIO.replace("B-PER", tags[0]).replace("I-PER", tags[1])
    for sides in ((BIO, system), (system, BIO)):
        files = [write(f"{name}.conll", text) for name, text in zip("gs", sides, strict=True)]
        scores = carob.score(files[0], files[1], "exact.F1", resamples=0)
        assert 1.0 == scores.value
        assert not [each for each in scores.remarks if "--map" in each]


def test_names_that_find_nothing_more_are_not_suggested() -> None:
    gold, elsewhere = Corpus.of("[Ann]PER met Bo"), Corpus.of("Ann met [Bo]person")
    remarks = carob.score(gold, {"s": elsewhere}, "exact.F1", resamples=0).remarks
    assert (
        "s: gold has no label person (1 mention)",
        "s: no mention has the label PER, which gold has 1 time",
    ) == remarks


@pytest.mark.parametrize("corpus", ["conll2003-dev", "wnut17"])
def test_good_files_look_good(corpus: str, data: Path) -> None:
    folder = data / corpus
    for system in sorted((folder / "systems").iterdir()):
        assert [] == looks(folder / "gold.conll", system)
