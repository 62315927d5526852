"""DEFINITIONS 4: sites at which runs agree with each other against the key, and what it has and no run finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import comparanda as cp
from comparanda import Result, UsageError
from comparanda.core.sites import ABSENT, NOTHING, format_value
from comparanda.core.verdicts import System
from comparanda.expressions.selection import select_rows
from comparanda.findings.suspects import Suspect, Suspects, _site_extents
from tests.findings.every_task import TASKS, columns, counts_with_conditions, crowded_spans, labels, sets, tags, views
from tests.findings.populations import Population, populations
from tests.findings.populations import sets as set_populations
from tests.findings.test_mutations import Mutation, mutated
from tests.seeds import draws
from tests.shared_data import shared

any_population = populations() | set_populations


# Slowly


def best_against(key: str, said: list[str]) -> tuple[int, set[str]]:
    """Return how many runs agree on a value that is not the key's, and on which."""
    votes = Counter(value for value in said if value != key)
    most = max(votes.values(), default=0)
    return most, {value for value, count in votes.items() if count == most}


def unfound_at(result: Result, view: str) -> dict[tuple[str, int], list[str]]:
    """Return the labels of the key's items that no run finds, by document and row."""
    items, runs = result.verdicts.view(view).items, range(len(result.verdicts.runs))
    found: dict[tuple[str, int], list[str]] = {}
    for item in range(len(items)):
        counts = bool(items.positive[item]) and any(items.weights(run)[item] > 0 for run in runs)
        if counts and not any(items.credit_of(run)[item] > 0 for run in runs):
            place = result.verdicts.documents[int(items.document[item])], int(items.place[item])
            found.setdefault(place, []).append(format_value(items.names[int(items.label[item])]))
    return found


def at(result: Result, view: str, row: int) -> tuple[str, int, int]:
    """Name a site."""
    context = result.context(view)
    begin, end = _site_extents(context)
    name = result.verdicts.documents[int(context.sites.document[row])]
    return name, int(begin[row]), int(end[row])


def check(result: Result, view: str, needed: int) -> Suspects:
    """Compare all suspects with what loops over sites and items find."""
    found = result.suspects(at_least=needed, view=view)
    key, runs = columns(result, view)
    sites = result.verdicts.view(view).sites
    missed = unfound_at(result, view)
    mine = {(each.document, each.begin, each.end): each for each in found.suspects}
    assert len(mine) == found.count == len(found.suspects)
    agreed = 0
    labels: list[str] = []
    for row, wanted in enumerate(key):
        said = [values[row] for values in runs.values()]
        most, which = best_against(wanted, said)
        agreed += most >= needed
        document, begin, end = at(result, view, row)
        width = 1 if sites.width is None else int(sites.width[row])
        places = [(document, int(sites.place[row]) + further) for further in range(width)]
        each = mine.pop((document, begin, end), None)
        if each is None:
            assert most < needed
            continue
        assert most > 0
        assert (each.agree, each.of) == (most, len(runs))
        assert each.proposed in {format_value(value) for value in which}
        assert each.key == format_value(wanted)
        assert each.others == len(set(said)) - 1
        assert set(each.unfound) <= {label for place in places for label in missed.get(place, ())}
        assert each.kind == ("found by none" if most < needed else "both" if each.unfound else "agreed")
        labels += each.unfound
    assert not mine
    assert found.agreed.count == agreed
    assert found.unfound.count == sum(map(len, missed.values())) == len(labels)
    assert Counter(labels) == Counter(label for each in missed.values() for label in each)
    return found


@settings(max_examples=draws(40), deadline=None, derandomize=True)
@given(any_population, st.data())
def test_suspects_are_those_of_the_definition(population: Population, data: st.DataObject) -> None:
    check(population.result(), "tag", data.draw(st.integers(1, len(population.systems))))


@pytest.mark.parametrize("task", TASKS)
def test_every_task_has_them(task: Callable[[int, Path], Result], tmp_path: Path) -> None:
    for seed in range(2):
        result = task(seed, tmp_path)
        for view in views(result):
            for needed in (1, 2, 3):
                found = check(result, view, needed)
                for count, where in counts_with_conditions(found):
                    assert result.count(where, view=view) == count


