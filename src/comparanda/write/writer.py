"""What a writer is, and which there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from comparanda.errors import UsageError, nearest
from comparanda.write.passages import Losses, Passage

if TYPE_CHECKING:
    from comparanda.places import Note
    from comparanda.read.request import Layer

Write = Callable[[Iterable[Passage], Losses, Mapping[str, str]], Iterable[tuple[str, str]]]
"""From documents to files: a name and a text each. What cannot be carried is told to the losses, and what cannot be
written at all is refused by a `WriteError`. The options are those of the format, as written behind `?`."""


@dataclass(frozen=True, slots=True)
class Writer:
    """A format that can be written.

    Args:
        name: the name of the format, the same as for reading.
        suffix: what names of its files end in.
        write: from documents to files. A writer of one file gives it the name "".
        many: whether it makes one file, or several, a document: a folder then.
        options: the options it understands, each with one line of explanation.
        encode: from a file's text to its bytes; None for UTF-8.
        layers: what it knows: spans, chains of mentions, or both.
        tags: the columns of words that it carries: `upos`, `xpos`, `feats`.
        spaced: whether it carries what stands between words.

    """

    name: str
    suffix: str
    write: Write
    many: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    encode: Callable[[str], bytes] | None = None
    layers: frozenset[Layer] = frozenset({"spans"})
    tags: frozenset[str] = frozenset()
    spaced: bool = True

    def check_options(self, options: Mapping[str, str]) -> None:
        """Refuse an option that this writer does not have."""
        for option in options:
            if option not in self.options:
                raise UsageError(
                    f"format {self.name!r} has no option {option!r} for writing{nearest(option, self.options)}",
                    hint=f"its options: {', '.join(self.options) or 'none'}",
                )


@dataclass(frozen=True, slots=True)
class Written:
    """What a writer made: its files by name, and what it could not carry."""

    files: Mapping[str, str]
    losses: tuple[Note, ...]


@cache
def writers() -> dict[str, Writer]:
    """Return all writers by name; they register by the entry point group `comparanda.writers`."""
    found = {entry.name: entry.load() for entry in entry_points(group="comparanda.writers")}
    return dict(sorted(found.items()))


def find_writer(name: str) -> Writer:
    """Return the writer of a format."""
    known = writers()
    if name not in known:
        what = f"no format that can be written is called {name!r}{nearest(name, known)}"
        raise UsageError(what, hint=f"formats that can be written: {', '.join(known)}")
    return known[name]
