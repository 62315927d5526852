"""What questions cost: 10,000 of them over 100,000 blocks, by every strategy; whole runs, and many seeds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from benchmarks.timing import cpu_seconds

if TYPE_CHECKING:
    from comparanda.feedback.field import Field

Report = Callable[..., None]

BLOCKS = 100_000
QUESTIONS = 10_000
TEXTS = 40_000
MISSED = 0.05
"""The share of the key's entities that no tuple is for."""


def field(blocks: int = BLOCKS, seed: int = 0) -> Field:
    """Draw blocks of one to three tuples with texts that repeat; which is right is drawn by their probabilities."""
    import numpy as np

    from comparanda.core.candidates import Candidates
    from comparanda.core.probabilities import Beliefs
    from comparanda.core.text_columns import TextColumn
    from comparanda.feedback.field import field_of
    from comparanda.tasks.prob.evaluation import decide_blocks

    draw = np.random.default_rng(seed)
    sizes = draw.integers(1, 4, blocks)
    block = np.repeat(np.arange(blocks), sizes)
    first = np.cumsum(sizes) - sizes
    parts, rest = draw.gamma(0.6, size=len(block)), 0.7 * draw.gamma(0.6, size=blocks)
    whole = np.add.reduceat(parts, first) + rest
    weight, nothing = parts / whole[block], rest / whole
    reached = np.cumsum(weight)
    reached -= (reached - weight)[first][block]
    chance = draw.random(blocks)[block]
    correct = (reached - weight <= chance) & (chance < reached)
    rows = np.arange(len(block))
    beliefs = Beliefs(
        weight=weight, entity=(1 - nothing)[block], alternative=block, block=block, nothing=nothing
    )  # a span a block, with its labels
    text = (TEXTS * draw.random(blocks) ** 2).astype(np.int64)[block]
    label = rows - first[block]
    found = decide_blocks(beliefs, rows)
    run = Candidates(
        document=(block // 20).astype(np.int32),
        sentence=(block // 4).astype(np.int32),
        place=(5 * block % 100).astype(np.int32),
        width=np.ones(len(block), np.int32),
        begin=30 * block % 600,
        end=30 * block % 600 + 8,
        label=label,
        names=("LOC", "ORG", "PER"),
        text=TextColumn(text, tuple(f"Name {number}" for number in range(TEXTS))),
        correct=correct,
        decided=found.chosen,
        beliefs=beliefs,
        tied=found.tied,
    )
    return field_of(run, int(correct.sum() / (1 - MISSED)))


def whole_run(strategy: str, **options: str) -> Callable[[], object]:
    """Ask all questions, from the tuples on: nothing is there that a run before has left."""
    from comparanda.feedback.field import field_of
    from comparanda.feedback.protocol import Plan
    from comparanda.feedback.simulation import simulate

    drawn = field()
    plan = Plan(strategy=strategy, budget=QUESTIONS, **options)  # type: ignore[arg-type]
    return lambda: simulate(field_of(drawn.candidates, drawn.entities), plan)


def many_seeds(count: int) -> Callable[[], object]:
    """Ask in many random orders."""
    from comparanda.feedback.field import field_of
    from comparanda.feedback.protocol import Plan
    from comparanda.feedback.simulation import simulate

    drawn = field()

    def run() -> object:
        mine = field_of(drawn.candidates, drawn.entities)
        return [simulate(mine, Plan(strategy="random", budget=QUESTIONS, seed=seed)) for seed in range(count)]

    return run


def bench_feedback(report: Report) -> None:
    """Time every strategy, fixed orders against a bar of their own, and twenty random orders."""
    from comparanda.feedback.protocol import FIXED, STRATEGIES

    what = "10k questions over 100k blocks"
    for strategy in STRATEGIES:
        bar = 1 if strategy in FIXED else 10
        spent = cpu_seconds({strategy: whole_run(strategy)}, rounds=3)[strategy]
        report(f"{what}, {strategy}, s", spent, f"≤ {bar}", met=spent <= bar)
    spent = cpu_seconds({"seeds": many_seeds(20)}, rounds=3)["seeds"]
    report(f"{what}, 20 random orders together, s", spent, "≤ 3", met=spent <= 3)
    for kind, handler in (("label", "statistical"), ("span", "basic"), ("choice", "basic"), ("group", "basic")):
        for strategy in ("entropy", "fgain"):
            run = whole_run(strategy, kind=kind, handler=handler)
            spent = cpu_seconds({strategy: run}, rounds=1)[strategy]
            print(f"  also: {strategy}, {kind} questions, {handler}: {spent:.2f} s", flush=True)
