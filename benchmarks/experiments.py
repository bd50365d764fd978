"""Do the numbers of experiments mean what they say? And what do the built-in learners reach?

    python benchmarks/experiments.py coverage     # do intervals cover the score of a population?
    python benchmarks/experiments.py seeds        # how often does the test separate two seeds?
    python benchmarks/experiments.py order        # which learner wins on generated seminars
    python benchmarks/experiments.py noise        # does noise in the annotation lower scores?
    python benchmarks/experiments.py seminars     # ten random halves of the real corpus
    python benchmarks/experiments.py bwi          # what more documents and rounds give bwi
    python benchmarks/experiments.py diverse      # how far active learning by diverse differs
    python benchmarks/experiments.py --write ...  # into docs/experiments.md

`seminars`, `bwi` and `diverse` need the real corpus (CAROB_DATA). Each takes some minutes,
`seminars` about half an hour.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from _report import markdown, replace_part
from carob import Corpus, read, score
from carob.counts.tally import Statistic, Table
from carob.evaluate.options import Options
from carob.evaluate.run import prepare
from carob.evaluate.score import count_events
from carob.infer.interval import default, intervals
from carob.infer.randomization import Randomization
from carob.infer.resampling import Units
from carob.pair.texts import Examples, Texts
from carob.plugin import hook
from carob_lab.learn.select import distances, pick
from carob_lab.learn.train import Trained, train
from carob_lab.make.generate import generate
from carob_lab.run.numbers import corrected_t
from carob_lab.run.results import run_experiment

PAGE = Path(__file__).resolve().parent.parent / "docs" / "experiments.md"
SLOTS = ("etime", "location", "speaker", "stime")
OPTIONS = Options(labels=SLOTS, slots=SLOTS, resamples=0)
REPETITIONS = 200


def counts(model: Trained, gold: Corpus, texts: Texts) -> np.ndarray[Any, Any]:
    """tp, gold and system answers (oaod) of each document."""
    run = prepare(gold, {"answers": model.answers(texts)}, "oaod.F1", OPTIONS)
    space = run.recipes[0].space
    tally = count_events(run.pairs["answers"], [space], run.plan)[space][0]
    outcomes = np.zeros((tally.units, len(tally.outcomes)))
    np.add.at(outcomes, tally.unit, tally.counts)
    tp, fp, fn = (outcomes[:, tally.outcomes.index(name)] for name in ("tp", "fp", "fn"))
    return np.stack([tp, tp + fn, tp + fp], axis=1)


def f1(sums: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """F1 of tp, gold and system (the last axis)."""
    value: np.ndarray[Any, Any] = 2 * sums[..., 0] / np.maximum(sums[..., 1] + sums[..., 2], 1)
    return value


def mean_f1(blocks: int) -> Callable[[Any], Any]:
    """The mean F1 of several splits, as a function of column sums."""
    return lambda sums: f1(sums.reshape(len(sums), blocks, 3)).mean(axis=1)


def coverage() -> str:
    """How often the interval contains the score that the models have on 50,000 documents."""
    size, models = 50_000, []
    for seed in range(20):
        examples = Examples.of(generate("seminars", 60, 1000 + seed))
        models.append(train("rote", examples, SLOTS))
    rows: list[list[Any]] = [[] for _ in models]
    for start in range(0, size, 2500):
        gold = generate("seminars", 2500, 1, start=start, reposts=0.0)
        texts = Texts.of(gold)
        for own, model in zip(rows, models, strict=True):
            own.append(counts(model, gold, texts))
    population = [np.concatenate(own) for own in rows]
    truth = [float(f1(own.sum(axis=0))) for own in population]
    rng, lines = np.random.default_rng(0), []
    for splits, documents in ((1, 60), (1, 120), (3, 120), (10, 240)):
        inside = 0
        for _ in range(REPETITIONS):
            chosen = rng.choice(len(models), splits, replace=False)
            drawn = rng.choice(size, documents, replace=False)
            table = np.zeros((documents, splits * 3))
            for block, model in enumerate(chosen):
                tested = (rng.permutation(documents)[: documents // 2] if splits > 1
                          else np.arange(documents))  # fmt: skip
                table[tested, 3 * block : 3 * block + 3] = population[model][drawn[tested]]
            statistic = Statistic(Table.of(table), mean_f1(splits))
            [[made]] = intervals(default(documents), [statistic], Units.of(documents), 1000, 0)
            goal = float(np.mean([truth[model] for model in chosen]))
            inside += int((made.low or 0.0) <= goal <= (made.high or 0.0))
        share = inside / REPETITIONS
        error = math.sqrt(share * (1 - share) / REPETITIONS)
        lines.append([f"{splits}", f"{documents}", f"{100 * share:.1f} %", f"{100 * error:.1f}"])
    head = ("splits", "documents", "intervals that contain the score of the population", "error")
    return markdown(head, lines, 0)


def seeds() -> str:
    """How often tests find a difference between two seeds of one learner."""
    splits, documents, by_document, by_split, both = 5, 40, 0, 0, 0
    for number in range(REPETITIONS):
        gold = generate("seminars", documents, 5000 + number, reposts=0.0)
        examples = Examples.of(gold)
        rng = np.random.default_rng(number)
        tables = [np.zeros((documents, 3 * splits)) for _ in range(2)]
        differences = []
        for split in range(splits):
            order = rng.permutation(documents)
            halves = [np.sort(some) for some in np.split(order, 2)]
            some, test = examples.only(halves[0]), gold.only(halves[1])
            texts, scores = examples.texts.only(halves[1]), []
            for seed, table in enumerate(tables):
                model = train("perceptron(epochs=3)", some, SLOTS, seed=2 * split + seed)
                own = counts(model, test, texts)
                table[halves[1], 3 * split : 3 * split + 3] = own
                scores.append(float(f1(own.sum(axis=0))))
            differences.append(scores[1] - scores[0])
        first, second = (Statistic(Table.of(table), mean_f1(splits)) for table in tables)
        verdict = Randomization(999)(first, second, Units.of(documents), rng)
        over_documents = float(verdict.p[0]) <= 0.05
        over_splits = (corrected_t(differences, 1.0) or 0.0) <= 0.05
        by_document += over_documents
        by_split += over_splits
        both += over_documents and over_splits
    rows = [
        [what, f"{100 * share:.1f} %", f"{100 * math.sqrt(share * (1 - share) / REPETITIONS):.1f}"]
        for what, share in (
            ("randomization over documents", by_document / REPETITIONS),
            ("corrected resampled t test over splits", by_split / REPETITIONS),
            ("both: one seed is called better", both / REPETITIONS),
        )
    ]
    return markdown(("test", "pairs of seeds with p <= .05", "error"), rows)


def experiment(folder: Path, corpus: str, learners: Sequence[str], more: str = "") -> Any:
    """Run an experiment in a folder."""
    text = f"[corpus]\npath = {json.dumps(corpus)}\n{more}\n"
    text += "".join(f"[[learner]]\n{learner}\n" for learner in learners)
    (folder / "experiment.toml").write_text(text)
    return run_experiment(folder / "experiment.toml", folder / "run", jobs=2)


def order() -> str:
    """rote, perceptron and crf on generated seminars."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _carob("generate", "seminars", "--documents", "240", "-o", f"{folder}/gold.jsonl")
        result = experiment(
            folder, "gold.jsonl", [f'type = "{each}"' for each in ("rote", "perceptron", "crf")],
            '[split]\nscheme = "repeated(train=0.5,n=10)"\nseed = 1\n[stats]\nby_label = false',
        )  # fmt: skip
    rows = [
        [f"{each.b} - {each.a}", f"{100 * each.difference:+.1f}",
         f"{100 * each.low:+.1f} to {100 * each.high:+.1f}", f"{each.p_holm:.4f}",
         f"{each.p_corrected_t:.4f}", each.better or "none shown"]
        for each in result.comparisons if each.recipe == "oaod.F1"
    ]  # fmt: skip
    head = ("learners", "difference in oaod F1", "interval", "p (Holm)", "p (t)", "better")
    return markdown(head, rows)


