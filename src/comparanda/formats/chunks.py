"""Chunk tags: parsing them, detecting their scheme, and decoding them into spans.

A tag is a letter, the role of its row in a span, and the label of the span. The letter comes before the label
(`B-PER`, `B_PER`), or after it (`PER-B`, as in Japanese and Korean corpora) if more tags of a column have it there, or
alone (`B`): then the label is `_`. Labels keep their case and their hyphens: that of `B-B-date` is `B-date`.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from comparanda.core.corpus import Spans, TagEvidence
from comparanda.core.places import Note, first_places, make_read_error
from comparanda.core.text_columns import TextColumn, code_type
from comparanda.errors import ReadError, UsageError, suggest_nearest
from comparanda.formats.contract import choose_option

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from comparanda.core.corpus import Corpus
    from comparanda.core.text_columns import Codes, Rows, Truths
    from comparanda.formats.contract import Request


Scheme = Literal["bio", "io", "iob1", "ioe2", "bioes"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)

LETTERS: dict[Scheme, str] = {"bio": "BI", "io": "I", "iob1": "BI", "ioe2": "IE", "bioes": "BIMELSUW"}
"""The letters of each scheme."""

OUTSIDE = frozenset({"O", "_", "-", ""})
"""The tags of rows outside of all spans; a missing value counts as one too."""

NO_LABEL = "_"
"""The label of spans whose tags are only a letter, as in seqeval."""

# The role of a row, as bits: a span covers it, may continue after it, may have begun before it; the tag is invalid.
COVERED, OPEN, CONTINUED, STRAY = 1, 2, 4, 8
INSIDE = COVERED | OPEN | CONTINUED
_ROLES = {
    **dict.fromkeys("B", COVERED | OPEN),
    **dict.fromkeys("IM", INSIDE),
    **dict.fromkeys("EL", COVERED | CONTINUED),
    **dict.fromkeys("SUW", COVERED),
}

_LETTER_FIRST = re.compile(r"(?P<letter>[BIMELSUW])(?:[-_](?P<label>.*))?", re.DOTALL)
_LETTER_LAST = re.compile(r"(?:(?P<label>.*)[-_])?(?P<letter>[BIMELSUW])", re.DOTALL)


class Tag(NamedTuple):
    """A tag in its two parts; `role` is 0 outside of spans, and `STRAY` for a tag that is not in the scheme."""

    role: int
    label: str = ""


class Spelling(NamedTuple):
    """The spelling of the tags of a column: the pattern of those with a letter, and whether tags are bare labels."""

    pattern: re.Pattern[str]
    bare: bool = False

    @classmethod
    def of(cls, names: Iterable[str]) -> Spelling:
        """Determine the spelling from the tags of a column, used or not.

        Letters follow labels if more tags match that pattern than the opposite. Tags are bare labels if none has both a
        letter and a label, and most have no letter: `PER`, but also the `S` of a column with `PER` and `LOC`.
        """
        tags = [name for name in names if name not in OUTSIDE]
        first, last = (
            [found for tag in tags if (found := each.fullmatch(tag))] for each in (_LETTER_FIRST, _LETTER_LAST)
        )
        pattern, fits = (_LETTER_LAST, last) if len(last) > len(first) else (_LETTER_FIRST, first)
        bare = 2 * len(fits) < len(tags) and all(found["label"] is None for found in fits)
        return cls(pattern, bare)

    def letter(self, tag: str) -> str | None:
        """Return the letter of a tag, if it has one."""
        found = self.pattern.fullmatch(tag)
        return found["letter"] if found else None

    def split(self, tag: str, scheme: Scheme) -> Tag:
        """Split a tag according to a scheme.

        >>> spelling = Spelling.of(["B-PER", "I-PER"])
        >>> spelling.split("I-PER", "bio") == Tag(INSIDE, "PER"), spelling.split("E-PER", "bio") == Tag(STRAY)
        (True, True)
        """
        if tag in OUTSIDE:
            return Tag(0)
        if self.bare and scheme == "io":
            return Tag(INSIDE, tag)
        found = self.pattern.fullmatch(tag)
        if found and found["letter"] in LETTERS[scheme]:
            return Tag(_ROLES[found["letter"]], found["label"] or NO_LABEL)
        return Tag(STRAY)


# Decoding a column of chunk tags into spans, for all rows at once.
#
# In every scheme, a row continues the span of the row before if both are in one sentence and have the same label, and
# if the first is B or I and the second I or E, as in conlleval, and in seqeval by default. A scheme only adds which
# letters are allowed at the two ends of such a run: so a run has at most two defects, at its ends.


Repair = Literal["conlleval", "discard", "refuse"]
REPAIRS: tuple[Repair, ...] = get_args(Repair)

KINDS = (
    "not a tag of the scheme",
    "inside without a beginning",
    "another label inside",
    "unnecessary B-",
    "not closed",
)
"""The kinds of defect of a tag."""

Bytes = NDArray[np.uint8]
_STRAY, _UNBEGUN, _RELABELLED, _NEEDLESS, _UNCLOSED, _NOTHING = range(len(KINDS) + 1)


@dataclass(frozen=True, eq=False, slots=True)
class Defects:
    """The tags that violate a scheme, in the order of their rows; a tag with two defects appears twice.

    Args:
        row: the row of each.
        kind: its defect, one of `KINDS`.

    """

    row: Rows
    kind: TextColumn

    def __len__(self) -> int:
        return len(self.row)

    def by_kind(self) -> Iterator[tuple[str, Rows]]:
        """Yield each kind that occurs, with its rows."""
        for code, kind in enumerate(self.kind.names):
            rows = self.row[self.kind.codes == code]
            if rows.size:
                yield kind, rows


@dataclass(frozen=True, eq=False, slots=True)
class Decoded:
    """The spans of a column of tags, in the order of their rows; no two overlap.

    Args:
        begin: the first row of each.
        end: the row after its last one.
        label: its label; the names are sorted.
        defects: the tags that violate the scheme, whatever the repair.

    """

    begin: Rows
    end: Rows
    label: TextColumn
    defects: Defects

    def __len__(self) -> int:
        return len(self.begin)


def decode_tags(tags: TextColumn, sentences: Rows, scheme: Scheme, repair: Repair) -> Decoded:
    """Decode the tags of a scheme into spans, and collect every tag that violates the scheme.

    `conlleval` takes every run as a span: an inside without a beginning, or with another label, begins one, and an
    unclosed span ends with its run. `discard` leaves out the spans with a defect. `refuse` repairs nothing: the caller
    raises if there are defects. Tags that are not in the scheme are outside of spans, and no span crosses the end of a
    sentence.

    >>> tags = TextColumn.of("B-PER I-PER O B-PER I-LOC".split())
    >>> spans = decode_tags(tags, np.array([0, 5]), "bio", "conlleval")
    >>> spans.begin.tolist(), spans.end.tolist(), spans.label.values()
    ([0, 3, 4], [2, 4, 5], ['PER', 'PER', 'LOC'])
    >>> [(kind, rows.tolist()) for kind, rows in spans.defects.by_kind()]
    [('another label inside', [4])]
    """
    runs = Runs.of(tags, sentences, scheme)
    first, last = runs.first_defects(scheme), runs.last_defects(scheme)
    begin, end = runs.begin, runs.last + 1
    if repair == "discard":
        sound = (first == _NOTHING) & (last == _NOTHING)
        begin, end = begin[sound], end[sound]
    strays = np.full(len(runs.strays), _STRAY, np.uint8)
    defects = _sort_defects((runs.begin, first), (runs.last, last), (runs.strays, strays))
    return Decoded(begin, end, TextColumn(runs.labels[begin], runs.names), defects)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Runs:
    """Runs of rows that continue each other, by their letters and labels.

    Args:
        roles: the role of each row.
        labels: the code of each row's label, where it has one.
        names: the labels, sorted.
        begin: the first row of each run.
        last: its last row.
        before: the role of the row before it in its sentence; 0 if there is none.
        strays: the rows whose tag is not in the scheme.

    """

    roles: Bytes
    labels: Codes
    names: tuple[str, ...]
    begin: Rows
    last: Rows
    before: Bytes
    strays: Rows

    @classmethod
    def of(cls, tags: TextColumn, sentences: Rows, scheme: Scheme) -> Runs:
        """Find the runs."""
        roles, labels, names = _split_tags(tags, scheme)
        follows = np.ones(len(tags) + 1, np.bool_)
        follows[sentences] = False
        continues = np.zeros(len(tags) + 1, np.bool_)  # nothing continues after the last row
        continues[1:-1] = _has_bit(roles[:-1], OPEN) & _has_bit(roles[1:], CONTINUED) & (labels[:-1] == labels[1:])
        continues &= follows
        covered = _has_bit(roles, COVERED)
        begin, last = np.flatnonzero(covered & ~continues[:-1]), np.flatnonzero(covered & ~continues[1:])
        before = np.where(follows[begin], roles[begin - 1], np.uint8(0))
        return cls(
            roles=roles,
            labels=labels,
            names=names,
            begin=begin,
            last=last,
            before=before,
            strays=np.flatnonzero(_has_bit(roles, STRAY)),
        )

    def first_defects(self, scheme: Scheme) -> Bytes:
        """Return the kind of the defect at the first row of each run."""
        kind = np.full(len(self.begin), _NOTHING, np.uint8)
        begun = ~_has_bit(self.roles[self.begin], CONTINUED)
        if scheme in {"bio", "bioes"}:
            kind[~begun] = _UNBEGUN
            kind[~begun & _has_bit(self.before, OPEN)] = _RELABELLED
        elif scheme == "iob1":
            same = _has_bit(self.before, COVERED) & (self.labels[self.begin] == self.labels[self.begin - 1])
            kind[begun & ~same] = _NEEDLESS
        return kind

    def last_defects(self, scheme: Scheme) -> Bytes:
        """Return the kind of the defect at the last row of each run."""
        kind = np.full(len(self.last), _NOTHING, np.uint8)
        if scheme in {"bioes", "ioe2"}:
            kind[_has_bit(self.roles[self.last], OPEN)] = _UNCLOSED
        return kind

    def count_defects(self, scheme: Scheme) -> int:
        """Count the defects, strays aside."""
        ends = self.first_defects(scheme), self.last_defects(scheme)
        return sum(int(np.count_nonzero(kind != _NOTHING)) for kind in ends)


def _split_tags(tags: TextColumn, scheme: Scheme) -> tuple[Bytes, Codes, tuple[str, ...]]:
    """Return the role of each row, the code of its label, and the labels."""
    spelling = Spelling.of(tags.names)
    parts = [spelling.split(name, scheme) for name in tags.names]
    if tags.missing is not None:
        parts[tags.missing] = Tag(0)
    names = tuple(sorted({part.label for part in parts if part.role & COVERED}))
    code_of = {name: code for code, name in enumerate(names)}
    roles = np.array([part.role for part in parts], np.uint8)
    labels = np.array([code_of.get(part.label, 0) for part in parts], code_type(len(names)))
    return roles.take(tags.codes), labels.take(tags.codes), names


def _has_bit(roles: Bytes, bit: int) -> Truths:
    has: Truths = (roles & np.uint8(bit)) != 0
    return has


def _sort_defects(*found: tuple[Rows, Bytes]) -> Defects:
    """Merge rows and their kinds of defect, in the order of rows."""
    row = np.concatenate([rows[kinds != _NOTHING] for rows, kinds in found])
    kind = np.concatenate([kinds[kinds != _NOTHING] for _, kinds in found])
    order = np.lexsort((kind, row))
    return Defects(row[order], TextColumn(kind[order], KINDS))


# Detecting the scheme of a column of chunk tags.
#
# It is the one with the fewest defects. So a single error of a system does not turn its BIO into IOB1, and a file in
# IOB1 is distinguished from one in BIO, although conlleval would find the same spans in both.


_SCHEME_DESCRIPTIONS: dict[Scheme, str] = {
    "bio": "BIO (IOB2): spans begin with B-",
    "io": "IO: no letter except I-",
    "iob1": "IOB1: spans begin with I-, or with B- right after a span of the same label",
    "ioe2": "IOE2: spans end with E-",
    "bioes": "BIOES: spans have an end",
}


@dataclass(frozen=True, slots=True)
class Detected:
    """The scheme of a column of tags.

    Args:
        scheme: the one with the fewest defects.
        alternatives: the other schemes that fit equally well.
        defects: the number of defects that `decode_tags` will find.
        why: the reason, as one sentence.

    """

    scheme: Scheme
    alternatives: tuple[Scheme, ...]
    defects: int
    why: str

    @property
    def sure(self) -> bool:
        """Whether all tags follow this scheme and no other fits."""
        return not self.alternatives and not self.defects


def detect_scheme(tags: TextColumn, sentences: Rows) -> Detected:
    """Detect the scheme of a column of tags; raise `ReadError` if these are not chunk tags.

    They are chunk tags if most rows that are not outside have a letter of some scheme. Labels without letters are
    read as `io` if `O` is the most frequent tag.

    >>> from comparanda.core.text_columns import TextColumn
    >>> found = detect_scheme(TextColumn.of("I-PER I-PER B-PER O".split()), np.array([0, 4]))
    >>> found.scheme, found.sure, found.why
    ('iob1', True, 'IOB1: spans begin with I-, or with B- right after a span of the same label')
    >>> detect_scheme(TextColumn.of("I-PER I-PER O".split()), np.array([0, 3])).why
    'IO: no letter except I-; IOB1 fits as well'
    """
    found = choose_fitting(evidence_of(tags, sentences), tags.names)
    if not found.letters:
        return Detected(found.best, found.others, 0, found.why)
    runs = Runs.of(tags, sentences, found.best)
    defects = runs.count_defects(found.best) + len(runs.strays)
    return Detected(found.best, found.others, defects, _describe_fit(found, defects))


def evidence_of(tags: TextColumn, sentences: Rows) -> TagEvidence:
    """Count the tags of a column and the defects under each scheme."""
    counts = _count_tags(tags)
    if not any(Spelling.of(tags.names).letter(name) for name in counts if name not in OUTSIDE):
        return TagEvidence(counts, {})
    runs = Runs.of(tags, sentences, "bioes")  # which has the letters of all schemes
    return TagEvidence(counts, {scheme: runs.count_defects(scheme) for scheme in SCHEMES})


def _count_tags(tags: TextColumn) -> dict[str, int]:
    """Count how often each tag is used."""
    counts = np.bincount(tags.codes, minlength=len(tags.names)).tolist()
    used = [code for code, count in enumerate(counts) if count and code != tags.missing]
    return {tags.names[code]: counts[code] for code in used}


@dataclass(frozen=True, slots=True)
class Fitting:
    """The best scheme, those that fit equally well, the reason, and the counts of letters if these were decisive."""

    best: Scheme
    others: tuple[Scheme, ...]
    why: str
    letters: Counter[str]


def choose_fitting(evidence: TagEvidence, names: Iterable[str]) -> Fitting:
    """Choose the scheme with the fewest defects; among equals the one with more of the letters, then the first.

    Args:
        evidence: the counts of tags and defects.
        names: the tags, used or not.

    """
    counts, letters = evidence.counts, Counter[str]()
    inside = sorted((name for name in counts if name not in OUTSIDE), key=lambda name: (-counts[name], name))
    if not inside:
        return Fitting("bio", SCHEMES[1:], "there are no spans, so any scheme fits", letters)
    spelling = Spelling.of(names)
    for name in inside:
        if letter := spelling.letter(name):
            letters[letter] += counts[name]
    if 2 * letters.total() > sum(counts[name] for name in inside):
        foreign = {scheme: letters.total() - sum(letters[each] for each in LETTERS[scheme]) for scheme in SCHEMES}
        misfit = {scheme: (evidence.broken.get(scheme, 0) + foreign[scheme], foreign[scheme]) for scheme in SCHEMES}
        best = min(SCHEMES, key=lambda scheme: misfit[scheme])
        others = tuple(scheme for scheme in SCHEMES if scheme != best and misfit[scheme] == misfit[best])
        return Fitting(best, others, _SCHEME_DESCRIPTIONS[best], letters)
    if spelling.bare and counts.get("O") == max(counts.values()):
        return Fitting("io", (), "IO: labels without letters", Counter())
    raise _not_chunk_tags_error(inside)


def _describe_fit(found: Fitting, defects: int) -> str:
    why = found.why
    if found.best == "bioes":
        why += f" (letters {' '.join(letter for letter in LETTERS[found.best] if found.letters[letter])})"
    if found.others:
        fit = "fits" if len(found.others) == 1 else "fit"
        why += f"; {' and '.join(scheme.upper() for scheme in found.others)} {fit} as well"
    if defects:
        why += f"; {defects:,} {'defect' if defects == 1 else 'defects'}"
    return why


def _not_chunk_tags_error(names: list[str]) -> ReadError:
    shown = ", ".join(map(repr, names[:3]))
    return ReadError(
        f"these are not chunk tags: {shown}{', …' * (len(names) > 3)}",
        hint="name another column, or the scheme; chunk tags look like B-PER, I-PER and O",
    )


# Spans from chunk tags, for all formats with running tokens.


AUTO = "auto"
ALSO: dict[str, Scheme] = {
    "iob2": "bio",
    "iobes": "bioes",
    "bilou": "bioes",
    "bmes": "bioes",
    "bmewo": "bioes",
}
"""Other names of schemes."""

_NO_TAG = KINDS[0]
_REPAIR_DESCRIPTIONS = {"conlleval": "read as by conlleval", "discard": "their spans left out"}


def with_spans(corpus: Corpus, request: Request) -> Corpus:
    """Add the spans encoded by its chunk tags to a corpus, in rows.

    The options `scheme` and `repair` control decoding. Detected schemes and repairs are noted.

    Args:
        corpus: running tokens; the tags are the column `value`.
        request: what the task wants, with the options.

    """
    asked = _parse_scheme(request.options.get("scheme", AUTO))
    repair: Repair = choose_option(request.options, "repair", REPAIRS)
    tags = corpus.columns["value"]
    scheme, read_as, evidence = (asked, None, None) if asked else _detect_scheme(corpus)
    decoded = decode_tags(tags, corpus.sentences, scheme, repair)
    if repair == "refuse" and len(decoded.defects):
        raise _broken_tag_error(corpus, decoded, scheme)
    bounds = corpus.row_documents
    document = np.searchsorted(bounds, decoded.begin, side="right") - 1
    first = bounds[document]
    offset = corpus.offset[decoded.begin]
    spans = Spans(
        unit="tokens",
        document=document,
        begin=decoded.begin - first,
        end=decoded.end - first,
        label=decoded.label,
        offset=offset,
    )
    notes = list(corpus.notes)
    if read_as is not None:
        notes.append(Note(request.side, read_as, len(spans), first_places(corpus.source, offset[:3])))
    for kind, rows in decoded.defects.by_kind():
        done = "read as outside" if kind == _NO_TAG else _REPAIR_DESCRIPTIONS[repair]
        places = first_places(corpus.source, corpus.offset[rows[:3]])
        notes.append(
            Note(request.side, f"chunk tags that violate {scheme.upper()} ({kind}), {done}", len(rows), places)
        )
    return replace(corpus, spans=spans, notes=tuple(notes), tags=evidence)


def _parse_scheme(written: str) -> Scheme | None:
    """Parse the option `scheme`; None if the scheme is to be detected."""
    name = written.lower()
    if name == AUTO:
        return None
    for scheme in SCHEMES:
        if ALSO.get(name, name) == scheme:
            return scheme
    names = (AUTO, *SCHEMES, *ALSO)
    raise UsageError(f"invalid scheme={written!r}{suggest_nearest(name, names)}", hint=f"one of: {', '.join(names)}")


def _detect_scheme(corpus: Corpus) -> tuple[Scheme, str | None, TagEvidence]:
    """Detect the scheme of a corpus; return it, the text of a note about it, and the evidence.

    BIO is not noted, as most people expect it. For a portion, the scheme of the whole corpus may be known already.
    """
    evidence = evidence_of(corpus.columns["value"], corpus.sentences)
    known = () if corpus.source.whole is None else corpus.source.whole.scheme
    found = tuple(scheme for name in known for scheme in SCHEMES if scheme == name)
    try:
        best, *others = found or chosen_scheme(evidence, corpus.columns["value"].names)
    except ReadError as problem:
        if corpus.source.whole is not None:  # which decides later
            return "bio", None, evidence
        where, what = corpus.source.parts[0].name, f"{corpus.evaluated}: {problem.what}"
        raise ReadError(what, where=where, details=problem.details, hint=problem.hint) from None
    if best == "bio":
        return best, None, evidence
    also = ", ".join(scheme.upper() for scheme in others)
    return best, f"chunk tags read as {best.upper()}{f' ({also} would fit as well)' if also else ''}", evidence


def chosen_scheme(evidence: TagEvidence, names: Iterable[str]) -> tuple[Scheme, ...]:
    """Return the scheme of tags, then those that fit equally well.

    Args:
        evidence: the counts of tags and defects.
        names: the tags, used or not.

    """
    found = choose_fitting(evidence, names)
    return found.best, *found.others


def _broken_tag_error(corpus: Corpus, decoded: Decoded, scheme: Scheme) -> ReadError:
    """Make the error for the first tag that violates the scheme."""
    row, kind = int(decoded.defects.row[0]), decoded.defects.kind[0]
    tags = corpus.columns["value"]
    begin = int(corpus.sentences[corpus.sentence_of(row)])
    before = f"the tag before it is {tags[row - 1]!r}" if row > begin else "it is the first of its sentence"
    return make_read_error(
        corpus.source,
        int(corpus.offset[row]),
        f"the tag {tags[row]!r} violates the scheme {scheme.upper()}: {kind}",
        details=[before] if kind != _NO_TAG else [],
        hint="correct the tag, choose another scheme with ?scheme=NAME, or continue with ?repair=conlleval or discard",
    )
