"""Rows with an id and a label, and sentences as objects: CSV, TSV and JSONL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from comparanda.columns import split_labels
from comparanda.errors import WriteError
from comparanda.read.cells import Cells, Dialect
from comparanda.read.delimited import SEPARATORS, Plan, dialect_of
from comparanda.read.json_objects import JsonObjects
from comparanda.read.rows import Names, choose_columns
from comparanda.read.tables import DOCUMENT_NAMES, Table, TokenRoles, token_roles

if TYPE_CHECKING:
    from comparanda.corpus import Corpus
    from comparanda.read.request import Request
    from comparanda.write.plain import Document


class _Row(NamedTuple):
    """A row: its document, its id, and its label or its labels."""

    document: str | None
    id: str
    value: str


def _rows(documents: Iterable[Document], *, numbered: bool) -> list[_Row]:
    """Return the rows of documents; those without ids in the order of their numbers, which are their ids."""
    rows = [
        _Row(document.name, word, value or "")
        for document in documents
        for sentence in document.sentences
        for word, value in zip(sentence.words or (), sentence.values, strict=True)
    ]
    if not numbered:
        return rows
    rows.sort(key=lambda row: int(row.id))
    if [row.id for row in rows] != [str(number) for number in range(1, len(rows) + 1)]:
        raise WriteError(
            "rows without a value cannot be left out: the input has no ids, so rows are known by their number alone",
            hint="give the rows of the key and of all systems ids",
        )
    return rows


def write_delimited(corpus: Corpus, request: Request, documents: Iterable[Document]) -> str:
    """Write CSV or TSV: the header and the columns of the input; all but ids, documents and labels are empty."""
    dialect = dialect_of(request, SEPARATORS[corpus.format])
    plan = Plan.of(Cells(corpus.source, dialect), request)
    choice, split = plan.choice, request.options.get("split")
    lines = [] if plan.header is None else [plan.header]
    for row in _rows(documents, numbered=choice.id is None):
        for label in _label_cells(row.value, split) if corpus.several else (row.value,):
            cells = [""] * plan.width
            if choice.document is not None:
                cells[choice.document] = row.document or ""
            if choice.id is not None:
                cells[choice.id] = row.id
            cells[choice.label] = label
            lines.append(cells)
    return "".join(_line(cells, dialect) for cells in lines)


def _label_cells(value: str, split: str | None) -> Sequence[str]:
    """Return a set of labels as cells: as one where a separator is known, else a row each; an empty one for none."""
    labels = split_labels(value)
    if split is None:
        return labels or ("",)
    for label in labels:
        if split in label:
            raise WriteError(f"the label {label!r} holds {split!r}, by which labels are separated here")
    return (split.join(labels),)


def _line(cells: Sequence[str], dialect: Dialect) -> str:
    if dialect.quotes:
        cells = [_quoted(cell, dialect.separator) for cell in cells]
        cells = ['""'] if cells == [""] else cells  # an empty line is no row
    elif broken := [cell for cell in cells if dialect.separator in cell or "\n" in cell or "\r" in cell]:
        raise WriteError(
            f"{broken[0]!r} cannot stand in a column, which ends at {dialect.separator!r} and is not quoted here",
            hint="if the fields of the input may be quoted, read it with ?quotes=yes; those of the output then are",
        )
    return f"{dialect.separator.join(cells)}\n"


def _quoted(cell: str, separator: str) -> str:
    if any(each in cell for each in (separator, '"', "\n", "\r")):
        return '"{}"'.format(cell.replace('"', '""'))
    return cell


def write_jsonl(corpus: Corpus, request: Request, documents: Iterable[Document]) -> str:
    """Write JSONL: rows, or sentences of tokens, in fields of the names that the input has."""
    objects = JsonObjects(corpus.source)
    first, place = objects.first(), objects.offset[:1]
    table = Table("jsonl", corpus.source, place, tuple(first), lambda names: {each: [first[each]] for each in names})
    if corpus.by_id:
        made = _labelled(table.choice, request, documents, several=corpus.several)
    else:
        roles = token_roles(table, request)
        made = _sentences(roles, documents) if roles.lists else _tokens(roles, documents)
    encode = msgspec.json.Encoder().encode
    return "".join(f"{encode(each).decode()}\n" for each in made)


def _labelled(
    names: Names, request: Request, documents: Iterable[Document], *, several: bool
) -> Iterator[Mapping[str, Any]]:
    """Give rows as objects; sets of labels are lists, whatever they are in the input."""
    choice = choose_columns(names, request)
    for row in _rows(documents, numbered=choice.id is None):
        made: dict[str, Any] = {}
        if choice.id is not None:
            made[names.names[choice.id]] = row.id
        if choice.document is not None:
            made[names.names[choice.document]] = row.document
        made[names.names[choice.label]] = split_labels(row.value) if several else row.value
        yield made


def _document(roles: TokenRoles, document: Document) -> dict[str, Any]:
    """Return the field that names a document, if it has a name: several files have, and no field for it."""
    if document.name is None:
        return {}
    return {roles.document or DOCUMENT_NAMES[0][0]: document.name}


def _sentences(roles: TokenRoles, documents: Iterable[Document]) -> Iterator[Mapping[str, Any]]:
    """Give sentences as objects, with lists of words and tags."""
    for document in documents:
        for sentence in document.sentences:
            words = {} if roles.words is None else {roles.words: sentence.words}
            yield {**_document(roles, document), **words, roles.tags: sentence.values}


def _tokens(roles: TokenRoles, documents: Iterable[Document]) -> Iterator[Mapping[str, Any]]:
    """Give tokens as objects, with the number of their sentence."""
    numbers = count(1)
    for document in documents:
        for sentence in document.sentences:
            cut = {} if roles.sentence is None else {roles.sentence: next(numbers)}
            for row, value in enumerate(sentence.values):
                words = {} if sentence.words is None or roles.words is None else {roles.words: sentence.words[row]}
                yield {**_document(roles, document), **cut, **words, roles.tags: value}