@pytest.mark.parametrize("task", TASKS)
def test_the_condition_of_a_suspect_selects_it(task: Callable[[int, Path], Result], tmp_path: Path) -> None:
    result = task(4, tmp_path)
    view = next(views(result))
    for each in result.suspects(view=view).suspects:
        rows = select_rows(result.verdicts, result.verdicts.view(view), each.where).rows
        chosen = {at(result, view, int(row)) for row in rows}
        assert (each.document, each.begin, each.end) in chosen
        assert {document for document, _, _ in chosen} == {each.document}


# The order


def weight(each: Suspect) -> tuple[Any, ...]:
    nothing = each.proposed in {format_value(ABSENT), format_value(NOTHING), ""}
    return -each.agree, nothing, each.others, each.alike_share, each.document, each.begin


@pytest.mark.parametrize("task", [labels, sets, tags, crowded_spans])
def test_the_most_suspect_come_first(task: Callable[[int, Path], Result], tmp_path: Path) -> None:
    for seed in range(3):
        found = task(seed, tmp_path).suspects(at_least=2).suspects
        assert [each.rank for each in found] == list(range(1, len(found) + 1))
        assert [weight(each) for each in found] == sorted(map(weight, found))


def test_what_is_alike_is_counted_by_labels() -> None:
    """All say B for A at three of four sites, and C for A at one; D is B's only change."""
    result = cp.compare(list("AAAAABB"), {"x": list("BBBCADB"), "y": list("BBBCADB")}, task="tag")
    found = [(each.key, each.proposed, each.alike, each.alike_share) for each in result.suspects().suspects]
    assert found == [
        ("A", "C", 1, 1 / 5),
        ("B", "D", 1, 1 / 2),
        *[("A", "B", 3, 3 / 5)] * 3,
    ]


def test_the_order_of_input_does_not_matter() -> None:
    given = {f"r{row:02}": "abc"[row % 3] for row in range(30)}
    sides = {
        name: {row: "abcd"[(int(row[1:]) * step) % 4] for row in given} for name, step in zip("xy", (1, 3), strict=True)
    }
    one = cp.compare(given, sides, task="label").suspects()
    turned = {name: dict(reversed(each.items())) for name, each in reversed(sides.items())}
    two = cp.compare(dict(reversed(given.items())), turned, task="label").suspects()
    assert [(each.rank, each.word, each.proposed, each.where) for each in one.suspects] == [
        (each.rank, each.word, each.proposed, each.where) for each in two.suspects
    ]


# Counted by hand


TEXT = "Anna Smith saw Leeds and Hull"


def record(*spans: tuple[str, str]) -> list[dict[str, Any]]:
    found = [{"begin": TEXT.index(text), "end": TEXT.index(text) + len(text), "label": label} for label, text in spans]
    return [{"id": "d", "text": TEXT, "spans": found}]


def test_spans_small_enough_to_count() -> None:
    """Both take Smith for a person, both find Hull, which is not in the key, and nobody finds Leeds as a place."""
    key = record(("PER", "Anna Smith"), ("LOC", "Leeds"))
    x = record(("PER", "Smith"), ("LOC", "Hull"), ("ORG", "Leeds"))
    y = record(("PER", "Smith"), ("LOC", "Hull"))
    found = cp.compare(key, {"x": x, "y": y}, task="span").suspects()
    assert [(each.word, each.key, each.proposed, each.agree, each.kind, each.unfound) for each in found.suspects] == [
        ("Anna Smith", "PER[0:10]", "PER[5:10]", 2, "both", ("PER",)),
        ("Hull", "(none)", "LOC[0:4]", 2, "agreed", ()),
        ("Leeds", "LOC[0:5]", "ORG[0:5]", 1, "found by none", ("LOC",)),
    ]
    assert [(each.begin, each.end) for each in found.suspects] == [(0, 10), (25, 29), (15, 20)]
    assert (found.agreed.of, found.agreed.count) == ("sites", 2)
    assert (found.unfound.of, found.unfound.count) == ("items", 2)
    assert (found.suspects[1].before, found.suspects[1].after) == ("Anna Smith saw Leeds and", "")


def test_agreeing_on_nothing_comes_behind_agreeing_on_something() -> None:
    key = record(("PER", "Anna Smith"), ("LOC", "Leeds"))
    system = record(("ORG", "Leeds"))
    found = cp.compare(key, {"x": system, "y": system}, task="span").suspects()
    assert [(each.word, each.proposed) for each in found.suspects] == [("Leeds", "ORG[0:5]"), ("Anna Smith", "(none)")]


