"""Names of systems that were given without names: one output, or a list of outputs."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from os import fspath
from typing import Any

from comparanda.errors import UsageError
from comparanda.formats.contract import KEY
from comparanda.formats.field_values import is_collection
from comparanda.formats.files import is_path
from comparanda.formats.inputs import Input, Runs

ONE = "system"
_LIKE_A_FILE = re.compile(r"::|[./\\*]")


def name_systems(key: Any, systems: Any) -> Mapping[str, Any]:
    """Return systems by name; name one that has none after its file or its attribute `name`, else "system".

    A list is one output or several: it is one if it is as long as the key and has its form, and several if each of its
    elements has. What fits neither or both is refused.

    >>> list(name_systems([0, 1, 1], [[0, 1, 0], [1, 1, 1]]))
    ['system 1', 'system 2']
    >>> list(name_systems([0, 1, 1], [0, 1, 0]))
    ['system']
    """
    if isinstance(systems, Mapping):
        return systems
    if is_collection(systems) and not len(systems):
        return {}
    if not _holds_several(key, systems):
        return {_find_name(systems) or ONE: systems}
    several = list(systems)
    names = [_find_name(each) for each in several]
    if None in names or len({*names}) < len(names):
        names = [f"{ONE} {number}" for number in range(1, len(several) + 1)]
    return {str(name): each for name, each in zip(names, several, strict=True)}


def _find_name(given: Any) -> str | None:
    """Return the name of a file without its suffix, or the attribute `name` of a series; None if there is neither."""
    if isinstance(given, Input):
        return given.display_name
    if is_path(given):
        return Input.parse(fspath(given)).display_name
    if isinstance(given, Runs):
        return None
    name = getattr(given, "name", None)
    return name if isinstance(name, str) and name.strip() and name != KEY else None


def _holds_several(key: Any, given: Any) -> bool:
    """Whether a value is a list of outputs, not one output; refuse what could be both."""
    if not is_collection(given) or _is_by_itself(given):
        return False
    elements = list(given)
    if all(map(_is_by_itself, elements)):
        return not all(isinstance(each, str) for each in elements) or _are_files(key, elements)
    fits = [_fits(key, given), all(_fits(key, each) for each in elements)]
    if fits[0] != fits[1]:
        return fits[1]
    depths = [_depth(given) - _depth(key), _depth(elements[0]) - _depth(key)]
    if isinstance(key, Mapping) or is_path(key) or not is_collection(key) or 0 not in depths:
        raise UsageError(
            "systems: expected a dictionary of outputs by name, got a list that can be one output or several",
            hint='name them: {"a": first, "b": second}',
        )
    return depths[1] == 0


def _is_by_itself(given: Any) -> bool:
    """Whether a value is one output by its type: a path, runs, a frame, a sparse matrix or a series with a name."""
    if isinstance(given, Input | Runs) or is_path(given) or isinstance(getattr(given, "name", None), str):
        return True
    return any(hasattr(given, attribute) for attribute in ("columns", "column_names", "toarray"))


def _are_files(key: Any, written: list[str]) -> bool:
    """Whether strings are paths of outputs, not labels: all look like paths or exist, and they are not like the key."""
    return not _fits(key, written) and all(_LIKE_A_FILE.search(each) or os.path.exists(each) for each in written)


def _fits(key: Any, given: Any) -> bool:
    """Whether a value can be an output for a key: it is of the same kind and as long, or shares ids with it."""
    if isinstance(key, Mapping):
        return isinstance(given, Mapping) and not key.keys().isdisjoint(given)
    if not is_collection(key) or not is_collection(given):
        return False
    return len(key) == len(given)


def _depth(given: Any) -> int:
    """Return how deeply lists are nested: 0 for a single value, 1 for a list of values; sets of labels count."""
    if not is_collection(given) or is_path(given):
        return 0
    dimensions = getattr(given, "ndim", None)
    if isinstance(dimensions, int) and dimensions > 1:
        return dimensions
    return 1 + max((_depth(each) for each in list(given)[:9]), default=0)
