"""Writing tags, trees and rows in the format of their input, from documents of sentences in plain Python values."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, pairwise, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from comparanda.core.corpus import ROOT
from comparanda.core.places import Source
from comparanda.core.text_columns import Slices, split_labels
from comparanda.errors import InputError, UsageError, WriteError
from comparanda.formats import conllu
from comparanda.formats import conllu as conllx
from comparanda.formats.cells import Cells
from comparanda.formats.cells import Dialect as CellsDialect
from comparanda.formats.columns import DOCSTART, DOCUMENT, HEADERS, Layout, find_requested_columns
from comparanda.formats.contract import Layer, Request, choose_option
from comparanda.formats.delimited import SEPARATORS, Names, Plan, choose_columns, dialect_of
from comparanda.formats.document_writer import Losses, Written
from comparanda.formats.field_values import find_unwritable
from comparanda.formats.inputs import find_formats
from comparanda.formats.json_objects import JsonObjects
from comparanda.formats.plain_tables import DOCUMENT_NAMES, Table, TokenRoles, token_roles
from comparanda.formats.scanner import TAB

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus
    from comparanda.formats.numbered_words import Dialect


NOTHING = "_"
"""The cell of an empty column of words."""

_COMMENT = re.compile(r"#\s*(?:sent_id|text)\s*=")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence, or a row of a classification file.

    Args:
        values: the value of each word; None if it has none.
        words: its words, or the row's id; None if the input has none.
        heads: the number of each word's head, from 1, and 0 for the root; None if there are no trees.
        ranges: the first and the last word and the form of each token that covers several words.
        comments: the comment lines with its id and its text in the input.

    """

    values: tuple[str | None, ...]
    words: tuple[str, ...] | None = None
    heads: tuple[int, ...] | None = None
    ranges: tuple[tuple[int, int, str], ...] = ()
    comments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A document.

    Args:
        name: its name; None if the input has no document marks.
        sentences: its sentences.
        attributes: its metadata, by name.

    """

    name: str | None
    sentences: tuple[Sentence, ...]
    attributes: Mapping[str, str] = field(default_factory=dict)

    @property
    def called(self) -> str:
        """Its name in messages."""
        return "the input" if self.name is None else f"document {self.name!r}"


def plain_documents(corpus: Corpus) -> Iterator[Document]:
    """Yield the documents of a corpus one by one."""
    sentences = _iter_sentences(corpus)
    for number, (first, stop) in enumerate(pairwise(corpus.documents.offsets.tolist())):
        yield Document(
            corpus.documents.names[number] if corpus.documents.marked else None,
            tuple(next(sentences) for _ in range(first, stop)),
            {
                name: column[number]
                for name, column in corpus.documents.attributes.items()
                if not column.is_missing(number)
            },
        )


def _iter_sentences(corpus: Corpus) -> Iterator[Sentence]:
    values = corpus.columns["value"].values()
    words = None if corpus.words is None else list(map(corpus.words.__getitem__, range(len(corpus))))
    heads = None if corpus.arcs is None else corpus.arcs.head.tolist()
    ranges = _collect_ranges(corpus)
    commented = corpus.format == "conllu"
    for first, stop in pairwise(corpus.sentences.tolist()):
        yield Sentence(
            values=tuple(values[first:stop]),
            words=None if words is None else tuple(words[first:stop]),
            heads=None if heads is None else tuple(_iter_heads(corpus, heads[first:stop], first, stop)),
            ranges=tuple(ranges.get(first, ())),
            comments=tuple(_iter_comments(corpus.source, int(corpus.offset[first]))) if commented else (),
        )


def _iter_heads(corpus: Corpus, heads: Iterable[int], first: int, stop: int) -> Iterator[int]:
    """Yield heads as numbers of words in their sentence."""
    for row, head in enumerate(heads, start=first):
        if head != ROOT and not first <= head < stop:
            raise WriteError(
                f"the head of word {row - first + 1} is in another sentence than the word",
                where=str(corpus.location(row)),
            )
        yield 0 if head == ROOT else head - first + 1


def _collect_ranges(corpus: Corpus) -> dict[int, list[tuple[int, int, str]]]:
    """Collect the tokens that cover several words, by the first row of their sentence."""
    found: dict[int, list[tuple[int, int, str]]] = {}
    if (ranges := corpus.ranges) is None:
        return found
    forms = Slices(corpus.source.buffer, ranges.start, ranges.length)
    owners = corpus.sentences[np.searchsorted(corpus.sentences, ranges.begin, side="right") - 1]
    triples = zip(owners.tolist(), ranges.begin.tolist(), ranges.end.tolist(), strict=True)
    for number, (owner, begin, end) in enumerate(triples):
        found.setdefault(owner, []).append((begin - owner + 1, end - owner, forms[number]))
    return found


def _iter_comments(source: Source, offset: int) -> Iterator[str]:
    """Yield the comments before a word with the id and the text of its sentence, in their order."""
    blank = source.data.rfind(b"\n\n", 0, offset)
    for line in source.data[blank + 2 if blank >= 0 else 0 : offset].decode().split("\n"):
        if _COMMENT.match(line):
            yield line


def write_cell(what: str, text: str, separator: str = "\t") -> str:
    """Return the text of a cell; refuse one that would not be read back as one cell."""
    if "\n" in text or separator in text or (separator == " " and text.split() != [text]):
        between = {"\t": "tabs", " ": "spaces"}[separator]
        raise WriteError(
            f"the {what} {text!r} cannot be written in a column separated by {between}",
            hint=f"cells must not contain line breaks or {between}" + " or be empty" * (separator == " "),
        )
    return text


def with_values(documents: Iterable[Document], losses: Losses, *, by_id: bool) -> Iterator[Document]:
    """Yield the documents in which every word has a value; report what is left out.

    A system may lack rows with ids, and whole documents. It cannot lack single words of a text, as no format could
    express that: they are refused.
    """
    for document in documents:
        values = [value for sentence in document.sentences for value in sentence.values]
        if None not in values:
            yield document
        elif by_id:
            kept = tuple(sentence for sentence in document.sentences if None not in sentence.values)
            for sentence in document.sentences:
                if None in sentence.values:
                    losses.lose("rows without a value", *sentence.words or ())
            if kept:
                yield Document(document.name, kept, document.attributes)
        elif set(values) == {None} and document.name is not None:
            losses.lose("documents without any value", document.name)
        else:
            raise WriteError(
                f"{values.count(None):,} of the {len(values):,} words of {document.called} have no value",
                hint="give every word a value; only rows with ids and whole documents can be left out",
            )


# Lines of words with one evaluated column, separated by tabs or spaces, as in CoNLL-2003 and HIPE.


@dataclass(frozen=True, slots=True, kw_only=True)
class _LineWriter:
    """Writes lines of columns.

    Args:
        width: the number of columns.
        value: the index of the evaluated one.
        word: the index of the words; None if there are none.
        counted: whether the first column counts the words.
        separator: the separator of columns.

    """

    width: int
    value: int
    word: int | None
    counted: bool = False
    separator: str = "\t"

    def sentences(self, document: Document) -> Iterator[str]:
        """Yield the lines of a document, with an empty one after each sentence."""
        for sentence in document.sentences:
            for row, value in enumerate(sentence.values):
                cells = [NOTHING] * self.width
                if self.counted:
                    cells[0] = str(row + 1)
                if self.word is not None and sentence.words is not None:
                    cells[self.word] = write_cell("word", sentence.words[row], self.separator)
                cells[self.value] = write_cell("value", value or "", self.separator)
                yield f"{self.separator.join(cells)}\n"
            yield "\n"


def write_columns(corpus: Corpus, request: Request, documents: Iterable[Document]) -> str:
    """Write as many columns as the input has, with its separator; documents begin with `-DOCSTART-`."""
    source = corpus.source
    layout = Layout.of(source, choose_option(request.options, "header", HEADERS))
    asked = find_requested_columns(source, layout, request)
    wanted, word = layout.wanted(asked, request, str(source.locate(layout.first)))
    separator = "\t" if layout.separator == TAB else " "
    lines = _LineWriter(
        width=layout.width, value=wanted["value"], word=word, counted=asked.counted > 0, separator=separator
    )
    header = [f"{source.line_at(place)}\n" for place in layout.headers[:1]]
    return "".join(
        (*header, *(line for each in documents for line in (*_docstart_lines(each), *_data_lines(lines, each))))
    )


def _docstart_lines(document: Document) -> Iterator[str]:
    """Yield the lines at the beginning of a document."""
    if document.name is not None:
        yield f"{DOCUMENT} ({document.name})\n\n"
    for name, value in document.attributes.items():
        yield f"# meta::{name} = {value}\n"


def _data_lines(lines: _LineWriter, document: Document) -> Iterator[str]:
    """Yield the lines of words; refuse one that would begin a document."""
    for line in lines.sentences(document):
        if DOCSTART.fullmatch(line.rstrip()):
            raise WriteError(
                f"the line {line.rstrip()!r} of {document.called} would begin a document",
                hint="choose another format, such as conllu",
            )
        yield line


def write_hipe(corpus: Corpus, request: Request, documents: Iterable[Document]) -> str:
    """Write HIPE, with the columns in the header of the input; documents begin with `# document_id`."""
    del request
    header = _find_header(corpus.source)
    names = header.split()
    lines = _LineWriter(width=len(names), value=names.index(corpus.evaluated), word=None if corpus.words is None else 0)
    return f"{header}\n" + "".join(
        line for each in documents for line in (*_hipe_comments(each), *lines.sentences(each))
    )


def _find_header(source: Source) -> str:
    """Return the first line that is neither empty nor a comment."""
    lines = bytes(source.data[: source.size]).decode().split("\n")
    return next(line for line in lines if line and not line.startswith("#"))


def _hipe_comments(document: Document) -> Iterator[str]:
    """Yield the comments at the beginning of a document."""
    if document.name is not None:
        yield f"# document_id = {document.name}\n"
    for name, value in document.attributes.items():
        yield f"# {name} = {value}\n"


# Lines of words with one evaluated column, or with heads and relations: CoNLL-U and CoNLL-X.


def write_conllu(corpus: Corpus, request: Request, documents: Iterable[Document]) -> str:
    """Write CoNLL-U: `# newdoc`, ids and texts of sentences, ranges, words and the evaluated columns."""
    del request
    lines = _NumberedLineWriter.of(corpus.evaluated, conllu.DIALECT)
    return "".join(line for each in documents for line in (*_conllu_comments(each), *lines.document(each)))


def write_conllx(corpus: Corpus, request: Request, documents: Iterable[Document]) -> str:
    """Write CoNLL-X, which has only words."""
    del request
    lines = _NumberedLineWriter.of(corpus.evaluated, conllx.CONLLX_DIALECT)
    return "".join(line for each in documents for line in lines.document(each))


def _conllu_comments(document: Document) -> Iterator[str]:
    """Yield the comments at the beginning of a document."""
    if document.name is not None:
        yield f"# newdoc id = {document.name}\n"
    for name, value in document.attributes.items():
        yield f"# meta::{name} = {value}\n"
    if not document.sentences:
        yield "\n"


@dataclass(frozen=True, slots=True)
class _NumberedLineWriter:
    """Writes lines of numbered words.

    Args:
        value: the index of the evaluated column.
        key: the key in its cells that is evaluated, as in `misc:NE`; empty for whole cells.
        dialect: the format of lines.

    """

    value: int
    key: str
    dialect: Dialect

    @classmethod
    def of(cls, evaluated: str, dialect: Dialect) -> _NumberedLineWriter:
        name, _, key = evaluated.partition(":")
        return cls(dialect.number(name), key, dialect)

    def document(self, document: Document) -> Iterator[str]:
        for sentence in document.sentences:
            yield from (f"{comment}\n" for comment in sentence.comments)
            yield from self._sentence(sentence)
            yield "\n"

    def _sentence(self, sentence: Sentence) -> Iterator[str]:
        form, head = self.dialect.number("form"), self.dialect.number("head")
        words = sentence.words or (NOTHING,) * len(sentence.values)
        ranges = {first: (last, written) for first, last, written in sentence.ranges}
        for number, (word, value) in enumerate(zip(words, sentence.values, strict=True), start=1):
            if number in ranges:
                last, written = ranges[number]
                yield self._format_line({0: f"{number}-{last}", form: written})
            cells = {0: str(number), form: write_cell("word", word), self.value: self._cell(value or "")}
            if sentence.heads is not None:
                cells[head] = str(sentence.heads[number - 1])
            yield self._format_line(cells)

    def _cell(self, value: str) -> str:
        if self.key and "|" in value:
            raise WriteError(f"the value {value!r} of {self.key!r} contains '|', which separates the keys of a cell")
        return f"{self.key}={value}" if self.key and value != NOTHING else write_cell("value", value)

    def _format_line(self, cells: dict[int, str]) -> str:
        return "\t".join(cells.get(number, NOTHING) for number in range(self.dialect.width)) + "\n"


# Rows with an id and a label, and sentences as objects: CSV, TSV and JSONL.


class _Row(NamedTuple):
    """A row: its document, its id, and its label or its labels."""

    document: str | None
    id: str
    value: str


def _collect_rows(documents: Iterable[Document], *, numbered: bool) -> list[_Row]:
    """Collect the rows of documents; rows without ids are sorted by their numbers, which are their ids."""
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
            "rows without a value cannot be left out: the input has no ids, so rows are identified by their numbers",
            hint="add ids to the rows of the key and of all systems",
        )
    return rows


def write_delimited(corpus: Corpus, request: Request, documents: Iterable[Document]) -> str:
    """Write CSV or TSV with the header and the columns of the input; all but ids, documents and labels are empty."""
    dialect = dialect_of(request, SEPARATORS[corpus.format])
    plan = Plan.of(Cells(source=corpus.source, dialect=dialect), request)
    choice, split = plan.choice, request.options.get("split")
    lines = [] if plan.header is None else [plan.header]
    for row in _collect_rows(documents, numbered=choice.id is None):
        for label in _label_cells(row.value, split) if corpus.several else (row.value,):
            cells = [""] * plan.width
            if choice.document is not None:
                cells[choice.document] = row.document or ""
            if choice.id is not None:
                cells[choice.id] = row.id
            cells[choice.label] = label
            lines.append(cells)
    return "".join(_format_row(cells, dialect) for cells in lines)


def _label_cells(value: str, split: str | None) -> Sequence[str]:
    """Format a set of labels as one cell if a separator is known, else as one row each, or one empty row for none."""
    labels = split_labels(value)
    if split is None:
        return labels or ("",)
    for label in labels:
        if split in label:
            raise WriteError(f"the label {label!r} contains {split!r}, which separates labels here")
    return (split.join(labels),)


def _format_row(cells: Sequence[str], dialect: CellsDialect) -> str:
    if dialect.quotes:
        cells = [_quote(cell, dialect.separator) for cell in cells]
        cells = ['""'] if cells == [""] else cells  # an empty line is not a row
    elif broken := [cell for cell in cells if dialect.separator in cell or "\n" in cell or "\r" in cell]:
        raise WriteError(
            f"{broken[0]!r} cannot be written in a column, which ends at {dialect.separator!r} and is not quoted here",
            hint="if fields may be quoted, read the input with ?quotes=yes; the output is then quoted too",
        )
    return f"{dialect.separator.join(cells)}\n"


def _quote(cell: str, separator: str) -> str:
    if any(each in cell for each in (separator, '"', "\n", "\r")):
        return '"{}"'.format(cell.replace('"', '""'))
    return cell


def write_jsonl(corpus: Corpus, request: Request, documents: Iterable[Document]) -> str:
    """Write JSONL: rows, or sentences of tokens, with the field names of the input."""
    objects = JsonObjects(corpus.source)
    first, place = objects.first(), objects.offset[:1]
    table = Table(
        format="jsonl",
        source=corpus.source,
        offset=place,
        names=tuple(first),
        fetch=lambda names: {each: [first[each]] for each in names},
    )
    if corpus.by_id:
        made = _label_records(table.choice, request, documents, several=corpus.several)
    else:
        roles = token_roles(table, request)
        made = _sentence_records(roles, documents) if roles.lists else _token_records(roles, documents)
    encode = msgspec.json.Encoder().encode
    return "".join(f"{encode(each).decode()}\n" for each in made)


def _label_records(
    names: Names, request: Request, documents: Iterable[Document], *, several: bool
) -> Iterator[Mapping[str, Any]]:
    """Yield rows as objects; sets of labels are always lists."""
    choice = choose_columns(names, request)
    for row in _collect_rows(documents, numbered=choice.id is None):
        made: dict[str, Any] = {}
        if choice.id is not None:
            made[names.names[choice.id]] = row.id
        if choice.document is not None:
            made[names.names[choice.document]] = row.document
        made[names.names[choice.label]] = split_labels(row.value) if several else row.value
        yield made


def _document_field(roles: TokenRoles, document: Document) -> dict[str, Any]:
    """Return the field that names a document, if it has a name; several files have names without such a field."""
    if document.name is None:
        return {}
    return {roles.document or DOCUMENT_NAMES[0][0]: document.name}


def _sentence_records(roles: TokenRoles, documents: Iterable[Document]) -> Iterator[Mapping[str, Any]]:
    """Yield sentences as objects with lists of words and tags."""
    for document in documents:
        for sentence in document.sentences:
            words = {} if roles.words is None else {roles.words: sentence.words}
            yield {**_document_field(roles, document), **words, roles.tags: sentence.values}


def _token_records(roles: TokenRoles, documents: Iterable[Document]) -> Iterator[Mapping[str, Any]]:
    """Yield tokens as objects with the number of their sentence."""
    numbers = count(1)
    for document in documents:
        for sentence in document.sentences:
            cut = {} if roles.sentence is None else {roles.sentence: next(numbers)}
            for row, value in enumerate(sentence.values):
                words = {} if sentence.words is None or roles.words is None else {roles.words: sentence.words[row]}
                yield {**_document_field(roles, document), **cut, **words, roles.tags: value}


# Writing tags, trees and rows in the format that they were read from.


Write = Callable[["Corpus", Request, Sequence[Document]], str]
"""From documents to a file. The corpus and the request only determine the layout; annotations are ignored."""

WRITE: Mapping[str, Write] = {
    "columns": write_columns,
    "conllu": write_conllu,
    "conllx": write_conllx,
    "csv": write_delimited,
    "hipe": write_hipe,
    "jsonl": write_jsonl,
    "tsv": write_delimited,
}


def written_rows(corpus: Corpus, *, column: str | None = None) -> Written:
    """Write a corpus of tags, trees or rows as one file in its own format, and report what that cannot hold.

    The file has the words (or ids), sentences and documents of the input and the evaluated column (for trees, heads and
    relations); all other columns have the same names, but are empty. So the options for reading the input apply to the
    file as well. It is read back before it is returned: a file that would not yield the same corpus is refused, with
    the reason.

    Args:
        corpus: the input, possibly with other values or arcs.
        column: the column that was requested for reading, if the corpus does not record it.

    """
    if corpus.format not in WRITE:
        raise WriteError(
            f"tags, trees and rows cannot be written as {corpus.format!r}",
            where=corpus.source.parts[0].name,
            hint=f"choose one of: {', '.join(sorted(WRITE))}",
        )
    losses = Losses()
    layer: Layer = "values" if corpus.arcs is None else "arcs"
    request = Request(
        side="output", value=corpus.asked or column, options=corpus.options, max_line=sys.maxsize, layer=layer
    )
    documents = list(with_values(_adapt_documents(corpus, losses), losses, by_id=corpus.by_id))
    if not any(document.sentences for document in documents):
        raise WriteError("no word has a value, so there is nothing to write", where=corpus.source.parts[0].name)
    text = WRITE[corpus.format](corpus, request, documents)
    _check_equal(documents, _read_again(text, corpus.format, request))
    return Written({"": text}, losses.notes(corpus.name))


def _adapt_documents(corpus: Corpus, losses: Losses) -> Iterable[Document]:
    """Return the documents as the format can hold them."""
    documents = list(plain_documents(corpus))
    if corpus.arcs is not None and corpus.arcs.edges is not None:
        losses.lose("enhanced graphs", documents[0].name or "")
    if corpus.format != "conllx" or documents[0].name is None:
        return documents
    for document in documents:
        losses.lose("documents, which CoNLL-X does not mark", document.name or "")
    return [Document(None, tuple(sentence for document in documents for sentence in document.sentences))]


def _read_again(text: str, format_name: str, request: Request) -> Corpus:
    """Read the written text, with the options of the input."""
    if problem := _describe_unclean(text):
        raise WriteError(f"the output would have {problem}")
    try:
        return find_formats()[format_name].read(Source.of_text("output", text.encode()), request)
    except (InputError, UsageError) as error:
        raise WriteError(f"the output could not be read: {error}") from error


def _describe_unclean(text: str) -> str | None:
    """Describe what reading a file of any format would change or refuse; None if nothing."""
    if found := find_unwritable(text):
        return found[0]
    if text.startswith("\ufeff"):
        return "a byte-order mark at its start, which readers remove"
    return "a carriage return at the end of a line, which readers remove" if "\r\n" in text else None


def _check_equal(documents: Sequence[Document], again: Corpus) -> None:
    """Refuse to write documents that would be read back differently."""
    for document, found in zip_longest(documents, plain_documents(again)):
        if document != found:
            raise WriteError(_describe_difference(document, found), hint=f"the format {again.format!r} cannot hold it")


def _describe_difference(document: Document | None, found: Document | None) -> str:
    """Describe the difference of a document that is read back."""
    if document is None or found is None or document.name != found.name:
        mine, theirs = ("nothing" if each is None else each.called for each in (document, found))
        return f"{mine} would be read back as {theirs}"
    if document.attributes != found.attributes:
        return f"the attributes of {document.called} would be read back differently"
    pairs = zip_longest(document.sentences, found.sentences)
    number, unlike = next((number, pair) for number, pair in enumerate(pairs, start=1) if pair[0] != pair[1])
    return f"sentence {number} of {document.called} would be read back differently: {_describe_unlike(*unlike)}"


def _describe_unlike(sentence: Sentence | None, found: Sentence | None) -> str:
    """Describe the difference of a sentence that is read back."""
    for name in ("words", "values", "heads", "ranges", "comments"):
        mine, theirs = (() if each is None else getattr(each, name) or () for each in (sentence, found))
        for one, other in zip_longest(mine, theirs):
            if one != other:
                return f"{_show_value(one)} among its {name} as {_show_value(other)}"
    raise AssertionError("sentences that are not the same differ in something")  # pragma: no cover


def _show_value(value: object) -> str:
    return "nothing" if value is None else repr(value)
