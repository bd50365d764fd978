"""A slow and obvious twin of grounding and of the three ways to count answers.

Written from the definitions alone, on documents with templates; it shares no code with carob.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, product
from typing import Any

from carob import Document
from carob.corpus.document import Template

Span = tuple[int, int]
Place = tuple[Span, ...]
Like = Callable[[Sequence[str], Sequence[str]], bool]


@cache
def folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", plain).split())


def is_mark(sign: str) -> bool:
    return unicodedata.category(sign)[0] == "M"


@cache
def is_letter(sign: str) -> bool:
    han = unicodedata.name(sign, "").startswith(("CJK", "HANGUL", "KATAKANA", "HIRAGANA"))
    return (sign.isalnum() or sign == "_") and not han


@cache
def is_border(text: str, at: int) -> bool:
    """May something begin or end here?"""
    if at in (0, len(text)):
        return True
    if is_mark(text[at]):
        return False
    before = at - 1
    while before > 0 and is_mark(text[before]):
        before -= 1
    return not (is_letter(text[before]) and is_letter(text[at]))


@cache
def words(text: str) -> list[str]:
    """The words of a text, folded, without punctuation; Han characters are words."""
    found: list[str] = []
    plain = folded(text)
    for at, sign in enumerate(plain):
        if not (sign.isalnum() or sign == "_" or is_mark(sign)):
            continue
        if is_border(plain, at) or not found:
            found.append("")
        found[-1] += sign
    return found


@cache
def spans(text: str, string: str, level: int) -> list[tuple[int, int]]:
    """Where a string occurs, from left to right, none overlapping the one before."""
    found: list[tuple[int, int]] = []
    for start in range(len(text)):
        if found and start < found[-1][1]:
            continue
        for end in range(start + 1, len(text) + 1):
            part = text[start:end]
            if part != part.strip() or not (is_border(text, start) and is_border(text, end)):
                continue
            if level == 0:
                same = part == string.strip()
            elif level == 1:
                same = folded(part) == folded(string)
            else:
                ends = (part[0].isalnum() or part[0] == "_") and not _is_punctuation(part)
                same = ends and words(part) == words(string) != []
            if same:
                found.append((start, end))
                break
    return found


def _is_punctuation(part: str) -> bool:
    last = part.rstrip("".join(sign for sign in part if is_mark(sign)))[-1:]
    return not (last.isalnum() or last == "_")


def in_tokens(tokens: Sequence[str], place: tuple[int, int]) -> tuple[int, int]:
    """The tokens that a place in their text touches."""
    at, touched = 0, []
    for row, token in enumerate(tokens):
        if at < place[1] and place[0] < at + len(token):
            touched.append(row)
        at += len(token) + 1
    return touched[0], touched[-1] + 1


@dataclass
class Answer:
    """A filler: its texts and places, its own first; where it stood; whether it is made up."""

    row: str
    template: int
    place: int
    texts: list[str]
    places: list[Place]
    optional: bool
    confidence: float | None
    given: Place = ()
    written: list[str | None] = field(default_factory=list)
    made_up: bool = False


def answers(document: Document) -> list[Answer]:
    found: list[Answer] = []
    for template in document.templates:
        found += _of_template(template, template.label, document, len(found))
    for mention in document.mentions if not document.templates else ():
        found.append(Answer(mention.label, 0, len(found), [_at(document, mention.fragments)],
                            [mention.fragments], False, mention.confidence, mention.fragments,
                            [None]))  # fmt: skip
    return found


def _of_template(form: Template, path: str, document: Document, number: int) -> list[Answer]:
    found: list[Answer] = []
    for slot, fillers in form.slots.items():
        row = f"{path}.{slot}" if path else slot
        for place, filler in enumerate(fillers):
            if isinstance(filler, Template):
                found += _of_template(filler, row, document, number + 1000 * (len(found) + 1))
                continue
            forms = [filler, *filler.alternatives]
            texts = [f.text if f.text is not None else _at(document, f.fragments) for f in forms]
            found.append(Answer(row, number, place, texts, [f.fragments for f in forms],
                                filler.optional, filler.confidence, filler.fragments,
                                [f.text for f in forms]))  # fmt: skip
    return found


def _at(document: Document, place: Place) -> str:
    if document.tokens is not None:
        return " ".join(t for start, end in place for t in document.tokens[start:end])
    assert document.text is not None
    return " ".join(document.text[start:end] for start, end in place)


def size(text: str) -> tuple[int, int]:
    """How long a string is: the letters of its words, else all that is no space."""
    letters = sum(map(len, words(text)))
    return letters, 0 if letters else len("".join(text.split()))


def _take(
    answer: Answer, i: int, document: Document, level: int, gone: Iterable[Span], apart: bool
) -> list[Span]:
    """The first occurrence that is not gone or, if it must stand apart, touches nothing gone."""
    text = document.text if document.tokens is None else " ".join(document.tokens)
    assert text is not None
    for span in spans(text, answer.texts[i], level) if not answer.places[i] else ():
        if document.tokens is not None:
            span = in_tokens(document.tokens, span)
        met = [each for each in gone if span[0] < each[1] and each[0] < span[1]]
        if not (met if apart else span in met):
            answer.places[i] = (span,)
            return [span]
    return []


def ground(found: list[Answer], document: Document) -> None:
    """Find the places that are missing; the text of the document is known.

    Own texts go before alternatives, and those of fillers that have no place before the others.
    Then the longest goes first, and of the same length what is not optional. Each takes the first
    place that shares nothing with another of the row, else the first that is not another's.
    """
    text = document.text if document.tokens is None else " ".join(document.tokens)
    assert text is not None
    before = [list(answer.places) for answer in found]
    for row in {answer.row for answer in found}:
        own = [(answer, 0) for answer in found if answer.row == row]
        others = [(a, i) for a, _ in own for i in range(1, len(a.texts))]
        given = [place for a, _ in own for place in a.places]
        taken = {place[0] for place in given if len(place) == 1}
        covered = [span for place in given for span in place]

        def key(each: tuple[Answer, int]) -> tuple[object, ...]:
            answer, i = each
            old = before[next(n for n, other in enumerate(found) if other is answer)]
            parts = [(answer.written[k] if not old[k] and answer.written[k] else "", old[k])
                     for k in range(len(old))]  # fmt: skip
            return answer.texts[i], sorted(parts) if len(parts) > 1 else []

        for batch in range(3):
            if batch == 0:
                those = own
            else:
                those = [each for each in others if batch == 2 or not each[0].places[0]]
            waiting = sorted([(a, i) for a, i in those if not a.places[i]], key=key)
            sizes = sorted({size(a.texts[i]) for a, i in waiting}, reverse=True)
            for length, optional in product(sizes, (False, True)):
                for apart, level in product((True, False), range(3)):
                    for answer, i in waiting:
                        late = answer.optional and batch == 0
                        if size(answer.texts[i]) == length and late == optional:
                            took = _take(
                                answer, i, document, level, covered if apart else taken, apart
                            )
                            taken.update(took)
                            covered += took
    for answer in found:
        nowhere = not any(spans(text, answer.texts[0], level) for level in range(3))
        answer.made_up = not answer.places[0] and nowhere


def bare(token: str) -> list[str]:
    """A token without punctuation at its ends, Han characters apart."""
    han = [not is_letter(sign) and sign.isalnum() for sign in token]
    spaced = "".join(f" {s} " if alone else s for s, alone in zip(token, han, strict=True))
    found = []
    for part in spaced.split():
        signs = list(part)
        while signs and unicodedata.category(signs[0])[0] == "P":
            signs.pop(0)
        while signs and unicodedata.category(signs[-1])[0] == "P":
            signs.pop()
        found.append("".join(signs))
    return [word for word in found if word] or [token]


def like(match: str, k: int) -> Like:
    """How words, or positions, of gold and system are compared."""

    def same(gold: Sequence[str], system: Sequence[str]) -> bool:
        if match == "overlap":
            ours, theirs = ({w for each in side for w in bare(each)} for side in (gold, system))
            return bool(ours & theirs)
        if match == "contains":
            inner = range(len(system) - len(gold) + 1)
            held = any(list(system[i : i + len(gold)]) == list(gold) for i in inner)
            return held and len(system) - len(gold) <= k
        return list(gold) == list(system)

    return same


def _positions(place: Place) -> set[int]:
    return set(chain.from_iterable(range(start, end) for start, end in place))


def near(match: str, k: int, gold: Place, system: Place) -> bool:
    ours, theirs = _positions(gold), _positions(system)
    if match == "overlap":
        return bool(ours & theirs)
    if match == "contains":
        return ours <= theirs and len(theirs - ours) <= k
    return gold == system


def matchings(allowed: Sequence[Sequence[int]]) -> Iterator[dict[int, int]]:
    """Every way to pair one-to-one."""
    if not allowed:
        yield {}
        return
    last = len(allowed) - 1
    for rest in matchings(allowed[:-1]):
        yield rest
        for other in allowed[-1]:
            if other not in rest.values():
                yield {**rest, last: other}


def paired(
    allowed: Sequence[Sequence[int]], optional: Sequence[bool], made_up: Sequence[bool]
) -> tuple[int, int, int, int]:
    """tp, fp, fn and ungrounded of the best pairing: most pairs; among those, the most that had
    to be found, and the most that are in the text.
    """
    every = list(matchings(allowed))
    most = max(map(len, every))
    largest = [pairs for pairs in every if len(pairs) == most]
    needed = max(sum(not optional[g] for g in pairs) for pairs in largest)
    real = max(sum(not made_up[s] for s in pairs.values()) for pairs in largest)
    ungrounded = sum(made_up) - (most - real)
    return (most, len(made_up) - most - ungrounded, optional.count(False) - needed, ungrounded)


def oas(gold: list[Answer], system: list[Answer], match: str, k: int) -> tuple[int, ...]:
    best = sorted(system, key=_rank)[:1]
    same = like(match, k)
    right = any(
        same(folded(text).split(), folded(answer.texts[0]).split())
        for answer in best
        for each in gold
        for text in each.texts
    )
    wrong = bool(best) and not right
    fn = not right and any(not each.optional for each in gold)
    return int(right), int(wrong and not best[0].made_up), int(fn), int(wrong and best[0].made_up)


def _rank(answer: Answer) -> tuple[object, ...]:
    sure = 1.0 if answer.confidence is None else -answer.confidence
    if answer.given:
        return sure, 0, answer.given, 0, folded(answer.texts[0])
    return sure, 1, (), 0, ""  # the first in the file: sorting is stable


def oaod(gold: list[Answer], system: list[Answer], match: str, k: int) -> tuple[int, ...]:
    same = like(match, k)

    def fits(ours: Answer, theirs: Answer) -> bool:
        for text, place in zip(ours.texts, ours.places, strict=True):
            if bool(place) != bool(theirs.places[0]):
                continue
            if place and near(match, k, place, theirs.places[0]):
                return True
            if not place and same(folded(text).split(), folded(theirs.texts[0]).split()):
                return True
        return False

    allowed = [[i for i, s in enumerate(system) if fits(g, s)] for g in gold]
    return paired(allowed, [g.optional for g in gold], [s.made_up for s in system])


def oads(gold: list[Answer], system: list[Answer], match: str, k: int) -> tuple[int, ...]:
    same = like(match, k)
    ours: dict[str, set[str]] = {}
    optional: dict[str, bool] = {}
    theirs: dict[str, bool] = {}
    for each in gold:
        name = folded(each.texts[0])
        ours.setdefault(name, set()).update(map(folded, each.texts))
        optional[name] = optional.get(name, True) and each.optional
    for each in system:
        name = folded(each.texts[0])
        theirs[name] = theirs.get(name, True) and each.made_up
    allowed = [
        [i for i, s in enumerate(theirs) if any(same(t.split(), s.split()) for t in texts)]
        for texts in ours.values()
    ]
    return paired(allowed, list(optional.values()), list(theirs.values()))


SPACES = {"oas": oas, "oaod": oaod, "oads": oads}


Sides = tuple[list[Answer], list[Answer]]


def grounded(gold: Document, system: Document) -> Sides:
    """The fillers of both sides; the text is gold's."""
    sides = answers(gold), answers(system)
    for side in sides:
        ground(side, gold)
    return sides


def counted(space: str, sides: Sides, match: str = "exact", k: int = 1) -> dict[str, Any]:
    """tp, fp, fn and ungrounded of every row of a document."""
    rows = {answer.row for side in sides for answer in side}
    found = {}
    for row in sorted(rows):
        gold, system = ([a for a in side if a.row == row] for side in sides)
        found[row] = SPACES[space](gold, system, match, k)
    return {row: each for row, each in found.items() if any(each)}
