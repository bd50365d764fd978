"""What templates have and a format cannot hold: found, counted, and left out."""

from __future__ import annotations

from carob.corpus.corpus import Corpus, Words
from carob.corpus.template import Filler, Template
from carob.corpus.templates import Templates
from carob.pair.filled import words_at

Lost = dict[str, tuple[int, int]]
"""What is lost, how often, and the first document where it is."""


def fitted_templates(corpus: Corpus, parts: set[str]) -> tuple[Templates, Lost]:
    """The templates without what a format has no place for.

    `parts` are what it has a place for: `types`, `ids`, `several` templates in a document,
    `nested` ones, `alternatives`, `optional`. Places, mentions and confidences always go; a
    filler with a place alone becomes the text that stands there.

    >>> corpus = Corpus.of({"templates": [{"label": "talk", "slots": {"room": ["5"]}}]})
    >>> fitted_templates(corpus, set())[1]
    {'types of templates': (1, 0)}
    """
    fit = _Fit(corpus, parts)
    documents = [fit.document(row) for row in range(len(corpus))]
    nothing: list[dict[str, tuple[int, tuple[tuple[int, int], ...]]]] = [{} for _ in documents]
    return Templates.of(documents, nothing), fit.lost


def templates_of_mentions(corpus: Corpus) -> Templates:
    """One template for each document with mentions: a mention fills the slot of its label.

    >>> templates_of_mentions(Corpus.of("[Ann]who slept")).of_document(0, None)
    (Template('', who=Filler(fragments=((0, 1),))),)
    """
    slots: list[dict[str, list[Filler]]] = [{} for _ in range(len(corpus))]
    table = corpus.mentions
    for row, (doc, label) in enumerate(zip(table.doc.tolist(), table.label.tolist(), strict=True)):
        filler = Filler(fragments=table.fragments_of(row))
        slots[doc].setdefault(corpus.labels[label], []).append(filler)
    documents = [
        [Template("", {slot: tuple(fillers) for slot, fillers in each.items()})] if each else []
        for each in slots
    ]
    return Templates.of(documents, [{} for _ in documents])


class _Fit:
    def __init__(self, corpus: Corpus, parts: set[str]) -> None:
        self.corpus, self.parts = corpus, parts
        self.lost: Lost = {}
        self.row = 0
        self.words: Words | None = None

    def lose(self, what: str, count: int = 1) -> None:
        before, first = self.lost.get(what, (0, self.row))
        self.lost[what] = before + count, first

    def document(self, row: int) -> list[Template]:
        self.row, self.words = row, None
        made = [self.template(each) for each in self.corpus.templates.of_document(row, None)]
        kept = [each for each in made if each is not None]
        if len(kept) > 1 and "several" not in self.parts:
            self.lose("templates other than the first of a document", len(kept) - 1)
            del kept[1:]
        return kept

    def template(self, given: Template) -> Template | None:
        slots: dict[str, tuple[Filler | Template, ...]] = {}
        for slot, fillers in given.slots.items():
            each = [self.nested(f) if isinstance(f, Template) else self.filler(f) for f in fillers]
            slots[slot] = tuple(filler for filler in each if filler is not None)
        label, name = given.label, given.id
        if label and "types" not in self.parts:
            self.lose("types of templates")
            label = ""
        if name is not None and "ids" not in self.parts:
            self.lose("ids of templates")
            name = None
        if not any(slots.values()) and not label and "empty" not in self.parts:
            self.lose("templates without fillers")
            return None
        return Template(label, slots, name)

    def nested(self, given: Template) -> Template | None:
        if "nested" not in self.parts:
            self.lose("templates in templates")
            return None
        return self.template(given)

    def filler(self, given: Filler) -> Filler | None:
        forms = [self.form(each) for each in (given, *given.alternatives)]
        kept = [each for each in forms if each is not None]
        if not kept:
            self.lose("fillers without a text")
            return None
        if given.confidence is not None:
            self.lose("confidences of fillers")
        optional = given.optional
        if optional and "optional" not in self.parts:
            self.lose("that fillers are optional")
            optional = False
        if len(kept) > 1 and "alternatives" not in self.parts:
            self.lose("alternatives of fillers", len(kept) - 1)
            del kept[1:]
        return Filler(kept[0], (), tuple(Filler(other) for other in kept[1:]), optional)

    def form(self, given: Filler) -> str | None:
        """The text of a filler or of an alternative."""
        if not given.fragments:
            return given.text
        self.lose("places of fillers")
        if given.text is not None:
            return given.text
        if self.words is None:
            library = self.corpus.library
            self.words = library.words(self.row) if library else (None, None)
        found = words_at(self.words, given.fragments, self.corpus.unit or "char")
        return found if found and found.strip() else None
