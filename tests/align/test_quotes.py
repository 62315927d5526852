"""Where items of answers stand: by hand, step by step; then on thousands of answers with known damage."""

from __future__ import annotations

import json
import random
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import comparanda
from comparanda.align import align_responses
from comparanda.align.occurrences import Searched, fold_form
from comparanda.align.quotes import Claim, Copied, Placed, place_claims, place_in_own_texts, place_spans
from comparanda.core.corpus import Corpus
from comparanda.errors import AlignError
from comparanda.formats.contract import Request
from comparanda.formats.conversion import convert_corpus
from comparanda.formats.document_writer import find_writer
from comparanda.formats.inputs import Input, read_input
from comparanda.pipeline import Setup, prepare_systems
from tests.align.quoting import Made, copied, make, repeated
from tests.formats.corpora import refusal, said, spans
from tests.seeds import first_few, mostly_slow

KINDS = {"", "normalised", "inside", "fuzzy", "ambiguous", "repeated", "hallucinated"}


def place(text: str, *quotes: str | tuple[str, str] | Claim, copy: str | None = None) -> list[tuple[int, int] | str]:
    """Place quotes, given with a label or without; a plain place stands for itself, any other behind its kind."""
    named = [(each, "X") if isinstance(each, str) else each for each in quotes]
    claims = [each if isinstance(each, Claim) else Claim(quote=each[0], label=each[1]) for each in named]
    searched = Searched(text)
    return [shown(each) for each in place_claims(searched, claims, None if copy is None else Copied(searched, copy))]


def shown(found: Placed) -> tuple[int, int] | str:
    if found.place is None or not found.placing:
        return found.place or found.placing
    return f"{found.placing} {found.place[0]}:{found.place[1]}"


class TestOneQuote:
    def test_as_it_stands(self) -> None:
        assert place("Anna met Bo.", "Bo", "Anna met") == [(9, 11), (0, 8)]

    def test_a_word_goes_before_a_part_of_one(self) -> None:
        assert place("Annabel and Ann", "Ann") == [(12, 15)]
        assert place("Annabel and Annie", "Annie", "Anna") == [(12, 17), "inside 0:4"]

    def test_a_part_of_a_word_goes_before_something_similar(self) -> None:
        assert place("Berlinreise, Berlinn", "Berlin") == ["ambiguous 0:6"]
        assert place("日本語の本", "日本") == ["inside 0:2"]

    def test_marks_are_parts_of_words(self) -> None:
        assert place("हिन्दी है", "हिन्दी") == [(0, 6)]
        assert place("e\u0301te\u0301", "\u00e9t\u00e9") == ["normalised 0:5"]

    @pytest.mark.parametrize(
        ("text", "quote"),
        [
            ("in NEW York", "new york"),
            ("in ＮＥＷ York", "new york"),
            ("in New\n  York", "New York"),
            ("in New York", " New\tYork "),
            ("in d’Arc", "d'Arc"),
            ("in “X” – Y", '"X" - Y'),
            ("in Straße", "STRASSE"),
            ("in U.S. 's", "U.S.'s"),
        ],
    )
    def test_written_otherwise(self, text: str, quote: str) -> None:
        assert place(text, quote) == [f"normalised 3:{len(text)}"]

    def test_as_it_is_goes_before_written_otherwise_unless_there_are_too_few(self) -> None:
        assert place("ANNA met Anna", "Anna") == [(9, 13)]
        assert place("ANNA met Anna", "Anna", "Anna") == ["normalised 0:4", (9, 13)]

    @pytest.mark.parametrize(
        "quote", ["Angela Merkle", "Angela Merkl", "Angela Mercel", "Angelaa Merkel", "angela-merkel", "AngelaMerkel"]
    )
    def test_a_slip_is_forgiven(self, quote: str) -> None:
        assert place("then Angela Merkel went", quote) == ["fuzzy 5:18"]

    @pytest.mark.parametrize("quote", ["Angel Merkle", "Merk", "Angela Merkel Smith", "Oslo"])
    def test_more_is_not(self, quote: str) -> None:
        assert place("then Angela Mercel went", quote) == ["hallucinated"]

    @pytest.mark.parametrize(
        ("text", "quote"),
        [
            ("in Australia", "Austria"),
            ("on 12.5 million", "12.6 million"),
            ("in Iraq", "Iran"),
            ("on 2018-01-02", "2018-01-03"),
        ],
    )
    def test_other_names_and_numbers_are_not_similar(self, text: str, quote: str) -> None:
        assert place(text, quote) == ["hallucinated"]

    def test_what_is_similar_ends_where_words_do(self) -> None:
        assert place("the Organisation of Nations, then", "Organization of Nations") == ["fuzzy 4:27"]

    def test_two_texts_that_are_equally_similar(self) -> None:
        assert place("Johannes Smits, Johannes Smitt", "Johannes Smith") == ["ambiguous 0:14"]
        assert place("Johannes Smit, Johannes Smit", "Johannes Smith", "Johannes Smith") == [
            "fuzzy 0:13",
            "fuzzy 15:28",
        ]

    @pytest.mark.parametrize("quote", ["\ufeff", "\u200b", "?!", "x" * 100_000])
    def test_odd_quotes(self, quote: str) -> None:
        assert place("Anna met Bo", quote) == ["hallucinated"]

    def test_the_whole_text(self) -> None:
        text = "Anna met Bo.\nThen she left. "
        assert place(text, text.strip(), text.strip().upper()) == [(0, 27), "repeated"]
        assert place("", "Anna") == ["hallucinated"]
        assert place(" \n", "Anna") == ["hallucinated"]


