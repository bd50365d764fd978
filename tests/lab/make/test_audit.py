"""An audit finds what cannot be right, and nothing that can: rounding gives an interval."""

from __future__ import annotations

import itertools
import random
from decimal import ROUND_DOWN, ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

import pytest

from carob import InputError, UsageError
from carob.corpus.source import Source
from carob_lab.make.audit import audit
from carob_lab.make.findings import Audit
from tests.worlds import times

HEAD = "system,slot,P,R,F"


def table(*rows: str, head: str = HEAD) -> Source:
    return Source.of_bytes("\n".join([head, *rows, ""]).encode(), "t.csv")


def wrong(*rows: str, head: str = HEAD) -> list[tuple[int, str, str]]:
    return [
        (each.line, each.column, each.kind) for each in audit(table(*rows, head=head)) if each.wrong
    ]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("A,x,79.0,76.0,71.9", "77.5, which P 79.0 and R 76.0 give (with rounding 77.42 to 77.52)"),
        ("A,x,95.3,71.6,80.6", "81.8, which P 95.3 and R 71.6 give (with rounding 81.72 to 81.82)"),
    ],
)
def test_rows_of_the_literature_that_cannot_be_right_are_found(row: str, expected: str) -> None:
    (finding,) = [each for each in audit(table(row)) if each.wrong]
    assert ("F", expected) == (finding.column, finding.expected)
    assert "F may be a mean over runs" in finding.consequence


def test_a_row_of_the_literature_that_can_be_right_is_not() -> None:
    assert [] == wrong("A,x,87.0,70.0,77.6")


def test_an_f_that_is_too_high_is_no_mean_over_runs() -> None:
    (finding,) = [each for each in audit(table("A,x,79.0,76.0,80.1")) if each.wrong]
    assert "no mean of F over runs is above" in finding.consequence


def test_the_rank_that_follows_is_said() -> None:
    findings = audit(table("A,x,79.0,76.0,71.9", "B,x,75.0,75.0,75.0", "C,x,70.0,70.0,70.0"))
    (finding,) = [each for each in findings if each.wrong]
    assert finding.consequence.endswith("if P and R are right, it ranks 1 and not 2 of 3 by F")


@pytest.mark.parametrize("how", [ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_HALF_DOWN])
def test_no_true_table_is_ever_blamed(how: str) -> None:
    """Random counts, rounded in any usual way, with their averages."""
    rng = random.Random(how)
    for _ in range(times(2.5)):
        full, digits = rng.choice((1, 100)), rng.randrange(4)

        def cell(right: int, whole: int, full: int = full, digits: int = digits) -> str:
            value = Decimal(right * full) / Decimal(whole) if whole else Decimal(0)
            return str(value.quantize(Decimal(1).scaleb(-digits), how))

        rows, total = [], [0, 0, 0]
        for slot in range(rng.randrange(1, 4)):
            tp, fp, fn = (rng.randrange(1, 40) for _ in range(3))
            total = [a + b for a, b in zip(total, (tp, fp, fn), strict=True)]
            scores = cell(tp, tp + fp), cell(tp, tp + fn), cell(2 * tp, 2 * tp + fp + fn)
            rows.append(f"A,s{slot},{','.join(scores)},{tp + fn}")
        tp, fp, fn = total
        scores = cell(tp, tp + fp), cell(tp, tp + fn), cell(2 * tp, 2 * tp + fp + fn)
        rows.append(f"A,micro,{','.join(scores)},{tp + fn}")
        if full == 1 or digits or any(float(s) > 1 for r in rows for s in r.split(",")[2:5]):
            assert [] == wrong(*rows, head=f"{HEAD},support"), rows


