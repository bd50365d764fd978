"""The same challenge folder on other platforms: a scoring program for Codabench, and `evaluate` for
EvalAI. Validation is that of the server; messages about invalid files never depend on gold.
"""

from __future__ import annotations

import io
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

from carob.corpus.problems import DataError, UsageError
from carob_challenge import scoring
from carob_challenge.config import FILE, Config
from carob_challenge.material import Material, materials

PLATFORMS = ("codabench", "evalai")

_METADATA = """\
# What Codabench runs; $input has ref (the reference data) and res (the submission).
command: python3 scoring.py $input $output
"""

_SCORING = '''\
"""The scoring program of a challenge made by carob: the image that runs it needs carob."""

import sys
from pathlib import Path

from carob_challenge.bridges import codabench

sys.exit(codabench(Path(__file__).parent, sys.argv[1], sys.argv[2], {phase!r}))
'''

_EVALAI = '''\
"""The evaluation script of a challenge made by carob: it needs carob."""

from pathlib import Path

from carob_challenge.bridges import evalai


def evaluate(test_annotation_file, user_submission_file, phase_codename, **kwargs):
    return evalai(
        Path(__file__).parent, test_annotation_file, user_submission_file, phase_codename
    )
'''


def bundle(folder: str | Path, platform: str, output: str | Path, phase: str | None = None) -> None:
    """Write the program that a platform runs as a zip file; gold is not in it: platforms take it
    as a file of its own (reference data, test annotations).
    """
    if platform not in PLATFORMS:
        raise UsageError(f"platforms are {' and '.join(PLATFORMS)}, not {platform!r}")
    config = Config.read(folder)
    name = _phase(config, phase)
    material = materials(config)[name]
    root = "" if platform == "codabench" else "evaluation_script/"
    files = {FILE: (config.folder / FILE).read_bytes()}
    for path in (material.inputs, material.task_file):
        inside = [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]
        files |= {p.relative_to(config.folder).as_posix(): p.read_bytes() for p in inside}
    if platform == "codabench":
        files["metadata.yaml"] = _METADATA.encode()
        files["scoring.py"] = _SCORING.format(phase=name).encode()
    else:
        files["__init__.py"] = b"from .main import evaluate\n"
        files["main.py"] = _EVALAI.encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for inside_name in sorted(files):
            file.writestr(f"{root}{inside_name}", files[inside_name])
    Path(output).write_bytes(out.getvalue())


def _phase(config: Config, phase: str | None) -> str:
    names = list(config.phases)
    return config.phase(phase or ("test" if "test" in names else names[-1])).name


def codabench(folder: str | Path, inputs: str | Path, output: str | Path, phase: str) -> int:
    """Score `inputs/res` against `inputs/ref`, and write `output/scores.json`: names and numbers.
    What is wrong with an invalid submission goes to standard error, which the team can read.
    """
    config = Config.read(folder)
    material = _with_gold(config, phase, _only_file(Path(inputs) / "ref"))
    problems, scores = _scored(config, material, _only_file(Path(inputs) / "res"))
    if problems:
        sys.stderr.write("\n".join([*problems, ""]))
        return 1
    Path(output).mkdir(parents=True, exist_ok=True)
    text = json.dumps(scores, indent=1)
    (Path(output) / "scores.json").write_text(text + "\n", encoding="utf-8")
    return 0


def evalai(
    folder: str | Path, gold: str | Path, submission: str | Path, phase: str
) -> dict[str, Any]:
    """What `evaluate` of EvalAI returns: the scores of one split, named like the phase."""
    config = Config.read(folder)
    name = phase if phase in config.phases else _phase(config, None)
    material = _with_gold(config, name, Path(gold))
    problems, scores = _scored(config, material, Path(submission))
    if problems:
        raise DataError("\n".join(problems))
    split = {name: scores}
    return {"result": [split], "submission_result": scores}


def _with_gold(config: Config, phase: str, gold: Path) -> Material:
    own = materials(config)[config.phase(phase).name]
    return Material(own.inputs, gold, own.task_file, own.part, own.empty, own.final)


def _only_file(folder: Path) -> Path:
    """The file in a folder that platforms have unpacked; several files are one submission."""
    files = [each for each in sorted(folder.iterdir()) if each.name not in ("metadata",)
             and not each.name.startswith((".", "__MACOSX"))]  # fmt: skip
    if not files:
        raise UsageError(f"found nothing in {folder}, expected a file")
    return files[0] if len(files) == 1 else folder


def _scored(
    config: Config, material: Material, file: Path
) -> tuple[list[str], dict[str, float | None]]:
    """What is wrong with a submission, or its scores: every official recipe, with the interval of
    the one that ranks.
    """
    common = scoring.arguments(material, config.limits, file, file.name)
    findings, _ = scoring.validated(**common)
    if not findings["valid"]:
        return [each["message"] for each in findings["problems"]], {}
    content, _ = scoring.scored(**common)
    scores = {each["recipe"]: each["value"] for each in content["scores"]}
    official = content["official"]
    name = official["recipe"]
    return [], scores | {f"{name} low": official["low"], f"{name} high": official["high"]}
