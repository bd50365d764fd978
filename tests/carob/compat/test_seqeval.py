"""carob.compat.seqeval beside seqeval itself, on thousands of random valid and invalid inputs.

What differs on purpose is asserted at the end of this file, and listed in docs/peers.md.
"""

from __future__ import annotations

import itertools
import math
import random
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from carob.compat import seqeval as ours
from carob.compat.seqeval.metrics import sequence_labeling as our_functions

pytest.importorskip("seqeval")

import seqeval.metrics as theirs
import seqeval.scheme as their_schemes
from seqeval.metrics import sequence_labeling as their_functions

from tests.worlds import times

LETTERS = {"IOB1": "BI", "IOB2": "BI", "IOE1": "IE", "IOE2": "IE", "IOBES": "BIES", "BILOU": "BILU"}
STRANGE = ["B", "I", "S", "_", ".", "X-PER", "PER", "U-A", "L-A", "M-A", "O-A", "B-", "B--A",
           "I-A-B", "-", "A-B", "A-I", "A-S", "A-B-I"]  # fmt: skip
Outcome = tuple[str, Any, set[tuple[str, str]]]


def random_case(rng: random.Random) -> tuple[Any, Any, dict[str, Any]]:
    """Gold, an answer and keyword arguments; a third of the cases has tags of any kind."""
    scheme = rng.choice(list(LETTERS))
    suffix = rng.random() < 0.2
    strange = rng.random() < 0.33

    def tag() -> str:
        if rng.random() < 0.35:
            return "O"
        if strange and rng.random() < 0.3:
            return rng.choice(STRANGE)
        letter, label = rng.choice(LETTERS[scheme]), rng.choice(["A", "B", "PER-X"])
        return f"{label}-{letter}" if suffix else f"{letter}-{label}"

    gold = [[tag() for _ in range(rng.randint(0, 6))] for _ in range(rng.randint(1, 3))]
    system = [[each if rng.random() < 0.6 else tag() for each in tags] for tags in gold]
    options: dict[str, Any] = {"suffix": suffix}
    if rng.random() < 0.5:
        options |= {"mode": "strict", "scheme": scheme}
    if rng.random() < 0.5:
        options["zero_division"] = rng.choice(["warn", 0, 1])
    return gold, system, options


def plain(value: Any) -> Any:
    """Values that can be compared: NaN equals NaN, and arrays are lists."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]
    if isinstance(value, np.ndarray):
        return [str(value.dtype.kind), *map(plain, value.tolist())]
    return "nan" if isinstance(value, float) and math.isnan(value) else value


def outcome(function: Callable[..., Any], *arguments: Any, **options: Any) -> Outcome:
    """What a function returns or raises, and the warnings, each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            kind, value = "value", plain(function(*arguments, **options))
        except (ValueError, KeyError, TypeError, IndexError) as error:
            kind, value = type(error).__name__, None
    if kind != "value":
        return kind, None, set()
    return kind, value, {(each.category.__name__, str(each.message)) for each in caught}


def with_schemes(options: dict[str, Any], schemes: Any) -> dict[str, Any]:
    if "scheme" not in options:
        return options
    return options | {"scheme": getattr(schemes, options["scheme"])}


def compare_scores(seed: int, cases: int) -> None:
    rng = random.Random(seed)
    outcomes: list[str] = []
    for _ in range(cases):
        gold, system, options = random_case(rng)
        mine, other = (with_schemes(options, each) for each in (ours.scheme, their_schemes))
        name = rng.choice(["f1_score", "precision_score", "recall_score"])
        average = rng.choice([None, "micro", "macro", "weighted"])
        expected = outcome(getattr(theirs, name), gold, system, average=average, **other)
        found = outcome(getattr(ours.metrics, name), gold, system, average=average, **mine)
        assert expected == found, (gold, system, options, name, average)
        outcomes.append(expected[0])
    assert {"value", "ValueError", "KeyError"} == set(outcomes)
    assert outcomes.count("value") > 0.75 * cases


def test_scores_are_the_same_on_random_input() -> None:
    compare_scores(19, times(10))


@pytest.mark.slow
def test_scores_are_the_same_on_more_than_ten_thousand_random_inputs() -> None:
    compare_scores(22, 14_000)


