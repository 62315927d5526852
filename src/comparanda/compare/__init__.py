"""From verdicts to findings; nothing here knows files or tasks.

The package has the name of the function `comparanda.compare`, and importing it puts it in the function's
place until that is first asked for. So that `comparanda.compare(…)` works in any order, the package can
be called like the function.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    def __call__(self, *arguments: Any, **options: Any) -> Any:
        import comparanda

        return comparanda.__getattr__("compare")(*arguments, **options)


sys.modules[__name__].__class__ = _Callable
