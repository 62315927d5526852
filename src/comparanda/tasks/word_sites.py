"""Sites at words, for all tasks on running text: their positions and attributes, and which are excluded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align import values_on_key
from comparanda.core.corpus import owner_of_rows
from comparanda.core.excerpts import Texts
from comparanda.core.items import Items
from comparanda.core.sites import ABSENT, Attribute, Sites, recode_canonically
from comparanda.core.text_columns import TextColumn, code_type
from comparanda.core.verdicts import System, Units, Verdicts
from comparanda.tasks.systematic_errors import note_systematic_errors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.align import Aligned, Surplus
    from comparanda.core.corpus import Corpus
    from comparanda.core.places import Note
    from comparanda.core.text_columns import Codes
    from comparanda.core.verdicts import View
    from comparanda.tasks.task import Options

Places = tuple["NDArray[np.int32]", "NDArray[np.int32]", "NDArray[np.int32]"]
"""Document, sentence and position of each site."""


def run_names(systems: Sequence[System]) -> tuple[str, ...]:
    """Name the runs after their system, or `system#1`, `system#2` … where it has several."""
    names: dict[int, str] = {}
    for system in systems:
        for number, run in enumerate(system.runs, start=1):
            names[run] = system.name if len(system.runs) == 1 else f"{system.name}#{number}"
    return tuple(names[run] for run in sorted(names))


def units_of(key: Corpus) -> Units:
    """Choose the resampling units: the key's documents, or sentences or rows where it has no document boundaries."""
    if key.documents.marked:
        return Units.of_documents(key.documents)
    return Units("row" if key.by_id else "sentence", len(key.sentences) - 1)


def encode_columns(aligned: Aligned, columns: Sequence[TextColumn]) -> tuple[tuple[str, ...], list[Codes]]:
    """Encode the columns of all sides, the key's first, with common codes, and `ABSENT` if rows can be missing."""
    whole = all(row_map.identity for row_map in aligned.maps)
    absent = [] if whole else [TextColumn(np.zeros(0, np.uint8), (ABSENT,))]
    names, codes = recode_canonically([*columns, *absent])
    return names, codes[: len(columns)]


def values_of(aligned: Aligned, names: tuple[str, ...], codes: Sequence[Codes]) -> tuple[Codes, ...]:
    """Map the encoded values of all system outputs onto the rows of the key."""
    absent = names.index(ABSENT) if ABSENT in names else 0
    values = zip(codes[1:], aligned.maps, strict=True)
    return tuple(values_on_key(column, row_map, absent) for column, row_map in values)


def verdicts_of(
    aligned: Aligned,
    systems: Sequence[System],
    task: str,
    views: Mapping[str, View],
    *,
    settings: Mapping[str, str],
    notes: Sequence[Note],
) -> Verdicts:
    """Build verdicts from the views of a task, the key and the alignment."""
    key, runs = aligned.key, run_names(systems)
    return Verdicts(
        task=task,
        systems=tuple(systems),
        runs=runs,
        documents=key.documents.names,
        units=units_of(key),
        views=views,
        settings=settings,
        notes=(*aligned.notes, *notes, *note_systematic_errors(views, runs, notes)),
        texts=Texts.of(aligned, runs),
    )


def places_of(key: Corpus) -> Places:
    """Locate each row of the key; every row is a site."""
    bounds = key.row_documents
    place = (np.arange(len(key)) - np.repeat(bounds[:-1], np.diff(bounds))).astype(np.int32)
    return owner_of_rows(bounds), owner_of_rows(key.sentences), place


def attributes_of(key: Corpus, document: NDArray[np.int32], options: Options) -> dict[str, Attribute]:
    """Build the attributes of the key's rows: word, other columns, sentence length, position, document attributes."""
    attributes: dict[str, Attribute] = {}
    words, sizes = key.words, np.diff(key.sentences)
    if words is not None:
        attributes["id" if key.by_id else "word"] = Attribute("text", lambda: words.intern().sorted())
    if words is not None and options.train is not None:
        train = options.train
        attributes["seen"] = Attribute("truth", lambda: _is_seen(words.intern(), train))
    if not key.by_id:
        attributes["length"] = Attribute("number", lambda: np.repeat(sizes, sizes))
        attributes["position"] = Attribute(
            "number", lambda: np.arange(len(key)) - np.repeat(key.sentences[:-1], sizes) + 1
        )
    for name, column in key.columns.items():
        if name != "value":
            attributes[name] = _text_attribute(column)
    for name, column in key.documents.attributes.items():
        attributes.setdefault(name, _document_attribute(column.sorted(), document))
    return attributes


