"""Chains pair by pair: counted on fingers, by a slow reference, and as ordinary scores with a response as the key."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from statistics import fmean

import pytest

from comparanda import Result, Runs, UsageError, compare
from comparanda.findings.context import LOST
from comparanda.tasks.coref.findings import ChainAgreement, ChainPairs, CriterionPair
from comparanda.tasks.coref.measures import REPORTED
from tests.findings.small_chains import KEY, A, B, C, compared, random_files
from tests.seeds import seeds
from tests.shared_data import shared
from tests.tasks.coref import reference

SYSTEMS = ("one", "two", "three")
ALL = {"a": A, "b": B, "c": C}


def pairs_of(finding: ChainPairs) -> Iterator[tuple[str, CriterionPair]]:
    for each in finding.criteria:
        for pair in each.pairs:
            yield each.criterion, pair


def by_metric(finding: ChainPairs, base: str, new: str) -> dict[str, ChainAgreement]:
    (pair,) = (each for each in finding.responses if (each.base, each.new) == (base, new))
    return {each.metric: each for each in pair.agreements}


def random_result(folder: Path, seed: int, resamples: int = 0) -> Result:
    files = random_files(folder, seed, SYSTEMS)
    return compare(files.pop("key"), files, task="coref", resamples=resamples)


DIFFERENT = {
    # a and b differ at her (wl for b) and it (fn for a); c lacks she and he
    "any": {"ab": (2, 4), "ac": (4, 5), "bc": (4, 5)},  # her: c has Ann among its antecedents
    "nominal": {"ab": (2, 4), "ac": (5, 5), "bc": (3, 5)},  # her: the closest noun is Bob for b and c
    "named": {"ab": (1, 3), "ac": (4, 4), "bc": (3, 4)},  # a dog is no name: *it* does not count
    "immediate": {"ab": (2, 4), "ac": (5, 5), "bc": (3, 5)},
}


class TestOnFingers:
    """In every pair the key's anaphors she, he, her and it count; with c also Bob, which it resolves to Ann."""

    def test_classes(self, tmp_path: Path) -> None:
        found = compared(tmp_path, ALL).chain_pairs()
        counted = {
            each.criterion: {pair.base + pair.new: (pair.classes.different, pair.sites) for pair in each.pairs}
            for each in found.criteria
        }
        assert counted == DIFFERENT
        assert all(pair.classes.diff == pair.classes.different / pair.sites for _, pair in pairs_of(found))

    def test_two_wrong_antecedents_differ(self, tmp_path: Path) -> None:
        """Her: of b he, of c Bob; with nouns alone both have Bob."""
        found = compared(tmp_path, ALL).chain_pairs()
        counted = {
            each.criterion: {
                pair.base + pair.new: pair.antecedents and pair.antecedents.different for pair in each.pairs
            }
            for each in found.criteria
        }
        assert counted == {
            "any": {"ab": 2, "ac": 4, "bc": 4},
            "nominal": {"ab": 2, "ac": 5, "bc": 3},
            "named": {"ab": 1, "ac": 4, "bc": 3},
            "immediate": {"ab": 2, "ac": 5, "bc": 4},
        }

    def test_scores(self, tmp_path: Path) -> None:
        """Any: a finds 3 of 4 with 3 links, b 3 with 4, c 2 with 3."""
        (any_, *_) = compared(tmp_path, ALL).chain_pairs().criteria
        assert any_.measure == "any.f1"
        score = {"a": 6 / 7, "b": 6 / 8, "c": 4 / 7}
        for pair in any_.pairs:
            assert pair.score_difference == pytest.approx(score[pair.new] - score[pair.base])

    def test_means_are_over_pairs(self, tmp_path: Path) -> None:
        found = compared(tmp_path, ALL).chain_pairs()
        last = found.criteria[-1]
        assert last.mean_diff == pytest.approx((2 / 4 + 5 / 5 + 3 / 5) / 3)
        assert last.mean_antecedents_diff == pytest.approx((2 / 4 + 5 / 5 + 4 / 5) / 3)
        assert [each.metric for each in found.means] == list(REPORTED)
        for place, mean in enumerate(found.means):
            f1 = [pair.agreements[place].f1 or 0.0 for pair in found.responses]
            assert mean.f1 == pytest.approx(fmean(f1))
            assert mean.distance == pytest.approx(1 - fmean(f1))

    def test_one_response_against_another(self, tmp_path: Path) -> None:
        """a: {Ann she her} {Bob he}; b: {Ann she} {Bob he her} {dog it}."""
        expected = {
            "muc": 2 * 2 / (3 + 4),  # links Ann-she, Bob-he of 3 and of 4
            "b3": 2 * (11 / 15) * (11 / 21) / (11 / 15 + 11 / 21),  # 5/3 + 2 of 5 mentions and of 7
            "ceafm": 2 * 4 / (5 + 7),
            "ceafe": 2 * (4 / 5 + 4 / 5) / (2 + 3),
            "lea": 2 * (3 / 5) * (3 / 7) / (3 / 5 + 3 / 7),  # 3·1/3 + 2·1 of 5; 2·1 + 3·1/3 of 7
            "mentions": 2 * 5 / (5 + 7),
            "blanc": (4 / 9 + 4 / 11) / 2,  # 2 common links of 4 and of 5; 4 common others of 6 and of 16
        }
        expected["conll"] = fmean(expected[name] for name in ("muc", "b3", "ceafe"))
        found = by_metric(compared(tmp_path, ALL).chain_pairs(), "a", "b")
        assert {name: each.f1 for name, each in found.items()} == pytest.approx(expected)
        assert {name: each.distance for name, each in found.items()} == pytest.approx(
            {name: 1 - value for name, value in expected.items()}
        )

    def test_runs_are_averaged_over_pairs_of_runs(self, tmp_path: Path) -> None:
        single = compared(tmp_path, ALL).chain_pairs()
        both = compared(tmp_path, {"ab": Runs(A, B), "c": C}).chain_pairs()
        (any_, *_), (pair,) = both.criteria, both.criteria[0].pairs
        assert (pair.classes.different, pair.sites) == (4 + 4, 5 + 5)
        assert any_.mean_diff == pair.classes.diff == 0.8
        scored = by_metric(both, "ab", "c")
        alone = [by_metric(single, name, "c") for name in "ab"]
        for metric in REPORTED:
            assert scored[metric].f1 == pytest.approx(fmean(each[metric].f1 or 0.0 for each in alone))


