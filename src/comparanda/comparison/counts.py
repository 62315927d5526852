"""A count of sites with the condition that selects them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SiteCount:
    """How many sites, which share of all, and the condition that selects them."""

    count: int
    share: float | None
    where: str
