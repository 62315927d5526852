"""Evaluation of dependency trees: a site is a word of the key, its value is (head, label).

Heads are compared through the alignment and named by relative position: `+2` two words ahead, `-1` one
back, `0` the root, `self` the word itself. A head without a counterpart in the key is wrong; `?+2[0:3]`
names the word of the key at its position and the bytes of it (in UTF-8, from its start) that the head covers.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align import NONE, Aligned
from comparanda.core.corpus import ROOT
from comparanda.core.heads import compute_depths, find_non_projective
from comparanda.core.places import Note
from comparanda.core.sites import ABSENT, OWN_PLACE, Aspect, Attribute, Sites, special_last
from comparanda.core.text_columns import TextColumn, code_type
from comparanda.core.verdicts import System, Verdicts, View
from comparanda.errors import UsageError
from comparanda.tasks.label_maps import apply_label_maps, note_one_sided_labels
from comparanda.tasks.task import Options, Task
from comparanda.tasks.trees.conll18 import STRAY, arcs_of, count_conll18, note_normalisation, universal_relation
from comparanda.tasks.trees.conll18 import VIEW as CONLL18
from comparanda.tasks.trees.conll18 import on_key as heads_on_key
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
_MOST_DENSE_PAIRS = 1 << 24


def evaluate_arcs(aligned: Aligned, systems: Sequence[System], options: Options) -> Verdicts:
    """Evaluate dependency trees."""
    runs = run_names(systems)
    columns, notes = _relations(aligned, systems, runs, options)
    views = _build_views(aligned, columns, options)
    notes += note_one_sided_labels(views["las"], runs)
    notes += [Note("key", f"words left out, {why}", count) for why, count in views["las"].left_out_counts.items()]
    policies: dict[str, str] = {"punctuation": options.punctuation, "labels": options.labels}
    if options.conll18 == "official":
        notes += note_normalisation(aligned, runs)
    else:
        policies["conll18"] = options.conll18
    return verdicts_of(
        aligned,
        systems=systems,
        task="dep",
        views=views,
        settings={**settings_of(options, aligned.key.evaluated), **policies},
        notes=notes,
    )


def _relations(
    aligned: Aligned, systems: Sequence[System], runs: tuple[str, ...], options: Options
) -> tuple[list[TextColumn], list[Note]]:
    """Collect the relations of all sides and normalise them."""
    columns = [corpus.columns["value"] for corpus in (aligned.key, *aligned.responses)]
    columns, notes = apply_label_maps(columns, ["key", *runs], systems, options, several=False)
    if options.labels == "universal":
        columns = [column.mapped(universal_relation) for column in columns]
    return columns, notes


def _build_views(aligned: Aligned, columns: list[TextColumn], options: Options) -> dict[str, View]:
    """Build the views by head and label, by head alone, by label alone, and that of the CoNLL 2018 shared task."""
    places = places_of(aligned.key)
    attributes = {**attributes_of(aligned.key, places[0], options), **_tree_attributes(aligned.key)}
    names, codes = encode_columns(aligned, columns)
    labels = Aspect(codes[0], values_of(aligned, names, codes), names)
    heads = _head_aspect(aligned)
    of_key = Aspect(labels.key, (labels.key,) * len(aligned.maps), labels.names)  # labels of sites in `uas`
    surplus_arcs = _SurplusArcs(aligned, places, names, codes)
    views = {}
    for name, value, called, surplus in (
        ("las", _combine_values(labels, heads), labels, surplus_arcs.items("label", "head")),
        ("uas", heads, of_key, surplus_arcs.items("head")),
        ("ls", labels, labels, surplus_arcs.items("label")),
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
            left_out=_combine_exclusions(aligned, sites, options),
            surplus=surplus,
            cuts=CUTS,
        )
    views["las"] = replace(views["las"], measures=tuple(each for view in views.values() for each in view.measures))
    return {**views, CONLL18: count_conll18(aligned, options.conll18)}


@dataclass(frozen=True, eq=False, slots=True)
class _SurplusArcs:
    """The arcs of words that system outputs have and the key does not."""

    aligned: Aligned
    places: Places
    names: tuple[str, ...]
    codes: list[Codes]

    def items(self, *aspects: str) -> Items | None:
        """Build items from them, distinguished by these aspects; by head alone, they have the key's labels."""

        def evaluated(run: int, found: Surplus) -> tuple[Codes, Codes]:
            by_label = "label" in aspects
            called = self.codes[run + 1][found.rows] if by_label else self.codes[0][found.near]
            value = called.astype(np.int64) if by_label else np.zeros(len(called), np.int64)
            if "head" in aspects:
                value += len(self.names) * self._head_numbers(run, found)
            return called, value

        return surplus_items(self.aligned, self.places, self.names, evaluated)

    def _head_numbers(self, run: int, found: Surplus) -> Rows:
        """Encode the head of each word: a row of the key, or a number for the position of a word that the key lacks."""
        head, row_map = arcs_of(self.aligned.responses[run]).head[found.rows], self.aligned.maps[run]
        number = heads_on_key(head, row_map) - STRAY
        strays = np.flatnonzero(number == 0)
        if len(strays) and row_map.surplus is not None:
            others = row_map.surplus
            place = np.searchsorted(others.rows, head[strays])
            spot = (others.near[place].astype(np.int64) * self._base + others.begin[place]) * self._base
            number[strays] = len(self.aligned.key) - STRAY + spot + others.end[place]
        return number

    @property
    def _base(self) -> int:
        """A base for numbers of positions, larger than any position within a word of the key, on all sides."""
        ends = [int(each.surplus.end.max(initial=0)) for each in self.aligned.maps if each.surplus is not None]
        return max(ends, default=0) + 1


