"""HIPE-2022: all published rows of the English test set, and plain loops that count as its scorer does."""

from __future__ import annotations

import csv
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from comparanda import Result, compare
from comparanda.findings.scores import Score
from comparanda.storage.reader import open_result
from tests.command import run
from tests.seeds import seeds
from tests.shared_data import shared

FOLDER = "data/edges/hipe2022"
KINDS = ("strict", "fuzzy")
LINK_RANKINGS = (
    "nel-micro-fuzzy-all",
    "nel-micro-fuzzy-relaxed",
    "nel-micro-fuzzy-relaxed-all",
    "nel-only-micro-fuzzy-all",
    "nel-only-micro-fuzzy-relaxed",
    "nel-only-micro-fuzzy-relaxed-all",
)
UNRANKED = {"team2_bundle2_hipe2020_en_1", "team2_bundle2_hipe2020_en_2", "team2_bundle3_hipe2020_en_1"}
"""The rankings have no rows of these."""

Figures = tuple[int, int, int, float, float, float]
"""TP, FP, FN; precision, recall and F1, rounded as published."""


def rows_of(ranking: str) -> list[dict[str, str]]:
    with shared(f"{FOLDER}/published/ranking-hipe2020-en-{ranking}.tsv").open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


def published_figures(row: dict[str, str]) -> Figures:
    return int(row["TP"]), int(row["FP"]), int(row["FN"]), float(row["P"]), float(row["R"]), float(row["F1"])


def figures(scores: dict[str, Score], label: str | None = None) -> Figures:
    """Return what was found for all labels, or for one."""
    end = "" if label is None else f"[{label}]"
    precision, recall, f1 = (scores[f"{name}{end}"] for name in ("precision", "recall", "f1"))
    counts = [each for score in (precision, recall) for each in (score.part, score.whole)]
    assert None not in counts
    right, claimed, again, wanted = (int(each or 0) for each in counts)
    assert right == again
    ratios = [round(score.value or 0, 3) for score in (precision, recall, f1)]
    return right, claimed - right, wanted - right, ratios[0], ratios[1], ratios[2]


def scores_of(result: Result, system: str, view: str, *labels: str) -> dict[str, Score]:
    names = [
        f"{name}{end}" for name in ("precision", "recall", "f1") for end in ("", *(f"[{each}]" for each in labels))
    ]
    found = [score for score in result.scores(*names, view=view).scores if score.system == system]
    return {score.measure.removeprefix(f"{view}."): score for score in found}


def path_of(system: str) -> Path:
    return shared(f"{FOLDER}/systems/{system}.tsv.gz")


def key() -> str:
    return str(shared(f"{FOLDER}/gold/HIPE-2022-v2.1-hipe2020-test-en.tsv"))


@cache
def compared(task: str, rules: str, rankings: tuple[str, ...], options: str = "") -> Result:
    """Compare all systems of some rankings."""
    names = sorted({row["System"] for ranking in rankings for row in rows_of(ranking)})
    systems = {name: f"{path_of(name)}::hipe{options}" for name in names}
    return compare(key(), systems, task=task, rules=rules, fold_case=True, resamples=0)