class TestSeveral:
    def test_the_nth_item_is_the_nth_occurrence(self) -> None:
        assert place("Bo, Bo and Bo", "Bo", "Bo", "Bo") == [(0, 2), (4, 6), (11, 13)]

    def test_fewer_items_than_occurrences_are_ambiguous(self) -> None:
        assert place("Bo, Bo and Bo", "Bo", "Bo") == ["ambiguous 0:2", "ambiguous 4:6"]

    def test_they_stand_behind_the_item_before_them(self) -> None:
        text = "Bo met Anna. Bo left Eve. Bo came."
        assert place(text, "Anna", "Bo") == [(7, 11), "ambiguous 13:15"]
        assert place(text, "Bo", "Anna") == ["ambiguous 0:2", (7, 11)]
        assert place(text, "Eve", "Bo", "Bo") == [(21, 24), "ambiguous 26:28", "ambiguous 0:2"]

    def test_an_occurrence_inside_a_longer_item_comes_last(self) -> None:
        text = "New York Times of New York"
        assert place(text, ("New York Times", "ORG"), ("New York", "LOC")) == [(0, 14), "ambiguous 18:26"]
        assert place("New York Times", ("New York Times", "ORG"), ("New York", "LOC")) == [(0, 14), (0, 8)]
        assert place(text, "New York Times", "New York", "New York") == [(0, 14), (0, 8), (18, 26)]

    def test_more_items_than_occurrences_are_repeated(self) -> None:
        assert place("Bo left", "Bo", "Bo", "bo") == [(0, 2), "repeated", "repeated"]
        assert place("Anna met Anna", "Anna", "anna", "ANNA") == ["ambiguous 0:4", "ambiguous 9:13", "repeated"]

    def test_another_label_is_no_repetition(self) -> None:
        assert place("Bo left", ("Bo", "PER"), ("Bo", "DOG"), ("Bo", "PER")) == [(0, 2), (0, 2), "repeated"]

    def test_different_labels_are_told_apart_by_order(self) -> None:
        text = "Washington left Washington for Rome"
        claims = [("Washington", "PER"), ("Washington", "LOC")]
        assert place(text, *claims) == [(0, 10), (16, 26)]
        assert place(text, *claims, "Rome") == [(0, 10), (16, 26), (31, 35)]

    def test_unless_the_answer_is_not_in_order_or_has_too_many(self) -> None:
        text = "Washington left Washington for Rome"
        claims = [("Washington", "PER"), ("Washington", "LOC")]
        assert place(text, "Rome", *claims) == [(31, 35), "ambiguous 0:10", "ambiguous 16:26"]
        three = place(text, *claims, ("Washington", "PER"))
        assert three == ["ambiguous 0:10", "ambiguous 16:26", "ambiguous 16:26"]

    def test_equal_labels_need_no_order(self) -> None:
        assert place("Bo and Bo at Rome", "Rome", "Bo", "Bo") == [(13, 17), (0, 2), (7, 9)]

    def test_an_answer_may_say_which_occurrence(self) -> None:
        text = "Bo, Bo and Bo"
        assert place(text, Claim(quote="Bo", label="X", occurrence=2)) == [(4, 6)]
        assert place(text, Claim(quote="Bo", label="X", occurrence=3), "Bo") == [(11, 13), "ambiguous 0:2"]
        assert place(text, Claim(quote="Bo", label="X", occurrence=2), Claim(quote="Bo", label="X", occurrence=2)) == [
            (4, 6),
            "repeated",
        ]
        assert place(text, Claim(quote="Bo", label="X", occurrence=1 << 61)) == ["ambiguous 0:2"]

    def test_ids_tell_items_apart_too(self) -> None:
        claims = [Claim(quote="Bo", label="PER", id="Q1"), Claim(quote="Bo", label="PER", id="Q2")]
        assert place("Bo met Bo", *claims) == [(0, 2), (7, 9)]
        assert place("Bo met Bo, Eve", "Eve", *claims) == [(11, 14), "ambiguous 0:2", "ambiguous 7:9"]


