"""Strings get the places where they occur, whatever gold has there; what occurs nowhere is an
answer that every event space of mentions counts as wrong.
"""

from __future__ import annotations

import json
import random
import time
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from carob import Corpus, UsageError, compare, errors, read, report, score
from carob._version import __version__
from carob.cli import main
from carob.corpus.document import Span
from carob.evaluate.options import table_for
from carob.pair.string_mentions import can_be_located, located
from carob.result.result import with_checksum
from tests.carob.test_laws import SPACES, built
from tests.worlds import examples, seeds

Answer = tuple[str, str]
"""A label and a string."""
Place = tuple[str, int, int]


def answered(*documents: list[Answer]) -> Corpus:
    """What a language model says: labels and strings, in the order of each label."""
    slots: list[dict[str, list[str]]] = [defaultdict(list) for _ in documents]
    for own, answers in zip(slots, documents, strict=True):
        for label, text in answers:
            own[label].append(text)
    return Corpus.of(*({"templates": [{"slots": dict(own)}] if own else []} for own in slots))


def marked(*texts: str) -> Corpus:
    """Gold in tokens; a mention elsewhere, so that gold has some."""
    other = {"tokens": ["x"], "mentions": [{"start": 0, "end": 1, "label": "X"}]}
    return Corpus.of(*({"tokens": text.split(), "mentions": []} for text in texts), other)


def places(text: str, answers: list[Answer], locate: str = "all") -> list[Place]:
    """Label and place of each mention; 0..0 without one."""
    made = located(marked(text), answered(answers, []), np.arange(2), locate).corpus
    columns = (made.mentions.label, made.mentions.start, made.mentions.end)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return sorted((made.labels[code], start, end) for code, start, end in rows)


def counts(text: str, answers: list[Answer], locate: str = "all") -> list[int]:
    facts = located(marked(text), answered(answers, []), np.arange(2), locate).corpus.facts
    return [facts[name] for name in ("located", "ambiguous", "repeated", "ungrounded")]


ANN = [("P", "Ann"), ("P", "Bo")]


def test_an_answer_is_at_all_places_or_at_the_next_or_at_the_only_one() -> None:
    text = "Ann met Bo and Ann"
    assert [("P", 0, 1), ("P", 2, 3), ("P", 4, 5)] == places(text, ANN)
    assert [("P", 0, 1), ("P", 2, 3)] == places(text, ANN, "first")
    assert [("P", 0, 0), ("P", 2, 3)] == places(text, ANN, "once")
    for way in ("all", "first", "once"):
        assert [2 - (way == "once"), 1, 0, 0] == counts(text, ANN, way)


def test_a_second_answer_with_the_same_string_has_the_next_place_or_adds_nothing() -> None:
    text, twice = "Ann met Bo and Ann", [("P", "Ann"), ("P", "ANN"), ("P", "Ann")]
    assert [("P", 0, 1), ("P", 4, 5)] == places(text, twice)
    assert [1, 1, 2, 0] == counts(text, twice)
    assert [("P", 0, 0), ("P", 0, 1), ("P", 4, 5)] == places(text, twice, "first")
    assert [2, 3, 0, 0] == counts(text, twice, "first")
    assert [("L", 0, 1), ("P", 0, 1)] == places("Ann", [("P", "Ann"), ("L", "Ann")])


def test_what_is_not_in_the_text_is_a_mention_without_positions() -> None:
    assert [("P", 0, 0)] == places("Annual talks", [("P", "Ann")]), "never inside a word"
    assert [("P", 0, 0)] == places("Ann", [("P", "Eve"), ("P", "Eve")])
    assert [0, 0, 0, 2] == counts("Ann", [("P", "Eve"), ("P", "Eve")])
    assert [("P", 0, 0), ("P", 0, 0)] == places("Ann", [("P", "Eve"), ("P", "Eve")], "first")


def test_verbatim_goes_before_folded_and_folded_before_words() -> None:
    assert [("P", 2, 3)] == places("ann or Ann", [("P", "Ann")])
    assert [("P", 0, 1)] == places("ann or ann-lee", [("P", "ANN")], "first")
    assert [("P", 0, 3)] == places("Ann ( Lee ) talks", [("P", "ann lee")])


def test_a_string_has_no_place_within_one_that_was_given_to_its_label() -> None:
    text = "New York and York"
    assert [("L", 0, 2), ("L", 3, 4)] == places(text, [("L", "York"), ("L", "New York")])
    assert [("L", 0, 0), ("L", 0, 2)] == places("New York", [("L", "York"), ("L", "New York")])
    assert [("L", 0, 2), ("O", 1, 2)] == places("New York", [("O", "York"), ("L", "New York")])
    assert [("L", 0, 2), ("L", 1, 3)] == places("a b c", [("L", "a b"), ("L", "b c")])


