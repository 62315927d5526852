"""A bar that shows on a terminal how far a long piece of work has come."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from comparanda.show.console import console_for

_EVERY = 0.05  # seconds between two looks at what is told


@contextmanager
def bar(stream: TextIO, *, quiet: bool = False) -> Iterator[Callable[[str, int, int], None] | None]:
    """Show how much is done; gives a function to tell what, how much, and of how much; None where no terminal is."""
    if quiet or not stream.isatty():
        yield None
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console_for(stream), transient=True) as shown:
        task, last = shown.add_task("", total=None), 0.0

        def told(what: str, done: int, total: int) -> None:
            nonlocal last
            if (now := time.monotonic()) - last >= _EVERY:
                last = now
                shown.update(task, description=what, completed=done, total=total)

        yield told
