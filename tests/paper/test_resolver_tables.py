"""The ordinary command on the generated chains prints what table 8 prints, digit by digit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.command import run

from .resolver_chains import OTHER_ANTECEDENTS, write_resolvers
from .resolver_transcription import DIFFERENCE, DIFFERENCES, HOT, SITES, STANFORD, TABLE_8

SETTINGS = ("--task", "coref", "--resamples", "0")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write_resolvers(tmp_path_factory.mktemp("resolvers"))


def percent(share: float) -> str:
    return f"{100 * share:.2f}"


def arguments(files: dict[str, Path], view: str) -> list[str]:
    systems = [f"{name}={files[name]}" for name in (HOT, STANFORD)]
    return [str(files["key"]), *systems, *SETTINGS, "--view", view]


def difference(capsys: pytest.CaptureFixture[str], files: dict[str, Path], view: str) -> Any:
    outcome = run(capsys, "diff", *arguments(files, view), "--json")
    assert outcome.code == 0, outcome.err
    return outcome.json["difference"]


def test_table_8_what_the_difference_consists_of(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    found = difference(capsys, files, "nominal")
    assert (found["different"], found["sites"], percent(found["diff"])) == (DIFFERENCES, SITES, DIFFERENCE)
    for each, (name, printed) in zip(found["classes"], TABLE_8.items(), strict=True):
        assert each["name"] == name.replace(" ", "_")
        assert (each["count"], percent(each["share_of_differences"])) == (printed.count, printed.share)
        rows = {(row["base"], row["new"]): percent(row["share_of_differences"]) for row in each["transitions"]}
        assert rows == printed.transitions


def test_table_8_as_it_is_printed_on_the_console(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "diff", *arguments(files, "nominal"))
    assert outcome.code == 0, outcome.err
    lines = [line.split() for line in outcome.out.splitlines()]
    title = f"Difference hotcoref → stanford: {DIFFERENCE} % ({DIFFERENCES:,}/{SITES:,}), Δ accuracy +1.11"
    assert title.split() in lines
    for name, printed in TABLE_8.items():
        words = name.split()
        total, *shown = [line[len(words) :] for line in lines if line[: len(words)] == words]
        assert (total[0], total[2]) == (f"{printed.count:,}", printed.share)
        found = {(row[1], row[2]): row[5] for row in shown}
        assert found == printed.transitions
        keys = {(row[1], row[2]): row[0] for row in shown}
        assert all(key == ("tn" if {*classes} & {"fp", "tn"} else "tp") for classes, key in keys.items())


def test_antecedents_tell_apart_what_classes_do_not(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    found = difference(capsys, files, "nominal_antecedents")
    more = sum(OTHER_ANTECEDENTS.values())
    assert (found["different"], found["sites"]) == (DIFFERENCES + more, SITES)
    corrections, new_errors, changed = (each["count"] for each in found["classes"])
    expected = [printed.count for printed in TABLE_8.values()]
    assert [corrections, new_errors, changed] == [*expected[:2], expected[2] + more]
    rows = {(row["base"], row["new"]): row["count"] for row in found["classes"][2]["transitions"]}
    assert {classes: rows[classes] for classes in OTHER_ANTECEDENTS} == OTHER_ANTECEDENTS
