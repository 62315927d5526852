"""Confusion as tables: the most frequent errors first, every number with its sites."""

from __future__ import annotations

from pathlib import Path

import comparanda as cp
from comparanda import Result
from comparanda.render.table import Table
from tests.findings.every_task import trees
from tests.findings.test_confusion import MANY, many


def small() -> Result:
    return cp.compare(["A", "A", "A", "B", "C"], {"x": ["A", "B", "B", "B", "D"]}, task="tag", resamples=0)


def texts(table: Table) -> list[list[str]]:
    return [[table.written(row, column) for column in range(len(table.fields))] for row in range(len(table.rows))]


def test_the_most_frequent_errors_come_first() -> None:
    cells, labels = small().confusion("x").tables(0)
    assert cells.title == "Predictions of x: right at 2 of 5 sites"
    assert [each.header for each in cells.fields] == ["key label", "x", "sites", "wrong", "% of label"]
    assert texts(cells) == [
        ["A", "B", "2", "2", "66.67"],
        ["C", "D", "1", "1", "100.00"],
        ["A", "A", "1", "0", "33.33"],
        ["B", "B", "1", "0", "100.00"],
    ]
    assert texts(labels) == [
        ["A", "3", "1", "1", "33.33", "100.00"],
        ["B", "1", "3", "1", "100.00", "33.33"],
        ["C", "1", "", "0", "0.00", "n/a"],
        ["D", "", "1", "0", "n/a", "0.00"],
    ]
    assert cells.notes == ("the most frequent errors first", "only in the key: C", "only in x: D")


def test_every_count_and_every_share_of_it_leads_to_its_sites(tmp_path: Path) -> None:
    for result, run in ((small(), "x"), (trees(2, tmp_path), "two"), (many(MANY), "x")):
        for table in result.confusion(run).tables(0):
            for row, values in enumerate(table.rows):
                for column, (field, value) in enumerate(zip(table.fields, values, strict=True)):
                    link = table.links.get((row, column))
                    if field.kind == "count" and value != "":
                        assert link is not None
                        assert result.count(link.where, view=link.view) == value
                    elif field.kind == "share":
                        assert (link is None) == (value is None)


def test_what_has_no_row_is_said_below() -> None:
    cells, labels = many(MANY).confusion("x").tables(0)
    assert "(others): 10 labels of the key, 0 of x" in cells.notes
    assert labels.written(len(labels.rows) - 1, 0) == "(others)"


def test_only_labels_of_one_side_are_named_and_not_too_many() -> None:
    found = many(MANY).confusion("x").tables(0)[0]
    assert f"only in the key: {', '.join(MANY[1:21])} … 29 more" in found.notes


def test_that_equal_labels_can_be_wrong_is_said_where_they_are(tmp_path: Path) -> None:
    said = "sites with equal labels are wrong where something else differs: the head, the extent, or the id"
    assert said in trees(1, tmp_path).confusion("two").tables(0)[0].notes
    assert said not in small().confusion("x").tables(0)[0].notes
