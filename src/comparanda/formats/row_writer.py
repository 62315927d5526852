"""A corpus of tags, trees or rows as its writers see it: documents of sentences, in plain Python values."""

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
from comparanda.formats.columns import DOCSTART, DOCUMENT, HEADERS, Layout, asked_of
from comparanda.formats.contract import Layer, Request, choose
from comparanda.formats.delimited import SEPARATORS, Names, Plan, choose_columns, dialect_of
from comparanda.formats.document_writer import Losses, Written
from comparanda.formats.field_values import unwritable
from comparanda.formats.inputs import formats
from comparanda.formats.json_objects import JsonObjects
from comparanda.formats.plain_tables import DOCUMENT_NAMES, Table, TokenRoles, token_roles
from comparanda.formats.scanner import TAB

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus
    from comparanda.formats.numbered_words import Dialect


NOTHING = "_"
"""What stands in a column of words that says nothing."""

_COMMENT = re.compile(r"#\s*(?:sent_id|text)\s*=")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence, or a row of a classification file.

    Args:
        values: the value of each word; None where it has none.
        words: its words, or the row's id; None where the input has none.
        heads: the number of each word's head, from 1, and 0 for the root; None where there are no trees.
        ranges: the numbers of the first and the last word of each token that stands for several, and its form.
        comments: what the input says of the sentence, its id and its text, as lines.

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
        name: its name; None where the input marks no documents.
        sentences: its sentences.
        attributes: what is known of it, by name.

    """

    name: str | None
    sentences: tuple[Sentence, ...]
    attributes: Mapping[str, str] = field(default_factory=dict)

    @property
    def called(self) -> str:
        """What to call it in messages."""
        return "the input" if self.name is None else f"document {self.name!r}"


def plain_documents(corpus: Corpus) -> Iterator[Document]:
    """Give the documents of a corpus one by one."""
    sentences = _sentences(corpus)
    for number, (first, behind) in enumerate(pairwise(corpus.documents.offsets.tolist())):
        yield Document(
            corpus.documents.names[number] if corpus.documents.marked else None,
            tuple(next(sentences) for _ in range(first, behind)),
            {
                name: column[number]
                for name, column in corpus.documents.attributes.items()
                if not column.is_missing(number)
            },
        )


def _sentences(corpus: Corpus) -> Iterator[Sentence]:
    values = corpus.columns["value"].values()
    words = None if corpus.words is None else list(map(corpus.words.__getitem__, range(len(corpus))))
    heads = None if corpus.arcs is None else corpus.arcs.head.tolist()
    ranges = _ranges(corpus)
    commented = corpus.format == "conllu"
    for first, behind in pairwise(corpus.sentences.tolist()):
        yield Sentence(
            values=tuple(values[first:behind]),
            words=None if words is None else tuple(words[first:behind]),
            heads=None if heads is None else tuple(_numbers(corpus, heads[first:behind], first, behind)),
            ranges=tuple(ranges.get(first, ())),
            comments=tuple(_comments(corpus.source, int(corpus.offset[first]))) if commented else (),
        )


def _numbers(corpus: Corpus, heads: Iterable[int], first: int, behind: int) -> Iterator[int]:
    """Give heads as numbers of words in their sentence."""
    for row, head in enumerate(heads, start=first):
        if head != ROOT and not first <= head < behind:
            raise WriteError(
                f"the head of word {row - first + 1} stands in another sentence than the word",
                where=str(corpus.location(row)),
            )
        yield 0 if head == ROOT else head - first + 1


def _ranges(corpus: Corpus) -> dict[int, list[tuple[int, int, str]]]:
    """Return the tokens that stand for several words, by the first row of their sentence."""
    found: dict[int, list[tuple[int, int, str]]] = {}
    if (ranges := corpus.ranges) is None:
        return found
    forms = Slices(corpus.source.buffer, ranges.start, ranges.length)
    owners = corpus.sentences[np.searchsorted(corpus.sentences, ranges.begin, side="right") - 1]
    triples = zip(owners.tolist(), ranges.begin.tolist(), ranges.end.tolist(), strict=True)
    for number, (owner, begin, end) in enumerate(triples):
        found.setdefault(owner, []).append((begin - owner + 1, end - owner, forms[number]))
    return found


def _comments(source: Source, offset: int) -> Iterator[str]:
    """Give the comments before a word that say the id and the text of its sentence, in their order."""
    blank = source.data.rfind(b"\n\n", 0, offset)
    for line in source.data[blank + 2 if blank >= 0 else 0 : offset].decode().split("\n"):
        if _COMMENT.match(line):
            yield line


def cell(what: str, text: str, separator: str = "\t") -> str:
    """Return a text that is to stand in a column of a line; refuse one that would not stay one cell."""
    if "\n" in text or separator in text or (separator == " " and text.split() != [text]):
        between = {"\t": "tabs", " ": "spaces"}[separator]
        raise WriteError(
            f"the {what} {text!r} cannot stand in a column between {between}",
            hint=f"cells have no line breaks and no {between}" + " and are not empty" * (separator == " "),
        )
    return text


def with_values(documents: Iterable[Document], losses: Losses, *, by_id: bool) -> Iterator[Document]:
    """Give the documents of which every word has a value; say what is left out.

    A system may lack rows, where these have ids, and whole documents. It cannot lack single words of a text: no format
    could say so, and they are refused.
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
                hint="a file of words must say something of each; only rows with ids and whole documents can be absent",
            )


