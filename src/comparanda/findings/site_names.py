"""The names of sites in tables: the labels of the key, or the kinds of sites where a view has kinds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.sites import format_value
from comparanda.core.text_columns import TextColumn
from comparanda.expressions import quote_string
from comparanda.findings.context import is_label, is_value

if TYPE_CHECKING:
    from comparanda.core.sites import Sites
    from comparanda.core.text_columns import Codes, Rows
    from comparanda.core.verdicts import View

UNNAMED = "\0unnamed"
"""The name of sites that appear in no table by label."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Labelling:
    """The name of each scored site.

    Args:
        sites: the sites.
        codes: the name of each site, as a code.
        names: the names by code; sites named `UNNAMED` appear in no table.
        column: the attribute that holds the names; None for the key's labels.
        own: the condition that a site is in the key, where sites have kinds; the others then have no name.

    """

    sites: Sites
    codes: Codes
    names: tuple[str, ...]
    column: str | None = None
    own: str = ""

    @cached_property
    def counts(self) -> Rows:
        """The number of sites with each name."""
        if self.column is None:
            return self.sites.key_counts
        return np.bincount(self.codes, minlength=len(self.names))

    @cached_property
    def present(self) -> list[int]:
        """The codes of the names that occur."""
        return [code for code in np.flatnonzero(self.counts).tolist() if self.names[code] != UNNAMED]

    @cached_property
    def contested(self) -> Codes:
        """The name codes of the contested sites."""
        found: Codes = self.codes[self.sites.contested]
        return found

    def called(self, code: int) -> str:
        """Return a name as it is displayed."""
        return format_value(self.names[code])

    def condition(self, code: int) -> str:
        """Write the condition that a site has a name."""
        if self.column is None:
            return is_label(self.sites, self.called(code))
        return f"{is_value(self.column, self.names[code])} and {self.own}"


def name_sites(view: View) -> Labelling:
    """Name the sites of a view: by their labels in the key, or by kind if the view has kinds, key sites only."""
    sites = view.sites
    if view.kinds is None:
        return Labelling(sites=sites, codes=sites.labels.key, names=sites.labels.names)
    column = sites.attributes[view.kinds].make()
    if not isinstance(column, TextColumn):
        raise TypeError(f"the attribute {view.kinds!r} must be text")
    names = (*column.names, UNNAMED)
    codes = np.where(own_sites(view), column.codes, len(column.names))
    return Labelling(sites=sites, codes=codes, names=names, column=view.kinds, own=own_condition(view))


def own_sites(view: View) -> Codes:
    """Whether each scored site is in the key, and not only raised by the prediction of a run."""
    if view.raised is None:
        return np.ones(view.sites.rows, np.bool_)
    return np.not_equal(view.sites.key, view.sites.names.index(view.raised))


def own_condition(view: View) -> str:
    """Write the condition that a site is in the key."""
    return "true" if view.raised is None else f"key != {quote_string(format_value(view.raised))}"