def test_a_tag_that_all_have_otherwise_is_found_by_none_and_agreed() -> None:
    result = cp.compare(list("AAB"), {"x": list("ABC"), "y": list("ABD")}, task="tag")
    found = result.suspects()
    assert [(each.key, each.proposed, each.agree, each.kind, each.unfound) for each in found.suspects] == [
        ("A", "B", 2, "both", ("A",)),
        ("B", "C", 1, "found by none", ("B",)),
    ]
    assert found.agreed.where == "agreement >= 2 and not majority_right"
    assert (found.unfound.of, found.unfound.count, found.unfound.where) == ("sites", 2, "solved_by == 0")
    assert result.count("positive and claimed_by == 0") == 2


def test_three_of_seven_may_be_right_and_four_agree() -> None:
    sides = {name: [value] for name, value in zip("abcdefg", "XXXYYYY", strict=True)}
    result = cp.compare(["X"], sides, task="tag")
    assert result.suspects().count == 0
    (found,) = result.suspects(at_least=4).suspects
    assert (found.agree, found.of, found.others, found.kind, found.unfound) == (4, 7, 1, "agreed", ())


def test_as_many_may_agree_with_the_key() -> None:
    """Two of four against the key are enough if asked for, although two agree with it: the condition says so too."""
    sides = {name: list(values) for name, values in zip("abcd", ("XX", "XY", "YY", "YZ"), strict=True)}
    result = cp.compare(["X", "X"], sides, task="tag")
    found = result.suspects(at_least=2)
    assert [(each.proposed, each.agree) for each in found.suspects] == [("Y", 2), ("Y", 2)]
    assert found.agreed.where is not None
    assert result.count(found.agreed.where) == found.agreed.count == 2


def test_a_condition_that_would_be_too_long_is_not_given() -> None:
    sides = {f"system-{number:02}": ["B"] for number in range(16)}
    found = cp.compare(["A"], sides, task="tag").suspects(at_least=8)
    assert (found.agreed.count, found.agreed.where) == (1, None)
    sides = {f"system-{number:02}-{'x' * 300}": ["B"] for number in range(8)}
    assert cp.compare(["A"], sides, task="tag").suspects(at_least=4).agreed.where is None
    assert "16 runs agree" in str(found)


def test_runs_vote_one_by_one() -> None:
    population = Population(
        key=("A", "A"), systems={"x": ("B", "B"), "y": ("B", "A"), "z": ("B", "B")}, sentence=(0, 0), document=(0, 0)
    )
    together = replace(population, runs=(System("one", (0, 1)), System("two", (2,))))
    assert together.result().suspects() == population.result().suspects()
    assert [(each.agree, each.of) for each in together.result().suspects(at_least=2).suspects] == [(3, 3), (2, 3)]


def test_what_no_run_gets_anything_for_is_suspect_even_if_one_has_it() -> None:
    """Rules may give nothing for a span that a run has; the item is then found by none, at whatever site it stands."""
    verdicts = Population(
        key=("A", "A"), systems={"x": ("A", "A"), "y": ("B", "A")}, sentence=(0, 0), document=(0, 0)
    ).verdicts()
    items = replace(verdicts.view().items, credit=(np.zeros(3), np.zeros(3)))
    view = replace(verdicts.view(), given_items=items)
    found = Result(replace(verdicts, views={"tag": view})).suspects()
    assert [(each.proposed, each.agree, each.kind, each.unfound) for each in found.suspects] == [
        ("B", 1, "found by none", ("A",))
    ]
    assert found.unfound.count == 2  # where nobody differs from the key nothing else is proposed


# What there may be little of


def test_the_errors_of_one_system_are_all_suspect() -> None:
    found = cp.compare(list("AB"), {"x": list("AA")}, task="tag").suspects()
    assert [(each.key, each.proposed, each.agree, each.of) for each in found.suspects] == [("B", "A", 1, 1)]


def test_perfect_systems_leave_nothing_to_suspect() -> None:
    found = cp.compare(list("AB"), {"x": list("AB"), "y": list("AB")}, task="tag").suspects()
    assert (found.count, found.agreed.count, found.unfound.count, found.suspects) == (0, 0, 0, ())
    assert "0 sites of 2" in str(found)


