"""The writer of result folders: each column is written once and listed in the manifest."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import numpy as np

from comparanda.core.text_columns import Column, TextColumn
from comparanda.errors import ReadError
from comparanda.storage.manifest import (
    FOLDER_VERSION,
    KIND,
    MANIFEST,
    AgreedEntry,
    AspectEntry,
    CandidatesEntry,
    ChainsEntry,
    ClaimsEntry,
    ColumnEntry,
    FoldedEntry,
    FoldedItemsEntry,
    FragmentsEntry,
    ItemsEntry,
    Manifest,
    OutcomesEntry,
    PartEntry,
    SideEntry,
    SitesEntry,
    SourceEntry,
    StretchEntry,
    SystemEntry,
    TextEntry,
    ViewEntry,
    WorldsEntry,
    digest,
    is_ours,
    temporary_path,
)
from comparanda.storage.reader import SavedSource
from comparanda.version import __version__

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.candidates import Candidates
    from comparanda.core.chains import Chains
    from comparanda.core.claims import Claims
    from comparanda.core.corpus import Fragments
    from comparanda.core.excerpts import SourceGiver, TextPart
    from comparanda.core.items import FoldedItems, Items, Outcomes
    from comparanda.core.places import Source, Stretch
    from comparanda.core.probabilities import Worlds
    from comparanda.core.sites import Aspect, Attribute, Folded, Sites
    from comparanda.core.verdicts import View
    from comparanda.result import Result

Store = Callable[[str, bytes | memoryview], None]
"""Stores a file, given its name and content."""

_FEW_NAMES = 256
"""The maximum number of names of a column in the manifest; more are written to a separate file."""

Table = TypeVar("Table")
Entry = TypeVar("Entry")


def save(result: Result, folder: str | os.PathLike[str]) -> None:
    """Write a result; replace an older result folder of the same name, refuse to replace anything else."""
    target = Path(os.path.realpath(folder))
    if target.exists() and not is_ours(target) and (not target.is_dir() or any(target.iterdir())):
        raise ReadError("the path exists and is not a result folder", where=str(target), hint="choose another folder")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = temporary_path(target)
        temporary.mkdir()
        try:
            _write_result(result, lambda name, data: _write_file(temporary / name, data))
            _replace_folder(temporary, target)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
    except OSError as problem:
        raise ReadError(f"the folder cannot be written: {problem.strerror or problem}", where=str(target)) from None


def pack_result(result: Result) -> dict[str, bytes]:
    """Return the files of a result folder by name, to be written elsewhere."""
    files: dict[str, bytes] = {}
    _write_result(result, lambda name, data: files.update({name: bytes(data)}))
    return files


def _write_file(file: Path, data: bytes | memoryview) -> None:
    file.write_bytes(data)


def _replace_folder(temporary: Path, target: Path) -> None:
    """Rename the new folder to its final name; remove the old one only after that."""
    if not target.exists():
        temporary.rename(target)
        return
    old = temporary_path(target)
    target.rename(old)
    try:
        temporary.rename(target)
    except BaseException:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


class _Writer:
    """Writes columns to files and collects their manifest entries."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.files: dict[str, str] = {}
        self.sources: list[SourceEntry] = []
        self.claims: list[ClaimsEntry] = []
        self.chains: list[ChainsEntry] = []
        self._known: dict[int, tuple[Any, Any]] = {}

    def write_array(self, values: NDArray[Any]) -> str:
        """Write an array once; return the name of its file."""
        if id(values) not in self._known:
            stream = io.BytesIO()
            np.save(stream, np.ascontiguousarray(values), allow_pickle=False)
            self._known[id(values)] = (values, self._write_file(stream.getbuffer(), "npy"))
        name: str = self._known[id(values)][1]
        return name

    def write_optional(self, values: NDArray[Any] | None) -> str | None:
        """Write an array if there is one."""
        return None if values is None else self.write_array(values)

    def write_arrays(self, columns: Sequence[NDArray[Any]]) -> list[str]:
        """Write one array per run."""
        return [self.write_array(column) for column in columns]

    def write_optional_arrays(self, columns: Sequence[NDArray[Any]] | None) -> list[str] | None:
        """Write one array per run, if there are any."""
        return None if columns is None else self.write_arrays(columns)

    def write_column(self, kind: str, column: Column) -> ColumnEntry:
        """Write a column of any type."""
        if isinstance(column, TextColumn):
            return ColumnEntry("text", self.write_array(column.codes), self._write_names(column.names), column.missing)
        return ColumnEntry("truth" if kind == "truth" else "number", self.write_array(column), None, None)

    def _write_names(self, names: tuple[str, ...]) -> list[str] | str:
        """Return a few names as they are, or write many to a file once, so that readers can load them on demand."""
        if len(names) <= _FEW_NAMES:
            return list(names)
        if id(names) not in self._known:
            self._known[id(names)] = (names, self._write_file(msgspec.json.encode(names), "json"))
        file: str = self._known[id(names)][1]
        return file

    def write_claims(self, claims: Claims) -> int:
        """Write the spans of a view once; return the number of their entry."""
        return self._write_once(claims, self.claims, _write_claims)

    def write_chains(self, chains: Chains) -> int:
        """Write the mentions of a view once; return the number of their entry."""
        return self._write_once(chains, self.chains, _write_chains)

    def _write_once(self, table: Table, entries: list[Entry], write: Callable[[_Writer, Table], Entry]) -> int:
        if id(table) not in self._known:
            entries.append(write(self, table))
            self._known[id(table)] = (table, len(entries) - 1)
        number: int = self._known[id(table)][1]
        return number

    def write_source(self, give: SourceGiver) -> int:
        """Add the entry of a source once; return its number."""
        given: object = give if isinstance(give, SavedSource) else give()
        if id(given) not in self._known:
            self.sources.append(self._source_entry(given))
            self._known[id(given)] = (given, len(self.sources) - 1)
        number: int = self._known[id(given)][1]
        return number

    def _source_entry(self, given: Any) -> SourceEntry:
        """Describe a source; store its bytes if it has no file or was repaired after reading."""
        if isinstance(given, SavedSource):
            kept = given.kept()
            return SourceEntry(
                given.entry.parts, given.entry.digest, None if kept is None else self._write_file(kept, "bin")
            )
        source: Source = given
        files = all(part.path is not None for part in source.parts) and not source.repaired
        parts = [
            PartEntry(
                part.name,
                None if part.path is None else str(part.path.resolve()),
                part.begin,
                _stretch_entry(part.stretch),
            )
            for part in source.parts
        ]
        data = bytes(memoryview(source.data)[: source.size])
        return SourceEntry(parts, digest(data), None if files else self._write_file(data, "bin"))

    def _write_file(self, data: bytes | memoryview, suffix: str) -> str:
        name = f"{len(self.files):04}.{suffix}"
        self.store(name, data)
        self.files[name] = digest(data)
        return name


