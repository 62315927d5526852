"""The scores of the CoNLL 2018 shared task, counted as by its evaluation script, and ELAS and EULAS of IWPT 2020.

Each score has four counts per unit and run: the correct ones (`credit`), those in the key (`positives`), those in
the system output (`claimed`), and those of the key with a counterpart (`aligned`). Subtypes of relations and
language-specific features are ignored, and every word counts, punctuation included: policies do not affect these
scores. Values are compared as they are written, character by character, or normalised by name (`--conll18 normalised`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align import NONE, token_rows
from comparanda.core.corpus import ROOT, Edges, owner_of_rows
from comparanda.core.places import Note, first_places
from comparanda.core.sites import Sites
from comparanda.core.text_columns import code_type
from comparanda.core.verdicts import View
from comparanda.formats.tokens import normalise_nfc, plain_spaces
from comparanda.tasks.task import CONLL18
from comparanda.tasks.word_sites import units_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from comparanda.align import Aligned, RowMap
    from comparanda.core.corpus import Arcs, Corpus
    from comparanda.core.text_columns import Codes, Rows, TextColumn, Truths
    from comparanda.tasks.task import Conll18


# The heads of a system output as words of the key, which every evaluation of trees compares.


STRAY = -2
"""The head of a word whose head has no counterpart in the key."""


def arcs_of(corpus: Corpus) -> Arcs:
    """Return the trees of a corpus that was read with them."""
    if corpus.arcs is None:
        raise AssertionError(f"{corpus.name} was read without its trees")
    return corpus.arcs


def on_key(head: Rows, row_map: RowMap) -> Rows:
    """Map heads from rows of a system output to rows of the key; `ROOT` and `STRAY` are not rows."""
    if row_map.to_key is None:
        return head
    target = np.append(row_map.to_key, ROOT)  # a root's head, -1, indexes the last element
    target[:-1][row_map.to_key == NONE] = STRAY
    found: Rows = target[head]
    return found


VIEW = "conll18"
METRICS = (
    "Tokens",
    "Sentences",
    "Words",
    "UPOS",
    "XPOS",
    "UFeats",
    "AllTags",
    "Lemmas",
    "UAS",
    "LAS",
    "CLAS",
    "MLAS",
    "BLEX",
)
ENHANCED = ("ELAS", "EULAS")
SEGMENTATION = frozenset({"Tokens", "Sentences", "Words", *ENHANCED})
"""The scores without an accuracy on aligned words: they measure the alignment, or count several edges per word."""

# fmt: off
CONTENT = frozenset(
    {
        "nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl", "advmod",
        "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound", "list", "parataxis",
        "orphan", "goeswith", "reparandum", "root", "dep"
    }
)
FUNCTIONAL = frozenset({
        "aux", "cop", "mark", "det", "clf", "case", "cc"
    })
UNIVERSAL = frozenset(
    {
        "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case", "Definite",
        "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person", "Polite"
    }
)
# fmt: on


def universal_relation(label: str) -> str:
    """Remove the subtype of a relation.

    >>> universal_relation("nsubj:pass")
    'nsubj'
    """
    return label.partition(":")[0]


def universal_features(features: str) -> str:
    """Keep only universal features, sorted.

    >>> universal_features("Number=Sing|Foo=Bar|Case=Nom")
    'Case=Nom|Number=Sing'
    """
    return "|".join(sorted(each for each in features.split("|") if each.partition("=")[0] in UNIVERSAL))


def universal_path(label: str) -> str:
    """Remove the subtypes of all relations in a path.

    >>> universal_path("conj:and>nsubj:pass")
    'conj>nsubj'
    """
    return ">".join(map(universal_relation, label.split(">")))


def count_conll18(aligned: Aligned, values: Conll18 = "official") -> View:
    """Count all scores for every unit and run, comparing values as they are written or normalised."""
    count = _Counts(aligned, values)
    for run in range(len(aligned.responses)):
        count.add(run)
    nothing = np.zeros(0, np.int32)
    codes = np.zeros(0, np.uint8)
    sites = Sites(
        document=nothing, sentence=nothing, place=nothing, key=codes, values=(codes,) * len(aligned.responses), names=()
    )
    first = ["LAS", *(metric for metric in (*METRICS, *ENHANCED) if metric != "LAS")]
    measures = [f"{VIEW}.f1[{metric}]" for metric in first]
    measures += [f"{VIEW}.{each}[{metric}]" for metric in first for each in ("precision", "recall")]
    measures += [f"{VIEW}.aligned_accuracy[{metric}]" for metric in first if metric not in SEGMENTATION]
    return View(name=VIEW, given_sites=sites, measures=tuple(measures), statistics=count.statistics)


_COLUMNS: Mapping[str, Callable[[str], str]] = {
    "value": universal_relation,
    "upos": str,
    "xpos": str,
    "feats": universal_features,
    "lemma": str,
}
"""The columns that are compared, each with the part of its values that counts."""

_NOUNS = {
    "value": "relations",
    "upos": "values of UPOS",
    "xpos": "values of XPOS",
    "feats": "universal features",
    "lemma": "lemmas",
}


def _column_of(corpus: Corpus, name: str, values: Conll18) -> TextColumn:
    column = corpus.columns[name]
    return column if values == "normalised" else column.as_written


def _normalise(value: str) -> str:
    return plain_spaces(normalise_nfc(value))


def note_normalisation(aligned: Aligned, runs: Sequence[str]) -> list[Note]:
    """Count, for each column and run, the words that are wrong as they are written and right if normalised."""
    notes = []
    for name, change in _COLUMNS.items():
        for run, (response, row_map) in enumerate(zip(aligned.responses, aligned.maps, strict=True)):
            sides = (aligned.key, response)
            if all(side.columns[name].written is None for side in sides):
                continue
            written, normalised = (
                _encode_columns([_column_of(side, name, values) for side in sides], change).codes for values in CONLL18
            )
            rows = np.arange(len(response)) if row_map.to_response is None else row_map.to_response
            mended = (normalised[0] == normalised[1][rows]) & (written[0] != written[1][rows]) & (rows != NONE)
            if name == "lemma":
                mended &= aligned.key.columns[name].as_written.truths("_".__ne__)
            found = np.flatnonzero(mended)
            if aligned.kept is not None:
                found = found[np.isin(found, aligned.kept)]
            if found.size:
                first = first_places(response.source, response.offset[rows[found[:3]]])
                notes.append(Note(runs[run], f"{_NOUNS[name]} {_NORMALISABLE}", len(found), first))
    return notes


_NORMALISABLE = (
    "that equal the key's only if Unicode and spaces are normalised, wrong in the view conll18 "
    "(to accept them: --conll18 normalised)"
)


@dataclass(frozen=True, eq=False, slots=True)
class _Column:
    """One column of all sides with common codes: the key first, then the system outputs."""

    names: tuple[str, ...]
    codes: tuple[Codes, ...]

    def among(self, texts: frozenset[str]) -> tuple[Truths, ...]:
        """Find, for each side, the words with one of these texts."""
        table = np.array([name in texts for name in self.names], np.bool_)
        return tuple(table[codes] for codes in self.codes)


def _encode_columns(columns: Iterable[TextColumn], change: Callable[[str], str] = str) -> _Column:
    """Encode columns with common codes, after changing their texts."""
    code_of: dict[str, int] = {}
    given = list(columns)
    tables = [[code_of.setdefault(change(name), len(code_of)) for name in column.names] for column in given]
    kind = code_type(len(code_of))
    codes = tuple(np.array(table, kind)[column.codes] for table, column in zip(tables, given, strict=True))
    return _Column(tuple(code_of), codes)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class _WordErrors:
    """The errors of one system output for each word of the key; errors are counted because they are few.

    Args:
        absent: the rows of the words without a counterpart, which are wrong in every respect.
        head: whether the head differs.
        relation: whether the relation differs; and so on.

    """

    absent: Rows
    head: Truths
    relation: Truths
    upos: Truths
    xpos: Truths
    features: Truths
    lemma: Truths


class _Counts:
    """Accumulates the counts run by run."""

    def __init__(self, aligned: Aligned, values: Conll18) -> None:
        self.aligned = aligned
        self.values = values
        key = aligned.key
        self.units = units_of(key).count
        self.unit = owner_of_rows(key.sentences).astype(np.int64)
        if key.documents.marked:
            self.unit = key.documents.numbers[owner_of_rows(key.row_documents)].astype(np.int64)
        self.kept: Truths | None = None
        if aligned.kept is not None:
            self.kept = np.zeros(len(key), np.bool_)
            self.kept[aligned.kept] = True
        corpora = (key, *aligned.responses)
        self.heads = [arcs_of(corpus).head for corpus in corpora]
        self.relation, self.upos, self.xpos, self.features, self.lemma = (
            _encode_columns([_column_of(corpus, name, values) for corpus in corpora], change)
            for name, change in _COLUMNS.items()
        )
        self.content, self.functional = self.relation.among(CONTENT), self.relation.among(FUNCTIONAL)
        self.no_lemma = self.lemma.among(frozenset({"_"}))[0]
        self.words, self.content_words = self._by_unit(None), self._by_unit(np.flatnonzero(self.content[0]))
        self.tokens, self.sentences = self._by_unit(token_rows(key)), self._by_unit(key.sentences[:-1])
        self.statistics: dict[str, NDArray[np.float64]] = {}

    def add(self, run: int) -> None:
        """Count one run."""
        near = self.aligned.maps[run].near(len(self.aligned.responses[run]))
        self._count_segmentation(run, near)
        heads = on_key(self.heads[run + 1], self.aligned.maps[run])
        wrong = self._find_errors(run, heads)
        las, tags = wrong.head | wrong.relation, wrong.upos | wrong.features
        self._count_words(run, near=near, wrong=wrong, las=las, tags=tags)
        family = las | tags
        family |= self._has_other_children(run, family, heads)
        self._count_content_words(run, near=near, wrong=wrong, las=las, family=family)
        self._count_enhanced(run, near)

    def _count_words(self, run: int, near: Rows, wrong: _WordErrors, las: Truths, *, tags: Truths) -> None:
        everything = {
            "UPOS": wrong.upos,
            "XPOS": wrong.xpos,
            "UFeats": wrong.features,
            "AllTags": tags | wrong.xpos,
            "Lemmas": wrong.lemma,
            "UAS": wrong.head,
            "LAS": las,
        }
        claimed, aligned = self._by_unit(near), self.words - self._by_unit(wrong.absent)
        self._set_counts("Words", run=run, credit=aligned, positives=self.words, claimed=claimed, aligned=None)
        for metric, mask in everything.items():
            right = self.words - self._by_unit(np.flatnonzero(mask))
            self._set_counts(metric, run=run, credit=right, positives=self.words, claimed=claimed, aligned=aligned)

    def _count_content_words(self, run: int, near: Rows, wrong: _WordErrors, las: Truths, *, family: Truths) -> None:
        content = self.content[0]
        claimed = self._by_unit(near[np.flatnonzero(self.content[run + 1])])
        aligned = self.content_words - self._by_unit(wrong.absent[content[wrong.absent]])
        for metric, mask in (("CLAS", las), ("MLAS", family), ("BLEX", las | wrong.lemma)):
            right = self.content_words - self._by_unit(np.flatnonzero(mask & content))
            self._set_counts(
                metric, run=run, credit=right, positives=self.content_words, claimed=claimed, aligned=aligned
            )

    def _by_unit(self, rows: Rows | None) -> NDArray[np.int64]:
        """Count rows of the key, or all, by unit; `NONE` and rows that are not evaluated do not count."""
        unit = self.unit if rows is None else self.unit[rows]
        valid = None
        if rows is not None and rows.size and rows.min() == NONE:
            valid = rows != NONE
        if self.kept is not None:
            taking_part = self.kept if rows is None else self.kept[rows]
            valid = taking_part if valid is None else valid & taking_part
        return np.bincount(unit if valid is None else unit[valid], minlength=self.units)

    def _set_counts(
        self,
        metric: str,
        run: int,
        credit: NDArray[np.int64],
        positives: NDArray[np.int64],
        *,
        claimed: NDArray[np.int64],
        aligned: NDArray[np.int64] | None,
    ) -> None:
        counts = {"credit": credit, "positives": positives, "claimed": claimed, "aligned": aligned}
        for name, values in counts.items():
            if values is not None:
                shape = (self.units, len(self.aligned.responses))
                table = self.statistics.setdefault(f"{name}[{metric}]", np.zeros(shape))
                table[:, run] = values

    def _count_segmentation(self, run: int, near: Rows) -> None:
        key, response, segments = self.aligned.key, self.aligned.responses[run], self.aligned.segments[run]
        if segments is None:
            own = self._by_unit(near[token_rows(response)]), self._by_unit(near[response.sentences[:-1]])
            self._set_counts("Tokens", run=run, credit=own[0], positives=self.tokens, claimed=own[0], aligned=None)
            self._set_counts(
                "Sentences", run=run, credit=own[1], positives=self.sentences, claimed=own[1], aligned=None
            )
            return
        right, claimed = self._by_unit(segments.tokens), self._by_unit(near[segments.token_rows])
        self._set_counts("Tokens", run=run, credit=right, positives=self.tokens, claimed=claimed, aligned=None)
        right = self._by_unit(key.sentences[:-1][segments.sentences])
        self._set_counts(
            "Sentences",
            run=run,
            credit=right,
            positives=self.sentences,
            claimed=self._by_unit(near[response.sentences[:-1]]),
            aligned=None,
        )

    def _find_errors(self, run: int, heads: Rows) -> _WordErrors:
        """Compare the words of a system output, and their heads in the key, with the key's."""
        rows = self.aligned.maps[run].to_response
        absent = np.zeros(0, np.int64) if rows is None else np.flatnonzero(rows == NONE)

        def unlike(mine: Codes, theirs: Codes) -> Truths:
            wrong = np.not_equal(mine, theirs if rows is None else theirs[rows])  # `NONE` indexes an arbitrary word …
            wrong[absent] = True  # … but is always wrong
            return wrong

        def other(column: _Column) -> Truths:
            return unlike(column.codes[0], column.codes[run + 1])

        lemma = other(self.lemma)
        lemma &= ~self.no_lemma
        lemma[absent] = True
        return _WordErrors(
            absent=absent,
            head=unlike(self.heads[0], heads),
            relation=other(self.relation),
            upos=other(self.upos),
            xpos=other(self.xpos),
            features=other(self.features),
            lemma=lemma,
        )

    def _has_other_children(self, run: int, wrong: Truths, heads: Rows) -> Truths:
        """Whether words have different functional children, or children with different relations or tags.

        Alignment preserves the order of words, so the children of two words are the same if each has its counterpart
        among those of the other: if none of either is `wrong` in its head, relation or tags.
        """
        mine, theirs = (np.flatnonzero(self.functional[side]) for side in (0, run + 1))
        to_key = self.aligned.maps[run].to_key
        counterparts = theirs if to_key is None else to_key[theirs]
        theirs = theirs[wrong[counterparts] | (counterparts == NONE)]
        above = np.concatenate([self.heads[0][mine[wrong[mine]]], heads[theirs]])
        other = np.zeros(len(wrong), np.bool_)
        other[above[above >= 0]] = True
        return other

    def _count_enhanced(self, run: int, near: Rows) -> None:
        """Count the edges of enhanced graphs; an edge that occurs twice can match twice."""
        mine, theirs = (arcs_of(side).edges for side in (self.aligned.key, self.aligned.responses[run]))
        nothing = np.zeros(self.units, np.int64)
        positives = nothing if mine is None else self._by_unit(mine.row)
        claimed = nothing if theirs is None else self._by_unit(near[theirs.row])
        credit = dict.fromkeys(ENHANCED, nothing)
        if mine is not None and theirs is not None:
            theirs = _map_edges_to_key(theirs, self.aligned.maps[run])
            found = _find_common_edges(mine, theirs, len(self.unit), self.values)
            credit = {metric: self._by_unit(rows) for metric, rows in zip(ENHANCED, found, strict=True)}
        for metric in ENHANCED:
            self._set_counts(metric, run=run, credit=credit[metric], positives=positives, claimed=claimed, aligned=None)


