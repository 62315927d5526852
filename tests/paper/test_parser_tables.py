"""The ordinary commands on the generated parses print what tables 5, 6 and 10 print, digit by digit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.command import run
from tests.seeds import first_few

from .parser_counts import SENTENCES
from .parser_transcription import (
    DIFFERENCE,
    DIFFERENCES,
    GAINS_FROM_COUNTS,
    NN,
    PARSERS,
    PARSEY,
    TABLE_5,
    TABLE_5_PAIRS,
    TABLE_6,
    TABLE_10,
    TABLE_10_OVERALL,
    WORDS,
)
from .parser_trees import PUNCTUATION, TOKENS, write_parsers

POLICIES = ("ptb", "ud-punct", "unicode-p")  # the same words in these files
SETTINGS = ("--task", "dep", "--labels", "full", "--resamples", "0")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write_parsers(tmp_path_factory.mktemp("parsers"))


def percent(share: float) -> str:
    return f"{100 * share:.2f}"


def inputs(files: dict[str, Path], *systems: str) -> list[str]:
    return [str(files["key"]), *(f"{name}={files[name]}" for name in systems)]


def output(capsys: pytest.CaptureFixture[str], command: str, *arguments: object) -> Any:
    outcome = run(capsys, command, *arguments, *SETTINGS, "--json")
    assert outcome.code == 0, outcome.err
    return outcome.json


def difference(capsys: pytest.CaptureFixture[str], files: dict[str, Path], policy: str, *more: object) -> Any:
    return output(capsys, "diff", *inputs(files, NN, PARSEY), "--punctuation", policy, *more)["difference"]


@pytest.fixture
def anatomy(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> Any:
    return output(capsys, "compare", *inputs(files, *PARSERS), "--punctuation", "ptb")["anatomy"]


# --- table 5 ------------------------------------------------------------------------------------------------


def test_table_5_scores(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    rows = output(capsys, "score", *inputs(files, *PARSERS), "--punctuation", "ptb")["scores"]["scores"]
    found = {(row["system"], row["measure"]): row for row in rows}
    measures = ("uas.accuracy", "ls.accuracy", "las.accuracy", "las.sentences")
    for name, printed in TABLE_5.items():
        assert tuple(percent(found[name, measure]["value"]) for measure in measures) == printed
        assert found[name, "las.sentences"]["whole"] == SENTENCES


def test_table_5_diff_beside_the_difference_of_scores(anatomy: Any) -> None:
    found = {
        (row["base"], row["new"]): (percent(row["diff"]), percent(row["score_difference"]))
        for row in anatomy["pairs"]["pairs"]
    }
    assert found == TABLE_5_PAIRS


# --- table 6 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", first_few(1, POLICIES))
def test_table_6_what_the_difference_consists_of(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str], policy: str
) -> None:
    found = difference(capsys, files, policy)
    assert (found["different"], found["sites"], percent(found["diff"])) == (DIFFERENCES, WORDS, DIFFERENCE)
    for each, (name, printed) in zip(found["classes"], TABLE_6.items(), strict=True):
        assert each["name"] == name.replace(" ", "_")
        assert (each["count"], percent(each["share_of_differences"])) == (printed.count, printed.share)
        rows = [
            ((row["key"],) * (name == "changed error") + (row["base"], row["new"]), percent(row["share_of_class"]))
            for row in each["transitions"][:5]
        ]
        assert rows == list(printed.transitions.items())


def test_table_6_where_the_label_stays_the_head_has_moved(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [row for each in difference(capsys, files, "ptb")["classes"] for row in each["transitions"]]
    same = [row for row in rows if row["base"] == row["new"]]
    assert len(same) > 40
    for row in same:
        assert [(change["aspects"], change["count"]) for change in row["changes"]] == [(["head"], row["count"])]


def test_table_6_keyed_by_whole_values_has_the_same_classes(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    found = difference(capsys, files, "ptb", "--keyed-by", "value")["classes"]
    assert [each["count"] for each in found] == [each.count for each in TABLE_6.values()]
    assert all(row["base"] != row["new"] for each in found for row in each["transitions"])


def test_table_6_as_it_is_printed_on_the_console(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "diff", *inputs(files, NN, PARSEY), *SETTINGS, "--punctuation", "ptb")
    assert outcome.code == 0, outcome.err
    lines = [line.split() for line in outcome.out.splitlines()]
    title = f"Difference nn → parsey: {DIFFERENCE} % ({DIFFERENCES:,}/{WORDS:,}), Δ accuracy +2.51"
    assert title.split() in lines
    for name, printed in TABLE_6.items():
        words = name.split()
        rows = [line[len(words) :] for line in lines if line[: len(words)] == words]
        total, *shown = [row for row in rows if row and row[-1][-1].isdigit()]
        assert (total[0], total[3]) == (f"{printed.count:,}", printed.share)
        for row, (labels, share) in zip(shown, printed.transitions.items(), strict=True):
            key = labels[-1] if name == "correction" else labels[0]
            assert (row[:3], row[5]) == ([key, *labels[-2:]], share)
            count, moved = row[3], row[4]
            assert moved == (count if labels[-1] == labels[-2] or len(labels) == 3 else "0")


def test_with_punctuation_kept_table_6_is_another(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    found = difference(capsys, files, "keep")
    assert found["sites"] == TOKENS == WORDS + PUNCTUATION
    assert found["classes"][0]["transitions"][0]["key"] == "punct"
    assert found["different"] > DIFFERENCES


@pytest.mark.slow
def test_a_label_map_takes_the_two_versions_of_the_label_set_out_of_the_new_errors(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Parsey's labels partmod and infmod are vmod in the key: 319 of 2154 new errors are a change of names."""
    outcome = run(capsys, "diff", *inputs(files, NN, PARSEY), *SETTINGS, "--punctuation", "ptb")
    assert "labels the key never uses: 2 (infmod ×117, likely vmod (100 %), partmod ×238, likely vmod" in outcome.err
    renamed = tmp_path / "renamed.tsv"
    renamed.write_text("partmod\tvmod\ninfmod\tvmod\n")
    found = difference(capsys, files, "ptb", "--map", f"parsey={renamed}")
    assert [each["count"] for each in found["classes"]] == [3403 + 36, 2154 - 202 - 117, 1219 - 36]


# --- table 10 -----------------------------------------------------------------------------------------------


def test_table_10_upper_bounds(anatomy: Any) -> None:
    combination = anatomy["combination"]
    rows = [combination["overall"], *combination["labels"][: len(TABLE_10)]]
    assert [row["label"] for row in rows[1:]] == list(TABLE_10)
    for row, printed in zip(rows, (TABLE_10_OVERALL, *TABLE_10.values()), strict=True):
        shares = [percent(share) for share in (*row["shares"], row["oracle"])]
        gain = f"{100 * row['gain_over_best']:+.2f}"
        assert (*shares, gain) == (*printed[:4], GAINS_FROM_COUNTS.get(row["label"], printed.gain))