class TestCopies:
    TEXT = "Bo met Anna. Then Bo left, and Bo came."

    def test_the_text_around_an_item_tells_its_place(self) -> None:
        assert place(self.TEXT, Claim(quote="Bo", label="X", begin=18), copy=self.TEXT) == [(18, 20)]

    def test_white_space_case_and_words_around_do_not_matter(self) -> None:
        copy = "Here it is:\n\nbo met  Anna. Then Bo left, and Bo came. Done."
        assert place(self.TEXT, Claim(quote="Bo", label="X", begin=copy.index("Bo left")), copy=copy) == [(18, 20)]
        assert place(self.TEXT, Claim(quote="bo", label="X", begin=13), copy=copy) == ["normalised 0:2"]

    def test_a_part_of_a_word(self) -> None:
        assert place("Annabel left", Claim(quote="Anna", label="X", begin=0), copy="Annabel left") == [(0, 4)]

    def test_a_copy_with_a_slip_is_certain_elsewhere(self) -> None:
        text = "one two three Bo four five six Bo seven eight nine"
        copy = text.replace("nine", "nein")
        assert place(text, Claim(quote="Bo", label="X", begin=14), copy=copy) == [(14, 16)]

    def test_a_copy_with_a_gap_is_not_certain(self) -> None:
        assert place("Bo left. Bo came.", Claim(quote="Bo", label="X", begin=0), copy="Bo came.") == ["ambiguous 0:2"]

    def test_a_slip_in_the_item(self) -> None:
        text = "then Angela Merkel went, and Angela Merkel came"
        copy = text.replace("Merkel went", "Merkle went")
        assert place(text, Claim(quote="Angela Merkle", label="X", begin=5), copy=copy) == ["fuzzy 5:18"]

    def test_a_part_of_a_word_that_is_written_otherwise(self) -> None:
        assert place(
            "ANNABEL left, ANNABEL", Claim(quote="Anna", label="X", begin=0), copy="Annabel left, Annabel"
        ) == ["hallucinated"]

    def test_a_sign_that_the_copy_has_lost(self) -> None:
        text, copy = ", Angela Merkel went", "Angela Merkle went"
        assert place(text, Claim(quote="Angela Merkle", label="X", begin=0), copy=copy) == ["fuzzy 2:15"]

    def test_what_a_copy_adds_is_hallucinated(self) -> None:
        copy = "Bo met Anna. Then Zed left, and Bo came."
        assert place(self.TEXT, Claim(quote="Zed", label="X", begin=18), copy=copy) == ["hallucinated"]

    def test_a_long_copy_with_slips_at_both_ends(self) -> None:
        words = [f"w{number}" if number % 7 else "Bo" for number in range(9000)]
        text, copy = " ".join(words), " ".join(["x", *words[1:-1], "y"])
        begin = copy.index("Bo", 20_000)
        assert place(text, Claim(quote="Bo", label="X", begin=begin), copy=copy) == [
            f"ambiguous {begin + 1}:{begin + 3}"
        ]


