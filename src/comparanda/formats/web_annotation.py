"""W3C Web Annotation as JSON-LD: annotations that point into texts, which are not in the file.

Targets with a `TextPositionSelector` are read, with the classes, tags and identifiers in their bodies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from comparanda.core.ids import BAR, join_ids
from comparanda.core.places import Note, Source, first_places
from comparanda.errors import ReadError
from comparanda.formats.contract import Format, Request
from comparanda.formats.document_writer import Losses, Mention, Passage, Writer
from comparanda.formats.json_objects import Fields, looks_like_json, read_nodes
from comparanda.formats.linked_data import document_name, iri_of, is_iri, list_plain_values, local_name
from comparanda.formats.standoff import OPTION, Draft, requested_offsets

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus


CONTEXT = "http://www.w3.org/ns/anno.jsonld"
UNTYPED = "ENTITY"

_LABEL_PURPOSES = ("classifying", "tagging")
_ID_PURPOSES = ("identifying", "linking")
_POSITION_SELECTOR, _QUOTE_SELECTOR = "TextPositionSelector", "TextQuoteSelector"
_MAX_NESTING = 10
_LIST_TYPES = frozenset({"List", "Independents"})
_SELECTOR_FORM = 'write the offsets like this: {"type": "TextPositionSelector", "start": 0, "end": 4}'


def read(source: Source, request: Request) -> Corpus:
    """Read annotations; each source of a target is a document, named by its IRI."""
    return _Reader(source, request).corpus()


@dataclass(frozen=True, slots=True)
class _Target:
    """A target: its document, its pieces, and the text that it quotes."""

    document: str
    pieces: list[tuple[int, int]]
    exact: str | None


@dataclass(slots=True)
class _Body:
    """The values of bodies, by purpose."""

    texts: dict[str, list[str]] = field(default_factory=dict)
    classes: list[str] = field(default_factory=list)

    def add(self, purpose: str, text: str, *, named: bool) -> None:
        """Add a body; a class given by an IRI is labelled by its local name."""
        if named and purpose in _LABEL_PURPOSES and is_iri(text):
            self.classes.append(text)
            text = local_name(text) or text
        self.texts.setdefault(purpose, []).append(text)


class _Reader:
    """Reads one input into a corpus."""

    def __init__(self, source: Source, request: Request) -> None:
        self.source = source
        self.request = request
        asked = request.options.get("label")
        self.labels = _LABEL_PURPOSES if asked is None else (asked,)
        self.found: dict[str, list[tuple[Fields, _Target, _Body]]] = {}
        self.ignored: list[int] = []
        self.called: list[str] = []
        self.mismatched: list[int] = []
        self.utf16 = True

    def corpus(self) -> Corpus:
        offsets = requested_offsets(self.request.options)
        for fields, _ in read_nodes(self.source, ("items", "first")):
            extents = list(self._read_targets(fields)) if "target" in fields.given else []
            if not extents:
                self.ignored.append(fields.place)
                continue
            body = _read_bodies(fields)
            for extent in extents:
                self.found.setdefault(extent.document, []).append((fields, extent, body))
        if not self.found:
            raise ReadError(
                f"no annotation has a target with a {_POSITION_SELECTOR}",
                where=self.source.parts[0].name,
                hint=_SELECTOR_FORM,
            )
        draft = Draft(source=self.source, side=self.request.side, called=lambda span, _: self.called[span])
        for name, found in self.found.items():
            draft.document(name, found[0][0].place)
            for fields, extent, body in found:
                self._add_spans(draft, fields, extent, body)
        self._note(draft, "annotations of anything but an extent of a text ignored", self.ignored)
        how = ", as if offsets counted UTF-16 units" if self.utf16 else ""
        self._note(draft, f"spans whose exact text is not as long as their extent{how}", self.mismatched)
        return draft.corpus(self.request, name="web-annotation", evaluated="classifying", offsets=offsets)

    def _note(self, draft: Draft, what: str, places: list[int]) -> None:
        if places:
            first = first_places(self.source, np.array(places, np.int64))
            draft.notes.append(Note(self.request.side, what, len(places), first))

    def _read_targets(self, fields: Fields, name: str = "target", depth: int = 0) -> Iterator[_Target]:
        """Yield the targets that are extents of texts."""
        if depth > _MAX_NESTING:
            raise fields.refuse(f"targets are nested more than {_MAX_NESTING} deep")
        for target in _objects(fields, name):
            kinds = {str(each) for each in list_plain_values(target.given.get("type"))}
            if kinds & _LIST_TYPES:
                yield from self._read_targets(target, "items", depth + 1)
            elif "Composite" in kinds:
                yield from self._join_composite(target, depth)
            elif "Choice" in kinds:
                hint = "leave only one item"
                raise fields.refuse(f"{target.path()!r} is a choice between several extents", hint=hint)
            elif "selector" in target.given and (extent := self._read_extent(target)):
                yield extent

    def _join_composite(self, target: Fields, depth: int) -> Iterator[_Target]:
        """Combine the items of a composite into one target, whose pieces they are."""
        items = list(self._read_targets(target, "items", depth + 1))
        if not items:
            return
        if len({item.document for item in items}) > 1:
            raise target.refuse(f"{target.path()!r} is composed of extents in several sources")
        quotes = [item.exact for item in items if item.exact is not None]
        exact = " ".join(quotes) if len(quotes) == len(items) else None
        yield _Target(items[0].document, [piece for item in items for piece in item.pieces], exact)

    def _read_extent(self, target: Fields) -> _Target | None:
        """Return the extent that the selectors describe; None if there is no text selector."""
        position = exact = None
        for selector in _objects(target, "selector"):
            kinds = list_plain_values(selector.given.get("type"))
            if _POSITION_SELECTOR in kinds:
                if "refinedBy" in selector.given:
                    hint = "give one selector with the begin and end in the text"
                    raise selector.refuse(f"{selector.path('refinedBy')!r} narrows an extent", hint=hint)
                position = selector.integer("start", _SELECTOR_FORM), selector.integer("end", _SELECTOR_FORM)
            elif _QUOTE_SELECTOR in kinds and "exact" in selector.given:
                exact = selector.text("exact")
        if position is None:
            if exact is not None:
                raise target.refuse(
                    f"{target.path()!r} quotes {exact[:40]!r}, but does not give its offsets",
                    hint=f"add a {_POSITION_SELECTOR}: texts are not in the file, so a quotation cannot be located",
                )
            return None
        names = list_plain_values(target.given.get("source"))
        if len(names) != 1 or not isinstance(names[0], str) or not names[0]:
            raise target.bad("source", "the IRI of a text")
        return _Target(document_name(names[0]), [position], exact)

    def _add_spans(self, draft: Draft, fields: Fields, extent: _Target, body: _Body) -> None:
        """Add a span for each label that an annotation gives to an extent."""
        purpose = next((each for each in self.labels if each in body.texts), "")
        ids = next((body.texts[each] for each in _ID_PURPOSES if each in body.texts), None)
        name = fields.given.get("id")
        for label in body.texts.get(purpose, [UNTYPED]):
            number = draft.span(extent.pieces, label, fields.place)
            self.called.append(f"the annotation {name!r}" if isinstance(name, str) else "an annotation")
            if ids is not None:
                draft.set_value(number, "id", join_ids(ids))
            for other, texts in body.texts.items():
                if other not in {purpose, *_ID_PURPOSES}:
                    draft.set_value(number, other, BAR.join(texts))
            if body.classes:
                draft.set_value(number, "class", BAR.join(body.classes))
            if creator := _creator(fields):
                draft.set_value(number, "creator", creator)
            if extent.exact is not None:
                draft.set_value(number, "text", extent.exact)
        if extent.exact is not None and len(extent.pieces) == 1:
            (begin, end), size = extent.pieces[0], len(extent.exact)
            if end - begin != size:
                self.mismatched.append(fields.place)
                self.utf16 &= end - begin == len(extent.exact.encode("utf-16-le", "surrogatepass")) // 2


def _objects(fields: Fields, name: str) -> Iterator[Fields]:
    """Yield the objects of a field, which holds one or a list of them; bare IRIs are skipped."""
    given = fields.given.get(name)
    several = given if isinstance(given, list) else [given]
    for number, each in enumerate(several):
        step = f"{name}[{number}]" if isinstance(given, list) else name
        if isinstance(each, dict):
            yield Fields(source=fields.source, place=fields.place, given=each, parent=fields, step=step)
        elif not isinstance(each, str):
            raise fields.bad(name, "an object or an IRI")


def _read_bodies(fields: Fields) -> _Body:
    """Return the bodies of an annotation by their purpose, or else by the motivation of the annotation."""
    motivations = [str(each) for each in list_plain_values(fields.given.get("motivation"))]
    found = _Body()
    if "bodyValue" in fields.given:
        _add(found, motivations, fields.text("bodyValue"), named=False)
    given = fields.given.get("body")
    for each in given if isinstance(given, list) else [given]:
        if isinstance(each, str):
            _add(found, motivations, each, named=True)
        elif isinstance(each, dict):
            body = Fields(source=fields.source, place=fields.place, given=each, parent=fields, step="body")
            purposes = [str(purpose) for purpose in list_plain_values(each.get("purpose"))] or motivations
            if "value" in each:
                _add(found, purposes, body.text("value"), named=False)
            else:
                for iri in list_plain_values(each.get("source", each.get("id"))):
                    _add(found, purposes, str(iri), named=True)
        elif each is not None:
            raise fields.bad("body", "an object or an IRI")
    return found


def _add(body: _Body, purposes: list[str], text: str, *, named: bool) -> None:
    for purpose in purposes or (["linking"] if named else ["commenting"]):
        if text.strip():
            body.add(local_name(purpose), text, named=named)


def _creator(fields: Fields) -> str | None:
    given = fields.given.get("creator")
    if isinstance(given, dict):
        given = given.get("name", given.get("id"))
    return given if isinstance(given, str) and given else None


def sniff(lines: list[str]) -> bool:
    """Whether the first lines are JSON and contain the address of the Web Annotation context."""
    return looks_like_json(lines) and f'"{CONTEXT}"' in "\n".join(lines)


FORMAT = Format(
    name="web-annotation",
    summary="W3C Web Annotation as JSON-LD: extents of external texts, with labels and entities",
    shapes=frozenset({"tokens"}),
    suffixes=(".jsonld",),
    options={
        "label": f"the purpose of the bodies that are labels (default: {', else '.join(_LABEL_PURPOSES)})",
        **OPTION,
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"spans"}),
)


# Writing Web Annotation: one page of annotations, without the texts into which they point.


_CONTEXT_SIZE = 32
_WRITTEN_FIELDS = frozenset({"creator", "class", "tagging", "commenting"})


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write the annotations of all documents as one page."""
    del options
    items = [
        _annotation(each, number, mention, losses)
        for each in documents
        for number, mention in enumerate(_check_mentions(each, losses), start=1)
    ]
    whole = msgspec.json.encode({"@context": CONTEXT, "type": "AnnotationPage", "items": items})
    yield "", msgspec.json.format(whole, indent=1).decode() + "\n"


