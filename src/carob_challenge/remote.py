"""Validate an answer as a challenge would: from its folder, or from a server's public files."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

from carob._version import __version__
from carob.corpus.problems import DataError, UsageError, nearest
from carob.evaluate.check import Findings
from carob_challenge.config import Config, Limits
from carob_challenge.material import Material, materials
from carob_challenge.validate import Verdict, validate

TIMEOUT = 30
LARGEST = 1 << 30
_NAME = re.compile(r"[\w][\w.+ -]{0,199}")


def check_challenge(
    files: Sequence[str], challenge: str, phase: str | None = None
) -> tuple[Findings, list[Verdict]]:
    """Everything that is wrong with answers to a challenge (a folder or an address), as its server
    would say it.
    """
    with material_of(challenge, phase) as (material, limits):
        verdicts = [_validated(file, material, limits) for file in files]
    counts: dict[str, int] = {}
    for verdict in verdicts:
        for key, count in verdict.findings.counts.items():
            counts[key] = counts.get(key, 0) + count
    problems = tuple(each for verdict in verdicts for each in verdict.findings.problems)
    return Findings(tuple(files), problems, counts), verdicts


def _validated(file: str, material: Material, limits: Limits) -> Verdict:
    path = Path(file)
    if not path.exists():
        raise UsageError(f"{file} does not exist")
    if path.is_file() and path.stat().st_size > limits.upload_bytes:
        raise DataError(f"{file} has more than the {limits.upload_bytes:,} bytes that are taken")
    return validate(path, file, material, limits)


@contextmanager
def material_of(challenge: str, phase: str | None) -> Iterator[tuple[Material, Limits]]:
    """The public files of a phase (default: the one that is open) and the limits."""
    if not challenge.startswith(("http://", "https://")):
        config = Config.read(challenge)
        yield materials(config)[_phase(config, phase)], config.limits
        return
    with tempfile.TemporaryDirectory() as folder:
        base = challenge.rstrip("/")
        about = _json(f"{base}/api/phases/{quote(phase or 'current')}")
        try:
            paths = [_download(base, str(about[key]), Path(folder)) for key in ("inputs", "task")]
            own: dict[str, int] = about.get("limits", {})
            limits = Limits(**{
                key: int(own[key]) for key in ("upload_bytes", "unpacked_bytes", "archive_entries")
                if key in own
            })  # fmt: skip
            part, final = str(about["part"]), str(about.get("final", ""))
            empty = bool(about.get("empty"))
            material = Material(paths[0], Path(folder) / "none", paths[1], part, empty, final)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise DataError(f"{base} does not answer as a challenge of carob does") from None
        yield material, limits


def _phase(config: Config, phase: str | None) -> str:
    from datetime import UTC, datetime

    if phase is not None:
        return config.phase(phase).name
    current = config.the_open_phase(datetime.now(UTC))
    if current is None:
        there = nearest("", list(config.phases))
        raise UsageError(f"no phase is open; say which with --phase{there}")
    return current.name


def _json(address: str) -> dict[str, Any]:
    try:
        content = json.loads(_get(address, 1 << 20))
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise DataError(f"{address} does not answer as a challenge of carob does")
    return content


def _download(base: str, name: str, folder: Path) -> Path:
    if not _NAME.fullmatch(name):
        raise DataError(f"{base} has a file with the name {name!r}")
    target = folder / name
    target.write_bytes(_get(f"{base}/files/{quote(name)}", LARGEST))
    return target


def _sentence(body: bytes) -> str:
    """The sentence with which a server refused; '' if there is none."""
    with suppress(ValueError, AttributeError):
        return str(json.loads(body).get("error", ""))
    return ""


def _get(address: str, most: int) -> bytes:
    host = urlsplit(address).netloc
    request = Request(address, headers={"User-Agent": f"carob/{__version__}"})
    try:
        with urlopen(request, timeout=TIMEOUT) as answer:
            data: bytes = answer.read(most + 1)
    except HTTPError as error:
        with error:
            what = _sentence(error.read(1 << 16)) or f"{error.reason} to {address}"
            raise DataError(f"{host} answers {error.code}: {what}") from None
    except (URLError, OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise DataError(f"cannot reach {host}: {reason}") from None
    if len(data) > most:
        raise DataError(f"{address} has more than {most:,} bytes")
    return data
