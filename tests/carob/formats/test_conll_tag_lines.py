"""The tags of a conll file can be read again as they are there: with their lines, blank lines, and
lines that open a document.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from carob import Corpus, read
from carob.corpus.corpus import TagLine


def lines(tmp_path: Path, text: str, **parameters: Any) -> list[list[TagLine] | None]:
    (tmp_path / "a.conll").write_bytes(text.encode())
    corpus = read(tmp_path / "a.conll", **parameters)
    return [corpus.tag_lines(row) for row in range(len(corpus))]


def test_every_line_has_its_number_and_tag(tmp_path: Path) -> None:
    text = (
        "-DOCSTART- -X- O\r\n\r\nAnn x B-PER\r\n# one more comment\r\nslept x O\r\n\r\n"
        "-DOCSTART- -X- O\r\n\r\nBo y U-PER"
    )
    assert lines(tmp_path, text) == [
        [TagLine(1, "O", True), TagLine(2, None), TagLine(3, "B-PER"), TagLine(5, "O"),
         TagLine(6, None)],
        [TagLine(7, "O", True), TagLine(8, None), TagLine(9, "U-PER")],
    ]  # fmt: skip


def test_the_column_is_the_one_that_was_read(tmp_path: Path) -> None:
    text = "TOKEN\tNE-A\tNE-B\nAnn\tB-A\tB-B\n"
    assert lines(tmp_path, text, tag="NE-A") == [[TagLine(2, "B-A")]]
    assert lines(tmp_path, text, tag=("NE-B", "NE-A")) == [[TagLine(2, "B-B")]]
    assert lines(tmp_path, "B-A\nI-A\n") == [[TagLine(1, "B-A"), TagLine(2, "I-A")]]


def test_documents_without_a_blank_line_between_them_have_none(tmp_path: Path) -> None:
    text = "# newdoc id = a\nAnn B-PER\n# newdoc id = b\nLee I-PER\n"
    assert lines(tmp_path, text) == [[TagLine(2, "B-PER")], [TagLine(4, "I-PER")]]


def test_files_of_a_folder_and_a_selection_know_their_tags(tmp_path: Path) -> None:
    for name, tag in (("a", "B-A"), ("b", "B-B")):
        (tmp_path / f"{name}.conll").write_text(f"x {tag}\n")
    corpus = read(tmp_path)
    assert [corpus.tag_lines(row) for row in (0, 1)] == [[TagLine(1, "B-A")], [TagLine(1, "B-B")]]
    assert corpus.only(np.array([1])).tag_lines(0) == [TagLine(1, "B-B")]


def test_other_corpora_have_none() -> None:
    assert Corpus.of("[Ann]PER slept").tag_lines(0) is None
