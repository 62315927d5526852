"""Answers of language models as tools and models really write them: nothing of them is read as something else."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import comparanda
from comparanda import Runs
from comparanda.errors import AlignError, ReadError, UsageError
from comparanda.formats.answer_texts import parse
from comparanda.formats.answers import Answer
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, read_input
from comparanda.result import Result

TEXTS = {"d1": "Nokia is in Espoo.", "d2": "Anna met Bo.", "d3": "It rained."}
GOLD = {"d1": [("Nokia", "ORG"), ("Espoo", "LOC")], "d2": [("Anna", "PER"), ("Bo", "PER")], "d3": []}
ITEMS = {name: [{"text": text, "label": label} for text, label in items] for name, items in GOLD.items()}
WHOLE = {name: json.dumps(items) for name, items in ITEMS.items()}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_key(TEXTS, GOLD)


def write_key(texts: dict[str, str], gold: dict[str, Any]) -> None:
    records = [
        {
            "id": name,
            "text": text,
            "spans": [
                {"begin": text.index(quote), "end": text.index(quote) + len(quote), "label": label}
                if isinstance(quote, str)
                else {"begin": quote[0], "end": quote[1], "label": label}
                for quote, label in gold[name]
            ],
        }
        for name, text in texts.items()
    ]
    put("key.jsonl", records)


def put(name: str, records: list[Any]) -> str:
    Path(name).write_text("".join(json.dumps(record) + "\n" for record in records))
    return name


def answers(**given: Any) -> str:
    return put("a.jsonl", [{"id": name, "answer": answer} for name, answer in given.items()])


def compared(system: Any, **settings: Any) -> Result:
    return comparanda.compare("key.jsonl", {"s": system}, task="span", resamples=0, **settings)


def outcomes(result: Result) -> dict[str, int]:
    return {each.outcome: each.count for each in result.scores().outcomes if each.count}


def notes(result: Result) -> list[str]:
    return [str(note) for note in result.notes if "labels only the key" not in note.what]


def message(kind: type[Exception], *given: Any, **settings: Any) -> str:
    with pytest.raises(kind) as caught:
        compared(*given, **settings)
    return str(caught.value)


def pairs(found: Answer) -> list[tuple[str, str]]:
    return [(item.text, item.label) for item in found.items]


class TestIds:
    """Answers whose ids match no document of the key."""

    def shuffled(self) -> str:
        return put("a.jsonl", [{"id": str(n), "answer": WHOLE[name]} for n, name in enumerate(["d2", "d3", "d1"])])

    def test_are_an_error(self) -> None:
        assert message(AlignError, self.shuffled()) == (
            "a.jsonl: no answer names a document of the key\n"
            "  the answers name '0', '1', '2'; the key's documents are 'd1', 'd2', 'd3'\n"
            "  3 answers, and the key has 3 documents and 3 sentences\n"
            "  give each answer the name of its document in the field 'id', or in the field given by ?document=FIELD; "
            "if the answers are in the order of the key: ?documents=in-order"
        )

    def test_can_be_matched_in_order_if_the_user_says_so(self) -> None:
        result = compared(f"{self.shuffled()}::llm?documents=in-order")
        assert outcomes(result) == {"FN": 4, "FP (hallucinated)": 4}
        assert "s: answers matched with the documents of the key in order: 3" in notes(result)
        put("a.jsonl", [{"id": "x", "answer": WHOLE[name]} for name in TEXTS])
        assert outcomes(compared("a.jsonl::llm?documents=in-order")) == {"TP": 4}

    def test_in_order_their_number_must_be_that_of_the_key(self) -> None:
        put("a.jsonl", [{"id": "x", "answer": "[]"}] * 2)
        assert message(AlignError, "a.jsonl::llm?documents=in-order").startswith(
            "a.jsonl: the answers name no documents\n  2 answers, but the key has 3 documents and 3 sentences\n"
        )

    def test_some_that_match_are_refused_as_ever(self) -> None:
        put("a.jsonl", [{"id": name, "answer": "[]"} for name in ("d1", "d2", "d9")])
        assert "the system output does not cover the key" in message(AlignError, "a.jsonl::llm")

    def test_other_values_are_refused(self) -> None:
        assert "invalid documents='ordered'" in message(UsageError, f"{self.shuffled()}::llm?documents=ordered")


def completion(content: str | None, **message: Any) -> dict[str, Any]:
    """Return a chat completion as OpenAI's interface does."""
    whole = {"role": "assistant", "content": content, **message}
    choice = {"index": 0, "message": whole, "finish_reason": "stop"}
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def call(arguments: str) -> list[dict[str, Any]]:
    return [{"id": "call_1", "type": "function", "function": {"name": "save", "arguments": arguments}}]


