"""A real tagger with tokens of its own against a real treebank: a plain recount from the definition."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from comparanda import Result
from comparanda.api.comparison import compare
from tests.findings.populations import close
from tests.shared_data import shared

KEY = "data/ud/en_ewt/gold/en_ewt-ud-test.conllu"
WINK = "data/ud/en_ewt/systems/wink-nlp.rawtext.conllu"


@dataclass(frozen=True, kw_only=True)
class Tagged:
    """A word with its tag; the characters are those of its token, which may stand for several words."""

    begin: int
    end: int
    form: str
    tag: str
    ranged: bool
    sentence: int


def words(lines: list[str]) -> list[Tagged]:
    """Read CoNLL-U as plainly as possible."""
    found: list[Tagged] = []
    begin = end = covered = sentence = 0
    for line in lines:
        fields = line.split("\t")
        if not line:
            sentence, covered = sentence + 1, 0
        if len(fields) != 10 or "." in fields[0]:
            continue
        number, _, last = fields[0].partition("-")
        if int(number) > covered:
            begin, end = end, end + len(fields[1].replace(" ", "").replace("\u00a0", ""))
        if last:
            covered = int(last)
        else:
            found.append(
                Tagged(
                    begin=begin,
                    end=end,
                    form=fields[1].lower(),
                    tag=fields[3],
                    ranged=int(number) <= covered,
                    sentence=sentence,
                )
            )
    return found


def common(mine: list[Tagged], theirs: list[Tagged]) -> list[tuple[Tagged, Tagged]]:
    """Return a longest common subsequence of forms."""
    if not mine or not theirs:
        return []
    if mine[0].form == theirs[0].form:
        return [(mine[0], theirs[0]), *common(mine[1:], theirs[1:])]
    return max(common(mine[1:], theirs), common(mine, theirs[1:]), key=len)


def counterparts(key: list[Tagged], response: list[Tagged]) -> list[tuple[Tagged, Tagged]]:
    """Pair words of the same characters, and those of a multiword token with the words inside it by their forms."""
    assert not any(word.ranged for word in response)
    at = {(word.begin, word.end): word for word in response}
    found = [(word, at[word.begin, word.end]) for word in key if not word.ranged and (word.begin, word.end) in at]
    begins = [word.begin for word in response]
    inner: dict[tuple[int, int], list[Tagged]] = {}
    for word in key:
        if word.ranged:
            inner.setdefault((word.begin, word.end), []).append(word)
    for (begin, end), covered in inner.items():
        first, last = bisect_left(begins, begin), bisect_left(begins, end)
        inside = [word for word in response[first:last] if word.end <= end]
        found += common(covered, inside)
    return found


@cache
def sides() -> tuple[list[Tagged], list[Tagged], list[tuple[Tagged, Tagged]]]:
    key, response = (words(shared(path).read_text(encoding="utf-8").split("\n")) for path in (KEY, WINK))
    return key, response, counterparts(key, response)


@cache
def judged() -> Result:
    return compare(shared(KEY), {"wink": shared(WINK)}, task="pos", resamples=0)


def test_the_tagger_has_words_without_characters_that_have_no_counterpart() -> None:
    _, response, pairs = sides()
    blank = {word for word in response if word.begin == word.end}
    assert len(blank) == 3
    assert not blank & {word for _, word in pairs}


def test_accuracy_is_over_the_keys_words_and_those_without_a_counterpart_are_wrong() -> None:
    key, _, pairs = sides()
    right = {word for word, other in pairs if word.tag == other.tag}
    scores = judged().scores("accuracy", "recall", "sentences")
    accuracy = scores.scores[0]
    assert (accuracy.part, accuracy.whole) == (len(right), len(key))
    assert 0.8 < len(right) / len(key) < len(pairs) / len(key) < 1
    assert close(scores.value("wink", "recall"), len(right) / len(key))
    sentences = {word.sentence for word in key}
    wrong = {word.sentence for word in key if word not in right}
    assert close(scores.value("wink", "sentences"), len(sentences - wrong) / len(sentences))


def test_what_has_no_counterpart_is_counted_with_its_places() -> None:
    key, response, pairs = sides()
    notes = {note.what: note.count for note in judged().notes}
    assert notes["words tokenised differently from the key"] == len(response) - len(pairs)
    assert notes["words of the key without a counterpart here, counted as wrong"] == len(key) - len(pairs)
    cuts, other_cuts = ({b.begin for a, b in pairwise(side) if a.sentence != b.sentence} for side in (key, response))
    assert notes.get("sentence boundaries that differ from the key's, which are used", 0) == len(cuts ^ other_cuts)
