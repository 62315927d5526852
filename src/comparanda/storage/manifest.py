"""The manifest of a result folder: its structure, and the versions that can be read.

A folder may come from an untrusted source. The types in the manifest are checked here; the consistency of the columns
is checked where they are read, in `comparanda.storage`.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from comparanda.errors import ReadError

MANIFEST = "manifest.json"
FOLDER_VERSION = 8
KIND = "comparanda result"
IN_PARTS = "comparanda result in parts"
PLAN = "plan.json"
"""The file that is written at the start of a comparison in parts; the manifest is written at its end."""

_TEMPORARY_NAME = re.compile(r"\.(part-\d{5,}|plan\.json|manifest\.json)-[0-9a-f]{16}")
_MAX_RESAMPLES = 10_000_000
_BEFORE_SPANS = 2
_BEFORE_LINKS = 3
_BEFORE_CHAINS = 4
_BEFORE_BELIEFS = 5
_BEFORE_STRETCHES = 6
_BEFORE_AGREED = 7
_OLDER_VERSIONS = (_BEFORE_SPANS, _BEFORE_LINKS, _BEFORE_CHAINS, _BEFORE_BELIEFS, _BEFORE_STRETCHES, _BEFORE_AGREED)

Natural = Annotated[int, Meta(ge=0)]


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The base of all parts of a manifest; unknown fields are refused."""


class ColumnEntry(_Entry, frozen=True):
    """A column of any type; `names` are the values of a text column, or the file with them if there are many."""

    type: Literal["truth", "number", "text"]
    values: str
    names: list[str] | str | None
    missing: int | None


class AspectEntry(_Entry, frozen=True):
    """The columns of `Aspect`."""

    key: str
    values: list[str]
    names: list[str]
    points: bool


class SitesEntry(_Entry, frozen=True, kw_only=True):
    """The columns of `Sites`."""

    document: str
    sentence: str
    place: str
    width: str | None
    key: str
    values: list[str]
    names: list[str]
    parts: list[list[str]] | None
    attributes: dict[str, ColumnEntry]
    aspects: dict[str, AspectEntry]
    folded: FoldedEntry | None


class FoldedEntry(_Entry, frozen=True):
    """The columns of `Folded`: the kinds of sites and their counts."""

    sites: SitesEntry
    count: str


class FragmentsEntry(_Entry, frozen=True):
    """The columns of `Fragments`."""

    span: str
    begin: str
    end: str


class ClaimsEntry(_Entry, frozen=True, kw_only=True):
    """The columns of `Claims`; `pieces` is derived from the fragments."""

    document: str
    sentence: str
    place: str
    width: str
    begin: str
    end: str
    fragments: FragmentsEntry | None
    label: str
    names: list[str]
    key: str
    runs: list[str]
    attributes: dict[str, ColumnEntry]
    agreed: AgreedEntry | None


class AgreedEntry(_Entry, frozen=True, kw_only=True):
    """The columns of spans that the key and all runs have once, in one piece."""

    document: str
    sentence: str
    place: str
    width: str
    begin: str
    end: str
    label: str
    attributes: dict[str, ColumnEntry]


class ChainsEntry(_Entry, frozen=True, kw_only=True):
    """The columns of `Chains`; units are derived from the documents."""

    document: str
    sentence: str
    place: str
    width: str
    key: str
    runs: list[str]
    pieces: FragmentsEntry | None
    candidates: dict[str, str]


class WorldsEntry(_Entry, frozen=True):
    """The columns of `Worlds`."""

    block: str
    probability: str
    offsets: str
    member: str


class CandidatesEntry(_Entry, frozen=True, kw_only=True):
    """The columns of `Candidates` and of their `Beliefs`."""

    document: str
    sentence: str
    place: str
    width: str
    begin: str
    end: str
    label: str
    names: list[str]
    text: ColumnEntry
    correct: str
    decided: str
    weight: str
    entity: str
    alternative: str
    block: str
    nothing: str
    worlds: WorldsEntry | None
    policies: dict[str, str]
    tied: str | None


