"""A table of all teams and their runs for the overview paper: CSV, LaTeX and BibTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from carob_challenge.board import Board, Row

_TEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


def tex(text: str) -> str:
    """Text for LaTeX, in one line.

    >>> print(tex("A & B_1 {50 %}"))
    A \\& B\\_1 \\{50 \\%\\}
    """
    return " ".join("".join(_TEX.get(sign, sign) for sign in text).split())


def latex(board: Board) -> str:
    """The leaderboard as a table; the first line says which packages it needs."""
    lines = [
        r"% needs \usepackage{booktabs}",
        rf"\begin{{tabular}}{{rlll{'r' * len(board.recipes)}}}",
        r"\toprule",
        rf"Rank & Team & Affiliation & Run & {' & '.join(map(tex, board.recipes))} \\",
        r"\midrule",
        *(_latex_row(row, board.recipes) for row in board.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _latex_row(row: Row, recipes: Sequence[str]) -> str:
    values = {each.name: each.value for each in row.scores}
    shown = [values.get(recipe) for recipe in recipes]
    scores = " & ".join("--" if each is None else f"{each:.4f}" for each in shown)
    name = tex(row.about.get("name", ""))
    team, affiliation = tex(row.team), tex(row.affiliation)
    return rf"{row.rank} & {team} & {affiliation} & {name} & {scores} \\"


def bibtex(title: str, rows: Sequence[Row], now: datetime) -> str:
    """An entry for each team, to be completed by hand: who wrote it, the run, paper and code."""
    entries, keys = [], set[str]()
    for row in rows:
        key = re.sub(r"[^a-z0-9]+", "-", row.team.casefold()).strip("-") or f"team-{row.team_id}"
        key = key if key not in keys else f"{key}-{row.team_id}"
        keys.add(key)
        name = row.about.get("name", "")
        fields = {
            "author": f"{{{tex(row.team)}}}",
            "title": f"{{{tex(f'{name} at {title}' if name else title)}}}",
            "institution": tex(row.affiliation),
            "year": str((row.received or now).year),
            "url": row.about.get("paper", ""),
            "note": f"Code: {row.about['code']}" if row.about.get("code") else "",
        }
        inner = ",\n".join(f"  {name} = {{{text}}}" for name, text in fields.items() if text)
        entries.append(f"@misc{{{key},\n{inner}\n}}\n")
    return "\n".join(entries)