class TestManyAnswers:
    """Answers made from documents with known mentions; see `quoting`."""

    @pytest.mark.parametrize("start", first_few(1, range(0, 4000, 500)))
    def test_nothing_is_put_at_a_wrong_place_without_a_mark(self, start: int) -> None:
        for seed in range(start, start + 500):
            self.check(make(random.Random(seed)))

    @pytest.mark.parametrize("start", first_few(1, range(0, 2000, 500)))
    def test_nor_if_the_answer_is_shuffled_and_that_shows(self, start: int) -> None:
        for seed in range(start, start + 500):
            self.check(make(random.Random(seed), shuffled=True))

    def check(self, made: Made) -> None:
        found = place_claims(Searched(made.text), made.claims)
        sure = [each.place[0] for each in found if each.place and each.placing != "ambiguous"]
        in_order = all(one <= other for one, other in pairwise(sure))
        for quoted, each in zip(made.answer, found, strict=True):
            assert (each.placing == "hallucinated") == (quoted.truth is None)
            assert each.placing != "repeated"
            expected = {"none": "", "slip": "fuzzy"}.get(quoted.damage, "normalised")
            assert quoted.truth is None or each.placing in {expected, "ambiguous"}
            if each.place is None or each.placing == "ambiguous" or (made.shuffled and in_order):
                continue
            alike = [other for other in made.answer if words(other.claim) == words(quoted.claim)]
            assert each.place in {other.truth for other in alike}  # which of equal items is which does not matter

    @pytest.mark.parametrize("start", first_few(1, range(0, 2000, 500)))
    def test_every_item_is_accounted_for_however_often_it_is_said(self, start: int) -> None:
        for seed in range(start, start + 500):
            draw = random.Random(seed)
            made = repeated(draw, make(draw, shuffled=seed % 2 == 0))
            found = place_claims(Searched(made.text), made.claims)
            assert len(found) == len(made.claims)
            taken = [(each.place, claim.label) for each, claim in zip(found, made.claims, strict=True) if each.place]
            assert len(taken) == len(set(taken))
            for quoted, each in zip(made.answer, found, strict=True):
                assert each.placing in KINDS
                assert (each.place is None) == (each.placing in {"repeated", "hallucinated"})
                if each.place is not None and quoted.damage != "slip":
                    covered = made.text[each.place[0] : each.place[1]]
                    assert fold_form("".join(covered.split())) == fold_form("".join(quoted.claim.quote.split()))

    @pytest.mark.parametrize("damage", mostly_slow([0.0, 0.05, 0.3], {0.05}))
    def test_copies_of_the_text(self, damage: float) -> None:
        for seed in range(1500):
            draw = random.Random(seed)
            made = make(draw)
            copy, claims, truths = copied(draw, made, damage=damage)
            text = Searched(made.text)
            for each, truth in zip(place_claims(text, claims, Copied(text, copy)), truths, strict=True):
                assert each.place == truth or (damage and each.placing in {"ambiguous", "hallucinated"})
                assert damage or each.placing == ""

    def test_the_same_again(self) -> None:
        for seed in range(100):
            made = repeated(random.Random(seed), make(random.Random(seed)))
            first, second = (place_claims(Searched(made.text), made.claims) for _ in range(2))
            assert first == second


def words(claim: Claim) -> tuple[list[str], str]:
    return claim.quote.split(), claim.label


