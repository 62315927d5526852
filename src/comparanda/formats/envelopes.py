"""Envelopes of answers: the records that interfaces of language models and evaluation tools write around them.

Recognised are OpenAI's chat completions, responses and batches (https://platform.openai.com/docs/api-reference),
Anthropic's messages and batches (https://docs.anthropic.com/en/api), promptfoo's results
(https://www.promptfoo.dev/docs/configuration/outputs), samples of Inspect's logs (https://inspect.aisi.org.uk), and
LiteLLM's logs (https://docs.litellm.ai/docs/proxy/logging_spec).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

Record = Mapping[str, Any]

_TEXT_TYPES = frozenset({"text", "output_text"})
_OUTPUT_TYPES = frozenset({"message", "function_call"})
_LIMITS = frozenset({"max_tokens", "model_length"})
_FAILURES = frozenset({"failed", "cancelled"})
_PART_TYPES = _TEXT_TYPES | {"tool_use", "refusal", "reasoning", "thinking", "redacted_thinking"}


class Reply(NamedTuple):
    """What an envelope contains.

    Args:
        answer: the answer; None if there is none.
        path: where it was found.
        failed: whether the request failed.
        refused: whether the model refused, according to the envelope.
        further: the number of further answers to the same request, which are ignored.
        limited: whether the answer ends because it reached the limit of tokens.

    """

    answer: Any = None
    path: str = ""
    failed: bool = False
    refused: bool = False
    further: int = 0
    limited: bool = False

    def inside(self, path: str) -> Reply:
        """Return the same reply as part of an outer record."""
        between = "" if not self.path or self.path.startswith("[") else "."
        return self._replace(path=f"{path}{between}{self.path}")


FAILED = Reply(failed=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """A kind of envelope.

    Args:
        name: what it is called.
        fits: whether a record is one.
        read: reads a record; those of failed requests may look different.
        names: the paths at which the document may be named, the most specific first.
        order: the field with the number of the document, for records without names; None if they are in order.

    """

    name: str
    fits: Callable[[Record], bool]
    read: Callable[[Record], Reply]
    names: tuple[str, ...]
    order: str | None = None


def find_envelope(record: Record) -> Envelope | None:
    """Return the kind of envelope that a record is; None for plain records.

    >>> find_envelope({"custom_id": "d1", "result": {"type": "expired"}}).name
    'Anthropic batch'
    >>> find_envelope({"id": "d1", "answer": "[]"}) is None
    True
    """
    return next((each for each in ENVELOPES if each.fits(record)), None)


# Bodies: what the interfaces themselves return.


def read_body(body: Any) -> Reply | None:
    """Read what an interface returned: a chat completion, a response, messages; None if it is none of these."""
    if _are_objects(body) and all("role" in each and "content" in each for each in body):
        own = [number for number, each in enumerate(body) if each["role"] == "assistant"]
        return _read_message(body[own[-1]]).inside(f"[{own[-1]}]") if own else Reply()
    if not isinstance(body, Mapping):
        return None
    if _is_completion(body):
        return _read_completion(body)
    if _is_response(body):
        return _read_response(body)._replace(limited=body.get("status") == "incomplete")
    if _is_message(body):
        found = _read_content(body["content"], "content", refused=body.get("stop_reason") == "refusal")
        return found._replace(limited=_reached_limit(body))
    return FAILED if body.get("error") else None


def _is_completion(body: Record) -> bool:
    choices = body.get("choices")
    return _are_objects(choices) and all("message" in each or "text" in each for each in choices or ())


def _read_completion(body: Record) -> Reply:
    """Read the first choice of a chat completion, or of a completion of text."""
    first, further = body["choices"][0], len(body["choices"]) - 1
    if "message" in first:
        found = _read_message(first["message"]).inside("choices[0].message")
    else:
        found = Reply(first["text"], "choices[0].text")
    return found._replace(further=further, limited=_reached_limit(first))


def _reached_limit(choice: Record) -> bool:
    """Whether a choice or message ends at the limit of tokens, according to OpenAI, Anthropic or Inspect."""
    return choice.get("finish_reason") == "length" or _is_one_of(choice, "stop_reason", _LIMITS)


def _read_message(message: Any) -> Reply:
    """Read the message of an assistant: the arguments of the functions it calls, or its content."""
    if not isinstance(message, Mapping):
        return Reply()
    calls = message.get("tool_calls")
    if calls and _are_objects(calls):
        inner = [each["function"] if isinstance(each.get("function"), Mapping) else each for each in calls]
        path = "tool_calls[].function.arguments" if inner[0] is not calls[0] else "tool_calls[].arguments"
        return _combine([each.get("arguments") for each in inner], path)
    if isinstance(message.get("function_call"), Mapping):
        return Reply(message["function_call"].get("arguments"), "function_call.arguments")
    return _read_content(message.get("content"), "content", refused=bool(message.get("refusal")))


def _read_content(content: Any, path: str, *, refused: bool = False) -> Reply:
    """Read a content: a string, or parts that are texts, calls of tools and others."""
    known = isinstance(content, list) and any(
        isinstance(each, Mapping) and _is_one_of(each, "type", _PART_TYPES) for each in content
    )
    if not known and content != []:
        return Reply(content, path, refused=refused and not content)
    parts = [each for each in content if isinstance(each, Mapping)]
    inputs = [each.get("input") for each in parts if each.get("type") == "tool_use"]
    if inputs:
        return _combine(inputs, f"{path}[].input")
    texts = [
        each["text"] for each in parts if _is_one_of(each, "type", _TEXT_TYPES) and isinstance(each.get("text"), str)
    ]
    refused = (refused or any(each.get("type") == "refusal" for each in parts)) and not texts
    return Reply("\n".join(texts) if texts else None, f"{path}[].text", refused=refused)


def _is_response(body: Record) -> bool:
    output = body.get("output")
    return body.get("object") == "response" or (
        _are_objects(output) and any(_is_one_of(each, "type", _OUTPUT_TYPES) for each in output or ())
    )


def _read_response(body: Record) -> Reply:
    """Read the output of OpenAI's responses: calls of functions, or messages."""
    output = [each for each in _as_list(body.get("output")) if isinstance(each, Mapping)]
    calls = [each.get("arguments") for each in output if each.get("type") == "function_call"]
    if calls:
        return _combine(calls, "output[].arguments")
    parts = [part for each in output if each.get("type") == "message" for part in _as_list(each.get("content")) if part]
    if not parts and (body.get("error") or _is_one_of(body, "status", _FAILURES)):
        return FAILED
    return _read_content(parts, "output[].content")


