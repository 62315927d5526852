"""Writing result folders: every column once, and what the manifest must say of it."""

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
    temporary_beside,
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
"""Takes a file by its name."""

_FEW_NAMES = 256
"""So many names of a column stand in the manifest; more are a file of their own."""

Table = TypeVar("Table")
Entry = TypeVar("Entry")


def save(result: Result, folder: str | os.PathLike[str]) -> None:
    """Write a result; an older result folder of the same name is replaced, anything else is refused."""
    target = Path(os.path.realpath(folder))
    if target.exists() and not is_ours(target) and (not target.is_dir() or any(target.iterdir())):
        raise ReadError("something else stands there already", where=str(target), hint="choose another folder")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = temporary_beside(target)
        temporary.mkdir()
        try:
            _write(result, lambda name, data: _write_file(temporary / name, data))
            _put(temporary, target)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
    except OSError as problem:
        raise ReadError(f"the folder cannot be written: {problem.strerror or problem}", where=str(target)) from None


def packed(result: Result) -> dict[str, bytes]:
    """Return the files of a result folder by their names, for whoever writes it elsewhere."""
    files: dict[str, bytes] = {}
    _write(result, lambda name, data: files.update({name: bytes(data)}))
    return files


def _write_file(file: Path, data: bytes | memoryview) -> None:
    file.write_bytes(data)


def _put(temporary: Path, target: Path) -> None:
    """Rename the new folder to its name; the old one goes only when the new one stands."""
    if not target.exists():
        temporary.rename(target)
        return
    old = temporary_beside(target)
    target.rename(old)
    try:
        temporary.rename(target)
    except BaseException:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


