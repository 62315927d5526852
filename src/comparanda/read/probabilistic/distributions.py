"""Records with `tokens` and the probabilities of their tags: the spans that these may be."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from comparanda.beliefs.making import Scored
from comparanda.beliefs.tagging import LETTERS, Found, spans_of
from comparanda.places import weighing
from comparanda.read.probabilistic.entities import chosen, refusing
from comparanda.read.probabilistic.shapes import BEGINS, ENDS, Token, column
from comparanda.read.schemes.tags import NO_LABEL, OUTSIDE, Spelling

if TYPE_CHECKING:
    from comparanda.beliefs.model import Floats
    from comparanda.beliefs.policies import Policies
    from comparanda.beliefs.tagging import TagScheme
    from comparanda.columns import Rows
    from comparanda.errors import ReadError
    from comparanda.read.probabilistic.records import Records, Tuples

ROUNDED = 0.01
"""The probabilities of a token may sum to so much more than one: they are rounded, and divided by their sum."""

_SAME = {"M": "I", "L": "E", "U": "S", "W": "S"}
"""Letters that mean what others do."""


@dataclass(frozen=True, eq=False, slots=True)
class _Rows:
    """The tokens of some records, one after the other.

    Args:
        record: the record of each.
        inner: its number there.
        stop: the token behind the last one of its record.
        given: the probabilities of its tags.

    """

    record: Rows
    inner: Rows
    stop: Rows
    given: list[Mapping[str, float]]

    def way(self, token: int) -> str:
        """Return the way to a token, for messages."""
        return f"tokens[{self.inner[token]}]"


def tokens(records: Records, numbers: Sequence[int], policies: Policies) -> Tuples:
    """Read the spans that tokens with probabilities of tags may be, in records that have the same policies."""
    rows = _rows(records, numbers)
    token = np.repeat(np.arange(len(rows.given)), np.fromiter(map(len, rows.given), np.int64, len(rows.given)))
    tags = list(chain.from_iterable(rows.given))
    values = [value for each in rows.given for value in each.values()]

    def way(number: int) -> str:
        return f"{rows.way(int(token[number]))}.{tags[number]}"

    share = _summed(records, rows, token, records.probabilities(values, rows.record[token], way))
    scheme, labels = _read_tags(records)
    found = _spans(labels, scheme, token, tags, share, rows, policies)
    names = sorted(found)
    label = [name for name in names for _ in range(len(found[name].spans.begin))]
    begin, end, weight = (
        np.concatenate([np.zeros(0, kind), *(getattr(found[name].spans, side) for name in names)])
        for side, kind in (("begin", np.int64), ("end", np.int64), ("weight", np.float64))
    )
    _note_rest(records, found.values(), policies)
    order = np.lexsort((end, begin))
    begin, end, weight, label = begin[order], end[order], weight[order], [label[row] for row in order.tolist()]
    code = np.searchsorted(names, label) if names else np.zeros(0, np.int64)
    scored = Scored(rows.record[begin], *_places(records, rows, begin, end), code, weight)

    def span(row: int) -> str:
        return f"tokens[{rows.inner[begin[row]]}]"

    return chosen(records, scored, label, policies, refusing(records, scored, label, span), span, {})


def _rows(records: Records, numbers: Sequence[int]) -> _Rows:
    """Lay the tokens of records end to end."""
    given = [_distributions(records, number) for number in numbers]
    sizes = np.array(list(map(len, given)), np.int64)
    first = np.cumsum(sizes) - sizes
    record = np.repeat(np.array(numbers, np.int64), sizes)
    inner = np.arange(len(record)) - np.repeat(first, sizes)
    return _Rows(record, inner, np.repeat(first + sizes, sizes), list(chain.from_iterable(given)))


def _distributions(records: Records, number: int) -> list[Mapping[str, float]]:
    """Return the probabilities of the tags of each token of a record."""
    document = records.documents[number]
    beside = document.dist if document.dist is not None else document.probs
    if beside is None:
        found: list[Mapping[str, float]] = []
        for index, token in enumerate(document.tokens or ()):
            each = None if isinstance(token, str) else token.dist if token.probs is None else token.probs
            if each is None:
                hint = 'a token is written like this: {"start": 0, "end": 4, "probs": {"B-PER": 0.7, "O": 0.3}}'
                raise records.refuse(number, f"'tokens[{index}]' has no 'probs'", hint=hint)
            found.append(each)
        return found
    words = records.words(number)
    if words is not None and len(words) != len(beside):
        what = f"there are {len(words)} tokens, but {len(beside)} distributions of tags"
        raise records.refuse(number, what, hint="every token has one")
    return list(beside)


def _summed(records: Records, rows: _Rows, token: Rows, share: Floats) -> Floats:
    """Return probabilities of tags that sum to no more than one in each token; refuse what is more than rounding."""
    total = np.bincount(token, share, len(rows.given))
    over = np.flatnonzero(total > 1 + ROUNDED)
    if len(over):
        number = int(over[0])
        what = f"the tags of {rows.way(number)!r} have probabilities that sum to {total[number]:g}"
        raise records.refuse(int(rows.record[number]), what, hint="the tags of a token exclude each other")
    more = np.flatnonzero(total > 1)
    if len(more):
        what = "tokens whose tags sum to more than one by rounding, divided by their sum"
        records.note(what, rows.record[more])
    return share / np.maximum(total, 1.0)[token]


def _read_tags(records: Records) -> tuple[TagScheme, dict[str, tuple[str, str]]]:
    """Return the scheme of all tags of an input, and the letter and the label of each that is not outside."""
    numbers = records.having("tokens")
    names = {tag for number in numbers for each in _distributions(records, number) for tag in each}
    spelling = Spelling.of(sorted(names))
    found: dict[str, tuple[str, str]] = {}
    for tag in sorted(names - OUTSIDE):
        match = None if spelling.bare else spelling.pattern.fullmatch(tag)
        if match is None and not spelling.bare:
            raise _no_tag(records, numbers, tag)
        letter = match["letter"] if match else "I"
        found[tag] = _SAME.get(letter, letter), (match["label"] or NO_LABEL) if match else tag
    letters = {letter for letter, _ in found.values()}
    scheme: TagScheme = "bioes" if letters & {"E", "S"} else "io" if letters == {"I"} else "bio"
    records.scheme = scheme
    return scheme, found


def _no_tag(records: Records, numbers: Sequence[int], tag: str) -> ReadError:
    """Make the error for what is no chunk tag."""
    every = ((number, index, each) for number in numbers for index, each in enumerate(_distributions(records, number)))
    record, inner = next((number, index) for number, index, each in every if tag in each)
    what = f"'tokens[{inner}]' has the tag {tag!r}, which says neither where a span begins nor that it goes on"
    return records.refuse(record, what, hint="tags are B-PER, I-PER and O, or with E- and S-")


def _spans(
    labels: Mapping[str, tuple[str, str]],
    scheme: TagScheme,
    token: Rows,
    tags: Sequence[str],
    share: Floats,
    rows: _Rows,
    policies: Policies,
) -> dict[str, Found]:
    """Find the spans of each label."""
    names = sorted(labels)
    number = {tag: code for code, tag in enumerate(names)}
    code = np.fromiter((number.get(tag, -1) for tag in tags), np.int64, len(tags))
    order = np.argsort(code, kind="stable")
    first = np.searchsorted(code[order], np.arange(len(names) + 1))
    found = {}
    for label in sorted({label for _, label in labels.values()}):
        columns = {letter: np.zeros(len(rows.given)) for letter in LETTERS[scheme]}
        for tag in names:
            letter, mine = labels[tag]
            if mine == label:
                here = order[first[number[tag]] : first[number[tag] + 1]]
                columns[letter] += np.bincount(token[here], share[here], len(rows.given))
        found[label] = spans_of(columns, scheme, rows.stop, policies.aggregate, policies.floor)
    return found


def _note_rest(records: Records, found: Collection[Found], policies: Policies) -> None:
    """Note how much was left out below the floor."""
    rest, mass = (sum(getattr(each, name) for each in found) for name in ("rest", "mass"))
    if rest:
        what = f"spans of tokens less probable than {policies.floor:g} left out; {weighing(records.source, mass)}"
        records.note(what, (), rest)


def _places(records: Records, rows: _Rows, begin: Rows, end: Rows) -> tuple[Rows, Rows]:
    """Return where spans of tokens begin and end, as the records count."""
    if records.unit == "tokens":
        return rows.inner[begin], rows.inner[end - 1] + 1
    given = [token for number in np.unique(rows.record).tolist() for token in records.documents[number].tokens or ()]
    sides = [column([each for each in given if isinstance(each, Token)], names) for names in (BEGINS, ENDS)]
    for places, name in zip(sides, ("start", "end"), strict=True):
        if len(places) < len(given) or None in places:
            number = 0 if len(places) < len(given) else places.index(None)
            raise records.refuse(int(rows.record[number]), f"{rows.way(number)!r} has no {name!r}")
    return np.array(sides[0], np.int64)[begin], np.array(sides[1], np.int64)[end - 1]
