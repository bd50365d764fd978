"""A figure as SVG that can stand in an HTML page beside others."""

from __future__ import annotations

import hashlib
import io
import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOR = re.compile(r"#[0-9a-f]{6}")
_FAMILY = re.compile(r"font-family:[^;]*;?\s*")
_LINK = "{http://www.w3.org/1999/xlink}href"
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


def svg(figure: Figure, *, title: str, description: str) -> str:
    """A figure as an `<svg>` element: no prolog, nothing loaded, ids that no other figure has.

    It scales with the page. Text is text, in the font of the page. The colours of ink, paper and
    grid, and of the series, are variables of CSS (`--ink`, `--soft`, `--grid`, `--paper`,
    `--series-1` to `--series-7`); without these, they are those of the figure. Links in the chart
    have a name, which browsers show beside the pointer.

    >>> from carob import Corpus, score
    >>> chart = score(Corpus.of("[Ann]PER"), Corpus.of("[Ann]PER"), "exact.F1").plot()
    >>> text = svg(chart, title="F1 & more", description="One system.")
    >>> text[:4], "<title id=" in text, "F1 &amp; more" in text, "var(--ink,#1f2328)" in text
    ('<svg', True, True, True)
    """
    from carob.report.charts._style import VARIABLES, printable

    file = io.BytesIO()
    figure.savefig(file, format="svg", transparent=True)
    content = file.getvalue()
    digest = hashlib.sha256(f"{title}\0{description}\0".encode("utf-8", "replace") + content)
    prefix = f"c{digest.hexdigest()[:10]}-"
    root = ElementTree.fromstring(content)
    names: dict[str, str] = getattr(figure, "link_names", {})
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.rpartition("}")[2] in ("metadata", "style"):
                parent.remove(child)
    used = {name for each in root.iter() for name in _references(each)}
    for each in root.iter():
        each.tag = each.tag.rpartition("}")[2]
        _rewrite(each, prefix, used, VARIABLES)
        if each.tag == "a" and each.get("href") in names:
            name = names[each.attrib["href"]]
            each.set("aria-label", name)
            ElementTree.SubElement(each, "title").text = name
    width, height = (float(root.attrib[side].removesuffix("pt")) for side in ("width", "height"))
    heads = []
    for tag, text in (("title", title), ("desc", description)):
        head = ElementTree.Element(tag, {"id": prefix + tag})
        head.text, head.tail = printable(text), "\n"
        heads.append(head)
    root[:0] = heads
    # Links are no part of an image: a reader of screens would not come to them.
    role = "group" if any(each.tag == "a" for each in root.iter()) else "img"
    root.attrib = {
        "xmlns": "http://www.w3.org/2000/svg",
        "role": role,
        "aria-labelledby": f"{prefix}title {prefix}desc",
        "viewBox": f"0 0 {width:g} {height:g}",
        "width": f"{width * 4 / 3:.0f}",
        "height": f"{height * 4 / 3:.0f}",
        "style": "max-width:100%;height:auto;stroke-linejoin:round;stroke-linecap:butt;"
        "font-family:var(--chart-font,'DejaVu Sans',Verdana,sans-serif)",
    }
    return ElementTree.tostring(root, encoding="unicode")


def _references(element: Any) -> list[str]:
    """The ids that an element refers to."""
    if element.tag.endswith("}use"):
        return [element.attrib[_LINK][1:]]
    return _REFERENCE.findall(" ".join(element.attrib.values()))


def _rewrite(element: Any, prefix: str, used: set[str], variables: dict[str, str]) -> None:
    """Ids with a prefix, those that nothing refers to left out; colours as variables."""
    own = element.attrib
    if (name := own.pop("id", None)) in used:
        own["id"] = prefix + name
    own.pop("target", None)
    if (link := own.pop(_LINK, None)) is not None:
        own["href"] = f"#{prefix}{link[1:]}" if element.tag == "use" else link
    for key in own.keys() & {"clip-path"}:
        own[key] = _REFERENCE.sub(rf"url(#{prefix}\1)", own[key])
    if "style" in own:
        style = _FAMILY.sub("", own["style"])
        own["style"] = _COLOR.sub(lambda found: variables.get(found[0], found[0]), style)