def _head_aspect(aligned: Aligned) -> Aspect:
    """Name the heads of all sides by their distance from the dependent, in words of the key."""
    rows = np.arange(len(aligned.key))
    head = arcs_of(aligned.key).head
    distances, others = [_key_distances(rows, head)], [_self_loops(rows, head)]
    for response, row_map in zip(aligned.responses, aligned.maps, strict=True):
        distance, unmatched = _output_distances(rows, arcs_of(response).head, row_map)
        distances.append(distance)
        others.append(unmatched)
    return _encode_heads(distances, others)


def _key_distances(rows: Rows, head: Rows) -> Rows:
    distance = head - rows
    distance[head == ROOT] = 0
    return distance


def _self_loops(rows: Rows, head: Rows) -> dict[int, str]:
    """Name the heads of words that are their own head."""
    return dict.fromkeys(np.flatnonzero(head == rows).tolist(), OWN_PLACE)


def _output_distances(rows: Rows, head: Rows, row_map: RowMap) -> tuple[Rows, dict[int, str]]:
    """Compute the distance of each key word's head in a system output, and name the heads that have none."""
    if row_map.to_key is None or row_map.to_response is None:
        return _key_distances(rows, head), _self_loops(rows, head)
    mine = row_map.to_response
    absent = np.flatnonzero(mine == NONE)
    target = heads_on_key(head, row_map)[mine]  # arbitrary for absent words, corrected in the next line
    target[absent] = ROOT
    unmatched = _self_loops(rows, target) | dict.fromkeys(absent.tolist(), ABSENT)
    lost = np.flatnonzero(target == STRAY)
    if row_map.surplus is not None:
        places = np.searchsorted(row_map.surplus.rows, head[mine[lost]])
        found = zip(lost.tolist(), places.tolist(), strict=True)
        unmatched |= {row: _name_surplus_head(row_map.surplus, place, row) for row, place in found}
    target[lost] = ROOT  # these have names instead
    return _key_distances(rows, target), unmatched


def _name_surplus_head(surplus: Surplus, place: int, row: int) -> str:
    """Name a head without a counterpart by the key's word at its position and the bytes of it that it covers."""
    return f"?{int(surplus.near[place]) - row:+}[{int(surplus.begin[place])}:{int(surplus.end[place])}]"


def _encode_heads(distances: list[Rows], unmatched: list[dict[int, str]]) -> Aspect:
    """Encode distances, and the names that some heads have instead."""
    lowest = min(int(each.min(initial=0)) for each in distances)
    width = max(int(each.max(initial=0)) for each in distances) - lowest + 1
    present = np.zeros(width, np.bool_)
    for each in distances:
        present[each - lowest] = True
    numbers = (np.flatnonzero(present) + lowest).tolist()
    named = {f"{number:+}" if number else "0": number for number in numbers}
    extra = {name for each in unmatched for name in each.values()}
    names = tuple(sorted({*named, *extra}, key=special_last))
    code_of = {name: code for code, name in enumerate(names)}
    table = np.zeros(width, code_type(len(names)))
    for name, number in named.items():
        table[number - lowest] = code_of[name]
    columns = []
    for distance, others in zip(distances, unmatched, strict=True):
        codes = table[distance - lowest]
        if others:
            codes[list(others)] = [code_of[name] for name in others.values()]
        columns.append(codes)
    return Aspect(columns[0], tuple(columns[1:]), names, points=True)


