"""The tuples of a saved result and what runs believe of them, checked so that findings can trust the probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from comparanda.beliefs.model import Beliefs, Worlds
from comparanda.candidates import Candidates
from comparanda.columns import TextColumn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from comparanda.claims import Claims
    from comparanda.columns import Rows
    from comparanda.manifest import CandidatesEntry, WorldsEntry
    from comparanda.saved.reader import Reader
    from comparanda.saved.tables import Tables

_SLACK = 1e-5
"""Readers accept sums of probabilities that are a little above one; this is more."""


def read_candidates(
    tables: Tables, entries: Sequence[CandidatesEntry] | None, claims: Claims | None
) -> tuple[Candidates, ...] | None:
    """Read the tuples of each run; those of the hard output must be its spans."""
    if entries is None:
        return None
    reader = tables.reader
    if claims is None:
        reader.refuse("tuples belong to no spans")
    reader.require(len(entries) == len(claims.runs), "there are not as many tables of tuples as runs")
    found = tuple(_of_run(tables, entry) for entry in entries)
    for run, candidates in enumerate(found):
        _check_decided(reader, candidates, claims, run)
    return found


def _of_run(tables: Tables, entry: CandidatesEntry) -> Candidates:
    reader = tables.reader
    names = reader.names(entry.names)
    length = len(reader.array(entry.document, ("int32",)))
    document, sentence, place, width = tables.tuples(entry, length)
    text = reader.column(entry.text, length)
    if not isinstance(text, TextColumn):
        reader.refuse("what tuples cover is no text")
    begin, end = (reader.array(each, ("int64",), length) for each in (entry.begin, entry.end))
    reader.require(((begin >= 0) & (begin <= end)).all(), f"{entry.end} ends before it begins")
    beliefs = _beliefs(reader, entry, length)
    first = document[beliefs.offsets[:-1]]
    reader.require(np.array_equal(document, first[beliefs.block]), f"{entry.document} has a block in two documents")
    reader.require((np.diff(first) >= 0).all(), f"{entry.document} is not in order")
    return Candidates(
        document,
        sentence,
        place,
        width,
        begin,
        end,
        reader.codes(entry.label, length, names),
        names,
        text,
        reader.array(entry.correct, ("bool",), length),
        reader.array(entry.decided, ("bool",), length),
        beliefs,
        None if entry.tied is None else reader.array(entry.tied, ("bool",), len(beliefs.nothing)),
    )


def _beliefs(reader: Reader, entry: CandidatesEntry, length: int) -> Beliefs:
    block = reader.array(entry.block, ("int64",), length)
    blocks = reader.numbered(entry.block, block)
    reader.require((np.diff(block) >= 0).all(), f"{entry.block} is not in order")
    alternative = reader.array(entry.alternative, ("int64",), length)
    spans = reader.numbered(entry.alternative, alternative)
    owner = np.zeros(spans, np.int64)
    owner[alternative] = block
    reader.require(np.array_equal(owner[alternative], block), f"{entry.alternative} has a span in two blocks")
    weight, nothing = _shares(reader, entry.weight, length), _shares(reader, entry.nothing, blocks)
    worlds = None if entry.worlds is None else _worlds(reader, entry.worlds, block)
    found = Beliefs(
        weight, _shares(reader, entry.entity, length), alternative, block, nothing, worlds, dict(entry.policies)
    )
    fits = (np.bincount(block, weight, blocks) + nothing)[found.exclusive] <= 1 + _SLACK
    reader.require(fits.all(), f"{entry.weight} sums to more than one")
    return found


def _worlds(reader: Reader, entry: WorldsEntry, block_of: Rows) -> Worlds:
    """Read worlds, and check that their members are tuples of their blocks, each once."""
    block = reader.array(entry.block, ("int64",))
    fits = block.size and (np.diff(block) >= 0).all() and block[0] >= 0 and block[-1] <= block_of.max(initial=-1)
    reader.require(fits, f"{entry.block} has worlds of no block, or is not in order")
    probability = _shares(reader, entry.probability, len(block))
    reader.require((np.bincount(block, probability) <= 1 + _SLACK).all(), f"{entry.probability} sums to more than one")
    offsets = reader.offsets(entry.offsets, len(block))
    member = reader.array(entry.member, ("int64",), int(offsets[-1]))
    inside = not member.size or (member.min() >= 0 and member.max() < len(block_of))
    reader.require(inside, f"{entry.member} points to no tuple")
    found = Worlds(block, probability, offsets, member)
    reader.require(np.array_equal(block_of[member], block[found.world]), f"{entry.member} points to another block")
    places = np.unique(np.stack([found.world, member]), axis=1)
    reader.require(places.shape[1] == len(member), f"{entry.member} has a tuple twice in one world")
    return found


def _shares(reader: Reader, name: str, length: int) -> NDArray[np.float64]:
    """Read probabilities."""
    found = reader.array(name, ("float64",), length)
    reader.require(((found >= 0) & (found <= 1 + _SLACK)).all(), f"{name} holds no probabilities")
    return found


def _check_decided(reader: Reader, candidates: Candidates, claims: Claims, run: int) -> None:
    """Check that the hard output is what the run's spans are: as many in each document, and as many right ones."""
    documents = len(reader.manifest.documents)
    spans = claims.runs[run]
    for tuples, counts in (
        (candidates.decided, spans),
        (candidates.decided & candidates.correct, np.where(claims.key > 0, spans, 0)),
    ):
        mine = np.bincount(candidates.document[tuples], minlength=documents)
        theirs = np.bincount(claims.document, counts, documents)
        reader.require(np.array_equal(mine, theirs), "the tuples that are decided are not the spans of their run")
