"""Comparative evaluation of NLP systems: what each one fixes and breaks, and whether the gap is real.

The public names are loaded when they are first used, so that `import comparanda` is cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from comparanda.version import __version__

if TYPE_CHECKING:
    from comparanda.annotators import compare_keys
    from comparanda.errors import (
        AlignError,
        ComparandaError,
        ExpressionError,
        InputError,
        MissingExtraError,
        ReadError,
        RuleError,
        UsageError,
        WriteError,
    )
    from comparanda.result import Result
    from comparanda.road import compare
    from comparanda.saved import open_result as open

_PLACES = {
    "compare": ("comparanda.road", "compare"),
    "compare_keys": ("comparanda.annotators", "compare_keys"),
    "Result": ("comparanda.result", "Result"),
    "open": ("comparanda.saved", "open_result"),
    **{
        name: ("comparanda.errors", name)
        for name in (
            "AlignError",
            "ComparandaError",
            "ExpressionError",
            "InputError",
            "MissingExtraError",
            "ReadError",
            "RuleError",
            "UsageError",
            "WriteError",
        )
    },
}

__all__ = [
    "AlignError",
    "ComparandaError",
    "ExpressionError",
    "InputError",
    "MissingExtraError",
    "ReadError",
    "Result",
    "RuleError",
    "UsageError",
    "WriteError",
    "__version__",
    "compare",
    "compare_keys",
    "open",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'comparanda' has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _PLACES[name]
    value = getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