TAG_RANKINGS = tuple(f"coarse-micro-{kind}-all" for kind in KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_all_published_rows_of_tags_with_those_of_single_labels(kind: str) -> None:
    rows = rows_of(f"coarse-micro-{kind}-all")
    result = compared("span", "hipe", TAG_RANKINGS)
    for row in rows:
        label = None if row["Label"] == "ALL" else row["Label"].lower()
        scores = scores_of(result, row["System"], f"{kind}_by_key", *([] if label is None else [label]))
        assert figures(scores, label) == published_figures(row), row
    assert len(rows) == 29
    assert Counter(row["Label"] for row in rows) == {"ALL": 5, "LOC": 5, "ORG": 5, "PERS": 5, "PROD": 5, "TIME": 4}


@pytest.mark.parametrize("kind", KINDS)
def test_without_attribution_to_the_key_totals_are_the_same_and_labels_are_not(kind: str) -> None:
    rows = rows_of(f"coarse-micro-{kind}-all")
    result = compared("span", "hipe", TAG_RANKINGS)
    alike = 0
    for row in rows:
        label = None if row["Label"] == "ALL" else row["Label"].lower()
        found = figures(scores_of(result, row["System"], kind, *([] if label is None else [label])), label)
        assert (found[0], found[2]) == published_figures(row)[0::2][:2]
        alike += found == published_figures(row)
        assert label is not None or found == published_figures(row)
    assert (alike, len(rows)) == (7, 29)


@pytest.mark.parametrize("options", ["", "?mentions=both", "?word=none", "?comments=all", "?times=nil"])
@pytest.mark.parametrize("ranking", LINK_RANKINGS)
def test_all_published_rows_of_links(ranking: str, options: str) -> None:
    """Neither the ids of historical states nor those of times, which `relaxed` replaces, change a count here."""
    result = compared("link", "hipe-nel", LINK_RANKINGS, options)
    rows = rows_of(ranking)
    for row in rows:
        assert figures(scores_of(result, row["System"], "fuzzy")) == published_figures(row), row
    assert len(rows) == (3 if "only" in ranking else 2)


def test_no_system_and_no_row_is_left_out() -> None:
    there = {path.name.partition(".")[0] for path in shared(f"{FOLDER}/systems").iterdir()}
    ranked = {row["System"] for ranking in (*TAG_RANKINGS, *LINK_RANKINGS) for row in rows_of(ranking)}
    assert there - ranked == UNRANKED
    files = {path.name for path in shared(f"{FOLDER}/published").iterdir()}
    assert files == {f"ranking-hipe2020-en-{ranking}.tsv" for ranking in (*TAG_RANKINGS, *LINK_RANKINGS)}


# By hand: the label for which an error counts


def columns(*tags: str) -> str:
    return "TOKEN\tNE-COARSE-LIT\n" + "".join(f"w{number}\t{tag}\n" for number, tag in enumerate(tags))


def test_an_error_of_a_pair_counts_for_the_label_of_the_key(tmp_path: Path) -> None:
    """One loc that a system calls org: a false positive of org by the one view, and of loc by the other."""
    (tmp_path / "key.tsv").write_text(columns("B-loc", "O", "B-org", "O"))
    (tmp_path / "a.tsv").write_text(columns("B-org", "O", "B-org", "B-org"))
    result = compare(str(tmp_path / "key.tsv"), {"a": str(tmp_path / "a.tsv")}, task="span", rules="hipe", resamples=0)
    found = {
        (view, label): figures(scores_of(result, "a", view, "loc", "org"), label)[:3]
        for view in ("strict", "strict_by_key")
        for label in (None, "loc", "org")
    }
    assert found == {
        ("strict", None): (1, 2, 1),
        ("strict", "loc"): (0, 0, 1),
        ("strict", "org"): (1, 2, 0),
        ("strict_by_key", None): (1, 2, 1),
        ("strict_by_key", "loc"): (0, 1, 1),
        ("strict_by_key", "org"): (1, 1, 0),
    }


def test_one_claim_of_two_systems_can_count_for_two_labels(tmp_path: Path) -> None:
    """Both have an org over the first two words. In one it is paired with the loc, as the pers is taken by another."""
    (tmp_path / "key.tsv").write_text(columns("B-loc", "B-pers", "I-pers"))
    (tmp_path / "a.tsv").write_text(columns("B-org", "I-org", "O"))
    (tmp_path / "b.tsv").write_text(columns("O", "B-org", "I-org"))
    (tmp_path / "c.tsv").write_text(columns("B-org", "I-org", "B-pers"))
    systems = {name: str(tmp_path / f"{name}.tsv") for name in "abc"}
    result = compare(str(tmp_path / "key.tsv"), systems, task="span", rules="hipe", resamples=0)
    result.save(tmp_path / "saved")
    found, again = (
        {
            (system, label): figures(scores_of(each, system, "strict_by_key", "loc", "pers"), label)[:3]
            for system in systems
            for label in ("loc", "pers")
        }
        for each in (result, open_result(tmp_path / "saved"))
    )
    assert found == again
    assert found == {
        ("a", "loc"): (0, 1, 1),
        ("a", "pers"): (0, 0, 1),
        ("b", "loc"): (0, 0, 1),
        ("b", "pers"): (0, 1, 1),
        ("c", "loc"): (0, 1, 1),
        ("c", "pers"): (0, 1, 1),
    }


def test_a_label_in_another_case_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "key.tsv").write_text(columns("B-loc", "O"))
    (tmp_path / "a.tsv").write_text(columns("B-loc", "O"))
    arguments = ("--task", "span", "--rules", "hipe", "--measure", "strict.f1[LOC]", "--resamples", "0")
    outcome = run(capsys, "score", tmp_path / "key.tsv", tmp_path / "a.tsv", *arguments)
    assert (outcome.code, outcome.err) == (
        2,
        "comparanda: the label 'LOC' does not occur (did you mean 'loc'?)\n"
        "  upper and lower case differ; with --fold-case all labels are in lower case\n",
    )


# The scorer in plain loops, from its description


class Mention(NamedTuple):
    """A mention: its first word, the word after its last, and its value, a label or ids."""

    begin: int
    end: int
    value: str


Word = tuple[str, str]
"""The tag and the link of a word."""


