"""Gates and baseline files: check a new system against an approved base.

A baseline file records the digests of the files of the key and the base, the settings of the evaluation, and the
scores of the base with their counts, so that a later gate compares with exactly this base. It is JSON, meant to be
kept under version control with the code that it protects.
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
from comparanda.findings.gate import build_criteria
from comparanda.findings.scores import Score
from comparanda.version import __version__

if TYPE_CHECKING:
    from comparanda.core.verdicts import View
    from comparanda.findings.gate import Gate
    from comparanda.result import Result


BASELINE_VERSION = 1
KIND = "comparanda baseline"

_LABEL_MEASURES = ("accuracy", "precision", "recall", "f1")
_MAX_LABELS = 200  # with more labels, such as lemmas, scores of single labels are not stored
_MAP_SETTING = re.compile(r"map\[(.*)\]", re.DOTALL)
_TOLERANCE = 1e-9
_LISTED_DIFFERENCES = 5
_DIGEST_LENGTH = 12  # digits of a digest shown in messages

Natural = Annotated[int, Meta(ge=0)]


class BaselineError(InputError):
    """The inputs or settings differ from those of the baseline."""


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The base class of all parts of a baseline; unknown fields are errors."""


class FileEntry(_Entry, frozen=True):
    """One file: its name, for messages, and the SHA-256 of its bytes."""

    name: str
    sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class KeyEntry(_Entry, frozen=True):
    """The key: its files, and the frequency of each label."""

    files: list[FileEntry]
    labels: dict[str, Natural]


class ScoreEntry(_Entry, frozen=True, kw_only=True):
    """A score of the base with its counts, as in `Score`."""

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
    """The content of a baseline file.

    Args:
        kind: the type of the file.
        baseline_version: the version of the file format.
        version: the version of the program that wrote it.
        task: the task.
        view: the view.
        unit: the unit of resampling.
        documents: the number of documents.
        settings: the settings of reading and evaluation, as in the signature.
        zero_division: the value of undefined ratios.
        key: the key.
        base: the base; None only for current inputs that are compared with a file, never in a file.

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
        """Return the text of the baseline file."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2).decode() + "\n"

    @property
    def base_name(self) -> str:
        """The name of the base."""
        return "" if self.base is None else self.base.name

    def by_measure(self) -> dict[str, Score]:
        """Return the scores of the base by measure."""
        base = self.base
        return {} if base is None else {each.measure: _restore_score(base.name, each) for each in base.scores}


def baseline_of(result: Result, base: str | None, *, view: str | None = None) -> Baseline:
    """Build a baseline from a key and a base; without a base, from the key and the settings only."""
    verdicts, chosen = result.verdicts, result.verdicts.view(view)
    labels = _count_labels(chosen)
    entry = None
    if base is not None:
        runs = [verdicts.runs[run] for run in verdicts.system(base).runs]
        entry = BaseEntry(base, [_digest_files(result, run) for run in runs], _score_base(result, base, view, labels))
    return Baseline(
        kind=KIND,
        baseline_version=BASELINE_VERSION,
        version=__version__,
        task=verdicts.task,
        view=chosen.name,
        unit=verdicts.units.kind,
        documents=len(verdicts.documents),
        settings=dict(_relevant_settings(verdicts.settings, base)),
        zero_division=result.zero_division,
        key=KeyEntry(_digest_files(result, "key"), labels),
        base=entry,
    )


def _relevant_settings(settings: Mapping[str, str], base: str | None) -> Iterator[tuple[str, str]]:
    """Yield the settings that concern the key and the base: all but the label maps of other systems."""
    for name, value in settings.items():
        of = _MAP_SETTING.fullmatch(name)
        if of is None or of[1] in {"key", "all"}:
            yield name, value
        elif of[1] == base:
            yield "map[base]", value


def _count_labels(view: View) -> dict[str, int]:
    """Count the labels of the key: those of its items, or of its sites if there are no separate items."""
    items, sites = view.given_items, view.sites
    if items is None:
        counts, names = sites.key_counts, sites.labels.names
    else:
        counts, names = items.positives, items.names
    return {name: count for name, count in zip(names, counts.tolist(), strict=True) if count}


