"""Division that remembers what could not be divided, and why."""

from __future__ import annotations

NO_KEY = "nothing in the key"
NOTHING_POSSIBLE = "nothing held for possible"
NOTHING_DECIDED = "nothing decided"


def neither(reason: str) -> str:
    """Say that the key is empty too."""
    return f"{NO_KEY} and {reason}"


class Shares:
    """Makes ratios.

    Args:
        forced: a value to put where a ratio is undefined; None to keep the reason instead.

    """

    def __init__(self, forced: float | None = None) -> None:
        self._forced = forced
        self.undefined: dict[str, str] = {}

    def of(self, name: str, part: float, whole: float, reason: str) -> float | None:
        """Return a ratio, by the name under which it is reported."""
        return part / whole if whole else self.none(name, reason)

    def none(self, name: str, reason: str) -> float | None:
        """Return what stands for a number that is undefined."""
        if self._forced is None:
            self.undefined[name] = reason
        return self._forced
