"""Decoded records of probabilistic entities, with the field names of several tools, and their policies."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import msgspec
import numpy as np

from comparanda.core.places import Note, Source, first_places, make_read_error
from comparanda.core.probabilities import (
    AGGREGATES,
    CLIPPED,
    OVERLAPS,
    RESIDUALS,
    SCALES,
    SEMANTICS,
    Overlap,
    Policies,
    hint_for,
    is_impossible,
    side_by_side,
    unscale,
)
from comparanda.errors import ReadError, UsageError, suggest_nearest
from comparanda.formats.contract import (
    CERTAIN,
    KEY,
    NO_SCORE_HINT,
    SCORES,
    Choice,
    choose_option,
    declared_words,
    describe_words,
)
from comparanda.formats.standoff import FARTHEST, OPTION

if TYPE_CHECKING:
    from comparanda.core.probabilities import Beliefs, Floats, Scale
    from comparanda.core.text_columns import Rows
    from comparanda.formats.contract import Request


Place = Annotated[int, msgspec.Meta(ge=-FARTHEST, le=FARTHEST)]
Content = Literal["blocks", "entities", "nbest", "tokens"]

CONTENTS: tuple[Content, ...] = ("blocks", "entities", "nbest", "tokens")
"""The fields of which a record has exactly one."""

BEGINS = ("start", "begin", "start_pos", "start_char", "start_offset")
ENDS = ("end", "stop", "end_pos", "end_char", "end_offset")
LABELS = ("label", "type", "tag", "entity_group")
NAMES = ("doc", "id", "doc_id", "document", "document_id", "doc_key", "name")
WORDS = ("text", "word", "token", "form")
LOGS = ("logp", "logprob", "log_prob")


Score = float | None | msgspec.UnsetType
"""A probability as it is given: null is refused, because it is not the same as a field that is absent."""


class Scored(msgspec.Struct, gc=False, kw_only=True, omit_defaults=True):
    """An object with a probability, in one of the usual fields."""

    p: Score = msgspec.UNSET
    probability: Score = msgspec.UNSET
    prob: Score = msgspec.UNSET
    score: Score = msgspec.UNSET
    confidence: Score = msgspec.UNSET


class Placed(Scored, gc=False, kw_only=True, omit_defaults=True):
    """An object with offsets, in one of the usual pairs of fields."""

    start: Place | None = None
    begin: Place | None = None
    start_pos: Place | None = None
    start_char: Place | None = None
    start_offset: Place | None = None
    end: Place | None = None
    stop: Place | None = None
    end_pos: Place | None = None
    end_char: Place | None = None
    end_offset: Place | None = None


class Label(Scored, gc=False, kw_only=True, omit_defaults=True):
    """A label of a span and its probability, given as an object."""

    value: str | None = None
    label: str | None = None
    name: str | None = None


class Span(Placed, gc=False, kw_only=True, omit_defaults=True):
    """A candidate span: an alternative of a block, an entity with a score, or a span of an analysis."""

    labels: dict[str, float | None] | list[str | Label] | None = None
    label: str | None = None
    type: str | None = None
    tag: str | None = None
    entity_group: str | None = None
    text: str | None = None


class Analysis(Scored, gc=False, kw_only=True, omit_defaults=True):
    """One of the n best analyses of a text: its spans, or the tag of each word."""

    logp: float | None = None
    logprob: float | None = None
    log_prob: float | None = None
    spans: list[tuple[Place, Place, str] | Span] | None = None
    tags: list[str] | None = None


class Block(msgspec.Struct, gc=False, kw_only=True, omit_defaults=True):
    """Mutually exclusive spans, or the sets of spans of which at most one is present."""

    alternatives: list[Span] | None = None
    worlds: list[Analysis] | None = None


class Token(Placed, gc=False, kw_only=True, omit_defaults=True):
    """A token; its tag probabilities may be missing if it only counts as a position."""

    text: str | None = None
    word: str | None = None
    token: str | None = None
    form: str | None = None
    probs: dict[str, float] | None = None
    dist: dict[str, float] | None = None


class Document(msgspec.Struct, gc=False, kw_only=True, omit_defaults=True):
    """A record: a document, or a sentence."""

    doc: str | int | None = None
    id: str | int | None = None
    doc_id: str | int | None = None
    document: str | int | None = None
    document_id: str | int | None = None
    doc_key: str | int | None = None
    name: str | int | None = None
    text: str | None = None
    unit: str | None = None
    scale: str | None = None
    overlap: str | None = None
    label_semantics: str | None = None
    semantics: str | None = None
    residual: str | None = None
    aggregate: str | None = None
    floor: float | None = None
    coverage: float | None = None
    blocks: list[Block] | None = None
    entities: list[Span] | None = None
    nbest: list[Analysis] | None = None
    tokens: list[str | Token] | None = None
    words: list[str] | None = None
    dist: list[dict[str, float]] | None = None
    probs: list[dict[str, float]] | None = None


Record = Document | list[Span]
"""A line: an object, or the list of a text's entities, as tools return it."""


