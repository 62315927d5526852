"""Tables of plain values, from JSONL, Parquet or Python, read as classified rows or as running tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise, repeat
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from comparanda.core.corpus import Corpus
from comparanda.core.places import Note, Source, first_places, make_read_error, noted_once
from comparanda.core.text_columns import Slices, TextColumn, join_labels
from comparanda.errors import ReadError
from comparanda.formats.contract import Request, choose_option
from comparanda.formats.delimited import Names, Noun, Rows, choose_columns, labels_of, normalise_name, rows_corpus
from comparanda.formats.field_values import (
    convert_to_texts,
    find_unwritable,
    is_collection,
    is_missing,
    list_values,
    optional_texts,
)
from comparanda.formats.multi_hot import decode_multi_hot, merge_class_columns, read_classes
from comparanda.formats.records import holds_spans
from comparanda.formats.scanner import offset_type, sentence_offsets
from comparanda.formats.tokens import Marks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.text_columns import Codes

ABSENT = msgspec.UNSET
"""Marks a field that a row does not have at all."""

TOKEN_NAMES = (("tokens", "token"), ("words", "word"), ("forms", "form"))
TAG_NAMES = (("tags", "tag", "upos", "xpos", "pos", "pos_tags", "ner_tags", "chunk_tags", "labels"),)
CHUNK_NAMES = (("tags", "tag", "ner", "ner_tags", "chunk", "chunk_tags", "labels"),)
SENTENCE_NAMES = (("sentence", "sentence_id", "sent", "sent_id", "sentence_#"),)
DOCUMENT_NAMES = (("document", "document_id", "doc", "doc_id"),)
DEFAULT_TAG = "upos"
"""The default column of the tagging task, which any well-known name can replace."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Table:
    """Named columns of plain values, with the place of each row.

    Args:
        format: the name of the format it came from.
        source: its bytes.
        offset: the byte at which each row begins.
        names: the names of its columns, or those of the first row.
        fetch: returns columns by name, with `ABSENT` if a row lacks the field.
        classes: returns the class names of a column's integers, if the table has them.
        noun: the word for a column in this format.

    """

    format: str
    source: Source
    offset: NDArray[np.int64]
    names: tuple[str, ...]
    fetch: Callable[[Sequence[str]], dict[str, list[Any]]]
    classes: Callable[[str], Sequence[str]] = field(default=lambda _: ())
    noun: Noun = "column"

    @property
    def choice(self) -> Names:
        """The names, for choosing columns."""
        return Names(
            names=self.names, width=len(self.names), where=str(self.source.locate(int(self.offset[0]))), noun=self.noun
        )

    def refuse(self, row: int, what: str, hint: str | None = None) -> ReadError:
        """Make the error for a row."""
        return make_read_error(self.source, int(self.offset[row]), what, hint=hint)

    def columns(self, needed: Sequence[str], extra: Sequence[str]) -> dict[str, list[Any]]:
        """Return columns by name; refuse a row that lacks a needed one, and use None for a missing extra one."""
        found = self.fetch(list(dict.fromkeys([*needed, *extra])))
        for name, values in found.items():
            if msgspec.UnsetType not in set(map(type, values)):
                continue
            if name in needed:
                row = next(row for row, value in enumerate(values) if value is ABSENT)
                hint = f"every row must have the {self.noun}s of the first"
                raise self.refuse(row, f"there is no {self.noun} {name!r}", hint)
            found[name] = [None if value is ABSENT else value for value in values]
        return found

    def texts(self, name: str, values: list[Any], classes: Sequence[str] = ()) -> list[str]:
        """Convert a column of single values to text; integers become names of classes, if they are known."""
        found = convert_to_texts(values, lambda _: name, self.refuse, classes or self.classes(name))
        _check_characters(self, found, range(len(found)))
        return found


def _check_characters(table: Table, found: Sequence[str | None], rows: Sequence[int]) -> None:
    """Refuse characters that a text file cannot hold."""
    if find_unwritable("".join(filter(None, found))) is None:
        return
    for text, row in zip(found, rows, strict=True):
        if text is not None and (problem := find_unwritable(text)):
            raise table.refuse(row, f"{problem[0]} in {text!r}", problem[1])