class TestLongTexts:
    """Near linear: a hundred thousand words, thousands of items. The bars are ten times what it takes."""

    def timed(self, text: str, quotes: list[str]) -> list[str]:
        begin = time.process_time()
        found = place_claims(Searched(text), [Claim(quote=quote, label="X") for quote in quotes])
        assert time.process_time() - begin < 40
        return [each.placing for each in found]

    @pytest.mark.slow
    def test_a_hundred_thousand_words(self) -> None:
        draw = random.Random(1)
        vocabulary = ["".join(draw.choices("abcdefghiklmnoprstuw", k=draw.randint(2, 10))) for _ in range(20_000)]
        text = draw.choices(vocabulary, [1 / (rank + 1) for rank in range(20_000)], k=100_000)
        begins = [draw.randrange(99_990) for _ in range(5000)]
        quotes = [" ".join(text[begin : begin + draw.randint(1, 4)]) for begin in begins]
        for number in range(0, 5000, 10):
            quotes[number] = quotes[number].upper()
            quotes[number + 1] = quotes[number + 1].replace("a", "x", 1)
            quotes[number + 2] = "Zyx Vyzyx " + str(number)
        assert self.timed(" ".join(text), quotes).count("hallucinated") >= 500

    @pytest.mark.parametrize(
        ("text", "quotes"),
        [
            ("a " * 100_000, ["a"] * 5000),
            pytest.param(
                "a " * 100_000,
                [" ".join("a" * (number % 500 + 1)) for number in range(1000)],
                marks=pytest.mark.slow,
            ),
            pytest.param(
                "aaaaaaaaaa " * 50_000,
                ["a" * (number % 50 + 1) + "b" for number in range(2000)],
                marks=pytest.mark.slow,
            ),
            ("x" * 1_000_000, ["x" * 999, "y", "x" * 1_000_001]),
            pytest.param("ab ba " * 50_000, ["ab", "ba ab", "AB", "bab", "abab"] * 300, marks=pytest.mark.slow),
        ],
        ids=["one word", "rows of one word", "inside", "one long word", "two words"],
    )
    def test_hostile_ones(self, text: str, quotes: list[str]) -> None:
        assert len(self.timed(text, quotes)) == len(quotes)


# Corpora


TEXT = "Anna met Bo in New York. Anna left."
KEY: list[dict[str, Any]] = [
    {
        "id": "d1",
        "text": TEXT,
        "spans": [
            {"begin": 0, "end": 4, "label": "PER"},
            {"begin": 9, "end": 11, "label": "PER"},
            {"begin": 15, "end": 23, "label": "LOC"},
            {"begin": 25, "end": 29, "label": "PER"},
        ],
    },
    {"id": "d2", "text": "Eve left Oslo.", "spans": [{"begin": 0, "end": 3, "label": "PER"}]},
]
ANSWERS: dict[str, Any] = {
    "d1": [["Anna", "PER"], ["new york", "LOC"], ["Zed", "PER"], ["Bo", "PER"], ["Bo", "PER"]],
    "d2": [["Eve", "PER"], ["Zed", "LOC"]],
}
CONLL = "Anna\tB-PER\n's\tO\ncat\tO\n\nNew\tB-LOC\nYork\tI-LOC\n.\tO\n\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def put(name: str, records: Any) -> str:
    text = records if isinstance(records, str) else "".join(json.dumps(record) + "\n" for record in records)
    Path(name).write_text(text)
    return name


def answers(name: str, given: dict[str, Any], **more: Any) -> str:
    return put(name, [{"id": each, "answer": value, **more} for each, value in given.items()])


def read(written: str, side: str = "x") -> Corpus:
    return read_input(Input.parse(written), Request(side=side, layer="spans"), "tokens")


def outcomes(result: comparanda.Result, view: str | None = None) -> dict[str, int]:
    return {each.outcome: each.count for each in result.scores(view=view).outcomes if each.count}


def compared(key: str, *responses: str, **options: Any) -> comparanda.Result:
    systems = {f"s{number}": response for number, response in enumerate(responses)}
    return comparanda.compare(key, systems, task="span", resamples=0, **options)


def score(result: comparanda.Result, system: str = "s0") -> tuple[float | None, float | None]:
    """True positives and claims, of the first view."""
    found = next(each for each in result.scores("precision").scores if each.system == system)
    return found.part, found.whole


