"""The judge of tags and labels: a site is a token or a row, right is equal.

The value of a site may also be a *set* of labels (several per row); then each label is an item.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align import Aligned, values_on_key
from comparanda.columns import TextColumn, join_labels, split_labels
from comparanda.corpus import owner_of_rows
from comparanda.excerpts import Texts
from comparanda.judge.label_maps import one_sided, speak_alike
from comparanda.judge.task import Options, Task
from comparanda.places import Note
from comparanda.verdicts import ABSENT, Attribute, Sites, System, UnitKind, Units, Verdicts, View, canonical

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Codes
    from comparanda.corpus import Corpus


def judge_tags(aligned: Aligned, systems: Sequence[System], options: Options) -> Verdicts:
    """Judge one tag a token."""
    name = aligned.key.judged
    return _judge(aligned, systems, options, task="tag", view=name, measures=("accuracy", "sentences"))


def judge_labels(aligned: Aligned, systems: Sequence[System], options: Options) -> Verdicts:
    """Judge one label, or a set of labels, a row."""
    measures: tuple[str, ...] = ("accuracy", "macro_f1")
    if _several(aligned):
        measures = ("f1", "precision", "recall", "macro_f1", "accuracy")
    return _judge(aligned, systems, options, task="label", view="label", measures=measures)


def _judge(
    aligned: Aligned, systems: Sequence[System], options: Options, *, task: str, view: str, measures: tuple[str, ...]
) -> Verdicts:
    runs = run_names(systems)
    sides = ["key", *runs]
    columns, notes = speak_alike(_columns(aligned), sides, systems, options, several=_several(aligned))
    names, codes = _on_key(aligned, columns)
    sites = _sites(aligned, names, codes, options)
    notes += one_sided(sites, runs)
    judged = View(view, sites, measures, left_out=_left_out(sites, options))
    notes += [Note("key", f"sites left out, {why}", count) for why, count in judged.left_out_counts.items()]
    key = aligned.key
    kind: UnitKind = "document" if key.documents.marked else "row" if key.by_id else "sentence"
    count = len(key.documents) if kind == "document" else len(key.sentences) - 1
    return Verdicts(
        task=task,
        systems=tuple(systems),
        runs=runs,
        documents=key.documents.names,
        units=Units(kind, count),
        views={view: judged},
        settings=_settings(options, view),
        notes=(*aligned.notes, *notes),
        texts=Texts.of(aligned, runs),
    )


def run_names(systems: Sequence[System]) -> tuple[str, ...]:
    """Name the runs: like their system, or `system#1`, `system#2` … where it has several."""
    names: dict[int, str] = {}
    for system in systems:
        for number, run in enumerate(system.runs, start=1):
            names[run] = system.name if len(system.runs) == 1 else f"{system.name}#{number}"
    return tuple(names[run] for run in sorted(names))


def _several(aligned: Aligned) -> bool:
    return any(corpus.several for corpus in (aligned.key, *aligned.responses))


def _columns(aligned: Aligned) -> list[TextColumn]:
    """Return the values of all sides; where one side has sets of labels, single labels are sets of one."""
    several = _several(aligned)
    columns = []
    for corpus in (aligned.key, *aligned.responses):
        column = corpus.columns["value"]
        if several and not corpus.several:
            column = TextColumn(column.codes, tuple(join_labels([name]) for name in column.names), column.missing)
        columns.append(column)
    return columns


def _on_key(aligned: Aligned, columns: list[TextColumn]) -> tuple[tuple[str, ...], list[Codes]]:
    """Bring all values to one table of names and to the key's rows."""
    whole = all(row_map.identity for row_map in aligned.maps)
    absent = [] if whole else [TextColumn(np.zeros(0, np.uint8), (ABSENT,))]
    names, codes = canonical([*columns, *absent])
    on_key: list[Codes] = [codes[0]]
    for values, row_map in zip(codes[1 : len(columns)], aligned.maps, strict=True):
        on_key.append(values_on_key(values, row_map, names.index(ABSENT) if absent else 0))
    return names, on_key


def _sites(aligned: Aligned, names: tuple[str, ...], codes: list[Codes], options: Options) -> Sites:
    key = aligned.key
    document = owner_of_rows(key.row_documents)
    place = (np.arange(len(key)) - np.repeat(key.row_documents[:-1], np.diff(key.row_documents))).astype(np.int32)
    sites = Sites(
        document,
        owner_of_rows(key.sentences),
        place,
        codes[0],
        tuple(codes[1:]),
        names,
        tuple(() if name == ABSENT else split_labels(name) for name in names) if _several(aligned) else None,
        _attributes(key, document, options),
    )
    return sites if aligned.kept is None else sites.take(aligned.kept)


def _attributes(key: Corpus, document: NDArray[np.int32], options: Options) -> dict[str, Attribute]:
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
            attributes[name] = _constant(column.sorted())
    for name, column in key.documents.attributes.items():
        attributes.setdefault(name, _of_documents(column.sorted(), document))
    return attributes


def _constant(column: TextColumn) -> Attribute:
    return Attribute("text", lambda: column)


def _of_documents(column: TextColumn, document: NDArray[np.int32]) -> Attribute:
    return Attribute("text", lambda: column.take(document.astype(np.int64)))


def _seen(words: TextColumn, train: frozenset[str]) -> NDArray[np.bool_]:
    return np.array([name in train for name in words.names])[words.codes]


def _left_out(sites: Sites, options: Options) -> TextColumn | None:
    """Give the reason why sites do not count: `--only-label` and `--ignore-label` look at the key's labels."""
    if not (options.only or options.ignore):
        return None
    reasons = ("", "label ignored", "label not chosen")
    only, ignore = ({_folded(label, options) for label in labels} for labels in (options.only, options.ignore))
    codes = []
    for number, name in enumerate(sites.names):
        labels = set(sites.parts[number]) if sites.parts is not None else {name}
        ignored = bool(labels & ignore)
        unchosen = bool(only) and not labels & only
        codes.append(1 if ignored else 2 if unchosen else 0)
    return TextColumn(np.array(codes, np.uint8)[sites.key], reasons)


def _folded(label: str, options: Options) -> str:
    return label.casefold() if options.fold_case else label


def _settings(options: Options, view: str) -> dict[str, str]:
    settings = {"column": view}
    for side, table in sorted(options.maps.items()):
        settings[f"map[{side}]"] = str(len(table))
    if options.fold_case:
        settings["case"] = "folded"
    if options.only:
        settings["only"] = ",".join(sorted(options.only))
    if options.ignore:
        settings["ignored"] = ",".join(sorted(options.ignore))
    return settings


TAG = Task("tag", "one tag a token: UPOS, XPOS, features, lemma, or any column", "tokens", "upos", judge_tags)
POS = Task("pos", "the same for the column UPOS", "tokens", "upos", judge_tags)
LABEL = Task("label", "one label or several a row: classification files", "rows", None, judge_labels)
