"""Memory is given back where the C library can do that, and nothing happens where it cannot."""

from __future__ import annotations

from mmap import PAGESIZE
from pathlib import Path

import numpy as np
import pytest

from comparanda.scale import driver


def resident() -> int:
    """Return the resident set of this process, in pages."""
    return int(Path("/proc/self/statm").read_text().split()[1])


def test_a_function_that_the_library_lacks() -> None:
    assert driver._c_function("no_function_is_called_so") is None


def test_without_these_functions_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "_c_function", lambda _: None)
    driver.keep_little()


def test_freed_blocks_go_back_to_the_system() -> None:
    if not Path("/proc/self/statm").exists() or driver._c_function("malloc_trim") is None:
        pytest.skip("another C library, or another system")
    driver.keep_little()
    before = resident()
    block = np.ones(16 << 20, np.uint8)
    held = resident()
    del block
    pages = (16 << 20) // PAGESIZE
    assert held - before >= pages * 9 // 10
    assert resident() - before <= pages // 10
