"""From results to text: tables for people, JSON and CSV for programs, and pages.

`carob.report` is this folder and also a function, `carob.evaluate.report.report`: a module can be
called if its class says so.
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

        return import_module("carob.evaluate.report").report(*arguments, **options)


sys.modules[__name__].__class__ = _Folder
