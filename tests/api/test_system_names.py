"""Systems without names: a single output, or a list of outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import comparanda as cp
from comparanda.api.system_names import name_systems
from comparanda.errors import ComparandaError

KEY = ["x", "y", "x"]
DOCUMENTS = [{"id": "d1", "spans": []}]


def names(key: Any, systems: Any) -> list[str]:
    return list(name_systems(key, systems))


@pytest.mark.parametrize(
    ("key", "systems", "expected"),
    [
        (KEY, ["x", "y", "y"], ["system"]),
        (KEY, ["x"], ["system"]),  # refused later: it does not cover the key
        (KEY, [["x", "y", "y"]], ["system 1"]),
        (KEY, [["x", "y", "y"], ["x", "x", "x"]], ["system 1", "system 2"]),
        (KEY, np.array([["x", "y", "y"], ["x", "x", "x"]]), ["system 1", "system 2"]),
        (KEY, pd.Series(["x", "y", "y"], name="crf"), ["crf"]),
        (KEY, pd.Series(["x", "y", "y"]), ["system"]),
        (KEY, [pd.Series(KEY, name="crf"), pd.Series(KEY, name="bert")], ["crf", "bert"]),
        (KEY, [pd.Series(KEY, name="crf"), pd.Series(KEY)], ["system 1", "system 2"]),
        (KEY, [pd.Series(KEY, name="label"), pd.Series(KEY, name="label")], ["system 1", "system 2"]),
        (KEY, pd.DataFrame({"label": KEY}), ["system"]),
        (KEY, cp.Runs(KEY, ["y", "y", "y"]), ["system"]),
        ([["x"], ["y"], ["x"]], [["x"], ["y"], ["y"]], ["system"]),
        ([["x"], ["y"]], [[["x"], ["y"]], [["x"], ["x"]]], ["system 1", "system 2"]),
        (["x", "y"], [["x", "y"], ["y", "x"]], ["system 1", "system 2"]),
        (np.eye(3), np.eye(3), ["system"]),
        (np.eye(3), [np.eye(3), np.eye(3)], ["system 1", "system 2"]),
        ({"r1": "x"}, [{"r1": "x"}, {"r1": "y"}], ["system 1", "system 2"]),
        (DOCUMENTS, DOCUMENTS, ["system"]),
        (DOCUMENTS, [DOCUMENTS, DOCUMENTS], ["system 1", "system 2"]),
        ("gold.csv", "out/crf.csv", ["crf"]),
        ("gold.csv", ["crf.csv", Path("out/bert.csv")], ["crf", "bert"]),
        ("gold.csv", ["a/out.csv", "b/out.csv"], ["system 1", "system 2"]),
        (KEY, {"mine": ["x"]}, ["mine"]),
    ],
)  # fmt: skip
def test_the_names_of(key: Any, systems: Any, expected: list[str]) -> None:
    assert names(key, systems) == expected


def test_what_can_be_one_output_or_several_is_refused() -> None:
    with pytest.raises(ComparandaError) as error:
        names("gold.csv", [["x", "y"], ["y", "x"]])
    assert str(error.value).splitlines() == [
        "systems: expected a dictionary of outputs by name, got a list that can be one output or several",
        '  name them: {"a": first, "b": second}',
    ]


def test_they_are_compared_under_these_names() -> None:
    found = cp.compare(KEY, [["x", "y", "y"], ["x", "y", "x"]], task="label", resamples=0)
    assert found.systems == ("system 1", "system 2")
    assert found.difference("system 1", "system 2").diff == pytest.approx(1 / 3)


def test_a_missing_task_is_said() -> None:
    with pytest.raises(ComparandaError) as error:
        cp.compare(KEY, KEY)
    assert str(error.value).splitlines() == [
        "missing argument 'task'",
        '  add task="label" for labels of rows, "pos" or "tag" for tags of words, "span" for entities …',
    ]


def test_an_empty_list_has_no_system() -> None:
    with pytest.raises(ComparandaError, match="no system to compare with the key"):
        cp.compare(KEY, [], task="label")
