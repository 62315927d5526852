"""The pages on coreference name all there is, count rightly on fingers, and print no number that nothing computes."""

from __future__ import annotations

import ast
import re
from fractions import Fraction
from pathlib import Path
from statistics import fmean
from typing import get_args

import pytest

import comparanda as cp
from comparanda.tasks.coref.evaluation import POLICIES
from comparanda.tasks.coref.kinds import KINDS
from comparanda.tasks.coref.measures import MAKERS
from comparanda.tasks.task import Matching, Nouns, Repeated, Singletons

from .pages import Page

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("tasks/coref.md", "published-scores.md")
OPTIONS = {name: f"--{name}" for name in POLICIES} | {"matching": "--mentions"}
TABLE_7 = ((27.13, 26.30, 27.22), (35.39, 37.45, 34.89))
APPENDIX = ("25.56", "34.09")
"""What the appendix of the paper prints for the means of table 7."""

SCORER = "8.01"
"""The version of the reference scorer."""


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def blocks(text: str) -> str:
    return "\n".join(re.findall(r"^```.*?^```$", text, re.MULTILINE | re.DOTALL))


def prose(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


@pytest.fixture
def result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> cp.Result:
    """Compare the first files of the page."""
    monkeypatch.chdir(tmp_path)
    Page(re.sub(r"^```(?:console|pycon).*?^```$", "", page(PAGES[0]), flags=re.MULTILINE | re.DOTALL)).run()
    return cp.compare("key.conll", {"old": "old.conll", "new": "new.conll"}, task="coref", resamples=0)


def test_every_measure_of_chains_is_on_the_page_of_measures() -> None:
    text = page("measures.md")
    assert [name for name in MAKERS if f"`{name}`" not in text] == []
    assert [name for name in MAKERS if "_" not in name and f"`{name}`" not in page(PAGES[0])] == []


def test_every_option_of_chains_and_its_words_are_on_the_page() -> None:
    text = prose(page(PAGES[0]))
    words = {*get_args(Matching), *get_args(Nouns), *get_args(Repeated), *get_args(Singletons)}
    assert [option for option in OPTIONS.values() if option not in text] == []
    assert [word for word in words - {"auto", "keep", "first"} if not re.search(rf"[`| (]{word}[`| )]", text)] == []


def test_every_view_kind_and_attribute_is_on_the_page(result: cp.Result) -> None:
    text = page(PAGES[0])
    attributes = result.verdicts.view().sites.attributes
    named = [*result.verdicts.views, *KINDS, *attributes]
    assert len(named) == 8 + 4 + 5
    assert [name for name in named if f"`{name}`" not in text] == []


def test_what_is_counted_on_fingers_is_what_is_printed(result: cp.Result) -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([-+·/() 0-9]+) \| ([-+·/() 0-9]+) \|$", page(PAGES[0]), re.MULTILINE)
    assert [name for name, _, _ in rows] == ["mentions", "muc", "b3", "ceafm", "ceafe", "lea", "blanc"]
    for name, *written in rows:
        for part, cell in zip(("recall", "precision"), written, strict=True):
            found = result.scores(f"{name}_{part}").value("old")
            assert found == pytest.approx(float(worked_out(cell)), abs=1e-12), (name, part)


@pytest.mark.parametrize(
    ("word", "classes"),
    [
        ("She", {"any": "tp", "nominal": "wl", "immediate": "wl"}),
        ("his", {"any": "tp", "nominal": "fn", "immediate": "tp"}),
    ],
)
def test_the_mentions_of_the_text_have_the_classes_it_names(
    result: cp.Result, word: str, classes: dict[str, str]
) -> None:
    for view, name in classes.items():
        assert result.count(f'text == "{word}" and value("new") == "{name}"', "old", "new", view=view) == 1


def worked_out(written: str) -> Fraction:
    """Work out a sum of fractions as it is written on a page.

    >>> worked_out("(4/3 + 2·1/6) / 5")
    Fraction(1, 3)
    """
    tree = ast.parse(re.sub(r"(\d+)", r"F(\1)", written.replace("·", "*")), mode="eval")
    value = eval(compile(tree, "<page>", "eval"), {"F": Fraction})
    assert isinstance(value, Fraction)
    return value


@pytest.mark.parametrize("name", PAGES)
def test_every_number_in_the_text_is_printed_by_a_block(name: str) -> None:
    text, printed = prose(page(name)), blocks(page(name))
    numbers = re.findall(r"(?<![\d.])\d+\.\d\d(?!\d)", text)
    known = {SCORER, *APPENDIX, *(f"{fmean(column):.2f}" for column in TABLE_7)}
    assert known & {*numbers}
    assert [number for number in numbers if number not in printed and number not in known] == []
