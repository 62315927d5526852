"""Probabilistic outputs as tables: what they say of outputs counted by hand, and that they stay readable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from comparanda import Result
from comparanda.render.console import as_text
from comparanda.render.table import Table
from tests.tasks.prob.findings.small import Block, compared

KEY = ["a:PER", "e:ORG"]
BLOCKS: list[Block] = [{"a:PER": 0.6, "a:LOC": 0.3}, {"c:PER": 0.8}, {"ef:ORG": 0.2}]
SURE: list[Block] = [{"a:PER": 1.0}]
TIED: list[Block] = [{"a:PER": 0.4, "b:PER": 0.4}]


def result(folder: Path, *systems: list[Block], documents: int = 1, **options: Any) -> Result:
    names = [f"d{number}" for number in range(documents)]
    outputs = {f"s{number}": dict.fromkeys(names, blocks) for number, blocks in enumerate(systems, start=1)}
    return compared(folder, dict.fromkeys(names, KEY), outputs, **options)


def by_name(found: tuple[Table, ...]) -> dict[str, Table]:
    return {each.name: each for each in found}


def test_scores_have_a_row_for_each_measure_and_systems_in_columns(tmp_path: Path) -> None:
    found = result(tmp_path, BLOCKS, SURE, documents=2, resamples=20).probabilities()
    table = found.tables()[0]
    assert [each.header for each in table.fields] == ["measure", "s1", "95 % interval", "s2", "95 % interval"]
    assert [row[0] for row in table.rows] == [*dict.fromkeys(each.measure for each in found.scores.scores)]
    assert table.rows[0][1] == found.scores.value("s1", "f1")
    assert "20 bootstrap resamples of 2 documents" in table.notes[0]


def test_of_many_systems_intervals_are_left_to_data(tmp_path: Path) -> None:
    found = result(tmp_path, BLOCKS, SURE, TIED, SURE, documents=2, resamples=20).probabilities()
    table = found.tables()[0]
    assert [each.header for each in table.fields] == ["measure", "s1", "s2", "s3", "s4"]
    assert "intervals of more than 3 systems are in JSON and CSV only" in table.notes
    assert {"f1_interval_low", "expected_f1"} <= {*found.main_table().keys()}


def test_data_have_a_row_for_each_system(tmp_path: Path) -> None:
    found = result(tmp_path, BLOCKS, SURE).probabilities()
    rows = found.to_dicts()
    assert [row["system"] for row in rows] == ["s1", "s2"]
    assert rows[0]["expected_recall"] == pytest.approx(0.3)
    assert found.main_table().keys() == found.scores.main_table().keys()


def test_all_there_is_to_say(tmp_path: Path) -> None:
    found = by_name(result(tmp_path, BLOCKS).probabilities().tables())
    wanted = ["scores", "outcomes", "doubt", "claimed", "thresholds", "calibration", "counts", "floors", "reliability"]
    assert [*found] == [*wanted, "by-label"]
    assert found["counts"].rows[0] == ("s1", 2, 3, 4, pytest.approx(1.9), pytest.approx(0.6), 2, 1, 0)
    assert found["claimed"].rows[0][1:3] == pytest.approx((0.7, 0.5))
    assert [row[1] for row in found["reliability"].rows] == [0.5, 0.7]
    assert [row[-1] for row in found["reliability"].rows] == pytest.approx([0.4, -0.8])
    assert [row[:3] for row in found["by-label"].rows] == [("ORG", "s1", 1), ("PER", "s1", 1), ("LOC", "s1", 0)]


def test_the_two_kinds_of_doubt_are_told_apart(tmp_path: Path) -> None:
    table = by_name(result(tmp_path, SURE).probabilities().tables())["doubt"]
    assert [table.written(0, column) for column in range(6)] == [
        "s1", "precision", "100.00", "100.00", "0.00", "[100.00, 100.00]",
    ]  # fmt: skip
    assert any("own uncertainty" in note and "over documents" in note for note in table.notes)


def test_ties_are_shown_where_there_are_any(tmp_path: Path) -> None:
    tied = by_name(result(tmp_path, TIED).probabilities().tables())["counts"]
    assert tied.rows[0][-3:] == (1, (0.0, 1.0), (0.0, 0.5))
    plain = by_name(result(tmp_path, BLOCKS).probabilities().tables())["counts"]
    assert [each.key for each in plain.fields][-1] == "ties"


def test_policies_are_echoed(tmp_path: Path) -> None:
    text = str(result(tmp_path, BLOCKS).probabilities())
    assert "s1: overlap declared, residual drop, scale prob, semantics exclusive" in text
    assert "decided by tuple, then cut by w" in text
    assert "w ≥ 0.7, then cut by w" in str(result(tmp_path, BLOCKS, min_weight=0.7).probabilities())


def test_long_tables_are_cut_by_parts_and_not_through_them(tmp_path: Path) -> None:
    found = result(tmp_path, BLOCKS, SURE, documents=30).probabilities(by="document")
    table = by_name(found.tables())["by-document"]
    assert len(table.rows) == 2 * 20
    assert "… 10 more documents (--top 0 for all)" in table.notes
    assert len(by_name(found.tables(0))["by-document"].rows) == 2 * 30


def test_reasons_are_given(tmp_path: Path) -> None:
    text = str(compared(tmp_path, {"d": []}, {"s1": {"d": [{"a": 0.3}]}}).probabilities())
    assert "n/a: nothing in the key" in text
    assert "n/a: nothing decided" in text


def test_the_anatomy_shows_what_belongs_beside_the_scores(tmp_path: Path) -> None:
    names = [each.name for each in result(tmp_path, BLOCKS, SURE).anatomy().tables()]
    assert names[:6] == ["scores", "outcomes", "doubt", "claimed", "thresholds", "calibration"]
    assert names[-4:] == ["expected-pairs", "expected-complementarity", "expected-joint", "expected-labels"]


def test_pairs_stand_by_expected_and_by_decided_counts(tmp_path: Path) -> None:
    found = by_name(result(tmp_path, BLOCKS, SURE).expected_pairs().tables())
    assert [row[:3] for row in found["expected-pairs"].rows] == [("s1", "s2", "expected"), ("s1", "s2", "decided")]
    assert [row[:3] for row in found["expected-complementarity"].rows] == [
        ("s1", "s2", "expected"),
        ("s1", "s2", "decided"),
        ("s2", "s1", "expected"),
        ("s2", "s1", "decided"),
    ]
    assert [row[2] for row in found["expected-joint"].rows] == ["union", "intersection", "oracle"] * 2
    assert "n/a: s2 has no spurious tuple" in found["expected-complementarity"].notes


def test_all_systems_together_stand_behind_the_pairs(tmp_path: Path) -> None:
    found = by_name(result(tmp_path, BLOCKS, SURE, TIED).expected_pairs().tables())
    assert [row[0] for row in found["expected-joint"].rows][-6:] == ["all"] * 6
    assert "expected-labels" not in found


def test_names_of_systems_and_labels_cannot_do_anything(tmp_path: Path) -> None:
    blocks: list[Block] = [{"a:\x1b[31m": 0.6}]
    found = compared(tmp_path, {"d": KEY}, {"s1": {"d": blocks}, "s2": {"d": SURE}})
    for finding in (found.probabilities(), found.expected_pairs(), found.anatomy()):
        text = as_text(finding)
        assert "\x1b" not in text
        assert "\\x1b[31m" in text
