"""Files that carob recognises and does not read: what they are, and what to do with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from carob.formats import json_text

_JSONL = "write one object per document as jsonl: id, text or tokens, and mentions"
_BRAT = "export it as brat standoff or convert it to jsonl"

_TEXTS: tuple[tuple[str, str, str], ...] = (
    (r"\s*\d+\|[ta]\|", "PubTator", "convert it to jsonl; its offsets count title and abstract"),
    (r"#FORMAT=WebAnno TSV", "WebAnno TSV", "export it from INCEpTION or WebAnno as CoNLL 2002"),
    (r"(?s)\s*(<\?xml.*?\?>)?\s*(<!DOCTYPE[^>]*BioC[^>]*>)?\s*<collection>.*?<source>",
     "BioC XML", "convert it to brat or jsonl; its offsets count from the first passage"),
    (r"(?s)\s*(<\?xml.*?\?>)?\s*<xmi:XMI\b", "UIMA CAS XMI", "export it as CoNLL 2002"),
    (r"(?s)\s*(<\?xml.*?\?>)?\s*<GateDocument\b", "GATE XML", _BRAT),
    (r"(?s)\s*(<\?xml.*?\?>)?\s*(<!DOCTYPE[^>]*>)?\s*<source_file\b", "ACE APF XML", _BRAT),
    (r"(?i)(?=[^\n]*\bstart)(?=[^\n]*\bend)(?=[^\n]*\b(label|type|entity)\b)"
     r"[\w \"]+([,;\t][\w \"]+){2,}\r?\n", "a table of spans (CSV or TSV)", _JSONL),
)  # fmt: skip
"""How files begin that are no JSON, what they are, and what to do."""


def _has(*keys: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda value: value.keys() >= set(keys)


_OBJECTS: tuple[tuple[Callable[[Mapping[str, Any]], bool], str, str], ...] = (
    (_has("vertexSet", "sents"), "DocRED", f"{_JSONL}, relations and clusters"),
    (lambda value: _has("sentences", "ner")(value) and "mentions" not in value,
     "the format of SciERC and DyGIE", f"{_JSONL}; ends in ner are inclusive"),
    (_has("tokenized_text", "ner"), "training data of GLiNER",
     f"{_JSONL}; ends in ner are inclusive"),
    (lambda value: _lists_objects_with(value.get("paragraphs"), "sentences"),
     "training data of spaCy 2", "convert it with spaCy's convert"),
    (lambda value: _lists_objects_with(value.get("extractions"), "extraction_class"),
     "output of langextract", f"{_JSONL}; char_interval has the places"),
    (lambda value: _lists_objects_with(value.get("documents"), "passages"), "BioC JSON",
     "convert it to brat or jsonl; its offsets count from the first passage"),
)  # fmt: skip
"""Objects of JSON files, what they are, and what to do."""


def _lists_objects_with(value: Any, key: str) -> bool:
    return isinstance(value, list) and any(isinstance(each, dict) and key in each for each in value)


def foreign(head: bytes) -> tuple[str, str] | None:
    """What a file is that carob does not read, and what to do with it; None for any other file.

    >>> foreign(b'[{"vertexSet": [], "sents": [], "title": "x"}]')[0]
    'DocRED'
    >>> foreign(b"Ann B-PER")
    """
    if head[:1] in (b"{", b"["):
        for value in json_text.samples(head):
            for fits, name, advice in _OBJECTS:
                if isinstance(value, dict) and fits(value):
                    return name, advice
        return None
    text = head[:4000].decode("utf-8", "replace").removeprefix("\ufeff")
    for pattern, name, advice in _TEXTS:
        if re.match(pattern, text):
            return name, advice
    return None
