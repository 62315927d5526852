"""The sentences behind a number, with file and line."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.comparison.finding import Finding
from comparanda.comparison.trees import Tree, trees_of
from comparanda.sites import shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Rows
    from comparanda.comparison.context import Context
    from comparanda.selection import Selection


@dataclass(frozen=True)
class Answer:
    """What one run says at a site."""

    run: str
    value: str
    right: bool
    place: str | None


@dataclass(frozen=True)
class Example:
    """One site in its sentence, with the key's value and every run's.

    Args:
        document: the name of its document.
        place: file and line in the key.
        before: the words of the sentence before it.
        word: its word.
        after: the words behind it.
        key: the key's value.
        answers: what each run says.
        words: the words of the sentence, one by one, where trees are drawn over them.
        trees: the arcs of the key, the base and the new system, of the words of the sentence on which they differ.
        undrawn: how many further words they differ on; only those nearest to the site are in `trees`.

    """

    document: str
    place: str | None
    before: str
    word: str
    after: str
    key: str
    answers: tuple[Answer, ...]
    words: tuple[str, ...]
    trees: tuple[Tree, ...]
    undrawn: int


@dataclass(frozen=True)
class Examples(Finding):
    """Some of the sites that a condition selects, in document order, and how many there are in all."""

    view: str
    where: str
    base: str | None
    new: str | None
    count: int
    seed: int
    examples: tuple[Example, ...]


def examples(
    context: Context, selection: Selection, top: int, base: str | None = None, new: str | None = None
) -> Examples:
    """Show a sample of a selection: the rows with the smallest hash of seed, document and place."""
    rows = _sampled(context, selection, top)
    return Examples(
        context.view.name,
        selection.where,
        base,
        new,
        len(selection),
        context.seed,
        tuple(_example(context, row, _runs_of(context, base, new)) for row in rows),
    )


def _runs_of(context: Context, *systems: str | None) -> tuple[int, ...]:
    """Return the runs of some systems, or all where none is named."""
    named = [context.verdicts.system(name) for name in systems if name is not None]
    return tuple(run for system in named or context.systems for run in system.runs)


def _sampled(context: Context, selection: Selection, top: int) -> list[int]:
    """Choose rows independently of how the corpus was cut, and return them in document order."""
    rows = np.unique(selection.rows)
    if top and len(rows) > top:
        order = np.lexsort((context.sites.place[rows], _hashes(context, rows)))
        rows = np.sort(rows[order[:top]])
    return [int(row) for row in rows]


def _hashes(context: Context, rows: Rows) -> NDArray[np.uint64]:
    """Hash seed, document and place of each row; the mixing steps are those of splitmix64."""
    sites = context.sites
    documents, inverse = np.unique(sites.document[rows], return_inverse=True)
    named = [f"{context.seed}\0{context.verdicts.documents[document]}" for document in documents.tolist()]
    digests = [int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little") for name in named]
    mixed = np.array(digests, np.uint64)[inverse] + sites.place[rows].astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    hashes: NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(31))
    return hashes


def _example(context: Context, row: int, runs: tuple[int, ...]) -> Example:
    sites, texts = context.sites, context.verdicts.texts
    document = int(sites.document[row])
    excerpt = texts.excerpt(document, int(sites.place[row]))
    places = excerpt.places if excerpt is not None else {}
    words, position = texts.sentence(document, int(sites.place[row])) or ((), 0)
    trees, undrawn = trees_of(context, row, position, len(words), runs) if words else ((), 0)
    return Example(
        context.verdicts.documents[document],
        places.get("key"),
        excerpt.before if excerpt else "",
        excerpt.word if excerpt else "",
        excerpt.after if excerpt else "",
        shown(sites.names[int(sites.key[row])]),
        tuple(
            Answer(run, shown(sites.names[int(values[row])]), bool(values[row] == sites.key[row]), places.get(run))
            for run, values in zip(context.verdicts.runs, sites.values, strict=True)
        ),
        words if trees else (),
        trees,
        undrawn,
    )