class TestSelections:
    @pytest.mark.parametrize("runs", [False, True])
    def test_every_count_equals_the_length_of_its_selection(self, tmp_path: Path, runs: bool) -> None:
        result = compared(tmp_path, {"ab": Runs(A, B), "c": C, "k": KEY} if runs else ALL)
        for criterion, pair in pairs_of(result.chain_pairs()):
            assert pair.antecedents is not None
            for each in (pair.classes, pair.antecedents):
                assert result.count(each.where, pair.base, pair.new, view=each.view) == each.different
            assert pair.classes.view == criterion
            numbers = [len(result.verdicts.system(name).runs) for name in (pair.base, pair.new)]
            all_sites = result.count("true", pair.base, pair.new, view=criterion)
            assert all_sites * numbers[0] * numbers[1] == pair.sites


class TestAgainstOthers:
    @pytest.mark.parametrize("seed", seeds(3, of=8))
    def test_the_slow_reference_agrees(self, tmp_path: Path, seed: int) -> None:
        result = random_result(tmp_path, seed)
        found = result.chain_pairs()
        files = {side: reference.read_conll2012(tmp_path / f"{side}.conll") for side in ("key", *SYSTEMS)}
        order = reference.all_names(files.values())
        units = {side: reference.units_of(each, order) for side, each in files.items()}
        for base, new in combinations(result.systems, 2):
            expected = reference.score(units[base], units[new])
            agreed = by_metric(found, base, new)
            for metric, counts in expected.counts.items():
                assert agreed[metric].f1 == (None if counts.f is None else pytest.approx(counts.f)), metric
            (_, _, blanc) = expected.blanc.scores() or (None, None, None)
            assert agreed["blanc"].f1 == pytest.approx(blanc)
            assert agreed["conll"].f1 == (None if expected.conll is None else pytest.approx(expected.conll))
        for criterion, pair in pairs_of(found):
            if criterion not in {"any", "immediate"}:
                continue
            sites = [
                judged
                for unit, key in units["key"].items()
                for judged in reference.sites_among(
                    [reference.arcs(key, units[name][unit], criterion) for name in (pair.base, pair.new)]
                ).values()
            ]
            assert pair.sites == len(sites)
            assert pair.classes.different == sum(base.name != new.name for base, new in sites)

    def test_the_ordinary_scores_agree_on_real_outputs(self) -> None:
        """A response as the key of another: nothing of the pairs is used, and the first file is read as a key."""
        folder = shared("data/coref/gum")
        systems = {
            name: str(folder / "systems" / f"{file}.response.conll")
            for name, file in {"n": "neuralcoref", "x": "xrenner.ontogum"}.items()
        }
        key = str(folder / "gold/ontogum.key.conll")
        found = compare(key, systems, task="coref", resamples=0).chain_pairs()
        scored = compare(systems["n"], {"x": systems["x"]}, task="coref", resamples=0).scores()
        turned = compare(systems["x"], {"n": systems["n"]}, task="coref", resamples=0).scores()
        for metric, each in by_metric(found, "n", "x").items():
            assert each.f1 == pytest.approx(scored.value("x", metric))
            assert each.f1 == pytest.approx(turned.value("n", metric))


