"""The recipe language: SPACE(params).MEASURE(params)@AVERAGE, read, printed and checked.

recipe = preset | comp "." comp ["@" (comp | name ":" (word | string))]
comp   = name ["(" key "=" value {"," key "=" value} ")"]
value  = number | word {"+" word} | JSON string | comp
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import re
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
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
    "F1": "exact.F1",
    "P": "exact.P",
    "R": "exact.R",
    "accuracy": "token.accuracy",
    "strict": "semeval(mode=strict).F1",
    "partial": "semeval(mode=partial).F1",
    "type": "semeval(mode=type).F1",
    "GRIT": "ceaf-ree.F1",
    "GTT": "ceaf-ree(order=file,pairing=many).F1",
}
"""Names from the literature, and names that people know, for whole recipes. A bare F1 is that of
conlleval and seqeval; strict, partial and type are the regimes of SemEval 2013 and nervaluate.
"""

SHORT: Mapping[str, tuple[str, ...]] = {"F1": ("F",), "PRF": ("P", "R", "F1")}
"""Names without parameters that stand for one measure or several. Like PRESETS they are words of
the recipe language, and no property of a measure: P, R and F1 are read together by custom.
"""

_WORD = re.compile(r"[^\W\d][\w-]*|\d[\w-]*")
_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?(?![\w-])")
_DIGITS = re.compile(r"0|[1-9]\d{0,14}", re.ASCII)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


class Names(typing.NamedTuple):
    """The parts of a recipe, each with its parameters."""

    space: str
    measure: str
    average: str


@dataclass(frozen=True)
class Recipe:
    """An event space, a measure and an average: what a score means.

    >>> recipe = Recipe.parse("exact.F(beta=1)@micro")
    >>> str(recipe), recipe.full
    ('exact.F1', 'exact.F1@micro')
    """

    space: Any
    measure: Any
    average: Any
    text: str = dataclasses.field(default="", compare=False, repr=False)
    """What it was parsed from."""

    def __post_init__(self) -> None:
        add = hook(self.space, "with_counts")
        lacking = tuple(need for need in self.measure.needs if need not in _counts(self.space))
        if add is not None and lacking and (more := add(lacking)) is not None:
            object.__setattr__(self, "space", more)
        _check_that_parts_fit(self)

    @classmethod
    def parse(cls, text: str) -> Recipe:
        """The one recipe that a text stands for.

        >>> Recipe.parse("conll") == Recipe.parse("exact.F1@micro")
        True
        """
        recipes = cls.expand(text)
        if len(recipes) > 1:
            every = ", ".join(map(str, recipes))
            raise RecipeError(f"{text} stands for {len(recipes)} recipes: {every}")
        return recipes[0]

    @classmethod
    def expand(cls, text: str) -> list[Recipe]:
        """The recipes that a text stands for: `exact.PRF` is three, a preset is one.

        >>> [str(recipe) for recipe in Recipe.expand("exact.PRF@macro")]
        ['exact.P@macro', 'exact.R@macro', 'exact.F1@macro']
        """
        text = text.strip()
        # A parameter may name a file, which is read each time.
        return list(_read(text) if "(" in text else _read_once(text))

    def __str__(self) -> str:
        tail = "" if self.names.average == "micro" else f"@{self.names.average}"
        return f"{self.names.space}.{self.names.measure}{tail}"

    @cached_property
    def names(self) -> Names:
        """Its parts as it writes them."""
        return Names(spell(self.space), spell(self.measure), spell(self.average))

    @property
    def full(self) -> str:
        """With every parameter, defaults too, as in a signature."""
        parts = (spell(part, full=True) for part in (self.space, self.measure, self.average))
        return "{}.{}@{}".format(*parts)

    @property
    def block(self) -> str:
        """The space and average, under which a table puts the measures side by side."""
        return f"{self.names.space}@{self.names.average}"


def _read(text: str) -> tuple[Recipe, ...]:
    space, measures, average = _Reader(PRESETS.get(text, text)).recipe()
    written = text if len(measures) == 1 else ""
    return tuple(Recipe(space, measure, average, written) for measure in measures)


_read_once = lru_cache(256)(_read)


def spell(component: Any, *, full: bool = False, without: Sequence[str] = ()) -> str:
    """A component as a recipe writes it: parameters by name, defaults only in `full`.

    In full, `signed` of a component that reads a file gives the name of the file with its hash.
    Parameters `without` a meaning are left out: a component names those of its parts in `idle`.

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
    parameters = []
    for field in dataclasses.fields(component):
        value = signed.get(field.name, getattr(component, field.name))
        empty = value is None or value == ()
        if field.name in ("name", *without) or not field.init or empty:
            continue
        if value != field.default or full:
            text = _value(value, full=full, without=idle.get(field.name, ()))
            parameters.append(f"{parameter_name(field)}={text}")
    return str(component.name) + (f"({','.join(sorted(parameters))})" if parameters else "")