def test_f_is_blamed_if_no_p_and_r_within_rounding_give_it() -> None:
    """The slow version tries many values of P and R inside their intervals, ends included."""
    blamed = 0
    steps = [k / 40 - 0.5 for k in range(41)]
    for p, r, f in itertools.product(range(1, 10), repeat=3):
        possible = any(
            abs(2 * (p + a) * (r + b) / (p + a + r + b) - f) <= 0.5 + 1e-9
            for a in steps for b in steps
        )  # fmt: skip
        assert (not possible) == bool(wrong(f"A,x,0.{p},0.{r},0.{f}")), (p, r, f)
        blamed += not possible
    assert 150 < blamed < 650


def test_scores_that_no_whole_number_of_items_gives_are_found() -> None:
    """The slow version tries all numbers of right answers, and of answers up to a large number."""
    rng = random.Random(2)
    blamed = 0
    for _ in range(300):
        gold, p, r = rng.randrange(1, 30), rng.randrange(1, 101), rng.randrange(101)

        def near(right: int, whole: int, printed: int) -> bool:
            return 2 * abs(100 * right - printed * whole) <= whole

        rights = [k for k in range(gold + 1) if near(k, gold, r)]
        expected = [] if rights else [(2, "R", "items")]
        if rights and not any(near(k, n, p) for k in rights for n in range(max(k, 1), 3000)):
            expected = [(2, "P", "items")]
        blamed += len(expected)
        rows = f"A,x,{p},{r},-,{gold}", "B,x,50,50,50,2"
        assert expected == wrong(*rows, head=f"{HEAD},support"), (gold, p, r)
    assert 50 < blamed < 290


def test_counts_must_give_the_scores() -> None:
    head = f"{HEAD},tp,fp,fn,support"
    assert [] == wrong("A,x,0.75,0.60,0.667,3,1,2,5", head=head)
    assert [(2, "P", "counts")] == wrong("A,x,0.74,0.60,0.663,3,1,2,5", head=head)
    assert [(2, "support", "counts")] == wrong("A,x,0.75,0.60,0.667,3,1,2,6", head=head)
    assert [] == wrong("A,x,-,-,-,0,0,0,0", head=head)


def test_averages_must_follow_from_their_slots() -> None:
    # tp, fp, fn of x: 4, 1, 6; of y: 27, 18, 3; together 31, 19, 9.
    slots = "A,x,0.80,0.40,0.533,10", "A,y,0.60,0.90,0.720,30"
    head = f"{HEAD},support"
    assert [] == wrong(*slots, "A,micro,0.62,0.775,0.689,40", head=head)
    assert [(4, "P", "average")] == wrong(*slots, "A,micro,0.57,0.775,0.657,40", head=head)
    assert [(4, "R", "average")] == wrong(*slots, "A,micro,0.62,0.750,0.679,40", head=head)
    assert [] == wrong(*slots, "A,macro,0.70,0.650,0.627,-", head=head)  # mean of F
    assert [] == wrong(*slots, "A,macro,0.70,0.650,0.674,-", head=head)  # F of means
    assert [(4, "F", "average")] == wrong(*slots, "A,macro,0.70,0.650,0.690,-", head=head)
    assert [] == wrong(*slots, "A,mean,0.65,0.700,0.700,-", head=head)


def missing(audited: Audit) -> list[tuple[int, str, str]]:
    return [(each.line, each.kind, each.found) for each in audited if not each.wrong]


def test_what_is_not_stated_is_listed() -> None:
    audited = audit(table("A,speaker,,,80.0", "A,stime,90.0,90.0,90.0", "B,stime,80.0,80.0,80.0"))
    assert [
        (2, "alone", "F without P and R"),
        (4, "slots", "no row for speaker"),
        (0, "interval", "no interval or deviation for any score"),
    ] == missing(audited)
    audited = audit(table("A,stime,90.0,90.0,90.0"), corpus="seminars")
    assert (2, "slots", "no row for etime, location, speaker") == missing(audited)[0]
    named = table("A,stime,90.0,90.0,90.0,Seminars", head=f"{HEAD},corpus")
    assert missing(audited)[0] == missing(audit(named))[0]


