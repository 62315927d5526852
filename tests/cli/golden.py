"""Comparing output with a file on record; UPDATE_GOLDEN=1 renews the record."""

from __future__ import annotations

import os
from pathlib import Path

from comparanda.version import __version__

FOLDER = Path(__file__).parent.parent / "golden"


def assert_golden(name: str, text: str) -> None:
    """Compare a text with `tests/golden/NAME`; the version of the program does not matter."""
    path = FOLDER / name
    text = text.replace(__version__, "VERSION")
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{name} differs; UPDATE_GOLDEN=1 renews it if that is right"
