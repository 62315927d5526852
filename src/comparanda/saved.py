"""Result folders: one `.npy` file a column, names and settings as JSON, no pickle.

A folder is written to a temporary name and renamed, so it is there whole or not at all. Text stays
in the user's files: the folder keeps their paths, sizes and digests, and refuses excerpts from a
file that changed. What has no file (Python data, standard input) is kept in the folder.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from comparanda.columns import PADDING, Column, TextColumn
from comparanda.errors import ReadError
from comparanda.excerpts import Side, TextPart, Texts
from comparanda.places import Note, Part, Source
from comparanda.read.files import load_files
from comparanda.verdicts import Attribute, Items, Sites, System, Units, Verdicts, View
from comparanda.version import __version__

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.result import Result

MANIFEST = "manifest.json"
FOLDER_VERSION = 1
_KIND = "comparanda result"


def is_result_folder(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a folder that `Result.save` wrote."""
    return (Path(path) / MANIFEST).is_file()


class _Writer:
    """Writes columns to a folder and notes down what the manifest must say of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._number = 0
        self._known: dict[int, tuple[Any, str]] = {}

    def array(self, values: NDArray[Any] | None) -> str | None:
        """Write an array, once, and return the name of its file."""
        if values is None:
            return None
        if id(values) not in self._known:
            name = f"{self._number:04}.npy"
            self._number += 1
            np.save(self.folder / name, np.ascontiguousarray(values), allow_pickle=False)
            self._known[id(values)] = (values, name)
        return self._known[id(values)][1]

    def column(self, column: Column) -> dict[str, Any]:
        """Write a column of any type."""
        if isinstance(column, TextColumn):
            return {"codes": self.array(column.codes), "names": list(column.names), "missing": column.missing}
        return {"values": self.array(column)}

    def bytes(self, data: bytes) -> str:
        """Write bytes that have no file of their own."""
        name = f"{self._number:04}.bin"
        self._number += 1
        (self.folder / name).write_bytes(data)
        return name


class _Reader:
    """Reads columns back, checking each against the manifest."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def array(self, name: str | None) -> Any:
        """Read an array; a damaged file is an error, not a wrong number."""
        if name is None:
            return None
        try:
            return np.load(self.folder / _plain(name), allow_pickle=False)
        except (OSError, ValueError, EOFError) as problem:
            raise ReadError(f"the result folder is damaged: {name}: {problem}", where=str(self.folder)) from None

    def column(self, saved: Mapping[str, Any]) -> Column:
        """Read a column of any type."""
        if "codes" in saved:
            return TextColumn(self.array(saved["codes"]), tuple(saved["names"]), saved["missing"])
        values: Column = self.array(saved["values"])
        return values


def _plain(name: str) -> str:
    """Refuse a name that would lead out of the folder."""
    if Path(name).name != name:
        raise ReadError(f"a result folder names a file outside itself: {name!r}")
    return name


def save(result: Result, folder: str | os.PathLike[str]) -> None:
    """Write a result; an older result folder of the same name is replaced, anything else is refused."""
    target = Path(folder)
    if target.exists() and not is_result_folder(target) and (not target.is_dir() or any(target.iterdir())):
        raise ReadError("something else stands there already", where=str(target), hint="choose another folder")
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        _write(result, temporary)
        if target.exists():
            shutil.rmtree(target)
        temporary.rename(target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _write(result: Result, folder: Path) -> None:
    writer = _Writer(folder)
    verdicts = result.verdicts
    manifest = {
        "kind": _KIND,
        "folder_version": FOLDER_VERSION,
        "version": __version__,
        "resamples": result.resamples,
        "seed": result.seed,
        "zero_division": result.zero_division,
        "task": verdicts.task,
        "systems": [{"name": system.name, "runs": list(system.runs)} for system in verdicts.systems],
        "runs": list(verdicts.runs),
        "documents": list(verdicts.documents),
        "unit": verdicts.units.kind,
        "units": verdicts.units.count,
        "settings": dict(verdicts.settings),
        "notes": [[note.side, note.what, note.count, list(note.first)] for note in verdicts.notes],
        "views": [_view(writer, view) for view in verdicts.views.values()],
        "texts": [_text_part(writer, part) for part in verdicts.texts.parts],
    }
    (folder / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=1))


