"""Files that carob recognises and does not read: what they are, and what to do with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from carob.corpus.problems import shown
from carob.formats import json_text

_JSONL = "write one object per document as jsonl: id, text or tokens, and mentions"
_BRAT = "export it as brat standoff or convert it to jsonl"
_SLOTS = "name the format records if they are slots"
_INLINE = (
    "if its tags mark mentions in a text, name the format inline; otherwise convert it to jsonl"
)

_TEXTS: tuple[tuple[str, str, str], ...] = (
    (r"#FORMAT=WebAnno TSV [12]|# webanno\.custom", "WebAnno TSV 1 or 2",
     "export it from INCEpTION or WebAnno as WebAnno TSV 3 or UIMA CAS XMI"),
    (r"(?i)[\"']?(?:[\w #]+[\"']?[,;\t][\"']?)*(?:word|token|form)s?[\"']?[,;]"
     r"(?:[\"']?[\w #]+[\"']?[,;])*[\"']?(?:tag|ner_tag|ner|label|iob)s?[\"']?\s*\r?\n",
     "a table of tokens (CSV)",
     "write it as conll: one token per line, a tab, its tag, and a blank line after each sentence"),
    (r"(?i)[\"']?(?:\w+[\"']?[,;\t][\"']?)*(?:sentence|text)[\"']?[,;\t]"
     r"[\"']?(?:labels?|class|category|sentiment|target)[\"']?\s*\r?\n",
     "a table of labelled texts (CSV)", "carob scores mentions in texts, not classes of texts"),
    (r"(?:\S+/(?:[A-Z]+|[BIES]-\w+)[ \t]+)+\S+/(?:[A-Z]+|[BIES]-\w+)[ \t]*\r?(?:\n|$)",
     "words with tags after slashes",
     "write it as conll: one token per line, a tab, its tag, and a blank line after each sentence"),
    (r"c=\"[^\n]*\" \d+:\d+ \d+:\d+\|\|t=\"", "concepts of i2b2",
     f"{_JSONL}; line and token of a place are in another file"),
    (r"(?:\w+ *= *)?\[?\s*\(\s*(?:\"[^\"\n]*\"|'[^'\n]*'),\s*[{\[(]",
     "tuples of Python, as in training data of spaCy", "write the file with json.dump"),
)  # fmt: skip
"""How files begin that are neither JSON nor XML, what they are, and what to do."""

_ROOTS: Mapping[str, tuple[str, str]] = {
    "GateDocument": ("GATE XML", _BRAT),
    "source_file": ("ACE APF XML", _BRAT),
    "TEI": ("TEI XML", _INLINE),
    "teiCorpus": ("TEI XML", _INLINE),
    "deft_ere": ("ERE XML", _BRAT),
    "NAF": ("NAF, the NLP Annotation Format", _JSONL),
    "KAF": ("KAF", _JSONL),
    "FoLiA": ("FoLiA", _JSONL),
    "PcGts": ("PAGE XML, of scanned pages", "it has texts and places on pages, no mentions"),
    "alto": ("ALTO XML, of scanned pages", "it has texts and places on pages, no mentions"),
    "typeSystemDescription": ("a type system of UIMA", "the annotations are in the .xmi beside it"),
    "html": ("HTML", "write its text, with mentions, as jsonl or brat"),
    "root": ("XML of <root>", _INLINE),
    "TimeML": ("TimeML", _INLINE),
    "PubmedArticleSet": ("articles of PubMed", "it has texts and no mentions"),
    "article": ("an article (JATS)", "it has texts and no mentions"),
}  # fmt: skip
"""The names of roots of XML files, what they are, and what to do."""
_DECLARED = re.compile(rb"\s*(?:<\?xml\b|<!DOCTYPE\b|<!--|<!ENTITY\b)", re.I)


_Rule = tuple[Callable[[Mapping[str, Any]], bool], str, str]


def _has(*keys: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda value: value.keys() >= set(keys)


def _lists_objects_with(value: Any, key: str) -> bool:
    return isinstance(value, list) and any(isinstance(each, dict) and key in each for each in value)


def _is_squad(value: Mapping[str, Any]) -> bool:
    data = value.get("data")
    return isinstance(data, list) and _lists_objects_with(data, "paragraphs")


def _is_classes(value: Mapping[str, Any]) -> bool:
    """Whether a label is of a whole text: a text with one label, or a list of labels."""
    if not isinstance(value.get("text"), str) or {"mentions", "tokens", "id2label"} & value.keys():
        return False
    label, classes = value.get("label"), value.get("cats")
    if isinstance(classes, dict) and classes and not {"ents", "spans"} & value.keys():
        return all(isinstance(each, (int, float)) for each in classes.values())
    if isinstance(label, list):
        return bool(label) and all(isinstance(each, str) for each in label) and len(value) < 6
    return False


def _is_message(value: Mapping[str, Any]) -> bool:
    """Whether an object is what a language model's interface returns, alone or in a batch."""
    response = value.get("response")
    body = response.get("body") if isinstance(response, dict) else None
    answer = body if isinstance(body, dict) else value
    lists = (answer.get(key) for key in ("choices", "content", "candidates", "output"))
    counts = isinstance(answer.get("usage", answer.get("usageMetadata")), dict)
    return counts and any(isinstance(each, list) for each in lists)


