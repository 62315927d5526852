"""From a number that is shown to the sites or items it counts."""

from __future__ import annotations

from comparanda.expressions import quote
from comparanda.findings.scores import sites_of_accuracy
from comparanda.render.links import Link

EVERYWHERE = "true"
"""Selects all sites, each once."""

EVERY_PAIR = "differs or not differs"
"""Selects all sites of two systems, once for each pair of their runs."""


def narrowed(*conditions: str) -> str:
    """Write that several conditions hold; none of them is one of alternatives.

    >>> narrowed("true", 'right("x")'), narrowed("correction", "head_changed"), narrowed("true")
    ('right("x")', 'correction and head_changed', 'true')
    """
    return " and ".join(each for each in conditions if each != EVERYWHERE) or EVERYWHERE


def right_link(measure: str, view: str, system: str, where: str = EVERYWHERE) -> Link | None:
    """Return what leads from an accuracy to the sites that a system has right, once for each of its runs that has.

    None for all other measures: what sums up items, or parts of them, or counts whole sentences is no list of sites.

    >>> right_link("uas.accuracy", "las", "crf")
    Link(where='right_by_run("crf")', base=None, new=None, view='uas')
    """
    return _accuracy_link(measure, view, where, _right(system))


def decided_link(measure: str, view: str, system: str) -> Link | None:
    """Return what leads from an accuracy to all sites that it is over, once for each run of the system."""
    return _accuracy_link(measure, view, EVERYWHERE, f"({_right(system)} or not {_right(system)})")


def _accuracy_link(measure: str, view: str, where: str, said: str) -> Link | None:
    sites = sites_of_accuracy(measure)
    if sites is None:
        return None
    own, labelled = sites
    return Link(narrowed(where, labelled, said), view=own or view)


def _right(system: str) -> str:
    return f"right_by_run({quote(system)})"
