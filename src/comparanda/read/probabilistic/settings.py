"""The policies of records: what a record says itself, and else what the options say."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from comparanda.beliefs.policies import (
    AGGREGATES,
    OVERLAPS,
    RESIDUALS,
    SCALES,
    SEMANTICS,
    Overlap,
    Policies,
)
from comparanda.errors import UsageError, nearest
from comparanda.read.request import Choice, choose

if TYPE_CHECKING:
    from collections.abc import Callable

    from comparanda.errors import ReadError
    from comparanda.read.probabilistic.shapes import Content, Document

DECLARED: Overlap = "declared"
"""What blocks say of spans by themselves."""

_MATTERS: Mapping[str, tuple[str, ...]] = {
    "blocks": ("scale", "overlap", "semantics", "residual"),
    "entities": ("scale", "overlap", "semantics"),
    "nbest": ("scale",),
    "tokens": ("scale", "overlap", "semantics", "aggregate", "floor"),
}
"""The policies that have an effect on each kind of record."""


def asked_policies(options: Mapping[str, str], *, blocks: bool = False) -> Policies:
    """Return the policies that hold where a record does not say anything else.

    Args:
        options: as they are written behind `?` or `--belief`.
        blocks: whether the input says itself which spans exclude each other.

    """
    overlap = choose(options, "overlap", OVERLAPS) if "overlap" in options or not blocks else DECLARED
    if overlap == DECLARED and not blocks:
        raise UsageError("overlap='declared' is for records with blocks", hint="leave it out, or give blocks")
    return Policies(
        choose(options, "scale", SCALES),
        overlap,
        choose(options, "semantics", SEMANTICS),
        choose(options, "residual", RESIDUALS),
        choose(options, "aggregate", AGGREGATES),
        _floor(options),
    )


def _floor(options: Mapping[str, str]) -> float:
    if "floor" not in options:
        return Policies().floor
    try:
        value = float(options["floor"])
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise UsageError(f"floor={options['floor']!r} is no number between 0 and 1")
    return value


class Settings:
    """The policies of one input.

    Args:
        options: those of the input.

    """

    def __init__(self, options: Mapping[str, str]) -> None:
        self._options = options
        self._asked: dict[bool, Policies] = {}
        self.used: dict[str, set[str]] = {}

    def of(self, document: Document, content: Content, refuse: Callable[[str, str], ReadError]) -> Policies:
        """Return the policies of a record; `refuse` makes the error for a value that is not possible."""
        blocks = content == "blocks"
        if blocks not in self._asked:
            self._asked[blocks] = asked_policies(self._options, blocks=blocks)
        found = self._said(document, self._asked[blocks], refuse)
        if found.overlap == DECLARED and not blocks:
            raise refuse(f"'overlap' is 'declared', but there are {content}", "only blocks say what excludes what")
        for name in _MATTERS[content]:
            value = getattr(found, name)
            self.used.setdefault(name, set()).add(f"{value:g}" if isinstance(value, float) else value)
        return found

    def said(self) -> dict[str, str]:
        """Return the policies that were used, by name; several values of one where records differ."""
        return {name: ", ".join(sorted(self.used[name])) for name in sorted(self.used)}

    def _said(self, document: Document, asked: Policies, refuse: Callable[[str, str], ReadError]) -> Policies:
        """Put what a record says in place of what was asked for."""
        semantics = document.semantics if document.label_semantics is None else document.label_semantics
        given = (document.scale, document.overlap, semantics, document.residual, document.aggregate)
        if document.floor is not None:
            if not 0 <= document.floor <= 1:
                raise refuse(f"'floor' is {document.floor:g}", "a floor is a number between 0 and 1")
            asked = replace(asked, floor=document.floor)
        if not any(each is not None for each in given):
            return asked
        return replace(
            asked,
            scale=_one_of("scale", given[0], SCALES, asked.scale, refuse),
            overlap=_one_of("overlap", given[1], OVERLAPS, asked.overlap, refuse),
            semantics=_one_of("label_semantics", semantics, SEMANTICS, asked.semantics, refuse),
            residual=_one_of("residual", given[3], RESIDUALS, asked.residual, refuse),
            aggregate=_one_of("aggregate", given[4], AGGREGATES, asked.aggregate, refuse),
        )


def _one_of(
    name: str, given: str | None, allowed: tuple[Choice, ...], asked: Choice, refuse: Callable[[str, str], ReadError]
) -> Choice:
    """Return what a record says of a policy, if it does."""
    if given is None:
        return asked
    for each in allowed:
        if each == given:
            return each
    raise refuse(f"{name!r} is {given!r}{nearest(given, allowed)}", f"one of: {', '.join(allowed)}")