class OutcomesEntry(_Entry, frozen=True, kw_only=True):
    """The columns of `Outcomes`."""

    verdict: list[str]
    verdicts: list[str]
    rule: list[str]
    rules: list[str]
    sources: list[str] | None


class ItemsEntry(_Entry, frozen=True, kw_only=True):
    """The columns of `Items`."""

    document: str
    sentence: str
    place: str
    label: str
    names: list[str]
    positive: str
    claimed: list[str]
    credit: list[str] | None
    earned: list[str] | None
    weight: list[str] | None
    claim: str | None
    outcomes: OutcomesEntry | None
    by_run: list[str] | None
    site: str | None
    folded: FoldedItemsEntry | None


class FoldedItemsEntry(_Entry, frozen=True):
    """The columns of `FoldedItems` not given by the spans; the names of outcomes are those of the items."""

    label: str
    verdict: list[str] | None
    rule: list[str] | None


class ViewEntry(_Entry, frozen=True, kw_only=True):
    """A view: its sites, or the number of the claims entry they are built from; and that of its chains entry."""

    name: str
    measures: Annotated[list[str], Meta(min_length=1)]
    sites: SitesEntry | None
    claims: Natural | None
    left_out: ColumnEntry | None
    items: ItemsEntry | None
    statistics: dict[str, str]
    lost: list[str]
    surplus: ItemsEntry | None
    cuts: list[str]
    raised: str | None
    kinds: str | None
    chains: Natural | None
    mention: str | None
    finer: str | None
    candidates: list[CandidatesEntry] | None


class StretchEntry(_Entry, frozen=True, kw_only=True):
    """The numbers of a `Stretch`, and its head as text."""

    start: Natural
    stop: Natural | None
    lines: Natural
    before: Natural
    head: str


class PartEntry(_Entry, frozen=True):
    """One file of a source, or a stretch of one."""

    name: str
    path: str | None
    begin: Natural
    stretch: StretchEntry | None


class SourceEntry(_Entry, frozen=True):
    """The bytes of an input: in the user's files, or stored in the folder."""

    parts: Annotated[list[PartEntry], Meta(min_length=1)]
    digest: str
    data: str | None


class SideEntry(_Entry, frozen=True):
    """The offsets of rows in the source of one side."""

    name: str
    source: Natural
    offset: str
    to_side: str | None


class TextEntry(_Entry, frozen=True, kw_only=True):
    """The words of some documents."""

    documents: str
    names: list[str]
    sentences: str
    start: str | None
    length: str | None
    words: Natural | None
    sides: list[SideEntry]
    by_line: bool
    running: bool


class SystemEntry(_Entry, frozen=True):
    """A system."""

    name: str
    runs: Annotated[list[Natural], Meta(min_length=1)]


class _CommonFields(_Entry, frozen=True, kw_only=True):
    """The fields common to all manifests: kind and version of the folder, and settings of resampling."""

    kind: str
    folder_version: int
    version: str
    resamples: Annotated[int, Meta(ge=0, le=_MAX_RESAMPLES)]
    seed: Natural
    zero_division: float | None


class Manifest(_CommonFields, frozen=True, kw_only=True):
    """The manifest of a result folder; `topics` are the names of topic units, `files` the digests of other files."""

    task: str
    systems: Annotated[list[SystemEntry], Meta(min_length=1)]
    runs: list[str]
    documents: list[str]
    unit: Literal["document", "topic", "sentence", "row"]
    units: Annotated[int, Meta(ge=0, lt=2**31)]
    topics: list[str]
    topic_of: str | None
    settings: dict[str, str]
    notes: list[tuple[str, str, int, list[str]]]
    views: Annotated[list[ViewEntry], Meta(min_length=1)]
    claims: list[ClaimsEntry]
    chains: list[ChainsEntry]
    texts: list[TextEntry]
    continued: bool
    sources: list[SourceEntry]
    files: dict[str, str]


