"""PubTator: the first line of a text as title, the rest as abstract, and a mention a line.

A text of one line has an empty abstract. Further line breaks are written as spaces, so that offsets hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from comparanda.errors import WriteError
from comparanda.ids import BAR, NIL
from comparanda.read.tabbed_formats.pubtator import BETWEEN, NO_ENTITY, NOT_LINKED, ids_of
from comparanda.write.passages import Losses, Mention, Passage
from comparanda.write.writer import Writer

INDIVIDUAL = "individual"

_BREAK = re.compile(r"[\n\r]")
_BROKEN = re.compile(r"[\t\n\r\0]")
_ESCAPED_BAR = "%7C"


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents, an empty line between two."""
    del options
    yield "", "\n".join("".join(_document(each, losses)) for each in documents)


def _document(passage: Passage, losses: Losses) -> Iterator[str]:
    name = passage.name
    if BAR in name or _BROKEN.search(name) or name.strip() != name or not name:
        raise WriteError(f"the document {name!r} cannot be named in this format", hint="names have no bars and no tabs")
    if "\0" in passage.text:
        raise WriteError(f"the text of document {name!r} has a NUL byte, which no file of text has")
    for attribute in passage.attributes:
        losses.lose(f"the attribute {attribute!r} of documents", name)
    title, between, abstract = passage.text.partition(BETWEEN)
    if between and not abstract:
        losses.lose("line breaks behind a title without an abstract", name)
    if _BREAK.search(title) or _BREAK.search(abstract):
        losses.lose("line breaks in titles and abstracts: spaces are put", name)
    yield f"{name}|t|{_BREAK.sub(' ', title)}\n{name}|a|{_BREAK.sub(' ', abstract)}\n"
    for mention in passage.mentions:
        yield _mention(passage, mention, losses)


def _mention(passage: Passage, mention: Mention, losses: Losses) -> str:
    where = f"in document {passage.name!r}"
    if len(mention.pieces) > 1:
        called = f"the span {mention.label} {mention.begin}:{mention.end} {where}"
        what = f"{called} is in {len(mention.pieces)} pieces, and a line has one"
        raise WriteError(what, hint="formats that can say that: jsonl, brat")
    if _BROKEN.search(mention.label) or not mention.label.strip():
        raise WriteError(f"the label {mention.label!r} {where} cannot stand between tabs", hint="rename it first")
    for name in mention.said:
        if name != INDIVIDUAL:
            losses.lose(f"{name!r} of spans", passage.name)
    text = _BROKEN.sub(" ", passage.covered(mention))
    fields = [passage.name, str(mention.begin), str(mention.end), text, mention.label, _ids(mention, where)]
    individual = str(mention.said.get(INDIVIDUAL, ""))
    if _BROKEN.search(individual):
        losses.lose(f"{INDIVIDUAL!r} of spans with tabs or line breaks", passage.name)
    elif individual:
        fields.append(individual)
    return "\t".join(fields) + "\n"


def _ids(mention: Mention, where: str) -> str:
    """Return ids as the format has them; refuse those that it would take apart."""
    if mention.ids is None:
        return NOT_LINKED
    written = ";".join(NO_ENTITY if id_ == NIL else id_.replace(_ESCAPED_BAR, BAR) for id_ in mention.ids)
    if ids_of(written) != BAR.join(mention.ids) or _BROKEN.search(written):
        shown = BAR.join(mention.ids)
        raise WriteError(f"the id {shown!r} {where} cannot be written", hint="ids have no commas, semicolons and tabs")
    return written


WRITER = Writer("pubtator", ".pubtator", write)
