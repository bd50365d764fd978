"""Archives: a whole challenge as one zip file, and a challenge from such a file.

    challenge.toml, task and inputs     as in the folder
    submissions/                        every valid submission, under its SHA-256
    tables/*.jsonl                      the database: teams, submissions, scores, audit log ...
    submissions.csv                     which file is whose, with its scores
    site/                               a copy of the pages, as everybody sees them
    archive.json, SHA256SUMS            what this is; the hash of every file

Gold, the hashes of tokens, reports, messages that may quote gold, contacts, and scores that are not
revealed are in it only if asked for.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Set
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any

import sqlalchemy as sa

from carob._version import __version__
from carob_challenge import migrate
from carob_challenge.challenge import Challenge
from carob_challenge.config import FILE, Config
from carob_challenge.errors import RefusedError
from carob_challenge.feedback import reveal_states
from carob_challenge.offline import defused
from carob_challenge.pages import texts
from carob_challenge.runs import all_runs
from carob_challenge.store import PASSING, Store, default_url, record
from carob_challenge.viewer import NOBODY, ORGANISER

SECRET = ("tokens", "invitations")
"""Tables that are archived only together with gold."""

SUMS, ABOUT = "SHA256SUMS", "archive.json"


def archive(challenge: Challenge, output: str | Path, *, with_gold: bool = False) -> int:
    """Write a challenge to a zip file; how many files are in it."""
    target = Path(output)
    temporary = target.with_name(f".{target.name}.new")
    sums: list[str] = []
    temporary.touch(mode=0o600)
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in _contents(challenge, with_gold=with_gold):
            file.writestr(name, data)
            sums.append(f"{hashlib.sha256(data).hexdigest()}  {name}\n")
        file.writestr(SUMS, "".join(sums))
    temporary.chmod(0o600)
    temporary.replace(target)
    with challenge.store.write() as connection:
        detail = "with gold" if with_gold else ""
        record(connection, challenge.now(), "shell", "archived", target.name, detail)
    return len(sums)


def _contents(challenge: Challenge, *, with_gold: bool) -> Iterator[tuple[str, bytes]]:
    about = {
        "carob": __version__, "revision": migrate.newest(), "with_gold": with_gold,
        "title": challenge.config.title, "created": challenge.now().isoformat(),
    }  # fmt: skip
    yield ABOUT, json.dumps(about, indent=1).encode()
    yield FILE, (challenge.folder / FILE).read_bytes()
    files: dict[Path, None] = {}
    for phase in challenge.config.phases:
        material = challenge.material(phase)
        gold = [material.gold] if with_gold else []
        files |= dict.fromkeys([material.inputs, material.task_file, *gold])
    if challenge.config.logo:
        files |= {challenge.folder / challenge.config.logo: None}
    files |= dict.fromkeys(texts(challenge).values())
    yield from _files(challenge.folder, files)
    with challenge.store.read() as connection:
        states = reveal_states(challenge, connection)
    open_ = {name for name, state in states.items() if with_gold or state.revealed}
    yield "submissions.csv", _listing(challenge, open_)
    kept: set[str] = set()
    for table, rows in dump(challenge.store, with_gold=with_gold, revealed=open_):
        lines = []
        for row in rows:
            if table == "submissions" and row["valid"]:
                kept.add(row["sha256"])
            lines.append(json.dumps(row, ensure_ascii=False) + "\n")
        yield f"tables/{table}.jsonl", "".join(lines).encode()
    for sha256 in sorted(kept):
        yield f"submissions/{sha256}", challenge.submission_file(sha256).read_bytes()
    if with_gold:
        yield from _files(challenge.folder, (challenge.folder / "reports").glob("*.html"))
    yield from _site(challenge)


def _files(folder: Path, paths: Iterable[Path]) -> Iterator[tuple[str, bytes]]:
    for path in paths:
        inside = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
        for each in inside:
            yield each.relative_to(folder).as_posix(), each.read_bytes()


def _listing(challenge: Challenge, revealed: Set[str]) -> bytes:
    out = io.StringIO(newline="")
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["id", "team", "phase", "received", "state", "late", "disqualified", "filename",
                    "sha256", "score", "signature"])  # fmt: skip
    for run in reversed(all_runs(challenge, ORGANISER)):
        is_open = run.shown is not None and run.phase in revealed
        official = run.shown.official if run.shown is not None and is_open else None
        cells = [
            run.id, run.team, run.phase, run.received.isoformat(), run.state, run.late,
            run.disqualified, run.filename, run.sha256, official and official.value,
            run.signature if is_open else None,
        ]  # fmt: skip
        table.writerow([defused(cell) for cell in cells])
    return out.getvalue().encode()


def _site(challenge: Challenge) -> Iterator[tuple[str, bytes]]:
    """The pages as everybody sees them."""
    try:
        write_site = import_module("carob_challenge.web.static").write_site
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("carob_challenge.web"):
            return
        raise
    with tempfile.TemporaryDirectory() as folder:
        write_site(challenge, Path(folder), NOBODY)
        for name, data in _files(Path(folder), [Path(folder)]):
            yield f"site/{name}", data


def dump(
    store: Store, *, with_gold: bool, revealed: Set[str] = frozenset()
) -> Iterator[tuple[str, Iterator[dict[str, Any]]]]:
    """The tables of a database as JSON has them, all at one moment. Without gold, there are scores
    of revealed phases alone, and no contacts.
    """
    left_out = {table.name for table in PASSING} | ({"alembic_version"})
    left_out |= set() if with_gold else set(SECRET)
    with store.snapshot() as connection:
        metadata = sa.MetaData()
        metadata.reflect(connection)
        for table in metadata.sorted_tables:
            if table.name in left_out:
                continue
            query = sa.select(table).order_by(*table.primary_key.columns)
            if not with_gold and table.name in ("scores", "final_scores"):
                runs = metadata.tables["submissions"]
                shown = sa.select(runs.c.id).where(runs.c.phase.in_(sorted(revealed)))
                query = query.where(table.c.submission.in_(shown))
            if not with_gold and table.name == "rankings":
                query = query.where(table.c.phase.in_(sorted(revealed)))
            rows = connection.execute(query)
            found = rows.mappings().all()

            def values(found: Any = found, table: sa.Table = table) -> Iterator[dict[str, Any]]:
                for row in found:
                    made = {key: _plain(value) for key, value in row.items()}
                    if table.name == "jobs" and not with_gold:
                        made["error"] = None  # it may quote gold
                    if table.name == "teams" and not with_gold:
                        made["contact"] = ""
                    yield made

            yield table.name, values()


def _plain(value: Any) -> Any:
    if isinstance(value, (bytes, memoryview)):
        return base64.b64encode(bytes(value)).decode()
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
    return value


def restore(
    source: str | Path, folder: str | Path, database: str | None = None
) -> tuple[Config, list[str]]:
    """Make a challenge from an archive, in a new folder; and what is missing in it, in words."""
    where = Path(folder)
    if where.exists() and (not where.is_dir() or any(where.iterdir())):
        raise RefusedError(f"{where} exists and is not empty; give another name")
    try:
        with zipfile.ZipFile(source) as file:
            return _restored(file, where, database)
    except (zipfile.BadZipFile, KeyError, json.JSONDecodeError) as error:
        raise RefusedError(f"{source} is not the archive of a challenge ({error})") from None
    except OSError as error:
        raise RefusedError(f"cannot read {source}: {error.strerror or error}") from None


def _restored(file: zipfile.ZipFile, where: Path, database: str | None) -> tuple[Config, list[str]]:
    sums: dict[str, str] = {}
    for line in file.read(SUMS).decode().splitlines():
        digest, _, name = line.partition("  ")
        sums[name] = digest
    about = json.loads(file.read(ABOUT))
    for name, expected in sums.items():
        if hashlib.sha256(file.read(name)).hexdigest() != expected:
            raise RefusedError(f"{name} in the archive was changed: its hash is another one")
    where.mkdir(parents=True, exist_ok=True)
    for name in sums:
        _put(file, where, name)
    store = Store(database or default_url(where))
    try:
        load(store, about["revision"], {
            PurePosixPath(name).stem: file.read(name) for name in sums
            if name.startswith("tables/")
        })  # fmt: skip
        migrate.upgrade(store)
        if store.is_sqlite and database is None:
            (where / "challenge.db").chmod(0o600)
    finally:
        store.close()
    config = Config.read(where)
    missing = []
    if gold := [p.gold for p in config.phases.values() if not (where / p.gold).exists()]:
        missing.append(f"gold: put it into {where / gold[0]}, readable for you alone (0600)")
    if not about["with_gold"]:
        missing.append("contacts of teams, and scores that were not revealed: once gold is there, "
                       "carob challenge rescore DIR")  # fmt: skip
        missing.append("tokens: give each team a new one with carob challenge team DIR token NAME")
    return config, missing


def _put(file: zipfile.ZipFile, where: Path, name: str) -> None:
    """Write a file of the archive to the folder of the challenge. Pages are not needed there."""
    parts = PurePosixPath(name).parts
    if name.startswith(("tables/", "site/")) or name in (ABOUT, "submissions.csv"):
        return
    if ".." in parts or name.startswith("/") or "\\" in name or ":" in parts[0]:
        raise RefusedError(f"the archive holds the name {name!r}, which leads out of it")
    target = where.joinpath(*parts)
    if parts[0] == "submissions" and len(parts) == 2:
        target = where / "submissions" / parts[1][:2] / parts[1]
    hidden = parts[0] in ("private", "submissions", "reports")
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700 if hidden else 0o755)
    number = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if hidden else 0o644)
    with os.fdopen(number, "wb") as out:
        out.write(file.read(name))


def load(store: Store, revision: str, tables: dict[str, bytes]) -> None:
    """Fill an empty database with tables as `dump` gives them, those of a revision."""
    if migrate.revision(store) is not None:
        raise RefusedError("the database is not empty; give another one")
    migrate.upgrade(store, revision)
    with store.write() as connection:
        metadata = sa.MetaData()
        metadata.reflect(connection)
        for table in metadata.sorted_tables:
            lines = tables.get(table.name, b"").decode().split("\n")
            rows = [
                {key: _typed(value, table.c[key], store) for key, value in json.loads(line).items()}
                for line in lines if line
            ]  # fmt: skip
            if rows:
                connection.execute(table.insert(), rows)
            if not store.is_sqlite and "id" in table.c:
                connection.execute(sa.text(
                    f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'), "
                    f"coalesce(max(id), 1), max(id) IS NOT NULL) FROM {table.name}"
                ))  # fmt: skip


def _typed(value: Any, column: sa.Column[Any], store: Store) -> Any:
    if value is None:
        return None
    if isinstance(column.type, sa.LargeBinary):
        return base64.b64decode(value)
    if isinstance(column.type, sa.DateTime):
        moment = datetime.fromisoformat(value)
        return moment.replace(tzinfo=None) if store.is_sqlite else moment
    return value
