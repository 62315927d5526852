"""Small random inputs, the verdicts on them, and a register of the identities that hold for all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from comparanda import Result
from comparanda.core.sites import ABSENT, Attribute, Sites, format_value
from comparanda.core.text_columns import TextColumn, code_type, join_labels
from comparanda.core.verdicts import System, UnitKind, Units, Verdicts, View
from tests.reference import Value
from tests.seeds import draws

NAMES = ("one", "two", 'th"ree', "four#4", "five")
EXAMPLES = 30


@dataclass(frozen=True, kw_only=True)
class Population:
    """A key and its systems as plain data.

    Args:
        key: the key's value at each site.
        systems: the systems' values; None where a system has no row.
        sentence: the sentence of each site.
        document: the document of each site.
        unit: what is resampled.
        runs: for each system its columns, where they are not one a system.

    """

    key: tuple[Value, ...]
    systems: Mapping[str, tuple[Value, ...]]
    sentence: tuple[int, ...]
    document: tuple[int, ...]
    unit: UnitKind = "document"
    runs: tuple[System, ...] = ()
    words: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.key)

    @property
    def several(self) -> bool:
        return isinstance(self.key[0], frozenset)

    @property
    def units(self) -> tuple[int, ...]:
        return self.document if self.unit == "document" else self.sentence

    def verdicts(self) -> Verdicts:
        """Judge: equal is right."""
        columns = [[written(value) for value in column] for column in (self.key, *self.systems.values())]
        names = tuple(sorted({value for column in columns for value in column}))
        code = {name: number for number, name in enumerate(names)}
        kind = code_type(len(names))
        codes = [np.array([code[value] for value in column], dtype=kind) for column in columns]
        parts = tuple(() if name == ABSENT else tuple(name.split("|")) if name else () for name in names)
        sites = Sites(
            document=np.array(self.document, np.int32),
            sentence=np.array(self.sentence, np.int32),
            place=np.array([self.document[:site].count(owner) for site, owner in enumerate(self.document)], np.int32),
            key=codes[0],
            values=tuple(codes[1:]),
            names=names,
            parts=parts if self.several else None,
            attributes=self._attributes(),
        )
        measures = ("f1", "precision", "recall", "macro_f1", "accuracy") if self.several else ("accuracy", "sentences")
        return Verdicts(
            task="label" if self.several else "tag",
            systems=self.runs or tuple(System(name, (number,)) for number, name in enumerate(self.systems)),
            runs=tuple(self.systems),
            documents=tuple(f"d{number:03}" for number in range(max(self.document) + 1)),
            units=Units(self.unit, max(self.units) + 1),
            views={"tag": View(name="tag", given_sites=sites, measures=measures)},
            settings={},
        )

    def _attributes(self) -> dict[str, Attribute]:
        sizes = [self.sentence.count(number) for number in self.sentence]
        words = self.words or tuple(f"w{site % 3}" for site in range(len(self)))
        return {
            "word": Attribute("text", lambda: TextColumn.of(words)),
            "length": Attribute("number", lambda: np.array(sizes)),
            "odd": Attribute("truth", lambda: np.array([size % 2 == 1 for size in sizes])),
            "genre": Attribute("text", lambda: TextColumn.of(None if word == "w0" else "prose" for word in words)),
        }

    def result(self, resamples: int = 0, seed: int = 13) -> Result:
        return Result(self.verdicts(), resamples, seed)

    def only(self, *names: str) -> Population:
        """The same with some of the systems."""
        return replace(self, systems={name: self.systems[name] for name in names})

    def taken(self, order: list[int]) -> Population:
        """The same sites in another order."""

        def pick(column: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(column[site] for site in order)

        words = self.words or tuple(f"w{site % 3}" for site in range(len(self)))
        systems = {name: pick(values) for name, values in self.systems.items()}
        return replace(
            self,
            key=pick(self.key),
            systems=systems,
            sentence=pick(self.sentence),
            document=pick(self.document),
            words=pick(words),
        )


def written(value: Value) -> str:
    """A value as the judge interns it."""
    if value is None:
        return ABSENT
    return value if isinstance(value, str) else join_labels(value)


def seen(value: Value) -> str:
    """A value as findings show it."""
    return format_value(written(value))


LABELS = ("A", "B", "C", 'D"\\')
SETS = (frozenset[str](), frozenset("A"), frozenset("B"), frozenset("AB"), frozenset("ABC"))
SAME = "\0same"


@st.composite
def populations(
    draw: st.DrawFn,
    *,
    systems: tuple[int, int] = (1, 5),
    documents: tuple[int, int] = (1, 4),
    sentences: int = 2,
    tokens: int = 3,
    absent: bool = True,
    several: bool = False,
    unit: UnitKind = "document",
) -> Population:
    """Draw a population; every document has at least one site, and systems are right about half of the time."""
    shape = draw(
        st.lists(
            st.lists(st.integers(1, tokens), min_size=1, max_size=sentences),
            min_size=documents[0],
            max_size=documents[1],
        )
    )
    document = [number for number, inner in enumerate(shape) for _ in range(sum(inner))]
    sizes = [size for document_sizes in shape for size in document_sizes]
    sentence = [number for number, size in enumerate(sizes) for _ in range(size)]
    size = len(document)
    values: tuple[Value, ...] = SETS if several else LABELS
    key = draw(st.lists(st.sampled_from(values), min_size=size, max_size=size))
    answers: list[Value] = [SAME, SAME, SAME, *values, *([None] if absent else [])]
    count = draw(st.integers(*systems))
    found = {}
    for name in NAMES[:count]:
        given_values = draw(st.lists(st.sampled_from(answers), min_size=size, max_size=size))
        found[name] = tuple(key[site] if value == SAME else value for site, value in enumerate(given_values))
    return Population(key=tuple(key), systems=found, sentence=tuple(sentence), document=tuple(document), unit=unit)


pairs = populations(systems=(2, 2))
several_systems = populations(systems=(2, 5))
tokenised = populations(absent=False)
sets = populations(several=True)
sets_of_pairs = populations(several=True, systems=(2, 2))
exact_pairs = populations(systems=(2, 2), documents=(6, 8), sentences=1)
sampled_pairs = populations(systems=(2, 2), documents=(17, 18), sentences=1, tokens=2)

IDENTITIES: dict[str, Callable[[], None]] = {}
"""Each identity by the name of its test, ready to be tried quickly: without shrinking a counterexample."""

_STRICT = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def identity(
    *strategies: st.SearchStrategy[Any], examples: int = EXAMPLES
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Mark a test of something that holds for everything a strategy draws; mutations are tried on all of these."""

    def register(test: Callable[..., None]) -> Callable[..., None]:
        given_all = given(*strategies)
        quickly = settings(_STRICT, max_examples=examples, phases=[Phase.generate])
        assert test.__name__ not in IDENTITIES, f"two identities are called {test.__name__}"
        IDENTITIES[test.__name__] = quickly(given_all(test))
        return settings(_STRICT, max_examples=draws(examples))(given_all(test))

    return register


def close(found: float | None, expected: Any) -> bool:
    """Whether a float is the fraction, or both are undefined."""
    if found is None or expected is None:
        return found is None and expected is None
    return abs(found - float(expected)) <= 1e-12


def drawn(sums: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[list[int]]:
    """What was drawn, told by the sums of an identity matrix."""
    return [[int(number) for number in row] for row in sums.tolist()]
