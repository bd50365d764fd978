"""Like: what another tool prints for the same files, byte for byte."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from carob.corpus.corpus import Corpus
from carob.corpus.problems import DataError, UsageError, plain
from carob.evaluate._readings import Views, tag_lines
from carob.evaluate.options import Options, ScoreOptions
from carob.evaluate.read import Scorable, require_one_system
from carob.evaluate.run import Run, prepare
from carob.match.fair import Fair
from carob.pair.pair import Pair
from carob.pair.readings import RefusalError
from carob.peers import faireval
from carob.recipe import parse_component
from carob.report.peers import TOOLS
from carob.report.peers.faireval import NONE, Counts, FairEval

if TYPE_CHECKING:
    from typing import Unpack


def like(gold: Scorable, system: Scorable, tool: str, **options: Unpack[ScoreOptions]) -> str:
    """What a tool prints for gold and a system: `conlleval`, `seqeval` or `faireval`, with
    parameters as in recipes: `seqeval(digits=4)`. docs/compat.md describes them.

    conlleval and seqeval read the tags themselves, which conll files and lists of tags have, and so
    does faireval where it can read them. The keyword arguments are described in `carob.Options`;
    those about reading, and for faireval those about labels, have an effect.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "both.conll")
    ...     with open(path, "w") as file:
    ...         _ = file.write("Ann B-PER B-PER\\nslept O O\\n")
    ...     text = like(
    ...         path, path, "conlleval", gold_options={"tag": -2}, system_options={"tag": -1}
    ...     )
    >>> print(text)
    processed 2 tokens with 1 phrases; found: 1 phrases; correct: 1.
    accuracy: 100.00%; precision: 100.00%; recall: 100.00%; FB1: 100.00
                  PER: precision: 100.00%; recall: 100.00%; FB1: 100.00  1
    <BLANKLINE>
    """
    component = parse_component(tool, "tool", TOOLS)
    chosen = Options.of(ScoreOptions, options | {"resamples": 0})
    require_one_system("like", gold, system)
    for each in (chosen.gold_options, chosen.system_options):
        layers = each.get("tag", -1)
        if isinstance(layers, (list, tuple)) or "+" in str(layers):
            raise UsageError(f"{component.name} reads one column of tags, not {layers}")
    if isinstance(component, FairEval):
        return _like_faireval(component, gold, system, chosen)
    if chosen.labels is not None or chosen.map or chosen.task is not None:
        raise UsageError(f"{component.name} counts all tags: labels, map and task have no use")
    run = prepare(gold, {"system": system}, ["exact.F1"], chosen)
    both = _tags_of_both(run, (gold, system), component.name)
    text: str = component(component.count(*both))
    return text


def _like_faireval(tool: FairEval, gold: Scorable, system: Scorable, options: Options) -> str:
    run = prepare(gold, {"system": system}, ["fair.F1"], options)
    assert run.corpora is not None
    corpora = run.corpora[0], run.corpora[1]["system"]
    views = Views(run.pairs["system"].in_tokens, corpora, (gold, system))
    files = views.files({})
    try:
        renamed = options.map or options.task is not None  # which tags cannot be
        reading = faireval.counting((faireval.spans if renamed else faireval.read)(files))
    except RefusalError as error:
        raise DataError(str(error)) from None
    if options.labels is not None:
        reading = reading.only(lambda spot: spot.label in (options.labels or ()))
    counts = faireval.traditional(reading), *_fair_counts(views.pair_of(reading))
    frequencies = Counter(spot.label for spot in reading.gold)
    paths = run.gold.path, run.system_files()[0].path
    return tool(Counts(*counts, frequencies), *paths, options.labels)


def _fair_counts(pair: Pair) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    """How often each label has each type of result, and how often it became another."""
    space = Fair()
    events = space(pair)
    names = (*pair.labels, NONE)
    kinds, confusion = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    columns = (
        events.outcome, np.append(pair.gold.label, -1)[events.gold],
        np.append(pair.system.label, -1)[events.system],
    )  # fmt: skip
    for outcome, gold, system in zip(*(each.tolist() for each in columns), strict=True):
        kind = space.outcomes[outcome]
        kinds[names[system if gold < 0 else gold], kind] += 1
        if kind != "TP":
            confusion[names[gold], names[system]] += 1
    return kinds, confusion


def _tags_of_both(
    run: Run, inputs: tuple[Scorable, Scorable], tool: str
) -> tuple[list[list[str]], list[list[str]]]:
    """The sentences of gold and of the system."""
    assert run.corpora is not None
    gold, system = run.corpora[0], run.corpora[1]["system"]
    rows = list(range(len(system)))
    ids = gold.documents.id, system.documents.id
    if ids[0] is not None and ids[1] is not None and ids[0] != ids[1]:
        place = {name: row for row, name in enumerate(ids[1])}
        rows = [place[name] for name in ids[0] if name in place]
    markers, ours = _sentences(inputs[0], gold, tool, "gold", range(len(gold)))
    _, theirs = _sentences(inputs[1], system, tool, "system", rows)
    if list(map(len, ours)) != list(map(len, theirs)):
        raise DataError(
            f"{tool} needs the same sentences on both sides, and these files differ: a document is "
            "missing, or a sentence ends at another token"
        )
    # -DOCSTART- is a token to other tools; a system may leave it out.
    return [["O"]] * markers + ours, [["O"]] * markers + theirs


def _sentences(
    given: Scorable, corpus: Corpus, tool: str, side: str, rows: Iterable[int]
) -> tuple[int, list[list[str]]]:
    """How many lines open a document, and the tags of each sentence as the file has them."""
    documents = tag_lines(given, corpus)
    if documents is None:
        name = plain(corpus.origin.path) if corpus.origin and corpus.origin.path else side
        raise DataError(
            f"{tool} reads tags, and {name} has none in columns; write them into a conll file: "
            "carob convert"
        )
    markers, sentences = 0, []
    for row in rows:
        lines = documents[row]
        markers += sum(each.opens for each in lines)
        for is_tag, group in groupby(lines, lambda each: each.tag is not None and not each.opens):
            if is_tag:
                sentences.append([each.tag or "" for each in group])
    return markers, sentences
