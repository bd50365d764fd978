"""Progress: work that may take long says what it does and how far it is, to whoever watches.

Nothing is printed here. Without an observer, which is the default, work is not even counted; the
command line shows a bar on terminals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol, TypeVar

T = TypeVar("T")


class Task(NamedTuple):
    """Something that takes time: what it is, how much there is to do, and how much is done."""

    what: str
    total: float
    done: Callable[[], float]


class Observer(Protocol):
    """Who watches. Tasks may be parts of others: the one that began last is the innermost."""

    def begin(self, task: Task, /) -> None:
        """A task begins."""

    def end(self, task: Task, /) -> None:
        """It ends: done, broken off or failed."""


observer: Observer | None = None
"""Who watches this process, all its threads included; None for nobody."""


@contextmanager
def watched(what: str, total: float, done: Callable[[], float]) -> Iterator[None]:
    """Within it, the observer sees this task. `done` says how much of `total` is done."""
    watching, task = observer, Task(what, total, done)
    if watching is not None:
        watching.begin(task)
    try:
        yield
    finally:
        if watching is not None:
            watching.end(task)


def steps(
    things: Iterable[T],
    what: str,
    total: float | None = None,
    size: Callable[[T], float] | None = None,
) -> Iterator[T]:
    """The things, one after another; the observer sees how many of them are done, or with `size`
    and `total`, how much.

    >>> list(steps("abc", "letters"))
    ['a', 'b', 'c']
    """
    count = 0.0
    if total is None:
        things = list(things)
        total = len(things)
    with watched(what, total, lambda: count):
        for thing in things:
            yield thing
            count += 1 if size is None else size(thing)
