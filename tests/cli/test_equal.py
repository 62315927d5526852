"""Equal input gives equal bytes; the order of systems changes no number."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from tests.cli.files import DEMO, program
from tests.command import run

pytestmark = pytest.mark.slow

SYSTEMS = ("demo/brill.conllu", "demo/spacy.conllu", "demo/hanta.conllu")


@pytest.mark.parametrize("command", [("compare", "--by", "label"), ("score",), ("diff",), ("examples",)])
def test_equal_input_gives_equal_bytes(
    command: tuple[str, ...], demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = (*command, *DEMO[:-1], "200", "--json", "-q")
    assert run(capsys, *arguments).out == run(capsys, *arguments).out


def test_hash_seeds_of_python_change_nothing(demo: Path) -> None:
    arguments = ("compare", *DEMO[:-1], "200", "--by", "label,genre", "--json")
    outputs = {program(*arguments, env={"PYTHONHASHSEED": seed}).stdout for seed in ("0", "1", "4711")}
    assert len(outputs) == 1
    assert len(outputs.pop()) > 1000


def test_the_order_of_systems_changes_no_number(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for order in permutations(SYSTEMS):
        arguments = ("demo/key.conllu", *order, "--task", "pos", "--resamples", "200", "--base", "brill")
        found.append(_numbers(run(capsys, "compare", *arguments, "--by", "label", "--json", "-q").json["anatomy"]))
    assert all(numbers == found[0] for numbers in found)


def _numbers(anatomy: dict[str, Any]) -> dict[str, Any]:
    """Return every number with the names of what it is about, in an order of its own."""
    scores = {(each["system"], each["measure"]): (each["value"], each["low"]) for each in anatomy["scores"]["scores"]}
    pairs = {frozenset((each["base"], each["new"])): each["different"] for each in anatomy["pairs"]["pairs"]}
    tests = {
        frozenset((each["base"], each["new"])): (abs(each["difference"]), each["p"], each["p_holm"])
        for each in anatomy["significance"]["tests"]
    }
    combination = anatomy["combination"]
    labels = {
        each["label"]: (each["sites"], each["oracle_right"], sorted(each["right"])) for each in combination["labels"]
    }
    slices = {
        each["value"]: (dict(zip(anatomy["slices"][0]["systems"], each["scores"], strict=True)), each["p_corrected"])
        for each in anatomy["slices"][0]["slices"]
    }
    return {
        "scores": scores,
        "pairs": pairs,
        "tests": tests,
        "difference": anatomy["difference"],
        "labels": labels,
        "hardness": combination["hardness"],
        "agreement": combination["agreement"],
        "slices": slices,
    }
