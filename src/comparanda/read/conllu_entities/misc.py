r"""What the column MISC of CoNLL-U says of words: values by key, and the text that the words stand in.

`SpaceAfter=No` says that no space is behind a word, and `SpacesAfter=\n` (as UDPipe writes it, with `\s`, `\t`, `\r`,
`\n`, `\p` for a bar and `\\`) which white space is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from comparanda.columns import PADDING, Slices
from comparanda.corpus import RawText
from comparanda.places import refuse
from comparanda.read.conllu_entities.brackets import AHEAD

if TYPE_CHECKING:
    from comparanda.columns import Rows
    from comparanda.corpus import Corpus

_TABS = 9
_TEXT = re.compile(rb"^# ?text = ", re.MULTILINE)
_ESCAPE = re.compile(r"\\(?:u(?P<point>(?!0000|[Dd][89A-Fa-f])[0-9A-Fa-f]{4})|(?P<letter>[strnp\\]))")
"""What stands for a character; numbers of surrogates and of NUL, which no text can have, are left as they are."""

_LETTERS = {"s": " ", "t": "\t", "r": "\r", "n": "\n", "p": "|", "\\": "\\"}
_WRITTEN = str.maketrans({character: f"\\{letter}" for letter, character in _LETTERS.items()})


class Misc(NamedTuple):
    """The value of a key in one line.

    Args:
        value: the value.
        place: the byte at which it stands.
        first: the row of the line's word, or the first one behind a line without a word.
        behind: the row behind the last one of the line: a range has several, an empty node none.
        near: a row of the same document.
        node: of an empty node the number behind the dot, and see `AHEAD`; of other lines 0.

    """

    value: str
    place: int
    first: int
    behind: int
    near: int
    node: int = 0


def misc_values(corpus: Corpus, key: str) -> Iterator[Misc]:
    """Give the values of a key in MISC, line by line, those of ranges and empty nodes included."""
    places = list(_places(corpus, key))
    rows = np.searchsorted(corpus.offset, np.array([line for line, _, _ in places], np.int64)).tolist()
    data = corpus.source.data
    for (line, begin, end), row in zip(places, rows, strict=True):
        number = str(data[line : data.index(b"\t", line)], "ascii")
        behind, near, node = row + 1, row, 0
        if "." in number:
            before, _, within = number.partition(".")
            behind, near = (row, row - 1) if int(before) else (row, row)
            node = int(within) + (0 if int(before) else AHEAD)
        elif "-" in number:
            first, last = map(int, number.split("-"))
            behind = row + last - first + 1
        yield Misc(str(data[begin:end], "utf-8"), begin, row, behind, near, node)


def _places(corpus: Corpus, key: str) -> Iterator[tuple[int, int, int]]:
    """Give where a line with a key in MISC begins, and where the value begins and ends."""
    source, data = corpus.source, corpus.source.data
    pattern = re.compile(rb"%b=([^|\t\n]*)" % re.escape(key.encode(errors="surrogatepass")))
    line = newline = counted = tabs = given = -1
    for found in pattern.finditer(data, 0, source.size):
        if data[found.start() - 1] not in b"\t|":
            continue
        if found.start() > newline:
            line = counted = data.rfind(b"\n", 0, found.start()) + 1
            newline = data.find(b"\n", found.end(), source.size)
            newline, tabs = newline if newline >= 0 else source.size, 0
        tabs += data.count(b"\t", counted, found.start())
        counted = found.start()
        if tabs != _TABS or data[line] == ord("#"):
            continue
        if given == line:
            raise refuse(source, line, f"{key!r} stands in MISC twice")
        given = line
        yield line, *found.span(1)


def with_text(corpus: Corpus) -> Corpus:
    """Return a corpus with the texts of its documents, if the input tells where there are spaces.

    It does if it has `# text` or a `SpaceAfter`. The words must then be all that the text is made of: of ranges whose
    words do not make up the token (`du` is `de` and `le`) and of words with spaces inside no text is made.
    """
    source, words = corpus.source, corpus.words
    told = {name: list(misc_values(corpus, name)) for name in ("SpaceAfter", "SpacesAfter", "SpacesBefore")}
    if words is None or not (any(told.values()) or _TEXT.search(source.data, 0, source.size)):
        return corpus
    forms = [words[row] for row in range(len(corpus))]
    if any(len(form.split()) != 1 for form in forms):
        return corpus
    gaps = [" "] * len(forms)
    if not _cut_ranges(corpus, forms, gaps):
        return corpus
    for each in told["SpaceAfter"]:
        if each.value == "No" and each.behind > each.first:
            gaps[each.behind - 1] = ""
    ends = [row - 1 for row in corpus.row_documents[1:].tolist()]
    for row in ends:
        gaps[row] = ""
    for each in told["SpacesAfter"]:
        if each.behind > each.first:
            gaps[each.behind - 1] = spaces(each.value)
    before = {each.first: spaces(each.value) for each in told["SpacesBefore"] if each.behind > each.first}
    return _made(corpus, forms, gaps, before)


def _cut_ranges(corpus: Corpus, forms: list[str], gaps: list[str]) -> bool:
    """Put nothing between the words of each range; return whether they make up its form."""
    if corpus.ranges is None:
        return True
    ranges, buffer = corpus.ranges, corpus.source.buffer
    tokens = Slices(buffer, ranges.start, ranges.length)
    for number, (begin, end) in enumerate(zip(ranges.begin.tolist(), ranges.end.tolist(), strict=True)):
        if "".join(forms[begin:end]) != tokens[number]:
            return False
        gaps[begin : end - 1] = [""] * (end - begin - 1)
    return True


def _made(corpus: Corpus, forms: list[str], gaps: list[str], before: dict[int, str]) -> Corpus:
    """Lay words and what is between them end to end; the words are then slices of that."""
    bounds = corpus.row_documents
    leads = [""] * len(forms)
    for row in {*bounds[:-1].tolist()} & before.keys():
        leads[row] = before[row]
    laid = list(map("".join, zip(leads, forms, gaps, strict=True)))
    texts = tuple("".join(laid[first:last]) for first, last in pairwise(bounds.tolist()))
    begin, end = _extents([[len(part) for part in parts] for parts in (leads, forms, gaps)])
    shift = np.repeat(np.cumsum([0, *(len(text) for text in texts)])[:-1], np.diff(bounds))
    start, stop = _extents([[len(part.encode()) for part in parts] for parts in (leads, forms, gaps)])
    buffer = np.frombuffer("".join(texts).encode() + bytes(PADDING), np.uint8)
    words = Slices(buffer, start, stop - start)
    return replace(corpus, words=words, ranges=None, raw=RawText(texts, begin - shift, end - shift))


def _extents(sizes: list[list[int]]) -> tuple[Rows, Rows]:
    """Return where words begin and end, given how long they are and what is before and behind each."""
    before, size, behind = np.array(sizes, np.int64)
    begin = np.cumsum(before + size + behind) - behind - size
    return begin, begin + size


def spaces(value: str) -> str:
    r"""Return the white space that a value of `SpacesAfter` stands for; `written_spaces` is the reverse.

    >>> spaces(r"\s\n"), written_spaces("| ")
    (' \n', '\\p\\s')
    """
    return _ESCAPE.sub(lambda found: _LETTERS.get(found["letter"]) or chr(int(found["point"], 16)), value)


def written_spaces(text: str) -> str:
    """Return white space as a value of `SpacesAfter`."""
    return text.translate(_WRITTEN)
