"""Evaluation of tags and labels: a site is a token or a row, and its value is correct if it equals the key's.

The value of a site may also be a *set* of labels (several per row); then each label is an item.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align import Aligned
from comparanda.core.places import Note, first_places
from comparanda.core.sites import ABSENT, Sites
from comparanda.core.text_columns import TextColumn, join_labels, split_labels
from comparanda.core.verdicts import System, Verdicts, View
from comparanda.tasks.label_maps import apply_label_maps, note_one_sided_labels
from comparanda.tasks.task import Options, Task
from comparanda.tasks.word_sites import (
    attributes_of,
    encode_columns,
    left_out,
    places_of,
    run_names,
    settings_of,
    surplus_items,
    values_of,
    verdicts_of,
)

if TYPE_CHECKING:
    from comparanda.core.text_columns import Codes
    from comparanda.tasks.word_sites import Places


CHUNK_TAGS = "chunk tags of spans, each scored as the tag of a word; use --task span to score spans"
_OUTSIDE = "O"
_CHUNK_TAG = re.compile(r"[BIESLU]-\S.*")


def evaluate_tags(aligned: Aligned, systems: Sequence[System], options: Options) -> Verdicts:
    """Evaluate one tag per token."""
    name = aligned.key.evaluated
    verdicts = _evaluate_columns(aligned, systems, options, task="tag", view=name, measures=("accuracy", "sentences"))
    return replace(verdicts, notes=(*verdicts.notes, *_note_chunk_tags(aligned, run_names(systems))))


def _note_chunk_tags(aligned: Aligned, runs: Sequence[str]) -> list[Note]:
    """Note the sides whose tags are all chunk tags of spans, which are rarely meant to be scored as tags."""
    notes = []
    for side, corpus in zip(("key", *runs), (aligned.key, *aligned.responses), strict=True):
        column = corpus.columns["value"]
        if all(name == _OUTSIDE or _CHUNK_TAG.fullmatch(name) for name in column.names) and any(
            name[0] in "BI" for name in column.names
        ):
            rows = np.flatnonzero(column.truths(lambda name: name != _OUTSIDE))
            places = first_places(corpus.source, corpus.offset[rows[:3]])
            notes.append(Note(side, CHUNK_TAGS, len(rows), places))
    return notes


def evaluate_labels(aligned: Aligned, systems: Sequence[System], options: Options) -> Verdicts:
    """Evaluate one label, or a set of labels, per row."""
    measures: tuple[str, ...] = ("accuracy", "macro_f1")
    if with_sets(aligned):
        measures = ("f1", "precision", "recall", "macro_f1", "accuracy")
    return _evaluate_columns(aligned, systems, options, task="label", view="label", measures=measures)


def _evaluate_columns(
    aligned: Aligned, systems: Sequence[System], options: Options, *, task: str, view: str, measures: tuple[str, ...]
) -> Verdicts:
    runs = run_names(systems)
    sides = ["key", *runs]
    columns, notes = apply_label_maps(_label_columns(aligned), sides, systems, options, several=with_sets(aligned))
    names, codes = encode_columns(aligned, columns)
    places = places_of(aligned.key)
    sites = _build_sites(aligned, places=places, names=names, codes=codes, options=options)
    evaluated = View(
        name=view,
        given_sites=sites,
        measures=measures,
        left_out=left_out(sites, options),
        surplus=surplus_items(aligned, places, names, lambda run, found: (codes[run + 1][found.rows],) * 2),
    )
    notes += note_one_sided_labels(evaluated, runs)
    notes += [Note("key", f"sites left out, {why}", count) for why, count in evaluated.left_out_counts.items()]
    return verdicts_of(
        aligned, systems=systems, task=task, views={view: evaluated}, settings=settings_of(options, view), notes=notes
    )


def with_sets(aligned: Aligned) -> bool:
    """Whether any side has label sets."""
    return any(corpus.several for corpus in (aligned.key, *aligned.responses))


def _label_columns(aligned: Aligned) -> list[TextColumn]:
    """Collect the values of all sides; where one side has label sets, single labels become sets of one."""
    several = with_sets(aligned)
    columns = []
    for corpus in (aligned.key, *aligned.responses):
        column = corpus.columns["value"]
        if several and not corpus.several:
            column = TextColumn(column.codes, tuple(join_labels([name]) for name in column.names), column.missing)
        columns.append(column)
    return columns


def _build_sites(
    aligned: Aligned, places: Places, names: tuple[str, ...], codes: list[Codes], *, options: Options
) -> Sites:
    sites = Sites(
        document=places[0],
        sentence=places[1],
        place=places[2],
        key=codes[0],
        values=values_of(aligned, names, codes),
        names=names,
        parts=tuple(() if name == ABSENT else split_labels(name) for name in names) if with_sets(aligned) else None,
        attributes=attributes_of(aligned.key, places[0], options),
    )
    return sites if aligned.kept is None else sites.take(aligned.kept)


TAG = Task(
    name="tag",
    summary="one tag per token: UPOS, XPOS, features, lemma, or any column",
    shape="tokens",
    column="upos",
    evaluate=evaluate_tags,
)
POS = Task(
    name="pos", summary="one tag per token, from column UPOS", shape="tokens", column="upos", evaluate=evaluate_tags
)
LABEL = Task(
    name="label",
    summary="one or more labels per row: classification files",
    shape="rows",
    column=None,
    evaluate=evaluate_labels,
)
