"""A recipe prints canonically and reads back as itself; whatever cannot be is refused in words;
no text whatsoever causes anything but a RecipeError.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from carob import Quantities, Recipe, RecipeError, registry
from carob.average.label import Label
from carob.average.micro import Micro
from carob.match.exact import Exact
from carob.measure.f import F
from carob.measure.recall import Recall
from carob.plugin import Events, FloatArray, Pair
from carob.recipe import PRESETS, spell


@dataclass(frozen=True, slots=True)
class Toy:
    """An event space with a parameter of every kind."""

    number: float = 1.0
    whole: int = 2
    word: str = "some"
    words: tuple[str, ...] = ()
    choice: Literal["many", "one", "2015"] = "many"
    maybe: float | None = None

    name: ClassVar[str] = "toy"
    outcomes: ClassVar[tuple[str, ...]] = ("tp", "fp", "fn")
    quantities: ClassVar[Mapping[str, Mapping[str, float]]] = Exact.quantities
    symmetric: ClassVar[bool] = True
    by_document: ClassVar[bool] = True
    items: ClassVar[Literal["mention", "filler"]] = "mention"
    errors: ClassVar[tuple[str, ...]] = ("fp", "fn")

    def __call__(self, pair: Pair) -> Events:
        return Exact()(pair)


@dataclass(frozen=True, slots=True)
class Wants:
    """A measure that needs what no space counts."""

    name: ClassVar[str] = "wants"
    needs: ClassVar[tuple[str, ...]] = ("gold_all", "apples", "pears")
    range: ClassVar[tuple[float, float]] = (0.0, math.inf)
    lower_is_better: ClassVar[bool] = False

    def __call__(self, q: Quantities) -> FloatArray:
        return q["apples"]


@dataclass(frozen=True)
class Entry:
    """Stands for an entry point."""

    made: type[Any]
    value: str = "toys"

    def load(self) -> type[Any]:
        return self.made


@pytest.fixture(autouse=True)
def toys() -> Iterator[None]:
    there: dict[str, dict[str, Any]] = {
        "match": {"toy": Entry(Toy)},
        "measure": {"wants": Entry(Wants)},
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "plugins", lambda stage: there.get(stage, {}))
        yield


numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False), st.integers(-(10**6), 10**6).map(float)
)
words = st.from_regex(r"[A-Za-z_][\w-]{0,8}", fullmatch=True)
texts = st.one_of(
    words, st.text(max_size=8), st.from_regex(r"-?\d{1,20}(e\d|\.\d)?", fullmatch=True)
)
spaces = st.one_of(
    st.builds(Exact),
    st.builds(
        Toy,
        numbers,
        st.integers(-(2**60), 2**60),
        texts,
        st.one_of(st.just(()), texts.map(lambda t: (t,)), st.lists(texts, min_size=2).map(tuple)),
        st.sampled_from(("many", "one", "2015")),
        st.one_of(st.none(), numbers),
    ),
)
measures = st.one_of(
    st.builds(Recall),
    st.builds(F, st.one_of(st.none(), st.floats(0, 1e6))),
    st.builds(lambda a: F(alpha=a), st.floats(0, 1)),
)
averages = st.one_of(
    st.builds(Micro),
    st.sampled_from(["macro", "weighted", "macro-doc", "macro-doc-pr"]).map(
        lambda name: registry.load("average", name)()
    ),
    st.sampled_from(["mean", "sd"]).map(registry.load("average", "macro-doc-present")),
    st.builds(Label, st.text(min_size=1, max_size=8)),
)


@given(spaces, measures, averages)
def test_a_recipe_reads_back_as_itself(space: Any, measure: Any, average: Any) -> None:
    recipe = Recipe(space, measure, average)
    assert recipe == Recipe.parse(str(recipe))
    assert str(recipe) == str(Recipe.parse(str(recipe)))
    assert recipe == Recipe.parse(recipe.full)
    assert recipe.full == Recipe.parse(recipe.full).full


@pytest.mark.parametrize(
    ("text", "printed", "full"),
    [
        ("exact.F1", "exact.F1", "exact.F1@micro"),
        (" exact.F(beta=1)@micro ", "exact.F1", "exact.F1@micro"),
        ("exact.F(alpha=0.50)", "exact.F1", "exact.F1@micro"),
        ("exact.F(beta=2.0)", "exact.F(beta=2)", "exact.F(beta=2)@micro"),
        ("exact.F(alpha=1e-1)@macro", "exact.F(alpha=0.1)@macro", "exact.F(alpha=0.1)@macro"),
        ("exact.R@label:PER", "exact.R@label:PER", "exact.R@label:PER"),
        ('exact.R@label:"PER"', "exact.R@label:PER", "exact.R@label:PER"),
        ('exact.R@label:"a.b"', 'exact.R@label:"a.b"', 'exact.R@label:"a.b"'),
        ("exact.R@label(label=PER)", "exact.R@label:PER", "exact.R@label:PER"),
        (r'exact.R@label:"\"\u00e9"', r'exact.R@label:"\"é"', r'exact.R@label:"\"é"'),
        ("exact.R@label:東京", "exact.R@label:東京", "exact.R@label:東京"),
        ("exact.R@label:2-x", "exact.R@label:2-x", "exact.R@label:2-x"),
        ("conll", "exact.F1", "exact.F1@micro"),
        ("exact.tp", "exact.tp", "exact.tp@micro"),
        (
            "boundary.gold_all@macro-doc",
            "boundary.gold_all@macro-doc",
            "boundary.gold_all@macro-doc",
        ),
        (
            "toy(words=b+a,number=2).R",
            "toy(number=2,words=b+a).R",
            "toy(choice=many,number=2,whole=2,word=some,words=b+a).R@micro",
        ),
        (
            "toy(choice=2015,word=2015,words=7).R",
            "toy(choice=2015,word=2015,words=7).R",
            "toy(choice=2015,number=1,whole=2,word=2015,words=7).R@micro",
        ),
        (
            'toy(word="007",number=-0.5).R',
            'toy(number=-0.5,word="007").R',
            'toy(choice=many,number=-0.5,whole=2,word="007").R@micro',
        ),
    ],
)
def test_a_recipe_prints_canonically(text: str, printed: str, full: str) -> None:
    assert (printed, full) == (str(Recipe.parse(text)), Recipe.parse(text).full)


def test_every_combination_in_the_registry_reads_back_as_itself() -> None:
    built = 0
    for space in registry.builtin("match"):
        for measure in (*registry.builtin("measure"), "F1"):
            try:
                Recipe.parse(f"{space}.{measure}")
            except RecipeError:
                continue  # what does not fit under one average fits under none
            for average in registry.builtin("average"):
                tail = f"@{average}" if average != "label" else "@label:X"
                try:
                    recipe = Recipe.parse(f"{space}.{measure}{tail}")
                except RecipeError:
                    continue
                assert recipe == Recipe.parse(str(recipe)) == Recipe.parse(recipe.full)
                built += 1
    assert built > 1000


def test_prf_stands_for_three() -> None:
    assert ["exact.P@macro", "exact.R@macro", "exact.F1@macro"] == [
        str(recipe) for recipe in Recipe.expand("exact.PRF@macro")
    ]
    with pytest.raises(RecipeError) as caught:
        Recipe.parse("exact.PRF")
    assert "exact.PRF stands for 3 recipes: exact.P, exact.R, exact.F1" == str(caught.value)


def test_presets_print_their_full_form() -> None:
    for preset, text in PRESETS.items():
        if text.split(".")[0] in registry.builtin("match"):
            assert Recipe.parse(text) == Recipe.parse(preset)
            assert text == str(Recipe.parse(preset))


@pytest.mark.parametrize(
    ("name", "recipe"),
    [
        ("F1", "exact.F1"), ("P", "exact.P"), ("R", "exact.R"), ("accuracy", "token.accuracy"),
        ("strict", "semeval(mode=strict).F1"), ("partial", "semeval(mode=partial).F1"),
        ("type", "semeval(mode=type).F1"),
    ],
)  # fmt: skip
def test_names_that_people_know_are_understood(name: str, recipe: str) -> None:
    assert [Recipe.parse(recipe)] == Recipe.expand(name)


def test_a_recipe_without_parameters_is_parsed_once() -> None:
    assert Recipe.parse(" exact.F1@macro ") is Recipe.parse("exact.F1@macro")
    assert Recipe.expand("exact.PRF") is not Recipe.expand("exact.PRF")  # a list can be changed


def test_equal_recipes_are_one_key() -> None:
    assert 1 == len(
        {Recipe.parse(text) for text in ("conll", "exact.F1@micro", "exact.F(alpha=0.5)")}
    )


def listed(stage: str) -> str:
    return ", ".join(registry.names(stage))


def listed_measures() -> str:
    own = {"tp", "fp", "fn", *Exact.quantities}
    return ", ".join(sorted({*registry.names("measure"), "F1", "PRF", *own}, key=str.casefold))


def listed_presets() -> str:
    there = registry.builtin("match")
    spaces = {name: text.split(".")[0].split("(")[0] for name, text in PRESETS.items()}
    return ", ".join(name for name, space in spaces.items() if space in there)


REFUSED: list[tuple[str, str]] = [
    ("", "in the recipe '': found the end, expected an event space"),
    (".F1", "in the recipe '.F1': found '.F1', expected an event space"),
    (
        "exact",
        "'exact' is an event space without a measure; write exact.F1, or a preset: {presets}",
    ),
    ("PRF", "PRF is a measure; say what it counts: exact.PRF"),
    ("f1", "no recipe is called f1; did you mean F1?"),
    ("kappa", "kappa is a measure; say what it counts: token.kappa"),
    ("SUB", "SUB is a measure; say what it counts: slots.SUB"),
    ("ungrounded-share",
     "ungrounded-share is a measure; say what it counts: oads.ungrounded-share"),
    ("exact:F1", "in the recipe 'exact:F1': found ':F1', expected '.' and a measure"),
    ("exact.", "in the recipe 'exact.': found the end, expected a measure"),
    ("exact.F1@", "in the recipe 'exact.F1@': found the end, expected an average"),
    ("oads.F1@label:talk.speaker",
     "in the recipe 'oads.F1@label:talk.speaker': found '.speaker', expected the end; if it is of "
     'the label: label:"talk.speaker"'),
    ("exact.F1 x", "in the recipe 'exact.F1 x': found ' x', expected the end of the recipe"),
    ("exact.F1@macro@micro",
     "in the recipe 'exact.F1@macro@micro': found '@micro', expected the end of the recipe"),
    ("exact.F()", "in the recipe 'exact.F()': found ')', expected the name of a parameter"),
    ("exact.F(beta)", "in the recipe 'exact.F(beta)': found ')', expected '='"),
    ("exact.F(beta=2", "in the recipe 'exact.F(beta=2': found the end, expected ',' or ')'"),
    ("exact.F(beta=)",
     "in the recipe 'exact.F(beta=)': found ')', expected a number, a word or a JSON string"),
    ("exact.F(beta=a+)",
     "in the recipe 'exact.F(beta=a+)': found ')', expected a word or a JSON string"),
    ('exact.R@label:"\\x"',
     "in the recipe 'exact.R@label:\"\\\\x\"': found the end, expected a JSON string"),
    ("exact.R@label:",
     "in the recipe 'exact.R@label:': found the end, "
     "expected a label; one with other characters is quoted, label:\"a.b\""),
    ('exact.R@label:""',
     "in the recipe 'exact.R@label:\"\"': found the end, "
     "expected a label; one with other characters is quoted, label:\"a.b\""),
    ("exact.R@label", "label needs a parameter: write label:NAME"),
    ("exact.F(beta=1,beta=2)", "the parameter beta is given twice"),
    ("exact.F(beta=1e999)", "1e999 is too large"),
    ("exact.F(beta=x)", "F(beta=…): found x, expected a number"),
    ("exact.F(beta=x+y)", "F(beta=…): found x+y, expected a number"),
    ('exact.F(beta="2")', "F(beta=…): found 2, expected a number"),
    ("exact.F(betta=2)", "F has no parameter 'betta'; did you mean beta? there are: alpha, beta"),
    ("exact.P(beta=2)", "P has no parameter 'beta'; it has none"),
    ("exact.F(beta=2,alpha=0.5)", "F takes beta or alpha, not both"),
    ("exact.F(beta=-1)", "F(beta=-1.0): beta is 0 or more"),
    ("exact.F(alpha=2)", "F(alpha=2.0): alpha is between 0 and 1"),
    ("exact.tp(x=1)", "tp is a count and takes no parameters"),
    ("exact.F1(beta=2)", "F1 takes no parameters; F does, as in F(beta=2)"),
    ("exact.PRF(beta=2)", "PRF takes no parameters; F does, as in F(beta=2)"),
    ("Exact.F1", "no event space is called 'Exact'; did you mean exact? there are: {match}"),
    ("exat.F1", "no event space is called 'exat'; did you mean exact? there are: {match}"),
    ("exact.qqq", "no measure of exact is called 'qqq'; there are: {measures}"),
    ("exact.F11", "no measure of exact is called 'F11'; did you mean F1? there are: {measures}"),
    ("exact.F1@makro", "no average is called 'makro'; did you mean macro? there are: {average}"),
    ("toy(whole=1.5).R", "toy(whole=…): found 1.5, expected a whole number"),
    ("toy(word=a+b).R", "toy(word=…): found a+b, expected a word"),
    ("toy(choice=mony).R",
     "toy(choice=…): found mony; did you mean many? there are: 2015, many, one"),
    ("toy(number=a(b=c(d=e(f=g(h=i(j=k(l=m))))))).R",
     "in the recipe 'toy(number=a(b=c(d=e(f=g(h=i(j=k(l=m))))))).R': "
     "found 'j=k(l=m))))))).R', expected fewer brackets"),
    ("exact.wants", "wants needs apples and pears, which exact does not count"),
    ("exact.tp@macro-doc-pr",
     "macro-doc-pr is made of the means of P and R, and tp is not; measures that are: F, P, R"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_what_cannot_be_is_refused_in_words(text: str, message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        Recipe.expand(text)
    expected = message
    for key, value in (
        ("{presets}", listed_presets()), ("{measures}", listed_measures()),
        ("{match}", listed("match")), ("{average}", listed("average")),
    ):  # fmt: skip
        expected = expected.replace(key, value)
    assert expected == str(caught.value)


def test_a_measure_says_which_spaces_have_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Wants, "needs", ("tp_system",))
    with pytest.raises(RecipeError) as caught:
        Recipe.parse("exact.wants")
    text = str(caught.value)
    start = "wants needs tp_system, which exact does not count; event spaces that do: "
    assert text.startswith(start)
    assert "boundary" in text.removeprefix(start).split(", ")


@given(st.text(st.sampled_from(list('exact.F1@mo(=,)+"-\\ 0e:label')), max_size=30))
@example('exact.F(beta="\\ud800")')
@example("exact.F(beta=" + "9" * 5000 + ")")
@example("toy(whole=" + "9" * 400 + ").R")
@example("exact.F(beta=٣)")
@example('exact.R@label:"\n"')
@example("toy(number=exact).R")
@example("toy(number=exact(a=1)).R")
@example("\0")
def test_random_text_is_a_recipe_or_refused(text: str) -> None:
    try:
        found = Recipe.expand(text)
    except RecipeError:
        return
    for recipe in found:
        assert recipe == Recipe.parse(str(recipe))


@given(
    st.lists(
        st.sampled_from(
            ["exact", "toy", "conll", ".", "F", "F1", "PRF", "R", "@", "macro", "label", ":", "(",
             ")", "=", ",", "+", "beta", "alpha", "whole", "words", "word", "choice", "one", "2",
             "0.5", '"x y"', "-1", " "]
        ),
        max_size=12,
    ).map("".join)
)  # fmt: skip
def test_random_pieces_are_a_recipe_or_refused(text: str) -> None:
    try:
        found = Recipe.expand(text)
    except RecipeError:
        return
    assert [str(r) for r in found] == [str(Recipe.parse(str(r))) for r in found]


def test_a_component_is_spelled_by_its_parameters() -> None:
    assert "toy(maybe=1e-05,whole=3)" == spell(Toy(whole=3, maybe=0.00001))
    assert "exact" == spell(Exact(), full=True)
