"""The pages of docs/ and the README do what they show; `UPDATE_DOCS=1` writes true outputs into them instead."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from tests.shared_data import REASON

from .pages import Page, link_shared_data

ROOT = Path(__file__).parents[2]
PAGES = [path for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if path.exists()]
LONG = {f"docs/{each}.md" for each in ("report", "wnut17", "case-study", "published-scores")}
"""Pages that take seconds."""

_PICTURE = re.compile(r"!\[[^\]]*\]\((pictures/[^)\s]+)\)")
_LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.fixture(autouse=True)
def fresh_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize(
    "path", [pytest.param(path, marks=pytest.mark.slow if name(path) in LONG else ()) for path in PAGES], ids=name
)
def test_the_blocks_of_a_page_do_what_they_show(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    link_shared_data(text)
    steps, renewed = Page(text).run()
    pictures = [path.parent / link for link in _PICTURE.findall(text)]
    if os.environ.get("UPDATE_DOCS"):
        path.write_text(renewed, encoding="utf-8")
        for picture in pictures:
            shutil.copyfile(picture.name, picture)
        return
    for picture in pictures:
        assert Path(picture.name).read_bytes() == picture.read_bytes(), f"{name(path)}: {picture.name}"
    for step in steps:
        assert step.agrees, f"{name(path)}:\n{step.shown}\nshould print:\n{step.want}\nbut printed:\n{step.got}"


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_the_links_of_a_page_lead_somewhere(path: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for link in _LINK.findall(text):
        assert (path.parent / link).exists(), f"{name(path)}: {link}"


def test_a_wrong_output_is_seen_and_can_be_renewed() -> None:
    text = "```console\n$ comparanda --version\ncomparanda 9\n```\n```pycon\n>>> 1 + 1\n3\n```\n"
    steps, renewed = Page(text).run()
    assert [step.agrees for step in steps if step.want] == [False, False]
    again, unchanged = Page(renewed).run()
    assert all(step.agrees for step in again)
    assert unchanged == renewed
    assert "\n2\n```" in renewed


def test_a_cut_stands_for_any_number_of_lines_and_stays_where_it_is() -> None:
    text = "```console\n$ comparanda formats csv\nwrong\n…\n```\n"
    _, renewed = Page(text).run()
    assert renewed.count("\n") == 5
    assert renewed.endswith("\n…\n```\n")
    assert all(step.agrees for step in Page(renewed).run()[0])


def test_what_is_no_example_of_ours_is_not_run() -> None:
    text = "```console notest\n$ comparanda x\n```\n```console\n$ pip install .\n```\n```text\n$ comparanda x\n```\n"
    assert Page(text).run() == ([], text)


def test_what_python_prints_is_compared_with_the_output_behind_it() -> None:
    file, code = "```toml some.toml\na = 1\n```\n", "```python\nwith open('some.toml') as f: print(f.read())\n```\n"
    text = file + code + "```output\na = 2\n\n```\n"
    steps, renewed = Page(text).run()
    assert [step.agrees for step in steps] == [False]
    assert "```output\na = 1\n\n```" in renewed


def test_an_error_and_its_exit_code_can_be_shown() -> None:
    text = "```console\n$ comparanda compare\n…\n$ echo $?\n2\n```\n"
    assert all(step.agrees for step in Page(text).run()[0])


def test_a_page_finds_its_shared_data_by_name_and_is_skipped_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "away" / "some" / "data").mkdir(parents=True)
    monkeypatch.setattr("tests.shared_data.ROOT", tmp_path / "away")
    link_shared_data("# A page\n\n<!-- shared data: some/data -->\n")
    assert Path("data").resolve() == (tmp_path / "away" / "some" / "data").resolve()
    with pytest.raises(pytest.skip.Exception, match=REASON):
        link_shared_data("<!-- shared data: some/other -->\n")


def test_an_error_in_python_is_not_passed_over() -> None:
    with pytest.raises(ZeroDivisionError):
        Page("```python\n1 / 0\n```\n").run()
