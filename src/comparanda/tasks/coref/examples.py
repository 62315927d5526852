"""What sides say of the same mention: the chain that each puts it into, and the antecedent that decides.

Of a long chain only some mentions are shown: the first, which tends to be the one with a name, those around the mention
that is looked at, and the antecedent. Their numbers tell what is left out between them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.chains import NO_CHAIN as CHAINS_NO_CHAIN
from comparanda.render.cells import cell_len, chop_cells
from comparanda.render.table import counted
from comparanda.tasks.spans.examples import LEFT_TO_RIGHT, beside, runs_leftward
from comparanda.tasks.trees.examples import clipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from comparanda.core.chains import Chains
    from comparanda.core.excerpts import Excerpt, Texts
    from comparanda.core.text_columns import Rows, Truths
    from comparanda.findings.context import Context
    from comparanda.findings.examples import Example


NEAR = 4
"""How many mentions of a chain are shown before the one that is looked at, and how many behind it."""

MOST_WORDS = 40
"""How many words of a mention are shown at most."""


@dataclass(frozen=True, kw_only=True)
class ShownMention:
    """A mention of a chain, seen from the mention that is looked at.

    Args:
        number: its number in the chain, from 1.
        text: its words, with `…` for gaps and where it is too long; "" if it has none, as empty nodes do. None where
            the key does not have its document, or no words at all.
        document: the name of its document.
        place: file and line, in the input of the side whose chain this is.
        sentences_back: how many sentences before the one that is looked at it begins, below 0 for those behind; None
            for other documents.
        in_key: whether it is in the key's chain of the one that is looked at.
        here: whether it is that one itself.

    """

    number: int
    text: str | None
    document: str
    place: str | None
    sentences_back: int | None
    in_key: bool
    here: bool


@dataclass(frozen=True, kw_only=True)
class ShownChain:
    """The chain that one side, the key or a run, puts a mention into.

    Args:
        side: "key", or the run's name.
        size: how many mentions the chain has; 0 where the side does not have the mention.
        in_key: how many of them are in the key's chain of the mention.
        antecedent: the mention that decides about the class: the closest antecedent of the kind that counts in the
            view, or if the side is right, the closest of these that is in the key's chain; None where there is none.
        mentions: some of the mentions, in the order of the text.

    """

    side: str
    size: int
    in_key: int
    antecedent: ShownMention | None
    mentions: tuple[ShownMention, ...]


class MentionChains:
    """Makes the chains of mentions; what all mentions of a view share is made once.

    Args:
        context: the ground.
        chains: the mentions of its view.
        mention: which of them each site is.
        runs: the runs to show beside the key.

    """

    def __init__(self, context: Context, chains: Chains, mention: Rows, runs: Sequence[int]) -> None:
        self._sites, self._documents, self._chains = context.sites, context.verdicts.documents, chains
        self._mention = mention
        self._candidates = chains.candidates.get(context.view.name)
        self._key = SideChains("key", chains.key)
        self._runs = [(run, SideChains(context.verdicts.runs[run], chains.runs[run])) for run in runs]
        self._words = _Words(context.verdicts.texts, chains)

    def of(self, site: int) -> tuple[ShownChain, ...]:
        """Return the key's chain of the mention at a site, and that of each run."""
        mention = int(self._mention[site])
        runs = (self._chain(each, mention, right=bool(self._sites.right[run][site])) for run, each in self._runs)
        return (self._chain(self._key, mention, right=True), *runs)

    def excerpt(self, site: int) -> Excerpt | None:
        """Return the mention at a site in its sentence; None where the key does not have its document."""
        return self._words.excerpt(int(self._mention[site]))

    def _chain(self, side: SideChains, mention: int, *, right: bool) -> ShownChain:
        """Show the chain of a mention on one side."""
        members = side.members(mention)
        if not members.size:
            return ShownChain(side=side.name, size=0, in_key=0, antecedent=None, mentions=())
        chain = self._chains.key[mention]
        in_key = (self._chains.key[members] == chain) & (chain != CHAINS_NO_CHAIN)
        place = int(np.searchsorted(members, mention))
        decides = self._deciding(members[:place], in_key[:place], right=right)
        shown = {
            number: self._shown(side, int(members[number]), mention, number + 1, in_key=bool(in_key[number]))
            for number in _chosen(len(members), place, decides)
        }
        antecedent = None if decides is None else shown[decides]
        return ShownChain(
            side=side.name,
            size=len(members),
            in_key=int(in_key.sum()),
            antecedent=antecedent,
            mentions=tuple(shown.values()),
        )

    def _deciding(self, before: Rows, in_key: Truths, *, right: bool) -> int | None:
        """Return which antecedent decides, by its place among all of them."""
        counting = np.ones(len(before), np.bool_) if self._candidates is None else self._candidates[before]
        both = np.flatnonzero(counting & in_key)
        found = both if right and both.size else np.flatnonzero(counting)
        return int(found[-1]) if found.size else None

    def _shown(self, side: SideChains, row: int, mention: int, number: int, *, in_key: bool) -> ShownMention:
        chains = self._chains
        text, places = self._words.of(row)
        beside = text is not None and chains.document[row] == chains.document[mention]
        back = int(chains.sentence[mention]) - int(chains.sentence[row]) if beside else None
        document = self._documents[int(chains.document[row])]
        return ShownMention(
            number=number,
            text=text,
            document=document,
            place=places.get(side.name),
            sentences_back=back,
            in_key=in_key,
            here=row == mention,
        )


