"""The scores of the CoNLL 2018 shared task on trees that can be counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from comparanda.align import NONE
from comparanda.api.comparison import compare
from comparanda.tasks.trees.conll18 import CONTENT, ENHANCED, FUNCTIONAL, METRICS, SEGMENTATION, count_conll18
from tests.tasks.udeval import Counts, columns, counts, cut, laid, official

KEY = columns(
    """
1 The the DET DT Definite=Def 2 det 2:det
2 dogs dog NOUN NNS Number=Plur 3 nsubj:pass 3:nsubj:pass
3 bark bark VERB VBP Mood=Ind|Foo=Bar 0 root 0:root
4 . . PUNCT . _ 3 punct 3:punct
"""
)


def changed(*changes: tuple[str, str], text: str = KEY) -> str:
    """Return the key with pieces of its lines replaced, written with spaces for tabs."""
    spaced = text.replace("\t", " ")
    for old, new in changes:
        assert spaced.count(old) == 1, old
        spaced = spaced.replace(old, new)
    return spaced.replace(" ", "\t")


def scored(response: str, key: str = KEY) -> dict[str, Counts]:
    """Count, and see that the shared task's own program counts the same."""
    found = counts(laid(key, response))
    assert found == official(key, response)
    return found


def right(response: str, key: str = KEY) -> dict[str, int | None]:
    return {metric: each[0] for metric, each in scored(response, key).items()}


PERFECT = dict.fromkeys(METRICS, 4) | {"Sentences": 1, "CLAS": 2, "MLAS": 2, "BLEX": 2} | dict.fromkeys(ENHANCED, 4)


def test_a_perfect_response_has_everything_right() -> None:
    assert right(KEY) == PERFECT


def test_the_denominators_are_words_tokens_sentences_edges_and_content_words() -> None:
    found = scored(KEY)
    assert found["Tokens"] == found["Words"] == found["ELAS"] == found["EULAS"] == (4, 4, 4, None)
    assert found["Sentences"] == (1, 1, 1, None)
    for metric in ("UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", "UAS", "LAS"):
        assert found[metric] == (4, 4, 4, 4)
    for metric in ("CLAS", "MLAS", "BLEX"):
        assert found[metric] == (2, 2, 2, 2)  # dogs, bark: neither the article nor the full stop


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        ("NOUN NNS", "VERB NNS", {"UPOS": 3, "AllTags": 3, "MLAS": 1}),
        ("NOUN NNS", "NOUN NN", {"XPOS": 3, "AllTags": 3}),
        ("Number=Plur", "Number=Sing", {"UFeats": 3, "AllTags": 3, "MLAS": 1}),
        ("Mood=Ind|Foo=Bar", "Mood=Ind|Foo=Baz", {}),  # no universal feature
        ("Mood=Ind|Foo=Bar", "Foo=Bar|Mood=Ind", {}),  # another order
        ("Mood=Ind|Foo=Bar", "_", {"UFeats": 3, "AllTags": 3, "MLAS": 1}),
        ("dogs dog", "dogs dogs", {"Lemmas": 3, "BLEX": 1}),
        ("3 nsubj:pass 3", "3 nsubj 3", {}),  # subtypes are cut off
        ("3 nsubj:pass 3", "3 obj 3", {"LAS": 3, "CLAS": 1, "MLAS": 1, "BLEX": 1}),
        ("3 nsubj:pass 3", "4 nsubj 3", {"UAS": 3, "LAS": 3, "CLAS": 1, "MLAS": 1, "BLEX": 1}),
        ("3 punct 3", "2 punct 3", {"UAS": 3, "LAS": 3}),  # punctuation counts, but not as content
        ("3:punct", "2:punct", {"ELAS": 3, "EULAS": 3}),
        ("3:nsubj:pass", "3:nsubj", {"ELAS": 3}),
        ("3:nsubj:pass", "3:obj", {"ELAS": 3, "EULAS": 3}),
        ("0:root", "1:root", {"ELAS": 3, "EULAS": 3}),
    ],
)
def test_one_change_costs_what_it_concerns(old: str, new: str, lost: dict[str, int]) -> None:
    assert right(changed((old, new))) == PERFECT | lost


