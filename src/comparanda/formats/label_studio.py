"""Label Studio: tasks with annotations by one or more annotators and model predictions (JSON, JSON-MIN).

The format is described at https://labelstud.io/guide/task_format and https://labelstud.io/guide/export, the fields of
text regions at https://labelstud.io/tags/labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from comparanda.core.ids import join_ids
from comparanda.core.places import Note, Source, first_places
from comparanda.errors import ReadError
from comparanda.formats.contract import Format, Request, choose_option
from comparanda.formats.document_writer import Losses, Mention, Passage, Value, Writer
from comparanda.formats.json_objects import (
    UNLABELLED,
    Fields,
    JsonObjects,
    document_attributes,
    is_plain,
    record_paths,
    span_extent,
)
from comparanda.formats.scanner import check_line_lengths
from comparanda.formats.standoff import OPTION, Draft, requested_offsets

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus


_NAME_FIELDS = ("doc_id", "document", "id")
_TASK = "task"
_CHOICES = ("", "first", "last", "ground-truth")
_RECORD_FIELDS = frozenset({"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement"})
_PER_REGION_FIELDS = ("choices", "text", "number", "rating")


def read(source: Source, request: Request) -> Corpus:
    """Read an export; each task with its chosen annotation or prediction is a document."""
    check_line_lengths(source, 0, source.size, request.max_line)
    return _Reader(source, request).read()


class _Task(NamedTuple):
    """A task: its id, its data, its annotations and its predictions."""

    name: str | None
    data: Fields
    annotations: list[Fields]
    predictions: list[Fields]


class _Reader:
    """Reads one input into a corpus."""

    def __init__(self, source: Source, request: Request) -> None:
        options = request.options
        self.source = source
        self.request = request
        self.text = options.get("text", "text")
        self.choice = choose_option(options, "annotations", _CHOICES)
        self.annotator, self.model = options.get("annotator"), options.get("predictions")
        self.objects = JsonObjects(source)
        self.has_tasks = "data" in self.objects.first()
        self.span_paths: list[str] = []
        self.draft = Draft(source=source, side=request.side, called=lambda span, _: self.span_paths[span])
        self.note_places: dict[str, list[int]] = {}
        self.tags: dict[str, str] = {}
        self.annotators: dict[str, None] = {}

    def read(self) -> Corpus:
        offsets = requested_offsets(self.request.options)
        named: str | None = None
        for task in self._read_tasks() if self.has_tasks else self._read_records():
            if (chosen := self._choose(task)) is None:
                continue
            named = named or self._find_name_field(task)
            self._add_document(task, chosen, named)
        if not self.draft.texts:
            raise self._no_documents_error()
        for what, places in self.note_places.items():
            first = first_places(self.source, np.array(places, np.int64))
            self.draft.notes.append(Note(self.request.side, what, len(places), first))
        return self.draft.corpus(self.request, name="label-studio", evaluated="label", offsets=offsets)

    def _note(self, what: str, place: int) -> None:
        self.note_places.setdefault(what, []).append(place)

    def _no_documents_error(self) -> ReadError:
        if self.annotator is not None:
            what, hint = (
                f"no annotations by {self.annotator!r}",
                f"annotators: {', '.join(self.annotators) or 'none'}",
            )
        elif self.model is not None:
            what, hint = "no task has a prediction by this model", "use ?predictions=yes to read those of any model"
        else:
            what, hint = "no task has an annotation", "use ?predictions=yes to read the predictions of a model"
        return ReadError(what, where=self.source.parts[0].name, hint=hint)

    def _read_tasks(self) -> Iterator[_Task]:
        """Yield the tasks of a JSON export."""
        for number, each in enumerate(self.objects):
            task = Fields(self.source, int(self.objects.offset[number]), each)
            if "data" not in each:
                raise task.refuse("this task has no 'data', but the first does: JSON and JSON-MIN are mixed")
            field = "annotations" if "annotations" in each else "completions"  # their name before 2021
            for _ in task.items("drafts"):
                self._note("drafts ignored", task.place)
            yield _Task(
                task.name("id"),
                task.inner("data"),
                list(task.objects(field)),
                list(_read_predictions(task, self.model)),
            )

    def _read_records(self) -> Iterator[_Task]:
        """Yield the tasks of a JSON-MIN export, where each record is an annotation and those of a task are adjacent."""
        open_: _Task | None = None
        for number, each in enumerate(self.objects):
            record = Fields(self.source, int(self.objects.offset[number]), each)
            if "data" in each:
                raise record.refuse("this task has 'data', but the first has none: JSON and JSON-MIN are mixed")
            name = record.name("id")
            if open_ is not None and open_.name == name and name is not None:
                open_.annotations.append(record)
                continue
            if open_ is not None:
                yield open_
            open_ = _Task(name, record, [record], [])
        if open_ is not None:
            yield open_

    def _choose(self, task: _Task) -> Fields | None:
        """Return the annotation or prediction to be read; refuse several without a choice."""
        if self.model is not None:
            found = task.predictions
            if self.model != "yes":
                found = [each for each in found if each.given.get("model_version") == self.model]
        else:
            found = self._select_annotations(task)
        if self.choice in {"first", "last"} and found:
            return _sort_by_time(found)[0 if self.choice == "first" else -1]
        if len(found) > 1:
            models = ", ".join(dict.fromkeys(str(each.given.get("model_version")) for each in found))
            people = ", ".join(_annotator_names(each)[-1] for each in found)
            whose = f"annotations: by {people}" if self.model is None else f"predictions: by {models}"
            one = f"?annotator={_annotator_names(found[0])[-1]}" if self.model is None else "?predictions=MODEL"
            hint = f"choose: {one}, ?annotations=first, ?annotations=last"
            hint += "" if self.model is not None else " or ?annotations=ground-truth"
            raise task.data.refuse(f"the task {task.name} has {len(found)} {whose}", hint=hint)
        if not found:
            self._note(
                f"tasks without {'an annotation' if self.model is None else 'a prediction'} ignored",
                task.data.place,
            )
        return found[0] if found else None

    def _select_annotations(self, task: _Task) -> list[Fields]:
        """Return the annotations that match the options, without cancelled ones."""
        found = []
        for each in task.annotations:
            person = _annotator_names(each)
            self.annotators[person[-1]] = None
            if each.given.get("was_cancelled") or each.given.get("skipped"):
                self._note("cancelled annotations ignored", each.place)
            elif self.annotator is not None and self.annotator not in person:
                self._note("annotations by others ignored", each.place)
            elif self.choice == "ground-truth" and each.given.get("ground_truth") is not True:
                self._note("annotations that are not ground truth ignored", each.place)
            else:
                found.append(each)
        return found

    def _find_name_field(self, task: _Task) -> str:
        """Return the field with the names of documents: as given, else one of the usual names, else the task id."""
        asked = self.request.options.get("document")
        if asked is None:
            return next((name for name in _NAME_FIELDS if self.has_tasks and name in task.data.given), _TASK)
        if asked != _TASK and asked not in task.data.given:
            raise task.data.refuse(f"there is no {task.data.path(asked)!r}", hint=_fields_hint(task.data))
        return asked

    def _add_document(self, task: _Task, chosen: Fields, named: str) -> None:
        data = task.data
        name = task.name if named == _TASK else data.name(named)
        if name is None:
            raise data.refuse(f"the task has no {data.path(named) if named != _TASK else 'id'!r} to name it by")
        if self.text not in data.given:
            raise data.refuse(
                f"there is no {data.path(self.text)!r}",
                hint=f"name the field of the text: ?text=FIELD; {_fields_hint(data)}",
            )
        text = data.text(self.text, "choose another field: ?text=FIELD; only regions of one text are read")
        known = data.attributes(frozenset({self.text, named}) | (frozenset() if self.has_tasks else _RECORD_FIELDS))
        if self.model is None and (person := _annotator_names(chosen)[-1]) != "?":
            known["annotator"] = person
        self.draft.document(name, data.place, known)
        self.draft.texts.append(text)
        regions: dict[str, list[int]] = {}
        others = []
        for item in self._read_results(chosen):
            numbers = self._add_region(item, text)
            if numbers:
                regions.setdefault(str(item.given.get("id")), []).extend(numbers)
            else:
                others.append(item)
        for item in others:
            self._add_region_attribute(item, regions)

    def _read_results(self, chosen: Fields) -> Iterator[Fields]:
        """Yield the results of an annotation; regions of JSON-MIN are wrapped as in JSON."""
        if self.has_tasks:
            yield from chosen.objects("result", "check that this is an export of Label Studio")
            return
        for name, value in chosen.given.items():
            if type(value) is list and name != self.text:
                for number, each in enumerate(value):
                    yield Fields(
                        source=self.source,
                        place=chosen.place,
                        given={"value": each, "type": name},
                        parent=chosen,
                        step=f"{name}[{number}]",
                    )

    def _add_region(self, item: Fields, text: str) -> list[int]:
        """Add a span for each label of a region; return their indices."""
        value = item.given.get("value")
        if type(value) is not dict or "start" not in value:
            return []
        labels = next((value[name] for name in value if name.endswith("labels") and type(value[name]) is list), None)
        if labels is None and item.given.get("type") != "labels":
            return []
        parent, step = (item, "value") if self.has_tasks else (item.parent, item.step)
        bounds = _read_extent(Fields(source=self.source, place=item.place, given=value, parent=parent, step=step))
        self._check_tag(item)
        if not labels:
            self._note(f"regions without a label, read as {UNLABELLED}", item.place)
        numbers = []
        for label in labels or [UNLABELLED]:
            if type(label) is not str or not label.strip():
                raise item.refuse(f"{item.path()!r} has the label {label!r}, which is not a string")
            numbers.append(self.draft.span([bounds], label, item.place))
            self.span_paths.append(item.path())
            self._add_columns(numbers[-1], item, value, text)
        return numbers

    def _check_tag(self, item: Fields) -> None:
        """Refuse regions of several texts of a task."""
        tag = item.given.get("to_name")
        if type(tag) is str:
            self.tags.setdefault(tag, item.path())
        if len(self.tags) > 1:
            (one, _), (other, _) = list(self.tags.items())[:2]
            what = f"regions are of two texts, {one!r} and {other!r} (to_name)"
            raise item.refuse(what, hint="make a file for each text: a document has one")

    def _add_columns(self, number: int, item: Fields, value: dict[str, Any], text: str) -> None:
        covered = value.get("text")
        if type(covered) is str and covered:
            # Label Studio writes line breaks of the covered text as a backslash and an n
            self.draft.set_value(number, "text", covered if "\\n" in text else covered.replace("\\n", "\n"))
        score = item.given.get("score")
        if type(score) is float or type(score) is int:
            self.draft.set_value(number, "probability", float(score))
        elif self.request.scores and type(score) in {str, bool}:
            self.draft.set_value(number, "score", score)
        self.draft.check_scores(number, item.given, self.request.scores)
        meta = item.given.get("meta")
        if type(meta) is dict and type(notes := meta.get("text")) is list and notes:
            self.draft.set_value(number, "note", " ".join(map(str, notes)))

    def _add_region_attribute(self, item: Fields, regions: dict[str, list[int]]) -> None:
        """Add a per-region result as a column of its spans; note all other results."""
        value, name = item.given.get("value"), item.given.get("from_name")
        numbers = regions.get(str(item.given.get("id")), [])
        content = (
            next((value[each] for each in _PER_REGION_FIELDS if each in value), None) if type(value) is dict else None
        )
        values = content if type(content) is list else [content]
        if not numbers or type(name) is not str or not all(map(is_plain, values)) or not self.has_tasks:
            self._note(f"results of type {item.given.get('type')!r} ignored", item.place)
            return
        one = values[0] if len(values) == 1 else "|".join(map(str, values))
        for number in numbers:
            self.draft.set_value(number, name, join_ids(map(str, values)) if name == "id" else one)


def _read_predictions(task: Fields, model: str | None) -> Iterator[Fields]:
    """Yield the predictions of a task if they are read; unread ones may be ids only."""
    if model is not None:
        yield from task.objects("predictions", "export the complete predictions, not only their ids")


def _annotator_names(annotation: Fields) -> tuple[str, ...]:
    """Return the names of the annotator: an id, an e-mail address, or both."""
    who = annotation.given.get("completed_by", annotation.given.get("annotator"))
    names = (who.get("id"), who.get("email")) if type(who) is dict else (who,)
    return tuple(str(name) for name in names if name is not None and name != "") or ("?",)


def _sort_by_time(annotations: list[Fields]) -> list[Fields]:
    """Sort annotations by time of creation; without times, keep their order."""
    times = [each.given.get("created_at") for each in annotations]
    if {type(time) for time in times} in ({str}, {int}):
        return sorted(annotations, key=lambda each: each.given["created_at"])
    return annotations


def _read_extent(value: Fields) -> tuple[int, int]:
    """Return the begin and end of a region in the text."""
    begin, end, offsets = value.given["start"], value.given.get("end"), value.given.get("globalOffsets")
    if type(offsets) is dict and type(value.given.get("text")) is str:
        value = Fields(source=value.source, place=value.place, given=offsets, parent=value, step="globalOffsets")
    elif type(begin) is str and type(end) is str:
        if begin.isdecimal() and end.isdecimal() and len(begin + end) < 30 and "startOffset" not in value.given:
            return int(begin), int(end)
        what = f"{value.path()!r} begins at {begin!r}, a position in HTML or in paragraphs, not in plain text"
        raise value.refuse(what, hint="export regions of plain text, or with globalOffsets and their text")
    return value.integer("start"), value.integer("end")


def _fields_hint(data: Fields) -> str:
    return f"fields: {', '.join(data.given)}"


def sniff(lines: list[str]) -> bool:
    """Whether the first lines are tasks with their data and annotations, or records of JSON-MIN."""
    found = record_paths(lines)
    if "data" in found and not found.isdisjoint({"annotations", "completions", "predictions"}):
        return any(path.startswith("data.") for path in found)
    return {"annotation_id", "annotator"} <= found


FORMAT = Format(
    name="label-studio",
    summary="Label Studio: tasks with annotations and predictions, as JSON or JSON-MIN",
    shapes=frozenset({"tokens"}),
    suffixes=(".jsonl", ".ndjson", ".json"),
    options={
        "annotator": "whose annotations are read: an id or an e-mail address (completed_by)",
        "annotations": "which annotation of a task is read, if there are several: first, last, ground-truth",
        "predictions": "read predictions instead of annotations: yes, or the model's version",
        "text": "the field of the data that holds the text (default: text)",
        "document": f"the field of the data with document names, or {_TASK} for the id of each task "
        f"(default: the first of {', '.join(_NAME_FIELDS)} that is present, else {_TASK})",
        **OPTION,
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"spans"}),
)


# Writer: tasks with one annotation or one prediction each.


_FROM_NAME, _TO_NAME = "label", "text"
_DOCUMENT_FIELDS = frozenset({"doc_id", "text"})


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents as one array of tasks, one per line."""
    encode, model = msgspec.json.Encoder().encode, options.get("predictions")
    tasks = (encode(_build_task(each, number, losses, model)).decode() for number, each in enumerate(documents, 1))
    yield "", "[" + ",\n".join(tasks) + "]\n"


