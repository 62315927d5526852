"""brat: a `.ann` file with the spans of each document, and the text in a `.txt` file beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from comparanda.errors import WriteError
from comparanda.ids import NIL
from comparanda.read.brat import SUFFIX, TEXT_SUFFIX
from comparanda.write.mentions import chain_of, tell_shared_names, without_words
from comparanda.write.passages import CHAIN, Losses, Mention, Passage
from comparanda.write.writer import Writer

_NOT_IN_NAMES = re.compile(r'[\x00-\x1f\x7f\\:*?"<>|]')
_LINE_END = re.compile(r"[\r\n]")
_WELL_KNOWN = frozenset({"id", "confidence", "probability"})
_LONGEST = 250

COREFERENCE = "Coreference"
"""What the lines of chains are called."""


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write two files a document, called after it."""
    given = [without_words(each, losses) for each in documents]
    tell_shared_names((each for each in given if each.chained), losses)
    for passage in given:
        _check_name(passage.name)
        for attribute in passage.attributes:
            losses.lose(f"the attribute {attribute!r} of documents", passage.name)
        yield passage.name + SUFFIX, "".join(f"{line}\n" for line in _lines(passage, losses, options.get("base")))
        yield passage.name + TEXT_SUFFIX, passage.text


def _check_name(name: str) -> None:
    """Refuse a name that no file can have, or that would not be read back."""
    reason = None
    if found := _NOT_IN_NAMES.search(name):
        reason = f"{found[0]!r} cannot stand in the name of a file"
    elif any(step in {"", ".", ".."} for step in name.split("/")):
        reason = "it is no way to a file in a folder"
    elif any(step.startswith(".") for step in name.split("/")):
        reason = "files whose name begins with a dot are hidden"
    elif any(step.endswith((SUFFIX, TEXT_SUFFIX)) for step in name.split("/")[:-1]):
        reason = f"a folder would end in {SUFFIX} or {TEXT_SUFFIX}"
    elif any(len(step.encode()) > _LONGEST for step in name.split("/")):
        reason = "it is too long for the name of a file"
    if reason:
        what = f"the document {name[:80]!r} cannot be written as a file of brat"
        raise WriteError(what, details=[reason], hint="rename the document, or choose a format that has one file")


def _lines(passage: Passage, losses: Losses, base: str | None) -> Iterator[str]:
    """Give the lines of a document: of each span its T line, then what is said of it; the chains last."""
    numbers = {"A": 0, "N": 0, "#": 0}
    for number, mention in enumerate(passage.mentions, 1):
        if re.search(r"\s", mention.label):
            what = f"the label {mention.label!r} has white space, which labels of brat cannot have"
            details = [f"document {passage.name!r}"]
            raise WriteError(what, details=details, hint="rename the label, or choose another format")
        pieces = ";".join(f"{begin} {end}" for begin, end in mention.pieces)
        yield f"T{number}\t{mention.label} {pieces}\t{_one_line(passage.covered(mention))}"
        for kind, content in _said(passage, mention, f"T{number}", losses, base):
            numbers[kind] += 1
            yield f"{kind}{numbers[kind]}\t{content}"
    if passage.chained:
        yield from _chains(passage)


def _chains(passage: Passage) -> Iterator[str]:
    """Give the lines that say which mentions are one entity; those that are alone need none."""
    found: dict[str, list[str]] = {}
    for number, mention in enumerate(passage.mentions, 1):
        if (name := chain_of(mention)) is not None:
            found.setdefault(name, []).append(f"T{number}")
    return (f"*\t{COREFERENCE} {' '.join(each)}" for each in found.values() if len(each) > 1)


def _said(
    passage: Passage, mention: Mention, target: str, losses: Losses, base: str | None
) -> Iterator[tuple[str, str]]:
    """Give the lines that speak of a span, each as its kind and what stands behind the tab.

    brat writes ids as BASE:ID. Others are attributes, which read back as they are, unless the user names the base.
    """
    for id_ in mention.ids or ():
        full = id_ if base is None or ":" in id_ or id_ == NIL else f"{base}:{id_}"
        if ":" in full and not re.search(r"\s", full):
            yield "N", f"Reference {target} {full}\t{_one_line(passage.covered(mention))}"
        elif _LINE_END.search(full):
            losses.lose("ids with line ends", passage.name)
        else:
            yield "A", f"id {target} {full}"
    for name, value in mention.said.items():
        if passage.chained and name == CHAIN:
            continue
        if re.search(r"\s", name) or (name.lower() in _WELL_KNOWN and name not in _WELL_KNOWN):
            losses.lose(f"{name!r} of spans, which is no name for an attribute of brat", passage.name)
        elif isinstance(value, str) and _LINE_END.search(value):
            losses.lose(f"{name!r} of spans with line ends", passage.name)
        elif name == "note":
            yield "#", f"AnnotatorNotes {target}\t{value}"
        elif not isinstance(value, bool):
            yield "A", f"{name} {target} {value}"
        elif value:  # what is not true is not said
            yield "A", f"{name} {target}"


def _one_line(text: str) -> str:
    r"""Return a text as it stands in a line: line ends and tabs are spaces there.

    >>> _one_line("New\r\nYork")
    'New  York'
    """
    return re.sub(r"[\t\r\n]", " ", text)


WRITER = Writer(
    "brat",
    SUFFIX,
    write,
    many=True,
    layers=frozenset({"spans", "chains"}),
    options={"base": "the knowledge base of ids that name none: Wikidata writes Q60 as Wikidata:Q60"},
)
