"""Tables 5, 6 and 10 for six real parsers of the CoNLL 2018 shared task, each number counted again."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from tests.cli.golden import assert_golden
from tests.command import run
from tests.shared_data import shared

from .digits import percent, signed
from .plain_parses import PARTS, Recount

pytestmark = pytest.mark.slow

FOLDER = "data/ud/conll2018"
KEY = "gold/en_gum.conllu"
SYSTEMS = {
    name: f"systems/{name}/en_gum.conllu"
    for name in ("conll18-baseline", "TurkuNLP-18", "Uppsala-18", "UDPipe-Future", "Stanford-18", "HIT-SCIR-18")
}
MEASURES = tuple(f"{view}.{kind}" for view in PARTS for kind in ("accuracy", "sentences"))
SETTINGS = (KEY, *(f"{name}={path}" for name, path in SYSTEMS.items()), "--task", "dep", "--resamples", "0")
LIKE_THE_PAPER = ("--punctuation", "ud-punct")
PAIR = ("--base", "Stanford-18", "--new", "HIT-SCIR-18")
TOP = 10
Row = dict[str, str]


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work where the files are, so that paths are the same everywhere."""
    monkeypatch.chdir(shared(FOLDER))
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def recounts() -> dict[str, Recount]:
    """The plain counts, by the policy for punctuation."""
    folder = shared(FOLDER)
    systems = {name: folder / path for name, path in SYSTEMS.items()}
    policies = {"ud-punct": "punct", "keep": None}
    return {policy: Recount.of(folder / KEY, systems, label) for policy, label in policies.items()}


@pytest.fixture
def recount(recounts: dict[str, Recount]) -> Recount:
    return recounts["ud-punct"]


def printed(capsys: pytest.CaptureFixture[str], golden: str, *arguments: object) -> str:
    """Return what a command prints, which must be what is on record."""
    outcome = run(capsys, *arguments)
    assert outcome.code == 0, outcome.err
    assert_golden(golden, outcome.out)
    return outcome.out


def table(text: str, title: str) -> list[Row]:
    """Return the rows of the table with this title, by the names of its columns."""
    section = next(part for part in text.split("\n\n") if part.lstrip().startswith(title))
    _, header, rule, *lines = section.strip().splitlines()
    assert set(rule) == {"─"}
    columns = re.split(r" {2,}", header.strip())
    rows = [re.split(r" {2,}", line.strip()) for line in lines]
    return [dict(zip(columns, row, strict=True)) for row in rows if len(row) == len(columns)]


def without_mark(cell: str) -> str:
    return cell.rstrip("↓↑")


# --- as printed ---------------------------------------------------------------------------------------------


