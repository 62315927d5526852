"""Runs of questions: the numbers after each, what never falls and what may, scopes, and going on after a stop."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comparanda.errors import UsageError
from comparanda.feedback import simulation
from comparanda.feedback.field import Field, field_of
from comparanda.feedback.protocol import HANDLERS, KINDS, STRATEGIES, Plan, Question, User
from comparanda.feedback.simulation import COLUMNS, Curve, Simulation, simulate
from comparanda.tasks.prob.evaluation import decide_blocks
from tests.feedback.fields import Block, drawn, field, level, listed
from tests.seeds import draws
from tests.tasks.prob.worked import examples

NOISY = User(flip=0.3, unsure=0.1)


def stepped(made: Field, plan: Plan) -> Curve:
    run = Simulation(made, plan)
    while run.step():
        pass
    return run.curve()


def blocks_of(written: list[Any]) -> list[Block]:
    """Return the blocks of a worked example."""
    return [
        [(span["p"], [(each["p"], each["correct"]) for each in span["labels"]]) for span in each] for each in written
    ]


def mixed(seed: int) -> Field:
    """Return a block with worlds, drawn: several tuples can be true together."""
    draw = np.random.default_rng(seed)
    shares = draw.dirichlet(np.ones(5))[:4]
    worlds = [(float(p), np.flatnonzero(draw.random(5) < 0.5).tolist()) for p in shares]
    return listed(worlds, (draw.random(5) < 0.5).tolist(), 4, [f"w{int(each)}" for each in draw.integers(0, 3, 5)])


# One run that can be counted


def test_a_run_by_hand() -> None:
    made = field([[(0.6, [(1.0, False)]), (0.3, [(1.0, True)])], [(0.4, [(1.0, True)])]], 3)
    run = Simulation(made, Plan(strategy="high"))
    while run.step():
        pass
    curve = run.curve()
    assert tuple(curve.columns) == COLUMNS
    assert (curve.asked.tolist(), curve.answers.tolist(), len(curve)) == ([-1, 0, 2, 1], [-1, 0, 1, 1], 3)
    wanted = {
        "question": [0, 1, 2, 3],
        "cost": [0, 1, 2, 3],
        "precision": [0, 1, 1, 1],  # 0.6 is wrong; 0.75 is right, and 0.4 less than nothing; both; both
        "recall": [0, 1 / 3, 2 / 3, 2 / 3],
        "f1": [0, 1 / 2, 4 / 5, 4 / 5],
        "expected_precision": [0.7 / 1.3, 1, 1, 1],
        "expected_recall": [0.7 / 3, 1.15 / 3, 1.75 / 3, 2 / 3],
        "e100": [2 / 3] * 4,
        "claimed_f1": [1.2 / 2.3, 1.5 / 2.15, 3.5 / 3.75, 1],
        "changed": [0, 2, 3, 3],
        "contradictions": [0, 0, 0, 0],
    }
    for name, values in wanted.items():
        assert curve.columns[name] == pytest.approx(values), name
    h = {0.6: 0.970951, 0.3: 0.881291, 0.4: 0.970951, 0.75: 0.811278}
    assert curve.columns["entropy"] == pytest.approx([h[0.6] + h[0.3] + h[0.4], h[0.75] + h[0.4], h[0.75], 0], abs=1e-6)


def test_a_choice_costs_two() -> None:
    curve = stepped(field([[(0.6, [(1.0, True)])]]), Plan(strategy="high", kind="choice"))
    assert curve.columns["cost"].tolist() == [0, 2]
    assert curve.columns["f1"].tolist() == [1, 1]


# The numbers after every question, counted anew


def counted(made: Field, run: Simulation) -> dict[str, float]:
    weight, correct, scope = run.beliefs().weight, made.candidates.correct & made.scope, made.scope
    chosen, key = run.decided() & scope, made.entities or 0
    mass, right = weight[scope].sum(), int((chosen & correct).sum())
    inside = weight[scope & (weight > 0) & (weight < 1)]
    return {
        "precision": right / chosen.sum() if chosen.any() else np.nan,
        "recall": right / key,
        "f1": 2 * right / (chosen.sum() + key),
        "expected_precision": weight[correct].sum() / mass if mass > 1e-9 else np.nan,
        "expected_recall": weight[correct].sum() / key,
        "e100": (weight[correct] > 0).sum() / key,
        "claimed_f1": 2 * weight[chosen].sum() / (chosen.sum() + mass) if chosen.any() or mass > 1e-9 else np.nan,
        "entropy": float(-(inside * np.log2(inside) + (1 - inside) * np.log2(1 - inside)).sum()),
    }


@settings(max_examples=draws(60))
@given(
    seed=st.integers(0, 10**6),
    strategy=st.sampled_from(STRATEGIES),
    kind=st.sampled_from(KINDS),
    handler=st.sampled_from(HANDLERS),
    error=st.sampled_from([0.0, 0.2]),
    how=st.sampled_from(["tuple", "hierarchical"]),
    worlds=st.booleans(),
)
def test_sums_and_decisions_are_those_counted_anew(
    *, seed: int, strategy: str, kind: Any, handler: Any, error: float, how: Any, worlds: bool
) -> None:
    whole = mixed(seed) if worlds else drawn(seed, 4, single=False)
    scope = np.random.default_rng(seed).random(len(whole)) < 0.8
    made = field_of(whole.candidates, 6, scope)
    plan = Plan(
        strategy=strategy,
        budget=8,
        kind=kind,
        handler=handler,
        user=NOISY,
        believed_error=error,
        decide=how,
        min_weight=0.2,
        seed=seed,
    )
    run = Simulation(made, plan)
    preference = np.arange(len(made))  # all are equally wide, and stand one after the other
    while True:
        last = {name: values[-1] for name, values in run.curve().columns.items()}
        wanted = counted(made, run)
        for name, value in wanted.items():
            assert last[name] == pytest.approx(value, abs=1e-9, nan_ok=True), name
        assert run.decided().tolist() == decide_blocks(run.beliefs(), preference, how, 0.2).chosen.tolist()
        if not run.step():
            break


@settings(max_examples=draws(40))
@given(st.integers(0, 10**6), st.sampled_from(["tuple", "hierarchical"]), st.sampled_from([0.0, 0.25]))
def test_ties_are_decided_as_ever(seed: int, how: Any, min_weight: float) -> None:
    made = level(seed, 5)
    run = Simulation(made, Plan(strategy="random", budget=4, decide=how, min_weight=min_weight, seed=seed))
    preference = np.arange(len(made))  # all are equally wide, and stand one after the other
    while run.step():
        assert run.decided().tolist() == decide_blocks(run.beliefs(), preference, how, min_weight).chosen.tolist()


# What DEFINITIONS 9 says of truthful label questions, and where it does not hold


@settings(max_examples=draws(60))
@given(st.integers(0, 10**6), st.sampled_from(STRATEGIES))
def test_truthful_labels_never_lower_a_score(seed: int, strategy: str) -> None:
    curve = simulate(drawn(seed, 6), Plan(strategy=strategy, seed=seed))
    for name in ("f1", "expected_precision", "expected_recall"):
        values = np.nan_to_num(curve.columns[name])
        assert (np.diff(values) > -1e-9).all(), name
    e100 = curve.columns["e100"]
    assert (e100 == e100[0]).all()
    assert curve.columns["f1"][-1] == pytest.approx(2 * e100[0] / (1 + e100[0]))
    assert curve.columns["entropy"][-1] == pytest.approx(0, abs=1e-6)
    assert curve.columns["contradictions"][-1] == 0


W11: list[Block] = [[(1.0, [(1.0, True)])], [(0.4, [(0.6, False), (0.4, True)])]]
W15: list[Block] = [[(0.5, [(0.6, True), (0.4, False)]), (0.45, [(1.0, False)])]]


@pytest.mark.parametrize("how", ["tuple", "hierarchical"])
def test_a_true_answer_about_a_span_can_lower_precision(how: Any) -> None:
    curve = stepped(field(W11), Plan(strategy="document", kind="span", decide=how))
    assert curve.asked.tolist() == [-1, 1]
    assert curve.columns["precision"].tolist() == [1, 0.5]


@pytest.mark.parametrize(("how", "wanted"), [("hierarchical", [1, 0]), ("tuple", [0, 0])])
def test_a_true_no_can_lower_f1_of_hierarchical_decisions(how: Any, wanted: list[float]) -> None:
    run = Simulation(field(W15), Plan(strategy="low", decide=how))
    assert run.next_question() == Question("label", 1)
    run.step()
    assert run.curve().columns["f1"].tolist() == wanted
    assert run.beliefs().entity == pytest.approx([0.375, 0.375, 0.5625])


def test_the_eleventh_and_fifteenth_worked_examples() -> None:
    shared = examples()
    assert blocks_of(shared["W11"]["blocks"]) == W11
    assert blocks_of(shared["W15"]["blocks"]) == W15
    expected = shared["W15"]["expect"]
    for how in ("hierarchical", "tuple"):
        run = Simulation(field(W15, shared["W15"]["key"]), Plan(strategy="low", decide=how))
        correct = run.field.candidates.correct
        assert (run.decided() & correct).sum() == expected[how]["before"]["correct"]
        run.step()
        assert (run.decided() & correct).sum() == expected[how]["after"]["correct"]
        assert (run.decided().sum(), expected[how]["after"]["found"]) == (1, 1)
        assert run.beliefs().entity[[0, 2]] == pytest.approx(expected["p_after"], abs=1e-6)


def test_a_mistaken_user_lowers_scores() -> None:
    curve = stepped(field([[(0.9, [(1.0, True)])]], 1), Plan(strategy="high", user=User(flip=1.0)))
    for name in ("recall", "expected_recall", "e100"):
        assert curve.columns[name].tolist() == [pytest.approx(1, abs=0.2), 0], name


def test_a_hasty_user_loses_what_a_text_is_now_and_then() -> None:
    made = field([[(0.6, [(1.0, right)])] for right in (True, False, False)], texts=["a"] * 3)
    curve = stepped(made, Plan(strategy="high", kind="group", purity=0.6))
    assert curve.answers.tolist() == [-1, 0]
    assert curve.columns["e100"].tolist() == [1, 0]
    pure = stepped(made, Plan(strategy="high", kind="group"))
    assert pure.answers.tolist() == [-1, 2]
    assert pure.columns["e100"].tolist() == [1, 1]
    assert pure.columns["changed"].tolist() == [0, 0]


# What is asked


def test_each_question_is_asked_once() -> None:
    made = drawn(4, 8)
    for plan in (
        Plan(strategy="entropy", user=User(unsure=0.5)),
        Plan(strategy="entropy", believed_error=0.2, user=NOISY),
    ):
        asked = stepped(made, plan).asked[1:].tolist()
        assert len(set(asked)) == len(asked)
    unsure = stepped(made, Plan(strategy="entropy", user=User(unsure=1.0)))
    assert len(unsure) == len(made)
    assert (unsure.columns["f1"] == unsure.columns["f1"][0]).all()


def test_what_is_certain_is_asked_on_demand() -> None:
    made = field([[(1.0, [(1.0, False)])], [(1.0, [(1.0, True)])], [(0.0, [(1.0, False)])]])
    assert len(stepped(made, Plan(strategy="high"))) == 0
    curve = stepped(made, Plan(strategy="high", ask_certain=True))
    assert curve.asked.tolist() == [-1, 0, 1]
    assert curve.columns["contradictions"].tolist() == [0, 1, 1]
    assert curve.columns["f1"].tolist() == [pytest.approx(2 / 3), 1, 1]
    two = field([[(1.0, [(0.5, True), (0.5, False)])]])
    assert len(stepped(two, Plan(strategy="high", ask_certain=True))) == 1  # a yes says all about the block
    assert (
        len(stepped(two, Plan(strategy="high", ask_certain=True, user=User(flip=1.0)))) == 2
    )  # a no leaves the other certain
    assert len(stepped(made, Plan(strategy="high", kind="span", ask_certain=True))) == 2


def test_a_budget_is_kept() -> None:
    made = drawn(4, 8)
    assert len(stepped(made, Plan(strategy="entropy", budget=3))) == 3
    run = Simulation(made, Plan(strategy="entropy", budget=0))
    assert run.next_question() is None
    assert not run.step()
    assert len(run.curve()) == 0
    assert len(run.ranking(2)) == 2


def test_out_of_scope_is_neither_asked_nor_counted_but_a_rival() -> None:
    block: Block = [(0.9, [(2 / 3, False), (1 / 3, True)])]  # 0.6 and 0.3
    made = field([block, block], 1, scope=np.array([False, True, False, False]))
    run = Simulation(made, Plan(strategy="high"))
    start = {name: values[0] for name, values in run.curve().columns.items()}
    assert (start["recall"], start["e100"], start["entropy"]) == (0, 1, pytest.approx(0.881291, abs=1e-6))
    assert np.isnan(start["precision"])  # the rivals are in the hard output and nobody claims them
    assert run.decided().tolist() == [True, False, True, False]
    assert [each.tuple_row for each in run.ranking(9, per_block=9)] == [1]
    run.step()
    assert run.curve().columns["f1"].tolist() == [0, 1]
    assert run.curve().columns["changed"].tolist() == [0, 1]
    assert run.next_question() is None


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_questions_keep_to_the_scope(kind: Any) -> None:
    whole = drawn(9, 10, words=3)
    made = field_of(whole.candidates, 5, whole.candidates.label == 0)
    run = Simulation(made, Plan(strategy="document", kind=kind))
    asked = [each.tuple_row for each in run.ranking(99, per_block=99)]
    assert asked
    assert made.scope[asked].all()
    untouched = ~made.scope
    if kind == "group":
        run.take(Question("group", asked[0]), "no")
        told = (run.beliefs().weight == 0) & (made.start.weight > 0)
        assert told.any()
        assert not (told & untouched).any()


def test_a_ranking_has_so_many_questions_of_a_block() -> None:
    made = field([W15[0], W11[1]])
    run = Simulation(made, Plan(strategy="document"))
    assert [each.tuple_row for each in run.ranking(9)] == [0, 3]
    assert [each.tuple_row for each in run.ranking(9, per_block=2)] == [0, 1, 3, 4]
    assert [each.tuple_row for each in run.ranking(3, per_block=9)] == [0, 1, 2]
    assert run.ranking(0) == []


# Without a key, with an empty one, without tuples


def test_without_a_key_only_what_is_claimed_is_known() -> None:
    made = field_of(field(W15).candidates)
    curve = simulate(made, Plan(strategy="random", budget=1))
    known = [name for name, values in curve.columns.items() if not np.isnan(values).any()]
    assert known == ["question", "cost", "claimed_f1", "entropy", "changed", "contradictions"]


def test_an_empty_key() -> None:
    made = field([[(0.8, [(1.0, False)])]], 0)
    curve = simulate(made, Plan(strategy="entropy"))
    assert curve.columns["precision"][0] == 0
    assert np.isnan(curve.columns["precision"][1])
    assert np.isnan(curve.columns["recall"]).all()
    assert curve.columns["f1"][0] == 0
    assert np.isnan(curve.columns["f1"][1])
    assert np.isnan(curve.columns["expected_precision"][1])
    assert len(simulate(made, Plan(strategy="oracle"))) == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_tuples(strategy: str, kind: Any) -> None:
    curve = simulate(field([], 2), Plan(strategy=strategy, kind=kind, handler="statistical"))
    assert len(curve) == 0
    assert np.isnan(curve.columns["precision"]).all()
    assert (curve.columns["recall"].tolist(), curve.columns["f1"].tolist()) == ([0], [0])


# Answers from outside


@pytest.mark.parametrize("kind", KINDS)
def test_answers_from_outside_are_as_those_of_the_user(kind: Any) -> None:
    made = drawn(8, 8, words=4)
    plan = Plan(strategy="fgain", kind=kind, handler="statistical")
    run, fed = Simulation(made, plan), Simulation(made, plan)
    while (question := fed.next_question()) is not None:
        fed.take(question, fed._user.truth(kind, fed._question_rows(question)))
        run.step()
    same_bytes(run.curve(), fed.curve())


def test_a_question_of_another_kind_can_be_answered() -> None:
    made = field([W15[0], W15[0]], texts=["a", "b", "a", "c"])
    run = Simulation(made, Plan(strategy="entropy"))
    run.take(Question("span", 1), "no")
    assert run.beliefs().weight[:3] == pytest.approx([0, 0, 0.9])
    run.take(Question("choice", 0), -1)
    assert run.beliefs().weight[:3].tolist() == [0, 0, 0]
    run.take(Question("group", 3), "yes")
    assert run.beliefs().weight.tolist() == [1, 0, 0, 1, 0, 0]
    assert run.contradictions == 1
    assert run.curve().columns["cost"].tolist() == [0, 1, 3, 4]
    assert run.next_question() is None


@pytest.mark.parametrize(
    ("kind", "answer"), [("label", "mixed"), ("label", 0), ("choice", "yes"), ("choice", 4), ("group", -1)]
)
def test_what_is_no_answer_is_refused(kind: Any, answer: Any) -> None:
    run = Simulation(field([W15[0], W11[1]]), Plan(strategy="entropy", kind=kind))
    with pytest.raises(UsageError, match="is not a valid answer to a"):
        run.take(Question(kind, 0), answer)


# Going on after a stop


def same_bytes(one: Curve, other: Curve) -> None:
    for name in COLUMNS:
        assert one.columns[name].tobytes() == other.columns[name].tobytes(), name
    assert one.asked.tobytes() == other.asked.tobytes()
    assert one.answers.tobytes() == other.answers.tobytes()


def written(snapshot: dict[str, Any]) -> dict[str, Any]:
    """Return what a file gives back."""
    file = BytesIO()
    np.savez(file, **snapshot)
    file.seek(0)
    with np.load(file, allow_pickle=False) as read:
        return dict(read)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("handler", HANDLERS)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_stopped_after_every_question_and_gone_on(
    strategy: str, handler: Any, kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulation, "RESUM", 3)
    for made, user, error in ((drawn(3, 4, words=2), User(), 0.0), (mixed(2), NOISY, 0.1)):
        plan = Plan(strategy=strategy, budget=7, kind=kind, handler=handler, user=user, believed_error=error)
        run = Simulation(made, plan)
        while run.step():
            run = Simulation.restored(made, plan, run.snapshot())
        same_bytes(run.curve(), stepped(made, plan))


def test_a_snapshot_is_made_of_plain_arrays() -> None:
    made, plan = drawn(3, 12), Plan(strategy="fgain", handler="statistical", user=NOISY)
    run = Simulation(made, plan)
    for _ in range(5):
        run.step()
    kept = run.snapshot()
    copies = {name: values.copy() for name, values in kept.items()}
    again = Simulation.restored(made, plan, written(kept))
    while run.step():
        pass
    assert all(np.array_equal(kept[name], values) for name, values in copies.items())  # going on leaves it as it was
    while again.step():
        pass
    same_bytes(run.curve(), again.curve())


def test_a_run_leaves_the_field_as_it_was() -> None:
    made = drawn(3, 6)
    before = made.start.weight.copy()
    for handler in HANDLERS:
        stepped(made, Plan(strategy="entropy", handler=handler))
    assert made.start.weight.tolist() == before.tolist()
