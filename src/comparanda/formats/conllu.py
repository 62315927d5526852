"""CoNLL-U: ten tab-separated columns, comments, multiword ranges, empty nodes.

Spans are chunk tags of a column, or brackets in the column MISC, as in CorefUD and GUM: `Entity=(e1-person`. Chains are
the entities named in these brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from comparanda.errors import UsageError
from comparanda.formats.contract import CHUNK_OPTIONS, Format, Request
from comparanda.formats.cuts import marked_lines, sentences_between_blank_lines
from comparanda.formats.numbered_words import ALSO, Dialect, read_numbered_words
from comparanda.formats.tokens import newdoc_name

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus
    from comparanda.core.places import Source
    from comparanda.core.remote import AnyPath
    from comparanda.formats.cuts import Mark


# CoNLL-X, of the shared tasks of 2006 and 2007: ten tab-separated columns, every line a word.


CONLLX_DIALECT = Dialect(
    "conllx",
    "CoNLL-X",
    ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "phead", "pdeprel"),
    words_only=True,
)
_PHEAD = CONLLX_DIALECT.columns.index("phead")


def read_conllx(source: Source, request: Request) -> Corpus:
    """Read CoNLL-X; columns that mean the same as in CoNLL-U have the same names."""
    return read_numbered_words(source, request, CONLLX_DIALECT)


def sniff_conllx(lines: list[str]) -> bool:
    """Whether the first lines look like CoNLL-X only: every line is a word, and at least one has a PHEAD.

    Without any PHEAD, the file is also valid CoNLL-U with the same meaning.
    """
    rows = [line_number.split("\t") for line_number in lines if line_number.strip()]
    words = all(len(row) == CONLLX_DIALECT.width and _is_number(row[0]) for row in rows)
    return words and any(_is_number(row[_PHEAD]) for row in rows)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


CONLLX = Format(
    name=CONLLX_DIALECT.name,
    summary="CoNLL-X of 2006 and 2007: ten columns, every line a word",
    shapes=frozenset({"tokens"}),
    suffixes=(".conllx",),
    options={
        "column": f"the column to evaluate: {', '.join((*CONLLX_DIALECT.columns[2:], *ALSO))}, or a number from 1",
        **CHUNK_OPTIONS,
    },
    sniff=sniff_conllx,
    read=read_conllx,
    layers=frozenset({"values", "arcs", "spans"}),
)


DIALECT = Dialect(
    "conllu", "CoNLL-U", ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
)


BRACKET_OPTIONS: Mapping[str, str] = {
    "entities": "spans, chains: the key in MISC whose brackets are spans (Entity, if the file has it and no column is "
    "chosen), or none",
    "fields": "spans, chains: the fields of brackets, for files that do not declare them: eid-etype-head-other",
    "label": "spans, chains: the field of brackets that is the label (default: etype)",
    "broken": "spans, chains: how to handle unclosed or unopened brackets: refuse, drop",
}
"""The options of spans and chains in brackets."""


def read(source: Source, request: Request) -> Corpus:
    """Read CoNLL-U; spans come from brackets in MISC if there are any and no column is named, chains always do."""
    if request.layer not in {"chains", "spans"}:
        _refuse_bracket_options(request)
        return read_numbered_words(source, request, DIALECT)
    from comparanda.formats.conllu_entities import chosen_key, key_of_chains, with_entities, with_text

    if request.layer == "chains":
        named = key_of_chains(request)
        return with_text(with_entities(read_numbered_words(source, request, DIALECT, evaluated=False), request, named))
    key = chosen_key(source, request)
    corpus = read_numbered_words(source, request, DIALECT, evaluated=key is None)
    return with_text(corpus if key is None else with_entities(corpus, request, key))


def _refuse_bracket_options(request: Request) -> None:
    for option in request.options.keys() & BRACKET_OPTIONS.keys():
        raise UsageError(
            f"the option {option!r} applies to spans in brackets, but this task does not evaluate spans",
            hint="remove it, or choose a task that evaluates spans",
        )


def sniff(lines: list[str]) -> bool:
    """Whether the first lines look like CoNLL-U: ten tab-separated fields, the first a number; and not like CoNLL-X."""
    rows = [line_number.split("\t") for line_number in lines if line_number.strip() and not line_number.startswith("#")]
    return bool(rows) and all(map(is_word_line, rows)) and not sniff_conllx(lines)


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
        "column": f"the column to evaluate: {', '.join(DIALECT.columns[2:])}, a number from 1, or misc:KEY, feats:KEY",
        **BRACKET_OPTIONS,
        **CHUNK_OPTIONS,
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"values", "arcs", "spans", "chains"}),
    marks=marks,
    sentences=sentences_between_blank_lines,
)
