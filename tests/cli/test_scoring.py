"""`comparanda score --task prob`: all there is to say of probabilistic outputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from comparanda.cli import options
from comparanda.core.probabilities import DECIDE
from comparanda.tasks.prob.finding_tables import CHARTS
from tests.command import run
from tests.tasks.prob.findings.small import Block, compared

KEY = {"d1": ["a:PER", "e:ORG"], "d2": ["b:PER"]}
BLOCKS: dict[str, list[Block]] = {"d1": [{"a:PER": 0.6, "a:LOC": 0.3}, {"c:PER": 0.8}], "d2": [{"b:PER": 0.7}]}


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, ...]:
    compared(tmp_path, KEY, {"out": BLOCKS})
    return str(tmp_path / "key.jsonl"), str(tmp_path / "out.jsonl"), "--task", "prob", "--resamples", "0", "-q"


def test_probabilities_are_printed(files: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    done = run(capsys, "score", *files)
    assert done.code == 0
    for title in (
        "Scores",
        "The system's own uncertainty",
        "Thresholds on w",
        "Calibration",
        "Reliability",
        "By label",
    ):
        assert f"\n{title}" in done.out
    data = run(capsys, "score", *files, "--json").json
    assert data["schema"].startswith("comparanda/probabilities/")
    assert data["probabilities"]["runs"][0]["whole"]["expected_recall"] == pytest.approx(1.3 / 3)


def test_by_document_in_the_place_of_labels(files: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    done = run(capsys, "score", *files, "--by", "document")
    assert "\nBy document" in done.out
    assert "By label" not in done.out
    data = run(capsys, "score", *files, "--by", "document", "--json").json["probabilities"]
    assert (data["by"], [part["name"] for part in data["runs"][0]["parts"]]) == ("document", ["d1", "d2"])


def test_other_attributes_give_slices_of_the_hard_output(
    files: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert "f1 by length" in run(capsys, "score", *files, "--by", "length").out


def test_measures_that_are_named_stand_alone(files: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    done = run(capsys, "score", *files, "--measure", "expected_f1", "--measure", "brier", "--format", "csv")
    assert done.out.splitlines()[0].startswith("system,expected_f1,")
    sliced = run(capsys, "score", *files, "--measure", "recall", "--by", "label")
    assert "recall by label" in sliced.out


def test_data_formats_have_the_scores(files: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    done = run(capsys, "score", *files, "--format", "csv")
    assert done.out.splitlines()[0].startswith("system,f1,f1_interval_low")
    assert len(done.out.splitlines()) == 2
    loud = run(capsys, "score", *files[:-1], "--format", "csv")
    assert "csv contains only the table 'scores'" in loud.err


def test_a_chart_is_drawn(files: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "chart.svg"
    assert run(capsys, "score", *files, "--plot", target).code == 0
    reliable = target.read_text()
    assert "Are the probabilities right?" in reliable
    assert "out (ECE " in reliable
    assert run(capsys, "score", *files[:-1], "--plot", target, "--chart", "thresholds").err.endswith("chart.svg\n")
    assert "Precision and recall as the threshold falls" in target.read_text()


def test_what_cannot_be_drawn(files: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    done = run(capsys, "score", *files, "--plot", "chart.gif")
    assert (done.code, done.out) == (2, "")
    assert "--plot writes .svg or .png, not 'chart.gif'" in done.err
    assert "cannot be combined" in run(capsys, "score", *files, "--plot", "c.svg", "--also-key", "a=b").err
    spans = [each if each != "prob" else "span" for each in files]
    assert (
        "no probabilities"
        in run(capsys, "score", spans[0], "other=" + spans[0] + "?label=label", *spans[2:], "--plot", "c.svg").err
    )
    taken = run(capsys, "score", *files, "--plot", files[1])
    assert taken.code == 2


def test_the_output_without_probabilities_stands_beside_it(
    files: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    regular = tmp_path / "regular.jsonl"
    regular.write_text((tmp_path / "key.jsonl").read_text().replace("PER", "ORG"))
    scored = run(capsys, "score", *files, "--regular", regular, "--measure", "expected_recall", "--json").json
    assert {each["system"]: each["value"] for each in scored["scores"]["scores"]} == {
        "out": pytest.approx(1.3 / 3),
        "regular": pytest.approx(1 / 3),
    }
    named = run(capsys, "score", *files, "--regular", f"hard={regular}", "--measure", "f1", "--json").json
    assert {each["system"] for each in named["scores"]["scores"]} == {"out", "hard"}
    assert "the key is also given as a system" in run(capsys, "score", *files, "--regular", files[0]).err


def test_the_help_names_what_there_is() -> None:
    assert (DECIDE, tuple(CHARTS)) == (options.DECIDE, options.CHARTS)
