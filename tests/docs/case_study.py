"""What the case study is about, compared by the library: the submissions of WNUT-17, and the linkers of HIPE-2020."""

from __future__ import annotations

import re
import tomllib
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import comparanda as cp

PAGE = (Path(__file__).parents[2] / "docs" / "case-study.md").read_text(encoding="utf-8")
METHODS = (
    "union",
    *(f"at-least-{votes}" for votes in range(2, 7)),
    "intersection",
    "weighted",
    "per-label",
    "tag-vote",
)
NOTHING = "(none)"


def inputs(name: str) -> dict[str, Any]:
    """Return what a file of the page says: its key and its systems."""
    (written,) = re.findall(rf"^```toml {name}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return tomllib.loads(written)


class Entities:
    """WNUT-17."""

    def __init__(self) -> None:
        given = inputs("comparanda.toml")
        self.key, self.systems = given["key"], given["systems"]
        self.result = cp.compare(self.key, self.systems, task="span")

    def combined(self, *methods: str, **options: Any) -> Any:
        return cp.combine(self.key, self.systems, task="span", methods=methods, **options)

    @cached_property
    def board(self) -> Any:
        return self.result.leaderboard()

    @cached_property
    def f1(self) -> dict[str, float]:
        """The scores in percent, the best first."""
        return {each.system: 100 * each.scores[0].value for each in self.board.standings}

    @cached_property
    def may_be_best(self) -> int:
        return sum(each.first_rank == 1 for each in self.board.standings)

    @cached_property
    def significant(self) -> set[frozenset[str]]:
        return {frozenset((each.base, each.new)) for each in self.board.tests if each.p_holm < self.board.level}

    @cached_property
    def difference(self) -> Any:
        return self.result.difference("sjtu_adapt", "spinningbytes")

    def changed(self, label: str) -> float:
        return 100 * next(float(each.difference) for each in self.difference.labels if each.label == label)

    def items(self, condition: str) -> int:
        return self.result.count(f"{condition} and claimed_by >= 0")

    @cached_property
    def complementarity(self) -> Any:
        return self.result.complementarity()

    @cached_property
    def rates(self) -> list[Any]:
        return [rates for pair in self.complementarity.pairs for rates in (pair.forth, pair.back)]

    def fcomps(self, *, without: str = "") -> dict[tuple[str, str], float]:
        found = {(each.system, each.other): 100 * each.fcomp.value for each in self.rates}
        return {pair: value for pair, value in found.items() if without not in pair}

    def pair(self, first: str, second: str) -> Any:
        return next(each for each in self.complementarity.pairs if (each.first, each.second) == (first, second))

    @cached_property
    def combination(self) -> Any:
        return self.result.combination()

    def alone(self, system: str) -> int:
        return next(int(each.count) for each in self.combination.unique if each.run == system)

    @cached_property
    def votes(self) -> dict[str, Any]:
        return {each.method: each for each in self.combined(*METHODS).finding.methods}

    def gain(self, method: str) -> float:
        return 100 * float(self.votes[method].difference)

    def spans(self, method: str) -> int:
        return next(int(each.whole) for each in self.votes[method].scores if each.measure == "precision")

    @cached_property
    def tag_vote(self) -> cp.Result:
        found: cp.Result = self.combined("tag-vote", resamples=0).result
        return found

    def joined(self, systems: int, more: str = "true") -> int:
        """Return how many spans of the tag vote so many systems have."""
        return self.tag_vote.count(f'claims("tag-vote") and claimed_by == {systems + 1} and {more}')

    @cached_property
    def kappas(self) -> list[tuple[float, str, str]]:
        found = [(each.error_consistency, each.first, each.second) for each in self.result.diversity().pairs]
        return sorted((100 * (kappa or 0.0), first, second) for kappa, first, second in found)

    @cached_property
    def suspects(self) -> Any:
        return self.result.suspects()

    def agreed(self, *, on_nothing: bool) -> list[Any]:
        """Return the suspects at which all seven say the same: nothing, or something."""
        return [each for each in self.suspects.suspects if each.agree == 7 and (each.proposed == NOTHING) == on_nothing]

    def count_after_at(self, tag: str) -> int:
        """Return how many words of the key that follow `@` have a tag."""
        lines = Path(self.key.partition("::")[0]).read_text(encoding="utf-8").splitlines()
        rows = [line.split("\t") for line in lines]
        return sum(before[0] == "@" and row[1:] == [tag] for before, row in pairwise(rows))


class Links:
    """HIPE-2020."""

    def __init__(self) -> None:
        given = inputs("hipe.toml")
        self.key, self.systems = given["key"], given["systems"]
        self.own = {name: file for name, file in self.systems.items() if not name.endswith("-given")}
        self.all = cp.compare(self.key, self.systems, task="link", resamples=1000)
        self.official = cp.compare(self.key, self.systems, task="link", rules="hipe-nel", resamples=1000)
        self.result = cp.compare(self.key, self.own, task="link")

    def scores(self, measure: str, view: str) -> dict[str, Any]:
        result = self.official if view == "fuzzy" else self.all
        return {each.system: each for each in result.scores(measure, view=view).scores}

    def right(self, system: str, view: str = "end_to_end") -> int:
        return int(self.scores("recall", view)[system].part)

    def of(self, system: str, view: str = "end_to_end") -> int:
        return int(self.scores("recall", view)[system].whole)

    def f1(self, system: str, view: str) -> float:
        return float(self.scores("f1", view)[system].value)

    def lost(self, system: str, *outcomes: str) -> int:
        """Return how many linked mentions of the key have one of these outcomes."""
        key, found = ("end_to_end", system, "key"), self.all.scores().outcomes
        return sum(each.count for each in found if (each.view, each.run, each.side) == key and each.outcome in outcomes)

    @cached_property
    def complementarity(self) -> Any:
        return self.result.complementarity()

    @cached_property
    def combined(self) -> Any:
        methods = ("union", "at-least-2", "majority", "weighted")
        return cp.combine(self.key, self.own, task="link", methods=methods, resamples=1000)

    @cached_property
    def agreed(self) -> list[Any]:
        """The suspects at which all four say the same, and not nothing."""
        return [each for each in self.result.suspects().suspects if each.agree == 4 and each.proposed != NOTHING]

    @cached_property
    def narrowest(self) -> float:
        """The narrowest of all intervals that are shown."""
        shown = [score for view in ("fuzzy", "end_to_end", "linking") for score in self.scores("f1", view).values()]
        return 100 * min(float(score.high - score.low) for score in shown)


def joint(complementarity: Any) -> list[Any]:
    """Return the unions and intersections of all pairs."""
    return [each for pair in complementarity.pairs for each in (pair.union, pair.intersection)]


def clear_gains(complementarity: Any) -> int:
    """Return how many of them have a gain whose interval lies above zero."""
    return sum(each.low > 0 for each in joint(complementarity))
