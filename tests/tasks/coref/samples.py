"""Small chain sets that hypothesis draws, as corpora made by hand; and the laws that hold for all of them.

A document has six words and ten places where a mention could be, nested and crossing; a side says of each place which
chain it is in, or that there is no mention.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from comparanda import Result
from comparanda.align import align_responses
from comparanda.core.corpus import Corpus, Spans
from comparanda.core.text_columns import TextColumn
from comparanda.core.verdicts import System
from comparanda.tasks.coref.evaluation import evaluate_chains
from comparanda.tasks.task import Options
from tests.seeds import draws
from tests.tasks.coref import reference
from tests.tasks.coref.reference import Units
from tests.tasks.corpora import corpus

SIZE = 6
EXTENTS = ((0, 6), (0, 2), (0, 1), (1, 4), (1, 2), (2, 3), (3, 6), (3, 4), (4, 5), (5, 6))
"""In the order of the text: by begin, the longer first."""

TAGS = ("NN", "NNP", "PRP", "PRP$", "DT")
NAMES = ("one", "two", "three")
EXAMPLES = 10

Places = tuple[int | None, ...]
"""The chain at each extent."""

Side = Mapping[str, Places]
"""The chains of documents, by their names, in their order."""


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A key and some systems.

    Args:
        key: the key.
        systems: the systems.
        tags: the tags of the words of each document.
        topics: the topic of each document of the key; none where it is empty.
        chain_name: how a chain is called, by side, document and number.
        backwards: whether mentions are given in the opposite order.

    """

    key: Side
    systems: Mapping[str, Side]
    tags: Mapping[str, tuple[str, ...]]
    topics: Mapping[str, str] = field(default_factory=dict)
    chain_name: Callable[[str, str, int], str] = lambda _, __, number: f"{number}"
    backwards: bool = False

    def side(self, name: str) -> Side:
        return self.key if name == "key" else self.systems[name]

    def corpus(self, name: str) -> Corpus:
        """Return a side as a corpus."""
        side = self.side(name)
        rows = [
            (number, extent, self.chain_name(name, document, chain))
            for number, (document, places) in enumerate(side.items())
            for extent, chain in zip(EXTENTS, places, strict=True)
            if chain is not None
        ]
        documents = [[[(f"w{place}", self.tags[document][place]) for place in range(SIZE)]] for document in side]
        made = corpus(name, *documents, names=list(side))
        if name == "key" and self.topics:
            topic = TextColumn.of(self.topics[document] for document in side)
            made = replace(made, documents=replace(made.documents, attributes={"topic": topic}))
        tags = {"xpos": made.columns["value"]}
        spans = spans_of(rows[::-1] if self.backwards else rows)
        return replace(made, columns=tags, spans=spans, evaluated="chains")

    def result(self, *systems: str, **options: Any) -> Result:
        """Align and judge all systems, or some."""
        names = systems or tuple(self.systems)
        aligned = align_responses(self.corpus("key"), [self.corpus(name) for name in names], missing="empty")
        runs = [System(name, (number,)) for number, name in enumerate(names)]
        return Result(evaluate_chains(aligned, runs, Options(missing="empty", **options)), 0)

    def units(self, name: str, *, singletons: bool = True) -> Units:
        """Return the chains of a side as the reference has them, by document of the key."""
        found: Units = {}
        for number, document in enumerate(self.key):
            chains: dict[int, reference.Chain] = {}
            for (begin, end), chain in zip(EXTENTS, self.side(name).get(document, ()), strict=False):
                if chain is not None:
                    chains.setdefault(chain, []).append((number, begin, end))
            found[document] = [reference.in_order(chain) for chain in chains.values() if singletons or len(chain) > 1]
        return found

    def fits(self, criterion: str) -> reference.Predicate:
        told = {"nominal": reference.nominal, "named": reference.named}.get(criterion)
        names = list(self.key)
        if told is None:
            return reference.anything
        return lambda mention: told(self.tags[names[mention[0]]][mention[1] : mention[2]])

    def swapped(self) -> Sample:
        """Return the same with the first system as the key and the key as the system."""
        return replace(self, key=self.systems["one"], systems={"one": self.key})


def spans_of(rows: Sequence[tuple[int, tuple[int, int], str]]) -> Spans:
    """Return mentions as spans of tokens, each with its chain."""
    numbers = np.array([(document, *extent) for document, extent, _ in rows], np.int64).reshape(-1, 3)
    document, begin, end = numbers.T
    chains = TextColumn.of([chain for _, _, chain in rows])
    labels = TextColumn.constant("ENTITY", len(rows))
    return Spans(
        unit="tokens",
        document=document,
        begin=begin,
        end=end,
        label=labels,
        offset=np.zeros(len(rows), np.int64),
        fragments=None,
        columns={"chain": chains},
    )


chain_numbers = st.sampled_from((None, 0, 0, 1, 1, 2))
SAME = -1


@st.composite
def samples(draw: st.DrawFn, systems: tuple[int, int] = (1, 1), documents: tuple[int, int] = (1, 6)) -> Sample:
    """Draw a key and systems that agree with it about half of the time."""
    names = [f"d{number}" for number in range(draw(st.integers(*documents)))]
    size = len(EXTENTS)
    key = {name: tuple(draw(st.lists(chain_numbers, min_size=size, max_size=size))) for name in names}
    answers = st.lists(st.sampled_from((SAME, SAME, SAME, None, 0, 1, 2)), min_size=size, max_size=size)
    found = {}
    for system in NAMES[: draw(st.integers(*systems))]:
        found[system] = {
            name: tuple(
                wanted if answer == SAME else answer for wanted, answer in zip(key[name], draw(answers), strict=True)
            )
            for name in names
        }
    tags = {name: tuple(draw(st.lists(st.sampled_from(TAGS), min_size=SIZE, max_size=SIZE))) for name in names}
    return Sample(key=key, systems=found, tags=tags)


single = samples()
pairs = samples(systems=(2, 2))
several = samples(systems=(3, 3))

IDENTITIES: dict[str, Callable[[], None]] = {}
"""Each law by the name of its test, ready to be tried quickly: without shrinking a counterexample."""

_STRICT = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


def identity(*strategies: st.SearchStrategy[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Mark a test of something that holds for everything a strategy draws; mutations are tried on all of these."""

    def register(test: Callable[..., None]) -> Callable[..., None]:
        given_all = given(*strategies)
        assert test.__name__ not in IDENTITIES, f"two laws are called {test.__name__}"
        IDENTITIES[test.__name__] = settings(_STRICT, phases=[Phase.generate])(given_all(test))
        return settings(_STRICT, max_examples=draws(EXAMPLES))(given_all(test))

    return register
