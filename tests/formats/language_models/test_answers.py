"""From the text of an answer to its items. The ways in which models write are those that their users report."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from comparanda.formats.answer_texts import parse
from comparanda.formats.answers import Answer, Names, read_value
from tests.seeds import mostly_slow

ANNA, BO = {"text": "Anna", "label": "PER"}, {"text": "Bo", "label": "DOG"}
BOTH = [("Anna", "PER"), ("Bo", "DOG")]


def pairs(found: Answer) -> list[tuple[str, str]]:
    return [(item.text, item.label) for item in found.items]


def summary(found: Answer) -> tuple[str, list[tuple[str, str]], int]:
    return found.how, pairs(found), found.bad


class TestValues:
    @pytest.mark.parametrize(
        "value",
        [
            [ANNA, BO],
            {"entities": [ANNA, BO]},
            {"reasoning": "they are names", "Spans": [ANNA, BO]},
            {"entities": {"PER": ["Anna"], "DOG": ["Bo"]}},
            {"PER": ["Anna"], "DOG": "Bo", "LOC": [], "ORG": None, "MISC": ""},
            {"PER": [{"text": "Anna"}], "DOG": [{"mention": "Bo"}]},
            [["Anna", "PER"], ["Bo", "DOG"]],
            [{"entity": "Anna", "type": "PER"}, {"word": "Bo", "entity": "DOG"}],
            [{"Text": "Anna", "Label": "PER"}, {"NAME": "Bo", "Category": "DOG"}],
            [{"PER": "Anna"}, {"DOG": "Bo"}],
            [ANNA, ["Bo", "DOG"]],
            {"results": [{"entities": [ANNA]}, {"entities": [BO]}]},
            [{"text": " Anna\n", "label": " PER "}, BO],
        ],
        ids=lambda value: json.dumps(value)[:50],
    )
    def test_the_shapes_of_items(self, value: Any) -> None:
        assert summary(read_value(value)) == ("read", BOTH, 0)
        assert summary(parse(json.dumps(value))) == ("read", BOTH, 0)

    @pytest.mark.parametrize("value", [[], {}, {"entities": []}, {"entities": None}, {"PER": [], "LOC": []}])
    def test_no_items(self, value: Any) -> None:
        assert summary(read_value(value)) == ("read", [], 0)

    @pytest.mark.parametrize("value", ["Anna", 3, None, True, 1.5])
    def test_no_answer(self, value: Any) -> None:
        assert summary(read_value(value)) == ("unread", [], 0)

    @pytest.mark.parametrize(
        "item",
        [
            "Anna",
            7,
            None,
            [],
            ["Anna"],
            ["Anna", "PER", "x"],
            ["Anna", 3],
            {"text": "Anna"},
            {"text": "Anna", "label": None},
            {"text": "Anna", "label": ""},
            {"text": "Anna", "label": 3},
            {"text": "", "label": "PER"},
            {"text": " \n", "label": "PER"},
            {"text": None, "label": "PER"},
            {"text": 3, "label": "PER"},
            {"text": "An\0na", "label": "PER"},
            {"text": "An\ud800na", "label": "PER"},
            {"PER": 3},
            {"label": "PER"},
        ],
        ids=repr,
    )
    def test_an_item_that_cannot_be_read_is_counted(self, item: Any) -> None:
        assert summary(read_value([ANNA, item])) == ("read", [("Anna", "PER")], 1)

    def test_what_else_is_said(self) -> None:
        item = {
            **ANNA,
            "id": "Q1",
            "confidence": 0.5,
            "why": "a name",
            "sure": True,
            "more": [1],
            "start": 0,
            "empty": "",
        }
        (found,) = read_value([item]).items
        assert found.attributes == {"id": "Q1", "probability": 0.5, "why": "a name", "sure": True}
        assert read_value([item]).offsets == 1
        (found,) = read_value([{**ANNA, "ids": ["Q2", "<NIL>"], "confidence": "high", "Score": 1}]).items
        assert found.attributes == {"id": "Q2|NIL", "confidence": "high", "probability": 1.0}

    def test_a_number_is_no_id_of_an_entity(self) -> None:
        (found,) = read_value([{"id": 1, **ANNA}]).items
        assert found.attributes == {}

    @pytest.mark.parametrize(("given", "read"), [(2, 2), (0, 0), (-1, 0), ("2", 0), (1.5, 0), (True, 0), (1 << 70, 0)])
    def test_the_number_of_an_occurrence(self, given: Any, read: int) -> None:
        (found,) = read_value([{**ANNA, "occurrence": given}]).items
        assert (found.occurrence, found.attributes) == (read, {})

    def test_fields_can_be_named(self) -> None:
        value = [{"text": "a remark", "span_text": "Anna", "label": "x", "Kind": "PER"}]
        assert pairs(read_value(value, Names("span_text", "Kind"))) == [("Anna", "PER")]
        assert summary(read_value(value, Names("other"))) == ("read", [], 1)

    def test_deep_ones_end(self) -> None:
        value: Any = [ANNA]
        for _ in range(200):
            value = {"entities": value}
        assert summary(read_value(value)) == ("read", [], 1)


class TestText:
    JSON = json.dumps([ANNA, BO])

    @pytest.mark.parametrize(
        "answer",
        [
            JSON,
            f"\n {JSON}\n",
            f"```json\n{JSON}\n```",
            f"```\n{JSON}\n```",
            f"Sure! Here they are:\n\n```json\n{JSON}\n```\n\nLet me know.",
            f"```json\n{JSON}",
            f"```json\n{json.dumps([ANNA])}\n```\nand\n```json\n{json.dumps([BO])}\n```",
            f"The answer is {JSON}. Anything else?",
            f'As "noted [1]" above: {JSON}',
            f"{json.dumps(ANNA)}\n{json.dumps(BO)}",
            f"- {json.dumps(ANNA)}\n- {json.dumps(BO)}",
            f"<think>Maybe [{json.dumps(ANNA)}]?</think>\n{JSON}",
            f"<answer>{JSON}</answer>",
            f"```json {JSON} ```",
            json.dumps([ANNA, BO], indent=2),
        ],
    )
    def test_json_wherever_it_stands(self, answer: str) -> None:
        assert summary(parse(answer)) == ("read", BOTH, 0)

    @pytest.mark.parametrize(
        "answer",
        [
            "[{'text': 'Anna', 'label': 'PER'}, {'text': 'Bo', 'label': 'DOG'}]",
            "[('Anna', 'PER'), ('Bo', 'DOG')]",
            "[('Anna', 'PER'), ('Bo', 'DOG'),]",
            '[{"text": "Anna", "label": "PER",}, {"text": "Bo", "label": "DOG"},\n]',
            "```python\n{'PER': ['Anna'], 'DOG': ['Bo'], 'LOC': None, 'X': []}\n```",
            "Found: [('Anna', 'PER'), ('Bo', 'DOG')] in the text.",
        ],
    )
    def test_what_is_not_quite_json_is_mended(self, answer: str) -> None:
        assert summary(parse(answer)) == ("mended", BOTH, 0)

    def test_quotes_and_line_ends_in_mended_texts(self) -> None:
        found = parse("[('d\\'Arc \"x\"', 'PER'), (\"a\nb\", 'X'), ('\\u00e9', 'Y')]")
        assert pairs(found) == [('d\'Arc "x"', "PER"), ("a\nb", "X"), ("é", "Y")]

    @pytest.mark.parametrize(
        "answer",
        [
            "",
            "  \n",
            "It was a nice day.",
            "3",
            '"Anna"',
            f"Here: {JSON[:30]}",
            JSON[:10],
            "<think>" + JSON,
            "[Anna, Bo]",
            "{PER: [Anna]}",
            "[('It's', 'PER')]",
            "[1, 2] and [3]",
            "<PER>Anna",
            "Anna</PER>",
            "see [the page](https://example.org/a)",
            "[" * 500 + "]" * 500 + "x",
            "[" + "9" * 5000 + "]",
        ],
        ids=range(17),
    )
    def test_what_cannot_be_read(self, answer: str) -> None:
        assert summary(parse(answer)) == ("unread", [], 0)

    def test_a_block_that_is_cut_off_is_an_item_that_cannot_be_read(self) -> None:
        assert summary(parse(f"```json\n{json.dumps([ANNA])}\n```\n```json\n[{{\n```")) == (
            "read",
            [("Anna", "PER")],
            1,
        )

    def test_of_fields_that_are_there_twice_the_last_counts(self) -> None:
        found = parse('{"PER": ["Anna"], "PER": ["Eve"]}')
        assert (summary(found), found.doubled) == (("read", [("Eve", "PER")], 0), True)
        found = parse('Here: [{"text": "Anna", "text": "Bo", "label": "PER"}]')
        assert (summary(found), found.doubled) == (("read", [("Bo", "PER")], 0), True)


class TestTags:
    @pytest.mark.parametrize(
        ("answer", "copy", "items"),
        [
            ("<PER>Anna</PER> met <DOG>Bo</DOG>.", "Anna met Bo.", [("Anna", "PER", 0), ("Bo", "DOG", 9)]),
            ("[Anna](PER) met [Bo](DOG).", "Anna met Bo.", [("Anna", "PER", 0), ("Bo", "DOG", 9)]),
            ('<entity type="PER">Anna</entity> left', "Anna left", [("Anna", "PER", 0)]),
            ("<span class='PER'>Anna</span> left", "Anna left", [("Anna", "PER", 0)]),
            ("<ORG>New <LOC>York</LOC></ORG>", "New York", [("New York", "ORG", 0), ("York", "LOC", 4)]),
            ("<A>a <A>b</A></A>", "a b", [("a b", "A", 0), ("b", "A", 2)]),
            ("<A>a <B>b</A> c</B>", "a b c", [("a b", "A", 0), ("b c", "B", 2)]),
            ("a <PER> Anna </PER>b", "a  Anna b", [("Anna", "PER", 3)]),
            ("<output><PER>Anna</PER> left</output>", "Anna left", [("Anna", "PER", 0)]),
            ("<text>[Anna](PER) left</text>", "Anna left", [("Anna", "PER", 0)]),
            ("```\n<PER>Anna</PER> left\n```", "Anna left", [("Anna", "PER", 0)]),
            ("1 < 2, <br/> <PER>Anna</PER> [sic]", "1 < 2, <br/> Anna [sic]", [("Anna", "PER", 13)]),
            ("<text>no names</text>", "no names", []),
        ],
    )
    def test_a_copy_of_the_text(self, answer: str, copy: str, items: list[tuple[str, str, int]]) -> None:
        found = parse(answer)
        assert (found.how, found.copy, found.bad) == ("tagged", copy, 0)
        assert [(item.text, item.label, item.begin) for item in found.items] == items

    def test_attributes(self) -> None:
        (found,) = parse('<PER id="Q1" confidence="high">Anna</PER> left').items
        assert found.attributes == {"id": "Q1", "confidence": "high"}

    def test_a_tag_that_does_not_close_or_holds_nothing_is_counted(self) -> None:
        assert summary(parse("<PER>Anna</PER> met <DOG>Bo.")) == ("tagged", [("Anna", "PER")], 1)
        assert summary(parse("<PER>Anna</PER> met <DOG> </DOG>")) == ("tagged", [("Anna", "PER")], 1)


MEGABYTES = 10_000_000


@pytest.mark.parametrize(
    "piece",
    mostly_slow(
        [
            "[",
            "{",
            "[]",
            "[] ",
            "]",
            '"',
            '["',
            "'",
            "```\n",
            "```",
            "<a>",
            "</a>",
            "<a></a>",
            "[a](b)",
            "<think>",
            "<",
            '"\\',
            "(",
        ],
        ("[", "{", "]", '["', "'", "```", "<think>", '"\\', "("),
    ),
)
@pytest.mark.parametrize("size", [MEGABYTES // 5, pytest.param(MEGABYTES, marks=pytest.mark.slow)])
def test_megabytes_of_anything_end_soon(piece: str, size: int) -> None:
    begin = time.process_time()
    parse(piece * (size // len(piece)))
    parse("[" + piece * (size // len(piece)))
    assert time.process_time() - begin < 30  # ten times what it takes


def test_more_blocks_than_anyone_writes_are_not_read() -> None:
    block = f"```json\n{json.dumps([ANNA])}\n```\n"
    assert len(parse(block * 1000).items) == 1000
    assert parse(block * 1001).how == "unread"


@pytest.mark.parametrize(
    "answer",
    [
        "<a " + "b" * MEGABYTES + "></a>",
        "```" + " " * MEGABYTES,
        '{"a":' * 100_000 + "1" + "}" * 100_000,
        pytest.param("{" + ",".join(['"a":["x"]'] * 200_000) + "}", marks=pytest.mark.slow),
        "[" + "1" * MEGABYTES + "]",
        pytest.param(json.dumps([ANNA] * 200_000)[:-3], marks=pytest.mark.slow),
    ],
    ids=["attribute", "fence", "deep", "twice", "digits", "cut off"],
)
def test_so_do_hostile_ones(answer: str) -> None:
    begin = time.process_time()
    parse(answer)
    assert time.process_time() - begin < 15
