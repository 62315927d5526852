"""Result folders in the hands of others: looked at, damaged, and forged by somebody who knows how to write digests."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import comparanda as cp
from comparanda.errors import ReadError
from comparanda.storage.manifest import MANIFEST


def content(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def copied(files: dict[str, bytes], folder: Path) -> Forged:
    """Give another folder the files of a result folder, to be forged there; those it has already are left alone."""
    folder.mkdir(exist_ok=True)
    there = content(folder)
    for name in there.keys() - files.keys():
        (folder / name).unlink()
    for name in [name for name, data in files.items() if there.get(name) != data]:
        (folder / name).write_bytes(files[name])
    return Forged(folder)


def refused(folder: Path, what: str) -> ReadError:
    with pytest.raises(ReadError, match=what) as caught:
        cp.open(folder)
    assert caught.value.exit_code == 3
    return caught.value


class Forged:
    """A result folder whose maker knows how to write digests."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest: Any = json.loads((folder / MANIFEST).read_text())

    def write(self) -> None:
        (self.folder / MANIFEST).write_text(json.dumps(self.manifest))

    def put(self, name: str, data: bytes) -> None:
        (self.folder / name).write_bytes(data)
        self.manifest["files"][name] = hashlib.blake2b(data, digest_size=16).hexdigest()
        self.write()

    def array(self, name: str) -> Any:
        return np.load(self.folder / name)

    def put_array(self, name: str, values: Any) -> None:
        stream = io.BytesIO()
        np.save(stream, values)
        self.put(name, stream.getvalue())

    @property
    def view(self) -> Any:
        return self.manifest["views"][0]

    @property
    def sites(self) -> Any:
        return self.view["sites"]

    @property
    def items(self) -> Any:
        return self.manifest["views"][1]["items"]

    @property
    def text(self) -> Any:
        return self.manifest["texts"][0]


Change = Callable[[Any], Any]
"""Makes another column of one."""

Columns = Mapping[str, tuple[Callable[[Forged], str], Mapping[str, Change]]]
"""What is done to columns: for each, by a name for it, its file in a folder, and the changes by their names."""


def damages(columns: Columns) -> list[tuple[str, str]]:
    """Return every column with every change of it."""
    return [(name, how) for name, (_, changes) in columns.items() for how in changes]


def refuse_damage(forged: Forged, columns: Columns, name: str, how: str) -> None:
    """Change a column, which must really be another one then, and see that the folder is refused."""
    file, changes = columns[name]
    before = forged.array(file(forged))
    after = changes[how](before)
    assert after.dtype != before.dtype or not np.array_equal(after, before)
    forged.put_array(file(forged), after)
    refused(forged.folder, "the result folder is damaged")


def changed(*path: Any) -> Callable[[Forged], None]:
    """Return a change of the manifest: the last of the path is the new value."""
    *steps, last, value = path

    def change(forged: Forged) -> None:
        place = forged.manifest
        for step in steps:
            place = place[step]
        place[last] = value(place[last]) if callable(value) else value

    return change