def tagged(words: list[Word]) -> list[Mention]:
    found: list[Mention] = []
    for place, (tag, _) in enumerate(words):
        if tag == "O":
            continue
        last = found[-1] if found else None
        if last is not None and last.end == place and last.value == tag[2:] and tag[0] == "I":
            found[-1] = last._replace(end=place + 1)
        else:
            found.append(Mention(place, place + 1, tag[2:]))
    return found


def linked(words: list[Word], *, of_key: bool) -> list[Mention]:
    """Return the links: mentions of tags; those of systems split where links change, and linked words outside."""
    found = []
    for begin, end, _ in tagged(words):
        cuts = [begin]
        if not of_key:
            cuts += [place for place in range(begin + 1, end) if words[place][1] != words[place - 1][1]]
        found += [Mention(first, last, words[first][1]) for first, last in zip(cuts, [*cuts[1:], end], strict=True)]
    if not of_key:
        found += [Mention(place, place + 1, link) for place, (tag, link) in enumerate(words) if tag == "O"]
    return sorted(each for each in found if each.value != "_")


def count(system: list[Mention], key: list[Mention], *, fuzzy: bool, first: bool = False) -> Counter[tuple[str, str]]:
    """Count TP, FP and FN by label: each mention of the system looks for the same one, the same place, an overlap."""
    found: Counter[tuple[str, str]] = Counter()
    used: set[Mention] = set()
    for mention in system:
        mine = mention._replace(value=mention.value.split("|")[0]) if first else mention
        if mine in key:
            used.add(mine)
            found["TP", mine.value] += 1
            continue
        near = [each for each in key if each[:2] == mine[:2]]
        near += [each for each in key if each.begin < mine.end and mine.begin < each.end and each not in used]
        if not near:
            found["FP", mine.value] += 1
            continue
        used.add(near[0])
        if fuzzy and near[0].value == mine.value:
            found["TP", mine.value] += 1
        else:
            found["FP", near[0].value] += 1
            found["FN", near[0].value] += 1
    for each in key:
        if each not in used:
            found["FN", each.value] += 1
    return found


def random_words(random: Random, *, outside: bool) -> list[Word]:
    words: list[Word] = []
    for _ in range(12):
        tag = random.choice(["O", "B-loc", "I-loc", "B-pers", "I-pers"])
        links = ["_", "Q1", "Q2", "NIL", *(["Q1|Q2"] if outside else [])]
        link = words[-1][1] if words and tag[0] == "I" and random.random() < 0.6 else random.choice(links)
        words.append((tag, "_" if tag == "O" and not (outside and random.random() < 0.3) else link))
    return words


def written(documents: list[list[Word]]) -> str:
    rows = (
        f"# document_id = d{number}\n"
        + "".join(f"w{place}\t{tag}\t{link}\n" for place, (tag, link) in enumerate(words))
        for number, words in enumerate(documents)
    )
    return "TOKEN\tNE-COARSE-LIT\tNEL-LIT\n" + "".join(rows)


@pytest.mark.parametrize("seed", seeds(6, of=60))
def test_counts_are_those_of_plain_loops(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    of_key = [random_words(random, outside=False) for _ in range(8)]
    of_system = [
        [
            each if random.random() < 0.5 else other
            for each, other in zip(words, random_words(random, outside=True), strict=True)
        ]
        for words in of_key
    ]
    (tmp_path / "key.tsv").write_text(written(of_key))
    (tmp_path / "a.tsv").write_text(written(of_system))
    paths = f"{tmp_path / 'key.tsv'}::hipe?scheme=bio", {"a": f"{tmp_path / 'a.tsv'}::hipe?scheme=bio&mentions=both"}
    links = compare(*paths, task="link", rules="hipe-nel", resamples=0)
    expected: Counter[tuple[str, str]] = Counter()
    for mine, theirs in zip(of_key, of_system, strict=True):
        expected += count(linked(theirs, of_key=False), linked(mine, of_key=True), fuzzy=True, first=True)
    totals = tuple(sum(number for (what, _), number in expected.items() if what == each) for each in ("TP", "FP", "FN"))
    assert figures(scores_of(links, "a", "fuzzy"))[:3] == totals
    paths = f"{tmp_path / 'key.tsv'}::hipe?scheme=bio", {"a": f"{tmp_path / 'a.tsv'}::hipe?scheme=bio"}
    spans = compare(*paths, task="span", rules="hipe", resamples=0)
    for kind in KINDS:
        expected = Counter()
        for mine, theirs in zip(of_key, of_system, strict=True):
            expected += count(tagged(theirs), tagged(mine), fuzzy=kind == "fuzzy")
        scores = scores_of(spans, "a", f"{kind}_by_key", "loc", "pers")
        for label in ("loc", "pers"):
            assert figures(scores, label)[:3] == tuple(expected[what, label] for what in ("TP", "FP", "FN"))