def test_tokens_and_words_and_sentences_that_the_response_cuts_otherwise() -> None:
    key = columns("1 can _ _ _ _ 0 root\n2 not _ _ _ _ 1 advmod\n\n1 ! _ _ _ _ 0 root")
    other = columns("1 cannot _ _ _ _ 0 root\n2 ! _ _ _ _ 1 punct")
    found = scored(other, key)
    assert found["Tokens"] == found["Words"] == (1, 3, 2, None)  # the exclamation mark
    assert found["Sentences"] == (0, 2, 1, None)
    assert found["UPOS"] == (1, 3, 2, 1)
    assert found["UAS"] == (0, 3, 2, 1)  # its head has no counterpart
    assert found["CLAS"] == (0, 3, 1, 1)


def test_a_sentence_is_right_if_it_covers_the_same_text() -> None:
    key = cut("a b") + cut("c") + cut("d e")
    assert scored(cut("ab") + cut("c d") + cut("e"), key)["Sentences"] == (1, 3, 3, None)
    assert scored(cut("ab=a+b") + cut("c") + cut("d e"), key)["Sentences"] == (3, 3, 3, None)


def test_a_range_is_one_token_of_several_words() -> None:
    key = cut("zum=zu+dem Haus")
    assert scored(key, key)["Tokens"] == (2, 2, 2, None)
    assert scored(key, key)["Words"] == (3, 3, 3, None)
    assert scored(cut("zum Haus"), key)["Tokens"] == (2, 2, 2, None)
    assert scored(cut("zum Haus"), key)["Words"] == (1, 3, 2, None)


def test_equal_words_under_other_ranges_are_other_tokens() -> None:
    """The texts agree and the words too; the tokens do not."""
    key = cut("ab=a+b c")
    found = scored(cut("a b c"), key)
    assert found["Tokens"] == (1, 2, 3, None)
    assert found["Words"] == (3, 3, 3, None)


def test_equal_words_under_ranges_of_other_characters_are_other_tokens() -> None:
    found = scored(cut("a=x bc=y"), cut("ab=x c=y"))
    assert (found["Tokens"], found["Words"]) == ((0, 2, 2, None), (2, 2, 2, None))


def test_a_key_without_a_lemma_asks_for_none() -> None:
    key = changed(("dogs dog", "dogs _"))
    assert right(KEY, key) == PERFECT
    assert right(changed(("dogs dog", "dogs cat")), key) == PERFECT
    assert right(key, KEY) == PERFECT | {"Lemmas": 3, "BLEX": 1}  # a response without one is wrong


def test_lemmas_are_compared_as_they_stand() -> None:
    assert right(changed(("dogs dog", "dogs Dog"))) == PERFECT | {"Lemmas": 3, "BLEX": 1}


def test_a_root_is_only_right_for_a_root() -> None:
    key = columns("1 a _ _ _ _ 0 root\n2 b _ _ _ _ 1 obj")
    other = columns("1 a _ _ _ _ 2 root\n2 b _ _ _ _ 0 obj")
    assert (scored(other, key)["UAS"], scored(other, key)["LAS"]) == ((0, 2, 2, 2), (0, 2, 2, 2))


def test_heads_are_compared_through_the_alignment() -> None:
    key = columns("1 New _ _ _ _ 2 compound\n2 York _ _ _ _ 3 nsubj\n3 wins _ _ _ _ 0 root")
    other = columns("1 NewYork _ _ _ _ 2 nsubj\n2 wins _ _ _ _ 0 root")
    assert scored(other, key)["UAS"] == (1, 3, 2, 1)
    split = columns("1 New _ _ _ _ 2 compound\n2 York _ _ _ _ 4 nsubj\n3 win _ _ _ _ 4 dep\n4 s _ _ _ _ 0 root")
    assert scored(split, key)["UAS"] == (1, 3, 4, 2)  # York hangs on a word that the key does not have


class TestClas:
    """Function words and punctuation do not count, each side by its own relation."""

    def test_every_relation_that_is_not_listed_is_no_content(self) -> None:
        for relation in (*FUNCTIONAL, "punct", "x", "_"):
            text = columns(f"1 a _ _ _ _ 0 root\n2 b _ _ _ _ 1 {relation}")
            assert scored(text, text)["CLAS"] == (1, 1, 1, 1), relation
        for relation in CONTENT:
            text = columns(f"1 a _ _ _ _ 0 root\n2 b _ _ _ _ 1 {relation}")
            assert scored(text, text)["CLAS"] == (2, 2, 2, 2), relation

    def test_a_function_word_that_the_response_takes_for_content_lowers_precision_alone(self) -> None:
        assert scored(changed(("2 det 2", "2 amod 2")))["CLAS"] == (2, 2, 3, 2)

    def test_a_content_word_that_the_response_takes_for_a_function_word_lowers_recall_alone(self) -> None:
        assert scored(changed(("3 nsubj:pass 3", "3 case 3")))["CLAS"] == (1, 2, 1, 2)

    def test_subtypes_do_not_change_what_is_content(self) -> None:
        assert scored(changed(("2 det 2", "2 det:poss 2")))["CLAS"] == (2, 2, 2, 2)


