"""Running a page: its blocks from top to bottom, in the current folder.

| block | what is done |
|---|---|
| `console`, beginning with `$ comparanda` | each command is run, its output compared; `$ echo $?` is the exit code |
| `pycon` | run and compared as doctest does |
| `python` | executed; what it prints is compared with an `output` block after it, if there is one |
| any with a file name after its language | written to that file |

In outputs a line `…` matches any number of lines. Blocks with `notest` after their language are skipped.

A picture of a page (`![…](pictures/NAME.svg)`) is written by one of its commands, as NAME.svg.

A page about real data names their folders, `<!-- shared data: data/ner/wnut17 -->`, and finds each by its last name.
"""

from __future__ import annotations

import doctest
import io
import re
import shlex
import traceback
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from comparanda.cli import main
from tests.shared_data import shared

CUT = "…"
_FENCE = re.compile(r"^```(?P<info>[^`\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ .*(?:(?<=\\)\n.*)*\n", re.MULTILINE)
_SHARED = re.compile(r"^<!-- shared data: (?P<folders>.*) -->$", re.MULTILINE)


@dataclass(frozen=True)
class Step:
    """One thing that is run: how the page shows it, what it should print there, and what it printed."""

    shown: str
    want: str
    got: str
    agrees: bool

    @property
    def renewed(self) -> str:
        """The step with its true output; the place of a single cut is kept."""
        if self.agrees:
            return self.shown + self.want
        lines, old = self.got.splitlines(keepends=True), self.want.splitlines()
        if old.count(CUT) == 1:
            before, after = old.index(CUT), len(old) - old.index(CUT) - 1
            lines = [*lines[:before], CUT + "\n", *lines[max(before, len(lines) - after) :]]
        return self.shown + "".join(lines)


@dataclass
class Page:
    """A page, and what its blocks share: variables, the last exit code, what was printed last."""

    text: str
    namespace: dict[str, Any] = field(default_factory=lambda: {"__name__": "__page__"})
    code: int = 0
    printed: str = ""

    def run(self) -> tuple[list[Step], str]:
        """Run all blocks; return the steps, and the page with true outputs."""
        steps: list[Step] = []
        pieces, done = [], 0
        for block in _FENCE.finditer(self.text):
            found = list(self._steps(block["info"].split(), block["body"]))
            if found:
                begin, end = block.span("body")
                pieces += [self.text[done:begin], *(step.renewed for step in found)]
                done = end
            steps += found
        return steps, "".join([*pieces, self.text[done:]])

    def _steps(self, info: list[str], body: str) -> Iterator[Step]:
        language, *words = info or [""]
        if "notest" in words:
            return
        if words and "." in words[0]:
            Path(words[0]).write_text(body, encoding="utf-8")
        elif language == "console" and body.startswith("$ comparanda"):
            yield from self._console(body)
        elif language == "pycon" or (language == "python" and body.startswith(">>>")):
            yield from self._pycon(body)
        elif language == "python":
            stream = io.StringIO()
            with redirect_stdout(stream):
                exec(compile(body, "<page>", "exec"), self.namespace)
            self.printed = _trimmed(stream.getvalue())
        elif language == "output":
            yield Step("", body, self.printed, same(body, self.printed))

    def _console(self, body: str) -> Iterator[Step]:
        places = [match.span() for match in _COMMAND.finditer(body)]
        ends = [begin for begin, _ in places[1:]] + [len(body)]
        for (begin, behind), end in zip(places, ends, strict=True):
            shown, want = body[begin:behind], body[behind:end]
            got = self._command(shlex.split(shown.replace("\\\n", " "))[1:])
            yield Step(shown, want, got, same(want, got))

    def _command(self, words: list[str]) -> str:
        if words == ["echo", "$?"]:
            return f"{self.code}\n"
        if words[0] != "comparanda":
            raise ValueError(f"only comparanda is run here, not {words[0]!r}: mark the block with 'notest'")
        stream = io.StringIO()
        with redirect_stdout(stream), redirect_stderr(stream):
            try:
                main(words[1:])
            except SystemExit as left:
                self.code = int(left.code or 0)
        return _trimmed(stream.getvalue())

    def _pycon(self, body: str) -> Iterator[Step]:
        lines, done = body.splitlines(keepends=True), 0
        checker = doctest.OutputChecker()
        for example in doctest.DocTestParser().get_examples(body):
            behind = example.lineno + example.source.count("\n")
            got = self._answer(example.source)
            flags = doctest.ELLIPSIS | sum(flag for flag, on in example.options.items() if on)
            agrees = checker.check_output(example.want, got, flags)
            yield Step("".join(lines[done:behind]), example.want, got, agrees)
            done = behind + example.want.count("\n")
        yield Step("".join(lines[done:]), "", "", agrees=True)

    def _answer(self, source: str) -> str:
        """Return what the prompt answers; an error is written as in a doctest."""
        stream = io.StringIO()
        with redirect_stdout(stream):
            try:
                exec(compile(source, "<page>", "single"), self.namespace)
            except Exception as problem:
                last = "".join(traceback.format_exception_only(problem))
                print(f"Traceback (most recent call last):\n    ...\n{last}", end="")
        return stream.getvalue()


def link_shared_data(text: str) -> None:
    """Link the folders of real data that a page names into the current folder; without them the test is skipped."""
    for named in _SHARED.finditer(text):
        for folder in named["folders"].split():
            target = shared(folder)
            Path(target.name).symlink_to(target, target_is_directory=True)


def same(want: str, got: str) -> bool:
    """Whether an output is as wanted; a line `…` matches any number of lines.

    >>> same("a\\n…\\nd\\n", "a\\nb\\nc\\nd\\n"), same("a\\n…\\n", "b\\n")
    (True, False)
    """
    lines = ("(?:.*\n)*?" if line.rstrip("\n") == CUT else re.escape(line) for line in want.splitlines(keepends=True))
    return re.fullmatch("".join(lines), got) is not None


def _trimmed(text: str) -> str:
    return re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)
