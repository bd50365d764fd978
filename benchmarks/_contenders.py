"""The commands that are measured: carob as its users run it, and other tools on the same files."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from _peers import SEMEVAL
from _race import Contender, last_line, measure

HERE = Path(__file__).resolve().parent

SPACES = (
    *("exact", "boundary", "overlap", "contains", "constrained", "left", "right", "iou"),
    *("ts", "token", "slots", "mentions", "fair", "nugget", "semeval"),
)
"""Every event space over mentions."""

EXACT = ("exact.PRF",)
EVERY = tuple(f"{space}.PRF" for space in SPACES)
MICRO_AND_MACRO = tuple(f"{space}.PRF{average}" for space in SPACES for average in ("", "@macro"))
RESAMPLES = 10_000

REPORT, POLARS = "seqeval, `classification_report`", "polars, parsing only"

COMPARED_RECIPES = ("exact.F1", "token.F1", *SEMEVAL.values())
EXACTLY = 1e-9
FOUR_DECIMALS = 0.5e-4 + 1e-9

# The console script, on a carob that was installed without a compiler.
NUMPY_ALONE = (
    "import sys; sys.modules['carob.arrays._scan'] = None; "
    "from carob.cli import main; sys.exit(main())"
)


# --- carob ---


def script() -> str:
    """The path of carob's console script."""
    path = Path(sys.executable).with_name("carob")
    if not path.exists():
        raise SystemExit("carob is not installed for this Python: pip install -e . in the clone")
    return str(path)


def score(
    paths: Sequence[Path | str], recipes: Iterable[str], resamples: int = 0, by_label: bool = True
) -> list[str]:
    """`carob score` of gold and systems."""
    options = [*_recipe_options(recipes), "--resamples", str(resamples)]
    return [script(), "score", *map(str, paths), *options, *(["--by-label"] * by_label)]


def compare(
    paths: Sequence[Path | str], recipes: Iterable[str], resamples: int | None = RESAMPLES,
    trials: int = RESAMPLES,
) -> list[str]:  # fmt: skip
    """`carob compare` of systems: intervals and p values of every difference and label."""
    drawn = [] if resamples is None else ["--resamples", str(resamples)]
    options = [*_recipe_options(recipes), *drawn, "--trials", str(trials)]
    return [script(), "compare", *map(str, paths), *options, "--by-label"]


def _recipe_options(recipes: Iterable[str]) -> list[str]:
    return [part for recipe in recipes for part in ("-m", recipe)]


def numpy_alone(command: Sequence[str]) -> list[str]:
    """The same command of carob, without the compiled scanner."""
    return [sys.executable, "-c", NUMPY_ALONE, *command[1:]]


def carob_contenders(paths: Sequence[Path]) -> list[Contender]:
    """carob, from little work to much."""
    return [
        Contender("carob: P, R, F1 by label", score(paths, EXACT)),
        Contender("carob: the same, 1,000 resamples", score(paths, EXACT, 1000)),
        Contender(f"carob: {len(SPACES)} event spaces, by label", score(paths, EVERY)),
        Contender(
            f"carob: the same, micro and macro, {RESAMPLES:,} resamples",
            score(paths, MICRO_AND_MACRO, RESAMPLES),
        ),
    ]


def carob_scores(paths: Sequence[Path], recipes: Sequence[str]) -> dict[str, float]:
    """carob's scores with all digits, from a run that prints JSON and is not measured."""
    run = measure([*score(paths, recipes, by_label=False), "--format", "json"])
    if run.code != 0:
        raise ValueError(f"carob score --format json failed: {last_line(run)}")
    scores = json.loads(run.stdout)["systems"][0]["scores"]
    return {each["recipe"]: float(each["value"]) for each in scores}


# --- other tools ---


def peers(paths: Sequence[Path]) -> list[Contender]:
    """The tools that can score these files, and two that only parse them."""
    gold, system = (str(path) for path in paths[:2])

    def peer(
        name: str, function: str, needs: str | None, claims: dict[str, float] | None = None
    ) -> Contender:
        command = [sys.executable, str(HERE / "_peers.py"), function, gold, system]
        return Contender(name, command, needs, claims or {})

    f1, f1_rounded = {"exact.F1": EXACTLY}, {"exact.F1": FOUR_DECIMALS}
    nervaluate = peer(
        "nervaluate", "nervaluate", "nervaluate", dict.fromkeys(SEMEVAL.values(), EXACTLY)
    )
    spacy = peer("spaCy, `get_ner_prf`", "spacy", "spacy", f1)
    polars = peer(POLARS, "polars", "polars")
    if gold.endswith(".jsonl"):
        return [nervaluate, spacy, peer("`json.loads` of every line", "parse", None), polars]
    return [
        peer(REPORT, "seqeval_report", "seqeval", f1_rounded),
        peer("seqeval, `f1_score`", "seqeval_f1", "seqeval", f1),
        peer(f"{REPORT}, strict", "strict_report", "seqeval", f1_rounded),
        peer("seqeval, `f1_score`, strict", "strict_f1", "seqeval", f1),
        nervaluate,
        peer("conlleval", "conlleval", "conlleval", f1),
        seqscore(gold, system),
        spacy,
        peer("scikit-learn, by token", "sklearn", "sklearn", {"token.F1": EXACTLY}),
        polars,
    ]


def seqscore(gold: str, system: str) -> Contender:
    """seqscore has a command of its own. Its table has a row ALL, with F1 in the fourth column."""
    path = Path(sys.executable).with_name("seqscore")
    options = ["--labels", "BIO", "--score-format", "delim", "--full-precision"]

    def scores(stdout: str) -> dict[str, float]:
        rows = (line.split("\t") for line in stdout.splitlines())
        return {"exact.F1": next(float(row[3]) for row in rows if row[0] == "ALL")}

    command = [str(path), "score", *options, "--reference", gold, system]
    return Contender("seqscore", command, "seqscore", {"exact.F1": EXACTLY}, scores)
