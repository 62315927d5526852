"""What kind of mention each is: a noun, a personal or a possessive pronoun, or another one (DEFINITIONS 8).

A mention of several words is nominal; one of a single word is told by its tag. Tags are the key's, for all sides alike,
or of a response that has some where the key has none: predicted tags must not make a right mention wrong. Where nobody
has tags, English pronouns are told by a list, and a note says so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.places import Note
from comparanda.core.text_columns import TextColumn
from comparanda.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.align import Aligned
    from comparanda.core.corpus import Corpus
    from comparanda.core.text_columns import Codes, Rows, Truths
    from comparanda.tasks.coref.mentions import Gathered
    from comparanda.tasks.task import Nouns

NOUN, PERSONAL, POSSESSIVE, OTHER = KINDS = ("noun", "personal pronoun", "possessive pronoun", "other")

# fmt: off
UPOS = frozenset({
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ",
    "SYM", "VERB", "X", "_",
})
_STTS = frozenset({"NE", "PPER", "PPOSAT", "PPOSS", "PRELS", "PDS", "PIS", "ART", "APPR", "VVFIN", "VAFIN"})
_PENN = frozenset({"NN", "NNS", "NNP", "NNPS", "PRP", "PRP$", "DT", "IN", "JJ", "VB", "VBD", "VBZ", "VBP", "VBN"})
_PERSONAL = frozenset({
    "i", "me", "myself", "you", "yourself", "yourselves", "he", "him", "himself", "she", "her", "herself", "it",
    "itself", "we", "us", "ourselves", "they", "them", "themselves", "themself", "'em", "ya",
})
_POSSESSIVE = frozenset({
    "my", "mine", "your", "yours", "his", "hers", "its", "our", "ours", "their", "theirs",
})
_OTHERS = frozenset({
    "this", "that", "these", "those", "who", "whom", "whose", "which", "what", "there", "here", "one", "ones",
    "another", "other", "others", "each", "both", "all", "some", "any", "none", "everyone", "everybody", "everything",
    "someone", "somebody", "something", "anyone", "anybody", "anything", "nobody", "nothing", "such", "so", "then",
    "now",
})
# fmt: on


@dataclass(frozen=True, slots=True, kw_only=True)
class Tags:
    """One way to tell kinds by tags.

    Args:
        name: its name.
        nouns: the tags of nouns.
        names: those of proper nouns.
        personal: those of personal pronouns.
        possessive: those of possessive pronouns.
        marks: those of signs behind a possessor, which is no head: France 's dog.

    """

    name: str
    nouns: frozenset[str]
    names: frozenset[str]
    personal: frozenset[str]
    possessive: frozenset[str]
    marks: frozenset[str] = frozenset()


PTB = Tags(
    name="ptb",
    nouns=frozenset({"NN", "NNS", "NNP", "NNPS"}),
    names=frozenset({"NNP", "NNPS"}),
    personal=frozenset({"PRP"}),
    possessive=frozenset({"PRP$"}),
    marks=frozenset({"POS"}),
)
STTS = Tags(
    name="stts",
    nouns=frozenset({"NN", "NE"}),
    names=frozenset({"NE"}),
    personal=frozenset({"PPER"}),
    possessive=frozenset({"PPOSAT", "PPOSS"}),
)
UD = Tags(
    name="upos",
    nouns=frozenset({"NOUN", "PROPN"}),
    names=frozenset({"PROPN"}),
    personal=frozenset({"PRON"}),
    possessive=frozenset(),
)
ENGLISH = "english"


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Kinds:
    """What kind of mention each is.

    Args:
        kind: the kind, as a code of `KINDS`.
        nominal: whether it is nominal.
        named: whether it is a name; None where nobody has tags that tell.
        told_by: how that was told.
        notes: what there is to say of it.

    """

    kind: Codes
    nominal: Truths
    named: Truths | None
    told_by: str
    notes: tuple[Note, ...]


def kinds_of(aligned: Aligned, gathered: Gathered, nouns: Nouns) -> Kinds:
    """Tell the kind of each mention."""
    chains, key = gathered.chains, aligned.key
    words = words_told(aligned, nouns)
    kind = np.where(chains.width == 1, KINDS.index(OTHER), KINDS.index(NOUN)).astype(np.uint8)
    named = None if words.named is None else np.zeros(len(chains), np.bool_)
    inside = np.flatnonzero(gathered.inside)
    _tell(gathered, rows=inside, base=key.row_documents[chains.document[inside]], words=words, kind=kind, named=named)
    for number in gathered.foreign.sides:
        rows, base = _elsewhere(aligned, gathered, number)
        _tell(
            gathered,
            rows=rows,
            base=base,
            words=_own_words(aligned.responses[number - 1], nouns),
            kind=kind,
            named=named,
        )
    return Kinds(kind=kind, nominal=kind == 0, named=named, told_by=words.told_by, notes=words.notes)


def _tell(
    gathered: Gathered, rows: Rows, base: Rows, words: Words, *, kind: NDArray[np.uint8], named: Truths | None
) -> None:
    """Tell the kinds of some mentions by words, of which the first of their documents stand at `base`."""
    chains = gathered.chains
    first, width = base + chains.place[rows], chains.width[rows].astype(np.int64)
    there = np.flatnonzero(first < len(words.kind))  # an empty node may stand behind the last word
    rows, first, width = rows[there], first[there], width[there]
    kind[rows] = np.where(width == 1, words.kind[first], KINDS.index(NOUN))
    if named is not None and words.named is not None:
        named[rows] = words.named[words.heads(first, first + width)]


def _elsewhere(aligned: Aligned, gathered: Gathered, number: int) -> tuple[Rows, Rows]:
    """Return the mentions in documents that only responses have, one of them this one, and where these begin in it."""
    response, spans = aligned.responses[number - 1], gathered.foreign.sides[number]
    if response.spans is None or response.spans.unit != "tokens":
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    begins = np.full(len(gathered.documents), -1, np.int64)
    begins[spans.document] = response.row_documents[response.spans.document[spans.given]]
    base = begins[gathered.chains.document]
    rows = np.flatnonzero(~gathered.inside & (base >= 0))
    return rows, base[rows]


def _own_words(response: Corpus, nouns: Nouns) -> Words:
    """Return what a response tells of its own words."""
    return _tagged(response, nouns) or _english(response, said=True)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Words:
    """What is told of each word of the key, or of a response.

    Args:
        kind: the kind of a mention of it alone.
        noun: whether it is a noun.
        mark: whether it is the sign of a possessor before it.
        named: whether it is a proper noun; None where nobody has tags that tell.
        told_by: how that was told.
        notes: what there is to say of it.

    """

    kind: Codes
    noun: Truths
    mark: Truths
    named: Truths | None
    told_by: str
    notes: tuple[Note, ...] = ()

    @property
    def tagged(self) -> bool:
        """Whether that was told by tags, and not by a list."""
        return self.told_by != ENGLISH

    def heads(self, first: Rows, last: Rows) -> Rows:
        """Return the head of each of some stretches of words: the last of their first run of nouns, or the last word.

        A run of nouns with the sign of a possessor behind it does not count, unless that ends the stretch.
        """
        if not len(self.noun):
            return first
        last = np.where(self.mark[np.minimum(last, len(self.mark)) - 1] & (last - first > 1), last - 1, last)
        ends = self.noun & ~np.append(self.noun[1:] | self.mark[1:], False)
        place = np.where(ends, np.arange(len(ends)), len(ends))
        following = np.minimum.accumulate(place[::-1])[::-1]
        found: Rows = np.minimum(following[np.minimum(first, len(ends) - 1)], np.minimum(last, len(ends)) - 1)
        return found


def words_told(aligned: Aligned, nouns: Nouns) -> Words:
    """Find tags: those that were asked for, or the first that anybody has."""
    sides: list[tuple[str, Corpus, Rows | None]] = [("key", aligned.key, None)]
    for response, row_map in zip(aligned.responses, aligned.maps, strict=True):
        sides.append((response.name, response, row_map.to_response))
    for name, corpus, to_side in sides:
        found = _tagged(corpus, nouns)
        if found is not None:
            words = found if to_side is None else _carried(found, to_side)
            if name == "key":
                return words
            note = Note("key", f"the key has no tags, so those of {name} tell nouns and pronouns", len(aligned.key))
            return replace(words, told_by=f"{words.told_by} of {name}", notes=(note,))
    if nouns not in {"auto", ENGLISH}:
        hint = "tags stand in column 5 of CoNLL-2012, or in UPOS and XPOS of CoNLL-U; or: --nouns english"
        raise UsageError(f"nouns={nouns!r}: no side has such tags", hint=hint)
    return _english(aligned.key, said=nouns == ENGLISH)


def _tagged(corpus: Corpus, nouns: Nouns) -> Words | None:
    """Tell words by the tags of one side, if it has any of the kind that is wanted."""
    if nouns == ENGLISH:
        return None
    upos, xpos, feats = (corpus.columns.get(name) for name in ("upos", "xpos", "feats"))
    for tags in (upos, xpos):  # a column of tags may hold universal ones, whatever it is called
        if nouns in {"auto", "upos"} and tags is not None and _annotated(tags) and {*tags.names} <= UPOS:
            return _by_upos(tags, feats)
    if xpos is None or not _annotated(xpos) or nouns == "upos":
        return None
    chosen = {"ptb": PTB, "stts": STTS}.get(nouns) or (STTS if _STTS & {*xpos.names} else PTB)
    if nouns == "auto" and not {*xpos.names} & (_STTS | _PENN):
        return None  # tags that nobody here knows
    kind = _coded(xpos, chosen)
    noun = xpos.truths(chosen.nouns.__contains__)
    mark = xpos.truths(chosen.marks.__contains__)
    return Words(kind=kind, noun=noun, mark=mark, named=xpos.truths(chosen.names.__contains__), told_by=chosen.name)


def _annotated(column: TextColumn) -> bool:
    return not {*column.names} <= {"_", "-", ""}


def _coded(tags: TextColumn, tagset: Tags) -> Codes:
    """Return the kind of a mention of each word alone."""
    groups = (tagset.nouns, tagset.personal, tagset.possessive)
    table = [next((number for number, group in enumerate(groups) if tag in group), 3) for tag in tags.names]
    return np.array(table, np.uint8)[tags.codes]


def _by_upos(upos: TextColumn, feats: TextColumn | None) -> Words:
    """Tell words by universal tags; pronouns by their features, where there are any."""
    kind = _coded(upos, UD)
    featured = feats is not None and _annotated(feats)
    if feats is not None and featured:
        possessive = feats.truths(lambda cell: "Poss=Yes" in cell.split("|"))
        personal = feats.truths(lambda cell: "PronType=Prs" in cell.split("|"))
        pronoun = upos.truths(lambda tag: tag in {"PRON", "DET"})
        kind[pronoun] = 3
        kind[pronoun & personal] = 1
        kind[pronoun & possessive] = 2
    noun = upos.truths(UD.nouns.__contains__)
    told_by = UD.name if featured else f"{UD.name} without features"
    return Words(
        kind=kind, noun=noun, mark=np.zeros_like(noun), named=upos.truths(UD.names.__contains__), told_by=told_by
    )


def _carried(words: Words, to_side: Rows) -> Words:
    """Carry what the words of a response tell to the key's words."""
    there, rows = to_side >= 0, np.maximum(to_side, 0)
    kind = np.where(there, words.kind[rows], 3).astype(np.uint8)
    named = None if words.named is None else there & words.named[rows]
    return Words(
        kind=kind, noun=there & words.noun[rows], mark=there & words.mark[rows], named=named, told_by=words.told_by
    )


def _english(key: Corpus, *, said: bool) -> Words:
    """Tell single words by lists of English pronouns; whatever is none of them is a noun."""
    what = "no side has known tags of words: single words are nouns unless they are English pronouns by a list"
    notes = () if said else (Note("key", what, len(key)),)
    if key.words is None:
        nothing = np.zeros(len(key), np.bool_)
        return Words(
            kind=np.full(len(key), 3, np.uint8), noun=nothing, mark=nothing, named=None, told_by=ENGLISH, notes=notes
        )
    words = key.words.intern()
    lists = (frozenset[str](), _PERSONAL, _POSSESSIVE, _OTHERS)
    table = [next((number for number, each in enumerate(lists) if word.lower() in each), 0) for word in words.names]
    kind = np.array(table, np.uint8)[words.codes]
    return Words(
        kind=kind, noun=kind == 0, mark=np.zeros(len(kind), np.bool_), named=None, told_by=ENGLISH, notes=notes
    )
