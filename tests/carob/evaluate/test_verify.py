"""A signature is complete: from it and the files alone, every number comes out the same."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from carob._version import __version__
from carob.cli import main
from carob.corpus.problems import CarobError, InputError
from carob.evaluate import demo
from carob.evaluate.verify import verify
from carob.evaluate.versions import Maker
from carob.result.result import with_checksum

CALLS = [
    [],
    ["--labels", "PER,LOC"],
    ["--labels", "PER,NOWHERE", "--zero-division", "1", "-m", "exact.F1@macro"],
    ["--zero-division", "0", "-m", "exact.P@macro-doc"],
    ["--map", "EVENT=ORG", "--map", "LOC=a|b+c d"],
    ["--repair", "discard"],
    ["--documents", "file"],
    ["--scheme", "iobes", "--repair", "discard"],
    ["--columns", "tag=-1,token=0"],
    ["--columns", "tag=1"],
    ["-m", "exact.F(beta=2)@label:PER", "-m", "boundary.PRF@macro-doc-pr", "-m", "exact.tp"],
    ["-m", "exact.F1@weighted", "-m", "exact.fn@macro"],
]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    return {file.stem: file for file in demo.write(tmp_path / "demo")}


def stored(files: dict[str, Path], tmp_path: Path, options: list[str]) -> Path:
    result = tmp_path / "result.json"
    systems = [str(files["hasty"]), f"second={files['muddled']}"]
    call = ["score", str(files["gold"]), *systems, "--format", "json", "-o", str(result)]
    assert main([*call, *options]) == 0
    return result


def write(result: Path, content: dict[str, Any]) -> None:
    """Store changed content with a checksum that fits: the numbers themselves must tell."""
    result.write_text(json.dumps(with_checksum(content)))


@pytest.mark.parametrize("options", CALLS, ids=" ".join)
def test_whatever_was_chosen_is_in_the_signature(
    files: dict[str, Path], tmp_path: Path, options: list[str]
) -> None:
    if "iobes" in options:
        files = files | {"gold": files["hasty"], "muddled": files["hasty"]}
    verification = verify(stored(files, tmp_path, options))
    assert [] == verification.differences
    assert 10 < verification.checked


def changes(node: Any, path: str = "") -> list[tuple[str, Any, Any]]:
    """Every number in a result that verify should guard: (where, container, key)."""
    found = []
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        if isinstance(value, (dict, list)):
            found += changes(value, f"{path}.{key}")
        elif isinstance(value, (int, float)) and key != "left_out":
            found.append((f"{path}.{key}", node, key))
    return found


def test_any_number_that_is_tampered_with_is_found(files: dict[str, Path], tmp_path: Path) -> None:
    result = stored(files, tmp_path, ["-m", "exact.F1", "--resamples", "100"])
    original = result.read_text()
    places = len(changes(json.loads(original)))
    assert places > 30
    for i in range(places):
        content = json.loads(original)
        _, node, key = changes(content)[i]
        node[key] += 0.001
        write(result, content)
        assert verify(result).differences


def test_a_changed_signature_changes_the_numbers(files: dict[str, Path], tmp_path: Path) -> None:
    result = stored(files, tmp_path, ["-m", "exact.F1"])
    text = result.read_text()
    result.write_text(text.replace("recipe:exact.F1@micro", "recipe:boundary.F1@micro"))
    assert verify(result).differences
    result.write_text(text.replace("labels:union", "labels:PER"))
    assert verify(result).differences


def test_a_changed_file_is_refused(files: dict[str, Path], tmp_path: Path) -> None:
    result = stored(files, tmp_path, [])
    files["hasty"].write_text(files["hasty"].read_text().replace("B-PER", "B-ORG"))
    with pytest.raises(InputError, match=r"K903 found sha256 .* the file that was scored"):
        verify(result)


def test_files_are_also_found_beside_the_result(files: dict[str, Path], tmp_path: Path) -> None:
    result = stored(files, tmp_path, [])
    folder = tmp_path / "elsewhere"
    (tmp_path / "demo").rename(folder)
    moved = folder / "result.json"
    result.rename(moved)
    assert [] == verify(moved).differences


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"systems": [{}]}', '{"systems": 3}', "[" * 99999]
)
def test_what_is_no_result_is_said_to_be_none(tmp_path: Path, content: str) -> None:
    file = tmp_path / "result.json"
    file.write_text(content)
    with pytest.raises(InputError, match=r"K90[12]"):
        verify(file)


def test_what_came_from_memory_cannot_be_verify(tmp_path: Path) -> None:
    from carob import Corpus, score

    file = tmp_path / "result.json"
    file.write_text(score(Corpus.of("[Ann]PER"), Corpus.of("[Ann]PER")).to_json())
    with pytest.raises(InputError, match=r"K902 .*gold came from memory"):
        verify(file)


def test_the_command_says_what_it_found(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = stored(files, tmp_path, ["-m", "exact.F1"])
    capsys.readouterr()
    assert main(["verify", str(result)]) == 0
    assert capsys.readouterr().out.startswith("verified: ")
    content = json.loads(result.read_text())
    content["systems"][0]["scores"][0]["value"] = 0.5
    result.write_text(json.dumps(content))
    assert main(["verify", str(result)]) == 1
    out = capsys.readouterr().out
    assert out.startswith("hasty exact.F1 value: stored 0.5, recomputed 0.74")


OLD = Path(__file__).parent / "data"
"""Results that karat 0.1.0 made of the built-in example, whose files have not changed since."""


def old_result(files: dict[str, Path], name: str) -> Path:
    """A stored result of karat 0.1.0, next to the files that it was made from."""
    target = files["gold"].with_name(name)
    target.write_bytes((OLD / name).read_bytes())
    return target


OLD_RESULTS = (
    "karat-score.json", "karat-compare.json", "carob-0.2.0-score.json", "carob-0.2.0-compare.json",
)  # fmt: skip


@pytest.mark.parametrize("name", OLD_RESULTS)
def test_results_of_older_versions_verify_except_for_what_has_changed_since(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str], name: str
) -> None:
    result = old_result(files, name)
    maker = Maker.of(json.loads(result.read_text()))
    assert maker.is_older
    code, out = main(["verify", str(result)]), capsys.readouterr().out.splitlines()
    assert out[0].startswith("verified: ") and out[0].endswith(" numbers recomputed, all equal")
    reasons = {each.reason for each in maker.changes()}
    assert (4 if out[1:] else 0) == code
    for line in out[1:]:
        assert re.fullmatch(r"could not be compared: \d+ numbers?, (.*)", line)
        assert line.partition(", ")[2] in reasons
    assert code == 4 or name == "carob-0.2.0-score.json"
    verification = verify(result)
    assert (verification.exit_code, []) == (code, verification.differences)
    assert 20 < verification.checked
    values = [key for _, _, key in changes(json.loads(result.read_text())) if key == "value"]
    assert len(values) < verification.checked


def test_a_result_that_says_it_is_old_is_not_taken_for_verified(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = stored(files, tmp_path, ["-m", "exact.F1"])
    text = result.read_text().replace(f'"carob": "{__version__}"', '"karat": "0.1.0"')
    result.write_text(text.replace(f"carob:{__version__}|", "karat:0.1.0|"))
    capsys.readouterr()
    assert 4 == main(["verify", str(result)])
    assert "could not be compared: 20 numbers, changed in " in capsys.readouterr().out


def test_a_score_whose_definition_has_changed_is_not_a_difference(
    files: dict[str, Path], tmp_path: Path
) -> None:
    result = stored(files, tmp_path, ["-m", "oas.F1", "--resamples", "0"])
    text = result.read_text().replace(f'"carob": "{__version__}"', '"karat": "0.1.0"')
    content = json.loads(text.replace(f"carob:{__version__}|", "karat:0.1.0|"))
    result.write_text(json.dumps(content))
    assert (0, []) == (verify(result).exit_code, verify(result).differences)  # the same by chance
    content["systems"][0]["scores"][0]["value"] += 0.01
    result.write_text(json.dumps(content))
    verification = verify(result)
    assert (4, []) == (verification.exit_code, verification.differences)
    assert (
        "could not be compared: 1 number, changed in 0.2.0: `oas`: of several templates that "
        in str(verification)
    )
    content["gold"]["mentions"] += 1
    result.write_text(json.dumps(content))
    assert 1 == verify(result).exit_code


DRAWN = ("low", "high", "p", "p_holm", "detectable", "rank_low", "rank_high", "cluster",
         "significant")  # fmt: skip


@pytest.mark.parametrize("name", OLD_RESULTS)
def test_a_changed_score_of_an_older_version_is_found(files: dict[str, Path], name: str) -> None:
    result = old_result(files, name)
    original = result.read_text()
    # A gate depends on intervals.
    places = [
        i
        for i, (where, _, key) in enumerate(changes(json.loads(original)))
        if key not in DRAWN and not where.startswith(".gate")
    ]
    assert 8 < len(places)
    for i in places:
        content = json.loads(original)
        where, node, key = changes(content)[i]
        node[key] += 0.001
        write(result, content)
        assert verify(result).differences, where


def test_an_older_result_that_said_auto_of_blocks_verifies(tmp_path: Path) -> None:
    gold, result = tmp_path / "gold.conll", tmp_path / "result.json"
    gold.write_text("Ann B-PER\nslept O\n\nBo B-PER\n")
    assert 0 == main(["score", str(gold), str(gold), "--resamples", "0", "-o", str(result)])
    text = result.read_text().replace("|documents:block|", "|documents:auto|")
    content = json.loads(text.replace(f"carob:{__version__}|", "carob:0.2.0|"))
    write(result, content | {"carob": "0.2.0"})
    assert 0 == verify(result).exit_code


def test_another_version_alone_is_no_difference(files: dict[str, Path], tmp_path: Path) -> None:
    result = stored(files, tmp_path, ["-m", "exact.F1", "--resamples", "0"])
    text = result.read_text()
    for version, code in (("0.2.9", 0), ("99.0.0", 0), ("0.3", 1)):
        content = json.loads(text.replace(__version__, version))
        write(result, content)
        assert code == verify(result).exit_code, version
    assert ["made by carob 0.3, which is no version"] == verify(result).differences


@pytest.mark.parametrize("options", [[], ["--by-label", "--resamples", "0"]], ids=" ".join)
def test_a_comparison_is_verified(
    files: dict[str, Path], tmp_path: Path, options: list[str]
) -> None:
    result = tmp_path / "result.json"
    systems = [str(files[name]) for name in ("hasty", "muddled", "careful")]
    call = ["compare", str(files["gold"]), *systems, "--format", "json", "-o", str(result)]
    recipes = ["-m", "exact.F1", "-m", "slots.SER", "--trials", "199", "--seed", "3"]
    assert 0 == main([*call, *recipes, *options])
    verification = verify(result)
    assert [] == verification.differences
    assert 100 < verification.checked
    assert 0 == verification.not_compared
    content = json.loads(result.read_text())
    content["comparisons"][1]["p"] += 0.005
    result.write_text(json.dumps(content))
    assert ["comparisons hasty careful exact.F1 p"] == [
        each.partition(":")[0] for each in verify(result).differences
    ]


CHANGED = "the numbers are right, but the result is not as it was written: its checksum differs"


def compared(files: dict[str, Path], tmp_path: Path, *options: str) -> Path:
    result = tmp_path / "result.json"
    systems = [str(files[name]) for name in ("hasty", "muddled", "careful")]
    call = ["compare", str(files["gold"]), *systems, "--format", "json", "-o", str(result)]
    main([*call, "-m", "exact.F1", "--trials", "99", "--resamples", "100", *options])
    return result


def drop_a_score(content: dict[str, Any]) -> None:
    del content["systems"][0]["scores"][-1]


def drop_a_system(content: dict[str, Any]) -> None:
    del content["systems"][0]


def rename(content: dict[str, Any]) -> None:
    content["systems"][0]["name"] = "best"


def change_remarks(content: dict[str, Any]) -> None:
    content["remarks"] = ["all is well"]


@pytest.mark.parametrize("change", [drop_a_score, drop_a_system, rename, change_remarks])
def test_what_no_number_tells_is_told_by_the_checksum(
    files: dict[str, Path], tmp_path: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    result = stored(files, tmp_path, ["-m", "exact.PRF"])
    assert [] == verify(result).differences
    content = json.loads(result.read_text())
    change(content)
    result.write_text(json.dumps(content))
    assert [CHANGED] == verify(result).differences


def test_changed_remarks_of_a_comparison_are_told(files: dict[str, Path], tmp_path: Path) -> None:
    result = compared(files, tmp_path)
    content = json.loads(result.read_text())
    content["remarks"].append("all is well")
    result.write_text(json.dumps(content))
    assert [CHANGED] == verify(result).differences


def test_a_gate_of_floors_is_verified(files: dict[str, Path], tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    call = ["score", str(files["gold"]), str(files["hasty"]), str(files["careful"])]
    gate = ["-m", "exact.F1", "--fail-under", "0.8", "--fail-under", "PER=0.5", "--by", "low"]
    assert 3 == main([*call, *gate, "--format", "json", "-o", str(result)])
    assert [] == verify(result).differences
    content = json.loads(result.read_text())
    assert {"floors": ["0.8", "PER=0.5"], "by": "low"} == content["gate"]["conditions"]
    content["gate"]["verdict"] = "pass"
    write(result, content)
    assert ["gate verdict: stored 'pass', recomputed 'fail'"] == verify(result).differences


def test_a_gate_of_a_comparison_is_verified(files: dict[str, Path], tmp_path: Path) -> None:
    result = compared(files, tmp_path, "--fail-if-worse", "0.02")
    assert [] == verify(result).differences
    content = json.loads(result.read_text())
    assert {"margin": 0.02} == content["gate"]["conditions"]
    floors = compared(files, tmp_path, "--fail-if-worse", "150pt", "--fail-under", "PER=10%")
    assert [] == verify(floors).differences
    result = compared(files, tmp_path, "--fail-if-worse", "0.02")
    content["gate"]["checks"][0]["reason"] = "so"
    write(result, content)
    (difference,) = verify(result).differences
    assert difference.startswith("gate checks: stored ")


@pytest.mark.parametrize(("old", "new"), [
    ("|columns:-1/-1", ""), ("|map:none", "|map:x"), ("|columns:-1/-1", "|columns:"),
    ("|format:conll/conll", "|format:none"), ("|format:conll/conll", "|format:xml"),
    ("|scheme:", "|scheme:x"), ("|zero:skip", "|zero:2"), ("|by:document", "|by:document|strata:"),
    ("|tokenizer:none", "|tokenizer:x"), ("|interval:", "|interval:x"),
    ("recipe:exact.F1", "recipe:exact"), ("|gold:", "|task:x|gold:"), ("|map:", "||map:"),
])  # fmt: skip
def test_a_signature_that_is_wrong_is_no_traceback(
    files: dict[str, Path], tmp_path: Path, old: str, new: str
) -> None:
    result = stored(files, tmp_path, ["-m", "exact.F1"])
    text = result.read_text()
    assert old in text
    result.write_text(text.replace(old, new))
    with pytest.raises(InputError, match="K902"):
        verify(result)
    assert 1 == main(["verify", str(result)])
    result = compared(files, tmp_path)
    result.write_text(result.read_text().replace(old, new))
    assert 1 == main(["verify", str(result)])


def nodes(node: Any) -> list[tuple[Any, Any]]:
    """Every place in a result: container and key."""
    keys = node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
    return [place for key in keys for place in ((node, key), *nodes(node[key]))]


@pytest.mark.parametrize("kind", ["score", "compare"])
def test_no_content_leads_to_a_traceback(files: dict[str, Path], tmp_path: Path, kind: str) -> None:
    options = ["--resamples", "0", "--labels", "PER"]
    if kind == "score":
        result = stored(files, tmp_path, ["-m", "exact.F1", "--fail-under", "0.1", *options])
    else:
        result = compared(files, tmp_path, "--fail-if-worse", "1pt", *options)
    original = json.loads(result.read_text())
    values: tuple[Any, ...] = (None, "x", 3, [], "\0", {}, [None], "x" * 5000)
    for i in range(len(nodes(original))):
        content = json.loads(json.dumps(original))
        node, key = nodes(content)[i]
        value = values[i % 8] if node[key] != values[i % 8] else values[(i + 1) % 8]
        if key != "checksum":
            node[key] = value
            result.write_text(json.dumps(content))
            with contextlib.suppress(CarobError):
                assert verify(result).differences, (key, value)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev of Linux")
def test_a_device_or_a_pipe_is_refused(files: dict[str, Path], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    result = stored(files, tmp_path, ["-m", "exact.F1"])
    content = json.loads(result.read_text())
    for path in (Path("/dev/zero"), tmp_path / "pipe"):
        with pytest.raises(InputError, match="K001 found a device or a pipe"):
            verify(path)
        content["gold"]["path"] = str(path)
        result.write_text(json.dumps(content))
        with pytest.raises(InputError, match="K001 found a device or a pipe"):
            verify(result)


def test_a_result_that_is_too_large_is_refused(tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    with result.open("wb") as out:
        out.truncate(1 << 33)
    with pytest.raises(InputError, match="K010 found more than 67,108,864 bytes"):
        verify(result)
