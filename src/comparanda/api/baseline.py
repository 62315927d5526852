"""Baseline files: what was blessed, so that a later gate compares with nothing else.

A baseline holds the digests of the key's files and of the base's, how they were judged, and the base's scores with
their counts. It is JSON, made to be kept beside the code it guards.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import takewhile
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from comparanda.api.comparison import compare
from comparanda.core.remote import AnyPath
from comparanda.errors import InputError, ReadError, UsageError
from comparanda.findings.gate import criteria
from comparanda.findings.scores import Score
from comparanda.version import __version__

if TYPE_CHECKING:
    from comparanda.core.verdicts import View
    from comparanda.findings.gate import Gate
    from comparanda.result import Result


BASELINE_VERSION = 1
KIND = "comparanda baseline"

_OF_LABELS = ("accuracy", "precision", "recall", "f1")
_MOST_LABELS = 200  # with more of them, as of lemmas, scores of single labels are not kept
_OF_SYSTEM = re.compile(r"map\[(.*)\]", re.DOTALL)
_CLOSE = 1e-9
_LISTED = 5
_SHORT = 12  # digits of a digest that tell two files apart for people

Natural = Annotated[int, Meta(ge=0)]


class BaselineError(InputError):
    """What is to be compared is not what was blessed."""


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The base of all parts of a baseline: nothing but what is declared."""


class FileEntry(_Entry, frozen=True):
    """One file: its name, for people, and the SHA-256 of its bytes."""

    name: str
    sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class KeyEntry(_Entry, frozen=True):
    """The key: its files, and how often each label occurs in it."""

    files: list[FileEntry]
    labels: dict[str, Natural]


class ScoreEntry(_Entry, frozen=True, kw_only=True):
    """A score of the base with the counts behind it, as `Score` has them."""

    measure: str
    value: float | None
    part: int | float | None
    whole: int | float | None
    reason: str | None
    by_run: list[float | None]


class BaseEntry(_Entry, frozen=True):
    """The base: the files of each of its runs, and its scores."""

    name: str
    runs: Annotated[list[list[FileEntry]], Meta(min_length=1)]
    scores: list[ScoreEntry]


class Baseline(_Entry, frozen=True, kw_only=True):
    """What was blessed.

    Args:
        kind: what the file is.
        baseline_version: the version of its shape.
        version: the version of the program that wrote it.
        task: the task.
        view: the view.
        unit: what statistics resample.
        documents: how many documents there are.
        settings: how outputs were read and judged, as in the signature.
        zero_division: the value put where a ratio is undefined.
        key: the key.
        base: the base; None only for what is compared with a file, never in one.

    """

    kind: str
    baseline_version: int
    version: str
    task: str
    view: str
    unit: str
    documents: Natural
    settings: dict[str, str]
    zero_division: float | None
    key: KeyEntry
    base: BaseEntry | None

    def to_json(self) -> str:
        """Return the file's text."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2).decode() + "\n"

    @property
    def base_name(self) -> str:
        """The name of the base."""
        return "" if self.base is None else self.base.name

    def by_measure(self) -> dict[str, Score]:
        """Return the base's scores by measure."""
        base = self.base
        return {} if base is None else {each.measure: _score(base.name, each) for each in base.scores}


def baseline_of(result: Result, base: str | None, *, view: str | None = None) -> Baseline:
    """Describe a key and a base as they are to be blessed; without a base, the key and the settings alone."""
    verdicts, chosen = result.verdicts, result.verdicts.view(view)
    labels = _labels(chosen)
    entry = None
    if base is not None:
        runs = [verdicts.runs[run] for run in verdicts.system(base).runs]
        entry = BaseEntry(base, [_files(result, run) for run in runs], _scores(result, base, view, labels))
    return Baseline(
        kind=KIND,
        baseline_version=BASELINE_VERSION,
        version=__version__,
        task=verdicts.task,
        view=chosen.name,
        unit=verdicts.units.kind,
        documents=len(verdicts.documents),
        settings=dict(_settings(verdicts.settings, base)),
        zero_division=result.zero_division,
        key=KeyEntry(_files(result, "key"), labels),
        base=entry,
    )


