"""Real submissions of shared tasks: the scores their organisers published, through the ordinary command."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from nervaluate import Evaluator
from seqeval.metrics.sequence_labeling import get_entities

from comparanda import InputError, compare
from tests.command import run
from tests.seeds import first_few
from tests.shared_data import ROOT, shared
from tests.tasks.random_spans import counts

# WNUT-17: strict F1, in percent

WNUT = "data/ner/wnut17"
WNUT_F1 = {
    "arcada": 39.98,
    "drexel_cci": 26.30,
    "flytxt": 38.35,
    "mic-cis": 37.06,
    "sjtu_adapt": 40.42,
    "spinningbytes": 40.78,
    "uh_ritual": 41.86,
}
OTHER_SPELLINGS = ("mic-cis",)


def wnut_file(system: str) -> str:
    """Return the notation of a submission: one spells words in its own way, so that its rows alone are matched."""
    (path,) = (path for path in shared(f"{WNUT}/systems").iterdir() if path.stem == system)
    return f"{path}::columns{'?word=none' if system in OTHER_SPELLINGS else ''}"


def wnut_key() -> str:
    return f"{shared(f'{WNUT}/gold/emerging.test.annotated')}::columns"


def test_no_submission_of_wnut_is_left_out() -> None:
    assert {path.stem for path in shared(f"{WNUT}/systems").iterdir()} == set(WNUT_F1)


@pytest.mark.parametrize("system", WNUT_F1)
def test_the_command_prints_the_published_f1_of_wnut(system: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--task", "span", "--json", "--resamples", "0", "--measure", "f1")
    outcome = run(capsys, "score", wnut_key(), f"x={wnut_file(system)}", *arguments)
    assert outcome.code == 0, outcome.err
    (score,) = outcome.json["scores"]["scores"]
    assert f"{100 * score['value']:.2f}" == f"{WNUT_F1[system]:.2f}"


def test_all_submissions_of_wnut_together_have_the_scores_that_each_has_alone() -> None:
    systems = {system: wnut_file(system) for system in WNUT_F1}
    found = compare(wnut_key(), systems, task="span", resamples=0).scores("f1")
    assert {system: f"{100 * (found.value(system) or 0):.2f}" for system in WNUT_F1} == {
        system: f"{f1:.2f}" for system, f1 in WNUT_F1.items()
    }


# HIPE-2020, English: TP, FP and FN, strict and fuzzy, literal and metonymic

HIPE = "data/ner_el/hipe2020"
KINDS = ("strict", "fuzzy")
COLUMNS = ("NE-COARSE-LIT", "NE-COARSE-METO")
OTHER_WORDS = ("team10_bundle1_en_1", "team10_bundle1_en_2")
"""Two of their words are spelled otherwise (`O` for `_`), so that rows alone are matched."""


SHORT_ROWS = ("team23_bundle4_en_1", "team23_bundle4_en_3")
"""Their rows have the first two columns alone, though their headers name them all."""

Counts = tuple[int, int, int]


@cache
def published() -> dict[tuple[str, str, str], Counts]:
    """Return the rankings by submission, column and kind, of submissions whose files are here."""
    found = {}
    there = {path.name.partition(".")[0] for path in shared(f"{HIPE}/systems").iterdir()}
    for kind in KINDS:
        with shared(f"{HIPE}/published/ranking-en-coarse-micro-{kind}-all.tsv").open(encoding="utf-8") as lines:
            for row in csv.DictReader(lines, delimiter="\t"):
                if row["System"] in there:
                    column = row["Evaluation"].removesuffix(f"-micro-{kind}")
                    found[row["System"], column, kind] = int(row["TP"]), int(row["FP"]), int(row["FN"])
    return found


def submissions(column: str) -> list[str]:
    if not (ROOT / HIPE).exists():
        return ["none"]
    return sorted({system for system, of, _ in published() if of == column})


def hipe_key() -> str:
    return str(shared(f"{HIPE}/gold/HIPE-data-v1.3-test-en.tsv"))


def hipe_file(system: str) -> str:
    path = shared(f"{HIPE}/systems/{system}.tsv.gz")
    return f"{path}?word=none" if system in OTHER_WORDS else str(path)


def command_counts(system: str, column: str, kind: str, capsys: pytest.CaptureFixture[str]) -> Counts:
    """Return TP, FP and FN as the command prints them."""
    arguments = ("--task", "span", "--column", column, "--fold-case", "--rules", "hipe", "--view", kind)
    outcome = run(capsys, "score", hipe_key(), f"x={hipe_file(system)}", *arguments, "--json", "--resamples", "0")
    assert outcome.code == 0, outcome.err
    scores = {score["measure"].removeprefix(f"{kind}."): score for score in outcome.json["scores"]["scores"]}
    precision, recall = scores["precision"], scores["recall"]
    assert precision["part"] == recall["part"]
    return precision["part"], precision["whole"] - precision["part"], recall["whole"] - recall["part"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("system", first_few(2, submissions("NE-COARSE-LIT")))
def test_the_command_counts_what_hipe_published(system: str, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    expected = shared(HIPE) and published()[system, "NE-COARSE-LIT", kind]
    assert command_counts(system, "NE-COARSE-LIT", kind, capsys) == expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "system",
    first_few(1, [each for each in submissions("NE-COARSE-METO") if each not in SHORT_ROWS]),
)
def test_so_it_does_for_metonyms(system: str, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    expected = shared(HIPE) and published()[system, "NE-COARSE-METO", kind]
    assert command_counts(system, "NE-COARSE-METO", kind, capsys) == expected


def test_ten_submissions_of_the_ranking_are_here() -> None:
    shared(HIPE)
    assert len(submissions("NE-COARSE-LIT")) == 10


def test_two_files_of_the_baseline_have_the_same_tags(capsys: pytest.CaptureFixture[str]) -> None:
    """The ranking has it once, the data under two names."""
    assert command_counts("aidalight-baseline_bundle2_en_1", "NE-COARSE-LIT", "fuzzy", capsys) == (204, 73, 245)


def test_the_fuzzy_counts_of_hipe_are_not_those_of_other_rules() -> None:
    """Labels come second in HIPE's scorer: rules that look at them first find more."""
    key, system = hipe_key(), hipe_file("team1_bundle3_en_1")
    options: dict[str, Any] = {"task": "span", "column": "NE-COARSE-LIT", "fold_case": True, "resamples": 0}
    found = {
        (rules, view): compare(key, {"x": system}, rules=rules, **options).scores("recall", view=view).scores[0].part
        for rules, view in (("hipe", "fuzzy"), ("semeval2013", "type"), ("i2b2", "relaxed"), ("gate", "lenient"))
    }
    assert list(found.values()) == [297, 311, 311, 311]
    assert published()["team1_bundle3_en_1", "NE-COARSE-LIT", "fuzzy"][0] == 297


