"""Many submissions, some empty or wrong: all problems are reported, or the rest is scored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import carob
from carob import Corpus, InputError, UsageError, check, compare, robust, score, verify
from carob.cli import main

GOLD = "Ann B-PER\nslept O\n\nBo B-PER\nwoke O\n\n" * 5


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    texts = {
        "gold": GOLD, "good": GOLD, "half": GOLD.replace("Bo B-PER", "Bo O"),
        "columns": "Ann B-PER\nslept\n", "words": GOLD.replace("woke", "rose"), "empty": "\n",
        "short": "Ann B-PER\nslept O\n", "long": GOLD + "Cy B-PER\nran O\n",
    }  # fmt: skip
    for name, text in texts.items():
        (tmp_path / f"{name}.conll").write_text(text)
    return {name: tmp_path / f"{name}.conll" for name in [*texts, "nowhere"]}


def test_the_problems_of_all_files_are_reported(files: dict[str, Path]) -> None:
    systems = {name: files[name] for name in ("columns", "good", "words", "nowhere")}
    with pytest.raises(InputError) as caught:
        score(files["gold"], systems, "exact.F1")
    assert [f"{files['columns']}:2: K101", f"{files['words']}:5: K303",
            f"{files['nowhere']}: K001"] == [
        line.partition(" found ")[0] for line in str(caught.value).splitlines()
    ]  # fmt: skip
    assert {"K101", "K303", "K001"} == {problem.code for problem in caught.value.problems}


def test_what_is_wrong_with_gold_is_reported_with_the_rest(files: dict[str, Path]) -> None:
    with pytest.raises(InputError) as caught:
        score(files["columns"], {"good": files["good"], "nowhere": files["nowhere"]}, "exact.F1")
    assert ["K101", "K001"] == [problem.code for problem in caught.value.problems]


@pytest.mark.parametrize("name", ["short", "long"])
def test_the_error_names_the_submission_and_not_gold(files: dict[str, Path], name: str) -> None:
    with pytest.raises(InputError) as caught:
        score(files["gold"], files[name], "exact.F1")
    (problem,) = caught.value.problems
    assert ("K302", str(files[name])) == (problem.code, problem.file)
    assert f"10, as in {files['gold']}" == problem.expected


def test_invalid_systems_can_be_left_out(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = tmp_path / "result.json"
    paths = [str(files[name]) for name in ("gold", "half", "columns", "good", "words")]
    call = ["-m", "exact.F1", "--skip-invalid", "--format", "json", "-o", str(result)]
    assert 0 == main(["score", *paths, *call])
    stored = json.loads(result.read_text())
    assert ["half", "good"] == [system["name"] for system in stored["systems"]]
    assert ["columns", "words"] == [system["name"] for system in stored["set_aside"]]
    first = stored["set_aside"][0]
    assert {"name", "path", "problems", "total"} == set(first)
    assert f"{files['columns']}:2: K101 " in first["problems"][0]
    assert (str(files["columns"]), 1) == (first["path"], first["total"])
    assert "warning: set aside: words: " in capsys.readouterr().err
    assert any(remark.startswith("set aside: columns: ") for remark in stored["remarks"])
    assert [] == verify(result).differences
    assert 0 == main(["compare", *paths, *call])
    assert [] == verify(result).differences
    assert ["columns", "words"] == [
        each["name"] for each in json.loads(result.read_text())["set_aside"]
    ]


def test_scores_are_those_of_the_valid_systems_alone(files: dict[str, Path]) -> None:
    files["words"].write_text(files["words"].read_text().replace("PER", "ODD"))
    systems = {name: files[name] for name in ("half", "words", "good")}
    valid = {name: files[name] for name in ("half", "good")}
    options = {"zero_division": "1", "resamples": 0}
    some = score(files["gold"], systems, "exact.F1@macro", skip_invalid=True, **options)  # type: ignore[arg-type]
    rest = score(files["gold"], valid, "exact.F1@macro", **options)  # type: ignore[arg-type]
    assert [each.to_dict() for each in rest] == [each.to_dict() for each in some]


def test_corpora_that_do_not_fit_are_left_out_too() -> None:
    gold = Corpus.of("[Ann]PER slept", "[Bo]PER woke")
    chars = Corpus.of({"unit": "char", "mentions": [{"start": 0, "end": 3, "label": "PER"}]})
    result = score(gold, {"a": gold, "b": chars}, "exact.F1", skip_invalid=True)
    (aside,) = result.set_aside
    assert "b: b: K308 found one side counts tokens" in str(aside)
    with pytest.raises(InputError, match="b: K308 found one side counts tokens"):
        score(gold, {"a": gold, "b": chars}, "exact.F1")
    with pytest.raises(UsageError, match="one side counts tokens"):
        score(gold, chars, "exact.F1")


def test_errors_and_robust_leave_them_out_too(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    some = [str(files[name]) for name in ("gold", "half", "columns", "good", "words")]
    assert 1 == main(["robust", *some])
    assert 0 == main(["robust", *some, "--skip-invalid", "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    assert ["half", "good"] == [system["name"] for system in found["systems"]]
    aside = [remark for remark in found["remarks"] if remark.startswith("set aside: ")]
    assert ["columns", "words"] == [remark.split(": ")[1] for remark in aside]
    for wrong in ("columns", "words"):
        pair = [str(files[name]) for name in ("gold", "half", wrong)]
        assert 1 == main(["errors", *pair])
        capsys.readouterr()
        assert 0 == main(["errors", *pair, "--skip-invalid", "--format", "json"])
        found = json.loads(capsys.readouterr().out)
        assert any(remark.startswith(f"set aside: {wrong}: ") for remark in found["remarks"])
        assert 1 == main(["power", *pair, "--skip-invalid"])
        assert "fewer than two systems are left to compare" in capsys.readouterr().err
        with pytest.raises(UsageError, match="fewer than two systems are left to rank"):
            robust(files["gold"], {"a": files[wrong], "b": files["good"]}, skip_invalid=True)


def test_where_too_few_are_left_it_is_an_error(files: dict[str, Path]) -> None:
    with pytest.raises(InputError, match="K101"):
        score(files["gold"], {"a": files["columns"]}, "exact.F1", skip_invalid=True)
    with pytest.raises(
        UsageError, match="fewer than two systems are left to compare\nset aside: a: "
    ):
        compare(files["gold"], {"a": files["columns"], "b": files["good"]}, skip_invalid=True)


# --- empty answers ---

GOLDS = {
    "conll": b"Ann B-PER\nslept O\n",
    "jsonl": b'{"tokens": ["Ann"], "mentions": [{"start": 0, "end": 1, "label": "PER"}]}\n',
    "spans": b"A\t1\t1\t1\n\nB\t1\t1\t1\n",
    "tbf": b"#BeginOfDocument d\ns\td\tE1\t1,2\tx\tL\tA\n#EndOfDocument\n",
    "records": b'{"who": "Ann"}\n{"who": "Bo"}\n',
    "muc": b'0. MESSAGE: ID   d\n1. MESSAGE: TEMPLATE   1\n2. A    "x"\n',
    "inline": b"<speaker>Ann</speaker> talks",
    "brat": b"T1\tPER 0 3\tAnn\n",
    "huggingface": b'{"tokens": ["Ann"], "ner_tags": ["B-PER"]}\n',
    "pipeline": b'[{"entity_group": "PER", "start": 0, "end": 3}]\n',
    "spacy": b'[["Ann", {"entities": [[0, 3, "PER"]]}]]\n',
    "labelstudio": b'[{"data": {"text": "Ann"}, "annotations": [{"result": [{"type": "labels", '
    b'"value": {"start": 0, "end": 3, "labels": ["PER"]}}]}]}]\n',
    "entities": b'{"entities": [{"text": "Ann", "type": "PER"}]}\n',
    "triples": b'{"triples": [{"head": "Ann", "type": "MET", "tail": "Bo"}]}\n',
    "docred": b'[{"title": "d", "sents": [["Ann"]], "vertexSet": [[{"sent_id": 0, "pos": [0, 1], '
    b'"type": "PER"}]], "labels": []}]\n',
    "conllu": b"1\tAnn\t_\t_\t_\t_\t_\t_\t_\tNER=B-PER\n",
    "doccano": b'{"text": "Ann", "label": [[0, 3, "PER"]]}\n',
    "prodigy": b'{"text": "Ann", "spans": [{"start": 0, "end": 3, "label": "PER"}]}\n',
    "csv": b"doc,start,end,label\nd1,0,3,PER\n",
    "gliner": b'{"tokenized_text": ["Ann"], "ner": [[0, 0, "PER"]]}\n',
    "langextract": b'{"text": "Ann", "extractions": [{"extraction_class": "PER", '
    b'"char_interval": {"start_pos": 0, "end_pos": 3}}]}\n',
    "pubtator": b"1|t|Ann\n1|a|\n1\t0\t3\tAnn\tPER\n",
    "bioc": b'{"documents": [{"id": "1", "passages": [{"offset": 0, "text": "Ann", "annotations": '
    b'[{"infons": {"type": "PER"}, "locations": [{"offset": 0, "length": 3}]}]}]}]}\n',
    "webanno": b"#FORMAT=WebAnno TSV 3.3\n#T_SP=a.B|label\n\n\n#Text=Ann\n1-1\t0-3\tAnn\tPER\t\n",
    "cas": b'{"%FEATURE_STRUCTURES": [{"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaString": "Ann"}, '
    b'{"%ID": 2, "%TYPE": "a.B", "@sofa": 1, "begin": 0, "end": 3, "label": "PER"}]}\n',
}


def test_every_format_is_tried() -> None:
    signs = carob.registry.signs("formats")
    text = {name for name in carob.registry.builtin("formats") if signs.get(name) != "binary"}
    assert text == set(GOLDS)


@pytest.mark.parametrize("format", GOLDS)
@pytest.mark.parametrize("content", [b"", b"\n \r\n"], ids=["nothing", "blanks"])
@pytest.mark.parametrize("named", [False, True], ids=["detected", "named"])
def test_an_empty_file_is_an_empty_answer(
    format: str, content: bytes, named: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold, system = tmp_path / f"gold.{format}", tmp_path / "system"
    if format == "brat":
        gold = tmp_path / "gold.ann"
        (tmp_path / "gold.txt").write_text("Ann slept")
    gold.write_bytes(GOLDS[format])
    system.write_bytes(content)
    space = "oads" if format in ("records", "muc", "entities", "triples") else "exact"
    result = tmp_path / "result.json"
    options = ["--system-format", format] if named else []
    call = ["score", str(gold), str(system), "-m", f"{space}.PRF", "--format", "json"]
    assert 0 == main([*call, "-o", str(result), *options])
    assert "warning: system IS EMPTY: " in capsys.readouterr().err
    stored = json.loads(result.read_text())
    values = [score["value"] for score in stored["systems"][0]["scores"]]
    assert [0.0, 0.0, 0.0] == values
    assert any("IS EMPTY" in remark for remark in stored["remarks"])
    assert [] == verify(result).differences
    found = check(system, gold)
    assert ["K002", "K313"] == [problem.code for problem in found.problems if problem.warning][:2]
    assert 0 == found.errors


def test_an_empty_folder_is_an_empty_answer(tmp_path: Path) -> None:
    (tmp_path / "gold").mkdir()
    (tmp_path / "gold" / "a.txt").write_text("Ann slept")
    (tmp_path / "gold" / "a.ann").write_text("T1\tPER 0 3\tAnn\n")
    (tmp_path / "system").mkdir()
    assert 0 == score(tmp_path / "gold", tmp_path / "system", "exact.R").value
    # A text without a mention is an answer, and no empty file.
    (tmp_path / "system" / "a.txt").write_text("Ann slept")
    (tmp_path / "system" / "a.ann").write_text("")
    result = score(tmp_path / "gold", tmp_path / "system", "exact.R")
    assert (0, ()) == (result.value, result.systems[0].warnings)


@pytest.mark.parametrize("format", ["conll", None])
def test_gold_cannot_be_empty(files: dict[str, Path], format: str | None) -> None:
    options = {} if format is None else {"format": format}
    with pytest.raises(InputError, match="K002 found an empty file"):
        score(files["empty"], files["good"], "exact.F1", gold_options=options)
    with pytest.raises(InputError, match="K002 found an empty file"):
        carob.read(files["empty"], format)
    assert 1 == check(files["empty"]).errors
