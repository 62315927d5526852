"""What runs are to vote on: their labels in one tongue, as they are judged."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from comparanda.errors import UsageError
from comparanda.judge.beliefs.hard import hard_outputs
from comparanda.judge.ground import run_names
from comparanda.judge.label_maps import speak_alike
from comparanda.judge.labels import with_sets
from comparanda.judge.spans import looks_at_ids
from comparanda.rules.engine import Engine
from comparanda.vote.values import as_sets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.columns import TextColumn
    from comparanda.corpus import Corpus
    from comparanda.road import Prepared
    from comparanda.vote import Ground


def ground_of(prepared: Prepared) -> Ground:
    """Return what is voted on; chains are no votes that could be counted."""
    if prepared.task.layer == "chains":
        what = "chains cannot be combined by votes: what two systems put together need not fit into one set of chains"
        hint = "see what they could do together: comparanda compare shows upper bounds by kind of mention"
        raise UsageError(what, hint=hint)
    if prepared.task.layer == "arcs":
        return "trees"
    if prepared.task.layer in {"spans", "beliefs"}:
        rules = prepared.options.rules
        return "links" if rules is not None and looks_at_ids(Engine(rules)) else "spans"
    return "sets" if with_sets(prepared.aligned) else "values"


def in_one_tongue(prepared: Prepared) -> Prepared:
    """Apply label maps and the folding of case to what the runs say, so that a vote sees equal labels as equal.

    The combination then has the new labels. It is judged with the same maps, so these must leave them as they are.
    Where runs are probabilistic, their hard outputs vote.
    """
    maps = prepared.options.maps.get("all", {})
    for old, new in sorted(maps.items()):
        if maps.get(new, new) != new:
            raise UsageError(
                f"the label map for all reads {old} as {new}, and {new} as {maps[new]}: it cannot be applied twice",
                hint="combinations have the new labels, and are judged with the same map; give one for each system",
            )
    if prepared.task.layer == "beliefs":
        prepared = replace(prepared, aligned=hard_outputs(prepared.aligned, prepared.systems, prepared.options))
    aligned = prepared.aligned
    if not prepared.options.maps and not prepared.options.fold_case:
        return prepared
    several = with_sets(aligned)
    corpora = [as_sets(corpus) if several else corpus for corpus in aligned.responses]
    columns = [_labels(aligned.key), *map(_labels, corpora)]  # the key's must be there, and nothing comes of them
    sides = ("key", *run_names(prepared.systems))
    found, _ = speak_alike(columns, sides, prepared.systems, prepared.options, several=several)
    return replace(prepared, aligned=replace(aligned, responses=_relabelled(corpora, found[1:])))


def _labels(corpus: Corpus) -> TextColumn:
    return corpus.columns["value"] if corpus.spans is None else corpus.spans.label


def _relabelled(corpora: Sequence[Corpus], labels: Sequence[TextColumn]) -> tuple[Corpus, ...]:
    """Put other labels into corpora."""
    return tuple(
        replace(corpus, columns={**corpus.columns, "value": column})
        if corpus.spans is None
        else replace(corpus, spans=replace(corpus.spans, label=column))
        for corpus, column in zip(corpora, labels, strict=True)
    )
