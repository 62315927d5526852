"""Tags in running text, where no XML parser could read it: several elements side by side, or text that is not escaped.

Gives the same events as `xml_events`, for a stretch of the source: a file, or a line of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from comparanda.places import Source, refuse
from comparanda.read.xml_formats.events import Event, too_deep

if TYPE_CHECKING:
    from comparanda.errors import ReadError

_NAME = r"[^\W\d][\w.:-]*+"
_TAG = re.compile(
    rf"<(?:/(?P<ended>{_NAME})\s*+"
    rf"|(?P<name>{_NAME})(?P<attributes>(?:\s++{_NAME}\s*+=\s*+(?:\"[^\"<]*+\"|'[^'<]*+'|[^\s\"'<>=/]++))*+)\s*+(?P<empty>/)?"
    r"|!--(?P<comment>[^<>]*+)(?<=--))>"
)
_ATTRIBUTE = re.compile(rf"\s({_NAME})\s*+=\s*+(?:\"([^\"]*)\"|'([^']*)'|(\S+))")
_ENTITY = re.compile(r"&(?:#(?P<number>[0-9]{1,7})|#x(?P<hex>[0-9A-Fa-f]{1,6})|(?P<name>lt|gt|amp|quot|apos));")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_UNESCAPED = "write &lt; and &amp; in the text, or say ?escaped=no if the file escapes nothing"


@dataclass(frozen=True, slots=True)
class Tags:
    """How tags are told from text.

    Args:
        source: the bytes.
        nesting: how many elements may stand in each other.
        escaped: whether a < or & of the text is written `&lt;` or `&amp;`; if not, what looks like no tag is text.
        names: the elements that there are, where nothing is escaped; None for all that look so.

    """

    source: Source
    nesting: int
    escaped: bool = True
    names: Set[str] | None = None

    def events(self, begin: int, end: int) -> Iterator[Event]:
        """Give the starts and ends of elements, and the text between them."""
        text = str(memoryview(self.source.data)[begin:end], "utf-8")
        open_: list[tuple[str, int]] = []
        last, place = 0, begin
        for tag in _TAG.finditer(text):
            name = tag["name"] or tag["ended"]
            if name and self.names is not None and name not in self.names:
                continue
            if tag.start() > last:
                between = text[last : tag.start()]
                yield "text", self._unescaped(between, place), {}, 0
                place += len(between.encode())
            if tag["ended"]:
                self._close(open_, name, place)
                yield "end", name, {}, place
            elif name:
                open_.append((name, place))
                if len(open_) > self.nesting:
                    raise too_deep(self.source, place, self.nesting)
                yield "start", name, self._attributes(tag["attributes"], place), place
                if tag["empty"]:
                    open_.pop()
                    yield "end", name, {}, place
            last = tag.end()
            place += len(tag[0].encode())
        if last < len(text):
            yield "text", self._unescaped(text[last:], place), {}, 0
        if open_:
            name, opened = open_[-1]
            raise refuse(self.source, opened, f"<{name}> is not closed", hint=self._hint("</" + name + "> is missing"))

    def _close(self, open_: list[tuple[str, int]], name: str, place: int) -> None:
        if not open_:
            raise refuse(self.source, place, f"</{name}> closes nothing", hint=self._hint(f"<{name}> is missing"))
        if open_[-1][0] != name:
            other, opened = open_[-1]
            details = [f"<{other}> of {self.source.locate(opened)} is open"]
            hint = self._hint("elements may lie in each other, but not cross")
            what = f"</{name}> closes another element than the last"
            raise refuse(self.source, place, what, details=details, hint=hint)
        open_.pop()

    def _hint(self, otherwise: str) -> str:
        """Say what to do about a tag, which may be text if nothing is escaped."""
        if self.escaped or self.names is not None:
            return otherwise
        return f"{otherwise}; if it is text, name the elements: ?elements=PER,LOC"

    def _attributes(self, written: str, place: int) -> dict[str, str]:
        found: dict[str, str] = {}
        for name, *values in _ATTRIBUTE.findall(written):
            if name in found:
                raise refuse(self.source, place, f"the attribute {name!r} is there twice in this tag")
            found[name] = self._unescaped("".join(values), place)
        return found

    def _unescaped(self, text: str, begin: int) -> str:
        if not self.escaped or ("&" not in text and "<" not in text):
            return text
        pieces, last = [], 0
        for sign in re.finditer("[<&]", text):
            place = begin + len(text[: sign.start()].encode())
            if sign[0] == "<":
                raise refuse(self.source, place, "this < begins no tag", hint=_UNESCAPED)
            entity = _ENTITY.match(text, sign.start())
            if entity is None:
                raise refuse(self.source, place, "this & begins no entity", hint=_UNESCAPED)
            pieces += [text[last : sign.start()], self._character(entity, place)]
            last = entity.end()
        return "".join([*pieces, text[last:]])

    def _character(self, entity: re.Match[str], place: int) -> str:
        if entity["name"]:
            return _NAMED[entity["name"]]
        code = int(entity["number"]) if entity["number"] else int(entity["hex"], 16)
        if 0 < code < 0xD800 or 0xDFFF < code < 0x110000:
            return chr(code)
        raise self._no_character(entity[0], place)

    def _no_character(self, entity: str, place: int) -> ReadError:
        return refuse(self.source, place, f"{entity} stands for no character")
