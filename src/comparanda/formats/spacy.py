"""spaCy: documents as written by `Doc.to_json`, in JSON or JSONL, and `.spacy` files, which require spaCy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from comparanda.core.ids import join_ids
from comparanda.core.places import Note, Source, first_places
from comparanda.errors import MissingExtraError, ReadError, WriteError
from comparanda.formats.contract import Format, Request
from comparanda.formats.document_writer import Losses, Mention, Passage, Writer
from comparanda.formats.field_values import find_unwritable, is_missing
from comparanda.formats.json_objects import Fields, read_nodes, record_paths
from comparanda.formats.records import DOCUMENT_NAMES
from comparanda.formats.standoff import OPTION, Draft, requested_offsets

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus


# spaCy documents from Python objects, JSON or a DocBin.
#
# spaCy is not imported for objects: anything with `ents`, `spans` and `text` is a document.


UNTYPED = "ENTITY"
"""The label of spans that have none, which span groups allow."""


class Span(NamedTuple):
    """An entity or a span of a group: its begin, end, label and id; empty strings if it has none."""

    begin: int
    end: int
    label: str
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document.

    Args:
        name: its name; None if it has none.
        text: its text.
        entities: its entities; None if it was not annotated with any.
        groups: its span groups, by name.
        place: its byte offset in the source.
        attributes: its attributes, by name.

    """

    name: str | None
    text: str
    entities: list[Span] | None
    groups: Mapping[str, list[Span]]
    place: int
    attributes: Mapping[str, str]


def is_doc(given: Any) -> bool:
    """Whether an object is a spaCy document."""
    return all(hasattr(given, name) for name in ("ents", "spans", "text", "has_annotation", "user_data"))


def read_docs(docs: list[Any], request: Request) -> Corpus:
    """Read spaCy documents; the location of the third is `<name>:3`."""
    source = Source.of_text(f"<{request.side}>", b"\n" * len(docs))
    return corpus_of([document_of(doc, place) for place, doc in enumerate(docs)], source, request, "python")


def document_of(doc: Any, place: int) -> Document:
    """Convert a spaCy document."""
    custom = {key[1]: value for key, value in doc.user_data.items() if _is_extension(key)}
    others = {key: value for key, value in doc.user_data.items() if isinstance(key, str)}
    return Document(
        name=name_of({**others, **custom}),
        text=doc.text,
        entities=list(map(_convert_span, doc.ents)) if doc.has_annotation("ENT_IOB") else None,
        groups={name: list(map(_convert_span, doc.spans[name])) for name in doc.spans},
        place=place,
        attributes=attributes_of(custom),
    )


def _is_extension(key: Any) -> bool:
    """Whether a key of `user_data` is a custom attribute of the document, such as `doc._.id`."""
    return isinstance(key, tuple) and len(key) >= 4 and key[0] == "._." and key[2] is None and key[3] is None


def _convert_span(span: Any) -> Span:
    return Span(span.start_char, span.end_char, span.label_, span.kb_id_)


def name_of(known: Mapping[str, Any]) -> str | None:
    """Return the name of a document from one of the usual fields; None if it has none.

    >>> name_of({"id": 7}), name_of({"lang": "en"})
    ('7', None)
    """
    for name in DOCUMENT_NAMES:
        value = known.get(name)
        if isinstance(value, str | int) and not is_missing(value) and value != "":
            return str(value)
    return None


