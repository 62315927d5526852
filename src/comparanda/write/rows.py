"""Tags, trees and rows in the format that they were read from."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from comparanda.errors import InputError, UsageError, WriteError
from comparanda.places import Source
from comparanda.read.inputs import formats
from comparanda.read.request import Layer, Request
from comparanda.read.values import unwritable
from comparanda.write.column_lines import write_columns, write_hipe
from comparanda.write.passages import Losses
from comparanda.write.plain import Document, Sentence, plain_documents, with_values
from comparanda.write.tables import write_delimited, write_jsonl
from comparanda.write.token_lines import write_conllu, write_conllx
from comparanda.write.writer import Written

if TYPE_CHECKING:
    from comparanda.corpus import Corpus

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
    request = Request("output", corpus.asked or column, options=corpus.options, max_line=sys.maxsize, layer=layer)
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
