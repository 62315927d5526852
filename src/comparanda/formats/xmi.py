"""UIMA CAS as XMI, as INCEpTION, DKPro and cTAKES write it; read with the package cassis, which handles type systems.

The type system is `TypeSystem.xml` in the same folder, or named by an option. Offsets of UIMA count UTF-16 units.
"""

from __future__ import annotations

import io
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from xml.etree import ElementTree

from comparanda.core.ids import NIL, join_ids
from comparanda.core.places import Source, make_read_error
from comparanda.core.remote import AnyPath, path_of
from comparanda.errors import MissingExtraError, ReadError, suggest_nearest
from comparanda.formats.contract import Format, Request, choose_option
from comparanda.formats.document_writer import Losses, Mention, Passage, Value, Writer
from comparanda.formats.files import display_name, file_names, load_files
from comparanda.formats.standoff import Draft, places_in
from comparanda.formats.xml import HEAD, file_name, format_attribute, format_plain, is_name, refuse_pieces

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus


SUFFIX = ".xmi"
TYPES_FILE = "TypeSystem.xml"
UNTYPED = "ENTITY"
NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
"""The default type of spans: that of INCEpTION and DKPro Core."""

_METADATA = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData"
_ANNOTATION = "uima.tcas.Annotation"
_INITIAL_VIEW = "_InitialView"
_BUILT_IN_FEATURES = frozenset({"sofa", "begin", "end"})
_DECLARATION = re.compile(rb"\s*<\?xml.*?\?>", re.DOTALL)
_DOCTYPE = re.compile(rb"<!(?:DOCTYPE|ENTITY)")
_ID = re.compile(rb"\sxmi:id=[\"']([0-9]{1,18})[\"']")

Naming = Literal["file", "title", "id"]
_NAMINGS: tuple[Naming, ...] = ("file", "title", "id")


def read(source: Source, request: Request) -> Corpus:
    """Read the annotations of a type; each file is a document."""
    return _Reader(source, request).corpus()


def cassis_for(where: str) -> Any:
    """Import the package cassis; raise an error with instructions if it is not installed."""
    try:
        import cassis
    except ImportError:
        what = f"{where}: files of UIMA need the package dkpro-cassis, which is not installed"
        raise MissingExtraError(what, hint="pip install 'comparanda[uima]'") from None
    return cassis


class _Roles(NamedTuple):
    """The features of a type by role (label, id, others), and the short name of the type."""

    short: str
    label: str | None
    id: str | None
    others: tuple[str, ...]


