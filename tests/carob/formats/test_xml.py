"""XML that was made to hurt is refused, at once and in words; nothing outside the file is read."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from carob import InputError, read
from carob.corpus.problems import Problems
from carob.corpus.source import Source
from carob.formats import _xml
from carob.formats._xml import DEEPEST, elements

BOMB = (
    '<?xml version="1.0"?>\n<!DOCTYPE collection [\n<!ENTITY a "aaaaaaaaaa">\n'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">\n' for n in range(12))
    + "]>\n<collection><source>&m;</source><document><id>1</id></document></collection>"
)
DOCUMENT = "<document><id>1</id><passage><offset>0</offset><text>{}</text></passage></document>"


def collection(text: str, prologue: str = "") -> bytes:
    return f"{prologue}<collection><source/>{DOCUMENT.format(text)}</collection>".encode()


def found(data: bytes, format: str = "bioc") -> str:
    with pytest.raises(InputError) as caught:
        read(Source.of_bytes(data, "file"), format)
    problem = caught.value.problems[0]
    assert "K244" == problem.code
    return f"{problem.line}: {problem.found}"


def test_a_bomb_is_refused_before_it_expands() -> None:
    begin = time.process_time()
    assert "3: a declaration of the entity 'a'" == found(BOMB.encode())
    assert time.process_time() - begin < 1


@pytest.mark.parametrize("declaration", [
    '<!ENTITY x SYSTEM "{secret}">', '<!ENTITY % x SYSTEM "{secret}"> %x;',
    '<!ENTITY x PUBLIC "-//x" "{secret}">',
])  # fmt: skip
def test_other_files_are_never_read(declaration: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the secret")
    inside = declaration.replace("{secret}", secret.as_uri())
    message = found(collection("&x;", f"<!DOCTYPE collection [{inside}]>"))
    assert "1: a declaration of the entity 'x'" == message and "the secret" not in message


def test_an_external_document_type_may_be_named_and_is_not_read(tmp_path: Path) -> None:
    prologue = f'<!DOCTYPE collection SYSTEM "{tmp_path}/BioC.dtd">'
    assert "Ann" == read(Source.of_bytes(collection("Ann", prologue)), "bioc")[0].text
    # An entity of that document type is unknown: the text would lack a character.
    message = found(collection("&beta;-blocker", prologue))
    assert "1: the entity 'beta', which is not declared" == message


def test_an_unknown_entity_is_an_error() -> None:
    assert found(collection("&beta;")).startswith("1: XML that breaks off or is damaged (undefined")


def test_deep_nesting_is_refused() -> None:
    deep = "<a>" * (DEEPEST + 1) + "</a>" * (DEEPEST + 1)
    assert "1: elements nested too deep" == found(collection(deep))
    assert "1: elements nested too deep" == found(b"<collection>" + b"<a>" * 1_000_000)


def test_an_element_and_a_file_that_is_one_document_are_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_xml, "LARGEST", 1 << 17)
    message = found(collection("x" * (1 << 18)))
    assert "1: an element of more than 131,072 bytes" == message
    assert 9 == len(read(Source.of_bytes(b"<collection>" + b"".join(
        DOCUMENT.replace("<id>1", f"<id>{n}").format("x" * (1 << 16)).encode() for n in range(9)
    ) + b"</collection>"), "bioc"))  # fmt: skip
    xmi = b'<xmi:XMI xmlns:xmi="http://www.omg.org/XMI">' + b'<a b="c"/>' * (1 << 15)
    assert "1: more than 131,072 bytes" == found(xmi, "cas")
    for begins in ('<a b="', "<!-- ", "<?a "):
        assert "1: a tag of more than 131,072 bytes" == found(collection(begins + "x" * (1 << 19)))


def test_long_tags_are_read_and_lines_are_counted() -> None:
    """Much must come before a long tag is looked at again; what follows it is not lost."""
    long = "\n" + "x" * 700_000
    data = f"<a><b c='{long}'/>\n<!--{long}--><b c='y'>{long}</b><b/><b c='{long}'/></a>".encode()
    kept = list(elements(Source.of_bytes(data), Problems(), lambda name, _: name == "b", "a"))
    lengths = [(len(each.attributes.get("c", "")), len(each.text)) for each in kept]
    assert [(700_001, 0), (1, 700_001), (0, 0), (700_001, 0)] == lengths
    assert [1, 4, 5, 5] == [each.line for each in kept]
    damaged = Problems()
    assert 3 == len(list(elements(Source.of_bytes(data[:-9]), damaged, lambda n, _: n == "b", "a")))
    with pytest.raises(InputError, match="K244 found XML that breaks off"):
        damaged.check()


def test_other_encodings_are_refused() -> None:
    data = '<?xml version="1.0" encoding="iso-8859-1"?><collection/>'.encode("latin-1")
    assert "1: the encoding 'iso-8859-1'" == found(data)
    assert found(b"<collection>\xff</collection>").startswith("1: XML that breaks off")


def test_other_roots_and_damaged_files_are_named() -> None:
    assert "1: XML of <other>" == found(b"<other/>")
    assert found(b"<collection><document>").startswith("1: XML that breaks off or is damaged")
    assert found(b"<collection>\n</other>").startswith("2: XML that breaks off or is damaged")


def test_only_wanted_elements_are_kept() -> None:
    data = b"<a><b x='1'>t<c>u</c>v</b><d>w</d><b/></a>"
    kept = list(elements(Source.of_bytes(data), Problems(), lambda name, _: name == "b", "a"))
    assert [("1", "tv", "u"), (None, "", None)] == [
        (each.attributes.get("x"), each.text, each.text_of("c")) for each in kept
    ]


@pytest.mark.slow
def test_a_large_file_is_read_document_by_document(tmp_path: Path) -> None:
    path = tmp_path / "large.xml"
    with path.open("wb") as out:
        out.write(b"<collection><source/>")
        for number in range(20_000):
            out.write(DOCUMENT.replace("<id>1", f"<id>{number}").format("x" * 900).encode())
        out.write(b"</collection>")
    assert 20_000 == len(read(path))
