"""The ordinary commands on the generated files print what the paper prints, digit by digit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.command import run

from .generate import TREETAGGER_PAV, write_table1, write_table2, write_table9
from .transcription import (
    CLEVERTAGGER,
    DIFFERENCE,
    DIFFERENCES,
    STANFORD,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    TABLE_3_PAIRS,
    TABLE_4,
    TABLE_9,
    TABLE_9_OVERALL,
    TABLE_12,
    TOKENS,
    TREETAGGER,
    Toy,
)

CLASSES = ("correction", "new_error", "changed_error")


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write_table9(tmp_path_factory.mktemp("tables"))


def percent(share: float, digits: int = 2) -> str:
    return f"{100 * share:.{digits}f}"


def inputs(files: dict[str, Path], *systems: str) -> list[str]:
    return [str(files["key"]), *(f"{name}={files[name]}" for name in systems)]


def compared(capsys: pytest.CaptureFixture[str], files: dict[str, Path], *systems: str, **options: str) -> Any:
    words = [part for name, value in options.items() for part in (f"--{name}", value)]
    outcome = run(capsys, "compare", *inputs(files, *systems), "--task", "tag:xpos", "--resamples", 0, "--json", *words)
    assert outcome.code == 0, outcome.err
    return outcome.json["anatomy"]


def table_text(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[list[str]]:
    """Return the words of each line that a command prints."""
    outcome = run(capsys, *arguments)
    assert outcome.code == 0, outcome.err
    return [line.split() for line in outcome.out.splitlines()]


def toy(capsys: pytest.CaptureFixture[str], files: dict[str, Path]) -> Any:
    systems = [f"{name}={path}" for name, path in files.items() if name != "key"]
    outcome = run(capsys, "compare", files["key"], *systems, "--task", "tag", "--resamples", 0, "--json")
    assert outcome.code == 0, outcome.err
    return outcome.json["anatomy"]


def accuracies(anatomy: Any) -> dict[str, str]:
    rows = anatomy["scores"]["scores"]
    return {row["system"]: percent(row["value"], 0) for row in rows if row["measure"] == "accuracy"}


def overlaps(anatomy: Any, field: str) -> dict[tuple[str, str], str]:
    return {(row["base"], row["new"]): percent(row[field], 0) for row in anatomy["pairs"]["pairs"]}


def check_toy(anatomy: Any, table: Toy, field: str) -> None:
    assert accuracies(anatomy) == table.accuracy
    assert overlaps(anatomy, field) == table.overlap


def test_table_1_overlap_on_correct_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_toy(toy(capsys, write_table1(tmp_path)), TABLE_1, "overlap_right")


def test_table_2_overlap_on_all_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_toy(toy(capsys, write_table2(tmp_path)), TABLE_2, "overlap_all")


def test_table_3_scores_and_differences(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    anatomy = compared(capsys, files, STANFORD, TREETAGGER, CLEVERTAGGER)
    found = {(row["system"], row["measure"]): percent(row["value"]) for row in anatomy["scores"]["scores"]}
    for system, row in TABLE_3.items():
        assert found[system, "accuracy"] == row.accuracy
        assert found[system, "sentences"] == row.correct_sentences
    for pair in anatomy["pairs"]["pairs"]:
        printed = TABLE_3_PAIRS[pair["base"], pair["new"]]
        assert percent(pair["diff"]) == printed.diff
        assert percent(pair["score_difference"]) == printed.accuracy_difference


def test_table_4_what_the_difference_consists_of(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    difference = compared(capsys, files, TREETAGGER, CLEVERTAGGER)["difference"]
    assert (difference["different"], difference["sites"]) == (DIFFERENCES, TOKENS)
    assert percent(difference["diff"]) == DIFFERENCE
    for name, found in zip(CLASSES, difference["classes"], strict=True):
        printed = TABLE_4[name.replace("_", " ")]
        assert found["name"] == name
        assert found["count"] == printed.count
        assert percent(found["share_of_differences"]) == printed.share
        for row, (transition, share) in zip(found["transitions"], printed.transitions.items(), strict=False):
            shown = (row["key"], row["base"], row["new"]) if name == "changed_error" else (row["base"], row["new"])
            assert (shown, percent(row["share_of_class"])) == (transition, share)


def test_table_4_as_it_is_printed_on_the_console(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    systems = inputs(files, TREETAGGER, CLEVERTAGGER)
    lines = table_text(capsys, "diff", *systems, "--task", "tag:xpos", "--resamples", 0)
    assert lines[1][:6] == ["Difference", TREETAGGER, "→", CLEVERTAGGER + ":", DIFFERENCE, "%"]
    corrections = [line[1:6] for line in lines if line[:1] == ["correction"]][1:]
    expected = [[new, old, new] for old, new in TABLE_4["correction"].transitions]
    assert [line[:3] for line in corrections] == expected
    assert [line[4] for line in corrections] == list(TABLE_4["correction"].transitions.values())


def test_table_9_upper_bounds(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    combination = compared(capsys, files, STANFORD, TREETAGGER_PAV, CLEVERTAGGER)["combination"]
    rows = [combination["overall"], *combination["labels"][:10]]
    printed = [TABLE_9_OVERALL, *TABLE_9.values()]
    assert [row["label"] for row in rows[1:]] == list(TABLE_9)
    for row, expected in zip(rows, printed, strict=True):
        shares = [percent(share) for share in row["shares"]]
        gain = f"{100 * row['gain_over_best']:+.2f}"
        assert (*shares, percent(row["oracle"]), gain) == tuple(expected)


def test_table_12_largest_differences_by_label(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    labels = compared(capsys, files, TREETAGGER_PAV, CLEVERTAGGER)["difference"]["labels"][: len(TABLE_12)]
    found = {
        row["label"]: (f"{100 * row['difference']:+.2f}", percent(row["base"]), percent(row["new"]), row["sites"])
        for row in labels
    }
    assert list(found) == list(TABLE_12)
    for label, row in TABLE_12.items():
        assert found[label] == tuple(row), label
