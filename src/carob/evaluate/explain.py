"""Why another tool prints another number: its rules, one at a time, on the same files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from carob import registry
from carob._version import __version__
from carob.corpus.problems import DataError, RecipeError, UsageError
from carob.evaluate._readings import Views
from carob.evaluate.options import Options
from carob.evaluate.read import Scorable, require_one_system
from carob.evaluate.run import Run, prepare, systems_by_name
from carob.explain.shares import Places, share_of
from carob.pair.pair import documents_of_gold
from carob.pair.readings import RefusalError, Spot
from carob.recipe import parse_component, spell
from carob.result.explanation import Explanation, Number, Share, ToolExplanation

if TYPE_CHECKING:
    from typing import Unpack

    from carob.plugin import Peer

_LIKE = re.compile(r"\s*([\w-]+)\s*(\(.*\))?\s*(?:=\s*([0-9]*\.?[0-9]+)\s*)?")


class ExplainOptions(TypedDict, total=False):
    """The options of `carob.explain`. `Options` describes each."""

    gold_options: Mapping[str, Any] | None
    system_options: Mapping[str, Any] | None
    extra_docs: str
    words: str
    tokenizer: str


def explain(
    gold: Scorable,
    system: Scorable,
    like: str | Sequence[str] | None = None,
    *,
    examples: int = 2,
    names: Sequence[str] | None = None,
    **options: Unpack[ExplainOptions],
) -> Explanation:
    """Why other tools print other numbers for these files, and how much each of their rules
    contributes.

    `like` are the tools: names like "seqeval", with parameters ("seqeval(mode=strict)") and, if it
    is known, the F1 that the tool printed ("seqeval(mode=strict)=84.31"); by default all tools. A
    tool with several modes is explained in each of them. From carob's number one rule after the
    other is exchanged for that of the tool. So the contributions add up to the difference, but may
    be different in another order. `examples` is how many places are shown for each rule. The other
    keyword arguments are described in `carob.Options`.

    >>> gold, system = [["B-A", "I-A"], ["B-B"]], [["I-A", "I-A"], ["B-B"]]
    >>> found = explain(gold, system, "seqeval(mode=strict)")
    >>> found.tools[0].numbers[1]
    Number(name='R', recipe='exact.R', ours=1.0, theirs=0.5)
    >>> found.tools[0].shares[2].rule, found.tools[0].shares[2].changes["R"]
    ('dropped', -0.5)
    """
    if examples < 0:
        raise UsageError(f"examples is 0 or more, not {examples}")
    if isinstance(like, Mapping):
        raise UsageError("like is a text or a list of texts, with a number as in 'conlleval=84.31'")
    require_one_system("explain", gold, system)
    texts = [like] if isinstance(like, str) else registry.names("peers") if like is None else like
    tools = [tool for text in texts for tool in parse_like(text)]
    if not tools:
        raise UsageError(f"give at least one tool; there are: {', '.join(registry.names('peers'))}")
    chosen = replace(Options.of(ExplainOptions, options), resamples=0)
    recipes = dict.fromkeys(text for peer, _ in tools for text in peer.recipes.values())
    systems = systems_by_name([system], names or ())
    run = prepare(gold, systems, list(recipes), chosen, lambda *_: ())
    assert run.corpora is not None
    name = next(iter(run.pairs))
    read = (run.corpora[0], run.corpora[1][name])
    views = Views(run.pairs[name], read, (gold, system))
    places = _places(run, views)
    return Explanation(
        __version__, run.gold, run.system_files(),
        tuple(_explained(peer, printed, views, examples, places) for peer, printed in tools),
        run.signature(), run.remarks, tuple(recipes),
    )  # fmt: skip


def parse_like(text: str) -> list[tuple[Peer, str | None]]:
    """The tools that a text names, and the number that one of them printed.

    >>> [spelled(peer) for peer, _ in parse_like("hipe")]
    ['hipe(mode=strict)', 'hipe(mode=fuzzy)']
    >>> parse_like("conlleval=85.05")[0][1]
    '85.05'
    """
    match = _LIKE.fullmatch(text)
    if match is None:
        raise UsageError(f"found --like {text}, expected a tool, like seqeval or seqeval=84.31")
    name, parameters, printed = match[1], (match[2] or "").replace(" ", ""), match[3]
    if printed is not None and float(printed) > 100:
        raise UsageError(f"found --like {text}, expected a number from 0 to 1, or up to 100")
    cls = registry.load("peers", name)
    try:
        peer: Peer = parse_component(name + parameters, "tool", {name: cls})
    except RecipeError as error:
        raise UsageError(str(error)) from None
    if peer.modes and peer.mode not in peer.modes:
        raise UsageError(f"{name} has no mode {peer.mode!r}; it has: {', '.join(peer.modes)}")
    if "mode=" in parameters or len(peer.modes) < 2:
        return [(peer, printed)]
    if printed is not None:
        raise UsageError(
            f"found --like {text}, expected the mode of the number: "
            f"{name}(mode={peer.modes[0]})={printed}; modes: {', '.join(peer.modes)}"
        )
    return [(replace(peer, mode=mode), None) for mode in peer.modes]  # type: ignore[type-var]


def spelled(peer: Peer) -> str:
    """A tool as `--like` writes it, with its mode if it has several.

    >>> spelled(parse_like("seqeval(mode=strict, scheme=IOB2)")[0][0])
    'seqeval(mode=strict,scheme=IOB2)'
    """
    text = spell(peer)
    if not peer.modes or "mode=" in text:
        return text
    return f"{peer.name}(mode={peer.mode}" + (f",{rest}" if (rest := text[len(peer.name) + 1 :])
                                              else ")")  # fmt: skip


def _explained(
    peer: Peer, printed: str | None, views: Views, examples: int, places: Places
) -> ToolExplanation:
    shares: list[Share] = []
    try:
        files = views.files(peer.recipes)
        before = files.counted
        for step in peer.steps(files, views.count):
            shares.append(share_of(before, step, examples, places))
            before = step.counted
    except (RefusalError, DataError) as error:
        return ToolExplanation(spelled(peer), peer.version, refusal=str(error))
    numbers = tuple(
        Number(name, recipe, files.counted.values[name], before.values[name])
        for name, recipe in peer.recipes.items()
    )
    quoted = next(name for name in peer.recipes if name.endswith(("F1", "FB1", "_f")))
    value, rounding = _printed(printed)
    return ToolExplanation(
        spelled(peer), peer.version, numbers, tuple(shares), "",
        quoted if printed is not None else "", value, rounding,
    )  # fmt: skip


def _printed(text: str | None) -> tuple[float | None, float]:
    """A number as someone printed it, and half of its last place; above 1 it is in hundredths. 0
    and 1 without a point are not rounded: half of their last place would be half of all values.

    >>> _printed("84.31"), _printed("1")
    ((0.8431000000000001, 5e-05), (1.0, 0.0))
    """
    if text is None:
        return None, 0.0
    value, digits = float(text), len(text.partition(".")[2])
    scale = 100.0 if value > 1 else 1.0
    rounded = digits or scale > 1
    return value / scale, 0.5 * 10.0**-digits / scale if rounded else 0.0


def _places(run: Run, views: Views) -> Places:
    """Where positions are in the files."""
    by_side: dict[str, tuple[Any, Any]] = {}
    for number, side in enumerate(("gold", "system")):
        if views.sides is not None and not views.sides[number].made:
            tagged = views.sides[number].tagged
            order = np.argsort(tagged.position, kind="stable")
            by_side[side] = tagged.position[order], tagged.line[order]

    rows = {doc: row for row, doc in enumerate(documents_of_gold(*views.corpora).tolist())}
    borders = None if views.pair.borders is None or views.tokens is None else views.pair.borders()

    def line(side: str, doc: int, position: int) -> tuple[str, int]:
        corpus = views.corpora[side == "system"]
        if side in by_side:
            row = min(doc, len(corpus) - 1)
            positions, lines = by_side[side]
            at = min(int(np.searchsorted(positions, position)), len(lines) - 1)
            return corpus.file_name(side, row), int(lines[at])
        row = doc if side == "gold" else rows.get(doc, len(corpus) - 1)
        place = position - int(views.starts[doc])
        return corpus.file_name(side, row), corpus.line(row, place) if views.tokens is views.pair \
            else int(corpus.documents.line[row])  # fmt: skip

    def words(doc: int, spot: Spot) -> Sequence[str] | None:
        if views.tokens is None:
            return None
        low, high = (place - int(views.starts[doc]) for place in (spot.start, spot.end))
        text, tokens = run.reference.words(doc)
        if borders is None or text is None:
            return tokens and tokens[low:high]
        if spot.inside is not None:
            return [text[slice(*spot.inside)]]
        first, stop = (int(each) for each in borders.offsets[doc : doc + 2])
        places = range(first + low, min(first + high, stop))
        return [text[borders.start[i] : borders.end[i]] for i in places]

    return Places(views.starts[:-1], words, line)
