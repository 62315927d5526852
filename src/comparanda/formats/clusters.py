"""JSON lines with `clusters`, as coreference resolvers read and write them: one document per line, chains as lists.

A mention is a pair of word indices, counted from 0 in the whole document. Tools disagree on the second index:

- the *last* word in e2e-coref, the models with BERT and SpanBERT, longdoc, fastcoref (for training) and Maverick;
- the position *after* it in wl-coref and Stanza, whose documents have `cased_words` and `span_clusters`, and in PreCo,
  whose `mention_clusters` hold three numbers: the sentence, and both indices in that sentence;
- fastcoref writes its predictions next to the `text`, as character offsets with an exclusive end.

If subtokens are counted, a `subtoken_map` gives the word of each. In that case, and in files without words, mentions
refer to the words of the gold file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.core.corpus import Corpus, Documents, Spans
from comparanda.core.places import Note, Source, first_places
from comparanda.core.text_columns import Slices, TextColumn
from comparanda.errors import ReadError, suggest_nearest
from comparanda.formats.contract import Format, Request, choose_option
from comparanda.formats.cuts import json_marks
from comparanda.formats.document_writer import TAGS, Losses, Passage, Writer
from comparanda.formats.field_values import find_unwritable
from comparanda.formats.json_objects import (
    UNLABELLED,
    Fields,
    JsonObjects,
    document_attributes,
    json_lines,
    name_kind,
    record_paths,
)
from comparanda.formats.scanner import check_line_lengths, offset_type
from comparanda.formats.standoff import FARTHEST, Draft
from comparanda.formats.word_runs import place_mentions, report_shared_names

if TYPE_CHECKING:
    from comparanda.core.text_columns import Rows
    from comparanda.formats.standoff import Offsets


# Tokenised documents with chains of mentions, collected into a corpus.


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a document.

    Args:
        words: the words, without those that are just white space; None if the file does not have them.
        row_of: the row of each word or subtoken that mentions count, -1 for white space; None if every one is a row.
        sentences: the index of the first word of each sentence, as mentions count.
        size: the number of words or subtokens that mentions count; None if unknown.

    """

    words: list[str] | None
    row_of: list[int] | None
    sentences: list[int]
    size: int | None