def _digest_files(result: Result, side: str) -> list[FileEntry]:
    """Compute the digests of the files of the key or of a run."""
    sides = [each for part in result.verdicts.texts.parts for each in part.words().sides if each.name == side]
    paths = [part.path for each in sides for part in each.source().parts]
    files = [path for path in dict.fromkeys(paths) if path is not None]
    if not files or None in paths:
        raise UsageError(f"a baseline requires files, and {side!r} is not read from a file")
    ways = [path.absolute().as_posix().split("/") for path in files]
    folders = zip(*(way[:-1] for way in ways), strict=False)
    top = sum(1 for _ in takewhile(lambda steps: len(set(steps)) == 1, folders))
    return [FileEntry("/".join(way[top:]), _digest_file(path)) for path, way in zip(files, ways, strict=True)]


def _digest_file(path: AnyPath) -> str:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as problem:
        raise ReadError(f"cannot be read: {problem.strerror or problem}", where=str(path)) from None


def _score_base(result: Result, base: str, view: str | None, labels: Iterable[str]) -> list[ScoreEntry]:
    """Score the base by all measures of the task, and by the label measures that the view has."""
    plain = replace(result, resamples=0)
    found = [*plain.scores(view=view).scores, *_score_labels(plain, view, list(labels))]
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


def _score_labels(result: Result, view: str | None, labels: Sequence[str]) -> Iterator[Score]:
    for kind in _LABEL_MEASURES if len(labels) <= _MAX_LABELS else ():
        with suppress(UsageError):  # a label of spans need not occur at any site
            yield from result.scores(*(f"{kind}[{label}]" for label in labels), view=view).scores if labels else ()


def _restore_score(system: str, entry: ScoreEntry) -> Score:
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
    """Read a baseline file; refuse another version and anything that does not follow the format."""
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
        raise ReadError("not a baseline file of comparanda", where=path)
    version = loose.get("baseline_version")
    if version != BASELINE_VERSION:
        what = f"expected a baseline of version {BASELINE_VERSION}, got {version}"
        raise ReadError(what, where=path, hint=f"it was written by comparanda {loose.get('version')}")
    try:
        found = msgspec.convert(loose, Baseline)
    except msgspec.ValidationError as problem:
        raise ReadError(f"the baseline is damaged: {problem}", where=path) from None
    if found.base is None:
        raise ReadError("the baseline is damaged: no base", where=path)
    return found


def refuse_changed(approved: Baseline, now: Baseline) -> None:
    """Raise an error unless key, base and settings are those of the baseline.

    If bytes and settings are the same, labels and scores must be too: this detects differences that no setting
    records, such as another column of the same file.
    """
    unlike = [
        *_compare_settings(approved, now),
        *_shorten_list(_compare_files("key", approved.key.files, now.key.files)),
    ]
    if approved.base is not None and now.base is not None:
        unlike += _shorten_list(_compare_runs(approved.base, now.base))
    if not unlike:
        unlike = _shorten_list(_compare_labels(approved.key.labels, now.key.labels))
        unlike += _shorten_list(_compare_scores(approved.base, now.base))
    if unlike:
        raise BaselineError(
            "the inputs have changed since the baseline was written",
            details=unlike,
            hint=f"re-approve with --write-baseline (approved: {approved.base_name!r}, "
            f"by comparanda {approved.version})",
        )


def _shorten_list(lines: Iterable[str]) -> list[str]:
    """Keep the first lines, and add the number of the others."""
    found = list(lines)
    more = len(found) - _LISTED_DIFFERENCES
    return found if more <= 0 else [*found[:_LISTED_DIFFERENCES], f"… and {more:,} more"]


def _compare_settings(approved: Baseline, now: Baseline) -> Iterator[str]:
    for name in ("task", "view", "unit", "documents", "zero_division"):
        then, here = getattr(approved, name), getattr(now, name)
        if then != here:
            yield f"{name.replace('_', ' ')}: {_format_value(then)} before, {_format_value(here)} now"
    of_base = {"map[base]"} if now.base is None else set()  # its output is not available
    for name in sorted({*approved.settings, *now.settings} - of_base):
        then, here = approved.settings.get(name), now.settings.get(name)
        if then != here:
            yield f"setting {name}: {_format_value(then)} before, {_format_value(here)} now"


def _format_value(value: object, nothing: str = "not set") -> str:
    return nothing if value is None else str(value)


def _compare_labels(approved: Mapping[str, int], now: Mapping[str, int]) -> Iterator[str]:
    for name in sorted({*approved, *now}):
        then, here = approved.get(name, 0), now.get(name, 0)
        if then != here:
            yield f"{name} in the key: {then:,} before, {here:,} now"