def twin(text: str, answers: list[Answer], locate: str) -> list[Place]:
    """The same, word by word and without any cleverness."""
    tokens, made = text.split(), []
    for label in {label for label, _ in answers}:
        own, given_spans = [text for other, text in answers if other == label], set[Span]()
        folds = {text.lower() for text in own}
        for fold in sorted(folds, key=lambda f: (-len(f.replace(" ", "")), -len(f), f)):
            same = [text for text in own if text.lower() == fold]
            for words in (tokens, [token.lower() for token in tokens]):
                spans = set()
                for form in same if words is tokens else [fold]:
                    at, wanted = 0, form.split()
                    while at + len(wanted) <= len(tokens):
                        here = words[at : at + len(wanted)] == wanted
                        spans |= {(at, at + len(wanted))} if here else set()
                        at += len(wanted) if here else 1
                spans = {(a, b) for a, b in spans
                         if not any(c <= a and b <= d and (a, b) != (c, d)
                                    for c, d in given_spans)}  # fmt: skip
                if spans:
                    break
            some = sorted(spans) if locate != "once" or len(spans) == 1 else []
            some = some[: len(same)] if locate == "first" else some
            lost = len(same) - len(some) if locate == "first" else int(not some)
            given_spans |= set(some)
            made += [(label, a, b) for a, b in some] + [(label, 0, 0)] * lost
    return sorted(made)


def random_world(seed: int) -> tuple[str, list[Answer]]:
    rng = random.Random(seed)
    words = ["a", "A", "b", "c", "ab"][: rng.randint(2, 5)]
    text = [rng.choice(words) for _ in range(rng.randint(1, 12))]
    answers = [(rng.choice("PL"), " ".join(rng.choice(words) for _ in range(rng.randint(1, 3))))
               for _ in range(rng.randint(1, 7))]  # fmt: skip
    return " ".join(text), answers


@pytest.mark.parametrize("way", ["all", "first", "once"])
@examples(1.5)
@given(seed=seeds)
def test_places_are_those_of_a_slow_twin_in_whatever_order(way: str, seed: int) -> None:
    text, answers = random_world(seed)
    found = places(text, answers, way)
    assert twin(text, answers, way) == found
    random.Random(seed).shuffle(answers)
    assert found == places(text, answers, way)


@pytest.mark.parametrize("way", ["all", "first", "once"])
@examples(0.3)
@given(seed=seeds)
def test_characters_have_the_places_that_tokens_have(way: str, seed: int) -> None:
    text, answers = random_world(seed)
    gold = Corpus.of({"id": "1", "text": text, "mentions": [{"start": 0, "end": 1, "label": "X"}]})
    table = located(gold, answered(answers), np.array([0]), way).corpus.mentions
    begin = {at: i for i, at in enumerate([0, *(k + 1 for k, c in enumerate(text) if c == " ")])}
    spans = [(begin[a], begin[a] + text[a:b].count(" ") + 1) if b else (0, 0)
             for a, b in zip(table.start.tolist(), table.end.tolist(), strict=True)]  # fmt: skip
    assert sorted((a, b) for _, a, b in twin(text, answers, way)) == sorted(spans)


@examples(0.3)
@given(seed=seeds)
def test_the_strings_of_gold_are_right_where_each_occurs_once(seed: int) -> None:
    rng = random.Random(seed)
    tokens = rng.sample("abcdefghijk", rng.randint(1, 9))
    cuts = sorted(rng.sample(range(len(tokens) + 1), rng.randint(2, min(4, len(tokens) + 1))))
    spans = [(rng.choice("PL"), a, b) for a, b in pairwise(cuts)]
    mentions = [{"start": a, "end": b, "label": label} for label, a, b in spans]
    gold = Corpus.of({"tokens": tokens, "mentions": mentions})
    answers = [(label, " ".join(tokens[a:b])) for label, a, b in spans]
    rng.shuffle(answers)
    for way in ("all", "first", "once"):
        system = located(gold, answered(answers), np.array([0]), way).corpus
        assert 1 == score(gold, system, "exact.F1", resamples=0).value


GOLD = Corpus.of("[Ann Lee]P met [Bo]P in [Rome]L .", "[Bo]P left [Rome]L", "[Eve]P slept")
SAYS = [[("P", "Ann Lee"), ("L", "Rome"), ("P", "met")], [("P", "Bo")], []]
WRONG = [[*SAYS[0], ("P", "Zoe")], SAYS[1], [("L", "the moon")]]
MENTION_SPACES = [name for name in SPACES if built(name) and built(name).items == "mention"]