def _view(writer: _Writer, view: View) -> dict[str, Any]:
    return {
        "name": view.name,
        "measures": list(view.measures),
        "sites": _sites(writer, view.all_sites),
        "left_out": None if view.left_out is None else writer.column(view.left_out),
        "items": None if view.given_items is None else _items(writer, view.given_items),
        "statistics": {name: writer.array(values) for name, values in view.statistics.items()},
    }


def _sites(writer: _Writer, sites: Sites) -> dict[str, Any]:
    return {
        "document": writer.array(sites.document),
        "sentence": writer.array(sites.sentence),
        "place": writer.array(sites.place),
        "key": writer.array(sites.key),
        "values": [writer.array(values) for values in sites.values],
        "names": list(sites.names),
        "parts": None if sites.parts is None else [list(part) for part in sites.parts],
        "attributes": {
            name: {"type": attribute.type, **writer.column(attribute.make())}
            for name, attribute in sites.attributes.items()
        },
    }


def _items(writer: _Writer, items: Items) -> dict[str, Any]:
    return {
        "document": writer.array(items.document),
        "sentence": writer.array(items.sentence),
        "place": writer.array(items.place),
        "label": writer.array(items.label),
        "names": list(items.names),
        "positive": writer.array(items.positive),
        "claimed": [writer.array(claimed) for claimed in items.claimed],
        "credit": None if items.credit is None else [writer.array(credit) for credit in items.credit],
    }


def _text_part(writer: _Writer, part: TextPart) -> dict[str, Any]:
    return {
        "documents": writer.array(part.documents),
        "names": list(part.names),
        "sentences": writer.array(part.sentences),
        "start": writer.array(part.start),
        "length": writer.array(part.length),
        "words": None if part.words is None else _source(writer, part.words()),
        "sides": [
            {
                "name": side.name,
                "source": _source(writer, side.source()),
                "offset": writer.array(side.offset),
                "to_side": writer.array(side.to_side),
            }
            for side in part.sides
        ],
    }


def _source(writer: _Writer, source: Source) -> dict[str, Any]:
    """Remember where bytes are; keep those that have no file, or whose bytes were repaired after reading."""
    files = all(part.path is not None for part in source.parts) and not source.repaired
    return {
        "parts": [
            {
                "name": part.name,
                "path": str(part.path.resolve()) if part.path is not None else None,
                "begin": part.begin,
            }
            for part in source.parts
        ],
        "digest": digest(source),
        "data": None if files else writer.bytes(bytes(source.data[: source.size])),
    }


def digest(source: Source) -> str:
    """Return the digest of a source's cleaned bytes."""
    return hashlib.blake2b(memoryview(source.data)[: source.size], digest_size=16).hexdigest()