FAMILY = columns(
    """
1 has have AUX _ _ 3 aux
2 been be AUX _ _ 3 aux:pass
3 seen see VERB _ _ 0 root
4 by by ADP _ _ 5 case
5 us we PRON _ _ 3 obl
"""
)


class TestMlas:
    """A content word must have its functional children, with their relations and tags, in their order."""

    def mlas(self, *changes: tuple[str, str]) -> Counts:
        return scored(changed(*changes, text=FAMILY), FAMILY)["MLAS"]

    def test_all_children_alike(self) -> None:
        assert self.mlas() == (2, 2, 2, 2)

    def test_a_child_is_missing(self) -> None:
        assert self.mlas(("3 aux:pass", "1 aux:pass")) == (1, 2, 2, 2)

    def test_a_child_too_many(self) -> None:
        assert self.mlas(("5 case", "3 case")) == (0, 2, 2, 2)  # seen has one more, us has none

    def test_a_child_of_another_relation(self) -> None:
        assert self.mlas(("3 aux:pass", "3 cop")) == (1, 2, 2, 2)

    def test_a_child_of_another_subtype(self) -> None:
        assert self.mlas(("3 aux:pass", "3 aux")) == (2, 2, 2, 2)

    def test_a_child_of_another_tag(self) -> None:
        assert self.mlas(("been be AUX", "been be VERB")) == (1, 2, 2, 2)

    def test_a_child_with_other_features(self) -> None:
        assert self.mlas(("been be AUX _ _", "been be AUX _ Tense=Past")) == (1, 2, 2, 2)
        assert self.mlas(("been be AUX _ _", "been be AUX _ Foo=Bar")) == (2, 2, 2, 2)

    def test_a_child_with_another_lemma_or_another_language_specific_tag(self) -> None:
        assert self.mlas(("been be AUX _", "been x AUX x")) == (2, 2, 2, 2)

    def test_a_child_that_is_a_content_word_in_the_response(self) -> None:
        assert self.mlas(("3 aux:pass", "3 obj")) == (1, 2, 3, 2)

    def test_a_content_child_does_not_matter(self) -> None:
        assert self.mlas(("3 obl", "3 nmod")) == (1, 2, 2, 2)  # us itself is wrong, seen is right

    def test_two_children_that_changed_their_relations(self) -> None:
        key = changed(("3 aux:pass", "3 cop"), text=FAMILY)
        turned = changed(("3 aux _", "3 cop _"), ("3 aux:pass", "3 aux"), text=FAMILY)
        assert scored(turned, key)["MLAS"] == (1, 2, 2, 2)

    def test_two_children_that_stand_in_another_order(self) -> None:
        """Only words of a range can: there the text does not tell their order."""
        key = columns("1-2 xy\n1 a _ _ _ _ 3 aux\n2 b _ _ _ _ 3 aux\n3 c _ _ _ _ 0 root")
        turned = columns("1-2 xy\n1 b _ _ _ _ 3 aux\n2 a _ _ _ _ 3 aux\n3 c _ _ _ _ 0 root")
        found = scored(turned, key)
        assert (found["Words"], found["MLAS"]) == ((2, 3, 3, None), (0, 1, 1, 1))

    def test_a_child_that_the_response_cuts_otherwise(self) -> None:
        other = columns(
            "1 ha _ AUX _ _ 4 aux\n2 s _ AUX _ _ 4 aux\n3 been _ AUX _ _ 4 aux\n4 seen see VERB _ _ 0 root\n"
            "5 by by ADP _ _ 6 case\n6 us we PRON _ _ 4 obl"
        )
        assert scored(other, FAMILY)["MLAS"] == (1, 2, 2, 2)

    def test_a_wrong_tag_of_the_word_itself(self) -> None:
        assert self.mlas(("see VERB", "see NOUN")) == (1, 2, 2, 2)


def test_blex_asks_for_the_lemma_and_for_no_tag() -> None:
    assert scored(changed(("NOUN NNS Number=Plur", "X X X")))["BLEX"] == (2, 2, 2, 2)
    assert scored(changed(("dogs dog", "dogs x")))["BLEX"] == (1, 2, 2, 2)


