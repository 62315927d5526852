"""neleval: one mention a line, with its place and the candidates for its entity; no text.

The format is that of the tools for the entity linking of TAC (neleval.readthedocs.io/en/latest/formats.html). An end
is the place of the last character.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from comparanda.read.offsets import OPTION, asked_offsets
from comparanda.read.request import Format, Request
from comparanda.read.scan import check_line_lengths
from comparanda.read.standoff import Draft
from comparanda.read.tabbed_formats.lines import Candidate, Mention, Mentions, columns_refused, lines_of, offset, score

if TYPE_CHECKING:
    from comparanda.corpus import Corpus
    from comparanda.places import Source

EXPECTED = "DOCUMENT<TAB>START<TAB>END<TAB>ID<TAB>SCORE<TAB>TYPE, of more candidates again <TAB>ID<TAB>SCORE<TAB>TYPE"

_NUMBER = r"[+-]?(?:[0-9]++(?:\.[0-9]++)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?"
_LINE = re.compile(rf"\S+\t[0-9]+\t[0-9]+(?:\t\S*\t{_NUMBER}\t[^\s0-9][^\s\t]*)+\t*")


def read(source: Source, request: Request) -> Corpus:
    """Read mentions, grouped by their documents."""
    check_line_lengths(source, 0, source.size, request.max_line)
    mentions = Mentions(source)
    for place, line in lines_of(source):
        if line.strip():
            document, _, _ = line.partition("\t")
            mentions.add(document.strip(), _mention(source, place, line))
    draft = Draft(source, request.side, lambda _, number: f"mention {number + 1}")
    mentions.into(draft)
    offsets = asked_offsets(request.options)
    return draft.corpus(request, name="neleval", judged="type", offsets=offsets, usual="inclusive")


def _mention(source: Source, place: int, line: str) -> Mention:
    fields = line.rstrip("\t\r").split("\t")
    if len(fields) < 3 or not fields[0].strip() or (len(fields) > 5 and len(fields) % 3):
        raise columns_refused(source, place, line, EXPECTED)
    begin, end = offset(source, place, line, fields[1]), offset(source, place, line, fields[2])
    candidates = []
    for first in range(3, len(fields), 3):
        id_, written, label = [*fields[first : first + 3], "", ""][:3]
        candidates.append(Candidate(id_.strip(), score(source, place, line, written), label.strip()))
    return Mention(begin, end, place, candidates)


def sniff(lines: list[str]) -> bool:
    """Whether all of the first lines are mentions with a place and whole candidates."""
    rows = [line for line in lines if line.strip()]
    return bool(rows) and all(_LINE.fullmatch(row) for row in rows)


FORMAT = Format(
    name="neleval",
    summary="neleval: a mention a line with its document, start, end, and candidates of id, score and type",
    shapes=frozenset({"tokens"}),
    suffixes=(".tsv",),
    options=OPTION,
    sniff=sniff,
    read=read,
    layers=frozenset({"spans"}),
)
