"""One chunk tag: a letter, which says what its row does in a span, and the label of the span.

The letter stands before the label (`B-PER`, `B_PER`), or behind it (`PER-B`, as in Japanese and Korean corpora) if
more names of a column have it there, or alone (`B`): then the label is `_`. Labels keep their case and their hyphens:
that of `B-B-date` is `B-date`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable

Scheme = Literal["bio", "io", "iob1", "ioe2", "bioes"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)

LETTERS: dict[Scheme, str] = {"bio": "BI", "io": "I", "iob1": "BI", "ioe2": "IE", "bioes": "BIMELSUW"}
"""The letters that each scheme has."""

OUTSIDE = frozenset({"O", "_", "-", ""})
"""The tags of rows outside of all spans; a missing value is one too."""

NO_LABEL = "_"
"""The label of spans whose tags are a letter alone, as in seqeval."""

# What a letter says of its row, as bits: a span covers it, may go on behind it, may have begun before it.
COVERED, OPEN, CONTINUED, STRAY = 1, 2, 4, 8
INSIDE = COVERED | OPEN | CONTINUED
_ROLES = {
    **dict.fromkeys("B", COVERED | OPEN),
    **dict.fromkeys("IM", INSIDE),
    **dict.fromkeys("EL", COVERED | CONTINUED),
    **dict.fromkeys("SUW", COVERED),
}

_BEFORE = re.compile(r"(?P<letter>[BIMELSUW])(?:[-_](?P<label>.*))?", re.DOTALL)
_BEHIND = re.compile(r"(?:(?P<label>.*)[-_])?(?P<letter>[BIMELSUW])", re.DOTALL)


class Tag(NamedTuple):
    """A tag in its two parts; `role` is 0 outside of spans, and `STRAY` for what is no tag of the scheme."""

    role: int
    label: str = ""


class Spelling(NamedTuple):
    """How the tags of a column are written: the pattern of those with a letter, and whether there are none."""

    pattern: re.Pattern[str]
    bare: bool = False

    @classmethod
    def of(cls, names: Iterable[str]) -> Spelling:
        """Find out from the names of a column, used or not.

        Letters stand behind labels if more names fit that than the opposite. Tags are bare labels if none has both a
        letter and a label, and most have no letter: `PER`, but also the `S` of a column with `PER` and `LOC`.
        """
        tags = [name for name in names if name not in OUTSIDE]
        before, behind = ([found for tag in tags if (found := each.fullmatch(tag))] for each in (_BEFORE, _BEHIND))
        pattern, fits = (_BEHIND, behind) if len(behind) > len(before) else (_BEFORE, before)
        bare = 2 * len(fits) < len(tags) and all(found["label"] is None for found in fits)
        return cls(pattern, bare)

    def letter(self, tag: str) -> str | None:
        """Return the letter of a tag, if it has one."""
        found = self.pattern.fullmatch(tag)
        return found["letter"] if found else None

    def split(self, tag: str, scheme: Scheme) -> Tag:
        """Take a tag apart, as a scheme reads it.

        >>> spelling = Spelling.of(["B-PER", "I-PER"])
        >>> spelling.split("I-PER", "bio") == Tag(INSIDE, "PER"), spelling.split("E-PER", "bio") == Tag(STRAY)
        (True, True)
        """
        if tag in OUTSIDE:
            return Tag(0)
        if self.bare and scheme == "io":
            return Tag(INSIDE, tag)
        found = self.pattern.fullmatch(tag)
        if found and found["letter"] in LETTERS[scheme]:
            return Tag(_ROLES[found["letter"]], found["label"] or NO_LABEL)
        return Tag(STRAY)