class WordDocuments:
    """Collects tokenised documents and their mentions into a corpus."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}
        self._attributes: dict[str, dict[int, str]] = {}
        self._words: list[str] = []
        self._lacks_words = False
        self._sentence_starts: list[int] = []
        self._bounds: list[int] = []
        self._offset: list[int] = []
        self._columns: dict[str, dict[int, str | None]] = {}
        self._mentions: list[tuple[int, int, int]] = []
        self._chains: list[str] = []

    def document(
        self,
        name: str,
        place: int,
        words: Words,
        attributes: Mapping[str, str],
        *,
        extra: Mapping[str, Sequence[str | None]],
    ) -> None:
        """Start a document, whose name must be new."""
        base = len(self._words)
        for column, tags in extra.items():
            self._columns.setdefault(column, {}).update(enumerate(tags, start=base))
        for attribute, value in attributes.items():
            self._attributes.setdefault(attribute, {})[len(self.places)] = value
        self.places[name] = place
        self._bounds.append(base)
        self._lacks_words = self._lacks_words or words.words is None
        self._words += words.words or []
        rows = words.row_of
        starts = words.sentences if rows is None else [_first_row_from(rows, start) for start in words.sentences]
        self._sentence_starts += [base, *(base + start for start in starts)]
        self._offset += [place] * len(words.words or ())

    def mention(self, rows: tuple[int, int], chain: str) -> None:
        """Add a mention to the current document."""
        self._mentions.append((len(self.places) - 1, *rows))
        self._chains.append(chain)

    def corpus(self, source: Source, request: Request, notes: tuple[Note, ...]) -> Corpus:
        """Build the corpus."""
        if not self._words and not self._lacks_words:
            raise ReadError("there are no words in this file", where=source.parts[0].name)
        size = len(self._words)
        sentences = np.unique(
            np.array([0, *(start for start in self._sentence_starts if start < size), size], np.int64)
        )
        bounds = np.searchsorted(sentences, np.array([*self._bounds, size], np.int64))
        attributes = {
            name: TextColumn.of([values.get(number) for number in range(len(self.places))])
            for name, values in self._attributes.items()
        }
        return Corpus(
            name=request.side,
            format="clusters",
            source=source,
            offset=np.array(self._offset, offset_type(source)),
            words=None if self._lacks_words else Slices.of(self._words),
            columns={
                name: TextColumn.of([values.get(row) for row in range(size)]) for name, values in self._columns.items()
            },
            sentences=sentences,
            documents=Documents(tuple(self.places), bounds.astype(np.int64), marked=True, attributes=attributes),
            evaluated="chains",
            spans=self._spans(source),
            notes=(*source.notes, *notes),
        )

    def _spans(self, source: Source) -> Spans:
        document, begin, end = np.array(self._mentions, np.int64).reshape(-1, 3).T
        places: Rows = np.array([*self.places.values()], np.int64)[document] if len(document) else np.zeros(0, np.int64)
        return Spans(
            unit="tokens",
            document=document,
            begin=begin,
            end=end,
            label=TextColumn.constant(UNLABELLED, len(document)),
            offset=places.astype(offset_type(source)),
            columns={"chain": TextColumn.of(self._chains)},
        )


def _first_row_from(rows: Sequence[int], start: int) -> int:
    """Return the row of the first word at or after an index that is not white space."""
    return next((row for row in rows[start:] if row >= 0), max(rows, default=-1) + 1)


CLUSTERS = (
    "clusters",
    "predicted_clusters",
    "span_clusters",
    "mention_clusters",
    "clusters_token_offsets",
    "word_clusters",
)
"""The names that tools give to the field with the chains."""

NAMES = ("doc_key", "document_id", "doc_id", "id", "document", "doc", "name")
WORDS = ("sentences", "tokens", "cased_words", "words")
ENDS = ("inclusive", "exclusive")
PARTS = ("none", "suffix")

_EXCLUSIVE_FIELDS = frozenset({"span_clusters", "mention_clusters", "cased_words"})
_TEXT_FIELD, _SUBTOKEN_FIELD, _PART_FIELD = "text", "subtoken_map", "part_id"
_NAME_AND_PART = re.compile(r"(?P<name>.+)_(?P<part>[0-9]{1,9})", re.DOTALL)
_SENTENCE_FIELDS = ("sent_id", "sentence_map")
_TAG_FIELDS = {"upos": ("upos", "pos"), "xpos": ("xpos", "pos"), "feats": ("feats",), "pos": ("pos",)}
_SHAPE = 'chains are written like this: "clusters": [[[0, 1], [5, 5]], [[3, 3], [8, 9]]]'


def read(source: Source, request: Request) -> Corpus:
    """Read documents with chains, one object a line."""
    check_line_lengths(source, 0, source.size, request.max_line)
    objects = JsonObjects(source)
    return read_documents(objects, objects.offset.tolist(), source, request)


def read_documents(
    documents: Iterable[Mapping[str, Any]],
    places: Sequence[int],
    source: Source,
    request: Request,
    *,
    name: str = "clusters",
) -> Corpus:
    """Read documents with chains.

    Args:
        documents: JSON objects as plain values.
        places: the byte offset of each in the source.
        source: the bytes.
        request: the task's request.
        name: the name of the format.

    """
    given = [Fields(source, place, each) for place, each in zip(places, documents, strict=True)]
    return replace(_Reader(source, request, given).corpus(), format=name)


class _Reader:
    """Reads one input into a corpus."""

    def __init__(self, source: Source, request: Request, documents: Sequence[Fields]) -> None:
        self.source, self.request, self.given = source, request, documents
        self.field = self._find_cluster_field()
        self.name_field = self._find_name_field()
        self.has_part_suffix = choose_option(request.options, "parts", PARTS) == "suffix"
        self.counts_subtokens = _SUBTOKEN_FIELD in documents[0].given
        self.word_field = self._find_word_field()
        self.inclusive = self._is_end_inclusive()
        self.occurrences: dict[str, list[int]] = {}

    def corpus(self) -> Corpus:
        """Return the corpus; mentions are character offsets if there are texts and no words, else word indices."""
        by_text = (
            self.word_field is None and not self.counts_subtokens and type(self.given[0].given.get(_TEXT_FIELD)) is str
        )
        return self._read_character_mentions() if by_text else self._read_word_mentions()

    def _record(self, what: str, place: int) -> None:
        self.occurrences.setdefault(what, []).append(place)

    def _notes(self) -> Iterator[Note]:
        for what, places in self.occurrences.items():
            yield Note(self.request.side, what, len(places), first_places(self.source, np.array(places, np.int64)))

    def _find_cluster_field(self) -> str:
        """Return the field with the chains: the requested one, or the only non-empty one of the known names."""
        asked = self.request.options.get("clusters")
        if asked is not None:
            self._check_field_exists(asked, "clusters")
            return asked
        there = [name for name in CLUSTERS if any(name in each.given for each in self.given)]
        filled = [name for name in there if any(each.given.get(name) for each in self.given)]
        if "span_clusters" in filled and "word_clusters" in filled:
            filled.remove("word_clusters")  # the heads of the same mentions
        if len(filled) > 1:
            what = f"the chains could be in the field {' or '.join(map(repr, filled))}"
            raise self.given[0].refuse(what, hint=f"choose one: ?clusters={filled[-1]}")
        if not there:
            details = [f"fields: {', '.join(map(str, self.given[0].given))}"]
            raise self.given[0].refuse(
                "no known field holds chains", details=details, hint=f"set the field: ?clusters=FIELD; {_SHAPE}"
            )
        return (filled or there)[0]

    def _check_field_exists(self, asked: str, option: str) -> None:
        names = list(map(str, self.given[0].given))
        if asked not in names:
            what = f"there is no field {asked!r}{suggest_nearest(asked, names)}"
            raise self.given[0].refuse(what, hint=f"?{option}= names one of: {', '.join(names)}")

    def _find_name_field(self) -> str | None:
        """Return the field with the document names; None to name documents by their number."""
        asked = self.request.options.get("document")
        if asked is not None and asked != "none":
            self._check_field_exists(asked, "document")
            return asked
        usual = next((name for name in NAMES if name in self.given[0].given), None)
        return None if asked == "none" else usual

    def _find_word_field(self) -> str | None:
        """Return the field with the words; None if there is none, or if it holds subtokens."""
        asked = self.request.options.get("tokens")
        if asked is not None:
            self._check_field_exists(asked, "tokens")
            return asked
        first = self.given[0].given
        usual = WORDS[1:] if self.counts_subtokens else WORDS
        return next((name for name in usual if name in first), None)

    def _is_end_inclusive(self) -> bool:
        """Whether the second index of a mention is its last word."""
        if "end" in self.request.options:
            return choose_option(self.request.options, "end", ENDS) == "inclusive"
        return not {self.field, self.word_field or ""} & _EXCLUSIVE_FIELDS

    def _document_name(self, document: Fields, number: int) -> str:
        if self.name_field is None:
            if number == 0:
                self._record("documents without names, numbered instead", document.place)
            return f"document {number + 1}"
        name = document.name(self.name_field)
        if name is None:
            raise document.refuse(
                f"the document has no {self.name_field!r}", hint="name all documents, or number them: ?document=none"
            )
        part = document.given.get(_PART_FIELD)
        if self.has_part_suffix:
            found = _NAME_AND_PART.fullmatch(name)
            if found is None:
                raise document.refuse(f"the name {name!r} does not end in a part number", hint="leave out ?parts=")
            name, part = found["name"], int(found["part"])
        return f"{name}; part {part}" if type(part) is int and part else name

    def _attributes(self, document: Fields) -> dict[str, str]:
        return document.attributes(
            frozenset({self.name_field or "", self.field, self.word_field or "", _TEXT_FIELD, _PART_FIELD})
        )

    def _read_character_mentions(self) -> Corpus:
        """Read mentions given as character offsets."""
        calls: list[str] = []
        draft = Draft(source=self.source, side=self.request.side, called=lambda span, _: calls[span])
        inclusive = "end" in self.request.options and self.inclusive
        for number, document in enumerate(self.given):
            name = self._document_name(document, number)
            draft.document(name, document.place, self._attributes(document))
            draft.texts.append(document.text(_TEXT_FIELD, "give every document a text or words, like the first"))
            nothing = Words(None, None, [], None)
            for called, chain, extent in self._read_mentions(document, number, name, nothing):
                calls.append(called.partition(" of document ")[0])
                if extent[0] == extent[1] and not inclusive:
                    raise document.refuse(f"{called} is {extent[0]} to {extent[1]}, which is empty")
                draft.set_value(draft.span([extent], UNLABELLED, document.place), "chain", chain)
        draft.notes += self._notes()
        offsets: Offsets = "inclusive" if inclusive else "code-points"
        return draft.corpus(self.request, name="clusters", evaluated="chains", offsets=offsets)

    def _read_word_mentions(self) -> Corpus:
        """Read mentions given as word or subtoken indices."""
        gathered = WordDocuments()
        for number, document in enumerate(self.given):
            name = self._document_name(document, number)
            if name in gathered.places:
                details = [f"the first is at {self.source.locate(gathered.places[name])}"]
                hint = "rename one, or number all documents: ?document=none"
                raise document.refuse(f"duplicate document {name!r}", details=details, hint=hint)
            words = self._read_words(document, name)
            extra = self._read_tags(document, words)
            gathered.document(
                name, place=document.place, words=words, attributes=self._attributes(document), extra=extra
            )
            for called, chain, mention in self._read_mentions(document, number, name, words):
                gathered.mention(self._convert_to_rows(document, called, words, mention), chain)
        return gathered.corpus(self.source, self.request, tuple(self._notes()))

    def _read_words(self, document: Fields, name: str) -> Words:
        """Return the words of a document."""
        if self.counts_subtokens != (_SUBTOKEN_FIELD in document.given):
            raise document.bad(_SUBTOKEN_FIELD, "present in all documents, or in none")
        if self.word_field is None:
            if self.name_field is None:
                what = "the documents have neither words nor names, so they cannot be aligned"
                raise document.refuse(what, hint="set the field of either: ?tokens=FIELD, ?document=FIELD")
            return self._read_subtokens(document, name, None)
        given = document.items(
            self.word_field, "words are a list of strings, or a list of such lists, one per sentence"
        )
        if self.word_field not in document.given:
            raise document.bad(self.word_field, "the words, as in the first document")
        nested = bool(given) and type(given[0]) is list
        lists = given if nested else [given]
        flat = [
            self._check_word(document, each, number)
            for number, each in enumerate(_flatten_sentences(document, self.word_field, lists))
        ]
        sentences = list(accumulate(map(len, lists), initial=0))[:-1]
        if not nested:
            sentences = _sentence_starts(document, len(flat))
        if self.counts_subtokens:
            return self._read_subtokens(document, name, flat)
        solid = [bool(word.strip()) for word in flat]
        if all(solid):
            return Words(flat, None, sentences, len(flat))
        self._record("documents with words of white space alone, which are ignored", document.place)
        rows = [row - 1 if there else -1 for row, there in zip(accumulate(solid), solid, strict=True)]
        return Words([word for word in flat if word.strip()], rows, sentences, len(flat))

    def _check_word(self, document: Fields, word: Any, number: int) -> str:
        if type(word) is not str:
            raise document.refuse(f"word {number} of {self.word_field!r} is {name_kind(word)}, not a string")
        if problem := find_unwritable(word):
            raise document.refuse(f"{problem[0]} in {word!r}", hint=problem[1])
        return word

    def _read_subtokens(self, document: Fields, name: str, words: list[str] | None) -> Words:
        """Return the words of a document whose mentions count subtokens, or that does not contain its words."""
        given = document.given.get(_SUBTOKEN_FIELD)
        if given is None:
            return Words(words, None, [], None)
        if type(given) is not list or not all(type(each) is int and 0 <= each <= FARTHEST for each in given):
            raise document.refuse(f"{_SUBTOKEN_FIELD!r} of document {name!r} is not a list of word indices")
        if words is not None and given and max(given) >= len(words):
            what = f"{_SUBTOKEN_FIELD!r} of document {name!r} names word {max(given)}, but there are {len(words):,}"
            raise document.refuse(what, hint="words are counted from 0")
        self._record(f"documents whose mentions count subtokens, mapped by {_SUBTOKEN_FIELD!r}", document.place)
        return Words(words, given, [], len(given))

    def _read_tags(self, document: Fields, words: Words) -> dict[str, list[str | None]]:
        """Return the requested extra columns that the document has, one value per word."""
        found: dict[str, list[str | None]] = {}
        if words.words is None or self.counts_subtokens:
            return found
        for name in self.request.extra:
            field = next((each for each in _TAG_FIELDS.get(name, ()) if type(document.given.get(each)) is list), None)
            if field is None:
                continue
            given = document.given[field]
            flat = [tag for each in given for tag in (each if type(each) is list else [each])]
            if len(flat) != words.size:
                what = f"{field!r} has {len(flat):,} items, but there are {words.size:,} words"
                raise document.refuse(what, hint="give one per word")
            kept = (
                flat if words.row_of is None else [tag for tag, row in zip(flat, words.row_of, strict=True) if row >= 0]
            )
            found[name] = [str(tag) if type(tag) is str and tag else None for tag in kept]
        return found

    def _read_mentions(
        self, document: Fields, number: int, name: str, words: Words
    ) -> Iterator[tuple[str, str, tuple[int, int]]]:
        """Yield a description of each mention for messages, its chain, and its first and last index as in the input."""
        if self.field not in document.given:
            hint = "add the field to every document; an empty list means that there are no chains"
            raise document.refuse(f"the document {name!r} has no field {self.field!r}", hint=hint)
        for place, chain in enumerate(document.items(self.field, _SHAPE)):
            called = f"{self.field}[{place}]"
            if type(chain) is not list:
                raise document.refuse(
                    f"{called} of document {name!r} is {name_kind(chain)}, not a list of mentions", hint=_SHAPE
                )
            if not chain:
                self._record("chains without mentions ignored", document.place)
            for which, mention in enumerate(chain):
                here = f"{called}[{which}] of document {name!r}"
                yield here, f"{number + 1}.{place + 1}", self._parse_extent(document, here, words, mention)

    def _parse_extent(self, document: Fields, called: str, words: Words, mention: Any) -> tuple[int, int]:
        """Return the first and last index of a mention, as in the input; the last may be exclusive."""
        numbers = mention if type(mention) is list else [mention]
        if not all(type(each) is int for each in numbers) or not 1 <= len(numbers) <= 3:
            raise document.refuse(f"{called} is not a pair of numbers: {_shorten(mention)}", hint=_SHAPE)
        if any(abs(each) > FARTHEST for each in numbers):
            raise document.refuse(f"{called} is {_shorten(mention)}, which is beyond the end of any text")
        if len(numbers) == 1:
            return numbers[0], numbers[0] + (not self.inclusive)
        if len(numbers) == 2:
            return numbers[0], numbers[1]
        sentence, first, last = numbers
        if not 0 <= sentence < len(words.sentences):
            what = f"{called} is {_shorten(mention)}, but there is no sentence {sentence}"
            raise document.refuse(what, hint="the first of three numbers is the sentence, counted from 0")
        return words.sentences[sentence] + first, words.sentences[sentence] + last

    def _convert_to_rows(
        self, document: Fields, called: str, words: Words, mention: tuple[int, int]
    ) -> tuple[int, int]:
        """Return the rows of a mention, half-open; refuse one that is outside the text, or ends before it begins."""
        first, last = mention[0], mention[1] - (not self.inclusive)
        shown = f"{called} is {mention[0]} to {mention[1]}"
        other = ENDS[self.inclusive]
        means = "the last word" if self.inclusive else "the position after the last word"
        hint = f"words are counted from 0, and the second number is {means}; if it is not, set ?end={other}"
        if first < 0:
            raise document.refuse(f"{shown}, which begins before the text", hint=hint)
        if last < first:
            raise document.refuse(f"{shown}, which ends before it begins", hint=hint)
        if words.size is not None and last >= words.size:
            unit = "subtokens" if self.counts_subtokens else "words"
            raise document.refuse(f"{shown}, but the document has {words.size:,} {unit}", hint=hint)
        if words.row_of is None:
            return first, last + 1
        rows = [row for row in words.row_of[first : last + 1] if row >= 0]
        if not rows:
            raise document.refuse(f"{shown}, which is white space alone")
        return rows[0], rows[-1] + 1


def _flatten_sentences(document: Fields, field: str, lists: list[Any]) -> Iterator[Any]:
    """Yield the words of all sentences."""
    for number, each in enumerate(lists):
        if type(each) is not list:
            raise document.refuse(f"sentence {number} of {field!r} is {name_kind(each)}, not a list of words")
        yield from each


def _sentence_starts(document: Fields, size: int) -> list[int]:
    """Return the first word of each sentence, if a field has the sentence number of each word."""
    for field in _SENTENCE_FIELDS:
        given = document.given.get(field)
        if type(given) is list and len(given) == size:
            return [row for row in range(size) if row == 0 or given[row] != given[row - 1]]
    return [0]


def _shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


def sniff(lines: list[str]) -> bool:
    """Whether the first lines contain a document with chains, or with words in the form these tools write."""
    found = record_paths(lines)
    return not found.isdisjoint({*CLUSTERS, "cased_words", _SUBTOKEN_FIELD}) or {"doc_key", "sentences"} <= found


FORMAT = Format(
    name="clusters",
    summary="JSON lines with clusters: one document per line, chains as lists of first and last words (e2e-coref …)",
    shapes=frozenset({"tokens"}),
    suffixes=(".jsonlines", ".jsonl", ".ndjson", ".json"),
    options={
        "clusters": "the field of chains (default: clusters, predicted_clusters, span_clusters, mention_clusters …)",
        "end": "what the second number of a mention is: inclusive (the last word), exclusive (the position after it)",
        "tokens": "the field of words (default: sentences, tokens, cased_words, words)",
        "document": "the field of document names (default: doc_key, document_id, doc_id, id …), or none",
        "parts": "what follows the last underscore of names: none, suffix (the part, as in e2e-coref)",
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"chains"}),
    marks=json_marks(read),
)


# Writing `clusters`: mentions as first and last word.


_RESERVED_FIELDS = frozenset({"doc_key", "sentences", "text", "part_id", "subtoken_map", "pos", *TAGS, *CLUSTERS})


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents, one object per line."""
    del options
    given = list(documents)
    report_shared_names(given, losses)
    return json_lines(given, lambda each: _document(each, losses))