def noise() -> str:
    """The perceptron on generated seminars whose annotation is more and more wrong."""
    rows = []
    for label, knob in (("annotation", "noise"), ("boundaries", "boundary_noise")):
        cells = [label]
        for share in (0.0, 0.1, 0.2, 0.4):
            settings: dict[str, Any] = {knob: share}
            gold = generate("seminars", 160, 3, **settings)
            half = np.arange(len(gold)) < 80
            train_rows, test_rows = np.flatnonzero(half), np.flatnonzero(~half)
            model = train("perceptron", Examples.of(gold.only(train_rows)), SLOTS)
            test = gold.only(test_rows)
            cells.append(f"{100 * float(f1(counts(model, test, Texts.of(test)).sum(axis=0))):.1f}")
        rows.append(cells)
    return markdown(("share of wrong", "0", "0.1", "0.2", "0.4"), rows)


PUBLISHED = {
    "ELIE, level 2 (POS, chunks, gazetteers)": (88.5, 86.5, 98.5, 96.4),
    "BWI": (67.7, 76.7, 99.6, 94.4),
    "(LP)2": (77.6, 75.1, 99.0, 95.5),
    "RAPIER": (53.0, 72.7, 95.9, 96.2),
}
"""Published F1 by `oas` of speaker, location, stime, etime, on all 485 documents."""