class TestScores:
    def test_the_outcomes_say_how_items_were_placed(self) -> None:
        result = compared(put("k.jsonl", KEY), answers("a.jsonl", ANSWERS))
        assert outcomes(result) == {"TP": 3, "TP (ambiguous)": 1, "FN": 1, "FP (hallucinated)": 2, "FP (repeated)": 1}
        assert score(result) == (4, 7)

    def test_the_notes_count_each_kind_with_examples(self) -> None:
        result = compared(put("k.jsonl", KEY), answers("a.jsonl", ANSWERS))
        assert [str(note) for note in result.notes if "items" in note.what] == [
            "s0: items found only after normalisation (case, width, white space, quotation marks, dashes): 1 "
            "(a.jsonl:1: 'new york')",
            "s0: items repeated more often than in the text: 1 (a.jsonl:1: 'Bo')",
            "s0: items that are not in the text: 2 (a.jsonl:1: 'Zed', a.jsonl:2: 'Zed')",
            "s0: items with several possible places, assigned to the first suitable one: 1 (a.jsonl:1: 'Anna')",
        ]

    @pytest.mark.parametrize(
        ("rules", "right", "wrong"),
        [("semeval2013", "COR", "SPU"), ("muc", "both right", "SPU"), ("paper", "TP", "FP"), ("document", "TP", "FP")],
    )
    def test_every_rule_set_has_them(self, rules: str, right: str, wrong: str) -> None:
        found = outcomes(compared(put("k.jsonl", KEY), answers("a.jsonl", ANSWERS), rules=rules))
        assert found[f"{right} (ambiguous)"] == 1
        assert found[f"{wrong} (hallucinated)"] == 2

    def test_a_rule_may_ask_for_them(self) -> None:
        Path("r.toml").write_text(
            'title = "x"\ninclude = ["exact"]\ngroups = ["match", "rest"]\n[tables.system]\nreason = ["invented"]\n'
            '[[rules]]\nname = "invented"\ngroup = "rest"\nsalience = 30\nfor = { s = "system" }\n'
            'when = "s.placing == \'hallucinated\' and is_missing(s.reason)"\nset = { s.reason = "invented" }\n'
            '[views.exact]\noutcome = "result"\npartner = "partner"\ncredit = { TP = 1 }\nleft_out = "reason"\n'
        )
        result = compared(put("k.jsonl", KEY), answers("a.jsonl", ANSWERS), rules="r.toml")
        assert outcomes(result)["FP, left out: invented (hallucinated)"] == 2
        assert score(result) == (4, 5)

    def test_a_hallucinated_item_is_never_that_of_the_key(self) -> None:
        spans = [{"begin": len(TEXT), "end": len(TEXT), "label": "PER"}]
        result = compared(
            put("k.jsonl", [{"id": "d1", "text": TEXT, "spans": spans}]), answers("a.jsonl", {"d1": [["Zed", "PER"]]})
        )
        assert outcomes(result) == {"FN": 1, "FP (hallucinated)": 1}
        assert len(result.verdicts.view().all_sites) == 2

    def test_two_systems_agree_if_they_invent_the_same(self) -> None:
        result = compared(
            put("k.jsonl", KEY),
            answers("a.jsonl", {**ANSWERS, "d2": [["Zed", "PER"]]}),
            answers("b.jsonl", {**ANSWERS, "d2": [["Zed", "PER"], ["Ida", "PER"]]}),
        )
        assert result.difference("s0", "s1").different == 1

    def test_a_third_system_changes_nothing(self) -> None:
        key, one, other = (
            put("k.jsonl", KEY),
            answers("a.jsonl", ANSWERS),
            answers("b.jsonl", {"d1": [["Anna", "PER"]], "d2": []}),
        )
        third = answers("c.jsonl", {"d1": [["Aha", "PER"], ["Zed", "PER"], ["zed", "LOC"]], "d2": [["Oslo", "LOC"]]})
        two, three = compared(key, one, other), compared(key, one, other, third)
        assert [score(each, name) for each in (two, three) for name in ("s0", "s1")] == [(4, 7), (1, 1)] * 2
        assert two.difference("s0", "s1") == three.difference("s0", "s1")

    def test_the_order_of_documents_changes_nothing(self) -> None:
        key = put("k.jsonl", KEY)
        backwards = dict(reversed(ANSWERS.items()))
        first, second = compared(key, answers("a.jsonl", ANSWERS)), compared(key, answers("b.jsonl", backwards))
        assert outcomes(first) == outcomes(second)
        assert score(first) == score(second)
        assert outcomes(compared(put("k.jsonl", KEY[::-1]), answers("a.jsonl", ANSWERS))) == outcomes(first)

    def test_a_hallucinated_text_is_shown(self) -> None:
        result = compared(put("k.jsonl", KEY), answers("a.jsonl", ANSWERS))
        stretches = [each.stretch for each in result.examples(top=20).examples if each.stretch is not None]
        found = {item.text: item.verdicts[0].verdict for each in stretches for item in each.items}
        assert found["Zed"] == "FP (hallucinated)"

    def test_answers_that_say_what_the_key_says_are_right(self) -> None:
        for seed in range(30):
            made = make(random.Random(seed), damages=["none"])
            mentions = sorted({each.truth: each.claim.label for each in made.answer if each.truth}.items())
            marked = [{"begin": begin, "end": end, "label": label} for (begin, end), label in mentions]
            key = put("k.jsonl", [{"id": "d", "text": made.text, "spans": marked}])
            copy, place = "", 0
            for (begin, end), label in mentions:
                copy += f"{made.text[place:begin]}<{label}>{made.text[begin:end]}</{label}>"
                place = end
            result = compared(key, answers("a.jsonl", {"d": copy + made.text[place:]}))
            assert score(result) == (len(mentions), len(mentions)) or not mentions