def _document(passage: Passage, losses: Losses) -> dict[str, Any]:
    words = [passage.text[begin:end] for begin, end in passage.words]
    if passage.text != " ".join(words):
        losses.lose("white space of the text: words are in lists", passage.name)
    for name, value in passage.attributes.items():
        if not value:
            losses.lose(f"the attribute {name!r} of documents where it is empty", passage.name)
    sentences = [*pairwise(sorted({0, *passage.sentences, len(words)}))]
    return {
        "doc_key": passage.name,
        **document_attributes(passage, _RESERVED_FIELDS, losses),
        "sentences": [words[first:stop] for first, stop in sentences],
        **{name: [tags[first:stop] for first, stop in sentences] for name, tags in passage.tags.items()},
        "clusters": _clusters(passage, losses),
    }


def _clusters(passage: Passage, losses: Losses) -> list[list[tuple[int, int]]]:
    """Return the chains, each as a list of the first and last words of its mentions."""
    found: dict[str | int, list[tuple[int, int]]] = {}
    for number, ((first, stop), chain) in enumerate(place_mentions(passage, losses)):
        found.setdefault(number if chain is None else chain, []).append((first, stop - 1))
    return list(found.values())


WRITER = Writer(
    name="clusters", suffix=".jsonlines", write=write, layers=frozenset({"chains"}), tags=frozenset(TAGS), spaced=False
)