def first_of(thing: Any, names: Sequence[str]) -> Any:
    """Return the value of the first field that an object has; None if it has none of them.

    >>> first_of(Span(begin=3), BEGINS)
    3
    """
    return next((value for name in names if (value := getattr(thing, name)) is not None), None)


def read_column(things: Sequence[Any], names: Sequence[str]) -> list[Any]:
    """Return the value of the first field of each object, as `first_of` does."""
    found = list(map(attrgetter(names[0]), things))
    for name in names[1:]:
        if None not in found:
            break
        found = [getattr(thing, name) if value is None else value for thing, value in zip(things, found, strict=True)]
    return found


# Errors for records that cannot be decoded, with the path to the field.


_TYPE_NAMES = {
    "str": "a string",
    "int": "an integer",
    "float": "a number",
    "bool": "a boolean",
    "array": "an array",
    "object": "an object",
    "null": "null",
}
_UNEXPECTED = re.compile(r"Expected `(?P<wanted>[^`]+)`, got `(?P<found>[^`]+)`")
_MISSING = re.compile(r"Object missing required field `(?P<field>[^`]+)`")
_LENGTH = re.compile(r"Expected `array` of length (?P<length>\d+)")
_PATH = re.compile(r" - at `\$\.?(?P<path>.*)`$")
BLOCK_SHAPE = 'write a block like this: {"alternatives": [{"start": 0, "end": 4, "p": 0.6, "labels": {"PER": 1.0}}]}'


_WORD_HINT = "if it is a word, declare what it means: ?scale=words&high=0.9&low=0.3"


def make_decoding_error(source: Source, place: int, piece: bytes, problem: Exception) -> ReadError | None:
    """Make the error for a record that cannot be decoded; None if it is malformed JSON."""
    if isinstance(problem, msgspec.ValidationError):
        return make_type_error(source, place, problem)
    try:
        path, value = next(_find_infinite(json.loads(piece), ""), ("", 0.0))
    except (ValueError, RecursionError):
        return None
    return not_finite(source, place, path, value) if path else None


def not_finite(source: Source, place: int, path: str, value: float) -> ReadError:
    """Make the error for NaN or an infinite number."""
    shown = "NaN" if math.isnan(value) else f"{'-' if value < 0 else ''}infinity"
    return make_read_error(
        source, place, f"{path!r} is {shown}, which is not a probability", hint="give every probability a value"
    )


