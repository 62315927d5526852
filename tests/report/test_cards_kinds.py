"""What is drawn on the cards of each task, counted by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import comparanda as cp
from comparanda import Result
from comparanda.expressions.selection import select_rows
from comparanda.report.cards import MOST, MOST_RULINGS, MOST_WORDS, Cards
from comparanda.report.page_data import ArcMark, Card, Mark, MentionMark, Side
from comparanda.tasks.coref.examples import NO_CHAIN
from tests.findings.test_spans import compared as spanned
from tests.findings.test_spans import document, of, tagged
from tests.tasks.comparing import conllu
from tests.tasks.coref.test_examples import KEY, MARY, conll
from tests.tasks.coref.test_examples import compared as chained
from tests.tasks.prob.findings.small import compared as believed


def cards(result: Result, where: str = "true") -> list[Card]:
    selection = select_rows(result.verdicts, result.verdicts.view(), where)
    made = Cards(result, selection)
    return [made.of(row) for row in selection.rows.tolist()]


def marks(side: Side) -> list[tuple[str, tuple[tuple[int, int], ...]]]:
    return [(mark.label, mark.pieces) for mark in side.marks]


# Tags


def tags(given: str) -> list[dict[str, list[str]]]:
    pairs = [word.split("/") for word in given.split()]
    return [{"tokens": [word for word, _ in pairs], "tags": [tag for _, tag in pairs]}]


def test_tags_stand_under_the_site_and_under_words_on_which_runs_differ() -> None:
    runs = {
        "one": tags("time/N flies/N like/V"),
        "two": tags("time/V flies/N like/P"),
        "three": tags("time/N flies/V like/P"),
    }
    result = cp.compare(tags("time/N flies/V like/P"), runs, task="tag", resamples=0)
    card = cards(result)[1]
    assert (card.kind, card.words, card.site, card.label) == ("tags", ("time", "flies", "like"), (1, 1), "V")
    key, one, two, three = card.sides
    assert marks(key) == [("N", ((0, 0),)), ("V", ((1, 1),)), ("P", ((2, 2),))]
    assert [mark.elsewhere for mark in key.marks] == [True, False, True]
    assert one.marks == (
        Mark(label="N", pieces=((1, 1),), wrong=True),
        Mark(label="V", pieces=((2, 2),), wrong=True, elsewhere=True),
    )
    assert marks(two) == [("V", ((0, 0),)), ("N", ((1, 1),))]
    assert (three.same, three.right, three.marks) == (True, True, ())
    assert [side.runs for side in card.sides] == [(), (0,), (1,), (2,)]


def test_a_run_that_is_right_at_the_site_and_wrong_beside_it_is_not_the_same_as_the_key() -> None:
    result = cp.compare(tags("a/A b/B"), {"s": tags("a/A b/C"), "t": tags("a/A b/B")}, task="tag", resamples=0)
    first = cards(result)[0]
    assert [(side.right, side.same) for side in first.sides[1:]] == [(True, False), (True, True)]
    assert marks(first.sides[1]) == [("A", ((0, 0),)), ("C", ((1, 1),))]


def test_items_of_tags_show_the_label_where_a_side_has_it() -> None:
    result = cp.compare(tags("a/A"), {"s": tags("a/B")}, task="tag", resamples=0)
    (wrong,) = cards(result, "negative")
    assert (wrong.label, wrong.sides[0].value, wrong.sides[1].value) == ("B", "(none)", "B")
    assert wrong.sides[1].marks == (Mark(label="B", pieces=((0, 0),), wrong=True),)


# Spans


def test_spans_are_marked_from_their_first_to_their_last_word() -> None:
    key = tagged("Yesterday Ann/B-PER Smith/I-PER left Leeds/B-LOC")
    crf, same = (
        tagged("Yesterday Ann Smith/B-ORG left Leeds/B-LOC"),
        tagged("Yesterday Ann/B-PER Smith/I-PER left Leeds/B-LOC"),
    )
    card = cards(spanned(key, crf, same))[0]
    assert (card.kind, card.site) == ("spans", (1, 2))
    assert marks(card.sides[0]) == [("PER", ((1, 2),)), ("LOC", ((4, 4),))]
    assert card.sides[1].marks == (
        Mark(label="ORG", pieces=((2, 2),), wrong=True),
        Mark(label="LOC", pieces=((4, 4),), elsewhere=True),
    )
    assert (card.sides[2].same, card.sides[2].runs) == (True, (1,))
    assert [(each.label, each.text, each.positive, each.verdicts) for each in card.rulings] == [
        ("PER", "Ann Smith", True, (("FN (false negative)", (0,)), ("TP (true positive)", (1,)))),
        ("ORG", "Smith", False, (("FP (false positive)", (0,)),)),
    ]


def test_a_side_without_a_span_says_so_under_the_site() -> None:
    card = cards(spanned(tagged("Ann left"), tagged("Ann/B-PER left"), tagged("Ann left")))[0]
    nothing = Mark(label="(none)", pieces=((0, 0),), empty=True)
    assert card.sides[0].marks == (nothing,)
    assert [(side.right, side.same) for side in card.sides[1:]] == [(False, False), (True, True)]


def test_nested_spans_stand_on_lines_of_their_own_and_gaps_divide_pieces() -> None:
    text = "left knee and right hip joint"
    nested = document(text, of("A", "left knee and right hip joint", text), of("B", "knee", text))
    cut = document(text, ([(0, 4), (24, 29)], "C"))
    card = cards(spanned([nested], [cut]))[0]
    assert [(mark.label, mark.level) for mark in card.sides[0].marks] == [("A", 0), ("B", 1)]
    assert marks(card.sides[1]) == [("C", ((0, 0), (5, 5)))]


def test_spans_inside_words_cut_them() -> None:
    text = "Smith-Jones left."
    card = cards(spanned([document(text, of("A", "Jones", text))], [document(text, of("A", "-Jones left", text))]))[0]
    assert card.words == ("Smith", "-", "Jones", "left", ".")
    assert card.glued == (1, 2, 4)
    assert marks(card.sides[0]) == [("A", ((2, 2),))]
    assert marks(card.sides[1]) == [("A", ((1, 3),))]


def test_spans_that_go_on_beyond_the_words_are_marked_so() -> None:
    words = " ".join(
        f"w{number}/{'B' if number == 30 else 'I' if 30 < number < 90 else 'O'}-X".replace("O-X", "O")
        for number in range(100)
    )
    card = cards(spanned(tagged(words), tagged(words.replace("B-X", "B-Y").replace("I-X", "I-Y"))))[0]
    (mark,) = card.sides[0].marks
    assert (mark.cut, mark.pieces[0][1]) == ("after", len(card.words) - 1)
    assert card.words_before + len(card.words) + card.words_after == 100


def test_sides_with_a_wrong_span_whose_bounds_are_unknown_are_not_put_together() -> None:
    key = {"id": "d", "text": "aaa", "spans": [{"begin": 0, "end": 1, "label": "X"}]}
    one = {**key, "spans": [{"begin": 1, "end": 2, "label": "X"}]}
    first = cards(spanned([key], [one], [one]))[0]
    assert [[(mark.loose, mark.wrong) for mark in side.marks if not mark.empty] for side in first.sides] == [
        [(True, False)],
        [(True, True)],
        [(True, True)],
    ]


def test_an_item_shows_its_verdict_and_its_own_words() -> None:
    key, crf = tagged("Ann/B-PER Smith/I-PER left"), tagged("Ann/B-PER Smith left")
    missed, wrong = cards(spanned(key, crf), "positive or negative")
    assert (missed.site, missed.label, missed.sides[0].value) == ((0, 1), "PER", "PER")
    assert (missed.sides[1].value, missed.sides[1].verdict, missed.rulings) == ("(none)", "FN (false negative)", ())
    assert (wrong.site, wrong.sides[0].value, wrong.sides[1].verdict) == ((0, 0), "(none)", "FP (false positive)")


def test_of_many_rulings_some_are_shown() -> None:
    crowd = [{"begin": 0, "end": 3, "label": f"L{number:02}"} for number in range(40)]
    key = {"id": "d", "text": "Ann left", "spans": crowd}
    card = cards(spanned([key], [{**key, "spans": []}]))[0]
    assert len(card.rulings) == MOST_RULINGS


# Links


def test_links_are_called_by_label_and_id() -> None:
    def side(id_: str) -> list[dict[str, Any]]:
        return [{"id": "d", "text": "Paris fell", "spans": [{"begin": 0, "end": 5, "label": "LOC", "id": id_}]}]

    (card,) = cards(cp.compare(side("Q90"), {"s": side("Q830149")}, task="link", resamples=0))
    assert [marks(each) for each in card.sides] == [[("LOC→Q90", ((0, 0),))], [("LOC→Q830149", ((0, 0),))]]


# Chains: the lines of the files are 2 Ann 3 met 4 Mary, 6 She 7 left, 9 Bob 10 saw 11 her


def test_mentions_are_numbered_and_chains_stand_beside_them(tmp_path: Path) -> None:
    she = next(card for card in cards(chained(tmp_path, KEY, same=KEY, mary=MARY)) if card.words == ("She", "left"))
    assert (she.kind, she.site) == ("mentions", (0, 0))
    key, same, mary = she.sides
    assert marks(key) == [("2", ((0, 0),))]
    assert same.same
    assert (same.chain, same.marks) == (None, ())
    assert mary.chain is not None
    assert mary.chain.mentions == (
        MentionMark(number=1, text="Mary", where=":4", wrong=True),
        MentionMark(number=2, text="She", where=":6", here=True),
        MentionMark(number=3, text="her", where=":11"),
    )
    assert (mary.chain.size, mary.chain.antecedent, mary.chain.distance) == (3, 1, "1 sentence back")


def test_a_mention_in_no_chain_says_so(tmp_path: Path) -> None:
    none = ("Ann=(1) met Mary=(2)", "She left", "Bob=(3) saw her=(1)")
    she = next(card for card in cards(chained(tmp_path, KEY, none=none)) if card.words == ("She", "left"))
    assert she.sides[1].marks == (Mark(label=NO_CHAIN, pieces=((0, 0),), empty=True),)
    assert she.sides[1].chain is not None
    assert she.sides[1].chain.size == 0


def test_mentions_of_documents_that_the_key_does_not_have_have_no_words(tmp_path: Path) -> None:
    more = conll(tmp_path / "more", {"d": KEY, "x": ("Eve=(9) met Eve=(9)",)})
    result = cp.compare(conll(tmp_path / "key", {"d": KEY}), {"more": more}, task="coref", resamples=0)
    found = [card for card in cards(result) if card.document == "x"]
    assert [(card.kind, card.words) for card in found] == [("mentions", ())]


# Trees


def trees(folder: Path, key: str, **systems: str) -> Result:
    def file(name: str, given: str) -> Path:
        (folder / f"{name}.conllu").write_text(conllu(*given.split("; ")))
        return folder / f"{name}.conllu"

    given = {name: file(name, each) for name, each in systems.items()}
    return cp.compare(file("key", key), given, task="dep", resamples=0)


TREE = "I 2 nsubj; saw 0 root; her 2 obj; yesterday 2 obl"


def test_arcs_are_shown_of_words_on_which_sides_differ(tmp_path: Path) -> None:
    result = trees(tmp_path, TREE, same=TREE, wrong=TREE.replace("yesterday 2 obl", "yesterday 3 nmod"))
    card = cards(result)[3]
    assert (card.kind, card.words, card.site) == ("arcs", ("I", "saw", "her", "yesterday"), (3, 3))
    key, same, wrong = card.sides
    assert key.arcs == (ArcMark(word=4, head=2, label="obl"),)
    assert (same.same, same.arcs) == (True, ())
    assert wrong.arcs == (ArcMark(word=4, head=3, label="nmod", wrong=True),)
    assert [(end.number, end.text, end.cells) for end in card.ends] == [
        (2, "saw", 3),
        (3, "her", 3),
        (4, "yesterday", 9),
    ]


def test_the_arcs_of_a_run_are_those_that_are_not_the_keys(tmp_path: Path) -> None:
    one, two = TREE.replace("her 2 obj", "her 2 iobj"), TREE.replace("her 2 obj", "her 2 iobj").replace("I 2", "I 4")
    card = cards(trees(tmp_path, TREE, one=one, two=two))[0]
    assert [arc.word for arc in card.sides[0].arcs] == [1, 3]
    assert [[arc.word for arc in side.arcs] for side in card.sides[1:]] == [[3], [1, 3]]


def test_where_nothing_differs_the_value_stands_under_its_word(tmp_path: Path) -> None:
    card = cards(trees(tmp_path, TREE, same=TREE))[0]
    assert (card.kind, card.ends) == ("tags", ())
    assert marks(card.sides[0]) == [(card.sides[0].value, ((0, 0),))]


def test_of_many_words_with_other_arcs_the_nearest_are_shown(tmp_path: Path) -> None:
    key = "w 0 root; " + "; ".join("w 1 dep" for _ in range(40))
    card = cards(trees(tmp_path, key, other=key.replace("dep", "obj")))[20]
    assert [arc.word for arc in card.sides[0].arcs] == [*range(21 - MOST_WORDS // 2, 21 + MOST_WORDS // 2)]
    assert card.undrawn == f"they differ on {40 - MOST_WORDS} more words of this sentence"


# Probabilities


def test_what_runs_hold_for_possible_is_shown_the_most_likely_first(tmp_path: Path) -> None:
    systems: dict[str, dict[str, list[dict[str, float]]]] = {
        "s": {"d": [{"a:PER": 0.25, "a:LOC": 0.5}, {"c:PER": 1.0}]},
        "t": {"d": []},
    }
    card = next(card for card in cards(believed(tmp_path, {"d": ["a:PER"]}, systems)) if card.site == (0, 0))
    (belief,) = card.beliefs
    assert [(each.label, each.text, each.weight, each.share) for each in belief.spans] == [
        ("LOC", "a", "0.500", 50),
        ("PER", "a", "0.250", 25),
    ]
    assert [(each.correct, each.decided) for each in belief.spans] == [(False, True), (True, False)]
    assert (belief.run, belief.further) == (0, 0)


def test_of_much_that_is_possible_the_most_likely_is_shown(tmp_path: Path) -> None:
    block = {f"a:L{number}": 0.0001 if number else 0.9 for number in range(MOST + 3)}
    card = cards(believed(tmp_path, {"d": ["a:L0"]}, {"s": {"d": [block]}}))[0]
    (belief,) = card.beliefs
    assert (len(belief.spans), belief.further) == (MOST, 3)
    assert [each.weight for each in belief.spans[:2]] == ["0.900", "<0.001"]


def test_without_text_possible_spans_have_no_words(tmp_path: Path) -> None:
    result = believed(tmp_path, {"d": ["a:PER"]}, {"s": {"d": [{"a:PER": 0.25}]}})
    card = Cards(result, select_rows(result.verdicts, result.verdicts.view(), "true"), text=False).of(0)
    assert [(each.label, each.text) for each in card.beliefs[0].spans] == [("PER", "")]