class TestEnhanced:
    """ELAS compares edges with their full labels, EULAS without subtypes; empty nodes are passed over."""

    KEY = columns(
        """
1 a _ _ _ _ 0 root 0:root
2 b _ _ _ _ 1 conj 0:root|1:conj:and
3 c _ _ _ _ 1 obj 1:obj|2:obj
"""
    )

    def enhanced(self, *changes: tuple[str, str]) -> list[Counts]:
        found = scored(changed(*changes, text=self.KEY), self.KEY)
        return [found["ELAS"], found["EULAS"]]

    def test_every_edge_counts(self) -> None:
        assert self.enhanced() == [(5, 5, 5, None)] * 2

    def test_an_edge_is_missing(self) -> None:
        assert self.enhanced(("1:obj|2:obj", "1:obj")) == [(4, 5, 4, None)] * 2

    def test_an_edge_too_many(self) -> None:
        assert self.enhanced(("1:obj|2:obj", "1:obj|2:obj|2:nsubj")) == [(5, 5, 6, None)] * 2

    def test_the_order_of_edges_does_not_matter(self) -> None:
        assert self.enhanced(("1:obj|2:obj", "2:obj|1:obj")) == [(5, 5, 5, None)] * 2

    def test_another_subtype(self) -> None:
        assert self.enhanced(("conj:and", "conj:or")) == [(4, 5, 5, None), (5, 5, 5, None)]

    def test_a_doubled_edge_is_found_twice(self) -> None:
        """So the evaluation counts, and a score can pass 100 %."""
        assert self.enhanced(("1:obj|2:obj", "1:obj|1:obj|2:obj")) == [(6, 5, 6, None)] * 2

    def test_an_edge_doubled_but_for_its_subtype_is_found_twice_without_it(self) -> None:
        assert self.enhanced(("1:obj|2:obj", "1:obj|1:obj:x|2:obj")) == [(5, 5, 6, None), (6, 5, 6, None)]

    def test_no_edges_at_all(self) -> None:
        bare = changed(("root 0:root", "root _"), ("0:root|1:conj:and", "_"), ("1:obj|2:obj", "_"), text=self.KEY)
        for metric in ENHANCED:
            assert scored(bare, self.KEY)[metric] == (0, 5, 0, None)
            assert scored(self.KEY, bare)[metric] == (0, 0, 5, None)
            assert scored(bare, bare)[metric] == (0, 0, 0, None)

    def test_steps_of_a_path_are_compared_one_by_one(self) -> None:
        key = changed(("1:obj|2:obj", "1:conj:and>obj:x|2:obj"), text=self.KEY)
        found = scored(changed(("1:obj|2:obj", "1:conj:or>obj|2:obj"), text=self.KEY), key)
        assert [found["ELAS"], found["EULAS"]] == [(4, 5, 5, None), (5, 5, 5, None)]

    def test_empty_nodes_and_their_edges_do_not_count(self) -> None:
        key = changed(("1:obj|2:obj", "1:obj|2:obj|2.1:nsubj"), text=self.KEY).replace(
            "3\tc", "2.1\te" + "\t_" * 8 + "\n3\tc"
        )
        assert scored(self.KEY, key)["ELAS"] == scored(key, self.KEY)["ELAS"] == (5, 5, 5, None)
        assert scored(key, key)["Words"] == (3, 3, 3, None)

    def test_heads_of_edges_go_through_the_alignment(self) -> None:
        other = columns(
            "1 a _ _ _ _ 0 root 0:root\n2 b _ _ _ _ 1 conj 0:root|1:conj:and\n"
            "3-4 c\n3 x _ _ _ _ 2 obj 2:obj\n4 c _ _ _ _ 1 obj 1:obj|3:obj"
        )
        assert scored(other, self.KEY)["ELAS"] == (4, 5, 6, None)


