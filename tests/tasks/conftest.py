"""A fixture for comparing texts as trees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import comparanda as cp
from comparanda import Result


@pytest.fixture
def compared(tmp_path: Path) -> Any:
    """Give a function that compares texts."""

    def compare(key: str, *systems: str, **options: Any) -> Result:
        names = ["tree", "clever", "third"][: len(systems)]
        for name, text in zip(["key", *names], [key, *systems], strict=True):
            (tmp_path / f"{name}.conllu").write_text(text, encoding="utf-8")
        files = {name: str(tmp_path / f"{name}.conllu") for name in names}
        return cp.compare(str(tmp_path / "key.conllu"), files, task="dep", **{"resamples": 0, **options})

    return compare
