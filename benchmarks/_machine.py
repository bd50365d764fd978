"""What was measured on, and with which versions."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = (
    *("carob", "numpy", "seqeval", "nervaluate", "conlleval", "seqscore", "spacy"),
    *("scikit-learn", "polars"),
)


def machine() -> str:
    """Processor, cores, memory, and the versions of everything timed."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    facts = [
        f"- processor: {processor()}, {cores} cores usable, {memory()}",
        f"- system: {platform.system()} {platform.machine()}",
        f"- Python {platform.python_version()} ({platform.python_implementation()})",
        f"- compiled helpers: {helpers()}",
        "- " + ", ".join(f"{package} {installed(package)}" for package in PACKAGES),
    ]
    return "\n".join(facts)


def processor() -> str:
    """The model that Linux names, else what Python knows."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def helpers() -> str:
    """What carob's product of bytes uses of the processor."""
    from carob.arrays import weigh

    return ("none, NumPy alone", "AVX2", "AVX-512", "AMX and AVX-512")[weigh.level()]


def memory() -> str:
    """How much there is."""
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return "memory unknown"
    return f"{size / (1 << 30):.0f} GiB"


def installed(package: str) -> str:
    """The version of a package, or that there is none."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
