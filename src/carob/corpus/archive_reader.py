"""A file as a source, or the files of a zip or gz file, held in memory: an upload, or a submission.

Nothing is ever extracted to disk, so no name in an archive can become a path. Everything is counted
while it is unpacked: an archive may say anything about itself.
"""

from __future__ import annotations

import io
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Protocol

from carob.corpus.problems import InputError, Problem, many, shown
from carob.corpus.source import Source


class Limits(Protocol):
    """What is refused in an archive."""

    @property
    def unpacked_bytes(self) -> int:
        """The largest content of a zip or gz file."""

    @property
    def archive_entries(self) -> int:
        """How many files a zip file may hold."""


class _Limits(NamedTuple):
    unpacked_bytes: int = 200_000_000
    archive_entries: int = 10_000


DEFAULT = _Limits()

RATIO, UNSUSPICIOUS = 200, 1 << 24
"""What unpacks to more than RATIO times its size, and to more than this many bytes, is a bomb: text
never shrinks that much."""

_BLOCK = 1 << 18
_END = b"PK\x05\x06"
_ZIP64 = b"PK\x06\x07"
_LONGEST_ENTRY = 46 + 1024
"""Of the central directory: 46 bytes and a name."""

_ARCHIVES = {
    b"PK\x03\x04": "a zip file", b"PK\x05\x06": "a zip file", b"\x1f\x8b": "a gz file",
    b"BZh": "a bz2 file", b"\xfd7zXZ\x00": "an xz file", b"7z\xbc\xaf'\x1c": "a 7z file",
    b"Rar!\x1a\x07": "a rar file", b"(\xb5/\xfd": "a zst file",
}  # fmt: skip


def open_upload(path: Path, name: str, limits: Limits = DEFAULT) -> Source:
    """The content of an uploaded file under the name that it had.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "x"
    ...     _ = file.write_bytes(zlib.compress(b"Ann B-PER", wbits=31))
    ...     open_upload(file, "answer.conll.gz").content()
    b'Ann B-PER'
    """
    if path.is_dir():  # handed to an organiser as a folder; an upload is never one
        return Source(path)
    data = path.read_bytes()
    kind = archive_kind(data)
    if kind is None:
        return Source.of_bytes(data, name)
    if kind == "a zip file":
        return _of_zip(data, name, limits)
    if kind == "a gz file":
        content = b"".join(_gunzipped(data, name, limits))
        _refuse_nested(content, name)
        return Source.of_bytes(content, name)
    raise _problem("K930", name, kind, "the file itself, or a zip or gz file")


def unzipped(path: str) -> Source | None:
    """What is in a zip file, under its name; None if it is none.

    >>> unzipped("answer.conll") is None
    True
    """
    magic = b""
    if os.path.isfile(path):  # noqa: PTH113 (Path cannot hold a zero byte)
        with suppress(OSError), Path(path).open("rb") as file:
            magic = file.read(4)
    if archive_kind(magic) != "a zip file":
        return None
    inside = open_upload(Path(path), path)
    if inside.is_folder:
        return inside
    return Source.of_bytes(inside.content(DEFAULT.unpacked_bytes), f"{path}/{inside.name}")


def archive_kind(data: bytes) -> str | None:
    """What kind of archive bytes are; None if they are none.

    >>> archive_kind(b"PK\\x03\\x04..."), archive_kind(b"Ann B-PER")
    ('a zip file', None)
    """
    for magic, kind in _ARCHIVES.items():
        if data.startswith(magic):
            return kind
    return "a tar file" if data[257:262] == b"ustar" else None


def _problem(code: str, name: str, found: str, expected: str, hint: str = "") -> InputError:
    return InputError([Problem(code, name, None, found, expected, hint)])


def _gunzipped(data: bytes, name: str, limits: Limits) -> Iterator[bytes]:
    """The content of a gz file, which may have several members."""
    size, rest = 0, data
    try:
        while rest:
            member = zlib.decompressobj(wbits=31)
            while not member.eof:
                block = member.decompress(rest, _BLOCK)
                rest = member.unconsumed_tail
                size += len(block)
                _check_size(size, len(data), name, limits)
                yield block
                if not member.eof and not rest and not block:
                    raise zlib.error("the data breaks off")
            rest = member.unused_data.lstrip(b"\0")
    except zlib.error as error:
        raise _problem("K930", name, f"a damaged gz file ({error})", "a gz file") from None


