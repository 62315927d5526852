"""UIMA CAS as XMI, as INCEpTION, DKPro and cTAKES write it; read with the package cassis, which knows its types.

The type system lies beside the file, as `TypeSystem.xml`, or is named. Offsets of UIMA count UTF-16 units.
"""

from __future__ import annotations

import io
import re
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from comparanda.errors import MissingExtraError, ReadError, nearest
from comparanda.ids import joined
from comparanda.places import Source, refuse
from comparanda.read.file_names import file_names
from comparanda.read.files import display, load_files
from comparanda.read.request import Format, Request, choose
from comparanda.read.standoff import Draft
from comparanda.read.xml_events import events

if TYPE_CHECKING:
    from comparanda.corpus import Corpus

SUFFIX = ".xmi"
TYPES_FILE = "TypeSystem.xml"
UNTYPED = "ENTITY"
NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
"""The type of spans, if none is named: that of INCEpTION and DKPro Core."""

_METADATA = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData"
_ANNOTATION = "uima.tcas.Annotation"
_INITIAL = "_InitialView"
_OWN = frozenset({"sofa", "begin", "end"})
_DECLARATION = re.compile(rb"\s*<\?xml.*?\?>", re.DOTALL)
_DOCTYPE = re.compile(rb"<!(?:DOCTYPE|ENTITY)")

Naming = Literal["file", "title", "id"]
_NAMINGS: tuple[Naming, ...] = ("file", "title", "id")


def read(source: Source, request: Request) -> Corpus:
    """Read the annotations of a type; each file is a document."""
    return _Reading(source, request).corpus()


def cassis_for(where: str) -> Any:
    """Return the package cassis, or say that it is not installed."""
    try:
        import cassis
    except ImportError:
        what = f"{where}: files of UIMA need the package dkpro-cassis, which is not installed"
        raise MissingExtraError(what, hint="pip install 'comparanda[uima]'") from None
    return cassis


