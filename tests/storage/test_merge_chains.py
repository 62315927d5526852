"""Chains of a corpus that was cut into parts: merged, they are those of the uncut corpus to the last byte."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import comparanda as cp
from comparanda.core.excerpts import Texts
from comparanda.core.verdicts import Verdicts
from comparanda.errors import UsageError
from comparanda.pipeline import Setup, evaluate_systems
from comparanda.storage.merge import merge
from tests.random_chains import ACROSS, KINDS, THREE, Corpora, Kind, assert_equal_verdicts, random_chains
from tests.random_spans import result_of
from tests.seeds import draws, first_few
from tests.toy_task import (
    printed,
    toy_measures,  # noqa: F401 - a fixture that works by being here
)

SIZE = 6


def corpora(kind: str, folder: Path, seed: int = 3) -> Corpora:
    return random_chains(folder, seed, KINDS[kind], SIZE)


def findings(verdicts: Verdicts) -> dict[str, str]:
    """Return all findings as JSON, without places and notes: those of parts are in their own files."""
    found = printed(result_of(replace(verdicts, notes=())), ("kind",), ("differs",))
    return {name: re.sub(r'"[^"]*\.conll:[0-9]+"', '"place"', text) for name, text in found.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_three_parts_are_the_uncut_corpus(kind: str, tmp_path: Path) -> None:
    whole = corpora(kind, tmp_path)
    merged, uncut = merge([whole.judged(part) for part in THREE]), whole.judged()
    assert uncut.units.kind == ("topic" if "topics" in kind else "document")
    assert any(name.startswith("x") for name in uncut.documents) == bool(KINDS[kind].foreign)
    assert_equal_verdicts(merged, uncut)


@pytest.mark.slow
def test_they_have_the_same_findings(tmp_path: Path) -> None:
    whole = corpora("foreign topics", tmp_path)
    assert findings(merge([whole.judged(part) for part in THREE])) == findings(whole.judged())


@given(
    st.sampled_from(["plain", "without tags", "without singletons", "repeated", "by heads", "other words", "foreign"]),
    st.integers(0, 10_000),
    st.sets(st.integers(1, SIZE - 1)),
)
@example("by heads", 8066, {1, 2, 4, 5})  # where words are counted, a part without other words in it is no other case
@settings(deadline=None, max_examples=draws(20), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_corpus_may_be_cut_anywhere(
    tmp_path_factory: pytest.TempPathFactory, kind: str, seed: int, cuts: set[int]
) -> None:
    whole = corpora(kind, tmp_path_factory.mktemp("corpus"), seed)
    parts = [slice(begin, end) for begin, end in pairwise([0, *sorted(cuts), SIZE])]
    assert_equal_verdicts(merge([whole.judged(part) for part in parts]), whole.judged())


@pytest.mark.parametrize("kind", first_few(1, ["by heads", "other words", "foreign topics"]))
def test_saved_and_opened_parts_merge_to_the_same(kind: str, tmp_path: Path) -> None:
    whole = corpora(kind, tmp_path, seed=4)

    def reopened(verdicts: Verdicts, name: str) -> Verdicts:
        result_of(verdicts).save(tmp_path / name)
        return cp.open(tmp_path / name).verdicts

    merged = merge([reopened(whole.judged(part), f"part{part.start}") for part in THREE])
    assert_equal_verdicts(merged, whole.judged())
    assert_equal_verdicts(reopened(merged, "merged"), whole.judged())


@pytest.mark.slow
@pytest.mark.parametrize("kind", first_few(1, ["plain", "topics", "foreign topics"]))
def test_merging_step_by_step_is_merging_at_once(kind: str, tmp_path: Path) -> None:
    whole = corpora(kind, tmp_path, seed=5)
    one, two, three = (whole.judged(part) for part in THREE)
    at_once = merge([one, two, three])
    assert_equal_verdicts(merge([merge([one, two]), three]), at_once)
    assert_equal_verdicts(merge([one, merge([two, three])]), at_once)
    assert_equal_verdicts(merge([one]), one)


@pytest.mark.parametrize("kind", first_few(1, ["plain", "foreign", "topics"]))
@pytest.mark.parametrize("where", ['not right("rules")', 'kind == "noun"'])
def test_narrowed_parts_are_the_narrowed_corpus(kind: str, where: str, tmp_path: Path) -> None:
    whole = corpora(kind, tmp_path, seed=1)
    parts = [result_of(whole.judged(part)).where(where).verdicts for part in THREE]
    assert_equal_verdicts(merge(parts), result_of(whole.judged()).where(where).verdicts)


def test_views_share_their_mentions_after_merging(tmp_path: Path) -> None:
    for kind in ("plain", "foreign"):
        whole = corpora(kind, tmp_path)
        views = merge([whole.judged(part) for part in THREE]).views.values()
        assert len(views) == 8
        assert len({id(view.chains) for view in views}) == 1


def test_parts_without_texts_merge_as_far_as_their_mentions_go(tmp_path: Path) -> None:
    whole = corpora("topics", tmp_path)
    merged, uncut = merge([replace(whole.judged(part), texts=Texts()) for part in THREE]), whole.judged()
    mine, theirs = merged.view().chains, uncut.view().chains
    assert mine is not None
    assert theirs is not None
    for column in ("document", "unit", "place", "width", "key"):
        assert np.array_equal(getattr(mine, column), getattr(theirs, column))
    assert (np.diff(mine.sentence[np.argsort(mine.document, kind="stable")]) >= 0).all()


# By hand: small enough to count


def text(*documents: tuple[str, Sequence[str]]) -> str:
    """Write documents of words with brackets: `a(1)` is a word in chain 1."""
    lines = []
    for name, words in documents:
        lines.append(f"#begin document ({name}); part 000")
        for number, word in enumerate(words):
            bare, _, bracket = word.partition("(")
            lines.append(f"{name}\t0\t{number}\t{bare}\tNN\t-\t{'(' + bracket if bracket else '-'}")
        lines += ["", "#end document"]
    return "\n".join(lines) + "\n"


def part(folder: Path, key: str, *systems: str, setup: Setup | None = None) -> Verdicts:
    sides = {}
    for number, said in enumerate((key, *systems)):
        path = folder / f"{abs(hash((key, *systems)))}-{number}.conll"
        path.write_text(said)
        sides[f"s{number}"] = str(path)
    return evaluate_systems(sides.pop("s0"), sides, setup or Setup(task="coref"))


def test_chains_are_numbered_through_and_foreign_documents_stand_last(tmp_path: Path) -> None:
    """Two parts, each with a document of its own (b, a) and one that the system alone has (z, y)."""
    first = part(
        tmp_path,
        text(("b", ["u(1)", "v(2)", "w(1)"])),
        text(("b", ["u(1)", "v", "w(1)"]), ("z", ["o(5)", "p(4)", "q(5)"])),
    )
    second = part(
        tmp_path,
        text(("a", ["u(7)", "v(7)"])),
        text(("a", ["u(8)", "v(9)"]), ("y", ["o(1)", "p(1)"])),
    )
    merged = merge([first, second])
    assert merged.documents == ("b", "a", "y", "z")
    view = merged.view()
    assert view.chains is not None
    assert view.mention is not None
    assert view.chains.document.tolist() == [0, 0, 0, 1, 1, 2, 2, 3, 3, 3]
    assert view.chains.sentence.tolist() == [0, 0, 0, 1, 1, 2, 2, 2, 2, 2]
    assert view.chains.key.tolist() == [0, 1, 0, 2, 2, -1, -1, -1, -1, -1]
    assert view.chains.runs[0].tolist() == [0, -1, 0, 1, 2, 3, 3, 4, 5, 4]
    assert view.mention.tolist() == [2, 4, 6, 9]
    assert [view.sites.names[code] for code in view.sites.values[0]] == ["tp", "fn", "fp", "fp"]
    assert view.given_items is not None
    assert view.given_items.site is not None
    assert view.given_items.site.tolist() == [0, 1, 2, 3]
    assert view.given_items.positive.tolist() == [True, True, False, False]
    assert view.statistics["muc_found"].tolist() == [[1], [0], [0], [0]]
    assert view.statistics["muc_claimed"].tolist() == [[1], [0], [1], [1]]
    (note,) = [note for note in merged.notes if note.what.startswith("documents not in the key")]
    assert (note.count, note.first) == (2, ("y", "z"))


def test_an_example_in_a_document_without_text_has_none(tmp_path: Path) -> None:
    first = part(tmp_path, text(("a", ["u(1)", "v(1)"])), text(("a", ["u(1)", "v(1)"]), ("z", ["o(5)", "p(5)"])))
    second = part(tmp_path, text(("b", ["u", "v"])), text(("b", ["u", "v"])))
    found = result_of(merge([first, second])).examples('not right("s1")').examples
    assert [(example.document, example.word) for example in found] == [("z", "")]


def test_the_names_of_many_foreign_documents_stand_in_order(tmp_path: Path) -> None:
    def with_foreign(own: str, *names: str) -> Verdicts:
        said = (own, ["u(1)", "v(1)"])
        return part(tmp_path, text(said), text(said, *((name, ["o(5)", "p(5)"]) for name in names)))

    merged = merge([with_foreign("a", "x9", "x8", "x2", "x7"), with_foreign("b", "x1"), with_foreign("c", "x3")])
    uncut = with_foreign("a", *(f"x{number}" for number in (1, 2, 3, 7, 8, 9)))
    (mine,) = [note for note in merged.notes if note.what.startswith("documents not in the key")]
    (theirs,) = [note for note in uncut.notes if note.what.startswith("documents not in the key")]
    assert mine == theirs
    assert (mine.count, mine.first) == (6, ("x1", "x2", "x3"))
    assert merged.documents == ("a", "b", "c", "x1", "x2", "x3", "x7", "x8", "x9")


def test_skipped_anaphors_add_up(tmp_path: Path) -> None:
    """`it … it` has no nominal antecedent: one in each part."""

    def pronouns(name: str) -> Verdicts:
        said = text((name, ["it(1)", "it(1)"])).replace("NN", "PRP")
        return part(tmp_path, said, said)

    merged = merge([pronouns("a"), pronouns("b")])
    assert [note.count for note in merged.notes if "nominal" in note.what] == [2]


# What does not merge


def test_a_topic_in_two_parts_does_not_merge(tmp_path: Path) -> None:
    whole = random_chains(tmp_path, 3, Kind(setup=ACROSS, topics=("a", "b")))
    with pytest.raises(UsageError, match="the topic 'a' is in two parts") as caught:
        merge([whole.judged(part) for part in THREE])
    assert caught.value.hint == "cut between topics"
    assert_equal_verdicts(merge([whole.judged()]), whole.judged())


def test_a_topic_that_a_response_goes_on_with_in_another_part_does_not_merge(tmp_path: Path) -> None:
    """The name of a document that only the response has says that it is of the topic of another part."""
    setup = Setup(task="coref", across="until:_")

    def judged(key: str, more: str = "") -> Verdicts:
        return part(tmp_path, text((key, ["it(1)", "it(1)"])), text((key, ["it(1)", "it(1)"])) + more, setup=setup)

    first, beyond = judged("1_a"), text(("1_z", ["it(1)"]))
    with pytest.raises(UsageError, match="the topic '1' is in two parts"):
        merge([first, judged("2_a", beyond)])
    assert merge([first, judged("2_a")]).units.names == ("1", "2")


@pytest.mark.parametrize("foreign", [(), (1,)])
def test_one_topic_of_everything_does_not_merge(foreign: Sequence[int], tmp_path: Path) -> None:
    whole = random_chains(tmp_path, 3, Kind(setup=Setup(task="coref", across="all"), foreign=foreign))
    with pytest.raises(UsageError, match="the topic 'all' is in two parts"):
        merge([whole.judged(part) for part in THREE])
    assert_equal_verdicts(merge([whole.judged()]), whole.judged())


def test_topics_do_not_merge_with_documents(tmp_path: Path) -> None:
    topics, documents = corpora("topics", tmp_path), corpora("plain", tmp_path)
    with pytest.raises(UsageError, match="the same settings") as caught:
        merge([topics.judged(THREE[0]), documents.judged(THREE[1])])
    assert caught.value.hint == "they differ in across"


def test_kinds_that_are_told_otherwise_do_not_merge(tmp_path: Path) -> None:
    """The tags of one part tell names, so that it has a view more: what is unlike is how kinds are told."""
    tagged, untagged = corpora("plain", tmp_path), corpora("without tags", tmp_path)
    one, two = tagged.judged(THREE[0]), untagged.judged(THREE[1])
    assert one.views.keys() != two.views.keys()
    with pytest.raises(UsageError, match="the same settings") as caught:
        merge([one, two])
    assert caught.value.hint == "they differ in nouns"


def test_a_document_that_is_foreign_in_one_part_and_not_in_another_does_not_merge(tmp_path: Path) -> None:
    first = part(tmp_path, text(("a", ["u(1)"])), text(("a", ["u(1)"]), ("b", ["u(1)"])))
    second = part(tmp_path, text(("b", ["u(1)"])), text(("b", ["u(1)"])))
    with pytest.raises(UsageError, match="the document 'b' is in two parts"):
        merge([first, second])


def test_mentions_do_not_merge_with_other_sites(tmp_path: Path) -> None:
    whole = corpora("plain", tmp_path)
    one, two = whole.judged(THREE[0]), whole.judged(THREE[1])
    bare = {name: replace(view, chains=None, mention=None) for name, view in two.views.items()}
    with pytest.raises(UsageError, match="the same views"):
        merge([one, replace(two, views=bare)])
