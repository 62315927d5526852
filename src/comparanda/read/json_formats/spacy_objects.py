"""Documents of spaCy: what is read of them, whether they come as objects, as JSON or as a DocBin.

spaCy is not imported here: a document is what has `ents`, `spans` and `text`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from comparanda.errors import ReadError
from comparanda.ids import joined
from comparanda.places import Note, Source, first_places
from comparanda.read.offsets import asked_offsets
from comparanda.read.records import DOCUMENT_NAMES
from comparanda.read.standoff import Draft
from comparanda.read.values import is_missing, unwritable

if TYPE_CHECKING:
    from comparanda.corpus import Corpus
    from comparanda.read.request import Request

UNTYPED = "ENTITY"
"""The label of spans that have none, as spans of groups may."""


class Span(NamedTuple):
    """An entity, or a span of a group: where it begins and ends, its label and its id; empty where it has none."""

    begin: int
    end: int
    label: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A document.

    Args:
        name: its name; None where it has none.
        text: its text.
        entities: its entities; None where nobody has looked for some.
        groups: its spans by the names of their groups.
        place: the byte at which it stands in the source.
        attributes: what is known of it, by name.

    """

    name: str | None
    text: str
    entities: list[Span] | None
    groups: Mapping[str, list[Span]]
    place: int
    attributes: Mapping[str, str]


def is_doc(given: Any) -> bool:
    """Whether an object is a document of spaCy."""
    return all(hasattr(given, name) for name in ("ents", "spans", "text", "has_annotation", "user_data"))


def read_docs(docs: list[Any], request: Request) -> Corpus:
    """Read documents of spaCy; the third stands at `<name>:3`."""
    source = Source.of_text(f"<{request.side}>", b"\n" * len(docs))
    return corpus_of([document_of(doc, place) for place, doc in enumerate(docs)], source, request, "python")


def document_of(doc: Any, place: int) -> Document:
    """Return what is read of a document of spaCy."""
    custom = {key[1]: value for key, value in doc.user_data.items() if _is_extension(key)}
    others = {key: value for key, value in doc.user_data.items() if isinstance(key, str)}
    return Document(
        name=name_of({**others, **custom}),
        text=doc.text,
        entities=list(map(_span, doc.ents)) if doc.has_annotation("ENT_IOB") else None,
        groups={name: list(map(_span, doc.spans[name])) for name in doc.spans},
        place=place,
        attributes=attributes_of(custom),
    )


def _is_extension(key: Any) -> bool:
    """Whether something is said of the whole document, as `doc._.id` is kept by spaCy."""
    return isinstance(key, tuple) and len(key) >= 4 and key[0] == "._." and key[2] is None and key[3] is None


def _span(span: Any) -> Span:
    return Span(span.start_char, span.end_char, span.label_, span.kb_id_)


def name_of(known: Mapping[str, Any]) -> str | None:
    """Return the name of a document, if a field holds it that usually does.

    >>> name_of({"id": 7}), name_of({"lang": "en"})
    ('7', None)
    """
    for name in DOCUMENT_NAMES:
        value = known.get(name)
        if isinstance(value, str | int) and not is_missing(value) and value != "":
            return str(value)
    return None


def attributes_of(custom: Mapping[str, Any]) -> dict[str, str]:
    """Return what custom attributes say of a document that is not its name.

    >>> attributes_of({"id": 7, "year": 1843, "tokens": [1, 2]})
    {'year': '1843'}
    """
    own = next((name for name in DOCUMENT_NAMES if name in custom), None)
    return {
        name: str(value)
        for name, value in custom.items()
        if name != own and isinstance(value, str | int | float) and value
    }


def corpus_of(documents: list[Document], source: Source, request: Request, name: str) -> Corpus:
    """Make the corpus of documents of spaCy.

    Args:
        documents: the documents.
        source: the bytes that they stand in.
        request: what was asked; its option `spans` names the group that is read in place of entities.
        name: the format's name.

    """
    group = request.options.get("spans")
    draft = Draft(source, request.side, lambda _, number: f"{'ents' if group is None else group}[{number}]")
    named = all(document.name is not None for document in documents)
    without: list[int] = []
    for number, document in enumerate(documents, start=1):
        _check(source, document)
        called = document.name if named and document.name is not None else f"document {number}"
        draft.document(called, document.place, document.attributes)
        draft.texts.append(document.text)
        spans = document.entities if group is None else document.groups.get(group)
        if spans is None:
            without.append(document.place)
        for span in spans or ():
            span_number = draft.span([(span.begin, span.end)], span.label or UNTYPED, document.place)
            if span.id:
                draft.say(span_number, "id", joined([span.id]))
    if len(without) == len(documents):
        raise _nothing(documents, source, group)
    missing = "entities were not annotated" if group is None else f"there is no span group {group!r}"
    _note(draft, f"documents in which {missing}, read as documents without spans", without)
    if not named:
        what = "no field is known to hold the name of a document: they are called by their number"
        draft.notes.append(Note(request.side, what, 1, first_places(source, np.array([documents[0].place]))))
    return draft.corpus(request, name=name, judged="label", offsets=asked_offsets(request.options))


def _check(source: Source, document: Document) -> None:
    for text in (document.text, document.name or "", *document.attributes.values()):
        if problem := unwritable(text):
            where = str(source.locate(document.place))
            raise ReadError(f"{problem[0]} in {text[:40]!r}", where=where, hint=problem[1])


def _note(draft: Draft, what: str, places: list[int]) -> None:
    if places:
        first = first_places(draft.source, np.array(places, np.int64))
        draft.notes.append(Note(draft.side, what, len(places), first))


def _nothing(documents: Iterable[Document], source: Source, group: str | None) -> ReadError:
    """Make the error for documents of which none has what was to be read."""
    groups = sorted({name for document in documents for name in document.groups})
    what = "no document has entities" if group is None else f"no document has a span group {group!r}"
    hint = "were they annotated? A document in which none were found has an empty list of them"
    if groups:
        hint = f"say which spans are meant: ?spans={groups[0]}"
    elif group is not None:
        hint = "leave the option out to read entities"
    details = [f"span groups: {', '.join(groups)}"] if groups else []
    return ReadError(what, where=source.parts[0].name, details=details, hint=hint)
