"""Comparative evaluation of NLP systems: what each one fixes and breaks, and whether the gap is real.

The public names are loaded when they are first used, so that `import comparanda` is cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from comparanda.version import __version__

if TYPE_CHECKING:
    from comparanda.api.baseline import gate
    from comparanda.api.combination import combine
    from comparanda.api.comparison import compare, compare_keys
    from comparanda.api.outputs import agreement
    from comparanda.api.review import ask
    from comparanda.api.simulations import simulate
    from comparanda.api.submissions import leaderboard
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
    from comparanda.formats.inputs import Runs
    from comparanda.result import Result
    from comparanda.storage.reader import open_result as open

_EXPORTS = {
    "combine": ("comparanda.api.combination", "combine"),
    "compare": ("comparanda.api.comparison", "compare"),
    "agreement": ("comparanda.api.outputs", "agreement"),
    "ask": ("comparanda.api.review", "ask"),
    "compare_keys": ("comparanda.api.comparison", "compare_keys"),
    "leaderboard": ("comparanda.api.submissions", "leaderboard"),
    "Result": ("comparanda.result", "Result"),
    "gate": ("comparanda.api.baseline", "gate"),
    "Runs": ("comparanda.formats.inputs", "Runs"),
    "simulate": ("comparanda.api.simulations", "simulate"),
    "open": ("comparanda.storage.reader", "open_result"),
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
    "Runs",
    "UsageError",
    "WriteError",
    "__version__",
    "agreement",
    "ask",
    "combine",
    "compare",
    "compare_keys",
    "gate",
    "leaderboard",
    "open",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'comparanda' has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _EXPORTS[name]
    value = getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