# Lines of words and one judged column between tabs or spaces, as in CoNLL-2003 and HIPE.


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lines:
    """How lines are made.

    Args:
        width: how many columns they have.
        value: the index of the judged one.
        word: the index of the words; None where there are none.
        counted: whether the first column counts the words.
        separator: what stands between two columns.

    """

    width: int
    value: int
    word: int | None
    counted: bool = False
    separator: str = "\t"

    def sentences(self, document: Document) -> Iterator[str]:
        """Give the lines of a document, an empty one behind each sentence."""
        for sentence in document.sentences:
            for row, value in enumerate(sentence.values):
                cells = [NOTHING] * self.width
                if self.counted:
                    cells[0] = str(row + 1)
                if self.word is not None and sentence.words is not None:
                    cells[self.word] = cell("word", sentence.words[row], self.separator)
                cells[self.value] = cell("value", value or "", self.separator)
                yield f"{self.separator.join(cells)}\n"
            yield "\n"


def write_columns(corpus: Corpus, request: Request, documents: Iterable[Document]) -> str:
    """Write columns: as many as the input has, between tabs or spaces as there; documents by `-DOCSTART-`."""
    source = corpus.source
    layout = Layout.of(source, choose(request.options, "header", HEADERS))
    asked = asked_of(source, layout, request)
    wanted, word = layout.wanted(asked, request, str(source.locate(layout.first)))
    separator = "\t" if layout.separator == TAB else " "
    lines = _Lines(width=layout.width, value=wanted["value"], word=word, counted=asked.counted > 0, separator=separator)
    header = [f"{source.line_at(place)}\n" for place in layout.headers[:1]]
    return "".join((*header, *(line for each in documents for line in (*_docstart(each), *_data(lines, each)))))


def _docstart(document: Document) -> Iterator[str]:
    """Give the lines that begin a document."""
    if document.name is not None:
        yield f"{DOCUMENT} ({document.name})\n\n"
    for name, value in document.attributes.items():
        yield f"# meta::{name} = {value}\n"


def _data(lines: _Lines, document: Document) -> Iterator[str]:
    """Give the lines of words; refuse one that would begin a document."""
    for line in lines.sentences(document):
        if DOCSTART.fullmatch(line.rstrip()):
            raise WriteError(
                f"the line {line.rstrip()!r} of {document.called} would begin a document",
                hint="other formats can hold such a word: conllu, for example",
            )
        yield line


def write_hipe(corpus: Corpus, request: Request, documents: Iterable[Document]) -> str:
    """Write HIPE: the columns that the header of the input names; documents by `# document_id`."""
    del request
    header = _first_line(corpus.source)
    names = header.split()
    lines = _Lines(width=len(names), value=names.index(corpus.judged), word=None if corpus.words is None else 0)
    return f"{header}\n" + "".join(
        line for each in documents for line in (*_column_lines_comments(each), *lines.sentences(each))
    )


