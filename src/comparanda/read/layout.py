"""How files of columns are made: what their first lines say, and which columns are asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from comparanda.errors import ReadError, UsageError, nearest
from comparanda.read.scan import SPACE, TAB

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from comparanda.places import Source
    from comparanda.read.request import Request

Header = Literal["auto", "yes", "no"]
HEADERS: tuple[Header, ...] = get_args(Header)
NO_WORDS = "none"

DOCSTART = re.compile(r"-DOCSTART-(?:[ \t]+(?P<rest>.*))?")
COMMENT = r"# ?newdoc\b|# ?meta::|# id |# [\w.:-]+ = "
SURE_COMMENT = re.compile(COMMENT)
FIELD = re.compile(rb"[^ \t]+")
HIPE_HEADER = re.compile(rb"TOKEN\tNE-.*")
_CHUNK_TAG = re.compile(rb"[BIMELSUW]-.+")
_OUTSIDE = frozenset({b"O", b"_", b"-", b""})
_ONE = re.compile(rb" *1[ \t]")
_LEAST_NUMBERED = 3  # a number, a word and what is judged
_LEAST_COUNTED = 2  # words of the longest sentence: of single ones, "1" may be the word
_NUMBER = re.compile(r"-?[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Asked:
    """Which columns the options and the task ask for, before the file is seen.

    Args:
        value: number (from 1, or negative from the end) or name of the column to judge.
        word: the same for the words, or None for a file without.
        names: the names of the columns, if the user gave them.
        word_given: whether the user said which column holds the words.
        value_given: whether the user said which column is judged.
        counted: how many words the first column merely counts, so that it does not hold them; 0 if it does.

    """

    value: str
    word: str | None
    names: tuple[str, ...] = ()
    word_given: bool = False
    value_given: bool = False
    counted: int = 0

    @classmethod
    def of(cls, request: Request, header: tuple[str, ...] = ()) -> Asked:
        """Read and check the options of a request, given the names in the header of the file, if it has one."""
        options = request.options
        names = _column_names(options) or header
        value = options.get("column")
        if value is None:
            value = request.value or "-1"
            if not names and not _NUMBER.fullmatch(value):
                value = "-1"  # a task's own name for it (upos …), and the columns have none
        word = options.get("word", "1")
        given = "column" in options or request.value is not None
        asked = cls(value, None if word == NO_WORDS else word, names, "word" in options, given)
        for option, wanted in (("column", value), ("word", asked.word)):
            if wanted is not None:
                asked.check(option, wanted)
        return asked

    def without_numbers(self, numbered: Numbered | None, request: Request) -> Asked:
        """Return what is asked of a file whose first column merely counts words: the next one holds these.

        Spans are then read from the first column behind that which holds chunk tags, as in the files of Universal NER
        and GermEval, if the user names none.
        """
        if numbered is None:
            return self
        value = self.value
        if request.layer == "spans" and not self.value_given and numbered.tags is not None:
            value = str(numbered.tags + 1)
        return replace(self, word="2", value=value, counted=numbered.rows)

    def check(self, option: str, wanted: str) -> None:
        """Refuse what is neither a number nor one of the names."""
        if wanted in self.names or (_NUMBER.fullmatch(wanted) and int(wanted)):
            return
        if self.names:
            raise UsageError(
                f"there is no column {wanted!r}{nearest(wanted, self.names)}",
                hint=f"columns: {', '.join(self.names)}, or a number; say which with ?{option}=",
            )
        also = " or 'none'" if option == "word" else ""
        raise UsageError(
            f"{option}={wanted!r} is not possible: columns have numbers here, from 1, or from -1 backwards{also}",
            hint="names work once you give them: ?columns=word,pos,chunk,ner",
        )

    def index(self, wanted: str, width: int, where: str) -> int:
        """Return the index of a column in lines of this width; refuse one that is not there."""
        if wanted in self.names:
            return self.names.index(wanted)
        number = int(wanted)
        if not 1 <= abs(number) <= width:
            has = f"this line has {width}" if width > 1 else "this line has only one"
            raise ReadError(
                f"there is no column {number}: {has}", where=where, hint=f"columns are 1 to {width}, or -1 for the last"
            )
        return number - 1 if number > 0 else width + number


def _column_names(options: Mapping[str, str]) -> tuple[str, ...]:
    if "columns" not in options:
        return ()
    names = tuple(name.strip() for name in options["columns"].split(","))
    for number, name in enumerate(names):
        if not name or name == NO_WORDS or _NUMBER.fullmatch(name):
            raise UsageError(
                f"columns: {name!r} is no name for a column", hint="like this: ?columns=word,pos,chunk,ner"
            )
        if name in names[:number]:
            raise UsageError(f"columns: two columns are called {name!r}")
    return names


@dataclass(frozen=True, slots=True)
class Layout:
    """How the lines of a file are made, as its first line of data says.

    Args:
        first: where that line stands.
        separator: what separates its columns.
        width: how many it has.
        names: the names of the columns, if a header gives each of them one.
        lacking: further names in the header, of columns that the rows do not have.
        headers: where headers stand, which are no data.

    """

    first: int
    separator: int
    width: int
    names: tuple[str, ...] = ()
    headers: tuple[int, ...] = ()
    lacking: tuple[str, ...] = ()

    @classmethod
    def of(cls, source: Source, header: Header = "auto") -> Layout:
        """Look at the first line of data, and before it at the header."""
        first, line = _first_line(source)
        if header == "no" or (header == "auto" and not HIPE_HEADER.fullmatch(line)):
            return cls._of_line(first, line)
        headers = tuple(place for part in source.parts for place in _repeated(source, part.begin, line))
        layout = cls._of_line(*_first_line(source, source.data.index(b"\n", first) + 1))
        names = tuple(line.decode().split("\t") if layout.separator == TAB else line.decode().split())
        if len({*names}) < len(names) or len(names) < layout.width or not all(names):
            return replace(layout, headers=headers)
        return replace(layout, names=names[: layout.width], lacking=names[layout.width :], headers=headers)

    def refuse_lacking(self, request: Request, where: str) -> None:
        """Refuse a column that the header names and the rows do not have."""
        wanted = request.options.get("column", request.value)
        if wanted in self.lacking:
            raise ReadError(
                f"the header names a column {wanted!r}, but the rows have {counted(self.width)}",
                where=where,
                hint=f"columns: {', '.join(self.names)}",
            )

    @classmethod
    def _of_line(cls, first: int, line: bytes) -> Layout:
        stripped = line.strip(b" \t")
        if b"\t" in stripped or (b"\t" in line and b" " not in stripped):
            return cls(first, TAB, line.count(b"\t") + 1)
        return cls(first, SPACE, len(FIELD.findall(line)))

    def rows(self, source: Source) -> Iterator[list[bytes] | None]:
        """Give the fields of each line of data; None between sentences. Lines of another width are passed over."""
        behind = 0
        for line in bytes(source.data[: source.size]).split(b"\n"):
            place, behind = behind, behind + len(line) + 1
            if not line.strip() or place in self.headers or line.startswith(b"-DOCSTART-"):
                yield None
                continue
            fields = line.split(b"\t") if self.separator == TAB else FIELD.findall(line)
            if len(fields) == self.width:
                yield fields
            elif not line.startswith(b"#"):
                return

    def wanted(self, asked: Asked, request: Request, where: str) -> tuple[dict[str, int], int | None]:
        """Return the fields to gather by name, and the one of the words."""
        if asked.names and len(asked.names) != self.width:
            raise ReadError(
                f"{counted(self.width)}, but {len(asked.names)} names for them",
                where=where,
                hint="give each one a name",
            )
        value = asked.index(asked.value, self.width, where)
        word = None if asked.word is None else asked.index(asked.word, self.width, where)
        if word == value and not asked.word_given:
            if self.width > 1:
                raise UsageError(
                    f"column {value + 1} is that of the words", hint="say where the words are: ?word=2, or ?word=none"
                )
            word = None
        extra = {name: asked.names.index(name) for name in request.extra if name in asked.names}
        return {"value": value, **extra}, word


def asked_of(source: Source, layout: Layout, request: Request) -> Asked:
    """Return which columns of a file are asked for; if the first merely counts the words, it does not hold them."""
    asked = Asked.of(request, layout.names)
    return asked if asked.word_given else asked.without_numbers(Numbered.of(source, layout), request)


@dataclass(frozen=True, slots=True)
class Numbered:
    """A file whose first column is 1, 2, 3 … in every sentence, with the words and something more behind it.

    Args:
        rows: how many words it counts.
        tags: the index of the first column behind the words that holds chunk tags and nothing else, if there is one.

    """

    rows: int
    tags: int | None

    @classmethod
    def of(cls, source: Source, layout: Layout) -> Numbered | None:
        """Go through a file; return None as soon as its first column does not count on."""
        if layout.width < _LEAST_NUMBERED or not _ONE.match(source.data, layout.first):
            return None
        rows = expected = longest = 0
        values: list[set[bytes]] = [set() for _ in range(layout.width)]
        for fields in layout.rows(source):
            if fields is None:
                expected = 0
                continue
            expected += 1
            if fields[0] != b"%d" % expected:
                return None
            rows, longest = rows + 1, max(longest, expected)
            for number in range(2, layout.width):
                values[number].add(fields[number])
        if longest < _LEAST_COUNTED:
            return None
        return cls(rows, next((number for number in range(2, layout.width) if _chunk_tags(values[number])), None))


def _chunk_tags(values: set[bytes]) -> bool:
    """Whether values are chunk tags: all have a letter or are outside of spans, and not all are the latter."""
    others = values - _OUTSIDE
    return bool(others) and all(map(_CHUNK_TAG.fullmatch, others))


def _repeated(source: Source, begin: int, header: bytes) -> list[int]:
    """Return where the first line of data behind a place stands, if it is the header again."""
    for place, line in _lines(source, begin):
        if line.strip(b" \t") and not line.startswith(b"#"):
            return [place] if line == header else []
    return []


def _first_line(source: Source, begin: int = 0) -> tuple[int, bytes]:
    """Return the first line of data and its offset: the first that cannot be a comment, if there is one."""
    doubtful: tuple[int, bytes] | None = None
    for place, line in _lines(source, begin):
        if not line.strip(b" \t") or DOCSTART.fullmatch(line.decode().rstrip()):
            continue
        if not line.startswith(b"#"):
            return place, line
        if doubtful is None and not SURE_COMMENT.match(line.decode()):
            doubtful = place, line
    if doubtful is None:
        raise ReadError("there are no tokens in this file", where=source.parts[0].name)
    return doubtful


def _lines(source: Source, begin: int) -> Iterator[tuple[int, bytes]]:
    while begin < source.size:
        end = source.data.find(b"\n", begin, source.size)
        yield begin, bytes(source.data[begin:end])
        begin = end + 1


def counted(columns: int) -> str:
    """Return a number of columns in words.

    >>> counted(1), counted(3)
    ('1 column', '3 columns')
    """
    return f"{columns} column" if columns == 1 else f"{columns} columns"
