"""Prodigy: one annotated example per line, with its spans, its tokens and the annotator's answer.

The format is described at https://prodi.gy/docs/api-interfaces (tasks) and https://prodi.gy/docs/api-recipes#db-out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from comparanda.core.ids import join_ids, split_ids
from comparanda.core.places import Note, Source, first_places, make_read_error
from comparanda.errors import ReadError
from comparanda.formats.contract import Format, Request, choose_option
from comparanda.formats.cuts import json_marks
from comparanda.formats.document_writer import Losses, Passage, Writer
from comparanda.formats.json_objects import (
    UNLABELLED,
    Fields,
    JsonObjects,
    document_attributes,
    further_fields,
    json_lines,
    record_paths,
    span_extent,
)
from comparanda.formats.scanner import check_line_lengths
from comparanda.formats.standoff import OPTION, Draft, requested_offsets

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus


_ANSWER_VALUES = ("accept", "reject", "ignore")
_HASH_FIELDS = ("_input_hash", "_task_hash")
_ANNOTATOR_FIELDS = ("_annotator_id", "_session_id")
_NAME_FIELDS = ("id", "meta.id", "_input_hash")
_TYPICAL_PATHS = frozenset({*_HASH_FIELDS, *_ANNOTATOR_FIELDS, "_view_id", "spans[].token_start"})
_ANSWER_PATTERN = re.compile(r'"answer"\s*:\s*"(?:accept|reject|ignore)"')
_OWN_FIELDS = frozenset({"id", "text", "answer"})
_SPAN_FIELDS = frozenset({"start", "end", "label", "token_start", "token_end", "id", "kb_id", "score", "text"})
_SHAPE = 'write a span like this: {"start": 0, "end": 5, "label": "PER"}'


def read(source: Source, request: Request) -> Corpus:
    """Read annotated examples, each a document; only accepted ones, unless the options include others."""
    check_line_lengths(source, 0, source.size, request.max_line)
    return _Reader(source, request).read()


class _ExampleHead(NamedTuple):
    """An example before its spans are read: its annotator, and its name by each candidate field."""

    number: int
    place: int
    annotator: str
    names: tuple[str | None, ...]


class _Reader:
    """Reads one input into a corpus."""

    def __init__(self, source: Source, request: Request) -> None:
        self.source = source
        self.request = request
        self.answers = choose_option(request.options, "answers", ("accept", "all"))
        asked = request.options.get("document")
        self.name_fields = _NAME_FIELDS if asked is None else (asked,)
        self.draft = Draft(source=source, side=request.side, called=lambda _, number: f"spans[{number}]")
        self.note_places: dict[str, list[int]] = {}

    def read(self) -> Corpus:
        offsets = requested_offsets(self.request.options)
        objects = JsonObjects(self.source)
        names = self._choose_names(self._select_examples(objects))
        for number, each in enumerate(objects):
            if number in names:
                self._add_document(Fields(self.source, int(objects.offset[number]), each), names[number])
        for what, places in self.note_places.items():
            first = first_places(self.source, np.array(places, np.int64))
            self.draft.notes.append(Note(self.request.side, what, len(places), first))
        return self.draft.corpus(self.request, name="prodigy", evaluated="label", offsets=offsets)

    def _select_examples(self, objects: JsonObjects) -> list[_ExampleHead]:
        """Select the examples with the answer and annotator to be read; note the others."""
        wanted, heads = self.request.options.get("annotator"), []
        annotators: set[str] = set()
        for number, each in enumerate(objects):
            place = int(objects.offset[number])
            example = Fields(self.source, place, each)
            answer = each.get("answer", "accept")
            if answer not in _ANSWER_VALUES:
                raise example.bad("answer", "a Prodigy answer", f"answers: {', '.join(_ANSWER_VALUES)}")
            annotator = _read_annotator(example)
            annotators.add(annotator)
            if wanted is not None and annotator != wanted:
                self._note("examples of other annotators ignored", place)
            elif self.answers == "accept" and answer != "accept":
                self._note(f"examples with the answer {answer!r} ignored", place)
            else:
                heads.append(
                    _ExampleHead(
                        number, place, annotator, tuple(_read_name(example, field) for field in self.name_fields)
                    )
                )
        if not heads:
            what = "no accepted examples" if wanted is None else f"no accepted examples by the annotator {wanted!r}"
            known = ", ".join(sorted(annotators - {""})) or "none named"
            hint = "use ?answers=all to read the others as well" if wanted is None else f"annotators: {known}"
            raise ReadError(what, where=self.source.parts[0].name, hint=hint)
        return heads

    def _note(self, what: str, place: int) -> None:
        self.note_places.setdefault(what, []).append(place)

    def _choose_names(self, heads: list[_ExampleHead]) -> dict[int, str]:
        """Choose the names of the examples, by index, from the first field that all of them have."""
        for field in range(len(self.name_fields)):
            lacking = next((head for head in heads if head.names[field] is None), None)
            if lacking is None:
                return self._unique_names(heads, field)
            if "document" in self.request.options:
                raise make_read_error(
                    self.source, lacking.place, f"missing {self.name_fields[field]!r}, the name of the document"
                )
        self._note("no field names all documents; they are numbered instead", heads[0].place)
        return {head.number: f"document {count}" for count, head in enumerate(heads, 1)}

    def _unique_names(self, heads: list[_ExampleHead], field: int) -> dict[int, str]:
        """Return the names in a field, by index; refuse duplicates, naming their annotators."""
        first: dict[str | None, _ExampleHead] = {}
        for head in heads:
            name = head.names[field]
            before = first.setdefault(name, head)
            if before is head:
                continue
            annotators = sorted({each.annotator for each in heads if each.names[field] == name} - {""})
            what = f"duplicate document {name!r} (by {self.name_fields[field]!r})"
            hint = "merge the examples of one text, or name documents by another field: ?document=_task_hash"
            if len(annotators) > 1:
                what = f"{len(annotators)} annotators have annotated the document {name!r}: {', '.join(annotators)}"
                hint = f"choose one: ?annotator={annotators[0]}"
            details = [f"the first is at {self.source.locate(before.place)}"]
            raise make_read_error(self.source, head.place, what, details=details, hint=hint)
        return {head.number: name for name, head in first.items() if name is not None}

    def _add_document(self, example: Fields, name: str) -> None:
        known = {name: value for name, value in example.attributes(_OWN_FIELDS).items() if not name.startswith("_")}
        if type(meta := example.given.get("meta")) is dict:
            known |= Fields(
                source=self.source, place=example.place, given=meta, parent=example, step="meta"
            ).attributes(_OWN_FIELDS)
        if annotator := _read_annotator(example):
            known["annotator"] = annotator
        if self.answers == "all" and "answer" in example.given:
            known["answer"] = str(example.given["answer"])
        self.draft.document(name, example.place, known)
        self.draft.texts.append(example.text("text", "give every example its text"))
        tokens = example.items("tokens")
        for span in example.objects("spans", _SHAPE):
            self._add_span(span, tokens)
        for _ in example.items("relations"):
            self._note("relations ignored", example.place)

    def _add_span(self, span: Fields, tokens: list[Any]) -> None:
        given = span.given
        covered = _covered_tokens(span, tokens) if tokens and given.get("token_start") is not None else None
        if covered is not None and "start" not in given and "end" not in given:
            bounds = covered[:2]
        else:
            bounds = (span.integer("start", _SHAPE), span.integer("end", _SHAPE))
        if covered is not None and covered[:2] != bounds:
            self._note(
                "spans whose token_start and token_end differ from their characters; the characters are used",
                span.place,
            )
            covered = None
        label = given.get("label")
        if label is None or label == "":
            label = UNLABELLED
            self._note(f"spans without a label, read as {UNLABELLED}", span.place)
        elif type(label) is not str:
            raise span.bad("label", "a string", _SHAPE)
        number = self.draft.span([bounds], label, span.place)
        text = given.get("text")
        if covered is not None or type(text) is str:
            self.draft.set_value(number, "text", text if covered is None else covered[2])
        self._add_columns(number, span)

    def _add_columns(self, number: int, span: Fields) -> None:
        """Add the columns of a span: its id, its score, and custom fields."""
        if not span.given.keys() > {"start", "end", "label"}:
            return
        if (id_ := span.name("id") or span.name("kb_id")) is not None:
            self.draft.set_value(number, "id", join_ids(split_ids(id_)))
        score = span.given.get("score")
        if score is not None:
            if type(score) is not float and type(score) is not int:
                raise span.bad("score", "a number")
            self.draft.set_value(number, "probability", float(score))
        for name, value in span.plain(_SPAN_FIELDS):
            self.draft.set_value(number, name, value)
        self.draft.check_scores(number, span.given, self.request.scores)


def _read_annotator(example: Fields) -> str:
    return next((str(example.given[field]) for field in _ANNOTATOR_FIELDS if example.given.get(field)), "")


def _read_name(example: Fields, field: str) -> str | None:
    """Return the name of an example in a field, which may be nested in `meta`."""
    outer, _, inner = field.partition(".")
    if not inner:
        return example.name(outer)
    holder = example.given.get(outer)
    return (
        Fields(source=example.source, place=example.place, given=holder, parent=example, step=outer).name(inner)
        if type(holder) is dict
        else None
    )


def _covered_tokens(span: Fields, tokens: list[Any]) -> tuple[int, int, str]:
    """Return the begin and end of the tokens of a span, and their text."""
    first, last = span.integer("token_start"), span.integer("token_end")
    if not 0 <= first <= last < len(tokens):
        what = f"{span.path()!r} has the tokens {first} to {last}, but there are {len(tokens):,}"
        raise span.refuse(what, hint="token_end is the number of its last token, and both count from 0")
    here = [_read_token(span, tokens, number) for number in range(first, last + 1)]
    text = here[0][2]
    for before, token in pairwise(here):
        text += " " * (token[0] > before[1]) + token[2]
    return here[0][0], here[-1][1], text


def _read_token(span: Fields, tokens: list[Any], number: int) -> tuple[int, int, str]:
    token = tokens[number]
    whole = span.parent or span
    if type(token) is not dict:
        raise whole.refuse(f"'tokens[{number}]' is not an object")
    fields = Fields(source=span.source, place=span.place, given=token, parent=whole, step=f"tokens[{number}]")
    return fields.integer("start"), fields.integer("end"), fields.text("text")


def sniff(lines: list[str]) -> bool:
    """Whether the first lines are Prodigy examples: a text with an answer, hashes, or spans with token indices."""
    found = record_paths(lines)
    if "text" not in found:
        return False
    return not _TYPICAL_PATHS.isdisjoint(found) or (
        "answer" in found and _ANSWER_PATTERN.search("\n".join(lines)) is not None
    )


FORMAT = Format(
    name="prodigy",
    summary="Prodigy: one annotated example per line, with spans, tokens and the annotator's answer",
    shapes=frozenset({"tokens"}),
    suffixes=(".jsonl", ".ndjson", ".json"),
    options={
        "answers": "which examples are read: accept (those that were accepted), all",
        "annotator": "the annotator whose examples are read (_annotator_id or _session_id)",
        "document": f"the field with document names (default: the first of {', '.join(_NAME_FIELDS)} that all have)",
        **OPTION,
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"spans"}),
    marks=json_marks(read),
)


# Writer: one accepted example per line.


_DOCUMENT_FIELDS = frozenset({"id", "text", "answer"})
_TAKEN_FIELDS = frozenset({"start", "end", "label", "token_start", "token_end", "id", "kb_id", "text"})


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write one example per document and line, with the answer accept."""
    del options
    return json_lines(documents, lambda each: _build_example(each, losses))


def _build_example(passage: Passage, losses: Losses) -> dict[str, Any]:
    meta = document_attributes(passage, _DOCUMENT_FIELDS, losses)
    spans = [
        {
            **dict(zip(("start", "end"), span_extent(passage, mention, losses), strict=True)),
            "label": mention.label,
            **further_fields(passage, mention, losses, _TAKEN_FIELDS),
        }
        for mention in passage.mentions
    ]
    head: dict[str, Any] = {"id": passage.name, "answer": "accept", **({"meta": meta} if meta else {})}
    return {**head, "text": passage.text, "spans": spans}  # texts last, so that the format is detected from the head


WRITER = Writer(name="prodigy", suffix=".jsonl", write=write)