def make_type_error(source: Source, place: int, problem: msgspec.ValidationError) -> ReadError:
    """Make the error for a field of the wrong type."""
    text = str(problem)
    found = _PATH.search(text)
    path = found["path"].replace("[...]", " (one of its values)") if found else ""
    called = repr(path) if path else "the record"
    if missing := _MISSING.match(text):
        return make_read_error(source, place, f"missing {missing['field']!r} in {called}", hint=BLOCK_SHAPE)
    if length := _LENGTH.match(text):
        hint = 'write a span as [0, 4, "PER"], or as an object'
        return make_read_error(source, place, f"{called} does not have {length['length']} elements", hint=hint)
    if unexpected := _UNEXPECTED.match(text):
        word = _WORD_HINT if unexpected["found"] == "str" and "float" in unexpected["wanted"] else None
        wanted = " or ".join(
            _TYPE_NAMES.get(each, each) for each in unexpected["wanted"].split(" | ") if each != "null"
        )
        what = f"{called} is {_TYPE_NAMES.get(unexpected['found'], unexpected['found'])}, not {wanted}"
        return make_read_error(source, place, what, hint=word)
    return make_read_error(source, place, f"{called} is too large a number")


def replace_words(
    given: Any, words: Mapping[str, float], refuse: Callable[[str, str], ReadError], path: str = ""
) -> Any:
    """Replace the words in all fields of probabilities by the numbers that are declared for them.

    Args:
        given: a decoded record.
        words: the numbers, by word in lower case.
        refuse: makes the error for a word that is not declared, with a message and a hint.
        path: the path to the value.

    """
    if isinstance(given, list):
        return [replace_words(each, words, refuse, f"{path}[{number}]") for number, each in enumerate(given)]
    if not isinstance(given, dict):
        return given
    found = {}
    for name, value in given.items():
        here = f"{path}.{name}".removeprefix(".")
        if not isinstance(value, str) or not (_SHARES.search(path) or (path and name in SCORES)):
            found[name] = replace_words(value, words, refuse, here)
        elif (number := words.get(value.strip().lower())) is not None:
            found[name] = number
        else:
            hint = f"declare its probability: ?scale=words&{value.strip().lower()}=0.5"
            raise refuse(f"{here!r} is {value!r}, a word that is not declared", hint)
    return found


_SHARES = re.compile(r"(?:^|\.)(?:labels|(?:probs|dist)(?:\[\d+\])?)$")


def _find_infinite(given: Any, path: str) -> Iterator[tuple[str, float]]:
    """Yield all numbers that are not finite, each with its path."""
    if isinstance(given, float) and not math.isfinite(given):
        yield path, given
    elif isinstance(given, dict):
        for name, value in given.items():
            yield from _find_infinite(value, f"{path}.{name}".removeprefix("."))
    elif isinstance(given, list):
        for number, value in enumerate(given):
            yield from _find_infinite(value, f"{path}[{number}]")


# The policies of records: those that a record declares itself override the options.


DECLARED: Overlap = "declared"
"""The overlap policy of blocks, which declare themselves which spans exclude each other."""

DECLARABLE: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "scale": ("scale", SCALES),
    "overlap": ("overlap", OVERLAPS),
    "label_semantics": ("semantics", SEMANTICS),
    "semantics": ("semantics", SEMANTICS),
}
"""The fields of records that declare a policy for spans with scores: the policy, and its values."""

_RELEVANT_POLICIES: Mapping[str, tuple[str, ...]] = {
    "blocks": ("scale", "overlap", "semantics", "residual"),
    "entities": ("scale", "overlap", "semantics"),
    "nbest": ("scale",),
    "tokens": ("scale", "overlap", "semantics", "aggregate", "floor"),
}
"""The policies that affect each kind of record."""


def parse_policies(options: Mapping[str, str], *, blocks: bool = False) -> Policies:
    """Parse the policies that apply unless a record declares others.

    Args:
        options: as given after `?` or with `--belief`.
        blocks: whether the input has blocks, which declare which spans exclude each other.

    """
    overlap = choose_option(options, "overlap", OVERLAPS) if "overlap" in options or not blocks else DECLARED
    if overlap == DECLARED and not blocks:
        raise UsageError("overlap='declared' is for records with blocks", hint="leave it out, or give blocks")
    return Policies(
        scale=choose_option(options, "scale", SCALES),
        overlap=overlap,
        semantics=choose_option(options, "semantics", SEMANTICS),
        residual=choose_option(options, "residual", RESIDUALS),
        aggregate=choose_option(options, "aggregate", AGGREGATES),
        floor=_parse_floor(options),
    )