class _Writer:
    """Writes columns to files and notes down what the manifest must say of them."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.files: dict[str, str] = {}
        self.sources: list[SourceEntry] = []
        self.claims: list[ClaimsEntry] = []
        self.chains: list[ChainsEntry] = []
        self._known: dict[int, tuple[Any, Any]] = {}

    def array(self, values: NDArray[Any]) -> str:
        """Write an array, once, and return the name of its file."""
        if id(values) not in self._known:
            stream = io.BytesIO()
            np.save(stream, np.ascontiguousarray(values), allow_pickle=False)
            self._known[id(values)] = (values, self._file(stream.getbuffer(), "npy"))
        name: str = self._known[id(values)][1]
        return name

    def maybe(self, values: NDArray[Any] | None) -> str | None:
        """Write an array if there is one."""
        return None if values is None else self.array(values)

    def arrays(self, columns: Sequence[NDArray[Any]]) -> list[str]:
        """Write one array a run."""
        return [self.array(column) for column in columns]

    def maybe_arrays(self, columns: Sequence[NDArray[Any]] | None) -> list[str] | None:
        """Write one array a run, if there are any."""
        return None if columns is None else self.arrays(columns)

    def column(self, kind: str, column: Column) -> ColumnEntry:
        """Write a column of any type."""
        if isinstance(column, TextColumn):
            return ColumnEntry("text", self.array(column.codes), self._names(column.names), column.missing)
        return ColumnEntry("truth" if kind == "truth" else "number", self.array(column), None, None)

    def _names(self, names: tuple[str, ...]) -> list[str] | str:
        """Return names, or write many of them, once: whoever opens a folder need not hold them all."""
        if len(names) <= _FEW_NAMES:
            return list(names)
        if id(names) not in self._known:
            self._known[id(names)] = (names, self._file(msgspec.json.encode(names), "json"))
        file: str = self._known[id(names)][1]
        return file

    def claims_of(self, claims: Claims) -> int:
        """Write the spans of a view, once, and return the number of their entry."""
        return self._numbered(claims, self.claims, _claims)

    def chains_of(self, chains: Chains) -> int:
        """Write the mentions of a view, once, and return the number of their entry."""
        return self._numbered(chains, self.chains, _chains)

    def _numbered(self, table: Table, entries: list[Entry], write: Callable[[_Writer, Table], Entry]) -> int:
        if id(table) not in self._known:
            entries.append(write(self, table))
            self._known[id(table)] = (table, len(entries) - 1)
        number: int = self._known[id(table)][1]
        return number

    def source(self, give: SourceGiver) -> int:
        """Remember where bytes are, once, and return the number of their entry."""
        given: object = give if isinstance(give, SavedSource) else give()
        if id(given) not in self._known:
            self.sources.append(self._source(given))
            self._known[id(given)] = (given, len(self.sources) - 1)
        number: int = self._known[id(given)][1]
        return number

    def _source(self, given: Any) -> SourceEntry:
        """Describe bytes; keep those that have no file, or that were repaired after reading."""
        if isinstance(given, SavedSource):
            kept = given.kept()
            return SourceEntry(given.entry.parts, given.entry.digest, None if kept is None else self._file(kept, "bin"))
        source: Source = given
        files = all(part.path is not None for part in source.parts) and not source.repaired
        parts = [
            PartEntry(
                part.name, None if part.path is None else str(part.path.resolve()), part.begin, _stretch(part.stretch)
            )
            for part in source.parts
        ]
        data = bytes(memoryview(source.data)[: source.size])
        return SourceEntry(parts, digest(data), None if files else self._file(data, "bin"))

    def _file(self, data: bytes | memoryview, suffix: str) -> str:
        name = f"{len(self.files):04}.{suffix}"
        self.store(name, data)
        self.files[name] = digest(data)
        return name


def _stretch(stretch: Stretch | None) -> StretchEntry | None:
    if stretch is None:
        return None
    return StretchEntry(
        start=stretch.start, stop=stretch.stop, lines=stretch.lines, before=stretch.before, head=stretch.head.decode()
    )


def _write(result: Result, store: Store) -> None:
    writer = _Writer(store)
    verdicts = result.verdicts
    views = [_view(writer, view) for view in verdicts.views.values()]
    texts = [_text_part(writer, part) for part in verdicts.texts.parts]
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
        topic_of=writer.maybe(verdicts.units.of_document),
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


def _view(writer: _Writer, view: View) -> ViewEntry:
    """Write a view; overlap sites are made again from the spans, so these alone are written."""
    return ViewEntry(
        name=view.name,
        measures=list(view.measures),
        sites=_sites(writer, view.all_sites) if view.claims is None else None,
        claims=None if view.claims is None else writer.claims_of(view.claims),
        left_out=None if view.left_out is None else writer.column("text", view.left_out),
        items=None if view.given_items is None else _items(writer, view.given_items),
        statistics={name: writer.array(values) for name, values in view.statistics.items()},
        lost=sorted(view.lost),
        surplus=None if view.surplus is None else _items(writer, view.surplus),
        cuts=list(view.cuts),
        raised=view.raised,
        kinds=view.kinds,
        chains=None if view.chains is None else writer.chains_of(view.chains),
        mention=writer.maybe(view.mention),
        finer=view.finer,
        candidates=None if view.candidates is None else [_candidates(writer, each) for each in view.candidates],
    )


def _sites(writer: _Writer, sites: Sites) -> SitesEntry:
    return SitesEntry(
        document=writer.array(sites.document),
        sentence=writer.array(sites.sentence),
        place=writer.array(sites.place),
        width=writer.maybe(sites.width),
        key=writer.array(sites.key),
        values=writer.arrays(sites.values),
        names=list(sites.names),
        parts=None if sites.parts is None else [list(part) for part in sites.parts],
        attributes=_attributes(writer, sites.attributes),
        aspects={name: _aspect(writer, each) for name, each in sites.aspects.items()},
        folded=None if sites.folded is None else _folded(writer, sites.folded),
    )


def _folded(writer: _Writer, folded: Folded) -> FoldedEntry:
    return FoldedEntry(_sites(writer, folded.sites), writer.array(folded.count))


def _attributes(writer: _Writer, attributes: Mapping[str, Attribute]) -> dict[str, ColumnEntry]:
    return {name: writer.column(each.type, each.make()) for name, each in attributes.items()}


def _aspect(writer: _Writer, aspect: Aspect) -> AspectEntry:
    return AspectEntry(writer.array(aspect.key), writer.arrays(aspect.values), list(aspect.names), aspect.points)


def _claims(writer: _Writer, claims: Claims) -> ClaimsEntry:
    """Write spans; how they are cut is told by their fragments."""
    return ClaimsEntry(
        document=writer.array(claims.document),
        sentence=writer.array(claims.sentence),
        place=writer.array(claims.place),
        width=writer.array(claims.width),
        begin=writer.array(claims.begin),
        end=writer.array(claims.end),
        fragments=None if claims.fragments is None else _fragments(writer, claims.fragments),
        label=writer.array(claims.label),
        names=list(claims.names),
        key=(counts := _counts(writer, claims))[0],
        runs=counts[1],
        attributes=_attributes(writer, claims.attributes),
        agreed=None if claims.agreed is None else _agreed(writer, claims.agreed),
    )


def _agreed(writer: _Writer, agreed: Claims) -> AgreedEntry:
    """Write spans that everybody has: how often that is, and how they are cut, goes without saying."""
    return AgreedEntry(
        document=writer.array(agreed.document),
        sentence=writer.array(agreed.sentence),
        place=writer.array(agreed.place),
        width=writer.array(agreed.width),
        begin=writer.array(agreed.begin),
        end=writer.array(agreed.end),
        label=writer.array(agreed.label),
        attributes=_attributes(writer, agreed.attributes),
    )


def _counts(writer: _Writer, claims: Claims) -> tuple[str, list[str]]:
    """Write how often the key and the runs have spans, in one type whatever they are held in."""
    key, *runs = (counts.astype(np.int32) for counts in (claims.key, *claims.runs))
    return writer.array(key), writer.arrays(runs)


def _fragments(writer: _Writer, fragments: Fragments) -> FragmentsEntry:
    return FragmentsEntry(writer.array(fragments.span), writer.array(fragments.begin), writer.array(fragments.end))


def _chains(writer: _Writer, chains: Chains) -> ChainsEntry:
    """Write mentions; which unit each is in is told by its document."""
    return ChainsEntry(
        document=writer.array(chains.document),
        sentence=writer.array(chains.sentence),
        place=writer.array(chains.place),
        width=writer.array(chains.width),
        key=writer.array(chains.key),
        runs=writer.arrays(chains.runs),
        pieces=None if chains.pieces is None else _fragments(writer, chains.pieces),
        candidates={name: writer.array(counting) for name, counting in chains.candidates.items()},
    )


def _candidates(writer: _Writer, candidates: Candidates) -> CandidatesEntry:
    beliefs = candidates.beliefs
    return CandidatesEntry(
        document=writer.array(candidates.document),
        sentence=writer.array(candidates.sentence),
        place=writer.array(candidates.place),
        width=writer.array(candidates.width),
        begin=writer.array(candidates.begin),
        end=writer.array(candidates.end),
        label=writer.array(candidates.label),
        names=list(candidates.names),
        text=writer.column("text", candidates.text),
        correct=writer.array(candidates.correct),
        decided=writer.array(candidates.decided),
        weight=writer.array(beliefs.weight),
        entity=writer.array(beliefs.entity),
        alternative=writer.array(beliefs.alternative),
        block=writer.array(beliefs.block),
        nothing=writer.array(beliefs.nothing),
        worlds=None if beliefs.worlds is None else _worlds(writer, beliefs.worlds),
        policies=dict(beliefs.policies),
        tied=writer.maybe(candidates.tied),
    )


def _worlds(writer: _Writer, worlds: Worlds) -> WorldsEntry:
    return WorldsEntry(
        writer.array(worlds.block),
        writer.array(worlds.probability),
        writer.array(worlds.offsets),
        writer.array(worlds.member),
    )


def _items(writer: _Writer, items: Items) -> ItemsEntry:
    return ItemsEntry(
        document=writer.array(items.document),
        sentence=writer.array(items.sentence),
        place=writer.array(items.place),
        label=writer.array(items.label),
        names=list(items.names),
        positive=writer.array(items.positive),
        claimed=writer.arrays(items.claimed),
        credit=writer.maybe_arrays(items.credit),
        earned=writer.maybe_arrays(items.earned),
        weight=writer.maybe_arrays(items.weight),
        claim=writer.maybe(items.claim),
        outcomes=None if items.outcomes is None else _outcomes(writer, items.outcomes),
        by_run=writer.maybe_arrays(items.by_run),
        site=writer.maybe(items.site),
        folded=None if items.folded is None else _folded_items(writer, items.folded),
    )


def _folded_items(writer: _Writer, folded: FoldedItems) -> FoldedItemsEntry:
    """Write items that are spans which everybody has: these tell where they stand, and that each is one."""
    outcomes = folded.outcomes
    return FoldedItemsEntry(
        writer.array(folded.label),
        None if outcomes is None else writer.arrays(outcomes.verdict),
        None if outcomes is None else writer.arrays(outcomes.rule),
    )


def _outcomes(writer: _Writer, outcomes: Outcomes) -> OutcomesEntry:
    return OutcomesEntry(
        verdict=writer.arrays(outcomes.verdict),
        verdicts=list(outcomes.verdicts),
        rule=writer.arrays(outcomes.rule),
        rules=list(outcomes.rules),
        sources=None if outcomes.sources is None else list(outcomes.sources),
    )


def _text_part(writer: _Writer, part: TextPart) -> TextEntry:
    words = part.words()
    return TextEntry(
        documents=writer.array(part.documents),
        names=list(part.names),
        sentences=writer.array(part.sentences),
        start=writer.maybe(words.start),
        length=writer.maybe(words.length),
        words=None if words.source is None else writer.source(words.source),
        sides=[
            SideEntry(side.name, writer.source(side.source), writer.array(side.offset), writer.maybe(side.to_side))
            for side in words.sides
        ],
        by_line=part.by_line,
        running=part.running,
    )
