"""Result folders: the manifest and the columns are changed by somebody who knows how to write digests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from shutil import rmtree
from typing import Any

import comparanda as cp
from comparanda.errors import ComparandaError
from comparanda.result import Result
from comparanda.storage import fold
from comparanda.storage.manifest import MANIFEST
from fuzz.formats import Way
from fuzz.seeds import names_of, seeds_of
from fuzz.target import REFUSED, Target, case, put, taken_apart, workshop

TASKS = {"pos": "conllu", "dep": "conllu", "label": "tsv", "span": "columns", "link": "elevant", "coref": "conll2012",
         "prob": "probabilistic"}  # fmt: skip
_PATCHES = b"0 128 01\n1 130 ff00\n"
"""The second file of a case: a column by its number, a place in it, and the bytes to put there."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A result folder as it was saved: its manifest, and the names of its columns."""

    manifest: bytes
    files: dict[str, bytes]


def folder_target() -> Target:
    """Return the target."""
    words = [
        each.encode() for each in ("int64", "uint8", "float64", "null", "'shape': (9", "'<i8'", "'|O'", "128", "-1")
    ]
    return Target(name="result-folders", minutes=2, seeds=_seeds, run=run, words=words, longest=60_000)


@cache
def saved() -> tuple[Saved, ...]:
    """Save a small result of each task."""
    found: list[Saved] = []
    for task, name in TASKS.items():
        for number, pieces in enumerate(seeds_of(name)):
            names = names_of(name, ".x")
            given = Way(task, name, {}).input(put(f"saved-{task}-{number}", names, pieces) / names[0])
            with suppress(*REFUSED):
                result = cp.compare(given, {"one": given, "two": given}, task=task, resamples=10)
                if result.scores().value("one") is not None:
                    found += map(_saved, (result, *_small(result)))
                    break
    return tuple(found)


def _small(result: Result) -> Iterator[Result]:
    """Yield a result as it is where memory is short, if that is another one."""
    before, fold.EXAMPLES = fold.EXAMPLES, 0
    try:
        small = fold.fold_verdicts(result.verdicts, 0)
    finally:
        fold.EXAMPLES = before
    if any(view.counted is not None for view in small.views.values()):
        yield replace(result, verdicts=small)


def _saved(result: Result) -> Saved:
    folder = workshop() / "result"
    rmtree(folder, ignore_errors=True)
    result.save(folder)
    files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    return Saved(files.pop(MANIFEST), files)


def _seeds() -> Iterator[bytes]:
    for number, each in enumerate(saved()):
        yield case(number, each.manifest, b"")
        yield case(number, each.manifest, _PATCHES)
        for column in range(len(each.files)):
            yield case(number, each.manifest, b"%d 130 07\n" % column)


def run(data: bytes) -> None:
    """Change a folder, open it, and look at what it says."""
    choice, pieces = taken_apart(data)
    folder = _changed(saved()[choice % len(saved())], pieces[0], pieces[1] if len(pieces) > 1 else b"")
    try:
        result = cp.open(folder)
        for view in result.verdicts.views:
            result.scores(view=view)
        result.pairs()
        result.combination()
        result.examples(top=3)
    except ComparandaError as problem:
        if not isinstance(problem, REFUSED):
            raise


def _changed(origin: Saved, manifest: bytes, patches: bytes) -> Path:
    """Write a folder with the columns patched and their digests in the manifest, if that is one still."""
    files = dict(origin.files)
    names = list(files)
    for line in patches.split(b"\n")[:40]:
        with suppress(ValueError):
            number, place, new = line.split()
            name = names[int(number) % len(names)]
            column, begin = files[name], int(place) % (len(files[name]) + 1)
            inserted = bytes.fromhex(new.decode())
            files[name] = column[:begin] + inserted + column[begin + len(inserted) :]
    folder = put("folder", list(files), list(files.values()))
    for old in folder.iterdir():
        if old.name not in files:
            old.unlink()
    (folder / MANIFEST).write_bytes(_with_digests(manifest, origin, files))
    return folder


def _with_digests(manifest: bytes, origin: Saved, files: dict[str, bytes]) -> bytes:
    changed = {name: data for name, data in files.items() if data != origin.files[name]}
    if not changed:
        return manifest
    try:
        loose: Any = json.loads(manifest)
        loose["files"] |= {name: hashlib.blake2b(data, digest_size=16).hexdigest() for name, data in changed.items()}
        return json.dumps(loose).encode()
    except (ValueError, TypeError, KeyError, RecursionError):
        return manifest