@pytest.mark.parametrize("name", MENTION_SPACES)
def test_each_space_counts_an_answer_without_a_place_as_wrong_once(name: str) -> None:
    names = ("gold_right", "gold_all", "system_right", "system_all")
    before, after = (
        [score(GOLD, {"s": answered(*says)}, f"{name}.{each}", resamples=0).value for each in names]
        for says in (SAYS, WRONG)
    )
    each = 2 if name.startswith("slots") else 1
    assert before[:3] == after[:3]
    assert before[3] is not None
    assert before[3] + 2 * each == after[3]


@pytest.mark.parametrize(
    ("recipe", "more"),
    [("exact.fp", 2), ("boundary.fp", 2), ("slots.I", 4), ("mentions.I", 2), ("semeval.SPU", 2),
     ("overlap.fp", 2), ("iou(t=0.5).fp", 2), ("nugget.N_S", 2), ("fair.FP", 2), ("ts.fp", 2),
     ("token.fp", 2), ("ts(instances=count).fp", 2), ("surface.fp", 2), ("fair.BE", 0),
     ("ts.fn", 0), ("semeval.INC", 0), ("slots.S", 0)],
)  # fmt: skip
def test_what_each_space_calls_an_answer_without_a_place(recipe: str, more: int) -> None:
    before, after = (score(GOLD, {"s": answered(*says)}, recipe, resamples=0).value
                     for says in (SAYS, WRONG))  # fmt: skip
    assert before is not None
    assert before + more == after


def test_a_token_without_a_place_weighs_1_beside_weighted_tokens(tmp_path: Path) -> None:
    weights = tmp_path / "weights.txt"
    weights.write_text("0.5\n" * sum(int(n) for n in GOLD.documents.length))
    recipe = f'ts(sep=0,token_weights="{weights}").fp'
    before, after = (score(GOLD, {"s": answered(*says)}, recipe, resamples=0).value
                     for says in (SAYS, WRONG))  # fmt: skip
    assert (0.5, 2.5) == (before, after)


def test_the_default_table_is_that_of_mentions_and_places_are_carobs() -> None:
    system = answered(*WRONG)
    assert can_be_located(GOLD, system)
    assert "mentions" == table_for(GOLD, [system])
    scores = score(GOLD, {"llm": system}, resamples=0)
    assert "exact.P" == scores.scores[0].recipe
    assert (
        "llm: carob, not the system, says where 4 of 6 answers are (locate=all): 0 ambiguous, "
        "0 repeated, 2 not in the text; 2 without a place count as wrong",
    ) == scores.remarks
    coverage = scores.systems[0].coverage
    assert [4, 0, 0, 2] == [coverage[k] for k in ("located", "ambiguous", "repeated", "ungrounded")]
    assert "|locate:none/all|" in scores.signature
    answers = score(GOLD, {"llm": system}, preset="templates", resamples=0)
    assert "oas.P" == answers.scores[0].recipe
    assert () == answers.remarks
    assert "locate" not in answers.signature


def test_documents_pair_by_id_and_an_answer_may_lack_some() -> None:
    ann = [{"start": 0, "end": 3, "label": "P"}]
    texts = ("Ann met Bo", "Eve left", "Zoe ran")
    gold = Corpus.of(*({"id": str(i), "text": text, "mentions": ann}
                       for i, text in enumerate(texts)))  # fmt: skip
    system = Corpus.of({"id": "2", "templates": [{"slots": {"P": ["Zoe"]}}]},
                       {"id": "0", "templates": [{"slots": {"P": ["Ann", "Bo"]}}]})  # fmt: skip
    assert [2, 1, 1] == [score(gold, system, f"exact.{k}", resamples=0).value
                         for k in ("tp", "fp", "fn")]  # fmt: skip


CONLL = "Ann B-P\nLee I-P\nmet O\nBo B-P\n. O\n\nBo B-P\nleft O\nNew B-L\nYork I-L\n"
ENTITIES = [
    {"entities": [{"text": "Ann Lee", "type": "P"}, {"text": "bo", "type": "P"}]},
    {"entities": [{"text": "York", "type": "L"}, {"text": "Bo", "type": "P"},
                  {"text": "Eve", "type": "P"}]},
]  # fmt: skip


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    gold, system = tmp_path / "gold.conll", tmp_path / "llm.jsonl"
    gold.write_text(CONLL)
    system.write_text("".join(json.dumps(each) + "\n" for each in ENTITIES))
    return gold, system