class _Reader:
    """Reads one input into a corpus."""

    def __init__(self, source: Source, request: Request) -> None:
        self.source = source
        self.request = request
        self.options = request.options
        self.cassis = cassis_for(source.parts[0].name)
        self.systems: dict[AnyPath, Any] = {}
        self.called: list[str] = []
        self.roles: dict[str, _Roles] = {}

    def corpus(self) -> Corpus:
        naming = choose_option(self.options, "document", _NAMINGS)
        draft = Draft(source=self.source, side=self.request.side, called=lambda span, _: self.called[span])
        names = file_names(self.source, self.request, (SUFFIX,))
        for number, name in enumerate(names):
            places = self._element_offsets(number)
            cas = self._load_cas(number)
            view = self._choose_view(cas, number)
            draft.document(
                name if naming == "file" else self._metadata_name(cas, naming, number), self.source.parts[number].begin
            )
            draft.texts.append(view.sofa_string)
            for annotation in self._select_annotations(cas, view, number):
                self._add_span(draft, annotation, places.get(annotation.xmiID, self.source.parts[number].begin))
        return draft.corpus(self.request, name="xmi", evaluated=self.options.get("label", "value"))

    def _byte_range(self, number: int) -> tuple[int, int]:
        """Return the byte offsets at which a file begins and ends in the source."""
        parts = self.source.parts
        return parts[number].begin, parts[number + 1].begin if number + 1 < len(parts) else self.source.size

    def _element_offsets(self, number: int) -> dict[int, int]:
        """Return the byte offsets of the elements of a file, by their ids."""
        found: dict[int, int] = {}
        begin, end = self._byte_range(number)
        for match in _ID.finditer(self.source.data, begin, end):
            id_ = int(match[1])
            if id_ in found:
                details = [f"the first is at {self.source.locate(found[id_])}"]
                raise make_read_error(self.source, match.start(), f"duplicate xmi:id {id_}", details=details)
            found[id_] = match.start()
        return found

    def _load_cas(self, number: int) -> Any:
        types = self._load_types(number)
        data = _read_checked(self.source, *self._byte_range(number))
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)  # cassis just warns about offsets outside the text
            try:
                return self.cassis.load_cas_from_xmi(
                    io.BytesIO(data), typesystem=types, trusted=True
                )  # texts may be long
            except Exception as problem:  # cassis may raise anything for a file that is not a CAS
                raise _load_error(problem, self.source.parts[number].name, "a CAS that fits its type system") from None

    def _load_types(self, number: int) -> Any:
        """Return the type system of a file."""
        path = self._find_types_file(number)
        if path not in self.systems:
            source = load_files([path], side=self.request.side)
            try:
                data = _read_checked(source, 0, source.size)
                _check_names(data, display_name(path))
                self.systems[path] = self.cassis.load_typesystem(io.BytesIO(data))
            except ReadError:
                raise
            except Exception as problem:  # cassis may raise anything for a file that is not a type system
                raise _load_error(problem, display_name(path), "a UIMA type system") from None
        return self.systems[path]

    def _find_types_file(self, number: int) -> AnyPath:
        if "types" in self.options:
            return path_of(self.options["types"])
        part = self.source.parts[number]
        folders = [] if part.path is None else [part.path.parent]
        folders += [] if self.request.folder is None else [path_of(self.request.folder)]
        for folder in folders:
            if (folder / TYPES_FILE).is_file():
                return folder / TYPES_FILE
        hint = "put it there, or set ?types=FILE"
        raise ReadError(f"there is no {TYPES_FILE} in the folder of this file", where=part.name, hint=hint)

    def _choose_view(self, cas: Any, number: int) -> Any:
        """Return the view whose text is annotated."""
        name = self.source.parts[number].name
        texts = {sofa.sofaID: sofa.sofaString for sofa in cas.sofas if sofa.sofaString is not None}
        wanted = self.options.get("view", _INITIAL_VIEW if _INITIAL_VIEW in texts else next(iter(texts), _INITIAL_VIEW))
        if wanted not in texts:
            what = f"there is no view {wanted!r} with a text{suggest_nearest(wanted, texts)}"
            raise ReadError(what, where=name, hint=f"views with a text: {', '.join(texts) or 'none'}")
        if len(texts) > 1 and wanted != _INITIAL_VIEW and "view" not in self.options:
            what = "there are several views with a text"
            raise ReadError(what, where=name, details=[", ".join(texts)], hint=f"choose one: ?view={wanted}")
        return cas.get_view(wanted)

    def _select_annotations(self, cas: Any, view: Any, number: int) -> list[Any]:
        """Return the annotations that are spans, in text order."""
        types = {each.name: each for each in cas.typesystem.get_types()}
        wanted = self.options.get("type", NAMED_ENTITY)
        matching = [name for name in types if name == wanted or name.endswith(f".{wanted}")]
        if len(matching) != 1 or not cas.typesystem.is_instance_of(matching[0], _ANNOTATION):
            often = Counter(each.type.name for each in view.select(_ANNOTATION))
            what = f"the type system has no annotations of type {wanted!r}"
            if len(matching) > 1:
                what = f"{wanted!r} could be {' or '.join(sorted(matching))}"
            there = [f"{often[name]} of {name}" for name in sorted(often, key=lambda each: (-often[each], each))[:8]]
            hint = "set the type of spans: ?type=NAME"
            raise ReadError(what, where=self.source.parts[number].name, details=there, hint=hint)
        found = [each for each in view.select(matching[0]) if each.begin is not None and each.end is not None]
        return sorted(found, key=lambda each: (each.begin, -each.end, each.xmiID))

    def _add_span(self, draft: Draft, annotation: Any, place: int) -> None:
        roles = self.roles.get(annotation.type.name)
        if roles is None:
            roles = self.roles[annotation.type.name] = self._assign_roles(annotation.type, place)
        value = roles.short if roles.label is None else getattr(annotation, roles.label)
        number = draft.span([(annotation.begin, annotation.end)], _strip_value(value) or UNTYPED, place)
        self.called.append(f"the {roles.short} {annotation.xmiID}")
        if roles.id is not None and (id_ := getattr(annotation, roles.id)):
            draft.set_value(number, "id", join_ids([str(id_)]))
        for feature in roles.others:
            content = getattr(annotation, feature)
            if content != "" and isinstance(content, str | int | float):
                draft.set_value(number, feature, content)

    def _assign_roles(self, kind: Any, place: int) -> _Roles:
        features = [feature.name for feature in kind.all_features if feature.name not in _BUILT_IN_FEATURES]
        label = self._choose_feature("label", "value", features, place)
        id_ = self._choose_feature("id", "identifier", features, place)
        others = tuple(feature for feature in features if feature not in {label, id_})
        return _Roles(kind.name.rpartition(".")[2], label, id_, others)

    def _choose_feature(self, option: str, usual: str, features: list[str], place: int) -> str | None:
        """Return the feature that an option names, or the usual one if the type has it."""
        wanted = self.options.get(option, usual)
        if wanted in features:
            return wanted
        if option not in self.options:
            return None
        hint = f"its features: {', '.join(features) or 'none'}"
        raise make_read_error(
            self.source, place, f"there is no feature {wanted!r}{suggest_nearest(wanted, features)}", hint=hint
        )

    def _metadata_name(self, cas: Any, naming: Naming, number: int) -> str:
        """Return the name of a document from its metadata."""
        feature = {"title": "documentTitle", "id": "documentId"}.get(naming, "")
        known = cas.typesystem.contains_type(_METADATA)
        for each in cas.select(_METADATA) if known else ():
            if each[feature]:
                return str(each[feature])
        what, hint = f"the metadata of this file has no {feature}", "leave out the option 'document'"
        raise ReadError(what, where=self.source.parts[number].name, hint=hint)


