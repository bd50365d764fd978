"""Challenge: a folder, its configuration, its database and a clock, opened together."""

from __future__ import annotations

import stat
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import sqlalchemy as sa

from carob.corpus.problems import nearest
from carob_challenge import migrate
from carob_challenge.config import Config, Phase
from carob_challenge.errors import NotFoundError, RefusedError, UnavailableError
from carob_challenge.material import Material, materials
from carob_challenge.store import Store, default_url, schedules


def utc_now() -> datetime:
    """The time.

    >>> str(utc_now().tzinfo)
    'UTC'
    """
    return datetime.now(UTC)


FRESH = 1.0
"""For how many seconds the times of phases are not asked for again."""


class Moved:
    """The times that organisers have moved in the browser, as they were a moment ago."""

    def __init__(self) -> None:
        self.read_at = -FRESH
        self._last: Config | None = None
        self._lock = threading.Lock()

    def config(self, written: Config, store: Store) -> Config:
        """A configuration with these times. While the database does not answer, or another thread
        asks it, they are as they were the last time.
        """
        now = time.monotonic()
        if now - self.read_at < FRESH and self._last is not None:
            return self._last
        if self._lock.acquire(blocking=self._last is None):
            try:
                with suppress(UnavailableError), store.read() as connection:
                    rows = connection.execute(sa.select(schedules)).all()
                    times = {row.phase: (row.opens, row.closes) for row in rows}
                    self._last = written.moved(times)
                    self.read_at = now
            finally:
                self._lock.release()
        return self._last or written


def share(path: Path, folder: Path) -> None:
    """Give a file or folder the rights of the folder in which it is: private, or the group's, too,
    if workers are another user of that group.
    """
    rights = stat.S_IMODE(folder.stat().st_mode)
    path.chmod(rights if path.is_dir() else 0o600 | rights & 0o040)


@dataclass(frozen=True, eq=False)
class Challenge:
    """What all functions of a challenge take first.

    The folder holds `challenge.toml`, the files that it names, `submissions/` (each file under its
    SHA-256), `uploads/` (what is not accepted yet), `reports/` and `backups/`.
    """

    folder: Path
    written: Config
    """What challenge.toml says."""
    store: Store
    clock: Callable[[], datetime] = utc_now
    _moved: Moved = field(default_factory=Moved, init=False, repr=False)

    @property
    def config(self) -> Config:
        """What challenge.toml says, with the times that organisers have moved since."""
        return self._moved.config(self.written, self.store)

    def forget_times(self) -> None:
        """Ask again for the times that organisers have moved."""
        self._moved.read_at = -FRESH

    @classmethod
    def open(
        cls,
        folder: str | Path,
        database: str | None = None,
        *,
        clock: Callable[[], datetime] = utc_now,
    ) -> Challenge:
        """Open a challenge; a new database gets its tables, one of another version is refused."""
        config = Config.read(folder)
        where = Path(folder)
        store = Store(database or default_url(where))
        try:
            migrate.check(store)
        except RefusedError:
            store.close()
            raise
        if store.is_sqlite and database is None:
            (where / "challenge.db").chmod(0o600)
        for name in ("uploads", "submissions", "reports", "backups"):
            (where / name).mkdir(mode=0o700, exist_ok=True)
        return cls(where, config, store, clock)

    def now(self) -> datetime:
        """The time by the clock of this challenge."""
        return self.clock()

    @property
    def uploads(self) -> Path:
        """Where files are before they are accepted: on the same disk as those that are."""
        return self.folder / "uploads"

    def phase(self, name: str) -> Phase:
        """A phase by its name."""
        if name not in self.config.phases:
            there = nearest(name, list(self.config.phases))
            raise NotFoundError(f"no phase is called {name!r}{there}")
        return self.config.phases[name]

    def material(self, phase: str) -> Material:
        """The files of a phase; phases with the same files share what is read."""
        return self._materials[self.phase(phase).name]

    @cached_property
    def _materials(self) -> dict[str, Material]:
        return materials(self.written)

    def submission_file(self, sha256: str) -> Path:
        """Where the bytes of a submission are."""
        return self.folder / "submissions" / sha256[:2] / sha256

    def report_file(self, submission: int) -> Path:
        """Where the report of a submission is, once it is written."""
        return self.folder / "reports" / f"{submission}.html"

    def close(self) -> None:
        """Close the database."""
        self.store.close()
