"""Pairing of the documents of a system output (response) with those of a key, by their text and their names.

If the whole text of a response is the key's, marks of documents may be missing, additional, elsewhere, or have other
names. If it is not, files are paired by their names, and documents inside them by theirs. Documents without a name are
never paired by their number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from comparanda.align.edits import find_edits
from comparanda.core.places import Note, name_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from comparanda.align.maps import TextPolicy
    from comparanda.align.words import Surface, Text
    from comparanda.core.corpus import Corpus
    from comparanda.core.text_columns import Rows

Name = TypeVar("Name")

_ByName = tuple[dict[str | None, list[int]], dict[str | None, list[int]]]

Group = tuple[list[int], list[int]]
"""Documents of the key and of the response: the texts of each, one after the other, are aligned."""

UNKNOWN_NAMES = "document names not in the key, documents matched in order"
"""The note on documents that are matched although the key does not have their names."""

_GRAM = 12
_MOSTLY = 0.5


class DocumentTexts:
    """The texts of the documents of one side, without white space."""

    def __init__(self, corpus: Corpus, surface: Surface) -> None:
        self.corpus, self.surface = corpus, surface

    @cached_property
    def _tokens(self) -> Rows:
        """The first token of each document, and the number of tokens."""
        return np.searchsorted(self.surface.row, self.corpus.row_documents)

    def bounds(self, text: Text) -> Rows:
        """Return the begin of each document in the text of the corpus, and the end of the last."""
        return np.concatenate([[0], text.ends])[self._tokens]

    def bytes_of(self, documents: Sequence[int], *, composed: bool = False) -> NDArray[np.uint8]:
        """Return the texts of documents, one after the other, as written or in Unicode normal form NFC."""
        text = self.surface.composed if composed else self.surface.text
        if len(documents) == len(self.corpus.documents) and list(documents) == list(range(len(documents))):
            return text.data
        bounds = self.bounds(text)
        return np.concatenate([text.data[bounds[each] : bounds[each + 1]] for each in documents] or [text.data[:0]])

    def cuts(self, documents: Sequence[int]) -> set[int]:
        """Return the places at which documents begin in their texts, one after the other."""
        sizes = np.diff(self.bounds(self.surface.composed))[documents]
        return {int(place) for place in np.cumsum(sizes)[:-1]}

    @cached_property
    def names(self) -> list[str | None]:
        """The name of each document that the input gives it, if any; an input without documents has no names."""
        documents = self.corpus.documents
        return [documents.own_name(each) if documents.marked else None for each in range(len(documents))]

    @cached_property
    def files(self) -> list[str]:
        """The name of the file of each document, or its path within the folder that all files are in."""
        known = name_files(self.corpus.source.files)
        source, first = self.corpus.source, self.corpus.row_documents[:-1]
        offsets = self.corpus.offset[np.minimum(first, len(self.corpus) - 1)] if len(self.corpus) else first
        parts = (source.parts[source.part_of(int(offset))].name for offset in offsets)
        return [known[part] for part in parts]


@dataclass(eq=False, kw_only=True)
class Pairing:
    """The documents that are aligned with each other, and those without a counterpart.

    Args:
        groups: the documents that are aligned with each other.
        lacking: the documents of the key that the response lacks.
        surplus: the documents of the response that the key does not have.
        whole: the groups whose names or boundaries differ, while their whole texts are equal.

    """

    groups: list[Group] = field(default_factory=list)
    lacking: list[int] = field(default_factory=list)
    surplus: list[int] = field(default_factory=list)
    whole: list[Group] = field(default_factory=list)

    def add(self, other: Pairing) -> None:
        """Add the pairs of other documents."""
        self.groups += other.groups
        self.lacking += other.lacking
        self.surplus += other.surplus
        self.whole += other.whole


def pair_documents(key: DocumentTexts, response: DocumentTexts, policy: TextPolicy = "exact") -> Pairing:
    """Pair all documents of a response with those of a key, whose texts may differ in a few characters."""
    return _Pairer(key, response, tolerate=policy == "tolerate").pair(
        list(range(len(key.corpus.documents))), list(range(len(response.corpus.documents))), by_file=True, insist=True
    )


class _Pairer:
    def __init__(self, key: DocumentTexts, response: DocumentTexts, *, tolerate: bool) -> None:
        self.key, self.response, self.tolerate = key, response, tolerate

    def pair(self, mine: list[int], theirs: list[int], *, by_file: bool, insist: bool) -> Pairing:
        """Pair some documents.

        Args:
            mine: the documents of the key.
            theirs: those of the response.
            by_file: whether files are paired first, if these are several.
            insist: whether documents of which none has a counterpart are aligned as one text, which then differs.

        """
        known = _group_by_name(self.key.names, mine), _group_by_name(self.response.names, theirs)
        found = self._pair_equal_names(mine, theirs, known) or self._pair_texts(mine, theirs, known, by_file=by_file)
        if found is not None:
            return found
        common = [name for name in known[0] if name is not None and name in known[1]]
        found = Pairing(groups=[(known[0][name], known[1][name]) for name in common])
        paired = tuple({each for group in found.groups for each in group[side]} for side in (0, 1))
        rest = [each for each in mine if each not in paired[0]], [each for each in theirs if each not in paired[1]]
        if rest[0] and rest[1] and ((insist and not common) or self._is_alike(*rest)):
            found.groups.append(rest)
            found.whole.append(rest)
        else:
            found.lacking, found.surplus = rest
        return found

    def _pair_equal_names(self, mine: list[int], theirs: list[int], known: _ByName) -> Pairing | None:
        """Pair documents of the same names; None if names differ, or the whole text is the same but theirs are not."""
        if None in known[0] or known[0].keys() != known[1].keys():
            return None
        groups = [(documents, known[1][name]) for name, documents in known[0].items()]
        if self._are_same(mine, theirs) or all(self._is_same(*group) for group in groups):
            return Pairing(groups=groups)
        return None if self._is_same(mine, theirs) else Pairing(groups=groups)  # the error names the document

    def _pair_texts(self, mine: list[int], theirs: list[int], known: _ByName, *, by_file: bool) -> Pairing | None:
        """Pair files if their texts are the same, else all documents as one text, else files of other texts."""
        files = self._pair_files(mine, theirs) if by_file else None
        complete = files is not None and not (files.lacking or files.surplus)
        if files is not None and complete and all(self._is_same(*group) for group in files.groups):
            return files
        whole = Pairing(groups=[(mine, theirs)], whole=[(mine, theirs)])
        if mine and theirs and self._is_same(mine, theirs) and not self._contradict(*known):
            return whole
        if files is None and mine and theirs and self._is_alike(mine, theirs) and not self._contradict(*known):
            return whole
        return files

    def _pair_files(self, mine: list[int], theirs: list[int]) -> Pairing | None:
        """Pair files by name, then the documents in them; None if no file has a counterpart, or there is only one."""
        if len(self.key.corpus.source.files) == 1:
            return None
        files = _group_by_name(self.key.files, mine), _group_by_name(self.response.files, theirs)
        common = [name for name in files[0] if name in files[1]]
        if not common:
            return None
        found = Pairing()
        for name in common:
            found.add(self.pair(files[0][name], files[1][name], by_file=False, insist=True))
        rest = [
            [each for name, documents in side.items() if name not in common for each in documents] for side in files
        ]
        found.add(self.pair(rest[0], rest[1], by_file=False, insist=False))
        return found

    def _are_same(self, mine: list[int], theirs: list[int]) -> bool:
        """Whether documents have the same names and texts in the same order."""
        names = [self.key.names[each] for each in mine], [self.response.names[each] for each in theirs]
        if names[0] != names[1]:
            return False
        texts = self.key.surface.text, self.response.surface.text
        sizes = np.diff(self.key.bounds(texts[0]))[mine], np.diff(self.response.bounds(texts[1]))[theirs]
        same: bool = np.array_equal(*sizes) and np.array_equal(self.key.bytes_of(mine), self.response.bytes_of(theirs))
        return same

    def _is_same(self, mine: list[int], theirs: list[int]) -> bool:
        """Whether the texts of documents are equal, as written or in Unicode normal form."""
        if np.array_equal(self.key.bytes_of(mine), self.response.bytes_of(theirs)):
            return True
        composed = self.key.bytes_of(mine, composed=True), self.response.bytes_of(theirs, composed=True)
        return np.array_equal(*composed)

    def _is_alike(self, mine: list[int], theirs: list[int]) -> bool:
        """Whether texts are equal, or differ in as few characters as are tolerated."""
        if self._is_same(mine, theirs):
            return True
        texts = self.key.bytes_of(mine, composed=True), self.response.bytes_of(theirs, composed=True)
        return self.tolerate and find_edits(*(text.tobytes().decode() for text in texts)) is not None

    def _contradict(self, mine: dict[str | None, list[int]], theirs: dict[str | None, list[int]]) -> bool:
        """Whether a document has the same name and text on both sides, but another place: texts are repeated."""
        begins = self.key.bounds(self.key.surface.composed), self.response.bounds(self.response.surface.composed)
        base = [
            int(each[min(min(documents) for documents in side.values())])
            for each, side in zip(begins, (mine, theirs), strict=True)
        ]
        for name, documents in mine.items():
            others = theirs.get(name, [])
            if name is None or len(documents) != 1 or len(others) != 1:
                continue
            shift = begins[0][documents[0]] - base[0] != begins[1][others[0]] - base[1]
            if shift and self.key.bytes_of(documents).size and self._is_same(documents, others):
                return True
        return False


def _group_by_name(names: Sequence[Name], documents: Iterable[int]) -> dict[Name, list[int]]:
    """Group documents by name, in order of first appearance."""
    found: dict[Name, list[int]] = {}
    for each in documents:
        found.setdefault(names[each], []).append(each)
    return found


def note_pairing(key: DocumentTexts, response: DocumentTexts, pairing: Pairing) -> list[Note]:
    """Note the document names and boundaries of a response that were not used."""
    side, documents, notes = response.corpus.name, response.corpus.documents, []
    if not documents.marked:
        return []
    known, used = set(key.corpus.documents.names), [each for _, theirs in pairing.whole for each in theirs]
    named = [name for each in used if (name := documents.own_name(each)) is not None and name not in known]
    if unknown := list(dict.fromkeys(named)):
        notes.append(Note(side, UNKNOWN_NAMES, len(unknown), tuple(unknown[:3])))
    if moved := [name for group in pairing.whole for name in _find_moved_names(key, response, group)]:
        what = "document names that the key gives to other documents, documents matched by their text"
        notes.append(Note(side, what, len(moved), tuple(moved[:3])))
    unlike = sum(len(key.cuts(mine) ^ response.cuts(theirs)) for mine, theirs in pairing.whole)
    if unlike and key.corpus.documents.marked:
        notes.append(Note(side, "document boundaries that differ from the key's, which are used", unlike))
    return notes


def _find_moved_names(key: DocumentTexts, response: DocumentTexts, group: Group) -> list[str]:
    """Find names that the response gives to texts with another name in the key, if the texts of the group are equal."""
    begins: list[dict[str | None, int]] = []
    for side, documents in zip((key, response), group, strict=True):
        sizes = np.diff(side.bounds(side.surface.composed))[documents]
        places = zip(documents, (np.cumsum(sizes) - sizes).tolist(), strict=True)
        begins.append({side.names[each]: place for each, place in reversed(list(places))})
    mine, theirs = begins
    taken = set(mine.values())
    return [name for name, place in theirs.items() if name and place in taken and mine.get(name, place) != place]


def find_renamed(key: DocumentTexts, response: DocumentTexts, pairing: Pairing) -> list[tuple[str, str]]:
    """Find documents that seem to be missing, but whose text, or most of it, the response has under other names.

    Return the names of both documents; the second is empty if the text is spread over several documents.
    """
    where = {response.bytes_of([each], composed=True).tobytes(): each for each in pairing.surplus}
    names = key.corpus.documents.names, response.corpus.documents.names
    grams = {gram for each in pairing.surplus for gram in _grams(response.bytes_of([each], composed=True).tobytes())}
    found = []
    for each in pairing.lacking:
        text = key.bytes_of([each], composed=True).tobytes()
        if text in where:
            found.append((names[0][each], names[1][where[text]]))
            continue
        mine = _grams(text)
        if mine and sum(gram in grams for gram in mine) > _MOSTLY * len(mine):
            found.append((names[0][each], ""))
    return found


def _grams(text: bytes) -> set[bytes]:
    return {text[place : place + _GRAM] for place in range(max(len(text) - _GRAM + 1, 0))}
