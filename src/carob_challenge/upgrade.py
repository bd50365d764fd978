"""Bring the database of an older folder up to date, after a backup."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from datetime import UTC, datetime
from pathlib import Path

from carob_challenge import migrate
from carob_challenge.archive import ABOUT, dump
from carob_challenge.config import Config
from carob_challenge.errors import RefusedError
from carob_challenge.store import Store, default_url


def upgrade(folder: str | Path, database: str | None = None) -> tuple[str, str, Path | None]:
    """Upgrade a database: from which revision, to which, and where the backup is (None if there was
    nothing to do).
    """
    where = Path(folder)
    Config.read(where)
    store = Store(database or default_url(where))
    try:
        before, after = migrate.revision(store), migrate.newest()
        if before is None:
            raise RefusedError(f"{where} has no database yet: there is nothing to upgrade")
        if before == after:
            return before, after, None
        backup = back_up(store, where / "backups", before)
        migrate.upgrade(store)
        return before, after, backup
    finally:
        store.close()


def back_up(store: Store, folder: Path, revision: str) -> Path:
    """Copy a database: that of SQLite as it is, that of PostgreSQL as tables in a zip file."""
    folder.mkdir(mode=0o700, exist_ok=True)
    stamp = f"{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}"
    if store.is_sqlite:
        target = folder / f"challenge-{revision}-{stamp}.db"
        path = store.engine.url.database
        assert path is not None
        with sqlite3.connect(path) as source, sqlite3.connect(target) as copy:
            source.backup(copy)
        source.close()
        copy.close()
    else:
        target = folder / f"challenge-{revision}-{stamp}.zip"
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr(ABOUT, json.dumps({"revision": revision}))
            for name, rows in dump(store, with_gold=True):
                lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
                file.writestr(f"tables/{name}.jsonl", lines)
    target.chmod(0o600)
    return target