def _read_checked(source: Source, begin: int, end: int) -> bytes:
    """Return a file without its XML declaration, since it is UTF-8 in any case; refuse a DTD or entity declarations."""
    if found := _DOCTYPE.search(source.data, begin, end):
        hint = "remove it: UIMA files have none, and it could be made to exhaust the memory"
        raise make_read_error(source, found.start(), "the file declares a DTD", hint=hint)
    declaration = _DECLARATION.match(source.data, begin, end)
    return bytes(source.data[declaration.end() if declaration else begin : end]).rstrip()


def _check_names(data: bytes, where: str) -> None:
    """Refuse invalid names of types and features: cassis generates Python classes from them, so they could be code.

    >>> _check_names(b"<t><typeDescription><name>a.b.Entity</name></typeDescription></t>", "types.xml")
    """
    try:
        elements = ElementTree.fromstring(data).iter()
    except ElementTree.ParseError as problem:
        what = f"this is not valid XML: {str(problem).partition(':')[0]}"
        raise ReadError(what, where=f"{where}:{problem.position[0]}", hint="is the file truncated?") from None
    for element in elements:
        kind = element.tag.rpartition("}")[2]
        for child in element.findall("{*}name") if kind in {"typeDescription", "featureDescription"} else ():
            name = "".join(child.itertext()).strip()
            parts = name.split(".") if kind == "typeDescription" else [name]
            if not all(part.isidentifier() and part.isascii() and not iskeyword(part) for part in parts):
                hint = "use letters, digits and _, but no Python keywords: cassis makes classes of these names"
                raise ReadError(f"{name[:60]!r} is not a valid name of a type or feature", where=where, hint=hint)


def _load_error(problem: Exception, name: str, wanted: str) -> ReadError:
    """Make the error for a file that is not XML, or not what was expected."""
    message = str(problem).partition("\n")[0][:200]
    line = getattr(problem, "lineno", None)
    if line is not None:
        what = f"this is not valid XML: {getattr(problem, 'msg', message).partition(', line ')[0]}"
        return ReadError(what, where=f"{name}:{line}", hint="is the file truncated?")
    what = f"this is not {wanted}: {message if len(message) > 11 else f'{type(problem).__name__} {message}'}"
    return ReadError(what, where=name, hint="set the type system of this file: ?types=FILE")


def _strip_value(value: Any) -> str:
    return str(value).strip() if isinstance(value, str | int | float) else ""


def sniff(lines: list[str]) -> bool:
    """Whether the first lines are UIMA XMI: they name both namespaces."""
    text = "\n".join(lines)
    return text.lstrip("\ufeff \t\n").startswith("<") and '"http://www.omg.org/XMI"' in text and "http:///uima/" in text


