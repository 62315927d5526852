"""Label Studio: tasks with one annotation each, or with one prediction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from comparanda.write.json_lines import attributes, extent
from comparanda.write.passages import Losses, Mention, Passage, Value
from comparanda.write.writer import Writer

_FROM, _TO = "label", "text"
_OF_DOCUMENTS = frozenset({"doc_id", "text"})


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents as one array of tasks, a task a line."""
    encode, model = msgspec.json.Encoder().encode, options.get("predictions")
    tasks = (encode(_task(each, number, losses, model)).decode() for number, each in enumerate(documents, 1))
    yield "", "[" + ",\n".join(tasks) + "]\n"


def _task(passage: Passage, number: int, losses: Losses, model: str | None) -> dict[str, Any]:
    result = [
        item
        for region, mention in enumerate(passage.mentions, 1)
        for item in _results(passage, mention, f"r{region}", losses)
    ]
    data = attributes(passage, _OF_DOCUMENTS, losses)
    task: dict[str, Any] = {"id": number, "data": {"doc_id": passage.name, "text": passage.text, **data}}
    if model is not None:
        return {**task, "annotations": [], "predictions": [{"model_version": model, "result": result}]}
    annotation = {"id": number, "completed_by": 1, "result": result, "was_cancelled": False, "ground_truth": False}
    return {**task, "annotations": [annotation], "predictions": []}


def _results(passage: Passage, mention: Mention, region: str, losses: Losses) -> Iterator[dict[str, Any]]:
    """Give the region of a span, and what is said of the region by controls of their own."""
    begin, end = extent(passage, mention, losses)
    covered = passage.text[begin:end]
    value = {"start": begin, "end": end, "text": covered, "labels": [mention.label]}
    item: dict[str, Any] = {"id": region, "from_name": _FROM, "to_name": _TO, "type": "labels", "value": value}
    if "probability" in mention.said:
        item["score"] = mention.said["probability"]
    if "note" in mention.said:
        item["meta"] = {"text": [str(mention.said["note"])]}
    yield item
    columns: dict[str, Value | list[str]] = {} if mention.ids is None else {"id": list(mention.ids)}
    columns |= {name: value for name, value in mention.said.items() if name not in {"probability", "note"}}
    for name, said in columns.items():
        if isinstance(said, bool):
            losses.lose(f"{name!r} of spans, a truth", passage.name)
            continue
        kind, field = ("number", "number") if isinstance(said, int | float) else ("textarea", "text")
        content = [said] if isinstance(said, str) else said
        value = {"start": begin, "end": end, field: content}
        yield {"id": region, "from_name": name, "to_name": _TO, "type": kind, "value": value}


WRITER = Writer(
    "label-studio",
    ".json",
    write,
    options={"predictions": "write predictions of a model instead of annotations: its version"},
)