def _build_task(passage: Passage, number: int, losses: Losses, model: str | None) -> dict[str, Any]:
    result = [
        item
        for region, mention in enumerate(passage.mentions, 1)
        for item in _build_results(passage, mention, f"r{region}", losses)
    ]
    data = document_attributes(passage, _DOCUMENT_FIELDS, losses)
    task: dict[str, Any] = {"id": number, "data": {"doc_id": passage.name, "text": passage.text, **data}}
    if model is not None:
        return {**task, "annotations": [], "predictions": [{"model_version": model, "result": result}]}
    annotation = {"id": number, "completed_by": 1, "result": result, "was_cancelled": False, "ground_truth": False}
    return {**task, "annotations": [annotation], "predictions": []}


def _build_results(passage: Passage, mention: Mention, region: str, losses: Losses) -> Iterator[dict[str, Any]]:
    """Yield the region of a span, and a per-region result for each column."""
    begin, end = span_extent(passage, mention, losses)
    covered = passage.text[begin:end]
    value = {"start": begin, "end": end, "text": covered, "labels": [mention.label]}
    item: dict[str, Any] = {
        "id": region,
        "from_name": _FROM_NAME,
        "to_name": _TO_NAME,
        "type": "labels",
        "value": value,
    }
    if "probability" in mention.attributes:
        item["score"] = mention.attributes["probability"]
    if "note" in mention.attributes:
        item["meta"] = {"text": [str(mention.attributes["note"])]}
    yield item
    columns: dict[str, Value | list[str]] = {} if mention.ids is None else {"id": list(mention.ids)}
    columns |= {name: value for name, value in mention.attributes.items() if name not in {"probability", "note"}}
    for name, column in columns.items():
        if isinstance(column, bool):
            losses.lose(f"{name!r} of spans, a boolean", passage.name)
            continue
        kind, field = ("number", "number") if isinstance(column, int | float) else ("textarea", "text")
        content = [column] if isinstance(column, str) else column
        value = {"start": begin, "end": end, field: content}
        yield {"id": region, "from_name": name, "to_name": _TO_NAME, "type": kind, "value": value}


WRITER = Writer(
    name="label-studio",
    suffix=".json",
    write=write,
    options={"predictions": "write predictions of a model instead of annotations: its version"},
)
