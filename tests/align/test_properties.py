"""What holds for every alignment, tried on random trees."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

from hypothesis import strategies as st

from comparanda.align import NONE, Aligned
from comparanda.align.words import Surface, lay_text
from comparanda.tasks.trees.conll18 import universal_path
from tests.align.shown import both_ways, pairs, refusal
from tests.findings.populations import identity
from tests.tasks.random_trees import (
    SPACES,
    Document,
    Maker,
    Placed,
    Sentence,
    Token,
    Word,
    bare,
    each_word,
    placed,
    text_of,
    write,
    write_documents,
)
from tests.tasks.udeval import counts, laid, official, trees

seeds = st.integers(0, 100_000)


def rows_of(sentences: list[Sentence]) -> list[Placed]:
    """The token of each row, with its characters."""
    return [token for token in placed(sentences) for _ in token.token.words]


def flat(documents: list[Document]) -> list[Sentence]:
    return [sentence for document in documents for sentence in document.sentences]


def with_single_edges(sentences: list[Sentence]) -> list[Sentence]:
    """Leave out enhanced edges that stand twice but for their subtypes: the evaluation finds them four times."""

    def changed(word: Word) -> Word:
        edges = {universal_path(edge.replace(":", "=", 1)): edge for edge in word.deps.split("|")}
        return replace(word, deps="|".join(edges.values()))

    return each_word(sentences, changed)


# A text and itself


@identity(seeds)
def test_a_corpus_laid_over_itself_is_the_identity(seed: int) -> None:
    documents, _ = Maker(seed).documents()
    for text in (write(flat(documents)), write_documents(documents)):
        aligned = laid(text, text)
        assert aligned.maps[0].identity
        assert [note for note in aligned.notes if note.side not in ("key", "r0")] == []
        corpus = trees(text)
        row_map, segments, notes = lay_text(corpus, Surface.of(corpus), corpus)  # by its characters
        assert (row_map.identity, row_map.surplus, notes) == (True, None, [])
        assert segments is not None
        assert segments.tokens.tolist() == segments.token_rows.tolist()
        assert len(segments.sentences) == len(corpus.sentences) - 1


@identity(seeds)
def test_a_corpus_has_all_of_itself_right(seed: int) -> None:
    text = write(with_single_edges(Maker(seed).pair()[0]))
    for metric, (credit, positives, claimed, aligned) in counts(laid(text, text)).items():
        assert credit == positives == claimed, metric
        assert aligned in (None, credit)


# Key and response change places


def swapped(key: list[Sentence], response: list[Sentence]) -> tuple[bool, dict[str, tuple[bool, bool]]]:
    """Whether the alignment is the same from both sides, and for each score whether its counts changed places."""
    there, back = laid(write(key), write(response)), laid(write(response), write(key))
    forth, other = counts(there), counts(back)
    mirrored = pairs(there) == sorted((row, partner) for partner, row in pairs(back))
    return mirrored, {
        metric: (forth[metric][0] == other[metric][0], forth[metric][1:3] == other[metric][2:0:-1]) for metric in forth
    }


def all_lemmas(sentences: list[Sentence]) -> list[Sentence]:
    return each_word(sentences, lambda word: replace(word, lemma=word.lemma.replace("_", "c")))


@identity(seeds)
def test_swapping_key_and_response_swaps_precision_and_recall(seed: int) -> None:
    """Exactly, wherever the words are paired alike from both sides.

    That is always so without multiword tokens. With them the evaluation may pair words otherwise: of several
    longest common subsequences it takes that which the response has first, and before a tangle it passes over
    one lagging word alone. Tokens and Sentences do not rest on words. Lemmas and BLEX ask for a lemma only where
    the key has one, so they are swapped only where both sides have all. CLAS, MLAS and BLEX count the key's content
    words: what is right has the same relation on both sides, so this changes their aligned accuracy alone.
    """
    for ranges in (0.0, 0.3):
        key, response = Maker(seed, ranges).pair()
        mirrored, found = swapped(key, response)
        assert mirrored or ranges
        assert all(sizes for _, sizes in found.values())
        same = {metric for metric, (credit, _) in found.items() if credit}
        assert {"Tokens", "Sentences"} <= same
        if mirrored:
            assert same >= set(found) - {"Lemmas", "BLEX"}
            assert all(credit for credit, _ in swapped(all_lemmas(key), all_lemmas(response))[1].values())


# White space and case


def respaced(sentences: list[Sentence], chance: random.Random) -> list[Sentence]:
    """Put white space into all forms, of words and of ranges, or take it out."""

    def spaced(form: str) -> str:
        parts = (letter + chance.choice(SPACES) * chance.choice([0, 0, 1, 2]) for letter in bare(form))
        return "".join(parts)

    def changed(token: Token) -> Token:
        words = tuple(replace(word, form=spaced(word.form)) for word in token.words)
        return Token(spaced(token.form) if token.ranged else words[0].form, words, token.ranged)

    return [replace(sentence, tokens=[changed(token) for token in sentence.tokens]) for sentence in sentences]


def with_misc(text: str, chance: random.Random) -> str:
    """Say something else about the spaces between tokens, and about the text."""
    lines = []
    for line in text.split("\n"):
        if line.endswith("\t_") and chance.random() < 0.5:
            misc = chance.choice(["SpaceAfter=No", r"SpacesAfter=\s\s", "SpaceAfter=Yes"])
            lines.append(line.removesuffix("_") + misc)
        else:
            lines.append(line)
        if line.startswith("1\t") and chance.random() < 0.5:
            lines.insert(-1, f"# text = {chance.choice(['a  b', '', 'something else'])}")
    return "\n".join(lines)


@identity(seeds, examples=60)
def test_white_space_never_matters(seed: int) -> None:
    """Neither inside tokens nor between them, whichever characters of Unicode's category Zs it is made of."""
    maker = Maker(seed)
    key, response = ([*map(_compact, side)] for side in maker.pair())
    expected = counts(laid(write(key), write(response)))
    assert expected == official(write(key), write(response))
    for mine, theirs in ((key, respaced(response, maker.chance)), (respaced(key, maker.chance), response)):
        assert counts(laid(write(mine), write(theirs))) == expected
        assert counts(laid(with_misc(write(mine), maker.chance), with_misc(write(theirs), maker.chance))) == expected