def test_a_key_without_spans() -> None:
    found = cp.compare(record(), {"x": record(("LOC", "Hull")), "y": record(("LOC", "Hull"))}, task="span").suspects()
    assert [(each.word, each.key, each.kind) for each in found.suspects] == [("Hull", "(none)", "agreed")]
    assert found.unfound.count == 0
    nothing = cp.compare(record(), {"x": record()}, task="span").suspects()
    assert (nothing.sites, nothing.count) == (0, 0)


def test_a_system_without_the_document() -> None:
    key = [*record(("LOC", "Hull")), {"id": "e", "text": "x", "spans": []}]
    found = cp.compare(key, {"x": key[1:]}, task="span", missing="empty").suspects()
    assert [(each.proposed, each.kind) for each in found.suspects] == [("(none)", "both")]


@pytest.mark.parametrize("needed", [0, 3, -1])
def test_more_than_all_cannot_agree(needed: int) -> None:
    result = cp.compare(list("AB"), {"x": list("AB"), "y": list("AB")}, task="tag")
    with pytest.raises(UsageError, match=f"{needed} runs cannot agree") as problem:
        result.suspects(at_least=needed)
    assert "give a number from 1 to 2, the number of runs" in str(problem.value)


def test_only_the_first_may_be_asked_for(tmp_path: Path) -> None:
    result = labels(1, tmp_path)
    whole, some = result.suspects(), result.suspects(top=2)
    assert some.suspects == whole.suspects[:2]
    assert (some.count, some.agreed, some.unfound) == (whole.count, whole.agreed, whole.unfound)


# Real data


@pytest.mark.slow
def test_the_seven_systems_of_wnut17() -> None:
    """205 sites at which all agree against the key; 472 of its 1,079 entities are found by none."""
    folder = shared("data/ner/wnut17")
    names = ("arcada", "drexel_cci", "flytxt", "mic-cis.txt", "sjtu_adapt.txt", "spinningbytes.txt", "uh_ritual")
    sides = {name.removesuffix(".txt"): str(folder / "systems" / name) for name in names}
    sides["mic-cis"] += "::columns?word=none"  # other spellings of some words
    result = cp.compare(str(folder / "gold/emerging.test.annotated"), sides, task="span", resamples=0)
    found = result.suspects()
    assert (found.sites, found.count, found.agreed.count, found.unfound.count) == (1591, 465, 205, 472)
    proposed = [(each.word, each.key, each.proposed) for each in found.suspects[:3]]
    assert proposed == [
        ("Chuck", "(none)", "person[0:1]"),
        ("Calgary", "(none)", "location[0:1]"),
        ("Italy", "(none)", "location[0:1]"),
    ]
    assert [result.suspects(at_least=least).agreed.count for least in (6, 5, 4)] == [329, 453, 597]
    overlooked = [
        each
        for each in found.suspects
        if each.agree == 7 and each.proposed == "(none)" and each.key.startswith("person")
    ]
    accounts = [each for each in overlooked if each.before.endswith(("@", "#")) or each.word.startswith(("@", "#"))]
    assert (len(overlooked), len(accounts)) == (56, 50)
    claims = result.verdicts.view().claims
    assert claims is not None
    lonely = [not any(run[row] for run in claims.runs) for row in range(len(claims)) if claims.key[row]]
    assert (len(lonely), sum(lonely)) == (1079, 472)


# Mutations


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("np.where(right, apart, values)", "values"),
        ("counting & ~np.any", "counting & np.any"),
        ("~np.any(sites.disputed.right, axis=0)", "~np.all(sites.disputed.right, axis=0)"),
        ("np.count_nonzero(ordered[1:] != ordered[:-1], axis=0)", "np.sum(right, axis=0)"),
        ("agreed = votes.agree >= needed", "agreed = votes.agree > needed"),
    ],
)
def test_a_wrong_step_is_noticed(old: str, new: str, tmp_path: Path) -> None:
    results = [task(0, tmp_path) for task in (labels, sets, tags, crowded_spans)]
    with mutated(Mutation("findings.suspects", old, new, ())), pytest.raises((AssertionError, IndexError)):
        check_all(results)


def check_all(results: list[Result]) -> None:
    for result in results:
        for needed in (1, 2, 3):
            check(result, next(views(result)), needed)
