"""A first experiment file for a corpus, which runs as it is."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from carob.corpus.problems import UsageError
from carob.evaluate.read import read
from carob.pair.texts import Examples
from carob_lab.plan.plan import document_ids

_TEXT = """\
# An experiment: learners, trained and tested on the splits of a corpus. It runs as it is:
#
#   carob run {name} -o run
#
# Paths are relative to this file.

[corpus]
path = {path}
{reading}
# [task]                          # a task definition: slots, official recipes, parts
# file = "task.toml"

[split]
scheme = {scheme}
seed = 1
group = "none"                    # or an attribute, or "near-duplicates(t=0.5)"
# file = "plan.json"              # instead: a plan of carob split

# What there is to learn: {slots}.
# carob learners lists all learners, carob learners NAME explains one.

[[learner]]
id = "rote"
type = "rote"

[[learner]]
id = "perceptron"
type = "perceptron"

# [[learner]]
# id = "crf"                      # needs the extra crf
# type = "crf"
# params = {{ c1 = 0.1, c2 = 0.1 }}
# seeds = [0]

[curve]
sizes = [{sizes}"all"]

[stats]
resamples = 1000
seed = 0
"""


def draft(
    corpus: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    options: Mapping[str, Any] | None = None,
) -> str:
    """An experiment file for a corpus, as text. `out` is where it will be written, so that paths
    in it are right; `options` are for reading.
    """
    if os.fspath(corpus) == "-":
        raise UsageError("an experiment names its corpus: give a file, not standard input")
    read_corpus = read(corpus, **(options or {}))
    size = len(document_ids(read_corpus))
    if size < 4:
        raise UsageError(f"{size} documents are too few for an experiment")
    slots = Examples.of(read_corpus).slots
    if not slots:
        raise UsageError("nothing is marked in the corpus, so there is nothing to learn")
    home = Path.cwd() if out in (None, "-") else Path(os.fspath(out or "")).resolve().parent
    path = os.path.relpath(Path(os.fspath(corpus)).resolve(), home)
    sizes = [each for each in (10, 20, 50, 100, 200, 500) if each < size // 2]
    reading = {key: value for key, value in (options or {}).items() if value is not None}
    pairs = ", ".join(f"{key} = {_value(value)}" for key, value in reading.items())
    return _TEXT.format(
        name=Path(os.fspath(out)).name if out not in (None, "-") else "experiment.toml",
        path=_value(Path(path).as_posix()), reading=f"read = {{ {pairs} }}\n" if pairs else "",
        scheme=_value(f"repeated(train=0.5,n={10 if size < 2000 else 3})"),
        slots=" ".join(", ".join(slots).split()),
        sizes="".join(f"{each}, " for each in sizes),
    )  # fmt: skip


def _value(value: Any) -> str:
    """A value as TOML has it: its texts, numbers and flags are those of JSON."""
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False)
