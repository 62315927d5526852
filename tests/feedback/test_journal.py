"""Killed at any time, a simulation goes on as if it had never stopped; and only the same one does."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comparanda.core.candidates import Candidates
from comparanda.core.probabilities import Beliefs, Worlds
from comparanda.core.text_columns import TextColumn
from comparanda.errors import UsageError
from comparanda.feedback import journal as module
from comparanda.feedback.field import Field, field_of
from comparanda.feedback.findings import curves_as_csv
from comparanda.feedback.journal import Journal, fingerprint
from comparanda.feedback.protocol import Plan, User
from comparanda.feedback.simulation import Curve, plans_of, simulate, simulate_plans
from tests.seeds import mostly_slow

PLANS = {
    "entropy": Plan(strategy="entropy"),
    "expected gain": Plan(strategy="fgain", budget=9),
    "a noisy user at random": Plan(strategy="random", user=User(flip=0.3, unsure=0.2)),
    "statistical, texts": Plan(strategy="infogain", kind="group", handler="statistical"),
    "choices": Plan(strategy="margin", kind="choice", believed_error=0.1, user=User(flip=0.2)),
    "a fixed order at once": Plan(strategy="random", budget=8),
}


class Killed(BaseException):
    """What a test throws to end a run."""


def small_field() -> Field:
    """Make eight blocks of two rivals each over three texts, with some of them right."""
    blocks, size = 8, 16
    chance = np.random.default_rng(5)
    first = chance.uniform(0.05, 0.9, blocks)
    weight = np.stack([first, (1 - first) * chance.uniform(0.1, 0.9, blocks)], axis=1).reshape(-1)
    block, place = np.repeat(np.arange(blocks), 2), np.repeat(np.arange(blocks) * 2, 2)
    nothing = 1 - weight.reshape(-1, 2).sum(axis=1)
    width = np.ones(size, np.int32)
    return field_of(
        Candidates(
            document=np.zeros(size, np.int32),
            sentence=np.zeros(size, np.int32),
            place=place.astype(np.int32),
            width=width,
            begin=place,
            end=place + 1,
            label=np.tile([0, 1], blocks),
            names=("LOC", "PER"),
            text=TextColumn.of([["Ann", "Bo", "Ely"][each % 3] for each in block.tolist()]),
            correct=chance.uniform(size=size) < weight,
            decided=weight > 0.5,
            beliefs=Beliefs(
                weight=weight, entity=np.repeat(1 - nothing, 2), alternative=block, block=block, nothing=nothing
            ),
        ),
        entities=7,
    )


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """What would survive a power cut is not looked at here, and would take most of the time."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture(scope="module")
def field() -> Field:
    return small_field()


def same(one: Curve, other: Curve) -> bool:
    columns = [each.columns[name].tobytes() for name in one.columns for each in (one, other)]
    rows = [each.tobytes() for curve in (one, other) for each in (curve.asked, curve.answers)]
    return columns[::2] == columns[1::2] and rows[:2] == rows[2:] and one.plan == other.plan


def dying_after(questions: int) -> Callable[[int], None]:
    def told(asked: int) -> None:
        if asked >= questions:
            raise Killed

    return told


@pytest.mark.parametrize("every", mostly_slow([1, 3], {3}))
@pytest.mark.parametrize("name", PLANS)
def test_killed_after_any_question_it_goes_on_as_if_it_had_not_stopped(
    name: str, every: int, field: Field, tmp_path: Path
) -> None:
    plan = PLANS[name]
    whole = simulate(field, plan)
    assert len(whole) >= 3
    for questions in range(1, len(whole) + 1):
        folder = str(tmp_path / str(questions))
        try:
            Journal(folder, field, [plan], every).curve(plan, dying_after(questions))
        except Killed:
            assert not (Path(folder) / f"{plan.strategy}-{plan.seed}.npz").exists()
        told: list[int] = []
        assert same(Journal(folder, field, [plan], every).curve(plan, told.append), whole)
        assert not list(Path(folder).glob("*.part.npz"))


def test_killed_again_and_again_it_comes_to_its_end(field: Field, tmp_path: Path) -> None:
    plan = PLANS["a noisy user at random"]
    found, kills = None, 0
    while found is None:
        told: list[int] = []

        def second_question(asked: int, told: list[int] = told) -> None:
            told.append(asked)
            if len(told) > 1:
                raise Killed

        try:
            found = Journal(str(tmp_path), field, [plan], 1).curve(plan, second_question)
        except Killed:
            kills += 1
    assert same(found, simulate(field, plan))
    assert kills == (len(found) - 1) // 2


