"""ELEVANT: articles as JSONL, with the `labels` of a benchmark or the `entity_mentions` of a linker.

Its simple JSONL is read as well: `labels` or `predictions` with `entity_reference`, `start_char` and `end_char`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np

from comparanda.core.ids import NIL, join_ids, split_ids
from comparanda.core.places import Note, Source, first_places
from comparanda.errors import ReadError, WriteError
from comparanda.formats.contract import Format, Request, choose_option
from comparanda.formats.cuts import json_marks
from comparanda.formats.document_writer import Losses, Mention, Passage, Value, Writer
from comparanda.formats.json_objects import Fields, JsonObjects, record_paths
from comparanda.formats.scanner import check_line_lengths
from comparanda.formats.standoff import OPTION, Draft, requested_offsets

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus


UNTYPED = "ENTITY"
"""The label of spans without a type."""

LINKED_SUFFIX, BENCHMARK_SUFFIX = ".linked_articles.jsonl", ".benchmark.jsonl"

Kind = Literal["auto", "labels", "mentions"]
_READ_KINDS: tuple[Kind, ...] = ("auto", "labels", "mentions")
_MENTIONS_FIELDS = ("entity_mentions", "predictions")
_UNKNOWN_ID = re.compile(r"Unknown\d*|<NO_MAPPING>")
_STRING_FIELDS = ("name", "type", "recognized_by", "linked_by")
_BOOLEAN_FIELDS = ("optional", "desc", "contained")
_SHAPE = 'write a span as {"span": [0, 4], …} or, in the simple form, {"start_char": 0, "end_char": 4, …}'


def read(source: Source, request: Request) -> Corpus:
    """Read articles; each is a document, named by its id."""
    check_line_lengths(source, 0, source.size, request.max_line)
    return _Reader(source, request).read()


class _Reader:
    """Reads one input into a corpus."""

    def __init__(self, source: Source, request: Request) -> None:
        self.source = source
        self.request = request
        self.label = request.options.get("label")
        self.spans_field = ""
        self.draft = Draft(source=source, side=request.side, called=lambda _, number: f"{self.spans_field}[{number}]")
        self.outside: list[int] = []

    def read(self) -> Corpus:
        offsets = requested_offsets(self.request.options)
        objects = JsonObjects(self.source)
        articles = [
            Fields(self.source, place, article) for place, article in zip(objects.offset.tolist(), objects, strict=True)
        ]
        mentions = self._has_mentions(articles)
        texts = any("text" in article.given for article in articles)
        for number, article in enumerate(articles):
            self._add_document(article, number, texts)
            self.spans_field = _mentions_field(article) if mentions else "labels"
            window = _read_pair(article, "evaluation_span") if mentions and "evaluation_span" in article.given else None
            spans = list(article.objects(self.spans_field, _SHAPE))
            listed_by = {} if mentions else _find_other_parents(spans)
            for span in spans:
                self._add_span(span, window, listed_by.get(span.given.get("id")))
        if self.outside:
            places = first_places(self.source, np.array(self.outside, np.int64))
            what = "mentions outside of the evaluation span of their article ignored"
            self.draft.notes.append(Note(self.request.side, what, len(self.outside), places))
        return self.draft.corpus(self.request, name="elevant", evaluated="label", offsets=offsets)

    def _has_mentions(self, articles: list[Fields]) -> bool:
        """Whether to read the mentions of a linker instead of labels; articles without mentions may lack the field."""
        kind = choose_option(self.request.options, "annotations", _READ_KINDS)
        if kind != "auto":
            return kind == "mentions"
        if any(field in article.given for article in articles for field in _MENTIONS_FIELDS):
            return True
        if any(part.name.removesuffix(".gz").endswith(LINKED_SUFFIX) for part in self.source.parts):
            return True
        if not any("labels" in article.given for article in articles):
            raise ReadError(
                "no article has labels, entity_mentions or predictions",
                where=self.source.parts[0].name,
                details=[f"the first has: {', '.join(articles[0].given)}"],
                hint="use ?annotations=mentions if the linker found nothing at all",
            )
        return False

    def _add_document(self, article: Fields, number: int, texts: bool) -> None:
        """Add a document; articles of the simple form have no ids, and are numbered from 0 as ELEVANT does."""
        self.draft.document(
            article.name("id") or str(number),
            article.place,
            {"title": article.text("title") if article.given.get("title") else None},
        )
        if texts:
            self.draft.texts.append(article.text("text", "give all articles their text, or none"))

    def _add_span(self, span: Fields, window: tuple[int, int] | None, listed_by: str | None) -> None:
        """Add a label or a mention; one outside of the evaluation span is ignored."""
        if "span" in span.given:
            begin, end = _read_pair(span, "span")
        else:
            begin, end = span.integer("start_char", _SHAPE), span.integer("end_char", _SHAPE)
        if window is not None and not window[0] <= begin <= end <= window[1]:
            self.outside.append(span.place)
            return
        label = None if self.label is None or span.given.get(self.label) is None else span.text(self.label)
        number = self.draft.span([(begin, end)], label or UNTYPED, span.place)
        self.draft.set_value(number, "id", join_ids([self._read_id(span)]))
        for name, value in _span_columns(span):
            self.draft.set_value(number, name, value)
        if listed_by is not None:
            self.draft.set_value(number, "listed_by", listed_by)

    def _read_id(self, span: Fields) -> str | None:
        """Return the id of an entity; None for one that is not in a knowledge base."""
        name = next((each for each in ("entity_id", "entity_reference") if each in span.given), "id")
        if self.spans_field == "labels" and name == "id":
            raise span.bad("entity_id", "a string", "use <NIL> as the id of an unknown entity")
        return _known_id(span.text(name, "write ids as strings, such as Q42")) if span.given.get(name) else None


def _mentions_field(article: Fields) -> str:
    return next((field for field in _MENTIONS_FIELDS if field in article.given), _MENTIONS_FIELDS[0])


def _read_pair(fields: Fields, name: str) -> tuple[int, int]:
    """Return a begin and an end that are given as a pair."""
    value = fields.given[name]
    if type(value) is not list or len(value) != 2 or {type(value[0]), type(value[1])} != {int}:
        raise fields.bad(name, "a pair of a begin and an end", _SHAPE)
    pair = Fields(
        source=fields.source, place=fields.place, given={"[0]": value[0], "[1]": value[1]}, parent=fields, step=name
    )
    return pair.integer("[0]"), pair.integer("[1]")


def _span_columns(span: Fields) -> list[tuple[str, Any]]:
    """Return the other columns of a label or a mention."""
    given = span.given
    found: list[tuple[str, Any]] = [(name, span.text(name)) for name in _STRING_FIELDS if given.get(name)]
    found += [(name, bool(given[name])) for name in _BOOLEAN_FIELDS if name in given]
    if given.get("coref") is not None:  # a string: without the field, ELEVANT decides by the covered text
        found.append(("coref", str(bool(given["coref"])).lower()))
    if given.get("parent") is not None or given.get("children"):  # nested labels refer to each other by id
        found.append(("label_id", str(span.integer("id"))))
    if given.get("parent") is not None:
        found.append(("parent", str(span.integer("parent"))))
    if candidates := span.items("candidates"):
        found.append(("candidates", join_ids(_known_id(str(each)) for each in candidates)))
    return found


def _find_other_parents(labels: list[Fields]) -> dict[Any, str]:
    """Find the labels that another one lists among its children, although it is not their parent."""
    parents = {label.given.get("id"): label.given.get("parent") for label in labels}
    found: dict[Any, str] = {}
    for label in labels:
        if label.given.get("children"):
            own = label.integer("id")
            for child in label.items("children"):
                if type(child) is int and parents.get(child, own) != own:
                    found.setdefault(child, str(own))
    return found


def _known_id(id_: str) -> str | None:
    """Return an id, or None if it is ELEVANT's mark of an unknown entity.

    >>> [_known_id(each) for each in ("Q42", "Unknown12", "<NO_MAPPING>", "Unknown Pleasures")]
    ['Q42', None, None, 'Unknown Pleasures']
    """
    return None if _UNKNOWN_ID.fullmatch(id_) else id_


def sniff(lines: list[str]) -> bool:
    """Whether the first lines hold an article with a label or a mention in ELEVANT's form."""
    paths = record_paths(lines)
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
        "annotations": "labels or mentions (default: mentions if any article has them, else labels)",
        "label": f"the field of labels or mentions that becomes the label: type, for example (default: {UNTYPED})",
        **OPTION,
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"spans"}),
    marks=json_marks(read),
)


