"""Examples of coreference: the chain of a mention on each side and its decisive antecedent, as data and as text.

Of a long chain only some mentions are shown: the first, which is often a name, those around the mention in question,
and the antecedent. Their numbers show how many are omitted between them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.chains import NO_CHAIN as CHAINS_NO_CHAIN
from comparanda.render.table import format_count
from comparanda.render.text_width import cell_len, chop_cells
from comparanda.tasks.spans.examples import LEFT_TO_RIGHT, prefix_lines, runs_leftward
from comparanda.tasks.trees.examples import clip_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from comparanda.core.chains import Chains
    from comparanda.core.excerpts import Excerpt, Texts
    from comparanda.core.text_columns import Rows, Truths
    from comparanda.findings.context import Context
    from comparanda.findings.examples import Example


NEAR = 4
"""The number of mentions of a chain to show before the one in question, and the number after it."""

MOST_WORDS = 40
"""The number of words of a mention to show at most."""


@dataclass(frozen=True, kw_only=True)
class ShownMention:
    """A mention of a chain, relative to the mention in question.

    Args:
        number: its number in the chain, from 1.
        text: its words, with `…` for gaps and for the rest of a long text; "" if it has none, like empty nodes. None
            where the key does not have its document, or no words at all.
        document: the name of its document.
        place: file and line, in the input of the side whose chain this is.
        sentences_back: its distance in sentences before the mention in question, negative after it; None in other
            documents.
        in_key: whether it is in the key's chain of the mention in question.
        here: whether it is the mention in question.

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
        size: the number of mentions in the chain; 0 where the side does not have the mention.
        in_key: the number of these that are in the key's chain of the mention.
        antecedent: the mention that determines the class: the closest antecedent of the kind that counts in the
            view, or if the side is right, the closest of these that is in the key's chain; None where there is none.
        mentions: some of the mentions, in the order of the text.

    """

    side: str
    size: int
    in_key: int
    antecedent: ShownMention | None
    mentions: tuple[ShownMention, ...]


class MentionChains:
    """Builds the chains to show for mentions; data common to all mentions of a view is computed once.

    Args:
        context: the context.
        chains: the mentions of its view.
        mention: the mention of each site, by row.
        runs: the runs to show in addition to the key.

    """

    def __init__(self, context: Context, chains: Chains, mention: Rows, runs: Sequence[int]) -> None:
        self._sites, self._documents, self._chains = context.sites, context.verdicts.documents, chains
        self._mention = mention
        self._candidates = chains.candidates.get(context.view.name)
        self._key = SideChains("key", chains.key)
        self._runs = [(run, SideChains(context.verdicts.runs[run], chains.runs[run])) for run in runs]
        self._words = _MentionTexts(context.verdicts.texts, chains)

    def of(self, site: int) -> tuple[ShownChain, ...]:
        """Build the key's chain of the mention at a site, and that of each run."""
        mention = int(self._mention[site])
        runs = (self._show_chain(each, mention, right=bool(self._sites.right[run][site])) for run, each in self._runs)
        return (self._show_chain(self._key, mention, right=True), *runs)

    def excerpt(self, site: int) -> Excerpt | None:
        """Build the excerpt of the mention at a site in its sentence; None where the key does not have its document."""
        return self._words.excerpt(int(self._mention[site]))

    def _show_chain(self, side: SideChains, mention: int, *, right: bool) -> ShownChain:
        """Build the chain of a mention to show on one side."""
        members = side.members(mention)
        if not members.size:
            return ShownChain(side=side.name, size=0, in_key=0, antecedent=None, mentions=())
        chain = self._chains.key[mention]
        in_key = (self._chains.key[members] == chain) & (chain != CHAINS_NO_CHAIN)
        place = int(np.searchsorted(members, mention))
        decides = self._find_antecedent(members[:place], in_key[:place], right=right)
        shown = {
            number: self._show_mention(side, int(members[number]), mention, number + 1, in_key=bool(in_key[number]))
            for number in _select_mentions(len(members), place, decides)
        }
        antecedent = None if decides is None else shown[decides]
        return ShownChain(
            side=side.name,
            size=len(members),
            in_key=int(in_key.sum()),
            antecedent=antecedent,
            mentions=tuple(shown.values()),
        )

    def _find_antecedent(self, before: Rows, in_key: Truths, *, right: bool) -> int | None:
        """Find the decisive antecedent, by its place among all earlier mentions."""
        counting = np.ones(len(before), np.bool_) if self._candidates is None else self._candidates[before]
        both = np.flatnonzero(counting & in_key)
        found = both if right and both.size else np.flatnonzero(counting)
        return int(found[-1]) if found.size else None

    def _show_mention(self, side: SideChains, row: int, mention: int, number: int, *, in_key: bool) -> ShownMention:
        chains = self._chains
        text, places = self._words.of(row)
        same_text = text is not None and chains.document[row] == chains.document[mention]
        back = int(chains.sentence[mention]) - int(chains.sentence[row]) if same_text else None
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


