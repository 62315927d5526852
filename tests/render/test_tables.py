"""Tables: what console, Markdown, CSV, LaTeX and frames are made from."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from comparanda.core.verdicts import System
from comparanda.render.finding import Finding
from comparanda.render.table import Field, Table, format_stars
from comparanda.result import Result
from comparanda.tasks.spans.examples import ItemVerdict, RunVerdict, Stretch
from tests.render.hostile import plain_and_hostile_findings
from tests.toy_task import (
    registered,
    toy_measures,  # noqa: F401 - a fixture that works by being here
    verdicts_of,
)

RESULT = Result(verdicts_of(), 20)
with registered():
    ALL = plain_and_hostile_findings()


@pytest.mark.parametrize("name", ALL)
def test_every_table_is_whole(name: str) -> None:
    for top in (0, 1, 5):
        for table in ALL[name].tables(top):
            width, height = len(table.fields), len(table.rows)
            assert all(len(row) == width for row in table.rows)
            assert all(0 <= row < height and 0 <= column < width for row, column in [*table.best, *table.marks])
            assert len(table.keys()) == len(set(table.keys()))
            for row in table.dicts():
                assert tuple(row) == table.keys()


def test_an_interval_becomes_two_columns() -> None:
    table = Table(
        name="t",
        title="T",
        fields=(Field("a", "a"), Field("b", "b", "interval")),
        rows=(("x", (0.1, 0.2)), ("y", (None, None))),
    )
    assert table.keys() == ("a", "b_low", "b_high")
    assert table.dicts() == [
        {"a": "x", "b_low": 0.1, "b_high": 0.2},
        {"a": "y", "b_low": None, "b_high": None},
    ]


def test_a_column_of_a_known_name_gets_a_number() -> None:
    table = Table(name="t", title="T", fields=(Field("a", "a"), Field("a", "b"), Field("a_2", "c")), rows=((1, 2, 3),))
    assert table.dicts() == [{"a": 1, "a_2": 2, "a_2_2": 3}]


def test_systems_may_be_called_like_our_own_columns() -> None:
    named = replace(
        verdicts_of(),
        systems=(System("oracle", (0, 1)), System("label", (2, 3))),
        runs=("sites", "label", "oracle", "word"),
    )
    result = Result(named, 0)
    (overall, *_) = result.combination().to_dicts()
    assert [overall[key] for key in ("sites", "sites_2", "label_2", "oracle", "word", "oracle_2")] == [
        20,
        0.8,
        0.8,
        0.85,
        0.8,
        0.95,
    ]
    (example,) = result.examples("solved_by == 0").to_dicts()
    assert (example["word"], example["word_2"]) == ("rained", "V.pres")


def test_examples_of_spans_have_a_second_table_with_the_verdicts() -> None:
    """The verdicts of each item, run by run; empty where a run does not claim a span that the key does not have."""
    (example,) = RESULT.examples("solved_by == 0").examples
    runs = [answer.run for answer in example.answers]
    said = RunVerdict(runs[1], "FN", "false negative"), RunVerdict(runs[2], "TP", "TP")
    items = tuple(ItemVerdict("PER", "Ann", positive=positive, verdicts=said) for positive in (True, False))
    spanned = replace(
        example,
        stretch=Stretch(
            words=(), glued=(), begin=1, end=1, words_before=0, words_after=0, sides=(), items=items, undrawn=0
        ),
    )
    first, second = replace(RESULT.examples("solved_by == 0"), examples=(spanned,)).tables()
    assert (first.name, second.name) == ("examples", "verdicts")
    verdicts = ("", "FN (false negative)", "TP", "")
    assert second.rows == tuple(
        (example.document, example.place, "PER", "Ann", in_key, *verdicts) for in_key in ("yes", "no")
    )


def test_long_tables_are_cut_and_say_so() -> None:
    finding = RESULT.difference(view="strict")
    short, full = finding.tables(1)[0], finding.tables(0)[0]
    assert len(short.rows) == 6
    assert len(full.rows) == 12
    assert "… 3 more kinds of correction (--top 0 for all)" in short.notes
    assert finding.main_table().rows == full.rows


def test_the_best_value_of_each_measure_is_marked() -> None:
    table = RESULT.scores(view="strict").tables()[0]
    headers = [each.header for each in table.fields]
    assert (1, headers.index("accuracy")) in table.best
    assert (0, headers.index("accuracy")) not in table.best


def test_the_lowest_and_highest_run_of_a_label_are_marked() -> None:
    table = RESULT.combination(view="strict").tables()[0]
    assert [table.written(0, column) for column in range(2, 6)] == ["80.00↓", "80.00↓", "85.00", "80.00↓"]
    assert (0, 4) in table.best


@pytest.mark.parametrize(
    ("p", "signs"), [(None, ""), (0.05, ""), (0.049, "*"), (0.01, "*"), (0.009, "**"), (0.0009, "***")]
)
def test_signs_for_p(p: float | None, signs: str) -> None:
    assert format_stars(p) == signs


def test_a_finding_without_tables_cannot_be_made() -> None:
    @dataclass(frozen=True)
    class Strange(Finding):
        pass

    with pytest.raises(TypeError, match="abstract method tables"):
        Strange()  # type: ignore[abstract]
