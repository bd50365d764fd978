"""Measure the stages of one score in one process: `python _stages.py GOLD SYSTEM`.

Prints a JSON object of CPU seconds. Resampling is the time with resamples minus the time without.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from itertools import pairwise
from time import process_time

from _contenders import MICRO_AND_MACRO, RESAMPLES

STAGES = ("reading", "matching and counting", "resampling")


def main() -> None:
    """Score a small corpus first, so that loading modules is not measured."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(100_000, 50, 100)
    import carob

    recipes = [
        recipe.replace("PRF", measure) for recipe in MICRO_AND_MACRO for measure in ("P", "R", "F1")
    ]
    small = carob.Corpus.of(*["[Ann]PER slept", "[Bo]PER woke"] * 20)
    carob.score(small, small, recipes)
    times = [process_time()]
    gold, system = (carob.read(path) for path in sys.argv[1:3])
    times.append(process_time())
    carob.score(gold, system, recipes, resamples=0)
    times.append(process_time())
    carob.score(gold, system, recipes, resamples=RESAMPLES)
    times.append(process_time())
    reading, counting, both = (after - before for before, after in pairwise(times))
    print(json.dumps(dict(zip(STAGES, (reading, counting, both - counting), strict=True))))


if __name__ == "__main__":
    main()
