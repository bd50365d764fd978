"""Schema: the slots of records as a tree, from what a task says or from what gold looks like."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Literal

from carob.corpus.paths import keys_of, path_of
from carob.values.slot import TypedSlot

Unknown = Literal["error", "spurious", "ignore"]


@dataclass(frozen=True, eq=False)
class Node:
    """A slot at its place: `path` is its row, `children` are the nodes of the slots in it."""

    number: int
    path: str
    slot: TypedSlot
    parent: int
    weight: Fraction
    children: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_object(self) -> bool:
        """Whether its fillers are objects with slots of their own."""
        return self.slot.type == "object"


@dataclass(frozen=True, eq=False)
class Schema:
    """All slots of all types of records. The root of a type holds its slots; records without a
    type have the type "".

    >>> schema = Schema.of({"items": TypedSlot("object", "any"), "items.price": TypedSlot()})
    >>> [node.path for node in schema.nodes]
    ['', 'items', 'items.price']
    """

    nodes: tuple[Node, ...]
    roots: Mapping[str, int]
    unknown: Unknown = "spurious"
    key: tuple[str, ...] = ()
    floor: float | None = None
    remarks: tuple[str, ...] = ()
    guessed: bool = False
    """Whether gold alone says of which types the slots are."""

    @classmethod
    def of(
        cls,
        slots: Mapping[str, TypedSlot],
        types: Iterable[str] = ("",),
        unknown: Unknown = "spurious",
        key: tuple[str, ...] = (),
        floor: float | None = None,
        remarks: tuple[str, ...] = (),
        *,
        guessed: bool = False,
    ) -> Schema:
        """The schema of these slots, by path; `types` are those of records, with which paths may
        begin. An object that is not declared, but whose slots are, is single.
        """
        nodes: list[Node] = []
        children: list[dict[str, int]] = []
        roots: dict[str, int] = {}

        def add(path: str, slot: TypedSlot, parent: int, name: str) -> int:
            own = Fraction(str(slot.weight))
            weight = own if parent < 0 else nodes[parent].weight * own
            number = len(nodes)
            children.append({})
            nodes.append(Node(number, path, slot, parent, weight, children[number]))
            if parent >= 0:
                children[parent][name] = number
            return number

        for kind in sorted(set(types) or {""}):
            roots[kind] = add(kind, TypedSlot("object"), -1, "")
        for path in sorted(slots):
            kinds = [kind for kind in roots if kind and path.startswith(f"{kind}.")]
            kind = max(kinds, key=len, default="")
            if kind not in roots:
                roots[kind] = add(kind, TypedSlot("object"), -1, "")
            at, words = roots[kind], keys_of(path[len(kind) + 1 if kind else 0 :])
            for depth, word in enumerate(words):
                if word not in children[at]:
                    here = path_of(words[: depth + 1])
                    here = f"{kind}.{here}" if kind else here
                    slot = slots.get(here, TypedSlot("object"))
                    at = add(here, slot, at, word)
                else:
                    at = children[at][word]
        return cls(tuple(nodes), roots, unknown, key, floor, remarks, guessed)

    @property
    def by_path(self) -> dict[str, int]:
        """The node of each path."""
        return {node.path: node.number for node in self.nodes if node.parent >= 0}

    @cached_property
    def sha256(self) -> str:
        """The hash of everything that says how values count.

        >>> one, other = (Schema.of({"a": TypedSlot(kind)}) for kind in ("string", "number"))
        >>> one.sha256 == other.sha256
        False
        """
        slots = [
            [node.path, node.slot.type, node.slot.fillers, str(node.slot.match), str(node.weight),
             node.slot.ordered, node.slot.key, node.slot.floor, sorted(node.slot.null),
             node.slot.unannotated, repr(node.slot.kind)]
            for node in self.nodes
        ]  # fmt: skip
        whole = [slots, self.unknown, self.key, self.floor]
        return hashlib.sha256(json.dumps(whole).encode()).hexdigest()

    def unweighted(self) -> Schema:
        """The same with weights of 1."""
        return replace(self, nodes=tuple(replace(n, weight=Fraction(1)) for n in self.nodes))

    def whole_weights(self) -> tuple[list[int], int]:
        """The weights of all nodes as whole numbers, and what they are divided by."""
        scale = lcm(*(node.weight.denominator for node in self.nodes))
        if scale > 10**6:
            scale = 10**6
        return [int(node.weight * scale) for node in self.nodes], scale
