"""Train and test the learners on random halves of a corpus: F1 in three counts, and CPU seconds.

    python benchmarks/learners.py --halves 10

The corpus is by default the seminar announcements of the real data (`$CAROB_DATA`, or
../shared/data), with the slots speaker, location, stime and etime. The halves are those of
`carob split --scheme 'repeated(train=0.5,n=N)'`. Scores are means over the halves. Prints Markdown.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

import numpy as np

import carob
from carob.pair.texts import Examples
from carob_lab.learn.train import train
from carob_lab.plan.plan import make_plan

SLOTS = ("speaker", "location", "stime", "etime")
RECIPES = ("oas.F1", "oaod.F1", "oads.F1")
LEARNERS = (
    "rote", "perceptron", "maxent", "crf", "boundary(level=1)",
    "boundary(level=1,threshold=-0.43)", "boundary", "bwi",
)  # fmt: skip


def main() -> None:
    """Print a row for each learner."""
    shared = Path(__file__).resolve().parents[2] / "shared" / "data"
    data = Path(os.environ.get("CAROB_DATA", shared)) / "seminars"
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", default=str(data))
    parser.add_argument("--read", default=f"labels={'+'.join(SLOTS)}", help="KEY=VALUE, or nothing")
    parser.add_argument("--halves", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("learners", nargs="*", default=LEARNERS)
    arguments = parser.parse_args()
    options = dict([arguments.read.split("=", 1)]) if arguments.read else {}
    corpus = carob.read(arguments.corpus, **options)
    examples = Examples.of(corpus)
    plan = make_plan(corpus, f"repeated(train=0.5,n={arguments.halves})", arguments.seed)
    rows = {name: row for row, name in enumerate(corpus.documents.id or ())}
    slots = examples.slots
    print(
        f"{len(corpus)} documents, {len(examples.texts.start):,} tokens, {arguments.halves} random "
        "halves; CPU seconds of training on one half and of answering for the other.\n"
    )
    names = [recipe.removesuffix(".F1") for recipe in RECIPES]
    columns = ["learner", *names, *(f"oaod {slot}" for slot in slots), "train s", "predict s"]
    print("|", " | ".join(columns), "|")
    print("|:--|" + "--:|" * (len(columns) - 1))
    for learner in arguments.learners:
        scores, seconds = [], []
        for split in plan.splits:
            one, other = (np.sort([rows[name] for name in part])
                          for part in (split.train, split.test))  # fmt: skip
            part, texts = examples.only(one), examples.texts.only(other)
            begin = time.process_time()
            model = train(learner, part, slots)
            middle = time.process_time()
            answers = model.answers(texts)
            seconds.append((middle - begin, time.process_time() - middle))
            labels = [f"oaod.F1@label:{slot}" for slot in slots]
            recipes = [*RECIPES, *labels]
            result = carob.score(corpus.only(other), answers, recipes, resamples=0)
            scores.append([result[recipe].value or 0.0 for recipe in recipes])
            print(f"{learner} {split.name}", file=sys.stderr)
        cells = [f"{100 * value:.1f}" for value in np.mean(scores, axis=0)]
        cells += [f"{value:.1f}" for value in np.mean(seconds, axis=0)]
        print(f"| `{learner}` |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