def _check_size(size: int, packed: int, name: str, limits: Limits) -> None:
    if size > limits.unpacked_bytes:
        raise _problem(
            "K931", name, f"more than {limits.unpacked_bytes:,} bytes after unpacking",
            f"at most {limits.unpacked_bytes:,} bytes",
        )  # fmt: skip
    if size > max(UNSUSPICIOUS, RATIO * packed):
        raise _problem(
            "K931", name, f"an archive that unpacks to more than {RATIO} times its size",
            "text that was compressed",
        )  # fmt: skip


def _refuse_nested(data: bytes, name: str) -> None:
    if (kind := archive_kind(data)) is not None:
        raise _problem("K933", name, f"{kind} in an archive", "the file itself in it")


def _of_zip(data: bytes, name: str, limits: Limits) -> Source:
    _check_directory(data, name, limits)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = _checked_entries(archive, len(data), name, limits)
            size, files = 0, {}
            for entry in entries:
                content = bytearray()
                with archive.open(entry) as member:
                    while block := member.read(_BLOCK):
                        size += len(block)
                        _check_size(size, len(data), name, limits)
                        content += block
                _refuse_nested(bytes(content), f"{name}/{entry.filename}")
                files[entry.filename] = bytes(content)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError) as error:
        raise _problem("K930", name, f"a damaged zip file ({error})", "a zip file") from None
    except (RuntimeError, UnicodeError, struct.error, OverflowError, OSError) as error:
        raise _problem("K930", name, f"a zip file that cannot be read ({error})",
                       "a plain zip file") from None  # fmt: skip
    if len(files) == 1:
        [(inside, content_)] = files.items()
        return Source.of_bytes(content_, inside)
    top = {inside.partition("/")[0] for inside in files}
    if len(top) == 1 and all("/" in inside for inside in files):
        files = {inside.partition("/")[2]: each for inside, each in files.items()}
    return Source.of_files(files, name)


def _check_directory(data: bytes, name: str, limits: Limits) -> None:
    """Before anything is parsed: is the list of files small enough?"""
    end = data.rfind(_END, max(0, len(data) - (1 << 16) - 22))
    if end < 0 or len(data) < end + 22:
        raise _problem("K930", name, "a damaged zip file (it has no end)", "a zip file")
    count, size = struct.unpack_from("<HI", data, end + 10)
    if count == 0xFFFF or size == 0xFFFFFFFF or data[max(0, end - 20) : end][:4] == _ZIP64:
        raise _problem("K930", name, "a zip64 file", "a plain zip file")
    if size > limits.archive_entries * _LONGEST_ENTRY or count > limits.archive_entries:
        raise _too_many(name, limits)


def _too_many(name: str, limits: Limits) -> InputError:
    found = f"an archive of more than {many(limits.archive_entries, 'file')}"
    return _problem("K931", name, found, f"at most {limits.archive_entries:,}")


def _checked_entries(
    archive: zipfile.ZipFile, size: int, name: str, limits: Limits
) -> list[zipfile.ZipInfo]:
    """The files to read. Folders, hidden files and what macOS adds are left out."""
    every = archive.infolist()
    if len(every) > limits.archive_entries:
        raise _too_many(name, limits)
    names = set()
    for entry in every:
        _check_entry(entry, name)
        if entry.filename in names:
            raise _problem("K932", name, f"two files called {shown(entry.filename)}", "one")
        names.add(entry.filename)
    last = 0
    for entry in sorted(every, key=lambda each: each.header_offset):
        if entry.header_offset < last:
            found = f"entries that overlap, the second is {shown(entry.filename)}"
            raise _problem("K932", name, found, "files one after the other")
        last = entry.header_offset + 30 + entry.compress_size
    kept = [
        entry for entry in every
        if not entry.is_dir() and not entry.filename.startswith("__MACOSX/")
        and not any(part.startswith(".") for part in entry.filename.split("/"))
    ]  # fmt: skip
    if not kept:
        raise _problem("K930", name, "a zip file without files", "at least one file in it")
    _check_size(sum(entry.file_size for entry in kept), size, name, limits)
    return kept


def _check_entry(entry: zipfile.ZipInfo, name: str) -> None:
    inside = entry.filename
    parts = inside.split("/")
    if (
        inside.startswith("/") or "\\" in inside or "\0" in inside or ".." in parts
        or parts[0].endswith(":") or not inside.isprintable()
    ):  # fmt: skip
        raise _problem("K932", name, f"the name {shown(inside)}", "a name within the archive")
    if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise _problem("K932", name, f"a link or device, {shown(inside)}", "files")
    if entry.flag_bits & 0x1:
        raise _problem("K930", name, f"an encrypted file, {shown(inside)}", "files to read")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise _problem("K930", name, f"a rare kind of compression of {shown(inside)}",
                       "deflated or stored files")  # fmt: skip
