"""Probabilistic entities once more, slowly and obviously: DEFINITIONS 9 by listing worlds.

Nothing of comparanda is used here, and everything is counted in fractions. A block is a list of worlds with their
probabilities; a world is a set of claims (document, begin, end, label). A claim without a label is a span whose label
the system does not name (residual label mass): it is there, but it is no tuple. All else follows from the worlds: the
weight of a tuple is the sum of its worlds, "nothing" is the world without claims, and an expectation is a sum over
the worlds of all blocks together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, log

ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)


@dataclass(frozen=True, slots=True, order=True)
class Claim:
    """A span with a label; the empty label is one that nobody named."""

    document: str
    begin: int
    end: int
    label: str

    @property
    def span(self) -> tuple[str, int, int]:
        return (self.document, self.begin, self.end)

    @property
    def named(self) -> bool:
        return self.label != ""

    def overlaps(self, other: Claim) -> bool:
        return self.document == other.document and self.begin < other.end and other.begin < self.end


World = frozenset[Claim]
Block = Mapping[World, Fraction]
Scored = Mapping[Claim, Fraction]
Keep = Callable[[Claim], bool]
Alternatives = Sequence[tuple[tuple[str, int, int], Fraction, Mapping[str, Fraction]]]
NOTHING: World = frozenset()


def exact(number: float | str) -> Fraction:
    """Read a number as it is written: 0.1 is a tenth."""
    return Fraction(str(number))


def everything(_claim: Claim) -> bool:
    return True


def ratio(part: Fraction | int, whole: Fraction | int) -> Fraction | None:
    return Fraction(part) / Fraction(whole) if whole else None


# From what a system says to worlds


def exclusive_block(alternatives: Alternatives, residual: str = "drop") -> Block:
    """Exclusive spans (span, p_e, {label: p_a}): one world for each tuple, one for nothing, some for labels unnamed."""
    worlds: dict[World, Fraction] = {NOTHING: ONE - sum((p for _, p, _ in alternatives), ZERO)}
    for span, p, labels in alternatives:
        named = sum(labels.values(), ZERO)
        for label, share in labels.items():
            part = share / named if residual == "renormalise" else share
            add(worlds, frozenset([Claim(*span, label)]), p * part)
        if residual != "renormalise" and named < 1:
            add(worlds, frozenset([Claim(*span, "(other)" if residual == "other" else "")]), p * (ONE - named))
    return {world: p for world, p in worlds.items() if p or world == NOTHING or any(claim.named for claim in world)}


def add(worlds: dict[World, Fraction], world: World, p: Fraction) -> None:
    worlds[world] = worlds.get(world, ZERO) + p


def nbest_block(listed: Sequence[tuple[Fraction, World]]) -> Block:
    """An n-best list: every labelling is a world, what is missing to one is the world without claims."""
    worlds: dict[World, Fraction] = {}
    for p, world in listed:
        add(worlds, world, p)
    add(worlds, NOTHING, ONE - sum(worlds.values(), ZERO))
    return worlds


def softmax(logs: Sequence[float], coverage: float = 1.0) -> list[Fraction]:
    parts = [exact(exp(each)) for each in logs]
    return [exact(coverage) * part / sum(parts) for part in parts]


def entity_blocks(scored: Scored, overlap: str, semantics: str = "exclusive") -> list[Block]:
    """Spans with one score each, by the policy that says what scores of overlapping spans mean."""
    if semantics == "independent":
        labels = sorted({claim.label for claim in scored})
        parts = [{claim: p for claim, p in scored.items() if claim.label == label} for label in labels]
        return [block for part in parts for block in entity_blocks(part, overlap)]
    if overlap == "independent":
        return [{frozenset([claim]): p, NOTHING: ONE - p} for claim, p in scored.items()]
    made = {"exclusive": keeping_weights, "condition": conditioned, "scale": scaled}[overlap]
    return [made({claim: scored[claim] for claim in component}) for component in components(list(scored))]


def components(claims: list[Claim]) -> list[list[Claim]]:
    """Claims that overlap, directly or by way of others, belong together."""
    left, found = sorted(claims), []
    while left:
        grown = [left.pop(0)]
        while near := [claim for claim in left if any(claim.overlaps(other) for other in grown)]:
            grown += near
            left = [claim for claim in left if claim not in near]
        found.append(sorted(grown))
    return found


def compatible(claims: Iterable[Claim]) -> list[World]:
    """All subsets in which no two claims overlap."""
    worlds: list[World] = [NOTHING]
    for claim in claims:
        worlds += [world | {claim} for world in worlds if not any(claim.overlaps(other) for other in world)]
    return worlds


def conditioned(scored: Scored) -> Block:
    """Every claim by itself is true with its score; those worlds are left in which no two overlap."""
    worlds = {}
    for world in compatible(scored):
        p = ONE
        for claim, score in scored.items():
            p *= score if claim in world else ONE - score
        worlds[world] = p
    whole = sum(worlds.values(), ZERO)
    return {world: p / whole for world, p in worlds.items()}


def cliques(claims: Iterable[Claim]) -> list[list[Claim]]:
    """The largest sets in which all overlap, from left to right: spans that have a position in common."""
    claims = list(claims)
    sets = [frozenset(one for one in claims if one.begin <= at < one.end) for at in sorted({c.begin for c in claims})]
    return [sorted(each) for each in sets if not any(each < other for other in sets)]


def keeping_weights(scored: Scored) -> Block:
    """The broadest distribution over compatible worlds in which every claim keeps its score.

    Proportional fitting: begin with all worlds alike, then stretch them, clique by clique, until each claim has its
    share; the fixed point is the distribution of maximal entropy. Scores that cannot be kept are refused.
    """
    groups = cliques(scored)
    if any(sum((scored[claim] for claim in group), ZERO) > 1 for group in groups):
        raise ValueError("more than certain")
    worlds = dict.fromkeys(compatible(scored), ONE)
    for _ in range(len(scored) + 2):
        for group in groups:
            worlds = fitted(worlds, scored, group)
    block = {world: p for world, p in worlds.items() if p}
    if any(weight(block, claim) != p for claim, p in scored.items()):
        raise AssertionError("the fitting has not come to an end")
    return block


def fitted(worlds: Mapping[World, Fraction], scored: Scored, group: Sequence[Claim]) -> dict[World, Fraction]:
    targets: dict[Claim | None, Fraction] = {claim: scored[claim] for claim in group}
    targets[None] = ONE - sum(targets.values(), ZERO)

    def member(world: World) -> Claim | None:
        return next((claim for claim in group if claim in world), None)

    now: dict[Claim | None, Fraction] = dict.fromkeys(targets, ZERO)
    for world, p in worlds.items():
        now[member(world)] += p
    return {w: p * targets[member(w)] / now[member(w)] if now[member(w)] else ZERO for w, p in worlds.items()}


def scaled(scored: Scored) -> Block:
    """Divide by the largest sum of spans at one position if that is more than one."""
    most = max(sum((scored[claim] for claim in group), ZERO) for group in cliques(scored))
    return keeping_weights({claim: p / max(most, ONE) for claim, p in scored.items()})


# What worlds say


def weight(block: Block, claim: Claim) -> Fraction:
    return sum((p for world, p in block.items() if claim in world), ZERO)


def existence(block: Block, span: tuple[str, int, int]) -> Fraction:
    return sum((p for world, p in block.items() if any(claim.span == span for claim in world)), ZERO)


def tuples(block: Block) -> list[Claim]:
    """The named claims of a block, also those of weight 0."""
    return sorted({claim for world in block for claim in world if claim.named})


def weights(blocks: Sequence[Block]) -> dict[Claim, Fraction]:
    return {claim: weight(block, claim) for block in blocks for claim in tuples(block)}


def is_exclusive(block: Block) -> bool:
    return all(len(world) <= 1 for world in block)


def preferred(block: Block, claims: Iterable[Claim]) -> Claim:
    """Ties: larger w, longer span, earlier start, label order."""
    return min(claims, key=lambda each: (-weight(block, each), each.begin - each.end, each.begin, each.label))


def decided(block: Block, decide: str = "tuple", min_weight: Fraction = ZERO) -> World:
    """What a hard decision keeps of a block; nothing wins only if it is strictly larger, and never keeps weight 0."""
    nothing = block.get(NOTHING, ZERO)
    chosen: World
    if not is_exclusive(block):
        named = [world for world in block if world and all(claim.named for claim in world)]
        best = max(named, key=lambda world: block[world])
        chosen = best if block[best] >= nothing else NOTHING
    elif not tuples(block):
        chosen = NOTHING
    elif decide == "tuple":
        claim = preferred(block, tuples(block))
        chosen = frozenset([claim]) if weight(block, claim) >= nothing else NOTHING
    else:
        chosen = hierarchical(block, nothing)
    return frozenset(claim for claim in chosen if weight(block, claim) >= min_weight and weight(block, claim) > 0)


def hierarchical(block: Block, nothing: Fraction) -> World:
    """The span with the largest p_e, unless nothing is larger; then its best label."""
    spans = {claim.span for claim in tuples(block)}
    widest = max(existence(block, span) for span in spans)
    alike = [claim for claim in tuples(block) if existence(block, claim.span) == widest]
    return frozenset([preferred(block, alike)]) if widest >= nothing else NOTHING


def tied(block: Block, decide: str = "tuple") -> bool:
    """Whether a block of exclusive tuples was decided between rivals, nothing among them, that are equally probable."""
    found = tuples(block)
    won = decided(block, decide)
    if not won:
        return False
    (winner,) = won
    nothing = block.get(NOTHING, ZERO)
    if decide == "tuple":
        rivals = [weight(block, claim) for claim in found] + [nothing]
        return rivals.count(weight(block, winner)) > 1
    spans = [existence(block, span) for span in {claim.span for claim in found}] + [nothing]
    labels = [weight(block, claim) for claim in found if claim.span == winner.span]
    return spans.count(existence(block, winner.span)) > 1 or labels.count(weight(block, winner)) > 1


def level(block: Block, decide: str = "tuple") -> list[World]:
    """Everything that a block of exclusive tuples could be decided for, whatever breaks its ties."""
    found, nothing = tuples(block), block.get(NOTHING, ZERO)
    chance = {
        claim: existence(block, claim.span) if decide == "hierarchical" else weight(block, claim) for claim in found
    }
    most = max([*chance.values(), nothing])
    best = [claim for claim in found if chance[claim] == most]
    heaviest = {claim.span: max(weight(block, each) for each in best if each.span == claim.span) for claim in best}
    rivals = [claim for claim in best if weight(block, claim) == heaviest[claim.span]]
    worlds: list[World] = [frozenset([claim]) if weight(block, claim) else NOTHING for claim in rivals]
    return worlds + [NOTHING] * (nothing == most)


def tie_bounds(
    blocks: Sequence[Block], key: set[Claim], decide: str = "tuple", min_weight: Fraction = ZERO
) -> tuple[tuple[int, int], tuple[int, int]]:
    """(found, correct) if ties are broken for a system, and against it: by right ones, then by wrong ones."""
    best, worst = [0, 0], [0, 0]
    for block in blocks:
        kept = [{claim for claim in world if weight(block, claim) >= min_weight} for world in level(block, decide)]
        pairs = [(len(world & key), -len(world - key)) for world in kept]
        for sums, (right, wrong) in ((best, max(pairs)), (worst, min(pairs))):
            sums[0] += right - wrong
            sums[1] += right
    return (best[0], best[1]), (worst[0], worst[1])


def decisions(blocks: Sequence[Block], decide: str = "tuple", min_weight: Fraction = ZERO) -> set[Claim]:
    return {claim for block in blocks for claim in decided(block, decide, min_weight)}


# Scores


@dataclass(frozen=True, slots=True)
class Rates:
    """Precision, recall and F of counts, whether whole or expected."""

    correct: Fraction
    found: Fraction
    key: int

    @property
    def precision(self) -> Fraction | None:
        return ratio(self.correct, self.found)

    @property
    def recall(self) -> Fraction | None:
        return ratio(self.correct, self.key)

    @property
    def f1(self) -> Fraction | None:
        return ratio(2 * self.correct, self.found + self.key)


def hard(chosen: set[Claim], key: set[Claim], keep: Keep = everything) -> Rates:
    kept = {claim for claim in chosen if keep(claim)}
    wanted = {claim for claim in key if keep(claim)}
    return Rates(Fraction(len(kept & wanted)), Fraction(len(kept)), len(wanted))


def expected(weighed: Scored, key: set[Claim], keep: Keep = everything) -> Rates:
    """E(P), E(R) and E(F) are ratios of expected counts."""
    kept = {claim: w for claim, w in weighed.items() if keep(claim)}
    correct = sum((w for claim, w in kept.items() if claim in key), ZERO)
    return Rates(correct, sum(kept.values(), ZERO), sum(1 for claim in key if keep(claim)))


def reached(weighed: Scored, key: set[Claim], keep: Keep = everything, floor: Fraction = ZERO) -> int:
    """How many entities of the key have a tuple with a weight above 0, and at least the floor."""
    return sum(1 for claim in key if keep(claim) and weighed.get(claim, ZERO) > 0 and weighed[claim] >= floor)


def e100(weighed: Scored, key: set[Claim], keep: Keep = everything, floor: Fraction = ZERO) -> Fraction | None:
    return ratio(reached(weighed, key, keep, floor), sum(1 for claim in key if keep(claim)))


def law(blocks: Sequence[Block], key: set[Claim], keep: Keep = everything) -> dict[tuple[int, int], Fraction]:
    """How probable each pair (correct, found) is, over all worlds of all blocks."""
    found: dict[tuple[int, int], Fraction] = {(0, 0): ONE}
    for block in blocks:
        grown: dict[tuple[int, int], Fraction] = {}
        for (correct, number), before in found.items():
            for world, p in block.items():
                kept = [claim for claim in world if claim.named and keep(claim)]
                pair = (correct + sum(claim in key for claim in kept), number + len(kept))
                grown[pair] = grown.get(pair, ZERO) + before * p
        found = grown
    return found


@dataclass(frozen=True, slots=True)
class Moments:
    """A mean and a variance."""

    mean: Fraction
    variance: Fraction


def moments(law_of: Mapping[tuple[int, int], Fraction], value: Callable[[int, int], Fraction]) -> Moments:
    mean = sum((p * value(*pair) for pair, p in law_of.items()), ZERO)
    square = sum((p * value(*pair) ** 2 for pair, p in law_of.items()), ZERO)
    return Moments(mean, square - mean**2)


def covered(
    law_of: Mapping[tuple[int, int], Fraction], value: Callable[[int, int], float], low: float, high: float
) -> float:
    """How probable it is that a value lies between two others."""
    return float(sum(p for pair, p in law_of.items() if low - 1e-9 <= value(*pair) <= high + 1e-9))


def precision_star(law_of: Mapping[tuple[int, int], Fraction]) -> Moments:
    """E[C/N] where an empty output has precision 0."""
    return moments(law_of, lambda correct, found: Fraction(correct, found) if found else ZERO)


def precision_given_found(law_of: Mapping[tuple[int, int], Fraction]) -> Moments | None:
    something = {pair: p for pair, p in law_of.items() if pair[1]}
    whole = sum(something.values(), ZERO)
    return precision_star({pair: p / whole for pair, p in something.items()}) if whole else None


def recall_star(law_of: Mapping[tuple[int, int], Fraction], key: int) -> Moments:
    return moments(law_of, lambda correct, _found: Fraction(correct, key))


def f_star(law_of: Mapping[tuple[int, int], Fraction], key: int) -> Moments:
    return moments(law_of, lambda correct, found: Fraction(2 * correct, found + key) if found + key else ZERO)


def claimed(chosen: set[Claim], weighed: Scored) -> tuple[Fraction | None, Fraction | None]:
    """P and R that the system claims: the weights of what it decided, over their number and over all weights."""
    mass = sum((weighed[claim] for claim in chosen), ZERO)
    return ratio(mass, len(chosen)), ratio(mass, sum(weighed.values(), ZERO))


# Thresholds


@dataclass(frozen=True, slots=True)
class Point:
    """What is left if decisions below a weight are given up."""

    threshold: Fraction
    rates: Rates


def threshold_curve(chosen: set[Claim], weighed: Scored, key: set[Claim], keep: Keep = everything) -> list[Point]:
    steps = sorted({weighed[claim] for claim in chosen if keep(claim)}, reverse=True)
    return [Point(step, hard({claim for claim in chosen if weighed[claim] >= step}, key, keep)) for step in steps]


def average_precision(points: Sequence[Point], key: int) -> Fraction | None:
    """The sum of recall gained times precision, recall over the whole key."""
    if not key:
        return None
    area, before = ZERO, ZERO
    for point in points:
        recall, precision = point.rates.recall, point.rates.precision
        assert recall is not None
        assert precision is not None
        area += (recall - before) * precision
        before = recall
    return area


def best_f(points: Sequence[Point]) -> Fraction | None:
    values = [point.rates.f1 for point in points if point.rates.f1 is not None]
    return max(values) if values else None


# Calibration

Item = tuple[Fraction, bool]


def decided_items(chosen: set[Claim], weighed: Scored, key: set[Claim], keep: Keep = everything) -> list[Item]:
    return [(weighed[claim], claim in key) for claim in sorted(chosen) if keep(claim)]


def all_items(weighed: Scored, key: set[Claim], keep: Keep = everything) -> list[Item]:
    return [(w, claim in key) for claim, w in weighed.items() if keep(claim)]


def span_items(blocks: Sequence[Block], key: set[Claim]) -> list[Item]:
    """Every span's p_e, block by block, and whether the key has it under any label."""
    spans = {claim.span for claim in key}
    found = [(block, span) for block in blocks for span in sorted({claim.span for claim in tuples(block)})]
    return [(existence(block, span), span in spans) for block, span in found]


