"""Reading result folders: systems, views and texts, each checked against the others."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import TextColumn
from comparanda.errors import ReadError, UsageError
from comparanda.manifest import MANIFEST, PLAN, PartsManifest, digest, read_manifest
from comparanda.measures import can_be_told, measure
from comparanda.merge import merge
from comparanda.places import Note
from comparanda.saved.beliefs import read_candidates
from comparanda.saved.reader import Reader
from comparanda.saved.tables import Tables
from comparanda.saved.texts import read_texts
from comparanda.verdicts import System, Units, Verdicts, View

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from comparanda.claims import Claims
    from comparanda.excerpts import Texts
    from comparanda.manifest import Manifest, ViewEntry
    from comparanda.result import Result
    from comparanda.sites import Sites


def is_result_folder(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a folder that `Result.save` wrote."""
    return any((Path(path) / name).is_file() for name in (MANIFEST, PLAN))


def open_result(folder: str | os.PathLike[str]) -> Result:
    """Read back what `Result.save` wrote.

    Args:
        folder: the folder.

    """
    from comparanda.result import Result

    path = Path(os.path.realpath(folder))
    manifest = read_manifest(path)
    if isinstance(manifest, PartsManifest):
        if outside := next((name for name in manifest.parts if Path(name).name != name or name == ".."), None):
            raise ReadError(f"the manifest names a part outside the folder: {outside!r}", where=str(path))
        verdicts = merge([open_part(path / name, known).verdicts for name, known in manifest.parts.items()])
        return Result(verdicts, manifest.resamples, manifest.seed, manifest.zero_division)
    return _opened(path, manifest)


def open_part(folder: Path, known: str) -> Result:
    """Read a part of a result, given the digest of its manifest."""
    try:
        data = (folder / MANIFEST).read_bytes()
    except OSError:
        raise ReadError("a part of the result is missing", where=str(folder)) from None
    if digest(data) != known:
        raise ReadError("a part of the result is not what was saved", where=str(folder))
    manifest = read_manifest(folder)
    if isinstance(manifest, PartsManifest):
        raise ReadError("a part of the result has parts itself", where=str(folder))
    return _opened(folder, manifest, part=True)


def _opened(path: Path, manifest: Manifest, *, part: bool = False) -> Result:
    from comparanda.result import Result

    reader = Reader(path, manifest)
    _check_systems(reader)
    texts, units = read_texts(reader, late=part), _read_units(reader)
    tables = Tables(reader, _rows_of_documents(reader, texts), units, late=part)
    verdicts = Verdicts(
        task=manifest.task,
        systems=tuple(System(each.name, tuple(each.runs)) for each in manifest.systems),
        runs=tuple(manifest.runs),
        documents=tuple(manifest.documents),
        units=units,
        views={view.name: _read_view(reader, view, tables) for view in manifest.views},
        settings=manifest.settings,
        notes=tuple(Note(side, what, count, tuple(first)) for side, what, count, first in manifest.notes),
        texts=texts,
    )
    reader.require(len(verdicts.views) == len(manifest.views), "two views have one name")
    for view in verdicts.views.values():
        needed = [name for each in view.measures for name in measure(each).statistics]
        known = all(can_be_told(verdicts, view, name) for name in needed)
        reader.require(known, f"a statistic that {view.name!r} needs is missing")
    if part:
        reader.release()
    return Result(verdicts, manifest.resamples, manifest.seed, manifest.zero_division)


def _check_systems(reader: Reader) -> None:
    """Check that each run belongs to one system, and that measures are known."""
    manifest = reader.manifest
    runs = [run for system in manifest.systems for run in system.runs]
    reader.require(sorted(runs) == list(range(len(manifest.runs))), "a run does not belong to just one system")
    reader.require(len(set(manifest.runs)) == len(manifest.runs), "two runs have one name")
    names = {system.name for system in manifest.systems}
    reader.require(len(names) == len(manifest.systems), "two systems have one name")
    for view in manifest.views:
        for name in view.measures:
            try:
                measure(name)
            except UsageError as problem:
                reader.refuse(problem.what)