LEARNERS = (
    'type = "rote"', 'type = "perceptron"', 'type = "maxent"', 'type = "crf"',
    'id = "boundary-1"\ntype = "boundary"\nparams = { level = 1 }',
    'id = "boundary-2"\ntype = "boundary"', 'type = "bwi"',
)  # fmt: skip


def seminars() -> str:
    """Ten random halves of the real corpus: all learners, per slot, all three counts."""
    data = Path(os.environ.get("CAROB_DATA", "../shared/data")).resolve() / "seminars"
    if not data.exists():
        raise SystemExit(f"{data} does not exist; set CAROB_DATA")
    place = Path(os.environ.get("CAROB_RUN", tempfile.mkdtemp()))
    place.mkdir(parents=True, exist_ok=True)
    settings = (
        'read = { labels = "speaker+location+stime+etime" }\n[split]\n'
        'scheme = "repeated(train=0.5,n=10)"\nseed = 1\n'
    )
    whole = experiment(place, str(data), LEARNERS, settings)
    few = [each for each in LEARNERS if "perceptron" in each or "crf" in each]
    curve = experiment(place, str(data), few, f"{settings}[curve]\nsizes = [10, 20, 50]")
    return "\n\n".join([_table(whole), _published(), _curve(curve), _costs(whole)])


def bwi() -> str:
    """The speakers that bwi finds, by training documents and rounds: fixed test documents, nested
    training documents.
    """
    corpus = _announcements()
    examples, rows = Examples.of(corpus), []
    recipes = ["oas.P", "oas.R", "oas.F1"]
    for rounds, size in ((50, 50), (50, 100), (50, 200), (200, 200)):
        scores = []
        for draw in range(5):
            order = np.random.default_rng(draw).permutation(len(corpus))
            some, test = np.sort(order[:size]), np.sort(order[200:])
            model = train(f"bwi(rounds={rounds})", examples.only(some), ["speaker"])
            answers = model.answers(examples.texts.only(test))
            found = score(corpus.only(test), answers, recipes, labels="speaker", resamples=0)
            scores.append([found[recipe].value or 0.0 for recipe in recipes])
        means = np.mean(scores, axis=0)
        rows.append([f"{rounds}", f"{size}", *map(_points, means.tolist())])
    return markdown(("rounds", "training documents", "P", "R", "F1"), rows, 0)