def label_items(blocks: Sequence[Block], key: set[Claim]) -> list[Item]:
    """Every label's p_a on spans that the key has."""
    spans = {claim.span for claim in key}
    return [
        (weight(block, claim) / existence(block, claim.span), claim in key)
        for block in blocks
        for claim in tuples(block)
        if claim.span in spans and existence(block, claim.span)
    ]


def bins(items: Sequence[Item], count: int = 10) -> list[list[Item]]:
    """Bins (lo, hi] of equal width; 0 belongs to the first."""
    found: list[list[Item]] = [[] for _ in range(count)]
    for p, right in items:
        number = 0
        while p > Fraction(number + 1, count):
            number += 1
        found[number].append((p, right))
    return found


def gap(items: Sequence[Item]) -> Fraction:
    return abs(sum((p for p, _ in items), ZERO) - sum(right for _, right in items)) / len(items)


def ece(items: Sequence[Item], count: int = 10) -> Fraction | None:
    if not items:
        return None
    return sum((gap(each) * len(each) / len(items) for each in bins(items, count) if each), ZERO)


def mce(items: Sequence[Item], count: int = 10) -> Fraction | None:
    return max(gap(each) for each in bins(items, count) if each) if items else None


def brier(items: Sequence[Item]) -> Fraction | None:
    return ratio(sum(((p - right) ** 2 for p, right in items), ZERO), len(items))


