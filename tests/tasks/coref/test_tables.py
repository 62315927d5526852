"""Chains pair by pair, as tables: what they say of a document counted by hand, and that they stay narrow."""

from __future__ import annotations

from pathlib import Path

import pytest

from comparanda import compare
from comparanda.render.console import as_text
from comparanda.tasks.coref.findings import ChainPairs
from tests.cli.golden import assert_golden
from tests.findings.small_chains import A, B, C, compared
from tests.shared_data import shared

ALL = {"a": A, "b": B, "c": C}
PRINTED = """\
Pairs, ARCS any: mentions in different classes, and the difference in F1
base     new    diff   95 % interval   differing   mentions     Δ F1   diff with antecedents
────────────────────────────────────────────────────────────────────────────────────────────
a        b     50.00             n/a           2          4   -10.71                   50.00
a        c     80.00             n/a           4          5   -28.57                   80.00
b        c     80.00             n/a           4          5   -17.86                   80.00
(mean)         70.00                                                                   70.00

Pairs, ARCS nominal: mentions in different classes, and the difference in F1
base     new     diff   95 % interval   differing   mentions     Δ F1   diff with antecedents
─────────────────────────────────────────────────────────────────────────────────────────────
a        b      50.00             n/a           2          4   -10.71                   50.00
a        c     100.00             n/a           5          5   -57.14                  100.00
b        c      60.00             n/a           3          5   -46.43                   60.00
(mean)          70.00                                                                   70.00

Pairs, ARCS named: mentions in different classes, and the difference in F1
base     new     diff   95 % interval   differing   mentions      Δ F1   diff with antecedents
──────────────────────────────────────────────────────────────────────────────────────────────
a        b      33.33             n/a           1          3    -33.33                   33.33
a        c     100.00             n/a           4          4   -100.00                  100.00
b        c      75.00             n/a           3          4    -66.67                   75.00
(mean)          69.44                                                                    69.44

Pairs, ARCS immediate: mentions in different classes, and the difference in F1
base     new     diff   95 % interval   differing   mentions     Δ F1   diff with antecedents
─────────────────────────────────────────────────────────────────────────────────────────────
a        b      50.00             n/a           2          4   -10.71                   50.00
a        c     100.00             n/a           5          5   -57.14                  100.00
b        c      60.00             n/a           3          5   -46.43                   80.00
(mean)          70.00                                                                   76.67
diff with antecedents: different wrong antecedents also count as differences

One output against another: F1 with the base as the key
"""


@pytest.fixture
def found(tmp_path: Path) -> ChainPairs:
    return compared(tmp_path, ALL).chain_pairs()


def test_they_are_printed_criterion_by_criterion(found: ChainPairs) -> None:
    assert as_text(found).startswith(PRINTED)


def test_responses_against_each_other(found: ChainPairs) -> None:
    (*_, first, second) = found.tables()
    assert [each.header for each in first.fields] == [
        "base", "new", "CoNLL", "95 % interval", "100 − CoNLL", "LEA", "95 % interval", "100 − LEA",
    ]  # fmt: skip
    assert [each.header for each in second.fields] == [
        "base", "new", "MUC", "B³", "CEAFe", "CEAFm", "BLANC", "mentions",
    ]  # fmt: skip
    muc, b_cubed, ceafe = 4 / 7, 11 / 18, 16 / 25
    conll = (muc + b_cubed + ceafe) / 3
    assert [first.written(0, column) for column in range(8)] == [
        "a", "b", f"{100 * conll:.2f}", "n/a", f"{100 - 100 * conll:.2f}", "50.00", "n/a", "50.00",
    ]  # fmt: skip
    assert [second.written(0, column) for column in range(8)] == [
        "a", "b", f"{100 * muc:.2f}", f"{100 * b_cubed:.2f}", "64.00", "66.67", f"{100 * 40 / 99:.2f}", "83.33",
    ]  # fmt: skip


def test_the_last_row_is_the_mean_of_those_above(found: ChainPairs) -> None:
    (*_, first, second) = found.tables()
    for table in (first, second):
        assert table.rows[-1][:2] == ("(mean)", "")
        for column, field in enumerate(table.fields):
            if field.kind == "share":
                above = [row[column] for row in table.rows[:-1]]
                assert table.rows[-1][column] == pytest.approx(sum(above) / 3)
            elif field.kind == "interval":
                assert table.written(3, column) == ""


def test_one_pair_has_no_mean(tmp_path: Path) -> None:
    for table in compared(tmp_path, {"a": A, "b": B}).chain_pairs().tables():
        assert [row[:2] for row in table.rows] == [("a", "b")]


def test_pairs_of_ten_systems_are_shown_and_more_are_cut(tmp_path: Path) -> None:
    systems = {f"s{number}": (A, B, C)[number % 3] for number in range(11)}
    found = compared(tmp_path, systems).chain_pairs()
    for table in found.tables():
        assert len(table.rows) == 45 + 1
        assert table.notes[0] == "… 10 more pairs (--top 0 for all)"
    assert {len(table.rows) for table in found.tables(0)} == {55 + 1}
    assert {len(table.rows) for table in found.tables(3)} == {45 + 1}


def test_they_fit_a_terminal_of_120_columns(tmp_path: Path) -> None:
    longer = {f"system-{name}-larger": chains for name, chains in ALL.items()}
    for line in as_text(compared(tmp_path, longer, resamples=20).chain_pairs()).splitlines():
        assert len(line) <= 120


def test_what_is_undefined_is_said(tmp_path: Path) -> None:
    (*criteria, first, _) = compared(tmp_path, {"a": (), "b": ()}, key=()).chain_pairs().tables()
    for table in criteria:
        assert "n/a: no mention has an antecedent, in the key or in these outputs" in table.notes
        assert table.written(0, 2) == "n/a"
    assert first.notes == ("n/a: no chain in the key and none claimed", "n/a: no pair of mentions")


def test_in_the_anatomy_they_stand_where_pairs_stand(tmp_path: Path) -> None:
    names = [table.name for table in compared(tmp_path, ALL, resamples=20).anatomy().tables()]
    assert "pairs" not in names
    between = names[names.index("scores-recall") + 1 : names.index("significance")]
    assert between == [
        "pairs-any", "pairs-nominal", "pairs-named", "pairs-immediate", "responses", "responses-metrics",
    ]  # fmt: skip


@pytest.mark.parametrize("key", ["ontogum", "gum"])
def test_three_outputs_on_real_texts(key: str) -> None:
    """Tables 7 and 13 of the paper, on other texts."""
    folder = shared("data/coref/gum")
    files = {"neuralcoref": "neuralcoref", "neuralcoref-g0.45": "neuralcoref-g0.45", "xrenner": f"xrenner.{key}"}
    systems = {name: str(folder / "systems" / f"{file}.response.conll") for name, file in files.items()}
    result = compare(str(folder / "gold" / f"{key}.key.conll"), systems, task="coref", resamples=200)
    scores = result.scores("conll", "lea", "any.f1", "nominal.f1")
    assert_golden(f"chain-pairs-{key}.txt", f"{as_text(scores)}\n\n{as_text(result.chain_pairs())}\n")