_TAG = re.compile(r"O|[BIESLUMW]-.+")
_HUGGINGFACE = frozenset({"ner_tags", "labels", "tags"})
_WORD_KEYS, _TAG_KEYS = ("word", "token", "text", "form"), ("tag", "ner", "ner_tag", "label", "iob")


def _is_tagged_token(value: Mapping[str, Any]) -> bool:
    """Whether an object is one token with its tag."""
    tags = [value[key] for key in _TAG_KEYS if isinstance(value.get(key), str)]
    words = [key for key in _WORD_KEYS if isinstance(value.get(key), str)]
    return bool(words) and any(_TAG.fullmatch(tag) for tag in tags)


_LISTS_OF_WORDS = frozenset({"words", "tokens", "word", "token", "forms"})
_LISTS_OF_TAGS = frozenset({"ner", "ner_tags", "tags", "labels", "label", "iob", "bio", "iob_tags"})


def _is_tagged_sentence(value: Mapping[str, Any]) -> bool:
    """Whether an object has a list of words and a list with a tag for each, under other keys than
    huggingface knows. Tags may be numbers if both lists are called as such lists usually are.
    """
    if json_text.OWN & value.keys() or ("tokens" in value and _HUGGINGFACE & value.keys()):
        return False
    lists = {key: each for key, each in value.items() if isinstance(each, list) and each}
    texts = {key: each for key, each in lists.items() if all(isinstance(one, str) for one in each)}
    for key, tags in lists.items():
        words = {name for name in texts if name != key and len(texts[name]) == len(tags)}
        if key in texts and all(map(_TAG.fullmatch, tags)) and any("-" in tag for tag in tags):
            return bool(words)
        numbers = all(type(tag) is int for tag in tags)
        if key in _LISTS_OF_TAGS and numbers and words & _LISTS_OF_WORDS:
            return True
    return False


def _is_by_ids(value: Mapping[str, Any]) -> bool:
    """Whether all values are documents: objects with tokens, or with a text and a list."""
    return bool(value) and all(
        isinstance(each, dict)
        and (isinstance(each.get("tokens"), list)
             or (isinstance(each.get("text"), str)
                 and any(isinstance(part, list) for part in each.values())))
        for each in value.values()
    )  # fmt: skip


def _lists_tagged_sentences(value: Mapping[str, Any]) -> bool:
    """Whether an object has a list of sentences, which are objects with words and their tags."""
    return not json_text.OWN & value.keys() and any(
        isinstance(each, dict)
        and (_is_tagged_sentence(each)
             or (isinstance(tokens := each.get("tokens"), list)
                 and any(isinstance(tags := each.get(key), list) and len(tags) == len(tokens)
                         for key in _LISTS_OF_TAGS)))
        for rows in value.values() if isinstance(rows, list)
        for each in rows[:9]
    )  # fmt: skip


def _is_conversation(value: Mapping[str, Any]) -> bool:
    """Whether an object has what a language model was asked, and what it answered."""
    lists = (value.get("messages"), value.get("conversations"))
    keys = [each.keys() for rows in lists if isinstance(rows, list) for each in rows[:9]
            if isinstance(each, dict)]  # fmt: skip
    return any({"role", "content"} <= each or {"from", "value"} <= each for each in keys)


def _lists_pairs(value: Mapping[str, Any]) -> bool:
    """Whether `annotations` are pairs of a text and its entities."""
    rows = value.get("annotations")
    pairs = [each for each in rows[:9] if each] if isinstance(rows, list) else []
    return bool(pairs) and all(
        isinstance(each, list) and len(each) == 2 and isinstance(each[1], dict) for each in pairs
    )


