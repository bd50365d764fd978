"""From events to why: kinds of errors, gains, examples, and the rules of other tools.

`carob.explain` is this folder and also a function, `carob.evaluate.explain.explain`: a module can
be called if its class says so.
"""

from __future__ import annotations

import sys
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:  # as typing has it, without the time that typing takes
    from typing import Any


class _Folder(ModuleType):
    def __call__(self, *arguments: Any, **options: Any) -> Any:
        from importlib import import_module

        return import_module("carob.evaluate.explain").explain(*arguments, **options)


sys.modules[__name__].__class__ = _Folder