def openai_line(name: str, body: dict[str, Any]) -> dict[str, Any]:
    reply = {"status_code": 200, "request_id": "r", "body": body}
    return {"id": f"batch_req_{name}", "custom_id": name, "response": reply, "error": None}


def response_of(text: str) -> dict[str, Any]:
    """Return what OpenAI's interface of responses does."""
    content = [{"type": "output_text", "text": text, "annotations": []}]
    output = [{"type": "reasoning", "summary": []}, {"type": "message", "role": "assistant", "content": content}]
    return {"id": "resp_1", "object": "response", "status": "completed", "output": output}


def anthropic_line(name: str, *content: dict[str, Any]) -> dict[str, Any]:
    inner = {"id": "msg_1", "type": "message", "role": "assistant", "content": list(content), "stop_reason": "end_turn"}
    return {"custom_id": name, "result": {"type": "succeeded", "message": inner}}


def promptfoo_row(name: str, output: Any) -> dict[str, Any]:
    number = list(TEXTS).index(name)
    return {"vars": {"id": name, "text": "x"}, "response": {"output": output}, "testIdx": number, "promptIdx": 0}


def inspect_sample(name: str, epoch: int, content: str) -> dict[str, Any]:
    output = {"model": "m", "choices": [{"message": {"role": "assistant", "content": content}, "stop_reason": "stop"}]}
    return {"id": name, "epoch": epoch, "input": "x", "target": "", "output": output}


ENVELOPES: dict[str, tuple[list[dict[str, Any]], str]] = {
    "openai batch": (
        [openai_line(name, completion(answer)) for name, answer in WHOLE.items()],
        "response.body.choices[0].message.content (OpenAI batch)",
    ),
    "openai batch of responses": (
        [openai_line(name, response_of(answer)) for name, answer in WHOLE.items()],
        "response.body.output[].content[].text (OpenAI batch)",
    ),
    "openai batch of function calls": (
        [openai_line(name, completion(None, tool_calls=call(answer))) for name, answer in WHOLE.items()],
        "response.body.choices[0].message.tool_calls[].function.arguments (OpenAI batch)",
    ),
    "chat completions with ids": (
        [{"doc_id": name, **completion(answer)} for name, answer in WHOLE.items()],
        "choices[0].message.content (OpenAI chat completion)",
    ),
    "chat completions in a field": (
        [{"id": name, "response": completion(answer)} for name, answer in WHOLE.items()],
        "response.choices[0].message.content",
    ),
    "messages in a field": (
        [
            {"id": name, "output": [{"role": "user", "content": "x"}, {"role": "assistant", "content": answer}]}
            for name, answer in WHOLE.items()
        ],
        "output[1].content",
    ),
    "responses": (
        [{**response_of(answer), "metadata": {"doc_id": name}} for name, answer in WHOLE.items()],
        "output[].content[].text (OpenAI response)",
    ),
    "anthropic batch": (
        [anthropic_line(name, {"type": "text", "text": answer}) for name, answer in WHOLE.items()],
        "result.message.content[].text (Anthropic batch)",
    ),
    "anthropic batch of tools": (
        [
            anthropic_line(name, {"type": "tool_use", "name": "save", "input": {"entities": items}})
            for name, items in ITEMS.items()
        ],
        "result.message.content[].input (Anthropic batch)",
    ),
    "promptfoo rows": (
        [promptfoo_row(name, answer) for name, answer in WHOLE.items()],
        "response.output (promptfoo)",
    ),
    "promptfoo rows of objects": (
        [promptfoo_row(name, items) for name, items in ITEMS.items()],
        "response.output (promptfoo)",
    ),
    "inspect samples": (
        [inspect_sample(name, 1, answer) for name, answer in WHOLE.items()],
        "output.choices[0].message.content (Inspect)",
    ),
    "litellm": (
        [
            {
                "id": "chatcmpl-1",
                "call_type": "acompletion",
                "status": "success",
                "response": completion(answer),
                "metadata": {"requester_metadata": {"id": name}},
            }
            for name, answer in WHOLE.items()
        ],
        "response.choices[0].message.content (LiteLLM)",
    ),
}


