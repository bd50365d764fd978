"""Take a picture of a page with Chromium: `make screenshot` takes that of the README.

python tools/screenshot.py PAGE PICTURE [--width 1280] [--height 960] [--dark] [--scale 1]
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
)  # fmt: skip


def chromium() -> str | None:
    """The path of Chromium, if it is installed."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def picture(page: Path, out: Path, *flags: str, width: int = 1280, height: int = 960) -> None:
    """Write what a window of this size shows of a page."""
    program = chromium()
    if program is None:
        sys.exit(f"Chromium is needed: one of {', '.join(NAMES)}")
    with tempfile.TemporaryDirectory() as profile:
        command = [program, *FLAGS, *flags, f"--user-data-dir={profile}",
                   f"--window-size={width},{height}", f"--screenshot={out.resolve()}",
                   page.resolve().as_uri()]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True, timeout=120)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path)
    parser.add_argument("picture", type=Path)
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=960)
    parser.add_argument("--scale", type=float, default=1.0, help="points of the picture for one")
    parser.add_argument("--dark", action="store_true")
    arguments = parser.parse_args()
    flags = [f"--force-device-scale-factor={arguments.scale:g}"]
    flags += ["--blink-settings=preferredColorScheme=0"] if arguments.dark else []
    picture(
        arguments.page, arguments.picture, *flags, width=arguments.width, height=arguments.height
    )
    print(f"{arguments.picture}: {arguments.picture.stat().st_size / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