def _chosen(size: int, place: int, decides: int | None) -> list[int]:
    """Return which mentions of a chain are shown, seen from one of them; a gap of one is no shorter than that one."""
    near = range(max(place - NEAR, 0), min(place + NEAR + 1, size))
    chosen = {0, *near, *([] if decides is None else [decides])}
    gaps = {number + 1 for number in chosen if number + 2 in chosen or number + 2 == size}
    return sorted(chosen | gaps)


class SideChains:
    """The chains of one side, so sorted that the mentions of each stand together."""

    def __init__(self, name: str, chain: Rows) -> None:
        self.name = name
        self._chain = chain

    def members(self, mention: int) -> Rows:
        """Return the mentions of the chain of a mention, in the order of the text; none where it has none."""
        number = self._chain[mention]
        if number == CHAINS_NO_CHAIN:
            return np.zeros(0, np.int64)
        order, chain = self._sorted
        return order[slice(*np.searchsorted(chain, [number, number + 1]))]

    @cached_property
    def _sorted(self) -> tuple[Rows, Rows]:
        order = np.argsort(self._chain, kind="stable")
        return order, self._chain[order]


class _Words:
    """The words of mentions, each looked up once."""

    def __init__(self, texts: Texts, chains: Chains) -> None:
        # In `_alone` every word is a sentence, so that an excerpt is no more than the words that are asked for.
        parts = (replace(part, sentences=np.arange(part.rows + 1)) for part in texts.parts)
        self._texts, self._alone = texts, replace(texts, parts=tuple(parts))
        self._chains = chains
        self._known: dict[int, tuple[str | None, Mapping[str, str]]] = {}

    def of(self, row: int) -> tuple[str | None, Mapping[str, str]]:
        """Return the words of a mention, and where it stands on every side; None where it has no text."""
        if row not in self._known:
            self._known[row] = self._read(row)
        return self._known[row]

    def excerpt(self, row: int) -> Excerpt | None:
        """Return a mention in its sentence; one without a word stands between two, or at the end of the sentence."""
        if self._wordless(row):
            return self._between(self._texts, row)
        return self._texts.excerpt(self._document(row), int(self._chains.place[row]), int(self._chains.width[row]))

    def _between(self, texts: Texts, row: int) -> Excerpt | None:
        """Return a mention without a word in its sentence."""
        document, place = self._document(row), self._pieces(row)[0][0]
        if not self._ends_sentence(row, place):
            return texts.excerpt(document, place, 0)
        last = texts.excerpt(document, place - 1, 1)
        return None if last is None else replace(last, before=f"{last.before} {last.word}".strip(), word="", after="")

    def _document(self, row: int) -> int:
        return int(self._chains.document[row])

    def _wordless(self, row: int) -> bool:
        """Whether a mention covers no word, as empty nodes do."""
        return any(begin == end for begin, end in self._pieces(row))

    def _ends_sentence(self, row: int, place: int) -> bool:
        """Whether a mention stands in an earlier sentence than the row behind it: behind the last word of that."""
        document, sentence = int(self._chains.document[row]), int(self._chains.sentence[row])
        for part in self._texts.parts:
            if document < len(part.names):
                behind = int(part.documents[document]) + place
                return sentence < int(np.searchsorted(part.sentences, behind, side="right")) - 1
            document, sentence = document - len(part.names), sentence - len(part.sentences) + 1
        return False

    def _read(self, row: int) -> tuple[str | None, Mapping[str, str]]:
        place, width = int(self._chains.place[row]), int(self._chains.width[row])
        if self._wordless(row):
            between = self._between(self._alone, row)
            return (None, {}) if between is None else ("", between.places)
        words: list[str] = []
        places: Mapping[str, str] = {}
        for begin, end in self._pieces(row) or [(place, place + width)]:
            excerpt = self._alone.excerpt(self._document(row), begin, min(end - begin, MOST_WORDS))
            if excerpt is None:
                return None, {}
            words.append(excerpt.word + (" …" if end - begin > MOST_WORDS else ""))
            places = places or excerpt.places
        return " … ".join(words) if any(words) else None, places

    def _pieces(self, row: int) -> list[tuple[int, int]]:
        return pieces_of(self._chains, row)


def pieces_of(chains: Chains, row: int) -> list[tuple[int, int]]:
    """Return the pieces of a mention that is not just the rows from its begin on; none for others."""
    if chains.pieces is None:
        return []
    mine = slice(*np.searchsorted(chains.pieces.span, [row, row + 1]))
    return list(zip(chains.pieces.begin[mine].tolist(), chains.pieces.end[mine].tolist(), strict=True))


# Chains as text: for each side the antecedent that decides, and the mentions of its chain in the order of the text.


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

    >>> from comparanda.tasks.coref.examples import ShownChain, ShownMention
    >>> anna = ShownMention(number=1, text="Anna", document="d", place="3", sentences_back=2, in_key=True, here=False)
    >>> mary = ShownMention(number=1, text="Mary", document="d", place="8", sentences_back=0, in_key=False, here=False)
    >>> she = ShownMention(number=2, text="she", document="d", place="9", sentences_back=0, in_key=True, here=True)
    >>> key = ShownChain(side="key", size=14, in_key=14, antecedent=anna, mentions=(anna, she))
    >>> crf = ShownChain(side="crf", size=2, in_key=1, antecedent=mary, mentions=(mary, she))
    >>> bert = ShownChain(side="bert", size=0, in_key=0, antecedent=None, mentions=())
    >>> print(*draw([key, crf, bert], 80), sep="\n")
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