def diverse() -> str:
    """What `diverse` picks from the real corpus, beside what `uncertainty` picks."""
    corpus = _announcements()
    examples, rows = Examples.of(corpus), []
    for labelled in (10, 30, 60):
        spread, unsure, both = [], [], []
        for draw in range(5):
            order = np.random.default_rng(draw).permutation(len(corpus))
            some, pool = np.sort(order[:labelled]), np.sort(order[labelled:])
            model = train("crf", examples.only(some), SLOTS)
            texts = examples.texts.only(some), examples.texts.only(pool)
            unsureness: Any = hook(model.model, "uncertainty")
            away, (token, _) = distances(*texts), unsureness(texts[1])
            spread.append(float(away.std() / away.mean()))
            unsure.append(float(token.std() / token.mean()))
            chosen = [
                set(pick(strategy, model.model, *texts, 10, np.random.default_rng(0)).tolist())
                for strategy in ("uncertainty", "diverse")
            ]
            both.append(len(chosen[0] & chosen[1]))
        rows.append([
            f"{labelled}", f"{100 * np.mean(unsure):.0f} %", f"{100 * np.mean(spread):.0f} %",
            f"{np.mean(both):.1f}",
        ])  # fmt: skip
    head = ("labelled", "uncertainty, sd of mean", "distance, sd of mean", "same of 10 picked")
    return markdown(head, rows, 0)


def _announcements() -> Corpus:
    """The real corpus."""
    data = Path(os.environ.get("CAROB_DATA", "../shared/data")).resolve() / "seminars"
    if not data.exists():
        raise SystemExit(f"{data} does not exist; set CAROB_DATA")
    return read(data, labels="+".join(SLOTS))


def _table(result: Any) -> str:
    rows = []
    for name, own in result.learners.items():
        for space in ("oas", "oaod", "oads"):
            score = own.scores[f"{space}.F1"]
            slots = own.by_label[f"{space}.F1"]
            rows.append([
                name, space, f"{_points(score.mean)} ± {_points(score.sd)}",
                f"{_points(score.low)} to {_points(score.high)}", _points(score.pooled),
                *(_points(slots[slot].mean) for slot in ("speaker", "location", "stime", "etime")),
            ])  # fmt: skip
    head = ("learner", "count", "micro F1 ± sd", "interval", "pooled", "speaker", "location",
            "stime", "etime")  # fmt: skip
    return markdown(head, rows, 2)


def _published() -> str:
    rows = [[name, *(f"{value:.1f}" for value in values)] for name, values in PUBLISHED.items()]
    return markdown(
        ("published, oas, 485 documents", "speaker", "location", "stime", "etime"), rows
    )


def _curve(result: Any) -> str:
    points: dict[str, Mapping[str, float]] = {}
    for point in result.curve:
        if point.recipe == "oaod.F1":
            points[point.learner] = {**points.get(point.learner, {}), str(point.size): point.mean}
    sizes = list(next(iter(points.values())))
    rows = [[name, *(_points(own.get(size)) for size in sizes)] for name, own in points.items()]
    return markdown(("oaod F1 at documents", *sizes), rows)


def _costs(result: Any) -> str:
    rows = [
        [name, f"{cost['train_cpu']:.1f}", f"{cost['predict_cpu']:.2f}", f"{cost['peak_mib']:.0f}"]
        for name, cost in result.cost.items() if name != "machine"
    ]  # fmt: skip
    return markdown(("learner", "CPU s to train", "CPU s to answer", "peak MiB"), rows)


def _points(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"


def _carob(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "carob", *arguments], check=True)


PARTS: Mapping[str, Callable[[], str]] = {
    "coverage": coverage, "seeds": seeds, "order": order, "noise": noise, "seminars": seminars,
    "bwi": bwi, "diverse": diverse,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("parts", nargs="+", choices=PARTS)
    parser.add_argument("--write", action="store_true", help="into docs/experiments.md")
    arguments = parser.parse_args()
    for name in arguments.parts:
        text = PARTS[name]()
        print(text, flush=True)
        if arguments.write:
            page = PAGE.read_text(encoding="utf-8")
            PAGE.write_text(replace_part(page, name, text), encoding="utf-8")


if __name__ == "__main__":
    main()
