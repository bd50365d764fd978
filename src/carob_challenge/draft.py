"""Draft a challenge: a folder with inputs, gold, task, and a challenge.toml to be edited."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from carob.corpus.corpus import Corpus
from carob.corpus.problems import InputError, Problem, UsageError, many, plain
from carob.corpus.record import record_of
from carob.corpus.source import Source, ending
from carob.evaluate.draft import draft as draft_task
from carob.evaluate.draft import quoted
from carob.evaluate.read import read, read_inputs
from carob.evaluate.task import Task
from carob.pair.pair import Pair
from carob.pair.template_types import slot_labels
from carob_challenge.config import FILE, Config

LEAST = 20
"""From this many documents on, a drafted task divides them among the phases."""

SHARES = {"practice": 0.1, "development": 0.3}
"""How many of all documents these phases have; the others are for the test."""

_NAMES = {
    "practice": ("practice", "trial", "sample", "train"),
    "development": ("development", "dev", "validation", "valid"),
    "test": ("test",), "post-evaluation": ("test",),
}  # fmt: skip
"""The parts of a task that a phase scores, if the task has one of them."""

_HEAD = """\
# A challenge. Times are in UTC (the Z at the end). Every key is explained here; those after a #
# have the value that counts if they are left out. After a change: carob challenge phase DIR shows
# what it means, and a server that runs must be started again.

title = {title}
text = '''
What participants read first: what the task is, and where the data comes from.
This is Markdown. Each file pages/NAME.md is a page of its own, such as pages/rules.md.
'''
# logo = "public/logo.svg"       # a picture: svg, png, jpg or webp
# colour = "#0a5c8f"             # of links and buttons; lighter or darker where it must be read
organiser = ""                   # who organises it, shown on every page
contact = ""                     # how to ask a question
registration = "invitation"      # teams: "invitation" (you add or invite them), or "open" (they
                                 # register, and you approve them)
official = "last"                # the run of a team that counts: its "last" valid one, or the one
                                 # that it marks as "primary" (and else its last)
inputs = {inputs}
gold = {gold}
task = {task}
# stalled_after = 300            # /healthz says that scoring stalls when a job waits so long

[limits]
# upload_bytes = 50_000_000      # the largest upload
# unpacked_bytes = 200_000_000   # the largest content of a zip or gz file
# archive_entries = 10_000       # how many files a zip file may hold
# uploads_an_hour = 60           # uploads of a team in an hour, with invalid ones
# requests_a_minute = 300        # attempts to register or log in from one address
# registrations_an_hour = 5      # teams that register from one address without an invitation
# upload_seconds = 300           # when an upload that does not end is given up
# validating_seconds = 20        # when validating one submission is given up
# validating_megabytes = 512     # memory for validating one submission
# scoring_seconds = 120          # when scoring one submission is given up
# report_seconds = 600           # when writing one report is given up
# memory_megabytes = 2048        # memory for scoring one submission

