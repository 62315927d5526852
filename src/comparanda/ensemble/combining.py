"""Several systems made one, in several ways, scored beside the best of them and what they could do at best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from os import PathLike
from typing import TYPE_CHECKING, Any

from comparanda.align import RowMap
from comparanda.comparison.combine import combination
from comparanda.comparison.context import Context
from comparanda.comparison.ensembles import Ensembles, ensembles
from comparanda.comparison.resample import RESAMPLES, SEED
from comparanda.ensemble.tongue import ground_of
from comparanda.ensemble.tuning import FEWEST_FOLDS, tuned_on_dev, tuned_on_folds, tuned_on_same
from comparanda.ensemble.voting import Voting
from comparanda.ensemble.writing import write_corpus
from comparanda.errors import UsageError, nearest
from comparanda.result import Result
from comparanda.road import Prepared, Setup, judged, prepare
from comparanda.verdicts import System
from comparanda.vote import OVERLAPS, Overlap

if TYPE_CHECKING:
    from comparanda.corpus import Corpus
    from comparanda.places import Note
    from comparanda.verdicts import Verdicts

FOLDS = 5


@dataclass(frozen=True, eq=False)
class Combined:
    """Combinations of systems: how good they are, and what they say.

    Args:
        finding: their scores beside the best single system and the upper bound.
        result: the systems and the combinations, judged together: each combination is a system by the name of its
            method, so every other finding can be made of it.
        corpora: what each combination says, on the documents and the words of the key.
        setup: how inputs are read, for reading again what is written.

    """

    finding: Ensembles
    result: Result
    corpora: Mapping[str, Corpus]
    setup: Setup

    @property
    def methods(self) -> tuple[str, ...]:
        """The names of the combinations."""
        return tuple(self.corpora)

    def corpus(self, method: str) -> Corpus:
        """Return what a combination says."""
        if method not in self.corpora:
            hint = f"combinations: {', '.join(self.corpora)}"
            raise UsageError(f"no combination is called {method!r}{nearest(method, self.corpora)}", hint=hint)
        return self.corpora[method]

    def write(self, method: str, path: str | PathLike[str]) -> tuple[Note, ...]:
        """Write a combination to a file in the format of the key, or in another one behind `::`.

        It is read again before the file gets its name: what would not be the same combination is refused, with the
        reason. Returns what else of the key's documents the format does not carry.
        """
        return write_corpus(self.corpus(method), path, self.setup)


def combine(
    key: Any,
    systems: Mapping[str, Any],
    *,
    task: str,
    methods: Sequence[str] = (),
    dev: tuple[Any, Mapping[str, Any]] | None = None,
    folds: int = FOLDS,
    same_data: bool = False,
    overlap: Overlap = "keep",
    view: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    zero_division: float | None = None,
    **settings: Any,
) -> Combined:
    """Combine systems by votes, and score the combinations; every run of a system votes.

    Args:
        key: as for `comparanda.compare`. A vote sees its words, and nothing of what it says of them.
        systems: the outputs by name, each like the key.
        task: as for `comparanda.compare`.
        methods: `union`, `intersection`, `at-least-K`, `majority`, `weighted`, `per-label`; for spans also `tag-vote`;
            for trees `tree-vote` and `weighted-tree-vote`. By default all that make sense.
        dev: where the weights and choices of methods come from: another key, and the systems' outputs for it.
        folds: without `dev`, how many folds the documents are cut into: weights and choices for each come from the
            others.
        same_data: take weights and choices from the very data that is scored; the scores are then optimistic.
        overlap: whether combined spans that overlap are all kept ("keep"), or those with most votes ("best").
        view: the view, if the task has several.
        resamples: how many resamples intervals and tests draw; 0 for none.
        seed: the seed of all draws, and of the folds.
        zero_division: a value to put where a ratio is undefined; None to say so instead.
        settings: all others as for `comparanda.compare`, except `where`.

    >>> key = ["B-PER", "O", "B-LOC", "O"]
    >>> outputs = {"a": ["B-PER", "O", "O", "O"], "b": ["B-PER", "O", "B-LOC", "O"], "c": ["O", "O", "B-LOC", "B-LOC"]}
    >>> found = combine([key], {name: [tags] for name, tags in outputs.items()}, task="span", resamples=0)
    >>> [(each.method, each.value) for each in found.finding.methods][:3]
    [('union', 0.8), ('majority', 1.0), ('intersection', 0.0)]

    """
    setup = _setup(task, settings)
    _check_options(dev, folds, same_data=same_data, overlap=overlap)
    prepared = prepare(key, systems, setup)
    ground_of(prepared)  # what cannot be combined is refused before it is judged
    verdicts = judged(prepared, setup)
    gold, elsewhere = prepared.aligned.key, None if dev is None else _dev(*dev, verdicts, setup)
    if elsewhere is not None:
        tuning = tuned_on_dev(elsewhere, view, gold)
    elif same_data:
        tuning = tuned_on_same(verdicts, view, gold)
    else:
        tuning = tuned_on_folds(verdicts, view, gold, folds, seed)
    voting = Voting.of(prepared, tuning, overlap)
    corpora, skipped = voting.corpora([methods] if isinstance(methods, str) else methods)
    if clash := sorted(set(corpora) & set(systems)):
        raise UsageError(f"a system cannot be called {clash[0]!r}: that is a way of combining", hint="rename it")
    both = judged(_with(prepared, corpora), replace(setup, strict=False))  # what is given was looked at already
    notes = (*_notes(both, corpora), *_dev_notes(elsewhere))
    both = replace(both, settings={**both.settings, **voting.said()}, notes=notes)
    result = Result(both, resamples, seed, zero_division)
    context = Context(both, both.view(view), resamples, seed, zero_division)
    alone = Context(verdicts, verdicts.view(view), 0, seed, zero_division)
    recipes = [voting.recipe(name, corpus) for name, corpus in corpora.items()]
    return Combined(ensembles(context, recipes, combination(alone), skipped), result, corpora, setup)


def _setup(task: str, settings: Mapping[str, Any]) -> Setup:
    known = {field.name for field in fields(Setup)}
    for name in settings:
        if name not in known:
            raise UsageError(f"there is no setting {name!r}{nearest(name, known)}", hint=", ".join(sorted(known)))
    return Setup(task, **{name: value for name, value in settings.items() if value is not None})


def _check_options(dev: object, folds: int, *, same_data: bool, overlap: str) -> None:
    if dev is not None and same_data:
        raise UsageError("dev data and the same data exclude each other: weights come from one of them")
    if folds < FEWEST_FOLDS:
        raise UsageError(f"{folds} folds: what is learnt for one comes from the others", hint="5, say")
    if overlap not in OVERLAPS:
        raise UsageError(f"overlap={overlap!r}{nearest(overlap, OVERLAPS)}", hint=", ".join(OVERLAPS))


def _dev(key: Any, systems: Mapping[str, Any], verdicts: Verdicts, setup: Setup) -> Verdicts:
    """Judge the dev data, with the systems in the same order."""
    names = [system.name for system in verdicts.systems]
    if lacking := [name for name in names if name not in systems]:
        raise UsageError(f"there is no dev output of {', '.join(lacking)}", hint="every system needs one")
    if surplus := sorted(set(systems) - set(names)):
        raise UsageError(f"there is dev output of {surplus[0]!r}, which is no system{nearest(surplus[0], names)}")
    found = judged(prepare(key, {name: systems[name] for name in names}, setup), setup)
    for mine, theirs in zip(verdicts.systems, found.systems, strict=True):
        if len(mine.runs) != len(theirs.runs):
            counts = f"{len(mine.runs)} runs here and {len(theirs.runs)} on the dev data"
            raise UsageError(f"{mine.name!r} has {counts}", hint="the dev data must have an output of each run")
    return found


def _with(prepared: Prepared, corpora: Mapping[str, Corpus]) -> Prepared:
    """Lay combinations beside the systems: they stand on the rows of the key."""
    aligned, first = prepared.aligned, len(prepared.aligned.responses)
    more = len(corpora)
    notes = [note for corpus in corpora.values() for note in corpus.notes]
    wider = replace(
        aligned,
        responses=(*aligned.responses, *corpora.values()),
        maps=(*aligned.maps, *(RowMap() for _ in range(more))),
        segments=(*aligned.segments, *(None for _ in range(more))),
        notes=(*aligned.notes, *notes),
    )
    systems = [*prepared.systems, *(System(name, (first + place,)) for place, name in enumerate(corpora))]
    return replace(prepared, aligned=wider, systems=systems)


def _notes(verdicts: Verdicts, corpora: Mapping[str, Corpus]) -> list[Note]:
    """Return what was met in the inputs; which labels a combination does not use is no news."""
    return [note for note in verdicts.notes if note.side not in corpora]


def _dev_notes(verdicts: Verdicts | None) -> list[Note]:
    return [] if verdicts is None else [replace(note, side=f"dev {note.side}") for note in verdicts.notes]