# The words of multiword tokens. Each line: the key, the response, and the pairs of words (counted from 0).
SITUATIONS = {
    "the same range": ("zum=zu+dem Haus", "zum=zu+dem Haus", [(0, 0), (1, 1), (2, 2)]),
    "case does not matter inside": ("Zum=Zu+dem Haus", "Zum=zu+DEM Haus", [(0, 0), (1, 1), (2, 2)]),
    "one word is another": ("zum=zu+dem Haus", "zum=zu+einem Haus", [(0, 0), (2, 2)]),
    "a word too many": ("abc=a+b+c d", "abc=a+c d", [(0, 0), (2, 1), (3, 2)]),
    "a range against its text": ("am=an+dem See", "am See", [(2, 1)]),
    "a word with the form of the whole": ("ab=ab+x c", "ab c", [(0, 0), (2, 1)]),
    "a range against its parts": ("cannot=can+not go", "can not go", [(0, 0), (1, 1), (2, 2)]),
    "a range against other parts": ("cannot=can+not go", "ca nnot go", [(2, 2)]),
    "parts are found by form, not by place": ("abc=c+b x", "ab c x", [(0, 1), (2, 2)]),
    "overlapping ranges are one tangle": ("ab=a+b c d", "a bc=b+c d", [(0, 0), (1, 1), (2, 2), (3, 3)]),
    "a chain of overlapping ranges": (
        "ab=a+b cd=c+d e",
        "a bc=b+c de=d+e",
        [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)],
    ),
    "touching ranges are two": ("ab=x cd=y+x", "ab=y+x cd=x", [(0, 1), (2, 2)]),
    "a range of one word": ("a=b c", "a=b c", [(0, 0), (1, 1)]),
    "words in another order: the response's earliest": ("ab=x+y c", "ab=y+x c", [(1, 0), (2, 2)]),
    "a repeated word: the earliest": ("aa=a+a b", "aa=a b", [(0, 0), (2, 1)]),
    "the longest common subsequence, not the first match": (
        "abcd=a+b+c+d e",
        "abcd=d+b+c e",
        [(1, 1), (2, 2), (4, 3)],
    ),
    "a word that sticks out before": ("a bc=b+c d", "ab c d", [(2, 1), (3, 2)]),
    "a word that sticks out behind": ("ab=a+b c d", "a bc d", [(0, 0), (3, 2)]),
    "a range of the response alone": ("a b c", "ab=b+a c", [(1, 0), (2, 2)]),
    "a range at the end": ("a bc=b+c", "a b c", [(0, 0), (1, 1), (2, 2)]),
    "the same words under other ranges": ("a=p+q b=r", "a=p b=q+r", [(0, 0), (2, 2)]),
    "no range: the same characters": ("ab c d", "a b c d", [(1, 2), (2, 3)]),
    "no range: equal forms at other places are other words": ("aa a", "a aa", []),
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_words_of_ranges_are_aligned_by_their_forms(name: str) -> None:
    mine, theirs, expected = SITUATIONS[name]
    assert paired(mine, theirs) == expected
    assert scored(cut(theirs), cut(mine))["Words"][0] == len(expected)


def paired(key: str, response: str) -> list[tuple[int, int]]:
    row_map = laid(cut(key), cut(response)).maps[0]
    if row_map.to_response is None:
        return [(row, row) for row in range(len(laid(cut(key), cut(response)).key))]
    return [(row, other) for row, other in enumerate(row_map.to_response.tolist()) if other != NONE]


def test_of_several_words_that_lag_before_a_range_only_the_first_is_left_behind() -> None:
    """The evaluation passes over one word, not all; the next falls into the tangle. Its scores are kept as they are."""
    assert paired("ca xy=a+b", "c a xy") == [(1, 1)]  # 'a' of the text against 'a' of the range behind it
    assert paired("c a xy", "ca xy=a+b") == []  # and it is not the same the other way round
    assert scored(cut("c a xy"), cut("ca xy=a+b"))["Words"] == (1, 3, 3, None)
    assert scored(cut("ca xy=a+b"), cut("c a xy"))["Words"] == (0, 3, 3, None)


def test_a_score_is_the_f1_of_its_counts() -> None:
    aligned = laid(cut("ab=a+b c"), cut("a bc"))
    view = count_conll18(aligned)
    assert counts(aligned)["Words"] == (1, 3, 2, None)
    assert f"conll18.f1[{METRICS[0]}]" in view.measures
    assert view.measures[0] == "conll18.f1[LAS]"  # the main one
    for metric in METRICS:
        assert (f"conll18.aligned_accuracy[{metric}]" in view.measures) == (metric not in SEGMENTATION)


def test_scores_without_anything_to_count_are_undefined(tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_text(columns("1 a _ _ _ _ 0 punct"), encoding="utf-8")
    scores = compare(path, {"x": path}, task="dep", resamples=0).scores("conll18.f1[CLAS]", "conll18.f1[LAS]")
    assert [score.value for score in scores.scores] == [None, 1.0]
    assert scores.scores[0].reason == "nothing in the key and nothing claimed"
