"""Count the generated chains again, slowly and obviously, and compare with every printed digit of table 8.

Nothing of comparanda is used here: these files are what its tests are measured against.
"""

from collections import Counter
from pathlib import Path

import pytest

from tests import reference as pairwise
from tests.tasks.coref import reference

from .digits import counts_for, percent
from .resolver_chains import DOCUMENTS, OTHER_ANTECEDENTS, SAME_ERRORS, counts, write_resolvers
from .resolver_transcription import DIFFERENCE, DIFFERENCES, HOT, SITES, STANFORD, TABLE_8

Row = tuple[reference.Judged, reference.Judged]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write_resolvers(tmp_path_factory.mktemp("resolvers"))


@pytest.fixture(scope="module")
def sites(files: dict[str, Path]) -> list[Row]:
    """What both make of every site under the nominal criterion."""
    sides = {name: reference.read_conll2012(path) for name, path in files.items()}
    order = list(sides["key"])
    tags = [sides["key"][name].tags for name in order]
    units = {name: reference.units_of(side, order) for name, side in sides.items()}

    def nominal(mention: reference.Mention) -> bool:
        return reference.nominal(tags[mention[0]][mention[1] : mention[2]])

    found: list[Row] = []
    for name in order:
        judged = [reference.arcs(units["key"][name], units[side][name], "nominal", nominal) for side in (HOT, STANFORD)]
        found += [(one, two) for one, two in reference.sites_among(judged).values()]
    return found


def key_of(row: Row) -> str:
    return "tn" if {each.name for each in row} & {"fp", "tn"} else "tp"


def test_the_printed_shares_leave_no_choice() -> None:
    """Every count follows from its percentage, and they sum up to what is printed."""
    assert percent(DIFFERENCES, SITES) == DIFFERENCE
    assert sum(each.count for each in TABLE_8.values()) == DIFFERENCES
    for printed in TABLE_8.values():
        assert percent(printed.count, DIFFERENCES) == printed.share
        alone = [counts_for(share, DIFFERENCES) for share in printed.transitions.values()]
        assert all(len(each) == 1 for each in alone)
        assert sum(each[0] for each in alone) == printed.count


@pytest.mark.slow
def test_the_sites_are_as_many_as_printed(sites: list[Row], files: dict[str, Path]) -> None:
    assert len(sites) == SITES
    assert all(path.read_text().count("#begin document") == DOCUMENTS for path in files.values())


def test_the_sites_differ_as_table_8_says(sites: list[Row]) -> None:
    found = Counter((one.name, two.name) for one, two in sites)
    assert found == counts()
    assert sum(count for (one, two), count in found.items() if one != two) == DIFFERENCES
    classes: Counter[str] = Counter()
    for row in sites:
        classes[pairwise.class_of(key_of(row), row[0].name, row[1].name)] += 1
    for name, printed in TABLE_8.items():
        assert classes[name.replace(" ", "_")] == printed.count
        for transition, share in printed.transitions.items():
            assert percent(found[transition[0], transition[1]], DIFFERENCES) == share


def test_beside_them_antecedents_differ(sites: list[Row]) -> None:
    found = Counter((one.name, two.name) for one, two in sites if one.name == two.name and one != two)
    assert found == OTHER_ANTECEDENTS
    same = Counter((one.name, two.name) for one, two in sites if one.name == two.name != "tp")
    assert same == SAME_ERRORS
