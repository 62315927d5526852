"""CoNLL-U: ten tab-separated columns, comments, multiword ranges, empty nodes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from comparanda.read import conllx
from comparanda.read.numbered import Dialect, read_numbered
from comparanda.read.request import CHUNK_OPTIONS, Format, Request

if TYPE_CHECKING:
    from comparanda.corpus import Corpus
    from comparanda.places import Source

DIALECT = Dialect(
    "conllu", "CoNLL-U", ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
)


def read(source: Source, request: Request) -> Corpus:
    """Read CoNLL-U."""
    return read_numbered(source, request, DIALECT)


def sniff(lines: list[str]) -> bool:
    """Whether the first lines look like CoNLL-U: ten tab-separated fields, the first a number; and not like CoNLL-X."""
    rows = [line.split("\t") for line in lines if line.strip() and not line.startswith("#")]
    return bool(rows) and all(map(is_word_line, rows)) and not conllx.sniff(lines)


def is_word_line(fields: list[str]) -> bool:
    """Whether the fields of a line look like those of CoNLL-U: ten, the first a number."""
    return len(fields) == DIALECT.width and re.fullmatch(r"[0-9]+([-.][0-9]+)?", fields[0]) is not None


FORMAT = Format(
    name=DIALECT.name,
    summary="CoNLL-U: ten columns, comments, multiword ranges, empty nodes",
    shapes=frozenset({"tokens"}),
    suffixes=(".conllu",),
    options={
        "column": f"the column to judge: {', '.join(DIALECT.columns[2:])}, or a number from 1",
        **CHUNK_OPTIONS,
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"values", "arcs", "spans"}),
)
