"""The records of one input: what each holds, what its offsets count, what it is called, and its probabilities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from comparanda.beliefs.scales import CLIPPED, hint_for, impossible, unscaled
from comparanda.errors import ReadError, UsageError, nearest
from comparanda.places import Note, Source, first_places, refuse
from comparanda.read.probabilistic.problems import not_finite
from comparanda.read.probabilistic.settings import Settings
from comparanda.read.probabilistic.shapes import (
    BEGINS,
    CONTENTS,
    NAMES,
    SCORES,
    WORDS,
    Content,
    Document,
    Token,
    first_of,
)
from comparanda.read.request import CERTAIN

if TYPE_CHECKING:
    from comparanda.beliefs.model import Beliefs, Floats
    from comparanda.beliefs.policies import Policies, Scale
    from comparanda.columns import Rows
    from comparanda.read.request import Request

Unit = Literal["characters", "tokens"]
_UNITS: dict[str, Unit] = {
    "char": "characters",
    "chars": "characters",
    "character": "characters",
    "characters": "characters",
    "token": "tokens",
    "tokens": "tokens",
    "word": "tokens",
    "words": "tokens",
}
_ONE_OF = f"a record has one of: {', '.join(CONTENTS)}"


@dataclass(frozen=True, eq=False, slots=True)
class Tuples:
    """The tuples of some records, in their order.

    Args:
        record: the record of each, by number.
        begin: where its span begins, as the record counts.
        end: where it ends.
        label: its label.
        beliefs: how probable they are.
        text: the text that a tuple says it covers, for those that do.
        called: gives what to call a tuple in messages.

    """

    record: Rows
    begin: Rows
    end: Rows
    label: list[str]
    beliefs: Beliefs
    text: dict[int, str]
    called: Callable[[int], str]


class Records:
    """The records of one input, checked as wholes.

    Args:
        source: the bytes they were read from.
        request: what was asked.
        documents: the records.
        places: the byte at which each stands.

    """

    def __init__(self, source: Source, request: Request, documents: list[Document], places: list[int]) -> None:
        self.source = source
        self.request = request
        self.documents = documents
        self.places = places
        self.settings = Settings(request.options)
        self.contents = [self._content(number) for number in range(len(documents))]
        self.policies = [self._policies(number) for number in range(len(documents))]
        self.unit = self._unit()
        self.scores = self._scores()
        self.notes: list[Note] = []
        self.scheme = ""  # of the tags that tokens have probabilities of

    def __len__(self) -> int:
        return len(self.documents)

    def refuse(self, number: int, what: str, *, details: Sequence[str] = (), hint: str | None = None) -> ReadError:
        """Make the error for a record."""
        return refuse(self.source, self.places[number], what, details=details, hint=hint)

    def note(self, what: str, records: Rows | Sequence[int], count: int | None = None) -> None:
        """Note what was met in some records."""
        places = [self.places[int(each)] for each in records[:3]]
        found = first_places(self.source, np.array(places, np.int64))
        self.notes.append(Note(self.request.side, what, len(records) if count is None else count, found))

    def having(self, content: Content) -> list[int]:
        """Return the numbers of the records that hold one kind of content."""
        return [number for number, each in enumerate(self.contents) if each == content]

    def by_policies(self, numbers: Sequence[int]) -> list[tuple[Policies, list[int]]]:
        """Return some records by their policies."""
        found: dict[Policies, list[int]] = {}
        for number in numbers:
            found.setdefault(self.policies[number], []).append(number)
        return list(found.items())

    def _content(self, number: int) -> Content:
        """Return which of the four fields a record has."""
        document = self.documents[number]
        found: list[Content] = [name for name in CONTENTS[:3] if getattr(document, name) is not None]
        if document.dist is not None or document.probs is not None or _has_tags(document, alone=not found):
            found.append("tokens")
        if len(found) == 1:
            return found[0]
        if found:
            raise self.refuse(number, f"the record has both {found[0]!r} and {found[1]!r}", hint=_ONE_OF)
        if document.tokens or document.words:
            hint = "give 'dist' beside them, or blocks, entities or nbest"
            raise self.refuse(number, "the record has words without any probabilities", hint=hint)
        raise self.refuse(number, "the record has nothing that may be there", hint=_ONE_OF)

    def _policies(self, number: int) -> Policies:
        def wrong(what: str, hint: str) -> ReadError:
            return self.refuse(number, what, hint=hint)

        return self.settings.of(self.documents[number], self.contents[number], wrong)

    def _unit(self) -> Unit:
        """Return what offsets count; records must not differ in that."""
        units = [self._unit_of(number) for number in range(len(self))]
        for number, unit in enumerate(units):
            if unit != units[0]:
                what = f"offsets of this record count {unit}, but those of the first {units[0]}"
                raise self.refuse(number, what, hint="give records that count alike, or several files")
        return units[0]

    def _unit_of(self, number: int) -> Unit:
        document = self.documents[number]
        if document.unit is not None:
            if document.unit not in _UNITS:
                what = f"'unit' is {document.unit!r}{nearest(document.unit, _UNITS)}"
                raise self.refuse(number, what, hint="one of: char, token")
            return _UNITS[document.unit]
        if self.contents[number] == "tokens":
            first = next(iter(document.tokens or ()), None)
            return "characters" if type(first) is Token and first_of(first, BEGINS) is not None else "tokens"
        return "tokens" if document.text is None and self.words(number) is not None else "characters"

    def words(self, number: int) -> list[str] | None:
        """Return the words of a record; None where it has none."""
        document = self.documents[number]
        if document.words is not None:
            return document.words
        if document.tokens is None:
            return None
        found = [each if type(each) is str else first_of(each, WORDS) for each in document.tokens]
        return None if None in found else found

    def names(self) -> list[str] | None:
        """Return what documents are called; None if they have no names."""
        field = next((name for name in NAMES if getattr(self.documents[0], name) is not None), None)
        if field is None:
            return None
        found = []
        for number, document in enumerate(self.documents):
            name = getattr(document, field)
            if name is None or name == "":
                hint = "every document needs a name of its own, or none has one"
                raise self.refuse(number, f"the document has no {field!r}", hint=hint)
            found.append(str(name))
        return found

    def _scores(self) -> tuple[str, ...]:
        """Return the fields that can hold the probability of a span."""
        asked = self.request.options.get("score")
        if asked is None:
            return SCORES
        if asked == CERTAIN:
            return ()
        if asked not in SCORES:
            hint = f"one of: {', '.join((*SCORES, CERTAIN))}"
            raise UsageError(f"score={asked!r} is no field of these records{nearest(asked, SCORES)}", hint=hint)
        return (asked,)

    def scored(self, things: Sequence[Any], record: Rows, way: Callable[[int], str]) -> list[float | None]:
        """Return the probability of each thing as it is written, whatever the field is called; refuse two of them."""
        columns: list[list[float | None]] = [list(map(attrgetter(name), things)) for name in self.scores]
        filled = [column for column in columns if column.count(None) < len(column)]
        if not filled:
            return [None] * len(things)
        found = filled[0]
        for other in filled[1:]:
            both = [one is not None and two is not None for one, two in zip(found, other, strict=True)]
            if any(both):
                number = both.index(True)
                several = [repr(name) for name in self.scores if getattr(things[number], name) is not None]
                what = f"the probability of {way(number)!r} could be in {' or '.join(several)}"
                hint = "say which: ?score=FIELD"
                raise self.refuse(int(record[number]), what, hint=hint)
            found = [two if one is None else one for one, two in zip(found, other, strict=True)]
        return found

    def score_in(self, thing: Any) -> str:
        """Return what the probability of a thing is called there."""
        return next((name for name in self.scores if getattr(thing, name) is not None), SCORES[0])

    def probabilities(self, values: Sequence[float | None], record: Rows, way: Callable[[int], str]) -> Floats:
        """Return numbers as probabilities, by the scale of their records; refuse those that are none.

        Args:
            values: as they are written; what is missing is certain.
            record: the record of each.
            way: gives the way to one, for messages.

        """
        absent = np.fromiter((value is None for value in values), np.bool_, len(values))
        found = np.array([1.0 if value is None else value for value in values], np.float64)
        for scale in {self.policies[number].scale for number in np.unique(record).tolist()}:
            mine = np.array([each.scale == scale for each in self.policies], np.bool_)[record] & ~absent
            found[mine] = self._scaled(found, np.flatnonzero(mine), scale, record, way)
        return found

    def _scaled(self, values: Floats, rows: Rows, scale: Scale, record: Rows, way: Callable[[int], str]) -> Floats:
        found = unscaled(values[rows], scale)
        wrong = np.flatnonzero(impossible(found))
        if len(wrong):
            row = int(rows[wrong[0]])
            raise self._no_probability(int(record[row]), way(row), float(values[row]), scale)
        outside = np.flatnonzero((found < 0) | (found > 1))
        if len(outside):
            self.note(CLIPPED, record[rows[outside]])
        return np.clip(found, 0.0, 1.0)

    def _no_probability(self, number: int, way: str, value: float, scale: Scale) -> ReadError:
        """Make the error for a number that is no probability."""
        if not np.isfinite(value):
            return not_finite(self.source, self.places[number], way, value)
        if scale == "logprob":
            return self.refuse(number, f"{way!r} is {value:g}, and no logarithm of a probability is above 0")
        if scale == "percent":
            return self.refuse(number, f"{way!r} is {value:g}, which is not between 0 and 100")
        return self.refuse(number, f"{way!r} is {value:g}, which is not between 0 and 1", hint=hint_for(value))


def _has_tags(document: Document, *, alone: bool) -> bool:
    """Whether tokens have probabilities of tags; an empty list of tokens, if nothing else is there, has as well."""
    if document.tokens is None:
        return False
    if not document.tokens:
        return alone and document.words is None
    return any(type(each) is Token and (each.probs is not None or each.dist is not None) for each in document.tokens)
