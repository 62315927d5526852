"""The judge of dependency trees: a site is a word of the key, its value is (head, label).

Heads are compared through the alignment and named by where they stand: `+2` two words ahead, `-1` one
back, `0` the root, `self` the word itself. A head without a counterpart in the key is wrong; `?+2[0:3]`
says which word of the key it stands at and which of its characters it covers.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align import NONE, Aligned
from comparanda.core.corpus import ROOT
from comparanda.core.heads import crossing, depths
from comparanda.core.places import Note
from comparanda.core.sites import ABSENT, OWN_PLACE, Aspect, Attribute, Sites, special_last
from comparanda.core.text_columns import TextColumn, code_type
from comparanda.core.verdicts import System, Verdicts, View
from comparanda.errors import UsageError
from comparanda.tasks.label_maps import one_sided, speak_alike
from comparanda.tasks.task import Options, Task
from comparanda.tasks.trees.conll18 import STRAY, arcs_of, conll18, universal_relation
from comparanda.tasks.trees.conll18 import VIEW as CONLL18
from comparanda.tasks.trees.conll18 import on_key as heads_on_key
from comparanda.tasks.word_sites import (
    attributes_of,
    coded,
    left_out,
    places_of,
    run_names,
    settings_of,
    surplus_items,
    values_of,
    verdicts_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.align import RowMap, Surplus
    from comparanda.core.corpus import Corpus
    from comparanda.core.items import Items
    from comparanda.core.text_columns import Codes, Rows
    from comparanda.tasks.task import Punctuation
    from comparanda.tasks.word_sites import Places

CUTS = ("distance", "direction")
COLUMNS = ("lemma", "upos", "xpos", "feats")
PTB_PUNCTUATION = frozenset({"``", "''", ":", ",", "."})
_MOST_PAIRS = 1 << 24


def judge_arcs(aligned: Aligned, systems: Sequence[System], options: Options) -> Verdicts:
    """Judge trees."""
    runs = run_names(systems)
    columns, notes = _relations(aligned, systems, runs, options)
    views = _views(aligned, columns, options)
    notes += one_sided(views["las"], runs)
    notes += [Note("key", f"words left out, {why}", count) for why, count in views["las"].left_out_counts.items()]
    policies = {"punctuation": options.punctuation, "labels": options.labels}
    return verdicts_of(
        aligned,
        systems=systems,
        task="dep",
        views=views,
        settings={**settings_of(options, aligned.key.judged), **policies},
        notes=notes,
    )


def _relations(
    aligned: Aligned, systems: Sequence[System], runs: tuple[str, ...], options: Options
) -> tuple[list[TextColumn], list[Note]]:
    """Bring the relations of all sides to one tongue."""
    columns = [corpus.columns["value"] for corpus in (aligned.key, *aligned.responses)]
    columns, notes = speak_alike(columns, ["key", *runs], systems, options, several=False)
    if options.labels == "universal":
        columns = [column.mapped(universal_relation) for column in columns]
    return columns, notes


def _views(aligned: Aligned, columns: list[TextColumn], options: Options) -> dict[str, View]:
    """Judge arcs by head and label, by the head alone, and by the label alone; and as the shared task does."""
    places = places_of(aligned.key)
    attributes = {**attributes_of(aligned.key, places[0], options), **_tree_attributes(aligned.key)}
    names, codes = coded(aligned, columns)
    labels = Aspect(codes[0], values_of(aligned, names, codes), names)
    heads = _heads(aligned)
    of_key = Aspect(labels.key, (labels.key,) * len(aligned.maps), labels.names)  # what a head is called by
    beside = _Beside(aligned, places, names, codes)
    views = {}
    for name, value, called, surplus in (
        ("las", _pairs(labels, heads), labels, beside.items("label", "head")),
        ("uas", heads, of_key, beside.items("head")),
        ("ls", labels, labels, beside.items("label")),
    ):
        aspects = {"head": heads, "label": called}
        sites = Sites(
            document=places[0],
            sentence=places[1],
            place=places[2],
            key=value.key,
            values=value.values,
            names=value.names,
            parts=None,
            attributes=attributes,
            aspects=aspects,
        )
        sites = sites if aligned.kept is None else sites.take(aligned.kept)
        measures = (f"{name}.accuracy", f"{name}.sentences")
        views[name] = View(
            name=name,
            given_sites=sites,
            measures=measures,
            left_out=_left_out(aligned, sites, options),
            surplus=surplus,
            cuts=CUTS,
        )
    views["las"] = replace(views["las"], measures=tuple(each for view in views.values() for each in view.measures))
    return {**views, CONLL18: conll18(aligned)}


@dataclass(frozen=True, eq=False, slots=True)
class _Beside:
    """The arcs of words that responses have beside the key's."""

    aligned: Aligned
    places: Places
    names: tuple[str, ...]
    codes: list[Codes]

    def items(self, *aspects: str) -> Items | None:
        """Make items of them, told apart by some of their aspects; by the head alone, they are called as in the key."""

        def judged(run: int, found: Surplus) -> tuple[Codes, Codes]:
            by_label = "label" in aspects
            called = self.codes[run + 1][found.rows] if by_label else self.codes[0][found.near]
            value = called.astype(np.int64) if by_label else np.zeros(len(called), np.int64)
            if "head" in aspects:
                value += len(self.names) * self._head_numbers(run, found)
            return called, value

        return surplus_items(self.aligned, self.places, self.names, judged)

    def _head_numbers(self, run: int, found: Surplus) -> Rows:
        """Return a number for the head of each word: a row of the key, or where a word stands that the key lacks."""
        head, row_map = arcs_of(self.aligned.responses[run]).head[found.rows], self.aligned.maps[run]
        number = heads_on_key(head, row_map) - STRAY
        strays = np.flatnonzero(number == 0)
        if len(strays) and row_map.surplus is not None:
            others = row_map.surplus
            place = np.searchsorted(others.rows, head[strays])
            spot = (others.near[place].astype(np.int64) * self._room + others.begin[place]) * self._room
            number[strays] = len(self.aligned.key) - STRAY + spot + others.end[place]
        return number

    @property
    def _room(self) -> int:
        """More than any place in a word of the key, on all sides alike."""
        ends = [int(each.surplus.end.max(initial=0)) for each in self.aligned.maps if each.surplus is not None]
        return max(ends, default=0) + 1


