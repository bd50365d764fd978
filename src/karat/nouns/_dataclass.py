"""`dataclass` as Python has it, made in a quarter of the time.

Python writes and compiles up to six methods for each dataclass. A command loads 80 to 100 of them,
and making these took longer than scoring a small corpus. Here `__init__` alone is compiled; the
other methods are the same for every class. What karat has no use for is left out: order,
keyword-only fields, InitVar, and a dataclass that inherits from another.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, TypeVar

Field = dataclasses.Field
T = TypeVar("T")


class _Factory:
    """Stands in a signature for a value that is made anew each time."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()


def _dataclass(
    *, frozen: bool = False, slots: bool = False, eq: bool = True, repr: bool = True
) -> Callable[[type[T]], type[T]]:
    def wrapped(cls: type[T]) -> type[T]:
        made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(cls)
        fields = dataclasses.fields(made)
        methods: dict[str, Any] = {"__init__": _init(made, fields, frozen)}
        if repr:
            methods["__repr__"] = _repr
        if eq:
            methods["__eq__"], hashed = _comparing([f.name for f in fields if f.compare])
            methods["__hash__"] = hashed if frozen else None
        if frozen:
            methods |= {"__setattr__": _unset, "__delattr__": _undeleted}
        if frozen and slots:
            methods |= {"__getstate__": _state, "__setstate__": _restore}
        for name, method in methods.items():
            if name not in vars(made):
                setattr(made, name, method)
        # What a class of another package asks that inherits from this one.
        known = made.__dataclass_params__
        known.init, known.repr, known.eq, known.frozen = True, repr, eq, frozen
        found: type[T] = made
        return found

    return wrapped


if TYPE_CHECKING:  # to a type checker the two are one
    from dataclasses import dataclass as dataclass
else:
    dataclass = _dataclass


def _init(cls: type[Any], fields: tuple[Field[Any], ...], frozen: bool) -> Callable[..., None]:
    names: dict[str, Any] = {"_set": object.__setattr__, "_FACTORY": _FACTORY}
    given, body = [], []
    for field in fields:
        name, default, value = field.name, f"_default_{field.name}", field.name
        if field.default_factory is not dataclasses.MISSING:
            names[default], made = field.default_factory, f"{default}()"
            default, value = "_FACTORY", f"{made} if {name} is _FACTORY else {name}"
        elif field.default is not dataclasses.MISSING:
            names[default], made = field.default, default
        else:
            default, made = "", ""
        if field.init:
            given.append(f"{name}={default}" if default else name)
        else:
            value = made
        if value:
            body.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    lines = "\n ".join(body or ["pass"])
    exec(f"def __init__({', '.join(['self', *given])}):\n {lines}", names)
    init: Callable[..., None] = names["__init__"]
    init.__qualname__, init.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    init.__annotations__ = {f.name: f.type for f in fields if f.init} | {"return": None}
    return init


@recursive_repr()
def _repr(self: Any) -> str:
    told = (f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr)
    return f"{type(self).__qualname__}({', '.join(told)})"


def _comparing(
    names: list[str],
) -> tuple[Callable[[Any, object], bool], Callable[[Any], int]]:
    values: Callable[[Any], tuple[Any, ...]]
    if len(names) > 1:
        values = attrgetter(*names)
    elif names:
        value = attrgetter(*names)

        def values(self: Any) -> tuple[Any, ...]:
            return (value(self),)

    else:

        def values(self: Any) -> tuple[Any, ...]:
            return ()

    def equal(self: Any, other: object) -> bool:
        return values(self) == values(other) if type(self) is type(other) else NotImplemented

    def hashed(self: Any) -> int:
        return hash(values(self))

    return equal, hashed


def _unset(self: Any, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _undeleted(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, f.name) for f in dataclasses.fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)
