"""Comparative evaluation of NLP systems: what each one fixes and breaks, and whether the gap is real.

The public names are loaded when they are first used, so that `import comparanda` is cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from comparanda.version import __version__

if TYPE_CHECKING:
    from comparanda.agreeing import agreement
    from comparanda.annotators import compare_keys
    from comparanda.asking import ask
    from comparanda.comparing import compare
    from comparanda.ensemble import combine
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
    from comparanda.gates import gate
    from comparanda.leaderboards import leaderboard
    from comparanda.read.runs import Runs
    from comparanda.result import Result
    from comparanda.saved import open_result as open
    from comparanda.simulating import simulate

_PLACES = {
    "combine": ("comparanda.ensemble", "combine"),
    "compare": ("comparanda.comparing", "compare"),
    "agreement": ("comparanda.agreeing", "agreement"),
    "ask": ("comparanda.asking", "ask"),
    "compare_keys": ("comparanda.annotators", "compare_keys"),
    "leaderboard": ("comparanda.leaderboards", "leaderboard"),
    "Result": ("comparanda.result", "Result"),
    "gate": ("comparanda.gates", "gate"),
    "Runs": ("comparanda.read.runs", "Runs"),
    "simulate": ("comparanda.simulating", "simulate"),
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
    if name not in _PLACES:
        raise AttributeError(f"module 'comparanda' has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _PLACES[name]
    value = getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
