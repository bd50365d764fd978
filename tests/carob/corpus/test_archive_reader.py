"""Uploads that are archives: nothing is extracted; bombs, slips and other tricks are refused."""

from __future__ import annotations

import gzip
import io
import stat
import struct
import zipfile
import zlib
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carob.corpus.archive_reader import open_upload
from carob.corpus.problems import InputError
from carob.corpus.source import Source


class Limits(NamedTuple):
    unpacked_bytes: int
    archive_entries: int = 10_000


SMALL = Limits(unpacked_bytes=1_000_000, archive_entries=20)


def zipped(
    *files: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED
) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files:
            archive.writestr(name, data, method)
    return out.getvalue()


def opened(tmp_path: Path, data: bytes, limits: Limits = SMALL) -> Source:
    (tmp_path / "x").write_bytes(data)
    return open_upload(tmp_path / "x", "upload", limits)


def refused(tmp_path: Path, data: bytes, limits: Limits = SMALL) -> str:
    with pytest.raises(InputError) as error:
        opened(tmp_path, data, limits)
    assert ["x"] == [each.name for each in tmp_path.iterdir()], "nothing was extracted"
    return str(error.value)


def test_one_file_is_that_file(tmp_path: Path) -> None:
    for data in (b"Ann", zipped(("a.conll", b"Ann")), gzip.compress(b"Ann"),
                 gzip.compress(b"A") + gzip.compress(b"nn")):  # fmt: skip
        assert b"Ann" == opened(tmp_path, data).content()


def test_several_files_are_a_folder(tmp_path: Path) -> None:
    data = zipped(("top/", b""), ("top/a.txt", b"1"), ("top/b/c.txt", b"2"),
                  ("__MACOSX/x", b"3"), ("top/.DS_Store", b"4"))  # fmt: skip
    assert ["a.txt", "b/c.txt"] == list(opened(tmp_path, data).files)


def test_bombs_are_refused(tmp_path: Path) -> None:
    big = b"\0" * 40_000_000
    large = Limits(unpacked_bytes=1_000_000_000)
    for data in (zipped(("a", big)), gzip.compress(big)):
        assert "K931 found more than 1,000,000 bytes after unpacking" in refused(tmp_path, data)
        assert "unpacks to more than 200 times its size" in refused(tmp_path, data, large)


def test_an_archive_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    honest = zipped(("a", b"\0" * 2_000_000))
    for place in (honest.index(b"PK\x01\x02") + 24, 22):
        lie = bytearray(honest)
        struct.pack_into("<I", lie, place, 10)
        assert "K93" in refused(tmp_path, bytes(lie))


def test_many_entries_are_refused(tmp_path: Path) -> None:
    data = zipped(*((f"f{i}", b"x") for i in range(21)))
    assert "K931 found an archive of more than 20 files" in refused(tmp_path, data)
    lie = bytearray(data)
    struct.pack_into("<HH", lie, data.rindex(b"PK\x05\x06") + 8, 1, 1)
    assert "K93" in refused(tmp_path, bytes(lie))


@pytest.mark.parametrize(
    "name", ["../a", "/etc/passwd", "a/../../b", "c:\\x", "c:/x", "a\\b", "a\x01b"]
)
def test_names_that_lead_out_are_refused(tmp_path: Path, name: str) -> None:
    info = zipfile.ZipInfo("x")
    info.filename = name
    assert "K932 found the name" in refused(tmp_path, zipped((info, b"x"), ("b", b"y")))


def test_links_and_names_that_occur_twice_are_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    assert "K932 found a link or device" in refused(tmp_path, zipped((link, b"/etc/passwd")))
    with pytest.warns(UserWarning, match="Duplicate name"):
        data = zipped(("a", b"1"), ("a", b"2"))
    assert "K932 found two files called 'a'" in refused(tmp_path, data)


def test_entries_that_overlap_are_refused(tmp_path: Path) -> None:
    data = bytearray(zipped(("a", b"x" * 100), ("b", b"y" * 100), method=zipfile.ZIP_STORED))
    second = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 4)
    struct.pack_into("<I", data, second + 42, 0)  # both entries are the first file
    assert "K932 found entries that overlap" in refused(tmp_path, bytes(data))


def test_archives_in_archives_are_refused(tmp_path: Path) -> None:
    inner = zipped(("a", b"x"))
    for data in (zipped(("a.zip", inner)), gzip.compress(inner), gzip.compress(gzip.compress(b"x")),
                 zipped(("a.gz", gzip.compress(b"x")))):  # fmt: skip
        assert "K933" in refused(tmp_path, data)


def test_other_archives_are_named(tmp_path: Path) -> None:
    tar = bytearray(512)
    tar[257:262] = b"ustar"
    kinds = {
        bytes(tar): "a tar file", b"BZh9": "a bz2 file", b"7z\xbc\xaf'\x1c": "a 7z file",
        b"\xfd7zXZ\x00": "an xz file",
    }  # fmt: skip
    for data, kind in kinds.items():
        assert f"K930 found {kind}, expected the file itself" in refused(tmp_path, data)


def test_encrypted_zip64_and_empty_archives_are_refused(tmp_path: Path) -> None:
    data = bytearray(zipped(("a", b"x")))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert "K930 found an encrypted file" in refused(tmp_path, bytes(data))
    assert "K930 found a zip file without files" in refused(tmp_path, zipped(("a/", b"")))
    many = bytearray(zipped(("a", b"x")))
    struct.pack_into("<H", many, many.rindex(b"PK\x05\x06") + 10, 0xFFFF)
    assert "K930 found a zip64 file" in refused(tmp_path, bytes(many))


@pytest.mark.parametrize("cut", [1, 10, 20, 30])
def test_what_breaks_off_is_refused(tmp_path: Path, cut: int) -> None:
    for data in (zipped(("a", b"some text" * 5)), gzip.compress(b"some text" * 5)):
        assert "K930" in refused(tmp_path, data[:-cut])


@settings(max_examples=30)
@given(data=st.binary(max_size=200), seed=st.integers(0, 10_000), flips=st.integers(0, 6))
def test_whatever_comes_there_is_a_source_or_a_problem(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, seed: int, flips: int
) -> None:
    import random

    rng = random.Random(seed)
    archives = [zipped(("a.txt", data), ("b/c", b"x")), gzip.compress(data), zlib.compress(data)]
    for archive in archives:
        broken = bytearray(archive)
        for _ in range(flips):
            broken[rng.randrange(len(broken))] = rng.randrange(256)
        file = tmp_path_factory.getbasetemp() / "upload"
        file.write_bytes(broken)
        try:
            source = open_upload(file, "upload", SMALL)
        except InputError:
            continue
        assert sum(each.size for each in source.files.values()) <= SMALL.unpacked_bytes
