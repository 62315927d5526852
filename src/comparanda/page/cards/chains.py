"""The chains that sides put a mention into, with the antecedent that decides."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from comparanda.page.cards.sides import Drawing, Saying
from comparanda.page.cards.spans import draw_spans
from comparanda.page.cards.texts import LONGEST_WORD, Line, fitted, fitted_word, leftward
from comparanda.page.data import Chain, MentionMark
from comparanda.show.mentions import NO_CHAIN, NO_WORD, distance, sentence, where, words_of

if TYPE_CHECKING:
    from comparanda.comparison.examples import Example
    from comparanda.comparison.mentions import ShownChain, ShownMention
    from comparanda.comparison.spans import Stretch

_NONE = Chain(size=0)


def draw_chains(example: Example, stretch: Stretch | None) -> Drawing:
    """Draw the mentions of chains under the words of a stretch, if the mention has any, and the chains beside them."""
    drawing = _unmarked(example) if stretch is None else draw_spans(stretch, {}, nothing=NO_CHAIN)
    key, *runs = example.chains
    chains = [_chain(each, key) for each in runs]
    said = replace(drawing.key, chain=_chain(key, None))
    same = [each.size == each.in_key == key.size for each in runs]
    sayings = (
        _same(saying, said) if is_same else replace(saying, chain=chain)
        for saying, chain, is_same in zip(drawing.runs, chains, same, strict=True)
    )
    return replace(drawing, key=said, runs=tuple(sayings))


def _same(saying: Saying, key: Saying) -> Saying:
    """Return what a side says that has the key's very chain, in whatever lines of its own file."""
    return replace(saying, marks=key.marks, chain=key.chain)


def _unmarked(example: Example) -> Drawing:
    """Draw the sentence of a mention without a word, or no words at all where the key has no such document."""
    nothing = (Saying(),) * len(example.answers)
    before, _, after = sentence(example)
    if not before and not after:
        return Drawing(None, Saying(), nothing)
    words = [*before.split(), NO_WORD, *after.split()]
    place = len(before.split())
    line = Line(tuple(map(fitted_word, words)), (place, place), leftward=leftward(words))
    return Drawing(line, Saying(), nothing)


def _chain(given: ShownChain, key: ShownChain | None) -> Chain:
    """Return the chain of one side; the key is there for all but itself."""
    if not given.size:
        return _NONE
    own = next((mention for mention in given.mentions if mention.here), given.mentions[0])
    decides = given.antecedent
    return Chain(
        size=given.size,
        mentions=tuple(_mention(each, own, signed=key is not None) for each in given.mentions),
        antecedent=None if decides is None else decides.number,
        distance="" if decides is None else distance(decides),
    )


def _mention(given: ShownMention, own: ShownMention, *, signed: bool) -> MentionMark:
    return MentionMark(
        number=given.number,
        text=fitted_word(words_of(given.text)),
        where=" ".join(where(given, own, lambda text: fitted(text, LONGEST_WORD))),
        wrong=signed and not given.in_key,
        here=given.here,
    )