_OBJECTS: tuple[_Rule, ...] = (
    (_has("title", "h_idx", "t_idx", "r"), "predictions for DocRED",
     "write them as labels (h, t, r) into the documents: title, sents, vertexSet and labels"),
    (lambda value: _has("sentences", "ner")(value) and "mentions" not in value,
     "the format of SciERC and DyGIE", f"{_JSONL}; ends in ner are inclusive"),
    (lambda value: _lists_objects_with(value.get("paragraphs"), "sentences"),
     "training data of spaCy 2", "convert it with spaCy's convert"),
    (_has("token", "h", "t", "relation"), "relations of FewRel or OpenNRE",
     "each object is one relation: write one object per document as jsonl, with relations"),
    (_has("token", "subj_start", "obj_start"), "TACRED",
     "each object is one relation: write one object per document as jsonl, with relations"),
    (_has("sentText", "relationMentions"), "the format of NYT and WebNLG",
     f"{_JSONL} and relations; entityMentions have no places"),
    (_has("document_id", "entity_mentions", "event_mentions"), "the format of WikiEvents and OneIE",
     f"{_JSONL}, with templates for events"),
    (_has("entity_mentions", "event_mentions"), "the format of OneIE", f"{_JSONL}"),
    (lambda value: _lists_objects_with(value.get("annotations"), "start_offset"),
     "an old export of doccano, with numbers for labels",
     "export it as JSONL with text labels, or replace each annotation by [start, end, label]"),
    (lambda value: (_has("tokens", "entities")(value) and "text" not in value
                    and _lists_objects_with(value["entities"], "start")),
     "the format of SpERT", "call entities mentions, and their type label: then it is jsonl"),
    (lambda value: _lists_objects_with(value.get("ner"), "index"),
     "the format of W2NER", f"{_JSONL}; index lists the tokens of a mention"),
    (_lists_pairs, "an export of NER Annotator",
     "write the list under annotations into a file of its own, without null: it is spacy's"),
    (lambda value: _lists_objects_with(value.get("completions"), "result"),
     "an export of Label Studio before 1.0", "rename completions to annotations"),
    (lambda value: _lists_objects_with(value.get("passages"), "offsets"),
     "a dataset of BigBio", f"{_JSONL}; offsets are the places"),
    (lambda value: _has("input_ids", "labels")(value) and "tokens" not in value,
     "a dataset that a tokenizer has made ready for training",
     "save it with tokens and ner_tags, as it was before"),
    (_is_squad, "SQuAD", "write answers as slots: one object per document, as jsonl or records"),
    (_has("doc_key", "clusters", "sentences"), "coreference in the format of e2e-coref",
     f"{_JSONL}, and clusters"),
    (lambda value: "annotations" in value and "categories" in value and "images" in value,
     "COCO, of images", "carob scores mentions in texts"),
    (_is_message, "an answer of a language model's interface",
     "take the text with the JSON out of it, such as choices[0].message.content"),
    (lambda value: _lists_objects_with(value.get("Entities"), "BeginOffset"),
     "output of Amazon Comprehend", f"{_JSONL}; BeginOffset and EndOffset are the places"),
    (lambda value: _lists_objects_with(value.get("textSegmentAnnotations"), "startOffset"),
     "a dataset of Vertex AI", f"{_JSONL}; startOffset and endOffset are the places"),
    (lambda value: _lists_objects_with(value.get("entities"), "salience"),
     "output of Google's Natural Language API", f"{_JSONL}; beginOffset is where a mention begins"),
    (lambda value: "modelVersion" in value and _lists_objects_with(value.get("documents"), "id"),
     "output of Azure's language service", f"{_JSONL}; offset and length are the places"),
    (_is_by_ids, "documents in one object, by their ids",
     "write one object per document, with its id"),
    (_lists_tagged_sentences, "documents in a list in an object",
     "write the list into a file of its own, or one object per line"),
    (_is_tagged_token, "a list of tokens with tags",
     "write it as conll, one token per line, or as objects with tokens and ner_tags"),
    (_is_tagged_sentence,
     "lists of words and of their tags, under other keys than tokens and ner_tags",
     "call them tokens and ner_tags; or, if only the tags have another name, name the format "
     "huggingface and --read tags=NAME"),
    (_is_classes, "labels of whole texts", "carob scores mentions in texts, not classes of texts"),
)  # fmt: skip
"""Objects of JSON files, what they are, and what to do."""

