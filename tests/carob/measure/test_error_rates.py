"""The error rates follow their formulas, have no value where they are undefined, and are not
clipped.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from carob.corpus.problems import RecipeError
from carob.counts.quantities import Quantities, valued
from carob.measure.e import E
from carob.measure.err import Err
from carob.measure.f import F
from carob.measure.ovg import Ovg
from carob.measure.ser import Ser
from carob.measure.sub import Sub
from carob.measure.und import Und

EVERY = [E(), Err(), Ser(), Und(), Ovg(), Sub()]


def quantities(c: float, s: float, d: float, i: float) -> Quantities:
    return Quantities.of(c=c, s=s, d=d, i=i, gold_right=c, gold_all=c + s + d, system_right=c,
                         system_all=c + s + i)  # fmt: skip


@pytest.mark.parametrize(("i", "err", "ser"), [(0.0, 1.0, 1.0), (0.2, 1.0, 1.2)])
def test_table_1_of_makhoul(i: float, err: float, ser: float) -> None:
    q = quantities(c=0, s=0, d=50, i=50 * i)
    assert (err, ser) == (Err()(q).item(), Ser()(q).item())


def test_e_is_equation_7_of_makhoul() -> None:
    q = quantities(c=5, s=2, d=3, i=4)
    for alpha in (0.0, 0.3, 0.5, 1.0):
        wrong = 2 + (1 - alpha) * 3 + alpha * 4
        assert pytest.approx(wrong / (5 + wrong)) == E(alpha=alpha)(q).item()
    assert E(beta=2)(q) == E(alpha=0.2)(q)


def test_e_is_at_most_err_and_err_at_most_ser() -> None:
    rng = np.random.default_rng(1)
    for _ in range(300):
        c, s, d, i = rng.integers(0, 6, 4).tolist()
        q = quantities(c, s, d, i)
        if c + s + d:
            for alpha in (0.0, 0.25, 0.5, 1.0):
                assert E(alpha=alpha)(q) <= Err()(q) + 1e-12
            assert Err()(q) <= Ser()(q) + 1e-12


def test_weights_weigh() -> None:
    q = quantities(c=5, s=2, d=3, i=4)
    wrong = 0.5 * 2 + 1 * 3 + 2 * 4
    assert pytest.approx(wrong / 10) == Ser(s=0.5, i=2)(q).item()
    assert pytest.approx(wrong / (5 + wrong)) == Err(s=0.5, i=2)(q).item()


def test_muc_shares() -> None:
    q = quantities(c=5, s=2, d=3, i=4)
    assert [measure(q).item() for measure in (Und(), Ovg(), Sub())] == [3 / 10, 4 / 11, 2 / 7]


@pytest.mark.parametrize("measure", EVERY, ids=lambda measure: measure.name)
def test_nothing_has_no_value(measure: Any) -> None:
    assert np.isnan(measure(quantities(0, 0, 0, 0)))


@pytest.mark.parametrize(
    ("measure", "q"),
    [(Ser(), quantities(0, 0, 0, 3)), (Und(), quantities(0, 0, 0, 3)),
     (Ovg(), quantities(0, 0, 3, 0)), (Sub(), quantities(0, 0, 3, 3))],
    ids=lambda value: getattr(value, "name", ""),
)  # fmt: skip
def test_no_value_is_not_counted_as_perfect(measure: Any, q: Quantities) -> None:
    assert np.isnan(valued(measure, q, None))


def test_e_of_a_side_without_the_other_is_1() -> None:
    assert [E()(quantities(0, 0, *sides)).item() for sides in ((3, 0), (0, 3))] == [1, 1]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: E(beta=1, alpha=0.5), "E takes beta or alpha, not both"),
        (lambda: E(beta=-1), "E(beta=-1): beta is 0 or more"),
        (lambda: F(alpha=2), "F(alpha=2): alpha is between 0 and 1"),
        (lambda: Ser(d=-1), "SER(d=-1): a weight is from 0 to 1,000,000"),
        (lambda: Ser(s=1e308), "SER(s=1e+308): a weight is from 0 to 1,000,000"),
        (lambda: Err(i=float("nan")), "ERR(i=nan): a weight is from 0 to 1,000,000"),
    ],
)
def test_wrong_parameters_are_refused(build: Any, message: str) -> None:
    with pytest.raises(RecipeError) as refused:
        build()
    assert message == str(refused.value)


def test_the_usual_balance_has_one_spelling() -> None:
    assert E() == E(beta=1) == E(alpha=0.5)
