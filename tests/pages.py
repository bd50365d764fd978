"""A page of HTML as tests look at it: its elements, its text, and text that must stay text."""

from __future__ import annotations

from html.parser import HTMLParser

HOSTILE = [
    "<script>alert(1)</script>", "</script><b>", '"><img src=x onerror=alert(1)>', "it's & \"so\"",
    "\u202egnp.exe", "x" * 1_000_000, "{{ 7 * 7 }}", "\x1b[31m", "שלום", "ends in a backslash\\",
]  # fmt: skip


class Page(HTMLParser):
    """Every element with its attributes, and all text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert [] == self._open

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attributes]
        assert len(names) == len(set(names)), f"an attribute twice: {tag} {attributes}"
        self.elements.append((tag, {name: value or "" for name, value in attributes}))
        if tag not in ("meta", "br", "link", "input", "hr", "col"):
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attributes}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def cells(self, *names: str) -> list[dict[str, str]]:
        """The attributes `data-...` of all elements that have these."""
        own = ({key[5:]: value for key, value in attributes.items() if key[:5] == "data-"}
               for _, attributes in self.elements)  # fmt: skip
        return [each for each in own if set(names) <= set(each)]


def number(text: str) -> float | None:
    return None if text == "" else float(text)