class TestEnvelopes:
    """Records of interfaces and evaluation tools, around the answers."""

    @pytest.mark.parametrize("kind", ENVELOPES)
    def test_are_recognised_and_named(self, kind: str) -> None:
        records, path = ENVELOPES[kind]
        result = compared(put("a.jsonl", records))
        assert outcomes(result) == {"TP": 4}
        assert f"s: answers found in {path}: 3 (a.jsonl:1, a.jsonl:2, a.jsonl:3)" in notes(result)

    @pytest.mark.parametrize("indent", [None, 1])
    @pytest.mark.parametrize("kind", ["promptfoo", "inspect"])
    def test_whole_logs_of_one_object(self, kind: str, indent: int | None) -> None:
        rows = [promptfoo_row(name, answer) for name, answer in WHOLE.items()]
        samples = [inspect_sample(name, 1, answer) for name, answer in WHOLE.items()]
        logs = {
            "promptfoo": {"evalId": "e", "results": {"version": 3, "prompts": [], "results": rows}, "config": {}},
            "inspect": {"version": 2, "status": "success", "eval": {"task": "t"}, "samples": samples},
        }
        Path("a.json").write_text(json.dumps(logs[kind], indent=indent))
        assert outcomes(compared("a.json")) == {"TP": 4}

    def test_a_folder_of_logs_with_one_object_each(self) -> None:
        Path("logs").mkdir()
        for name, record in zip(TEXTS, ENVELOPES["litellm"][0], strict=True):
            Path(f"logs/{name}.json").write_text(json.dumps(record, indent=2))
        assert outcomes(compared("logs::llm")) == {"TP": 4}

    def test_a_log_without_records_is_refused(self) -> None:
        Path("a.json").write_text('{"eval": {}, "samples": []}')
        assert message(ReadError, "a.json::llm") == "a.json: there are no records in this log"

    def test_failed_requests_are_answers_without_items(self) -> None:
        failed = {"custom_id": "d2", "id": "b", "response": None, "error": {"code": "x", "message": "expired"}}
        status = {
            "custom_id": "d3",
            "response": {"status_code": 400, "body": {"error": {"message": "x"}}},
            "error": None,
        }
        records = [failed, status, openai_line("d1", completion(WHOLE["d1"]))]
        result = compared(put("a.jsonl", records))
        assert outcomes(result) == {"TP": 2, "FN": 2}
        assert "s: requests that failed, treated as answers without items: 2 (a.jsonl:1, a.jsonl:2)" in notes(result)
        expired: list[Any] = [{"custom_id": name, "result": {"type": kind}} for name, kind in
                              (("d2", "expired"), ("d3", "errored"))]  # fmt: skip
        put("a.jsonl", [*expired, anthropic_line("d1", {"type": "text", "text": WHOLE["d1"]})])
        assert "s: requests that failed, treated as answers without items: 2 (a.jsonl:1, a.jsonl:2)" in notes(
            compared("a.jsonl")
        )

    def test_a_refusal_in_the_envelope_is_one(self) -> None:
        records = [openai_line(name, completion(None, refusal="I can't")) for name in TEXTS]
        assert (
            "s: answers that refuse the task, treated as having no items: 3 (a.jsonl:1, a.jsonl:2, a.jsonl:3)"
            in notes(compared(put("a.jsonl", records)))
        )

    def test_ids_of_requests_are_no_names_of_documents(self) -> None:
        put("a.jsonl", [completion(answer) | {"id": f"chatcmpl-{name}"} for name, answer in WHOLE.items()])
        assert "the answers name 'chatcmpl-d1', 'chatcmpl-d2', 'chatcmpl-d3'" in message(AlignError, "a.jsonl")
        assert outcomes(compared("a.jsonl::llm?documents=in-order")) == {"TP": 4}

    def test_further_choices_are_counted(self) -> None:
        body = completion(WHOLE["d1"])
        body["choices"] *= 3
        records = [openai_line(name, body if name == "d1" else completion(answer)) for name, answer in WHOLE.items()]
        what = "s: further answers to the same request, ignored: only the first is read: 2 (a.jsonl:1, …)"
        assert what in notes(compared(put("a.jsonl", records)))

    def test_the_limit_of_tokens_is_noted(self) -> None:
        body = completion(WHOLE["d1"])
        body["choices"][0]["finish_reason"] = "length"
        records = [openai_line(name, body if name == "d1" else completion(answer)) for name, answer in WHOLE.items()]
        found = notes(compared(put("a.jsonl", records)))
        assert "s: answers that end at the limit of tokens: 1 (a.jsonl:1)" in found

    def test_the_first_request_may_have_failed(self) -> None:
        records = [{"id": "x", "error": {"message": "x"}}, *({"id": n, **completion(WHOLE[n])} for n in ("d1", "d2"))]
        put("a.jsonl", records)
        result = compared("a.jsonl::llm?documents=in-order")
        assert "s: requests that failed, treated as answers without items: 1 (a.jsonl:1)" in notes(result)

    def test_results_without_names_are_in_the_order_of_their_numbers(self) -> None:
        rows = [promptfoo_row(name, WHOLE[name]) for name in ("d3", "d1", "d2")]
        put("a.jsonl", [{**row, "vars": {"text": "x"}} for row in rows])
        assert outcomes(compared("a.jsonl")) == {"TP": 4}

    def test_an_answer_in_an_inner_field_is_found(self) -> None:
        result = compared(put("a.jsonl", [{"id": name, "response": {"output": WHOLE[name]}} for name in TEXTS]))
        assert outcomes(result) == {"TP": 4}
        assert "s: answers found in response.output: 3 (a.jsonl:1, a.jsonl:2, a.jsonl:3)" in notes(result)

    def test_unknown_ones_are_refused_with_the_option_to_write(self) -> None:
        record = {"id": "d1", "response": {"candidates": [{"content": {"parts": [{"x": "[]"}]}}], "usage": {"n": 1}}}
        assert message(ReadError, put("a.jsonl", [record]) + "::llm") == (
            "a.jsonl:1: 'response' is an object of unknown form, in which the answer cannot be found\n"
            "  fields: candidates, usage\n"
            "  name the path to the answer: ?answer=response.FIELD (elements of lists by number: choices.0.text)"
        )