def attributes_of(custom: Mapping[str, Any]) -> dict[str, str]:
    """Return the custom attributes of a document, without its name.

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
    """Build the corpus of spaCy documents.

    Args:
        documents: the documents.
        source: the bytes that they were read from.
        request: what was asked; its option `spans` names a group to be read instead of entities.
        name: the format's name.

    """
    group = request.options.get("spans")
    draft = Draft(
        source=source, side=request.side, called=lambda _, number: f"{'ents' if group is None else group}[{number}]"
    )
    named = all(document.name is not None for document in documents)
    without: list[int] = []
    for number, document in enumerate(documents, start=1):
        _check_writable(source, document)
        called = document.name if named and document.name is not None else f"document {number}"
        draft.document(called, document.place, document.attributes)
        draft.texts.append(document.text)
        spans = document.entities if group is None else document.groups.get(group)
        if spans is None:
            without.append(document.place)
        for span in spans or ():
            span_number = draft.span([(span.begin, span.end)], span.label or UNTYPED, document.place)
            if span.id:
                draft.set_value(span_number, "id", join_ids([span.id]))
    if len(without) == len(documents):
        raise _no_spans_error(documents, source, group)
    missing = "entities were not annotated" if group is None else f"there is no span group {group!r}"
    _add_note(draft, f"documents in which {missing}, read as documents without spans", without)
    if not named:
        what = "no field is known to hold the names of documents; they are numbered instead"
        draft.notes.append(Note(request.side, what, 1, first_places(source, np.array([documents[0].place]))))
    return draft.corpus(request, name=name, evaluated="label", offsets=requested_offsets(request.options))


def _check_writable(source: Source, document: Document) -> None:
    for text in (document.text, document.name or "", *document.attributes.values()):
        if problem := find_unwritable(text):
            where = str(source.locate(document.place))
            raise ReadError(f"{problem[0]} in {text[:40]!r}", where=where, hint=problem[1])


def _add_note(draft: Draft, what: str, places: list[int]) -> None:
    if places:
        first = first_places(draft.source, np.array(places, np.int64))
        draft.notes.append(Note(draft.side, what, len(places), first))


def _no_spans_error(documents: Iterable[Document], source: Source, group: str | None) -> ReadError:
    """Make the error for documents of which none has the spans to be read."""
    groups = sorted({name for document in documents for name in document.groups})
    what = "no document has entities" if group is None else f"no document has a span group {group!r}"
    hint = "check that entities were annotated: a document without any must have an empty list of them"
    if groups:
        hint = f"choose a span group: ?spans={groups[0]}"
    elif group is not None:
        hint = "leave the option out to read entities"
    details = [f"span groups: {', '.join(groups)}"] if groups else []
    return ReadError(what, where=source.parts[0].name, details=details, hint=hint)


SUFFIX = ".spacy"

_SHAPE = 'write a span like this: {"start": 0, "end": 4, "label": "PER"}'


def read(source: Source, request: Request) -> Corpus:
    """Read documents; each is named by its custom attribute `id` or, if any document lacks it, by its number."""
    documents: list[Document] = []
    if _is_binary(source, 0):
        for number in range(len(source.parts)):
            documents += _read_docbin(source, number)
    else:
        documents += [_read_document(fields) for fields, _ in read_nodes(source)]
    if not documents:
        raise ReadError("there are no documents in this file", where=source.parts[0].name)
    return corpus_of(documents, source, request, "spacy")


def _read_document(fields: Fields) -> Document:
    """Read a document in JSON."""
    given = fields.given.get("_")
    custom = given if isinstance(given, dict) else {}
    groups: dict[str, list[Span]] = {}
    if "spans" in fields.given:
        inner = fields.inner("spans", "give the spans of each group as a list under its name")
        groups = {name: _read_spans(inner, name) for name in inner.given}
    return Document(
        name=name_of({**fields.given, **custom}),
        text=fields.text("text"),
        entities=_read_spans(fields, "ents") if "ents" in fields.given else None,
        groups=groups,
        place=fields.place,
        attributes=attributes_of(custom),
    )


def _read_spans(fields: Fields, name: str) -> list[Span]:
    return [
        Span(
            each.integer("start", _SHAPE),
            each.integer("end", _SHAPE),
            each.text("label", _SHAPE),
            each.text("kb_id") if each.given.get("kb_id") else "",
        )
        for each in fields.objects(name, _SHAPE)
    ]


def _is_binary(source: Source, number: int) -> bool:
    return source.parts[number].name.removesuffix(".gz").endswith(SUFFIX)


def _read_docbin(source: Source, number: int) -> list[Document]:
    """Read the documents of a DocBin."""
    try:
        from spacy.tokens import DocBin
        from spacy.vocab import Vocab
    except ImportError:
        what = f"{source.parts[number].name}: {SUFFIX} files are read with spaCy, which is not installed"
        hint = "pip install 'comparanda[spacy]', or write the documents as JSON: doc.to_json()"
        raise MissingExtraError(what, hint=hint) from None
    begin = source.parts[number].begin
    end = source.parts[number + 1].begin if number + 1 < len(source.parts) else source.size
    try:
        found: list[Any] = list(DocBin().from_bytes(bytes(source.data[begin:end])).get_docs(Vocab()))
        return [document_of(doc, begin) for doc in found]
    except Exception as problem:  # spaCy raises arbitrary errors for truncated or other files
        what = (
            f"spaCy cannot read this file: {str(problem).splitlines()[0] if str(problem) else type(problem).__name__}"
        )
        raise ReadError(
            what, where=source.parts[number].name, hint=f"write {SUFFIX} files with DocBin.to_disk"
        ) from None


def sniff(lines: list[str]) -> bool:
    """Whether the first lines hold a document as written by `Doc.to_json`: its tokens have offsets but no texts."""
    paths = record_paths(lines)
    tokens = {"tokens[].id", "tokens[].start", "tokens[].end"}
    found = {"ents", "sents", "cats"} & paths or any(path.startswith("spans.") for path in paths)
    return {"text", *tokens} <= paths and "tokens[].text" not in paths and bool(found)


FORMAT = Format(
    name="spacy",
    summary="spaCy: documents as written by Doc.to_json, and .spacy files (requires spaCy)",
    shapes=frozenset({"tokens"}),
    suffixes=(SUFFIX,),
    options={"spans": "the span group to be read instead of entities, such as sc", **OPTION},
    sniff=sniff,
    read=read,
    layers=frozenset({"spans"}),
    binary=(SUFFIX,),
)


# Writer: one document per line, as read by `Doc.from_json`.


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write one object per document and line."""
    encode = msgspec.json.Encoder().encode
    group = options.get("spans")
    yield "", "".join(f"{encode(_build_document(each, group, losses)).decode()}\n" for each in documents)


