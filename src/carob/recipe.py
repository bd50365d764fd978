"""The recipe language: SPACE(params).MEASURE(params)@AVERAGE, read, printed and checked.

recipe = preset | comp "." comp ["@" (comp | "label:" (word | string))]
comp   = name ["(" key "=" value {"," key "=" value} ")"]
value  = number | word {"+" word} | JSON string | comp
"""

from __future__ import annotations

import dataclasses
import math
import re
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from carob import registry
from carob.corpus.problems import RecipeError, UsageError, nearest, shown
from carob.counts.count import Count
from carob.plugin import hook

PRESETS: Mapping[str, str] = {
    "conll": "exact.F1",
    "TS-F1M": "ts.F1@macro",
    "T-F1M": "token.F1@macro",
    "SER": "slots.SER",
    "fair": "fair.F1",
    "nugget": "nugget.F1",
}
"""Names from the literature for whole recipes."""

SHORT: Mapping[str, tuple[str, ...]] = {"PRF": ("P", "R", "F1")}
"""Measures that stand for several."""

_WORD = re.compile(r"[^\W\d][\w-]*|\d[\w-]*")
_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?(?![\w-])")
_DIGITS = re.compile(r"0|[1-9]\d{0,14}", re.ASCII)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


@dataclass(frozen=True, slots=True)
class Recipe:
    """An event space, a measure and an average: what a score means.

    >>> recipe = parse("exact.F(beta=1)@micro")
    >>> str(recipe), recipe.full
    ('exact.F1', 'exact.F1@micro')
    """

    space: Any
    measure: Any
    average: Any

    def __post_init__(self) -> None:
        _fit(self)

    def __str__(self) -> str:
        average = spell(self.average)
        tail = "" if average == "micro" else f"@{average}"
        return f"{spell(self.space)}.{spell(self.measure)}{tail}"

    @property
    def full(self) -> str:
        """With every parameter, defaults too: what a signature says."""
        parts = (spell(part, full=True) for part in (self.space, self.measure, self.average))
        return "{}.{}@{}".format(*parts)

    @property
    def block(self) -> str:
        """The space and average, under which a table puts the measures side by side."""
        return f"{spell(self.space)}@{spell(self.average)}"


def spell(component: Any, *, full: bool = False, without: Sequence[str] = ()) -> str:
    """A component as a recipe writes it: parameters by name, defaults only if asked for.

    In full, a component that reads a file says in `signed` what stands for that parameter, the
    name with its hash. Parameters `without` a meaning are not told: a component names those of its
    parts in `idle`.

    >>> from carob.measure.f import F
    >>> spell(F(beta=2)), spell(F())
    ('F(beta=2)', 'F1')
    """
    short = hook(component, "short_name")
    if short is not None:
        return str(short)
    if (colon := hook(component, "colon")) is not None:
        return f"{component.name}:{word(getattr(component, colon))}"
    signed = hook(component, "signed") if full else {}
    idle = hook(component, "idle")
    given = []
    for field in dataclasses.fields(component):
        value = signed.get(field.name, getattr(component, field.name))
        nothing = value is None or value == ()
        if field.name in ("name", *without) or not field.init or nothing:
            continue
        if value != field.default or full:
            told = _value(value, full=full, without=idle.get(field.name, ()))
            given.append(f"{field.name}={told}")
    return str(component.name) + (f"({','.join(sorted(given))})" if given else "")


def word(text: str) -> str:
    """A word as it is, other text as a JSON string.

    >>> word("PER"), word("a b")
    ('PER', '"a b"')
    """
    return text if _WORD.fullmatch(text) else _quoted(text)


def _value(value: Any, *, full: bool = False, without: Sequence[str] = ()) -> str:
    if isinstance(value, (int, float)):
        whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
        return str(int(value)) if whole else repr(value)
    if isinstance(value, tuple):
        return "+".join(value) if len(value) > 1 else _text(value[0])
    return _text(value) if isinstance(value, str) else spell(value, full=full, without=without)


def _text(text: str) -> str:
    """A word as it is, unless it would be read as a number that is written in another way."""
    same = _DIGITS.fullmatch(text) or not _NUMBER.match(text)
    return word(text) if same else _quoted(text)


def _quoted(text: str) -> str:
    import json

    return json.dumps(text, ensure_ascii=False)