def _stretch_entry(stretch: Stretch | None) -> StretchEntry | None:
    if stretch is None:
        return None
    return StretchEntry(
        start=stretch.start, stop=stretch.stop, lines=stretch.lines, before=stretch.before, head=stretch.head.decode()
    )


def _write_result(result: Result, store: Store) -> None:
    writer = _Writer(store)
    verdicts = result.verdicts
    views = [_write_view(writer, view) for view in verdicts.views.values()]
    texts = [_write_text_part(writer, part) for part in verdicts.texts.parts]
    manifest = Manifest(
        kind=KIND,
        folder_version=FOLDER_VERSION,
        version=__version__,
        resamples=result.resamples,
        seed=result.seed,
        zero_division=result.zero_division,
        task=verdicts.task,
        systems=[SystemEntry(system.name, list(system.runs)) for system in verdicts.systems],
        runs=list(verdicts.runs),
        documents=list(verdicts.documents),
        unit=verdicts.units.kind,
        units=verdicts.units.count,
        topics=list(verdicts.units.names),
        topic_of=writer.write_optional(verdicts.units.of_document),
        settings=dict(verdicts.settings),
        notes=[(note.side, note.what, note.count, list(note.first)) for note in verdicts.notes],
        views=views,
        claims=writer.claims,
        chains=writer.chains,
        texts=texts,
        continued=verdicts.texts.continued,
        sources=writer.sources,
        files=writer.files,
    )
    store(MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=1))


