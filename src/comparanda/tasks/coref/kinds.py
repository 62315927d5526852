"""Kinds of mentions: noun, personal or possessive pronoun, or other (DEFINITIONS 8).

A mention of several words is nominal; the kind of a single word follows from its tag. The key's tags are used for all
sides, as predicted tags must not make a correct mention wrong; where the key has none, those of a system output that
has some. Where no side has tags, English pronouns are identified by a list, with a note.
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
_PERSONAL_PRONOUNS = frozenset({
    "i", "me", "myself", "you", "yourself", "yourselves", "he", "him", "himself", "she", "her", "herself", "it",
    "itself", "we", "us", "ourselves", "they", "them", "themselves", "themself", "'em", "ya",
})
_POSSESSIVE_PRONOUNS = frozenset({
    "my", "mine", "your", "yours", "his", "hers", "its", "our", "ours", "their", "theirs",
})
_OTHER_PRONOUNS = frozenset({
    "this", "that", "these", "those", "who", "whom", "whose", "which", "what", "there", "here", "one", "ones",
    "another", "other", "others", "each", "both", "all", "some", "any", "none", "everyone", "everybody", "everything",
    "someone", "somebody", "something", "anyone", "anybody", "anything", "nobody", "nothing", "such", "so", "then",
    "now",
})
# fmt: on


@dataclass(frozen=True, slots=True, kw_only=True)
class Tags:
    """A tag set, with the tags that identify each kind.

    Args:
        name: its name.
        nouns: the tags of nouns.
        names: the tags of proper nouns.
        personal: the tags of personal pronouns.
        possessive: the tags of possessive pronouns.
        marks: the tags of possessive markers; the possessor before one is not a head: France 's dog.

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
    """The kind of each mention.

    Args:
        kind: the kind, as a code of `KINDS`.
        nominal: whether it is nominal.
        named: whether it is a name; None where no side has tags for proper nouns.
        source: the tag set or other source of the kinds.
        notes: notes on that source.

    """

    kind: Codes
    nominal: Truths
    named: Truths | None
    source: str
    notes: tuple[Note, ...]


def kinds_of(aligned: Aligned, gathered: Gathered, nouns: Nouns) -> Kinds:
    """Determine the kind of each mention."""
    chains, key = gathered.chains, aligned.key
    words = determine_word_kinds(aligned, nouns)
    kind = np.where(chains.width == 1, KINDS.index(OTHER), KINDS.index(NOUN)).astype(np.uint8)
    named = None if words.named is None else np.zeros(len(chains), np.bool_)
    inside = np.flatnonzero(gathered.inside)
    _assign_kinds(
        gathered, rows=inside, base=key.row_documents[chains.document[inside]], words=words, kind=kind, named=named
    )
    for number in gathered.foreign.sides:
        rows, base = _foreign_rows(aligned, gathered, number)
        _assign_kinds(
            gathered,
            rows=rows,
            base=base,
            words=_output_word_kinds(aligned.responses[number - 1], nouns),
            kind=kind,
            named=named,
        )
    return Kinds(kind=kind, nominal=kind == 0, named=named, source=words.source, notes=words.notes)


def _assign_kinds(
    gathered: Gathered, rows: Rows, base: Rows, words: Words, *, kind: NDArray[np.uint8], named: Truths | None
) -> None:
    """Assign kinds to some mentions by the kinds of words; their documents begin at the rows `base` of these."""
    chains = gathered.chains
    first, width = base + chains.place[rows], chains.width[rows].astype(np.int64)
    there = np.flatnonzero(first < len(words.kind))  # an empty node may follow the last word
    rows, first, width = rows[there], first[there], width[there]
    kind[rows] = np.where(width == 1, words.kind[first], KINDS.index(NOUN))
    if named is not None and words.named is not None:
        named[rows] = words.named[words.heads(first, first + width)]


def _foreign_rows(aligned: Aligned, gathered: Gathered, number: int) -> tuple[Rows, Rows]:
    """Find the mentions in documents of this system output that the key lacks, and the rows where these begin in it."""
    response, spans = aligned.responses[number - 1], gathered.foreign.sides[number]
    if response.spans is None or response.spans.unit != "tokens":
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    begins = np.full(len(gathered.documents), -1, np.int64)
    begins[spans.document] = response.row_documents[response.spans.document[spans.given]]
    base = begins[gathered.chains.document]
    rows = np.flatnonzero(~gathered.inside & (base >= 0))
    return rows, base[rows]


def _output_word_kinds(response: Corpus, nouns: Nouns) -> Words:
    """Determine the kinds of the words of a system output."""
    return _kinds_from_tags(response, nouns) or _kinds_from_word_lists(response, declared=True)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Words:
    """The kind of each word of the key, or of a system output.

    Args:
        kind: the kind of a mention of this word alone.
        noun: whether it is a noun.
        mark: whether it is a possessive marker.
        named: whether it is a proper noun; None where no side has tags for proper nouns.
        source: the tag set or other source of the kinds.
        notes: notes on that source.

    """

    kind: Codes
    noun: Truths
    mark: Truths
    named: Truths | None
    source: str
    notes: tuple[Note, ...] = ()

    @property
    def tagged(self) -> bool:
        """Whether the kinds come from tags, not from a word list."""
        return self.source != ENGLISH

    def heads(self, first: Rows, last: Rows) -> Rows:
        """Find the head of each stretch of words: the last noun of its first run of nouns, or the last word.

        A run of nouns followed by a possessive marker does not count, unless the marker ends the stretch.
        """
        if not len(self.noun):
            return first
        last = np.where(self.mark[np.minimum(last, len(self.mark)) - 1] & (last - first > 1), last - 1, last)
        ends = self.noun & ~np.append(self.noun[1:] | self.mark[1:], False)
        place = np.where(ends, np.arange(len(ends)), len(ends))
        following = np.minimum.accumulate(place[::-1])[::-1]
        found: Rows = np.minimum(following[np.minimum(first, len(ends) - 1)], np.minimum(last, len(ends)) - 1)
        return found