class TestGround:
    """In which text items are placed."""

    def test_a_key_of_tokens(self) -> None:
        key = put("k.conll", CONLL)
        result = compared(key, put("a.jsonl", [{"answer": [["Anna", "PER"], ["Anna's", "PER"], ["New  York", "LOC"]]}]))
        assert outcomes(result) == {"TP": 2, "FP": 1}
        assert "s0: answers matched with the documents of the key in order: 1" in map(str, result.notes)

    def test_an_answer_for_each_sentence(self) -> None:
        records = [{"answer": [["Anna", "PER"], ["York", "LOC"]]}, {"answer": [["New York", "LOC"], ["Anna", "PER"]]}]
        result = compared(put("k.conll", CONLL), put("a.jsonl", records))
        assert outcomes(result) == {"TP": 2, "FP (hallucinated)": 2}
        assert "s0: answers matched with the sentences of the key in order: 2" in map(str, result.notes)

    def test_tokens_of_several_words(self) -> None:
        lines = ["1\tWir\t_\t_\tO", "2-3\tzum\t_\t_\t_", "2\tzu\t_\t_\tO", "3\tdem\t_\t_\tO", "4\tZoo\t_\t_\tB-LOC"]
        put("k.conllu", "# newdoc id = d\n" + "".join(f"{line}\t_\t_\t_\t_\t_\n" for line in lines) + "\n")
        result = compared("k.conllu", answers("a.jsonl", {"d": [["Zoo", "LOC"], ["zum Zoo", "LOC"]]}), column="xpos")
        assert outcomes(result) == {"TP": 1, "FP": 1}

    def test_documents_by_name_in_any_order(self) -> None:
        put("k.conll", "-DOCSTART- -X-\n\nBo\tB-PER\n\n-DOCSTART- -X-\n\nEve\tB-PER\n\n")
        put(
            "k.jsonl",
            [{"document": name, "tokens": [word], "tags": ["B-PER"]} for name, word in (("a", "Bo"), ("b", "Eve"))],
        )
        result = compared("k.jsonl", answers("a.jsonl", {"b": [["Eve", "PER"], ["Bo", "PER"]], "a": [["Bo", "PER"]]}))
        assert outcomes(result) == {"TP": 2, "FP (hallucinated)": 1}

    def test_a_text_of_its_own(self) -> None:
        record = {"id": "d1", "text": "Anna met Bo\nin New   York. Anna left.", "entities": ANSWERS["d1"]}
        result = compared(put("k.jsonl", KEY[:1]), put("a.jsonl", [record]))
        assert outcomes(result) == {"TP": 2, "TP (ambiguous)": 1, "FN": 1, "FP (hallucinated)": 1, "FP (repeated)": 1}
        with pytest.raises(AlignError, match="the text differs from the key's"):
            compared("k.jsonl", put("a.jsonl", [{**record, "text": "Anna met Eve."}]))

    def test_documents_that_are_missing_or_unknown(self) -> None:
        key, other = put("k.jsonl", KEY), answers("a.jsonl", {"d1": [["Bo", "PER"]], "d9": [["Bo", "PER"]]})
        assert "the system output does not cover the key" in refusal(compared, key, other)
        result = compared(key, other, missing="empty")
        assert outcomes(result) == {"TP": 1, "FN": 4}
        assert outcomes(compared(key, other, missing="intersection")) == {"TP": 1, "FN": 3}
        assert "s0: spans in documents that the key does not have, ignored: 1 (a.jsonl:2)" in map(str, result.notes)

    def test_names_that_say_nothing(self) -> None:
        key = put("k.jsonl", KEY)
        assert refusal(compared, key, answers("a.jsonl", {"x": [], "y": [], "z": []}) + "::llm") == (
            "a.jsonl: no answer names a document of the key\n"
            "  the answers name 'x', 'y', 'z'; the key's documents are 'd1', 'd2'\n"
            "  3 answers, but the key has 2 documents and 2 sentences\n"
            "  give each answer the name of its document in the field 'id', or in the field given by ?document=FIELD"
        )
        result = compared(key, put("a.jsonl", [{"answer": "[('Bo', 'PER')]"}, {"answer": "[]"}]))
        assert outcomes(result) == {"TP": 1, "FN": 4}

    def test_a_copy_that_is_not_the_text_is_noted(self) -> None:
        given = {"d1": TEXT.replace("Bo", "<PER>Bo</PER>"), "d2": "<PER>Eve</PER> has left Oslo."}
        result = compared(put("k.jsonl", KEY), answers("a.jsonl", given))
        assert "s0: answers whose copy of the text differs from it: 1 (d2)" in map(str, result.notes)

    def test_columns_come_along(self) -> None:
        given = {"d1": [{"text": "Bo", "label": "PER", "id": "Q1", "score": 0.5}, {"text": "Zed", "label": "PER"}]}
        corpus = align_responses(read(put("k.jsonl", KEY[:1])), [read(answers("a.jsonl", given))]).responses[0]
        assert said(corpus, "id") == ["Q1", None]
        assert said(corpus, "placing") == [None, "hallucinated"]
        assert said(corpus, "quote") == [None, "Zed"]
        assert said(corpus, "probability")[0] == 0.5


