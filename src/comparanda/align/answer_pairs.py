"""Pairs of texts and labels whose form does not tell the two apart, such as `{"Nokia": "ORG"}` and `{"ORG": "Nokia"}`.

What occurs in the text, and what is a label of the key, decides: for all pairs of one object or list at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from unicodedata import normalize

import numpy as np

from comparanda.align.occurrences import Searched
from comparanda.core.text_columns import TextColumn

if TYPE_CHECKING:
    from comparanda.core.corpus import Quotes


def orient_pairs(quotes: Quotes, texts: Sequence[str | None], labels: Iterable[str]) -> tuple[Quotes, list[int]]:
    """Exchange texts and labels where the evidence says so; also return the first row of each undecided object or list.

    Args:
        quotes: the quotations of all answers.
        texts: the text that each answer refers to; None if it is unknown.
        labels: the labels of the key.

    """
    rows_of: dict[int, list[int]] = {}
    for row in np.flatnonzero(quotes.pairs >= 0).tolist():
        rows_of.setdefault(int(quotes.pairs[row]), []).append(row)
    known = {label.casefold() for label in labels}
    turned: list[int] = []
    undecided: list[int] = []
    for rows in rows_of.values():
        text = texts[int(quotes.document[rows[0]])]
        if text is None:
            continue
        pairs = {(quotes.text[row], quotes.label[row]) for row in rows}
        as_given, exchanged = _weigh_directions(Searched(text), pairs, known)
        if exchanged > as_given:
            turned += rows
        elif exchanged == as_given:
            undecided.append(rows[0])
    return _exchange(quotes, turned), undecided


def _weigh_directions(text: Searched, pairs: Iterable[tuple[str, str]], labels: set[str]) -> tuple[int, int]:
    """Count the evidence for pairs of a text and a label, and for pairs of a label and a text.

    >>> _weigh_directions(Searched("Nokia is in Espoo."), {("ORG", "Nokia"), ("LOC", "Espoo")}, {"org", "per"})
    (0, 3)
    """
    as_given = exchanged = 0
    for one, other in pairs:
        as_given += text.contains(one) + (other.casefold() in labels)
        exchanged += text.contains(other) + (one.casefold() in labels)
    return as_given, exchanged


def _exchange(quotes: Quotes, rows: list[int]) -> Quotes:
    """Exchange texts and labels in some rows; labels are normalised as in all formats."""
    if not rows:
        return quotes
    texts, labels = quotes.text.values(), quotes.label.values()
    for row in rows:
        texts[row], labels[row] = labels[row], texts[row]
        labels[row] = normalize("NFC", " ".join((labels[row] or "").split()))
    return replace(quotes, text=TextColumn.of(texts), label=TextColumn.of(labels))
