"""What writers of XML share: texts and attributes escaped, what XML cannot hold refused, files named by documents."""

from __future__ import annotations

import re
from xml.parsers import expat

from comparanda.errors import WriteError
from comparanda.write.passages import Losses, Mention, Passage, Value

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'

_UNWRITABLE = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_NAME = re.compile(r"[^\W\d][\w.-]*")


def content(text: str, document: str) -> str:
    r"""Return a text as XML has it between tags; refuse what it cannot hold.

    >>> content("R&D\r\n", "d")
    'R&amp;D&#13;\n'
    """
    if found := _UNWRITABLE.search(text):
        what = f"the character U+{ord(found[0]):04X} in document {document!r} cannot stand in XML"
        raise WriteError(what, hint="take it out first, or write jsonl")
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")


def attribute(name: str, text: str, document: str) -> str:
    r"""Return an attribute with its value, and a space before it.

    >>> attribute("a", 'x"\ny', "d")
    ' a="x&quot;&#10;y"'
    """
    value = content(text, document).replace('"', "&quot;").replace("\n", "&#10;").replace("\t", "&#9;")
    return f' {name}="{value}"'


def is_name(text: str) -> bool:
    """Whether a text can be the name of an element or attribute.

    >>> [is_name(each) for each in ("PER", "Zeit/Ort", "a:b", "7", "Größe", "x²")]
    [True, False, False, False, True, False]
    """
    if not _NAME.fullmatch(text):
        return False
    if text.isascii():
        return True
    try:  # XML knows other letters than Python does
        expat.ParserCreate().Parse(f"<{text}/>".encode(), True)
    except expat.ExpatError:
        return False
    return True


def written(value: Value) -> str:
    """Return a value as text: truths as XML writes them.

    >>> written(True), written(0.25), written(3), written("x")
    ('true', '0.25', '3', 'x')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def lose_type(name: str, value: Value, passage: Passage, losses: Losses) -> None:
    """Say that what is no text is read back as text; a probability is always a number."""
    if not isinstance(value, str) and name != "probability":
        losses.lose(f"that {name!r} of spans is a number or a truth: it is written as text", passage.name)


def called(passage: Passage, mention: Mention) -> str:
    """Return what to call a span in an error."""
    shown = passage.covered(mention)
    shown = shown if len(shown) <= 40 else f"{shown[:39]}…"
    return f"the span {shown!r} ({mention.label}, {mention.begin}:{mention.end}) of document {passage.name!r}"


def refuse_pieces(passage: Passage, mention: Mention, because: str) -> None:
    """Refuse a span in several pieces."""
    if len(mention.pieces) > 1:
        what = f"{called(passage, mention)} is in {len(mention.pieces)} pieces, and {because}"
        raise WriteError(what, hint="formats that can: jsonl, brat, bioc")


def file_name(document: str, suffix: str) -> str:
    """Return the name of a document's file, which may lie in folders; refuse what is no name of a file.

    >>> file_name("2020/may/7", ".xml")
    '2020/may/7.xml'
    """
    steps = document.split("/")
    if any(not step.strip() or step.startswith(".") or _UNWRITABLE.search(step) for step in steps):
        what = f"the document {document!r} cannot be the name of a file"
        raise WriteError(what, hint="each document is a file of its own: rename it first")
    return document + suffix