class PartsManifest(_CommonFields, frozen=True, kw_only=True):
    """The manifest of a folder of parts, each a result folder; `parts` has the digests of their manifests by name."""

    parts: Annotated[dict[str, str], Meta(min_length=1)]


def read_manifest(folder: Path) -> Manifest | PartsManifest:
    """Read the manifest of a folder; refuse unknown versions and invalid content."""
    try:
        data = (folder / MANIFEST).read_bytes()
    except OSError:
        raise _missing_manifest_error(folder) from None
    try:
        loose = msgspec.json.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError) as problem:
        raise ReadError(f"the manifest is damaged: {problem}", where=str(folder / MANIFEST)) from None
    if not isinstance(loose, dict) or loose.get("kind") not in (KIND, IN_PARTS):
        raise ReadError("not a result folder of comparanda", where=str(folder))
    version = loose.get("folder_version")
    if version != FOLDER_VERSION and version not in _OLDER_VERSIONS:
        raise ReadError(
            f"the folder has version {version}, expected {_OLDER_VERSIONS[0]} to {FOLDER_VERSION}",
            where=str(folder),
            hint=f"open it with comparanda {loose.get('version')}, which wrote it",
        )
    try:
        if loose["kind"] == IN_PARTS:
            return msgspec.convert(loose, PartsManifest)
        for before, step in _UPGRADES.items():
            loose = step(loose) if version <= before else loose
        return msgspec.convert(loose, Manifest)
    except msgspec.ValidationError as problem:
        raise ReadError(f"the manifest is damaged: {problem}", where=str(folder / MANIFEST)) from None


def _missing_manifest_error(folder: Path) -> ReadError:
    """Make the error for a folder without a manifest, such as an unfinished comparison in parts."""
    try:
        plan = msgspec.json.decode((folder / PLAN).read_bytes(), type=Unfinished)
        done = sum(1 for each in folder.iterdir() if each.name in plan.parts)
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError):
        return ReadError("not a result folder: it has no manifest.json", where=str(folder))
    return ReadError(
        f"incomplete result: {done:,} of {len(plan.parts):,} parts are done",
        where=str(folder),
        hint="run the command that wrote it again: it resumes where it stopped",
    )


class Unfinished(_Entry, frozen=True):
    """The plan file of an unfinished comparison in parts: `mark` identifies the plan, `parts` are the folder names."""

    kind: str
    version: str
    mark: str
    parts: list[str]


def _add_span_fields(loose: dict[str, Any]) -> dict[str, Any]:
    """Upgrade a manifest from before spans: it has none; invalid content is left to validation."""
    views, texts = (each if isinstance(each := loose.get(name), list) else [] for name in ("views", "texts"))
    for view in (each for each in views if isinstance(each, dict)):
        view.setdefault("claims", None)
        if isinstance(view.get("sites"), dict):
            view["sites"].setdefault("width", None)
        for items in (view.get("items"), view.get("surplus")):
            if isinstance(items, dict):
                items |= {name: items.get(name) for name in ("earned", "weight", "claim", "outcomes", "by_run")}
    for text in (each for each in texts if isinstance(each, dict)):
        text.setdefault("running", False)
    return {**loose, "claims": []}


def _add_link_fields(loose: dict[str, Any]) -> dict[str, Any]:
    """Upgrade a manifest from before links: weights apply to all runs, and errors have no source."""
    views, runs = (each if isinstance(each := loose.get(name), list) else [] for name in ("views", "runs"))
    for view in (each for each in views if isinstance(each, dict)):
        for items in (each for each in (view.get("items"), view.get("surplus")) if isinstance(each, dict)):
            if isinstance(items.get("weight"), str):
                items["weight"] = [items["weight"]] * len(runs)
            if isinstance(items.get("outcomes"), dict):
                items["outcomes"].setdefault("sources", None)
    return loose


