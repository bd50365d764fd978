"""How many documents are needed to detect a difference? Studies simulated from a pilot."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from carob._version import __version__
from carob.corpus.corpus import Corpus
from carob.corpus.problems import DataError, UsageError, plain
from carob.counts.count import Count
from carob.evaluate.compare import without_parts
from carob.evaluate.options import Options, PowerOptions, compared_table
from carob.evaluate.read import Scorable
from carob.evaluate.run import prepare, too_few
from carob.evaluate.score import average_statistic, count_events
from carob.evaluate.tables import HEADLINES
from carob.infer.interval import JackknifeT, intervals
from carob.infer.pilot import Pilot
from carob.infer.quantiles import NORMAL
from carob.recipe import Recipe, spell
from carob.result.gate import BELOW_ONE, amount
from carob.result.power import Point, Power

if TYPE_CHECKING:
    from typing import Unpack

WORK = 1e9
"""About how much work goes into one size of study, in numbers that are added up."""

TRUSTED = 20
"""A smaller pilot is not reliable."""

LEAST = 200
"""How many studies are simulated at least."""

SMALLEST = 1e-9
"""The smallest difference that is looked for: no number of documents would show a smaller one."""

FINE = 1.08
"""How close two sizes have to be for the search to end."""


def power(
    gold: Scorable,
    systems: Sequence[Scorable] | Mapping[str, Scorable],
    recipe: str | Recipe | None = None,
    *,
    difference: float | str | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    simulations: int = 1000,
    trials: int = 999,
    progress: Callable[[Point], None] | None = None,
    **options: Unpack[PowerOptions],
) -> Power:
    """How many documents are needed to detect a difference between two systems, from a pilot.

    `difference` is 0.02, "2pt" or "2%" (two points); without it, the pilot's own. Studies of n
    documents are drawn from the pilot with replacement; on a share of the documents the two
    systems are exchanged, so that the expected difference is the one looked for; and each study
    is tested as `carob.compare` tests. n is searched for until a share `power` of the studies
    has p of at most `alpha`. A difference larger than the pilot's cannot be made in this way, and
    is refused. `recipe` is by default the first official one of the `task`, otherwise exact.F1
    (oads.F1 for slots, fields.F1 for records). `progress` is called after every n. The other
    keyword arguments are described in `carob.Options`.

    >>> from carob import Corpus
    >>> gold = Corpus.of(*["[Ann]PER slept"] * 10)
    >>> other = Corpus.of(*["[Ann]PER slept", "Ann slept"] * 5)
    >>> power(gold, {"a": other, "b": gold}, "exact.R").documents
    14
    """
    chosen = Options.of(PowerOptions, options)
    if difference is not None:
        difference = amount(difference, "difference", most=BELOW_ONE)
    _check(difference, power, alpha, simulations, trials)
    if recipe is None and chosen.official_recipes is not None:
        recipe = without_parts(chosen.official_recipes)[0]
    if isinstance(recipe, str):
        recipe = Recipe.parse(recipe)
    if recipe is not None and isinstance(recipe.measure, Count):
        raise UsageError(
            f"{recipe} is a count, which grows with the documents; take a score: exact.P"
        )

    def defaults(gold: Corpus, systems: Iterable[Corpus]) -> list[str]:
        return [HEADLINES[chosen.preset or compared_table(gold, systems)]]

    run = prepare(gold, systems, recipe, chosen, defaults)
    one = run.recipes[0]
    names, plan = list(run.pairs), run.plan
    if run.set_aside:
        raise too_few(run.set_aside, "compare")
    if len(names) != 2:
        raise UsageError(f"power is computed for one pair: give two systems, not {len(names)}")
    if len(plan.units) < 2:
        raise DataError(f"a pilot of {plan.units.words()} is too small: give at least two")
    tallies = []
    for pair in run.pairs.values():
        _, tally, mentions = count_events(pair, [one.space], plan)[one.space]
        if (why := plan.without(one, of_mentions=mentions)) is not None:
            raise UsageError(f"{one}: {why}; simulate it by document")
        tallies.append(tally)
    statistics = [average_statistic(one, tally, chosen.zero) for tally in tallies]
    pilot = Pilot(statistics[0], statistics[1], plan.units)
    a, b = (float(each.point.item()) for each in statistics)
    size, approximate = _looked_for(pilot, (a, b), difference, power, alpha, one, names)
    share = pilot.share(size)
    width = pilot.change.shape[1]
    most = max(1000, int(4 * (4 * WORK / (LEAST * trials * width) - 100)))

    def simulated(count: int) -> Point:
        # A quarter for each sum to be made, a hundred to measure it.
        affordable = int(WORK / (trials * width * (count / 4 + 100)))
        studies = min(simulations, max(LEAST, affordable))
        rng = np.random.default_rng([chosen.seed, count])
        seen = pilot.rejections(count, share, studies, trials, alpha, rng)
        point = Point(count, seen, studies)
        if progress is not None:
            progress(point)
        return point

    points: dict[int, Point] = {}
    if approximate is not None and approximate <= most:
        points = _searched(simulated, approximate, power, most)
    pilot_size = len(plan.units)
    remarks = run.remarks
    if pilot_size < TRUSTED:
        few = f"only {plan.units.words()}: a pilot of fewer than {TRUSTED} is not reliable"
        remarks = (few, *remarks)
    for count in (pilot_size, *([2 * pilot_size, 4 * pilot_size] if size == 0 else [])):
        if count <= most and count not in points:
            points[count] = simulated(count)
    enough = _enough(points, power) if size else None
    how = f"{power:g},alpha={alpha:g},difference={size!r},simulations={simulations},"
    how += f"randomization,{trials},seed={chosen.seed}"
    documents = enough if enough is not None or size == 0 else approximate
    return Power(
        __version__,
        run.gold,
        run.system_files(),
        str(one),
        spell(one.measure),
        (a, b),
        size,
        share,
        power,
        alpha,
        trials,
        documents,
        enough is not None,
        approximate,
        pilot_size,
        tuple(points[count] for count in sorted(points)),
        run.signature(interval="none", power=how),
        chosen.seed,
        plan.units.kind,
        remarks,
    )


def _check(
    difference: float | None, power: float, alpha: float, simulations: int, trials: int
) -> None:
    for name, value in (("power", power), ("alpha", alpha)):
        if not 0 < value < 1:
            raise UsageError(f"{name} is between 0 and 1, not {value}")
    if power <= alpha:
        raise UsageError(f"power is more than alpha ({alpha}), not {power}")
    if difference is not None and not (difference >= 0 and math.isfinite(difference)):
        raise UsageError(f"the difference is 0 or more, not {difference}")
    if difference and difference < SMALLEST:
        raise UsageError(f"the difference is 0 or at least {SMALLEST:g}, not {difference}")
    if not 100 <= simulations <= 1_000_000:
        raise UsageError(f"simulations is from 100 to 1,000,000, not {simulations:,}")
    if not 99 <= trials <= 1_000_000:
        raise UsageError(f"trials is from 99 to 1,000,000, not {trials:,}")
    if alpha * (trials + 1) < 1:
        raise UsageError(f"no p of {trials} trials is as small as {alpha}: give more trials")


def _looked_for(
    pilot: Pilot, values: tuple[float, float], difference: float | None, power: float,
    alpha: float, recipe: Recipe, names: Sequence[str],
) -> tuple[float, int | None]:  # fmt: skip
    """The size of the difference, and by the normal approximation how many units show it."""
    a, b = (plain(name) for name in names)
    observed = abs(values[1] - values[0])
    if math.isnan(observed):
        raise DataError(f"{a} or {b} has no {recipe}: there is no difference to detect")
    if not pilot.differs.any():
        raise DataError(
            f"{a} and {b} have the same counts in every {pilot.units.kind}: no number of them "
            "would show a difference"
        )
    if difference is None and observed <= 1e-12:
        raise DataError(f"{a} and {b} have the same {recipe}: there is no difference to detect")
    size = observed if difference is None else difference
    both = [pilot.first, pilot.second]
    error = intervals(JackknifeT(), both, pilot.units, contrasts=[(1, 0)])[0][0].error
    needed = None if error is None else _approximate(
        size, observed, error * math.sqrt(len(pilot.units)), power, alpha
    )  # fmt: skip
    if size > observed + 1e-12:
        rough = "" if needed is None else (
            f"; by the normal approximation about {pilot.units.words(needed)} would show it"
        )  # fmt: skip
        raise DataError(
            f"{a} and {b} differ by {observed:.4g} {recipe} in the pilot, and exchanging them "
            f"cannot increase that: a difference of {size:.4g} cannot be simulated{rough}"
        )
    return min(size, observed), needed


def _approximate(
    size: float, observed: float, spread: float, power: float, alpha: float
) -> int | None:
    """How many units show a difference if means are normal.

    Exchanging answers keeps the mean square m of a unit's difference, spread^2 + observed^2: the
    test rejects beyond z sqrt(m / n), and the mean varies by sqrt((m - size^2) / n).
    """
    if size == 0 or not math.isfinite(spread):
        return None
    square = max(spread**2 + observed**2, size**2)
    beyond = NORMAL.inv_cdf(1 - alpha / 2) * math.sqrt(square)
    beyond += NORMAL.inv_cdf(power) * math.sqrt(square - size**2)
    return max(2, math.ceil((max(beyond, 0.0) / size) ** 2))


def _searched(
    simulated: Callable[[int], Point], guess: int, goal: float, most: int
) -> dict[int, Point]:
    """Points around the number of units whose power is the goal, from a first guess on."""
    points = {guess: simulated(guess)}
    below = above = guess
    while points[below].power >= goal and below > 2:
        below = max(2, int(below / 1.5))
        points[below] = simulated(below)
    while points[above].power < goal and above < most:
        above = min(most, math.ceil(above * 1.5))
        points[above] = simulated(above)
    # Halve the way between too few and enough, until they are close.
    while (high := _enough(points, goal)) is not None:
        low = max((n for n in points if n < high), default=high)
        if high - low <= 1 or high <= FINE * low:
            break
        middle = min(max(round(math.sqrt(low * high)), low + 1), high - 1)
        points[middle] = simulated(middle)
    return points


def _enough(points: Mapping[int, Point], goal: float) -> int | None:
    """The smallest number that reaches the goal, as every larger one that was tried does."""
    best = None
    for count in sorted(points, reverse=True):
        if points[count].power < goal:
            break
        best = count
    return best