def test_reports_are_the_same_on_random_input() -> None:
    rng = random.Random(20)
    for _ in range(times(5)):
        gold, system, options = random_case(rng)
        if rng.random() < 0.3:
            options.pop("scheme", None)  # detected
        mine, other = (with_schemes(options, each) for each in (ours.scheme, their_schemes))
        shape: dict[str, Any] = {"output_dict": rng.random() < 0.5, "digits": rng.randint(0, 4)}
        expected = outcome(theirs.classification_report, gold, system, **shape, **other)
        found = outcome(ours.classification_report, gold, system, **shape, **mine)
        if expected[0] == "ValueError" and found[0] == "value":
            # Only where there is no mention at all, of which seqeval makes no text.
            assert not shape["output_dict"]
            _, rows, _ = outcome(ours.classification_report, gold, system, output_dict=True, **mine)
            assert {"micro avg", "macro avg", "weighted avg"} == set(rows)
            continue
        assert expected == found, (gold, system, options, shape)


def test_mentions_and_counts_of_tags_are_the_same_on_random_input() -> None:
    rng = random.Random(21)
    for _ in range(500):
        gold, system, options = random_case(rng)
        suffix = options["suffix"]
        sequences: list[Any] = [gold, gold[0], []]
        for seq in sequences:
            expected = outcome(their_functions.get_entities, seq, suffix)
            assert expected == outcome(our_functions.get_entities, seq, suffix), seq
        for name in ("accuracy_score", "performance_measure"):
            for one, other in ((gold, system), (gold[0], system[0])):
                if name == "accuracy_score" and not sum(map(len, gold if one is gold else [one])):
                    continue
                expected = outcome(getattr(theirs, name), one, other)
                assert expected == outcome(getattr(ours, name), one, other)


def test_the_scheme_of_tags_is_detected_as_in_seqeval() -> None:
    rng = random.Random(23)
    outcomes = set()
    for _ in range(2000):
        letters = rng.sample("IOBESUL", rng.randint(0, 5)) + ["X"] * (rng.random() < 0.1)
        suffix = rng.random() < 0.5
        tags = [f"A-{each}" if suffix else f"{each}-A" for each in letters]
        cut = rng.randint(0, len(tags))
        found, expected = (
            outcome(lambda *given, detect=each: detect(*given).__name__, [tags[:cut], tags[cut:]],
                    suffix)
            for each in (ours.scheme.auto_detect, their_schemes.auto_detect)
        )  # fmt: skip
        assert expected == found, tags
        outcomes.add(found[1])
    assert {None, "IOB2", "IOE2", "IOBES", "BILOU"} == outcomes


def test_chunks_begin_and_end_where_those_of_seqeval_do() -> None:
    prefixes = [*"IOBESUL.?", "", "BS"]
    for before, own, label in itertools.product(prefixes, prefixes, ("PER", "LOC", "_")):
        for name in ("start_of_chunk", "end_of_chunk"):
            mine, other = (getattr(each, name) for each in (our_functions, their_functions))
            assert other(before, own, "PER", label) is mine(before, own, "PER", label)


@pytest.mark.slow
def test_a_script_for_seqeval_runs_with_another_import(tmp_path: Any) -> None:
    script = """
from seqeval.metrics import classification_report, f1_score, accuracy_score
from seqeval.metrics.sequence_labeling import get_entities
from seqeval.scheme import IOB2
y_true = [["O", "O", "O", "B-MISC", "I-MISC", "I-MISC", "O"], ["B-PER", "I-PER", "O"]]
y_pred = [["O", "O", "B-MISC", "I-MISC", "I-MISC", "I-MISC", "O"], ["B-PER", "I-PER", "O"]]
print(f1_score(y_true, y_pred), accuracy_score(y_true, y_pred))
print(classification_report(y_true, y_pred, digits=3))
print(classification_report(y_true, y_pred, mode="strict", scheme=IOB2))
print(classification_report(y_true, y_pred, output_dict=True))
print(get_entities(y_true))
"""
    printed = [
        subprocess.run(
            [sys.executable, "-c", text], capture_output=True, text=True, check=True
        ).stdout
        for text in (script, script.replace("from seqeval", "from carob.compat.seqeval"))
    ]
    assert printed[0] == printed[1]
    assert "weighted avg" in printed[0]


def test_seqevals_own_schemes_are_understood() -> None:
    gold, system = [["B-A", "I-A"]], [["I-A", "I-A"]]
    for scheme in (their_schemes.IOB2, ours.scheme.IOB2, "IOB2"):
        found = ours.f1_score(gold, system, mode="strict", scheme=scheme, zero_division=0)
        assert 0.0 == found


