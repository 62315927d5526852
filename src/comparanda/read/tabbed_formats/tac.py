"""TAC KBP: the tab-separated files of entity discovery and linking since 2015; one mention a line, no text.

A line has the name of the run, the id of the mention, its text, `DOCUMENT:START-END`, the id of its entity or NIL, its
type, whether it is a name or nominal, and a confidence. An end is the place of the last character. Lines of the same
place are candidates of one mention, as neleval takes them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from comparanda.places import Note, refuse
from comparanda.read.offsets import OPTION, Offsets, asked_offsets
from comparanda.read.request import Format, Request
from comparanda.read.scan import check_line_lengths
from comparanda.read.standoff import Draft
from comparanda.read.tabbed_formats.lines import (
    Candidate,
    Mention,
    Mentions,
    columns_refused,
    lines_of,
    note,
    score,
    shown,
)

if TYPE_CHECKING:
    from comparanda.corpus import Corpus
    from comparanda.places import Source

EXPECTED = "RUN<TAB>MENTION ID<TAB>TEXT<TAB>DOCUMENT:START-END<TAB>ID or NIL<TAB>TYPE<TAB>NAM or NOM<TAB>CONFIDENCE"

_PLACE = re.compile(r"(?P<document>\S+?) ?: ?(?P<begin>[0-9]{1,18}) ?[-\u2013] ?(?P<end>[0-9]{1,18})")
_MOST = 8


def read(source: Source, request: Request) -> Corpus:
    """Read mentions, grouped by their documents."""
    check_line_lengths(source, 0, source.size, request.max_line)
    reading = _Reading(source)
    for place, line in lines_of(source):
        if line.strip():
            reading.add(place, line)
    draft = Draft(source, request.side, lambda _, number: f"mention {number + 1}")
    reading.mentions.into(draft)
    note(draft, "lines of the place of a mention before them, taken for further candidates of it", reading.further)
    note(draft, "lines with more columns than eight, which are passed over", reading.wider)
    offsets = _offsets(reading.mentions, draft, asked_offsets(request.options))
    return draft.corpus(request, name="tac", judged="type", offsets=offsets, usual="inclusive")


class _Key(NamedTuple):
    document: str
    begin: int
    end: int


class _Reading:
    """One input on its way to a corpus."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.mentions = Mentions(source)
        self.by_place: dict[_Key, Mention] = {}
        self.further: list[int] = []
        self.wider: list[int] = []

    def add(self, place: int, line: str) -> None:
        """Take over one line."""
        fields = line.rstrip("\r").split("\t")
        if len(fields) < 6:
            raise columns_refused(self.source, place, line, EXPECTED)
        _, mention_id, _, stands, entity, label = map(str.strip, fields[:6])
        found = _PLACE.fullmatch(stands)
        if found is None:
            what = f"{stands[:60]!r} is no place of a mention"
            hint = "it is written DOCUMENT:START-END"
            raise refuse(self.source, place, what, details=[shown(line)], hint=hint)
        confidence = score(self.source, place, line, fields[7]) if len(fields) > 7 else None
        key = _Key(found["document"], int(found["begin"]), int(found["end"]))
        candidate = Candidate(entity, confidence, label)
        if key in self.by_place:
            self.by_place[key].candidates.append(candidate)
            self.further.append(place)
        else:
            said = {
                "text": fields[2],
                "mention_id": mention_id,
                "mention_type": fields[6].strip() if len(fields) > 6 else "",
            }
            said = {name: value for name, value in said.items() if value}
            self.by_place[key] = Mention(key.begin, key.end, place, [candidate], said)
            self.mentions.add(key.document, self.by_place[key])
        if len(fields) > _MOST:
            self.wider.append(place)


def _offsets(mentions: Mentions, draft: Draft, asked: Offsets | None) -> Offsets:
    """Return what ends are: the last character, or the place behind it, as the lengths of the texts tell.

    Without the texts of documents nothing else can be checked. White space and entities of XML may make some texts
    longer or shorter than their places; if that is so for most, the file is refused.
    """
    named = [each for some in mentions.documents.values() for each in some if "text" in each.said]
    beyond = {"inclusive": 1, "code-points": 0}
    unlike = {
        way: [each for each in named if len(each.said["text"]) != each.end - each.begin + more]
        for way, more in beyond.items()
    }
    offsets: Offsets = asked or "inclusive"
    if asked is None and len(unlike["code-points"]) < len(unlike["inclusive"]):
        offsets = "code-points"
        what = "mentions whose end is the place behind their last character, which the length of their text tells"
        draft.notes.append(Note(draft.side, what, len(named)))
    wrong = unlike.get(offsets, [])
    if 2 * len(wrong) > len(named):
        first, text = wrong[0], str(wrong[0].said["text"])
        size = first.end - first.begin + beyond[offsets]
        raise refuse(
            mentions.source,
            first.place,
            f"{len(wrong):,} of {len(named):,} mentions are not as long as their text",
            details=[f"the first: {first.begin}-{first.end} is {size} long, {text[:40]!r} is {len(text)}"],
            hint="do the offsets count something else? ?offsets= says what",
        )
    note(draft, "mentions that are not as long as their text, whose offsets hold", [each.place for each in wrong])
    return offsets


def sniff(lines: list[str]) -> bool:
    """Whether all of the first lines have a place of a mention in their fourth column, and a type."""
    rows = [line.split("\t") for line in lines if line.strip()]
    return bool(rows) and all(len(row) > 6 and _PLACE.fullmatch(row[3].strip()) for row in rows)


FORMAT = Format(
    name="tac",
    summary="TAC KBP: a mention a line with its text, document:start-end, id, type and confidence",
    shapes=frozenset({"tokens"}),
    suffixes=(".tab",),
    options=OPTION,
    sniff=sniff,
    read=read,
    layers=frozenset({"spans"}),
)
