"""CoNLL-U: ten tab-separated columns, comments, multiword ranges, empty nodes.

Spans are chunk tags of a column, or brackets in the column MISC, as in CorefUD and GUM: `Entity=(e1-person`. Chains are
the entities that these brackets name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from comparanda.errors import UsageError
from comparanda.read import conllx
from comparanda.read.conllu_entities.entities import BRACKET_OPTIONS, chosen_key, key_of_chains, with_entities
from comparanda.read.conllu_entities.misc import with_text
from comparanda.read.cuts import marked_lines, sentences_between_blank_lines
from comparanda.read.marks import newdoc_name
from comparanda.read.numbered import Dialect, read_numbered
from comparanda.read.request import CHUNK_OPTIONS, Format, Request

if TYPE_CHECKING:
    from collections.abc import Iterator

    from comparanda.corpus import Corpus
    from comparanda.places import Source
    from comparanda.read.cuts import Mark
    from comparanda.remote import AnyPath

DIALECT = Dialect(
    "conllu", "CoNLL-U", ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
)


def read(source: Source, request: Request) -> Corpus:
    """Read CoNLL-U. Spans are brackets in MISC if there are any and no column is named; chains always are."""
    if request.layer == "chains":
        named = key_of_chains(request)
        return with_text(with_entities(read_numbered(source, request, DIALECT, judged=False), request, named))
    if request.layer != "spans":
        _refuse_bracket_options(request)
        return read_numbered(source, request, DIALECT)
    key = chosen_key(source, request)
    corpus = read_numbered(source, request, DIALECT, judged=key is None)
    return with_text(corpus if key is None else with_entities(corpus, request, key))


def _refuse_bracket_options(request: Request) -> None:
    for option in request.options.keys() & BRACKET_OPTIONS.keys():
        raise UsageError(
            f"the option {option!r} says how spans are read from brackets, and this task judges no spans",
            hint="leave it out, or choose a task that does",
        )


def sniff(lines: list[str]) -> bool:
    """Whether the first lines look like CoNLL-U: ten tab-separated fields, the first a number; and not like CoNLL-X."""
    rows = [line.split("\t") for line in lines if line.strip() and not line.startswith("#")]
    return bool(rows) and all(map(is_word_line, rows)) and not conllx.sniff(lines)


def is_word_line(fields: list[str]) -> bool:
    """Whether the fields of a line look like those of CoNLL-U: ten, the first a number."""
    return len(fields) == DIALECT.width and re.fullmatch(r"[0-9]+([-.][0-9]+)?", fields[0]) is not None


def marks(file: AnyPath, request: Request) -> Iterator[Mark]:
    """Mark the comments `# newdoc`."""
    del request
    return marked_lines(file, _NEWDOC, newdoc_name, heads=True)


_NEWDOC = re.compile(rb"\n#[ \t]*newdoc")

FORMAT = Format(
    name=DIALECT.name,
    summary="CoNLL-U: ten columns, comments, multiword ranges, empty nodes",
    shapes=frozenset({"tokens"}),
    suffixes=(".conllu",),
    options={
        "column": f"the column to judge: {', '.join(DIALECT.columns[2:])}, a number from 1, or misc:KEY, feats:KEY",
        **BRACKET_OPTIONS,
        **CHUNK_OPTIONS,
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"values", "arcs", "spans", "chains"}),
    marks=marks,
    sentences=sentences_between_blank_lines,
)
