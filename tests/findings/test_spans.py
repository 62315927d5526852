"""The spans around overlap sites, and what rules made of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import comparanda as cp
from comparanda.core.excerpts import Texts
from comparanda.findings.examples import Example
from comparanda.result import Result
from comparanda.tasks.spans.examples import MOST_SPANS, MOST_WORDS, ItemVerdict, Piece, Span, Stretch
from tests.cli.golden import assert_golden
from tests.seeds import draws

DEMO = Path(cp.__file__).parent / "demo" / "entities"
TEXT = "Ann Smith met Bob in Leeds ."

Given = tuple[int, int, str]  # begin, end, label


def document(text: str, *spans: Given | tuple[list[tuple[int, int]], str], name: str = "d") -> dict[str, Any]:
    """Make a document whose spans count characters; one in pieces is a list of these and a label."""
    written = [
        {"begin": each[0], "end": each[1], "label": each[2]}
        if len(each) == 3
        else {"fragments": [list(piece) for piece in each[0]], "label": each[1]}
        for each in spans
    ]
    return {"id": name, "text": text, "spans": written}


def of(label: str, text: str, inside: str = TEXT) -> Given:
    """Return the span of a text inside another."""
    return inside.index(text), inside.index(text) + len(text), label


def compared(key: Sequence[Mapping[str, Any]], *systems: Sequence[Mapping[str, Any]], **options: Any) -> Result:
    named = {f"s{number}": each for number, each in enumerate(systems, start=1)}
    return cp.compare(key, named, task="span", resamples=0, **options)


def tagged(*sentences: str) -> list[dict[str, list[str]]]:
    """Make sentences of words with tags: `Ann/B-PER left`."""
    pairs = [[(*word.split("/"), "O")[:2] for word in sentence.split()] for sentence in sentences]
    return [{"tokens": [word for word, _ in each], "tags": [tag for _, tag in each]} for each in pairs]


def only(found: cp.Examples | Result) -> Example:
    (example,) = (found.examples() if isinstance(found, Result) else found).examples
    return example


def stretch_of(example: Example) -> Stretch:
    assert example.stretch is not None
    return example.stretch


def drawn(example: Example) -> dict[str, list[tuple[str, tuple[tuple[int, ...], ...]]]]:
    """Return for each side the labels and the words of its spans."""
    return {
        line.side: [(span.label, tuple((piece.begin, piece.end) for piece in span.pieces)) for span in line.spans]
        for line in stretch_of(example).sides
    }


def verdicts(item: ItemVerdict) -> tuple[str, str, bool, dict[str, str]]:
    return item.label, item.text, item.positive, {each.run: f"{each.verdict}: {each.rule}" for each in item.verdicts}


# Which spans


def test_the_spans_of_all_sides_are_given_by_words() -> None:
    key = [document(TEXT, of("PER", "Ann Smith"), of("PER", "Bob"), of("LOC", "Leeds"))]
    new = [document(TEXT, of("PER", "Smith"), of("ORG", "Bob in Leeds"))]
    first, second = compared(key, new).examples().examples
    assert stretch_of(first).words == ("Ann", "Smith", "met", "Bob", "in", "Leeds", ".")
    assert (stretch_of(first).begin, stretch_of(first).end) == (1, 2)
    assert (stretch_of(second).begin, stretch_of(second).end) == (4, 6)
    expected = {
        "key": [("PER", ((1, 2),)), ("PER", ((4, 4),)), ("LOC", ((6, 6),))],
        "s1": [("PER", ((2, 2),)), ("ORG", ((4, 6),))],
    }
    assert drawn(first) == drawn(second) == expected


def test_a_span_says_whether_it_is_right_and_belongs_to_the_site() -> None:
    key = [document(TEXT, of("PER", "Ann Smith"), of("PER", "Bob"))]
    new = [document(TEXT, of("PER", "Ann Smith"), of("LOC", "Bob"))]
    first, second = compared(key, new).examples().examples
    _, line = stretch_of(first).sides
    assert [(span.label, span.right, span.here) for span in line.spans] == [("PER", True, True), ("LOC", False, False)]
    _, line = stretch_of(second).sides
    assert [(span.label, span.right, span.here) for span in line.spans] == [("PER", True, False), ("LOC", False, True)]


def test_a_span_that_a_side_has_twice_is_right_only_if_the_key_has_it_twice() -> None:
    bob = of("PER", "Bob")
    once, twice = [document(TEXT, bob)], [document(TEXT, bob, bob)]
    lines = stretch_of(only(compared(twice, once, twice))).sides
    assert [[(span.count, span.right) for span in line.spans] for line in lines] == [
        [(2, True)],
        [(1, False)],
        [(2, True)],
    ]


def test_nested_spans_stand_in_the_order_of_the_text() -> None:
    key = [document(TEXT, of("EVENT", TEXT), of("LOC", "Leeds"), of("PER", "Ann Smith"), of("PER", "Ann"))]
    assert drawn(only(compared(key, key)))["s1"] == [
        ("PER", ((1, 1),)),
        ("PER", ((1, 2),)),
        ("EVENT", ((1, 7),)),
        ("LOC", ((6, 6),)),
    ]


def test_spans_of_tokens_are_given_by_words_too() -> None:
    key = tagged("Ann/B-PER Smith/I-PER met Bob/B-PER", "in Leeds/B-LOC")
    new = tagged("Ann/B-PER Smith met Bob/B-PER", "in Leeds/B-LOC")
    example = only(compared(key, new).examples('not right("s1")'))
    assert stretch_of(example).words == ("Ann", "Smith", "met", "Bob")
    assert drawn(example) == {
        "key": [("PER", ((1, 2),)), ("PER", ((4, 4),))],
        "s1": [("PER", ((1, 1),)), ("PER", ((4, 4),))],
    }


def test_other_tasks_have_no_stretch() -> None:
    found = cp.compare(tagged("a/X b/Y"), {"s": tagged("a/X b/X")}, task="tag", resamples=0).examples("true")
    assert [example.stretch for example in found.examples] == [None, None]


# Who is shown


THREE = (
    [document(TEXT, of("PER", "Ann Smith"), of("LOC", "Leeds"))],
    [document(TEXT, of("PER", "Ann"), of("LOC", "Leeds"))],
    [document(TEXT, of("PER", "Smith"), of("LOC", "Leeds"))],
    [document(TEXT, of("ORG", "Ann Smith met Bob"), of("LOC", "Leeds"))],
)


def test_a_pair_is_shown_alone_at_its_own_sites() -> None:
    """A third system has no part in the site, so nothing is said of it: neither spans nor answers nor verdicts."""
    example = only(compared(*THREE).examples("differs", "s1", "s2"))
    assert [line.side for line in stretch_of(example).sides] == ["key", "s1", "s2"]
    assert [answer.run for answer in example.answers] == ["s1", "s2"]
    assert {each.run for item in stretch_of(example).items for each in item.verdicts} == {"s1", "s2"}
    assert (stretch_of(example).begin, stretch_of(example).end) == (1, 2)


def test_all_systems_are_shown_where_the_site_is_everybodys() -> None:
    example = only(compared(*THREE).examples("solved_by == 0", "s1", "s2"))
    assert [line.side for line in stretch_of(example).sides] == ["key", "s1", "s2", "s3"]
    assert [answer.run for answer in example.answers] == ["s1", "s2", "s3"]
    assert (stretch_of(example).begin, stretch_of(example).end) == (1, 4)


def test_a_third_system_changes_nothing_about_a_pair() -> None:
    alone, beside = compared(*THREE[:3]), compared(*THREE)
    assert alone.examples("true", "s1", "s2").examples == beside.examples("true", "s1", "s2").examples


# Which words


def words(count: int, first: int = 1) -> str:
    return " ".join(f"w{number}" for number in range(first, first + count))


def test_of_a_long_sentence_the_words_around_the_site_are_shown() -> None:
    text = words(200)
    stretch = stretch_of(only(compared([document(text, of("X", "w101 w102", text))], [document(text)])))
    assert len(stretch.words) == MOST_WORDS
    assert (stretch.words_before, stretch.words_after) == (81, 79)
    assert stretch.words[0] == "w82"
    assert stretch.words[stretch.begin - 1 : stretch.end] == ("w101", "w102")


@pytest.mark.parametrize(("sought", "before", "after"), [("w1 ", 0, 160), ("w200", 160, 0), ("w150", 130, 30)])
def test_at_the_ends_of_a_sentence_more_of_the_other_side_is_shown(sought: str, before: int, after: int) -> None:
    text = words(200)
    stretch = stretch_of(only(compared([document(text, of("X", sought.strip(), text))], [document(text)])))
    assert (stretch.words_before, len(stretch.words), stretch.words_after) == (before, 40, after)
    assert stretch.words[stretch.begin - 1] == sought.strip()


def test_a_site_that_crosses_sentences_shows_them_all() -> None:
    text = "One two\nthree four\n\nfive six\nseven"
    stretch = stretch_of(only(compared([document(text, (4, 24, "X"))], [document(text)])))
    assert stretch.words == ("One", "two", "three", "four", "five", "six")
    assert (stretch.begin, stretch.end) == (2, 5)
    assert stretch.items[0].text == "two three four five"


def test_a_site_too_long_to_be_shown_shows_its_begin_and_counts_the_spans_behind() -> None:
    text = words(200)
    key = [document(text, (4 * 3 - 3, len(text), "LONG"), of("IN", "w12", text), of("OUT", "w150", text))]
    stretch = stretch_of(only(compared(key, [document(text, of("OUT", "w160", text))])))
    assert stretch.words == tuple(words(40).split())
    assert (stretch.begin, stretch.end, stretch.words_after) == (4, 41, 160)
    assert [(span.label, span.pieces[0].end) for span in stretch.sides[0].spans] == [("LONG", 41), ("IN", 12)]
    assert stretch.undrawn == 2
    assert [(item.label, item.text) for item in stretch.items] == [("LONG", f"{words(40, 4)} …"), ("IN", "w12")]


def test_a_span_that_begins_before_the_words_shown_begins_with_number_0() -> None:
    text = words(100)
    spans = of("X", "w90", text), of("LONG", words(60, 2), text)
    result = compared([document(text, spans[0])], [document(text, of("Y", "w61", text), spans[1])])
    first, second = result.examples().examples
    assert drawn(first)["s1"] == [("LONG", ((2, 41),))]
    assert stretch_of(second).words[0] == "w61"
    assert drawn(second)["s1"] == [("LONG", ((0, 1),)), ("Y", ((1, 1),))]


def test_the_words_follow_each_other_as_in_the_text() -> None:
    text = "(Ann's dog)"
    stretch = stretch_of(only(compared([document(text, of("PER", "Ann's", text))], [document(text)])))
    assert stretch.words == ("(", "Ann", "'", "s", "dog", ")")
    assert stretch.glued == (2, 3, 4, 6)
    assert stretch_of(only(compared(tagged("( Ann/B-PER"), tagged("( Ann")))).glued == ()


def test_of_very_many_spans_those_of_the_site_are_kept() -> None:
    text = "aa bb"
    many = [(0, 2, f"L{number:03}") for number in range(MOST_SPANS + 7)]
    first, second = compared([document(text, (3, 5, "X"))], [document(text, *many)]).examples().examples
    assert (len(stretch_of(first).sides[1].spans), stretch_of(first).undrawn) == (MOST_SPANS, 7 + 1)
    assert [span.label for span in stretch_of(second).sides[0].spans] == ["X"]
    assert (len(stretch_of(second).sides[1].spans), stretch_of(second).undrawn) == (MOST_SPANS - 1, 7 + 1)


def test_without_texts_there_are_verdicts_but_no_words() -> None:
    result = compared(*THREE)
    bare = replace(result, verdicts=replace(result.verdicts, texts=Texts()))
    stretch = stretch_of(bare.examples("solved_by == 0").examples[0])
    assert (stretch.words, stretch.sides) == ((), ())
    assert (stretch.items[0].label, stretch.items[0].positive) == ("PER", True)


# Characters


def pieces(text: str, *spans: Any, key: Sequence[Any] = ()) -> list[tuple[tuple[Piece, ...], bool]]:
    """Return the pieces of spans in a text, and whether they are loose, as they stand in the first example."""
    found = compared([document(text, *key)], [document(text, *spans)]).examples().examples[0]
    return [(span.pieces, span.loose) for span in stretch_of(found).sides[1].spans]


def test_ends_inside_words_are_told_by_characters() -> None:
    text = "the Nordsee coast"
    assert pieces(text, of("A", "Nord", text), of("B", "see", text), of("C", "ord", text)) == [
        ((Piece(2, 2, 0, 3),), False),
        ((Piece(2, 2, 1, 3),), False),
        ((Piece(2, 2, 4, 0),), False),
    ]
    assert pieces(text, of("A", "see coa", text)) == [((Piece(2, 3, 4, 2),), False)]


def test_a_text_that_is_in_its_word_twice_is_told_by_other_spans_of_the_word_if_there_are_any() -> None:
    text = "a banana split"
    assert pieces(text, (5, 7, "AN")) == [((Piece(2, 2, 0, 0),), True)]
    assert pieces(text, (5, 7, "AN"), key=[of("X", "a banana", text)]) == [((Piece(2, 2, 3, 1),), False)]


def test_white_space_belongs_to_spans_that_are_not_well_cut() -> None:
    text = "in  Leeds\n now"
    assert pieces(text, (2, 8, "EARLY"), (5, 11, "LATE")) == [
        ((Piece(2, 2, -2, 1),), False),
        ((Piece(2, 2, 1, -2),), False),
    ]


def test_a_span_of_no_characters_covers_none_of_its_word() -> None:
    text = "in Leeds now"
    assert pieces(text, (5, 5, "X"), key=[(3, 8, "LOC")]) == [((Piece(2, 2, 2, 3),), False)]
    assert pieces(text, (5, 5, "X")) == [((Piece(2, 2, 0, 0),), True)]


def test_white_space_in_the_text_moves_nothing() -> None:
    text = "\n  Ann  \t met   Bob\ufeff in Leeds"
    found = pieces(
        text, of("A", "Ann", text), of("B", "ob", text), of("C", "in Leed", text), of("D", "Ann  \t met", text)
    )
    assert found == [
        ((Piece(1, 1, 0, 0),), False),
        ((Piece(1, 2, 0, 0),), False),
        ((Piece(3, 3, 1, 0),), False),
        ((Piece(4, 5, 0, 1),), False),
    ]


def test_ends_inside_words_are_told_of_spans_that_are_too_long_to_be_shown() -> None:
    text = words(100)
    begin, end = of("", "w11", text)[0] + 1, of("", "w61", text)[1] - 1
    result = compared([document(text, of("X", "w62", text))], [document(text, (begin, end, "LONG"))])
    assert [stretch_of(each).sides[1].spans[0].pieces for each in result.examples().examples] == [
        (Piece(6, 41, 1, 0),),
        (Piece(0, 19, 0, 1),),
    ]


def test_the_pieces_of_a_discontinuous_span_stand_at_their_words() -> None:
    text = "left and right ventricular failure"
    assert pieces(text, ([(0, 4), (15, 34)], "D")) == [((Piece(1, 1, 0, 0), Piece(4, 5, 0, 0)), False)]
    assert pieces(text, ([(1, 4), (10, 12), (15, 33)], "D")) == [
        ((Piece(1, 1, 1, 0), Piece(3, 3, 1, 2), Piece(4, 5, 0, 1)), False)
    ]
    example = only(compared([document(text, ([(0, 4), (27, 34)], "D"))], [document(text)]))
    assert stretch_of(example).items[0].text == "left … failure"


def test_pieces_outside_of_the_words_shown_stand_before_or_behind_them() -> None:
    text = words(100)
    parts = [of("", each, text)[:2] for each in ("w1", "w3", "w50", "w100")]
    key = [document(text, (parts, "D"), of("X", "w48", text))]
    first, second = compared(key, [document(text)]).examples().examples
    assert drawn(first)["key"] == [("D", ((1, 1), (3, 3), (41, 41), (41, 41)))]
    assert drawn(second)["key"] == [("D", ((0, 0), (0, 0), (22, 22), (41, 41))), ("X", ((20, 20),))]


def test_other_words_than_the_keys_are_told_by_characters() -> None:
    example = only(compared(tagged("Ann's/B-PER dog"), tagged("Ann/B-PER 's dog")))
    assert [line.spans[0].pieces for line in stretch_of(example).sides] == [(Piece(1, 1, 0, 0),), (Piece(1, 1, 0, 2),)]
    assert [item.text for item in stretch_of(example).items] == ["Ann's", "Ann"]


# Verdicts


def test_every_span_of_the_key_and_every_claim_beside_it_has_its_verdicts_with_their_rules() -> None:
    items = stretch_of(compared(*THREE).examples("solved_by == 0").examples[0]).items
    missed, wrong = "FN: false negative", "FP: false positive"
    assert [verdicts(item) for item in items] == [
        ("PER", "Ann Smith", True, {"s1": missed, "s2": missed, "s3": missed}),
        ("PER", "Ann", False, {"s1": wrong}),
        ("ORG", "Ann Smith met Bob", False, {"s3": wrong}),
        ("PER", "Smith", False, {"s2": wrong}),
    ]


def test_a_span_that_is_there_twice_has_two_verdicts() -> None:
    bob = of("PER", "Bob")
    items = stretch_of(only(compared([document(TEXT, bob, bob)], [document(TEXT, bob)]))).items
    assert sorted(verdicts(item)[3]["s1"] for item in items) == ["FN: false negative", "TP: true positive"]
    items = stretch_of(only(compared([document(TEXT, bob)], [document(TEXT, bob, bob)]))).items
    assert [(item.positive, item.verdicts[0].rule) for item in items] == [(True, "true positive"), (False, "duplicate")]


def test_rules_other_than_exact_give_their_own_verdicts() -> None:
    key, new = [document(TEXT, of("PER", "Ann Smith"))], [document(TEXT, of("PER", "Smith"))]
    (item,) = stretch_of(only(compared(key, new, rules="i2b2").examples())).items
    assert (item.text, item.positive, item.verdicts[0].verdict) == ("Ann Smith", True, "relaxed")


def test_a_result_narrowed_to_some_sites_shows_their_spans_and_verdicts() -> None:
    example = only(compared(*THREE).where('label == "LOC"'))
    assert drawn(example) == {side: [("LOC", ((6, 6),))] for side in ("key", "s1", "s2", "s3")}
    assert [item.text for item in stretch_of(example).items] == ["Leeds"]


# Any input


@st.composite
def texts(draw: st.DrawFn) -> str:
    lines = st.lists(st.sampled_from(["Ann", "x", "日本", "é", "co-op", ".", "longword"]), min_size=1, max_size=8)
    return "\n".join(" ".join(line) for line in draw(st.lists(lines, min_size=1, max_size=3)))


@st.composite
def populations(draw: st.DrawFn) -> tuple[str, list[list[Given]]]:
    """Make a text and the spans of a key and two systems in it: nested, crossing, doubled, empty, of any characters."""
    text = draw(texts())
    ends = st.integers(0, len(text))
    one = st.tuples(ends, ends, st.sampled_from(["A", "B"])).map(lambda each: (min(each[:2]), max(each[:2]), each[2]))
    return text, [draw(st.lists(one, max_size=5)) for _ in range(3)]


def covered(stretch: Stretch, span: Span) -> str:
    """Read what a span covers from its only piece."""
    line, starts = "", []
    for number, word in enumerate(stretch.words, start=1):
        line += "" if number == 1 or number in stretch.glued else " "
        starts.append(len(line))
        line += word
    (piece,) = span.pieces
    begin = starts[piece.begin - 1] + piece.before
    end = starts[piece.end - 1] + len(stretch.words[piece.end - 1]) - piece.after
    return line[max(begin, 0) : max(end, 0)]


@settings(deadline=None, max_examples=draws(200))
@given(populations())
def test_every_span_is_there_once_at_its_site_and_covers_what_it_does(
    population: tuple[str, list[list[Given]]],
) -> None:
    text, sides = population
    found = compared(*([document(text, *spans)] for spans in sides)).examples(top=0).examples
    seen: Counter[tuple[str, str]] = Counter()
    for stretch in map(stretch_of, found):
        assert stretch.undrawn == 0
        for line, spans in zip(stretch.sides, sides, strict=True):
            for span in line.spans:
                seen[line.side, span.label] += span.count * span.here
                if not span.loose and span.pieces[0].end <= len(stretch.words) and span.pieces[0].begin:
                    texts = {text[begin:end].strip() for begin, end, label in spans if label == span.label}
                    assert covered(stretch, span).strip() in {each.replace("\n", " ") for each in texts}
    names = ["key", "s1", "s2"]
    assert seen == Counter((name, label) for name, spans in zip(names, sides, strict=True) for *_, label in spans)


@settings(deadline=None, max_examples=draws(100))
@given(populations())
def test_whole_words_are_never_loose(population: tuple[str, list[list[Given]]]) -> None:
    text, _ = population
    spans = [
        (0, len(text), "ALL"),
        *((place, place + 3, "ANN") for place in range(len(text)) if text[place:].startswith("Ann")),
    ]
    for example in compared([document(text, *spans)], [document(text)]).examples(top=0).examples:
        for span in stretch_of(example).sides[0].spans:
            assert not span.loose
            assert all((piece.before, piece.after) == (0, 0) for piece in span.pieces)


# The demo


def test_the_demo_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DEMO)
    systems = {name: f"{name}.bio" for name in ("spacy", "spacy2", "compromise", "opennlp")}
    result = cp.compare("key.bio", systems, task="span", resamples=0)
    found = [result.examples("new_error", "spacy", "spacy2", top=4), result.examples('nesting != "single"', top=4)]
    assert_golden("examples-spans.txt", "\n\n".join(map(str, found)) + "\n")
