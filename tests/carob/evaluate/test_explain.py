"""carob explain: what a tool reads from files and lists of any kind, what each of its rules
touches, and that the parts add up. tests/carob/peers/test_emulations.py compares with the tools.
"""

from __future__ import annotations

import json
import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import carob
from carob import Corpus, registry
from carob.corpus.problems import CarobError, UsageError
from carob.result.explanation import Share, ToolExplanation

ALL = registry.names("peers")


def write(folder: Path, **texts: str) -> list[Path]:
    for name, text in texts.items():
        (folder / f"{name}.conll").write_text(text)
    return [folder / f"{name}.conll" for name in texts]


def shares(tool: ToolExplanation) -> dict[str, Share]:
    return {share.rule: share for share in tool.shares}


def numbers(tool: ToolExplanation) -> dict[str, tuple[float | None, float | None]]:
    return {each.name: (each.ours, each.theirs) for each in tool.numbers}


DOCUMENTS = "-DOCSTART- O\n\nAnn B-PER\nLee I-PER\nslept O\n\nin O\nRome B-LOC\n\n"


def test_an_opening_line_is_a_token_for_conlleval_alone(tmp_path: Path) -> None:
    gold, system = write(tmp_path, gold=DOCUMENTS, system=DOCUMENTS.replace("B-LOC", "O"))
    conlleval, seqeval = carob.explain(gold, system, ["conlleval", "seqeval(mode=default)"]).tools
    assert numbers(conlleval)["accuracy"][1] == 5 / 6
    assert numbers(seqeval)["accuracy"][1] == 4 / 5
    assert shares(conlleval)["-DOCSTART-"].changes["accuracy"] == pytest.approx(5 / 6 - 4 / 5)


def test_an_opening_line_with_a_tag_is_a_mention_for_conlleval(tmp_path: Path) -> None:
    text = DOCUMENTS.replace("-DOCSTART- O", "-DOCSTART- B-PER")
    gold, system = write(tmp_path, gold=text, system=DOCUMENTS)
    share = shares(carob.explain(gold, system, "conlleval").tools[0])["-DOCSTART-"]
    assert (1, 0) == (share.gold, share.system)
    assert [f"{gold}:1: no mention -> [-DOCSTART-]PER"] == [str(each) for each in share.examples]


def test_sentences_of_a_document_are_joined_by_the_scorer_of_hipe(tmp_path: Path) -> None:
    text = "-DOCSTART- O\n\nNew B-LOC\n\nYork I-LOC\n\n"
    gold, system = write(tmp_path, gold=text, system=text.replace("York I-LOC", "York B-LOC"))
    tool = carob.explain(gold, system, "hipe(mode=strict)").tools[0]
    assert (1.0, 0.0) == numbers(tool)["F1"]
    share = shares(tool)["sentences joined"]
    assert [f"{gold}:3: [New]LOC [York]LOC -> [New York]LOC"] == [
        str(e) for e in share.examples[:1]
    ]


def test_labels_with_a_hyphen_and_labels_that_gold_lacks_do_not_count_for_hipe() -> None:
    gold = [["B-work-of-art", "O", "B-LOC"]]
    system = [["B-work-of-art", "B-PER", "B-LOC"]]
    tool = carob.explain(gold, system, "hipe(mode=strict)").tools[0]
    assert numbers(tool)["P"] == (2 / 3, 1.0)
    assert (1, 1) == (shares(tool)["hyphens"].gold, shares(tool)["hyphens"].system)
    assert (0, 1) == (shares(tool)["labels of gold"].gold, shares(tool)["labels of gold"].system)


def test_iob1_is_taken_for_iob2_in_strict_mode() -> None:
    tags = [["I-A", "O", "I-A", "B-A"]]
    tool = carob.explain(tags, tags, "seqeval(mode=strict)").tools[0]
    assert numbers(tool)["R"] == (1.0, 1.0)
    assert (2, 2) == (shares(tool)["scheme"].gold, shares(tool)["scheme"].system)
    named = carob.explain(tags, tags, "seqeval(mode=strict,scheme=IOB1)").tools[0]
    assert (0, 0) == (shares(named)["scheme"].gold, shares(named)["scheme"].system)


def test_a_repair_that_carob_was_asked_for_is_undone() -> None:
    gold, system = [["B-A", "I-A", "O", "B-A"]], [["I-A", "I-A", "O", "B-A"]]
    tool = carob.explain(
        gold, system, "seqeval(mode=default)", system_options={"repair": "discard"}
    ).tools[0]  # fmt: skip
    assert numbers(tool)["R"] == (0.5, 1.0)
    assert shares(tool)["repair"].changes["R"] == 0.5
    assert shares(tool)["repair"].gold == 1, "the gold mention that is found now"


