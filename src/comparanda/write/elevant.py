"""ELEVANT's JSONL: one article a line, with labels as benchmarks have them or mentions as linkers have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

import msgspec

from comparanda.errors import WriteError
from comparanda.ids import NIL, split
from comparanda.read.json_formats.elevant import UNTYPED
from comparanda.read.request import choose
from comparanda.write.passages import Losses, Mention, Passage, Value
from comparanda.write.writer import Writer

Kind = Literal["labels", "mentions"]
_KINDS: tuple[Kind, ...] = ("labels", "mentions")
_CARRIED: Mapping[Kind, frozenset[str]] = {
    "labels": frozenset({"name", "type", "optional", "desc", "coref", "label_id", "parent"}),
    "mentions": frozenset({"recognized_by", "linked_by", "candidates", "contained"}),
}


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write articles, one object a line."""
    kind = choose(options, "annotations", _KINDS)
    encode = msgspec.json.Encoder().encode
    passages = list(documents)
    named = all(_is_number(each.name) for each in passages)
    lines = []
    for number, passage in enumerate(passages):
        if not named:
            losses.lose(
                "the name of a document, which is a number in ELEVANT: it is written as the title", passage.name
            )
        id_ = int(passage.name) if named else number
        lines.append(encode(_article(passage, id_, None if named else passage.name, kind, losses)).decode())
    yield "", "".join(f"{line}\n" for line in lines)


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdigit() and str(int(name)) == name


def _article(passage: Passage, id_: int, title: str | None, kind: Kind, losses: Losses) -> dict[str, Any]:
    for attribute in passage.attributes:
        if attribute != "title" or title is not None:
            losses.lose(f"the attribute {attribute!r} of documents", passage.name)
    for mention in passage.mentions:
        _check(passage, mention, kind, losses)
    spans = (
        _labels(passage, losses) if kind == "labels" else [_mention(passage, each, losses) for each in passage.mentions]
    )
    return {
        "id": id_,
        "title": title or passage.attributes.get("title", ""),
        "text": passage.text,
        "labels" if kind == "labels" else "entity_mentions": spans,
        "evaluation_span": [0, len(passage.text)],
    }


def _check(passage: Passage, mention: Mention, kind: Kind, losses: Losses) -> None:
    """Refuse a span in several pieces; tell the losses of what else cannot be said of one."""
    if len(mention.pieces) > 1:
        what = f"the span {mention.begin}:{mention.end} of document {passage.name!r} is in {len(mention.pieces)} pieces"
        raise WriteError(what, hint="spans of ELEVANT are in one piece: write jsonl, for example")
    for name in (each for each in mention.said if each not in _CARRIED[kind]):
        losses.lose(f"{name!r} of spans", passage.name)
    if mention.ids is None:
        losses.lose("that a span is not linked: it is written as linked to nothing (NIL)", passage.name)
    elif len(mention.ids) > 1:
        losses.lose("further ids of a span, behind the first", passage.name)


def _entity(mention: Mention) -> str:
    best = mention.ids[0] if mention.ids else NIL
    return "<NIL>" if best == NIL else best


def _labels(passage: Passage, losses: Losses) -> list[dict[str, Any]]:
    """Write labels, numbered; those that have an id of their own keep it, for others name it as their parent."""
    own = [_whole(each.said.get("label_id")) for each in passage.mentions]
    free = (number for number in range(2 * len(own)) if number not in own)
    found = []
    children: dict[int, list[int]] = {}
    for mention, given in zip(passage.mentions, own, strict=True):
        label: dict[str, Any] = {"id": next(free) if given is None else given}
        label |= {"span": [mention.begin, mention.end], "entity_id": _entity(mention)}
        label |= {name: mention.said[name] for name in ("name", "optional", "desc") if name in mention.said}
        if "coref" in mention.said:
            label["coref"] = str(mention.said["coref"]).lower() == "true"
        typed = mention.said.get("type", mention.label)
        if mention.label not in {UNTYPED, typed}:
            losses.lose("the label of a span that has a type too", passage.name)
        if typed != UNTYPED:
            label["type"] = typed
        if (parent := _whole(mention.said.get("parent"))) is not None:
            label["parent"] = parent
            children.setdefault(parent, []).append(label["id"])
        found.append(label)
    for label in found:
        if label["id"] in children:
            label["children"] = children[label["id"]]
    return found


def _whole(value: Value | None) -> int | None:
    """Return a value as a number, if it is one that counts something.

    >>> _whole("12"), _whole("T1"), _whole(None)
    (12, None, None)
    """
    return int(str(value)) if str(value).isascii() and str(value).isdigit() else None


def _mention(passage: Passage, mention: Mention, losses: Losses) -> dict[str, Any]:
    if mention.label != UNTYPED:
        losses.lose("the label of a span: mentions have none", passage.name)
    said = {name: value for name, value in mention.said.items() if name in {"recognized_by", "linked_by", "contained"}}
    found: dict[str, Any] = {"span": [mention.begin, mention.end], "id": _entity(mention), **said}
    if "candidates" in mention.said:
        found["candidates"] = ["<NIL>" if each == NIL else each for each in split(str(mention.said["candidates"]))]
    return found


WRITER = Writer(
    "elevant",
    ".jsonl",
    write,
    options={"annotations": "labels, as benchmarks have (default), or mentions, as linkers do"},
)
