"""UIMA CAS as XMI: a file for each document, and one for the type system, with the named entities of DKPro Core."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from keyword import iskeyword

from comparanda.ids import NIL
from comparanda.read.offsets import places_in
from comparanda.read.xml_formats.xmi import NAMED_ENTITY, SUFFIX, TYPES_FILE, UNTYPED
from comparanda.write.passages import Losses, Mention, Passage, Value
from comparanda.write.writer import Writer
from comparanda.write.xml_text import HEAD, attribute, file_name, is_name, refuse_pieces, written

_SPACES = {
    "cas": "http:///uima/cas.ecore",
    "xmi": "http://www.omg.org/XMI",
    "tcas": "http:///uima/tcas.ecore",
    "type": "http:///de/tudarmstadt/ukp/dkpro/core/api/ner/type.ecore",
}
_TAKEN = frozenset({"value", "identifier", "begin", "end", "sofa", "self", "type", "xmiID"})
_TEXT = "uima.cas.String"


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write a file of each document, and the type system beside them."""
    del options
    passages = list(documents)
    features = _features(passages, losses)
    yield TYPES_FILE, _types(features)
    for passage in passages:
        yield file_name(passage.name, SUFFIX), _document(passage, features, losses)


def _features(passages: Sequence[Passage], losses: Losses) -> dict[str, str]:
    """Return what is said of spans and can be a feature, with its type."""
    kinds: dict[str, set[type]] = {}
    for passage in passages:
        for mention in passage.mentions:
            for name, value in mention.said.items():
                if name in _TAKEN or iskeyword(name) or not (name.isascii() and is_name(name) and name.isidentifier()):
                    losses.lose(f"{name!r} of spans, which cannot be the name of a feature", passage.name)
                else:
                    kinds.setdefault(name, set()).add(type(value))
    return {name: _range(each) for name, each in sorted(kinds.items())}


def _range(kinds: set[type]) -> str:
    """Return the type of a feature that has values of some types.

    >>> _range({bool}), _range({int, float}), _range({str, int})
    ('uima.cas.Boolean', 'uima.cas.Double', 'uima.cas.String')
    """
    if kinds == {bool}:
        return "uima.cas.Boolean"
    if kinds == {int}:
        return "uima.cas.Long"
    return "uima.cas.Double" if kinds <= {int, float} else _TEXT


def _types(features: Mapping[str, str]) -> str:
    """Return the type system: the named entity with its features."""
    every = {"value": _TEXT, "identifier": _TEXT, **features}
    described = "".join(
        f"    <featureDescription><name>{name}</name><description/>"
        f"<rangeTypeName>{kind}</rangeTypeName></featureDescription>\n"
        for name, kind in every.items()
    )
    return (
        f'{HEAD}<typeSystemDescription xmlns="http://uima.apache.org/resourceSpecifier">\n <types>\n'
        f"  <typeDescription><name>{NAMED_ENTITY}</name><description/>"
        f"<supertypeName>uima.tcas.Annotation</supertypeName>\n   <features>\n{described}   </features>\n"
        "  </typeDescription>\n </types>\n</typeSystemDescription>\n"
    )


def _document(passage: Passage, features: Mapping[str, str], losses: Losses) -> str:
    for name in passage.attributes:
        losses.lose(f"the attribute {name!r} of documents", passage.name)
    units: Sequence[int] = places_in(passage.text, "utf-16").tolist()
    entities = [
        _entity(passage, mention, units, number, features, losses)
        for number, mention in enumerate(passage.mentions, start=3)
    ]
    spaces = "".join(f' xmlns:{prefix}="{iri}"' for prefix, iri in _SPACES.items())
    members = " ".join(map(str, range(2, len(entities) + 3)))
    text = attribute("sofaString", passage.text, passage.name)
    return (
        f'{HEAD}<xmi:XMI{spaces} xmi:version="2.0">\n <cas:NULL xmi:id="0"/>\n'
        f' <tcas:DocumentAnnotation xmi:id="2" sofa="1" begin="0" end="{units[-1]}" language="x-unspecified"/>\n'
        f"{''.join(entities)}"
        f' <cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text"{text}/>\n'
        f' <cas:View sofa="1" members="{members}"/>\n</xmi:XMI>\n'
    )


def _entity(
    passage: Passage,
    mention: Mention,
    units: Sequence[int],
    number: int,
    features: Mapping[str, str],
    losses: Losses,
) -> str:
    refuse_pieces(passage, mention, "annotations of UIMA are in one")
    said: dict[str, Value] = {} if mention.label == UNTYPED else {"value": mention.label}
    if mention.ids is not None:
        said["identifier"] = mention.ids[0] if mention.ids else NIL
        if len(mention.ids) > 1:
            losses.lose("further ids of a span, behind the first", passage.name)
    said |= {name: value for name, value in mention.said.items() if name in features}
    written_out = "".join(attribute(name, written(value), passage.name) for name, value in said.items())
    extent = f'begin="{units[mention.begin]}" end="{units[mention.end]}"'
    return f' <type:NamedEntity xmi:id="{number}" sofa="1" {extent}{written_out}/>\n'


WRITER = Writer("xmi", SUFFIX, write, many=True)
