"""Memory is given back where the C library can do that, and nothing happens where it cannot."""

from __future__ import annotations

import subprocess
import sys
from mmap import PAGESIZE
from pathlib import Path

import pytest

from comparanda.scale import driver

# In a process of its own: in that of other tests, their threads may take memory meanwhile.
FREE_A_BLOCK = """
from pathlib import Path
import numpy as np
from comparanda.scale import driver

def count_resident_pages():
    return int(Path("/proc/self/statm").read_text().split()[1])

driver.release_free_memory()
before = count_resident_pages()
block = np.ones(16 << 20, np.uint8)
held = count_resident_pages()
del block
print(held - before, count_resident_pages() - before)
"""


def test_a_function_that_the_library_lacks() -> None:
    assert driver._c_function("no_function_is_called_so") is None


def test_without_these_functions_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "_c_function", lambda _: None)
    driver.release_free_memory()


def test_freed_blocks_go_back_to_the_system() -> None:
    if not Path("/proc/self/statm").exists() or driver._c_function("malloc_trim") is None:
        pytest.skip("another C library, or another system")
    found = subprocess.run([sys.executable, "-c", FREE_A_BLOCK], capture_output=True, text=True, check=True)
    held, kept = map(int, found.stdout.split())
    pages = (16 << 20) // PAGESIZE
    assert held >= pages * 9 // 10
    assert kept <= pages // 10