def _combine_values(labels: Aspect, heads: Aspect) -> Aspect:
    """Combine labels and heads to values: `nsubj +2`."""
    width = len(heads.names)
    packed = [
        label.astype(np.int64) * width + head
        for label, head in zip([labels.key, *labels.values], [heads.key, *heads.values], strict=True)
    ]
    found = _distinct(packed, len(labels.names) * width)
    written = [_format_value(labels.names[code // width], heads.names[code % width]) for code in found.tolist()]
    order = sorted(range(len(written)), key=lambda place: special_last(written[place]))
    rank = np.empty(len(order), code_type(len(order)))
    rank[order] = np.arange(len(order))
    columns = [rank[_find_places(found, each, len(labels.names) * width)] for each in packed]
    return Aspect(columns[0], tuple(columns[1:]), tuple(written[place] for place in order))


def _format_value(label: str, head: str) -> str:
    return ABSENT if label == ABSENT else f"{label} {head}"


def _distinct(columns: list[Rows], width: int) -> Rows:
    if width > _MOST_DENSE_PAIRS:
        return np.unique(np.concatenate([np.unique(each) for each in columns]))
    present = np.zeros(width, np.bool_)
    for each in columns:
        present[each] = True
    return np.flatnonzero(present)


def _find_places(found: Rows, wanted: Rows, width: int) -> Rows:
    """Find the place of each wanted number among the distinct ones."""
    if width > _MOST_DENSE_PAIRS:
        return np.searchsorted(found, wanted)
    place = np.zeros(width, np.int64)
    place[found] = np.arange(len(found))
    return place[wanted]


def _tree_attributes(key: Corpus) -> dict[str, Attribute]:
    """Build the attributes of each word that follow from its arc in the key."""
    head, rows = arcs_of(key).head, np.arange(len(key))
    return {
        "distance": Attribute("number", lambda: np.where(head == ROOT, np.nan, np.abs(head - rows))),
        "direction": Attribute("text", lambda: _direction_column(head, rows)),
        "depth": Attribute("number", lambda: _depth_values(head)),
        "projectivity": Attribute("text", lambda: _projectivity_column(head, key.sentences)),
    }


def _direction_column(head: Rows, rows: Rows) -> TextColumn:
    codes = np.where(head == ROOT, 2, np.where(head < rows, 0, 1)).astype(np.uint8)
    return TextColumn(codes, ("head left", "head right", "root"))


def _depth_values(head: Rows) -> NDArray[np.float64]:
    depth = compute_depths(head).astype(np.float64)
    return np.where(depth == 0, np.nan, depth)


def _projectivity_column(head: Rows, sentences: Rows) -> TextColumn:
    codes = np.ones(len(head), np.uint8)
    codes[find_non_projective(head, sentences)] = 0
    return TextColumn(codes, ("non-projective", "projective"))


def _combine_exclusions(aligned: Aligned, sites: Sites, options: Options) -> TextColumn | None:
    """Exclude labels by option and punctuation by policy, with the reasons."""
    chosen = left_out(sites, options)
    if options.punctuation == "keep":
        return chosen
    marks = _find_punctuation(aligned.key, options.punctuation)
    marks = marks if aligned.kept is None else marks[aligned.kept]
    why = f"punctuation ({options.punctuation})"
    if chosen is None:
        return TextColumn(marks.astype(np.uint8), ("", why))
    names = (*chosen.names, why)
    return TextColumn(np.where(marks, len(chosen.names), chosen.codes).astype(np.uint8), names)


def _find_punctuation(key: Corpus, policy: Punctuation) -> NDArray[np.bool_]:
    """Find the words of the key that are punctuation under a policy."""
    if policy == "ud-punct":
        return key.columns["value"].truths(lambda label: universal_relation(label) == "punct")
    if policy == "ptb":
        return key.columns["xpos"].truths(PTB_PUNCTUATION.__contains__)
    if key.words is None:
        raise UsageError("the key has no words, so punctuation cannot be identified by its characters")
    return key.words.intern().truths(_is_punctuation)


def _is_punctuation(word: str) -> bool:
    return bool(word) and all(unicodedata.category(character).startswith("P") for character in word)


DEP = Task(
    name="dep",
    summary="dependency trees: UAS, LS, LAS, and all scores of the CoNLL 2018 shared task",
    shape="tokens",
    column="deprel",
    evaluate=evaluate_arcs,
    layer="arcs",
    columns=COLUMNS,
    policies=frozenset({"punctuation", "labels", "conll18"}),
)