def _is_message(body: Record) -> bool:
    return body.get("role") == "assistant" and _are_objects(body.get("content")) and body.get("type") == "message"


def _combine(answers: Sequence[Any], path: str) -> Reply:
    """Combine the arguments of several calls of functions into one answer."""
    if len(answers) == 1:
        return Reply(answers[0], path)
    if all(isinstance(each, str) for each in answers):
        return Reply("\n".join(answers), path)
    return Reply([each for each in answers if each is not None], path)


def _is_one_of(record: Record, name: str, values: frozenset[str]) -> bool:
    value = record.get(name)
    return isinstance(value, str) and value in values


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, Mapping) for each in value)


def _object(record: Record, name: str) -> Record:
    value = record.get(name)
    return value if isinstance(value, Mapping) else {}


# Envelopes.


def _is_openai_batch(record: Record) -> bool:
    response = record.get("response")
    if "custom_id" not in record or not isinstance(response, Mapping | None):
        return False
    return "error" in record or "body" in (response or ())


def _read_openai_batch(record: Record) -> Reply:
    response = _object(record, "response")
    status = response.get("status_code")
    if record.get("error") or (isinstance(status, int) and status >= 400):
        return FAILED
    return (read_body(response.get("body")) or Reply()).inside("response.body")


def _read_anthropic_batch(record: Record) -> Reply:
    result = _object(record, "result")
    if result.get("type") != "succeeded":
        return FAILED
    return (read_body({"type": "message", "role": "assistant", **_object(result, "message")}) or Reply()).inside(
        "result.message"
    )


