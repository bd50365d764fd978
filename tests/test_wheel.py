"""A wheel without the compiled scanner can be built, for every system; its scores are the same."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def python(*arguments: str | Path, **environment: str) -> str:
    return subprocess.check_output(
        [sys.executable, *arguments], env=os.environ | environment, text=True, cwd=Path(os.sep)
    )


@pytest.mark.slow
def test_a_wheel_without_the_scanner_serves_every_system(tmp_path: Path) -> None:
    source, site = tmp_path / "source", str(tmp_path / "site")
    shutil.copytree(
        ROOT / "src", source / "src", ignore=shutil.ignore_patterns("*.so", "*.pyd", "*.egg-info")
    )
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    pip = ("-m", "pip", "-q", "--disable-pip-version-check")
    python(*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", tmp_path, source,
           CAROB_PURE="1")  # fmt: skip
    [wheel] = tmp_path.glob("*.whl")
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as content:
        names = {Path(name) for name in content.namelist()}
    assert {"carob", "carob_lab", "carob_challenge"} < {name.parts[0] for name in names}
    assert set() == {".so", ".pyd", ".c"} & {name.suffix for name in names}

    python(*pip, "install", "--no-deps", "--no-index", "--target", site, wheel)
    probe = "from carob.arrays import scan; print(scan.__file__, scan.compiled)"
    assert f"{site}/carob/arrays/scan.py None\n" == python("-c", probe, PYTHONPATH=site)
    example = tmp_path / "example"
    python("-m", "carob", "demo", example, PYTHONPATH=site)
    score = ("-m", "carob", "score", example / "gold.conll", example / "careful.conll",
             "--format", "json")  # fmt: skip
    assert python(*score) == python(*score, PYTHONPATH=site)
