"""Chains as text: for each side the antecedent that decides, and the mentions of its chain in the order of the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len, chop_cells

from comparanda.show.arcs import clipped
from comparanda.show.cells import counted
from comparanda.show.spans import LEFT_TO_RIGHT, beside, runs_leftward

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from comparanda.comparison.examples import Example
    from comparanda.comparison.mentions import ShownChain, ShownMention

LEGEND = (
    "→ antecedent that decides; [ ] the mention itself; :12 its line; ✓ in the key's chain, ✗ not; ∅ without a word"
)
NO_CHAIN = "(in no chain)"
NO_TEXT = "(not in the key's text)"
NO_WORD = "∅"

_BETWEEN = " · "
_GAP = 2  # between the names of sides and what they say
_NAME = 20
_TEXT = 40
_AROUND = 400  # letters of a sentence
_NARROWEST = 12


def draw(chains: Sequence[ShownChain], width: int) -> list[str]:
    r"""Write the chains of all sides below each other, the key's first.

    A side with the very chain of the key says just that. `LEGEND` explains the signs to readers.

    >>> from comparanda.comparison.mentions import ShownChain, ShownMention
    >>> anna = ShownMention(1, "Anna", "d", "a:3", 2, in_key=True, here=False)
    >>> mary = ShownMention(1, "Mary", "d", "a:8", 0, in_key=False, here=False)
    >>> she = ShownMention(2, "she", "d", "a:9", 0, in_key=True, here=True)
    >>> key, crf = ShownChain("key", 14, 14, anna, (anna, she)), ShownChain("crf", 2, 1, mary, (mary, she))
    >>> print(*draw([key, crf, ShownChain("bert", 0, 0, None, ())], 80), sep="\n")
    key   → Anna :3, 2 sentences back
          Anna :3 · [she :9] · … 12 more
    crf   → ✗ Mary :8, same sentence
          ✗ Mary :8 · [she :9]
    bert  (in no chain)
    """
    names = [clipped(chain.side, min(max(width // 4, _NARROWEST // 2), _NAME)) for chain in chains]
    column = max(map(cell_len, names), default=0) + _GAP
    room = max(width - column, _NARROWEST)
    lines: list[str] = []
    for number, (name, chain) in enumerate(zip(names, chains, strict=True)):
        lines += beside(name, _lines(chain, chains[0] if number else None, room), column)
    return lines


def sentence(example: Example) -> tuple[str, str, str]:
    """Return a mention, or what stands for it, and what is before and behind it in its sentence.

    A text that marks no sentences is one itself, so there is a limit to how much of it is shown.
    """
    before, after = example.before, example.after
    if len(before) > _AROUND:
        before = "… " + before[-_AROUND:].partition(" ")[2]
    if len(after) > _AROUND:
        after = after[:_AROUND].rpartition(" ")[0] + " …"
    texts = [mention.text for chain in example.chains for mention in chain.mentions if mention.here]
    return before, example.word or words_of(texts[0] if texts else None), after


def words_of(text: str | None) -> str:
    """Return the words of a mention, or what stands for them."""
    return NO_TEXT if text is None else text or NO_WORD


def one_line(chain: ShownChain, *, of_key: bool) -> str:
    """Write all that is shown of a chain in one line, however long that is."""
    return _BETWEEN.join(_Writer(chain, signed=not of_key, widest=None).parts()) or NO_CHAIN


def antecedent_text(chain: ShownChain) -> str:
    """Write the antecedent that decides, and nothing if there is none."""
    return "" if chain.antecedent is None else _Writer(chain, signed=False, widest=None).mention(chain.antecedent)


def _lines(chain: ShownChain, key: ShownChain | None, room: int) -> Iterator[str]:
    """Write what one side says; the key is there for all but itself."""
    if not chain.size:
        yield NO_CHAIN
        return
    if key is not None and chain.size == chain.in_key == key.size:
        yield f"= {key.side}"
        return
    writer = _Writer(chain, signed=key is not None, widest=min(room // 2, _TEXT))
    if chain.antecedent is not None:
        how_far = distance(chain.antecedent)
        yield _fitted(f"→ {writer.mention(chain.antecedent)}{how_far and ', '}{how_far}", room)
    yield from _folded(writer.parts(), room)


def _folded(parts: Iterable[str], room: int) -> Iterator[str]:
    """Lay parts side by side, on as many lines as they need; a line that is not the last ends in a separator."""
    line, ending = "", _BETWEEN.rstrip()
    for part in (_fitted(part, room - len(ending)) for part in parts):
        longer = f"{line}{_BETWEEN}{part}" if line else part
        if line and cell_len(longer) > room - len(ending):
            yield line + ending
            longer = part
        line = longer
    yield line


def _fitted(text: str, room: int) -> str:
    """Cut a text that is safe to print to a width."""
    return text if cell_len(text) <= room else chop_cells(text, room - 1)[0] + "…"


def distance(antecedent: ShownMention) -> str:
    """Say how far back an antecedent is; of one in another document its name is said already."""
    back = antecedent.sentences_back
    return "" if back is None else f"{counted(back, 'sentence')} back" if back else "same sentence"


def where(mention: ShownMention, own: ShownMention, clip: Callable[[str], str]) -> Iterator[str]:
    """Say where a mention stands, seen from another: its line, and its file and its document where they are others."""
    if mention.place is not None:
        file, _, line = mention.place.rpartition(":")
        here = own.place is not None and own.place.rpartition(":")[0] == file
        yield f":{line}" if here else clip(f"{file.rpartition('/')[2]}:{line}")
    if mention.document != own.document:
        yield f"in {clip(mention.document)}"


class _Writer:
    """Writes the mentions of a chain, as they are seen from the one that is looked at.

    Args:
        chain: the chain.
        signed: whether signs tell those that are in the key's chain from the others.
        widest: how many columns the words of a mention may take; None for as many as they need.

    """

    def __init__(self, chain: ShownChain, *, signed: bool, widest: int | None) -> None:
        self._chain, self._signed, self._widest = chain, signed, widest
        self._own = next((mention for mention in chain.mentions if mention.here), None)
        leftward = widest is not None and any(runs_leftward(mention.text or "") for mention in chain.mentions)
        self._isolated = LEFT_TO_RIGHT if leftward else ""

    def parts(self) -> Iterator[str]:
        """Write the mentions, and between them how many are left out."""
        number = 0
        for mention in self._chain.mentions:
            yield from _left_out(mention.number - number - 1)
            yield self.mention(mention)
            number = mention.number
        yield from _left_out(self._chain.size - number)

    def mention(self, mention: ShownMention) -> str:
        """Write a mention: `✓ Anna :3`."""
        words = self._clipped(words_of(mention.text))
        standing = where(mention, self._own or mention, self._clipped)
        written = " ".join([f"{self._isolated}{words}{self._isolated}", *standing])
        if mention.here:
            return f"[{written}]"
        return f"{'✓' if mention.in_key else '✗'} {written}" if self._signed else written

    def _clipped(self, text: str) -> str:
        return text if self._widest is None else clipped(text, self._widest)


def _left_out(count: int) -> list[str]:
    return [f"… {count:,} more"] if count else []
