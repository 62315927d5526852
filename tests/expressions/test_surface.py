"""What the package shows to the outside, and what it loads."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

import comparanda.expressions as package

PAGE = Path(__file__).parents[2] / "docs" / "expressions.md"


def test_every_public_name_is_there_and_documented() -> None:
    assert sorted(package.__all__) == package.__all__ == dir(package)
    for name in package.__all__:
        assert getattr(package, name) is not None


def test_no_other_name_is_there() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        package.nothing  # noqa: B018 - to look is the test


def test_parsing_and_checking_load_no_numpy() -> None:
    program = """
import sys
from comparanda.expressions import check, parse, unparse
unparse(check(parse("lower(a) == 'b' and matches(a, 'x+')"), {"a": "text"}).expression)
print([name for name in ("numpy", "click", "rich") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_every_function_is_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, function in package.BUILTINS.items():
        assert f"`{function.written(name)}`" in page


def test_the_examples_of_the_page_run() -> None:
    results = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert results.attempted > 5
    assert results.failed == 0
