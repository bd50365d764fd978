"""Names that a user gave and that no file has: perhaps typing errors, so they are reported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from carob.corpus.corpus import Corpus
from carob.corpus.problems import nearest, plain
from carob.evaluate.presets import only_fillers
from carob.pair.template_types import slot_labels, typed_as
from carob.recipe import Recipe, spell


def slot_rows(
    corpora: Sequence[Corpus], labels: tuple[str, ...], more: Sequence[str] | None = None
) -> tuple[str, ...]:
    """The slots of gold (the first corpus) and systems, and `more`; without any template, the
    labels are slots.

    >>> slot_rows([Corpus.of("[Ann]who")], ("who",))
    ('who',)
    """
    if not any(len(corpus.templates) for corpus in corpora):
        return labels
    every = [slot_labels(typed_as(corpora[0], corpus)) for corpus in corpora]
    return tuple(sorted({*(more or ()), *(slot for slots in every for slot in slots)}))


def unknown_labels(labels: Sequence[str] | None, corpora: Sequence[Corpus]) -> tuple[str, ...]:
    """A remark for each label to be scored that no corpus has.

    >>> unknown_labels(["PERS"], [Corpus.of("[Ann]PER [Oslo]LOC")])
    ('no mention has the label PERS; did you mean PER? there are: LOC, PER',)
    """
    if labels is None:
        return ()
    names = _names(corpora)
    slots = slot_rows(corpora, ())
    what = "no mention or filler counts under" if slots else "no mention has the label"
    return tuple(
        f"{what} {plain(label)}{_hint(label, names)}" for label in labels if label not in names
    )


def unknown_renamings(names: Mapping[str, str], corpora: Sequence[Corpus]) -> tuple[str, ...]:
    """A remark for each label or slot to be renamed that no corpus has.

    >>> unknown_renamings({"PERS": "P"}, [Corpus.of("[Ann]PER")])
    ('PERS=P renames nothing; did you mean PER? there are: PER',)
    """
    there = _names(corpora) if names else []
    return tuple(
        f"{plain(old)}={plain(new)} renames nothing{_hint(old, there)}"
        for old, new in names.items()
        if old not in there
    )


def recipes_without_mentions(
    recipes: Sequence[Recipe], corpora: Mapping[str, Corpus]
) -> tuple[str, ...]:
    """A remark if recipes count mentions, and a corpus has fillers and no mention.

    >>> from carob.recipe import Recipe
    >>> gold = Corpus.of({"templates": [{"slots": {"who": ["Ann"]}}]})
    >>> recipes_without_mentions([Recipe.parse("exact.F1")], {"gold": gold})
    ('exact counts mentions, and gold has only fillers; --preset templates counts fillers',)
    """
    spaces = dict.fromkeys(spell(each.space) for each in recipes if each.space.items == "mention")
    files = [plain(name) for name, corpus in corpora.items() if only_fillers(corpus)]
    if not spaces or not files:
        return ()
    count, have = ("counts" if len(spaces) == 1 else "count"), "has" if len(files) == 1 else "have"
    return (
        f"{', '.join(spaces)} {count} mentions, and {', '.join(files)} {have} only fillers; "
        "--preset templates counts fillers",
    )


def _names(corpora: Sequence[Corpus]) -> list[str]:
    labels = (label for corpus in corpora for label in corpus.labels)
    return sorted({*slot_rows(corpora, ()), *labels})


def _hint(name: str, names: Sequence[str]) -> str:
    """The nearest name (one that differs in the type before the dot, first), and all names."""
    every = sorted(names, key=lambda each: (each.casefold(), each))
    listed = [plain(each) for each in every[:20]] + ["…"] * (len(every) > 20)
    there = f"there are: {', '.join(listed)}" if listed else "there are none"
    if same_slot := [each for each in names if each.endswith(f".{name}")]:
        return f"; did you mean {' or '.join(map(plain, same_slot[:3]))}? {there}"
    guess, sign, _ = nearest(name, names).removeprefix("; ").partition("? there are: ")
    return f"; {guess}? {there}" if sign else f"; {there}"