class TestAlone:
    """A file with its own texts, as a key or to be converted."""

    def own(self) -> Corpus:
        return read(
            put("a.jsonl", [{"id": each["id"], "text": each["text"], "entities": ANSWERS[each["id"]]} for each in KEY])
        )

    def test_items_without_a_place_are_left_out(self) -> None:
        corpus = place_in_own_texts(self.own())
        assert spans(corpus) == [("d1", 0, 4, "PER"), ("d1", 15, 23, "LOC"), ("d1", 9, 11, "PER"), ("d2", 0, 3, "PER")]
        assert str(corpus.notes[-1]) == "x: items without a place in the text, left out: 3"
        assert said(corpus, "quote") == [None, "new york", None, None]

    def test_if_all_have_one_nothing_is_noted(self) -> None:
        corpus = place_in_own_texts(read(put("a.jsonl", [{"id": "d1", "text": TEXT, "entities": [["Bo", "PER"]]}])))
        assert (spans(corpus), corpus.notes, corpus.quotes) == ([("d1", 9, 11, "PER")], (), None)
        assert place_in_own_texts(corpus) is corpus

    def test_as_a_key(self) -> None:
        self.own()
        assert outcomes(compared("a.jsonl", put("k.jsonl", KEY))) == {"TP": 4, "FP": 1}

    def test_written_and_read_again(self) -> None:
        made = convert_corpus(place_in_own_texts(self.own()), find_writer("jsonl"))
        again = read(put("b.jsonl", made.files[""]))
        assert spans(again) == spans(place_in_own_texts(self.own()))
        assert said(again, "placing") == ["ambiguous", "normalised", None, None]

    def test_not_before_it_is_placed(self) -> None:
        what = "a.jsonl: the items quote the text and have not been aligned with it yet"
        assert refusal(convert_corpus, self.own(), find_writer("jsonl")).startswith(what)

    def test_without_a_text_it_is_refused(self) -> None:
        answers("b.jsonl", ANSWERS)
        assert refusal(compared, "b.jsonl", put("k.jsonl", KEY)) == (
            "b.jsonl: the items quote a text, but the file contains none\n"
            "  give each document its text in the field 'text', or in the field given by ?text=FIELD"
        )


def test_spans_that_only_look_like_unplaced_ones_stay() -> None:
    said = {"begin": 3, "end": 3, "label": "PER", "placing": "hallucinated", "quote": "x"}
    other = {**said, "begin": 0}
    key, response = KEY[:1], [{**KEY[0], "spans": [{**said, "begin": 0, "end": 4}, other]}]
    prepared = prepare_systems(put("k.jsonl", key), {"s": put("r.jsonl", response)}, Setup(task="span"))
    assert [each.begin.tolist() for each in place_spans(prepared.aligned).sides][1] == [0, 0]
