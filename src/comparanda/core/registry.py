"""What packages register by entry points: formats, writers, tasks, rule sets, findings, measures.

A name is known without loading what it stands for. The files `entry_points.txt` of installed packages are read here:
importing `importlib.metadata`, which reads them too, takes a tenth of the time of a small comparison.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from operator import attrgetter
from typing import Any, NamedTuple


class Entry(NamedTuple):
    """A registered object: its group, its name, and where it is defined, as `module:object`."""

    group: str
    name: str
    value: str

    def load(self) -> Any:
        """Import the object.

        >>> Entry("group", "words", "textwrap:TextWrapper.wrap").load().__name__
        'wrap'
        """
        module, _, path = self.value.partition("[")[0].partition(":")  # [extras] may follow
        loaded = import_module(module.strip())
        return attrgetter(path.strip())(loaded) if path.strip() else loaded


@cache
def find_registered(group: str) -> Mapping[str, Entry]:
    """Return what is registered in a group, such as `comparanda.formats`, by name; of two of one name, ours counts.

    >>> find_registered("comparanda.tasks")["pos"].value
    'comparanda.tasks.labels.evaluation:POS'
    """
    entries = sorted(_list_entries(group), key=lambda entry: (entry.name, entry.value.startswith("comparanda.")))
    return {entry.name: entry for entry in entries}


def _list_entries(group: str) -> list[Entry]:
    if any(path.endswith(".egg") or os.path.isfile(path) for path in sys.path):  # packages in archives
        from importlib.metadata import entry_points

        return [Entry(each.group, each.name, each.value) for each in entry_points(group=group)]
    return [entry for entry in _installed_entries() if entry.group == group]


@cache
def _installed_entries() -> tuple[Entry, ...]:
    """Read the entry points of all installed packages once."""
    return tuple(entry for text in _read_entry_files() for entry in parse_entries(text))


def _read_entry_files() -> Iterator[str]:
    """Read the `entry_points.txt` of each package; of several versions of a package, the first in `sys.path`."""
    found: dict[str, str] = {}
    for folder in sys.path:
        try:
            names = sorted(os.listdir(folder or "."))
        except OSError:  # not every entry of the path exists
            continue
        for name in names:
            if name.endswith((".dist-info", ".egg-info")):
                package = name.rpartition(".")[0].partition("-")[0].lower().replace(".", "_")
                found.setdefault(package, os.path.join(folder, name, "entry_points.txt"))
    for path in found.values():
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                yield file.read()
        except OSError:  # few packages have entry points
            continue


def parse_entries(text: str) -> Iterator[Entry]:
    r"""Parse a file `entry_points.txt`.

    >>> list(parse_entries("[comparanda.tasks]\n# pairs of words\npairs = pairs_demo:TASK [extra]\n"))
    [Entry(group='comparanda.tasks', name='pairs', value='pairs_demo:TASK [extra]')]
    """
    group = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1]
        elif "=" in line and not line.startswith("#"):
            name, _, value = line.partition("=")
            yield Entry(group, name.strip(), value.strip())
