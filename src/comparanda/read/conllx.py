"""CoNLL-X, of the shared tasks of 2006 and 2007: ten tab-separated columns, every line a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparanda.read.numbered import ALSO, Dialect, read_numbered
from comparanda.read.request import CHUNK_OPTIONS, Format, Request

if TYPE_CHECKING:
    from comparanda.corpus import Corpus
    from comparanda.places import Source

DIALECT = Dialect(
    "conllx",
    "CoNLL-X",
    ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "phead", "pdeprel"),
    words_only=True,
)
_PHEAD = DIALECT.columns.index("phead")


def read(source: Source, request: Request) -> Corpus:
    """Read CoNLL-X; its columns have the names of CoNLL-U where they mean the same."""
    return read_numbered(source, request, DIALECT)


def sniff(lines: list[str]) -> bool:
    """Whether the first lines look like CoNLL-X and like nothing else: every line a word, and a PHEAD among them.

    Without any PHEAD the file is CoNLL-U as well, and means the same.
    """
    rows = [line.split("\t") for line in lines if line.strip()]
    words = all(len(row) == DIALECT.width and _is_number(row[0]) for row in rows)
    return words and any(_is_number(row[_PHEAD]) for row in rows)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


FORMAT = Format(
    name=DIALECT.name,
    summary="CoNLL-X of 2006 and 2007: ten columns, every line a word",
    shapes=frozenset({"tokens"}),
    suffixes=(".conllx",),
    options={
        "column": f"the column to judge: {', '.join((*DIALECT.columns[2:], *ALSO))}, or a number from 1",
        **CHUNK_OPTIONS,
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"values", "arcs", "spans"}),
)
