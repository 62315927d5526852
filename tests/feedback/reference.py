"""Questions and answers once more, slowly and obviously: DEFINITIONS 9 by striking out worlds.

Nothing of comparanda is used here. Blocks are lists of worlds as in the reference of the scores; an answer strikes out
the worlds that it excludes, and after every question all numbers and all priorities are counted anew from the worlds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import log2
from typing import Literal

from tests.tasks.prob import reference as judged
from tests.tasks.prob.reference import NOTHING, ONE, ZERO, Block, Claim, World

Answer = Literal["yes", "no", "mixed", "unsure"] | Claim | None
"""For a choice the claim chosen, or None for none of these."""

COSTS = {"label": 1, "span": 1, "choice": 2, "group": 1}
LEAST, MOST = Fraction(1, 1000), Fraction(999, 1000)


# Conditioning one block


def renormalised(worlds: Mapping[World, Fraction]) -> Block:
    whole = sum(worlds.values(), ZERO)
    return {world: p / whole for world, p in worlds.items()}


def conditioned(block: Block, holds: Callable[[World], bool], yes: bool, error: Fraction = ZERO) -> Block | None:
    """The block after an answer that is wrong with some probability; None if no world is left."""
    weighed = {world: p * (ONE - error if holds(world) == yes else error) for world, p in block.items()}
    return renormalised(weighed) if any(weighed.values()) else None


def says(kind: str, claim: Claim) -> Callable[[World], bool]:
    """In which worlds the truthful answer is yes."""
    if kind == "span":
        return lambda world: any(each.span == claim.span for each in world)
    return lambda world: claim in world


def leaned(block: Block, claim: Claim, goal: Fraction) -> Block:
    """Give a claim another weight; what the worlds with it, and those without it, say of the rest stays."""
    now = judged.weight(block, claim)
    return {world: p * goal / now if claim in world else p * (ONE - goal) / (ONE - now) for world, p in block.items()}


def uncertain(p: Fraction) -> bool:
    return ZERO < p < ONE


def plogp(p: Fraction) -> float:
    return -float(p) * log2(p) if p else 0.0


def binary_entropy(p: Fraction) -> float:
    return plogp(p) + plogp(ONE - p)


def unnamed(world: World) -> bool:
    return not any(claim.named for claim in world)


def block_entropy(block: Block) -> float:
    return sum(plogp(p) for p in block.values())


def choice_entropy(block: Block) -> float:
    """The entropy of which tuples are true: what is none of them is one world."""
    none = sum((p for world, p in block.items() if unnamed(world)), ZERO)
    return plogp(none) + sum(plogp(p) for world, p in block.items() if not unnamed(world))


def two_best_apart(block: Block) -> float:
    """How far the best two worlds are apart, of those that are named and nothing."""
    rivals = sorted([p for world, p in block.items() if not unnamed(world)] + [block.get(NOTHING, ZERO)])
    return float(rivals[-1] - rivals[-2])


# A session of questions


@dataclass(slots=True, kw_only=True)
class Session:
    """What is believed, what was asked, and everything that can be counted from that."""

    blocks: list[Block]
    key: set[Claim]
    order: Sequence[Claim]  # all tuples; the earlier goes first where priorities are equal
    texts: Mapping[Claim, str]
    scope: set[Claim] | None = None
    entities: int | None = None
    decide: str = "tuple"
    min_weight: Fraction = ZERO
    handler: str = "basic"
    strength: int = 1
    error: Fraction = ZERO
    purity: Fraction = ONE
    ask_certain: bool = False
    cost: int = 0
    changed: int = 0  # tuples that came into the hard output or left it, so far
    contradictions: int = 0
    asked: set[tuple[str, Claim]] = field(default_factory=set)
    heard: list[Block] = field(default_factory=list)  # what the answers alone say
    evidence: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)  # yes and no to a text and a label
    spoken_of: set[Claim] = field(default_factory=set)
    settled: set[int] = field(default_factory=set)  # exclusive blocks of which a user has said what is true
    first: dict[Claim, Fraction] = field(default_factory=dict)  # the weights before the first question
    rank: dict[Claim, int] = field(default_factory=dict)
    home: dict[Claim, int] = field(default_factory=dict)  # the block of each tuple
    begun: list[Block] = field(default_factory=list)  # the blocks before the first question

    def __post_init__(self) -> None:
        if not self.first:
            self.first = self.weights()
            self.heard, self.begun = list(self.blocks), list(self.blocks)
            self.rank = {claim: number for number, claim in enumerate(self.order)}
            self.home = {claim: n for n, block in enumerate(self.blocks) for claim in judged.tuples(block)}

    # What is there

    def inside(self, claim: Claim) -> bool:
        return self.scope is None or claim in self.scope

    def tuples(self) -> list[Claim]:
        return [claim for claim in self.order if self.inside(claim)]

    def weights(self) -> dict[Claim, Fraction]:
        found = dict.fromkeys(self.order, ZERO)
        for block in self.blocks:
            for world, p in block.items():
                for claim in world:
                    if claim.named:
                        found[claim] += p
        return found

    def decided(self) -> set[Claim]:
        chosen = judged.decisions(self.blocks, self.decide, self.min_weight)
        return {claim for claim in chosen if self.inside(claim)}

    def group(self, claim: Claim) -> list[Claim]:
        """The occurrences of the claim's text under its label."""
        return [each for each in self.same_text(claim) if each.label == claim.label]

    def same_text(self, claim: Claim) -> list[Claim]:
        return [each for each in self.tuples() if self.texts[each] == self.texts[claim]]

    # What is measured

    def measured(self) -> dict[str, float | None]:
        weighed = {claim: w for claim, w in self.weights().items() if self.inside(claim)}
        key = {claim for claim in self.key if self.scope is None or claim in self.scope}
        entities = len(self.key) if self.entities is None else self.entities
        chosen = self.decided()
        correct, found = len(chosen & key), len(chosen)
        right = sum((w for claim, w in weighed.items() if claim in key), ZERO)
        mass = sum(weighed.values(), ZERO)
        numbers: dict[str, Fraction | None] = {
            "precision": judged.ratio(correct, found),
            "recall": judged.ratio(correct, entities),
            "f1": judged.ratio(2 * correct, found + entities),
            "expected_precision": judged.ratio(right, mass),
            "expected_recall": judged.ratio(right, entities),
            "e100": judged.ratio(sum(1 for claim, w in weighed.items() if claim in key and w > 0), entities),
            "claimed_f1": judged.ratio(2 * sum((weighed[claim] for claim in chosen), ZERO), found + mass),
        }
        values = {name: None if value is None else float(value) for name, value in numbers.items()}
        return {
            **values,
            "entropy": sum(binary_entropy(w) for w in weighed.values()),
            "cost": float(self.cost),
            "changed": float(self.changed),
            "contradictions": float(self.contradictions),
        }

    # What is answered

    def truth(self, kind: str, claim: Claim) -> Answer:
        """The answer of a user who has the key at hand."""
        if kind == "label":
            return "yes" if claim in self.key else "no"
        if kind == "span":
            return "yes" if claim.span in {each.span for each in self.key} else "no"
        if kind == "choice":
            right = [each for each in judged.tuples(self.blocks[self.home[claim]]) if each in self.key]
            return right[0] if right else None
        group = self.group(claim)
        share = Fraction(sum(each in self.key for each in group), len(group))
        return "yes" if share >= self.purity else "no" if share <= ONE - self.purity else "mixed"

    def take(self, kind: str, claim: Claim, answer: Answer) -> None:
        before = self.decided()
        self.answered(kind, claim, answer)
        self.changed += len(before ^ self.decided())

    def answered(self, kind: str, claim: Claim, answer: Answer) -> None:
        self.asked.add((kind, self.named(kind, claim)))
        self.cost += COSTS[kind]
        if answer in ("unsure", "mixed"):
            return
        if kind == "choice":
            assert not isinstance(answer, str)
            self.chosen(claim, answer)
        else:
            for each in self.group(claim) if kind == "group" else [claim]:
                self.told(kind, each, answer == "yes")
        self.blocks = list(self.heard)
        if self.handler == "statistical":
            self.count(kind, claim, answer)
            self.spread()

    def named(self, kind: str, claim: Claim) -> Claim:
        """One claim stands for all that the same question is about."""
        if kind == "label":
            return claim
        if kind == "group":
            return min(self.group(claim), key=self.rank.__getitem__)
        alike = [each for each in judged.tuples(self.blocks[self.home[claim]]) if self.inside(each)]
        if kind == "span":
            alike = [each for each in alike if each.span == claim.span]
        return min(alike, key=self.rank.__getitem__)

    def told(self, kind: str, claim: Claim, yes: bool) -> None:
        number = self.home[claim]
        block = self.heard[number]
        after = conditioned(block, says("span" if kind == "span" else "label", claim), yes, self.error)
        if after is None:  # trust the user
            self.contradictions += 1
            after = {frozenset([claim]): ONE} if yes else {NOTHING: ONE}
        self.heard[number] = {**dict.fromkeys(block, ZERO), **after}
        if yes and kind != "span" and not self.error and judged.is_exclusive(block):
            self.settled.add(number)

    def chosen(self, claim: Claim, answer: Claim | None) -> None:
        """One is chosen: it is true. None of these: nothing is there, a span with an unnamed label neither."""
        if answer is not None:
            self.told("label", answer, True)
            return
        number = self.home[claim]
        block = self.heard[number]
        self.contradictions += not any(p for world, p in block.items() if not any(each.named for each in world))
        self.heard[number] = {**dict.fromkeys(block, ZERO), NOTHING: ONE}
        self.settled.add(number)

    def count(self, kind: str, claim: Claim, answer: Answer) -> None:
        """Note what an answer says of a text and a label: that a span is an entity says nothing of its label."""
        rivals = judged.tuples(self.block_of(claim))
        told: dict[str, list[Claim]] = {
            "label": [claim],
            "group": self.group(claim),
            "span": [] if answer == "yes" else [each for each in rivals if each.span == claim.span],
            "choice": [answer] if isinstance(answer, Claim) else rivals,
        }
        yes = answer == "yes" or isinstance(answer, Claim)
        for each in told[kind]:
            self.spoken_of.add(each)
            name = (self.texts[each], each.label)
            before = self.evidence.get(name, (0, 0))
            self.evidence[name] = (before[0] + yes, before[1] + (not yes))

    def spread(self) -> None:
        """Put the evidence of all answers on what the answers alone say: odds times ((yes+1)/(no+1))^λ.

        Not beyond .001 and .999, and not on what was spoken of itself; the rest of the block keeps its proportions.
        """
        self.blocks = list(self.heard)
        for claim in self.order:
            number = self.home[claim]
            yes, no = self.evidence.get((self.texts[claim], claim.label), (0, 0))
            now = judged.weight(self.blocks[number], claim)
            if yes != no and claim not in self.spoken_of and uncertain(now):
                odds = now / (ONE - now) * Fraction(yes + 1, no + 1) ** self.strength
                goal = odds / (ONE + odds)
                goal = max(now, min(goal, MOST)) if yes > no else min(now, max(goal, LEAST))
                self.blocks[number] = leaned(self.blocks[number], claim, goal)

    # What is asked next

    def open(self, kind: str = "label") -> list[Claim]:
        """The claims that stand for a question which is neither asked nor superfluous."""
        found = [claim for claim in self.tuples() if self.named(kind, claim) == claim]
        return [claim for claim in found if (kind, claim) not in self.asked and self.doubted(kind, claim)]

    def doubted(self, kind: str, claim: Claim) -> bool:
        """Whether there is something to ask; of what is certain only if wanted, and if no user has said it."""
        if kind == "span":
            chances = {claim: judged.existence(self.block_of(claim), claim.span)}
        else:
            weighed = self.weights()
            alike = {"label": [claim], "group": self.group(claim), "choice": judged.tuples(self.block_of(claim))}
            chances = {each: weighed[each] for each in alike[kind] if self.inside(each)}
        again = {each for each, p in chances.items() if self.ask_certain and p and self.home[each] not in self.settled}
        return any(uncertain(p) for p in chances.values()) or bool(again)

    def priorities(self, strategy: str, kind: str = "label") -> dict[Claim, float]:
        """How urgent every open question is, by a strategy that gives priorities."""
        weighed, now = self.weights(), self.measured()
        score: dict[str, Callable[[Claim], float]] = {
            "high": lambda claim: self.likelihood(kind, claim),
            "low": lambda claim: -self.likelihood(kind, claim),
            "entropy": lambda claim: self.doubt(kind, claim),
            "infogain": lambda claim: self.information(kind, claim),
            "margin": lambda claim: -self.margin(kind, claim),
            "group_size": lambda claim: max(float(len(each)) for each in self.alike(kind, claim)),
            "group_entropy": lambda claim: max(
                sum(binary_entropy(weighed[one]) for one in each) for each in self.alike(kind, claim)
            ),
            "fgain": lambda claim: self.claimed_gain(kind, claim),
            "oracle": lambda claim: self.f1_after(kind, claim) - (now["f1"] or 0.0),
        }
        return {claim: score[strategy](claim) for claim in self.open(kind)}

    def alike(self, kind: str, claim: Claim) -> list[list[Claim]]:
        """The tuples with the text that is asked about; a block may have several texts."""
        if kind == "group":
            return [self.group(claim)]
        asked = judged.tuples(self.block_of(claim)) if kind == "choice" else [claim]
        return [self.same_text(each) for each in asked]

    def block_of(self, claim: Claim) -> Block:
        return self.blocks[self.home[claim]]

    def likelihood(self, kind: str, claim: Claim) -> float:
        """How probable it was at the start: a block by its best tuple, a text by the mean of its tuples."""
        if kind == "label":
            return float(self.first[claim])
        if kind == "span":
            return float(judged.existence(self.begun[self.home[claim]], claim.span))
        if kind == "choice":
            return float(max(self.first[each] for each in judged.tuples(self.block_of(claim))))
        return float(sum((self.first[each] for each in self.group(claim)), ZERO) / len(self.group(claim)))

    def doubt(self, kind: str, claim: Claim) -> float:
        block = self.block_of(claim)
        if kind == "span":
            return binary_entropy(judged.existence(block, claim.span))
        if kind == "choice":
            return choice_entropy(block)
        return sum(binary_entropy(self.weights()[each]) for each in (self.group(claim) if kind == "group" else [claim]))

    def margin(self, kind: str, claim: Claim) -> float:
        """How far the two best worlds of the block are apart, nothing among them; of a text the mean of its tuples."""
        claims = self.group(claim) if kind == "group" else [claim]
        return sum(two_best_apart(self.block_of(each)) for each in claims) / len(claims)

    def claimed_gain(self, kind: str, claim: Claim) -> float:
        """2·ΔC − F·ΔN as expected by the beliefs, on the claimed F, never looking at the key."""
        mass, found = self.claims()
        more_mass, more = -mass, Fraction(-found)
        for answer, chance in self.foreseen(kind, claim):
            if chance:
                after = self.after(kind, claim, answer)
                more_mass += chance * after[0]
                more += chance * after[1]
        return 2 * float(more_mass) - (self.measured()["claimed_f1"] or 0.0) * float(more)

    def after(self, kind: str, claim: Claim, answer: Answer) -> tuple[Fraction, int]:
        session = self.imagined()
        session.take(kind, claim, answer)
        return session.claims()

    def claims(self) -> tuple[Fraction, int]:
        """The weights of what is decided, and how many there are."""
        chosen, weighed = self.decided(), self.weights()
        return sum((weighed[claim] for claim in chosen), ZERO), len(chosen)

    def f1_after(self, kind: str, claim: Claim) -> float:
        """F after the truthful answer."""
        session = self.imagined()
        session.take(kind, claim, self.truth(kind, claim))
        return session.measured()["f1"] or 0.0

    def imagined(self) -> Session:
        """The same, for trying answers out: their effect on other blocks is not foreseen."""
        session = self.copy()
        session.handler = "basic"
        session.heard = list(self.blocks)
        return session

    def information(self, kind: str, claim: Claim) -> float:
        """How much entropy of the worlds the answer is expected to remove, for each unit of cost.

        Which span has a label that nobody names is told by questions about spans alone.
        """
        entropy = block_entropy if kind in ("label", "span") else choice_entropy
        before = sum(entropy(block) for block in self.blocks)
        removed = 0.0
        for answer, chance in self.foreseen(kind, claim):
            if chance:
                after = self.imagined()
                after.take(kind, claim, answer)
                removed += float(chance) * (before - sum(entropy(block) for block in after.blocks))
        return removed / COSTS[kind]

    def foreseen(self, kind: str, claim: Claim) -> list[tuple[Answer, Fraction]]:
        """The answers to expect, as probable as the beliefs and the assumed error make them."""
        block = self.blocks[self.home[claim]]
        if kind == "choice":
            chances = [(each, judged.weight(block, each)) for each in judged.tuples(block)]
            return [*chances, (None, ONE - sum((p for _, p in chances), ZERO))]
        if kind == "group":
            weighed = [self.weights()[each] for each in self.group(claim)]
            always = judged.product_of(weighed)
            never = judged.product_of(ONE - w for w in weighed)
            return [("yes", always), ("no", never), ("mixed", ONE - always - never)]
        holds = says(kind, claim)
        p = sum((p for world, p in block.items() if holds(world)), ZERO)
        yes = p * (ONE - self.error) + (ONE - p) * self.error
        return [("yes", yes), ("no", ONE - yes)]

    def copy(self) -> Session:
        return replace(
            self,
            blocks=list(self.blocks),
            asked=set(self.asked),
            heard=list(self.heard),
            evidence=dict(self.evidence),
            spoken_of=set(self.spoken_of),
            settled=set(self.settled),
        )


def run(
    session: Session, strategy: str, flips: Sequence[bool] = (), budget: int | None = None
) -> list[dict[str, float | None]]:
    """Ask label questions by a strategy until nothing is open; a flip turns the answer of its question round."""
    curve = [session.measured()]
    while (budget is None or len(curve) <= budget) and (ranked := session.priorities(strategy)):
        claim = max(ranked, key=lambda each: (round(ranked[each], 12), -session.rank[each]))
        truth = session.truth("label", claim)
        turned = len(flips) >= len(curve) and flips[len(curve) - 1]
        answer = truth if not turned else "no" if truth == "yes" else "yes"
        session.take("label", claim, answer)
        curve.append(session.measured())
    return curve
