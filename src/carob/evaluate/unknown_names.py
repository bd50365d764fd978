"""What was asked for and means nothing here: typing errors, perhaps, that are told early."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from carob.corpus.corpus import Corpus
from carob.corpus.problems import nearest, plain
from carob.evaluate.presets import SLOTS, only_fillers
from carob.pair.template_types import slot_labels, typed_as
from carob.recipe import Recipe, spell


def slot_rows(
    corpora: Sequence[Corpus], labels: tuple[str, ...], asked: Sequence[str] | None = None
) -> tuple[str, ...]:
    """The rows of slots of gold and systems; where no one has templates, labels are slots.

    >>> slot_rows([Corpus.of("[Ann]who")], ("who",))
    ('who',)
    """
    if not any(len(corpus.templates) for corpus in corpora):
        return labels
    every = [slot_labels(typed_as(corpora[0], corpus)) for corpus in corpora]
    return tuple(sorted({*(asked or ()), *(slot for slots in every for slot in slots)}))


def unmarked(labels: Sequence[str] | None, corpora: Sequence[Corpus]) -> tuple[str, ...]:
    """Labels that were asked for and that nobody has.

    >>> unmarked(["PERS"], [Corpus.of("[Ann]PER [Oslo]LOC")])
    ('no mention has the label PERS; did you mean PER? there are: LOC, PER',)
    """
    if labels is None:
        return ()
    slots = slot_rows(corpora, ())
    there = sorted({*slots, *(label for corpus in corpora for label in corpus.labels)})
    what = "no mention has the label" if not slots else "no mention or filler counts under"
    return tuple(
        f"{what} {plain(label)}{_near(label, there)}" for label in labels if label not in there
    )


def idle(names: Mapping[str, str], corpora: Sequence[Corpus]) -> tuple[str, ...]:
    """New names for labels and rows that nobody has.

    >>> idle({"PERS": "P"}, [Corpus.of("[Ann]PER")])
    ('PERS=P renames nothing; did you mean PER? there are: PER',)
    """
    if not names:
        return ()
    slots = slot_rows(corpora, ())
    there = sorted({*slots, *(label for corpus in corpora for label in corpus.labels)})
    return tuple(
        f"{plain(old)}={plain(new)} renames nothing{_near(old, there)}"
        for old, new in names.items()
        if old not in there
    )


def unmentioned(recipes: Sequence[Recipe], corpora: Mapping[str, Corpus]) -> tuple[str, ...]:
    """Recipes that count mentions, where someone has fillers and no mention.

    >>> from carob.recipe import parse
    >>> gold = Corpus.of({"templates": [{"slots": {"who": ["Ann"]}}]})
    >>> unmentioned([parse("exact.F1")], {"gold": gold})
    ('exact counts mentions, and gold has fillers alone; --preset templates counts fillers',)
    """
    spaces = dict.fromkeys(spell(each.space) for each in recipes if each.space.name not in SLOTS)
    silent = [plain(name) for name, corpus in corpora.items() if only_fillers(corpus)]
    if not spaces or not silent:
        return ()
    count, have = ("counts" if len(spaces) == 1 else "count"), "has" if len(silent) == 1 else "have"
    return (
        f"{', '.join(spaces)} {count} mentions, and {', '.join(silent)} {have} fillers alone; "
        "--preset templates counts fillers",
    )


def _near(name: str, names: Sequence[str]) -> str:
    """The nearest name (one that is the same but for the type before all), and what there is."""
    tails = [each for each in names if each.endswith(f".{name}")]
    every = sorted(names, key=lambda each: (each.casefold(), each))
    told = [plain(each) for each in every[:20]] + ["…"] * (len(every) > 20)
    there = f"there are: {', '.join(told)}" if told else "there are none"
    if tails:
        return f"; did you mean {' or '.join(map(plain, tails[:3]))}? {there}"
    guess, sign, _ = nearest(name, names).removeprefix("; ").partition("? there are: ")
    return f"; {guess}? {there}" if sign else f"; {there}"
