"""ELEVANT: articles as JSONL, with the `labels` of a benchmark or the `entity_mentions` of a linker.

Its simple JSONL is read too: `labels` or `predictions` that have `entity_reference`, `start_char` and `end_char`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from comparanda.errors import ReadError
from comparanda.ids import joined
from comparanda.places import Note, Source, first_places
from comparanda.read.json_formats.fields import Fields, key_paths
from comparanda.read.json_objects import JsonObjects
from comparanda.read.offsets import OPTION, asked_offsets
from comparanda.read.record_cuts import json_marks
from comparanda.read.request import Format, Request, choose
from comparanda.read.scan import check_line_lengths
from comparanda.read.standoff import Draft

if TYPE_CHECKING:
    from comparanda.corpus import Corpus

UNTYPED = "ENTITY"
"""The label of all spans: mentions have no types."""

LINKED_SUFFIX, BENCHMARK_SUFFIX = ".linked_articles.jsonl", ".benchmark.jsonl"

Kind = Literal["auto", "labels", "mentions"]
_KINDS: tuple[Kind, ...] = ("auto", "labels", "mentions")
_MENTIONS = ("entity_mentions", "predictions")
_UNKNOWN = re.compile(r"Unknown\d*|<NO_MAPPING>")
_TEXTS = ("name", "type", "recognized_by", "linked_by")
_TRUTHS = ("optional", "desc", "contained")
_SHAPE = 'a span is written {"span": [0, 4], …}, in the simple form {"start_char": 0, "end_char": 4, …}'


def read(source: Source, request: Request) -> Corpus:
    """Read articles; each is a document, called by its id."""
    check_line_lengths(source, 0, source.size, request.max_line)
    return _Reading(source, request).corpus()


class _Reading:
    """One input on its way to a corpus."""

    def __init__(self, source: Source, request: Request) -> None:
        self.source = source
        self.request = request
        self.label = request.options.get("label")
        self.field = ""
        self.draft = Draft(source, request.side, lambda _, number: f"{self.field}[{number}]")
        self.outside: list[int] = []

    def corpus(self) -> Corpus:
        offsets = asked_offsets(self.request.options)
        objects = JsonObjects(self.source)
        articles = [
            Fields(self.source, place, article) for place, article in zip(objects.offset.tolist(), objects, strict=True)
        ]
        mentions = self._has_mentions(articles)
        texts = any("text" in article.given for article in articles)
        for number, article in enumerate(articles):
            self._document(article, number, texts)
            self.field = _mentions_of(article) if mentions else "labels"
            window = _pair(article, "evaluation_span") if mentions and "evaluation_span" in article.given else None
            for span in article.objects(self.field, _SHAPE):
                self._span(span, window)
        if self.outside:
            places = first_places(self.source, np.array(self.outside, np.int64))
            what = "mentions outside of the evaluation span of their article, passed over"
            self.draft.notes.append(Note(self.request.side, what, len(self.outside), places))
        return self.draft.corpus(self.request, name="elevant", judged="label", offsets=offsets)

    def _has_mentions(self, articles: list[Fields]) -> bool:
        """Whether the mentions of a linker are to be read, not labels; an article without mentions leaves them out."""
        kind = choose(self.request.options, "annotations", _KINDS)
        if kind != "auto":
            return kind == "mentions"
        if any(field in article.given for article in articles for field in _MENTIONS):
            return True
        if any(part.name.removesuffix(".gz").endswith(LINKED_SUFFIX) for part in self.source.parts):
            return True
        if not any("labels" in article.given for article in articles):
            raise ReadError(
                "no article has labels, entity_mentions or predictions",
                where=self.source.parts[0].name,
                details=[f"the first has: {', '.join(articles[0].given)}"],
                hint="if the linker found nothing at all, say ?annotations=mentions",
            )
        return False

    def _document(self, article: Fields, number: int, texts: bool) -> None:
        """Begin a document; those of the simple form have no ids, and are counted from 0 as ELEVANT does."""
        self.draft.document(
            article.name("id") or str(number),
            article.place,
            {"title": article.text("title") if article.given.get("title") else None},
        )
        if texts:
            self.draft.texts.append(article.text("text", "give all articles their text, or none"))

    def _span(self, span: Fields, window: tuple[int, int] | None) -> None:
        """Take over a label or a mention; one outside of what is evaluated is passed over."""
        if "span" in span.given:
            begin, end = _pair(span, "span")
        else:
            begin, end = span.integer("start_char", _SHAPE), span.integer("end_char", _SHAPE)
        if window is not None and not window[0] <= begin <= end <= window[1]:
            self.outside.append(span.place)
            return
        label = None if self.label is None or span.given.get(self.label) is None else span.text(self.label)
        number = self.draft.span([(begin, end)], label or UNTYPED, span.place)
        self.draft.say(number, "id", joined([self._id(span)]))
        for name, value in _said(span):
            self.draft.say(number, name, value)

    def _id(self, span: Fields) -> str | None:
        """Return the id of an entity; None for one that is in no knowledge base."""
        name = next((each for each in ("entity_id", "entity_reference") if each in span.given), "id")
        if self.field == "labels" and name == "id":
            raise span.bad("entity_id", "a text", "the id of an entity that is not known is <NIL>")
        return _known(span.text(name, "ids are texts: Q42")) if span.given.get(name) else None


def _mentions_of(article: Fields) -> str:
    return next((field for field in _MENTIONS if field in article.given), _MENTIONS[0])


def _pair(fields: Fields, name: str) -> tuple[int, int]:
    """Return a begin and an end, which are written as a pair."""
    value = fields.given[name]
    if type(value) is not list or len(value) != 2 or {type(value[0]), type(value[1])} != {int}:
        raise fields.bad(name, "a pair of a begin and an end", _SHAPE)
    pair = Fields(fields.source, fields.place, {"[0]": value[0], "[1]": value[1]}, fields, name)
    return pair.integer("[0]"), pair.integer("[1]")


def _said(span: Fields) -> list[tuple[str, Any]]:
    """Return what else is said of a label or a mention."""
    given = span.given
    found: list[tuple[str, Any]] = [(name, span.text(name)) for name in _TEXTS if given.get(name)]
    found += [(name, bool(given[name])) for name in _TRUTHS if name in given]
    if given.get("coref") is not None:  # a text: where nothing is said, ELEVANT goes by the covered text
        found.append(("coref", str(bool(given["coref"])).lower()))
    if given.get("parent") is not None or given.get("children"):  # nested labels know each other by their ids
        found.append(("label_id", str(span.integer("id"))))
    if given.get("parent") is not None:
        found.append(("parent", str(span.integer("parent"))))
    if candidates := span.items("candidates"):
        found.append(("candidates", joined(_known(str(each)) for each in candidates)))
    return found


def _known(id_: str) -> str | None:
    """Return an id, or None if ELEVANT marks an unknown entity by it.

    >>> [_known(each) for each in ("Q42", "Unknown12", "<NO_MAPPING>", "Unknown Pleasures")]
    ['Q42', None, None, 'Unknown Pleasures']
    """
    return None if _UNKNOWN.fullmatch(id_) else id_


def sniff(lines: list[str]) -> bool:
    """Whether the first lines hold an article with a label or a mention as ELEVANT writes them."""
    paths = key_paths(lines)
    return (
        {"labels[].span", "labels[].entity_id"} <= paths
        or {"entity_mentions[].span", "entity_mentions[].linked_by"} <= paths
        or bool({"labels[].entity_reference", "predictions[].entity_reference"} & paths)
    )


FORMAT = Format(
    name="elevant",
    summary="ELEVANT's JSONL: labels of benchmarks, entity_mentions or predictions of linkers",
    shapes=frozenset({"tokens"}),
    suffixes=(LINKED_SUFFIX, BENCHMARK_SUFFIX),
    options={
        "annotations": "labels or mentions (default: mentions, if an article has some, else labels)",
        "label": f"the field of labels or mentions that becomes the label: type, for example (default: {UNTYPED})",
        **OPTION,
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"spans"}),
    marks=json_marks(read),
)
