"""Like: what another tool prints for the same files, byte for byte."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from carob.corpus.corpus import Corpus
from carob.corpus.problems import DataError, UsageError, plain
from carob.evaluate.errors import analyse
from carob.evaluate.options import Options, ScoreOptions
from carob.evaluate.read import Scorable, require_one_system
from carob.evaluate.run import Run, prepare
from carob.evaluate.score import score_run
from carob.recipe import parse_component
from carob.report.peers import TOOLS

if TYPE_CHECKING:
    from typing import Unpack


def like(gold: Scorable, system: Scorable, tool: str, **options: Unpack[ScoreOptions]) -> str:
    """What a tool prints for gold and a system: `conlleval`, `seqeval` or `faireval`, with
    parameters as in recipes: `seqeval(digits=4)`. docs/compat.md describes them.

    conlleval and seqeval read the tags themselves, which conll files have. The keyword arguments
    are described in `carob.Options`; those about reading, and for faireval those about labels,
    have an effect.

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
    if component.reads == "tags":
        if chosen.labels is not None or chosen.map or chosen.task is not None:
            raise UsageError(f"{component.name} counts all tags: labels, map and task have no use")
        run = prepare(gold, {"system": system}, ["exact.F1"], chosen)
        text: str = component(component.count(*_tags_of_both(run, component.name, chosen)))
        return text
    run = prepare(gold, {"system": system}, component.recipes, chosen)
    analysis = analyse(run, "mentions")["system"]
    text = component(score_run(run, chosen), analysis.confusion(), _frequencies(run.reference))
    return text


def _frequencies(gold: Corpus) -> dict[str, int]:
    """How many mentions each label has, in the order in which labels come first."""
    _, first, counts = np.unique(gold.mentions.label, return_index=True, return_counts=True)
    rows = sorted(zip(first.tolist(), counts.tolist(), strict=True))
    return {gold.labels[int(gold.mentions.label[row])]: count for row, count in rows}


def _tags_of_both(run: Run, tool: str, options: Options) -> tuple[list[list[str]], list[list[str]]]:
    """The sentences of gold and of the system."""
    assert run.corpora is not None
    for each in (options.gold_options, options.system_options):
        layers = each.get("tag", -1)
        if isinstance(layers, (list, tuple)) or "+" in str(layers):
            raise UsageError(f"{tool} reads one column of tags, not {layers}")
    gold, system = run.corpora[0], run.corpora[1]["system"]
    rows = list(range(len(system)))
    ids = gold.documents.id, system.documents.id
    if ids[0] is not None and ids[1] is not None and ids[0] != ids[1]:
        place = {name: row for row, name in enumerate(ids[1])}
        rows = [place[name] for name in ids[0] if name in place]
    markers, ours = _sentences(gold, tool, "gold", range(len(gold)))
    _, theirs = _sentences(system, tool, "system", rows)
    if list(map(len, ours)) != list(map(len, theirs)):
        raise DataError(
            f"{tool} needs the same sentences on both sides, and these files differ: a document is "
            "missing, or a sentence ends at another token"
        )
    # -DOCSTART- is a token to other tools; a system may leave it out.
    return [["O"]] * markers + ours, [["O"]] * markers + theirs


def _sentences(
    corpus: Corpus, tool: str, side: str, rows: Iterable[int]
) -> tuple[int, list[list[str]]]:
    """How many lines open a document, and the tags of each sentence as the file has them."""
    markers, sentences = 0, []
    for row in rows:
        lines = corpus.tag_lines(row)
        if lines is None:
            name = plain(corpus.origin.path) if corpus.origin and corpus.origin.path else side
            raise DataError(
                f"{tool} reads tags, and {name} has none in columns; write them into a conll file: "
                "carob convert"
            )
        markers += sum(each.opens for each in lines)
        for is_tag, group in groupby(lines, lambda each: each.tag is not None and not each.opens):
            if is_tag:
                sentences.append([each.tag or "" for each in group])
    return markers, sentences
