"""How one example looks on the page: its texts made safe and cut to a length that can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparanda.page.data import Card, Side
from comparanda.show.cells import visible

if TYPE_CHECKING:
    from comparanda.comparison.examples import Example

_LONGEST = 400
"""How many characters of a text are shown before, at and behind a site."""


def card(example: Example, *, label: str) -> Card:
    """Return the card of an example."""
    return Card(
        document=visible(example.document),
        label=label,
        place=None if example.place is None else visible(example.place),
        before=cut_begin(visible(example.before)),
        word=cut_middle(visible(example.word)),
        after=cut_end(visible(example.after)),
        sides=(
            Side(name="key", value=cut_middle(visible(example.key))),
            *(
                Side(
                    name=answer.run,
                    value=cut_middle(visible(answer.value)),
                    right=answer.right,
                    place=None if answer.place is None else visible(answer.place),
                )
                for answer in example.answers
            ),
        ),
    )


def cut_end(text: str) -> str:
    """Keep the begin of a long text, and say how much is left out.

    >>> cut_end("x" * 500)[395:]
    'xxxxx … (100 more characters)'
    """
    left = len(text) - _LONGEST
    return text if left <= 0 else f"{text[:_LONGEST]} … ({left:,} more characters)"


def cut_begin(text: str) -> str:
    """Keep the end of a long text."""
    left = len(text) - _LONGEST
    return text if left <= 0 else f"({left:,} more characters) … {text[-_LONGEST:]}"


def cut_middle(text: str) -> str:
    """Keep begin and end of a long text."""
    left = len(text) - _LONGEST
    if left <= 0:
        return text
    half = _LONGEST // 2
    return f"{text[:half]} … ({left:,} more characters) … {text[-half:]}"