def test_intervals_are_read_in_any_usual_column() -> None:
    assert [] == missing(audit(table("A,x,90.0,90.0,90.0,1.5", head=f"{HEAD},±")))
    head = f"{HEAD},low,high"
    assert [] == missing(audit(table("A,x,90.0,90.0,90.0,88.0,91.0", head=head)))
    assert [(2, "F", "interval")] == wrong("A,x,90.0,90.0,90.0,90.2,91.0", head=head)


@pytest.mark.parametrize(
    "text",
    [
        "Model;Label;Precision;Recall;F1\nA;x;79,0;76,0;77,5\n",
        "\ufeffSystem\tSlot\tP\tR\tF1-Score\nA\tx\t79.0%\t76.0 %\t77.5\n",
        'system, slot, P, R, F\n"A, best", x, 79.0, 76.0, 77.5\r\n\r\n',
    ],
)
def test_tables_are_read_as_people_write_them(text: str) -> None:
    audited = audit(Source.of_bytes(text.encode(), "t.csv"))
    assert (1, 0) == (audited.table_rows, audited.wrong)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "t.csv: K851 found an empty table, expected a head like system,slot,P,R,F and rows"),
        (b"\xff\xfe", "t.csv: K851 found bytes that are not UTF-8 at 0, expected CSV in UTF-8"),
        (b"system,slot,P,R,F\n",
         "t.csv:1: K852 found a table without rows, expected at least one below the head"),
        (b"P,prec\n1,2\n", "t.csv:1: K852 found two columns with P: 'P' and 'prec', expected one"),
        (b"system,F\nA,good\n",
         "t.csv:2: K853 found 'good' in the column F, expected a number like 79.0, or nothing"),
        (b"system,F\nA,1e999999999\n",
         "t.csv:2: K853 found '1e999999999' in the column F, expected a number like 79.0, or "
         "nothing"),
        (b"system,F,tp\nA,1,2.5\n",
         "t.csv:2: K853 found '2.5' in the column tp, expected a whole number, or nothing"),
    ],
)  # fmt: skip
def test_what_is_no_table_is_refused_in_words(data: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        audit(Source.of_bytes(data, "t.csv"))
    assert message == str(caught.value)


def test_a_head_without_scores_is_refused() -> None:
    with pytest.raises(InputError, match="K852 found a head without P, R or F: 'a, b'"):
        audit(Source.of_bytes(b"a,b\n1,2\n", "t.csv"))
    with pytest.raises(UsageError, match="no corpus with known slots is called 'seminar'"):
        audit(table("A,x,1,1,1"), corpus="seminar")


def test_scores_outside_their_range_are_found() -> None:
    assert [(2, "R", "range")] == wrong("A,x,90.0,101.0,90.0")
    assert [(2, "F", "range")] == wrong("A,x,90.0,90.0,-90.0")


def test_random_bytes_give_a_result_or_an_error() -> None:
    rng = random.Random(3)
    signs = [
        b",",
        b"\n",
        b'"',
        b"P",
        b"R",
        b"F",
        b"0.5",
        b"99",
        b"\0",
        b"system",
        b"\xc3",
        b"-",
        b";",
    ]
    for _ in range(2000):
        data = b"P,R,F,support\n" * rng.randrange(2) + b"".join(
            rng.choices(signs, k=rng.randrange(40))
        )
        try:
            str(audit(Source.of_bytes(data, "t.csv")))
        except InputError:
            continue


def test_truncation_is_seen_where_it_changes_what_is_possible() -> None:
    value = Decimal("77.4714").quantize(Decimal("0.1"), ROUND_DOWN)
    assert [] == wrong(f"A,x,79.0,76.0,{value}")
    assert [(2, "F", "F")] == wrong("A,x,79.0,76.0,77.3")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_an_audit_without_findings_has_its_columns(library: str) -> None:
    pytest.importorskip(library)
    result = Audit("t.csv", "0b1c", 4, (), "carob:0.3.0")
    frame = getattr(result, f"to_{library}")()
    assert (0, list(result.row_columns or ())) == (len(frame), list(frame.columns))
