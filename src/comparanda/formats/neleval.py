"""neleval: one mention per line, with its extent and the candidates for its entity; no texts.

The format of the evaluation tools for TAC entity linking (neleval.readthedocs.io/en/latest/formats.html). Ends are
inclusive.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from comparanda.core.ids import BAR, NIL
from comparanda.errors import WriteError
from comparanda.formats.contract import Format, Request
from comparanda.formats.document_writer import Losses, Passage, Writer
from comparanda.formats.document_writer import Mention as WriterMention
from comparanda.formats.entity_lines import (
    Candidate,
    Mention,
    Mentions,
    lines_of,
    make_column_error,
    parse_offset,
    score,
)
from comparanda.formats.scanner import check_line_lengths
from comparanda.formats.standoff import OPTION, Draft, requested_offsets

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus
    from comparanda.core.places import Source


EXPECTED = (
    "DOCUMENT<TAB>START<TAB>END<TAB>ID<TAB>SCORE<TAB>TYPE, then <TAB>ID<TAB>SCORE<TAB>TYPE for each further candidate"
)

_NUMBER = r"[+-]?(?:[0-9]++(?:\.[0-9]++)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?"
_LINE = re.compile(rf"\S+\t[0-9]+\t[0-9]+(?:\t\S*\t{_NUMBER}\t[^\s0-9][^\s\t]*)+\t*")


def read(source: Source, request: Request) -> Corpus:
    """Read mentions, grouped by their documents."""
    check_line_lengths(source, 0, source.size, request.max_line)
    mentions = Mentions(source)
    for place, line in lines_of(source):
        if line.strip():
            document, _, _ = line.partition("\t")
            mentions.add(document.strip(), _parse_mention(source, place, line))
    draft = Draft(source=source, side=request.side, called=lambda _, number: f"mention {number + 1}")
    mentions.into(draft)
    offsets = requested_offsets(request.options)
    return draft.corpus(request, name="neleval", evaluated="type", offsets=offsets, usual="inclusive")


def _parse_mention(source: Source, place: int, line: str) -> Mention:
    fields = line.rstrip("\t\r").split("\t")
    if len(fields) < 3 or not fields[0].strip() or (len(fields) > 5 and len(fields) % 3):
        raise make_column_error(source, place, line, EXPECTED)
    begin, end = parse_offset(source, place, line, fields[1]), parse_offset(source, place, line, fields[2])
    candidates = []
    for first in range(3, len(fields), 3):
        id_, written, label = [*fields[first : first + 3], "", ""][:3]
        candidates.append(Candidate(id_.strip(), score(source, place, line, written), label.strip()))
    return Mention(begin=begin, end=end, place=place, candidates=candidates)


def sniff(lines: list[str]) -> bool:
    """Whether all of the first lines are mentions with an extent and complete candidates."""
    rows = [line for line in lines if line.strip()]
    return bool(rows) and all(_LINE.fullmatch(row) for row in rows)


FORMAT = Format(
    name="neleval",
    summary="neleval: one mention per line with its document, start, end, and candidates of id, score and type",
    shapes=frozenset({"tokens"}),
    suffixes=(".tsv",),
    options=OPTION,
    sniff=sniff,
    read=read,
    layers=frozenset({"spans"}),
)


# Writing neleval: one mention per line, with its extent and the candidates for its entity.
#
# Texts are not written, nor documents without spans. neleval requires an id and a score for every candidate: missing
# ones are written as NIL and 1.0, and counted.


CARRIED = frozenset({"probability", "scores", "cluster"})
SURE = "1.0"


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write all documents to one file."""
    del options
    yield "", "".join(line for each in documents for line in _document(each, losses))


def _document(passage: Passage, losses: Losses) -> Iterator[str]:
    lose_document(passage, losses)
    for mention in passage.mentions:
        begin, last = find_extent(passage, mention)
        check(passage, mention.label, "the label")
        report_unwritten(passage, mention, CARRIED, losses)
        candidates = "".join(
            f"\t{id_}\t{score}\t{mention.label}" for id_, score in candidates_of(passage, mention, losses)
        )
        yield f"{passage.name}\t{begin}\t{last}{candidates}\n"


def lose_document(passage: Passage, losses: Losses) -> None:
    """Report the losses of a document in a format that has just mentions; refuse a name that the format cannot hold."""
    check(passage, passage.name, "the name")
    losses.lose("texts of documents", passage.name)
    if not passage.mentions:
        losses.lose("documents without spans", passage.name)
    for name in passage.attributes:
        losses.lose(f"the attribute {name!r} of documents", passage.name)


def report_unwritten(passage: Passage, mention: WriterMention, carried: frozenset[str], losses: Losses) -> None:
    """Report the attributes of a span that are not written."""
    for name in mention.attributes:
        if name not in carried:
            losses.lose(f"{name!r} of spans", passage.name)


def find_extent(passage: Passage, mention: WriterMention) -> tuple[int, int]:
    """Return the offsets of the first and last character of a span; refuse an empty or discontinuous one."""
    if len(mention.pieces) > 1:
        what = f"the span {_describe_span(passage, mention)} is in {len(mention.pieces)} pieces, but a line holds one"
        raise WriteError(what, hint="write jsonl or brat instead")
    if mention.begin == mention.end:
        what = f"the span {_describe_span(passage, mention)} has no length, so it has no last character"
        raise WriteError(what, hint="write jsonl or brat instead")
    return mention.begin, mention.end - 1


def _describe_span(passage: Passage, mention: WriterMention) -> str:
    return f"{mention.label} {mention.begin}:{mention.end} of document {passage.name!r}"


def check(passage: Passage, written: str, what: str) -> str:
    """Return a text for a column; refuse one that is empty or contains white space."""
    if written.split() != [written] or "\0" in written:
        problem = "contains white space" if written else "is empty"
        raise WriteError(f"{what} {written!r} in document {passage.name!r} {problem}", hint="rename it first")
    return written


def candidates_of(passage: Passage, mention: WriterMention, losses: Losses) -> list[tuple[str, str]]:
    """Return the ids of a span with their scores, the best first. NIL is replaced by its cluster, if it has one."""
    if mention.ids is None:
        losses.lose("that spans are not linked: written as NIL", passage.name)
    ids = [check(passage, id_, "the id") for id_ in mention.ids or (NIL,)]
    clusters = iter(str(mention.attributes.get("cluster", "")).split(BAR))
    ids = [(next(clusters, "") or NIL) if id_ == NIL else id_ for id_ in ids]
    scores = str(mention.attributes.get("scores", "")).split(BAR)
    if len(scores) != len(ids) or not all(scores):
        if "scores" in mention.attributes:
            losses.lose("'scores' of spans whose number is not that of their ids", passage.name)
        if "probability" not in mention.attributes:
            losses.lose("that spans have no score: written as 1.0", passage.name)
        scores = [str(mention.attributes.get("probability", SURE))] * len(ids)
    return list(zip(ids, scores, strict=True))


WRITER = Writer(name="neleval", suffix=".tsv", write=write)
