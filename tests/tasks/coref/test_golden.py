"""Tables 7, 11 and 13 of Tuggener (2017) for three real outputs on GUM and OntoGUM, as the commands print them."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from tests.cli.golden import assert_golden
from tests.command import run
from tests.seeds import first_few
from tests.shared_data import shared
from tests.tasks.coref import reference
from tests.tasks.coref.agreement import f1_scores

SYSTEMS = {
    "neuralcoref": "neuralcoref",
    "neuralcoref-0.45": "neuralcoref-g0.45",
    "xrenner": "xrenner.{}",
}
CORPORA = ("ontogum", "gum")
TABLES = {
    "table-7": ("compare", "any", ("Scores: F1", "Pairs")),
    "table-11": ("compare", "nominal", ("Upper bound",)),
    "table-13": ("compare", "any", ("One output against another",)),
}
"""Which sections of which command, in which view, are which table."""


def files(corpus: str) -> tuple[Path, dict[str, Path]]:
    folder = "data/coref/gum"
    paths = {name: shared(f"{folder}/systems/{file.format(corpus)}.response.conll") for name, file in SYSTEMS.items()}
    return shared(f"{folder}/gold/{corpus}.key.conll"), paths


def sections(capsys: pytest.CaptureFixture[str], corpus: str, command: str, view: str) -> list[str]:
    """Return what a command prints, in sections."""
    key, systems = files(corpus)
    inputs = [str(key), *(f"{name}={path}" for name, path in systems.items())]
    outcome = run(capsys, command, *inputs, "--task", "coref", "--view", view, "--resamples", "0", "--quiet")
    assert outcome.code == 0, outcome.err
    return outcome.out.strip("\n").split("\n\n")


@pytest.mark.parametrize("corpus", CORPORA)
@pytest.mark.parametrize("table", TABLES)
def test_a_table_is_printed_as_on_record(table: str, corpus: str, capsys: pytest.CaptureFixture[str]) -> None:
    command, view, titles = TABLES[table]
    found = [section for section in sections(capsys, corpus, command, view) if section.startswith(titles)]
    assert len(found) >= len(titles)
    assert_golden(f"coref-{corpus}-{table}.txt", "\n\n".join(found) + "\n")


def rows_of(corpus: str, table: str, title: str) -> dict[tuple[str, str], list[str]]:
    """Return the rows of pairs of a section on record, by the two systems; intervals are not there."""
    text = (Path(__file__).parents[2] / "golden" / f"coref-{corpus}-{table}.txt").read_text(encoding="utf-8")
    (section,) = (each for each in text.split("\n\n") if each.startswith(title))
    lines = [line.split() for line in section.splitlines()]
    return {
        (line[0], line[1]): [cell.replace(",", "") for cell in line[2:] if cell != "n/a"]
        for line in lines
        if line[0] in SYSTEMS
    }


@pytest.mark.slow
@pytest.mark.parametrize("corpus", ["ontogum", pytest.param("gum", marks=pytest.mark.slow)])
def test_table_13_on_record_is_that_of_the_slow_reference(corpus: str) -> None:
    key, paths = files(corpus)
    sides = {name: reference.read_conll2012(path) for name, path in paths.items()}
    order = reference.all_names([reference.read_conll2012(key), *sides.values()])
    units = {name: reference.units_of(side, order) for name, side in sides.items()}
    first = rows_of(corpus, "table-13", "One output against another: F1 with the base as the key")
    more = rows_of(corpus, "table-13", "One output against another: F1 by other metrics")
    for base, new in combinations(SYSTEMS, 2):
        wanted = {name: 100 * (each or 0.0) for name, each in f1_scores(units[base], units[new]).items()}
        conll, lea = wanted["conll"], wanted["lea"]
        assert first[base, new] == [f"{each:.2f}" for each in (conll, 100 - conll, lea, 100 - lea)]
        others = ("muc", "b3", "ceafe", "ceafm", "blanc", "mentions")
        assert more[base, new] == [f"{wanted[name]:.2f}" for name in others]


@pytest.mark.parametrize("corpus", first_few(1, CORPORA))
def test_the_differences_of_table_7_on_record_are_those_of_the_slow_reference(corpus: str) -> None:
    key, paths = files(corpus)
    wanted = reference.read_conll2012(key)
    sides = {name: reference.read_conll2012(path) for name, path in paths.items()}
    order = reference.all_names([wanted, *sides.values()])
    units = {name: reference.units_of(side, order) for name, side in {"key": wanted, **sides}.items()}
    shown = rows_of(corpus, "table-7", "Pairs, ARCS any")
    for base, new in combinations(SYSTEMS, 2):
        rows = [
            judged
            for unit, chains in units["key"].items()
            for judged in reference.sites_among(
                [reference.arcs(chains, units[side][unit], "any") for side in (base, new)]
            ).values()
        ]
        different = sum(one.name != two.name for one, two in rows)
        finer = sum(one != two for one, two in rows)
        diff, *counted, _, with_antecedents = shown[base, new]
        assert diff == f"{100 * different / len(rows):.2f}"
        assert counted == [f"{different}", f"{len(rows)}"]
        assert with_antecedents == f"{100 * finer / len(rows):.2f}"