def _text_attribute(column: TextColumn) -> Attribute:
    return Attribute("text", column.sorted)


def _document_attribute(column: TextColumn, document: NDArray[np.int32]) -> Attribute:
    return Attribute("text", lambda: column.take(document.astype(np.int64)))


def _is_seen(words: TextColumn, train: frozenset[str]) -> NDArray[np.bool_]:
    return np.array([name in train for name in words.names])[words.codes]


def surplus_items(
    aligned: Aligned,
    places: Places,
    names: tuple[str, ...],
    evaluated: Callable[[int, Surplus], tuple[Codes, Codes]],
) -> Items | None:
    """Build negative items from the words of system outputs that the key does not have; None where there are none.

    Two runs claim the same item if their words cover the same characters and have the same value.

    Args:
        aligned: the key and the system outputs.
        places: the positions of the key's words.
        names: the labels by code.
        evaluated: yields the label and the value of each surplus word of a run, under codes common to all runs.

    """
    tables = []
    for run, row_map in enumerate(aligned.maps):
        if row_map.surplus is not None:
            found = row_map.surplus
            labels, values = evaluated(run, found)
            order = _number_duplicates(np.stack([found.near, found.begin, found.end]))
            owner = np.full(len(found.rows), run)
            tables.append(np.stack([found.near, found.begin, found.end, order, values, labels, owner]))
    if not tables:
        return None
    table = np.concatenate(tables, axis=1)
    things, which = np.unique(table[:5], axis=1, return_inverse=True)
    which = which.reshape(-1)
    label = np.zeros(things.shape[1], code_type(len(names)))
    label[which] = table[5]
    claimed = np.zeros((len(aligned.maps), things.shape[1]), np.bool_)
    claimed[table[6], which] = True
    near = things[0]
    document, sentence, place = (column[near] for column in places)
    return Items(
        document=document,
        sentence=sentence,
        place=place,
        label=label,
        names=names,
        positive=np.zeros(len(near), np.bool_),
        claimed=tuple(claimed),
    )


def _number_duplicates(columns: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the equal columns before each column of a table, to distinguish the words of one token."""
    new = np.ones(columns.shape[1], np.bool_)
    new[1:] = (columns[:, 1:] != columns[:, :-1]).any(axis=0)
    begins = np.flatnonzero(new)
    return np.arange(columns.shape[1]) - np.repeat(begins, np.diff(np.append(begins, columns.shape[1])))


def left_out(sites: Sites, options: Options) -> TextColumn | None:
    """Find the sites that `--only-label` and `--ignore-label` exclude by their key labels, with the reason."""
    if not (options.only or options.ignore):
        return None
    reasons = ("", "label ignored", "label not chosen")
    only, ignore = ({_fold_label(label, options) for label in labels} for labels in (options.only, options.ignore))
    codes = []
    for number, name in enumerate(sites.labels.names):
        labels = set(sites.parts[number]) if sites.parts is not None else {name}
        ignored = bool(labels & ignore)
        unchosen = bool(only) and not labels & only
        codes.append(1 if ignored else 2 if unchosen else 0)
    return TextColumn(np.array(codes, np.uint8)[sites.labels.key], reasons)


def _fold_label(label: str, options: Options) -> str:
    return label.casefold() if options.fold_case else label


def settings_of(options: Options, column: str) -> dict[str, str]:
    """Describe, for the signature, how labels were normalised and which count."""
    settings = {"column": column}
    for side, table in sorted(options.maps.items()):
        settings[f"map[{side}]"] = str(len(table))
    if options.fold_case:
        settings["case"] = "folded"
    if options.only:
        settings["only"] = ",".join(sorted(options.only))
    if options.ignore:
        settings["ignored"] = ",".join(sorted(options.ignore))
    return settings