class TestDirections:
    """Dictionaries whose form does not tell texts and labels apart."""

    @pytest.mark.parametrize(
        "first",
        [
            {"Nokia": "ORG", "Espoo": "LOC"},
            {"ORG": "Nokia", "LOC": "Espoo"},
            {"ORG": ["Nokia"], "LOC": ["Espoo"]},
            {"Nokia": ["ORG"], "Espoo": ["LOC"]},
            [{"Nokia": "ORG"}, {"Espoo": "LOC"}],
            "Nokia: ORG\nEspoo: LOC",
            "ORG: Nokia\nLOC: Espoo",
            "| a | b |\n|---|---|\n| ORG | Nokia |\n| LOC | Espoo |",
        ],
        ids=str,
    )
    def test_are_decided_by_the_text_and_the_labels_of_the_key(self, first: Any) -> None:
        for written in (first, json.dumps(first)) if not isinstance(first, str) else (first,):
            result = compared(answers(d1=written, d2=ITEMS["d2"], d3=[]) + "::llm")
            assert outcomes(result) == {"TP": 4}
            assert not any("which are the texts" in note for note in notes(result))

    def test_the_labels_decide_if_the_text_does_not(self) -> None:
        result = compared(answers(d1={"Nokya": "ORG"}, d2=[], d3=[]) + "::llm")
        assert "s: items that are not in the text: 1 (a.jsonl:1: 'Nokya')" in notes(result)

    def test_undecided_ones_are_noted(self) -> None:
        result = compared(answers(d1={"COMPANY": "Zed"}, d2=[], d3=[]) + "::llm")
        assert (
            "s: answers that do not show which are the texts and which the labels: 1 "
            "(a.jsonl:1: 'Zed' read as text, 'COMPANY' as label)"
        ) in notes(result)

    def test_a_key_of_answers_is_decided_by_its_texts(self) -> None:
        put("key.jsonl", [{"id": "d1", "text": TEXTS["d1"], "entities": {"Nokia": "ORG", "Espoo": "LOC"}}])
        put("a.jsonl", [{"id": "d1", "entities": [["Nokia", "ORG"]]}])
        assert outcomes(comparanda.compare("key.jsonl::llm", {"s": "a.jsonl"}, task="span", resamples=0)) == {
            "TP": 1,
            "FN": 1,
        }