def _check_mentions(passage: Passage, losses: Losses) -> tuple[Mention, ...]:
    losses.lose("the text of a document, to which annotations only refer", passage.name)
    if not passage.mentions:
        losses.lose("a document without spans", passage.name)
    for attribute in passage.attributes:
        losses.lose(f"the attribute {attribute!r} of documents", passage.name)
    return passage.mentions


def _annotation(passage: Passage, number: int, mention: Mention, losses: Losses) -> dict[str, Any]:
    for name in (each for each in mention.attributes if each not in _WRITTEN_FIELDS):
        losses.lose(f"{name!r} of spans", passage.name)
    source = iri_of(passage.name)
    pieces = [_target(passage, source, *piece) for piece in mention.pieces]
    found: dict[str, Any] = {"id": f"{source}#annotation-{number}", "type": "Annotation"}
    if "creator" in mention.attributes:
        found["creator"] = {"name": str(mention.attributes["creator"])}
    found["body"] = _write_bodies(mention)
    written = {body["source"] for body in found["body"] if body["purpose"] == "classifying" and "source" in body}
    if not {*str(mention.attributes.get("class", "")).split(BAR)} - {""} <= written:
        losses.lose("'class' of spans, if it is not that of the label", passage.name)
    found["target"] = pieces[0] if len(pieces) == 1 else {"type": "Composite", "items": pieces}
    return found


