"""What packages register by entry points: formats, writers, tasks, rule sets, findings, measures.

A name is known without loading what it stands for.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@cache
def find_registered(group: str) -> Mapping[str, EntryPoint]:
    """Return what is registered in a group, such as `comparanda.formats`, by name; of two of one name, ours counts.

    >>> find_registered("comparanda.tasks")["pos"].value
    'comparanda.tasks.labels.evaluation:POS'
    """
    entries = sorted(_entries().select(group=group), key=lambda entry: entry.value.startswith("comparanda."))
    return dict(sorted((entry.name, entry) for entry in entries))


@cache
def _entries() -> Any:
    """Look through the installed packages once: that takes longer than loading a format."""
    from importlib.metadata import entry_points

    return entry_points()
