"""Install the tools that carob is compared with, for the Python that runs this script.

pip first tries all of them together. If that fails, it tries them one by one; a tool that cannot be
installed on this Python is reported and left out. The benchmarks skip tools that are missing.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WHEELS_ONLY = "numpy,polars,scikit-learn,scipy,spacy,thinc,blis"
"""Never compile these: it would take very long."""

PIP = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]


def install(*tools: str) -> bool:
    """Install carob and these tools; whether pip succeeded."""
    command = [*PIP, "--only-binary", WHEELS_ONLY, "-e", str(ROOT), *tools]
    return subprocess.run(command, check=False).returncode == 0


def main() -> int:
    """Install as many tools as possible; 1 if there is none."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tools = project["optional-dependencies"]["bench"]
    if install(*tools):
        return 0
    missing = [each for each in tools if not install(each)]
    for each in missing:
        print(f"left out, it cannot be installed on this Python: {each}", file=sys.stderr)
    return int(len(missing) == len(tools))


if __name__ == "__main__":
    sys.exit(main())
