"""A corrected gold: put it in place of the one before, and begin a new round of scoring."""

from __future__ import annotations

import re
import shutil
from datetime import UTC, datetime
from pathlib import Path

from carob.corpus.source import Source
from carob.evaluate.draft import quoted
from carob.evaluate.read import read
from carob.evaluate.task import Task
from carob.pair.pair import Pair
from carob_challenge import rounds
from carob_challenge.challenge import Challenge
from carob_challenge.errors import RefusedError


def replace_gold(challenge: Challenge, phase: str, gold: str | Path, why: str) -> Challenge:
    """Put a corrected gold in place of that of a phase. The task gets its hash and a new version,
    and states the version before; both files as they were stay in `backups`. The challenge is
    returned as it is now.
    """
    material = challenge.material(phase)
    task, corrected = material.task, read(Source(gold))
    pair = Pair.of(material.public, corrected)
    if pair.coverage["missing_documents"] or len(corrected) != task.documents:
        raise RefusedError(f"{gold} does not have the {task.documents:,} documents of the task")
    assert corrected.origin is not None
    if corrected.origin.sha256 == task.gold:
        raise RefusedError(f"{gold} is the gold that the challenge has already")
    text = material.task_file.read_text(encoding="utf-8")
    changed = _next_version(text, task, corrected.origin.sha256, why)
    stamp = f"{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}"
    for file in (material.gold, material.task_file):
        _keep(file, challenge.folder / "backups" / f"{stamp}-{file.name}")
    _replace(material.task_file, changed.encode(), 0o644)
    if Path(gold).is_dir():
        shutil.rmtree(material.gold)
        shutil.copytree(gold, material.gold)
    else:
        _replace(material.gold, Path(gold).read_bytes(), 0o600)
    now = Challenge(challenge.folder, challenge.written, challenge.store, challenge.clock)
    now.material(phase).task.check_gold(read(Source(material.gold)))
    return now


def _next_version(text: str, task: Task, sha256: str, why: str) -> str:
    number = task.version
    version = str(int(number) + 1) if number.isdecimal() else f"{number}+"
    for key, old, new in (("sha256", task.gold, sha256), ("version", number, version)):
        found = re.search(rf"^{key}\s*=\s*([\"']){re.escape(old)}\1", text, re.M)
        if found is None:
            raise RefusedError(f"cannot find {key} = {quoted(old)} in {task.path}: edit it by hand")
        text = f"{text[: found.start()]}{key} = {quoted(new)}{text[found.end() :]}"
    return f"""{text.rstrip()}

[[versions]]
version = {quoted(number)}
sha256 = {quoted(task.gold)}
documents = {task.documents}
note = {quoted(why or "replaced")}
"""


def _keep(file: Path, copy: Path) -> None:
    if file.is_dir():
        shutil.copytree(file, copy)
    else:
        shutil.copyfile(file, copy)
    copy.chmod(0o700 if file.is_dir() else 0o600)


def _replace(file: Path, data: bytes, mode: int) -> None:
    new = file.with_name(f".{file.name}.new")
    new.touch(mode=mode)
    new.write_bytes(data)
    new.chmod(mode)
    new.replace(file)


def rescore(challenge: Challenge, actor: str, why: str) -> rounds.Round:
    """Begin a new round (see `rounds`)."""
    return rounds.rescore(challenge, actor, why or "scored again")
