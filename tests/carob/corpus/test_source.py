"""A source is a file or a folder; the hash of a folder is over sorted names and contents."""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO

import pytest

import carob
from carob.cli import main
from carob.corpus import source as source_module
from carob.corpus.corpus import fact_remarks
from carob.corpus.problems import InputError
from carob.corpus.source import Source, ending
from carob.evaluate.read import sniffed
from carob.evaluate.verify import verify

CONLL = b"Ann B-PER\nslept O\n\n"
JSONL = b'{"id": "d1", "tokens": ["Ann"], "mentions": [{"start": 0, "end": 1, "label": "PER"}]}\n'


def filled(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def message(folder: Path, **parameters: str) -> str:
    with pytest.raises(InputError) as error:
        carob.read(folder, **parameters)
    return str(error.value).replace(str(folder), "F")


def test_files_come_sorted_by_their_names_within_the_folder(tmp_path: Path) -> None:
    source = Source(filled(tmp_path, {"b": b"2", "a/z": b"3", "a.x": b"1", "a/b/c": b"4"}))
    assert source.is_folder
    assert list(source.files) == ["a.x", "a/b/c", "a/z", "b"]
    assert [file.inside for file in source.files.values()] == ["a.x", "a/b/c", "a/z", "b"]
    assert source.files["a/b/c"].head() == b"4"
    assert str(tmp_path / "a/b/c") == source.files["a/b/c"].name


def test_a_file_is_its_own_only_file(tmp_path: Path) -> None:
    file = filled(tmp_path, {"x.conll": CONLL}) / "x.conll"
    source = Source(file)
    assert not source.is_folder
    assert {"x.conll": source} == dict(source.files)
    assert source.inside is None
    assert hashlib.sha256(CONLL).hexdigest() == source.sha256


@pytest.mark.parametrize("name", ["x.ann", "x.txt"])
def test_a_pair_is_known_by_either_name(tmp_path: Path, name: str) -> None:
    filled(tmp_path, {"x.txt": b"Ann", "x.ann": b"", "y.ann": b""})
    source = Source(tmp_path / name)
    assert list(source.files) == ["x.ann", "x.txt"]
    assert Source.of_files({"x.txt": b"Ann", "x.ann": b""}).sha256 == source.sha256
    assert list(Source(tmp_path / "y.ann").files) == ["y.ann"]


def test_the_hash_of_a_folder_is_over_sorted_names_and_contents(tmp_path: Path) -> None:
    files = {"b.txt": b"2", "a/é.txt": b"1"}
    one, two = (hashlib.sha256(data).hexdigest() for data in (b"1", b"2"))
    listed = f"{one}  a/é.txt\0{two}  b.txt\0".encode()
    assert hashlib.sha256(listed).hexdigest() == Source(filled(tmp_path, files)).sha256
    assert Source(tmp_path).sha256 == Source.of_files(files).sha256


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="no sha256sum")
def test_the_hash_of_a_folder_can_be_had_from_a_shell(tmp_path: Path) -> None:
    filled(tmp_path, {"b.txt": b"2", "a/x\ny.txt": b"1", "c": b""})
    command = (
        "find . -type f -printf '%P\\0' | LC_ALL=C sort -z | xargs -0 sha256sum -z | sha256sum"
    )
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, check=True)
    assert Source(tmp_path).sha256 == done.stdout.split()[0].decode()


def test_every_change_of_a_folder_changes_its_hash(tmp_path: Path) -> None:
    folders: list[dict[str, bytes]] = [
        {}, {"a": b""}, {"b": b""}, {"a": b"x"}, {"a": b"", "b": b""}, {"a": b"", "b": b"x"},
        {"a": b"x", "b": b""}, {"ab": b""}, {"a/b": b""},
    ]  # fmt: skip
    assert len(folders) == len({Source.of_files(files).sha256 for files in folders})


def test_a_gz_file_is_what_is_in_it_also_in_a_folder(tmp_path: Path) -> None:
    filled(tmp_path, {"a.conll.gz": gzip.compress(CONLL), "b.conll": CONLL})
    packed = Source(tmp_path).files["a.conll.gz"]
    assert packed.head() == CONLL
    assert hashlib.sha256(CONLL).hexdigest() == packed.sha256
    assert len(carob.read(tmp_path)) == 2


def test_hidden_files_and_folders_are_left_out_and_counted(tmp_path: Path) -> None:
    files = {".DS_Store": b"\0", ".git/config": b"", "a.conll": CONLL, "s/.x": b""}
    source = Source(filled(tmp_path, files))
    assert list(source.files) == ["a.conll"]
    assert source.hidden == 3
    assert carob.read(source).facts["hidden_files"] == 3