def _parse_floor(options: Mapping[str, str]) -> float:
    if "floor" not in options:
        return Policies().floor
    try:
        value = float(options["floor"])
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise UsageError(f"floor={options['floor']!r} is not a number between 0 and 1")
    return value


class Settings:
    """The policies of one input.

    Args:
        options: the options of the input.

    """

    def __init__(self, options: Mapping[str, str]) -> None:
        self._options = options
        self._asked: dict[bool, Policies] = {}
        self.used: dict[str, set[str]] = {}

    def of(self, document: Document, content: Content, refuse: Callable[[str, str], ReadError]) -> Policies:
        """Return the policies of a record; `refuse` makes the error for an invalid value."""
        blocks = content == "blocks"
        if blocks not in self._asked:
            self._asked[blocks] = parse_policies(self._options, blocks=blocks)
        found = self._override(document, self._asked[blocks], refuse)
        if found.overlap == DECLARED and not blocks:
            raise refuse(
                f"'overlap' is 'declared', but there are {content}",
                "only blocks declare which spans exclude each other",
            )
        for name in _RELEVANT_POLICIES[content]:
            value = getattr(found, name)
            self.used.setdefault(name, set()).add(f"{value:g}" if isinstance(value, float) else value)
        return found

    def used_policies(self) -> dict[str, str]:
        """Return the policies that were used, by name, with all values if records differ."""
        words = describe_words(declared_words(self._options, OPTION))
        used = {name: ", ".join(sorted(self.used[name])) for name in sorted(self.used)}
        return {**used, "words": words} if words else used

    def _override(self, document: Document, asked: Policies, refuse: Callable[[str, str], ReadError]) -> Policies:
        """Override the policies of the options with those that a record declares."""
        semantics = document.semantics if document.label_semantics is None else document.label_semantics
        given = (document.scale, document.overlap, semantics, document.residual, document.aggregate)
        if document.floor is not None:
            if not 0 <= document.floor <= 1:
                raise refuse(f"'floor' is {document.floor:g}", "give a number between 0 and 1")
            asked = replace(asked, floor=document.floor)
        if not any(each is not None for each in given):
            return asked
        return replace(
            asked,
            scale=_choose_policy("scale", given=given[0], allowed=SCALES, asked=asked.scale, refuse=refuse),
            overlap=_choose_policy("overlap", given=given[1], allowed=OVERLAPS, asked=asked.overlap, refuse=refuse),
            semantics=_choose_policy(
                "label_semantics", given=semantics, allowed=SEMANTICS, asked=asked.semantics, refuse=refuse
            ),
            residual=_choose_policy("residual", given=given[3], allowed=RESIDUALS, asked=asked.residual, refuse=refuse),
            aggregate=_choose_policy(
                "aggregate", given=given[4], allowed=AGGREGATES, asked=asked.aggregate, refuse=refuse
            ),
        )


def _choose_policy(
    name: str, given: str | None, allowed: tuple[Choice, ...], asked: Choice, *, refuse: Callable[[str, str], ReadError]
) -> Choice:
    """Return the policy that a record declares, or the one of the options."""
    if given is None:
        return asked
    for each in allowed:
        if each == given:
            return each
    raise refuse(f"{name!r} is {given!r}{suggest_nearest(given, allowed)}", f"one of: {', '.join(allowed)}")


# The records of one input: the content, offset unit, name and probabilities of each.


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
_CONTENTS_HINT = f"give each record one of: {', '.join(CONTENTS)}"


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Tuples:
    """The tuples of some records, in their order.

    Args:
        record: the index of the record of each.
        begin: the begin of the span of each, in the unit of the record.
        end: the end of the span of each.
        label: the label of each.
        beliefs: their probabilities.
        text: the covered text, by row, of the tuples that state it.
        called: returns the name of a tuple for messages.

    """

    record: Rows
    begin: Rows
    end: Rows
    label: list[str]
    beliefs: Beliefs
    text: dict[int, str]
    called: Callable[[int], str]


