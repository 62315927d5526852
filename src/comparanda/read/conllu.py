"""CoNLL-U: ten tab-separated columns, comments, multiword ranges, empty nodes."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import Slices, head8, window
from comparanda.errors import ReadError, UsageError, nearest
from comparanda.places import Source, refuse
from comparanda.read.gather import Gathering, refuse_unannotated
from comparanda.read.request import Format, Request
from comparanda.read.scan import TAB, Block, blank_spaces_removed, blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Rows
    from comparanda.corpus import Corpus

COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
WIDTH = len(COLUMNS)

_HASH, _LOW_BYTE = np.uint64(ord("#")), np.uint64(0xFF)
_SPECIAL_ID = re.compile(r"[0-9]+[-.][0-9]+")
_DASHES, _DOTS = (np.uint64(int.from_bytes(byte * 8, "little")) for byte in (b"-", b"."))
_ONES, _HIGHS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)


def column_number(name: str) -> int:
    """Return the index of a column given by its name or its number (1 to 10).

    >>> column_number("upos"), column_number("4")
    (3, 3)
    """
    lowered = name.lower()
    if lowered in COLUMNS:
        return COLUMNS.index(lowered)
    if name.isdecimal() and 1 <= int(name) <= WIDTH:
        return int(name) - 1
    raise UsageError(
        f"CoNLL-U has no column {name!r}{nearest(lowered, COLUMNS)}",
        hint=f"columns: {', '.join(COLUMNS)}, or 1–10",
    )


def _add(gathering: Gathering, block: Block) -> None:
    """Take over the words of one block."""
    blank = block.end == block.start
    comment = (block.first8 & _LOW_BYTE) == _HASH
    comment &= ~blank
    lines = np.flatnonzero(~(blank | comment))
    if (block.fields[lines] != WIDTH).any():
        raise _problem(gathering.source, block)
    lines, cuts = _words(gathering.source, block, lines, np.flatnonzero(blank))
    gathering.mark(block, np.flatnonzero(comment), lines)
    gathering.add(block, lines, cuts)


def _words(source: Source, block: Block, lines: Rows, blank_lines: Rows) -> tuple[Rows, Rows]:
    """Check the ids and leave out ranges (3-4) and empty nodes (8.1); return the words and where sentences end."""
    start, length = block.field(lines, 0, WIDTH)
    ids = head8(window(source.buffer), start, length)
    cuts = np.searchsorted(lines, blank_lines)
    if (ids == _expected_ids(len(lines), cuts)).all():
        return lines, cuts
    special = _has_byte(ids, _DASHES) | _has_byte(ids, _DOTS)
    distinct = Slices(source.buffer, start[special], length[special]).intern().names
    lines, ids = lines[~special], ids[~special]
    cuts = np.searchsorted(lines, blank_lines)
    if not all(map(_SPECIAL_ID.fullmatch, distinct)) or (ids != _expected_ids(len(lines), cuts)).any():
        raise _problem(source, block)
    return lines, cuts


def _expected_ids(count: int, cuts: Rows) -> NDArray[np.uint64]:
    """Return the id that each word line must carry: 1, 2, 3 … in each sentence, as eight bytes."""
    bounds = np.concatenate([np.zeros(1, np.int64), cuts, np.array([count], np.int64)])
    sizes = np.diff(bounds)
    place = np.arange(count) - np.repeat(bounds[:-1], sizes)
    expected: NDArray[np.uint64] = _id_bytes(int(sizes.max()))[place]
    return expected


_ID_BYTES = np.zeros(0, np.uint64)


def _id_bytes(count: int) -> NDArray[np.uint64]:
    """Return the decimal texts of 1 … count as eight-byte integers, from a table that grows."""
    global _ID_BYTES  # noqa: PLW0603 - a cache: its content depends on nothing but its length
    if len(_ID_BYTES) < count:
        texts = (int.from_bytes(str(n).encode(), "little") for n in range(1, 2 * count + 256))
        _ID_BYTES = np.fromiter(texts, dtype=np.uint64)
    return _ID_BYTES


def _has_byte(words: NDArray[np.uint64], byte8: np.uint64) -> NDArray[np.bool_]:
    """Whether any of the eight bytes of each word equals a byte (the classic zero-byte test)."""
    different = words ^ byte8
    found: NDArray[np.bool_] = ((different - _ONES) & ~different & _HIGHS) != 0
    return found


def _problem(source: Source, block: Block) -> ReadError:
    """Look at the lines of a block one by one, and make the error for the first that does not fit."""
    expected = 1
    for line in range(len(block.start)):
        text = block.text(source, line)
        if not text:
            expected = 1
        elif text[0] != "#":
            fields = text.split("\t")
            if len(fields) != WIDTH:
                return _ragged(source, int(block.start[line]), text, len(fields))
            if not _SPECIAL_ID.fullmatch(fields[0]):
                if fields[0] != str(expected):
                    return _bad_id(source, int(block.start[line]), fields[0], expected)
                expected += 1
    raise AssertionError("the scan refused a block in which every line fits")  # pragma: no cover


def _ragged(source: Source, offset: int, text: str, fields: int) -> ReadError:
    hint = "columns are separated by one tab"
    if not text.strip():
        hint = "the line holds only white space; a sentence ends at an empty line"
    elif fields < WIDTH <= len(text.split()):
        hint = "the columns of this line are separated by spaces; CoNLL-U wants tabs"
    return refuse(source, offset, f"{fields} column{'s'[: fields != 1]}, CoNLL-U has {WIDTH}", hint=hint)


def _bad_id(source: Source, offset: int, found: str, expected: int) -> ReadError:
    if not re.fullmatch(r"[0-9]+", found):
        return refuse(source, offset, f"the id {found!r} is no number, range (3-4) or empty node (8.1)")
    hint = "ids count 1, 2, 3 … in each sentence; sentences are separated by an empty line"
    return refuse(source, offset, f"the id is {found}, expected {expected}", hint=hint)


def sorted_features(value: str) -> str:
    """Return features in the order that CoNLL-U wants: by name, without regard to case.

    >>> sorted_features("Number=Sing|Case=Nom")
    'Case=Nom|Number=Sing'
    """
    if "|" not in value:
        return value
    return "|".join(sorted(value.split("|"), key=lambda feature: (feature.partition("=")[0].lower(), feature)))


def read(source: Source, request: Request) -> Corpus:
    """Read CoNLL-U; words are the rows, ranges and empty nodes are passed over."""
    value = request.options.get("column") or request.value or "upos"
    wanted = {"value": column_number(value)}
    wanted |= {name: COLUMNS.index(name) for name in request.extra if name in COLUMNS}
    gathering = Gathering(source, wanted, width=WIDTH, word=COLUMNS.index("form"))
    try:
        for block in blocks(source, TAB, request.max_line):
            _add(gathering, block)
    except ReadError:
        cleaned = blank_spaces_removed(source, request.side)
        if cleaned is None:
            raise
        return read(cleaned, request)
    mends = {name: _FEATS_MEND for name, number in wanted.items() if COLUMNS[number] == "feats"}
    corpus = gathering.corpus(request, "conllu", mends=mends)
    refuse_unannotated(corpus.columns["value"], f"the column {value!r}", source, _other_columns(source, corpus))
    return replace(corpus, judged=COLUMNS[wanted["value"]])


def _other_columns(source: Source, corpus: Corpus) -> str:
    """Say which columns the first words do fill."""
    rows = range(min(20, len(corpus)))
    lines = [source.line_at(int(corpus.offset[row])).split("\t") for row in rows]
    filled = [name for number, name in enumerate(COLUMNS[2:], start=2) if any(line[number] != "_" for line in lines)]
    found = f"the file fills: {', '.join(filled)}" if filled else "no column after the word is filled"
    return f"{found}; say --column NAME, or ::conllu?column=NAME for one file"


_FEATS_MEND = {"whose features are not in alphabetical order, sorted": sorted_features}


def sniff(lines: list[str]) -> bool:
    """Whether the first lines look like CoNLL-U: ten tab-separated fields, the first a number."""
    rows = [line.split("\t") for line in lines if line.strip() and not line.startswith("#")]
    return bool(rows) and all(is_word_line(row) for row in rows)


def is_word_line(fields: list[str]) -> bool:
    """Whether the fields of a line look like those of CoNLL-U: ten, the first a number."""
    return len(fields) == WIDTH and re.fullmatch(r"[0-9]+([-.][0-9]+)?", fields[0]) is not None


FORMAT = Format(
    name="conllu",
    summary="CoNLL-U: ten columns, comments, multiword ranges, empty nodes",
    shapes=frozenset({"tokens"}),
    suffixes=(".conllu",),
    options={"column": f"the column to judge: {', '.join(COLUMNS[2:])}, or a number from 1"},
    sniff=sniff,
    read=read,
)