def _first_line(source: Source) -> str:
    """Return the first line that is neither empty nor a comment."""
    lines = bytes(source.data[: source.size]).decode().split("\n")
    return next(line for line in lines if line and not line.startswith("#"))


def _column_lines_comments(document: Document) -> Iterator[str]:
    """Give the comments that begin a document."""
    if document.name is not None:
        yield f"# document_id = {document.name}\n"
    for name, value in document.attributes.items():
        yield f"# {name} = {value}\n"


# Lines of words with one judged column, or with heads and relations: CoNLL-U and CoNLL-X.


def write_conllu(corpus: Corpus, request: Request, documents: Iterable[Document]) -> str:
    """Write CoNLL-U: documents by `# newdoc`, ids and texts of sentences, ranges, words and what is judged."""
    del request
    lines = _Numbered.of(corpus.judged, conllu.DIALECT)
    return "".join(line for each in documents for line in (*_marks(each), *lines.document(each)))


def write_conllx(corpus: Corpus, request: Request, documents: Iterable[Document]) -> str:
    """Write CoNLL-X, which has words alone."""
    del request
    lines = _Numbered.of(corpus.judged, conllx.CONLLX_DIALECT)
    return "".join(line for each in documents for line in lines.document(each))


def _marks(document: Document) -> Iterator[str]:
    """Give the comments that begin a document."""
    if document.name is not None:
        yield f"# newdoc id = {document.name}\n"
    for name, value in document.attributes.items():
        yield f"# meta::{name} = {value}\n"
    if not document.sentences:
        yield "\n"


@dataclass(frozen=True, slots=True)
class _Numbered:
    """Lines that count the words.

    Args:
        value: the index of the judged column.
        key: what alone is judged of its cells, as in `misc:NE`; nothing where that is all of them.
        dialect: how lines are made.

    """

    value: int
    key: str
    dialect: Dialect

    @classmethod
    def of(cls, judged: str, dialect: Dialect) -> _Numbered:
        name, _, key = judged.partition(":")
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
                yield self._line({0: f"{number}-{last}", form: written})
            cells = {0: str(number), form: cell("word", word), self.value: self._cell(value or "")}
            if sentence.heads is not None:
                cells[head] = str(sentence.heads[number - 1])
            yield self._line(cells)

    def _cell(self, value: str) -> str:
        if self.key and "|" in value:
            raise WriteError(f"the value {value!r} of {self.key!r} holds '|', which separates the keys of a cell")
        return f"{self.key}={value}" if self.key and value != NOTHING else cell("value", value)

    def _line(self, cells: dict[int, str]) -> str:
        return "\t".join(cells.get(number, NOTHING) for number in range(self.dialect.width)) + "\n"


# Rows with an id and a label, and sentences as objects: CSV, TSV and JSONL.


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
    plan = Plan.of(Cells(source=corpus.source, dialect=dialect), request)
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


def _line(cells: Sequence[str], dialect: CellsDialect) -> str:
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
    table = Table(
        format="jsonl",
        source=corpus.source,
        offset=place,
        names=tuple(first),
        fetch=lambda names: {each: [first[each]] for each in names},
    )
    if corpus.by_id:
        made = _labelled(table.choice, request, documents, several=corpus.several)
    else:
        roles = token_roles(table, request)
        made = _tables_sentences(roles, documents) if roles.lists else _tokens(roles, documents)
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


def _tables_sentences(roles: TokenRoles, documents: Iterable[Document]) -> Iterator[Mapping[str, Any]]:
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


# Tags, trees and rows in the format that they were read from.


