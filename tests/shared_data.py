"""Real files that are too large or too foreign for the repository: they lie beside it, or tests skip."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REASON = "needs ../shared"
ROOT = Path(os.environ.get("COMPARANDA_SHARED") or Path(__file__).parents[2] / "shared")


def shared(path: str) -> Path:
    """Return a path under the shared folder (`$COMPARANDA_SHARED`, by default ../shared), or skip the test."""
    target = ROOT / path
    if not target.exists():
        pytest.skip(REASON)
    return target
