"""The example of Lavelli et al. (2008), section 3.2, and systems that answer it differently."""

from __future__ import annotations

from typing import Any

TEXT = (
    "Speaker: Joel S. Birnbaum, Ph.D\nJoel S. Birnbaum, Ph.D will speak in Wean Hall.\n"
    "Dr. Birnbaum is a physicist. His host is Ann Lee.\n"
)
JOEL, DOCTOR = "Joel S. Birnbaum, Ph.D", "Dr. Birnbaum"


def at(text: str, after: int = 0) -> dict[str, Any]:
    """A filler with its place."""
    start = TEXT.index(text, after)
    return {"text": text, "start": start, "end": start + len(text)}


def document(slots: dict[str, list[Any]], name: str = "d1", text: str | None = None) -> Any:
    """A document with one talk."""
    words = {} if text is None else {"text": text}
    return {"id": name, **words, "templates": [{"label": "talk", "slots": slots}]}


GOLD = document(
    {
        "speaker": [at(JOEL), at(JOEL, 20), at(DOCTOR)],
        "place": [at("Wean Hall")],
        "host": [at("Ann Lee")],
    },
    text=TEXT,
)
SHORT = document({"speaker": [DOCTOR]})
"""Right, and one answer alone."""
WRONG = document(
    {"speaker": [DOCTOR, "Ann Lee"], "place": ["Hall"], "host": ["Bob Ray"]},
)
"""A guest for a host, a place cut short, a host made up."""
