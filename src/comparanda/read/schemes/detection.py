"""Which scheme a column of chunk tags is in.

It is the one with the fewest defects. So one slip of a system makes no IOB1 of its BIO, and a file in IOB1 is told
from one in BIO, although conlleval would find the same spans in both.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.errors import ReadError
from comparanda.read.schemes.decoding import Runs
from comparanda.read.schemes.tags import LETTERS, OUTSIDE, SCHEMES, Scheme, Spelling

if TYPE_CHECKING:
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
    count = _counted(tags)
    inside = [name for name in count if name not in OUTSIDE]
    if not inside:
        return Detected("bio", SCHEMES[1:], 0, "there are no spans, so any scheme fits")
    spelling = Spelling.of(tags.names)
    letters: Counter[str] = Counter()
    for name in inside:
        if letter := spelling.letter(name):
            letters[letter] += count[name]
    if 2 * letters.total() > sum(count[name] for name in inside):
        return _of_letters(letters, tags, sentences)
    if spelling.bare and count.get("O") == max(count.values()):
        return Detected("io", (), 0, "IO: labels without letters")
    raise _no_chunk_tags(inside)


def _counted(tags: TextColumn) -> dict[str, int]:
    """Return how often each tag is used, commonest first."""
    counts = np.bincount(tags.codes, minlength=len(tags.names)).tolist()
    used = [code for code, count in enumerate(counts) if count and code != tags.missing]
    return {tags.names[code]: counts[code] for code in sorted(used, key=lambda code: (-counts[code], tags.names[code]))}


def _of_letters(letters: Counter[str], tags: TextColumn, sentences: Rows) -> Detected:
    """Choose the scheme with the fewest defects; of equal ones that which has more of the letters, then the first."""
    runs = Runs.of(tags, sentences, "bioes")  # which has the letters of all
    foreign = {scheme: letters.total() - sum(letters[each] for each in LETTERS[scheme]) for scheme in SCHEMES}
    misfit = {scheme: (runs.broken(scheme) + foreign[scheme], foreign[scheme]) for scheme in SCHEMES}
    best = min(SCHEMES, key=lambda scheme: misfit[scheme])
    fit = tuple(scheme for scheme in SCHEMES if scheme != best and misfit[scheme] == misfit[best])
    if foreign[best] or best == "io":  # their tags are read differently
        runs = Runs.of(tags, sentences, best)
    defects = runs.broken(best) + len(runs.strays)
    return Detected(best, fit, defects, _sentence(best, fit, defects, letters))


def _sentence(best: Scheme, fit: tuple[Scheme, ...], defects: int, letters: Counter[str]) -> str:
    why = _MEANING[best]
    if best == "bioes":
        why += f" (letters {' '.join(letter for letter in LETTERS[best] if letters[letter])})"
    if fit:
        why += f"; {' and '.join(scheme.upper() for scheme in fit)} {'fits' if len(fit) == 1 else 'fit'} as well"
    if defects:
        why += f"; {defects:,} {'defect' if defects == 1 else 'defects'}"
    return why


def _no_chunk_tags(names: list[str]) -> ReadError:
    shown = ", ".join(map(repr, names[:3]))
    return ReadError(
        f"these are no chunk tags: {shown}{', …' * (len(names) > 3)}",
        hint="chunk tags look like B-PER, I-PER and O; name another column, or the scheme",
    )
