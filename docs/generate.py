"""Write the parts of the documentation that are generated from the code: `make docs`.

A part is between `<!-- generated: NAME -->` and `<!-- end -->`; NAME is a key of PARTS below. Parts
that need the real data (`$CAROB_DATA`, or ../shared/data) stay unchanged if it is not available.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import carob
import carob_lab
from carob import Corpus, registry
from carob.evaluate.options import (
    ConfidenceOptions,
    ErrorsOptions,
    PowerOptions,
    RobustOptions,
    ScoreOptions,
)
from carob.recipe import PRESETS, parameter_name, spell

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import draw  # noqa: E402 (the folder of tools is not a package)

PART = re.compile(r"<!-- generated: (\w+) -->\n.*?<!-- end -->", re.S)
TITLES = {"match": "Event spaces", "measure": "Measures", "average": "Averages"}


def data() -> Path | None:
    """The folder of real data, if it exists."""
    folder = Path(os.environ.get("CAROB_DATA", ROOT.parent / "shared" / "data"))
    return folder if (folder / "conll2003-dev").is_dir() else None


def _parameters(cls: type[Any]) -> str:
    rows = []
    for field in dataclasses.fields(cls):
        if not field.init or field.name == "name":
            continue
        value = field.default
        text = spell(value) if hasattr(value, "name") else value
        default = "" if value in (None, dataclasses.MISSING, "", ()) else f" = {text}"
        rows.append(f"`{parameter_name(field)}{default}`")
    return f"Parameters: {', '.join(rows)}.\n" if rows else ""


def _described(docstring: str | None) -> tuple[list[str], list[str]]:
    """The paragraphs of a docstring, and its examples."""
    text: list[str] = []
    examples: list[str] = []
    for paragraph in inspect.cleandoc(docstring or "").split("\n\n"):
        (examples if paragraph.lstrip().startswith(">>>") else text).append(paragraph)
    return text, [f"```python\n{example}\n\n```\n" for example in examples]


def _documented(stage: str, name: str) -> str:
    cls = registry.load(stage, name)
    text, examples = _described(cls.__doc__)
    parts = [f"### {name}\n", *(f"{paragraph}\n" for paragraph in text), _parameters(cls)]
    outcomes = getattr(cls, "outcomes", None)
    if isinstance(outcomes, tuple):
        parts.append(f"Outcomes: {', '.join(f'`{outcome}`' for outcome in outcomes)}.\n")
    parts += examples
    return "\n".join(part for part in parts if part)


def components() -> str:
    """Everything a recipe is made of, from the docstrings."""
    parts = []
    for stage, title in TITLES.items():
        parts.append(f"## {title}\n")
        parts += [_documented(stage, name) for name in sorted(registry.builtin(stage))]
    parts.append("## Presets\n")
    parts.append("| preset | recipe |\n|---|---|")
    parts += [f"| `{name}` | `{recipe}` |" for name, recipe in PRESETS.items()]
    return "\n".join(parts) + "\n"


GOLD = "[Ann Lee]PER met [Bo Dahl]PER of [Oslo City Council]ORG in [New York]LOC [Rome]LOC ."
SYSTEMS = {
    "short": "[Ann]PER Lee met [Bo]PER Dahl of Oslo [City Council]ORG in New [York]LOC [Rome]LOC .",
    "mislabelled": "[Ann Lee]ORG met [Bo Dahl]PER of [Oslo City Council]LOC in [New York]LOC "
    "[Rome]LOC .",
    "merged": "[Ann Lee]PER met [Bo Dahl]PER of [Oslo City Council]ORG in [New York Rome]LOC .",
    "shy": "[Ann Lee]PER met [Bo Dahl]PER of Oslo City Council in New York Rome .",
    "greedy": "[Ann Lee met Bo Dahl]PER of [Oslo City Council in]ORG [New York Rome .]LOC",
}


def side_by_side() -> str:
    """One small example under every event space that counts mentions or slots."""
    recipes = []
    for name in sorted(registry.builtin("match")):
        space = registry.load("match", name)()
        if space.items != "relation":
            recipes.append(f"{spell(space)}.F1")
    recipes += [
        "slots.SER",
        "ts.kappa",
        "ts(sep=0.5).F1",
        "iou(t=0.7).F1",
        "overlap(pairing=one).F1",
    ]
    gold = Corpus.of(GOLD)
    lines = ["```", f"{'gold':<12} {GOLD}"]
    lines += [f"{name:<12} {text}" for name, text in SYSTEMS.items()]
    lines += ["```", "", f"| recipe | {' | '.join(SYSTEMS)} |", "|:--|" + "--:|" * len(SYSTEMS)]
    for recipe in recipes:
        values = [
            carob.score(gold, Corpus.of(t), recipe, resamples=0).value for t in SYSTEMS.values()
        ]
        cells = (" - " if value is None else f"{value:.3f}" for value in values)
        lines.append(f"| `{recipe}` | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _ranks(values: list[float]) -> list[float]:
    ordered = sorted(values)
    return [ordered.index(v) + (ordered.count(v) + 1) / 2 for v in values]


def _spearman(a: list[float], b: list[float]) -> float:
    x, y = _ranks(a), _ranks(b)
    mean = (len(x) + 1) / 2
    top = sum((i - mean) * (k - mean) for i, k in zip(x, y, strict=True))
    left = sum((i - mean) ** 2 for i in x)
    right = sum((k - mean) ** 2 for k in y)
    return float(top / (left * right) ** 0.5)


def rankings() -> str | None:
    """The systems of CoNLL-2003 under several recipes, and how far the rankings agree."""
    folder = data()
    if folder is None:
        return None
    recipes = ["exact.F1", "overlap.F1", "ts.F1@macro", "token.F1@macro", "slots.SER"]
    files = sorted((folder / "conll2003-dev" / "systems").glob("*.conll"))
    scores = carob.score(folder / "conll2003-dev" / "gold.conll", list(files), recipes, resamples=0)
    table = {
        file.stem: [scores[file.stem, recipe].value or 0.0 for recipe in recipes] for file in files
    }
    order = sorted(table, key=lambda name: -table[name][0])
    lines = [
        f"| system | {' | '.join(f'`{r}`' for r in recipes)} |",
        "|:--|" + "--:|" * len(recipes),
    ]
    for name in order:
        lines.append(f"| {name} | {' | '.join(f'{value:.4f}' for value in table[name])} |")
    columns = list(zip(*table.values(), strict=True))
    # A lower error rate is better.
    signed = [[-v if recipes[i].endswith("SER") else v for v in column]
              for i, column in enumerate(columns)]  # fmt: skip
    lines += ["", f"| Spearman | {' | '.join(f'`{r}`' for r in recipes)} |",
              "|:--|" + "--:|" * len(recipes)]  # fmt: skip
    for i, recipe in enumerate(recipes):
        cells = (f"{_spearman(signed[i], other):.3f}" for other in signed)
        lines.append(f"| `{recipe}` | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


FUNCTIONS = {
    "errors": ErrorsOptions, "by_confidence": ConfidenceOptions, "robust": RobustOptions,
    "power": PowerOptions, "score": ScoreOptions, "compare": ScoreOptions,
    "report": ScoreOptions,
}  # fmt: skip


def options() -> str:
    """The keyword arguments that the public functions share."""
    body = ast.parse(inspect.getsource(carob.Options)).body[0]
    assert isinstance(body, ast.ClassDef)
    lines = ["| option | default | functions | meaning |", "|---|---|---|---|"]
    defaults = {field.name: field.default for field in dataclasses.fields(carob.Options)}
    for field, text in zip(body.body, body.body[1:], strict=False):
        if not (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)):
            continue
        assert isinstance(text, ast.Expr)
        assert isinstance(text.value, ast.Constant)
        name = field.target.id
        value = defaults[name]
        default = "none" if value in (None, dataclasses.MISSING) else f"`{value}`"
        takers = [each for each, names in FUNCTIONS.items() if name in names.__annotations__]
        functions = "all" if len(takers) == len(FUNCTIONS) else ", ".join(takers)
        meaning = inspect.cleandoc(str(text.value.value)).replace("\n", " ")
        lines.append(f"| `{name}` | {default} | {functions} | {meaning} |")
    return "\n".join(lines) + "\n"


API = {
    "evaluate": "Options, tasks and findings", "result": "Results", "corpus": "Corpora",
    "recipe": "Recipes", "pair": "Pairs and counts", "counts": "Pairs and counts",
}  # fmt: skip
"""Where the page lists the classes of each folder, in this order. All functions come first."""


def _call(name: str, signature: inspect.Signature) -> str:
    """A signature as one would write it: on one line, or with a line for each parameter."""
    parameters: list[str] = []
    for each in signature.parameters.values():
        if each.kind is each.KEYWORD_ONLY and "*" not in parameters:
            parameters.append("*")
        stars = "**" if each.kind is each.VAR_KEYWORD else ""
        default = "" if each.default is each.empty else f" = {each.default!r}"
        parameters.append(f"{stars}{each.name}: {each.annotation}{default}")
    end = f") -> {signature.return_annotation}"
    line = f"{name}({', '.join(parameters)}{end}"
    if len(line) <= 90:
        return line
    return f"{name}(\n" + "".join(f"    {each},\n" for each in parameters) + end


def _members(cls: type[Any]) -> list[str]:
    """A line for each public method and property, also those of base classes in carob."""
    bases = [base for base in cls.__mro__ if base.__module__.startswith(("carob.", "carob_lab."))]
    members: dict[str, str] = {}
    for base in bases:
        for name, member in vars(base).items():
            docstring = getattr(member, "__doc__", None)
            is_method = callable(member) or isinstance(member, classmethod | staticmethod)
            is_property = isinstance(member, property | functools.cached_property)
            if name.startswith("_") or name in members or not (is_method or is_property):
                continue
            first = _described(docstring)[0][0].replace("\n", " ")
            members[name] = f"- `{name}{'()' if is_method else ''}`: {first}"
    return [*members.values()]


def _subject(package: ModuleType, name: str) -> Any:
    """What a public name stands for; of `report`, the function and not the folder."""
    return getattr(package, name) if name == "__version__" else package.__getattr__(name)


def _public(name: str, subject: Any) -> str:
    """The section of one public name."""
    text, examples = _described(subject.__doc__)
    parts = [f"### {name}\n"]
    if inspect.isclass(subject):
        parts += [f"{paragraph}\n" for paragraph in text]
        if dataclasses.is_dataclass(subject):
            fields = [f"`{field.name}`" for field in dataclasses.fields(subject)]
            parts.append(f"Fields: {', '.join(fields)}.\n")
        members = _members(subject)
        parts += ["\n".join(members) + "\n"] if members else []
    else:
        parts.append(f"```python\n{_call(name, inspect.signature(subject))}\n```\n")
        parts += [f"{paragraph}\n" for paragraph in text]
    return "\n".join([*parts, *examples])


def api() -> str:
    """Every public name of carob and carob_lab, from its docstring."""
    sections: dict[str, list[str]] = {title: [] for title in ("Functions", *API.values())}
    for name in sorted(carob.__all__):
        subject = _subject(carob, name)
        if isinstance(subject, str):  # The version.
            continue
        folder = subject.__module__.split(".")[1]
        title = API.get(folder, folder) if inspect.isclass(subject) else "Functions"
        sections.setdefault(title, []).append(_public(name, subject))
    lab = ((name, _subject(carob_lab, name)) for name in sorted(carob_lab.__all__))
    sections["The bench: carob_lab"] = [_public(f"carob_lab.{name}", each) for name, each in lab]
    return "\n".join("\n".join([f"## {title}\n", *parts]) for title, parts in sections.items())


def tools() -> str:
    """Other tools, what they print, and their rules, from the source."""
    parts = []
    for name in registry.names("peers"):
        found = carob.explain([["B-A"]], [["B-A"]], name, examples=0).tools
        text, _ = _described(registry.load("peers", name).__doc__)
        parts.append(f"### {name}\n")
        parts += [f"{paragraph}\n" for paragraph in text]
        modes = ", ".join(f"`{tool.tool}`" for tool in found)
        parts.append(f"As {found[0].version}: {modes}. Its numbers, and carob's:\n")
        for tool in (
            found if found[0].numbers[0].recipe != found[-1].numbers[0].recipe else found[:1]
        ):
            numbers = ", ".join(f"{n.name} (`{n.recipe}`)" for n in tool.numbers)
            parts.append(f"- {numbers}")
        parts += ["", "Its rules:\n"]
        rules = dict.fromkeys((share.rule, share.why) for tool in found for share in tool.shares)
        parts += [f"- {rule}: {why}" for rule, why in rules]
        parts.append("")
    return "\n".join(parts) + "\n"


PARTS: dict[str, Callable[[], str | None]] = {
    "api": api,
    "components": components,
    "options": options,
    "side_by_side": side_by_side,
    "rankings": rankings,
    "tools": tools,
    "house": draw.house,
    "walk": draw.walk,
}


def renewed(text: str) -> str:
    """A page with its generated parts renewed."""

    def part(match: re.Match[str]) -> str:
        name = match[1]
        text = PARTS[name]()
        return match.group() if text is None else f"<!-- generated: {name} -->\n{text}<!-- end -->"

    return PART.sub(part, text)


def main() -> int:
    """Write every page that has generated parts."""
    for page in sorted((ROOT / "docs").rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        new = renewed(text)
        if new != text:
            page.write_text(new, encoding="utf-8")
            print(f"wrote {page.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