LEAST = 1e-12


def log_loss(items: Sequence[Item]) -> float | None:
    """The mean of −ln of the probability given to what is so, which counts as at least 1e-12."""
    if not items:
        return None
    shares = [float(p if right else ONE - p) for p, right in items]
    return -sum(log(max(share, LEAST)) for share in shares) / len(items)


def auroc(items: Sequence[Item]) -> Fraction | None:
    """How often a right item weighs more than a wrong one; ties count half."""
    right = [p for p, is_right in items if is_right]
    wrong = [p for p, is_right in items if not is_right]
    wins = sum((ONE if one > two else HALF if one == two else ZERO for one in right for two in wrong), ZERO)
    return ratio(wins, len(right) * len(wrong))


# Two systems, whose worlds have nothing to do with each other


@dataclass(frozen=True, slots=True)
class Six:
    """Expected numbers: positives found by both, only A, only B, neither; negatives claimed by both, only A, only B."""

    positive: tuple[Fraction, Fraction, Fraction, Fraction]
    negative: tuple[Fraction, Fraction, Fraction]


def six(one: Scored, two: Scored, key: set[Claim], keep: Keep = everything) -> Six:
    wanted = [(one.get(claim, ZERO), two.get(claim, ZERO)) for claim in key if keep(claim)]
    others = {claim for claim in [*one, *two] if claim not in key and keep(claim)}
    wrong = [(one.get(claim, ZERO), two.get(claim, ZERO)) for claim in others]
    return Six(
        (
            sum((a * b for a, b in wanted), ZERO),
            sum((a * (1 - b) for a, b in wanted), ZERO),
            sum(((1 - a) * b for a, b in wanted), ZERO),
            sum(((1 - a) * (1 - b) for a, b in wanted), ZERO),
        ),
        (
            sum((a * b for a, b in wrong), ZERO),
            sum((a * (1 - b) for a, b in wrong), ZERO),
            sum(((1 - a) * b for a, b in wrong), ZERO),
        ),
    )


