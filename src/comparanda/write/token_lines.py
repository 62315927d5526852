"""Lines of words with one judged column, or with heads and relations: CoNLL-U and CoNLL-X."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from comparanda.errors import WriteError
from comparanda.read import conllu, conllx
from comparanda.write.plain import NOTHING, cell

if TYPE_CHECKING:
    from comparanda.corpus import Corpus
    from comparanda.read.numbered import Dialect
    from comparanda.read.request import Request
    from comparanda.write.plain import Document, Sentence


def write_conllu(corpus: Corpus, request: Request, documents: Iterable[Document]) -> str:
    """Write CoNLL-U: documents by `# newdoc`, ids and texts of sentences, ranges, words and what is judged."""
    del request
    lines = _Numbered.of(corpus.judged, conllu.DIALECT)
    return "".join(line for each in documents for line in (*_marks(each), *lines.document(each)))


def write_conllx(corpus: Corpus, request: Request, documents: Iterable[Document]) -> str:
    """Write CoNLL-X, which has words alone."""
    del request
    lines = _Numbered.of(corpus.judged, conllx.DIALECT)
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