def _build_document(passage: Passage, group: str | None, losses: Losses) -> dict[str, Any]:
    tokens = _cut_tokens(passage)
    for mention in passage.mentions:
        _check_mention(passage, mention, tokens, losses)
    if group is None:
        _refuse_overlaps(passage)
    spans = [
        _build_span(mention, group) for mention in sorted(passage.mentions, key=lambda each: (each.begin, each.end))
    ]
    for attribute in passage.attributes.keys() & {"id"}:
        losses.lose(f"the attribute {attribute!r} of documents, whose name is reserved", passage.name)
    return {
        "text": passage.text,
        **({"ents": spans} if group is None else {}),
        "tokens": [{"id": number, "start": begin, "end": end} for number, (begin, end) in enumerate(tokens)],
        **({} if group is None else {"spans": {group: spans}}),
        "_": {**passage.attributes, "id": passage.name},
    }


def _build_span(mention: Mention, group: str | None) -> dict[str, Any]:
    found: dict[str, Any] = {"start": mention.begin, "end": mention.end, "label": mention.label}
    if mention.ids is not None or group is not None:  # required in groups
        found["kb_id"] = mention.ids[0] if mention.ids else ""
    return found


def _check_mention(passage: Passage, mention: Mention, tokens: list[tuple[int, int]], losses: Losses) -> None:
    """Refuse a span that does not consist of tokens; record the loss of columns and ids that cannot be written."""
    called = f"the span {mention.begin}:{mention.end} of document {passage.name!r}"
    if len(mention.pieces) > 1:
        what = f"{called} is in {len(mention.pieces)} pieces"
        raise WriteError(what, hint="write another format, such as jsonl: spans of spaCy are contiguous")
    begins, ends = {begin for begin, _ in tokens}, {end for _, end in tokens}
    if mention.begin not in begins or mention.end not in ends or mention.begin == mention.end:
        what = f"{called} is empty, or begins or ends in white space, where tokens of spaCy do not"
        raise WriteError(what, hint="write a format with plain offsets, such as jsonl")
    for name in mention.attributes:
        losses.lose(f"{name!r} of spans", passage.name)
    if mention.ids is not None and len(mention.ids) > 1:
        losses.lose("further ids of a span, after the first", passage.name)


def _refuse_overlaps(passage: Passage) -> None:
    for one, other in pairwise(sorted(passage.mentions, key=lambda each: (each.begin, each.end))):
        if other.begin < one.end:
            extents = f"{one.begin}:{one.end} and {other.begin}:{other.end}"
            what = f"the spans {extents} of document {passage.name!r} overlap, but entities of spaCy cannot"
            raise WriteError(what, hint="write them as a span group: ?spans=sc")


def _cut_tokens(passage: Passage) -> list[tuple[int, int]]:
    r"""Return the begin and end of tokens: words, split at the borders of spans, and white space as in spaCy.

    One space after a token belongs to it; any other white space is a token of its own.

    >>> mention = Mention(((7, 9),), "X")
    >>> words = ((1, 4), (7, 10), (11, 13))
    >>> _cut_tokens(Passage(name="d", text=" Ada\n  met Bo", words=words, sentences=(0,), mentions=(mention,)))
    [(0, 1), (1, 4), (4, 7), (7, 9), (9, 10), (11, 13)]
    """
    text = passage.text
    cuts = {place for extent in passage.words for place in extent}
    cuts |= {place for mention in passage.mentions for piece in mention.pieces for place in piece}
    cuts |= {place for place in range(1, len(text)) if text[place].isspace() != text[place - 1].isspace()}
    bounds = sorted({0, len(text), *(place for place in cuts if 0 < place < len(text))})
    found: list[tuple[int, int]] = []
    space = 0  # the begin of white space that is not yet part of a token
    for begin, end in pairwise(bounds):
        if not text[begin].isspace():
            if space < begin:
                found.append((space, begin))
            found.append((begin, end))
            space = end + (text[end : end + 1] == " ")
    if space < len(text):
        found.append((space, len(text)))
    return found


WRITER = Writer(
    name="spacy",
    suffix=".jsonl",
    write=write,
    options={"spans": "the name of a span group to write instead of entities, such as sc"},
)
