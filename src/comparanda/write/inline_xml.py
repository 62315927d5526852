"""Text with tags in it: one XML file a document, each span an element that is called like its label."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from comparanda.errors import UsageError, WriteError
from comparanda.ids import BAR
from comparanda.read.xml_formats.inline_xml import GENERIC, IDS, KNOWN, LABELS, ROOTS, STRUCTURE
from comparanda.write.passages import Losses, Mention, Passage
from comparanda.write.writer import Writer
from comparanda.write.xml_text import (
    HEAD,
    attribute,
    called,
    content,
    file_name,
    is_name,
    lose_type,
    refuse_pieces,
    written,
)

SUFFIX = ".xml"
LINK, LABEL = IDS[0], LABELS[0]

_TAKEN = GENERIC | ROOTS | STRUCTURE | frozenset(KNOWN)


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents, one file each."""
    element = options.get("element")
    if element is not None and element not in GENERIC:
        what = f"element={element!r} is not possible"
        raise UsageError(what, hint=f"elements whose label is an attribute: {', '.join(sorted(GENERIC))}")
    for passage in documents:
        yield file_name(passage.name, SUFFIX), _document(passage, losses, element)


def _document(passage: Passage, losses: Losses, element: str | None) -> str:
    said = "".join(
        attribute(name, value, passage.name)
        for name, value in passage.attributes.items()
        if _fits_document(name, passage, losses)
    )
    return f"{HEAD}<document{said}><text>{_text(passage, losses, element)}</text></document>\n"


def _fits_document(name: str, passage: Passage, losses: Losses) -> bool:
    if is_name(name) and name != "id":
        return True
    losses.lose(f"the attribute {name!r} of documents, whose name cannot be one of XML", passage.name)
    return False


def _text(passage: Passage, losses: Losses, element: str | None) -> str:
    """Put tags into the text: of spans at the same place the longer is outside, of equal ones the first."""
    mentions = []
    for mention in passage.mentions:
        refuse_pieces(passage, mention, "an element is in one")
        if mention.begin == mention.end:
            losses.lose("spans that cover no text", passage.name)
        else:
            mentions.append(mention)
    pieces: list[str] = []
    open_: list[tuple[Mention, str]] = []
    place = 0

    def close(until: int) -> None:
        """Close the elements that end up to a place."""
        nonlocal place
        while open_ and open_[-1][0].end <= until:
            mention, name = open_.pop()
            pieces.append(content(passage.text[place : mention.end], passage.name) + f"</{name}>")
            place = mention.end

    for mention in sorted(mentions, key=lambda each: (each.begin, -each.end)):
        close(mention.begin)
        if open_ and open_[-1][0].end < mention.end:
            details = [called(passage, open_[-1][0]), called(passage, mention)]
            hint = "elements may lie in each other, but not cross; formats that can: jsonl, brat, gate, bioc"
            raise WriteError("two spans cross", details=details, hint=hint)
        name = element or _element(passage, mention)
        pieces.append(content(passage.text[place : mention.begin], passage.name))
        pieces.append(f"<{name}{_attributes(passage, mention, losses, element)}>")
        open_.append((mention, name))
        place = mention.begin
    close(len(passage.text))
    return "".join([*pieces, content(passage.text[place:], passage.name)])


def _element(passage: Passage, mention: Mention) -> str:
    hint = "say ?element=entity: the label is then the attribute 'type' of an element <entity>"
    if not is_name(mention.label):
        what = f"the label {mention.label!r} in document {passage.name!r} cannot be the name of an element"
        raise WriteError(what, hint=hint)
    if mention.label in _TAKEN:
        what = f"the label {mention.label!r} in document {passage.name!r} is an element with a meaning of its own"
        raise WriteError(what, hint=hint)
    return mention.label


def _attributes(passage: Passage, mention: Mention, losses: Losses, element: str | None) -> str:
    found = {} if element is None else {LABEL: mention.label}
    taken = {*IDS, "id", *(LABELS if element else ())}
    for name, value in mention.said.items():
        if name in taken or not is_name(name):
            losses.lose(f"{name!r} of spans, which cannot be an attribute of that name", passage.name)
        else:
            lose_type(name, value, passage, losses)
            found[name] = written(value)
    if mention.ids is not None:
        found[LINK] = BAR.join(mention.ids)
    return "".join(attribute(name, value, passage.name) for name, value in found.items())


WRITER = Writer(
    "inline-xml",
    SUFFIX,
    write,
    many=True,
    options={"element": "the element of all spans, whose label is then its attribute 'type': entity, mention …"},
)
