"""Installs the tools that carob is measured beside, for the Python that runs this.

All together if that works; else one by one, and those that do not install on this Python (or not
beside the others) are named and left out. The benchmarks skip what is missing.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WHEELS_ONLY = "numpy,polars,scikit-learn,scipy,spacy,thinc,blis"
"""Nobody wants to compile these."""


def install(*wanted: str) -> bool:
    """Whether pip could."""
    pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    command = [*pip, "--only-binary", WHEELS_ONLY, "-e", str(ROOT), *wanted]
    return subprocess.run(command, check=False).returncode == 0


def main() -> int:
    """Installs what can be."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = project["optional-dependencies"]["bench"]
    if install(*wanted):
        return 0
    missing = [each for each in wanted if not install(each)]
    for each in missing:
        print(f"left out, it does not install on this Python: {each}", file=sys.stderr)
    return int(len(missing) == len(wanted))


if __name__ == "__main__":
    sys.exit(main())