class TestOrder:
    """Forms that carry no order."""

    TEXT = "Washington was quiet; Washington, the pitcher, was not."

    def outcomes(self, answer: Any) -> dict[str, int]:
        write_key({"d1": self.TEXT}, {"d1": [((0, 10), "LOC"), ((22, 32), "PER")]})
        return outcomes(compared(answers(d1=answer) + "::llm"))

    def test_the_lists_of_several_labels_have_none(self) -> None:
        assert self.outcomes({"PER": ["Washington"], "LOC": ["Washington"]}) == {"FN": 2, "FP (ambiguous)": 2}
        assert self.outcomes({"LOC": ["Washington"], "PER": ["Washington"]}) == {"TP (ambiguous)": 2}
        assert self.outcomes("PER: Washington\nLOC: Washington") == {"FN": 2, "FP (ambiguous)": 2}

    def test_a_list_has_one(self) -> None:
        assert self.outcomes([["Washington", "LOC"], ["Washington", "PER"]]) == {"TP": 2}
        assert self.outcomes("- Washington (LOC)\n- Washington (PER)") == {"TP": 2}

    def test_items_of_one_label_say_nothing_of_the_place_of_another(self) -> None:
        write_key({"d1": "York met Bo, and York left."}, {"d1": [((0, 4), "LOC")]})
        assert outcomes(compared(answers(d1={"PER": ["Bo"], "LOC": ["York"]}) + "::llm")) == {
            "TP (ambiguous)": 1,
            "FP": 1,
        }


LISTS = [
    "- Nokia (ORG)\n- Espoo (LOC)",
    "* Nokia: ORG\n* Espoo: LOC",
    "1. Nokia – ORG\n2. Espoo – LOC",
    "1) **Nokia** -> ORG\n2) **Espoo** -> LOC",
    "Here are the entities I found in the text.\n\n- `Nokia` (ORG)\n- `Espoo` (LOC)\n\nLet me know if you need more!",
    "Nokia: ORG\nEspoo: LOC",
    "The entities are:\n\n**ORG:** Nokia\n**LOC:** Espoo\n**PER:** None",
    "- **ORG**: Nokia\n- **LOC**: Espoo\n- **PER**: none",
    "| Entity | Type |\n|---|---|\n| Nokia | ORG |\n| Espoo | LOC |",
    "| label | text |\n| ORG | Nokia |\n| LOC | Espoo |",
    "| # | Entity | Type | Why |\n|:-:|---|---|---|\n| 1 | Nokia | ORG | a firm |\n| 2 | Espoo | LOC | a town |",
    "| Nokia | ORG |\n| Espoo | LOC |",
    "```\n- Nokia (ORG)\n- Espoo (LOC)\n```",
]

PROSE = [
    "Nokia is in Espoo.",
    "Note: the text is short.",
    "- Nokia is a company: it makes phones",
    "- Nokia\n- Espoo",
    "- Nokia (ORG)\n- This one is hard to say.",
    "- Nokia (a company from Finland)",
    "- text: Nokia\n  label: ORG",
    "The answer: Nokia (ORG) and Espoo (LOC) are the entities of this text.",
    "| a |\n| b |",
    "| Nokia | Espoo | ORG | LOC |",
    "Thoughts: none\nThe text mentions a company.",
]


class TestLists:
    """Bullets, lines and tables."""

    @pytest.mark.parametrize("answer", LISTS)
    def test_are_read_and_counted(self, answer: str) -> None:
        result = compared(answers(d1=answer, d2=WHOLE["d2"], d3="[]"))
        assert outcomes(result) == {"TP": 4}
        assert "s: answers that are not JSON, read as lists or tables: 1 (a.jsonl:1)" in notes(result)

    def test_several_texts_of_a_label(self) -> None:
        assert pairs(parse("ORG: Nokia, Espoo Oy; Volvo\nLOC: Oslo\nPER: N/A")) == [
            ("Nokia", "ORG"),
            ("Espoo Oy", "ORG"),
            ("Volvo", "ORG"),
            ("Oslo", "LOC"),
        ]

    @pytest.mark.parametrize("answer", PROSE)
    def test_prose_is_not(self, answer: str) -> None:
        assert (parse(answer).how, pairs(parse(answer))) == ("unread", [])

    def test_json_beside_a_list_does_not_hide_it(self) -> None:
        assert pairs(parse("ORG: Nokia\nLOC: []")) == [("Nokia", "ORG")]