def test_links_are_followed_but_not_in_circles(tmp_path: Path) -> None:
    filled(tmp_path, {"one/a.conll": CONLL, "other/b.conll": CONLL})
    (tmp_path / "one" / "more").symlink_to(tmp_path / "other")
    assert list(Source(tmp_path / "one").files) == ["a.conll", "more/b.conll"]
    (tmp_path / "other" / "back").symlink_to(tmp_path / "one")
    with pytest.raises(InputError) as error:
        _ = Source(tmp_path / "one").files
    place = tmp_path / "one" / "more" / "back"
    expected = f"{place}: K001 found a link to a folder around it, expected "
    assert f"{expected}files and folders to read" == str(error.value)


def test_what_is_neither_file_nor_folder_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert message(tmp_path) == (
        "F/pipe: K001 found neither a file nor a folder, expected files and folders to read"
    )


def test_a_folder_cannot_be_read_as_a_file(tmp_path: Path) -> None:
    for source in (Source(tmp_path), Source.of_files({}, str(tmp_path))):
        with pytest.raises(InputError) as error:
            source.head()
        assert f"{tmp_path}: K001 found a folder, expected a file to read" == str(error.value)


@pytest.mark.parametrize("name", ["x\0y", "x" * 5000, "nowhere/x.txt"])
def test_a_name_that_cannot_be_is_an_error_of_ours(name: str) -> None:
    with pytest.raises(InputError):
        carob.read(name)


def test_endings_do_not_count_gz() -> None:
    names = ["a.txt", "a.b.txt.gz", "x.d/a", "x.d/.txt", "a.TXT", "a.gz", ""]
    expected = [("a", ".txt"), ("a.b", ".txt"), ("x.d/a", ""), ("x.d/.txt", ""), ("a", ".txt"),
                ("a", ""), ("", "")]  # fmt: skip
    assert expected == [ending(name) for name in names]


def test_documents_of_a_folder_are_those_of_its_files_in_order(tmp_path: Path) -> None:
    filled(tmp_path, {"b.conll": b"Bo B-PER\n\nran O\n", "a.conll": b"Ann S-LOC\nLee O\n"})
    corpus = carob.read(tmp_path)
    assert [document.tokens for document in corpus] == [("Ann", "Lee"), ("Bo",), ("ran",)]
    assert [
        (corpus.labels[label], doc)
        for label, doc in zip(corpus.mentions.label, corpus.mentions.doc, strict=True)
    ] == [("LOC", 0), ("PER", 1)]
    assert corpus.documents.id is None
    assert corpus.library is not None
    assert [corpus.library.line(row, place) for row, place in [(0, 1), (1, 0), (2, 0)]] == [2, 1, 3]
    assert corpus.origin is not None
    assert (corpus.origin.format, corpus.origin.parameters["scheme"]) == ("conll", "auto")


def test_what_all_files_have_in_common_is_said_of_the_folder(tmp_path: Path) -> None:
    corpus = carob.read(filled(tmp_path, {"a": CONLL, "b": CONLL}))
    assert corpus.origin is not None
    assert corpus.origin.parameters["scheme"] == "iob2"


def test_repairs_are_counted_over_all_files(tmp_path: Path) -> None:
    wrong = b"x B-A\ny O\nz I-A\n\nu B-A\n"
    corpus = carob.read(filled(tmp_path, {"a": wrong, "b": wrong, "c": CONLL}), repair="discard")
    assert corpus.facts["discarded"] == 2
    assert len(corpus.mentions) == 5


def test_ids_of_jsonl_files_stay(tmp_path: Path) -> None:
    filled(tmp_path, {"a.jsonl": JSONL, "b.jsonl": JSONL.replace(b"d1", b"d2")})
    assert carob.read(tmp_path).documents.id == ("d1", "d2")


def test_problems_of_all_files_are_collected(tmp_path: Path) -> None:
    filled(tmp_path, {"a.jsonl": b'{"tokens": 1}\n', "b.jsonl": JSONL, "c.jsonl": b"{\n{\n"})
    with pytest.raises(InputError) as error:
        carob.read(tmp_path)
    assert [Path(problem.file).name for problem in error.value.problems] == [
        "a.jsonl",
        "c.jsonl",
        "c.jsonl",
    ]
    assert error.value.total == 3