def open_result(folder: str | os.PathLike[str]) -> Result:
    """Read back what `Result.save` wrote.

    Args:
        folder: the folder.

    """
    from comparanda.result import Result

    path = Path(folder)
    manifest = _manifest(path)
    reader = _Reader(path)
    try:
        verdicts = Verdicts(
            task=manifest["task"],
            systems=tuple(System(each["name"], tuple(each["runs"])) for each in manifest["systems"]),
            runs=tuple(manifest["runs"]),
            documents=tuple(manifest["documents"]),
            units=Units(manifest["unit"], manifest["units"]),
            views={view["name"]: _read_view(reader, view) for view in manifest["views"]},
            settings=manifest["settings"],
            notes=tuple(Note(side, what, count, tuple(first)) for side, what, count, first in manifest["notes"]),
            texts=Texts(tuple(_read_text_part(reader, part) for part in manifest["texts"])),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise ReadError(f"the manifest is damaged: {problem!r}", where=str(path / MANIFEST)) from None
    return Result(verdicts, manifest["resamples"], manifest["seed"], manifest["zero_division"])


def _manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = msgspec.json.decode((path / MANIFEST).read_bytes())
    except OSError:
        raise ReadError("this is no result folder: it has no manifest.json", where=str(path)) from None
    except msgspec.DecodeError as problem:
        raise ReadError(f"the manifest is damaged: {problem}", where=str(path / MANIFEST)) from None
    if not isinstance(manifest, dict) or manifest.get("kind") != _KIND:
        raise ReadError("this is no result folder of comparanda", where=str(path))
    if manifest.get("folder_version") != FOLDER_VERSION:
        raise ReadError(
            f"the folder has version {manifest.get('folder_version')}, this program reads {FOLDER_VERSION}",
            where=str(path),
            hint=f"it was written by comparanda {manifest.get('version')}",
        )
    return manifest


def _read_view(reader: _Reader, saved: Mapping[str, Any]) -> View:
    left_out = None if saved["left_out"] is None else reader.column(saved["left_out"])
    if left_out is not None and not isinstance(left_out, TextColumn):
        raise TypeError("reasons must be text")
    return View(
        saved["name"],
        _read_sites(reader, saved["sites"]),
        tuple(saved["measures"]),
        left_out,
        None if saved["items"] is None else _read_items(reader, saved["items"]),
        {name: reader.array(file) for name, file in saved["statistics"].items()},
    )


def _read_sites(reader: _Reader, saved: Mapping[str, Any]) -> Sites:
    parts = saved["parts"]
    return Sites(
        reader.array(saved["document"]),
        reader.array(saved["sentence"]),
        reader.array(saved["place"]),
        reader.array(saved["key"]),
        tuple(reader.array(name) for name in saved["values"]),
        tuple(saved["names"]),
        None if parts is None else tuple(tuple(part) for part in parts),
        {name: _read_attribute(reader, each) for name, each in saved["attributes"].items()},
    )


def _read_attribute(reader: _Reader, saved: Mapping[str, Any]) -> Attribute:
    return Attribute(saved["type"], lambda: reader.column(saved))


def _read_items(reader: _Reader, saved: Mapping[str, Any]) -> Items:
    credit = saved["credit"]
    return Items(
        reader.array(saved["document"]),
        reader.array(saved["sentence"]),
        reader.array(saved["place"]),
        reader.array(saved["label"]),
        tuple(saved["names"]),
        reader.array(saved["positive"]),
        tuple(reader.array(name) for name in saved["claimed"]),
        None if credit is None else tuple(reader.array(name) for name in credit),
    )


def _read_text_part(reader: _Reader, saved: Mapping[str, Any]) -> TextPart:
    return TextPart(
        reader.array(saved["documents"]),
        tuple(saved["names"]),
        reader.array(saved["sentences"]),
        reader.array(saved["start"]),
        reader.array(saved["length"]),
        None if saved["words"] is None else _opener(reader, saved["words"]),
        tuple(
            Side(
                each["name"],
                _opener(reader, each["source"]),
                reader.array(each["offset"]),
                reader.array(each["to_side"]),
            )
            for each in saved["sides"]
        ),
    )


def _opener(reader: _Reader, saved: Mapping[str, Any]) -> Callable[[], Source]:
    """Return a function that reads a source again when an excerpt first needs it."""

    @cache
    def open_source() -> Source:
        parts = [Part(each["name"], each["path"] and Path(each["path"]), each["begin"]) for each in saved["parts"]]
        if saved["data"] is not None:
            data = (reader.folder / _plain(saved["data"])).read_bytes()
            source = Source(tuple(parts), bytearray(data + bytes(PADDING)), repaired=True)
        else:
            found = load_files([part.path for part in parts], side="saved")
            source = Source(tuple(parts), found.data)
        if digest(source) != saved["digest"]:
            raise ReadError(
                "the file has changed since the result was saved",
                where=parts[0].name,
                hint="compare again to see examples; the numbers in the folder are those of the old file",
            )
        return source

    return open_source