def test_the_first_answer_takes_what_the_second_has_right() -> None:
    gold, system = [["B-A", "I-A", "I-A"]], [["B-B", "B-A", "I-A"]]
    tool = carob.explain(gold, system, "nervaluate(mode=ent_type)").tools[0]
    assert numbers(tool)["R"] == (1.0, 0.0)
    assert shares(tool)["first come"].changes["R"] == -1.0


def test_ends_that_are_exclusive_make_mentions_overlap_that_touch() -> None:
    gold, system = [["B-A", "B-B"]], [["B-A", "O"], ["O"]]
    gold.append(["O"])
    tool = carob.explain(gold, system, "nervaluate(mode=ent_type,ends=exclusive)").tools[0]
    assert numbers(tool)["R"] == (0.5, 0.5)
    swapped = [["B-B", "O"], ["O"]]
    tool = carob.explain(gold, swapped, "nervaluate(mode=ent_type,ends=exclusive)").tools[0]
    assert numbers(tool)["R"] == (0.0, 0.5), "the answer at the first token reaches the second"
    assert shares(tool)["ends"].changes["R"] == 0.5
    with pytest.raises(UsageError, match="ends are inclusive or exclusive"):
        carob.explain(gold, system, "nervaluate(ends=open)")


def test_copies_count_in_faireval_as_often_as_they_are_there() -> None:
    once = [[("A", 0, 1), ("A", 2, 3)]]
    twice = [[("A", 0, 1), ("A", 0, 1)]]
    tool = carob.explain(once, twice, "faireval").tools[0]
    assert numbers(tool)["P"] == (0.5, 1.0)
    assert (0, 1) == (shares(tool)["duplicates"].gold, shares(tool)["duplicates"].system)
    assert carob.explain(once, twice, "spacy").tools[0].refusal == (
        "spaCy reads a tag for each token: these files have no tokens"
    )
    assert "how many tokens" in carob.explain(once, twice, "seqeval").tools[0].refusal


def test_only_the_longest_of_mentions_that_overlap_fits_tags() -> None:
    gold = Corpus.of("[[Bank]ORG of England]ORG rose")
    tool = carob.explain(gold, gold, "seqeval(mode=default)").tools[0]
    share = shares(tool)["one tag a token"]
    assert (1, 1) == (share.gold, share.system)
    assert "[Bank]ORG -> no mention" in str(share.examples[0])


def test_mentions_in_characters_are_moved_to_tokens() -> None:
    def corpus(end: int) -> Corpus:
        return Corpus.of({"text": "Ann Lee", "mentions": [{"start": 0, "end": end, "label": "P"}]})

    tool = carob.explain(corpus(7), corpus(5), "seqeval(mode=default)").tools[0]
    assert numbers(tool)["F1"] == (0.0, 1.0)
    assert shares(tool)["tokens"].changes["F1"] == 1.0
    assert (1, 1) == (shares(tool)["tokens"].gold, shares(tool)["tokens"].system)


def test_of_several_columns_the_first_is_read(tmp_path: Path) -> None:
    text = "Bank B-ORG B-X\nof I-ORG O\n"
    gold, system = write(tmp_path, gold=text, system=text)
    options = {"tag": (1, 2)}
    tool = carob.explain(
        gold, system, "conlleval", gold_options=options, system_options=options
    ).tools[0]  # fmt: skip
    assert (1, 1) == (
        shares(tool)["one tag a token"].gold, shares(tool)["one tag a token"].system
    )  # fmt: skip


def test_one_merged_file_and_a_header_and_comments(tmp_path: Path) -> None:
    text = "TOKEN\tGOLD-NER\tSYS-NER\n# text = a b\na\tB-A\tB-A\nb\tI-A\tO\n"
    (merged,) = write(tmp_path, merged=text)
    tool = carob.explain(
        merged, merged, "conlleval", gold_options={"tag": "GOLD-NER"},
        system_options={"tag": "SYS-NER"},
    ).tools[0]  # fmt: skip
    assert numbers(tool)["accuracy"][1] == 0.5


def test_files_of_different_shape_are_refused_by_tools_that_compare_lines(tmp_path: Path) -> None:
    first, second = "# newdoc id = a\na B-A\nb O\n\n", "# newdoc id = b\nc B-A\n\n"
    gold, system = write(tmp_path, gold=first + second, system=first)
    tool = carob.explain(gold, system, "seqeval").tools[0]
    assert tool.refusal == (
        "seqeval compares line by line: sentence 2 has 1 line in gold and nothing in the system"
    )
    gold, system = write(tmp_path, gold=DOCUMENTS, system=DOCUMENTS.partition("\n\n")[2])
    assert "sentence 1 has 1 line in gold and 3 lines" in (
        carob.explain(gold, system, "conlleval").tools[0].refusal
    )


