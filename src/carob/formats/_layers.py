"""Layers of annotations, as INCEpTION and WebAnno have them: which one holds the mentions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from carob.corpus.corpus import LAYER
from carob.corpus.problems import shown
from carob.corpus.record import WrongError
from carob.formats import _dialect
from carob.formats._dialect import ChoiceError
from carob.formats._text import signed, unsigned

_LINGUISTIC = (
    ".segmentation.type.", ".lexmorph.type.", ".syntax.type.", ".metadata.type.", ".pdf.type.",
    ".coref.type.", "uima.tcas.", "uima.cas.", "org.dkpro.core.api.xml.",
)  # fmt: skip
"""Parts of the names of layers that hold tokens, sentences, tags and the like."""
_LABELS = ("value", "label", "type", "category", "class", "entity", "name", "tag")
_OTHERS = ("identifier",)
"""Features that are hardly a label."""


def is_linguistic(layer: str) -> bool:
    """Whether a layer holds tokens, sentences, tags or other things that are no mentions.

    >>> is_linguistic("de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token")
    True
    """
    return any(part in layer for part in _LINGUISTIC)


def chosen_layer(layers: Iterable[str], wanted: str) -> str | None:
    """The layer of mentions, by its name or the last part of it; None if there is none.

    >>> chosen_layer(["webanno.custom.Person", "x.segmentation.type.Token"], "")
    'webanno.custom.Person'
    """
    known = sorted(set(layers))
    if wanted:
        found = [each for each in known if wanted in (each, each.rpartition(".")[2])]
    else:
        found = [each for each in known if not is_linguistic(each)]
    if len(found) > 1:
        names = ", ".join(shown(each) for each in found[:6])
        raise ChoiceError(f"the layers {names}", "one of them: --read layer=NAME")
    if wanted and not found:
        return None
    return found[0] if found else None


def layer_of(
    layers: Iterable[str], wanted: str, inside: str | None, facts: Counter[str]
) -> str | None:
    """The layer of mentions of a document; None, which is counted, if it has no annotations. A
    wrong name is refused, unless the other files of a folder (`inside`) may have the layer.
    """
    known = sorted({*layers})
    name = chosen_layer(known, wanted)
    others = [last_name(each) for each in known if not is_linguistic(each)]
    if name is None and wanted and others and inside is None:
        expected = f"one of the layers of the file ({', '.join(others)}): --read layer=NAME"
        raise WrongError(f"no layer {shown(wanted)}", expected)
    facts["unlayered"] += name is None
    if name is not None:
        facts[f"{LAYER}: {name}"] += 1
    return name


def chosen_feature(features: Sequence[str], wanted: str, layer: str) -> str | None:
    """The feature that is the label; None if the layer has none, and its name is the label.

    >>> chosen_feature(["identifier", "value"], "", "custom.Span")
    'value'
    """
    if wanted:
        if wanted not in features:
            known = ", ".join(features) or "none"
            raise WrongError(
                f"no feature {shown(wanted)} in the layer {shown(layer)}", f"one of {known}"
            )
        return wanted
    for name in _LABELS:
        if name in features:
            return name
    others = [each for each in features if each not in _OTHERS]
    if len(others) > 1:
        names = ", ".join(shown(each) for each in others[:6])
        raise ChoiceError(
            f"the features {names} of the layer {shown(layer)}", "one of them: --read feature=NAME"
        )
    return others[0] if others else None


def last_name(layer: str) -> str:
    """The last part of the name of a layer, which is a label where there is no other.

    >>> last_name("webanno.custom.Person")
    'Person'
    """
    return layer.rpartition(".")[2] or layer


def signature_fields(
    layer: str, feature: str, offsets: str, facts: Mapping[Any, int]
) -> tuple[dict[str, str], dict[str, int]]:
    """The layer, the feature, and what offsets counted: UTF-16 units, as in Java, by default."""
    how, counts = _dialect.signature_fields("utf16" if offsets == "auto" else offsets, facts)
    return {"layer": signed(layer), "feature": signed(feature), **how}, counts


def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
    """The parameters again."""
    names = {key: unsigned(fields[key]) for key in ("layer", "feature")}
    return names | {"offsets": fields["offsets"]}


def file_id(inside: str | None) -> dict[str, str]:
    """The id of a document that is a file of a folder: its name there, without the ending.

    >>> file_id("a/b.txt.xmi"), file_id(None)
    ({'id': 'a/b.txt'}, {})
    """
    if inside is None:
        return {}
    name = inside.removesuffix(".gz")
    folder, slash, last = name.rpartition("/")
    stem, dot, _ = last.rpartition(".")
    return {"id": f"{folder}{slash}{stem}" if dot and stem else name}
