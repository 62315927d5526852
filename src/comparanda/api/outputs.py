"""The public function `agreement`: agreement of outputs without a key, each in turn taking the role of the key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from comparanda.core.measures import parse_measure
from comparanda.core.verdicts import View
from comparanda.errors import UsageError, suggest_nearest
from comparanda.findings.agreement import Agreements, compute_agreements
from comparanda.findings.context import Context
from comparanda.findings.resamples import RESAMPLES, SEED
from comparanda.pipeline import (
    Prepared,
    Setup,
    columns_of,
    evaluate_prepared,
    evaluate_systems,
    prepare_systems,
    read_response,
)
from comparanda.result import Result
from comparanda.tasks.coref.evaluation import mention_sites
from comparanda.tasks.label_maps import system_of_runs
from comparanda.tasks.prob.evaluation import hard_outputs, policies_of
from comparanda.tasks.spans.keys import rebuild_on_key, word_sites

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus
    from comparanda.core.places import Note

FEWEST = 2

_SPAN_LAYERS = ("spans", "beliefs")


def agreement(
    outputs: Mapping[str, Any],
    *,
    reference: str | None = None,
    view: str | None = None,
    measure_name: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    zero_division: float | None = None,
    **settings: Any,
) -> Agreements:
    """Compute how far outputs agree with each other, without a key.

    For every pair: the main measure of the task for one with the other as the key, diff, and Cohen's κ; for all
    together Krippendorff's α; and the documents, by decreasing disagreement.

    Args:
        outputs: at least two outputs by name, each like a system of `compare`; each run of `Runs` is an output.
        reference: the reference output, which provides documents and words; the first by default.
        view: the view, if there are several.
        measure_name: the measure for pairs; the main measure of the view by default.
        resamples: the number of resamples for intervals; 0 for none.
        seed: the seed of all draws.
        zero_division: the value of undefined scores; None to report them as undefined.
        settings: as for `compare`: `task`, `missing`, `maps`, `rules` …

    >>> outputs = {"a": [["B-PER", "O"]], "b": [["B-PER", "B-LOC"]], "c": [["O", "O"]]}
    >>> found = agreement(outputs, task="span", resamples=0)
    >>> [(pair.first, pair.second, round(pair.score, 2), pair.diff) for pair in found.pairs]
    [('a', 'b', 0.67, 0.5), ('a', 'c', 0.0, 1.0), ('b', 'c', 0.0, 1.0)]

    """
    drawn = {"resamples": resamples, "seed": seed, "zero_division": zero_division}
    return agreement_of(outputs, reference=reference, view=view, settings=settings, measure_name=measure_name, **drawn)[
        0
    ]


def agreement_of(
    outputs: Mapping[str, Any],
    reference: str | None,
    view: str | None,
    settings: Mapping[str, Any],
    *,
    measure_name: str | None = None,
    **drawn: Any,
) -> tuple[Agreements, Result]:
    """Compute the finding, and the result of all outputs with the reference output as the key."""
    setup = _build_setup(settings)
    columns, runs = columns_of(outputs)
    names = [name for name, _ in runs]
    maps = _LabelMaps(setup, dict(zip(names, system_of_runs(columns), strict=True)))
    if len(names) < FEWEST:
        raise UsageError("agreement requires at least two outputs", hint="give all outputs: there is no key")
    first = names[0] if reference is None else reference
    if first not in names:
        raise UsageError(
            f"unknown output {first!r}{suggest_nearest(first, names)}", hint=f"outputs: {', '.join(names)}"
        )
    corpora = {name: read_response(given, name, setup) for name, given in runs}
    _check_reference(corpora, first)
    corpora, policies = _harden(corpora, first, maps.with_key(setup, None))
    prepared = prepare_systems(corpora[first], _others(corpora, first), maps.with_key(setup, first))
    results = {first: evaluate_prepared(prepared, setup)}
    if prepared.task.layer in _SPAN_LAYERS or (prepared.task.layer == "chains" and _any_lacks_words(corpora)):
        corpora |= zip((first, *_others(corpora, first)), rebuild_on_key(prepared.aligned), strict=True)
    quiet = replace(setup, strict=False, progress=None)  # notes were reported already
    for name in _others(corpora, first):
        results[name] = evaluate_systems(corpora[name], _others(corpora, name), maps.with_key(quiet, name))
    contexts = {name: Context(verdicts=results[name], view=results[name].view(view), **drawn) for name in names}
    decided, cases = _coefficient_cases(prepared, contexts[first])
    verdicts = replace(
        results[first],
        notes=tuple(_rename_key_in_note(note, first) for note in results[first].notes),
        settings={**results[first].settings, **policies},
    )
    wanted = None if measure_name is None else parse_measure(measure_name)
    return compute_agreements(contexts, reference=first, decided=decided, cases=cases, wanted=wanted), Result(
        verdicts, **drawn
    )


def _any_lacks_words(corpora: Mapping[str, Corpus]) -> bool:
    """Return whether an output has no words of its own, only positions in another text."""
    return any(corpus.words is None for corpus in corpora.values())


def _rename_key_in_note(note: Note, reference: str) -> Note:
    """Replace the key by the reference output in a note, since there is no key."""
    return replace(
        note, side=reference if note.side == "key" else note.side, what=note.what.replace("the key", repr(reference))
    )


def _build_setup(settings: Mapping[str, Any]) -> Setup:
    known = {field.name for field in fields(Setup)}
    for name in settings:
        if name not in known:
            raise UsageError(f"agreement: unknown option {name!r}{suggest_nearest(name, known)}")
    if "task" not in settings:
        raise UsageError("which task?", hint='task="span", "pos", "tag:xpos", "dep", "link", "label" …')
    return Setup(**{name: value for name, value in settings.items() if value is not None})


def _check_reference(corpora: Mapping[str, Corpus], reference: str) -> None:
    """Refuse a reference output without words: coefficients are computed on words."""
    if not len(corpora[reference]) or corpora[reference].textless:
        better = [name for name, corpus in corpora.items() if len(corpus)]
        if better:
            raise UsageError(
                f"{reference!r} has no words for the others to be aligned with",
                hint=f"choose another output with --reference: {', '.join(better)}",
            )
    if corpora[reference].textless:
        raise UsageError(
            "no output has the text, and agreement is computed on words",
            hint="give one output with its text, or score one output against another",
        )


def _others(corpora: Mapping[str, Corpus], name: str) -> dict[str, Corpus]:
    return {other: corpus for other, corpus in corpora.items() if other != name}


def _harden(corpora: Mapping[str, Corpus], reference: str, setup: Setup) -> tuple[dict[str, Corpus], dict[str, str]]:
    """Convert probabilistic outputs to hard outputs on the words of the reference; also return the policies."""
    if all(corpus.beliefs is None for corpus in corpora.values()):
        return dict(corpora), {}
    prepared = prepare_systems(replace(corpora[reference], beliefs=None), corpora, setup)
    hard = hard_outputs(prepared.aligned, prepared.systems, prepared.options)
    return dict(zip(corpora, hard.responses, strict=True)), policies_of(prepared.aligned, prepared.systems)


class _LabelMaps:
    """The label maps, for any choice of the output that takes the role of the key."""

    def __init__(self, setup: Setup, owner: Mapping[str, str]) -> None:
        known = {"all", *owner.values()}
        for who in setup.maps:
            if who not in known:
                raise UsageError(
                    f"label map for an unknown side: {who!r}{suggest_nearest(who, known)}",
                    hint="expected all or the name of an output",
                )
        self.given, self.owner = setup.maps, owner

    def with_key(self, setup: Setup, name: str | None) -> Setup:
        """Return a setup with one output, or none, as the key; its map becomes that of the key."""
        mine = {"key" if run == name else run: self.given.get(owner, {}) for run, owner in self.owner.items()}
        return replace(setup, maps={side: table for side, table in {**self._all, **mine}.items() if table})

    @property
    def _all(self) -> Mapping[str, Mapping[str, str]]:
        return {"all": self.given.get("all", {})}


def _coefficient_cases(prepared: Prepared, context: Context) -> tuple[Context, str]:
    """Return the cases for agreement coefficients and their name: words for spans, mentions for chains."""
    if prepared.task.layer == "chains":
        found = mention_sites(prepared.aligned, prepared.options)
        return replace(context, view=View(name="mentions", given_sites=found, measures=("accuracy",))), "mentions"
    if prepared.task.layer not in _SPAN_LAYERS:
        return context, "rows" if prepared.task.shape == "rows" else "tokens"
    linked = prepared.task.name == "link"
    sites = word_sites(prepared.aligned, prepared.systems, prepared.options, linked=linked)
    return replace(context, view=View(name="words", given_sites=sites, measures=("accuracy",))), "words"