def _compact(sentence: Sentence) -> Sentence:
    (found,) = each_word([sentence], lambda word: replace(word, form=bare(word.form)))
    tokens = [replace(token, form=bare(token.form)) for token in found.tokens]
    return replace(found, tokens=tokens)


@identity(seeds)
def test_words_of_white_space_change_nothing_but_what_is_claimed(seed: int) -> None:
    """They have no counterpart, and stand where the text goes on, or at its end."""
    maker = Maker(seed)
    key, response = maker.pair()
    blanks = [maker.chance.random() < 0.5 for _ in response]
    blank = Word(form="\u00a0", lemma="_", upos="X", xpos="x", feats="_", head=1, deprel="punct")
    padded = [
        replace(sentence, tokens=[*sentence.tokens, *([Token(blank.form, (blank,))] * more)])
        for sentence, more in zip(response, blanks, strict=True)
    ]
    plain, spaced = laid(write(key), write(response)), laid(write(key), write(padded))
    for metric, (credit, positives, claimed, aligned) in counts(plain).items():
        more = 0 if metric in {"Sentences", "CLAS", "MLAS", "BLEX", "ELAS", "EULAS"} else sum(blanks)
        assert counts(spaced)[metric] == (credit, positives, (claimed or 0) + more, aligned)
    surplus = spaced.maps[0].surplus
    lengths = [] if surplus is None else (surplus.end - surplus.begin).tolist()
    assert lengths.count(0) == sum(blanks)


@identity(seeds)
def test_the_case_of_words_outside_multiword_tokens_matters(seed: int) -> None:
    maker = Maker(seed)
    key, response = maker.pair()
    assert refusal(trees(write(key)), trees(write(response))) is None
    for sentence in response:
        for place, token in enumerate(sentence.tokens):
            form = token.form.swapcase()
            if token.ranged or form == token.form:
                continue
            turned = list(sentence.tokens)
            turned[place] = Token(form, (replace(token.words[0], form=form),))
            others = [replace(each, tokens=turned) if each is sentence else each for each in response]
            message = refusal(trees(write(key)), trees(write(others)))
            assert message is not None
            assert "the text differs from the key's" in message


@identity(seeds, examples=60)
def test_the_case_of_words_inside_multiword_tokens_does_not_matter(seed: int) -> None:
    key, response = Maker(seed).pair()
    turned = []
    for sentence in response:
        tokens = [
            replace(token, words=tuple(replace(word, form=word.form.swapcase()) for word in token.words))
            if token.ranged
            else token
            for token in sentence.tokens
        ]
        turned.append(replace(sentence, tokens=tokens))
    assert pairs(laid(write(key), write(turned))) == pairs(laid(write(key), write(response)))


# Maps


def marked(maker: Maker) -> tuple[list[Document], list[Document], Aligned]:
    """Lay documents over a key; the response has them in another order, lacks some, and has others."""
    key, response = maker.documents(5)
    there = [each for number, each in enumerate(response) if not number or maker.chance.random() < 0.7]
    there += [Document("foreign", maker.pair(8)[0])] * (maker.chance.random() < 0.3)
    maker.chance.shuffle(there)
    return key, there, laid(write_documents(key), write_documents(there), missing="empty")