def test_a_column_that_the_rows_do_not_have_is_not_taken_for_another(tmp_path: Path) -> None:
    """Two submissions name all columns in their headers, but their rows have the first two alone."""
    header = "TOKEN\tNE-COARSE-LIT\tNE-COARSE-METO\n"
    key, system = tmp_path / "key.tsv", tmp_path / "system.tsv"
    key.write_text(f"{header}Paris\tB-loc\tB-org\n")
    system.write_text(f"{header}Paris\tB-loc\n")
    with pytest.raises(InputError):
        compare(str(key), {"x": str(system)}, task="span", column="NE-COARSE-METO", resamples=0)


# Universal NER: no scores were published, but seqeval and nervaluate can be asked

UNER = "data/ner/uner_en_ewt"


def uner_systems() -> list[str]:
    folder = ROOT / UNER / "systems"
    return sorted(path.stem for path in folder.iterdir()) if folder.exists() else ["none"]


def third_column(path: Path) -> list[list[str]]:
    """Read tags in the plainest way."""
    blocks = path.read_text(encoding="utf-8").split("\n\n")
    rows = [[line.split("\t") for line in block.split("\n") if line and not line.startswith("#")] for block in blocks]
    return [[row[2] for row in block] for block in rows if block]


@pytest.mark.parametrize("system", first_few(1, uner_systems()))
def test_real_recognisers_have_the_counts_of_seqeval_and_nervaluate(system: str) -> None:
    gold, said = shared(f"{UNER}/gold/en_ewt-ud-test.iob2"), shared(f"{UNER}/systems/{system}.iob2")
    columns = "?word=2&column=3"
    result = compare(
        f"{gold}{columns}", {"x": f"{said}{columns}"}, task="span", rules="semeval2013", scheme="bio", resamples=0
    )
    key, tags = third_column(gold), third_column(said)
    wanted, found = set(get_entities(key)), set(get_entities(tags))
    for label in (None, "PER", "LOC", "ORG"):
        mine = [{each for each in side if label in (None, each[0])} for side in (wanted, found)]
        expected = len(mine[0] & mine[1]), len(mine[1] - mine[0]), len(mine[0] - mine[1])
        assert counts(result, "x", view="strict", label=label) == expected
    theirs = Evaluator(key, tags, ["PER", "LOC", "ORG"], loader="list").evaluate()["overall"]
    for view in ("strict", "exact", "partial"):
        right, wrong, missed = counts(result, "x", view=view)
        assert (right, right + wrong, right + missed) == (
            theirs[view].correct + theirs[view].partial / 2,
            theirs[view].actual,
            theirs[view].possible,
        )
