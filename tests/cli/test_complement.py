"""`comparanda complement`: tables, JSON, one pair, a baseline, hostile names, and what is refused."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from comparanda.cli.options import LAYOUTS
from tests.cli.files import DEMO, conllu, program, write
from tests.cli.test_hostile import NAMES, hostile
from tests.command import Outcome, run
from tests.seeds import mostly_slow

THREE = ("demo/key.conllu", "demo/brill.conllu", "demo/spacy.conllu", "demo/hanta.conllu", "--task", "pos")
QUICK = ("--resamples", "0", "-q")
TEXT = "ab cd ef gh ij kl"
SPANS = {
    "key": [("PER", 0, 2), ("LOC", 3, 5), ("ORG", 6, 8), ("PER", 9, 11)],
    "crf": [("PER", 0, 2), ("LOC", 3, 5), ("MISC", 12, 14), ("PER", 6, 8)],
    "bert": [("PER", 0, 2), ("ORG", 6, 8), ("MISC", 12, 14)],
}


def spans() -> tuple[str, ...]:
    """Write a key with four spans and two systems: one is found by both, two by one of them, one by neither."""
    for name, found in SPANS.items():
        made = [{"label": label, "begin": begin, "end": end} for label, begin, end in found]
        write(f"{name}.jsonl", json.dumps({"id": "d", "text": TEXT, "spans": made}) + "\n")
    return ("key.jsonl", "crf.jsonl", "bert.jsonl", "--task", "span")


def complement(capsys: pytest.CaptureFixture[str], *arguments: str) -> Outcome:
    return run(capsys, "complement", *arguments)


def finding(outcome: Outcome) -> Any:
    assert outcome.code == 0, outcome.err
    assert outcome.json["schema"].startswith("comparanda/complementarity/")
    return outcome.json["complementarity"]


def tables(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[list[list[str]]]:
    """Return the tables of a Markdown page, each with its head."""
    outcome = complement(capsys, *arguments, "--format", "md")
    assert outcome.code == 0, outcome.err
    found: list[list[list[str]]] = []
    for inside, lines in groupby(outcome.out.splitlines(), key=lambda line: line.startswith("|")):
        if inside:
            cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
            found.append([cells[0], *cells[2:]])
    return found


def column(table: list[list[str]], name: str) -> list[str]:
    return [row[table[0].index(name)] for row in table[1:]]


def test_the_rates_and_integers_of_spans_in_json(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = finding(complement(capsys, *spans(), *QUICK, "--json", "--beta", "2"))
    assert (found["over"], found["beta"], found["view"]) == ("items", 2.0, "exact")
    (pair,) = found["pairs"]
    assert [cell and cell["count"] for cell in pair["overlap"].values()] == [1, 1, 1, 1, 1, 1, 0, None, None, None]
    rates = {name: pair["forth"][name]["value"] for name in ("comp", "pcomp", "rcomp", "fcomp", "fbeta")}
    assert rates == {
        "comp": pytest.approx(1 / 2),
        "pcomp": pytest.approx(1 / 2),
        "rcomp": pytest.approx(1 / 2),
        "fcomp": pytest.approx(1 / 2),
        "fbeta": pytest.approx(1 / 2),
    }
    assert pair["back"]["pcomp"] == {"value": 0.0, "low": None, "high": None, "reason": None}
    assert (pair["union"]["found"], pair["union"]["claimed"]) == (3, 5)
    assert [row["label"] for row in pair["labels"]] == ["PER", "LOC", "ORG", "MISC"]
    assert pair["labels"][1]["forth"]["comp"]["value"] is None
    assert pair["labels"][1]["forth"]["comp"]["reason"] == "crf has no error"


def test_every_count_in_json_leads_to_its_examples(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = spans()
    (pair,) = finding(complement(capsys, *files, *QUICK, "--json"))["pairs"]
    for cell in pair["overlap"].values():
        if cell is not None:
            outcome = run(capsys, "examples", *files, "-q", "--where", cell["where"], "--json")
            assert outcome.code == 0, outcome.err
            assert outcome.json["examples"]["count"] == cell["count"]
            assert outcome.json["examples"]["of"] == "items"


def test_the_tables_have_the_columns_that_the_finding_has(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rates, counts, joint, labels = tables(capsys, *spans(), *QUICK)
    assert [name for name in rates[0] if name != "95 % interval"] == [
        "errors of",
        "not made by",
        "Comp",
        "PComp",
        "RComp",
        "FComp",
    ]
    assert (column(rates, "errors of"), column(rates, "not made by")) == (["crf", "bert"], ["bert", "crf"])
    assert (column(rates, "Comp"), column(rates, "PComp")) == (["50.00", "33.33"], ["50.00", "0.00"])
    assert counts[1] == ["crf", "bert", "1", "1", "1", "1", "1", "1", "0"]
    assert (column(joint, "taken"), column(joint, "against")) == (["union", "intersection"], ["bert", "bert"])
    assert (column(joint, "precision"), column(joint, "recall")) == (["60.00", "50.00"], ["75.00", "25.00"])
    assert column(labels, "label")[::2] == ["PER", "LOC", "ORG", "MISC"]


def test_csv_is_the_table_of_rates(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = complement(capsys, *spans(), *QUICK, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(outcome.out)))
    assert [(row["system"], row["other"], row["rcomp"]) for row in rows] == [
        ("crf", "bert", "0.5"),
        ("bert", "crf", "0.5"),
    ]
    assert {"comp", "pcomp", "rcomp", "fcomp"} <= set(rows[0])


def test_fbeta_has_a_column_where_beta_is_not_1(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rates, *_ = tables(capsys, *spans(), *QUICK, "--beta", "0.5")
    assert column(rates, "F0.5Comp") == ["50.00", "0.00"]


def test_tags_are_counted_by_sites_too_and_have_no_union(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = tables(capsys, *DEMO, "-q")
    assert column(found[1], "sites wrong in both") == ["53"]
    assert all("taken" not in table[0] for table in found)
    assert finding(complement(capsys, *DEMO, "-q", "--json"))["over"] == "sites"


def test_three_systems_have_a_matrix_and_no_labels(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rates, matrix, *rest = tables(capsys, *THREE, *QUICK)
    names = ["brill", "spacy", "hanta"]
    assert (matrix[0], column(matrix, "errors of")) == (["errors of", *names], names)
    cells = {(name, other): column(matrix, other)[place] for place, name in enumerate(names) for other in names}
    pairs = zip(column(rates, "errors of"), column(rates, "not made by"), column(rates, "Comp"), strict=True)
    assert {(name, other): value for name, other, value in pairs} == {
        pair: value for pair, value in cells.items() if len(set(pair)) == 2
    }
    assert all("label" not in table[0] for table in rest)


def test_base_and_new_choose_a_pair_of_many(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (*THREE, *QUICK, "--json")
    every = finding(complement(capsys, *arguments))["pairs"]
    assert [(pair["first"], pair["second"]) for pair in every] == [
        ("brill", "spacy"),
        ("brill", "hanta"),
        ("spacy", "hanta"),
    ]
    (chosen,) = finding(complement(capsys, *arguments, "--base", "hanta", "--new", "spacy"))["pairs"]
    assert (chosen["first"], chosen["second"]) == ("hanta", "spacy")
    assert (chosen["forth"], chosen["back"]) == (every[2]["back"], every[2]["forth"])
    (best,) = finding(complement(capsys, *arguments, "--new", "brill"))["pairs"]
    assert best["second"] == "brill"


def test_a_baseline_gives_one_row_a_system(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (table,) = tables(capsys, *THREE, *QUICK, "--baseline", "spacy")
    assert column(table, "system") == ["brill", "hanta"]
    wanted = {"Δ P", "Δ R", "Δ F1", "PComp", "RComp", "FComp", "diff", "corrections", "new errors"}
    assert wanted <= set(table[0])
    outcome = complement(capsys, *THREE, *QUICK, "--baseline", "spacy", "--json")
    assert outcome.code == 0
    found = outcome.json["against"]
    assert found["baseline"] == "spacy"
    for row in found["rows"]:
        arguments = ("--base", "spacy", "--new", row["system"], "--json", "-q")
        for where, count in (("correction", row["corrections"]), ("new_error", row["new_errors"])):
            shown = run(capsys, "examples", *THREE, "--where", where, *arguments)
            assert shown.json["examples"]["count"] == count


# What is refused


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--baseline", "nobody"), "unknown system 'nobody'"),
        (("--baseline", "spcy"), "did you mean 'spacy'?"),
        (("--base", "nobody"), "unknown system 'nobody'"),
        (("--base", "brill", "--new", "brill"), "compared with itself"),
        (("--beta", "0"), "--beta: expected a number above 0, got '0'"),
        (("--beta", "-1"), "--beta: expected a number above 0, got '-1'"),
        (("--beta", "nan"), "--beta: expected a number above 0, got 'nan'"),
        (("--beta", "inf"), "--beta: expected a number above 0, got 'inf'"),
        (("--beta", "two"), "--beta: expected a number above 0, got 'two'"),
        (("--view", "nowhere"), "unknown view 'nowhere'"),
        (("--where", 'claims("brill")'), "refers to items"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(
    arguments: tuple[str, ...], said: str, demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = complement(capsys, *DEMO, "-q", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert said in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize("more", [("--beta", "2"), ("--base", "spacy"), ("--new", "spacy")], ids=" ".join)
def test_an_option_that_a_baseline_leaves_without_effect_is_not_passed_over(
    more: tuple[str, str], demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = complement(capsys, *DEMO, "-q", "--baseline", "brill", *more)
    assert outcome.code == 2
    assert more[0] in outcome.err


@pytest.mark.parametrize("more", [(), ("--baseline", "brill")], ids=["pairs", "baseline"])
def test_one_system_is_refused(more: tuple[str, ...], demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = complement(capsys, "demo/key.conllu", "demo/brill.conllu", "--task", "pos", *QUICK, *more)
    assert outcome.code == 2
    assert "two systems" in outcome.err


# Bad input


def test_identical_and_perfect_systems_have_their_reasons(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [write(f"{name}.conllu", conllu()) for name in ("key", "one", "two")]
    outcome = complement(capsys, *files, "--task", "pos", *QUICK)
    assert outcome.code == 0
    assert outcome.out.count("100.00") >= 8
    wrong = write("wrong.conllu", conllu("NOUN", "NOUN"))
    outcome = complement(capsys, files[0], f"perfect={files[1]}", wrong, "--task", "pos", *QUICK)
    assert outcome.code == 0
    assert "n/a: perfect has no error" in outcome.out


def test_an_empty_system_and_a_key_without_spans_are_defined(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spans()
    write("none.jsonl", json.dumps({"id": "d", "text": TEXT, "spans": []}) + "\n")
    (pair,) = finding(complement(capsys, "key.jsonl", "crf.jsonl", "none.jsonl", "--task", "span", *QUICK, "--json"))[
        "pairs"
    ]
    assert pair["back"]["pcomp"]["reason"] == "none has no spurious item"
    (pair,) = finding(complement(capsys, "none.jsonl", "crf.jsonl", "bert.jsonl", "--task", "span", *QUICK, "--json"))[
        "pairs"
    ]
    assert (pair["union"]["recall"], pair["union"]["f1"]) == (None, 0.0)


def test_systems_over_other_documents_are_refused_or_counted_as_told(
    work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, documents in {"key": "de", "crf": "de", "other": "d"}.items():
        lines = [{"id": each, "text": TEXT, "spans": [{"label": "PER", "begin": 0, "end": 2}]} for each in documents]
        write(f"{name}.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    files = ("key.jsonl", "crf.jsonl", "other.jsonl", "--task", "span", *QUICK)
    outcome = complement(capsys, *files)
    assert (outcome.code, outcome.out) == (3, "")
    assert "Traceback" not in outcome.err
    (pair,) = finding(complement(capsys, *files, "--missing", "empty", "--json"))["pairs"]
    assert [pair["overlap"][name]["count"] for name in ("found_by_both", "found_by_first")] == [1, 1]
    assert pair["forth"]["rcomp"]["reason"] == "crf has no missed item"


# Hostile names


@pytest.mark.parametrize("layout", mostly_slow(LAYOUTS, {"table", "latex", "csv"}))
@pytest.mark.parametrize("more", [(), ("--baseline", NAMES[1]), ("--base", NAMES[0], "--new", NAMES[6])], ids=str)
def test_nothing_hostile_gets_through(
    more: tuple[str, ...], layout: str, work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = complement(capsys, *more, "--task", "pos", "--resamples", "5", "--format", layout, "--", *hostile())
    assert outcome.code == 0, outcome.err
    assert "\x1b" not in outcome.err
    if layout not in {"csv", "tsv"}:
        assert "\x1b" not in outcome.out
    if layout in {"table", "md", "latex"}:
        assert "\u202e" not in outcome.out


def test_hostile_names_come_back_in_conditions(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = hostile()
    found = finding(complement(capsys, "--task", "pos", *QUICK, "--json", "--", *files))
    assert [pair["first"] for pair in found["pairs"][:7]] == [NAMES[0]] * 7
    cell = found["pairs"][0]["overlap"]["found_by_neither"]
    outcome = run(capsys, "examples", "--task", "pos", "-q", "--json", "--where", cell["where"], "--", *files)
    assert outcome.json["examples"]["count"] == cell["count"]


# Alone


def test_help_is_told_without_heavy_imports() -> None:
    code = "import sys; from comparanda.cli import main\ntry: main(['complement', '--help'])\nexcept SystemExit: pass\n"
    outcome = program_code(code + "print({'numpy', 'rich', 'scipy'} & set(sys.modules), file=sys.stderr)")
    assert outcome.strip() == "set()"


def program_code(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert "--baseline" in done.stdout
    assert "--beta" in done.stdout
    return done.stderr


@pytest.mark.slow
def test_equal_input_gives_equal_bytes(demo: Path) -> None:
    arguments = ("complement", *DEMO[:-1], "20", "-q", "--json")
    one, other = (program(*arguments, env={"PYTHONHASHSEED": seed}) for seed in ("1", "2"))
    assert one.returncode == 0, one.stderr
    assert one.stdout == other.stdout
