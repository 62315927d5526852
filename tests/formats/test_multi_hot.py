"""Arrays of 0 and 1, class numbers and arrays of scores are read as labels, or refused; never as something else."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.metrics import f1_score

import comparanda as cp
from comparanda.errors import ComparandaError
from tests.command import run

CLASSES = ["sports", "politics", "arts"]
KEY = np.array([[0, 1, 1], [1, 0, 0], [0, 0, 1], [1, 1, 0]])
GUESS = np.array([[0, 1, 0], [1, 0, 0], [0, 1, 1], [1, 0, 0]])  # of 6 labels 4 are right, and 1 is surplus
F1 = 8 / 11
HINT = (
    'name the columns: classes=["a", "b", …] in Python, ?classes=a,b,… after a path; '
    "write labels named 0 and 1 as strings"
)


def f1(key: Any, guess: Any, **options: Any) -> float | None:
    return cp.compare(key, {"a": guess}, task="label", resamples=0, **options).scores("f1").value("a")


def refused(key: Any, guess: Any, **options: Any) -> list[str]:
    with pytest.raises(ComparandaError) as error:
        f1(key, guess, **options)
    return str(error.value).splitlines()


@pytest.mark.parametrize(
    "convert",
    [
        np.asarray,
        lambda array: array.tolist(),
        lambda array: array.astype(bool),
        lambda array: array.astype(bool).tolist(),
        lambda array: array.astype(float),
        csr_matrix,
        lambda array: pd.DataFrame({"labels": array.tolist()}),
    ],
    ids=["array", "lists", "booleans", "lists of booleans", "floats", "sparse", "cells of a frame"],
)
def test_columns_of_0_and_1_are_refused_without_the_names_of_classes(convert: Any) -> None:
    message = refused(convert(KEY), convert(GUESS))
    name = "labels" if isinstance(convert(KEY), pd.DataFrame) else "label"
    assert message == [
        f"<key>:1: {name!r}: expected labels, got rows of 3 values that are all 0 or 1",
        f"  {HINT}",
    ]
    assert f1(convert(KEY), convert(GUESS), classes=CLASSES) == pytest.approx(F1)


@pytest.mark.parametrize("rows", [[[0, 1], [1, 0]], [[0], [1]], [[True, False], [False, True]], [[1, 1], [0, 1]]])
def test_rows_of_0_and_1_that_can_be_sets_or_columns_are_refused(rows: list[list[int]]) -> None:
    assert refused(rows, rows)[1] == f"  {HINT}"


def test_rows_of_other_lengths_are_sets_of_labels() -> None:
    assert f1([[0, 1], [1], []], [[0], [1], [0, 1]]) == pytest.approx(4 / 7)
    assert f1([{0, 1}, {1, 0}], [{0, 1}, {1}]) == pytest.approx(6 / 7)
    assert f1([["0", "1"], ["1", "0"]], [["0", "1"], ["1"]]) == pytest.approx(6 / 7)


def test_a_row_with_a_number_twice_is_not_a_set() -> None:
    assert refused([[2, 0, 2], [0, 1, 3]], [[2, 0, 1], [0, 1, 3]]) == [
        "<key>:1: 'label': expected a set of labels, got a list of numbers with the same one twice: [2, 0, 2]",
        "  give each label of a row once, or the labels as strings",
    ]


def test_arrays_of_scores_are_refused() -> None:
    scores = np.array([[0.25, 0.75], [0.5, 0.5]])
    assert refused(["a", "b"], scores) == [
        "<a>:1: 'label': expected labels, got a list of fractions such as scores: [0.25, 0.75]",
        "  give labels: of an array of scores a.argmax(axis=1), with classes=[…], for one label a row, "
        "or a >= 0.5 for several",
    ]
    assert refused(KEY, GUESS * 0.75, classes=CLASSES)[0].startswith("<a>:1: 'label': expected labels, got a list of")
    found = cp.compare(["a", "b"], {"a": scores.argmax(axis=1)}, task="label", classes=["a", "b"], resamples=0)
    assert found.scores("accuracy").value("a") == 0.0  # argmax is b, a


def test_a_wrong_number_of_classes_is_refused() -> None:
    assert refused(KEY, GUESS, classes=["sports", "arts"]) == [
        "<key>:1: 'label': expected labels, got rows of 3 values that are all 0 or 1",
        "  there are 2 classes: give the names of all 3 columns",
    ]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_columns_of_a_frame_name_the_classes(frame: Any) -> None:
    def make(array: Any, **more: list[str]) -> Any:
        return frame({**more, **{name: array[:, place].tolist() for place, name in enumerate(CLASSES)}})

    assert f1(make(KEY), make(GUESS)) == pytest.approx(F1)
    ids = {"id": ["r1", "r2", "r3", "r4"]}
    assert f1(make(KEY, **ids), make(GUESS[::-1], id=ids["id"][::-1])) == pytest.approx(F1)
    text = {"text": ["a", "b", "c", "d"]}
    assert f1(make(KEY, **text), GUESS, classes=CLASSES) == pytest.approx(F1)


def test_class_numbers_become_names() -> None:
    found = cp.compare([0, 1, 1], [1, 1, 0], task="label", classes=["neg", "pos"], resamples=0)
    assert found.verdicts.view().sites.names == ("neg", "pos")
    assert refused([0, 1, 2], [0, 1, 2], classes=["neg", "pos"])[0] == (
        "<key>:3: 'label' is 2, but classes are numbered 0 to 1"
    )


def test_json_lines_are_read_alike(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, array in {"key": KEY, "a": GUESS}.items():
        lines = [f'{{"id": {number}, "label": {row}}}' for number, row in enumerate(array.tolist())]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    told = run(capsys, "score", f"{tmp_path}/key.jsonl", f"{tmp_path}/a.jsonl", "--task", "label")
    assert told.code == 3
    assert "expected labels, got rows of 3 values that are all 0 or 1" in told.err
    paths = [f"{tmp_path}/{name}.jsonl?classes=sports,politics,arts" for name in ("key", "a")]
    told = run(capsys, "score", *paths, "--task", "label", "--resamples", "0")
    assert "72.73" in told.out


def test_classes_are_for_labels_of_rows() -> None:
    with pytest.raises(ComparandaError, match="classes: the task 'tag' has no labels of rows"):
        cp.compare(["A"], {"a": ["A"]}, task="tag", classes=["A"])
    for wrong in ("abc", ["a", "a"], [1, 2]):
        with pytest.raises(ComparandaError, match="classes: "):
            cp.compare(["a"], {"a": ["a"]}, task="label", classes=wrong)  # type: ignore[arg-type]


@given(st.integers(2, 5), st.integers(2, 12), st.randoms(use_true_random=False))
@settings(max_examples=25, deadline=None)
def test_f1_is_that_of_scikit_learn(classes: int, rows: int, random: Any) -> None:
    key, guess = (np.array([[random.randint(0, 1) for _ in range(classes)] for _ in range(rows)]) for _ in range(2))
    key[0] = 1  # macro F1 of scikit-learn counts classes that do not occur in the key as 0, ours leaves them out
    names = [f"c{number}" for number in range(classes)]
    found = cp.compare(key, {"a": guess}, task="label", classes=names, resamples=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        micro, macro = (f1_score(key, guess, average=average) for average in ("micro", "macro"))
    assert found.scores("f1").value("a") == pytest.approx(micro)
    assert found.scores("macro_f1").value("a") == pytest.approx(macro)
