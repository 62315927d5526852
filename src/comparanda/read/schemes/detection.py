"""Which scheme a column of chunk tags is in.

It is the one with the fewest defects. So one slip of a system makes no IOB1 of its BIO, and a file in IOB1 is told
from one in BIO, although conlleval would find the same spans in both.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.corpus import TagEvidence
from comparanda.errors import ReadError
from comparanda.read.schemes.decoding import Runs
from comparanda.read.schemes.tags import LETTERS, OUTSIDE, SCHEMES, Scheme, Spelling

if TYPE_CHECKING:
    from collections.abc import Iterable

    from comparanda.columns import Rows, TextColumn

_MEANING: dict[Scheme, str] = {
    "bio": "BIO (IOB2): spans begin with B-",
    "io": "IO: no letter but I-",
    "iob1": "IOB1: spans begin with I-, or with B- right behind one of their label",
    "ioe2": "IOE2: spans end with E-",
    "bioes": "BIOES: spans have an end",
}


@dataclass(frozen=True, slots=True)
class Detected:
    """What the tags say of their scheme.

    Args:
        scheme: the one with the fewest defects.
        alternatives: the schemes that fit no worse.
        defects: how many defects `decode` will find.
        why: all that in a sentence.

    """

    scheme: Scheme
    alternatives: tuple[Scheme, ...]
    defects: int
    why: str

    @property
    def sure(self) -> bool:
        """Whether all tags keep to this scheme and to no other."""
        return not self.alternatives and not self.defects


def detect(tags: TextColumn, sentences: Rows) -> Detected:
    """Find the scheme of a column of tags; raise `ReadError` if these are no chunk tags.

    They are chunk tags if most rows that are not outside have a letter of some scheme. Labels without letters are
    taken for `io` where `O` is the commonest tag.

    >>> from comparanda.columns import TextColumn
    >>> found = detect(TextColumn.of("I-PER I-PER B-PER O".split()), np.array([0, 4]))
    >>> found.scheme, found.sure, found.why
    ('iob1', True, 'IOB1: spans begin with I-, or with B- right behind one of their label')
    >>> detect(TextColumn.of("I-PER I-PER O".split()), np.array([0, 3])).why
    'IO: no letter but I-; IOB1 fits as well'
    """
    found = fitting(evidence_of(tags, sentences), tags.names)
    if not found.letters:
        return Detected(found.best, found.others, 0, found.why)
    runs = Runs.of(tags, sentences, found.best)
    defects = runs.broken(found.best) + len(runs.strays)
    return Detected(found.best, found.others, defects, _sentence(found, defects))


def evidence_of(tags: TextColumn, sentences: Rows) -> TagEvidence:
    """Count what tells the scheme of a column of tags."""
    counts = _counted(tags)
    if not any(Spelling.of(tags.names).letter(name) for name in counts if name not in OUTSIDE):
        return TagEvidence(counts, {})
    runs = Runs.of(tags, sentences, "bioes")  # which has the letters of all
    return TagEvidence(counts, {scheme: runs.broken(scheme) for scheme in SCHEMES})


def _counted(tags: TextColumn) -> dict[str, int]:
    """Return how often each tag is used."""
    counts = np.bincount(tags.codes, minlength=len(tags.names)).tolist()
    used = [code for code, count in enumerate(counts) if count and code != tags.missing]
    return {tags.names[code]: counts[code] for code in used}


@dataclass(frozen=True, slots=True)
class Fitting:
    """The scheme that fits best, those that fit no worse, why, and how often each letter is used, if letters told."""

    best: Scheme
    others: tuple[Scheme, ...]
    why: str
    letters: Counter[str]


def fitting(evidence: TagEvidence, names: Iterable[str]) -> Fitting:
    """Choose the scheme with the fewest defects; of equal ones that which has more of the letters, then the first.

    Args:
        evidence: what the tags say.
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
        return Fitting(best, others, _MEANING[best], letters)
    if spelling.bare and counts.get("O") == max(counts.values()):
        return Fitting("io", (), "IO: labels without letters", Counter())
    raise _no_chunk_tags(inside)


def _sentence(found: Fitting, defects: int) -> str:
    why = found.why
    if found.best == "bioes":
        why += f" (letters {' '.join(letter for letter in LETTERS[found.best] if found.letters[letter])})"
    if found.others:
        fit = "fits" if len(found.others) == 1 else "fit"
        why += f"; {' and '.join(scheme.upper() for scheme in found.others)} {fit} as well"
    if defects:
        why += f"; {defects:,} {'defect' if defects == 1 else 'defects'}"
    return why


def _no_chunk_tags(names: list[str]) -> ReadError:
    shown = ", ".join(map(repr, names[:3]))
    return ReadError(
        f"these are no chunk tags: {shown}{', …' * (len(names) > 3)}",
        hint="chunk tags look like B-PER, I-PER and O; name another column, or the scheme",
    )