def complementarity(mine: Fraction, yours: Fraction, common: Fraction) -> Fraction | None:
    """Comp of section 3: 1 if the other errs never, undefined if only the first does not err."""
    if not yours:
        return ONE
    return ONE - common / mine if mine else None


def complements(counts: Six) -> dict[str, Fraction | None]:
    """Comp, RComp, PComp and FComp of A against B."""
    _, only_a, only_b, neither = counts.positive
    both_wrong, wrong_a, wrong_b = counts.negative
    missed = (neither + only_b, neither + only_a, neither)
    spurious = (both_wrong + wrong_a, both_wrong + wrong_b, both_wrong)
    r, p = complementarity(*missed), complementarity(*spurious)
    both = complementarity(*(one + two for one, two in zip(missed, spurious, strict=True)))
    harmonic = None if p is None or r is None else 2 * p * r / (p + r) if p + r else ZERO
    return {"comp": both, "rcomp": r, "pcomp": p, "fcomp": harmonic}


def product_of(numbers: Iterable[Fraction]) -> Fraction:
    whole = ONE
    for number in numbers:
        whole *= number
    return whole


def combined(systems: Sequence[Scored], key: set[Claim], how: str, keep: Keep = everything) -> Rates:
    """Expected counts of the union, the intersection and the oracle of systems."""
    right = wrong = ZERO
    for claim in {claim for system in systems for claim in system} | key:
        if not keep(claim):
            continue
        every = product_of(system.get(claim, ZERO) for system in systems)
        some = ONE - product_of(ONE - system.get(claim, ZERO) for system in systems)
        if claim in key:
            right += every if how == "intersection" else some
        else:
            wrong += some if how == "union" else every
    return Rates(right, right + wrong, sum(1 for claim in key if keep(claim)))


def every_world(blocks: Sequence[Block], key: set[Claim]) -> list[tuple[Fraction, int, int]]:
    """Every world of the corpus one by one: (probability, correct, found); only for a handful of blocks."""
    found = [(ONE, NOTHING)]
    for block in blocks:
        found = [(before * p, world | more) for before, world in found for more, p in block.items()]
    named = [(p, {claim for claim in world if claim.named}) for p, world in found]
    return [(p, len(world & key), len(world)) for p, world in named]