@pytest.mark.parametrize("form", ["entities", "texts", "records", "jsonl", "raw", "lists"])
def test_whatever_format_a_language_model_answers_in(files: tuple[Path, Path], form: str) -> None:
    gold, system = files
    options: dict[str, str] = {}
    lines: list[Any] = list(ENTITIES)
    slots = [{"P": ["Ann Lee", "bo"]}, {"L": ["York"], "P": ["Bo", "Eve"]}]
    if form == "texts":
        texts = ("Ann Lee met Bo.", "Bo left New York")
        lines = [each | {"text": text} for each, text in zip(ENTITIES, texts, strict=True)]
    elif form == "records":
        lines = list(slots)
    elif form == "jsonl":
        lines = [{"templates": [{"slots": each}]} for each in slots]
    elif form == "raw":
        lines, options = [{"out": json.dumps(each)} for each in ENTITIES], {"raw": "out"}
        options["format"] = "entities"
    elif form == "lists":
        lines = [each["entities"] for each in ENTITIES]  # which are recognised
    system.write_text("".join(json.dumps(each) + "\n" for each in lines))
    found = score(gold, system, ["exact.tp", "exact.fp", "boundary.fp", "overlap.tp"],
                  system_options=options, resamples=0)  # fmt: skip
    assert [3, 2, 2, 4] == [each.value for each in found.scores]


def test_errors_report_explain_and_compare_take_such_a_pair(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    gold, system = files
    wrong = errors(gold, system, examples=2)
    assert {"TP": 3, "BES": 1, "FP": 1} == {kind: n for kind, n in wrong.counts.items() if n}
    assert "Eve (P, without a place in the text)" in str(wrong)
    assert "Eve" in report(gold, [system, gold]).to_html()
    assert "exact.F1" == compare(gold, [system, gold], trials=99).differences[0].recipe
    assert 0 == main(["explain", str(gold), str(system), "--like", "seqeval", "-q"])
    out = capsys.readouterr().out
    assert "[without a place]P -> no mention" in out
    assert "and so is a" in out
    assert "unexplained                                        ·" in out.replace("  ", "  ")


@pytest.mark.parametrize("way", ["all", "first", "once"])
def test_the_way_is_in_the_signature_and_a_result_can_be_verified(
    files: tuple[Path, Path], way: str, capsys: pytest.CaptureFixture[str]
) -> None:
    result = files[0].with_name("result.json")
    command = ["score", *map(str, files), "--read", f"locate={way}", "-o", str(result)]
    assert 0 == main([*command, "--resamples", "0", "-q"])
    assert f"|locate:none/{way}|" in result.read_text()
    assert 0 == main(["verify", str(result)])
    assert "all equal" in capsys.readouterr().out


def test_triples_say_their_one_way_and_results_from_before_can_be_verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold, system, result = (tmp_path / name for name in ("gold.jsonl", "t.triples", "r.json"))
    mentions = [{"id": "a", "start": 0, "end": 3, "label": "P"},
                {"id": "b", "start": 8, "end": 10, "label": "P"}]  # fmt: skip
    relations = [{"label": "MET", "arguments": {"from": "a", "to": "b"}}]
    text = {"id": "1", "text": "Ann met Bo", "mentions": mentions, "relations": relations}
    gold.write_text(json.dumps(text))
    triple = {"head": "Ann", "type": "MET", "tail": "Bo"}
    system.write_text(json.dumps({"id": "1", "triples": [triple]}))
    command = ["score", str(gold), str(system), "-m", "relations(types=ignore).F1", "-q"]
    assert 0 == main([*command, "--resamples", "0", "-o", str(result)])
    content = json.loads(result.read_text().replace("|locate:none/gold|", "|"))
    content = json.loads(json.dumps(content).replace(f"carob:{__version__}|", "carob:0.2.0|"))
    content["carob"] = "0.2.0"
    del content["checksum"]
    assert "locate" not in json.dumps(content)
    for stored in (result.read_text(), json.dumps(with_checksum(content))):
        result.write_text(stored)
        assert 0 == main(["verify", str(result)])
    assert 2 == capsys.readouterr().out.count("all equal")


def test_a_way_that_does_not_exist_is_refused(files: tuple[Path, Path]) -> None:
    expected = r"^locate is all, first or once, not 'some'; there are: all, first, once$"
    with pytest.raises(UsageError, match=expected):
        read(files[1], locate="some")
    with pytest.raises(UsageError, match=r"^locate of triples is gold, not 'all'$"):
        read(files[1], format="triples", locate="all")


def test_many_strings_in_a_long_document_take_no_quadratic_time() -> None:
    rng = random.Random(0)
    tokens = [f"w{rng.randrange(30_000)}" for _ in range(100_000)]
    strings = [" ".join(tokens[at : at + 2]) for at in range(0, 100_000, 10)]
    strings += [f"w{number} w{number} w0" for number in range(10_000)]
    strings += ["w1 " * 5000, "zz " * 5000]
    gold = Corpus.of({"tokens": tokens, "mentions": [{"start": 0, "end": 1, "label": "X"}]})
    system = answered([("P", text) for text in strings])
    begin = time.process_time()
    made = located(gold, system, np.array([0])).corpus
    assert made.facts["located"] > 9_000
    assert made.facts["ungrounded"] > 9_000
    assert time.process_time() - begin < 8