class TestUniverse:
    @pytest.mark.parametrize("seed", seeds(2, of=4))
    def test_a_third_system_does_not_change_a_pair(self, tmp_path: Path, seed: int) -> None:
        """Not even its intervals, though the third has documents that nobody else has."""
        files = random_files(tmp_path, seed, SYSTEMS)
        key = files.pop("key")
        three = compare(key, files, task="coref", resamples=50).chain_pairs()
        for base, new in combinations(SYSTEMS, 2):
            two = {name: files[name] for name in (base, new)}
            alone = compare(key, two, task="coref", resamples=50).chain_pairs()
            assert by_metric(three, base, new) == by_metric(alone, base, new)
            assert [pair for _, pair in pairs_of(alone)] == [
                pair for _, pair in pairs_of(three) if (pair.base, pair.new) == (base, new)
            ]

    @pytest.mark.parametrize("seed", seeds(2, of=4))
    def test_the_order_of_two_systems_does_not_matter(self, tmp_path: Path, seed: int) -> None:
        """But for the sign of Δ, and for BLANC where one side has only one kind of links."""
        result = random_result(tmp_path, seed)
        turned = Result(replace(result.verdicts, systems=result.verdicts.systems[::-1]), 0).chain_pairs()
        found = result.chain_pairs()
        others = {(name, pair.new, pair.base): pair for name, pair in pairs_of(turned)}
        for name, pair in pairs_of(found):
            other = others[name, pair.base, pair.new]
            assert pair.antecedents is not None
            assert other.antecedents is not None
            assert (pair.sites, pair.classes) == (other.sites, other.classes)
            assert pair.antecedents == other.antecedents
            assert pair.score_difference == -(other.score_difference or 0.0)
        for both in found.responses:
            for metric, each in by_metric(turned, both.new, both.base).items():
                if metric != "blanc":
                    assert each.f1 == pytest.approx(by_metric(found, both.base, both.new)[metric].f1)

    def test_intervals_hold_the_value(self, tmp_path: Path) -> None:
        found = random_result(tmp_path, 3, resamples=200).chain_pairs()
        spans = [(each.f1, each.low, each.high) for pair in found.responses for each in pair.agreements]
        spans += [
            (each.diff, each.low, each.high) for _, pair in pairs_of(found) for each in (pair.classes, pair.antecedents)
            if each is not None
        ]  # fmt: skip
        assert len(spans) == 3 * len(REPORTED) + 2 * 3 * 4
        for value, low, high in spans:
            assert value is not None
            assert low is not None
            assert high is not None
            assert low <= value <= high
        assert any(low < high for _, low, high in spans if low is not None and high is not None)

    def test_a_run_given_twice_changes_no_number_but_counts(self, tmp_path: Path) -> None:
        files = random_files(tmp_path, 1, SYSTEMS)
        key = files.pop("key")
        again = str(shutil.copy(tmp_path / "one.conll", tmp_path / "again.conll"))
        single = compare(key, files, task="coref", resamples=50).chain_pairs()
        twice = {**files, "one": Runs(files["one"], f"{again}::conll2012")}
        double = compare(key, twice, task="coref", resamples=50).chain_pairs()
        for base, new in combinations(SYSTEMS, 2):
            assert by_metric(double, base, new) == by_metric(single, base, new)
        for (_, one), (_, two) in zip(pairs_of(single), pairs_of(double), strict=True):
            times = 2 if one.base == "one" else 1
            assert (two.sites, two.classes.different) == (times * one.sites, times * one.classes.different)
            assert replace(two.classes, different=0) == replace(one.classes, different=0)


