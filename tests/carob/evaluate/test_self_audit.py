"""The self-audit passes on an ordinary evaluation, and each of its checks fails on a file that is
made for it.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carob
from carob import Corpus, Document, Mention, UsageError
from carob.cli import main
from carob.result.self_audit import SelfAudit
from carob.values.column import Column

WORDS = ("Ann", "Lee", "visited", "Rome", "and", "Oslo", ".", "It", "rained", "again")


def document(*mentions: Mention, id: str = "d") -> Document:
    return Document(id, None, WORDS, mentions)


def audited(gold: Any, system: Any, *recipes: str, **options: Any) -> dict[str, list[str]]:
    """By the name of each check its verdicts: of gold, if there is one, then of the system."""
    audit = carob.score(gold, system, recipes or None, audit=True, resamples=0, **options).audit
    assert audit is not None
    found: dict[str, list[str]] = {}
    for each in audit:
        found.setdefault(each.name, []).append(each.verdict)
    return found


def text(gold: Any, system: Any, name: str, *recipes: str) -> str:
    audit = carob.score(gold, system, recipes or None, audit=True, resamples=0).audit
    assert audit is not None
    return [each.text for each in audit if each.name == name][-1]


PLAIN = Corpus.of(document(Mention("PER", 0, 2), Mention("LOC", 3, 4)))
SHORT = Corpus.of(document(Mention("PER", 0, 1), Mention("LOC", 3, 4)))


def test_an_ordinary_evaluation_passes() -> None:
    audit = carob.score(PLAIN, SHORT, audit=True, resamples=0).audit
    assert audit is not None and audit.passed
    assert audit.summary == "14 checks: 14 ok"
    assert carob.score(PLAIN, SHORT, resamples=0).audit is None


def test_gold_against_itself_is_not_perfect_if_some_of_it_is_invisible(tmp_path: Path) -> None:
    (tmp_path / "invisible.tsv").write_text("d\t3\t4\n")
    recipe = f'nugget(invisible="{tmp_path}/invisible.tsv").F1'
    assert audited(PLAIN, SHORT, recipe)["gold against itself"] == ["wrong"]
    assert "finds 1 of 2 right" in text(PLAIN, SHORT, "gold against itself", recipe)
    assert audited(PLAIN, SHORT, "nugget.F1")["gold against itself"] == ["ok"]


def test_gold_against_itself_is_checked_for_records_and_templates(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def gold_of(*recipes: str) -> str:
        return text(gold, gold, "gold against itself", *recipes)

    gold = Corpus.of({"templates": [{"slots": {"n": [5], "at": ["2024"]}}]})
    assert "perfect under 2 event spaces" == gold_of("fields.F1", "fields.ERR", "record.exact")
    # A comparison of values that is broken would show.
    with monkeypatch.context() as broken:
        broken.setattr(Column, "outcomes", lambda self, gold, system: np.zeros(len(gold), np.int8))
        assert "not perfect: fields finds 0 of 2 right" == gold_of("fields.F1")
    gold = Corpus.of({"templates": [{"slots": {"who": ["Ann", "Bo"]}}]})
    assert "perfect under 2 event spaces" == gold_of("oads.F1", "templates.F1")


def test_a_recipe_that_depends_on_the_order_of_the_file_is_found() -> None:
    # Each answer overlaps two gold mentions equally: the one that comes first in the file is taken.
    gold = [
        {"id": f"d{i}", "tokens": list(WORDS), "mentions": [
            {"start": 2, "end": 4, "label": "A"}, {"start": 0, "end": 2, "label": "A"}]}
        for i in range(8)
    ]  # fmt: skip
    system = [
        {"id": f"d{i}", "tokens": list(WORDS), "mentions": [
            {"start": 1, "end": 3, "label": "A"}, {"start": 3, "end": 5, "label": "A"}]}
        for i in range(8)
    ]  # fmt: skip
    sides = Corpus.of(*gold), Corpus.of(*system)
    assert audited(*sides, "nugget(order=file).F1")["order"] == ["wrong"]
    assert "nugget(order=file).F1 changes by +" in text(*sides, "order", "nugget(order=file).F1")
    assert audited(*sides, "nugget.F1", "exact.F1")["order"] == ["ok"]


def test_a_score_that_depends_on_the_names_of_labels_is_found() -> None:
    # Two answers at the same place, both with a wrong label: which comes first depends on its name.
    gold = Corpus.of(document(Mention("A", 0, 1), Mention("B", 1, 2), Mention("B", 2, 3)))
    system = Corpus.of(document(
        Mention("B", 0, 1), Mention("C", 0, 1), Mention("B", 1, 2), Mention("B", 2, 3)
    ))  # fmt: skip
    assert audited(gold, system, "fair.F1@macro")["names of labels"] == ["wrong"]
    assert audited(gold, system, "exact.F1@macro")["names of labels"] == ["ok"]
    assert audited(gold, system, "exact.F1@label:A")["names of labels"] == ["skipped"]


def test_mentions_that_are_given_twice_are_counted() -> None:
    twice = Corpus.of(document(Mention("PER", 0, 2), Mention("PER", 0, 2), Mention("LOC", 3, 4)))
    assert audited(twice, PLAIN)["duplicates"] == ["look", "ok"]
    assert audited(PLAIN, twice)["duplicates"] == ["ok", "look"]
    assert text(PLAIN, twice, "duplicates") == "1 mention given twice"


TAGS = "a B-A\nb I-A\nc O\nd O\ne O\nf O\n\n"


@pytest.mark.parametrize(
    ("gold", "system", "sign"),
    [
        ("system.conll", "gold.conll", "the system's file is called gold.conll"),
        ("predictions.conll", "run-1.conll", "gold's file is called predictions.conll"),
    ],
)
def test_names_of_files_tell_that_sides_are_exchanged(
    tmp_path: Path, gold: str, system: str, sign: str
) -> None:
    for name in (gold, system):
        (tmp_path / name).write_text(TAGS)
    assert audited(tmp_path / gold, tmp_path / system)["sides"] == ["look"]
    assert sign in text(tmp_path / gold, tmp_path / system, "sides")
    assert audited(tmp_path / system, tmp_path / gold)["sides"] == ["ok"] or "run-1" in system


def test_invalid_tags_and_confidences_of_gold_alone_tell_it_too(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text(TAGS + "g B-A\nh O\ni I-A\n")
    (tmp_path / "b.conll").write_text(TAGS + "g B-A\nh O\ni B-A\n")
    found = text(tmp_path / "a.conll", tmp_path / "b.conll", "sides")
    assert "gold has 1 invalid sequence of tags, the system none" in found
    assert audited(tmp_path / "b.conll", tmp_path / "a.conll")["sides"] == ["ok"]
    sure = Corpus.of(document(Mention("PER", 0, 2, confidence=0.5)))
    assert "gold has confidences" in text(sure, PLAIN, "sides")


def test_a_column_of_words_is_not_one_of_labels(tmp_path: Path) -> None:
    words = "".join(f"word{i} O\n" for i in range(12))
    (tmp_path / "a.conll").write_text(words)
    options = {"format": "conll", "tag": 0, "scheme": "io"}
    found = audited(
        tmp_path / "a.conll", tmp_path / "a.conll", "exact.F1", gold_options=options,
        system_options=options,
    )  # fmt: skip
    assert found["columns"] == ["look", "look"]


def test_a_column_of_tags_is_not_one_of_words(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text("".join(f"O word{i} B-A\n" for i in range(12)))
    assert audited(tmp_path / "a.conll", tmp_path / "a.conll")["columns"] == ["look", "look"]
    good = {"token": 1}
    found = audited(
        tmp_path / "a.conll", tmp_path / "a.conll", gold_options=good, system_options=good
    )
    assert found["columns"] == ["ok", "ok"]


@pytest.mark.parametrize(
    ("mentions", "why"),
    [
        ([], "a side marks nothing"),
        ([Mention("PER", 0, 9), Mention("LOC", 9, 10)], "more than half of a side is marked"),
    ],
)
def test_the_share_of_marked_text_must_be_plausible(mentions: list[Mention], why: str) -> None:
    system = Corpus.of(document(*mentions))
    assert audited(PLAIN, system)["marked text"] == ["look"]
    assert why in text(PLAIN, system, "marked text")


def test_one_side_must_not_mark_many_times_as_much() -> None:
    empty = [document(id=f"e{i}") for i in range(9)]
    full = [document(Mention("PER", 0, 2), Mention("LOC", 3, 4), id=f"e{i}") for i in range(9)]
    gold = Corpus.of(document(Mention("PER", 0, 2), Mention("LOC", 3, 4)), *full)
    system = Corpus.of(document(Mention("PER", 0, 2), Mention("LOC", 3, 4)), *empty)
    assert "more than 5 times as much" in text(gold, system, "marked text")


def test_marked_text_is_counted_once_where_mentions_overlap() -> None:
    nested = Corpus.of(document(Mention("PER", 0, 2), Mention("LOC", 0, 2)))
    assert text(nested, nested, "marked text") == ("20.0 % of tokens in gold, 20.0 % in the system")
    spans = [[("PER", 0, 2)]]
    assert audited(spans, spans, "exact.F1")["marked text"] == ["skipped"]


def test_labels_of_one_side_are_listed() -> None:
    system = Corpus.of(document(Mention("PERSON", 0, 2), Mention("LOC", 3, 4)))
    assert audited(PLAIN, system)["labels"] == ["look"]
    assert text(PLAIN, system, "labels") == (
        "only in gold: PER (1); only in the system: PERSON (1)"
    )


def test_templates_and_characters_can_be_audited() -> None:
    filled = Corpus.of({"templates": [{"slots": {"who": ["Ann"]}}]})
    assert audited(filled, filled, "oas.F1")["gold against itself"] == ["ok"]
    linked = Corpus.of("[Ann]PER met [Bo]PER")
    assert audited(linked, linked, "relations.F1")["gold against itself"] == ["skipped"]
    chars = Corpus.of({"text": "Ann Lee", "mentions": [{"start": 0, "end": 5, "label": "P"}]})
    assert audited(chars, chars)["order"] == ["ok"]


def test_the_command_prints_it_as_text_and_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("gold", "system"):
        (tmp_path / f"{name}.conll").write_text(TAGS)
    call = ["score", f"{tmp_path}/gold.conll", f"{tmp_path}/system.conll", "-m", "exact.F1",
            "--resamples", "0", "--quiet"]  # fmt: skip
    assert main([*call, "--audit"]) == 0
    assert "  ok       gold against itself: perfect under 1 event space" in capsys.readouterr().out
    assert main([*call, "--audit", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["audit"]["passed"] is True
    assert main([*call, "--format", "json"]) == 0
    assert "audit" not in json.loads(capsys.readouterr().out)


def test_a_report_has_it_in_its_footer() -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    page = carob.report(PLAIN, {"short": SHORT}, resamples=0).to("html")
    footer = page[page.index("<footer>") :]
    assert "<summary>Audit: 14 checks: 14 ok</summary>" in footer
    assert "gold against itself: perfect under" in footer


def test_it_converts_as_results_do() -> None:
    audit = carob.score(PLAIN, SHORT, audit=True, resamples=0).audit
    assert isinstance(audit, SelfAudit)
    assert [row["name"] for row in audit.rows()][:2] == ["gold against itself", "duplicates"]
    assert str(audit).startswith("audit: 14 checks: 14 ok\nok       gold against itself")
    with pytest.raises(UsageError):
        carob.score(PLAIN, SHORT, audits=True)  # type: ignore[call-arg]


def test_checks_are_rows_of_csv() -> None:
    scores = carob.score(PLAIN, SHORT, "exact.F1", audit=True, resamples=0)
    assert scores.audit is not None
    head, first, *rows = csv.reader(scores.to("csv").splitlines())
    assert ["system", "recipe", "check", "verdict", "text", "signature"] == [
        head[0], head[1], *head[-4:]
    ]  # fmt: skip
    assert ["system", "exact.F1", "", "", ""] == [*first[:2], *first[-4:-1]]
    assert [(each.system, "", each.name, each.verdict, each.text) for each in scores.audit] == [
        (*row[:2], *row[-4:-1]) for row in rows
    ]


def test_marked_text_is_not_asked_of_records() -> None:
    record = {"id": "d", "text": "Ann slept", "templates": [{"slots": {"who": ["Ann"]}}]}
    assert audited(Corpus.of(record), Corpus.of(record), "oas.F1")["marked text"] == ["skipped"]