def _compare_files(who: str, approved: Sequence[FileEntry], now: Sequence[FileEntry]) -> Iterator[str]:
    """Compare the digests; names may differ, since files may be moved."""
    if len(approved) != len(now):
        yield f"{who}: {len(approved)} files before, {len(now)} now"
        return
    stale, fresh = _unmatched_files(approved, now), _unmatched_files(now, approved)
    for old, each in zip(stale, fresh, strict=True):
        was = "" if old.name == each.name else f" ({old.name})"
        digests = f"{old.sha256[:_DIGEST_LENGTH]}…{was} before, {each.sha256[:_DIGEST_LENGTH]}… now"
        yield f"{who}: {each.name} has changed: sha256 {digests}"


def _unmatched_files(files: Sequence[FileEntry], others: Sequence[FileEntry]) -> list[FileEntry]:
    """Return the files without a counterpart of the same bytes among the others; each counterpart is used once."""
    left = Counter(each.sha256 for each in others)
    found = []
    for each in files:
        if left[each.sha256]:
            left[each.sha256] -= 1
        else:
            found.append(each)
    return found


def _compare_runs(approved: BaseEntry, now: BaseEntry) -> Iterator[str]:
    if len(approved.runs) != len(now.runs):
        yield f"base: {len(approved.runs)} runs before, {len(now.runs)} now"
        return
    then, here = ([each for run in base.runs for each in run] for base in (approved, now))
    yield from _compare_files("base", then, here)


def _compare_scores(approved: BaseEntry | None, now: BaseEntry | None) -> Iterator[str]:
    if approved is None or now is None:
        return
    here = {each.measure: each for each in now.scores}
    for then in approved.scores:
        found = here.get(then.measure)
        if found is None or not _is_same_score(then, found):
            current = "not computed" if found is None else _format_value(found.value, "undefined")
            yield f"{then.measure} of the base: {_format_value(then.value, 'undefined')} before, {current} now"


def _is_same_score(one: ScoreEntry, other: ScoreEntry) -> bool:
    pairs = ((one.value, other.value), (one.part, other.part), (one.whole, other.whole))
    return all(a == b or (a is not None and b is not None and math.isclose(a, b, rel_tol=_TOLERANCE)) for a, b in pairs)


# The gate: check a new system against its base before a release.


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
        key: the key, as for `comparanda.compare`.
        base: the output of the base; None to check requirements against the scores of a baseline file.
        new: the output of the new system.
        task: the task.
        max_new_errors: the maximum number of new errors (sites that only the base has right), or a share of all sites
            such as "0.5%".
        max_negative_flip_rate: the same as a share of all sites.
        label: restricts these two to sites with this label, or one of these labels, in the key.
        require: conditions on scores and counts: "f1 >= base - 0.3", 'score("f1[PER]") >= 80'.
        fail_if_significantly_worse: fail if a randomisation test finds a loss; the default if no criterion is given.
        measure: the measure to test; the main one by default.
        baseline: a baseline file; an error is raised unless it was written for this key and this base.
        view: the view, if there are several.
        top: the number of examples of new errors to show; 0 for all.
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
    build_criteria(**asked)  # report errors in the criteria before reading any input
    approved = None if baseline is None else read_baseline(fspath(baseline))
    if base is None and approved is None:
        raise UsageError("no output of the base and no baseline given")
    systems = {name: given for name, given in (("base", base), ("new", new)) if given is not None}
    result = compare(key, systems, task=task, **settings)
    return check_against_baseline(
        result, "base" if base is not None else None, "new", approved=approved, view=view, top=top, **asked
    )


def check_against_baseline(
    result: Result,
    base: str | None,
    new: str,
    *,
    approved: Baseline | None = None,
    view: str | None = None,
    top: int = 10,
    **asked: Any,
) -> Gate:
    """Check one system of a result against another, or against the scores of a baseline.

    Args:
        result: the key and the systems.
        base: the base; None if its scores come from the baseline.
        new: the new system.
        approved: the baseline that the key and the base must match.
        view: the view, if there are several.
        top: the number of examples of new errors to show; 0 for all.
        asked: the criteria, as for `gate`.

    """
    if approved is not None:
        refuse_changed(approved, baseline_of(result, base, view=view))
    if base is not None:
        return result.gate(base, new, top=top, view=view, **asked)
    assert approved is not None, "no output of the base and no baseline given"
    return result.gate(approved.base_name, new, top=top, view=view, stored=approved.by_measure(), **asked)