class TestWords:
    """Answers that there is nothing, refusals, and the rest."""

    EMPTY = (
        *(
            "[]",
            "{}",
            "None",
            "none.",
            "null",
            "N/A",
            "No entities found.",
            "No named entities were found in the text.",
        ),
        *("There are no entities in this text.", "The text contains no person names.", "**No entities**"),
        *("I couldn’t find any named entities in the text.", "I'm sorry, but I could not find any entities."),
        *("Entities: none", "```\nNone\n```", "<think>Hm.</think>\nNo entities."),
    )
    REFUSALS = (
        *("I'm sorry, but I can't help with that.", "I am sorry, I cannot do that.", "As an AI language model, I …"),
        *("I cannot assist with this request.", "Sorry, I won't.", "I’m unable to process this text."),
        *("Unfortunately, I can't do that.", "I apologize, but this text violates the policy."),
    )

    @pytest.mark.parametrize("answer", EMPTY)
    def test_nothing_is_an_empty_answer(self, answer: str) -> None:
        assert (parse(answer).how, pairs(parse(answer))) == ("read", [])

    @pytest.mark.parametrize("answer", REFUSALS)
    def test_a_refusal_is_one(self, answer: str) -> None:
        assert parse(answer).how == "refused"

    @pytest.mark.parametrize(
        "answer", ["It was a nice day.", "No entities except Nokia", "No.", "Nothing much happens"]
    )
    def test_anything_else_cannot_be_read(self, answer: str) -> None:
        assert parse(answer).how == "unread"

    def test_each_has_its_note(self) -> None:
        assert notes(compared(answers(d1="No entities found.", d2="I'm sorry, but I can't.", d3="Hm?") + "::llm")) == [
            "s: answers that cannot be read, treated as having no items: 1 (a.jsonl:3)",
            "s: answers that refuse the task, treated as having no items: 1 (a.jsonl:2)",
        ]


class TestTake:
    """Several pieces of JSON in one answer."""

    ANSWER = 'First draft: [["Nokia", "LOC"]]. Corrected: [["Nokia", "ORG"]]'

    @pytest.mark.parametrize(
        ("take", "expected"),
        [
            ("all", {"TP": 1, "FN": 3, "FP": 1}),
            ("first", {"FN": 4, "FP": 1}),
            ("last", {"TP": 1, "FN": 3}),
        ],
    )
    def test_which_count(self, take: str, expected: dict[str, int]) -> None:
        assert outcomes(compared(answers(d1=self.ANSWER, d2="[]", d3="[]") + f"?take={take}")) == expected

    def test_blocks_and_lines(self) -> None:
        blocks = '```json\n[["Nokia", "LOC"]]\n```\nbetter:\n```json\n[["Nokia", "ORG"]]\n```'
        assert pairs(parse(blocks, take="last")) == [("Nokia", "ORG")]
        lines = "\n".join(json.dumps(item) for item in ITEMS["d1"])
        assert pairs(parse(f"Draft: []\nNow: {lines}", take="last")) == GOLD["d1"]
        assert pairs(parse("First: [['Nokia', 'ORG']]. No: []", take="last")) == []

    def test_other_values_are_refused(self) -> None:
        assert "invalid take='newest'" in message(UsageError, answers(d1="[]", d2="[]", d3="[]") + "::llm?take=newest")


def write_answer(draw: random.Random) -> tuple[str, list[int]]:
    """Write an answer in some form of JSON; also return the end of each of its items."""
    texts = ["Anna", 'the "Old" Inn', "Espoo [sic]", "x{y", "C:\\temp", "Müller", "A, B", "12"]
    labels = draw.sample(["PER", "ORG", "LOC", "MISC"], draw.randint(1, 4))
    form = draw.choice(["objects", "wrapper", "pairs", "lists", "nested"])
    written, ends = {"wrapper": '{"entities": [', "lists": "{", "nested": '[{"entities": ['}.get(form, "["), []
    for number, label in enumerate(labels):
        written += ", " * (number > 0)
        some = [json.dumps(text) for text in draw.sample(texts, draw.randint(1, 3))]
        if form == "lists":
            written += f"{json.dumps(label)}: ["
        for place, text in enumerate(some):
            written += ", " * (place > 0)
            written += {"lists": text, "pairs": f'[{text}, "{label}"]'}.get(
                form, f'{{"text": {text}, "label": "{label}", "n": [1, {{"a": null}}]}}'
            )
            ends.append(len(written))
        written += "]" * (form == "lists")
    return written + {"wrapper": "]}", "lists": "}", "nested": "]}]"}.get(form, "]"), ends


