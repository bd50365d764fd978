"""A real PostgreSQL server for tests: Debian's package, on a temporary folder and a free port, run
by a user without rights, and stopped afterwards.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

import sqlalchemy as sa

USERS = ("postgres", "nobody")


def binaries() -> Path | None:
    """The folder of the newest version that is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    on_path = shutil.which("postgres")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


class Postgres:
    """A server. `start` and `stop` may be called again and again."""

    def __init__(self, programs: Path) -> None:
        self.programs = programs
        self.folder = Path(tempfile.mkdtemp(prefix="postgres-of-tests-"))
        self.user: dict[str, Any] = {}
        if os.getuid() == 0:  # PostgreSQL does not run as root
            import grp
            import pwd

            for name in USERS:
                try:
                    own = pwd.getpwnam(name)
                    break
                except KeyError:
                    continue
            shutil.chown(self.folder, own.pw_uid, own.pw_gid)
            group = grp.getgrgid(own.pw_gid).gr_name
            self.user = {"user": own.pw_name, "group": group, "extra_groups": []}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process: subprocess.Popen[bytes] | None = None
        self.used: list[str] = []
        self.free: list[str] = []
        self._run("initdb", "-D", str(self.folder / "data"), "-U", "carob", "-A", "trust",
                  "--no-sync", "-E", "UTF8", "--locale=C")  # fmt: skip

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [str(self.programs / program), *arguments], check=True, capture_output=True,
            cwd=self.folder, timeout=60, **self.user,
        )  # fmt: skip

    def start(self) -> None:
        with (self.folder.parent / f"{self.folder.name}.log").open("ab") as log:
            self.process = subprocess.Popen(
                [str(self.programs / "postgres"), "-D", str(self.folder / "data"),
                 "-p", str(self.port), "-k", str(self.folder), "-c", "listen_addresses=127.0.0.1",
                 "-c", "fsync=off", "-c", "max_connections=200"],
                stdout=log, stderr=log, cwd=self.folder, **self.user,
            )  # fmt: skip
        self._wait()

    def _wait(self) -> None:
        engine = sa.create_engine(self.url("postgres"), poolclass=sa.NullPool)
        end = time.monotonic() + 30
        while True:
            try:
                with engine.connect():
                    return
            except sa.exc.OperationalError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)

    def stop(self) -> None:
        if self.process is not None:
            self.process.send_signal(3)  # SIGQUIT: at once
            self.process.wait(30)
            self.process = None

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder.parent / f"{self.folder.name}.log").unlink(missing_ok=True)

    def url(self, database: str) -> str:
        return f"postgresql+psycopg://carob@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """The address of an empty database. Those of earlier tests are emptied and used again,
        since a new one takes much longer.
        """
        if self.free:
            url = self.free.pop()
            self._execute(url, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
        else:
            name = f"c{uuid.uuid4().hex}"
            self._execute(self.url("postgres"), f"CREATE DATABASE {name}")
            url = self.url(name)
        self.used.append(url)
        return url

    def _execute(self, url: str, *statements: str) -> None:
        engine = sa.create_engine(url, poolclass=sa.NullPool, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            for each in statements:
                connection.execute(sa.text(each))

    def release(self) -> None:
        """All databases may be used again: nobody is connected any more."""
        for url in self.used:
            name = url.rpartition("/")[2]
            self._execute(
                self.url("postgres"),
                f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'",
            )
        self.free += self.used
        self.used = []
