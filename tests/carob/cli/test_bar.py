"""A bar is for a person at a terminal: not in a pipe, in CI, or with --quiet; and it goes away."""

from __future__ import annotations

import io
import os
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carob import progress
from carob.cli import _bar
from carob.cli._bar import CLEAR, PLAIN_SIGNS, Bar, Lines, line
from carob.progress import Task, steps
from carob.report.terminal import width

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")


class Screen(io.StringIO):
    """A terminal that keeps what was written to it."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def on_screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """From now on, stderr is a terminal with a bar at once. No fixture, as pytest replaces stderr
    between a fixture and its test.
    """
    monkeypatch.setattr(_bar, "DELAY", 0.0)
    monkeypatch.setattr(_bar, "INTERVAL", 0.001)
    made = Screen()
    monkeypatch.setattr(sys, "stderr", made)
    return made


def shown(text: str) -> str:
    """What is left on the screen of a line that is overwritten."""
    return text.rpartition(CLEAR)[2]


tasks = st.builds(
    lambda what, total, done: Task(what, total, lambda: done),
    st.text(st.characters(codec="ascii", categories=["L", "N"]), max_size=60),
    st.sampled_from([0.0, 1.0, 8.0, 1e6]),
    st.sampled_from([0.0, 0.5, 1.0, 7.0, 2e6]),
)


@given(st.lists(tasks, min_size=1, max_size=3), st.sampled_from([10, 40, 80, 200]))
def test_a_bar_is_one_line(tasks: list[Task], columns: int) -> None:
    for signs in (_bar.SIGNS, PLAIN_SIGNS):
        made = line(tasks, 12.3, columns, signs)
        assert width(made) < columns
    assert made.isascii()
    if columns >= 40:
        assert re.search(r"\d % 12 s$", made)


def wait_for_bar(screen: Screen) -> None:
    import time

    end = time.monotonic() + 10
    while "%" not in screen.getvalue() and time.monotonic() < end:
        time.sleep(0.001)


def test_the_line_is_gone_when_the_work_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = on_screen(monkeypatch)
    with Bar():
        for _ in steps("ab", "letters"):
            wait_for_bar(screen)
        assert "letters █" in screen.getvalue() or "letters ░" in screen.getvalue()
        assert "" == shown(screen.getvalue())
        screen.write("a remark\n")
    assert "a remark\n" == shown(screen.getvalue())
    assert progress.observer is None


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_the_line_is_gone_after_an_error(
    monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    screen = on_screen(monkeypatch)

    def work() -> None:
        with Bar():
            for _ in steps("ab", "letters"):
                wait_for_bar(screen)
                raise error

    with pytest.raises(error):
        work()
    assert "%" in screen.getvalue()
    assert "" == shown(screen.getvalue())
    assert progress.observer is None


def test_a_terminal_without_blocks_gets_plain_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = on_screen(monkeypatch)
    monkeypatch.setattr(Screen, "encoding", "ascii")
    with Bar():
        for _ in steps("ab", "letters"):
            wait_for_bar(screen)
    assert "letters -" in screen.getvalue() and screen.getvalue().isascii()


PROGRAM = """
import sys
import carob.cli._bar as bar
bar.DELAY, bar.INTERVAL = 0.0, 0.005
import carob.cli
sys.exit(carob.cli.main(sys.argv[1:]))
"""


def on_terminal(columns: int, environment: dict[str, str], *arguments: str) -> str:
    """What a command writes to a terminal of this width, its stdout and stderr together."""
    import fcntl
    import struct
    import termios

    pid, handle = pty.fork()
    if pid == 0:
        for name in ("CI", "COLUMNS", "NO_COLOR"):
            os.environ.pop(name, None)
        os.environ |= {"TERM": "xterm", "PYTHONIOENCODING": "utf-8"} | environment
        os.execv(sys.executable, [sys.executable, "-c", PROGRAM, *arguments])
    fcntl.ioctl(handle, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    parts = []
    while True:
        try:
            part = os.read(handle, 1 << 16)
        except OSError:  # the end, on Linux
            break
        if not part:
            break
        parts.append(part)
    os.close(handle)
    assert 0 == os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), parts
    return b"".join(parts).decode()


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A comparison with so many trials that a bar is seen."""
    folder = tmp_path_factory.mktemp("bar")
    for name, tags in {"gold": ["B-PER"], "a": ["B-PER", "O"], "b": ["B-PER", "B-LOC"]}.items():
        rows = (f"-DOCSTART- O\n\nAnn {tags[i % len(tags)]}\n\n" for i in range(100))
        Path(folder, f"{name}.conll").write_text("".join(rows))
    files = [str(folder / f"{name}.conll") for name in ("gold", "a", "b")]
    return ["compare", *files, "-m", "exact.F1", "--trials", "20000"]


@pytest.mark.parametrize("columns", [80, 40])
def test_a_bar_on_a_terminal(command: list[str], columns: int) -> None:
    text = on_terminal(columns, {}, *command)
    first, *frames, rest = text.split(CLEAR)
    assert "" == first
    assert any(re.match(r"reading .*[█░] +\d+ % \d+ s$", frame) for frame in frames)
    assert max(map(width, frames)) < columns
    assert None is re.search("[█░]", rest)
    assert "a: 100 documents" in rest and "exact.F1" in rest


@pytest.mark.parametrize(
    ("environment", "more"), [({"CI": "true"}, []), ({"TERM": "dumb"}, []), ({}, ["--quiet"])]
)
def test_no_bar(command: list[str], environment: dict[str, str], more: list[str]) -> None:
    text = on_terminal(80, environment, *command, *more)
    assert CLEAR not in text and "█" not in text
    assert ("documents, " in text) == (not more)


def test_a_line_every_ten_seconds_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [100.0]
    monkeypatch.setattr("carob.cli._bar.time.monotonic", lambda: now[0])
    monkeypatch.setattr(_bar, "INTERVAL", 1000.0)  # the thread does not draw
    with Lines() as lines:
        for recipe in steps("ab", "recipes"):
            for _ in steps("cdef", f"trials of {recipe}"):
                now[0] += 4
                lines._draw()
    expected = "recipes 1/2, trials of a:  50 % 12 s\nrecipes 2/2, trials of b:  25 % 24 s\n"
    assert expected == capsys.readouterr().err
    assert progress.observer is None


def test_no_bar_in_a_pipe(command: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    import subprocess

    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *command], capture_output=True, check=True, text=True
    )
    assert "\r" not in done.stderr + done.stdout
