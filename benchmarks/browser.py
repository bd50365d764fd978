"""Measure the error browser of a report in Chromium: when the first example is there, and how long
a choice, a step and a search take.

    python benchmarks/browser.py            # about two minutes
    python benchmarks/browser.py --write    # into docs/performance.md

Needs Chromium, and Playwright (`pip install '.[dev]'`).
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from _contenders import script
from _data import data
from _race import environment
from _report import machine, markdown, write_part

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
READY = "#browser-app[aria-busy=false]"
ROUNDS = 3
HEAD = ["documents", "systems", "examples", "page MB", "first example s", "choice s", "step s",
        "first search s", "next search s"]  # fmt: skip
CASES = (500, 5000)


def measured(page: Any, file: Path) -> dict[str, float]:
    """Seconds of each thing that a user does."""
    seconds = {}

    def timed(name: str, act: Any) -> None:
        start = time.perf_counter()
        act()
        page.wait_for_selector(READY, state="attached")
        seconds[name] = time.perf_counter() - start

    def search(words: str) -> None:
        page.fill("[name=text]", words)
        page.keyboard.press("Enter")

    timed("first example", lambda: page.goto(file.as_uri()))
    timed("choice", lambda: page.select_option("[name=type]", "=FN"))
    timed("step", lambda: page.keyboard.press("j"))
    timed("first search", lambda: search("ann"))
    timed("next search", lambda: search("lee"))
    return seconds


def row(chromium: Any, documents: int) -> list[str]:
    """A report of this many documents, and the least seconds of several rounds."""
    sentences, systems = 10, 3
    paths = data(documents * 165, systems=systems, sentences=sentences)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.html"
        command = [script(), "report", *map(str, paths), "--resamples", "0", "-o", str(file)]
        subprocess.run(command, check=True, capture_output=True, env=environment())
        rounds = []
        for number in range(ROUNDS):
            print(f"  round {number + 1}: {documents:,} documents", file=sys.stderr, flush=True)
            page = chromium.new_page()
            rounds.append(measured(page, file))
            page.click("text=Show all")
            page.wait_for_timeout(100)
            page.wait_for_selector(READY, state="attached")
            examples = page.inner_text("#browser-count").split()[0]
            stated = page.inner_text("#browser > p >> nth=0")
            page.close()
        size = f"{file.stat().st_size / 1e6:.1f}"
    there = next(word for word in stated.split() if word[0].isdigit())
    least = {name: min(each[name] for each in rounds) for name in rounds[0]}
    return [there, str(systems), examples, size, *(f"{value:.2f}" for value in least.values())]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--write", action="store_true", help="into docs/performance.md")
    arguments = parser.parse_args()
    path = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if path is None:
        sys.exit(f"Chromium is needed: one of {', '.join(CHROMIUM)}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        rows = [row(chromium, documents) for documents in CASES]
        chromium.close()
    text = f"\n{machine()}\n\n{markdown(HEAD, rows)}\n"
    if arguments.write:
        write_part("browser", text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