# Writer: one article per line, with labels as in benchmarks or mentions as from linkers.


OutputKind = Literal["labels", "mentions"]
_WRITE_KINDS: tuple[OutputKind, ...] = ("labels", "mentions")
_WRITABLE_COLUMNS: Mapping[OutputKind, frozenset[str]] = {
    "labels": frozenset({"name", "type", "optional", "desc", "coref", "label_id", "parent", "listed_by"}),
    "mentions": frozenset({"recognized_by", "linked_by", "candidates", "contained"}),
}


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write one article per document and line."""
    kind = choose_option(options, "annotations", _WRITE_KINDS)
    encode = msgspec.json.Encoder().encode
    passages = list(documents)
    named = all(_is_number(each.name) for each in passages)
    lines = []
    for number, passage in enumerate(passages):
        if not named:
            losses.lose(
                "the name of a document, which is a number in ELEVANT: it is written as the title", passage.name
            )
        id_ = int(passage.name) if named else number
        lines.append(
            encode(
                _build_article(passage, id_=id_, title=None if named else passage.name, kind=kind, losses=losses)
            ).decode()
        )
    yield "", "".join(f"{line}\n" for line in lines)


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdigit() and str(int(name)) == name


def _build_article(
    passage: Passage, id_: int, title: str | None, kind: OutputKind, *, losses: Losses
) -> dict[str, Any]:
    for attribute in passage.attributes:
        if attribute != "title" or title is not None:
            losses.lose(f"the attribute {attribute!r} of documents", passage.name)
    for mention in passage.mentions:
        _check_mention(passage, mention, kind, losses)
    spans = (
        _build_labels(passage, losses)
        if kind == "labels"
        else [_build_mention(passage, each, losses) for each in passage.mentions]
    )
    return {
        "id": id_,
        "title": title or passage.attributes.get("title", ""),
        "text": passage.text,
        "labels" if kind == "labels" else "entity_mentions": spans,
        "evaluation_span": [0, len(passage.text)],
    }


def _check_mention(passage: Passage, mention: Mention, kind: OutputKind, losses: Losses) -> None:
    """Refuse a discontinuous span; record the loss of columns and ids that cannot be written."""
    if len(mention.pieces) > 1:
        what = f"the span {mention.begin}:{mention.end} of document {passage.name!r} is in {len(mention.pieces)} pieces"
        raise WriteError(what, hint="write another format, such as jsonl: spans of ELEVANT are contiguous")
    for name in (each for each in mention.attributes if each not in _WRITABLE_COLUMNS[kind]):
        losses.lose(f"{name!r} of spans", passage.name)
    if mention.ids is None:
        losses.lose("that a span is not linked: it is written as linked to nothing (NIL)", passage.name)
    elif len(mention.ids) > 1:
        losses.lose("further ids of a span, after the first", passage.name)


def _first_id(mention: Mention) -> str:
    best = mention.ids[0] if mention.ids else NIL
    return "<NIL>" if best == NIL else best


def _build_labels(passage: Passage, losses: Losses) -> list[dict[str, Any]]:
    """Build numbered labels; labels with an id keep it, because others may refer to it as their parent."""
    own = [_parse_number(each.attributes.get("label_id")) for each in passage.mentions]
    free = (number for number in range(2 * len(own)) if number not in own)
    found = []
    children: dict[int, list[int]] = {}
    for mention, given in zip(passage.mentions, own, strict=True):
        label: dict[str, Any] = {"id": next(free) if given is None else given}
        label |= {"span": [mention.begin, mention.end], "entity_id": _first_id(mention)}
        label |= {name: mention.attributes[name] for name in ("name", "optional", "desc") if name in mention.attributes}
        if "coref" in mention.attributes:
            label["coref"] = str(mention.attributes["coref"]).lower() == "true"
        typed = mention.attributes.get("type", mention.label)
        if mention.label not in {UNTYPED, typed}:
            losses.lose("the label of a span that has a type too", passage.name)
        elif mention.label != UNTYPED:
            losses.lose(_TYPED_LABEL, passage.name)
        if typed != UNTYPED:
            label["type"] = typed
        if (parent := _parse_number(mention.attributes.get("parent"))) is not None:
            label["parent"] = parent
            children.setdefault(parent, []).append(label["id"])
        if (listed_by := _parse_number(mention.attributes.get("listed_by"))) is not None:
            children.setdefault(listed_by, []).append(label["id"])
        found.append(label)
    for label in found:
        if label["id"] in children:
            label["children"] = children[label["id"]]
    return found


_TYPED_LABEL = f"the label of a span: it is written as its type, and read back as {UNTYPED} without ?label=type"


def _parse_number(value: Value | None) -> int | None:
    """Parse a non-negative integer; None for any other value.

    >>> _parse_number("12"), _parse_number("T1"), _parse_number(None)
    (12, None, None)
    """
    return int(str(value)) if str(value).isascii() and str(value).isdigit() else None


def _build_mention(passage: Passage, mention: Mention, losses: Losses) -> dict[str, Any]:
    if mention.label != UNTYPED:
        losses.lose("the label of a span: mentions have none", passage.name)
    columns = {
        name: value for name, value in mention.attributes.items() if name in {"recognized_by", "linked_by", "contained"}
    }
    found: dict[str, Any] = {"span": [mention.begin, mention.end], "id": _first_id(mention), **columns}
    if "candidates" in mention.attributes:
        found["candidates"] = [
            "<NIL>" if each == NIL else each for each in split_ids(str(mention.attributes["candidates"]))
        ]
    return found


WRITER = Writer(
    name="elevant",
    suffix=".jsonl",
    write=write,
    options={"annotations": "labels, as in benchmarks (default), or mentions, as from linkers"},
)
