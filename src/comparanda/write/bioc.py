"""BioC: one collection, each document one passage with all its annotations; XML, or JSON if asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from comparanda.errors import WriteError
from comparanda.ids import BAR, NIL
from comparanda.read.request import choose
from comparanda.read.tabbed_formats.pubtator import NO_ENTITY, ids_of
from comparanda.read.xml_formats.bioc import LABEL
from comparanda.read.xml_formats.bioc_ids import IDENTIFIER, holds_ids
from comparanda.write.passages import Losses, Mention, Passage, Value
from comparanda.write.writer import Writer
from comparanda.write.xml_text import HEAD, attribute, called, content, lose_type, written

_SOURCE = "comparanda"
_KINDS = ("xml", "json")


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents as one collection."""
    kind = choose(options, "as", _KINDS)
    if kind == "json":
        made = [_object(passage, losses) for passage in documents]
        collection = {"source": _SOURCE, "date": "", "key": "", "version": "1.0", "infons": {}, "documents": made}
        yield "", msgspec.json.format(msgspec.json.encode(collection), indent=1).decode() + "\n"
        return
    inner = "".join(_document(passage, losses) for passage in documents)
    head = f'{HEAD}<!DOCTYPE collection SYSTEM "BioC.dtd">\n<collection><source>{_SOURCE}</source><date/><key/>\n'
    yield "", f"{head}{inner}</collection>\n"


def _document(passage: Passage, losses: Losses) -> str:
    def leaf(name: str, text: str, attributes: str = "") -> str:
        return f"<{name}{attributes}>{content(text, passage.name)}</{name}>"

    def infons(said: Mapping[str, Value]) -> str:
        return "".join(
            leaf("infon", written(value), attribute("key", key, passage.name)) for key, value in said.items()
        )

    annotations = []
    for number, mention in enumerate(passage.mentions, start=1):
        for name, value in mention.said.items():
            lose_type(name, value, passage, losses)
        places = "".join(f'<location offset="{begin}" length="{end - begin}"/>' for begin, end in mention.pieces)
        said = infons(_infons(passage, mention, losses))
        annotations.append(
            f'<annotation id="{number}">{said}{places}{leaf("text", passage.covered(mention))}</annotation>\n'
        )
    of_document = infons(passage.attributes)
    return (
        f"<document>{leaf('id', _id(passage))}{of_document}<passage><offset>0</offset>"
        f"{leaf('text', passage.text)}\n{''.join(annotations)}</passage></document>\n"
    )


def _object(passage: Passage, losses: Losses) -> dict[str, Any]:
    annotations = [
        {
            "id": str(number),
            "infons": _infons(passage, mention, losses),
            "text": passage.covered(mention),
            "locations": [{"offset": begin, "length": end - begin} for begin, end in mention.pieces],
        }
        for number, mention in enumerate(passage.mentions, start=1)
    ]
    whole = {"offset": 0, "infons": {}, "text": passage.text, "sentences": []}
    return {
        "id": _id(passage),
        "infons": dict(passage.attributes),
        "passages": [whole | {"annotations": annotations, "relations": []}],
        "annotations": [],
        "relations": [],
    }


def _id(passage: Passage) -> str:
    if passage.name.strip() != passage.name or not passage.name:
        raise WriteError(f"the document {passage.name!r} cannot be an id of BioC", hint="rename it first")
    return passage.name


def _infons(passage: Passage, mention: Mention, losses: Losses) -> dict[str, Value]:
    found: dict[str, Value] = {LABEL: mention.label}
    for name, value in mention.said.items():
        if name == LABEL or holds_ids(name):
            losses.lose(f"{name!r} of spans, which cannot be an infon of that name", passage.name)
        else:
            found[name] = value
    if mention.ids is not None:
        found[IDENTIFIER] = _identifier(passage, mention, mention.ids)
    return found


def _identifier(passage: Passage, mention: Mention, ids: tuple[str, ...]) -> str:
    """Return ids as they are read back."""
    text = ",".join(NO_ENTITY if id_ == NIL else id_ for id_ in ids)
    for written_so in (text.replace("%7C", BAR), text):
        if ids_of(written_so) == BAR.join(ids):
            return written_so
    what = f"{called(passage, mention)} has ids that BioC cannot hold: {', '.join(map(repr, ids))}"
    raise WriteError(what, hint="a comma or semicolon separates ids there, and - is none")


WRITER = Writer("bioc", ".xml", write, options={"as": f"what is written: {', '.join(_KINDS)}"})