class TestTruncated:
    """Answers that end too early."""

    @pytest.mark.parametrize(
        ("answer", "expected"),
        [
            ('[{"text": "Nokia", "label": "ORG"}, {"text": "Es', [("Nokia", "ORG")]),
            ('[{"text": "Nokia", "label": "ORG"}, {"text": "Espoo", "label": "LO', [("Nokia", "ORG")]),
            ('[{"text": "Nokia", "label": "ORG"}, {"text": "Espoo", "label": "LOC"}', GOLD["d1"]),
            ('{"entities": [{"text": "Nokia", "label": "ORG"}, {"te', [("Nokia", "ORG")]),
            ('{"ORG": ["Nokia", "Volvo"], "LOC": ["Esp', [("Nokia", "ORG"), ("Volvo", "ORG")]),
            ('{"ORG": "Nokia", "LOC": "Esp', [("Nokia", "ORG")]),
            ('[["Nokia", "ORG"], ["Espoo"', [("Nokia", "ORG")]),
            ("[('Nokia', 'ORG'), ('Espoo', 'LO", [("Nokia", "ORG")]),
            ('```json\n[["Nokia", "ORG"], ["Es\n```', [("Nokia", "ORG")]),
            ('Here: [["Nokia", "ORG"], ["Es', [("Nokia", "ORG")]),
            ('{"text": "Nokia", "label": "ORG"}\n{"text": "Es', [("Nokia", "ORG")]),
            ('{"results": [{"entities": [["Nokia", "ORG"], ["Espoo", "LOC"]], "n": 12', GOLD["d1"]),
        ],
    )
    def test_are_read_up_to_the_last_complete_item(self, answer: str, expected: list[tuple[str, str]]) -> None:
        found = parse(answer)
        assert (pairs(found), found.cut) == (expected, True)
        assert parse(answer, repair=False).how == "unread"

    @pytest.mark.parametrize("answer", ['[{"text": "No', "[", '{"ORG": [', "[Nokia, Es", '{"ORG', "see [1"])
    def test_without_a_complete_item_they_cannot_be_read(self, answer: str) -> None:
        assert parse(answer).how == "unread"

    @pytest.mark.parametrize("seed", range(20))
    def test_every_cut_of_an_answer_gives_the_items_that_end_before_it(self, seed: int) -> None:
        """Peer: an answer written piece by piece, with the place at which each of its items is complete."""
        written, ends = write_answer(random.Random(seed))
        whole = pairs(parse(written))
        assert len(whole) == len(ends)
        for cut in range(len(written)):
            assert pairs(parse(written[:cut])) == whole[: sum(end <= cut for end in ends)]

    def test_are_counted(self) -> None:
        given = answers(d1='[{"text": "Nokia", "label": "ORG"}, {"text": "Es', d2="[('Anna', 'PER')]", d3="[]")
        result = compared(given)
        assert outcomes(result) == {"TP": 2, "FN": 2}
        assert notes(result) == [
            "s: answers cut off, read up to the last complete item: 1 (a.jsonl:1)",
            "s: answers with invalid JSON, repaired: 1 (a.jsonl:2)",
        ]
        result = compared(f"{given}::llm?repair=no")
        assert outcomes(result) == {"FN": 4}
        assert notes(result) == ["s: answers that cannot be read, treated as having no items: 2 (a.jsonl:1, a.jsonl:2)"]

    def test_the_repair_of_chunk_tags_is_another_option(self) -> None:
        assert outcomes(compared(answers(d1=WHOLE["d1"], d2="[('Bo', 'PER')]", d3="[]"), repair="discard")) == {
            "TP": 3,
            "FN": 1,
        }


