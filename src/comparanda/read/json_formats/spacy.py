"""spaCy: documents as `Doc.to_json` gives them, in JSON or JSONL, and `.spacy` files, which need spaCy to be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from comparanda.errors import MissingExtraError, ReadError
from comparanda.places import Source
from comparanda.read.json_formats.fields import Fields, key_paths
from comparanda.read.json_formats.nodes import nodes
from comparanda.read.json_formats.spacy_objects import Document, Span, attributes_of, corpus_of, document_of, name_of
from comparanda.read.offsets import OPTION
from comparanda.read.request import Format, Request

if TYPE_CHECKING:
    from comparanda.corpus import Corpus

SUFFIX = ".spacy"

_SHAPE = 'a span is written {"start": 0, "end": 4, "label": "PER"}'


def read(source: Source, request: Request) -> Corpus:
    """Read documents; each is called by its `id` among its custom attributes or, if one has none, by its number."""
    documents: list[Document] = []
    if _is_binary(source, 0):
        for number in range(len(source.parts)):
            documents += _docs(source, number)
    else:
        documents += [_document(fields) for fields, _ in nodes(source)]
    if not documents:
        raise ReadError("there are no documents in this file", where=source.parts[0].name)
    return corpus_of(documents, source, request, "spacy")


def _document(fields: Fields) -> Document:
    """Return what is read of a document in JSON."""
    given = fields.given.get("_")
    custom = given if isinstance(given, dict) else {}
    groups: dict[str, list[Span]] = {}
    if "spans" in fields.given:
        inner = fields.inner("spans", "spans of groups stand in lists by the names of these")
        groups = {name: _spans(inner, name) for name in inner.given}
    return Document(
        name=name_of({**fields.given, **custom}),
        text=fields.text("text"),
        entities=_spans(fields, "ents") if "ents" in fields.given else None,
        groups=groups,
        place=fields.place,
        attributes=attributes_of(custom),
    )


def _spans(fields: Fields, name: str) -> list[Span]:
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


def _docs(source: Source, number: int) -> list[Document]:
    """Return the documents of a DocBin."""
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
    except Exception as problem:  # whatever a file that is cut off or of another kind brings about in there
        what = (
            f"spaCy cannot read this file: {str(problem).splitlines()[0] if str(problem) else type(problem).__name__}"
        )
        raise ReadError(
            what, where=source.parts[number].name, hint=f"a {SUFFIX} file is made by DocBin.to_disk"
        ) from None


def sniff(lines: list[str]) -> bool:
    """Whether the first lines hold a document as `Doc.to_json` gives it: with tokens that name their places alone."""
    paths = {path.removeprefix("[].") for path in key_paths(lines)}
    tokens = {"tokens[].id", "tokens[].start", "tokens[].end"}
    found = {"ents", "sents", "cats"} & paths or any(path.startswith("spans.") for path in paths)
    return {"text", *tokens} <= paths and "tokens[].text" not in paths and bool(found)


FORMAT = Format(
    name="spacy",
    summary="spaCy: documents as Doc.to_json gives them, and .spacy files (with spaCy installed)",
    shapes=frozenset({"tokens"}),
    suffixes=(SUFFIX,),
    options={"spans": "the span group to be read in place of entities: sc, for example", **OPTION},
    sniff=sniff,
    read=read,
    layers=frozenset({"spans"}),
    binary=(SUFFIX,),
)