def test_table_5_scores_of_real_parsers(recount: Recount, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = [part for measure in MEASURES for part in ("--measure", measure)]
    rows = table(printed(capsys, "parsers-score.txt", "score", *SETTINGS, *LIKE_THE_PAPER, *wanted), "Scores")
    assert [row["system"] for row in rows] == list(SYSTEMS)
    for row in rows:
        for measure in MEASURES:
            assert row[measure] == percent(*recount.score(row["system"], measure))


def test_tables_5_6_and_10_of_real_parsers_on_one_page(recount: Recount, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "parsers-compare.txt", "compare", *SETTINGS, *LIKE_THE_PAPER, *PAIR, "--top", TOP)
    check_scores(table(text, "Scores"), recount)
    check_pairs(table(text, "Pairs"), recount)
    check_aspects(text, recount)
    check_labels(table(text, "Per key label"), recount)
    check_bounds(table(text, "Upper bound"), recount)
    check_what_each_adds(table(text, "Greedy oracle"), recount)
    check_hardness(table(text, "Hardness"), recount)
    check_majority(table(text, "Accuracy of the majority"), recount)


def check_scores(rows: list[Row], recount: Recount) -> None:
    assert [row["system"] for row in rows] == list(SYSTEMS)
    for row in rows:
        for measure in MEASURES:
            assert row[measure] == percent(*recount.score(row["system"], measure))
        right, size = recount.score(row["system"], "las.accuracy")
        assert (row["right"], row["of"]) == (f"{right:,}", f"{size:,}")


def check_pairs(rows: list[Row], recount: Recount) -> None:
    differing, size = recount.differing(), len(recount.key)
    assert {(row["base"], row["new"]) for row in rows} == set(differing)
    assert len(rows) == 15
    for row in rows:
        pair = row["base"], row["new"]
        first, second = (recount.right(name) for name in pair)
        both = sum(a and b for a, b in zip(first, second, strict=True))
        assert (row["differing"], row["sites"]) == (f"{differing[pair]:,}", f"{size:,}")
        assert row["diff"] == percent(differing[pair], size)
        assert row["Δ las.accuracy"] == signed(sum(second) - sum(first), size)
        assert row["shared correct"] == percent(2 * both, sum(first) + sum(second))
        assert row["identical answers"] == percent(size - differing[pair], size)


def check_bounds(rows: list[Row], recount: Recount) -> None:
    solved = recount.by_label(recount.solved())
    right = {name: recount.by_label(recount.right(name)) for name in SYSTEMS}
    sizes = Counter(arc.label for arc in recount.key)
    frequent = sorted(sizes, key=lambda label: (-sizes[label], label))[:TOP]
    assert [row["key label"] for row in rows] == ["(all)", *frequent]
    for row in rows:
        label = row["key label"]
        chosen = list(sizes) if label == "(all)" else [label]
        size, oracle = (sum(counts[each] for each in chosen) for counts in (sizes, solved))
        mine = {name: sum(counts[each] for each in chosen) for name, counts in right.items()}
        assert row["sites"] == f"{size:,}"
        assert {name: without_mark(row[name]) for name in SYSTEMS} == {
            name: percent(part, size) for name, part in mine.items()
        }
        assert row["oracle"] == percent(oracle, size)
        assert row[f"over {recount.best}"] == signed(oracle - mine[recount.best], size)
        assert row["over best here"] == signed(oracle - max(mine.values()), size)
        lowest = {name for name in SYSTEMS if mine[name] == min(mine.values())}
        assert {name for name in SYSTEMS if row[name].endswith("↓")} == lowest


def check_aspects(text: str, recount: Recount) -> None:
    for name, counts in recount.aspects(PAIR[1], PAIR[3]).items():
        kinds = ", ".join(f"{kind} {counts[kind]:,}" for kind in ("head alone", "label alone", "head and label"))
        assert f"\n{name.replace('_', ' ')}: {kinds}\n" in text


def check_labels(rows: list[Row], recount: Recount) -> None:
    old, new = (recount.by_label(recount.right(name)) for name in (PAIR[1], PAIR[3]))
    sizes = Counter(arc.label for arc in recount.key)
    gains = {label: Fraction(new[label] - old[label], sizes[label]) for label in sizes}
    assert [row["key label"] for row in rows] == sorted(sizes, key=lambda label: -abs(gains[label]))[:TOP]
    for row in rows:
        label = row["key label"]
        size = sizes[label]
        expected = signed(new[label] - old[label], size), percent(old[label], size), percent(new[label], size)
        assert (row["Δ"], row[PAIR[1]], row[PAIR[3]]) == expected
        assert row["sites"] == f"{size:,}"


def check_what_each_adds(rows: list[Row], recount: Recount) -> None:
    size, solved_by = len(recount.key), recount.hardness()
    left = {name: {i for i, right in enumerate(recount.right(name)) if right} for name in SYSTEMS}
    solved: set[int] = set()
    for row in rows:
        name = max(left, key=lambda each: len(left[each] - solved))
        mine = left.pop(name)
        added = len(mine - solved)
        assert (row["system"], row["sites added"]) == (name, f"{added:,}")
        assert row["Comp(so far, it)"] == (percent(added, size - len(solved)) if solved else "n/a")
        assert row["right alone"] == f"{sum(solved_by[i] == 1 for i in mine):,}"
        solved |= mine
        assert row["oracle so far"] == percent(len(solved), size)
    assert not left


def check_hardness(rows: list[Row], recount: Recount) -> None:
    counts, size = Counter(recount.hardness()), len(recount.key)
    found = [(row["solved by"], row["sites"], row["%"]) for row in rows]
    assert found == [(f"{n}", f"{counts[n]:,}", percent(counts[n], size)) for n in range(len(SYSTEMS) + 1)]


def check_majority(rows: list[Row], recount: Recount) -> None:
    """Above half there is one largest group; below, a tie may be broken either way."""
    majority = recount.majority()
    assert [row["agree"] for row in rows] == [f"{n}" for n in range(len(SYSTEMS), 0, -1)]
    for row in rows:
        votes = int(row["agree"])
        flags = [rest for size, *rest in majority if size == votes]
        least, most = (sum(each) for each in zip(*flags, strict=True))
        assert row["sites"] == f"{len(flags):,}"
        assert row["majority right"] in {percent(part, len(flags)) for part in range(least, most + 1)}
        assert least == most or votes <= len(SYSTEMS) / 2


# --- all of it, unrounded -----------------------------------------------------------------------------------


@pytest.fixture(params=["ud-punct", "keep"])
def whole(
    request: pytest.FixtureRequest, recounts: dict[str, Recount], capsys: pytest.CaptureFixture[str]
) -> tuple[Recount, Any]:
    outcome = run(capsys, "compare", *SETTINGS, *PAIR, "--punctuation", request.param, "--json")
    assert outcome.code == 0, outcome.err
    return recounts[request.param], outcome.json["anatomy"]


def test_every_score_has_the_counts_of_the_definition(whole: tuple[Recount, Any]) -> None:
    recount, anatomy = whole
    found = {
        (row["system"], row["measure"]): (row["part"], row["whole"])
        for row in anatomy["scores"]["scores"]
        if row["measure"] in MEASURES
    }
    assert found == {(name, measure): recount.score(name, measure) for name in SYSTEMS for measure in MEASURES}


def test_every_pair_differs_at_as_many_words_as_by_the_definition(whole: tuple[Recount, Any]) -> None:
    recount, anatomy = whole
    found = {(row["base"], row["new"]): row["different"] for row in anatomy["pairs"]["pairs"]}
    assert found == recount.differing()


def test_every_transition_has_the_count_of_the_definition(whole: tuple[Recount, Any]) -> None:
    recount, anatomy = whole
    difference = anatomy["difference"]
    changes = recount.changes(difference["base"], difference["new"])
    for each in difference["classes"]:
        found = {(row["key"], row["base"], row["new"]): row["count"] for row in each["transitions"]}
        assert found == changes[each["name"]]
        assert each["count"] == changes[each["name"]].total()


def test_every_relation_has_the_counts_of_the_definition(whole: tuple[Recount, Any]) -> None:
    recount, anatomy = whole
    solved = recount.by_label(recount.solved())
    right = [recount.by_label(recount.right(name)) for name in SYSTEMS]
    sizes = Counter(arc.label for arc in recount.key)
    rows = anatomy["combination"]["labels"]
    assert {row["label"]: row["sites"] for row in rows} == sizes
    for row in rows:
        assert row["right"] == [counts[row["label"]] for counts in right]
        assert row["oracle_right"] == solved[row["label"]]


def test_the_parsers_cut_the_text_differently(recount: Recount) -> None:
    """Else the alignment would not be needed, and these tests would show less."""
    missing = {name: said.count(None) for name, said in recount.systems.items()}
    assert all(missing.values())