class TestViews:
    def test_another_view_than_the_first_gives_its_own_criterion(self, tmp_path: Path) -> None:
        result = compared(tmp_path, ALL)
        assert [each.criterion for each in result.chain_pairs().criteria] == ["any", "nominal", "named", "immediate"]
        for view in ("nominal", "nominal_antecedents"):
            found = result.chain_pairs(view=view)
            assert found.criteria == result.chain_pairs().criteria[1:2]
            assert found.responses == result.chain_pairs().responses

    def test_the_anatomy_holds_them(self, tmp_path: Path) -> None:
        result = compared(tmp_path, ALL)
        assert result.anatomy().chain_pairs == result.chain_pairs()
        assert result.anatomy(view="named").chain_pairs == result.chain_pairs(view="named")
        assert compared(tmp_path, {"a": A}).anatomy().chain_pairs is None

    def test_of_some_mentions_alone_chains_cannot_be_told(self, tmp_path: Path) -> None:
        result = compared(tmp_path, ALL).where('kind == "personal pronoun"')
        (any_, *_) = result.chain_pairs().criteria
        assert [(pair.classes.different, pair.sites) for pair in any_.pairs] == [(2, 4), (3, 4), (3, 4)]  # without Bob
        for pair in result.chain_pairs().responses:
            assert {(each.f1, each.distance, each.reason) for each in pair.agreements} == {(None, None, LOST)}
        assert {each.f1 for each in result.chain_pairs().means} == {None}

    def test_other_tasks_have_no_chains(self) -> None:
        result = compare(["A"], {"a": ["A"], "b": ["B"]}, task="tag", resamples=0)
        with pytest.raises(UsageError, match="has no chains"):
            result.chain_pairs()
        assert result.anatomy().chain_pairs is None


class TestEdges:
    def test_two_empty_responses_have_no_score(self, tmp_path: Path) -> None:
        found = compared(tmp_path, {"a": (), "b": ()}).chain_pairs()
        (any_, *_) = found.criteria
        assert [(pair.classes.different, pair.sites) for pair in any_.pairs] == [(0, 4)]
        for each in by_metric(found, "a", "b").values():
            assert (each.f1, each.distance, each.low) == (None, None, None)
            assert each.reason in {"no chain in the key and none claimed", "no pair of mentions"}
        forced = compared(tmp_path, {"a": (), "b": ()}, zero_division=1).chain_pairs()
        assert {each.f1 for each in by_metric(forced, "a", "b").values()} == {1.0}

    def test_an_empty_response_is_as_far_as_can_be(self, tmp_path: Path) -> None:
        found = compared(tmp_path, {"a": A, "b": ()}).chain_pairs()
        assert {each.distance for each in by_metric(found, "a", "b").values()} == {1.0}

    def test_equal_responses_do_not_differ(self, tmp_path: Path) -> None:
        found = compared(tmp_path, {"a": C, "b": C}).chain_pairs()
        assert {each.distance for each in by_metric(found, "a", "b").values()} == {0.0}
        assert {(pair.classes.different, pair.score_difference) for _, pair in pairs_of(found)} == {(0, 0.0)}

    def test_without_mentions_nothing_is_defined(self, tmp_path: Path) -> None:
        found = compared(tmp_path, {"a": (), "b": ()}, key=()).chain_pairs()
        assert {(pair.sites, pair.classes.diff, pair.score_difference) for _, pair in pairs_of(found)} == {
            (0, None, None)
        }

    def test_one_system_has_no_pair(self, tmp_path: Path) -> None:
        found = compared(tmp_path, {"a": A}).chain_pairs()
        assert [each.pairs for each in found.criteria] == [(), (), (), ()]
        assert found.responses == ()
        assert {each.f1 for each in found.means} == {None}
