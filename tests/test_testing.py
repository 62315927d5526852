"""The helper for tests of other projects, tried in a small project of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from comparanda.demo import copy_demo
from comparanda.testing import assert_no_regression

PROJECT = """
from comparanda.testing import assert_no_regression

FILES = dict(key="demo/key.conllu", base="demo/hanta.conllu", task="pos", resamples=0)


def test_that_holds():
    assert_no_regression(new="demo/spacy.conllu", require="accuracy >= base", max_new_errors="3%", **FILES)


def test_that_does_not():
    assert_no_regression(new="demo/brill.conllu", max_new_errors=20, label="NOUN", top=2, **FILES)


def test_that_asks_wrongly():
    assert_no_regression(new="demo/brill.conllu", max_new_errors=20, label="NUON", **FILES)
"""


@pytest.mark.slow
def test_a_project_sees_what_broke(tmp_path: Path) -> None:
    copy_demo(str(tmp_path / "demo"))
    (tmp_path / "test_release.py").write_text(PROJECT, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=.", "-c", os.devnull, "."]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, timeout=120)
    assert done.returncode == 1
    assert "2 failed, 1 passed" in done.stdout
    assert "AssertionError: Gate failed: 1 of 1 check does not hold (base → new)" in done.stdout
    assert "new errors   at most 20 (NOUN)" in done.stdout
    assert '2 of 40 examples shown where new_error and key == "NOUN"' in done.stdout
    assert "the label 'NUON' does not occur in the key (did you mean 'NOUN'?)" in done.stdout
    assert "found = gate(" not in done.stdout  # pytest points at the test, not into the helper


def test_what_holds_says_nothing_and_what_does_not_shows_the_gate() -> None:
    key, base = list("AAB"), list("AAA")
    assert_no_regression(key, base, list("AAB"), task="tag", max_new_errors=0, resamples=0)
    with pytest.raises(AssertionError, match=r"(?s)^Gate failed: 1 of 1.*1 of 1 example shown where new_error"):
        assert_no_regression(key, base, list("BAB"), task="tag", max_new_errors=0, resamples=0)
