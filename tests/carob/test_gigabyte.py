"""A gigabyte in one record is refused in bounded time and memory, and the message says what to do.

One file is written for all cases; each puts its own beginning and end into it.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.limited import RUN_CAROB, Limited

SIZE, BLOCK = 1 << 30, 1 << 12
MEGABYTES, SECONDS = 500, 10
LARGE = "67,108,864"
LINE = (
    ":{}: K005 found a line of more than {} bytes, expected shorter lines; divide it into several"
)
TEXT = f": K010 found a text of more than {LARGE} bytes, expected smaller documents; divide it into"
XML = f":2: K244 found {{}} more than {LARGE} bytes, expected {{}}; divide it into several"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="needs /proc of Linux"),
]


@pytest.fixture(scope="module")
def gigabyte(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("gigabyte")
    if shutil.disk_usage(folder).free < 2 * SIZE:
        pytest.skip("less than two gigabytes of the disk are free")
    path = folder / "file"
    with path.open("wb") as file:
        for _ in range(SIZE >> 20):
            file.write(b"x" * (1 << 20))
    yield path
    path.unlink()


@pytest.fixture(scope="module")
def process() -> Iterator[Limited]:
    with Limited(RUN_CAROB, 2 << 30) as process:
        yield process


XMI = (
    '<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" '
    'xmi:version="2.0"><cas:Sofa xmi:id="1" sofaString="'
)
CASES = {
    "jsonl": ('{"id": "a", "text": "', '", "mentions": []}', LINE.format(1, LARGE)),
    "the second line of jsonl": (
        '{"id": "a", "text": "Ann", "mentions": []}\n{"id": "b", "mentions": [], "text": "', '"}',
        LINE.format(2, LARGE)),
    "records": ('{"id": "a", "who": "Ann"}\n{"id": "b", "who": "', '"}', LINE.format(2, LARGE)),
    "a list": ('[{"id": "a", "who": "Ann"},\n{"id": "b", "who": "', '"}]', LINE.format(2, LARGE)),
    "an object over several lines": ('{\n"id": "a",\n"who":\n"', '"\n}', TEXT),
    "entities": ('{"entities": [{"text": "Ann", "type": "', '"}]}', LINE.format(1, LARGE)),
    "doccano": ('{"label": [[0, 3, "PER"]], "text": "', '"}', LINE.format(1, LARGE)),
    "Label Studio": ('[{"id": 1, "data": {"text": "', '"}}]', LINE.format(1, LARGE)),
    "an object cut off": ('{"id": "a", "who": "', "", LINE.format(1, LARGE)),
    "a fence": ('```json\n{"who": "', '"}\n```', LINE.format(2, LARGE)),
    "text in XML": (
        "<?xml version='1.0'?>\n<collection><document><id>a</id><passage><text>",
        "</text></passage></document></collection>",
        XML.format("an element of", "smaller documents")),
    "an attribute in XML": (
        "<?xml version='1.0'?>\n<collection><document><id>a</id><passage><infon key='",
        "'/></passage></document></collection>",
        XML.format("a tag of", "XML")),
    "XMI": (f"<?xml version='1.0'?>\n{XMI}", '"/></xmi:XMI>',
            XML.replace("{} ", "").format("smaller documents")),
    "CSV": ('id,start,end,label,text\na,0,3,PER,Ann\nb,0,3,PER,"', '"', TEXT),
    "conll": ("Ann B-PER\n", " O\n", LINE.format(2, "524,288")),
    "conllu": ("1\tAnn\t_\t_\t_\t_\t_\t_\t_\tNER=B-PER\n2\t", "\n", LINE.format(2, "1,048,576")),
    "pubtator": ("1|t|Ann\n1|a|", "\n1\t0\t3\tAnn\tPER\t-\n\n", LINE.format(2, "1,048,576")),
    "tags in text": ("<speaker>Ann</speaker> ", "", TEXT),
}  # fmt: skip

MENDED = ("records", "an object over several lines", "entities", "an object cut off", "a fence")


def test_a_gigabyte_in_one_record_is_refused(gigabyte: Path, process: Limited) -> None:
    """One test, as tests that run side by side would each need a file of their own."""
    for name, (begins, ends, message) in CASES.items():
        with gigabyte.open("r+b") as file:
            file.write(begins.encode().ljust(BLOCK, b"x"))
            file.seek(-BLOCK, os.SEEK_END)
            file.write(ends.encode().rjust(BLOCK, b"x"))
        assert SIZE == gigabyte.stat().st_size
        for options in [[], ["--read", "repair=json"]] if name in MENDED else [[]]:
            arguments = ["check", gigabyte.name, *options]
            (code, out, messages), seconds, megabytes = process(str(gigabyte.parent), *arguments)
            assert (1, "") == (code, messages), name
            first, last = out.splitlines()
            assert f"{gigabyte.name}{message}" in first, name
            assert "1 file, 1 error, 0 warnings" == last, name
            assert seconds < SECONDS and megabytes < MEGABYTES, (name, seconds, megabytes)