# The phases, in the order in which they open. Keys of a phase:
#
# title            what pages call it (default: its name)
# text             more about it
# opens, closes    when uploads may begin; without closes it stays open
# grace_seconds    uploads that begin this much later are still in time (default 0)
# quota_a_day      valid submissions of a team in a day (UTC); 0 is any number (default)
# quota            valid submissions of a team in the phase; 0 is any number (default)
# feedback         what a team sees of its scores before the reveal:
#                  "full"         scores with intervals, by label: only if gold is public
#                  "headline"     the official score
#                  "rounded(2)"   the official score with 2 decimals: no protection against
#                                 many submissions
#                  "ladder"       the official score in whole points, if it beats the team's best
#                                 by more than chance explains; else the best again
#                  "none"         nothing
# reveals          how many scores the ladder shows to a team, the first one included (default 20)
# reveal_at        when results open: a time, "opens", "closes" (default), or "never": you reveal
#                  them with carob challenge phase DIR reveal NAME
# late             whether runs are taken after the end: scored, shown apart, never ranked
#                  (default false)
# empty            whether a file without any answer is "invalid" (default) or "allowed"
# part             the part of the task's documents that is scored (default "all")
# parts            in place of part, a split of each upload: {{ board = "…", reveal = "…" }}; scores
#                  are of the first part until the reveal, and the results are of the second
# reports          whether a team gets its report after the reveal; it quotes gold (default true)
# inputs, gold, task   files of this phase, if they are not those above
"""

_PHASE = """
[phases.{name}]
title = {title}
opens = {opens}
{closes}quota_a_day = {quota_a_day}
quota = {quota}
feedback = "{feedback}"{why}
reveal_at = "{reveal}"
late = false
part = {part}
reports = {reports}
"""


def init(
    folder: str | Path,
    inputs: str | Path | None,
    gold: str | Path,
    task: str | Path | None = None,
    *,
    title: str | None = None,
    now: datetime | None = None,
) -> Config:
    """Draft a challenge in a new folder, from public inputs, hidden gold and the task. Without
    inputs they are gold without its answers: ids, texts, tokens and sentences, as jsonl.

    Inputs and gold must have the same documents, and nothing that gold has may be in the inputs.
    Without a task, one is drafted from gold: its labels, and exact.F1 or what fits. It allows any
    number of fillers, since rules that are read off gold would tell about gold. If documents have
    ids, and there are at least twenty, they are divided among practice, development and test.
    """
    where = Path(folder)
    if where.exists() and (not where.is_dir() or any(where.iterdir())):
        raise UsageError(f"{where} exists and is not empty; give another name")
    hidden = read(Source(gold))
    source = (
        Source.of_bytes(inputs_of(hidden), "inputs.jsonl") if inputs is None else Source(inputs)
    )
    _check_inputs(read_inputs(source), hidden)
    definition = Path(task).read_text(encoding="utf-8") if task else _task(hidden)
    where.mkdir(parents=True, exist_ok=True)
    (where / "public").mkdir()
    (where / "private").mkdir(mode=0o700)
    files = {
        "inputs": f"public/inputs{_ending(inputs or 'inputs.jsonl')}",
        "gold": f"private/gold{_ending(gold)}", "task": "task.toml",
    }  # fmt: skip
    if inputs is None:
        (where / files["inputs"]).write_bytes(source.content())
    else:
        _copy(Path(inputs), where / files["inputs"], 0o644)
    _copy(Path(gold), where / files["gold"], 0o600)
    (where / files["task"]).write_text(definition, encoding="utf-8")
    Task.read(where / files["task"]).check_gold(read(Source(where / files["gold"])))
    parts = Task.read(where / files["task"]).parts
    begin = (now or datetime.now(UTC)).replace(second=0, microsecond=0)
    name = title or where.absolute().name
    text = _HEAD.format(title=quoted(name), **{key: quoted(each) for key, each in files.items()})
    (where / FILE).write_text(text + _phases(begin, list(parts)), encoding="utf-8")
    return Config.read(where)


def inputs_of(gold: Corpus) -> bytes:
    """What participants may read of gold, as jsonl.

    >>> print(inputs_of(Corpus.of("[Ann]PER slept")).decode().strip())
    {"tokens":["Ann","slept"]}
    """
    kept = ("id", "text", "tokens", "sentences")
    return b"".join(
        msgspec.json.encode({
            key: value for key, value in record_of(document).items() if key in kept
        }) + b"\n"
        for document in gold
    )  # fmt: skip


def _check_inputs(public: Corpus, hidden: Corpus) -> None:
    """Refuse inputs that are not those of gold, and inputs that hold answers."""
    path = public.origin.path if public.origin else "inputs"
    pair = Pair.of(hidden, public)
    if missing := pair.coverage["missing_documents"]:
        found = f"inputs without {many(missing, 'document')} of gold"
        raise InputError([Problem("K922", path, None, found, "all documents of gold")])
    known = {*hidden.labels, *slot_labels(hidden)}
    there = sorted({*public.labels, *slot_labels(public)} & known)
    if there and (len(public.mentions) or len(public.templates)):
        raise InputError([Problem(
            "K923", path, None, f"inputs with annotations: {', '.join(map(plain, there[:5]))}",
            "the documents alone: everybody can read them",
            "carob convert can leave annotations out",
        )])  # fmt: skip


def _ending(path: str | Path) -> str:
    name = Path(path).name
    tail = ending(name)[1]
    return f"{tail}.gz" if name.endswith(".gz") else tail


def _copy(source: Path, target: Path, mode: int) -> None:
    if source.is_dir():
        shutil.copytree(source, target)
        for place, _, names in os.walk(target):
            Path(place).chmod(0o700 if mode == 0o600 else 0o755)
            for name in names:
                (Path(place) / name).chmod(mode)
        return
    number = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(number, "wb") as out, source.open("rb") as content:
        shutil.copyfileobj(content, out)


def _task(gold: Corpus) -> str:
    """A drafted task that tells nothing about gold beyond its labels."""
    text = draft_task(gold)
    text = re.sub(r"^(\[slots\..*\])\s+# in .*$", r"\1", text, flags=re.M)
    text = re.sub(r'^fillers = ".*"$', 'fillers = "any"', text, flags=re.M)
    text = re.sub(r'^realisations = ".*"$', 'realisations = "many"', text, flags=re.M)
    ids = gold.documents.id
    if ids is None or len(ids) < LEAST:
        return text
    return text.partition("\n# The partition")[0].rstrip() + "\n" + _parts(list(ids))


def _parts(ids: list[str]) -> str:
    """A partition that does not depend on the order of documents."""
    ids = sorted(ids, key=lambda each: hashlib.sha256(each.encode("utf-8", "replace")).digest())
    text = "\n# Which documents each phase scores, chosen at random.\n[parts]\n"
    first = 0
    for name, share in SHARES.items():
        last = first + max(1, round(share * len(ids)))
        text += f"{name} = [{', '.join(map(quoted, sorted(ids[first:last])))}]\n"
        first = last
    return f"{text}test = [{', '.join(map(quoted, sorted(ids[first:])))}]\n"


def _phases(begin: datetime, parts: list[str]) -> str:
    """Practice for two weeks, development for four, test for one, and what comes after."""
    days = {"practice": (0, 14), "development": (14, 42), "test": (42, 49)}
    rules = {
        "practice": ("Practice", 20, 0, "full", "opens"),
        "development": ("Development", 5, 100, "ladder", "closes"),
        "test": ("Test", 0, 3, "none", "closes"),
        "post-evaluation": ("After the evaluation", 5, 0, "headline", "never"),
    }
    text = ""
    for name, (title, a_day, total, feedback, reveal) in rules.items():
        first, last = days.get(name, (49, 0))
        part = next((each for each in _NAMES[name] if each in parts), "all")
        why = ""
        if name == "practice" and part == "all":
            # The documents are those of the test: full feedback would give gold away.
            feedback, reveal, why = "ladder", "never", '      # "full" would give gold away'
        text += _PHASE.format(
            name=name, title=quoted(title), opens=_stamp(begin + timedelta(days=first)),
            closes=f"closes = {_stamp(begin + timedelta(days=last))}\n" if last else "",
            quota_a_day=a_day, quota=total, feedback=feedback, reveal=reveal, part=quoted(part),
            why=why, reports="false" if name == "post-evaluation" else "true",
        )  # fmt: skip
    return text


def _stamp(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
