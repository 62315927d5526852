"""Lines of words and one judged column between tabs or spaces, as in CoNLL-2003 and HIPE."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from comparanda.errors import WriteError
from comparanda.read.layout import DOCSTART, HEADERS, Layout, asked_of
from comparanda.read.request import choose
from comparanda.read.scan import TAB
from comparanda.write.columns import DOCUMENT
from comparanda.write.plain import NOTHING, cell

if TYPE_CHECKING:
    from comparanda.corpus import Corpus
    from comparanda.places import Source
    from comparanda.read.request import Request
    from comparanda.write.plain import Document


@dataclass(frozen=True, slots=True)
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
    lines = _Lines(layout.width, wanted["value"], word, asked.counted > 0, separator)
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
    lines = _Lines(len(names), names.index(corpus.judged), None if corpus.words is None else 0)
    return f"{header}\n" + "".join(line for each in documents for line in (*_comments(each), *lines.sentences(each)))


def _first_line(source: Source) -> str:
    """Return the first line that is neither empty nor a comment."""
    lines = bytes(source.data[: source.size]).decode().split("\n")
    return next(line for line in lines if line and not line.startswith("#"))


def _comments(document: Document) -> Iterator[str]:
    """Give the comments that begin a document."""
    if document.name is not None:
        yield f"# document_id = {document.name}\n"
    for name, value in document.attributes.items():
        yield f"# {name} = {value}\n"