def _select_mentions(size: int, place: int, decides: int | None) -> list[int]:
    """Select the mentions of a chain to show around one of them; gaps of a single mention are filled."""
    near = range(max(place - NEAR, 0), min(place + NEAR + 1, size))
    chosen = {0, *near, *([] if decides is None else [decides])}
    gaps = {number + 1 for number in chosen if number + 2 in chosen or number + 2 == size}
    return sorted(chosen | gaps)


class SideChains:
    """The chains of one side, sorted so that the mentions of each are adjacent."""

    def __init__(self, name: str, chain: Rows) -> None:
        self.name = name
        self._show_chain = chain

    def members(self, mention: int) -> Rows:
        """List the mentions of the chain of a mention, in the order of the text; none where it has no chain."""
        number = self._show_chain[mention]
        if number == CHAINS_NO_CHAIN:
            return np.zeros(0, np.int64)
        order, chain = self._sorted
        return order[slice(*np.searchsorted(chain, [number, number + 1]))]

    @cached_property
    def _sorted(self) -> tuple[Rows, Rows]:
        order = np.argsort(self._show_chain, kind="stable")
        return order, self._show_chain[order]


class _MentionTexts:
    """The texts of mentions, each looked up once."""

    def __init__(self, texts: Texts, chains: Chains) -> None:
        # In `_word_texts` every word is a sentence, so that an excerpt contains only the requested words.
        parts = (replace(part, sentences=np.arange(part.rows + 1)) for part in texts.parts)
        self._texts, self._word_texts = texts, replace(texts, parts=tuple(parts))
        self._chains = chains
        self._known: dict[int, tuple[str | None, Mapping[str, str]]] = {}

    def of(self, row: int) -> tuple[str | None, Mapping[str, str]]:
        """Return the words of a mention, and its place on every side; None where it has no text."""
        if row not in self._known:
            self._known[row] = self._read(row)
        return self._known[row]

    def excerpt(self, row: int) -> Excerpt | None:
        """Build the excerpt of a mention; one without a word is between two words, or at the end of its sentence."""
        if self._is_wordless(row):
            return self._wordless_excerpt(self._texts, row)
        return self._texts.excerpt(self._document(row), int(self._chains.place[row]), int(self._chains.width[row]))

    def _wordless_excerpt(self, texts: Texts, row: int) -> Excerpt | None:
        """Build the excerpt of a mention without a word."""
        document, place = self._document(row), self._pieces(row)[0][0]
        if not self._ends_sentence(row, place):
            return texts.excerpt(document, place, 0)
        last = texts.excerpt(document, place - 1, 1)
        return None if last is None else replace(last, before=f"{last.before} {last.word}".strip(), word="", after="")

    def _document(self, row: int) -> int:
        return int(self._chains.document[row])

    def _is_wordless(self, row: int) -> bool:
        """Whether a mention covers no word, like empty nodes."""
        return any(begin == end for begin, end in self._pieces(row))

    def _ends_sentence(self, row: int, place: int) -> bool:
        """Whether a mention follows the last word of its sentence: the next row is in a later sentence."""
        document, sentence = int(self._chains.document[row]), int(self._chains.sentence[row])
        for part in self._texts.parts:
            if document < len(part.names):
                stop = int(part.documents[document]) + place
                return sentence < int(np.searchsorted(part.sentences, stop, side="right")) - 1
            document, sentence = document - len(part.names), sentence - len(part.sentences) + 1
        return False

    def _read(self, row: int) -> tuple[str | None, Mapping[str, str]]:
        place, width = int(self._chains.place[row]), int(self._chains.width[row])
        if self._is_wordless(row):
            between = self._wordless_excerpt(self._word_texts, row)
            return (None, {}) if between is None else ("", between.places)
        words: list[str] = []
        places: Mapping[str, str] = {}
        for begin, end in self._pieces(row) or [(place, place + width)]:
            excerpt = self._word_texts.excerpt(self._document(row), begin, min(end - begin, MOST_WORDS))
            if excerpt is None:
                return None, {}
            words.append(excerpt.word + (" …" if end - begin > MOST_WORDS else ""))
            places = places or excerpt.places
        return " … ".join(words) if any(words) else None, places

    def _pieces(self, row: int) -> list[tuple[int, int]]:
        return pieces_of(self._chains, row)