def _settings(settings: Mapping[str, str], base: str | None) -> Iterator[tuple[str, str]]:
    """Go through the settings that concern the key and the base; label maps of other systems do not."""
    for name, value in settings.items():
        of = _OF_SYSTEM.fullmatch(name)
        if of is None or of[1] in {"key", "all"}:
            yield name, value
        elif of[1] == base:
            yield "map[base]", value


def _labels(view: View) -> dict[str, int]:
    """Count the labels of the key: those of its items, or of its sites where these are the items."""
    items, sites = view.given_items, view.sites
    if items is None:
        counts, names = sites.key_counts, sites.labels.names
    else:
        counts, names = items.positives, items.names
    return {name: count for name, count in zip(names, counts.tolist(), strict=True) if count}


def _files(result: Result, side: str) -> list[FileEntry]:
    """Digest the files of the key or of a run."""
    sides = [each for part in result.verdicts.texts.parts for each in part.words().sides if each.name == side]
    paths = [part.path for each in sides for part in each.source().parts]
    files = [path for path in dict.fromkeys(paths) if path is not None]
    if not files or None in paths:
        raise UsageError(f"a baseline is made of files, and {side!r} is not read from any")
    ways = [path.absolute().as_posix().split("/") for path in files]
    folders = zip(*(way[:-1] for way in ways), strict=False)
    top = sum(1 for _ in takewhile(lambda steps: len(set(steps)) == 1, folders))
    return [FileEntry("/".join(way[top:]), _digest(path)) for path, way in zip(files, ways, strict=True)]


def _digest(path: AnyPath) -> str:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as problem:
        raise ReadError(f"cannot be read: {problem.strerror or problem}", where=str(path)) from None


def _scores(result: Result, base: str, view: str | None, labels: Iterable[str]) -> list[ScoreEntry]:
    """Score the base by all measures of the task, and of each label by those that the view has."""
    plain = replace(result, resamples=0)
    found = [*plain.scores(view=view).scores, *_label_scores(plain, view, list(labels))]
    mine = {score.measure: score for score in found if score.system == base}
    return [
        ScoreEntry(
            measure=name,
            value=each.value,
            part=each.part,
            whole=each.whole,
            reason=each.reason,
            by_run=list(each.by_run),
        )
        for name, each in mine.items()
    ]


def _label_scores(result: Result, view: str | None, labels: Sequence[str]) -> Iterator[Score]:
    for kind in _OF_LABELS if len(labels) <= _MOST_LABELS else ():
        with suppress(UsageError):  # of spans, no single label need stand at any site
            yield from result.scores(*(f"{kind}[{label}]" for label in labels), view=view).scores if labels else ()


def _score(system: str, entry: ScoreEntry) -> Score:
    return Score(
        system=system,
        measure=entry.measure,
        value=entry.value,
        low=None,
        high=None,
        part=entry.part,
        whole=entry.whole,
        reason=entry.reason,
        by_run=tuple(entry.by_run),
    )


def read_baseline(path: str) -> Baseline:
    """Read a baseline file; refuse one of a newer version, and anything that is not of its shape."""
    try:
        data = Path(path).read_bytes()
    except OSError as problem:
        what = f"the baseline cannot be read: {problem.strerror or problem}"
        raise ReadError(
            what, where=path, hint="write one: comparanda gate KEY BASE --baseline FILE --write-baseline"
        ) from None
    try:
        loose = msgspec.json.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError) as problem:
        raise ReadError(f"the baseline is damaged: {problem}", where=path) from None
    if not isinstance(loose, dict) or loose.get("kind") != KIND:
        raise ReadError("this is no baseline of comparanda", where=path)
    version = loose.get("baseline_version")
    if version != BASELINE_VERSION:
        what = f"the baseline has version {version}, this program reads {BASELINE_VERSION}"
        raise ReadError(what, where=path, hint=f"it was written by comparanda {loose.get('version')}")
    try:
        found = msgspec.convert(loose, Baseline)
    except msgspec.ValidationError as problem:
        raise ReadError(f"the baseline is damaged: {problem}", where=path) from None
    if found.base is None:
        raise ReadError("the baseline is damaged: it has no base", where=path)
    return found