Write = Callable[["Corpus", Request, Sequence[Document]], str]
"""From documents to a file. The corpus and the request say how the input is made; its annotation is not looked at."""

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
    """Return a corpus of tags, trees or rows as one file in its own format, and what that does not carry.

    The file has the words (or ids), sentences and documents of the input and the judged column (of trees, heads and
    relations); all other columns are there, under the same names, and say nothing. So the options by which the input
    is read hold for the file as well. It is read once more before it is given back: what would not be the same corpus
    again is refused, with the reason.

    Args:
        corpus: what was read, with other values or arcs in it if need be.
        column: the column that was asked for when it was read, if the corpus does not say so itself.

    """
    if corpus.format not in WRITE:
        raise WriteError(
            f"tags, trees and rows cannot be written as {corpus.format!r}",
            where=corpus.source.parts[0].name,
            hint=f"formats that they can be written in: {', '.join(sorted(WRITE))}",
        )
    losses = Losses()
    layer: Layer = "values" if corpus.arcs is None else "arcs"
    request = Request(
        side="output", value=corpus.asked or column, options=corpus.options, max_line=sys.maxsize, layer=layer
    )
    documents = list(with_values(_carried(corpus, losses), losses, by_id=corpus.by_id))
    if not any(document.sentences for document in documents):
        raise WriteError("no word has a value, so there is nothing to write", where=corpus.source.parts[0].name)
    text = WRITE[corpus.format](corpus, request, documents)
    _check(documents, _read_again(text, corpus.format, request))
    return Written({"": text}, losses.notes(corpus.name))


def _carried(corpus: Corpus, losses: Losses) -> Iterable[Document]:
    """Give the documents as the format can carry them."""
    documents = list(plain_documents(corpus))
    if corpus.arcs is not None and corpus.arcs.edges is not None:
        losses.lose("enhanced graphs", documents[0].name or "")
    if corpus.format != "conllx" or documents[0].name is None:
        return documents
    for document in documents:
        losses.lose("documents, which CoNLL-X does not mark", document.name or "")
    return [Document(None, tuple(sentence for document in documents for sentence in document.sentences))]


def _read_again(text: str, format_name: str, request: Request) -> Corpus:
    """Read what was written, with the options of the input."""
    if problem := _unclean(text):
        raise WriteError(f"the output would have {problem}")
    try:
        return formats()[format_name].read(Source.of_text("output", text.encode()), request)
    except (InputError, UsageError) as error:
        raise WriteError(f"the output could not be read: {error}") from error


def _unclean(text: str) -> str | None:
    """Say what reading a file would change or refuse, whatever its format."""
    if found := unwritable(text):
        return found[0]
    if text.startswith("\ufeff"):
        return "a byte-order mark at its start, which readers take away"
    return "a carriage return at the end of a line, which readers take away" if "\r\n" in text else None


def _check(documents: Sequence[Document], again: Corpus) -> None:
    """Refuse to write what reads as something else."""
    for document, found in zip_longest(documents, plain_documents(again)):
        if document != found:
            raise WriteError(_difference(document, found), hint=f"the format {again.format!r} cannot hold it")


def _difference(document: Document | None, found: Document | None) -> str:
    """Say what of a document is not the same when it is read again."""
    if document is None or found is None or document.name != found.name:
        mine, theirs = ("nothing" if each is None else each.called for each in (document, found))
        return f"{mine} would be read again as {theirs}"
    if document.attributes != found.attributes:
        return f"what is known of {document.called} would be read again as something else"
    pairs = zip_longest(document.sentences, found.sentences)
    number, unlike = next((number, pair) for number, pair in enumerate(pairs, start=1) if pair[0] != pair[1])
    return f"sentence {number} of {document.called} would be another one when read again: {_unlike(*unlike)}"


def _unlike(sentence: Sentence | None, found: Sentence | None) -> str:
    """Say what of a sentence is not the same."""
    for name in ("words", "values", "heads", "ranges", "comments"):
        mine, theirs = (() if each is None else getattr(each, name) or () for each in (sentence, found))
        for one, other in zip_longest(mine, theirs):
            if one != other:
                return f"{_shown(one)} among its {name} as {_shown(other)}"
    raise AssertionError("sentences that are not the same differ in something")  # pragma: no cover


def _shown(value: object) -> str:
    return "nothing" if value is None else repr(value)
