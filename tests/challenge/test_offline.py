"""Without a server: a folder of submissions becomes a board and reports, and the same folder scores
on other platforms. Validation says the same everywhere.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from carob.cli import main
from carob.corpus.problems import DataError, UsageError
from carob_challenge import accept, bridges, offline
from carob_challenge.challenge import Challenge
from carob_challenge.remote import check_challenge
from tests.challenge.world import SECRET, answer, make, phase

BAD = answer().replace(b'"PER"', b'"PERSON"', 1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A challenge, and submissions of four teams beside it."""
    where = make(tmp_path, phase("test", opens=-3650, closes=36500))
    submissions = tmp_path / "submissions"
    submissions.mkdir()
    (submissions / "Good.jsonl").write_bytes(answer(4))
    (submissions / "Fair.jsonl").write_bytes(answer(2))
    (submissions / "=Bad.jsonl").write_bytes(BAD)
    with zipfile.ZipFile(submissions / "Packed.zip", "w") as packed:
        packed.writestr("inside/answer.jsonl", answer(3))
    return where


def test_a_folder_of_submissions_becomes_a_board(folder: Path) -> None:
    made = offline.score_folder(folder, folder.parent / "submissions", reports=False)
    assert [("Good", 1, 1.0), ("Packed", 2, 6 / 7), ("Fair", 3, 2 / 3), ("=Bad", None, None)] == [
        (row["team"], row["rank"], row["score"]) for row in made.rows
    ]
    assert "K827" in (made.folder / "=Bad.problems.txt").read_text()
    with (made.folder / "board.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert ["Good", "Packed", "Fair", "'=Bad"] == [row["team"] for row in rows]
    content = json.loads((made.folder / "board.json").read_text())
    assert 3 == len(content["pairs"])
    assert "| 1 | 1 | 1 | 1 | Good | 1.0000 |" in (made.folder / "board.md").read_text()
    assert "invalid, 1 problems  =Bad" in str(made)


@pytest.mark.slow
def test_reports_of_a_folder_are_pages(folder: Path, tmp_path: Path) -> None:
    offline.score_folder(folder, folder.parent / "submissions", tmp_path / "out")
    pages = sorted(path.name for path in (tmp_path / "out").glob("*.html"))
    assert ["Fair.html", "Good.html", "Packed.html"] == pages


def test_folders_that_make_no_sense_are_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="holds no submission"):
        offline.score_folder(folder, tmp_path / "empty")
    with pytest.raises(UsageError, match="expected a folder of submissions"):
        offline.score_folder(folder, tmp_path / "nowhere")
    (tmp_path / "submissions/Good.conll").write_bytes(b"x")
    with pytest.raises(UsageError, match=r"Good\.conll and Good\.jsonl are both of the team Good"):
        offline.score_folder(folder, tmp_path / "submissions")