def test_without_any_mention_there_is_a_report_all_the_same() -> None:
    with pytest.raises(ValueError, match="max"):
        theirs.classification_report([["O"]], [["O"]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text = ours.classification_report([["O"]], [["O"]])
    assert "micro avg" in text


@pytest.mark.parametrize(
    ("gold", "system", "options", "error", "message"),
    [
        ([["O"]], [["O"]], {"sample_weight": [1]}, ValueError, "sample_weight has no use"),
        ([["O", "O"]], [["O"]], {}, ValueError, "sentence 1 has 2 and 1 tags"),
        ([["O"]], [["O"], ["O"]], {}, ValueError, "1 and 2 sentences"),
        ([["O", None]], [["O", "O"]], {}, ValueError, "sentence 1, tag 2: found None"),
        ([["O", []]], [["O", "O"]], {}, ValueError, "sentence 1, tag 2: found []"),
        ([["O", ""]], [["O", "O"]], {}, ValueError, "sentence 1, tag 2: found ''"),
        (["O"], ["O"], {}, TypeError, "without list of list"),
        ([], [], {}, TypeError, "without list of list"),
        ([["S-A"]], [["O"]], {"mode": "strict", "scheme": "IOB2"}, ValueError, "Invalid token is"),
        ([["O"]], [["X-A"]], {"mode": "strict", "scheme": "IOB2"}, KeyError, "X-A"),
        ([["O"]], [["O"]], {"mode": "strict", "scheme": "IOB3"}, ValueError, "no scheme is called"),
        ([["O"]], [["O"]], {"average": "samples"}, ValueError, "average has to be one of"),
    ],
)
def test_errors_say_where(
    gold: Any, system: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        ours.f1_score(gold, system, **options)
    assert message in str(caught.value)


@pytest.mark.parametrize("tag", [None, [], "", 1])
def test_a_report_that_detects_the_scheme_says_where_too(tag: Any) -> None:
    with pytest.raises(ValueError, match=r"sentence 2, tag 1: found .*, expected a tag like O"):
        ours.classification_report([["O"], [tag]], [["O"], ["O"]], mode="strict")


def test_the_warning_of_scikit_learn_is_used_only_if_it_is_loaded() -> None:
    code = (
        "import sys, warnings\n"
        "from carob.compat.seqeval import f1_score\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        "    f1_score([['O']], [['O']])\n"
        "print(caught[0].category.__module__, 'sklearn' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "carob.compat.seqeval.metrics.sequence_labeling False\n" == done.stdout


@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_tags_may_be_in_tuples_and_arrays(kind: Any) -> None:
    """seqeval takes tuples and arrays of gold for tags, and counts them as such."""
    y_true = [kind(["B-PER", "O", "B-ORG"])]
    y_pred = [["B-PER", "O", "O"]]
    for gold in (y_true, np.array(y_true)):
        assert (
            our_functions.accuracy_score(gold, y_pred)
            == our_functions.accuracy_score(gold, tuple(y_pred))
            == 2 / 3
        )
        assert {"TP": 1, "FP": 0, "FN": 1, "TN": 1} == our_functions.performance_measure(
            gold, y_pred
        )
    assert 1.0 == our_functions.accuracy_score(np.array(["B-PER", "O"]), ["B-PER", "O"])


def test_tags_in_tuples_and_generators_are_counted_tag_by_tag() -> None:
    """seqeval compares whole tuples, and loses the first sentence of a generator."""
    y_true, y_pred = [("B-A", "I-A"), ("O", "O", "O")], [("B-A", "O"), ("O", "O", "O")]
    lists = [[list(tags) for tags in side] for side in (y_true, y_pred)]
    expected = {"TP": 1, "FP": 0, "FN": 1, "TN": 3}
    assert 0.5 == their_functions.accuracy_score(y_true, y_pred)
    for gold, system in ((y_true, y_pred), lists):
        assert 0.8 == our_functions.accuracy_score(gold, system)
        assert 0.8 == our_functions.accuracy_score(iter(gold), iter(system))
        assert expected == our_functions.performance_measure(gold, system)
        assert expected == our_functions.performance_measure(iter(gold), iter(system))


@pytest.mark.parametrize(
    "function", [our_functions.accuracy_score, our_functions.performance_measure]
)
def test_lists_that_are_nested_too_deep_are_refused(function: Any) -> None:
    with pytest.raises(ValueError, match=r"sentence 1, tag 1: found \['B-PER'\], expected a tag"):
        function([[["B-PER"]]], [[["B-PER"]]])
    with pytest.raises(TypeError, match="without list of list"):
        function([["B-PER"], "O"], [["B-PER"], ["O"]])
