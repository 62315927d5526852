"""TAC KBP: the tab-separated files of entity discovery and linking since 2015; one mention per line, no texts.

A line has the name of the run, the id of the mention, its text, `DOCUMENT:START-END`, the id of its entity or NIL, its
type, whether it is a name or nominal, and a confidence. Ends are inclusive. Lines of the same extent are candidates of
one mention, as in neleval.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from comparanda.core.places import Note, make_read_error
from comparanda.errors import WriteError
from comparanda.formats.contract import Format, Request
from comparanda.formats.document_writer import Losses, Passage, Writer
from comparanda.formats.entity_lines import (
    Candidate,
    Mention,
    Mentions,
    add_note,
    lines_of,
    make_column_error,
    quote_line,
    score,
)
from comparanda.formats.neleval import CARRIED, candidates_of, check, find_extent, lose_document, report_unwritten
from comparanda.formats.scanner import check_line_lengths
from comparanda.formats.standoff import OPTION, Draft, Offsets, requested_offsets

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus
    from comparanda.core.places import Source


EXPECTED = "RUN<TAB>MENTION ID<TAB>TEXT<TAB>DOCUMENT:START-END<TAB>ID or NIL<TAB>TYPE<TAB>NAM or NOM<TAB>CONFIDENCE"

_PLACE = re.compile(r"(?P<document>\S+?) ?: ?(?P<begin>[0-9]{1,18}) ?[-\u2013] ?(?P<end>[0-9]{1,18})")
_MAX_COLUMNS = 8


def read(source: Source, request: Request) -> Corpus:
    """Read mentions, grouped by their documents."""
    check_line_lengths(source, 0, source.size, request.max_line)
    reading = _Reader(source)
    for place, line in lines_of(source):
        if line.strip():
            reading.add(place, line)
    draft = Draft(source=source, side=request.side, called=lambda _, number: f"mention {number + 1}")
    reading.mentions.into(draft)
    add_note(draft, "lines with the extent of an earlier mention, read as further candidates for it", reading.further)
    add_note(draft, "lines with more than eight columns, the rest ignored", reading.wider)
    offsets = _detect_offsets(reading.mentions, draft, requested_offsets(request.options))
    return draft.corpus(request, name="tac", evaluated="type", offsets=offsets, usual="inclusive")


class _MentionKey(NamedTuple):
    document: str
    begin: int
    end: int


class _Reader:
    """Collects the mentions of one input."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.mentions = Mentions(source)
        self.by_place: dict[_MentionKey, Mention] = {}
        self.further: list[int] = []
        self.wider: list[int] = []

    def add(self, place: int, line: str) -> None:
        """Read one line."""
        fields = line.rstrip("\r").split("\t")
        if len(fields) < 6:
            raise make_column_error(self.source, place, line, EXPECTED)
        _, mention_id, _, stands, entity, label = map(str.strip, fields[:6])
        found = _PLACE.fullmatch(stands)
        if found is None:
            what = f"{stands[:60]!r} is not the extent of a mention"
            hint = "write it as DOCUMENT:START-END"
            raise make_read_error(self.source, place, what, details=[quote_line(line)], hint=hint)
        confidence = score(self.source, place, line, fields[7]) if len(fields) > 7 else None
        key = _MentionKey(found["document"], int(found["begin"]), int(found["end"]))
        candidate = Candidate(entity, confidence, label)
        if key in self.by_place:
            self.by_place[key].candidates.append(candidate)
            self.further.append(place)
        else:
            attributes = {
                "text": fields[2],
                "mention_id": mention_id,
                "mention_type": fields[6].strip() if len(fields) > 6 else "",
            }
            attributes = {name: value for name, value in attributes.items() if value}
            self.by_place[key] = Mention(
                begin=key.begin, end=key.end, place=place, candidates=[candidate], attributes=attributes
            )
            self.mentions.add(key.document, self.by_place[key])
        if len(fields) > _MAX_COLUMNS:
            self.wider.append(place)