def pieces_of(chains: Chains, row: int) -> list[tuple[int, int]]:
    """List the pieces of a mention that is not one contiguous stretch of words; none for others."""
    if chains.pieces is None:
        return []
    mine = slice(*np.searchsorted(chains.pieces.span, [row, row + 1]))
    return list(zip(chains.pieces.begin[mine].tolist(), chains.pieces.end[mine].tolist(), strict=True))


# Chains as text: for each side the decisive antecedent, and the mentions of its chain in the order of the text.


LEGEND = "→ decisive antecedent; [ ] the mention itself; :12 its line; ✓ in the key's chain, ✗ not; ∅ no word"
NO_CHAIN = "(in no chain)"
NO_TEXT = "(not in the key's text)"
NO_WORD = "∅"

_SEPARATOR = " · "
_COLUMN_GAP = 2  # between the names of sides and their chains
_NAME_WIDTH = 20
_TEXT_WIDTH = 40
_MOST_CONTEXT = 400  # characters of a sentence
_LEAST_WIDTH = 12


def draw(chains: Sequence[ShownChain], width: int) -> list[str]:
    r"""Format the chains of all sides below each other, the key's first.

    A side with the same chain as the key refers to that. `LEGEND` explains the symbols to readers.

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
    names = [clip_text(chain.side, min(max(width // 4, _LEAST_WIDTH // 2), _NAME_WIDTH)) for chain in chains]
    column = max(map(cell_len, names), default=0) + _COLUMN_GAP
    room = max(width - column, _LEAST_WIDTH)
    lines: list[str] = []
    for number, (name, chain) in enumerate(zip(names, chains, strict=True)):
        lines += prefix_lines(name, _format_side(chain, chains[0] if number else None, room), column)
    return lines


def split_sentence(example: Example) -> tuple[str, str, str]:
    """Return the text before a mention in its sentence, the mention or its placeholder, and the text after it.

    A text without sentence boundaries is a single sentence, so the length of both is limited.
    """
    before, after = example.before, example.after
    if len(before) > _MOST_CONTEXT:
        before = "… " + before[-_MOST_CONTEXT:].partition(" ")[2]
    if len(after) > _MOST_CONTEXT:
        after = after[:_MOST_CONTEXT].rpartition(" ")[0] + " …"
    texts = [mention.text for chain in example.chains for mention in chain.mentions if mention.here]
    return before, example.word or words_of(texts[0] if texts else None), after


def words_of(text: str | None) -> str:
    """Return the words of a mention, or a placeholder."""
    return NO_TEXT if text is None else text or NO_WORD


def one_line(chain: ShownChain, *, of_key: bool) -> str:
    """Format the shown mentions of a chain in one line of any length."""
    return _SEPARATOR.join(_MentionFormatter(chain, signed=not of_key, widest=None).parts()) or NO_CHAIN


def antecedent_text(chain: ShownChain) -> str:
    """Format the decisive antecedent; empty if there is none."""
    return (
        ""
        if chain.antecedent is None
        else _MentionFormatter(chain, signed=False, widest=None).mention(chain.antecedent)
    )


def _format_side(chain: ShownChain, key: ShownChain | None, room: int) -> Iterator[str]:
    """Format the chain of one side; `key` is the key's chain, None for the key itself."""
    if not chain.size:
        yield NO_CHAIN
        return
    if key is not None and chain.size == chain.in_key == key.size:
        yield f"= {key.side}"
        return
    writer = _MentionFormatter(chain, signed=key is not None, widest=min(room // 2, _TEXT_WIDTH))
    if chain.antecedent is not None:
        how_far = describe_distance(chain.antecedent)
        yield _clip_line(f"→ {writer.mention(chain.antecedent)}{how_far and ', '}{how_far}", room)
    yield from _fold_lines(writer.parts(), room)


def _fold_lines(parts: Iterable[str], room: int) -> Iterator[str]:
    """Join parts on as many lines as needed; all lines but the last end in a separator."""
    line, ending = "", _SEPARATOR.rstrip()
    for part in (_clip_line(part, room - len(ending)) for part in parts):
        longer = f"{line}{_SEPARATOR}{part}" if line else part
        if line and cell_len(longer) > room - len(ending):
            yield line + ending
            longer = part
        line = longer
    yield line


def _clip_line(text: str, room: int) -> str:
    """Cut a printable text to a width."""
    return text if cell_len(text) <= room else chop_cells(text, room - 1)[0] + "…"


def describe_distance(antecedent: ShownMention) -> str:
    """Describe how far back an antecedent is; empty in another document, which is named elsewhere."""
    back = antecedent.sentences_back
    return "" if back is None else f"{format_count(back, 'sentence')} back" if back else "same sentence"


def describe_place(mention: ShownMention, own: ShownMention, clip: Callable[[str], str]) -> Iterator[str]:
    """Describe the place of a mention relative to another: its line, and its file and document where they differ."""
    if mention.place is not None:
        file, _, line = mention.place.rpartition(":")
        here = own.place is not None and own.place.rpartition(":")[0] == file
        yield f":{line}" if here else clip(f"{file.rpartition('/')[2]}:{line}")
    if mention.document != own.document:
        yield f"in {clip(mention.document)}"


class _MentionFormatter:
    """Formats the mentions of a chain relative to the mention in question.

    Args:
        chain: the chain.
        signed: whether to mark mentions by whether they are in the key's chain.
        widest: the most columns for the words of a mention; None for no limit.

    """

    def __init__(self, chain: ShownChain, *, signed: bool, widest: int | None) -> None:
        self._show_chain, self._signed, self._widest = chain, signed, widest
        self._own = next((mention for mention in chain.mentions if mention.here), None)
        leftward = widest is not None and any(runs_leftward(mention.text or "") for mention in chain.mentions)
        self._isolated = LEFT_TO_RIGHT if leftward else ""

    def parts(self) -> Iterator[str]:
        """Format the mentions, and the number of those omitted between them."""
        number = 0
        for mention in self._show_chain.mentions:
            yield from _omitted(mention.number - number - 1)
            yield self.mention(mention)
            number = mention.number
        yield from _omitted(self._show_chain.size - number)

    def mention(self, mention: ShownMention) -> str:
        """Format a mention: `✓ Anna :3`."""
        words = self._clipped(words_of(mention.text))
        standing = describe_place(mention, self._own or mention, self._clipped)
        written = " ".join([f"{self._isolated}{words}{self._isolated}", *standing])
        if mention.here:
            return f"[{written}]"
        return f"{'✓' if mention.in_key else '✗'} {written}" if self._signed else written

    def _clipped(self, text: str) -> str:
        return text if self._widest is None else clip_text(text, self._widest)


def _omitted(count: int) -> list[str]:
    return [f"… {count:,} more"] if count else []
