"""PubTator: titles, abstracts, annotations, and relations of concepts."""

from __future__ import annotations

from typing import Any

import pytest

from carob import InputError, Mention, score
from tests.carob.formats._files import of_bytes

HEAD = "7|t|😀 Ann slept\n7|a|Rome is far\n"


def read(text: str, **options: Any) -> Any:
    return of_bytes(text.encode(), "pubtator", **options)


def found(text: str, **options: Any) -> list[tuple[str, int | None, str]]:
    with pytest.raises(InputError) as caught:
        read(text, **options)
    return [(each.code, each.line, each.found) for each in caught.value.problems]


def test_offsets_count_title_and_abstract() -> None:
    (document,) = read(HEAD + "7\t2\t5\tAnn\tPER\tP1\n7\t12\t16\tRome\tLOC\n\n")
    assert "😀 Ann slept Rome is far" == document.text
    person = Mention("PER", 2, 5, (), {"concept": "P1"}, id="T1")
    assert (person, Mention("LOC", 12, 16, id="T2")) == document.mentions


def test_utf16_units_are_noticed_and_read_on_request() -> None:
    text = HEAD + "7\t3\t6\tAnn\tPER\tP1\n7\t13\t17\tRome\tLOC\tL1\n"
    ((code, line, message),) = found(text)
    assert ("K234", 1) == (code, line) and message.startswith("2 of 2 mentions with other words")
    mentions = read(text, offsets="utf16")[0].mentions
    assert [(2, 5), (12, 16)] == [(m.start, m.end) for m in mentions]


def test_relations_join_the_first_mentions_of_two_concepts_and_concepts_are_clusters() -> None:
    rows = ["2\t5\tAnn\tPER\tP1", "12\t16\tRome\tLOC\tL1|L2", "12\t16\tRome\tLOC\t-"]
    rows += ["2\t5\tAnn\tHUMAN\tP1"]
    rows += ["lives-in\tP1\tL2", "lives-in\tP1\tL2\tNovel", "lives-in\tP1\tX9"]
    corpus = read(HEAD + "".join(f"7\t{row}\n" for row in rows))
    first, second = corpus[0].relations
    assert ("lives-in", (("from", "T1"), ("to", "T2"))) == (first.label, first.members)
    assert first.members == second.members
    assert [(("", "T1"), ("", "T4"))] == [each.members for each in corpus[0].clusters]
    assert 1 == corpus.facts["unlabelled_relations"]


def test_documents_need_no_blank_line_between_them() -> None:
    corpus = read("1|t|Ann\n1|a|x\n2|t|Bo\n2|a|y\n2\t0\t2\tBo\tPER\n3|a|only an abstract\n")
    assert ["1", "2", "3"] == [each.id for each in corpus]
    assert ["Ann x", "Bo y", "only an abstract"] == [each.text for each in corpus]


def test_what_is_wrong_is_named_with_its_line() -> None:
    assert [("K242", 1, "an annotation of '7'")] == found("7\t2\t5\tAnn\tPER\n")[:1]
    assert [("K242", 3, "an annotation of '8'")] == found(HEAD + "8\t2\t5\tAnn\tPER\n")
    assert [("K242", 3, "'hello'")] == found(HEAD + "hello\n")
    assert [("K233", 3, "the id '7', also on line 1")] == found(HEAD + HEAD)
    assert "K232" == found(HEAD + "7\t2\t99\tAnn\tPER\n")[0][0]
    assert "'7\\tx\\t5\\tAnn\\tPER\\tP1'" == found(HEAD + "7\tx\t5\tAnn\tPER\tP1\n")[0][2]


def test_bytes_that_are_no_text_are_named() -> None:
    with pytest.raises(InputError, match=r"K231 found .*expected UTF-8"):
        of_bytes(b"7|t|\xff\n", "pubtator")


def test_any_mention_may_stand_for_its_concept() -> None:
    head = "7|t|Aspirin and pain\n7|a|Aspirin helps\n"
    first, second = "7\t0\t7\tAspirin\tC\tD1\n", "7\t17\t24\tAspirin\tC\tD1\n"
    rest = "7\t12\t16\tpain\tD\tD2\n7\tCID\tD1\tD2\n"
    gold, system = read(head + first + second + rest), read(head + second + rest)
    assert 0.0 == score(gold, system, "relations.F1", resamples=0).value
    assert 1.0 == score(gold, system, "relations(coref=gold).F1", resamples=0).value
