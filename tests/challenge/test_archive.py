"""Archives: everything but gold and tokens, with hashes; a challenge comes back from one. Older
databases are upgraded after a backup.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from carob.cli import main
from carob_challenge import archive, migrate, organise, pages, runs, teams, upgrade, worker
from carob_challenge.board import board
from carob_challenge.challenge import Challenge
from carob_challenge.errors import RefusedError
from carob_challenge.names import folded
from carob_challenge.store import Store, default_url, metadata
from carob_challenge.viewer import NOBODY, ORGANISER
from tests.challenge.postgres import Postgres
from tests.challenge.world import SECRET, World, answer, phase, values

Make = Callable[..., World]

pytestmark = pytest.mark.slow


@pytest.fixture
def played(world: Make) -> World:
    here = world(phase("test", "full", reveal='"opens"'))
    here.submit("A", answer(3))
    here.submit("=B", answer(2))
    here.submit("A", b"nonsense")
    organise.disqualify(here.challenge, ORGANISER, here.submit("A", answer(4)).submission, "why")
    worker.drain(here.challenge)
    organise.ask_for_reports(here.challenge)
    worker.drain(here.challenge)
    return here


def names(file: Path) -> set[str]:
    with zipfile.ZipFile(file) as archived:
        return set(archived.namelist())


def test_a_public_archive_holds_no_gold_and_no_tokens(played: World, tmp_path: Path) -> None:
    file = tmp_path / "a.zip"
    archive.archive(played.challenge, file)
    there = names(file)
    assert {"challenge.toml", "task.toml", "public/inputs.jsonl", "submissions.csv", "archive.json",
            "SHA256SUMS", "tables/audit.jsonl", "tables/scores.jsonl"} <= there  # fmt: skip
    assert not {"private/gold.jsonl", "tables/tokens.jsonl", "tables/sessions.jsonl"} & there
    assert not [name for name in there if name.startswith("reports/")]
    gold = (played.challenge.folder / "private/gold.jsonl").read_bytes()
    with zipfile.ZipFile(file) as archived:
        for name in there:
            data = archived.read(name)
            assert gold.splitlines()[0] not in data
            assert SECRET.encode() not in data, name
        sums = archived.read("SHA256SUMS").decode().splitlines()
        for line in sums:
            digest, _, name = line.partition("  ")
            assert digest == hashlib.sha256(archived.read(name)).hexdigest()
        assert "'=B" in archived.read("submissions.csv").decode(), "no formula for a spreadsheet"
    assert there == {line.partition("  ")[2] for line in sums} | {"SHA256SUMS"}


@pytest.mark.parametrize("with_gold", [True, False])
def test_a_challenge_comes_back(
    played: World, tmp_path: Path, with_gold: bool, request: pytest.FixtureRequest
) -> None:
    file, folder = tmp_path / "a.zip", tmp_path / "again"
    archive.archive(played.challenge, file, with_gold=with_gold)
    url = None
    if not played.challenge.store.is_sqlite:
        server: Postgres = request.getfixturevalue("postgres")
        url = server.new_database()
    _, missing = archive.restore(file, folder, url)
    again = Challenge.open(folder, url, clock=played.clock)
    first, second = (board(each, NOBODY, "test") for each in (played.challenge, again))
    assert (first.rows, first.history) == (second.rows, second.history)
    assert (
        runs.all_runs(played.challenge, ORGANISER)[1:] == [*runs.all_runs(again, ORGANISER)[1:]]
        or not with_gold
    )
    log = [entry.action for entry in pages.audit_log(again, ORGANISER)]
    assert "disqualified" in log
    viewer = teams.viewer_of_token(again, played.tokens["A"])
    if with_gold:
        assert ([], "A") == (missing, viewer and viewer.name)
        assert 0o600 == (folder / "private/gold.jsonl").stat().st_mode & 0o777
        assert 0o600 == file.stat().st_mode & 0o777
        here = World(again, played.clock, {"A": viewer} if viewer else {})
        assert here.submit("A", answer(1)).submission == 5, "numbers go on"
        worker.drain(again)
        assert values(board(again, NOBODY, "test").rows)["A"] == 0.4
    else:
        assert (3, None) == (len(missing), viewer)
    again.close()


def test_an_archive_without_gold_has_no_contacts_and_no_scores_before_the_reveal(
    world: Make, tmp_path: Path
) -> None:
    here = world(phase("open", "full", reveal='"opens"'), phase("hidden", "none", reveal='"never"'))
    here.team("A", contact="ann@example.org")
    for name, right in (("open", 3), ("hidden", 2)):
        here.submit("A", answer(right), name)
    worker.drain(here.challenge)
    for with_gold in (False, True):
        file = tmp_path / f"{with_gold}.zip"
        archive.archive(here.challenge, file, with_gold=with_gold)
        assert 0o600 == file.stat().st_mode & 0o777
        with zipfile.ZipFile(file) as archived:
            everything = b"".join(map(archived.read, archived.namelist()))
            table = archived.read("tables/scores.jsonl").splitlines()
            rows = archived.read("submissions.csv").decode().splitlines()
        assert with_gold == (b"ann@example.org" in everything)
        assert ([1, 2] if with_gold else [1]) == [json.loads(row)["submission"] for row in table]
        assert with_gold == ("0.66666" in rows[2]), "in the order in which they came"
        assert str(6 / 7) in rows[1]


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_backup_of_the_documentation_can_be_restored(
    played: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (Path(__file__).parents[2] / "docs" / "challenge.md").read_text()
    recipe = text.partition("## Backups\n\n```\n")[2].partition("```")[0]
    monkeypatch.chdir(tmp_path)
    first = board(played.challenge, NOBODY, "test")
    played.challenge.folder.rename(tmp_path / "mytask")
    for command in recipe.splitlines():
        program, *arguments = command.split()
        assert ("carob", 0) == (program, main(arguments)), command
    again = Challenge.open("mytask-again", clock=played.clock)
    second = board(again, NOBODY, "test")
    assert (first.rows, first.history) == (second.rows, second.history)
    viewer = teams.viewer_of_token(again, played.tokens["A"])
    assert viewer is not None
    assert World(again, played.clock, {"A": viewer}).submit("A", answer(1)).valid
    worker.drain(again)
    again.close()


def test_an_archive_that_was_changed_is_refused(played: World, tmp_path: Path) -> None:
    file, changed = tmp_path / "a.zip", tmp_path / "b.zip"
    archive.archive(played.challenge, file)
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, data.replace(b"nonsense", b"sense") + b" " * (name == "task.toml"))
    with pytest.raises(RefusedError, match=r"task\.toml in the archive was changed"):
        archive.restore(changed, tmp_path / "again")
    (tmp_path / "c.zip").write_bytes(b"PK")
    with pytest.raises(RefusedError, match="is not the archive of a challenge"):
        archive.restore(tmp_path / "c.zip", tmp_path / "again2")
    with pytest.raises(RefusedError, match="exists and is not empty"):
        archive.restore(file, tmp_path)


@pytest.mark.parametrize("name", ["../x", "/etc/x", "private/../../x", "c:/x"])
def test_an_archive_cannot_write_elsewhere(tmp_path: Path, name: str) -> None:
    file = tmp_path / "a.zip"
    about = json.dumps({"revision": "0001", "with_gold": False}).encode()
    with zipfile.ZipFile(file, "w") as new:
        sums = ""
        for inside, data in ((name, b"x"), ("archive.json", about)):
            new.writestr(inside, data)
            sums += f"{hashlib.sha256(data).hexdigest()}  {inside}\n"
        new.writestr("SHA256SUMS", sums)
    with pytest.raises(RefusedError, match="leads out of it"):
        archive.restore(file, tmp_path / "again")


def test_the_migrations_make_the_tables_of_the_code(world: Make) -> None:
    with world().challenge.store.read() as connection:
        found = compare_metadata(MigrationContext.configure(connection), metadata)
    assert [] == [each for each in found if "alembic_version" not in str(each)]


def test_another_version_of_the_database_is_refused(played: World) -> None:
    store = played.challenge.store
    with store.write() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(RefusedError, match=r"of a later version of carob \(revision 9999"):
        migrate.check(store)


NEW = {"0002": ("workers", "schedules", "details", "news", "withdrawn", "final_scores")}
"""The tables that each revision has added."""


@pytest.fixture
def old(played: World, tmp_path: Path, request: pytest.FixtureRequest) -> tuple[Path, str | None]:
    """The folder and the database of a challenge as version 0.2.0 has left them."""
    teams.add_team(played.challenge, ORGANISER, "Refused")
    refused = teams.team_named(played.challenge, ORGANISER, "Refused")
    teams.decide(played.challenge, ORGANISER, refused.id, "refused")
    tables = {}
    for name, rows in archive.dump(played.challenge.store, with_gold=True):
        if name in NEW["0002"]:
            continue
        lines = []
        for row in rows:
            if name == "teams":
                del row["affiliation"]
                row["folded"] = folded(row["name"])
            lines.append(json.dumps(row))
        tables[name] = "\n".join(lines).encode()
    folder, url = tmp_path / "old", None
    shutil.copytree(played.challenge.folder, folder, ignore=shutil.ignore_patterns("*.db*"))
    if not played.challenge.store.is_sqlite:
        server: Postgres = request.getfixturevalue("postgres")
        url = server.new_database()
    store = Store(url or default_url(folder))
    archive.load(store, "0001", tables)
    store.close()
    return folder, url


def test_an_older_database_is_upgraded_after_a_backup(
    played: World, old: tuple[Path, str | None]
) -> None:
    folder, url = old
    with pytest.raises(RefusedError, match=r"of an earlier version of carob \(revision 0001"):
        Challenge.open(folder, url)
    before, after, backup = upgrade.upgrade(folder, url)
    assert ("0001", migrate.newest()) == (before, after)
    assert backup is not None
    assert 0o600 == backup.stat().st_mode & 0o777
    if url is None:
        with sqlite3.connect(backup) as copy:
            assert 4 == copy.execute("SELECT count(*) FROM submissions").fetchone()[0]
        copy.close()
    else:
        with zipfile.ZipFile(backup) as copied:
            assert 4 == copied.read("tables/submissions.jsonl").count(b"\n")
            assert "tables/tokens.jsonl" in copied.namelist()
    again = Challenge.open(folder, url, clock=played.clock)
    with again.store.read() as connection:
        found = compare_metadata(MigrationContext.configure(connection), metadata)
    assert [] == [each for each in found if "alembic_version" not in str(each)]
    first, second = (board(each, NOBODY, "test") for each in (played.challenge, again))
    assert (first.rows, first.history) == (second.rows, second.history)
    teams.add_team(again, ORGANISER, "Refused")  # the name is free
    viewer = teams.viewer_of_token(again, played.tokens["A"])
    assert viewer is not None
    World(again, played.clock, {"A": viewer}).submit("A", answer(1))
    worker.drain(again)
    assert values(board(again, NOBODY, "test").rows)["A"] == 0.4
    again.close()


def test_a_database_that_is_up_to_date_is_left_alone(played: World, database: str | None) -> None:
    newest = migrate.newest()
    assert (newest, newest, None) == upgrade.upgrade(played.challenge.folder, database)
