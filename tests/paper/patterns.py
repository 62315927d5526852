"""Which systems have a sentence wrong, and putting words into sentences so that just these have."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from random import Random
from typing import TypeVar

Systems = frozenset[str]
Item = TypeVar("Item", bound=Hashable)


def sentence_patterns(shared: Mapping[Systems, int], right: Mapping[str, int], sentences: int) -> list[Systems]:
    """Return for each sentence which systems have it wrong.

    `shared` says how many sentences several systems have wrong; from how many each has right follows how many
    it alone has wrong, and how many none has.
    """
    several = [pattern for pattern, count in shared.items() for _ in range(count)]
    patterns = list(several)
    for name, count in right.items():
        patterns += [frozenset({name})] * (sentences - count - sum(name in pattern for pattern in several))
    return patterns + [frozenset()] * (sentences - len(patterns))


def fill(
    sentences: Sequence[list[Item]],
    patterns: Sequence[Systems],
    items: Iterable[Item],
    wrong: Callable[[Item], Systems],
    *,
    random: Random,
) -> list[Item]:
    """Put the items that some system has wrong into sentences that just these may have wrong; return the others.

    Each sentence first gets the errors that make its pattern true: one item with just this pattern or, when
    they are used up, one error of each system. Then the other errors go where they are allowed.
    """
    pools: dict[Systems, list[Item]] = {}
    for item in items:
        pools.setdefault(wrong(item), []).append(item)
    for pool in pools.values():
        random.shuffle(pool)
    easy = pools.pop(frozenset())
    for sentence, pattern in zip(sentences, patterns, strict=True):
        if pools.get(pattern):
            sentence.append(pools[pattern].pop())
        else:
            sentence += [pools[frozenset({name})].pop() for name in sorted(pattern)]
    for systems, pool in pools.items():
        homes = [sentence for sentence, pattern in zip(sentences, patterns, strict=True) if systems <= pattern]
        for item in pool:
            random.choice(homes).append(item)
    return easy
