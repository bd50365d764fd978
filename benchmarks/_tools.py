"""Who is timed beside carob, what they need, and which of carob's scores theirs must equal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from _peers import SEMEVAL
from _race import Contender

HERE = Path(__file__).resolve().parent
EXACTLY = 1e-9
FOUR_DECIMALS = 0.5e-4 + 1e-9

REPORT, F1_SCORE = "seqeval, `classification_report`", "seqeval, `f1_score`"
NERVALUATE, CONLLEVAL, POLARS = "nervaluate", "conlleval", "polars, merely parsing"

RECIPES = ("exact.F1", "token.F1", *SEMEVAL.values())
"""The scores that are compared."""


def peers(paths: Sequence[Path]) -> list[Contender]:
    """The tools that take this kind of file, or what their users make of it."""
    known = {contender.name: contender for contender in known_peers(paths)}
    if paths[0].suffix == ".jsonl":
        chosen = [NERVALUATE, "spaCy, `get_ner_prf`", "`json.loads` of every line", POLARS]
        return [known[name] for name in chosen]
    return [contender for name, contender in known.items() if "json" not in name]


def known_peers(paths: Sequence[Path]) -> list[Contender]:
    """All of them."""
    gold, system = (str(path) for path in paths[:2])

    def peer(
        name: str, function: str, needs: str | None, claims: dict[str, float] | None = None
    ) -> Contender:
        command = [sys.executable, str(HERE / "_peers.py"), function, gold, system]
        return Contender(name, command, needs, claims or {})

    f1 = {"exact.F1": EXACTLY}
    return [
        peer(REPORT, "seqeval_report", "seqeval", {"exact.F1": FOUR_DECIMALS}),
        peer(F1_SCORE, "seqeval_f1", "seqeval", f1),
        peer(f"{REPORT}, strict", "strict_report", "seqeval", {"exact.F1": FOUR_DECIMALS}),
        peer(f"{F1_SCORE}, strict", "strict_f1", "seqeval", f1),
        peer(NERVALUATE, "nervaluate", "nervaluate", dict.fromkeys(SEMEVAL.values(), EXACTLY)),
        peer(CONLLEVAL, "conlleval", "conlleval", f1),
        seqscore(gold, system),
        peer("spaCy, `get_ner_prf`", "spacy", "spacy", f1),
        peer("scikit-learn, by token", "sklearn", "sklearn", {"token.F1": EXACTLY}),
        peer(POLARS, "polars", "polars"),
        peer("`json.loads` of every line", "parse", None),
    ]


def seqscore(gold: str, system: str) -> Contender:
    """seqscore is a command itself; its table has a row ALL, its fourth column is F1."""
    script = Path(sys.executable).with_name("seqscore")
    options = ["--labels", "BIO", "--score-format", "delim", "--full-precision"]

    def found(stdout: str) -> dict[str, float]:
        rows = (line.split("\t") for line in stdout.splitlines())
        return {"exact.F1": next(float(row[3]) for row in rows if row[0] == "ALL")}

    command = [str(script), "score", *options, "--reference", gold, system]
    return Contender("seqscore", command, "seqscore", {"exact.F1": EXACTLY}, found)
