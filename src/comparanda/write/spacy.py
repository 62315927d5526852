"""spaCy's JSON: a document a line, as `Doc.from_json` reads it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

import msgspec

from comparanda.errors import WriteError
from comparanda.write.passages import Losses, Mention, Passage
from comparanda.write.writer import Writer


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents, one object a line."""
    encode = msgspec.json.Encoder().encode
    group = options.get("spans")
    yield "", "".join(f"{encode(_document(each, group, losses)).decode()}\n" for each in documents)


def _document(passage: Passage, group: str | None, losses: Losses) -> dict[str, Any]:
    tokens = _tokens(passage)
    for mention in passage.mentions:
        _check(passage, mention, tokens, losses)
    if group is None:
        _refuse_overlaps(passage)
    spans = [_span(mention, group) for mention in sorted(passage.mentions, key=lambda each: (each.begin, each.end))]
    for attribute in passage.attributes.keys() & {"id"}:
        losses.lose(f"the attribute {attribute!r} of documents, whose name is taken", passage.name)
    return {
        "text": passage.text,
        **({"ents": spans} if group is None else {}),
        "tokens": [{"id": number, "start": begin, "end": end} for number, (begin, end) in enumerate(tokens)],
        **({} if group is None else {"spans": {group: spans}}),
        "_": {**passage.attributes, "id": passage.name},
    }


def _span(mention: Mention, group: str | None) -> dict[str, Any]:
    found: dict[str, Any] = {"start": mention.begin, "end": mention.end, "label": mention.label}
    if mention.ids is not None or group is not None:  # of groups it must be there
        found["kb_id"] = mention.ids[0] if mention.ids else ""
    return found


def _check(passage: Passage, mention: Mention, tokens: list[tuple[int, int]], losses: Losses) -> None:
    """Refuse a span that is not made of tokens; tell the losses of what cannot be said of one."""
    called = f"the span {mention.begin}:{mention.end} of document {passage.name!r}"
    if len(mention.pieces) > 1:
        what = f"{called} is in {len(mention.pieces)} pieces"
        raise WriteError(what, hint="spans of spaCy are in one piece: write jsonl, for example")
    begins, ends = {begin for begin, _ in tokens}, {end for _, end in tokens}
    if mention.begin not in begins or mention.end not in ends or mention.begin == mention.end:
        what = f"{called} is empty, or begins or ends in white space, where no token of spaCy does"
        raise WriteError(what, hint="only formats with offsets alone can say that: jsonl, for example")
    for name in mention.said:
        losses.lose(f"{name!r} of spans", passage.name)
    if mention.ids is not None and len(mention.ids) > 1:
        losses.lose("further ids of a span, behind the first", passage.name)


def _refuse_overlaps(passage: Passage) -> None:
    for one, other in pairwise(sorted(passage.mentions, key=lambda each: (each.begin, each.end))):
        if other.begin < one.end:
            extents = f"{one.begin}:{one.end} and {other.begin}:{other.end}"
            what = f"the spans {extents} of document {passage.name!r} overlap, and entities of spaCy do not"
            raise WriteError(what, hint="write them as a span group: ?spans=sc")


def _tokens(passage: Passage) -> list[tuple[int, int]]:
    r"""Return where tokens begin and end: words, cut also where spans begin and end, and white space as spaCy has it.

    One space behind a token belongs to it; any other white space is a token of its own.

    >>> _tokens(Passage("d", " Ada\n  met Bo", ((1, 4), (7, 10), (11, 13)), (0,), (Mention(((7, 9),), "X"),)))
    [(0, 1), (1, 4), (4, 7), (7, 9), (9, 10), (11, 13)]
    """
    text = passage.text
    cuts = {place for extent in passage.words for place in extent}
    cuts |= {place for mention in passage.mentions for piece in mention.pieces for place in piece}
    cuts |= {place for place in range(1, len(text)) if text[place].isspace() != text[place - 1].isspace()}
    bounds = sorted({0, len(text), *(place for place in cuts if 0 < place < len(text))})
    found: list[tuple[int, int]] = []
    space = 0  # where white space goes on that was begun
    for begin, end in pairwise(bounds):
        if not text[begin].isspace():
            if space < begin:
                found.append((space, begin))
            found.append((begin, end))
            space = end + (text[end : end + 1] == " ")
    if space < len(text):
        found.append((space, len(text)))
    return found


WRITER = Writer(
    "spacy",
    ".jsonl",
    write,
    options={"spans": "the name of a span group to write, in place of entities: sc, for example"},
)