class _Reading:
    """One input on its way to a corpus."""

    def __init__(self, source: Source, request: Request) -> None:
        self.source = source
        self.request = request
        self.options = request.options
        self.cassis = cassis_for(source.parts[0].name)
        self.systems: dict[Path, Any] = {}
        self.called: list[str] = []

    def corpus(self) -> Corpus:
        naming = choose(self.options, "document", _NAMINGS)
        draft = Draft(self.source, self.request.side, lambda span, _: self.called[span])
        names = file_names(self.source, self.request, (SUFFIX,))
        for number, name in enumerate(names):
            places = self._places(number)
            cas = self._cas(number)
            view = self._view(cas, number)
            draft.document(
                name if naming == "file" else self._name(cas, naming, number), self.source.parts[number].begin
            )
            draft.texts.append(view.sofa_string)
            for annotation in self._annotations(cas, view, number):
                self._span(draft, annotation, places.get(annotation.xmiID, self.source.parts[number].begin))
        return draft.corpus(self.request, name="xmi", judged=self.options.get("label", "value"))

    def _bytes(self, number: int) -> bytes:
        """Return a file without its declaration: it is UTF-8 here, whatever that says."""
        begin = self.source.parts[number].begin
        end = self.source.parts[number + 1].begin if number + 1 < len(self.source.parts) else self.source.size
        data = bytes(self.source.data[begin:end])
        return _DECLARATION.sub(b"", data, count=1) if _DECLARATION.match(data) else data

    def _places(self, number: int) -> dict[int, int]:
        """Return where the elements of a file stand, by their ids; refuse what is no XML, or could harm."""
        found: dict[int, int] = {}
        _refuse_doctype(self.source, self.source.parts[number].begin)
        for kind, _, attributes, place in events(self.source, number):
            id_ = attributes.get("xmi:id", "") if kind == "start" else ""
            if id_.isascii() and id_.isdigit():
                if int(id_) in found:
                    details = [f"the first stands at {self.source.locate(found[int(id_)])}"]
                    raise refuse(self.source, place, f"the xmi:id {id_} is there a second time", details=details)
                found[int(id_)] = place
        return found

    def _cas(self, number: int) -> Any:
        name = self.source.parts[number].name
        types = self._types(number)
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)  # offsets outside of the text would be left as they are
            try:
                data = io.BytesIO(self._bytes(number))
                return self.cassis.load_cas_from_xmi(data, typesystem=types, trusted=True)  # texts may be long
            except Exception as problem:  # whatever a file that is no CAS brings about in there
                raise ReadError(
                    f"this is no CAS that fits its type system: {_said(problem)}",
                    where=name,
                    hint="the type system must be that of the file: ?types=FILE names it",
                ) from None

    def _types(self, number: int) -> Any:
        """Return the type system of a file."""
        path = self._types_file(number)
        if path not in self.systems:
            source = load_files([path], side=self.request.side)
            _refuse_doctype(source, 0)
            for _ in events(source, 0):
                pass
            data = _DECLARATION.sub(b"", bytes(source.data[: source.size]), count=1)
            try:
                self.systems[path] = self.cassis.load_typesystem(io.BytesIO(data))
            except Exception as problem:  # whatever a file that is no type system brings about in there
                what = f"this is no type system of UIMA: {_said(problem)}"
                raise ReadError(what, where=display(path)) from None
        return self.systems[path]

    def _types_file(self, number: int) -> Path:
        if "types" in self.options:
            return Path(self.options["types"])
        part = self.source.parts[number]
        folders = [] if part.path is None else [part.path.parent]
        folders += [] if self.request.folder is None else [Path(self.request.folder)]
        for folder in folders:
            if (folder / TYPES_FILE).is_file():
                return folder / TYPES_FILE
        hint = "put it there, or name it: ?types=FILE"
        raise ReadError(f"there is no {TYPES_FILE} beside this file", where=part.name, hint=hint)

    def _view(self, cas: Any, number: int) -> Any:
        """Return the view with the text that annotations stand in."""
        name = self.source.parts[number].name
        texts = {sofa.sofaID: sofa.sofaString for sofa in cas.sofas if sofa.sofaString is not None}
        wanted = self.options.get("view", _INITIAL if _INITIAL in texts else next(iter(texts), _INITIAL))
        if wanted not in texts:
            what = f"there is no view {wanted!r} with a text{nearest(wanted, texts)}"
            raise ReadError(what, where=name, hint=f"views with a text: {', '.join(texts) or 'none'}")
        if len(texts) > 1 and wanted != _INITIAL and "view" not in self.options:
            what = "there are several views with a text"
            raise ReadError(what, where=name, details=[", ".join(texts)], hint=f"say which: ?view={wanted}")
        return cas.get_view(wanted)

    def _annotations(self, cas: Any, view: Any, number: int) -> list[Any]:
        """Return the annotations that are spans, in the order of the text."""
        types = {each.name: each for each in cas.typesystem.get_types()}
        wanted = self.options.get("type", NAMED_ENTITY)
        fitting = [name for name in types if name == wanted or name.endswith(f".{wanted}")]
        if len(fitting) != 1 or not cas.typesystem.is_instance_of(fitting[0], _ANNOTATION):
            often = Counter(each.type.name for each in view.select(_ANNOTATION))
            what = f"the type system has no annotations of type {wanted!r}"
            if len(fitting) > 1:
                what = f"{wanted!r} could be {' or '.join(sorted(fitting))}"
            there = [f"{count} of {name}" for name, count in often.most_common(8)]
            hint = "name the type of spans: ?type=NAME"
            raise ReadError(what, where=self.source.parts[number].name, details=there, hint=hint)
        found = [each for each in view.select(fitting[0]) if each.begin is not None and each.end is not None]
        return sorted(found, key=lambda each: (each.begin, -each.end, each.xmiID))

    def _span(self, draft: Draft, annotation: Any, place: int) -> None:
        features = [feature.name for feature in annotation.type.all_features if feature.name not in _OWN]
        label = self._feature("label", "value", features, place)
        id_ = self._feature("id", "identifier", features, place)
        short = annotation.type.name.rpartition(".")[2]
        value = short if label is None else annotation[label]
        number = draft.span([(annotation.begin, annotation.end)], _plain(value) or UNTYPED, place)
        self.called.append(f"the {short} {annotation.xmiID}")
        if id_ is not None and annotation[id_]:
            draft.say(number, "id", joined([str(annotation[id_])]))
        for feature in features:
            said = annotation[feature]
            if feature not in {label, id_} and isinstance(said, str | int | float) and said != "":
                draft.say(number, feature, said)

    def _feature(self, option: str, usual: str, features: list[str], place: int) -> str | None:
        """Return the feature that an option names, or the usual one if there is such."""
        wanted = self.options.get(option, usual)
        if wanted in features:
            return wanted
        if option not in self.options:
            return None
        hint = f"its features: {', '.join(features) or 'none'}"
        raise refuse(self.source, place, f"there is no feature {wanted!r}{nearest(wanted, features)}", hint=hint)

    def _name(self, cas: Any, naming: Naming, number: int) -> str:
        """Return the name that the metadata give to a document."""
        feature = {"title": "documentTitle", "id": "documentId"}.get(naming, "")
        known = cas.typesystem.contains_type(_METADATA)
        for each in cas.select(_METADATA) if known else ():
            if each[feature]:
                return str(each[feature])
        what, hint = f"the metadata of this file have no {feature}", "leave the option 'document' out"
        raise ReadError(what, where=self.source.parts[number].name, hint=hint)


def _refuse_doctype(source: Source, begin: int) -> None:
    if found := _DOCTYPE.search(source.data, begin):
        hint = "files of UIMA have none, and it can be made to fill all memory: take it out"
        raise refuse(source, found.start(), "there is a declaration of a DTD", hint=hint)


def _plain(value: Any) -> str:
    return str(value).strip() if isinstance(value, str | int | float) else ""


def _said(problem: Exception) -> str:
    first = str(problem).partition("\n")[0][:200]
    return f"{type(problem).__name__} {first}" if len(first) < 12 else first


def sniff(lines: list[str]) -> bool:
    """Whether the first lines are XMI of UIMA: they name both namespaces."""
    text = "\n".join(lines)
    return text.lstrip("\ufeff \t\n").startswith("<") and '"http://www.omg.org/XMI"' in text and "http:///uima/" in text


FORMAT = Format(
    name="xmi",
    summary="UIMA CAS as XMI with its TypeSystem.xml, as INCEpTION and DKPro write it (with dkpro-cassis installed)",
    shapes=frozenset({"tokens"}),
    suffixes=(SUFFIX,),
    options={
        "types": f"the file of the type system (default: {TYPES_FILE} beside the file)",
        "type": f"the type of spans, with its package or without (default: {NAMED_ENTITY})",
        "label": "the feature that is the label (default: value; without such the name of the type)",
        "id": "the feature that is the id of the entity (default: identifier)",
        "view": f"the view whose text is meant (default: {_INITIAL}, or the only one)",
        "document": "what names documents: file (default), title or id, as the metadata of DKPro have them",
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"spans"}),
)