def has_tag_list(first: Mapping[str, Any], request: Request) -> bool:
    """Whether a record has a list of tags; `labels` and the requested column count if it has a list of tokens."""
    names = set((CHUNK_NAMES if request.layer == "spans" else TAG_NAMES)[0])
    lists = {normalise_name(str(name)) for name, value in first.items() if is_collection(value)}
    if lists & {name for tier in TOKEN_NAMES for name in tier}:
        return bool(lists & {*names, normalise_name(request.value or "")})
    return bool(lists & (names - {"labels"}))


def spans_in_tags(first: Mapping[str, Any], request: Request, where: str) -> bool:
    """Whether the spans of a record are in the tags of its tokens, not in a list of spans; refuse to guess."""
    options = set(request.options)
    if "spans" in options:
        return False
    if {"tags", "tokens"} & options:
        return True
    if not has_tag_list(first, request) or not holds_spans(first):
        return has_tag_list(first, request)
    if not {normalise_name(str(name)) for name in first} & {name for tier in TOKEN_NAMES for name in tier}:
        return False  # tags without tokens belong to the document
    hint = "choose what to read: ?tags=FIELD or ?spans=FIELD"
    raise ReadError("there are both tags of tokens and a list of spans", where=where, hint=hint)


def table_rows(table: Table, request: Request) -> Corpus:
    """Read the rows of a table as those of a classification file."""
    request = replace(request, classes=read_classes(request))
    table, request = merge_class_columns(table, request)
    choice = choose_columns(table.choice, request)
    name, given = table.names[choice.label], [table.names[n] for n in (choice.id, choice.document) if n is not None]
    found = table.columns([name, *given], list(choice.extra))
    merge = choose_option(request.options, "several", ("no", "rows")) == "rows"
    labels, several = _read_labels(table, request, name, found[name], merge=merge)
    rows = Rows(
        ids=None if choice.id is None else table.texts(table.names[choice.id], found[table.names[choice.id]]),
        labels=labels,
        offset=table.offset,
        documents=None if choice.document is None else table.texts(given[-1], found[given[-1]]),
        extra={column: _read_extra(table, found[column]) for column in choice.extra},
        several=several,
    )
    begin = int(table.offset[0])
    notes = [note for what in choice.assumed for note in noted_once(table.source, request.side, what, begin)]
    return rows_corpus(rows, table.source, request, name=table.format, merge=merge, notes=notes)


def _read_labels(
    table: Table, request: Request, name: str, values: list[Any], *, merge: bool
) -> tuple[list[str], bool]:
    """Convert labels to text, and return whether each row has a set of them."""
    separator, classes = request.options.get("split"), request.classes
    if not is_collection(values[0]):
        for row, value in enumerate(values):
            if is_collection(value):
                raise table.refuse(
                    row, f"{name!r} is a list here, but a single label in the first row", "use lists in all rows"
                )
        single = table.texts(name, values, classes)
        several = merge or separator is not None
        return (labels_of(single, separator) if several else single), several
    values = decode_multi_hot(table, name, values, classes)
    flat, bounds, rows = _flatten(table, name, values, classes, ordered=False)
    if "" in flat:
        raise table.refuse(rows[flat.index("")], f"{name!r} contains an empty label", "use an empty list for no labels")
    return [join_labels(flat[begin:end]) for begin, end in pairwise(bounds)], True