def parameter_name(field: dataclasses.Field[Any]) -> str:
    """The name of a field in recipes: a field `symmetric_` is the parameter `symmetric`, where the
    component has something else of that name.

    >>> from carob.match.relations import Relations
    >>> [parameter_name(field) for field in dataclasses.fields(Relations)][-2:]
    ['symmetric', 'coref']
    """
    return field.name.removesuffix("_")


def word(text: str) -> str:
    """A word as it is, other text as a JSON string.

    >>> word("PER"), word("a b")
    ('PER', '"a b"')
    """
    return text if _WORD.fullmatch(text) else _quoted(text)


def _value(value: Any, *, full: bool = False, without: Sequence[str] = ()) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
        return str(int(value)) if whole else repr(value)
    if isinstance(value, tuple):
        # In a list even digits are quoted: they would be read as a number, and the list would end.
        several = (_quoted(part) if _NUMBER.match(part) else word(part) for part in value)
        return "+".join(several) if len(value) > 1 else _text(value[0])
    return _text(value) if isinstance(value, str) else spell(value, full=full, without=without)


def _text(text: str) -> str:
    """A word as it is, unless it would be read as a number that is written differently."""
    same = _DIGITS.fullmatch(text) or not _NUMBER.match(text)
    return word(text) if same else _quoted(text)


def _quoted(text: str) -> str:
    import json  # slow to load, and few recipes need it

    return json.dumps(text, ensure_ascii=False)


class _Text(str):
    """A quoted string, which is never taken for a list of words."""


class _Component(typing.NamedTuple):
    name: str
    parameters: Mapping[str, Any]