_LIKE_RECORDS: tuple[_Rule, ...] = (
    (_is_conversation, "conversations with a language model",
     "take the answers out: one object per line with id and the text of the answer, which "
     "--read raw=KEY names"),
    (lambda value: _lists_objects_with(value.get("rows"), "row"),
     "rows of the dataset viewer of Hugging Face",
     "write the object under each row into a line of its own"),
    (lambda value: isinstance(answer := value.get("output"), dict) and "entities" in answer,
     "examples of GLiNER2", "write the entities under output beside the text, under entities"),
    (lambda value: _lists_objects_with(value.get("spo_list"), "predicate"),
     "relations of DuIE", "write one object per document with triples: head, type and tail"),
    (lambda value: _lists_objects_with(value.get("content"), "tokens"),
     "the format of MAVEN", f"{_JSONL}; offset counts the tokens of a sentence"),
)  # fmt: skip
"""The same, of objects that other formats may have with keys of their own."""


def foreign(head: bytes) -> tuple[str, str] | None:
    """What a file is that carob does not read, and what to do with it; None for any other file.

    >>> foreign(b'[{"title": "x", "h_idx": 0, "t_idx": 1, "r": "P17"}]')[0]
    'predictions for DocRED'
    >>> foreign(b"Ann B-PER")
    """
    if head[:1] in (b"{", b"["):
        if (known := _known_object(head, _OBJECTS)) is not None:
            return known
        if not head.startswith(b"[") or json_text.samples(head):
            return None
    text = head[:8000].decode("utf-8", "replace").removeprefix("\ufeff")
    if text[:1] == "<":
        return _xml(head)
    for pattern, name, advice in _TEXTS:
        if re.match(pattern, text):
            return name, advice
    return None


def like_records(head: bytes) -> tuple[str, str] | None:
    """What a file is that is not to be taken for records, though its objects could be, and what to
    do with it; None if they are records.

    >>> like_records(b'{"text": "Ann slept", "found": [{"start": 0, "end": 3}]}')[0]
    'objects with places in a text, under found'
    >>> like_records(b'{"talks": [{"title": "x", "start": 9, "end": 10}]}')
    """
    if (known := _known_object(head, _LIKE_RECORDS)) is not None:
        return f"what looks like {known[0]}", known[1]
    if (where := mentions_with_places(head)) is not None:
        return f"objects with places in a text, under {where}", f"{_JSONL}; or {_SLOTS}"
    if keys := keys_of_entities(head):
        found = f"entities with the keys {', '.join(map(shown, keys[:9]))}"
        return found, f"call the key of the words text and that of the label type, or {_SLOTS}"
    return None


def _known_object(head: bytes, rules: Sequence[_Rule]) -> tuple[str, str] | None:
    for value in json_text.samples(head):
        for fits, name, advice in rules:
            if isinstance(value, dict) and fits(value):
                return name, advice
    return None


PLACES = (
    ("start", "end"), ("begin", "end"), ("offset", "length"), ("startOffset", "endOffset"),
    ("start_offset", "end_offset"), ("start_pos", "end_pos"), ("start_char", "end_char"),
    ("start_idx", "end_idx"), ("beginOffset", "endOffset"),
)  # fmt: skip
"""What tools call the two numbers of a place."""
_UNDER = ("location", "position", "span", "offset", "offsets", "interval", "char_interval")
"""What tools call a place."""
_KINDS = ("entity_type", "entity", "label", "tag")
"""What tools call the label of a mention."""


def keys_of_entities(head: bytes) -> list[str]:
    """The keys of objects in a list `entities` that have several texts, but no words or label under
    names that are known; empty if there is no such list.

    >>> keys_of_entities(b'{"entities": [{"surface": "Ann", "kind": "PER"}]}')
    ['surface', 'kind']
    >>> keys_of_entities(b'{"entities": [{"name": "Ann", "age": 3}]}')
    []
    """
    for value in json_text.samples(head):
        rows = value.get("entities") if isinstance(value, dict) else None
        for row in rows[:9] if isinstance(rows, list) else ():
            if isinstance(row, dict) and sum(isinstance(each, str) for each in row.values()) > 1:
                return list(row)
    return []


