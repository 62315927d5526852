"""GATE XML: one file a document, nodes where spans begin and end, and one annotation set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from comparanda.ids import BAR
from comparanda.read.offsets import places_in
from comparanda.read.xml_formats.gate import IDS
from comparanda.read.xml_formats.gate_documents import ROOT, TEXT
from comparanda.write.passages import Losses, Passage, Value
from comparanda.write.writer import Writer
from comparanda.write.xml_text import HEAD, attribute, content, file_name, refuse_pieces, written

SUFFIX = ".xml"
LINK = IDS[0]

_STRING = "java.lang.String"


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents, one file each."""
    for passage in documents:
        yield file_name(passage.name, SUFFIX), _document(passage, losses, options.get("set", ""))


def _document(passage: Passage, losses: Losses, name: str) -> str:
    places = {0, len(passage.text)}
    for mention in passage.mentions:
        refuse_pieces(passage, mention, "an annotation goes from one node to another")
        places |= {mention.begin, mention.end}
    node = _nodes(passage.text, sorted(places))
    features = "".join(_feature(key, value, passage.name) for key, value in passage.attributes.items())
    annotations = "".join(_annotations(passage, losses, node))
    named = attribute("Name", name, passage.name) if name else ""
    return (
        f'{HEAD}<{ROOT} version="3">\n<GateDocumentFeatures>\n{features}</GateDocumentFeatures>\n'
        f"<{TEXT}>{_text(passage, node)}</{TEXT}>\n<AnnotationSet{named}>\n{annotations}</AnnotationSet>\n</{ROOT}>\n"
    )


def _nodes(text: str, places: list[int]) -> dict[int, int]:
    """Return the id of the node at each place: its offset in UTF-16 units."""
    units = places_in(text, "utf-16")
    return {place: int(units[place]) for place in places}


def _text(passage: Passage, node: Mapping[int, int]) -> str:
    """Put nodes into the text."""
    pieces, last = [], 0
    for place, id_ in node.items():
        pieces.append(f'{content(passage.text[last:place], passage.name)}<Node id="{id_}"/>')
        last = place
    return "".join(pieces)


def _annotations(passage: Passage, losses: Losses, node: Mapping[int, int]) -> Iterator[str]:
    for number, mention in enumerate(passage.mentions, start=1):
        kind = attribute("Type", mention.label, passage.name)
        yield f'<Annotation Id="{number}"{kind} StartNode="{node[mention.begin]}" EndNode="{node[mention.end]}">\n'
        for name, value in mention.said.items():
            if name in IDS:
                losses.lose(f"{name!r} of spans, which cannot be a feature of that name", passage.name)
            else:
                yield _feature(name, value, passage.name)
        if mention.ids is not None:
            yield _feature(LINK, BAR.join(mention.ids), passage.name)
        yield "</Annotation>\n"


def _feature(name: str, value: Value, document: str) -> str:
    of_value = content(written(value), document)
    return (
        f'<Feature><Name className="{_STRING}">{content(name, document)}</Name>'
        f'<Value className="{_class(value)}">{of_value}</Value></Feature>\n'
    )


def _class(value: Value) -> str:
    """Return the Java class of a value."""
    if isinstance(value, bool):
        return "java.lang.Boolean"
    if isinstance(value, int):
        return "java.lang.Integer" if abs(value) < 1 << 31 else "java.lang.Long"
    return "java.lang.Double" if isinstance(value, float) else _STRING


WRITER = Writer(
    "gate",
    SUFFIX,
    write,
    many=True,
    options={"set": "the name of the annotation set (default: the one without a name)"},
)
