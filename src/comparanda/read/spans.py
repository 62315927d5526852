"""Chunk tags read as spans: the step that all formats with running tokens share."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from comparanda.corpus import Spans
from comparanda.errors import ReadError, UsageError, nearest
from comparanda.places import Note, first_places, refuse
from comparanda.read.request import choose
from comparanda.read.schemes import KINDS, REPAIRS, SCHEMES, decode, evidence_of, fitting

if TYPE_CHECKING:
    from collections.abc import Iterable

    from comparanda.corpus import Corpus, TagEvidence
    from comparanda.read.request import Request
    from comparanda.read.schemes import Decoded, Repair, Scheme

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
_DONE = {"conlleval": "counted as conlleval does", "discard": "their spans left out"}


def with_spans(corpus: Corpus, request: Request) -> Corpus:
    """Return a corpus with the spans that its chunk tags stand for, counted in rows.

    The options `scheme` and `repair` say how the tags are read. What was detected and what was repaired is noted.

    Args:
        corpus: running tokens; the tags are the column `value`.
        request: what was asked, with the options.

    """
    asked = _asked(request.options.get("scheme", AUTO))
    repair: Repair = choose(request.options, "repair", REPAIRS)
    tags = corpus.columns["value"]
    scheme, read_as, evidence = (asked, None, None) if asked else _detected(corpus)
    decoded = decode(tags, corpus.sentences, scheme, repair)
    if repair == "refuse" and len(decoded.defects):
        raise _broken(corpus, decoded, scheme)
    bounds = corpus.row_documents
    document = np.searchsorted(bounds, decoded.begin, side="right") - 1
    first = bounds[document]
    offset = corpus.offset[decoded.begin]
    spans = Spans("tokens", document, decoded.begin - first, decoded.end - first, decoded.label, offset)
    notes = list(corpus.notes)
    if read_as is not None:
        notes.append(Note(request.side, read_as, len(spans), first_places(corpus.source, offset[:3])))
    for kind, rows in decoded.defects.by_kind():
        done = "read as outside" if kind == _NO_TAG else _DONE[repair]
        places = first_places(corpus.source, corpus.offset[rows[:3]])
        notes.append(Note(request.side, f"chunk tags that break {scheme.upper()} ({kind}), {done}", len(rows), places))
    return replace(corpus, spans=spans, notes=tuple(notes), tags=evidence)


def _asked(written: str) -> Scheme | None:
    """Return the scheme that the option names; None if it is to be detected."""
    name = written.lower()
    if name == AUTO:
        return None
    for scheme in SCHEMES:
        if ALSO.get(name, name) == scheme:
            return scheme
    names = (AUTO, *SCHEMES, *ALSO)
    raise UsageError(f"scheme={written!r} is not possible{nearest(name, names)}", hint=f"one of: {', '.join(names)}")


def _detected(corpus: Corpus) -> tuple[Scheme, str | None, TagEvidence]:
    """Return the scheme of a corpus, what to note of it, and what told it.

    Nothing is to be noted of BIO, which most people mean by tags. Of a portion, the whole corpus may tell the scheme.
    """
    evidence = evidence_of(corpus.columns["value"], corpus.sentences)
    told = () if corpus.source.whole is None else corpus.source.whole.scheme
    found = tuple(scheme for name in told for scheme in SCHEMES if scheme == name)
    try:
        best, *others = found or chosen_scheme(evidence, corpus.columns["value"].names)
    except ReadError as problem:
        if corpus.source.whole is not None:  # which will tell
            return "bio", None, evidence
        where, what = corpus.source.parts[0].name, f"{corpus.judged}: {problem.what}"
        raise ReadError(what, where=where, details=problem.details, hint=problem.hint) from None
    if best == "bio":
        return best, None, evidence
    also = ", ".join(scheme.upper() for scheme in others)
    return best, f"chunk tags read as {best.upper()}{f' ({also} would fit as well)' if also else ''}", evidence


def chosen_scheme(evidence: TagEvidence, names: Iterable[str]) -> tuple[Scheme, ...]:
    """Return the scheme that tags are in, and behind it those that would fit as well.

    Args:
        evidence: what the tags say.
        names: the tags, used or not.

    """
    found = fitting(evidence, names)
    return found.best, *found.others


def _broken(corpus: Corpus, decoded: Decoded, scheme: Scheme) -> ReadError:
    """Make the error for the first tag that breaks the scheme."""
    row, kind = int(decoded.defects.row[0]), decoded.defects.kind[0]
    tags = corpus.columns["value"]
    begin = int(corpus.sentences[corpus.sentence_of(row)])
    before = f"the tag before it is {tags[row - 1]!r}" if row > begin else "it is the first of its sentence"
    return refuse(
        corpus.source,
        int(corpus.offset[row]),
        f"the tag {tags[row]!r} breaks the scheme {scheme.upper()}: {kind}",
        details=[before] if kind != _NO_TAG else [],
        hint="mend it, say ?scheme=NAME if that is another one, or ?repair=conlleval or discard to go on",
    )
