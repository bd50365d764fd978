"""Challenge: a folder, its configuration, its database and a clock, opened together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from carob.corpus.problems import nearest
from carob_challenge import migrate
from carob_challenge.config import Config, Phase
from carob_challenge.errors import NotFoundError
from carob_challenge.material import Material, materials
from carob_challenge.store import Store, default_url


def utc_now() -> datetime:
    """The time.

    >>> str(utc_now().tzinfo)
    'UTC'
    """
    return datetime.now(UTC)


@dataclass(frozen=True, eq=False)
class Challenge:
    """What all functions of a challenge take first.

    The folder holds `challenge.toml`, the files that it names, `submissions/` (each file under its
    SHA-256), `uploads/` (what is not accepted yet), `reports/` and `backups/`.
    """

    folder: Path
    config: Config
    store: Store
    clock: Callable[[], datetime] = utc_now

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
        migrate.check(store)
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
        return materials(self.config)

    def submission_file(self, sha256: str) -> Path:
        """Where the bytes of a submission are."""
        return self.folder / "submissions" / sha256[:2] / sha256

    def report_file(self, submission: int) -> Path:
        """Where the report of a submission is, once it is written."""
        return self.folder / "reports" / f"{submission}.html"

    def close(self) -> None:
        """Close the database."""
        self.store.close()