def _add_chain_fields(loose: dict[str, Any]) -> dict[str, Any]:
    """Upgrade a manifest from before chains: it has none, sites are the key's own, and no unit is a topic."""
    views = each if isinstance(each := loose.get("views"), list) else []
    for view in (each for each in views if isinstance(each, dict)):
        view.update(dict.fromkeys(("raised", "kinds", "chains", "mention", "finer")))
        for items in (each for each in (view.get("items"), view.get("surplus")) if isinstance(each, dict)):
            items["site"] = None
    return {**loose, "chains": [], "topics": [], "topic_of": None}


def _add_belief_fields(loose: dict[str, Any]) -> dict[str, Any]:
    """Upgrade a manifest from before beliefs: it has none."""
    views = each if isinstance(each := loose.get("views"), list) else []
    for view in (each for each in views if isinstance(each, dict)):
        view["candidates"] = None
    return loose


def _add_stretch_fields(loose: dict[str, Any]) -> dict[str, Any]:
    """Upgrade a manifest from before parts: sources are whole files, and no sites are folded."""
    views = each if isinstance(each := loose.get("views"), list) else []
    for view in (each for each in views if isinstance(each, dict)):
        if isinstance(view.get("sites"), dict):
            view["sites"]["folded"] = None
    sources = each if isinstance(each := loose.get("sources"), list) else []
    for source in (each for each in sources if isinstance(each, dict)):
        parts = each if isinstance(each := source.get("parts"), list) else []
        for part in (each for each in parts if isinstance(each, dict)):
            part["stretch"] = None
    return loose


def _add_agreed_fields(loose: dict[str, Any]) -> dict[str, Any]:
    """Upgrade a manifest from before folded spans: all spans have items."""
    views, claims = (each if isinstance(each := loose.get(name), list) else [] for name in ("views", "claims"))
    for spans in (each for each in claims if isinstance(each, dict)):
        spans["agreed"] = None
    for view in (each for each in views if isinstance(each, dict)):
        for items in (each for each in (view.get("items"), view.get("surplus")) if isinstance(each, dict)):
            items["folded"] = None
    return loose


_UPGRADES = {
    _BEFORE_SPANS: _add_span_fields,
    _BEFORE_LINKS: _add_link_fields,
    _BEFORE_CHAINS: _add_chain_fields,
    _BEFORE_BELIEFS: _add_belief_fields,
    _BEFORE_STRETCHES: _add_stretch_fields,
    _BEFORE_AGREED: _add_agreed_fields,
}
"""The upgrades, each for manifests of a version and all older ones."""


def is_result_folder(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a folder that `Result.save` wrote."""
    return any((Path(path) / name).is_file() for name in (MANIFEST, PLAN))


def is_ours(folder: Path) -> bool:
    """Whether a folder contains only files written by this program, possibly by an interrupted run."""
    try:
        names = {file.name for file in folder.iterdir() if not is_temporary(file.name)}
        if not names:
            return any(folder.iterdir())
        loose = msgspec.json.decode((folder / (PLAN if PLAN in names else MANIFEST)).read_bytes())
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError):
        return False
    if not isinstance(loose, dict) or loose.get("kind") not in (KIND, IN_PARTS):
        return False
    written = loose.get("parts" if PLAN in names else "files")
    return names <= {MANIFEST, PLAN, *(written if isinstance(written, dict | list) else ())}


def temporary_path(target: Path) -> Path:
    """Return an unused temporary path in the folder of a file or folder."""
    return target.with_name(f".{target.name}-{secrets.token_hex(8)}")


def is_temporary(name: str) -> bool:
    """Whether a file name is that of a temporary file that an interrupted run left in a folder of parts."""
    return _TEMPORARY_NAME.fullmatch(name) is not None


def digest(data: bytes | bytearray | memoryview) -> str:
    """Compute the digest of bytes."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()
