"""The head of each mention: the word that it is told by where mentions need not have the same words.

A head is what the input says it is: a number of CorefUD, the first word of GUM's minimal span. Else it is the word of
the mention that hangs on none of its others, in the key's trees. Without trees it is found by tags of parts of speech:
the last word of the first run of nouns, or the last word where there is no noun.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align import PlacedSpans
from comparanda.columns import TextColumn
from comparanda.errors import UsageError
from comparanda.judge.coreference.kinds import words_told

if TYPE_CHECKING:
    from comparanda.align import Aligned, Placement
    from comparanda.columns import Rows
    from comparanda.corpus import Corpus
    from comparanda.judge.coreference.kinds import Words
    from comparanda.judge.task import Nouns

HEAD, MINIMAL = "head", "minspan"
"""What inputs call the number of the head among the words of a mention, and those of its minimal span."""


@dataclass(frozen=True, eq=False)
class Heads:
    """Finds heads, by rows of the key's documents.

    Args:
        aligned: the key, with its trees or tags, and the responses.
        placement: where mentions stand in the key's text.
        nouns: by which tags nouns are told.

    """

    aligned: Aligned
    placement: Placement
    nouns: Nouns

    def of(self, spans: PlacedSpans) -> Rows:
        """Return the rows of head, first and behind the last word of each mention, in its document.

        A mention without words has no head: -1.
        """
        begin, end = self.placement.rows(spans)
        base = self.aligned.key.row_documents[spans.document] if len(spans) else begin
        said = _said(spans)
        head = base + begin + self._behind_gaps(spans, said) - 1
        unsaid = np.flatnonzero((said <= 0) | (head < base + begin) | (head >= base + end))
        head[unsaid] = self._found((base + begin)[unsaid], (base + end)[unsaid])
        return np.stack([np.where(spans.end > spans.begin, head - base, -1), begin, end])

    def _behind_gaps(self, spans: PlacedSpans, said: Rows) -> Rows:
        """Return numbers of heads that count the words of gaps too, which those of discontinuous mentions do not."""
        pieces = spans.fragments
        if pieces is None:
            return said
        where = PlacedSpans(
            spans.document[pieces.span], pieces.begin, pieces.end, spans.label.take(pieces.span), pieces.span
        )
        begin, end = self.placement.rows(where)
        found = said.copy()
        rows: dict[int, list[int]] = {}
        for span, first, last in zip(pieces.span.tolist(), begin.tolist(), end.tolist(), strict=True):
            rows.setdefault(span, []).extend(range(first, last))
        for span, words in rows.items():
            found[span] = words[said[span] - 1] - words[0] + 1 if 0 < said[span] <= len(words) else 0
        return found

    def _found(self, first: Rows, last: Rows) -> Rows:
        """Find the heads of stretches of words in trees, or by tags."""
        if not len(first):
            return first
        above = self._above
        if above is None:
            return self._words.heads(first, last)
        stretches = (range(*ends) for ends in zip(first.tolist(), last.tolist(), strict=True))
        found = (
            next((row for row in rows if above[row] not in rows or above[row] == row), rows[0]) for rows in stretches
        )
        return np.fromiter(found, np.int64, len(first))

    @cached_property
    def _above(self) -> list[int] | None:
        """The row that each word of the key hangs on; its own for a root. None where nobody has trees."""
        key = self.aligned.key
        column = key.columns.get("head")
        if column is None or {*column.names} <= {"_", ""}:
            return None
        above: list[int] = _rows_above(key, column).tolist()
        return above

    @cached_property
    def _words(self) -> Words:
        """What tags tell of words."""
        words = words_told(self.aligned, self.nouns)
        if not words.tagged:
            hint = "give files with heads (CorefUD), trees or tags of parts of speech, or compare exact mentions"
            raise UsageError("mentions are to be told by their heads, and no side tells these", hint=hint)
        return words


def _said(spans: PlacedSpans) -> Rows:
    """Return the number of the head among the words of each mention, as the input says; 0 where it does not."""
    numbers = spans.columns.get(HEAD)
    if numbers is not None and not isinstance(numbers, TextColumn):
        return np.nan_to_num(numbers.astype(np.float64)).astype(np.int64)
    minimal = spans.columns.get(MINIMAL)
    if isinstance(minimal, TextColumn):
        return np.nan_to_num(minimal.numbers(_first_number)).astype(np.int64)
    return np.zeros(len(spans), np.int64)


def _first_number(text: str) -> float:
    """Return the first number of a minimal span.

    >>> _first_number("2,3"), _first_number("")
    (2.0, 0.0)
    """
    first = text.partition(",")[0]
    return float(first) if first.isdecimal() else 0.0


def _rows_above(key: Corpus, column: TextColumn) -> Rows:
    """Return the row of each word's head: ids count the words of a sentence, and 0 is the root."""
    number = np.nan_to_num(column.numbers(lambda text: float(text) if text.isdecimal() else 0.0)).astype(np.int64)
    sizes = np.diff(key.sentences)
    base = np.repeat(key.sentences[:-1], sizes)
    rows = np.arange(len(key))
    return np.where((number > 0) & (number <= np.repeat(sizes, sizes)), base + number - 1, rows)