def refuse_unlike(blessed: Baseline, now: Baseline) -> None:
    """Refuse to go on unless key, base and settings are those that were blessed.

    Where bytes and settings are the same, labels and scores must be too: they see what no setting tells, such as
    another column of the same file.
    """
    unlike = [*_unlike_settings(blessed, now), *_few(_unlike_files("key", blessed.key.files, now.key.files))]
    if blessed.base is not None and now.base is not None:
        unlike += _few(_unlike_runs(blessed.base, now.base))
    if not unlike:
        unlike = _few(_unlike_labels(blessed.key.labels, now.key.labels))
        unlike += _few(_unlike_scores(blessed.base, now.base))
    if unlike:
        raise BaselineError(
            "this is not what was blessed, so it is not compared",
            details=unlike,
            hint=f"blessed was {blessed.base_name!r}, by comparanda {blessed.version}; bless anew by --write-baseline",
        )


def _few(lines: Iterable[str]) -> list[str]:
    """Keep the first lines, and say how many more there are."""
    found = list(lines)
    more = len(found) - _LISTED
    return found if more <= 0 else [*found[:_LISTED], f"… and {more:,} more"]


def _unlike_settings(blessed: Baseline, now: Baseline) -> Iterator[str]:
    for name in ("task", "view", "unit", "documents", "zero_division"):
        then, here = getattr(blessed, name), getattr(now, name)
        if then != here:
            yield f"{name.replace('_', ' ')}: {_told(then)} then, {_told(here)} now"
    of_base = {"map[base]"} if now.base is None else set()  # whose output is not at hand
    for name in sorted({*blessed.settings, *now.settings} - of_base):
        then, here = blessed.settings.get(name), now.settings.get(name)
        if then != here:
            yield f"setting {name}: {_told(then)} then, {_told(here)} now"


def _told(value: object, nothing: str = "not set") -> str:
    return nothing if value is None else str(value)


def _unlike_labels(blessed: Mapping[str, int], now: Mapping[str, int]) -> Iterator[str]:
    for name in sorted({*blessed, *now}):
        then, here = blessed.get(name, 0), now.get(name, 0)
        if then != here:
            yield f"{name} in the key: {then:,} then, {here:,} now"


def _unlike_files(who: str, blessed: Sequence[FileEntry], now: Sequence[FileEntry]) -> Iterator[str]:
    """Compare the digests; names may change, for files may be moved."""
    if len(blessed) != len(now):
        yield f"{who}: {len(blessed)} files then, {len(now)} now"
        return
    stale, fresh = _apart(blessed, now), _apart(now, blessed)
    for old, each in zip(stale, fresh, strict=True):
        was = "" if old.name == each.name else f" ({old.name})"
        digests = f"{old.sha256[:_SHORT]}…{was} then, {each.sha256[:_SHORT]}… now"
        yield f"{who}: {each.name} has other bytes: sha256 {digests}"


def _apart(files: Sequence[FileEntry], others: Sequence[FileEntry]) -> list[FileEntry]:
    """Return the files that have no counterpart of the same bytes among others; each counts once."""
    left = Counter(each.sha256 for each in others)
    found = []
    for each in files:
        if left[each.sha256]:
            left[each.sha256] -= 1
        else:
            found.append(each)
    return found


def _unlike_runs(blessed: BaseEntry, now: BaseEntry) -> Iterator[str]:
    if len(blessed.runs) != len(now.runs):
        yield f"base: {len(blessed.runs)} runs then, {len(now.runs)} now"
        return
    then, here = ([each for run in base.runs for each in run] for base in (blessed, now))
    yield from _unlike_files("base", then, here)