class _Reader:
    """Reads a recipe from left to right; says what it expected where."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def fail(self, expected: str) -> RecipeError:
        rest = self.text[self.at :]
        found = shown(rest) if rest else "the end"
        return RecipeError(
            f"in the recipe {shown(self.text, 200)}: found {found}, expected {expected}"
        )

    def take(self, pattern: re.Pattern[str]) -> str | None:
        found = pattern.match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found.group()

    def sign(self, sign: str) -> bool:
        if self.text.startswith(sign, self.at):
            self.at += len(sign)
            return True
        return False

    def name(self, what: str) -> str:
        name = self.take(_WORD)
        if name is None:
            raise self.fail(what)
        return name

    def string(self) -> str | None:
        raw = self.take(_STRING)
        if raw is None:
            return None
        import json

        try:
            text: str = json.loads(raw)
        except ValueError:
            raise self.fail("a JSON string") from None
        return text

    def parameters(self, depth: int = 0) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if not self.sign("("):
            return found
        if depth > 4:
            raise self.fail("fewer brackets")
        while True:
            key = self.name("the name of a parameter")
            if not self.sign("="):
                raise self.fail("'='")
            if key in found:
                raise RecipeError(f"the parameter {key} is given twice")
            found[key] = self.value(depth)
            if self.sign(")"):
                return found
            if not self.sign(","):
                raise self.fail("',' or ')'")

    def value(self, depth: int) -> Any:
        if (text := self.string()) is not None:
            return _Text(text)
        if (number := self.take(_NUMBER)) is not None:
            value = float(number)
            if not math.isfinite(value):
                raise RecipeError(f"{number} is too large")
            return value if any(c in number for c in ".eE") else int(number)
        words = [self.name("a number, a word or a JSON string")]
        if self.text.startswith("(", self.at):
            return _Component(words[0], self.parameters(depth + 1))
        while self.sign("+"):
            words.append(self.name("a word"))
        return words


class _Text(str):
    """A quoted string, which is never taken for a list of words."""


class _Component:
    def __init__(self, name: str, parameters: Mapping[str, Any]) -> None:
        self.name, self.parameters = name, parameters


def expand(text: str) -> list[Recipe]:
    """The recipes that a text stands for: `exact.PRF` is three, a preset is one.

    >>> [str(recipe) for recipe in expand("exact.PRF@macro")]
    ['exact.P@macro', 'exact.R@macro', 'exact.F1@macro']
    """
    stripped = text.strip()
    if stripped in PRESETS:
        stripped = PRESETS[stripped]
    reader = _Reader(stripped)
    space_name = reader.name("an event space")
    space = _built("match", space_name, reader.parameters())
    if not reader.sign("."):
        if reader.at == len(stripped) and "(" not in stripped:
            presets = [name for name in PRESETS if _exists(name)]
            hint = f"write {space_name}.F1, or a preset: {', '.join(presets)}"
            raise RecipeError(f"{shown(stripped)} is an event space without a measure; {hint}")
        raise reader.fail("'.' and a measure")
    measure_name, parameters = reader.name("a measure"), reader.parameters()
    average = _average(reader) if reader.sign("@") else _built("average", "micro", {})
    if reader.at != len(stripped):
        raise reader.fail("the end of the recipe")
    several = SHORT.get(measure_name) if not parameters else None
    return [
        Recipe(space, _measure(space, name, parameters), average)
        for name in several or (measure_name,)
    ]


def parse(text: str) -> Recipe:
    """The one recipe that a text stands for.

    >>> parse("conll") == parse("exact.F1@micro")
    True
    """
    found = expand(text)
    if len(found) > 1:
        raise RecipeError(f"{text} stands for {len(found)} recipes: {', '.join(map(str, found))}")
    return found[0]


def spelled(text: str) -> str:
    """A recipe as it prints itself; text that is none stays as it is.

    >>> spelled("conll"), spelled("exact.F(beta=1)"), spelled("?")
    ('exact.F1', 'exact.F1', '?')
    """
    try:
        return str(parse(text))
    except RecipeError:
        return text


def _exists(preset: str) -> bool:
    return PRESETS[preset].split(".")[0] in registry.builtin("match")


def _average(reader: _Reader) -> Any:
    if reader.sign("label:"):
        text = reader.string()
        label = text if text is not None else reader.take(_WORD)
        if not label:
            raise reader.fail('a label; one with other signs is quoted, label:"a.b"')
        if text is None and reader.at < len(reader.text):
            whole = word(label + reader.text[reader.at :])
            raise reader.fail(f"the end; if it is of the label: label:{whole}")
        return registry.load("average", "label")(label)
    return _built("average", reader.name("an average"), reader.parameters())


def _measure(space: Any, name: str, parameters: Mapping[str, Any]) -> Any:
    if name in ("F1", *SHORT) and parameters:
        raise RecipeError(f"{name} takes no parameters; F does, as in F(beta=2)")
    if name == "F1":
        return _built("measure", "F", {})
    known = registry.place("measure", name) is not None
    own = (*space.outcomes, *space.quantities)
    if name in own and not known:
        if parameters:
            raise RecipeError(f"{name} is a count and takes no parameters")
        return Count.of(space, name)
    if not known and name not in registry.plugins("measure"):
        every = sorted({*registry.names("measure"), "F1", *SHORT, *own}, key=str.casefold)
        raise RecipeError(f"no measure of {space.name} is called {name!r}{nearest(name, every)}")
    return _built("measure", name, parameters)


def _built(stage: str, name: str, parameters: Mapping[str, Any]) -> Any:
    """A component from its name and parameters, each converted to what its field asks for."""
    try:
        cls = registry.load(stage, name)
    except UsageError as error:
        raise RecipeError(str(error)) from None
    fields = {f.name: f for f in dataclasses.fields(cls) if f.init}
    hints = typing.get_type_hints(cls) if parameters else {}
    values = {}
    for key, value in parameters.items():
        if key not in fields:
            there = nearest(key, list(fields)) if fields else "; it has none"
            raise RecipeError(f"{name} has no parameter {key!r}{there}")
        values[key] = _converted(f"{name}({key}=…)", hints[key], value)
    missing = [
        key for key, f in fields.items()
        if key not in values and f.default is dataclasses.MISSING
        and f.default_factory is dataclasses.MISSING
    ]  # fmt: skip
    if missing:
        how = "label:NAME" if name == "label" else f"{name}({missing[0]}=…)"
        raise RecipeError(f"{name} needs a parameter: write {how}")
    return cls(**values)


def _converted(where: str, hint: Any, value: Any) -> Any:
    options: Sequence[Any] = (hint,)
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        options = [option for option in typing.get_args(hint) if option is not type(None)]
    for option in options:
        if typing.get_origin(option) is typing.Literal:
            choices = typing.get_args(option)
            word = "+".join(value) if isinstance(value, list) else str(value)
            if word in map(str, choices):
                return next(choice for choice in choices if str(choice) == word)
            raise RecipeError(f"{where}: found {word}{nearest(word, [str(c) for c in choices])}")
        if option is float and isinstance(value, (int, float)):
            return float(value)
        if option is int and isinstance(value, int):
            return value
        if option is str and isinstance(value, _Text):
            return str(value)
        if option is str and isinstance(value, list) and len(value) == 1:
            return value[0]
        if option is str and isinstance(value, int):
            return str(value)
        if typing.get_origin(option) is tuple and isinstance(value, (_Text, list, int)):
            return tuple(value) if isinstance(value, list) else (str(value),)
        if isinstance(value, (_Component, list)) and option is Any:
            part = value if isinstance(value, _Component) else _Component(value[0], {})
            return _built("match", part.name, part.parameters)
    wanted = " or ".join(getattr(option, "__name__", str(option)) for option in options)
    names = {"float": "a number", "int": "a whole number", "str": "a word", "Any": "an event space"}
    told = " ".join(names.get(word, word) for word in wanted.split())
    found = "+".join(value) if isinstance(value, list) else value
    raise RecipeError(f"{where}: found {found}, expected {told}")


def _fit(recipe: Recipe) -> None:
    """Refuse, in words, a measure that needs what the space does not count."""
    space, measure, average = recipe.space, recipe.measure, recipe.average
    there = {*space.outcomes, *space.quantities}
    lacking = [need for need in measure.needs if need not in there]
    if lacking:
        others = []
        for name in registry.builtin("match"):
            cls = registry.load("match", name)
            has = {*_class_words(cls, "outcomes"), *_class_words(cls, "quantities")}
            if set(measure.needs) <= has:
                others.append(name)
        tail = f"; event spaces that do: {', '.join(sorted(others))}" if others else ""
        tail += hook(measure, "hint")
        needs = " and ".join(lacking)
        raise RecipeError(
            f"{spell(measure)} needs {needs}, which {spell(space)} does not count{tail}"
        )
    wants = hook(average, "measure_hook")
    if wants and hook(measure, wants) is None:
        raise RecipeError(
            f"{spell(average)} is made of the means of P and R, and {spell(measure)} is not; "
            "measures that are: F, P, R"
        )


def _class_words(cls: type[Any], attribute: str) -> Sequence[str]:
    try:
        return list(getattr(cls(), attribute))
    except TypeError:
        return []