def test_a_tool_that_refuses_a_tag_names_its_line(tmp_path: Path) -> None:
    gold, system = write(tmp_path, gold="a O\nb S-A\n", system="a O\nb S-A\n")
    found = carob.explain(gold, system, "nervaluate(mode=strict)")
    assert found.tools[0].refusal == (
        "nervaluate refuses the tag 'S-A' in line 2 of gold: it expects a mention to begin with "
        "B- or I-"
    )
    assert (
        found.answer
        == "0 of 0 numbers of 1 tool differ, all explained; 1 tool cannot read these files"
    )
    assert "prints no number" in str(found)


def test_examples_of_texts_show_words_and_the_line_of_the_document(tmp_path: Path) -> None:
    ann = {"id": "a", "text": "Ann Lee visited Rome", "mentions": []}
    other = {"id": "b", "text": "Rome", "mentions": []}
    person = {"label": "PER", "start": 0, "end": 7}
    sides = {
        "gold": [{**ann, "mentions": [person]}, other],
        "system": [other, {**ann, "mentions": [person, person]}],
        "inside": [{**ann, "mentions": [{**person, "end": 5}]}, other],
    }
    for name, documents in sides.items():
        lines = "".join(json.dumps(each) + "\n" for each in documents)
        (tmp_path / f"{name}.jsonl").write_text(lines)
    gold, system, inside = (tmp_path / f"{name}.jsonl" for name in sides)
    share = shares(carob.explain(gold, system, "seqeval(mode=default)").tools[0])["one tag a token"]
    assert [f"{system}:2: [Ann Lee]PER -> no mention"] == list(map(str, share.examples))
    share = shares(carob.explain(gold, inside, "seqeval(mode=default)").tools[0])["tokens"]
    assert f"{inside}:1: [Ann L]PER -> [Ann Lee]PER" == str(share.examples[1])


def test_a_document_that_a_system_without_tags_lacks_has_no_mentions(tmp_path: Path) -> None:
    lines = [json.dumps({"id": name, "tokens": ["Ann"], "mentions": [
        {"label": "PER", "start": 0, "end": 1}
    ]}) for name in "ab"]  # fmt: skip
    (tmp_path / "gold.jsonl").write_text("\n".join(lines))
    (tmp_path / "system.jsonl").write_text(lines[0])
    tool = carob.explain(tmp_path / "gold.jsonl", tmp_path / "system.jsonl", "seqeval").tools[0]
    assert (0.5, 0.5) == numbers(tool)["R"]


@pytest.mark.parametrize(
    ("printed", "left"),
    [("0.667", 0.0), ("66.67", 0.0), ("67", 0.0), ("0.70", 1 / 30), ("1", 1 / 3), ("0", -2 / 3)],
)
def test_a_number_that_someone_saw_is_compared_with_the_emulation(
    printed: str, left: float
) -> None:
    gold, system = [["B-A", "O", "B-B"]], [["B-A", "O", "O"]]
    found = carob.explain(gold, system, f"seqeval(mode=default)={printed}")
    assert found.tools[0].unexplained["F1"] == pytest.approx(left)
    assert found.complete == (not left)


def test_digits_are_as_many_as_it_takes_to_see_a_difference() -> None:
    gold, system = [["B-A", "O", "B-B"]], [["B-A", "O", "O"]]
    lines = str(carob.explain(gold, system, "seqeval(mode=default)=66.6700")).splitlines()
    columns = {line.split("  ")[0]: line.split() for line in lines if line.strip()}
    assert "+0.000033" == columns["unexplained"][3]
    assert "0.666667" == columns["seqeval(mode=default)"][3]
    assert ["printed", "0.666700"] == columns["printed"]


@pytest.mark.parametrize(
    ("gold", "system", "like", "message"),
    [
        ([], [], None, "both lists are empty: give at least one document of gold and of a system"),
        ([["O"]], {"a": [["O"]]}, None,
         "explain takes one system, found a mapping: give one of its values"),
        ([["O"]], [[["O"]]] * 2, None,
         "explain takes one system, found a list of 2: give one of them"),
        ([["O"]], ["a.conll"], None,
         "explain takes one system, found a list of 1: give one of them"),
        ([["O"]], [["O"]], {"spacy": 50},
         "like is a text or a list of texts, with a number as in 'conlleval=84.31'"),
    ],
)  # fmt: skip
def test_several_systems_and_mappings_are_refused(
    gold: Any, system: Any, like: Any, message: str
) -> None:
    with pytest.raises(UsageError) as error:
        carob.explain(gold, system, like)
    assert message == str(error.value)
    if like is None:
        with pytest.raises(UsageError) as error:
            carob.errors(gold, system)
        assert message.replace("explain", "errors") == str(error.value)