class _Reader:
    """Reads a recipe from left to right, and builds its parts."""

    def __init__(self, text: str, what: str = "recipe") -> None:
        self.text, self.at, self.what = text, 0, what

    def recipe(self) -> tuple[Any, list[Any], Any]:
        """The space, the measures and the average."""
        name = self.name("an event space")
        if self.text == name and name not in registry.names("match"):
            if name in {*SHORT, *registry.builtin("measure")}:
                raise RecipeError(f"{name} is a measure; say what it counts: {_with_space(name)}")
            known = {each.casefold(): each for each in PRESETS}
            if name.casefold() in known:
                preset = known[name.casefold()]
                raise RecipeError(f"no recipe is called {name}; did you mean {preset}?")
        space = _build("match", name, self.parameters())
        if not self.sign("."):
            if self.at == len(self.text) and "(" not in self.text:
                hint = f"write {name}.F1, or a preset: {', '.join(PRESETS)}"
                raise RecipeError(f"{shown(self.text)} is an event space without a measure; {hint}")
            raise self.fail("'.' and a measure")
        measures = _measures(space, self.name("a measure"), self.parameters())
        average = self.average() if self.sign("@") else _build("average", "micro", {})
        if self.at != len(self.text):
            raise self.fail("the end of the recipe")
        return space, measures, average

    def average(self) -> Any:
        name = self.name("an average")
        if not self.sign(":"):
            return _build("average", name, self.parameters())
        key = hook(_load("average", name), "colon")
        if key is None:
            self.at -= 1
            raise self.fail("the end of the recipe")
        quoted = self.string()
        value = quoted if quoted is not None else self.take(_WORD)
        if not value:
            raise self.fail(f'a {key}; one with other characters is quoted, {name}:"a.b"')
        if quoted is None and self.at < len(self.text):
            whole = word(value + self.text[self.at :])
            raise self.fail(f"the end; if it is of the {key}: {name}:{whole}")
        return _build("average", name, {key: _Text(value)})

    def fail(self, expected: str) -> RecipeError:
        rest = self.text[self.at :]
        found = shown(rest) if rest else "the end"
        return RecipeError(
            f"in the {self.what} {shown(self.text, 200)}: found {found}, expected {expected}"
        )

    def take(self, pattern: re.Pattern[str]) -> str | None:
        match = pattern.match(self.text, self.at)
        if match is None:
            return None
        self.at = match.end()
        return match.group()

    def sign(self, sign: str) -> bool:
        present = self.text.startswith(sign, self.at)
        self.at += len(sign) * present
        return present

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
        parameters: dict[str, Any] = {}
        if not self.sign("("):
            return parameters
        if depth > 4:
            raise self.fail("fewer brackets")
        while True:
            key = self.name("the name of a parameter")
            if not self.sign("="):
                raise self.fail("'='")
            if key in parameters:
                raise RecipeError(f"the parameter {key} is given twice")
            parameters[key] = self.value(depth)
            if self.sign(")"):
                return parameters
            if not self.sign(","):
                raise self.fail("',' or ')'")

    def value(self, depth: int) -> Any:
        if (text := self.string()) is not None:
            more = self.parts()
            return [text, *more] if more else _Text(text)
        if (number := self.take(_NUMBER)) is not None:
            value = float(number)
            if not math.isfinite(value):
                raise RecipeError(f"{number} is too large")
            return value if any(c in number for c in ".eE") else int(number)
        words = [self.name("a number, a word or a JSON string")]
        if self.text.startswith("(", self.at):
            return _Component(words[0], self.parameters(depth + 1))
        return [*words, *self.parts()]

    def parts(self) -> list[str]:
        """The further parts of a list, each after a plus: words or JSON strings."""
        parts: list[str] = []
        while self.sign("+"):
            text = self.string()
            parts.append(self.name("a word or a JSON string") if text is None else text)
        return parts


def learner(text: str) -> Any:
    """The learner that a text stands for, with its parameters.

    >>> spell(learner("rote(precision=0.7)"))
    'rote(precision=0.7)'
    """
    reader = _Reader(text.strip())
    name = reader.name("a learner")
    parameters = reader.parameters()
    if reader.at != len(reader.text):
        raise reader.fail("the end")
    return _build("learn", name, parameters)


def _measures(space: Any, name: str, parameters: Mapping[str, Any]) -> list[Any]:
    """The measures that a name stands for: those of measure/, and the counts of the space."""
    if name in SHORT:
        if parameters:
            raise RecipeError(f"{name} takes no parameters; F does, as in F(beta=2)")
        return [measure for each in SHORT[name] for measure in _measures(space, each, {})]
    if name in registry.builtin("measure"):
        return [_build("measure", name, parameters)]
    counts = (*space.outcomes, *space.quantities)
    if name in counts:
        if parameters:
            raise RecipeError(f"{name} is a count and takes no parameters")
        return [Count.of(space, name)]
    if name not in registry.plugins("measure"):
        every = sorted({*registry.names("measure"), *SHORT, *counts}, key=str.casefold)
        raise RecipeError(f"no measure of {space.name} is called {name!r}{nearest(name, every)}")
    return [_build("measure", name, parameters)]


def _with_space(measure: str) -> str:
    """A recipe with a measure, in the first well-known event space that has what it needs."""
    for space in ("exact", "token", "slots", "oads"):
        with contextlib.suppress(RecipeError):
            Recipe.expand(text := f"{space}.{measure}")
            return text
    return f"SPACE.{measure}"


def _load(stage: str, name: str) -> type[Any]:
    try:
        return registry.load(stage, name)
    except UsageError as error:
        raise RecipeError(str(error)) from None


def parse_component(text: str, what: str, classes: Mapping[str, type[Any]]) -> Any:
    """One component, written as in a recipe: a name with parameters, of one of these classes.

    >>> from carob.measure.f import F
    >>> parse_component("F(beta=2)", "measure", {"F": F}).beta
    2.0
    """
    reader = _Reader(text.strip(), what)
    article = "an" if what[0] in "aeiou" else "a"
    name = reader.name(f"{article} {what}")
    if name not in classes:
        raise RecipeError(f"no {what} is called {shown(name)}{nearest(name, list(classes))}")
    parameters = reader.parameters()
    if reader.at != len(reader.text):
        raise reader.fail(f"the end of the {what}")
    return _with_parameters(classes[name], name, parameters)


