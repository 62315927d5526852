"""Counts with the conditions that select what they count."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """A count, and the condition that selects just these sites or items."""

    count: int
    where: str


@dataclass(frozen=True)
class SiteCount:
    """How many sites, which share of all, and the condition that selects them."""

    count: int
    share: float | None
    where: str