def test_the_validator_is_the_same_everywhere(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "submissions" / "=Bad.jsonl"
    findings, _ = check_challenge([str(file)], str(folder))
    challenge = Challenge.open(folder)
    here = accept.validate_limited(challenge, "test", file, str(file))
    challenge.close()
    made = offline.score_folder(folder, file.parent, reports=False)
    expected = [(each.code, each.line, each.found) for each in findings.problems]
    for other in (here, made.findings["=Bad"]):
        assert expected == [
            (each["code"], each["line"], each["found"]) for each in other["problems"]
        ]


def test_validation_works_without_gold(folder: Path, tmp_path: Path) -> None:
    """Gold is not even there: nothing that validation says can depend on it."""
    (folder / "private/gold.jsonl").unlink()
    for data, errors in ((answer(), 0), (BAD, 1)):
        (tmp_path / "x.jsonl").write_bytes(data)
        assert errors == check_challenge([str(tmp_path / "x.jsonl")], str(folder))[0].errors


def bundled(folder: Path, tmp_path: Path, platform: str) -> Path:
    bridges.bundle(folder, platform, tmp_path / "bundle.zip")
    with zipfile.ZipFile(tmp_path / "bundle.zip") as archive:
        assert not any(SECRET.encode() in archive.read(name) for name in archive.namelist())
        archive.extractall(tmp_path / platform)
    return tmp_path / platform


@pytest.mark.slow
def test_codabench_runs_the_scoring_program(folder: Path, tmp_path: Path) -> None:
    program = bundled(folder, tmp_path, "codabench")
    for side in ("ref", "res"):
        (tmp_path / "input" / side).mkdir(parents=True)
    gold = (folder / "private/gold.jsonl").read_bytes()
    (tmp_path / "input/ref/gold.jsonl").write_bytes(gold)
    command = (program / "metadata.yaml").read_text().rpartition("command: python3 ")[2].split()
    places = {"$input": str(tmp_path / "input"), "$output": str(tmp_path / "out")}
    words = [places.get(word, word) for word in command]

    def run(data: bytes) -> subprocess.CompletedProcess[str]:
        (tmp_path / "input/res/answer.jsonl").write_bytes(data)
        return subprocess.run(
            [sys.executable, *words], cwd=program, capture_output=True, text=True, check=False
        )

    done = run(answer(3))
    assert (0, "") == (done.returncode, done.stderr)
    scores = json.loads((tmp_path / "out/scores.json").read_text())
    assert (1.0, 0.75, 6 / 7) == tuple(scores[name] for name in ("exact.P", "exact.R", "exact.F1"))
    done = run(BAD)
    assert 1 == done.returncode
    assert "K827 found the slot 'PERSON'" in done.stderr


def test_evalai_calls_evaluate(folder: Path, tmp_path: Path) -> None:
    program = bundled(folder, tmp_path, "evalai")
    (tmp_path / "x.jsonl").write_bytes(answer(3))
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from evaluation_script import evaluate\n"
        "import json; print(json.dumps(evaluate(*sys.argv[2:], submission_metadata={})))"
    )
    gold = str(folder / "private/gold.jsonl")
    done = subprocess.run(
        [sys.executable, "-c", code, str(program), gold, str(tmp_path / "x.jsonl"), "test"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    content = json.loads(done.stdout)
    assert 6 / 7 == content["result"][0]["test"]["exact.F1"]
    assert content["submission_result"] == content["result"][0]["test"]
    (tmp_path / "x.jsonl").write_bytes(BAD)
    with pytest.raises(DataError, match="K827"):
        bridges.evalai(folder, gold, tmp_path / "x.jsonl", "test")


@pytest.fixture
def served(folder: Path) -> Iterator[str]:
    """A server with the two addresses that `carob check --challenge URL` needs."""
    about = {"inputs": "inputs.jsonl", "task": "task.toml", "part": "all",
             "limits": {"unpacked_bytes": 10_000_000, "archive_entries": 10}}  # fmt: skip
    files = {
        "/api/phases/current": json.dumps(about).encode(),
        "/api/phases/slip": json.dumps(about | {"inputs": "../gold"}).encode(),
        "/api/phases/other": b"[]",
        "/files/inputs.jsonl": (folder / "public/inputs.jsonl").read_bytes(),
        "/files/task.toml": (folder / "task.toml").read_bytes(),
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path in files else 404)
            self.end_headers()
            self.wfile.write(files.get(self.path, b""))

        def log_message(self, *arguments: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_file_is_checked_against_a_server(served: str, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(BAD)
    findings, _ = check_challenge([str(tmp_path / "x.jsonl")], served)
    assert ["K827"] == [each.code for each in findings.problems if not each.warning]
    for name, message in (
        ("nothing", "answers 404"), ("other", "does not answer as a challenge of carob does"),
        ("slip", "a file with the name '../gold'"),
    ):  # fmt: skip
        with pytest.raises(DataError, match=message):
            check_challenge([str(tmp_path / "x.jsonl")], served, name)
    with pytest.raises(DataError, match="cannot reach"):
        check_challenge([str(tmp_path / "x.jsonl")], "http://127.0.0.1:1")


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


def test_the_shell_runs_a_challenge(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(tmp_path / "files")
    files = tmp_path / "files"
    where = str(tmp_path / "c")
    code, _, err = told(
        capsys, "challenge", "init", where, "--inputs", str(files / "inputs.jsonl"), "--gold",
        str(files / "gold.jsonl"), "--title", "T",
    )  # fmt: skip
    assert (0, True) == (code, "with 4 phases" in err)
    code, token, _ = told(capsys, "challenge", "team", where, "add", "Alpha")
    assert (0, 44) == (code, len(token))
    assert (0, "1\tapproved\tAlpha\n", "") == told(capsys, "challenge", "team", where)
    code, _, err = told(capsys, "challenge", "team", where, "add", "ALPHA")
    assert (1, "carob: a team called Alpha exists: ALPHA looks like it\n") == (code, err)
    assert 2 == told(capsys, "challenge", "team", where, "add")[0]
    assert 0 == told(capsys, "challenge", "phase", where, "reveal", "test", "--why", "x")[0]
    code, out, _ = told(capsys, "challenge", "phase", where)
    ends = [line.rpartition("; ")[2] for line in out.splitlines()]
    assert "revealed" == ends[2]
    assert "not revealed" == ends[0] == ends[3]
    assert 44 == len(told(capsys, "challenge", "team", where, "token", "Alpha")[1])
    assert 44 == len(told(capsys, "challenge", "login", where)[1])
    assert 44 == len(told(capsys, "challenge", "team", where, "invite")[1])
    assert (0, 0) == (told(capsys, "challenge", "team", where, "refuse", "Alpha")[0],
                      told(capsys, "challenge", "team", where, "approve", "Alpha")[0])  # fmt: skip
    assert "up to date" in told(capsys, "challenge", "upgrade", where)[2]
    assert "round 2 has begun" in told(capsys, "challenge", "rescore", where, "--now")[2]
    (tmp_path / "x.jsonl").write_bytes(BAD)
    code, out, _ = told(capsys, "check", str(tmp_path / "x.jsonl"), "--challenge", where)
    assert (1, True) == (code, "K827" in out)
    code, _, err = told(capsys, "check", "x", "--challenge", where, "--against", "y")
    assert (2, True) == (code, "leave out --against and --task" in err)
    code, _, err = told(capsys, "challenge", "phase", str(tmp_path))
    assert (2, True) == (code, "is not the folder of a challenge" in err)
    code, _, err = told(capsys, "challenge", "team", where, "--database", "mysql://x/y")
    assert (2, True) == (code, "expected one of SQLite or PostgreSQL" in err)
