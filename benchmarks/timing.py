"""CPU time of cases in one process, in an order shuffled anew every round; the minimum counts."""

from __future__ import annotations

import gc
import random
import resource
import time
from collections.abc import Callable

ROUNDS = 5


def cpu_seconds(cases: dict[str, Callable[[], object]], rounds: int = ROUNDS, seed: int = 0) -> dict[str, float]:
    """Return the smallest CPU time (user and system) of each case."""
    best = dict.fromkeys(cases, float("inf"))
    order = list(cases)
    shuffle = random.Random(seed)
    for _ in range(rounds):
        shuffle.shuffle(order)
        for name in order:
            gc.collect()
            begin = time.process_time()
            cases[name]()
            best[name] = min(best[name], time.process_time() - begin)
    return best


def child_cpu(run: Callable[[], object]) -> float:
    """Return the CPU time that the processes started by a call use."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