FORMAT = Format(
    name="xmi",
    summary="UIMA CAS as XMI with its TypeSystem.xml, as INCEpTION and DKPro write it (requires dkpro-cassis)",
    shapes=frozenset({"tokens"}),
    suffixes=(SUFFIX,),
    options={
        "types": f"the file of the type system (default: {TYPES_FILE} in the same folder)",
        "type": f"the type of spans, with its package or without (default: {NAMED_ENTITY})",
        "label": "the feature that is the label (default: value, else the name of the type)",
        "id": "the feature that is the id of the entity (default: identifier)",
        "view": f"the view whose text is annotated (default: {_INITIAL_VIEW}, or the only one)",
        "document": "what documents are named after: file (default), title or id from the metadata of DKPro",
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"spans"}),
    apart=(TYPES_FILE,),
)


# Writing XMI: a file for each document, and one for the type system, with the named entities of DKPro Core.


_NAMESPACES = {
    "cas": "http:///uima/cas.ecore",
    "xmi": "http://www.omg.org/XMI",
    "tcas": "http:///uima/tcas.ecore",
    "type": "http:///de/tudarmstadt/ukp/dkpro/core/api/ner/type.ecore",
}
_RESERVED_FEATURES = frozenset({"value", "identifier", "begin", "end", "sofa", "self", "type", "xmiID"})
_STRING_TYPE = "uima.cas.String"


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write a file for each document, and the type system."""
    del options
    passages = list(documents)
    features = _collect_features(passages, losses)
    yield TYPES_FILE, _type_system(features)
    for passage in passages:
        yield file_name(passage.name, SUFFIX), _document(passage, features, losses)


def _collect_features(passages: Sequence[Passage], losses: Losses) -> dict[str, str]:
    """Return the attributes of spans that can be features, with their types."""
    kinds: dict[str, set[type]] = {}
    for passage in passages:
        for mention in passage.mentions:
            for name, value in mention.attributes.items():
                if (
                    name in _RESERVED_FEATURES
                    or iskeyword(name)
                    or not (name.isascii() and is_name(name) and name.isidentifier())
                ):
                    losses.lose(f"{name!r} of spans, which is not a valid feature name", passage.name)
                else:
                    kinds.setdefault(name, set()).add(type(value))
    return {name: _range_type(each) for name, each in sorted(kinds.items())}


def _range_type(kinds: set[type]) -> str:
    """Return the UIMA type of a feature, given the Python types of its values.

    >>> _range_type({bool}), _range_type({int, float}), _range_type({str, int})
    ('uima.cas.Boolean', 'uima.cas.Double', 'uima.cas.String')
    """
    if kinds == {bool}:
        return "uima.cas.Boolean"
    if kinds == {int}:
        return "uima.cas.Long"
    return "uima.cas.Double" if kinds <= {int, float} else _STRING_TYPE


def _type_system(features: Mapping[str, str]) -> str:
    """Return the type system: the named entity type with its features."""
    every = {"value": _STRING_TYPE, "identifier": _STRING_TYPE, **features}
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
        _entity(passage, mention=mention, units=units, number=number, features=features, losses=losses)
        for number, mention in enumerate(passage.mentions, start=3)
    ]
    spaces = "".join(f' xmlns:{prefix}="{iri}"' for prefix, iri in _NAMESPACES.items())
    members = " ".join(map(str, range(2, len(entities) + 3)))
    text = format_attribute("sofaString", passage.text, passage.name)
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
    *,
    features: Mapping[str, str],
    losses: Losses,
) -> str:
    refuse_pieces(passage, mention, "an annotation of UIMA is in one piece")
    entries: dict[str, Value] = {} if mention.label == UNTYPED else {"value": mention.label}
    if mention.ids is not None:
        entries["identifier"] = mention.ids[0] if mention.ids else NIL
        if len(mention.ids) > 1:
            losses.lose("ids of a span after the first", passage.name)
    entries |= {name: value for name, value in mention.attributes.items() if name in features}
    written_out = "".join(format_attribute(name, format_plain(value), passage.name) for name, value in entries.items())
    extent = f'begin="{units[mention.begin]}" end="{units[mention.end]}"'
    return f' <type:NamedEntity xmi:id="{number}" sofa="1" {extent}{written_out}/>\n'


WRITER = Writer(name="xmi", suffix=SUFFIX, write=write, many=True)