def test_at_most_a_hundred_problems_are_kept_and_all_counted(tmp_path: Path) -> None:
    filled(tmp_path, {f"{name}.jsonl": b"{\n" * 60 for name in "abc"})
    with pytest.raises(InputError) as error:
        carob.read(tmp_path)
    assert (len(error.value.problems), error.value.total) == (100, 180)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, "F: K002 found an empty folder, expected at least one document"),
        ({"a": b"", "b": b" \n"}, "F: K002 found empty files, expected at least one document"),
        (
            {"a": CONLL, "b": JSONL},
            "F: K007 found jsonl in F/b, conll in F/a, expected files of one format; "
            "say which it is, or keep them apart",
        ),
        ({"a": CONLL, "b": b"\0"}, "F/b: K003 found a binary file, expected a text file in UTF-8"),
        ({"a": CONLL, "b": b""}, "F/b: K002 found an empty file, expected at least one document"),
        (
            {"a": JSONL, "b": JSONL},
            "F/b:1: K008 found the id 'd1', also in F/a, expected an id of its own for each "
            "document",
        ),
        (
            {"a": JSONL, "b": b'{"tokens": []}'},
            "F/b: K008 found documents without ids, expected documents with, as in F/a",
        ),
        (
            {"a": b'{"text": ""}', "b": b'{"tokens": []}', "c": JSONL},
            "F/b: K008 found documents that count tokens, expected chars, as in F/a "
            "(and 1 more like it)",
        ),
    ],
)
def test_files_that_do_not_make_one_corpus_are_refused(
    tmp_path: Path, files: dict[str, bytes], expected: str
) -> None:
    assert expected == message(filled(tmp_path, files))


def test_an_empty_folder_is_refused_also_when_the_format_is_said(tmp_path: Path) -> None:
    expected = "F: K002 found an empty folder, expected at least one document"
    assert expected == message(tmp_path, format="conll")


def test_files_that_look_like_nothing_are_read_as_the_others() -> None:
    inline = {"a": b"no tags here", "b": b"at <stime>3 pm</stime>", "c": b""}
    assert sniffed(Source.of_files(inline)) == "inline"
    assert len(carob.read(Source.of_files(inline))) == 3
    assert sniffed(Source.of_files({"a": b"no tags here"})) == "conll"


def test_a_folder_is_scored_and_verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = filled(tmp_path / "gold", {"a": CONLL, "b": b"Bo I-PER\nRome B-LOC\n"})
    system = filled(tmp_path / "system", {"a": CONLL, "b": b"Bo S-PER\nRome O\n"})
    result = tmp_path / "result.json"
    call = ["score", str(gold), str(system), "-m", "exact.R", "--format", "json", "-o", str(result)]
    assert main(call) == 0
    assert "2 documents, 3 gold and 2 system mentions" in capsys.readouterr().err
    verification = verify(result)
    checked, differences = verification.checked, verification.differences
    assert differences == []
    assert checked > 10
    (system / "b").write_bytes(b"Bo S-PER\nRome S-LOC\n")
    with pytest.raises(InputError, match="K903"):
        verify(result)


def test_what_editors_leave_is_left_out_and_counted(tmp_path: Path) -> None:
    files = {"a.conll": CONLL, "a.conll~": b"\0", "#a.conll#": b"\0", "s/x~": b"", "#": CONLL}
    source = Source(filled(tmp_path, files))
    assert ["#", "a.conll"] == list(source.files)
    assert (0, 3) == (source.hidden, source.of_editors)
    assert [("K012", "3 backup files of an editor left out")] == fact_remarks(carob.read(source))


def test_a_named_pipe_that_no_program_writes_to_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_module, "PATIENCE", 0.05)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(InputError) as error:
        carob.read(pipe)
    expected = f"{pipe}: K001 found a pipe that no program writes to, expected a file to read"
    assert expected == str(error.value)


def test_a_program_that_opens_a_pipe_may_take_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_module, "PATIENCE", 0.2)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    slow = "import sys, time; f = open(sys.argv[1], 'w'); time.sleep(1); f.write('Ann B-PER\\n')"
    writer = subprocess.Popen([sys.executable, "-c", slow, str(pipe)])
    monkeypatch.setattr(source_module, "_is_silent", _waits_for_the_writer)
    assert 1 == len(carob.read(pipe).mentions)
    writer.wait()


def _waits_for_the_writer(pipe: BinaryIO) -> bool:
    """Silent, but only once a program has opened the other end."""
    while pipe.read(1) == b"":
        pass
    return True
