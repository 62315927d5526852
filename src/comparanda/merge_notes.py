"""Notes of parts of a corpus put together, as if it had been read in one go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from comparanda.align.missing import BEYOND, LACKING
from comparanda.claims import without_ids
from comparanda.judge.label_maps import ONE_SIDED, one_sided
from comparanda.judge.links import UNLINKED
from comparanda.places import together
from comparanda.read.request import KEY

if TYPE_CHECKING:
    from comparanda.claims import Claims
    from comparanda.places import Note
    from comparanda.verdicts import Verdicts, View

_OF_INPUTS = ("inputs in which ", "files in which ")
"""How notes begin that say what an input does not have at all."""


def merge_notes(parts: Sequence[Verdicts], views: Mapping[str, View]) -> tuple[Note, ...]:
    """Add up the notes; those about labels on one side speak of the whole, so they are made again."""
    notes = [note for part in parts for note in part.notes if not note.what.startswith(_OF_INPUTS)]
    notes += _of_inputs(parts)
    view, runs = next(iter(views.values())), parts[0].runs
    kept = [note for note in notes if note.what not in ONE_SIDED]
    if len(kept) < len(notes):
        kept += one_sided(view if view.claims is None else replace(view, claims=without_ids(view.claims)), runs)
    kept = _without_linked(kept, view.claims, runs)
    return tuple(sorted((each for note in together(kept) for each in _by_place(note)), key=_standing))


def _of_inputs(parts: Sequence[Verdicts]) -> list[Note]:
    """Return the notes that hold for an input as a whole: those that every part of it makes."""
    first, *others = (
        {(note.side, note.what): note for note in part.notes if note.what.startswith(_OF_INPUTS)} for part in parts
    )
    return [note for which, note in first.items() if all(which in each for each in others)]


def _without_linked(notes: Sequence[Note], claims: Claims | None, runs: Sequence[str]) -> list[Note]:
    """Leave out the notes that a side has no links, made by parts of a side that has some elsewhere."""
    counts: Counter[str] = Counter()
    for note in notes:
        counts[note.side] += note.count * (note.what == UNLINKED)
    if claims is None or not counts.total():
        return list(notes)
    both = 0 if claims.agreed is None else len(claims.agreed)
    sides = zip((KEY, *runs), (claims.key, *claims.runs), strict=True)
    spans = {side: int(counts.sum()) + both for side, counts in sides}
    return [note for note in notes if note.what != UNLINKED or counts[note.side] == spans[note.side]]


def _by_place(note: Note) -> Iterator[Note]:
    """Take a note apart: one for each place, and one for those that are not told; notes of labels stay as they are."""
    if note.what in ONE_SIDED or len(note.first) > note.count:
        yield note
        return
    yield from (replace(note, count=1, first=(place,)) for place in note.first)
    if note.count > len(note.first):
        yield replace(note, count=note.count - len(note.first), first=())


def _standing(note: Note) -> tuple[tuple[str, ...], int, str]:
    """Return where a note stands among others of its kind.

    In the order of the files and their lines, for parts go by the key, and a response may have its documents in another
    order; what only a response has goes by its name, and what it lacks as the key has it.
    """
    if not note.first or note.what in ONE_SIDED or LACKING in note.what:
        return (), 0, ""
    if BEYOND in note.what:
        return (), 0, note.first[0]
    file, _, line = note.first[0].rpartition(": ")[2].rpartition(":")  # before it, what is meant there may be named
    return (PurePath(file).parts, int(line), "") if file and line.isdecimal() else ((), 0, "")