def mentions_with_places(head: bytes) -> str | None:
    """The key of a list of objects that have places in a text of the objects around it, or the keys
    of the place if an object with a label and a place stands alone.

    >>> mentions_with_places(b'{"content": "Ann slept", "found": [{"start": 0, "end": 3}]}')
    'found'
    >>> mentions_with_places(b'{"content": "Ann", "found": [{"points": [{"start": 0, "end": 2}]}]}')
    'points'
    >>> mentions_with_places(b'[{"entity_type": "PER", "start": 0, "end": 3}]')
    'start and end'
    >>> mentions_with_places(b'{"title": "A", "talks": [{"start": 9, "end": 10}]}')
    """
    for value in json_text.samples(head):
        for row in value[:9] if isinstance(value, list) else [value]:
            if isinstance(row, dict) and any(isinstance(row.get(key), str) for key in _KINDS):
                for keys in PLACES:
                    if _is_span([row.get(key) for key in keys]):
                        return " and ".join(keys)
    waiting: list[tuple[Any, int]] = [(value, 0) for value in json_text.samples(head)]
    while waiting:
        value, longest = waiting.pop()
        if isinstance(value, list):
            waiting += ((each, longest) for each in value[:9])
        if not isinstance(value, dict):
            continue
        longest = max(longest, *(len(each) for each in value.values() if isinstance(each, str)), 0)
        for key, each in value.items():
            if isinstance(each, list) and each and all(_is_place(row, longest) for row in each):
                return shown(key)[1:-1]
        waiting += ((each, longest) for each in value.values())
    return None


def _is_place(row: Any, longest: int) -> bool:
    """Whether an object or list has a place in a text that is this long; one that is called a place
    may be in a text elsewhere.
    """
    if isinstance(row, list):
        numbers = [each for each in row if type(each) is int]
        return len(row) == 3 and any(isinstance(each, str) for each in row) and (
            _is_span(numbers, longest)
        )  # fmt: skip
    if not isinstance(row, dict):
        return False
    inner = [row[key] for key in _UNDER if key in row]
    return any(_is_span([row.get(key) for key in keys], longest) for keys in PLACES) or any(
        _is_span(each) if isinstance(each, list) else isinstance(each, dict)
        and any(_is_span([each.get(key) for key in keys]) for keys in PLACES)
        for each in inner
    )  # fmt: skip


def _is_span(numbers: list[Any], longest: int | None = None) -> bool:
    """Whether these are the two numbers of a place, in a text that is this long."""
    if len(numbers) != 2 or not type(numbers[0]) is type(numbers[1]) is int:
        return False
    start, end = numbers
    return start >= 0 and end > 0 and (longest is None or end <= longest)


def _xml(head: bytes) -> tuple[str, str] | None:
    """What an XML file is. One without any declaration and with an unknown root may be text with
    tags.
    """
    from carob.formats._xml import is_bioc, is_xmi, root_of  # JSON and tables need it not

    if is_bioc(head) or is_xmi(head):
        return None
    root = root_of(head)
    known = _ROOTS.get(root.rpartition(":")[2])
    if known is not None or _DECLARED.match(head) is None:
        return known
    return f"XML of <{shown(root)[1:-1]}>" if root else "XML", _INLINE


_BINARY: tuple[tuple[bytes, str, str], ...] = (
    (b"PK\x03\x04", "a zip archive, which may be a project or a table of a spreadsheet",
     "unpack it, or export the table as CSV"),
    (b"%PDF", "a PDF", "it has no mentions"),
    (b"SQLite format 3\0", "a database of SQLite", "export it: with Prodigy, by prodigy db-out"),
    (b"ARROW1", "a file of Arrow", "save it with Dataset.to_parquet or Dataset.to_json"),
    (b"\xff\xff\xff\xff", "a stream of Arrow", "save it with Dataset.to_parquet or to_json"),
    (b"\x80", "a pickle of Python", "a pickle can run programs: save it as JSON"),
    (b"\x89HDF", "HDF5", "save it as Parquet or JSON"),
    (b"BZh", "data compressed with bzip2", "unpack it, or compress it with gzip"),
    (b"\xfd7zXZ", "data compressed with xz", "unpack it, or compress it with gzip"),
    (b"(\xb5/\xfd", "data compressed with zstd", "unpack it, or compress it with gzip"),
)  # fmt: skip


def binary(head: bytes) -> tuple[str, str]:
    """What a binary file is, and what to do with it.

    >>> binary(b"%PDF-1.7\\0")[0], binary(b"ab\\0")
    ('a PDF', ('a binary file', ''))
    """
    for begins, name, advice in _BINARY:
        if head.startswith(begins):
            return name, advice
    return "a binary file", ""
