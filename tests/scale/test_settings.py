"""One comparison is told from another by what its settings say, and by the files that they name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comparanda.errors import ReadError
from comparanda.pipeline import Setup
from comparanda.scale.plan import describe_settings, list_setting_files
from tests.scale.faults import compared, write


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path)


def test_settings_that_look_alike_are_told_apart() -> None:
    one, other = np.zeros(5000), np.zeros(5000)
    other[2500] = 1
    assert repr(one) == repr(other)
    assert describe_settings(Setup(task="tag", train=one)) != describe_settings(Setup(task="tag", train=other))
    assert describe_settings(Setup(task="tag", train=one)) == describe_settings(Setup(task="tag", train=np.zeros(5000)))


def test_what_cannot_be_packed_is_never_the_same() -> None:
    setup = Setup(task="tag", train=lambda: None)
    assert describe_settings(setup) != describe_settings(setup)


def changed(file: str) -> None:
    path = Path(file)
    path.write_text(path.read_text() + "\n# more\n")


@pytest.mark.parametrize(
    ("settings", "files"),
    [
        ({"train": "key.conllu::conllu"}, ["key.conllu"]),
        ({"train": Path("folder")}, ["folder/a.conllu", "folder/b.conllu"]),
        ({"train": "folder/*.conllu"}, ["folder/a.conllu", "folder/b.conllu"]),
        ({"rules": "rules/mine.toml"}, ["rules/mine.toml", "rules/base.toml"]),
        ({"rules": "exact", "same_ids": "same.tsv"}, ["same.tsv"]),
    ],
)
def test_files_that_settings_name_belong_to_them(settings: dict[str, Any], files: list[str]) -> None:
    Path("folder").mkdir()
    Path("rules").mkdir()
    for name in ("a", "b"):
        Path(f"folder/{name}.conllu").write_text("x")
    Path("rules/base.toml").write_text('include = ["exact"]\n')
    Path("rules/mine.toml").write_text('include = ["base.toml"]\n')
    Path("rules/other.toml").write_text('include = ["exact"]\n')
    Path("same.tsv").write_text("Q1\tQ2\n")
    setup = Setup(task="span", **settings)
    before = list_setting_files(setup)
    assert [str(Path(name).resolve()) for name, _ in before] == [str(Path(name).resolve()) for name in files]
    changed(files[-1])
    assert list_setting_files(setup) != before


def test_training_data_that_change_while_the_comparison_runs_are_refused() -> None:
    Path("train.conllu").write_text(Path("key.conllu").read_text())

    def change(text: str) -> None:
        if text == "evaluating part 3 of 4":
            changed("train.conllu")

    with pytest.raises(ReadError, match=r"train\.conllu: the file changed while the comparison was running"):
        compared(train="train.conllu", progress=change)
