"""Random small runs, question by question, against a reference that counts everything anew after each."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from comparanda.core.candidates import Candidates
from comparanda.feedback.field import Field, field_of
from comparanda.feedback.protocol import STRATEGIES, Plan, User
from comparanda.feedback.simulation import Curve, Simulation, simulate
from tests.feedback.reference import Answer, Session
from tests.seeds import seeds
from tests.tasks.prob.cases import Case, Output, claims, compared, random_case
from tests.tasks.prob.reference import Claim, exact, is_exclusive, tuples

CLOSE = 1e-9
ANSWERS: dict[int, Answer] = {1: "yes", 0: "no", 2: "mixed", 3: "unsure"}
MEASURED = (
    "cost",
    "precision",
    "recall",
    "f1",
    "expected_precision",
    "expected_recall",
    "e100",
    "claimed_f1",
    "entropy",
    "changed",
    "contradictions",
)
PRIORITIES = ("high", "low", "entropy", "infogain", "margin", "group_size", "group_entropy", "fgain", "oracle")


def same_text(text: str) -> str:
    return " ".join(text.casefold().split())


def session_of(
    case: Case, output: Output, rows: list[Claim], plan: Plan, *, scope: set[Claim] | None = None
) -> Session:
    """The reference at the start of a run."""
    texts = {claim: same_text(case.texts[claim.document][claim.begin : claim.end]) for claim in rows}
    return Session(
        blocks=list(output.blocks),
        key=set(case.key),
        order=rows,
        texts=texts,
        scope=scope,
        entities=None if scope is None else len(case.key & scope),
        decide=plan.decide,
        min_weight=exact(plan.min_weight),
        handler=plan.handler,
        strength=int(plan.strength),
        error=exact(plan.believed_error),
        purity=exact(plan.purity),
        ask_certain=plan.ask_certain,
    )


def check_choice(session: Session, plan: Plan, claim: Claim) -> None:
    """The question asked must be one of the most urgent, by priorities counted anew."""
    kind: str = plan.kind
    stands = session.named(kind, claim)
    assert stands in session.open(kind), (plan, claim)
    if plan.strategy in PRIORITIES and not (kind == "group" and roughly_foreseen(session, plan)):
        urgent = session.priorities(plan.strategy, kind)
        assert urgent[stands] >= max(urgent.values()) - CLOSE, (plan.strategy, kind, claim, urgent)


def roughly_foreseen(session: Session, plan: Plan) -> bool:
    """Whether what an answer about a text will do is not foreseen exactly.

    Its tuples are taken for independent, and by `infogain` for settled by a yes, which is always believed.
    """
    settling = all(map(is_exclusive, session.blocks)) and not plan.believed_error
    return twice_in_a_block(session) or (plan.strategy == "infogain" and not settling)


def twice_in_a_block(session: Session) -> bool:
    """Whether a text stands twice in a block under one label."""
    names = [(session.home[claim], session.texts[claim], claim.label) for claim in session.order]
    return len(set(names)) < len(names)


def answer_of(session: Session, plan: Plan, claim: Claim, code: int) -> Answer:
    """What the user said; a truthful user says what the key says."""
    if plan.kind != "choice" or code == 3:
        answer = ANSWERS[code]
    else:
        rows = sorted(tuples(session.block_of(claim)), key=session.rank.__getitem__)
        weighed = session.weights()
        likely = max(rows, key=lambda each: round(float(weighed[each]), 9))  # what a mistaken user takes
        answer = next((each for each in rows if each in session.key), likely) if code else None
    if plan.user == User():
        assert answer == session.truth(plan.kind, claim), (plan, claim)
    return answer


def check_values(session: Session, curve: Curve, question: int) -> None:
    expected = session.measured()
    for name in MEASURED:
        value, wanted = float(curve.columns[name][question]), expected[name]
        assert (isnan(value) and wanted is None) or value == pytest.approx(wanted, abs=CLOSE), (
            question,
            name,
            curve.plan,
        )


def check_curve(session: Session, curve: Curve, rows: list[Claim]) -> None:
    """Ask the reference the same questions and compare all numbers after each."""
    check_values(session, curve, 0)
    for question in range(1, len(curve) + 1):
        claim = rows[int(curve.asked[question])]
        check_choice(session, curve.plan, claim)
        session.take(curve.plan.kind, claim, answer_of(session, curve.plan, claim, int(curve.answers[question])))
        check_values(session, curve, question)
    budget = curve.plan.budget
    assert (budget is not None and len(curve) == budget) or not session.open(curve.plan.kind), curve.plan


def stepped(field: Field, plan: Plan) -> Curve:
    simulation = Simulation(field, plan)
    while simulation.step():
        pass
    return simulation.curve()


def check_run(case: Case, output: Output, run: Candidates, plan: Plan, *, label: str | None = None) -> None:
    """Audit a run over all tuples, or over those of a label."""
    rows = claims(run, tuple(case.texts))
    inside = [label in (None, claim.label) for claim in rows]
    scope = None if label is None else {claim for claim in (*rows, *case.key) if claim.label == label}
    entities = len(case.key) if scope is None else len(case.key & scope)
    spans = {claim.span for claim in case.key}
    held = np.array([claim.span in spans for claim in rows], np.bool_)
    field = field_of(run, entities, np.array(inside, np.bool_), held)
    curve = simulate(field, plan)
    check_curve(session_of(case, output=output, rows=rows, plan=plan, scope=scope), curve, rows)
    slow = stepped(field, plan)
    assert slow.asked.tolist() == curve.asked.tolist()
    for name, values in curve.columns.items():
        assert slow.columns[name] == pytest.approx(values, abs=CLOSE, nan_ok=True), name


def simple(case: Case, output: Output) -> bool:
    """Whether it is plain what a choice in a block is about: at most one of its tuples is in the key."""
    most_right = max((sum(claim in case.key for claim in tuples(block)) for block in output.blocks), default=0)
    return output.exclusive and most_right <= 1


def random_plan(random: Random, strategy: str, output: Output) -> Plan:
    kind: Any = random.choice(("label", "label", "label", "span", "choice", "group"))
    user = random.choice((User(), User(), User(unsure=0.2), User(flip=0.3), User(flip=0.3, unsure=0.2)))
    decide: Any = random.choice(("tuple", "tuple", "hierarchical")) if output.exclusive else "tuple"
    return Plan(
        strategy=strategy,
        budget=random.choice((None, 3)),
        kind=kind,
        handler=random.choice(("basic", "basic", "statistical")),
        user=user,
        believed_error=random.choice((0.0, 0.13)) if kind != "choice" else 0.0,
        purity=random.choice((1.0, 0.75)),
        ask_certain=random.random() < 0.2,
        decide=decide,
        min_weight=random.choice((0.0, 0.0, 0.3)),
        seed=random.randint(0, 99),
    )


def check_case(folder: Path, seed: int, systems: int, forms: tuple[str, ...]) -> None:
    random = Random(seed)
    case = random_case(random, systems, forms)
    runs = compared(folder, case).verdicts.view().candidates or ()
    for output, run in zip(case.outputs, runs, strict=True):
        plan = random_plan(random, random.choice(STRATEGIES), output)
        if output.clear and (plan.kind != "choice" or simple(case, output)):
            check_run(case, output=output, run=run, plan=plan, label=random.choice((None, None, "A")))


@pytest.mark.parametrize("seed", seeds(2, of=8))
def test_random_runs(seed: int, tmp_path: Path) -> None:
    check_case(tmp_path, seed, 8, ("blocks", "blocks", "entities", "nbest"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8, 200))
def test_many_random_runs(seed: int, tmp_path: Path) -> None:
    check_case(tmp_path, seed, 20, ("blocks", "entities", "nbest"))
