"""`comparanda combine`: the table, what is written, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from comparanda.api.combination import FOLDS
from comparanda.cli import options
from comparanda.tasks.ballots import OVERLAPS
from tests.command import run

KEY = "Ann B-PER\nLee I-PER\nsaw O\n\nParis B-LOC\n\nBob B-PER\n"
FILES = {
    "key": KEY,
    "a": KEY.replace("Paris B-LOC", "Paris O"),
    "b": KEY.replace("Lee I-PER", "Lee O"),
    "c": KEY.replace("Bob B-PER", "Bob B-LOC"),
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(f"{name}.conll").write_text(text)


ALL = ("key.conll", "a.conll", "b.conll", "c.conll", "--task", "span", "--resamples", "0")


def test_the_table_has_all_methods_that_make_sense(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "combine", *ALL)
    assert outcome.code == 0
    lines = [line.split()[0] for line in outcome.out.splitlines() if line]
    for method in ("union", "majority", "intersection", "weighted", "per-label", "tag-vote", "oracle"):
        assert method in lines
    assert "span vote" in outcome.out
    assert "tag vote" in outcome.out


def test_json_has_everything(capsys: pytest.CaptureFixture[str]) -> None:
    document = run(capsys, "combine", *ALL, "--method", "majority,at-least-2", "--json").json
    assert document["schema"].startswith("comparanda/ensembles/")
    assert [each["method"] for each in document["ensembles"]["methods"]] == ["majority", "at-least-2"]
    assert [each["value"] for each in document["ensembles"]["methods"]] == [1.0, 1.0]
    assert "tuned:3 folds of 3 sentences|overlap:keep" in document["signature"]


def test_what_is_written_is_a_system_like_any_other(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "combine", *ALL, "--write", "majority=voted.conll", "--write", "tag-vote=tags.conll")
    assert outcome.code == 0
    assert [line for line in outcome.err.splitlines() if not line.startswith("note: a: labels only")] == [
        "wrote voted.conll: majority, f1 100.00",
        "wrote tags.conll: tag-vote, f1 100.00",
    ]
    assert run(capsys, "validate", "key.conll", "voted.conll", "tags.conll", "--task", "span").code == 0
    scores = run(capsys, "score", "key.conll", "voted.conll", "--task", "span", "--resamples", "0", "--json").json
    assert scores["scores"]["scores"][0]["value"] == 1.0


def test_a_combination_that_cannot_be_written_is_shown_and_refused(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "combine", *ALL, "--write", "union=voted.conll")
    assert outcome.code == 3
    assert "union" in outcome.out
    assert "two spans share words" in outcome.err
    assert not Path("voted.conll").exists()
    assert run(capsys, "combine", *ALL, "--write", "union=voted.jsonl::jsonl").code == 0
    assert run(capsys, "combine", *ALL, "--write", "union=voted.conll", "--overlap", "best").code == 0


def test_weights_from_dev_data(capsys: pytest.CaptureFixture[str]) -> None:
    dev = ("--dev-key", "key.conll", "--dev", "a=a.conll", "--dev", "b=b.conll", "--dev", "c=c.conll")
    document = run(capsys, "combine", *ALL, *dev, "--method", "weighted", "--json").json
    (method,) = document["ensembles"]["methods"]
    assert method["tuned"] == "dev data of 3 sentences"
    assert [each["by_fold"] for each in method["weights"]] == [[0.8], [0.666667], [0.666667]]


def test_the_same_data_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "combine", *ALL, "--same-data")
    assert "† tuned on the data that is scored: optimistic" in outcome.out


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--method", "majorty"), "did you mean 'majority'"),
        (("--method", "at-least-9"), "only 3 runs"),
        (("--write", "majority"), "--write: expected METHOD=FILE"),
        (("--write", "majority="), "--write: expected METHOD=FILE"),
        (("--write", "majority=x", "--write", "majority=y"), "given twice"),
        (("--write", "union=x", "--method", "majority"), "this method is not requested"),
        (("--write", "at-least-2=x"), "unknown combination 'at-least-2'"),
        (("--write", "majority=a.conll"), "would overwrite an input"),
        (("--dev", "a=a.conll"), "requires the key of the dev data"),
        (("--dev-key", "key.conll"), "requires the outputs of the systems"),
        (("--dev-key", "key.conll", "--dev", "a=a.conll"), "no dev output of b, c"),
        (("--folds", "1"), "integer of at least 2"),
        (("--overlap", "worst"), "expected keep or best"),
        (("--same-data", "--dev-key", "key.conll", "--dev", "a=a.conll"), "cannot be combined"),
    ],
)
def test_what_cannot_be_meant_is_refused(capsys: pytest.CaptureFixture[str], asked: tuple[str, ...], said: str) -> None:
    outcome = run(capsys, "combine", *ALL, *asked)
    assert (outcome.code, outcome.out) == (2, "")
    assert said in outcome.err
    assert not Path("x").exists()


def test_the_command_line_knows_what_the_library_knows() -> None:
    assert options.OVERLAPS == OVERLAPS
    assert options.FOLDS == FOLDS


def test_a_result_folder_has_nothing_that_could_vote(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "compare", *ALL, "--save", "result").code == 0
    outcome = run(capsys, "combine", "result", "--task", "span")
    assert (outcome.code, "give the files" in outcome.err) == (2, True)
