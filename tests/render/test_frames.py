"""Findings as data frames and citations."""

from __future__ import annotations

import sys

import pytest

from comparanda.errors import MissingExtraError
from comparanda.render.markup import write_citation
from comparanda.result import Result
from tests.toy_task import (
    findings,
    registered,
    toy_measures,  # noqa: F401 - a fixture that works by being here
    verdicts_of,
)

RESULT = Result(verdicts_of(), 20)
with registered():
    ALL = findings(RESULT, ("word",), ("differs",))


@pytest.mark.parametrize("name", ALL)
def test_frames_hold_the_main_table(name: str) -> None:
    finding = ALL[name]
    rows = finding.to_dicts()
    assert finding.to_polars().to_dicts() == rows
    frame = finding.to_pandas()
    assert frame.astype(object).where(frame.notna(), None).to_dict("records") == rows


@pytest.mark.parametrize(("library", "method"), [("pandas", "to_pandas"), ("polars", "to_polars")])
def test_a_missing_library_is_named(library: str, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match=f"(?i)requires {library}") as caught:
        getattr(RESULT.scores(), method)()
    assert caught.value.hint == f"pip install {library}"


def test_the_citation_says_how_the_numbers_were_made() -> None:
    text = write_citation(RESULT.signature)
    assert "over documents (20 resamples" in text
    assert RESULT.signature in text
    assert text.count("@") == 4
    assert text.count("{") == text.count("}")


def test_a_hostile_signature_is_cited_as_it_stands() -> None:
    result = Result(verdicts_of(), 20)
    text = write_citation(result.signature.replace("toy:yes", "toy:{0}|resamples:many"))
    assert "20 resamples" in text