def _flatten(
    table: Table, name: str, values: list[Any], classes: Sequence[str] = (), *, ordered: bool = True
) -> tuple[list[str], list[int], list[int]]:
    """Flatten a column of lists to one list of texts, with the bounds of each row and the row of each text."""
    lists = []
    for row, value in enumerate(values):
        if is_missing(value):
            raise table.refuse(row, f"{name!r} has no value", "use an empty list for nothing")
        if not is_collection(value):
            raise table.refuse(row, f"{name!r} is of type {type(value).__name__}, but a list in the first row")
        if ordered and isinstance(value, set | frozenset):
            raise table.refuse(row, f"{name!r} is a set, which has no order", "give a list")
        lists.append(list_values(value))
    sizes = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
    bounds = np.append(0, np.cumsum(sizes))
    rows: list[int] = np.repeat(np.arange(len(lists)), sizes).tolist()

    def place(item: int) -> str:
        return f"{name}[{item - int(bounds[rows[item]])}]"

    flat = convert_to_texts(
        list(chain.from_iterable(lists)),
        place,
        lambda item, what, hint: table.refuse(rows[item], what, hint),
        classes or table.classes(name),
    )
    _check_characters(table, flat, rows)
    return flat, bounds.tolist(), rows


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRoles:
    """The roles of columns in a table of tokens."""

    tags: str
    words: str | None
    sentence: str | None
    document: str | None
    extra: tuple[str, ...]
    lists: bool


def token_roles(table: Table, request: Request) -> TokenRoles:
    """Choose the role of each column by the options, else by well-known names."""
    names, options = table.choice, request.options
    tiers = CHUNK_NAMES if request.layer == "spans" else TAG_NAMES
    tags = _choose_tags(names, options.get("tags"), request.value, tiers)
    lists = is_collection(table.fetch([names.names[tags]])[names.names[tags]][0])

    def other(option: str, tiers: tuple[tuple[str, ...], ...]) -> str | None:
        number = names.find(options[option]) if option in options else names.known(tiers, option, f"?{option}=NAME")
        return None if number is None or number == tags else names.names[number]

    words, document = other("tokens", TOKEN_NAMES), other("document", DOCUMENT_NAMES)
    sentence = None if lists else other("sentence", SENTENCE_NAMES)
    return TokenRoles(
        tags=names.names[tags],
        words=words,
        sentence=sentence,
        document=document,
        extra=tuple(names.present(request.extra)),
        lists=lists,
    )


def _choose_tags(names: Names, option: str | None, value: str | None, tiers: tuple[tuple[str, ...], ...]) -> int:
    """Choose the column of tags; any well-known name can replace `upos`, the default of the task."""
    if option is not None:
        return names.find(option)
    if value is not None and (value != DEFAULT_TAG or value in names.names):
        return names.find(value)
    hint = 'choose one: --column NAME (in Python: column="NAME")'
    found = names.known(tiers, "tags", hint)
    if found is None:
        raise ReadError(
            f"no {names.noun} has a usual name for tags",
            where=names.where,
            details=[f"{names.noun}s: {', '.join(names.names)}"],
            hint=hint.replace("choose one", "name it"),
        )
    return found


def table_tokens(table: Table, request: Request) -> Corpus:
    """Read a table as running tokens: one sentence per row, as lists of tokens and tags, or one token per row."""
    roles = token_roles(table, request)
    needed = [name for name in (roles.tags, roles.words, roles.document) if name is not None]
    if roles.lists:
        return _read_sentences(table, request, roles, table.columns(needed, roles.extra))
    sentence = [roles.sentence] if roles.sentence else []
    return _read_tokens(table, request, roles, table.columns([*needed, *sentence], roles.extra))


def _read_sentences(table: Table, request: Request, roles: TokenRoles, found: dict[str, list[Any]]) -> Corpus:
    """Read one sentence per row."""
    tags, bounds, rows = _flatten(table, roles.tags, found[roles.tags])
    words = None
    if roles.words is not None:
        words, word_bounds, _ = _flatten(table, roles.words, found[roles.words])
        _check_lengths(table, roles, bounds, word_bounds)
    sizes = np.diff(bounds)
    names = table.texts(roles.document, found[roles.document]) if roles.document else None
    notes = []
    if (sizes == 0).any():
        empty = table.offset[sizes == 0]
        notes.append(
            Note(request.side, "sentences without tokens ignored", len(empty), first_places(table.source, empty))
        )
    if not tags:
        raise ReadError("there are no tokens", where=table.source.parts[0].name)
    extra = {name: _read_extra(table, _repeat_for_tokens(found[name], sizes), rows) for name in roles.extra}
    cuts = np.array(bounds, dtype=np.int64)
    owners = np.array(rows, dtype=np.int64)
    documents = [names[row] for row in rows] if names is not None else None
    return _build_tokens_corpus(
        table,
        request=request,
        tags=tags,
        words=words,
        owners=owners,
        cuts=cuts,
        documents=documents,
        extra=extra,
        notes=notes,
    )