def merge_tuples(parts: Sequence[Tuples]) -> Tuples:
    """Merge the tuples of several kinds of content, in the order of their records."""
    if len(parts) == 1:
        return parts[0]
    sizes = [len(part.record) for part in parts]
    record = np.concatenate([part.record for part in parts])
    order = np.argsort(record, kind="stable")
    owner = np.repeat(np.arange(len(parts)), sizes)[order].tolist()
    inner = np.concatenate([np.arange(size) for size in sizes])[order].tolist()
    return Tuples(
        record=record[order],
        begin=np.concatenate([part.begin for part in parts])[order],
        end=np.concatenate([part.end for part in parts])[order],
        label=[parts[part].label[row] for part, row in zip(owner, inner, strict=True)],
        beliefs=side_by_side([part.beliefs for part in parts]).take(order),
        text={
            number: parts[part].text[row]
            for number, (part, row) in enumerate(zip(owner, inner, strict=True))
            if row in parts[part].text
        },
        called=lambda row: parts[owner[row]].called(inner[row]),
    )


class Records:
    """The records of one input, with checks across records.

    Args:
        source: the bytes they were read from.
        request: what was asked.
        documents: the records.
        places: the byte offset of each.

    """

    def __init__(self, source: Source, request: Request, documents: list[Document], places: list[int]) -> None:
        self.source = source
        self.request = request
        self.documents = documents
        self.places = places
        self.settings = Settings(request.options)
        self.contents = [self._find_content(number) for number in range(len(documents))]
        self.policies = [self._policies(number) for number in range(len(documents))]
        self.unit = self._common_unit()
        self.score_fields = self._score_fields()
        self.notes: list[Note] = []
        self.scheme = ""  # the tagging scheme of token marginals

    def __len__(self) -> int:
        return len(self.documents)

    def refuse(self, number: int, what: str, *, details: Sequence[str] = (), hint: str | None = None) -> ReadError:
        """Make the error for a record."""
        return make_read_error(self.source, self.places[number], what, details=details, hint=hint)

    def note(self, what: str, records: Rows | Sequence[int], count: int | None = None) -> None:
        """Add a note about some records."""
        places = [self.places[int(each)] for each in records[:3]]
        found = first_places(self.source, np.array(places, np.int64))
        self.notes.append(Note(self.request.side, what, len(records) if count is None else count, found))

    def with_content(self, content: Content) -> list[int]:
        """Return the indices of the records that have one kind of content."""
        return [number for number, each in enumerate(self.contents) if each == content]

    def group_by_policies(self, numbers: Sequence[int]) -> list[tuple[Policies, list[int]]]:
        """Group records by their policies."""
        found: dict[Policies, list[int]] = {}
        for number in numbers:
            found.setdefault(self.policies[number], []).append(number)
        return list(found.items())

    def _find_content(self, number: int) -> Content:
        """Return the one content field that a record has; refuse several or none."""
        document = self.documents[number]
        found: list[Content] = [name for name in CONTENTS[:3] if getattr(document, name) is not None]
        if document.dist is not None or document.probs is not None or _has_tag_probabilities(document, alone=not found):
            found.append("tokens")
        if len(found) == 1:
            return found[0]
        if found:
            raise self.refuse(number, f"the record has both {found[0]!r} and {found[1]!r}", hint=_CONTENTS_HINT)
        if document.tokens or document.words:
            hint = "add 'dist', or give blocks, entities or nbest"
            raise self.refuse(number, "the record has words without any probabilities", hint=hint)
        raise self.refuse(number, "the record has no candidate spans", hint=_CONTENTS_HINT)

    def _policies(self, number: int) -> Policies:
        def wrong(what: str, hint: str) -> ReadError:
            return self.refuse(number, what, hint=hint)

        return self.settings.of(self.documents[number], self.contents[number], wrong)

    def _common_unit(self) -> Unit:
        """Return the unit of offsets, which all records must share."""
        units = [self._find_unit(number) for number in range(len(self))]
        for number, unit in enumerate(units):
            if unit != units[0]:
                what = f"offsets of this record count {unit}, but those of the first {units[0]}"
                raise self.refuse(
                    number, what, hint="use the same unit in all records, or split them into several files"
                )
        return units[0]

    def _find_unit(self, number: int) -> Unit:
        document = self.documents[number]
        if document.unit is not None:
            if document.unit not in _UNITS:
                what = f"'unit' is {document.unit!r}{suggest_nearest(document.unit, _UNITS)}"
                raise self.refuse(number, what, hint="one of: char, token")
            return _UNITS[document.unit]
        if self.contents[number] == "tokens":
            first = next(iter(document.tokens or ()), None)
            return "characters" if type(first) is Token and first_of(first, BEGINS) is not None else "tokens"
        return "tokens" if document.text is None and self.words(number) is not None else "characters"

    def words(self, number: int) -> list[str] | None:
        """Return the words of a record; None if it has none."""
        document = self.documents[number]
        if document.words is not None:
            return document.words
        if document.tokens is None:
            return None
        found = [each if type(each) is str else first_of(each, WORDS) for each in document.tokens]
        return None if None in found else found

    def names(self) -> list[str] | None:
        """Return the names of documents; None if they have none."""
        field = next((name for name in NAMES if getattr(self.documents[0], name) is not None), None)
        if field is None:
            return None
        found = []
        for number, document in enumerate(self.documents):
            name = getattr(document, field)
            if name is None or name == "":
                hint = "give every document a unique name, or none"
                raise self.refuse(number, f"the document has no {field!r}", hint=hint)
            found.append(str(name))
        return found

    def _score_fields(self) -> tuple[str, ...]:
        """Return the fields that may hold the probability of a span."""
        asked = self.request.options.get("score")
        if asked is None:
            return SCORES
        if asked == CERTAIN:
            return ()
        if asked not in SCORES:
            hint = f"one of: {', '.join((*SCORES, CERTAIN))}"
            raise UsageError(
                f"score={asked!r} is not a field of these records{suggest_nearest(asked, SCORES)}", hint=hint
            )
        return (asked,)

    def read_scores(self, things: Sequence[Any], record: Rows, path: Callable[[int], str]) -> list[float | None]:
        """Return the probability of each object as given, in whichever field; refuse null, and several fields.

        It is None if the object has no such field.
        """
        columns: list[list[Score]] = [list(map(attrgetter(name), things)) for name in self.score_fields]
        filled = [values for values in columns if values.count(msgspec.UNSET) < len(values)]
        if not filled:
            return [None] * len(things)
        found = filled[0]
        for other in filled[1:]:
            both = [isinstance(one, float) and isinstance(two, float) for one, two in zip(found, other, strict=True)]
            if any(both):
                number = both.index(True)
                several = [repr(name) for name in self.score_fields if isinstance(getattr(things[number], name), float)]
                what = f"the probability of {path(number)!r} could be in {' or '.join(several)}"
                hint = "choose one: ?score=FIELD"
                raise self.refuse(int(record[number]), what, hint=hint)
            found = [
                two if one is msgspec.UNSET or (one is None and two is not msgspec.UNSET) else one
                for one, two in zip(found, other, strict=True)
            ]
        kinds = set(map(type, found))
        if kinds == {float}:
            return cast("list[float | None]", found)
        if type(None) in kinds and self.request.side != KEY:
            number = found.index(None)
            name = next(name for name in self.score_fields if getattr(things[number], name) is None)
            raise self.refuse_null(int(record[number]), f"{path(number)}.{name}")
        return [each if isinstance(each, float) else None for each in found]

    def refuse_null(self, number: int, path: str) -> ReadError:
        """Make the error for a probability that is null."""
        return self.refuse(number, f"{path!r} is null, which is not a probability", hint=NO_SCORE_HINT)

    def score_field(self, thing: Any) -> str:
        """Return the field that holds the probability of an object."""
        return next((name for name in self.score_fields if isinstance(getattr(thing, name), float)), SCORES[0])

    def probabilities(self, values: Sequence[float | None], record: Rows, path: Callable[[int], str]) -> Floats:
        """Convert numbers to probabilities by the scale of their records; refuse numbers outside of the scale.

        Args:
            values: the numbers as given; missing ones count as certain.
            record: the record of each.
            path: returns the path to a number, for messages.

        """
        absent = np.fromiter((value is None for value in values), np.bool_, len(values))
        found = np.array([1.0 if value is None else value for value in values], np.float64)
        for scale in {self.policies[number].scale for number in np.unique(record).tolist()}:
            mine = np.array([each.scale == scale for each in self.policies], np.bool_)[record] & ~absent
            found[mine] = self._unscale(found, rows=np.flatnonzero(mine), scale=scale, record=record, path=path)
        return found

    def _unscale(self, values: Floats, rows: Rows, scale: Scale, record: Rows, *, path: Callable[[int], str]) -> Floats:
        found = unscale(values[rows], scale)
        wrong = np.flatnonzero(is_impossible(found))
        if len(wrong):
            row = int(rows[wrong[0]])
            raise self._probability_error(int(record[row]), path(row), float(values[row]), scale)
        outside = np.flatnonzero((found < 0) | (found > 1))
        if len(outside):
            self.note(CLIPPED, record[rows[outside]])
        return np.clip(found, 0.0, 1.0)

    def _probability_error(self, number: int, path: str, value: float, scale: Scale) -> ReadError:
        """Make the error for a number that is not a probability."""
        if not np.isfinite(value):
            return not_finite(self.source, self.places[number], path, value)
        if scale == "logprob":
            return self.refuse(number, f"{path!r} is {value:g}, but a log probability is at most 0")
        if scale == "percent":
            return self.refuse(number, f"{path!r} is {value:g}, which is not between 0 and 100")
        return self.refuse(number, f"{path!r} is {value:g}, which is not between 0 and 1", hint=hint_for(value))


