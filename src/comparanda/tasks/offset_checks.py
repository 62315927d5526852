"""Notes on offsets that seem to count something else than they were read as, with the option that mends it.

If fewer than half of an output's spans have the extent of a span of the key, its offsets are read as other conventions
would, and the spans that then have such an extent are counted. Portions of a corpus only count; notes are made of the
sums.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, reduce
from itertools import product
from operator import add
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from comparanda.align.positions import KeyPositions
from comparanda.align.span_positions import PlacedSpans
from comparanda.core.joins import is_among, pack_columns
from comparanda.core.places import Note, first_places
from comparanda.core.registry import find_registered
from comparanda.formats.contract import KEY
from comparanda.formats.standoff import OFFSETS, Convention, Offsets, code_points, utf8_sizes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.align.maps import Aligned
    from comparanda.align.span_positions import Placement
    from comparanda.core.corpus import Corpus
    from comparanda.core.text_columns import Rows, Truths

    Extents = tuple[Rows, Rows, Rows]

COUNTED = "offsets counted: "
"""Begins the note of a portion, which holds counts to be added up."""

FEWEST = 2
"""Fewer spans that match otherwise are no evidence."""

FEW = 5
"""Fewer spans that begin or end inside a word are no evidence of offsets that drift."""

_STRIP = "strip=yes"
_SHOWN = 3
_SHIFTS = {
    (0, 1): "with ends one further",
    (0, -1): "with ends one earlier",
    (-1, -1): "with offsets from 1",
    (1, 1): "with offsets from 0",
    (-1, 0): "with offsets from 1 and the end included",
    (1, 0): "with offsets from 0 and the end not included",
    (1, 2): "with offsets from 0 and the end included",
    (-1, -2): "with offsets from 1 and the end not included",
}
_UNITS: dict[Offsets, str] = {"code-points": "code points", "utf-16": "UTF-16 units", "bytes": "bytes of UTF-8"}
_ENDS: dict[Offsets, int] = {"code-points": 0, "inclusive": 1}
_EXTENT = ("document", "begin", "end")
_ASTRAL = 0x10000


class Counts(msgspec.Struct, kw_only=True):
    """The spans of one side, counted by how they fit the text and the spans of the other side.

    Args:
        spans: all of them.
        matching: those with the extent of a span of the other side.
        begins: those that begin inside a word.
        ends: those that end inside a word.
        inside: those that begin or end inside a word.
        odd: those of them that do not match.
        plain: whether the texts are ASCII, in which all units of offsets are the same.
        spaced: those that begin or end with white space.
        others: those with the extent of a span of the other side, if read with other options.
        other_spans: the spans of the other side.
        other_inside: those that begin or end inside a word.
        meanings: the options in words.
        path: what precedes the options in a remedy: the file of the spans, if there is only one.
        places: the first spans that begin or end inside a word, or do not match.

    """

    spans: int
    matching: int
    begins: int = 0
    ends: int = 0
    inside: int = 0
    odd: int = 0
    plain: bool = True
    spaced: int = 0
    others: dict[str, int] = msgspec.field(default_factory=dict)
    other_spans: int = 0
    other_inside: int = 0
    meanings: dict[str, str] = msgspec.field(default_factory=dict)
    path: str = ""
    places: list[str] = msgspec.field(default_factory=list)

    def __add__(self, other: Counts) -> Counts:
        numbers = ("spans", "matching", "begins", "ends", "inside", "odd", "spaced", "other_spans", "other_inside")
        return Counts(
            **{name: getattr(self, name) + getattr(other, name) for name in numbers},
            others={
                name: self.others.get(name, 0) + other.others.get(name, 0) for name in {**self.others, **other.others}
            },
            meanings={**self.meanings, **other.meanings},
            plain=self.plain and other.plain,
            path=self.path if self.path == other.path else "",
            places=[*self.places, *other.places][:_SHOWN],
        )

    def notes(self, side: str) -> list[Note]:
        """Return a note if another convention fits far better, or if most spans begin or end inside a word."""
        if not self.suspicious:
            return []
        odd_key = 2 * self.other_inside > self.other_spans
        if odd_key and 2 * self.inside <= self.spans:
            return []  # rather the other side is wrong
        best, count = max(self.others.items(), key=lambda each: each[1], default=("", 0))
        odd = self.spaced if best == _STRIP else self.inside
        other = "spans of the systems" if side == KEY else "spans of the key"
        gain = count - self.matching
        mends_most = 2 * gain > self.spans - self.matching
        if side == KEY and 2 * self.inside <= self.spans:
            return []
        if gain >= FEWEST and (
            mends_most or (gain > self.matching and 4 * count > self.spans and 2 * odd > self.spans)
        ):
            what = (
                f"{self.describe(best, other)}; {self.meanings[best]}, {count:,} of {self.spans:,} spans would match "
            )
            what += f"{other}, instead of {self.matching:,} ({self._write_remedy(side, best)})"
            return [Note(side, what, odd or self.spans - self.matching, tuple(self.places))]
        most = self.inside > FEWEST and 2 * self.inside > self.spans and 2 * self.matching < self.spans
        if not odd_key and (most or self._drift()):
            what = f"{self.describe('', other)}, of {self.spans:,} spans; check that offsets refer to the same text"
            return [Note(side, what, self.inside, tuple(self.places))]
        return []

    @property
    def suspicious(self) -> bool:
        """Whether most spans do not match or, where units of offsets differ, most of those begin or end in a word."""
        wrong = self.spans - self.matching
        if not self.other_spans:
            return False
        return 2 * wrong > self.spans or (not self.plain and wrong >= FEWEST and 2 * self.odd > wrong)

    def _drift(self) -> bool:
        """Whether many spans begin or end inside a word and do not match, more than the others that do not match.

        Offsets drift, for example, after characters that were not counted: then the spans before these match.
        """
        many = 10 * self.odd >= max(self.spans, 10 * FEW) and self.odd > 4 * self.other_inside
        return many and 2 * self.odd > self.spans - self.matching

    def _write_remedy(self, side: str, options: str) -> str:
        if not self.path.startswith("<"):
            return f"{self.path}?{options}"
        pairs = ", ".join(
            f'"{name}": "{value}"' for name, _, value in (each.partition("=") for each in options.split("&"))
        )
        return f'options={{"{side}": {{{pairs}}}}}'

    def describe(self, best: str, other: str) -> str:
        """Describe what is wrong with the spans."""
        if best == _STRIP and self.spaced:
            return "spans that begin or end with white space"
        if not self.inside:
            return f"spans with other extents than the {other}"
        ways = [word for word, count in (("begin", self.begins), ("end", self.ends)) if count]
        return f"spans that {' or '.join(ways)} inside a word"


def note_offsets(aligned: Aligned, placement: Placement) -> list[Note]:
    """Note the sides whose offsets seem to count something else than they were read as.

    For a portion of a corpus, return the counts in place of notes.
    """
    if placement.unit != "characters":
        return []
    portion = aligned.key.source.whole is not None
    key, *outputs = placement.sides
    found: list[tuple[str, Counts]] = []
    words = _Words(placement.positions)
    for corpus, side in zip(aligned.responses, outputs, strict=True):
        if _has_offsets(corpus) and len(side):
            found.append((corpus.name, _count_spans(words, corpus, side, [key], every=portion)))
    if _has_offsets(aligned.key) and len(key) and any(portion or counts.others for _, counts in found):
        found.append((KEY, _count_spans(words, aligned.key, key, outputs, every=portion)))
    if portion:
        return [Note(side, COUNTED + msgspec.json.encode(each).decode(), each.spans) for side, each in found]
    return [note for side, each in found for note in each.notes(side)]


def note_own_offsets(corpus: Corpus) -> list[Note]:
    """Note that most spans of a single input begin or end inside a word, if most would not with other offsets."""
    spans = corpus.spans
    if spans is None or corpus.raw is None or not spans.convention or len(spans) <= FEWEST:
        return []
    words = _Words(KeyPositions(corpus))
    side = PlacedSpans(
        document=spans.document, begin=spans.begin, end=spans.end, label=spans.label, given=np.arange(len(spans))
    )
    begins, ends, solid = words.compare((side.document, side.begin, side.end))
    odd = begins | ends | (solid[1] != side.begin) | (solid[2] != side.end)
    if 2 * int(odd.sum()) <= len(side):
        return []
    counts = _count_spans(words, corpus, side, [], every=True)
    fitting = {}
    for option, _, read in _read_otherwise(words, corpus, side, solid):
        first, last, inner = words.compare(read)
        there = (read[1] >= 0) & (read[1] < read[2])
        fitting[option] = int((there & ~first & ~last & (inner[1] == read[1]) & (inner[2] == read[2])).sum())
    best, count = max(fitting.items(), key=lambda each: each[1], default=("", 0))
    if 4 * count < 3 * len(side):  # texts without spaces, for example
        return []
    what = (
        f"{counts.describe(best, '')}; {counts.meanings[best]}, {count:,} of {len(side):,} spans would begin and end "
    )
    what += f"with words ({counts.path}?{best})"
    return [Note(corpus.name, what, int(odd.sum()), tuple(counts.places))]


def merge_offset_notes(notes: Iterable[Note]) -> Iterator[Note]:
    """Replace the counts of portions by the notes of their sums."""
    counts: dict[str, list[Counts]] = {}
    for note in notes:
        if note.what.startswith(COUNTED):
            counts.setdefault(note.side, []).append(msgspec.json.decode(note.what[len(COUNTED) :], type=Counts))
        else:
            yield note
    sums = {side: reduce(add, each) for side, each in counts.items()}
    wrong = any(each.suspicious for side, each in sums.items() if side != KEY)
    for side, each in sums.items():
        if side != KEY or wrong:
            yield from each.notes(side)


def _has_offsets(corpus: Corpus) -> bool:
    return corpus.spans is not None and bool(corpus.spans.convention)


def _count_spans(
    words: _Words, corpus: Corpus, side: PlacedSpans, others: Sequence[PlacedSpans], *, every: bool
) -> Counts:
    """Count the spans of a side; more than those that match is counted only if these are few, or for `every` side."""
    spans = corpus.spans
    assert spans is not None
    nothing = [np.zeros(0, np.int64)]
    others_extents = [np.concatenate([getattr(other, name) for other in others] or nothing) for name in _EXTENT]
    extents = (side.document, side.begin, side.end)
    matches = _match(extents, others_extents)
    counts = Counts(spans=len(side), matching=int(matches.sum()), other_spans=len(others_extents[0]), plain=words.ascii)
    if not counts.plain:
        counts.odd = _count_odd(words, extents, ~matches)
    if not every and not counts.suspicious:
        return counts
    begins, ends, solid = words.compare(extents)
    other_begins, other_ends, _ = words.compare((others_extents[0], others_extents[1], others_extents[2]))
    counts.begins, counts.ends, counts.inside = int(begins.sum()), int(ends.sum()), int((begins | ends).sum())
    counts.odd = int(((begins | ends) & ~matches).sum())
    counts.other_inside = int((other_begins | other_ends).sum())
    spaced = (solid[1] != side.begin) | (solid[2] != side.end)
    counts.spaced = int(spaced.sum())
    for option, meaning, read in _read_otherwise(words, corpus, side, solid):
        counts.others[option] = int(_match(read, others_extents).sum())
        counts.meanings[option] = meaning
    shown = np.flatnonzero(begins | ends) if counts.inside else np.flatnonzero(spaced if counts.spaced else ~matches)
    counts.places = list(first_places(corpus.source, np.sort(spans.offset[side.given[shown]])[:_SHOWN]))
    names = {part.name for part in corpus.source.parts}
    counts.path = names.pop() if len(names) == 1 and len(corpus.source.files) == 1 else ""
    return counts


def _count_odd(words: _Words, extents: Extents, unmatched: Truths) -> int:
    """Count the spans without a match that begin or end inside a word."""
    wrong = np.flatnonzero(unmatched)
    document, begin, end = extents
    begins, ends, _ = words.compare((document[wrong], begin[wrong], end[wrong]))
    return int((begins | ends).sum())


def _match(extents: Extents, others: Sequence[Rows]) -> Truths:
    """Whether each extent is among some others."""
    mine, theirs = pack_columns([extents, others])
    return is_among(mine, theirs)


def _read_otherwise(
    words: _Words, corpus: Corpus, side: PlacedSpans, solid: Extents
) -> Iterator[tuple[str, str, Extents]]:
    """Yield the options that the format has, in words, with the extents that spans would have."""
    assert corpus.spans is not None
    if not _takes_options(corpus):
        return
    written = corpus.spans.convention
    used = Convention(next(each for each in OFFSETS if each == written["offsets"]), int(written["base"]))
    if used.offsets in _ENDS:
        for offsets, base in product(_ENDS, (0, 1)):
            shift = used.base - base, used.base - base + _ENDS[offsets] - _ENDS[used.offsets]
            if shift != (0, 0):
                other = Convention(offsets, base)
                yield _write(used, other), _SHIFTS[shift], (side.document, side.begin + shift[0], side.end + shift[1])
    if used.offsets in _UNITS and np.array_equal(side.begin, corpus.spans.begin[side.given]):  # the key's text
        for unit, name in _UNITS.items():
            if unit != used.offsets and not words.ascii:
                begin, end = (words.convert(side.document, each, used.offsets, unit) for each in (side.begin, side.end))
                yield _write(used, Convention(unit, used.base)), f"with offsets in {name}", (side.document, begin, end)
    if corpus.raw is not None:
        yield _STRIP, "without it", solid


def _takes_options(corpus: Corpus) -> bool:
    """Whether the format of an input has the options; data in Python have those of JSON lines."""
    entry = find_registered("comparanda.formats").get(corpus.format)
    return entry is None or {"offsets", "base", "strip"} <= entry.load().options.keys()


def _write(used: Convention, other: Convention) -> str:
    """Write the options that turn one convention into another."""
    return "&".join(f"{name}={value}" for name, value in other.options.items() if value != used.options[name])


class _Words:
    """The words of the key's texts, to compare extents with."""

    def __init__(self, positions: KeyPositions) -> None:
        self.positions = positions

    @cached_property
    def ascii(self) -> bool:
        return all(text.isascii() for text in self.positions.raw.documents)

    def compare(self, extents: Extents) -> tuple[Truths, Truths, Extents]:
        """Return whether spans begin and end inside a word, and their extents without white space at the ends."""
        document, begin, end = extents
        raw, owner = self.positions.raw, self.positions.owner
        if not len(owner) or not len(document):
            nothing = np.zeros(len(document), np.bool_)
            return nothing, nothing, extents
        ends, starts, at_begin, at_end = pack_columns(
            [(owner, raw.end), (owner, raw.begin), (document, begin), (document, end)]
        )
        first = np.minimum(np.searchsorted(ends, at_begin, side="right"), len(owner) - 1)
        last = np.maximum(np.searchsorted(starts, at_end, side="left") - 1, 0)
        here_first = (owner[first] == document) & (raw.end[first] > begin)
        here_last = (owner[last] == document) & (raw.begin[last] < end)
        begins = here_first & (raw.begin[first] < begin)
        ending = here_last & (raw.end[last] > end)
        low = np.where(here_first, np.maximum(begin, raw.begin[first]), begin)
        high = np.where(here_last, np.minimum(end, raw.end[last]), end)
        solid = low < high
        return begins, ending, (document, np.where(solid, low, begin), np.where(solid, high, end))

    def convert(self, document: Rows, places: Rows, used: Offsets, other: Offsets) -> Rows:
        """Convert offsets that were read in one unit to those that they are in another; -1 where that is none."""
        before, after = self._sizes(used), self._sizes(other)
        bounds = self._bounds
        inside = np.minimum(bounds[document] + places, bounds[document + 1])
        wanted = before[inside] - before[bounds[document]] + after[bounds[document]]
        number = np.searchsorted(after, wanted)
        there = (number < len(after)) & (after[np.minimum(number, len(after) - 1)] == wanted)
        found: Rows = np.where(there & (number <= bounds[document + 1]), number - bounds[document], -1)
        return found

    @cached_property
    def _bounds(self) -> Rows:
        sizes = [len(text) for text in self.positions.raw.documents]
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])

    @cached_property
    def _points(self) -> NDArray[np.uint32]:
        return code_points("".join(self.positions.raw.documents))

    def _sizes(self, unit: Offsets) -> Rows:
        """Return the offset of each code point of all texts in a unit, and finally that of the end."""
        points = self._points
        sizes = utf8_sizes(points) if unit == "bytes" else 1 + ((points >= _ASTRAL) & (unit == "utf-16"))
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])
