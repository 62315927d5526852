"""The evaluation of one part of a comparison, with the facts needed to merge it with the others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec

from comparanda.core.corpus import TagEvidence
from comparanda.core.remote import path_of
from comparanda.errors import ReadError
from comparanda.formats.contract import KEY
from comparanda.formats.files import read_stamp
from comparanda.formats.tokens import NOT_ANNOTATED
from comparanda.pipeline import evaluate_prepared, prepare_runs
from comparanda.result import Result
from comparanda.storage.fold import fold_verdicts
from comparanda.storage.writer import pack_result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from comparanda.core.corpus import Corpus
    from comparanda.formats.inputs import Input
    from comparanda.pipeline import Setup
    from comparanda.scale.plan import PartTask, Plan

FACTS = "facts.json"
"""The file of a part's folder that holds its `Facts`, by side."""

Files = dict[str, bytes]
"""The contents of the files of a folder, by name."""


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """The properties of a portion of an input that must agree across parts.

    Args:
        layout: what the reader inferred from the first lines.
        annotated: whether the evaluated column has any annotations.
        scheme: the tag scheme detected on the whole corpus; empty if detected on the portion itself.
        counts: the frequency of each chunk tag; None where no scheme was to be detected.
        broken: the number of violations of each scheme.
        characters: for the key, whether span positions are in characters; None where there are no spans.

    """

    layout: str
    annotated: bool
    scheme: tuple[str, ...] = ()
    counts: dict[str, int] | None = None
    broken: dict[str, int] = msgspec.field(default_factory=dict)
    characters: bool | None = None

    @property
    def evidence(self) -> TagEvidence | None:
        """The evidence of chunk tags for their scheme."""
        return None if self.counts is None else TagEvidence(self.counts, self.broken)


@dataclass(frozen=True, slots=True)
class Job:
    """What workers need to evaluate parts.

    Args:
        plan: the plan.
        setup: the settings for reading and evaluation.
        schemes: the tag schemes detected on whole sides, where they differ from the scheme of some part.
        characters: whether span positions are in characters, because the tokens of some part differ from the key's.

    """

    plan: Plan
    setup: Setup
    schemes: Mapping[str, tuple[str, ...]]
    characters: bool = False

    def only(self, number: int) -> Job:
        """Reduce the job to one part, which becomes its part 0, so that workers receive nothing about other parts."""
        task = self.plan.parts[number]
        known = set(_part_files(task))
        files = tuple(each for each in self.plan.files if each[0] in known)
        return replace(self, plan=replace(self.plan, parts=(task,), files=files))


def evaluate_part(job: Job, number: int) -> Files:
    """Evaluate one part; return the files of its result folder, including the facts."""
    task = job.plan.parts[number]
    _refuse_changed(job.plan, task)
    key, *outputs = ((name, _pin_input(given, name, job)) for name, given in ((KEY, task.key), *task.outputs))
    prepared = prepare_runs(key[1], job.plan.systems, outputs, job.setup)
    aligned = prepared.aligned
    corpora = {KEY: aligned.key, **{name: each for (name, _), each in zip(outputs, aligned.responses, strict=True)}}
    for name, corpus in corpora.items():
        _check_documents(task, name, corpus)
    facts = {name: _collect_facts(corpus, job.schemes.get(name, ())) for name, corpus in corpora.items()}
    verdicts = evaluate_prepared(prepared, job.setup)
    if "positions" in verdicts.settings:
        characters = verdicts.settings["positions"] == "characters"
        facts[KEY] = msgspec.structs.replace(facts[KEY], characters=characters)
    if job.plan.fold is not None:
        verdicts = fold_verdicts(verdicts, job.plan.fold, job.setup.attributes)
    files = pack_result(Result(verdicts))
    _refuse_changed(job.plan, task)
    return files | {FACTS: msgspec.json.encode(facts)}


def _refuse_changed(plan: Plan, task: PartTask) -> None:
    """Refuse files that have changed since they were indexed."""
    known = dict(plan.files)
    for file, before in (*((file, known[file]) for file in _part_files(task)), *plan.setting_files):
        found = read_stamp(path_of(file))
        if found is None:
            hint = "make the inputs available to all workers, including those of a cluster, at the same path as here"
            raise ReadError("the file no longer exists, or not for this worker", where=file, hint=hint)
        if found != before:
            raise ReadError("the file changed while the comparison was running", where=file, hint="run again")


def _part_files(task: PartTask) -> list[str]:
    """List the files that a part reads from."""
    portions = (given.portion for given in (task.key, *(each for _, each in task.outputs)))
    return sorted({str(each.file) for portion in portions if portion is not None for each in portion.stretches})


def _pin_input(given: Input, side: str, job: Job) -> Input:
    """Set the properties of the whole corpus on an input, so that it is read accordingly."""
    portion = given.portion
    assert portion is not None
    characters = portion.whole.characters or job.characters
    whole = replace(portion.whole, scheme=job.schemes.get(side, ()), characters=characters)
    return replace(given, portion=replace(portion, whole=whole))


def _check_documents(task: PartTask, side: str, corpus: Corpus) -> None:
    """Refuse a portion with other documents than indexed, or with another number of sentences."""
    if task.sentences is not None and task.sentences != len(corpus.sentences) - 1:
        raise ReadError("the sentences are not those that were indexed", where=corpus.source.parts[0].name)
    wanted = task.documents.get(side)
    if wanted is None or sorted(corpus.documents.names) == sorted(wanted):
        return
    unlike = sorted(set(corpus.documents.names) ^ set(wanted))
    raise ReadError(
        "the documents are not those that were indexed",
        where=corpus.source.parts[0].name,
        details=[f"{len(unlike):,} differ, the first is {unlike[0]!r}"] if unlike else [],
        hint="compare without --workers, --memory and --scheduler",
    )


def _collect_facts(corpus: Corpus, scheme: tuple[str, ...]) -> Facts:
    value, tags = corpus.columns.get("value"), corpus.tags
    layout, annotated = f"{corpus.format}: {corpus.layout}", value is None or not set(value.names) <= {*NOT_ANNOTATED}
    if tags is None:
        return Facts(layout=layout, annotated=annotated)
    return Facts(layout=layout, annotated=annotated, scheme=scheme, counts=dict(tags.counts), broken=dict(tags.broken))