def _has_tag_probabilities(document: Document, *, alone: bool) -> bool:
    """Whether tokens have tag probabilities; an empty list of tokens has them if it is the only content."""
    if document.tokens is None:
        return False
    if not document.tokens:
        return alone and document.words is None
    return any(type(each) is Token and (each.probs is not None or each.dist is not None) for each in document.tokens)


# The concatenated spans of records: their offsets, probabilities and labels.


Shares = Mapping[str, float | None]
"""The labels of a span, each with its probability or None."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Flat:
    """The spans of some records, and their labels.

    Args:
        record: the record of each span.
        begin: the begin of each span.
        end: the end of each span.
        entity: the probability of each span.
        span: the span of each label, not descending.
        label: the labels.
        share: the probability of each label, given its span.
        text: the covered text that each span states; None if it states none.
        path: returns the path to a span, for messages.

    """

    record: Rows
    begin: Rows
    end: Rows
    entity: Floats
    span: Rows
    label: list[str]
    share: Floats
    text: list[str | None]
    path: Callable[[int], str]

    def texts(self) -> dict[int, str]:
        """Return the covered text, by row, of the tuples that state it."""
        if self.text.count(None) == len(self.text):
            return {}
        return {row: text for row, span in enumerate(self.span.tolist()) if (text := self.text[span]) is not None}


def concatenate_spans(records: Records, spans: Sequence[Span], record: Rows, path: Callable[[int], str]) -> Flat:
    """Concatenate spans and their labels.

    Args:
        records: the records of the spans.
        spans: the spans, in order.
        record: the index of the record of each.
        path: returns the path to a span, for messages.

    """
    begin, end = read_column(spans, BEGINS), read_column(spans, ENDS)
    for places, name in ((begin, BEGINS[0]), (end, ENDS[0])):
        if None in places:
            number = places.index(None)
            raise records.refuse(int(record[number]), f"{path(number)!r} has no {name!r}", hint=_SPAN_SHAPE)
    scores = records.read_scores(spans, record, path)
    entity = records.probabilities(scores, record, lambda span: f"{path(span)}.{records.score_field(spans[span])}")
    shares = _read_shares(records, spans, record, path)
    span = np.repeat(np.arange(len(spans)), np.fromiter(map(len, shares), np.int64, len(shares)))
    label = list(chain.from_iterable(shares))
    values = [value for each in shares for value in each.values()]
    _check_labels(records, label=label, span=span, record=record, path=path)
    if None in values:
        _refuse_unscored_labels(records, spans, shares, record, path=path)

    def place(row: int) -> str:
        return f"{path(int(span[row]))}.labels.{label[row]}"

    return Flat(
        record=record,
        begin=np.array(begin, np.int64),
        end=np.array(end, np.int64),
        entity=entity,
        span=span,
        label=label,
        share=records.probabilities(values, record[span], place),
        text=list(map(attrgetter("text"), spans)),
        path=path,
    )


_SPAN_SHAPE = 'write a span like this: {"start": 0, "end": 4, "label": "PER", "score": 0.9}'


def _read_shares(records: Records, spans: Sequence[Span], record: Rows, path: Callable[[int], str]) -> list[Shares]:
    """Return the labels of each span."""
    given = list(map(attrgetter("labels"), spans))
    if set(map(type, given)) == {dict}:
        several = list(map(attrgetter("label"), spans))
        if several.count(None) == len(several):
            return given
    return [_read_labels(records, span, int(record[number]), path(number)) for number, span in enumerate(spans)]


def _read_labels(records: Records, span: Span, record: int, path: str) -> Shares:
    """Return the labels of one span, in whichever form they are given."""
    alone = first_of(span, LABELS)
    if alone is not None and span.labels is not None:
        raise records.refuse(record, f"{path!r} has both a label and 'labels'", hint="give one of them")
    if alone is not None:
        return {alone: None}
    if span.labels is None:
        raise records.refuse(record, f"{path!r} has no label", hint=_SPAN_SHAPE)
    if isinstance(span.labels, dict):
        return span.labels
    found: dict[str, float | None] = {}
    for number, each in enumerate(span.labels):
        here = f"{path}.labels[{number}]"
        name = each if isinstance(each, str) else first_of(each, ("value", "label", "name"))
        if name is None:
            raise records.refuse(
                record, f"{here!r} has no 'value'", hint='write a label like this: {"value": "PER", "confidence": 0.9}'
            )
        if name in found:
            raise records.refuse(record, f"{here!r} repeats the label {name!r}", hint="give each label once")
        found[name] = _read_label_score(records, each, record, here)
    return found


def _read_label_score(records: Records, label: str | Label, record: int, path: str) -> float | None:
    return None if isinstance(label, str) else records.read_scores([label], np.array([record]), lambda _: path)[0]


def _check_labels(records: Records, label: list[str], span: Rows, record: Rows, *, path: Callable[[int], str]) -> None:
    """Refuse empty labels."""
    empty = {each for each in set(label) if not each.strip()}
    if empty:
        number = int(span[next(row for row, each in enumerate(label) if each in empty)])
        raise records.refuse(int(record[number]), f"{path(number)!r} has an empty label", hint=_SPAN_SHAPE)


def _refuse_unscored_labels(
    records: Records, spans: Sequence[Span], shares: Sequence[Shares], record: Rows, *, path: Callable[[int], str]
) -> None:
    """Refuse spans with several labels of which some have no probability, and a label whose probability is null."""
    for number, each in enumerate(shares):
        if len(each) == 1 and isinstance(spans[number].labels, dict) and records.request.side != KEY:
            for label in (label for label, value in each.items() if value is None):
                raise records.refuse_null(int(record[number]), f"{path(number)}.labels.{label}")
        if len(each) > 1 and None in each.values():
            what = f"{path(number)!r} has {len(each)} labels, and {_first_unscored(each)!r} has no probability"
            hint = 'give each label its probability: "labels": {"PER": 0.7, "LOC": 0.3}'
            raise records.refuse(int(record[number]), what, hint=hint)


def _first_unscored(shares: Shares) -> str:
    return next(name for name, value in shares.items() if value is None)