def _check_lengths(table: Table, roles: TokenRoles, tags: list[int], words: list[int]) -> None:
    unlike = np.flatnonzero(np.diff(tags) != np.diff(words))
    if unlike.size:
        row = int(unlike[0])
        what = f"{roles.tags!r} has {tags[row + 1] - tags[row]} items, but {roles.words!r} has "
        what += f"{words[row + 1] - words[row]}"
        hint = "every token has one tag" if roles.tags != "labels" else "for labels of whole rows: ?label=labels"
        raise table.refuse(row, what, hint)


def _read_extra(table: Table, values: list[Any], rows: Sequence[int] | None = None) -> list[str | None]:
    """Convert a further column to text; `rows` is the table's row of each value, if these are not the same."""
    found = optional_texts(values)
    _check_characters(table, found, range(len(found)) if rows is None else rows)
    return found


def _repeat_for_tokens(values: list[Any], sizes: NDArray[np.int64]) -> list[Any]:
    """Expand a further column to tokens: item by item if it is a list as long as the sentence, else repeated."""
    spread: list[Any] = []
    for value, size in zip(values, sizes.tolist(), strict=True):
        each = list_values(value) if is_collection(value) else ()
        spread += each if len(each) == size else repeat(value, size)
    return spread


def _read_tokens(table: Table, request: Request, roles: TokenRoles, found: dict[str, list[Any]]) -> Corpus:
    """Read one token per row; a sentence ends where the column of sentences or documents changes."""
    tags = table.texts(roles.tags, found[roles.tags])
    words = table.texts(roles.words, found[roles.words]) if roles.words else None
    documents = table.texts(roles.document, found[roles.document]) if roles.document else None
    breaks = [table.texts(name, found[name]) for name in (roles.sentence, roles.document) if name is not None]
    marks = [row for row in range(1, len(tags)) if any(column[row] != column[row - 1] for column in breaks)]
    notes: list[Note] = []
    if roles.sentence is None:
        what = "no column has a usual name for sentences: each document is read as one sentence"
        notes = noted_once(table.source, request.side, what, int(table.offset[0]))
    extra = {name: _read_extra(table, found[name]) for name in roles.extra}
    cuts = np.array(marks, dtype=np.int64)
    return _build_tokens_corpus(
        table,
        request=request,
        tags=tags,
        words=words,
        owners=np.arange(len(tags)),
        cuts=cuts,
        documents=documents,
        extra=extra,
        notes=notes,
    )


def _build_tokens_corpus(
    table: Table,
    request: Request,
    tags: list[str],
    words: list[str] | None,
    *,
    owners: NDArray[np.int64],
    cuts: NDArray[np.int64],
    documents: list[str] | None,
    extra: dict[str, list[str | None]],
    notes: list[Note],
) -> Corpus:
    """Build the corpus of tokens; `owners` is the table's row of each token."""
    offset: Codes = table.offset[owners].astype(offset_type(table.source))
    sentences = sentence_offsets([cuts], len(tags))
    marks = Marks(table.source)
    for row, name in enumerate(documents or ()):
        if row == 0 or (documents and name != documents[row - 1]):
            marks.begin(name, row, int(offset[row]))
    found = marks.documents(sentences, offset)
    return Corpus(
        name=request.side,
        format=table.format,
        source=table.source,
        offset=offset,
        words=None if words is None else Slices.of(words),
        columns={"value": TextColumn.of(tags)} | {name: TextColumn.of(values) for name, values in extra.items()},
        sentences=sentences,
        documents=found,
        notes=(*table.source.notes, *notes, *marks.notes(request.side)),
    )
