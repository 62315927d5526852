"""Is a difference real? ranx's randomisation test and SciPy's bootstrap, on scores by document.

Neither reads files, so here alone the time is that from the scores of documents to the answer. Two programs that
draw at random agree if their draws may well come from one distribution: were that so, counts further apart than these
would have to be rarer than `RARE`. Both chances are exact, not approximated:

- of N and of M swaps, c and d differ as much as was observed: Fisher's exact test of the two by two table;
- of M resampled differences, d are below the k-th smallest of N others: d is beta-binomial (M, k, N + 1 - k).

All documents have one length, so the mean of their scores, which is what ranx and SciPy test, is the pooled score,
which is what we test. There are 2¹² of them, so that ranx's means are exact and ties are ties.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from benchmarks.peer_cases.sides import Case, Numbers, Sides, differing

DOCUMENTS = 4096
WORDS = 10
ERRORS = (0.100, 0.103)
RESAMPLES = 10_000
RARE = 1e-6
ENDS = {"low": 0.025, "high": 0.975}


def generated(folder: Path, seed: int = 5) -> tuple[Path, list[Path]]:
    """Write tags of a key and of two systems that are wrong nearly as often."""
    draw = random.Random(seed)
    paths = [folder / f"documents-{name}.txt" for name in ("key", "first", "second")]
    for path, error in zip(paths, (0.0, *ERRORS), strict=True):
        lines = []
        for document in range(DOCUMENTS):
            tags = ("X" if draw.random() < error else "N" for _ in range(WORDS))
            words = "".join(f"w{place}\t{tag}\n" for place, tag in enumerate(tags))
            lines.append(f"# newdoc id = d{document:04}\n{words}\n")
        path.write_text("".join(lines), encoding="utf-8")
    return paths[0], paths[1:]


def right_words(path: Path) -> Any:
    """Count what is right in each document, where the key says N of every word."""
    import numpy as np

    documents = path.read_text(encoding="utf-8").split("# newdoc")[1:]
    return np.array([document.count("\tN\n") for document in documents], np.float64)


def compared(folder: Path) -> tuple[Any, list[Any]]:
    """Return our comparison, read and judged, and the counts of right words by document, made without it."""
    from comparanda import compare

    key, (first, second) = generated(folder)
    systems = {"first": f"{first}::columns", "second": f"{second}::columns"}
    result = compare(f"{key}::columns", systems, task="tag", resamples=RESAMPLES)
    return result.context(None), [right_words(path) for path in (first, second)]


def _accuracies(context: Any, statistics: Any) -> dict[str, float]:
    sums = {name: values.sum(axis=0) for name, values in statistics.items()}
    return dict(zip(("first", "second"), context.finished(context.measures[0], sums).tolist(), strict=True))


def _shares(counts: list[Any]) -> dict[str, float]:
    return {name: float(each.mean()) / WORDS for name, each in zip(("first", "second"), counts, strict=True)}


def randomisation(folder: Path) -> Sides:
    """Test the pair by swapping documents."""
    from ranx.statistical_tests import (  # type: ignore[import-not-found]  # in the environment of the peers alone
        fisher_randomization_test,
    )

    from comparanda.findings.significance import test_by_randomisation as test

    context, counts = compared(folder)

    def ours() -> Numbers:
        statistics = context.statistics([context.measures[0]])
        ((p, _),) = test(context, context.measures[0], statistics, [(0, 1)])
        if p is None:
            raise AssertionError("no test was made")
        return {**_accuracies(context, statistics), "p": p}

    def theirs() -> Numbers:
        return {**_shares(counts), "p": float(fisher_randomization_test(*counts, RESAMPLES)[0])}

    return Sides(ours=ours, theirs=theirs, differing=_other_than_one_p)


def _other_than_one_p(ours: Numbers, theirs: Numbers) -> list[str]:
    """Compare p by the swaps behind it; ours counts the observed difference as one more, as a test should."""
    from scipy.stats import fisher_exact

    mine, other = round(ours["p"] * (RESAMPLES + 1)) - 1, round(theirs["p"] * RESAMPLES)
    chance = fisher_exact([[mine, RESAMPLES - mine], [other, RESAMPLES - other]]).pvalue
    return [name for name in differing(ours, theirs) if name != "p" or chance < RARE]


def bootstrap(folder: Path) -> Sides:
    """Give the interval of the difference."""
    from scipy.stats import bootstrap as resampled

    from comparanda.findings.context import compute_intervals
    from comparanda.findings.scores import resampled_scores

    context, counts = compared(folder)
    drawn: list[Any] = []

    def ours() -> Numbers:
        chosen = context.measures[0]
        statistics = context.statistics([chosen])
        samples = resampled_scores(context, [chosen], statistics)
        if samples is None:
            raise AssertionError("no resamples were drawn")
        both = samples[chosen.name]
        ((low, high),) = compute_intervals(both[:, [1]] - both[:, [0]])
        return {**_accuracies(context, statistics), "low": low or 0.0, "high": high or 0.0}

    def theirs() -> Numbers:
        found = resampled(
            counts,
            lambda first, second, axis: (second.mean(axis=axis) - first.mean(axis=axis)) / WORDS,
            n_resamples=RESAMPLES,
            batch=100,
            paired=True,
            vectorized=True,
            method="percentile",
            rng=1,
        )
        drawn[:] = [found.bootstrap_distribution]
        interval = found.confidence_interval
        return {**_shares(counts), "low": float(interval.low), "high": float(interval.high)}

    def other_ends(mine: Numbers, other: Numbers) -> list[str]:
        return [
            name
            for name in differing(mine, other)
            if name not in ENDS or _chance_of_rank(drawn[0], mine[name], ENDS[name]) < RARE
        ]

    return Sides(ours=ours, theirs=theirs, differing=other_ends)


def _chance_of_rank(distribution: Any, end: float, level: float) -> float:
    """Return how probable it is at most that one's quantile has such a rank, or one further off, among another's draws.

    Differences of accuracies are multiples of one step, so the rank lies between that of what is below and that of what
    is equal; the slack is far less than the step.
    """
    from scipy.stats import betabinom

    slack = 1e-9
    place = level * RESAMPLES
    rank = betabinom(RESAMPLES, place, RESAMPLES + 1 - place)
    below, within = int((distribution < end - slack).sum()), int((distribution <= end + slack).sum())
    return float(min(rank.cdf(within), rank.sf(below - 1)))


SCALE = f"{DOCUMENTS:,} documents, {RESAMPLES:,} draws"
CASES = [
    Case(peer="ranx", what="randomisation test", files=SCALE, sides=randomisation),
    Case(peer="scipy", what="paired bootstrap interval", files=SCALE, sides=bootstrap),
]