def _heads(aligned: Aligned) -> Aspect:
    """Name the heads of all sides by their distance from their words, in words of the key."""
    rows = np.arange(len(aligned.key))
    head = arcs_of(aligned.key).head
    distances, others = [_distance(rows, head)], [_own_heads(rows, head)]
    for response, row_map in zip(aligned.responses, aligned.maps, strict=True):
        distance, strange = _distances(rows, arcs_of(response).head, row_map)
        distances.append(distance)
        others.append(strange)
    return _named(distances, others)


def _distance(rows: Rows, head: Rows) -> Rows:
    distance = head - rows
    distance[head == ROOT] = 0
    return distance


def _own_heads(rows: Rows, head: Rows) -> dict[int, str]:
    """Name the heads of words that hang on themselves."""
    return dict.fromkeys(np.flatnonzero(head == rows).tolist(), OWN_PLACE)


def _distances(rows: Rows, head: Rows, row_map: RowMap) -> tuple[Rows, dict[int, str]]:
    """Return the distance of each key word's head in a response, and the names of those that have none."""
    if row_map.to_key is None or row_map.to_response is None:
        return _distance(rows, head), _own_heads(rows, head)
    mine = row_map.to_response
    absent = np.flatnonzero(mine == NONE)
    target = heads_on_key(head, row_map)[mine]  # of absent words anything, which is put right at once
    target[absent] = ROOT
    strange = _own_heads(rows, target) | dict.fromkeys(absent.tolist(), ABSENT)
    lost = np.flatnonzero(target == STRAY)
    if row_map.surplus is not None:
        places = np.searchsorted(row_map.surplus.rows, head[mine[lost]])
        found = zip(lost.tolist(), places.tolist(), strict=True)
        strange |= {row: _placed(row_map.surplus, place, row) for row, place in found}
    target[lost] = ROOT  # they have names instead
    return _distance(rows, target), strange


def _placed(surplus: Surplus, place: int, row: int) -> str:
    """Name a head that has no counterpart by the key's word it stands at, and what it covers of that."""
    return f"?{int(surplus.near[place]) - row:+}[{int(surplus.begin[place])}:{int(surplus.end[place])}]"


def _named(distances: list[Rows], strange: list[dict[int, str]]) -> Aspect:
    """Make codes of distances, and of the names that some heads have instead."""
    lowest = min(int(each.min(initial=0)) for each in distances)
    width = max(int(each.max(initial=0)) for each in distances) - lowest + 1
    present = np.zeros(width, np.bool_)
    for each in distances:
        present[each - lowest] = True
    numbers = (np.flatnonzero(present) + lowest).tolist()
    named = {f"{number:+}" if number else "0": number for number in numbers}
    extra = {name for each in strange for name in each.values()}
    names = tuple(sorted({*named, *extra}, key=special_last))
    code_of = {name: code for code, name in enumerate(names)}
    table = np.zeros(width, code_type(len(names)))
    for name, number in named.items():
        table[number - lowest] = code_of[name]
    columns = []
    for distance, others in zip(distances, strange, strict=True):
        codes = table[distance - lowest]
        if others:
            codes[list(others)] = [code_of[name] for name in others.values()]
        columns.append(codes)
    return Aspect(columns[0], tuple(columns[1:]), names, points=True)


