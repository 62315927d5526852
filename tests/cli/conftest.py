"""A folder to work in, with the demo's files in `demo/`."""

from __future__ import annotations

from pathlib import Path

import pytest

from comparanda.demo import copy_demo


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def demo(work: Path) -> Path:
    """The current folder, with the demo's files in `demo/`."""
    copy_demo("demo")
    return work