def _map_edges_to_key(edges: Edges, row_map: RowMap) -> Edges:
    """Map the edges of a system output to the key's words; edges at words without a counterpart are dropped."""
    if row_map.to_key is None:
        return edges
    row, head = row_map.to_key[edges.row], on_key(edges.head, row_map)
    known = np.flatnonzero((row != NONE) & (head != STRAY))
    return Edges(row[known], head[known], edges.label.take(known))


def _find_common_edges(mine: Edges, theirs: Edges, words: int, values: Conll18) -> tuple[Rows, Rows]:
    """Find the word of each edge that both sides have: with the same relation, and ignoring subtypes."""
    lone = np.bincount(mine.row, minlength=words) == 1
    lone &= np.bincount(theirs.row, minlength=words) == 1
    place = np.zeros(words, np.int64)
    place[theirs.row] = np.arange(len(theirs.row))
    left = np.flatnonzero(lone[mine.row])  # most words have one edge and need no search
    right = place[mine.row[left]]
    same_head = np.equal(mine.head[left], theirs.head[right])
    others = np.flatnonzero(~lone[mine.row]), np.flatnonzero(~lone[theirs.row])
    found = []
    given = [mine.label, theirs.label]
    if values == "normalised":
        given = [label.mapped(_normalise) for label in given]
    for change in (str, universal_path):
        labels = _encode_columns(given, change)
        same = same_head & (labels.codes[0][left] == labels.codes[1][right])
        edges = [
            (each.row[rows] * (words + 1) + each.head[rows] + 1) * len(labels.names) + codes[rows]
            for each, rows, codes in zip((mine, theirs), others, labels.codes, strict=True)
        ]
        found.append(np.concatenate([mine.row[left[same]], np.repeat(mine.row[others[0]], _count_occurrences(*edges))]))
    return found[0], found[1]


def _count_occurrences(wanted: Rows, given: Rows) -> Rows:
    """Count how often each wanted number occurs among the given ones."""
    distinct, counts = np.unique(given, return_counts=True)
    if not distinct.size:
        return np.zeros(len(wanted), np.int64)
    place = np.minimum(np.searchsorted(distinct, wanted), len(distinct) - 1)
    return np.where(distinct[place] == wanted, counts[place], 0)
