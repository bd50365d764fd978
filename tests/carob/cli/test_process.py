"""The command as a process: closed streams, pipes without an end, signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

import carob
from carob import InputError, cli, read
from carob.__main__ import main
from carob.corpus import source as source_module

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs a shell and /proc")

GOLD = "Ann B-PER\nslept O\n\nBo B-PER\nwoke O\n"
CLOSED = "K001 found a standard input that is closed, expected a file to read"


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.conll"
    path.write_text(GOLD)
    return path


def run(line: str, *paths: Path) -> subprocess.CompletedProcess[str]:
    """A line of shell, in which `carob` is the command and $1, $2 are paths."""
    command = f'carob() {{ "{sys.executable}" -m carob "$@"; }}; {line}'
    return subprocess.run(
        ["sh", "-c", command, "sh", *map(str, paths)], capture_output=True, text=True, check=False,
        timeout=60, env=os.environ | {"PYTHONPATH": str(Path(carob.__file__).parents[1])},
    )  # fmt: skip


@pytest.mark.parametrize(
    "arguments", ["score $1 $1 -m exact.F1", "convert $1 - --to conll", "--help", "measures"]
)
def test_a_closed_standard_output_is_an_error(gold: Path, arguments: str) -> None:
    done = run(f"carob {arguments} >&-", gold)
    assert (1, "") == (done.returncode, done.stdout)
    assert done.stderr.endswith("carob: cannot write: Bad file descriptor\n")
    assert "Traceback" not in done.stderr


def test_with_an_output_file_no_stream_is_needed(gold: Path, tmp_path: Path) -> None:
    table = tmp_path / "table.txt"
    done = run("carob score $1 $1 -m exact.F1 -o $2 <&- >&- 2>&-", gold, table)
    assert 0 == done.returncode
    assert table.read_text().startswith("exact")
    assert gold.read_text() == GOLD


def test_remarks_never_go_to_standard_output(gold: Path) -> None:
    done = run("carob score $1 $1 -m exact.F1 --format csv 2>&-", gold)
    assert 0 == done.returncode
    assert done.stdout.startswith("system,recipe,label,")


def test_a_closed_standard_input_is_told(gold: Path) -> None:
    done = run("carob score - $1 <&-", gold)
    assert (1, f"carob: <stdin>: {CLOSED}\n") == (done.returncode, done.stderr)


def test_an_interrupt_while_modules_load_leaves_no_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(cli, "parser", interrupt)
        assert 130 == cli.main(["measures"])
    with monkeypatch.context() as patch:
        patch.setattr("builtins.__import__", interrupt)
        assert 130 == main()


def test_the_command_is_the_one_that_is_tested() -> None:
    project = (Path(__file__).parents[3] / "pyproject.toml").read_text()
    assert 'carob = "carob.__main__:main"' in project


def test_nothing_stays_of_standard_input_when_the_process_is_killed(
    gold: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    environment = os.environ | {
        "PYTHONPATH": str(Path(carob.__file__).parents[1]), "TMPDIR": str(folder)
    }  # fmt: skip
    with subprocess.Popen(
        [sys.executable, "-m", "carob", "score", "-", str(gold)], stdin=subprocess.PIPE,
        env=environment,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        process.stdin.write(b"Ann B-PER\n" * 300_000)
        process.stdin.flush()
        opened = Path(f"/proc/{process.pid}/fd")
        for _ in range(500):
            links = [str(each.readlink()) for each in opened.iterdir() if each.is_symlink()]
            if any(link.startswith(str(folder)) for link in links):
                break
            time.sleep(0.01)
        else:
            pytest.fail("standard input was not put into a temporary file")
        process.send_signal(signal.SIGKILL)
    assert [] == list(folder.iterdir())


def test_standard_input_has_a_limit(
    gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_module, "MOST_SPOOLED", 20)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = subprocess.Popen(["sh", "-c", f"cat {gold} > {pipe}"])
    with pytest.raises(InputError, match="K010 found more than 20 bytes from a pipe"):
        read(pipe, "conll")
    writer.wait()


def test_a_pipe_without_an_end_is_refused(gold: Path) -> None:
    done = run("carob score - $1 < /dev/zero", gold)
    assert 1 == done.returncode
    assert "K003 found binary data" in done.stderr


def test_a_spooled_pipe_can_be_read_at_several_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = subprocess.Popen(["sh", "-c", f"printf 'abcdef' > {pipe}"])
    source = source_module.Source(pipe)
    with source.open() as first, source.open() as second:
        assert (b"ab", b"abc") == (first.read(2), second.read(3))
        first.seek(-2, os.SEEK_END)
        assert (b"ef", b"def") == (first.read(), second.read())
    assert 6 == source.size
    writer.wait()
    assert [pipe] == list(tmp_path.iterdir())  # where the pipe was spooled has no name
