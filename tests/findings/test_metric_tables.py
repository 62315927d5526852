"""Scores of many metrics: a row each, by the names that people give them; data keep the names of measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from comparanda.findings.score_tables import main_score_table, metrics_of, score_tables
from comparanda.findings.scores import OutcomeCount, Score, Scores
from comparanda.render.markup import as_delimited, as_json_lines
from comparanda.render.table import Table

WHY = "no chain in the key and none claimed"


def scores(measures: Mapping[str, Sequence[float | None]], reason: str = WHY, resamples: int = 9) -> Scores:
    """Make scores of systems a, b, …; an interval is a point to both sides."""
    rows = []
    for measure, values in measures.items():
        for system, value in zip("abcdef", values, strict=False):
            low, high = (None, None) if value is None else (value - 0.01, value + 0.01)
            why = reason if value is None else None
            rows.append(
                Score(
                    system=system,
                    measure=measure,
                    value=value,
                    low=low,
                    high=high,
                    part=None,
                    whole=None,
                    reason=why,
                    by_run=(value,),
                )
            )
    return Scores(view="any", units=30, unit="document", resamples=resamples, seed=13, scores=tuple(rows), outcomes=())


def family(metric: str, *values: float) -> dict[str, list[float]]:
    """Return F1, precision and recall of a metric, a point apart."""
    parts = {metric: 0.0, f"{metric}_precision": 0.1, f"{metric}_recall": 0.2}
    return {name: [value + more for value in values] for name, more in parts.items()}


CHAINS = {
    "conll": [0.5, 0.6],
    **family("muc", 0.3, 0.2),
    **family("lea", 0.1, 0.1),
    "any.f1": [0.31, 0.41],
    "any.precision": [0.32, 0.42],
    "any.recall": [0.33, 0.43],
}
ONE = {measure: values[:1] for measure, values in CHAINS.items()}


def shown(table: Table) -> list[list[str]]:
    return [[table.written(row, column) for column in range(len(table.fields))] for row in range(len(table.rows))]


class TestOneSystem:
    def test_a_row_a_metric_with_its_parts(self) -> None:
        (table,) = score_tables(scores(ONE), {})
        assert (table.name, table.title) == ("scores", "Scores of a")
        assert [each.header for each in table.fields] == ["metric", "F1", "precision", "recall", "95 % interval of F1"]
        assert shown(table) == [
            ["CoNLL", "50.00", "", "", "[49.00, 51.00]"],  # an average of F1 has neither
            ["MUC", "30.00", "40.00", "50.00", "[29.00, 31.00]"],
            ["LEA", "10.00", "20.00", "30.00", "[9.00, 11.00]"],
            ["ARCS any", "31.00", "32.00", "33.00", "[30.00, 32.00]"],
        ]
        assert table.notes == ("95 % intervals: 9 bootstrap resamples of 30 documents, seed 13",)


class TestSeveralSystems:
    def test_a_table_a_part(self) -> None:
        first, second, third = score_tables(scores(CHAINS), {})
        assert [each.title for each in (first, second, third)] == ["Scores: F1", "Scores: precision", "Scores: recall"]
        assert len({each.name for each in (first, second, third)}) == 3  # LaTeX labels them by it
        assert [each.header for each in first.fields] == ["metric", "a", "95 % interval", "b", "95 % interval"]
        assert shown(first) == [
            ["CoNLL", "50.00", "[49.00, 51.00]", "60.00", "[59.00, 61.00]"],
            ["MUC", "30.00", "[29.00, 31.00]", "20.00", "[19.00, 21.00]"],
            ["LEA", "10.00", "[9.00, 11.00]", "10.00", "[9.00, 11.00]"],
            ["ARCS any", "31.00", "[30.00, 32.00]", "41.00", "[40.00, 42.00]"],
        ]
        assert shown(second) == [["MUC", "40.00", "30.00"], ["LEA", "20.00", "20.00"], ["ARCS any", "32.00", "42.00"]]
        assert shown(third) == [["MUC", "50.00", "40.00"], ["LEA", "30.00", "30.00"], ["ARCS any", "33.00", "43.00"]]

    def test_the_best_of_each_row_is_marked(self) -> None:
        first, second, _ = score_tables(scores(CHAINS), {})
        assert first.best == {(0, 3), (1, 1), (3, 3)}  # LEA is the same for both
        assert second.best == {(0, 1), (2, 2)}

    def test_stars_stand_behind_the_main_measure_alone(self) -> None:
        first, second, third = score_tables(scores(CHAINS), {"b": 0.004})
        assert first.marks == {(0, 3): "**"}
        assert shown(first)[0][3] == "60.00**"
        assert (second.marks, third.marks) == ({}, {})
        assert "* differs from a (randomisation, Holm): * p < 0.05, ** p < 0.01, *** p < 0.001" in first.notes
        assert not any("differs" in note for note in score_tables(scores(CHAINS), {"b": 0.4})[0].notes)

    def test_intervals_of_many_systems_are_left_to_data(self) -> None:
        many = {measure: [*values, *values] for measure, values in CHAINS.items()}
        (first, *_) = score_tables(scores(many), {})
        assert [each.header for each in first.fields] == ["metric", "a", "b", "c", "d"]
        assert first.best >= {(0, 2), (0, 4), (1, 1), (1, 3)}
        assert "intervals of more than 3 systems are in JSON and CSV only" in first.notes
        assert not score_tables(scores(many, resamples=0), {})[0].notes


class TestUndefined:
    def test_one_reason_is_said_once(self) -> None:
        nothing = dict.fromkeys(CHAINS, (None, None))
        (first, *_) = score_tables(scores(nothing), {})
        assert first.notes[1:] == (f"CoNLL, MUC, LEA, ARCS any n/a: {WHY}",)
        assert shown(first)[0] == ["CoNLL", "n/a", "n/a", "n/a", "n/a"]
        assert not first.best

    def test_whose_and_what(self) -> None:
        partly = {**CHAINS, "muc_precision": (0.1, None), "lea_precision": (0.1, None)}
        (first, second, _) = score_tables(scores(partly, "nothing claimed"), {})
        assert first.notes[1:] == ("b: MUC precision, LEA precision n/a: nothing claimed",)
        assert shown(second)[0] == ["MUC", "10.00", "n/a"]


class TestWhichMeasures:
    @pytest.mark.parametrize(
        "measures",
        [
            ["conll", "lea"],
            ["muc", "muc_precision", "muc_recall", "conll"],
            ["nominal.f1", "nominal.precision", "nominal.recall"],
            ["a.f1", "a.precision", "b.f1", "b.precision", "c.f1", "c.precision"],  # views alone: of rules
            ["f1", "precision", "recall", "macro_f1", "accuracy", "sentences"],
            ["las.accuracy", "uas.accuracy", "ls.accuracy", "las.sentences", "uas.sentences", "ls.sentences"],
            ["conll", "muc", "b3", "ceafe", "lea", "any.accuracy"],  # what is no F1 has no place in the table
            ["conll", "muc", "b3", "ceafe", "lea", "f1[noun]"],
            ["a_precision", "b_precision", "c_precision", "d_precision", "e_precision"],
        ],
    )
    def test_few_or_others_stay_in_columns(self, measures: list[str]) -> None:
        found = scores({measure: [0.1, 0.2] for measure in measures})
        assert metrics_of(found) == {}
        assert len(score_tables(found, {})) == 1

    def test_metrics_named_by_the_user(self) -> None:
        named = ("conll", "muc", "b3", "ceafe", "blanc")
        (table,) = score_tables(scores({measure: [0.1, 0.2] for measure in named}), {})
        assert table.title == "Scores: F1"
        assert [row[0] for row in shown(table)] == ["CoNLL", "MUC", "B³", "CEAFe", "BLANC"]

    def test_precision_alone(self) -> None:
        named = ("muc_precision", "b3_precision", "ceafe_precision", "ceafm_precision", "lea_precision")
        (table,) = score_tables(scores({measure: [0.1, 0.2] for measure in named}), {"b": 0.001})
        assert (table.name, table.title) == ("scores", "Scores: precision")
        assert [each.header for each in table.fields][1:3] == ["a", "95 % interval"]
        assert table.marks == {(0, 3): "**"}

    def test_metrics_of_others_come_in_families_too(self) -> None:
        found = scores({**family("streak", 0.3, 0.2), **family("run", 0.3, 0.2)})
        assert list(metrics_of(found)) == ["streak", "run"]
        assert [row[0] for row in shown(score_tables(found, {})[0])] == ["streak", "run"]

    def test_a_main_measure_without_a_cell_has_no_stars(self) -> None:
        measures = ("muc_precision", "muc", "b3", "ceafe", "lea")
        first, second = score_tables(scores({measure: [0.1, 0.2] for measure in measures}), {"b": 0.001})
        assert (first.marks, second.marks) == ({}, {})


class TestData:
    def test_rows_of_data_are_systems_and_names_those_of_measures(self) -> None:
        table = main_score_table(scores(CHAINS))
        assert [each.key for each in table.fields][:3] == ["system", "conll", "conll_interval"]
        (a, b) = scores(CHAINS).main_table().dicts()
        assert (a["system"], a["muc_precision"], b["any.recall"]) == ("a", 0.4, 0.43)
        assert {measure for measure in CHAINS if measure in a} == {*CHAINS}
        assert as_delimited(scores(CHAINS), ",").startswith("system,conll,conll_interval_low,conll_interval_high,muc,")
        assert as_json_lines(scores(CHAINS)).startswith('{"system":"a","conll":0.5,')

    def test_whether_data_hold_all(self) -> None:
        assert not scores(CHAINS).exceeds_main_table()
        outcomes = (OutcomeCount(view="any", run="a", side="key", outcome="TP", count=1, where="true"),)
        found = scores(CHAINS)
        assert Scores(
            view="any", units=30, unit="document", resamples=9, seed=13, scores=found.scores, outcomes=outcomes
        ).exceeds_main_table()
        assert not scores({"accuracy": [0.1]}).exceeds_main_table()
