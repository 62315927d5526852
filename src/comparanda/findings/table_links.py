"""Links from numbers in tables to the sites or items that they count."""

from __future__ import annotations

from comparanda.expressions import quote_string
from comparanda.findings.scores import sites_of_accuracy
from comparanda.render.count_links import Link

EVERYWHERE = "true"
"""Selects all sites, each once."""

EVERY_PAIR = "differs or not differs"
"""Selects all sites of two systems, once for each pair of their runs."""


def join_conditions(*conditions: str) -> str:
    """Join conditions by `and`; none of them may contain a top-level `or`.

    >>> join_conditions("true", 'right("x")'), join_conditions("correction", "head_changed"), join_conditions("true")
    ('right("x")', 'correction and head_changed', 'true')
    """
    return " and ".join(each for each in conditions if each != EVERYWHERE) or EVERYWHERE


def right_link(measure: str, view: str, system: str, where: str = EVERYWHERE) -> Link | None:
    """Link an accuracy to the sites that a system has right, once for each run that has.

    None for all other measures: sums of items or of partial credit, and counts of sentences, are not lists of sites.

    >>> right_link("uas.accuracy", "las", "crf")
    Link(where='right_by_run("crf")', base=None, new=None, view='uas')
    """
    return _accuracy_link(measure, view, where, _right_condition(system))


def decided_link(measure: str, view: str, system: str) -> Link | None:
    """Link an accuracy to all sites over which it is computed, once for each run of the system."""
    return _accuracy_link(measure, view, EVERYWHERE, f"({_right_condition(system)} or not {_right_condition(system)})")


def _accuracy_link(measure: str, view: str, where: str, condition: str) -> Link | None:
    sites = sites_of_accuracy(measure)
    if sites is None:
        return None
    own, labelled = sites
    return Link(join_conditions(where, labelled, condition), view=own or view)


def _right_condition(system: str) -> str:
    return f"right_by_run({quote_string(system)})"
