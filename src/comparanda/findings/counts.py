"""Counts with the conditions that select what they count."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """A count, and the condition that selects exactly these sites or items."""

    count: int
    where: str


@dataclass(frozen=True)
class SiteCount:
    """A number of sites, their share of all sites, and the condition that selects them."""

    count: int
    share: float | None
    where: str
