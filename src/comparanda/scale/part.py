"""One part of a comparison: read, aligned and judged, with what must be known of it to join it to the others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec

from comparanda.core.corpus import TagEvidence
from comparanda.core.remote import path_of
from comparanda.errors import ReadError
from comparanda.formats.contract import KEY
from comparanda.formats.files import stamp
from comparanda.formats.tokens import NOT_ANNOTATED
from comparanda.pipeline import judged, prepare_runs
from comparanda.result import Result
from comparanda.storage.fold import folded
from comparanda.storage.writer import packed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from comparanda.core.corpus import Corpus
    from comparanda.formats.inputs import Input
    from comparanda.pipeline import Setup
    from comparanda.scale.plan import PartTask, Plan

FACTS = "facts.json"
"""The file of a part's folder that holds its `Facts`, by side."""

Files = dict[str, bytes]
"""The files of a folder by their names."""


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What a portion of an input looks like.

    Args:
        layout: what the reader found out by looking at the first lines.
        annotated: whether the judged column says anything.
        scheme: the scheme that tags were read in because the whole corpus tells it; empty where their own told it.
        counts: how often each chunk tag is used; None where no scheme was to be detected.
        broken: how often each scheme is broken.
        characters: of the key, whether spans stand at characters of it; None where they are not asked for.

    """

    layout: str
    annotated: bool
    scheme: tuple[str, ...] = ()
    counts: dict[str, int] | None = None
    broken: dict[str, int] = msgspec.field(default_factory=dict)
    characters: bool | None = None

    @property
    def evidence(self) -> TagEvidence | None:
        """What chunk tags say of their scheme."""
        return None if self.counts is None else TagEvidence(self.counts, self.broken)


@dataclass(frozen=True, slots=True)
class Job:
    """What workers need to judge parts.

    Args:
        plan: the plan.
        setup: how inputs are read and judged.
        schemes: for sides whose tags as a whole tell another scheme than those of some part, what they tell.
        characters: whether spans stand at characters, because tokens are not the key's in some part.

    """

    plan: Plan
    setup: Setup
    schemes: Mapping[str, tuple[str, ...]]
    characters: bool = False

    def only(self, number: int) -> Job:
        """Return the job of one part, its part 0: what is sent to others holds nothing of the parts beside it."""
        task = self.plan.parts[number]
        known = set(_files(task))
        files = tuple(each for each in self.plan.files if each[0] in known)
        return replace(self, plan=replace(self.plan, parts=(task,), files=files))


def judge_part(job: Job, number: int) -> Files:
    """Judge one part; return the files of its result folder, the facts among them."""
    task = job.plan.parts[number]
    _refuse_changed(job.plan, task)
    key, *outputs = ((name, _pinned(given, name, job)) for name, given in ((KEY, task.key), *task.outputs))
    prepared = prepare_runs(key[1], job.plan.systems, outputs, job.setup)
    aligned = prepared.aligned
    corpora = {KEY: aligned.key, **{name: each for (name, _), each in zip(outputs, aligned.responses, strict=True)}}
    for name, corpus in corpora.items():
        _check_documents(task, name, corpus)
    facts = {name: _facts(corpus, job.schemes.get(name, ())) for name, corpus in corpora.items()}
    verdicts = judged(prepared, job.setup)
    if "positions" in verdicts.settings:
        characters = verdicts.settings["positions"] == "characters"
        facts[KEY] = msgspec.structs.replace(facts[KEY], characters=characters)
    if job.plan.fold is not None:
        verdicts = folded(verdicts, job.plan.fold, job.setup.attributes)
    files = packed(Result(verdicts))
    _refuse_changed(job.plan, task)
    return files | {FACTS: msgspec.json.encode(facts)}


def _refuse_changed(plan: Plan, task: PartTask) -> None:
    """Refuse files that are not as they were when they were looked through."""
    known = dict(plan.files)
    for file, before in (*((file, known[file]) for file in _files(task)), *plan.beside):
        found = stamp(path_of(file))
        if found is None:
            hint = "workers, those of a cluster too, must find inputs at the same path as the program that starts them"
            raise ReadError("the file is not there any more, or not for this worker", where=file, hint=hint)
        if found != before:
            raise ReadError("the file changed while the comparison was running", where=file, hint="run again")


def _files(task: PartTask) -> list[str]:
    """Return the files that a part reads from."""
    portions = (given.portion for given in (task.key, *(each for _, each in task.outputs)))
    return sorted({str(each.file) for portion in portions if portion is not None for each in portion.stretches})


def _pinned(given: Input, side: str, job: Job) -> Input:
    """Return an input that is read as the whole corpus is."""
    portion = given.portion
    assert portion is not None
    characters = portion.whole.characters or job.characters
    whole = replace(portion.whole, scheme=job.schemes.get(side, ()), characters=characters)
    return replace(given, portion=replace(portion, whole=whole))


def _check_documents(task: PartTask, side: str, corpus: Corpus) -> None:
    """Refuse a portion whose documents are not those that were marked there, or which has other sentences."""
    if task.sentences is not None and task.sentences != len(corpus.sentences) - 1:
        raise ReadError("the sentences are not where they were looked for", where=corpus.source.parts[0].name)
    wanted = task.documents.get(side)
    if wanted is None or sorted(corpus.documents.names) == sorted(wanted):
        return
    unlike = sorted(set(corpus.documents.names) ^ set(wanted))
    raise ReadError(
        "the documents are not where they were looked for",
        where=corpus.source.parts[0].name,
        details=[f"{len(unlike):,} differ, the first is {unlike[0]!r}"] if unlike else [],
        hint="compare in one go: without --workers, --memory and --scheduler",
    )


def _facts(corpus: Corpus, scheme: tuple[str, ...]) -> Facts:
    value, tags = corpus.columns.get("value"), corpus.tags
    layout, annotated = f"{corpus.format}: {corpus.layout}", value is None or not set(value.names) <= {*NOT_ANNOTATED}
    if tags is None:
        return Facts(layout=layout, annotated=annotated)
    return Facts(layout=layout, annotated=annotated, scheme=scheme, counts=dict(tags.counts), broken=dict(tags.broken))