def _read_units(reader: Reader) -> Units:
    """Read what statistics resample, and check that it is what it is said to be."""
    manifest = reader.manifest
    if manifest.unit == "document":
        reader.require(manifest.units == len(manifest.documents), "there are not as many units as documents")
    reader.require((manifest.unit == "topic") == (manifest.topic_of is not None), "topics are half there")
    if manifest.topic_of is None:
        reader.require(not manifest.topics, "there are topics that no document is in")
        return Units(manifest.unit, manifest.units)
    of_document = reader.array(manifest.topic_of, ("int32",), len(manifest.documents))
    topics = reader.numbered(manifest.topic_of, of_document)
    reader.require(manifest.units == len(manifest.topics) == topics, "there are not as many units as topics")
    return Units("topic", manifest.units, tuple(manifest.topics), of_document)


def _rows_of_documents(reader: Reader, texts: Texts) -> NDArray[np.int64]:
    """Return how many rows each document has, as far as the texts say; without them there is no limit."""
    documents = reader.manifest.documents
    if not texts.parts:
        return np.full(len(documents), 2**31)
    if texts.continued:
        reader.require(len(documents) == 1, "pieces of one document are said to be several")
        return np.array([sum(part.rows for part in texts.parts)])
    names = [name for part in texts.parts for name in part.names]
    reader.require(names == documents[: reader.own], "the texts are not those of the documents")
    beyond = np.full(len(documents) - reader.own, 2**31)
    return np.concatenate([*(np.diff(part.documents) for part in texts.parts), beyond])


def _read_view(reader: Reader, entry: ViewEntry, tables: Tables) -> View:
    reader.require((entry.sites is None) != (entry.claims is None), "a view has not just one of sites and spans")
    chains = None if entry.chains is None else tables.chains(entry.chains)
    given = None if entry.sites is None else tables.sites(entry.sites, chains)
    claims = None if entry.claims is None else tables.claims(entry.claims)
    rows, attributes = _sites_to_be(given, claims)
    left_out = None if entry.left_out is None else reader.column(entry.left_out, rows)
    if left_out is not None and not isinstance(left_out, TextColumn):
        reader.refuse("reasons for leaving out are no texts")
    reader.require(set(entry.cuts) <= set(attributes), "a view is to be cut by what is not there")
    _check_folded(reader, entry, given, claims)
    _check_raised(reader, entry, given)
    known_views = {each.name for each in reader.manifest.views}
    reader.require(entry.finer is None or entry.finer in known_views, "a view is told apart by one that is not there")
    if entry.kinds is not None:
        reader.require(attributes.get(entry.kinds) == "text", "sites are called by what is not there")
    return View(
        entry.name,
        given,
        tuple(entry.measures),
        left_out,
        None if entry.items is None else tables.items(entry.items, claims, given),
        {name: reader.statistic(file) for name, file in entry.statistics.items()},
        frozenset(entry.lost),
        None if entry.surplus is None else tables.surplus(entry.surplus),
        tuple(entry.cuts),
        claims,
        entry.raised,
        entry.kinds,
        chains,
        tables.mention(entry.mention, chains, given),
        entry.finer,
        read_candidates(tables, entry.candidates, claims),
    )


def _sites_to_be(given: Sites | None, claims: Claims | None) -> tuple[int, Mapping[str, str]]:
    """Return how many rows the sites of a view have, and the types of their attributes; none are made of spans."""
    if given is not None:
        return given.rows, {name: each.type for name, each in given.attributes.items()}
    assert claims is not None
    return int(claims.site.max(initial=-1)) + 1, claims.site_attributes


def _check_folded(reader: Reader, entry: ViewEntry, given: Sites | None, claims: Claims | None) -> None:
    """Check a view in which sites are only counted: nothing else may rest on them."""
    agreed = claims is not None and claims.agreed is not None
    if agreed or (given is not None and given.folded is not None):
        others = (entry.left_out, entry.raised, entry.chains, entry.candidates, entry.surplus if agreed else None)
        alone = all(each is None for each in others) and (entry.items is not None) == agreed
        reader.require(alone, "sites are only counted that something else rests on")


def _check_raised(reader: Reader, entry: ViewEntry, sites: Sites | None) -> None:
    """Check a view whose sites depend on who is looked at, so that it can be cut to those that some runs raise."""
    if entry.items is not None:
        placed = (entry.items.site is None) == (entry.raised is None)
        reader.require(placed, "items and the sites that runs raise do not belong together")
    if entry.raised is not None:
        named = sites is not None and entry.raised in sites.names
        reader.require(named, "the key's value at sites that runs raise is none of the values")
        alone = entry.claims is None and entry.left_out is None and entry.surplus is None
        reader.require(alone, "sites that runs raise are made of spans, left out, or have something beside them")
