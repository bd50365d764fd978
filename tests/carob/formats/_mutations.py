"""Files that nobody wrote: random bytes, and valid files that were damaged."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

from carob import CarobError, Corpus, Document, Mention, registry
from carob.corpus.document import Filler, Group, Template
from carob.formats.capabilities import fitted
from tests.worlds import LABELS, WORDS, random_flat, random_mention

DOCS = Path(__file__).parents[3] / "docs"

TINY = (
    b"\n", b"\r", b"\r\n", b"\n\n", b"\t", b" ", b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"-",
    b"\xf0\x9f\x98\x80", b"\xef\xbb\xbf", b"\xff\xfe", b"\xe2\x80\xa8", b"\x85", b"\x1b[2J", b",",
    b";", b":", b"|", b'"', b"\\", b"<", b">", b"</", b"&#0;", b"{", b"[", b"}", b"]", b"#", b"@",
    b"*", b"0", b"-1", b"1e999", b"NaN", b"null", b"\\ud800", b"O", b"B-", b"I-", b"-DOCSTART-",
)  # fmt: skip
"""What a mutation puts in."""

HUGE = (b"2147483647", b"2147483648", b"-2147483649", b"4294967296", b"9223372036854775807",
        b"9223372036854775808", b"9" * 30, b"1" + b"0" * 400, b"00000000000000000001",
        b"1e18", b"\xd9\xa3")  # fmt: skip
"""Numbers that do not fit, and one that is a digit only to Unicode."""

LARGE = (b"[" * 3000, b'{"a":' * 3000, b"<a>" * 500, b"(" * 3000, b"x" * 9000, b"B-" * 4000,
         b"\n" * 3000, b"\t" * 3000, b" " * 3000, b"\r" * 3000, b"T1\tX 0 1;" * 300,
         b"7" * 6000, b"\0" * 3000, b"0, " * 2000, b"\xf0\x9f\x98\x80" * 800)  # fmt: skip
"""Deep nesting and long words, which cost more and come more rarely."""

_NUMBER = re.compile(rb"[0-9]+")
_WORD = re.compile(rb"[^\s\t,;:|<>]+[\s\t,;:|<>]?")


def noise(rng: random.Random) -> bytes:
    """Random bytes: of all kinds, or only those that formats are made of."""
    if rng.random() < 0.4:
        return rng.randbytes(rng.randrange(80))
    return b"".join(rng.choices(TINY, k=rng.randrange(30)))


class Mutator:
    """Damages files of one kind; its words are those that stand in them."""

    def __init__(self, files: Sequence[bytes], rng: random.Random) -> None:
        self.files, self.rng = files, rng
        self.words = sorted({word for file in files for word in _WORD.findall(file)})
        self.kinds: tuple[Callable[[bytearray, int], object], ...] = (
            self.flip, self.insert, self.insert_word, self.delete, self.duplicate, self.truncate,
            self.splice, self.number, self.replace, self.copy_line, self.drop_line,
        )  # fmt: skip

    def __call__(self) -> bytes:
        data = bytearray(self.rng.choice(self.files))
        for _ in range(self.rng.choice((1, 1, 1, 2, 2, 3, 5))):
            self.rng.choice(self.kinds)(data, self.rng.randrange(len(data) + 1))
        if self.rng.random() < 0.01:
            at = self.rng.randrange(len(data) + 1)
            data[at:at] = self.rng.choice(LARGE)
        return bytes(data)

    def flip(self, data: bytearray, at: int) -> None:
        if at < len(data):
            data[at] ^= 1 << self.rng.randrange(8)

    def insert(self, data: bytearray, at: int) -> None:
        data[at:at] = self.rng.choice(TINY)

    def insert_word(self, data: bytearray, at: int) -> None:
        data[at:at] = self.rng.choice(self.words)

    def replace(self, data: bytearray, at: int) -> None:
        data[at : at + self.rng.randint(1, 3)] = self.rng.choice(TINY)

    def delete(self, data: bytearray, at: int) -> None:
        del data[at : at + self.rng.choice((1, 1, 2, 9, 30))]

    def duplicate(self, data: bytearray, at: int) -> None:
        data[at:at] = data[at : at + self.rng.choice((1, 5, 40))]

    def truncate(self, data: bytearray, at: int) -> None:
        del data[at:]

    def splice(self, data: bytearray, at: int) -> None:
        other = self.rng.choice(self.files)
        data[at:] = other[self.rng.randrange(len(other) + 1) :]

    def number(self, data: bytearray, at: int) -> None:
        if found := _NUMBER.search(data, at):
            data[found.start() : found.end()] = self.rng.choice(HUGE)

    def copy_line(self, data: bytearray, at: int) -> None:
        lines = data.split(b"\n")
        lines.insert(self.rng.randrange(len(lines)), self.rng.choice(lines))
        data[:] = b"\n".join(lines)

    def drop_line(self, data: bytearray, at: int) -> None:
        lines = data.split(b"\n")
        del lines[self.rng.randrange(len(lines))]
        data[:] = b"\n".join(lines)


def _template(rng: random.Random, *, nested: bool) -> Template:
    """A form with a few slots: as records have it, or as key files have it."""

    def filler() -> Filler | Template:
        if nested and rng.random() < 0.2:
            return _template(rng, nested=rng.random() < 0.5)
        others = () if nested else tuple(rng.sample(("Bo", "b / c", '"x": "y"'), rng.randint(0, 2)))
        text = rng.choice(("Ann Lee", "3:30", 'the "X"', "- 7 JAN 90", "? a", "a\tb\\", "東京"))
        return Filler(text, alternatives=others, optional=not nested and rng.random() < 0.3)  # type: ignore[arg-type]

    names = ("speaker", "stime", "kind") if nested else ("speaker", "INCIDENT: TYPE", "A: B")
    slots = {slot: tuple(filler() for _ in range(rng.randint(1, 3))) for slot in
             rng.sample(names, rng.randint(1, 3))}  # fmt: skip
    return Template("", slots, None if nested else str(rng.randint(1, 99)))


def _worlds(rng: random.Random) -> list[Corpus]:
    """The same kind of world in all the shapes that some format can hold."""
    length = rng.randint(1, 7)
    tokens = tuple(rng.choices(WORDS, k=length))
    text = " ".join(tokens)
    ids = (f"T{number}" for number in count(1))

    def several(size: int) -> tuple[Mention, ...]:
        made = [random_mention(rng, size) for _ in range(rng.randint(1, 3))]
        return tuple(
            Mention.of(each.label, each.fragments, {"realis": rng.choice(("Actual", "Other"))},
                       id=next(ids)) for each in made
        )  # fmt: skip

    nuggets, standoff = several(9), several(len(text))
    names = [str(each.id) for each in standoff]
    cluster = Group("", tuple(("", name) for name in names[:2]), "*1")
    relation = Group("Origin", (("Arg1", names[0]), ("Arg2", names[-1])), "R1")
    after = Group("After", (("from", str(nuggets[0].id)), ("to", str(nuggets[-1].id))), "R2")
    flat = random_flat(rng, length)
    whole = tuple(random_mention(rng, length, whole=True) for _ in range(2))
    return [
        Corpus.of(Document(tokens=tokens, mentions=flat), Document(tokens=("a", "b"))),
        Corpus.of(*(Document(f"d{n}", tokens=tokens, mentions=whole) for n in range(2))),
        Corpus.of(Document(unit="token", mentions=whole), Document(unit="token", mentions=flat)),
        Corpus.of(Document(text=text, mentions=random_flat(rng, len(text), LABELS))),
        Corpus.of(Document("d1", text=text, mentions=standoff, clusters=(cluster,),
                           relations=(relation,)), Document("d2", text="x")),
        Corpus.of(Document("d1", unit="char", mentions=nuggets, attributes={"system": "s"},
                           relations=(after,) if len(nuggets) > 1 else ()),
                  Document("d2", unit="char")),
        Corpus.of(Document("d1", text=text, templates=(_template(rng, nested=True),)),
                  Document("d2", templates=(_template(rng, nested=True),)), Document("d3")),
        Corpus.of(Document("d1", templates=(_template(rng, nested=False),)),
                  Document("d2", attributes={"site": "X"}, templates=tuple(
                      _template(rng, nested=False) for _ in range(2))), Document("d3")),
    ]  # fmt: skip


def valid(format: str, worlds: int = 12) -> list[bytes]:
    """Files that the writer of a format made, from those worlds that it can hold; without a writer,
    the examples of the documentation.
    """
    if not hasattr(registry.load("formats", format), "write"):
        pages = [page.read_text(encoding="utf-8") for page in sorted(DOCS.rglob("*.md"))]
        fenced = rf"^```{format}\n(.*?)^```$"
        return [text.encode() for page in pages for text in re.findall(fenced, page, re.M | re.S)]
    rng = random.Random(format)
    found = []
    for corpus in (corpus for _ in range(worlds) for corpus in _worlds(rng)):
        out = io.BytesIO()
        if format == "csv":  # which holds no tokens, and no attributes
            corpus = fitted(corpus, registry.load("formats", format).holds)[0]
        try:
            registry.load("formats", format)().write(corpus, out)
        except CarobError:
            continue
        found.append(out.getvalue())
    return found


def valid_pairs(worlds: int = 12) -> list[dict[str, bytes]]:
    """The same for brat, whose documents are two files each."""
    from carob.formats.brat import annotated

    rng = random.Random("brat")
    found = []
    for corpus in (_worlds(rng)[4] for _ in range(worlds)):
        files = {}
        for document in corpus:
            files[f"{document.id}.txt"] = (document.text or "").encode()
            files[f"{document.id}.ann"] = annotated(document).encode()
        found.append(files)
    return found