def determine_word_kinds(aligned: Aligned, nouns: Nouns) -> Words:
    """Determine the kinds of words from the requested tags, or from those of the first side that has any."""
    sides: list[tuple[str, Corpus, Rows | None]] = [("key", aligned.key, None)]
    for response, row_map in zip(aligned.responses, aligned.maps, strict=True):
        sides.append((response.name, response, row_map.to_response))
    for name, corpus, to_side in sides:
        found = _kinds_from_tags(corpus, nouns)
        if found is not None:
            words = found if to_side is None else _map_to_key(found, to_side)
            if name == "key":
                return words
            note = Note("key", f"the key has no tags, so those of {name} identify nouns and pronouns", len(aligned.key))
            return replace(words, source=f"{words.source} of {name}", notes=(note,))
    if nouns not in {"auto", ENGLISH}:
        hint = "provide tags in column 5 of CoNLL-2012 or in UPOS or XPOS of CoNLL-U, or use --nouns english"
        raise UsageError(f"nouns={nouns!r}: no side has such tags", hint=hint)
    return _kinds_from_word_lists(aligned.key, declared=nouns == ENGLISH)


def _kinds_from_tags(corpus: Corpus, nouns: Nouns) -> Words | None:
    """Determine the kinds of words from the tags of one side; None if it has none of the requested tag set."""
    if nouns == ENGLISH:
        return None
    upos, xpos, feats = (corpus.columns.get(name) for name in ("upos", "xpos", "feats"))
    for tags in (upos, xpos):  # either column may hold universal tags
        if nouns in {"auto", "upos"} and tags is not None and _has_tags(tags) and {*tags.names} <= UPOS:
            return _kinds_from_upos(tags, feats)
    if xpos is None or not _has_tags(xpos) or nouns == "upos":
        return None
    chosen = {"ptb": PTB, "stts": STTS}.get(nouns) or (STTS if _STTS & {*xpos.names} else PTB)
    if nouns == "auto" and not {*xpos.names} & (_STTS | _PENN):
        return None  # an unknown tag set
    kind = _encode_kinds(xpos, chosen)
    noun = xpos.truths(chosen.nouns.__contains__)
    mark = xpos.truths(chosen.marks.__contains__)
    return Words(kind=kind, noun=noun, mark=mark, named=xpos.truths(chosen.names.__contains__), source=chosen.name)


def _has_tags(column: TextColumn) -> bool:
    return not {*column.names} <= {"_", "-", ""}


def _encode_kinds(tags: TextColumn, tagset: Tags) -> Codes:
    """Encode the kind of each word by its tag."""
    groups = (tagset.nouns, tagset.personal, tagset.possessive)
    table = [next((number for number, group in enumerate(groups) if tag in group), 3) for tag in tags.names]
    return np.array(table, np.uint8)[tags.codes]


def _kinds_from_upos(upos: TextColumn, feats: TextColumn | None) -> Words:
    """Determine the kinds of words from universal tags; those of pronouns from features, where there are any."""
    kind = _encode_kinds(upos, UD)
    featured = feats is not None and _has_tags(feats)
    if feats is not None and featured:
        possessive = feats.truths(lambda cell: "Poss=Yes" in cell.split("|"))
        personal = feats.truths(lambda cell: "PronType=Prs" in cell.split("|"))
        pronoun = upos.truths(lambda tag: tag in {"PRON", "DET"})
        kind[pronoun] = 3
        kind[pronoun & personal] = 1
        kind[pronoun & possessive] = 2
    noun = upos.truths(UD.nouns.__contains__)
    source = UD.name if featured else f"{UD.name} without features"
    return Words(
        kind=kind, noun=noun, mark=np.zeros_like(noun), named=upos.truths(UD.names.__contains__), source=source
    )


def _map_to_key(words: Words, to_side: Rows) -> Words:
    """Map the kinds of the words of a system output to the key's words."""
    there, rows = to_side >= 0, np.maximum(to_side, 0)
    kind = np.where(there, words.kind[rows], 3).astype(np.uint8)
    named = None if words.named is None else there & words.named[rows]
    return Words(
        kind=kind, noun=there & words.noun[rows], mark=there & words.mark[rows], named=named, source=words.source
    )


def _kinds_from_word_lists(key: Corpus, *, declared: bool) -> Words:
    """Determine the kinds of single words from lists of English pronouns; all other words are nouns."""
    what = "no side has known part-of-speech tags: single words count as nouns unless listed as English pronouns"
    notes = () if declared else (Note("key", what, len(key)),)
    if key.words is None:
        nothing = np.zeros(len(key), np.bool_)
        return Words(
            kind=np.full(len(key), 3, np.uint8), noun=nothing, mark=nothing, named=None, source=ENGLISH, notes=notes
        )
    words = key.words.intern()
    lists = (frozenset[str](), _PERSONAL_PRONOUNS, _POSSESSIVE_PRONOUNS, _OTHER_PRONOUNS)
    table = [next((number for number, each in enumerate(lists) if word.lower() in each), 0) for word in words.names]
    kind = np.array(table, np.uint8)[words.codes]
    return Words(kind=kind, noun=kind == 0, mark=np.zeros(len(kind), np.bool_), named=None, source=ENGLISH, notes=notes)