def _pairs(labels: Aspect, heads: Aspect) -> Aspect:
    """Make values of labels and heads: `nsubj +2`."""
    width = len(heads.names)
    packed = [
        label.astype(np.int64) * width + head
        for label, head in zip([labels.key, *labels.values], [heads.key, *heads.values], strict=True)
    ]
    found = _distinct(packed, len(labels.names) * width)
    written = [_value(labels.names[code // width], heads.names[code % width]) for code in found.tolist()]
    order = sorted(range(len(written)), key=lambda place: special_last(written[place]))
    rank = np.empty(len(order), code_type(len(order)))
    rank[order] = np.arange(len(order))
    columns = [rank[_places(found, each, len(labels.names) * width)] for each in packed]
    return Aspect(columns[0], tuple(columns[1:]), tuple(written[place] for place in order))


def _value(label: str, head: str) -> str:
    return ABSENT if label == ABSENT else f"{label} {head}"


def _distinct(columns: list[Rows], width: int) -> Rows:
    if width > _MOST_PAIRS:
        return np.unique(np.concatenate([np.unique(each) for each in columns]))
    present = np.zeros(width, np.bool_)
    for each in columns:
        present[each] = True
    return np.flatnonzero(present)


def _places(found: Rows, wanted: Rows, width: int) -> Rows:
    """Return where each wanted number stands among the distinct ones."""
    if width > _MOST_PAIRS:
        return np.searchsorted(found, wanted)
    place = np.zeros(width, np.int64)
    place[found] = np.arange(len(found))
    return place[wanted]


def _tree_attributes(key: Corpus) -> dict[str, Attribute]:
    """Offer what the key's arc says of each word."""
    head, rows = arcs_of(key).head, np.arange(len(key))
    return {
        "distance": Attribute("number", lambda: np.where(head == ROOT, np.nan, np.abs(head - rows))),
        "direction": Attribute("text", lambda: _direction(head, rows)),
        "depth": Attribute("number", lambda: _depth(head)),
        "projectivity": Attribute("text", lambda: _projectivity(head, key.sentences)),
    }


def _direction(head: Rows, rows: Rows) -> TextColumn:
    codes = np.where(head == ROOT, 2, np.where(head < rows, 0, 1)).astype(np.uint8)
    return TextColumn(codes, ("head left", "head right", "root"))


def _depth(head: Rows) -> NDArray[np.float64]:
    depth = depths(head).astype(np.float64)
    return np.where(depth == 0, np.nan, depth)


def _projectivity(head: Rows, sentences: Rows) -> TextColumn:
    codes = np.ones(len(head), np.uint8)
    codes[crossing(head, sentences)] = 0
    return TextColumn(codes, ("non-projective", "projective"))


def _left_out(aligned: Aligned, sites: Sites, options: Options) -> TextColumn | None:
    """Leave out labels by request, and punctuation by the policy."""
    chosen = left_out(sites, options)
    if options.punctuation == "keep":
        return chosen
    marks = _punctuation(aligned.key, options.punctuation)
    marks = marks if aligned.kept is None else marks[aligned.kept]
    why = f"punctuation ({options.punctuation})"
    if chosen is None:
        return TextColumn(marks.astype(np.uint8), ("", why))
    names = (*chosen.names, why)
    return TextColumn(np.where(marks, len(chosen.names), chosen.codes).astype(np.uint8), names)


def _punctuation(key: Corpus, policy: Punctuation) -> NDArray[np.bool_]:
    """Return which words of the key are punctuation."""
    if policy == "ud-punct":
        return key.columns["value"].truths(lambda label: universal_relation(label) == "punct")
    if policy == "ptb":
        return key.columns["xpos"].truths(PTB_PUNCTUATION.__contains__)
    if key.words is None:
        raise UsageError("the key has no words, so punctuation cannot be told by its characters")
    return key.words.intern().truths(_all_punctuation)


def _all_punctuation(word: str) -> bool:
    return bool(word) and all(unicodedata.category(character).startswith("P") for character in word)


DEP = Task(
    name="dep",
    summary="dependency trees: UAS, LS, LAS, and all scores of the CoNLL 2018 shared task",
    shape="tokens",
    column="deprel",
    judge=judge_arcs,
    layer="arcs",
    columns=COLUMNS,
    policies=frozenset({"punctuation", "labels"}),
)