def _build(stage: str, name: str, parameters: Mapping[str, Any]) -> Any:
    return _with_parameters(_load(stage, name), name, parameters, stage)


def _with_parameters(
    cls: type[Any], name: str, parameters: Mapping[str, Any], stage: str = "match"
) -> Any:
    """A component from its name and parameters, each converted to the type of its field."""
    fields = {parameter_name(f): f for f in dataclasses.fields(cls) if f.init}
    hints = typing.get_type_hints(cls) if parameters else {}
    values = {}
    for key, value in parameters.items():
        if key not in fields:
            names = nearest(key, list(fields)) if fields else "; it has none"
            raise RecipeError(f"{name} has no parameter {key!r}{names}")
        own = fields[key].name
        values[own] = _convert(f"{name}({key}=…)", hints[own], value, stage)
    for key, field in fields.items():
        default = field.default, field.default_factory
        if field.name not in values and default == (dataclasses.MISSING, dataclasses.MISSING):
            how = f"{name}:NAME" if hook(cls, "colon") == key else f"{name}({key}=…)"
            raise RecipeError(f"{name} needs a parameter: write {how}")
    return cls(**values)


def _convert(where: str, hint: Any, value: Any, stage: str) -> Any:
    """A value as the type that a field is annotated with; None as a type means no value. A part
    of a learner is a learner, any other part an event space.
    """
    union = isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union
    options = (
        [each for each in typing.get_args(hint) if each is not type(None)] if union else [hint]
    )
    text = "+".join(value) if isinstance(value, list) else str(value)
    for option in options:
        if typing.get_origin(option) is typing.Literal:
            choices = {str(choice): choice for choice in typing.get_args(option)}
            if text in choices:
                return choices[text]
            raise RecipeError(f"{where}: found {text}{nearest(text, list(choices))}")
        if option is bool and text in ("true", "false"):
            return text == "true"
        if option is float and isinstance(value, (int, float)):
            return float(value)
        if option is int and isinstance(value, int):
            return value
        one_word = isinstance(value, (_Text, int)) or (isinstance(value, list) and len(value) == 1)
        if option is str and one_word:
            return text
        if typing.get_origin(option) is tuple and isinstance(value, (_Text, list, int)):
            return tuple(value) if isinstance(value, list) else (text,)
        if option is Any and isinstance(value, (_Component, list)):
            part = value if isinstance(value, _Component) else _Component(value[0], {})
            return _build("learn" if stage == "learn" else "match", part.name, part.parameters)
    names = {float: "a number", int: "a whole number", str: "a word", bool: "true or false",
             Any: "a learner" if stage == "learn" else "an event space"}  # fmt: skip
    expected = " or ".join(names.get(option, str(option)) for option in options)
    raise RecipeError(f"{where}: found {text}, expected {expected}")


def _check_that_parts_fit(recipe: Recipe) -> None:
    """Refuse, in words, a measure that needs what the space does not count."""
    space, measure, average = recipe.space, recipe.measure, recipe.average
    counted = _counts(space)
    lacking = [need for need in measure.needs if need not in counted]
    if lacking:
        spaces = {name: registry.load("match", name)() for name in registry.builtin("match")}
        fitting = [name for name, each in spaces.items() if set(measure.needs) <= _counts(each)]
        tail = f"; event spaces that do: {', '.join(sorted(fitting))}" if fitting else ""
        raise RecipeError(
            f"{spell(measure)} needs {' and '.join(lacking)}, which {spell(space)} does not count"
            f"{tail}{hook(measure, 'hint')}"
        )
    wanted = hook(average, "measure_hook")
    if wanted is not None and hook(measure, wanted) is None:
        raise RecipeError(
            f"{spell(average)} is made of the means of P and R, and {spell(measure)} is not; "
            "measures that are: F, P, R"
        )


def _counts(space: Any) -> set[str]:
    return {*space.outcomes, *space.quantities}
