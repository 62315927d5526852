"""What all judges of running words share: where sites stand, what is known of them, which are left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align import values_on_key
from comparanda.core.corpus import owner_of_rows
from comparanda.core.excerpts import Texts
from comparanda.core.items import Items
from comparanda.core.sites import ABSENT, Attribute, Sites, canonical
from comparanda.core.text_columns import TextColumn, code_type
from comparanda.core.verdicts import System, UnitKind, Units, Verdicts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.align import Aligned, Surplus
    from comparanda.core.corpus import Corpus
    from comparanda.core.places import Note
    from comparanda.core.text_columns import Codes
    from comparanda.core.verdicts import View
    from comparanda.tasks.task import Options

Places = tuple["NDArray[np.int32]", "NDArray[np.int32]", "NDArray[np.int32]"]
"""Document, sentence and place of each site."""


def run_names(systems: Sequence[System]) -> tuple[str, ...]:
    """Name the runs: like their system, or `system#1`, `system#2` … where it has several."""
    names: dict[int, str] = {}
    for system in systems:
        for number, run in enumerate(system.runs, start=1):
            names[run] = system.name if len(system.runs) == 1 else f"{system.name}#{number}"
    return tuple(names[run] for run in sorted(names))


def units_of(key: Corpus) -> Units:
    """Return what statistics resample: the key's documents, or its sentences or rows where it marks none."""
    kind: UnitKind = "document" if key.documents.marked else "row" if key.by_id else "sentence"
    return Units(kind, len(key.documents) if kind == "document" else len(key.sentences) - 1)


def coded(aligned: Aligned, columns: Sequence[TextColumn]) -> tuple[tuple[str, ...], list[Codes]]:
    """Bring the columns of all sides, the key's first, to one table of names; absent is one where rows can be."""
    whole = all(row_map.identity for row_map in aligned.maps)
    absent = [] if whole else [TextColumn(np.zeros(0, np.uint8), (ABSENT,))]
    names, codes = canonical([*columns, *absent])
    return names, codes[: len(columns)]


def values_of(aligned: Aligned, names: tuple[str, ...], codes: Sequence[Codes]) -> tuple[Codes, ...]:
    """Carry the values of all responses, as `coded` gives them, to the key's rows."""
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
    """Put the views of a task together with what the key and the alignment say."""
    key, runs = aligned.key, run_names(systems)
    return Verdicts(
        task=task,
        systems=tuple(systems),
        runs=runs,
        documents=key.documents.names,
        units=units_of(key),
        views=views,
        settings=settings,
        notes=(*aligned.notes, *notes),
        texts=Texts.of(aligned, runs),
    )


def places_of(key: Corpus) -> Places:
    """Return where each row of the key stands, a site a row."""
    bounds = key.row_documents
    place = (np.arange(len(key)) - np.repeat(bounds[:-1], np.diff(bounds))).astype(np.int32)
    return owner_of_rows(bounds), owner_of_rows(key.sentences), place


def attributes_of(key: Corpus, document: NDArray[np.int32], options: Options) -> dict[str, Attribute]:
    """Offer what the key knows of each row: its word, other columns, its sentence's length, its document's data."""
    attributes: dict[str, Attribute] = {}
    words, sizes = key.words, np.diff(key.sentences)
    if words is not None:
        attributes["id" if key.by_id else "word"] = Attribute("text", lambda: words.intern().sorted())
    if words is not None and options.train is not None:
        train = options.train
        attributes["seen"] = Attribute("truth", lambda: _seen(words.intern(), train))
    if not key.by_id:
        attributes["length"] = Attribute("number", lambda: np.repeat(sizes, sizes))
        attributes["position"] = Attribute(
            "number", lambda: np.arange(len(key)) - np.repeat(key.sentences[:-1], sizes) + 1
        )
    for name, column in key.columns.items():
        if name != "value":
            attributes[name] = _sorted(column)
    for name, column in key.documents.attributes.items():
        attributes.setdefault(name, _of_documents(column.sorted(), document))
    return attributes


def _sorted(column: TextColumn) -> Attribute:
    return Attribute("text", column.sorted)


def _of_documents(column: TextColumn, document: NDArray[np.int32]) -> Attribute:
    return Attribute("text", lambda: column.take(document.astype(np.int64)))


def _seen(words: TextColumn, train: frozenset[str]) -> NDArray[np.bool_]:
    return np.array([name in train for name in words.names])[words.codes]


def surplus_items(
    aligned: Aligned,
    places: Places,
    names: tuple[str, ...],
    judged: Callable[[int, Surplus], tuple[Codes, Codes]],
) -> Items | None:
    """Make negative items of the words that responses have beside the key's; None where there are none.

    Two runs claim the same item if they cut out the same characters and give them the same value.

    Args:
        aligned: the key and its responses.
        places: where the key's words stand.
        names: the labels by code.
        judged: gives the label and the value of each surplus word of a run, under codes that all runs share.

    """
    tables = []
    for run, row_map in enumerate(aligned.maps):
        if row_map.surplus is not None:
            found = row_map.surplus
            labels, values = judged(run, found)
            order = _order_of_equals(np.stack([found.near, found.begin, found.end]))
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


def _order_of_equals(columns: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many equal columns of a table stand before each: so the words of one token are told apart."""
    new = np.ones(columns.shape[1], np.bool_)
    new[1:] = (columns[:, 1:] != columns[:, :-1]).any(axis=0)
    begins = np.flatnonzero(new)
    return np.arange(columns.shape[1]) - np.repeat(begins, np.diff(np.append(begins, columns.shape[1])))


def left_out(sites: Sites, options: Options) -> TextColumn | None:
    """Give the reason why sites do not count: `--only-label` and `--ignore-label` look at the key's labels."""
    if not (options.only or options.ignore):
        return None
    reasons = ("", "label ignored", "label not chosen")
    only, ignore = ({_folded(label, options) for label in labels} for labels in (options.only, options.ignore))
    codes = []
    for number, name in enumerate(sites.labels.names):
        labels = set(sites.parts[number]) if sites.parts is not None else {name}
        ignored = bool(labels & ignore)
        unchosen = bool(only) and not labels & only
        codes.append(1 if ignored else 2 if unchosen else 0)
    return TextColumn(np.array(codes, np.uint8)[sites.labels.key], reasons)


def _folded(label: str, options: Options) -> str:
    return label.casefold() if options.fold_case else label


def settings_of(options: Options, column: str) -> dict[str, str]:
    """Say how labels were brought to one tongue and which count, for the signature."""
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