@identity(seeds)
def test_the_two_directions_of_a_map_are_inverse_to_each_other(seed: int) -> None:
    _, _, aligned = marked(Maker(seed))
    to_key, to_response = both_ways(aligned)
    assert (len(to_key), len(to_response)) == (len(aligned.responses[0]), len(aligned.key))
    assert pairs(aligned) == sorted((row, other) for other, row in enumerate(to_key) if row != NONE)


@identity(seeds, examples=60)
def test_words_keep_their_order_in_each_document(seed: int) -> None:
    key, there, aligned = marked(Maker(seed))
    to_key, row = both_ways(aligned)[0], 0
    bounds = dict(zip([each.name for each in key], pairwise(aligned.key.row_documents.tolist()), strict=True))
    for document in there:
        size = sum(sentence.size for sentence in document.sentences)
        found = [each for each in to_key[row : row + size] if each != NONE]
        row += size
        begin, end = bounds.get(document.name, (0, 0))
        assert found == sorted(set(found))
        assert all(begin <= each < end for each in found)


@identity(seeds)
def test_another_response_never_changes_the_map_of_the_first(seed: int) -> None:
    maker = Maker(seed)
    key, first = maker.pair()
    others = [maker.corpus(text_of(key)), maker.perturbed(text_of(key), key)]
    alone = laid(write(key), write(first))
    for responses in ([first, *others], [*others, first]):
        run = responses.index(first)
        together = laid(write(key), *map(write, responses))
        assert both_ways(together, run) == both_ways(alone)
        assert counts(together, run=run) == counts(alone)


@identity(seeds, examples=60)
def test_a_word_without_a_counterpart_stands_where_its_token_begins(seed: int) -> None:
    """`near` is the counterpart, else the first word of the key's token at that place; the offsets are bytes."""
    key, response = Maker(seed).pair()
    aligned = laid(write(key), write(response))
    text, mine, theirs = text_of(key), rows_of(key), rows_of(response)
    row_map = aligned.maps[0]
    near, to_key = row_map.near(len(theirs)).tolist(), both_ways(aligned)[0]
    surplus = [] if row_map.surplus is None else row_map.surplus.rows.tolist()
    assert surplus == [row for row, counterpart in enumerate(to_key) if counterpart == NONE]
    for row, counterpart in enumerate(to_key):
        if counterpart != NONE:
            assert near[row] == counterpart
            continue
        assert row_map.surplus is not None
        token = theirs[row]
        first = next(place for place, each in enumerate(mine) if each.begin <= token.begin < each.end)
        begin, end = (len(text[mine[first].begin : place].encode()) for place in (token.begin, token.end))
        place = surplus.index(row)
        assert near[row] == first
        assert (int(row_map.surplus.begin[place]), int(row_map.surplus.end[place])) == (begin, end)
    alone = [near[row] for row in surplus]
    assert alone == sorted(alone)


@identity(seeds)
def test_notes_count_the_words_without_a_counterpart(seed: int) -> None:
    """Those of documents that both sides have; a missing document has a note of its own."""
    key, there, aligned = marked(Maker(seed))
    names = {each.name for each in key} & {each.name for each in there}
    counted = {note.what: note.count for note in aligned.notes}
    for documents, found, what in (
        (there, both_ways(aligned)[0], "words tokenised differently from the key"),
        (key, both_ways(aligned)[1], "words of the key without a counterpart here, counted as wrong"),
    ):
        owner = [each.name for each in documents for sentence in each.sentences for _ in sentence.words]
        lost = sum(row == NONE for name, row in zip(owner, found, strict=True) if name in names)
        assert counted.get(what, 0) == lost


@identity(seeds)
def test_common_tokens_and_sentences_are_those_of_the_same_characters(seed: int) -> None:
    key, response = Maker(seed).pair()
    aligned = laid(write(key), write(response))
    found = aligned.segments[0]
    if found is None:  # all, and no others
        assert [(each.begin, each.end) for each in placed(key)] == [(each.begin, each.end) for each in placed(response)]
        assert _sentence_ends(key) == _sentence_ends(response)
        return
    mine, spans = rows_of(key), {(each.begin, each.end) for each in placed(response)}
    firsts = [row for row, each in enumerate(mine) if not row or mine[row - 1].begin != each.begin]
    assert found.tokens.tolist() == [row for row in firsts if (mine[row].begin, mine[row].end) in spans]
    ends, other_ends = _sentence_ends(key), _sentence_ends(response)
    same = set(pairwise([0, *ends])) & set(pairwise([0, *other_ends]))
    assert found.sentences.tolist() == [number for number, span in enumerate(pairwise([0, *ends])) if span in same]


def _sentence_ends(sentences: list[Sentence]) -> list[int]:
    return [len(text_of(sentences[: number + 1])) for number in range(len(sentences))]
