"""The counts of the metrics: by fingers, on the worked example of Pradhan et al. 2014, and at the edges."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from random import Random

import numpy as np
import pytest

from comparanda.core.chains import NO_CHAIN
from comparanda.tasks.coref.measures import METRICS, chain_counts

Chains = list[str]  # a letter is a mention


def rows(*sides: Chains) -> list[np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Return the chain of each mention that any side has, for each side."""
    mentions = sorted({mention for side in sides for chain in side for mention in chain})
    found = []
    for side in sides:
        where = {mention: number for number, chain in enumerate(side) for mention in chain}
        found.append(np.array([where.get(mention, NO_CHAIN) for mention in mentions], np.int64))
    return found


def counted(key: Chains, response: Chains) -> dict[str, list[float]]:
    """Return found, key, earned and claimed of each metric, of one document."""
    mine, theirs = rows(key, response)
    counts = chain_counts(np.zeros(len(mine), np.int32), 1, mine, theirs)
    return {
        name: [float(each[0]) for each in (count.found, count.key, count.earned, count.claimed)]
        for name, count in counts.items()
    }


def test_the_worked_example_counted_on_fingers() -> None:
    """Pradhan et al. 2014: {a, b, c}, {d, e, f, g} against {a, b}, {c, d}, {f, g, h, i}."""
    found = counted(["abc", "defg"], ["ab", "cd", "fghi"])
    assert found["mentions"] == [6, 7, 6, 8]
    assert found["muc"] == [2, 5, 2, 5]  # ab and fg; 2 + 3 links are needed, 1 + 1 + 3 given
    assert found["b3"] == pytest.approx([4 / 3 + 1 / 3 + 1 / 4 + 4 / 4, 7, 4 / 2 + 1 / 2 + 1 / 2 + 4 / 4, 8])
    assert found["ceafm"] == [4, 7, 4, 8]  # abc with ab, defg with fghi
    assert found["ceafe"] == pytest.approx([4 / 5 + 4 / 8, 2, 4 / 5 + 4 / 8, 3])
    assert found["lea"] == pytest.approx([3 * 1 / 3 + 4 * 1 / 6, 7, 2 * 1 / 1 + 4 * 1 / 6, 8])
    assert found["blanc_links"] == [2, 9, 2, 8]
    assert found["blanc_others"] == [8, 12, 8, 20]  # of abc × dfg all but cd


def test_the_best_alignment_is_not_the_greedy_one() -> None:
    """The largest overlap, 3, would leave 0 for the others: 3 < 2 + 2."""
    found = counted(["abcde", "fg"], ["abcfg", "de"])
    assert found["ceafm"] == [4, 7, 4, 7]
    assert found["ceafe"] == pytest.approx([4 / 7 + 4 / 7, 2, 4 / 7 + 4 / 7, 2])


def test_the_two_kinds_of_ceaf_may_align_chains_otherwise() -> None:
    """A chain of ten shares three mentions with another of ten, and all of a pair: 3 > 2, but 6/20 < 4/12."""
    found = counted(["abcdefghij"], ["abctuvwxyz", "de"])
    assert found["ceafm"] == [3, 10, 3, 12]
    assert found["ceafe"] == pytest.approx([4 / 12, 1, 4 / 12, 2])


def test_a_singleton_is_found_by_lea_if_it_is_one_on_both_sides() -> None:
    assert counted(["a", "bc"], ["a", "bc"])["lea"] == [3, 3, 3, 3]
    assert counted(["a"], ["ab"])["lea"] == [0, 1, 0, 2]
    assert counted(["ab"], ["a"])["lea"] == [0, 2, 0, 1]
    assert counted(["a"], ["b"])["lea"] == [0, 1, 0, 1]


def test_identical_sides_have_all_of_all_metrics() -> None:
    for name, (found, key, earned, claimed) in counted(["a", "bcd", "ef"], ["ef", "a", "bcd"]).items():
        assert found == key == earned == claimed > 0, name


def test_sides_without_a_common_mention_have_nothing() -> None:
    for name, (found, key, earned, claimed) in counted(["ab", "c"], ["de", "f"]).items():
        assert (found, earned) == (0, 0), name
        assert key > 0
        assert claimed > 0


@pytest.mark.parametrize(("key", "response"), [([], ["ab"]), (["ab"], []), ([], [])])
def test_an_empty_side_has_nothing(key: Chains, response: Chains) -> None:
    for name, (found, wanted, earned, claimed) in counted(key, response).items():
        assert found == earned == 0, name
        assert (wanted > 0) == bool(key) or name == "blanc_others"
        assert (claimed > 0) == bool(response) or name == "blanc_others"


def test_units_are_counted_apart() -> None:
    """Mentions alternate between three documents, of which the last has none; chains have numbers of their own."""
    key = np.array([0, 1, 0, 1, 0, 1])
    response = np.array([3, 1, 3, 0, 2, 1])
    unit = np.array([0, 1, 0, 1, 0, 1], np.int32)
    together = chain_counts(unit, 3, key, response)
    for number in (0, 1):
        mine = unit == number
        _, ours = np.unique(key[mine], return_inverse=True)
        _, theirs = np.unique(response[mine], return_inverse=True)
        alone = chain_counts(np.zeros(3, np.int32), 1, ours, theirs)
        for name, counts in together.items():
            for part in ("found", "key", "earned", "claimed"):
                assert getattr(counts, part)[number] == pytest.approx(getattr(alone[name], part)[0]), name
                assert getattr(counts, part)[2] == 0


def test_the_alignment_is_the_best_of_all() -> None:
    """Where chains overlap criss-cross, all ways to pair them are tried."""
    random = Random(5)
    for _ in range(150):
        mentions = "abcdefghijklmno"[: random.randint(4, 15)]
        key, response = (drawn(random, mentions) for _ in range(2))
        found = counted(key, response)
        assert found["ceafm"][0] == best(key, response, lambda k, r: Fraction(len({*k} & {*r})))
        likeness = best(key, response, lambda k, r: Fraction(2 * len({*k} & {*r}), len(k) + len(r)))
        assert found["ceafe"][0] == pytest.approx(float(likeness))


def drawn(random: Random, mentions: str) -> Chains:
    chains = [""] * random.randint(1, 5)
    for mention in mentions:
        if random.random() < 0.9:
            place = random.randrange(len(chains))
            chains[place] += mention
    return [chain for chain in chains if chain]


def best(key: Chains, response: Chains, likeness: object) -> Fraction:
    """Try all one-to-one alignments."""
    assert callable(likeness)
    few, many = sorted((key, response), key=len)
    return max(
        (sum((likeness(k, r) for k, r in zip(few, order, strict=False)), Fraction(0)) for order in permutations(many)),
        default=Fraction(0),
    )


def test_the_metrics_have_names() -> None:
    assert {*counted(["ab"], ["ab"])} == {*METRICS, "blanc_links", "blanc_others"}


def test_a_document_of_many_entangled_chains_is_counted() -> None:
    """Six hundred chains of four mentions that overlap in one knot: BLANC looks at no pairs, CEAF at one component."""
    size, width = 2400, 600
    key, response = np.arange(size) // 4, (np.arange(size) * 7 + 1) % width
    counts = chain_counts(np.zeros(size, np.int32), 1, key, response)
    assert counts["blanc_links"].key[0] + counts["blanc_others"].key[0] == size * (size - 1) // 2
    assert 600 <= counts["ceafm"].found[0] <= size
