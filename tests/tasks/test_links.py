"""Entity links by hand: each sentence of DEFINITIONS 7, with as many mentions as one can count on fingers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import comparanda as cp
from comparanda import Result
from comparanda.core.sites import format_value
from comparanda.errors import InputError, UsageError
from comparanda.findings.scores import OutcomeCount
from tests.seeds import first_few
from tests.tasks.random_spans import counts

Record = dict[str, Any]
Counts = tuple[int, int, int]

TEXT = "Anna saw Paris and Mary Ann of New York"
STRICT = ("end_to_end", "linking")
FUZZY = ("end_to_end_fuzzy", "linking_fuzzy")
BOTH = (*STRICT, *FUZZY)
NOTHING = (0, 0, 0)


def document(*mentions: str, name: str = "d") -> Record:
    """Make a document of mentions like `0-4 PER Q1`, `0-4 PER` without an id, `0-4 PER Q1|Q2 low` of low confidence."""
    spans = []
    for mention in mentions:
        extent, label, *more = mention.split()
        begin, end = map(int, extent.split("-"))
        span: Record = {"begin": begin, "end": end, "label": label}
        spans.append(span | dict(zip(("id", "confidence"), more, strict=False)))
    return {"id": name, "text": TEXT, "spans": spans}


def linked(key: str | Sequence[str], *systems: str | Sequence[str], **options: Any) -> Result:
    """Compare mentions of one document; systems are called a, b, …"""
    sides = [[document(*([each] if isinstance(each, str) else each))] for each in (key, *systems)]
    given = dict(zip("abc", sides[1:], strict=False))
    return cp.compare(sides[0], given, task="link", resamples=0, **options)


def scored(result: Result, *views: str, system: str = "a") -> list[tuple[float, ...]]:
    """Return TP, FP and FN in some views."""
    return [counts(result, system, view=view) for view in views]


def called(result: Result, view: str = "end_to_end", run: str = "a") -> list[tuple[str, str, int]]:
    """Return how often mentions of the key and those beside it are called what."""
    found = result.scores(view=view).outcomes
    return [(each.side, each.outcome, each.count) for each in found if (each.view, each.run) == (view, run)]


def values(result: Result) -> list[tuple[str, ...]]:
    """Return what the key and each system have at each site."""
    sites = result.verdicts.view().sites
    return [
        tuple(format_value(sites.names[code]) for code in row) for row in zip(sites.key, *sites.values, strict=True)
    ]


# Aligned pairs, in the order of the definition


def test_both_nil_is_no_item_but_right_at_its_site() -> None:
    result = linked("0-4 PER NIL", "0-4 PER NIL")
    assert scored(result, *BOTH, "certain", "hit") == [NOTHING] * 6
    assert called(result) == [("key", "TN, left out: no id", 1), ("system", "TN, left out: no id", 1)]
    assert values(result) == [("PER→NIL[0:4]", "PER→NIL[0:4]")]
    assert result.scores("accuracy").value("a") == 1


def test_an_id_for_nil_is_a_false_positive_of_the_resolver() -> None:
    result = linked("0-4 PER NIL", "0-4 PER Q1")
    assert scored(result, *BOTH, "certain", "hit") == [(0, 1, 0)] * 6
    assert called(result) == [("key", "TN, left out: no id", 1), ("system", "id for NIL", 1)]
    assert values(result) == [("PER→NIL[0:4]", "PER→Q1[0:4]")]


def test_nil_for_an_id_is_a_false_negative_of_the_resolver() -> None:
    result = linked("0-4 PER Q1", "0-4 PER NIL")
    assert scored(result, *BOTH, "certain", "hit") == [(0, 0, 1)] * 6
    assert called(result) == [("key", "NIL for id", 1), ("system", "NIL for id, left out: no id", 1)]


def test_the_id_of_the_key_is_right() -> None:
    result = linked("0-4 PER Q1", "0-4 PER Q1")
    assert scored(result, *BOTH, "certain", "hit") == [(1, 0, 0)] * 6
    assert called(result) == [("key", "TP", 1)]


@pytest.mark.parametrize("said", ["Q1", "Q2", "Q3"])
def test_one_of_several_ids_is_right_on_a_condition(said: str) -> None:
    """A key mention is one item however many ids it accepts."""
    result = linked("0-4 PER Q1|Q2|Q3", f"0-4 PER {said}")
    assert scored(result, *BOTH, "certain", "hit") == [(1, 0, 0)] * 6
    assert called(result) == [("key", "conditional TP", 1)]


def test_conditional_ones_have_a_column_of_their_own() -> None:
    result = linked(["0-4 PER Q1", "9-14 LOC Q2|Q3"], ["0-4 PER Q1", "9-14 LOC Q3"])
    assert scored(result, *BOTH) == [(2, 0, 0)] * 4
    told = result.scores(view="linking").outcomes
    assert told == tuple(
        OutcomeCount(
            view="linking",
            run="a",
            side="key",
            outcome=verdict,
            count=1,
            where=f'not negative and verdict("a") == "{verdict}"',
        )
        for verdict in ("TP", "conditional TP")
    )


def test_an_id_that_is_there_twice_is_one() -> None:
    assert called(linked("0-4 PER Q1|Q1", "0-4 PER Q1")) == [("key", "TP", 1)]


@pytest.mark.parametrize("wanted", ["Q1", "Q1|Q2"])
def test_another_id_is_a_false_positive_and_a_false_negative(wanted: str) -> None:
    result = linked(f"0-4 PER {wanted}", "0-4 PER Q9")
    assert scored(result, *BOTH, "certain", "hit") == [(0, 1, 1)] * 6
    assert called(result) == [("key", "wrong id", 1), ("system", "wrong id", 1)]
    assert values(result) == [(f"PER→{wanted}[0:4]", "PER→Q9[0:4]")]


def test_no_id_is_nil() -> None:
    assert scored(linked("0-4 PER", "0-4 PER"), *STRICT) == [NOTHING] * 2
    assert scored(linked("0-4 PER", "0-4 PER Q1"), *STRICT) == [(0, 1, 0)] * 2
    assert scored(linked("0-4 PER Q1", "0-4 PER"), *STRICT) == [(0, 0, 1)] * 2


@pytest.mark.parametrize(
    "nil",
    first_few(
        3,
        [
            "NIL",
            *(each for each in ("<NIL>", "NIL0001", "--NME--", "*null*", "nil")),
        ],
    ),
)
def test_nil_has_many_spellings(nil: str) -> None:
    assert called(linked(f"0-4 PER {nil}", "0-4 PER NIL"))[0] == ("key", "TN, left out: no id", 1)
    assert scored(linked("0-4 PER Q1", f"0-4 PER {nil}"), "end_to_end") == [(0, 0, 1)]


def test_two_spellings_of_nil_are_no_difference() -> None:
    found = linked("0-4 PER Q1", "0-4 PER NIL0001", "0-4 PER --NME--").difference("a", "b")
    assert (found.different, found.same_error) == (0, 1)


def test_long_numbers_are_ids_too() -> None:
    spans = [[{"begin": 0, "end": 4, "label": "PER", "id": number}] for number in (123_456_789, 123_456_780)]
    key, system = ([{"id": "d", "text": TEXT, "spans": each}] for each in spans)
    result = cp.compare(key, {"same": key, "other": system}, task="link", resamples=0)
    assert scored(result, "end_to_end", system="same") == [(1, 0, 0)]
    assert scored(result, "end_to_end", system="other") == [(0, 1, 1)]


def test_a_list_of_ids_is_not_dropped_quietly() -> None:
    spans = [[{"begin": 0, "end": 4, "label": "PER", "id": given}] for given in (["Q1", "Q2"], "Q2")]
    key, system = ([{"id": "d", "text": TEXT, "spans": each}] for each in spans)
    try:
        result = cp.compare(key, {"a": system}, task="link", resamples=0)
    except InputError:
        return
    assert called(result) == [("key", "conditional TP", 1)]


# Mentions without a partner


def test_a_missed_mention_with_an_id_is_the_taggers() -> None:
    result = linked("0-4 PER Q1", ())
    assert scored(result, "end_to_end", "end_to_end_fuzzy", "certain") == [(0, 0, 1)] * 3
    assert scored(result, "linking", "linking_fuzzy", "hit") == [NOTHING] * 3
    assert called(result) == [("key", "missed", 1)]
    assert called(result, "linking") == [("key", "missed, left out: tagger", 1)]


def test_a_spurious_mention_with_an_id_is_the_taggers() -> None:
    result = linked((), "0-4 PER Q1")
    assert scored(result, "end_to_end", "end_to_end_fuzzy", "certain") == [(0, 1, 0)] * 3
    assert scored(result, "linking", "linking_fuzzy", "hit") == [NOTHING] * 3
    assert called(result) == [("system", "spurious", 1)]


def test_without_a_partner_nil_is_nothing() -> None:
    result = linked("0-4 PER NIL", "9-14 LOC NIL", ())
    assert scored(result, *BOTH, "certain", "hit") == [NOTHING] * 6
    assert called(result) == [("key", "NIL, left out: no id", 1), ("system", "NIL, left out: no id", 1)]
    assert result.error_sources("a", "b").count("none", "none") == 2


def test_a_mention_in_another_document_is_no_partner() -> None:
    key = [document("0-4 PER Q1"), document(name="e")]
    system = [document(), document("0-4 PER Q1", name="e")]
    assert scored(cp.compare(key, {"a": system}, task="link", resamples=0), *STRICT) == [(0, 1, 1), NOTHING]


def test_a_key_mention_is_used_once() -> None:
    result = linked("0-4 PER Q1", ["0-4 PER Q1", "0-4 PER Q1"])
    assert scored(result, *BOTH) == [(1, 1, 0), (1, 0, 0), (1, 1, 0), (1, 0, 0)]
    assert called(result) == [("key", "TP", 1), ("system", "spurious", 1)]
    assert values(result) == [("PER→Q1[0:4]", "PER→Q1[0:4]×2")]


def test_of_two_mentions_of_one_extent_the_right_id_is_the_partner() -> None:
    wrong_first = ["0-4 PER Q1", "0-4 PER Q7"]
    assert scored(linked("0-4 PER Q7", wrong_first), *STRICT) == [(1, 1, 0), (1, 0, 0)]
    assert scored(linked(wrong_first, "0-4 PER Q7"), *STRICT) == [(1, 0, 1), (1, 0, 0)]


def test_two_key_mentions_of_one_extent_are_two_items() -> None:
    result = linked(["0-4 PER Q1", "0-4 PER Q2"], ["0-4 PER Q2", "0-4 PER Q1"])
    assert scored(result, *BOTH) == [(2, 0, 0)] * 4


@pytest.mark.parametrize("key", [["0-4 PER Q1", "0-4 PER Q1|Q2"], ["0-4 PER Q1|Q2", "0-4 PER Q1"]])
def test_mentions_that_differ_in_later_ids_alone_are_told_apart_by_them(key: list[str]) -> None:
    assert scored(linked(key, ["0-4 PER Q1", "0-4 PER Q2"]), *STRICT) == [(2, 0, 0)] * 2


@pytest.mark.parametrize("said", [["0-4 PER Q9|Q1", "0-4 PER Q9|Q2"], ["0-4 PER Q9|Q2", "0-4 PER Q9|Q1"]])
def test_so_are_those_of_systems(said: list[str]) -> None:
    assert scored(linked("0-4 PER Q1", said), "hit") == [(1, 0, 0)]


# Types


def test_the_wrong_type_is_the_taggers_error() -> None:
    result = linked("0-4 PER Q1", "0-4 LOC Q1")
    assert scored(result, "end_to_end", "end_to_end_fuzzy", "certain") == [(0, 1, 1)] * 3
    assert scored(result, "linking", "linking_fuzzy", "hit") == [NOTHING] * 3
    assert called(result) == [("key", "wrong type", 1), ("system", "wrong type", 1)]
    assert called(result, "linking") == [
        ("key", "wrong type, left out: tagger", 1),
        ("system", "wrong type, left out: tagger", 1),
    ]
    assert values(result) == [("PER→Q1[0:4]", "LOC→Q1[0:4]")]


def test_types_may_not_matter() -> None:
    result = linked("0-4 PER Q1", "0-4 LOC Q1", parameters={"types": 0})
    assert scored(result, *BOTH, "certain", "hit") == [(1, 0, 0)] * 6
    assert called(result) == [("key", "TP", 1)]
    assert values(result) == [("PER→Q1[0:4]", "PER→Q1[0:4]")]
    assert scored(linked("0-4 PER Q1", "0-4 LOC Q1", parameters={"types": 1}), "end_to_end") == [(0, 1, 1)]


def test_a_right_type_is_preferred_where_types_do_not_matter() -> None:
    key, system = ["0-4 PER Q1", "0-4 LOC Q2"], ["0-4 LOC Q1", "0-4 PER Q2"]
    assert scored(linked(key, system, parameters={"types": 0}), *STRICT) == [(0, 2, 2)] * 2
    assert scored(linked(key, system), *STRICT) == [(0, 2, 2)] * 2


def test_a_type_that_is_wrong_for_one_id_is_wrong_for_the_other_side_too() -> None:
    """Only what has an id is an item."""
    assert scored(linked("0-4 PER NIL", "0-4 LOC Q1"), *STRICT) == [(0, 1, 0), NOTHING]
    assert scored(linked("0-4 PER Q1", "0-4 LOC NIL"), *STRICT) == [(0, 0, 1), NOTHING]


def test_nil_of_another_type_is_wrong_at_its_site() -> None:
    assert values(linked("0-4 PER NIL", "0-4 LOC NIL")) == [("PER→NIL[0:4]", "LOC→NIL[0:4]")]


def test_nil_of_another_type_is_right_at_its_site_where_types_do_not_matter() -> None:
    result = linked("0-4 PER NIL", "0-4 LOC NIL", parameters={"types": 0})
    assert values(result) == [("PER→NIL[0:4]", "PER→NIL[0:4]")]


# Fuzzy pairs and low confidence: the same classes, with their flags


@pytest.mark.parametrize(
    ("wanted", "said", "outcomes", "expected"),
    [
        ("NIL", "NIL", ["TN", "TN"], NOTHING),
        ("NIL", "Q1", ["TN", "id for NIL"], (0, 1, 0)),
        ("Q1", "NIL", ["NIL for id", "NIL for id"], (0, 0, 1)),
        ("Q1", "Q1", ["TP"], (1, 0, 0)),
        ("Q1|Q2", "Q2", ["conditional TP"], (1, 0, 0)),
        ("Q1", "Q2", ["wrong id", "wrong id"], (0, 1, 1)),
    ],
)
@pytest.mark.parametrize("low", first_few(1, ["", " low"]))
@pytest.mark.parametrize("extent", first_few(1, ["0-4", "0-8"]))
def test_flags_leave_classes_as_they_are(
    extent: str, low: str, wanted: str, said: str, *, outcomes: list[str], expected: Counts
) -> None:
    result = linked(f"0-4 PER {wanted}{low}", f"{extent} PER {said}")
    assert scored(result, *FUZZY) == [expected] * 2
    flags = ", ".join([*(["fuzzy"] if extent == "0-8" else []), *(["low confidence"] if low else [])])
    found = [
        name.partition(",")[0] if "left" in name and not flags else name for _, name, _ in called(result, FUZZY[0])
    ]
    written = [f"{name} ({flags})" if flags else name for name in outcomes]
    assert [name.removesuffix(", left out: no id") for name in found] == written
    if extent == "0-8":  # the tagger's errors, unless overlaps are pairs
        assert scored(result, *STRICT) == [(0, int(said != "NIL"), int(wanted != "NIL")), NOTHING]
    else:
        assert scored(result, *STRICT) == [expected] * 2


def test_certain_leaves_out_uncertain_key_mentions_and_what_was_said_of_them() -> None:
    key = ["0-4 PER Q1 low", "9-14 LOC Q2 high", "19-23 PER Q3 low", "24-27 PER Q4"]
    result = linked(key, ["0-4 PER Q1", "9-14 LOC Q2", "19-23 PER Q9", "31-34 LOC Q5"])
    assert scored(result, "end_to_end", "certain") == [(2, 2, 2), (1, 1, 1)]
    assert called(result, "certain") == [
        ("key", "TP", 1),
        ("key", "TP, left out: low confidence", 1),
        ("key", "missed", 1),
        ("key", "wrong id, left out: low confidence", 1),
        ("system", "TP, left out: low confidence", 1),
        ("system", "spurious", 1),
        ("system", "wrong id, left out: low confidence", 1),
    ]


def test_an_uncertain_key_mention_that_was_missed_has_its_flag() -> None:
    assert called(linked("0-4 PER Q1 low", ())) == [("key", "missed (low confidence)", 1)]


def test_the_closest_overlap_is_the_partner() -> None:
    result = linked("19-27 PER Q1", ["19-23 PER Q2", "19-28 PER Q1"])
    assert scored(result, *BOTH) == [(0, 2, 1), NOTHING, (1, 1, 0), (1, 0, 0)]


def test_of_overlaps_as_close_the_right_id_is_the_partner() -> None:
    result = linked("20-26 PER Q2", ["19-25 PER Q1", "21-27 PER Q2"])
    assert scored(result, "linking_fuzzy") == [(1, 0, 0)]


def test_touching_is_no_overlap_and_neither_is_another_type() -> None:
    assert scored(linked("0-4 PER Q1", "4-8 PER Q1"), "linking_fuzzy") == [NOTHING]
    assert scored(linked("0-4 PER Q1", "1-4 LOC Q1"), "linking_fuzzy") == [NOTHING]
    assert scored(linked("0-4 PER Q1", "1-4 LOC Q1", parameters={"types": 0}), "linking_fuzzy") == [(1, 0, 0)]


def test_an_exact_partner_comes_before_an_overlapping_one() -> None:
    result = linked(["19-27 PER Q1", "19-23 PER Q2"], ["19-23 PER Q1", "19-27 PER Q2"])
    assert scored(result, *BOTH) == [(0, 2, 2)] * 4


def test_a_mention_in_pieces_has_not_the_extent_of_one_without() -> None:
    whole = {"begin": 19, "end": 27, "label": "PER", "id": "Q1"}
    pieces = [{**whole, "fragments": [[19, 23], [24, 27]]}]
    key, system = ([{"id": "d", "text": TEXT, "spans": spans}] for spans in ([whole], pieces))
    result = cp.compare(key, {"a": system}, task="link", resamples=0)
    assert scored(result, *BOTH) == [(0, 1, 1), NOTHING, (1, 0, 0), (1, 0, 0)]
    assert values(result) == [("PER→Q1[0:8]", "PER→Q1[0:4,5:8]")]


# Several ids of a system


def test_the_first_id_decides() -> None:
    result = linked("0-4 PER Q1", "0-4 PER Q2|Q1")
    assert scored(result, *BOTH) == [(0, 1, 1)] * 4
    assert values(result) == [("PER→Q1[0:4]", "PER→Q2[0:4]")]
    assert scored(result, "hit") == [(1, 0, 0)]


@pytest.mark.parametrize(("n", "expected"), [(1, (0, 1, 1)), (2, (0, 1, 1)), (3, (1, 0, 0)), (5, (1, 0, 0))])
def test_a_hit_is_one_of_the_first_n_ids(n: int, expected: Counts) -> None:
    result = linked("0-4 PER Q1", "0-4 PER Q2|Q3|Q1", parameters={"n": n})
    assert scored(result, "hit", "end_to_end") == [expected, (0, 1, 1)]


def test_hits_are_looked_for_among_the_first_five_ids() -> None:
    assert scored(linked("0-4 PER Q1", "0-4 PER Q5|Q4|Q3|Q2|Q1"), "hit") == [(1, 0, 0)]
    assert scored(linked("0-4 PER Q1", "0-4 PER Q6|Q5|Q4|Q3|Q2|Q1"), "hit") == [(0, 1, 1)]


def test_nil_may_be_the_first_of_several_ids_of_a_system() -> None:
    result = linked("0-4 PER Q1", "0-4 PER NIL|Q1")
    assert scored(result, *BOTH) == [(0, 0, 1)] * 4
    assert scored(result, "hit") == [(1, 0, 0)]


def test_nil_of_system_and_key_is_no_hit() -> None:
    assert scored(linked("0-4 PER NIL", "0-4 PER Q1|NIL"), "hit") == [(0, 1, 0)]


def test_a_hit_needs_the_right_mention() -> None:
    assert scored(linked("0-4 PER Q1", "0-8 PER Q1"), "hit") == [NOTHING]


@pytest.mark.parametrize(
    "wanted",
    [
        "Q1|NIL",
        "NIL|Q1",
    ],
)
def test_the_order_in_which_a_key_lists_nil_beside_an_id_decides_nothing(wanted: str) -> None:
    result = linked(f"0-4 PER {wanted}", "0-4 PER Q1")
    assert scored(result, *BOTH, "hit") == [(1, 0, 0)] * 5
    assert values(result) == [("PER→Q1[0:4]", "PER→Q1[0:4]")]


# End to end and linking alone


def test_end_to_end_and_linking_alone_are_told_apart() -> None:
    key = ["0-4 PER Q1", "9-14 LOC Q2", "19-27 PER Q3|Q4", "31-39 LOC NIL"]
    system = ["0-4 PER Q1", "9-14 ORG Q2", "19-23 PER Q4", "31-39 LOC Q8", "35-39 LOC Q9"]
    result = linked(key, system)
    assert scored(result, *BOTH) == [(1, 4, 2), (1, 1, 0), (2, 3, 1), (2, 1, 0)]
    assert called(result) == [
        ("key", "TN, left out: no id", 1),
        ("key", "TP", 1),
        ("key", "missed (fuzzy)", 1),
        ("key", "wrong type", 1),
        ("system", "id for NIL", 1),
        ("system", "spurious", 1),
        ("system", "spurious (fuzzy)", 1),
        ("system", "wrong type", 1),
    ]


def test_each_system_has_mentions_of_its_own_in_linking_alone() -> None:
    result = linked(["0-4 PER Q1", "9-14 LOC Q2"], ["0-4 PER Q1"], ["0-4 PER Q1", "9-14 LOC Q9"])
    assert scored(result, "linking", system="a") == [(1, 0, 0)]
    assert scored(result, "linking", system="b") == [(1, 1, 1)]
    assert scored(result, "end_to_end", system="a") == [(1, 0, 1)]
    found = result.scores("recall", view="linking")
    assert [(score.part, score.whole) for score in found.scores] == [(1, 1), (1, 2)]


# Nothing to judge


def test_without_mentions_all_scores_are_undefined() -> None:
    result = linked((), ())
    for view in (*BOTH, "certain", "hit"):
        assert [score.value for score in result.scores("precision", "recall", "f1", view=view).scores] == [None] * 3


def test_without_ids_there_are_no_links_and_a_note_says_so() -> None:
    result = linked(["0-4 PER", "9-14 LOC NIL"], ["0-4 PER", "9-14 LOC"], "0-4 PER Q1")
    what = "no mention has an id, so there are no links"
    assert [(note.side, note.count) for note in result.notes if note.what == what] == [("key", 2), ("a", 2)]
    assert scored(result, *BOTH, "certain", "hit") == [NOTHING] * 6
    assert result.scores("f1").value("a") is None


def test_a_side_with_ids_has_no_such_note() -> None:
    assert [str(note) for note in linked("0-4 PER Q1", "0-4 PER Q1").notes] == []


# Ids that mean the same


@pytest.mark.parametrize("lines", first_few(3, ["a b\nb\tc\n", "b c\na b\n", "c b\nb a\n", "a c\nb c\n", "a b c\n"]))
def test_ids_may_mean_the_same(lines: str, tmp_path: Path) -> None:
    file = tmp_path / "same.tsv"
    file.write_text(lines)
    key, systems = ["0-4 PER a", "9-14 LOC c|d"], (["0-4 PER c", "9-14 LOC a"], ["0-4 PER d", "9-14 LOC b"])
    result = linked(key, *systems, same_ids=str(file))
    assert scored(result, "end_to_end", system="a") == [(2, 0, 0)]
    assert scored(result, "end_to_end", system="b") == [(1, 1, 1)]
    assert called(result)[0] == ("key", "TP", 1)
    assert values(result)[0] == ("PER→a[0:4]", "PER→a[0:4]", "PER→d[0:4]")
    assert "same_ids:3" in str(result.signature)
    assert scored(linked(key, *systems), "end_to_end") == [(0, 2, 2)]


def test_several_ids_that_mean_the_same_are_one(tmp_path: Path) -> None:
    file = tmp_path / "same.tsv"
    file.write_text("a b\n")
    assert called(linked("0-4 PER a|b", "0-4 PER b", same_ids=str(file))) == [("key", "TP", 1)]
    assert called(linked("0-4 PER a|b", "0-4 PER b")) == [("key", "conditional TP", 1)]
    ranks = linked("0-4 PER c", "0-4 PER a|b|c", same_ids=str(file), parameters={"n": 2})
    assert scored(ranks, "hit") == [(1, 0, 0)]


# Sites (DEFINITIONS 1)


def test_what_is_judged_right_is_written_as_in_the_key() -> None:
    result = linked("0-4 PER Q2|Q1", "0-4 PER Q1", "0-4 PER Q2")
    assert values(result) == [("PER→Q1|Q2[0:4]",) * 3]
    found = result.difference("a", "b")
    assert (found.sites, found.different, found.same_right) == (1, 0, 1)


def test_wrong_values_are_compared_as_they_are() -> None:
    found = linked("0-4 PER Q1", "0-4 PER Q2", "0-4 PER Q3", "0-4 PER Q3|Q1").difference("a", "b", keyed_by="value")
    assert found.of("changed_error").transitions[0].count == 1
    assert (found.of("changed_error").count, found.same_error) == (1, 0)
    result = linked("0-4 PER Q1", "0-4 PER Q2", "0-4 PER Q3", "0-4 PER Q3|Q1")
    assert result.difference("b", "c").same_error == 1


def test_correctness_at_a_site_is_exact() -> None:
    result = linked("0-4 PER Q1", "0-8 PER Q1")
    assert scored(result, "end_to_end_fuzzy") == [(1, 0, 0)]
    assert values(result) == [("PER→Q1[0:4]", "PER→Q1[0:8]")]
    assert result.scores("accuracy").value("a") == 0


def test_a_correction_and_a_new_error_are_those_of_links() -> None:
    result = linked(["0-4 PER Q1", "9-14 LOC Q2"], ["0-4 PER Q1", "9-14 LOC Q9"], ["0-4 PER Q9", "9-14 LOC Q2"])
    found = result.difference("a", "b")
    assert {each.name: each.count for each in found.classes} == {"correction": 1, "new_error": 1, "changed_error": 0}
    assert result.count("id_changed", "a", "b") == 2
    assert result.count("label_changed or extent_changed", "a", "b") == 0
    assert result.count('correction and label == "LOC"', "a", "b") == 1


def test_arrows_in_labels_and_ids_are_told_from_the_one_between_them() -> None:
    result = linked("0-4 A B→C", "0-4 A→B C")
    assert scored(result, "end_to_end") == [(0, 1, 1)]
    assert result.scores("accuracy").value("a") == 0


# Whose errors


def test_errors_have_a_source() -> None:
    key = ["0-4 PER Q1", "9-14 LOC Q2", "19-27 PER Q3", "31-39 LOC Q4"]
    one = ["0-4 PER Q1", "9-14 LOC Q9", "31-39 ORG Q4"]  # none, resolver, tagger, tagger
    two = ["0-4 PER NIL", "9-14 LOC Q8", "19-27 PER Q3", "31-34 LOC Q4"]  # resolver, resolver, none, tagger
    found = linked(key, one, two).error_sources("a", "b")
    assert (found.base, found.new, found.view, found.sites) == ("a", "b", "end_to_end", 4)
    assert {(cell.base, cell.new): cell.sites for cell in found.cells if cell.sites} == {
        ("none", "resolver"): 1,
        ("resolver", "resolver"): 1,
        ("tagger", "none"): 1,
        ("tagger", "tagger"): 1,
    }
    assert found.count("none", "resolver") == 1
    assert found.count("resolver", "tagger") == 0


def test_a_fuzzy_pair_is_the_resolvers_in_the_fuzzy_view_alone() -> None:
    result = linked("0-4 PER Q1", "0-8 PER Q2", "0-8 PER Q1")
    assert result.error_sources("a", "b").count("tagger", "tagger") == 1
    assert result.error_sources("a", "b", view="end_to_end_fuzzy").count("resolver", "none") == 1


def test_what_linking_leaves_out_is_nobodys_error_there() -> None:
    result = linked(["0-4 PER Q1", "9-14 LOC Q2"], ["0-4 PER Q9"], ["9-14 ORG Q2"])
    assert result.error_sources("a", "b").count("resolver", "tagger") == 1
    assert result.error_sources("a", "b").count("tagger", "tagger") == 1
    alone = result.error_sources("a", "b", view="linking")
    assert alone.sources == ("none", "resolver")
    assert [(cell.base, cell.new, cell.sites) for cell in alone.cells] == [
        ("none", "none", 1),
        ("none", "resolver", 0),
        ("resolver", "none", 1),
        ("resolver", "resolver", 0),
    ]


def test_views_without_sources_say_so() -> None:
    result = linked("0-4 PER Q1", "0-4 PER Q1", "0-4 PER Q2")
    with pytest.raises(UsageError, match="the view 'hit' has no error sources"):
        result.error_sources("a", "b", view="hit")
    assert result.difference("a", "b", view="hit").sources is None


# The rest of the pipeline


def test_examples_show_ids_and_verdicts() -> None:
    result = linked("0-4 PER Q1|Q2", "0-4 PER Q2", "0-4 PER Q3")
    (example,) = result.examples("new_error", "a", "b").examples
    printed = str(result.examples("new_error", "a", "b"))
    assert example.document == "d"
    for part in ("PER→Q1|Q2", "PER→Q3", "conditional TP", "wrong id"):
        assert part in printed


def test_the_watchful_engine_finds_nothing_else() -> None:
    key, system = ["0-4 PER Q1", "9-14 LOC Q2|Q3"], ["0-4 PER Q9|Q1", "9-14 LOC Q3", "9-15 LOC Q3"]
    watched, plain = (linked(key, system, paranoid=paranoid) for paranoid in (True, False))
    assert [called(watched, view) for view in BOTH] == [called(plain, view) for view in BOTH]


def test_labels_may_be_left_out() -> None:
    result = linked(["0-4 PER Q1", "9-14 LOC Q2"], ["0-4 PER Q9", "9-14 LOC Q2"], only_label=["LOC"])
    assert scored(result, *STRICT) == [(1, 0, 0)] * 2
    assert values(result) == [("LOC→Q2[0:5]", "LOC→Q2[0:5]")]


def test_scores_are_by_label_as_well() -> None:
    result = linked(["0-4 PER Q1", "9-14 LOC Q2"], ["0-4 PER Q9", "9-14 LOC Q2"])
    assert counts(result, "a", view="end_to_end", label="LOC") == (1, 0, 0)
    assert counts(result, "a", view="end_to_end", label="PER") == (0, 1, 1)


# Entities of documents


def test_at_the_document_level_the_first_id_is_the_entity() -> None:
    key = [document("0-4 PER Q1", "19-23 PER Q1")]
    for said, expected in (("Q1|Q2", (1, 0, 0)), ("Q2|Q1", (1, 0, 0)), ("NIL|Q1", (1, 0, 0))):
        system = [document(f"0-4 PER {said}")]
        for task in ("span", "link"):
            result = cp.compare(key, {"a": system}, task=task, rules="document", resamples=0)
            assert scored(result, "document") == [expected]
    system = [document("0-4 PER Q1|Q9", "19-23 PER Q1|Q8")]
    result = cp.compare(key, {"a": system}, task="span", rules="document", resamples=0)
    assert scored(result, "document") == [(1, 0, 0)]
    apart = [document("0-4 PER Q9|Q1", "19-23 PER Q8|Q1")]
    result = cp.compare(key, {"a": apart}, task="span", rules="document", resamples=0)
    precision = result.scores("precision", view="document").scores[0]
    assert (precision.part, precision.whole) == (2, 2)  # two entities of the system


def test_at_the_document_level_nil_is_no_entity_but_its_text_is() -> None:
    key = [document("0-4 PER NIL", "19-23 PER NIL")]  # Anna, Mary
    result = cp.compare(key, {"a": key}, task="span", rules="document", resamples=0)
    assert scored(result, "document") == [(2, 0, 0)]


def test_at_the_document_level_ids_may_mean_the_same(tmp_path: Path) -> None:
    file = tmp_path / "same.tsv"
    file.write_text("Q1 Q5\n")
    key = [document("0-4 PER Q1", "19-23 PER Q5")]
    for same, entities in ((str(file), 1), (None, 2)):
        result = cp.compare(key, {"a": key}, task="span", rules="document", resamples=0, same_ids=same)
        assert scored(result, "document") == [(entities, 0, 0)]


def test_links_may_be_judged_by_rules_that_look_at_no_ids() -> None:
    result = linked("0-4 PER Q1", "0-4 PER Q2", rules="exact")
    assert scored(result, "exact") == [(1, 0, 0)]
    assert values(result) == [("PER→Q1[0:4]", "PER→Q1[0:4]")]


def test_ids_beyond_the_first_n_are_not_there() -> None:
    """NIL first, and the right id behind it: with n = 1 the system claims nothing, as in linking."""
    result = linked("0-4 PER Q1", "0-4 PER NIL|Q1", parameters={"n": 1})
    assert scored(result, "linking", "hit") == [(0, 0, 1), (0, 0, 1)]
    assert scored(linked("0-4 PER Q1", "0-4 PER NIL|Q1", parameters={"n": 2}), "hit") == [(1, 0, 0)]
