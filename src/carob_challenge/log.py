"""Lines of the log: JSON, without anything that is a secret."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

Write = Callable[[str], object]


def line(event: str, **fields: Any) -> str:
    """One line of the log.

    >>> import json
    >>> json.loads(line("start", port=8080))["port"]
    8080
    """
    when = datetime.now(UTC).isoformat(timespec="milliseconds")
    return json.dumps({"time": when, "event": event, **fields}, default=str)


def to_stderr(text: str) -> None:
    """Write a line where a service manager reads it."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