def _unlike_scores(blessed: BaseEntry | None, now: BaseEntry | None) -> Iterator[str]:
    if blessed is None or now is None:
        return
    here = {each.measure: each for each in now.scores}
    for then in blessed.scores:
        found = here.get(then.measure)
        if found is None or not _same_score(then, found):
            said = "not told" if found is None else _told(found.value, "undefined")
            yield f"{then.measure} of the base: {_told(then.value, 'undefined')} then, {said} now"


def _same_score(one: ScoreEntry, other: ScoreEntry) -> bool:
    pairs = ((one.value, other.value), (one.part, other.part), (one.whole, other.whole))
    return all(a == b or (a is not None and b is not None and math.isclose(a, b, rel_tol=_CLOSE)) for a, b in pairs)


# The gate of a release: a new system against its base, before it goes out.


def gate(
    key: Any,
    base: Any,
    new: Any,
    *,
    task: str,
    max_new_errors: str | int | None = None,
    max_negative_flip_rate: str | None = None,
    label: str | Sequence[str] = (),
    require: str | Sequence[str] = (),
    fail_if_significantly_worse: bool = False,
    measure: str | None = None,
    baseline: str | PathLike[str] | None = None,
    view: str | None = None,
    top: int = 10,
    **settings: Any,
) -> Gate:
    """Check whether a new output may replace that of the base.

    Args:
        key: the key, as `comparanda.compare` takes it.
        base: the output of the base; None to check requirements against the scores of a baseline file.
        new: the output of the new system.
        task: the task.
        max_new_errors: how many sites that the base has right may be wrong now: a count, or a share such as "0.5%".
        max_negative_flip_rate: the same as a share of all sites.
        label: restricts these two to sites with this label in the key, or one of these.
        require: what must hold of scores and counts: "f1 >= base - 0.3", 'score("f1[PER]") >= 80'.
        fail_if_significantly_worse: fail if a randomisation test finds a loss; asked for where nothing else is.
        measure: the measure that is tested; the main one by default.
        baseline: a baseline file; unless it was written for this key and this base, they are not compared.
        view: the view, if there are several.
        top: how many examples of new errors to show; 0 for all.
        settings: as for `comparanda.compare`.

    >>> found = gate(["A", "B", "B"], ["A", "B", "A"], ["A", "A", "B"], task="tag", max_new_errors=0, resamples=0)
    >>> found.passed, found.checks[0].measured
    (False, 1)

    """
    asked: dict[str, Any] = {
        "max_new_errors": max_new_errors,
        "max_negative_flip_rate": max_negative_flip_rate,
        "label": label,
        "require": require,
        "fail_if_significantly_worse": fail_if_significantly_worse,
        "measure": measure,
    }
    criteria(**asked)  # what is wrong with them is said before anything is read
    blessed = None if baseline is None else read_baseline(fspath(baseline))
    if base is None and blessed is None:
        raise UsageError("there is neither an output of the base nor a baseline")
    systems = {name: given for name, given in (("base", base), ("new", new)) if given is not None}
    result = compare(key, systems, task=task, **settings)
    return guarded(result, "base" if base is not None else None, "new", blessed=blessed, view=view, top=top, **asked)


def guarded(
    result: Result,
    base: str | None,
    new: str,
    *,
    blessed: Baseline | None = None,
    view: str | None = None,
    top: int = 10,
    **asked: Any,
) -> Gate:
    """Check one system of a result against another, or against the scores of a baseline.

    Args:
        result: the key and the systems.
        base: the base; None where only the baseline knows its scores.
        new: the new system.
        blessed: what the key and the base must be.
        view: the view, if there are several.
        top: how many examples of new errors to show; 0 for all.
        asked: what must hold, as for `gate`.

    """
    if blessed is not None:
        refuse_unlike(blessed, baseline_of(result, base, view=view))
    if base is not None:
        return result.gate(base, new, top=top, view=view, **asked)
    assert blessed is not None, "there is neither an output of the base nor a baseline"
    return result.gate(blessed.base_name, new, top=top, view=view, stored=blessed.by_measure(), **asked)