def _write_bodies(mention: Mention) -> list[dict[str, str]]:
    """Return the bodies for a span: its label, its ids, tags and comments."""
    found = []
    classes = str(mention.attributes.get("class", "")).split(BAR)
    if (known := next((each for each in classes if local_name(each) == mention.label), None)) is not None:
        found.append({"type": "SpecificResource", "purpose": "classifying", "source": known})
    elif mention.label != UNTYPED:
        found.append(_textual_body("classifying", mention.label))
    for id_ in mention.ids or ():
        named = {"type": "SpecificResource", "purpose": "identifying", "source": id_}
        found.append(named if is_iri(id_) else _textual_body("identifying", id_))
    for name in ("tagging", "commenting"):
        if name in mention.attributes:
            found += [_textual_body(name, each) for each in str(mention.attributes[name]).split(BAR)]
    return found


def _textual_body(purpose: str, value: str) -> dict[str, str]:
    return {"type": "TextualBody", "purpose": purpose, "value": value}


def _target(passage: Passage, source: str, begin: int, end: int) -> dict[str, Any]:
    """Return the target for an extent: its offsets, its text and the surrounding text."""
    quote = {
        "type": "TextQuoteSelector",
        "exact": passage.text[begin:end],
        "prefix": passage.text[max(0, begin - _CONTEXT_SIZE) : begin],
        "suffix": passage.text[end : end + _CONTEXT_SIZE],
    }
    place = {"type": "TextPositionSelector", "start": begin, "end": end}
    return {"type": "SpecificResource", "source": source, "selector": [place, quote]}


WRITER = Writer(name="web-annotation", suffix=".jsonld", write=write)
