"""What commands print on the demo corpus, to the last character."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.golden import assert_golden
from tests.command import run

FILES = ("demo/key.conllu", "demo/brill.conllu", "demo/spacy.conllu", "--task", "pos", "--resamples", "100")
TWO = ("--base", "spacy", "--new", "brill")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("demo.txt", ("demo",)),
        ("demo-coref.txt", ("demo", "--task", "coref", "--resamples", "100")),
        ("compare.txt", ("compare", *FILES, "--top", "2", "--by", "length")),
        ("compare-cite.txt", ("compare", *FILES[:2], "--task", "pos", "--cite")),
        ("score.txt", ("score", *FILES, "--measure", "accuracy", "--measure", "f1[NOUN]", "--measure", "macro_f1")),
        ("score-by.txt", ("score", *FILES, "--by", "label,length")),
        ("diff.txt", ("diff", *FILES, *TWO)),
        ("examples.txt", ("examples", *FILES, "--where", 'new_error and key == "ADV"', "--top", "2")),
        ("formats.txt", ("formats",)),
        ("formats-conllu.txt", ("formats", "conllu")),
        ("schema.txt", ("schema",)),
        ("help.txt", ("--help",)),
        ("help-compare.txt", ("compare", "--help")),
        ("compare.md", ("compare", *FILES, "--top", "2", "--format", "md")),
        ("compare.tex", ("compare", *FILES, "--top", "2", "--format", "latex")),
        ("diff.csv", ("diff", *FILES, "--top", "3", "--format", "csv")),
        ("diff.tsv", ("diff", *FILES, "--top", "3", "--format", "tsv")),
        ("diff.jsonl", ("diff", *FILES, "--top", "3", "--format", "jsonl")),
        ("score.json", ("score", *FILES, "--json")),
        ("examples.json", ("examples", *FILES, "--where", "changed_error", "--top", "1", "--json")),
    ],
)
def test_the_output_is_the_one_on_record(
    name: str, arguments: tuple[str, ...], demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = run(capsys, *arguments)
    assert outcome.code == 0
    assert_golden(name, outcome.out)


def test_notes_go_to_standard_error(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert_golden("compare-notes.txt", run(capsys, "compare", *FILES).err)


def test_validate_prints_what_is_wrong_with_each_file(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("cut.conllu").write_text(Path("demo/spacy.conllu").read_text().replace("\tA\t", "\tAn\t", 1))
    outcome = run(capsys, "validate", "demo/key.conllu", "cut.conllu", "demo/brill.conllu", "gone", "--task", "pos")
    assert outcome.code == 1
    assert_golden("validate.txt", outcome.out)
