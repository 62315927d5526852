"""`benchmarks.peers` finds numbers that do not agree, and packages that are not what they should be."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from email import message_from_string
from pathlib import Path

import numpy as np
import pytest
from benchmarks import peer_environment as environment
from benchmarks import peers
from benchmarks.peer_cases import sides as timed
from benchmarks.peer_cases.resampling import RARE, RESAMPLES, _chance_of_rank, _other_than_one_p
from benchmarks.peer_cases.sides import Numbers, Outcome, Sides, differing, measured

CONLLU = next(peer for peer in environment.PEERS if peer.name == "conllu")
FIELDS = {
    "Name": CONLLU.name,
    "Version": CONLLU.version,
    "Summary": CONLLU.summary,
    "Project-URL": f"Homepage, {CONLLU.home}/",
    "Author-email": f"{CONLLU.author} <somebody@example.org>",
}


def described(**other: str) -> str:
    """Write metadata as a wheel has them."""
    fields = {**FIELDS, **{name.replace("_", "-"): value for name, value in other.items()}}
    return "".join(f"{name}: {value}\n" for name, value in fields.items())


def unlike(metadata: str) -> list[str]:
    return environment.unlike(CONLLU, environment.fields_of(message_from_string(metadata)))


# Numbers


def test_numbers_agree_up_to_the_last_digits_and_must_be_on_both_sides() -> None:
    assert differing({"a": 0.1 + 0.2, "b": 3.0}, {"a": 0.3, "b": 3.0}) == []
    assert differing({"a": 0.3, "b": 3.0}, {"a": 0.3 + 1e-9, "c": 3.0}) == ["a", "b", "c"]


def test_a_difference_is_explained_if_the_known_deviation_alone_makes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timed, "cpu_seconds", lambda cases: dict.fromkeys(cases, 1.0))

    def found(restated: Numbers | None) -> Outcome:
        sides = Sides(ours=lambda: {"a": 1.0, "b": 2.0}, theirs=lambda: {"a": 1.5, "b": 2.0})
        return measured(sides if restated is None else replace(sides, restated=lambda: restated, reason="order"))

    plain = found(None)
    assert (plain.explained, plain.unexplained) == ([], ["a: 1 here, 1.5 there"])
    agreed = found({"a": 1.0, "b": 2.0})
    assert (agreed.explained, agreed.unexplained, agreed.reason) == (["a: 1 here, 1.5 there"], [], "order")
    assert found({"a": 1.0, "b": 2.5}).unexplained == ["b: 2 here, 2 there"]


def test_p_may_differ_as_far_as_chance_goes() -> None:
    """Near 0.2 the standard error of the difference of two p is 0.0057."""

    def p(value: float, accuracy: float = 0.9) -> Numbers:
        return {"first": accuracy, "p": value}

    assert _other_than_one_p(p(0.2), p(0.2 + 2 * 0.0057)) == []
    assert _other_than_one_p(p(0.2), p(0.2 + 6 * 0.0057)) == ["p"]
    assert _other_than_one_p(p(0.2), p(0.2, 0.91)) == ["first"]


@pytest.mark.parametrize("level", [0.025, 0.975])
def test_ends_of_intervals_may_differ_as_far_as_chance_goes(level: float) -> None:
    """Of normal draws the standard error of the difference of two such quantiles is 0.038."""
    draw = np.random.default_rng(2)
    theirs = np.round(draw.normal(0, 1, RESAMPLES), 2)
    end = float(np.quantile(np.round(draw.normal(0, 1, RESAMPLES), 2), level))
    assert _chance_of_rank(theirs, end, level) > 0.001
    assert _chance_of_rank(theirs, end + 10 * 0.038, level) < RARE
    assert _chance_of_rank(theirs, end - 10 * 0.038, level) < RARE


# Packages


def test_a_package_that_says_what_is_expected_is_the_peer() -> None:
    assert unlike(described()) == []


@pytest.mark.parametrize(
    "other",
    [
        {"Name": "conllu2"},
        {"Version": "999.9.9"},
        {"Summary": "A package"},
        {"Project_URL": f"Homepage, {CONLLU.home}-fork"},
        {"Author_email": "Somebody <somebody@example.org>"},
    ],
    ids=lambda other: next(iter(other)),
)
def test_a_reused_name_is_noticed(other: dict[str, str]) -> None:
    assert len(unlike(described(**other))) == 1


@pytest.mark.parametrize(("summary", "commands"), [(CONLLU.summary, ["wheel", "install"]), ("A package", ["wheel"])])
def test_only_what_was_looked_at_is_installed(
    summary: str, commands: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run: list[str] = []

    def pip(*arguments: str) -> None:
        run.append(arguments[0])
        if arguments[0] == "wheel":
            folder = Path(arguments[arguments.index("--wheel-dir") + 1])
            with zipfile.ZipFile(folder / "conllu-6.0.0-py3-none-any.whl", "w") as archive:
                archive.writestr("conllu-6.0.0.dist-info/METADATA", described(Summary=summary))

    monkeypatch.setattr(environment, "_pip", pip)
    if len(commands) == 1:
        with pytest.raises(environment.Mistaken, match="A package"):
            environment._install(CONLLU)
    else:
        environment._install(CONLLU)
    assert run == commands


# The run

GOOD = Outcome(ours=0.1, theirs=2.0, compared=3, explained=[], unexplained=[], reason="")


@pytest.mark.parametrize(
    ("outcome", "lacking", "code", "said"),
    [
        (GOOD, {}, 0, "| 0.100 | 2.00 | 20.0 | 3 | yes |"),
        (replace(GOOD, explained=["x"], reason="why"), {}, 0, "why: x"),
        (replace(GOOD, unexplained=["x"]), {}, 1, "DIFFERENT: x"),
        ("KeyError: 'x'", {}, 1, "FAILED: KeyError"),
        (GOOD, {"conllu": environment.NotUsable("no network")}, 0, "conllu: skipped: no network"),
        (GOOD, {"conllu": environment.Mistaken("another")}, 1, "conllu: skipped: another"),
        (GOOD, {peer.name: environment.NotUsable("no network") for peer in environment.PEERS}, 1, "no network"),
    ],
    ids=["well", "explained", "different", "failed", "one lacking", "mistaken", "all lacking"],
)
def test_the_run_ends_with_1_unless_all_that_can_be_compared_agrees(
    outcome: Outcome | str,
    lacking: dict[str, environment.NotUsable],
    code: int,
    said: str,
    *,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(environment, "prepare", lambda: lacking)
    monkeypatch.setattr(peers, "started", lambda *_: outcome)
    assert peers.main([]) == code
    assert said in capsys.readouterr().out
