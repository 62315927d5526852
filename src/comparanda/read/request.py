"""What a format is, and what is asked of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from comparanda.errors import UsageError, nearest
from comparanda.read.scan import MAX_LINE

if TYPE_CHECKING:
    from comparanda.corpus import Corpus
    from comparanda.places import Source

Shape = Literal["tokens", "rows"]
Layer = Literal["values", "arcs"]
"""What a task judges: one value a row, or trees."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a task wants of a file.

    Args:
        side: the name the user gave it, for notes and errors.
        value: the column to be judged; None for the format's default.
        extra: further columns, for slices and conditions; a column that is not there is left out.
        options: the format's own options, as written behind `?` in a path.
        max_line: the longest line that is accepted, in bytes.
        layer: what is to be judged; a format that does not carry it is not asked.

    """

    side: str = "input"
    value: str | None = None
    extra: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    max_line: int = MAX_LINE
    layer: Layer = "values"


@dataclass(frozen=True, slots=True)
class Format:
    """A file format: how to recognise it and how to read it.

    Args:
        name: as it is written behind `::` in a path.
        summary: one line for `comparanda formats`.
        shape: whether it carries running tokens or independent rows.
        suffixes: file names by which files of a folder are chosen.
        options: the options it understands, each with one line of explanation.
        sniff: given the first lines of a file, whether it can be this format.
        read: from bytes to columns.
        layers: what it can carry.

    """

    name: str
    summary: str
    shapes: frozenset[Shape]
    suffixes: tuple[str, ...]
    options: Mapping[str, str]
    sniff: Callable[[list[str]], bool]
    read: Callable[[Source, Request], Corpus]
    layers: frozenset[Layer] = frozenset({"values"})

    def check_options(self, options: Mapping[str, str]) -> None:
        """Refuse an option that this format does not have."""
        for option in options:
            if option not in self.options:
                raise UsageError(
                    f"format {self.name!r} has no option {option!r}{nearest(option, self.options)}",
                    hint=f"its options: {', '.join(self.options) or 'none'}",
                )


def choose(options: Mapping[str, str], name: str, allowed: tuple[str, ...]) -> str:
    """Return an option's value, the first allowed one by default; refuse any other."""
    value = options.get(name, allowed[0])
    if value not in allowed:
        raise UsageError(
            f"{name}={value!r} is not possible{nearest(value, allowed)}", hint=f"one of: {', '.join(allowed)}"
        )
    return value
