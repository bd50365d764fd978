"""All functions share one list of options; what is wrong with one is said in words."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

import carob
from carob import Corpus, Options, UsageError
from carob.cli import commands, parser
from carob.evaluate.options import ErrorsOptions, ScoreOptions

GOLD = Corpus.of("[Ann Lee]PER visited [Rome]LOC", "[Bo]PER slept")
SYSTEMS = {"a": GOLD, "b": Corpus.of("[Ann]PER Lee visited [Rome]LOC", "[Bo]PER slept")}


def test_every_option_is_a_keyword_of_score() -> None:
    names = {each.name for each in dataclasses.fields(Options)} - {"schema"}  # of score_records
    assert names == set(ScoreOptions.__annotations__)


@pytest.mark.parametrize("command", ["score", "compare", "power", "robust", "errors"])
def test_the_command_line_has_every_option_of_the_function(command: str) -> None:
    assert command in commands()
    actions = parser(command)._subparsers._group_actions[0].choices[command]._actions  # type: ignore[union-attr, index]
    names = {action.dest for action in actions}
    from carob.evaluate import options

    accepted = getattr(options, f"{'Score' if command == 'compare' else command.title()}Options")
    apart = {"gold_options", "system_options", "slots"}  # --scheme and others; for verify
    assert set() == set(accepted.__annotations__) - apart - names
    by_confidence = {"resamples", "seed"} if command == "errors" else set()
    for other in set(ScoreOptions.__annotations__) - set(accepted.__annotations__):
        assert other not in names - by_confidence


CALLS: list[Callable[..., Any]] = [
    lambda **options: carob.score(GOLD, SYSTEMS, **options),
    lambda **options: carob.compare(GOLD, SYSTEMS, **options),
    lambda **options: carob.power(GOLD, SYSTEMS, **options),
    lambda **options: carob.robust(GOLD, SYSTEMS, **options),
    lambda **options: carob.errors(GOLD, SYSTEMS["b"], **options),
]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"lables": ["PER"]},
            r"no option is called 'lables'; did you mean labels\? there are: align, ex",
        ),
        ({"extra_docs": "keep"}, "extra_docs is error or ignore, not 'keep'$"),
        ({"tokenizer": "bpe"}, "tokenizer is auto or given or words or whitespace, not 'bpe'$"),
        ({"preset": "mention"}, r"no table is called 'mention'; did you mean mentions\?"),
        ({"gold_options": {"scheme": "io"}}, "corpora are not read: the option 'scheme' has no "),
    ],
)
def test_a_wrong_option_is_refused_in_words(
    call: Callable[..., Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=f"^{message}"):
        call(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"zero_division": "2"}, "zero_division is skip or 0 or 1, not '2'"),
        ({"zero_division": 0.5}, "zero_division is skip or 0 or 1, not 0.5"),
        ({"zero_division": False}, "zero_division is skip or 0 or 1, not False"),
        ({"resamples": 50}, "resamples is 0 (no intervals) or from 100 to 10,000,000, not 50"),
        ({"resamples": 10**8}, "resamples is 0 (no intervals) or from 100 to 10,000,000, not "
         "100,000,000"),
        ({"seed": -1}, "seed is 0 or more, not -1"),
        ({"resample_by": "word"}, "resample_by is document or sentence, not 'word'"),
        ({"interval": "bcc"}, "no interval is called 'bcc'; did you mean bca? there are: auto, "
         "bca, effective, jackknife-t, percentile"),
    ],
)  # fmt: skip
def test_a_wrong_option_of_statistics_is_refused_in_words(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError) as refused:
        carob.score(GOLD, SYSTEMS, **options)
    assert message == str(refused.value)


@pytest.mark.parametrize(("number", "text"), [(0, "0"), (1, "1"), (0.0, "0"), (1.0, "1")])
def test_zero_division_may_be_a_number(number: float, text: str) -> None:
    gold, system = [["B-PER", "O"], ["O", "O"]], [["B-PER", "O"], ["O", "O"]]
    found, expected = (
        carob.score(gold, system, "exact.F1@macro-doc", zero_division=zero).to_json()
        for zero in (number, text)
    )
    assert f"|zero:{text}|" in expected
    assert expected == found


def test_an_option_of_another_function_is_refused() -> None:
    with pytest.raises(UsageError, match=r"^no option is called 'resamples'"):
        carob.errors(GOLD, GOLD, resamples=0)  # type: ignore[call-arg]


def test_labels_are_kept_once_and_in_order() -> None:
    assert ("LOC", "PER") == Options.of(ErrorsOptions, {"labels": ["PER", "LOC", "PER"]}).labels
    assert ("PER",) == Options.of(ErrorsOptions, {"labels": "PER"}).labels
    assert Options.of(ErrorsOptions, {"labels": None}).labels is None