@pytest.mark.parametrize(
    ("like", "message"),
    [
        (
            "conlleval=101",
            "found --like conlleval=101, expected a number from 0 to 1, or up to 100",
        ),
        ("seqevall", "no tool is called 'seqevall'; did you mean seqeval?"),
        ("seqeval(mode=lax)", "seqeval has no mode 'lax'; it has: default, strict"),
        (
            "seqeval(mode=strict,scheme=IOB)",
            "no scheme of seqeval is called 'IOB'; there are: IOB1",
        ),
        ("seqeval=84", "expected the mode of the number: seqeval(mode=default)=84"),
        ("conlleval(script=c)", "the script of conlleval is perl or python, not 'c'"),
        ("seqeval(a=1)", "seqeval has no parameter 'a'"),
        ("=3", "expected a tool, like seqeval or seqeval=84.31"),
    ],
)
def test_what_cannot_be_asked_for_is_said(like: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        carob.explain([["O"]], [["O"]], like)
    assert message in str(error.value)


@pytest.mark.parametrize("seed", range(12))
def test_the_parts_add_up_for_files_with_everything(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)

    def text() -> str:
        lines = []
        for _ in range(rng.randint(1, 3)):
            lines.append("-DOCSTART- -X- O\n")
            for _ in range(rng.randint(1, 3)):
                lines += [f"w{i} x {rng.choice(['O', 'B-A', 'I-A', 'B-B', 'I-B'])}"
                          for i in range(rng.randint(1, 4))]  # fmt: skip
                lines.append("")
        return "\n".join(lines)

    first = text()
    second = "\n".join(
        line if rng.random() < 0.7 or not line.startswith("w") else f"{line.split()[0]} x B-A"
        for line in first.split("\n")
    )
    gold, system = write(tmp_path, gold=first, system=second)
    for found in carob.explain(gold, system):
        assert not found.refusal or found.tool == "seqeval(mode=strict)"
        for each in found.numbers:
            made = sum(share.changes[each.name] for share in found.shares)
            assert made == pytest.approx(each.difference, abs=1e-12)
        assert not any(found.unexplained.values())


def test_empty_against_empty_has_no_value_in_carob_and_zero_elsewhere() -> None:
    for tool in carob.explain([["O", "O"]], [["O", "O"]], ["seqeval(mode=default)", "faireval"]):
        assert numbers(tool)["P"] == (None, 0.0)
    spacy = carob.explain([["O"]], [["O"]], "spacy").tools[0]
    assert numbers(spacy)["ents_f"] == (None, None)


def test_a_result_converts_as_all_do() -> None:
    found = carob.explain([["B-A", "I-A"]], [["I-A", "I-A"]])
    content = json.loads(found.to_json())
    assert [each["tool"] for each in content["tools"]] == [each.tool for each in found]
    first = [row for row in found.rows() if row["tool"] == "seqeval(mode=strict)"
             and row["number"] == "F1"]  # fmt: skip
    assert first[0] == {"tool": "seqeval(mode=strict)", "number": "F1", "recipe": "exact.F1",
                        "rule": "carob", "gold": None, "system": None, "value": 1.0,
                        "change": None}  # fmt: skip
    assert sum(row["change"] or 0.0 for row in first) == -1.0
    assert "more lines; print() shows all" in repr(found)
    for report in ("markdown", "latex", "csv", "html"):
        assert "dropped" in found.to(report)


@pytest.mark.parametrize("tool", ALL)
def test_no_input_of_tags_makes_an_explanation_fail(tool: str) -> None:
    """Tags without prefix, of one letter, stacked, with odd labels; documents without any."""
    for tags in (
        [["PER", "PER", "O"]], [["_", "B-A"]], [["B-A|B-B", "I-A|O"]], [["B-0"]], [["B-a-b"]],
        [["B-|"]], [["I-é", "I-é"]], [[], ["B-A"]], [["O"], []],
    ):  # fmt: skip
        with suppress(CarobError):  # carob itself refuses some of them
            for each in carob.explain(tags, [["O"] * len(each) for each in tags], tool):
                assert each.refusal or not any(each.unexplained.values())
