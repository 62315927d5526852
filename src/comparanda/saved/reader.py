"""The reader of result folders: what is read is checked, so that no finding stumbles over it or, worse, does not."""

from __future__ import annotations

import io
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec
import numpy as np

from comparanda.columns import Column, TextColumn
from comparanda.errors import ReadError
from comparanda.manifest import digest
from comparanda.sites import special_last

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from comparanda.columns import Codes, Rows
    from comparanda.manifest import ColumnEntry, Manifest

PIECES = ("sentence", "row")
"""The units of a corpus without marks of documents."""

CODES = ("uint8", "uint16", "uint32")
INTEGERS = (*CODES, "uint64", "int8", "int16", "int32", "int64")
_OF_TYPE = {"truth": ("bool",), "number": ("float32", "float64", *INTEGERS), "text": INTEGERS}


class Reader:
    """Reads columns of a folder, each once, and checks them against the manifest and each other."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest
        self._known: dict[str, NDArray[Any]] = {}

    def refuse(self, what: str) -> NoReturn:
        """Say what is wrong with the folder."""
        raise ReadError(f"the result folder is damaged: {what}", where=str(self.folder))

    def require(self, fulfilled: object, what: str) -> None:
        """Refuse the folder unless a condition holds."""
        if not fulfilled:
            self.refuse(what)

    def bytes(self, name: str) -> bytes:
        """Read a file of the folder, and check that it is what was saved."""
        if Path(name).name != name or name in {"", ".", ".."} or "\\" in name:
            self.refuse(f"the manifest names a file outside it: {name!r}")
        path = self.folder / name
        try:
            self.require(path.is_file(), f"{name} is missing")
            data = path.read_bytes()
        except (OSError, ValueError) as problem:
            self.refuse(f"{name}: {problem}")
        self.require(digest(data) == self.manifest.files.get(name), f"{name} is not what was saved")
        return data

    def release(self) -> None:
        """Let go of all columns, and of what the manifest says: of many parts, texts and attributes are read later."""
        self._known = {}
        nothing: dict[str, Any] = {name: [] for name in ("documents", "views", "claims", "chains", "texts", "notes")}
        self.manifest = msgspec.structs.replace(self.manifest, **nothing)

    def forget(self, names: Sequence[str]) -> None:
        """Let go of columns that were read."""
        for name in names:
            self._known.pop(name, None)

    def array(self, name: str, types: Sequence[str], length: int | None = None) -> NDArray[Any]:
        """Read a column of one of some types, and of a length if that is known."""
        if name not in self._known:
            self._known[name] = self._load(name)
        found = self._known[name]
        self.require(found.dtype.name in types and found.dtype.isnative, f"{name} is of type {found.dtype}")
        self.require(found.ndim == 1, f"{name} has {found.ndim} dimensions")
        if length is not None:
            self.require(len(found) == length, f"{name} has {len(found)} rows, not {length}")
        return found

    def _load(self, name: str) -> NDArray[Any]:
        data = self.bytes(name)
        try:
            found = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
        except Exception as problem:  # NumPy's parser of headers raises whatever it meets
            self.refuse(f"{name}: {problem}")
        return found

    def indices(self, name: str, length: int | None, below: int) -> NDArray[np.int32]:
        """Read indices from 0 to a limit."""
        found = self.array(name, ("int32",), length)
        self.require(not found.size or (found.min() >= 0 and found.max() < below), f"{name} points beyond its table")
        return found

    def ordered(self, name: str, length: int | None, below: int) -> NDArray[np.int32]:
        """Read indices that never fall, as those of documents and sentences."""
        found = self.indices(name, length, below)
        self.require((np.diff(found) >= 0).all(), f"{name} is not in order")
        return found

    def numbered(self, name: str, numbers: Codes) -> int:
        """Check that things have numbers in the order in which they appear, and return how many there are."""
        highest = np.maximum.accumulate(np.append(np.int64(-1), numbers))
        fits = ((numbers >= 0) & (numbers <= highest[:-1] + 1)).all()
        self.require(fits, f"{name} has no numbers in the order of their first appearance")
        return int(highest[-1]) + 1

    def codes(self, name: str, length: int, names: Sequence[str]) -> Codes:
        """Read codes of a table of names."""
        found = self.array(name, CODES, length)
        self.require(not found.size or int(found.max()) < len(names), f"{name} has codes beyond the names")
        return found

    def names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Check a table of names: sorted, each once, so that codes are what they would have been."""
        in_order = all(special_last(a) < special_last(b) for a, b in pairwise(names))
        self.require(in_order, "names are not in order")
        return tuple(names)

    def offsets(self, name: str, owners: int | None = None) -> Rows:
        """Read offsets: from 0 on, never falling, one more than there are owners."""
        found = self.array(name, ("int64",), None if owners is None else owners + 1)
        fits = len(found) and found[0] == 0 and (np.diff(found) >= 0).all()
        self.require(fits, f"{name} holds no offsets")
        return found

    def places(self, name: str, length: int, beyond: int) -> Codes:
        """Read places in a buffer or in a table: from 0 to a limit."""
        found = self.array(name, INTEGERS, length)
        self.require(not found.size or (found.min() >= 0 and int(found.max()) < beyond), f"{name} points nowhere")
        return found

    def column(self, entry: ColumnEntry, length: int) -> Column:
        """Read a column of any type."""
        found = self.array(entry.values, _OF_TYPE[entry.type], length)
        if entry.type != "text":
            self.require(entry.names is None and entry.missing is None, "a column without texts has names")
            return found
        if entry.names is None:
            self.refuse("a column of texts has no names")
        names = self._names_in(entry.names) if isinstance(entry.names, str) else entry.names
        try:
            return TextColumn(found, tuple(names), entry.missing)
        except ValueError as problem:
            self.refuse(f"{entry.values}: {problem}")

    def _names_in(self, file: str) -> list[str]:
        """Read names that are many."""
        try:
            return msgspec.json.decode(self.bytes(file), type=list[str])
        except (msgspec.MsgspecError, ValueError, RecursionError) as problem:
            self.refuse(f"{file}: {problem}")

    def read_again(self, entry: ColumnEntry, length: int) -> Column:
        """Read a column that was let go of, and do not keep it."""
        found = self.column(entry, length)
        self.forget([entry.values])
        return found

    def statistic(self, name: str) -> NDArray[np.float64]:
        """Read a statistic of the judge's own: finite numbers, (units, runs) or (units, runs, labels)."""
        if name not in self._known:
            self._known[name] = self._load(name)
        found = self._known[name]
        shape = (self.manifest.units, len(self.manifest.runs))
        fits = found.dtype == np.float64 and found.ndim in {2, 3} and found.shape[:2] == shape
        self.require(fits and np.isfinite(found).all(), f"{name} holds no statistic of {shape[0]} units")
        return found

    @cached_property
    def sentences(self) -> int:
        """The number of sentences that sites may lie in; where there are no texts, as many as can be."""
        if self.manifest.unit in PIECES:
            return self.manifest.units
        if not self.manifest.texts:
            return 2**31
        return sum(len(self.offsets(text.sentences)) - 1 for text in self.manifest.texts)

    @cached_property
    def own(self) -> int:
        """The number of the key's documents; mentions may stand in others behind them, of which there is no text."""
        if not (self.manifest.texts and self.manifest.chains):
            return len(self.manifest.documents)
        return sum(len(text.names) for text in self.manifest.texts)