def _is_promptfoo(record: Record) -> bool:
    return isinstance(record.get("vars"), Mapping) and not {"response", "testIdx", "promptIdx"}.isdisjoint(record)


def _read_promptfoo(record: Record) -> Reply:
    response = _object(record, "response")
    if response.get("output") is None:
        return FAILED
    output = response["output"]
    return (
        Reply(output, "response.output") if isinstance(output, str) else _read_value(output).inside("response.output")
    )


def _read_value(value: Any) -> Reply:
    return read_body(value) or Reply(value)


def _is_inspect(record: Record) -> bool:
    return isinstance(record.get("output"), Mapping) and "epoch" in record and "id" in record


def _read_inspect(record: Record) -> Reply:
    output = _object(record, "output")
    if record.get("error") or not _is_completion(output):
        return FAILED
    return _read_completion(output).inside("output")


def _is_litellm(record: Record) -> bool:
    return "call_type" in record and "response" in record


def _read_litellm(record: Record) -> Reply:
    if record.get("status") == "failure" or not record.get("response"):
        return FAILED
    return _read_value(record["response"]).inside("response")


def _read_plain_body(record: Record) -> Reply:
    return read_body(record) or Reply()


_OWN = ("doc_id", "document", "doc", "custom_id")
_IN_METADATA = tuple(f"metadata.{name}" for name in ("id", *_OWN))

ENVELOPES = (
    Envelope(name="OpenAI batch", fits=_is_openai_batch, read=_read_openai_batch, names=("custom_id",)),
    Envelope(
        name="Anthropic batch",
        fits=lambda record: "custom_id" in record and isinstance(_object(record, "result").get("type"), str),
        read=_read_anthropic_batch,
        names=("custom_id",),
    ),
    Envelope(
        name="promptfoo",
        fits=_is_promptfoo,
        read=_read_promptfoo,
        names=tuple(f"vars.{name}" for name in ("id", *_OWN, "name")) + _IN_METADATA,
        order="testIdx",
    ),
    Envelope(name="Inspect", fits=_is_inspect, read=_read_inspect, names=("id",)),
    Envelope(
        name="LiteLLM",
        fits=_is_litellm,
        read=_read_litellm,
        names=(
            *(f"metadata.{holder}.{name}" for holder in ("requester_metadata", "spend_logs_metadata") for name in
              ("id", *_OWN)),
            *_IN_METADATA,
            *("id", "request_id"),
        ),
    ),
    Envelope(
        name="OpenAI chat completion",
        fits=_is_completion,
        read=_read_plain_body,
        names=(*_OWN, "name", *_IN_METADATA, "id"),
    ),
    Envelope(
        name="OpenAI response",
        fits=lambda record: record.get("object") == "response" or (_is_response(record) and "model" in record),
        read=_read_plain_body,
        names=(*_OWN, *_IN_METADATA, "id"),
    ),
    Envelope(name="Anthropic message", fits=_is_message, read=_read_plain_body, names=(*_OWN, *_IN_METADATA, "id")),
)  # fmt: skip
"""All kinds of envelopes; the first that fits applies."""


# Files: the records of logs that are one object.


LOG_HOLDERS = ("samples", "results")
"""The fields of a log that hold its records, directly or in one further object."""


def is_log(paths: Collection[str]) -> bool:
    """Whether an object is a log of promptfoo or Inspect, given the paths of its fields, or those of its beginning.

    >>> is_log({"evalId", "results", "config"}), is_log({"eval", "eval.task"}), is_log({"id", "results"})
    (True, True, False)
    """
    promptfoo = "results" in paths and ("evalId" in paths or {"version", "stats"}.issubset(paths))
    return promptfoo or "eval.task" in paths or {"eval", "samples"}.issubset(paths)
