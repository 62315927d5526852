"""Readers that go line by line and field by field: slow, and too simple to be wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from comparanda.core.corpus import Corpus
from tests.formats.corpora import lines, values, words


@dataclass(kw_only=True)
class Plain:
    """What a file holds: words, values, the line of each, the number of words in each sentence, and ranges of rows."""

    words: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    sentences: list[int] = field(default_factory=list)
    ranges: list[tuple[int, int]] = field(default_factory=list)

    @classmethod
    def of(cls, corpus: Corpus) -> Plain:
        sizes = [int(end - begin) for begin, end in zip(corpus.sentences, corpus.sentences[1:], strict=False)]
        covers = corpus.ranges
        ranges = [] if covers is None else list(zip(covers.begin.tolist(), covers.end.tolist(), strict=True))
        return cls(words=words(corpus), values=values(corpus), lines=lines(corpus), sentences=sizes, ranges=ranges)

    def add(self, word: str, value: str, line: int, *, begins: bool) -> None:
        if begins:
            self.sentences.append(0)
        self.words.append(word)
        self.values.append(value)
        self.lines.append(line)
        self.sentences[-1] += 1


def read_conllu(text: str) -> Plain | int:
    """Read CoNLL-U; return the number of the first line that does not fit, or 0 if there are no words."""
    found = Plain()
    expected, covered, cover = 1, 0, 0
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        if not line.strip(" \t"):
            if covered >= expected:
                return cover
            expected, covered = 1, 0
        elif not line.startswith("#"):
            fields = line.split("\t")
            if len(fields) != 10:
                return number
            if re.fullmatch(r"[0-9]+\.[0-9]+", fields[0]):
                continue
            if re.fullmatch(r"[0-9]+-[0-9]+", fields[0]):
                first, last = map(int, fields[0].split("-"))
                if covered >= expected or first != expected or last < first:
                    return number
                covered, cover = last, number
                found.ranges.append((len(found.words), len(found.words) + last - first + 1))
                continue
            if fields[0] != str(expected):
                return number
            found.add(fields[1], fields[3], number, begins=expected == 1)
            expected += 1
    return found if found.words else 0


def read_tabs(text: str, width: int) -> Plain | int:
    """Read lines of words and values between tabs, without comments and marks."""
    found = Plain()
    begins = True
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip(" \t"):
            begins = True
            continue
        fields = line.split("\t")
        if len(fields) != width:
            return number
        found.add(fields[0], fields[-1].strip(), number, begins=begins)
        begins = False
    return found if found.words else 0


def read_spaces(text: str, width: int) -> Plain | int:
    """Read the same between any number of spaces and tabs."""
    lines = (re.sub("[ \t]+", "\t", line.strip(" \t")) for line in text.split("\n"))
    return read_tabs("\n".join(lines), width)
