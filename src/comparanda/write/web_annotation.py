"""W3C Web Annotation as JSON-LD: one page of annotations, which point into texts that are not written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from comparanda.ids import BAR
from comparanda.read.json_formats.linked_data import is_iri, local_name
from comparanda.read.json_formats.web_annotation import CONTEXT, UNTYPED
from comparanda.write.iris import iri_of
from comparanda.write.passages import Losses, Mention, Passage
from comparanda.write.writer import Writer

_AROUND = 32
_CARRIED = frozenset({"creator", "class", "tagging", "commenting"})


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write one page of the annotations of all documents."""
    del options
    items = [
        _annotation(each, number, mention, losses)
        for each in documents
        for number, mention in enumerate(_mentions(each, losses), start=1)
    ]
    whole = msgspec.json.encode({"@context": CONTEXT, "type": "AnnotationPage", "items": items})
    yield "", msgspec.json.format(whole, indent=1).decode() + "\n"


def _mentions(passage: Passage, losses: Losses) -> tuple[Mention, ...]:
    losses.lose("the text of a document, which annotations only point into", passage.name)
    if not passage.mentions:
        losses.lose("a document without spans", passage.name)
    for attribute in passage.attributes:
        losses.lose(f"the attribute {attribute!r} of documents", passage.name)
    return passage.mentions


def _annotation(passage: Passage, number: int, mention: Mention, losses: Losses) -> dict[str, Any]:
    for name in (each for each in mention.said if each not in _CARRIED):
        losses.lose(f"{name!r} of spans", passage.name)
    source = iri_of(passage.name)
    pieces = [_target(passage, source, *piece) for piece in mention.pieces]
    found: dict[str, Any] = {"id": f"{source}#annotation-{number}", "type": "Annotation"}
    if "creator" in mention.said:
        found["creator"] = {"name": str(mention.said["creator"])}
    found["body"] = _bodies(mention)
    found["target"] = pieces[0] if len(pieces) == 1 else {"type": "Composite", "items": pieces}
    return found


def _bodies(mention: Mention) -> list[dict[str, str]]:
    """Return what is said of a span: its label, its ids and what else bodies can say."""
    found = []
    classes = str(mention.said.get("class", "")).split(BAR)
    if (known := next((each for each in classes if local_name(each) == mention.label), None)) is not None:
        found.append({"type": "SpecificResource", "purpose": "classifying", "source": known})
    elif mention.label != UNTYPED:
        found.append(_textual("classifying", mention.label))
    for id_ in mention.ids or ():
        named = {"type": "SpecificResource", "purpose": "identifying", "source": id_}
        found.append(named if is_iri(id_) else _textual("identifying", id_))
    for name in ("tagging", "commenting"):
        if name in mention.said:
            found += [_textual(name, each) for each in str(mention.said[name]).split(BAR)]
    return found


def _textual(purpose: str, value: str) -> dict[str, str]:
    return {"type": "TextualBody", "purpose": purpose, "value": value}


def _target(passage: Passage, source: str, begin: int, end: int) -> dict[str, Any]:
    """Return an extent of a text, by its place and by what stands there and around it."""
    quote = {
        "type": "TextQuoteSelector",
        "exact": passage.text[begin:end],
        "prefix": passage.text[max(0, begin - _AROUND) : begin],
        "suffix": passage.text[end : end + _AROUND],
    }
    place = {"type": "TextPositionSelector", "start": begin, "end": end}
    return {"type": "SpecificResource", "source": source, "selector": [place, quote]}


WRITER = Writer("web-annotation", ".jsonld", write)
