"""Texts whose positions are characters: decoded strictly, with every problem collected."""

from __future__ import annotations

from carob.corpus.problems import SHOWN, InputError, Problem, UsageError, shown
from carob.corpus.source import LARGEST, Source


class Problems:
    """What is wrong with some files: the first ones in full, the others counted."""

    def __init__(self) -> None:
        self.kept: list[Problem] = []
        self.total = 0

    def add(
        self, code: str, file: str, line: int | None, found: str, expected: str, hint: str = ""
    ) -> None:
        """One more."""
        self.total += 1
        if len(self.kept) < SHOWN:
            self.kept.append(Problem(code, file, line, found, expected, hint))

    def extend(self, error: InputError) -> None:
        """Everything that another reader found."""
        self.kept += error.problems[: SHOWN - len(self.kept)]
        self.total += error.total

    def check(self) -> None:
        """Raise, if anything is wrong: file by file, line by line."""
        if self.total:
            files = {problem.file: None for problem in self.kept}
            place = {file: number for number, file in enumerate(files)}
            self.kept.sort(key=lambda problem: (place[problem.file], problem.line or 0))
            raise InputError(self.kept, self.total)


def decoded(source: Source, code: str, problems: Problems) -> str | None:
    """The text of a file, every character as it is there; None if its bytes are no UTF-8."""
    blocks: list[bytes] = []
    size = 0
    for block in source.blocks():
        size += len(block)
        if size > LARGEST:
            found = f"a text of more than {LARGEST:,} bytes"
            problems.add("K010", source.name, None, found, "smaller documents")
            return None
        blocks.append(block)
    data = b"".join(blocks)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    hint = "convert it, for example with iconv"
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        problems.add(code, source.name, 1, "UTF-16 text", "UTF-8", hint)
        return None
    for number, line in enumerate(data.split(b"\n"), 1):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            found = shown(line[error.start : error.end])
            problems.add(code, source.name, number, found, "UTF-8", hint)
    return None


def encoded(text: str, format: str, document: str) -> bytes:
    """The bytes of a text; half characters, which JSON can hold, are refused."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        half = shown(text[error.start : error.end])
        raise UsageError(
            f"{format} cannot hold {half} in document {shown(document)}: it is no character"
        ) from None


def signed(name: str) -> str:
    """A name from a user as part of a signature: `-` for none, signs of signatures escaped.

    >>> signed("INCIDENT: TYPE"), signed("a/b"), signed(""), signed("-")
    ('INCIDENT: TYPE', 'a%2Fb', '-', '%2D')
    """
    from urllib.parse import quote  # costs time that most runs need not spend

    said = quote(name, safe=" :.,+()", errors="surrogatepass")
    return {"": "-", "-": "%2D", "none": "%6Eone"}.get(said, said)


def unsigned(said: str) -> str:
    """The name again.

    >>> unsigned("a%2Fb"), unsigned("-"), unsigned("%2D")
    ('a/b', '', '-')
    """
    from urllib.parse import unquote

    return "" if said == "-" else unquote(said, errors="surrogatepass")