class TestRuns:
    """Several runs in one file."""

    def records(self) -> list[dict[str, Any]]:
        second = {"d1": "[]", "d2": WHOLE["d2"], "d3": "[]"}
        return [
            {"id": name, "sample": number, "answer": answer}
            for number, given in ((1, WHOLE), (2, second))
            for name, answer in given.items()
        ]

    def test_a_field_tells_them_apart(self) -> None:
        result = compared(put("a.jsonl", self.records()) + "::llm?run=sample")
        assert result.verdicts.runs == ("s#1", "s#2")
        assert result.scores("recall").scores[0].by_run == (1.0, 0.5)
        one, two = self.records()[:3], self.records()[3:]
        files = Runs(put("one.jsonl", one) + "::llm", put("two.jsonl", two) + "::llm")
        assert result.stability().to_json() == compared(files).stability().to_json()

    def test_one_of_them(self) -> None:
        assert outcomes(compared(put("a.jsonl", self.records()) + "::llm?run=sample=2")) == {"TP": 2, "FN": 2}
        assert message(ReadError, "a.jsonl::llm?run=sample=3") == (
            "a.jsonl:1: no run with sample=3\n  choose one: ?run=sample=1; runs: 1, 2"
        )

    def test_the_error_names_the_option(self) -> None:
        assert message(ReadError, put("a.jsonl", self.records())) == (
            "a.jsonl:4: duplicate document 'd1'\n"
            "  the first is at a.jsonl:1\n"
            "  if the file holds several runs, which 'sample' tells apart: ?run=sample"
        )

    def test_the_field_has_a_value_for_each_run(self) -> None:
        records = [{"time": n, "seed": each.pop("sample"), **each} for n, each in enumerate(self.records())]
        assert message(ReadError, put("a.jsonl", records)).endswith("?run=seed")

    def test_without_such_a_field_names_must_be_unique(self) -> None:
        put("a.jsonl", [{"id": name, "answer": "[]"} for name in ("d1", "d2", "d3", "d1")])
        assert "rename one" in message(ReadError, "a.jsonl::llm")

    def test_every_record_needs_its_run(self) -> None:
        put("a.jsonl", [*self.records(), {"id": "d1", "answer": "[]"}])
        assert message(ReadError, "a.jsonl::llm?run=sample").startswith(
            "a.jsonl:7: missing the field 'sample', which names the run"
        )

    def test_epochs_of_inspect(self) -> None:
        samples = [inspect_sample(name, epoch, WHOLE[name]) for epoch in (1, 2) for name in TEXTS]
        Path("a.json").write_text(json.dumps({"eval": {}, "samples": samples}))
        assert message(ReadError, "a.json").endswith("which 'epoch' tells apart: ?run=epoch")
        assert compared("a.json?run=epoch").verdicts.runs == ("s#1", "s#2")


class TestRepeatedFields:
    """A field that an object of an answer has twice: the last one counts."""

    def test_are_noted(self) -> None:
        Path("a.jsonl").write_text(
            '{"id": "d1", "answer": "{\\"ORG\\": [\\"Volvo\\"], \\"ORG\\": [\\"Nokia\\"]}"}\n'
            '{"id": "d2", "answer": [{"text": "Zed", "text": "Bo", "label": "PER"}]}\n'
            '{"id": "d3", "answer": "[]"}\n'
        )
        result = compared("a.jsonl")
        assert outcomes(result) == {"TP": 2, "FN": 2}
        assert "s: answers with a field given twice, of which the last one counts: 2 (a.jsonl:1, a.jsonl:2)" in notes(
            result
        )


class TestRecognition:
    """Files that begin with answers without items."""

    @pytest.mark.parametrize("answer", ["I'm sorry, but I can't.", "- Nokia (ORG)", "None", "Hm?", ""])
    @pytest.mark.parametrize("field", ["answer", "response", "output", "completion"])
    def test_by_their_fields(self, answer: str, field: str) -> None:
        result = compared(put("a.jsonl", [{"id": name, field: answer} for name in TEXTS]))
        assert result.verdicts.task == "span"
        assert compared(put("a.jsonl", [{field: answer}] * 3)).verdicts.task == "span"

    def test_the_error_names_the_format(self) -> None:
        assert message(ReadError, put("a.jsonl", [{"id": name, "said": "Hm?"} for name in TEXTS])) == (
            "a.jsonl:1: cannot determine which field holds the spans\n"
            "  fields: id, said\n"
            '  name it: ?spans=FIELD; write a span like this: {"begin": 0, "end": 5, "label": "PER"}; '
            "answers of a language model: a.jsonl::llm?answer=FIELD"
        )


def damaged(draw: random.Random, value: Any) -> Any:
    """Return a record with values lost or changed."""
    if draw.random() < 0.03:
        return draw.choice([None, [], {}, "", 1, True, 1.5, "x", [None], [{}], {"type": "text"}, {"error": 1}])
    if isinstance(value, dict):
        return {name: damaged(draw, each) for name, each in value.items() if draw.random() > 0.03}
    return [damaged(draw, each) for each in value if draw.random() > 0.03] if isinstance(value, list) else value


@pytest.mark.parametrize("kind", ENVELOPES)
def test_damaged_envelopes_are_read_or_refused(kind: str) -> None:
    draw = random.Random(kind)
    for _ in range(20):
        records = [damaged(draw, record) for record in ENVELOPES[kind][0]]
        put("a.jsonl", [record for record in records if isinstance(record, dict)] or [{}])
        with suppress(ReadError):
            corpus = read_input(Input.parse("a.jsonl::llm"), Request(side="x", layer="spans"), "tokens")
            assert corpus.quotes is not None
            assert len(corpus.quotes.copies) == len(corpus.documents)