def _write_view(writer: _Writer, view: View) -> ViewEntry:
    """Write a view; overlap sites are rebuilt from the spans, so only these are written."""
    return ViewEntry(
        name=view.name,
        measures=list(view.measures),
        sites=_write_sites(writer, view.all_sites) if view.claims is None else None,
        claims=None if view.claims is None else writer.write_claims(view.claims),
        left_out=None if view.left_out is None else writer.write_column("text", view.left_out),
        items=None if view.given_items is None else _write_items(writer, view.given_items),
        statistics={name: writer.write_array(values) for name, values in view.statistics.items()},
        lost=sorted(view.lost),
        surplus=None if view.surplus is None else _write_items(writer, view.surplus),
        cuts=list(view.cuts),
        raised=view.raised,
        kinds=view.kinds,
        chains=None if view.chains is None else writer.write_chains(view.chains),
        mention=writer.write_optional(view.mention),
        finer=view.finer,
        candidates=None if view.candidates is None else [_write_candidates(writer, each) for each in view.candidates],
    )


def _write_sites(writer: _Writer, sites: Sites) -> SitesEntry:
    return SitesEntry(
        document=writer.write_array(sites.document),
        sentence=writer.write_array(sites.sentence),
        place=writer.write_array(sites.place),
        width=writer.write_optional(sites.width),
        key=writer.write_array(sites.key),
        values=writer.write_arrays(sites.values),
        names=list(sites.names),
        parts=None if sites.parts is None else [list(part) for part in sites.parts],
        attributes=_write_attributes(writer, sites.attributes),
        aspects={name: _write_aspect(writer, each) for name, each in sites.aspects.items()},
        folded=None if sites.folded is None else _write_folded(writer, sites.folded),
    )


def _write_folded(writer: _Writer, folded: Folded) -> FoldedEntry:
    return FoldedEntry(_write_sites(writer, folded.sites), writer.write_array(folded.count))


def _write_attributes(writer: _Writer, attributes: Mapping[str, Attribute]) -> dict[str, ColumnEntry]:
    return {name: writer.write_column(each.type, each.make()) for name, each in attributes.items()}


def _write_aspect(writer: _Writer, aspect: Aspect) -> AspectEntry:
    return AspectEntry(
        writer.write_array(aspect.key), writer.write_arrays(aspect.values), list(aspect.names), aspect.points
    )


def _write_claims(writer: _Writer, claims: Claims) -> ClaimsEntry:
    """Write spans; `pieces` is derived from the fragments."""
    return ClaimsEntry(
        document=writer.write_array(claims.document),
        sentence=writer.write_array(claims.sentence),
        place=writer.write_array(claims.place),
        width=writer.write_array(claims.width),
        begin=writer.write_array(claims.begin),
        end=writer.write_array(claims.end),
        fragments=None if claims.fragments is None else _write_fragments(writer, claims.fragments),
        label=writer.write_array(claims.label),
        names=list(claims.names),
        key=(counts := _write_counts(writer, claims))[0],
        runs=counts[1],
        attributes=_write_attributes(writer, claims.attributes),
        agreed=None if claims.agreed is None else _write_agreed(writer, claims.agreed),
    )


def _write_agreed(writer: _Writer, agreed: Claims) -> AgreedEntry:
    """Write spans that the key and all runs have, always once and in one piece."""
    return AgreedEntry(
        document=writer.write_array(agreed.document),
        sentence=writer.write_array(agreed.sentence),
        place=writer.write_array(agreed.place),
        width=writer.write_array(agreed.width),
        begin=writer.write_array(agreed.begin),
        end=writer.write_array(agreed.end),
        label=writer.write_array(agreed.label),
        attributes=_write_attributes(writer, agreed.attributes),
    )


def _write_counts(writer: _Writer, claims: Claims) -> tuple[str, list[str]]:
    """Write the counts of spans of the key and the runs, all in one data type."""
    key, *runs = (counts.astype(np.int32) for counts in (claims.key, *claims.runs))
    return writer.write_array(key), writer.write_arrays(runs)


def _write_fragments(writer: _Writer, fragments: Fragments) -> FragmentsEntry:
    return FragmentsEntry(
        writer.write_array(fragments.span), writer.write_array(fragments.begin), writer.write_array(fragments.end)
    )