def test_killed_while_it_writes_the_old_file_is_there(
    field: Field, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, replaced = PLANS["entropy"], os.replace

    for writes in range(1, 8):
        folder, left = tmp_path / str(writes), [writes]

        def failing(source: Any, target: Any, left: list[int] = left) -> None:
            left[0] -= 1
            if not left[0]:
                raise Killed
            replaced(source, target)

        monkeypatch.setattr(os, "replace", failing)
        with pytest.raises(Killed):
            Journal(str(folder), field, [plan], 1).curve(plan)
        monkeypatch.setattr(os, "replace", replaced)
        assert same(Journal(str(folder), field, [plan], 1).curve(plan), simulate(field, plan))


def test_what_is_done_is_not_done_again(field: Field, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plans = plans_of(Plan(strategy="random", user=User(flip=0.1)), ["entropy", "random"], 3)
    first = simulate_plans(field, plans, Journal(str(tmp_path), field, plans))
    for name in ("Simulation", "simulate"):
        monkeypatch.delattr(module, name)
    again = simulate_plans(field, plans, Journal(str(tmp_path), field, plans))
    assert curves_as_csv(again) == curves_as_csv(first) == curves_as_csv(simulate_plans(field, plans))
    assert [curve.plan for trial in again for curve in trial.curves] == list(plans)


def test_other_data_another_plan_and_other_versions_are_refused(field: Field, tmp_path: Path) -> None:
    plan = Plan(strategy="entropy", budget=5)
    Journal(str(tmp_path), field, [plan])
    Journal(str(tmp_path), field, [plan])
    for other, said in {
        replace(plan, budget=6): "another plan: budget was 5, now 6",
        replace(plan, budget=None): "budget was 5, now null",
        replace(plan, strategy="high"): "runs was entropy-13, now high-13",
        replace(plan, user=User(flip=0.5)): r"user was \{.flip.: 0.0.*, now ",
    }.items():
        with pytest.raises(UsageError, match=said) as problem:
            Journal(str(tmp_path), field, [other])
        assert problem.value.where == str(tmp_path)
        assert "delete this one" in (problem.value.hint or "")
    with pytest.raises(UsageError, match="other data"):
        Journal(str(tmp_path), replace(field, entities=8), [plan])
    said = json.loads((tmp_path / "journal.json").read_text())
    (tmp_path / "journal.json").write_text(json.dumps({**said, "version": "0.0"}))
    with pytest.raises(UsageError, match=r"started with version 0\.0"):
        Journal(str(tmp_path), field, [plan])


def test_folders_and_files_of_others_are_left_alone(field: Field, tmp_path: Path) -> None:
    plan = Plan(strategy="entropy")
    (tmp_path / "photo.png").write_bytes(b"x")
    with pytest.raises(UsageError, match="is not empty and contains no simulation"):
        Journal(str(tmp_path), field, [plan])
    with pytest.raises(UsageError, match="the folder cannot be used"):
        Journal(str(tmp_path / "photo.png"), field, [plan])
    folder = tmp_path / "deep" / "er"
    Journal(str(folder), field, [plan])
    lone = io.BytesIO()
    np.save(lone, np.zeros(3))
    for broken in (b"", b"no archive", b"PK\x03\x04 cut", lone.getvalue()):
        (folder / "entropy-13.npz").write_bytes(broken)
        with pytest.raises(UsageError, match=r"damaged simulation file"):
            Journal(str(folder), field, [plan]).curve(plan)
    for arrays in ({"other": np.zeros(3)}, {"question": np.array([{}], object)}):
        np.savez(folder / "entropy-13.npz", **arrays)
        np.savez(folder / "entropy-13.part.npz", **arrays)
        with pytest.raises(UsageError, match="damaged simulation file"):
            Journal(str(folder), field, [plan]).curve(plan)
        (folder / "entropy-13.npz").unlink()
        with pytest.raises(UsageError, match="damaged simulation file"):
            Journal(str(folder), field, [plan]).curve(plan)
    for text in ("[]", "{", '{"plan": 3}'):
        (folder / "journal.json").write_text(text)
        with pytest.raises(UsageError, match="damaged simulation file"):
            Journal(str(folder), field, [plan])


def one_world(probability: float) -> Worlds:
    """Let both tuples of the first block be true together."""
    return Worlds(np.array([0]), np.array([probability]), np.array([0, 2]), np.array([0, 1]))


def test_the_fingerprint_sees_all_that_a_simulation_sees(field: Field) -> None:
    candidates, beliefs = field.candidates, field.candidates.beliefs
    turned = beliefs.weight[::-1].copy()
    others = [
        replace(field, entities=1),
        replace(field, scope=~field.scope),
        replace(field, entity_spans=~field.entity_spans),
        *(
            replace(field, candidates=replace(candidates, **changed))
            for changed in (
                {"correct": ~candidates.correct},
                {"label": candidates.label[::-1].copy()},
                {"names": ("A", "B")},
                {"text": TextColumn.constant("Ann", len(field))},
                {"beliefs": replace(beliefs, weight=turned)},
                {"beliefs": replace(beliefs, nothing=beliefs.nothing[::-1].copy())},
                {"beliefs": replace(beliefs, worlds=one_world(0.4))},
                {"beliefs": replace(beliefs, worlds=one_world(0.5))},
            )
        ),
    ]
    assert len({fingerprint(each) for each in (field, *others)}) == len(others) + 1
    narrow = replace(candidates, label=candidates.label.astype(np.uint8))
    assert fingerprint(replace(field, candidates=narrow)) == fingerprint(field) == fingerprint(small_field())
