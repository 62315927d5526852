"""Results on some of the sites: expected scores stay where whole documents are chosen, and are n/a elsewhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comparanda.core.candidates import Candidates
from comparanda.core.verdicts import of_all_labels
from comparanda.result import Result
from comparanda.tasks.prob.measures import MAKERS
from tests.random_beliefs import KINDS, Corpora, random_beliefs, random_sentences
from tests.random_spans import plain

EXPECTED = tuple(MAKERS)


def scores(result: Result) -> dict[tuple[str, str], float | None]:
    return {(each.system, each.measure): each.value for each in result.scores(*EXPECTED).scores}


def result_of(corpora: Corpora, part: slice = slice(None)) -> Result:
    return Result(corpora.judged(part), 0)


@pytest.mark.parametrize("number", [0, 3, 5])
def test_a_document_chosen_whole_is_as_if_it_were_alone(number: int, tmp_path: Path) -> None:
    corpora = random_beliefs(tmp_path, 3, KINDS["plain"])
    narrowed = result_of(corpora).where(f'document == "d{number}"')
    alone = result_of(corpora, slice(number, number + 1))
    assert scores(narrowed) == pytest.approx(scores(alone), nan_ok=True)
    for mine, theirs in zip(candidates(narrowed), candidates(alone), strict=True):
        for column in ("place", "width", "begin", "end", "correct", "decided", "tied"):
            assert np.array_equal(getattr(mine, column), getattr(theirs, column)), column
        assert mine.text.values() == theirs.text.values()
        assert mine.ties == theirs.ties
        assert plain(mine.beliefs) == plain(theirs.beliefs)


def candidates(result: Result) -> tuple[Candidates, ...]:
    found = result.verdicts.view().candidates
    assert found is not None
    return found


def test_several_documents_add_up(tmp_path: Path) -> None:
    corpora = random_beliefs(tmp_path, 3, KINDS["plain"])
    some = result_of(corpora).where('document in ["d1", "d2"]')
    assert scores(some) == pytest.approx(scores(result_of(corpora, slice(1, 3))), nan_ok=True)


def test_all_sites_are_all_documents_those_without_a_site_too(tmp_path: Path) -> None:
    """In two documents nothing is in the key and nothing is decided, but something is possible."""
    whole = result_of(random_beliefs(tmp_path, 3, KINDS["quiet"]))
    everything, some = whole.where("true"), whole.where('document != "d0"')
    assert scores(everything) == scores(whole)
    quiet = [sum(int((run.document == each).sum()) for run in candidates(whole)) for each in (1, 2)]
    assert min(quiet) > 0
    assert {document for run in candidates(some) for document in run.document.tolist()} == {3, 4, 5}


def test_parts_of_documents_have_no_expected_scores(tmp_path: Path) -> None:
    narrowed = result_of(random_beliefs(tmp_path, 3, KINDS["plain"])).where("length > 1")
    view = narrowed.verdicts.view()
    assert view.candidates is None
    assert view.lost == of_all_labels(view.lost)
    assert set(scores(narrowed).values()) == {None}
    for each in narrowed.scores("brier", "expected_f1").scores:
        assert "cannot be restricted to some of the sites" in (each.reason or "")
    assert narrowed.scores("f1").scores[0].value is not None


def test_sentences_are_chosen_whole_where_there_are_no_documents(tmp_path: Path) -> None:
    whole = Result(random_sentences(tmp_path, 3).judged(), 0)
    assert scores(whole.where("true")) == scores(whole)
    with_sites = np.unique(whole.verdicts.view().sites.sentence)
    assert len(with_sites) > 1
    for where in ('not right("crf")', 'right("crf")'):
        narrowed = whole.where(where)
        chosen = narrowed.verdicts.view().sites.sentence
        partly = any((whole.verdicts.view().sites.sentence == each).sum() != (chosen == each).sum() for each in chosen)
        assert (narrowed.verdicts.view().candidates is None) == partly


def test_slices_of_whole_documents_have_expected_scores(tmp_path: Path) -> None:
    corpora = random_beliefs(tmp_path, 3, KINDS["plain"])
    found = result_of(corpora).slices("document", measure_name="expected_f1")
    for each in found.slices:
        number = int(each.value[1:])
        alone = scores(result_of(corpora, slice(number, number + 1)))
        assert each.scores == pytest.approx([alone[name, "expected_f1"] for name in ("crf", "beams", "regular")])
    assert len(found.slices) == 6


def test_a_pair_of_systems_keeps_what_both_believe(tmp_path: Path) -> None:
    whole = result_of(random_beliefs(tmp_path, 3, KINDS["plain"])).verdicts
    pair = whole.view().among([0, 2])
    assert pair.candidates is whole.view().candidates
    assert pair.statistics is whole.view().statistics