def _detect_offsets(mentions: Mentions, draft: Draft, asked: Offsets | None) -> Offsets:
    """Return the offset convention: inclusive or exclusive ends, determined by the lengths of the mentions' texts.

    Without the texts of documents nothing else can be checked. White space and XML entities may make some texts longer
    or shorter than their extents; a file in which most differ is refused.
    """
    named = [each for some in mentions.documents.values() for each in some if "text" in each.attributes]
    beyond = {"inclusive": 1, "code-points": 0}
    mismatched = {
        way: [each for each in named if len(each.attributes["text"]) != each.end - each.begin + more]
        for way, more in beyond.items()
    }
    offsets: Offsets = asked or "inclusive"
    if asked is None and len(mismatched["code-points"]) < len(mismatched["inclusive"]):
        offsets = "code-points"
        what = "mentions whose end is the position after their last character, as the length of their text shows"
        draft.notes.append(Note(draft.side, what, len(named)))
    wrong = mismatched.get(offsets, [])
    if 2 * len(wrong) > len(named):
        first, text = wrong[0], str(wrong[0].attributes["text"])
        size = first.end - first.begin + beyond[offsets]
        raise make_read_error(
            mentions.source,
            first.place,
            f"{len(wrong):,} of {len(named):,} mentions are not as long as their text",
            details=[f"the first: {first.begin}-{first.end} is {size} long, {text[:40]!r} is {len(text)}"],
            hint="set ?offsets= if the offsets count something else",
        )
    add_note(draft, "mentions that are not as long as their text (offsets are used)", [each.place for each in wrong])
    return offsets


def sniff(lines: list[str]) -> bool:
    """Whether all of the first lines have the extent of a mention in the fourth column, and at least seven columns."""
    rows = [line.split("\t") for line in lines if line.strip()]
    return bool(rows) and all(len(row) > 6 and _PLACE.fullmatch(row[3].strip()) for row in rows)


FORMAT = Format(
    name="tac",
    summary="TAC KBP: one mention per line with its text, document:start-end, id, type and confidence",
    shapes=frozenset({"tokens"}),
    suffixes=(".tab",),
    options=OPTION,
    sniff=sniff,
    read=read,
    layers=frozenset({"spans"}),
)


# Writing TAC KBP: one candidate of a mention per line, with the text of the mention.
#
# Texts of documents are not written, nor documents without spans. A missing id, mention type or confidence is written
# as NIL, NAM or 1.0, and counted.


RUN = "comparanda"
NAME = "NAM"
_WRITTEN_FIELDS = CARRIED | {"mention_id", "mention_type"}


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write all documents to one file."""
    run = options.get("run", RUN)
    if run.split() != [run]:
        raise WriteError(f"{run!r} is not a valid run name", hint="use a single word: ?run=NAME")
    yield "", "".join(line for each in documents for line in _document(each, losses, run))


def _document(passage: Passage, losses: Losses, run: str) -> Iterator[str]:
    lose_document(passage, losses)
    taken: set[tuple[int, int]] = set()
    for number, mention in enumerate(passage.mentions, 1):
        begin, last = find_extent(passage, mention)
        if (begin, last) in taken:
            what = f"two spans of document {passage.name!r} have the extent {begin}-{last}"
            raise WriteError(
                what, hint="remove one: in this format, lines with the same extent are candidates for one mention"
            )
        taken.add((begin, last))
        report_unwritten(passage, mention, _WRITTEN_FIELDS, losses)
        kind = mention.attributes.get("mention_type")
        if kind is None:
            losses.lose("that spans are neither names nor nominal: written as NAM", passage.name)
        name = check(
            passage, str(mention.attributes.get("mention_id", f"{passage.name}_{number:04}")), "the mention id"
        )
        middle = f"{run}\t{name}\t{_replace_white_space(passage.covered(mention))}\t{passage.name}:{begin}-{last}"
        label, kind = check(passage, mention.label, "the label"), check(passage, str(kind or NAME), "the mention type")
        for id_, confidence in candidates_of(passage, mention, losses):
            yield f"{middle}\t{id_}\t{label}\t{kind}\t{confidence}\n"


def _replace_white_space(text: str) -> str:
    """Replace each white-space character by a space, so that a text of the same length fits into a column."""
    return "".join(" " if character.isspace() or character == "\0" else character for character in text)


WRITER = Writer(name="tac", suffix=".tab", write=write, options={"run": f"the name of the run (default: {RUN})"})