def _write_chains(writer: _Writer, chains: Chains) -> ChainsEntry:
    """Write mentions; units are derived from the documents."""
    return ChainsEntry(
        document=writer.write_array(chains.document),
        sentence=writer.write_array(chains.sentence),
        place=writer.write_array(chains.place),
        width=writer.write_array(chains.width),
        key=writer.write_array(chains.key),
        runs=writer.write_arrays(chains.runs),
        pieces=None if chains.pieces is None else _write_fragments(writer, chains.pieces),
        candidates={name: writer.write_array(counting) for name, counting in chains.candidates.items()},
    )


def _write_candidates(writer: _Writer, candidates: Candidates) -> CandidatesEntry:
    beliefs = candidates.beliefs
    return CandidatesEntry(
        document=writer.write_array(candidates.document),
        sentence=writer.write_array(candidates.sentence),
        place=writer.write_array(candidates.place),
        width=writer.write_array(candidates.width),
        begin=writer.write_array(candidates.begin),
        end=writer.write_array(candidates.end),
        label=writer.write_array(candidates.label),
        names=list(candidates.names),
        text=writer.write_column("text", candidates.text),
        correct=writer.write_array(candidates.correct),
        decided=writer.write_array(candidates.decided),
        weight=writer.write_array(beliefs.weight),
        entity=writer.write_array(beliefs.entity),
        alternative=writer.write_array(beliefs.alternative),
        block=writer.write_array(beliefs.block),
        nothing=writer.write_array(beliefs.nothing),
        worlds=None if beliefs.worlds is None else _write_worlds(writer, beliefs.worlds),
        policies=dict(beliefs.policies),
        tied=writer.write_optional(candidates.tied),
    )


def _write_worlds(writer: _Writer, worlds: Worlds) -> WorldsEntry:
    return WorldsEntry(
        writer.write_array(worlds.block),
        writer.write_array(worlds.probability),
        writer.write_array(worlds.offsets),
        writer.write_array(worlds.member),
    )


def _write_items(writer: _Writer, items: Items) -> ItemsEntry:
    return ItemsEntry(
        document=writer.write_array(items.document),
        sentence=writer.write_array(items.sentence),
        place=writer.write_array(items.place),
        label=writer.write_array(items.label),
        names=list(items.names),
        positive=writer.write_array(items.positive),
        claimed=writer.write_arrays(items.claimed),
        credit=writer.write_optional_arrays(items.credit),
        earned=writer.write_optional_arrays(items.earned),
        weight=writer.write_optional_arrays(items.weight),
        claim=writer.write_optional(items.claim),
        outcomes=None if items.outcomes is None else _write_outcomes(writer, items.outcomes),
        by_run=writer.write_optional_arrays(items.by_run),
        site=writer.write_optional(items.site),
        folded=None if items.folded is None else _write_folded_items(writer, items.folded),
    )


def _write_folded_items(writer: _Writer, folded: FoldedItems) -> FoldedItemsEntry:
    """Write folded items; their positions and counts are given by the agreed spans."""
    outcomes = folded.outcomes
    return FoldedItemsEntry(
        writer.write_array(folded.label),
        None if outcomes is None else writer.write_arrays(outcomes.verdict),
        None if outcomes is None else writer.write_arrays(outcomes.rule),
    )


def _write_outcomes(writer: _Writer, outcomes: Outcomes) -> OutcomesEntry:
    return OutcomesEntry(
        verdict=writer.write_arrays(outcomes.verdict),
        verdicts=list(outcomes.verdicts),
        rule=writer.write_arrays(outcomes.rule),
        rules=list(outcomes.rules),
        sources=None if outcomes.sources is None else list(outcomes.sources),
    )


def _write_text_part(writer: _Writer, part: TextPart) -> TextEntry:
    words = part.words()
    return TextEntry(
        documents=writer.write_array(part.documents),
        names=list(part.names),
        sentences=writer.write_array(part.sentences),
        start=writer.write_optional(words.start),
        length=writer.write_optional(words.length),
        words=None if words.source is None else writer.write_source(words.source),
        sides=[
            SideEntry(
                side.name,
                writer.write_source(side.source),
                writer.write_array(side.offset),
                writer.write_optional(side.to_side),
            )
            for side in words.sides
        ],
        by_line=part.by_line,
        running=part.running,
    )
