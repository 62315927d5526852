"""A toy task, for tests only: it has all that the shipped tasks of today do not have.

Two views (`strict`, and `partial` with half credit), a statistic that is no sum over items (the
longest streak of right tokens), two runs a system, and responses cut into other tokens than the key.
The corpus is small enough to count by hand; `tests/test_shape.py` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pytest
from _pytest.mark import ParameterSet
from numpy.typing import NDArray

from comparanda.align import NONE, Aligned, RowMap
from comparanda.core import measures
from comparanda.core.corpus import Corpus, Documents, owner_of_rows
from comparanda.core.excerpts import Texts
from comparanda.core.items import Items
from comparanda.core.measures import Measure, ratio, register_measure
from comparanda.core.places import Note, Part, Source
from comparanda.core.sites import ABSENT, Attribute, Sites, recode_canonically
from comparanda.core.text_columns import PADDING, Slices, TextColumn
from comparanda.core.verdicts import System, UnitKind, Units, Verdicts, View
from comparanda.render.finding import Finding
from comparanda.render.json import build_document
from comparanda.result import Result
from comparanda.tasks.word_sites import run_names
from tests.seeds import mostly_slow

Run = Sequence[str]

NAMES = ("a", "b", "c", "d", "e", "f", "g")
GENRES = {"a": "news", "b": "blog", "c": "news"}  # nothing is known of the others

KEY = (
    "the/D cat/N.sg sleeps/V.pres | dogs/N.pl bark/V.pres",
    "I/P cannot/V.pres see/V.inf it/P",
    "New/N.sg York/N.sg grew/V.past",
    "cats/N.pl sleep/V.pres",
    "it/P rained/V.past",
    "the/D end/N.sg",
    "dogs/N.pl ran/V.past",
)
ROUGH_1 = (
    "the/D cat/N.sg sleeps/V.pres | dogs/N.sg bark/V.pres",
    "I/P cannot/V.pres see/V.pres it/P",
    "New/N.sg York/N.sg grew/V.past",
    "cats/N.pl sleep/N.pl",
    "it/P rained/V.pres",
    "the/D end/N.sg",
    "dogs/N.pl ran/V.past",
)
ROUGH_2 = (
    "the/D cat/N.sg sleeps/N.pl | dogs/N.sg bark/V.pres",
    "I/P cannot/V.pres see/V.inf it/P",
    "New/N.sg York/N.sg grew/V.past",
    "cats/N.pl sleep/V.pres",
    "it/P rained/V.pres",
    "the/D end/V.inf",
    "dogs/N.pl ran/V.past",
)
FINE_1 = (
    "the/D cat/N.sg sleeps/V.pres | dogs/N.pl bark/V.pres",
    "I/P can/V.pres not/R see/V.inf it/P",
    "New/N.sg York/N.sg grew/V.past",
    "cats/N.pl sleep/V.pres",
    "it/P rained/V.inf",
    "the/D end/N.sg",
    "dogs/N.pl ran/V.pres",
)
FINE_2 = (
    "the/D cat/N.sg sleeps/V.pres | dogs/V.pres bark/V.pres",
    "I/P cannot/V.pres see/V.inf it/P",
    "NewYork/N.sg grew/V.past",
    "cats/N.pl sleep/V.pres",
    "it/P rained/V.pres",
    "the/D end/N.sg",
    "dogs/N.pl ran/V.past",
)
TWO_BY_TWO: Mapping[str, tuple[Run, ...]] = {"rough": (ROUGH_1, ROUGH_2), "fine": (FINE_1, FINE_2)}
ONE_AND_TWO: Mapping[str, tuple[Run, ...]] = {"lone": (ROUGH_1,), "fine": (FINE_1, FINE_2)}


@dataclass(frozen=True)
class Policy:
    """How the toy is judged.

    Args:
        unit: what is resampled; without documents the whole corpus is one document called `corpus`.
        ignore: key labels left out, with a reason.

    """

    unit: UnitKind = "document"
    ignore: tuple[str, ...] = ()


def verdicts_of(
    systems: Mapping[str, tuple[Run, ...]] = TWO_BY_TWO,
    documents: Sequence[int] = range(len(NAMES)),
    policy: Policy | None = None,
) -> Verdicts:
    """Judge some documents of the toy corpus; the systems are given as texts, one a run."""
    chosen = policy or Policy()
    names = [NAMES[number] for number in documents]
    key = corpus("key", names, [KEY[number] for number in documents], chosen)
    numbered: list[System] = []
    responses: list[Corpus] = []
    for name, runs in systems.items():
        numbered.append(System(name, tuple(range(len(responses), len(responses) + len(runs)))))
        for side, text in zip(run_names([System(name, tuple(range(len(runs))))]), runs, strict=True):
            responses.append(corpus(side, names, [text[number] for number in documents], chosen))
    return judge(aligned(key, responses), numbered, chosen)


def corpus(side: str, names: Sequence[str], texts: Sequence[str], policy: Policy) -> Corpus:
    """Lay texts into a file a document, one token a line; a bar ends a sentence."""
    data, parts, labels = bytearray(), [], []
    offset, length, sentences, documents = [], [], [0], [0]
    for name, text in zip(names, texts, strict=True):
        parts.append(Part(f"{side}/{name}.txt", None, len(data)))
        for sentence in text.split("|"):
            for token in sentence.split():
                word, _, label = token.partition("/")
                offset.append(len(data))
                length.append(len(word.encode()))
                labels.append(label)
                data += f"{word}\t{label}\n".encode()
                if policy.unit == "row":
                    sentences.append(len(offset))
            data += b"\n"
            if policy.unit != "row":
                sentences.append(len(offset))
        documents.append(len(sentences) - 1)
    source = Source(parts=tuple(parts), given=bytearray(bytes(data) + bytes(PADDING)))
    marked = policy.unit == "document"
    start = np.array(offset, np.int64)
    genres = {"genre": TextColumn.of(GENRES.get(name) for name in names)} if set(names) & set(GENRES) else {}
    return Corpus(
        name=side,
        format="toy",
        source=source,
        offset=start,
        words=Slices(source.buffer, start, np.array(length, np.int64)),
        columns={"value": TextColumn.of(labels)},
        sentences=np.array(sentences, np.int64),
        documents=Documents(
            tuple(names) if marked else ("corpus",),
            np.array(documents if marked else [0, len(sentences) - 1], np.int64),
            marked,
            genres if marked else {},
        ),
        by_id=policy.unit == "row",
        notes=_short(side, names, texts),
    )


def _short(side: str, names: Sequence[str], texts: Sequence[str]) -> tuple[Note, ...]:
    found = [name for name, text in zip(names, texts, strict=True) if len(text.split()) < 3]
    return (Note(side, "short documents", len(found), tuple(found[:3])),) if found else ()


def aligned(key: Corpus, responses: Sequence[Corpus]) -> Aligned:
    """Lay responses over the key by characters: tokens with the same beginning and end are the same."""
    mine = {span: row for row, span in enumerate(spans(key))}
    maps, notes = [], list(key.notes)
    for response in responses:
        to_key = np.array([mine.get(span, NONE) for span in spans(response)], np.int64)
        to_response = np.full(len(key), NONE, np.int64)
        known = np.flatnonzero(to_key != NONE)
        to_response[to_key[known]] = known
        maps.append(RowMap(to_key, to_response))
        notes += response.notes
    return Aligned(
        key=key,
        responses=tuple(responses),
        maps=tuple(maps),
        segments=(None,) * len(maps),
        kept=None,
        notes=tuple(notes),
    )


def spans(side: Corpus) -> Iterator[tuple[int, int]]:
    """Yield begin and end of each token, in characters of the whole text without spaces."""
    assert side.words is not None
    end = 0
    for row in range(len(side)):
        begin, end = end, end + len(side.words[row])
        yield begin, end


def family(label: str) -> str:
    """Return what stands before the dot: half of the answer."""
    return label.partition(".")[0]


def judge(toy: Aligned, systems: Sequence[System], policy: Policy) -> Verdicts:
    """Judge the toy in two views."""
    key = toy.key
    runs = run_names(systems)
    kind: UnitKind = policy.unit
    count = len(key.documents) if kind == "document" else len(key.sentences) - 1
    settings = {"toy": "yes"} | ({"ignored": ",".join(policy.ignore)} if policy.ignore else {})
    strict, partial = _Judge(toy, lambda label: label), _Judge(toy, family)
    return Verdicts(
        task="toy",
        systems=tuple(systems),
        runs=runs,
        documents=key.documents.names,
        units=Units(kind, count),
        views={
            "strict": View(
                name="strict",
                given_sites=strict.sites(),
                measures=("accuracy", "f1", "precision", "recall", "macro_f1", "sentences"),
                left_out=strict.left_out(policy),
                given_items=strict.items(half=False),
            ),
            "partial": View(
                name="partial",
                given_sites=partial.sites(),
                measures=("f1", "precision", "recall", "macro_f1", "streak", "variety", "accuracy"),
                left_out=partial.left_out(policy),
                given_items=partial.items(half=True),
                statistics=partial.statistics(kind, count),
            ),
        },
        settings=settings,
        notes=toy.notes,
        texts=Texts.of(toy, runs),
    )


class _Judge:
    """Judges one view: a value is right if its `ground` is that of the key's value."""

    def __init__(self, toy: Aligned, ground: Callable[[str], str]) -> None:
        self.ground = ground
        self.toy = toy
        key = toy.key
        self.document = owner_of_rows(key.row_documents)
        self.sentence = owner_of_rows(key.sentences)
        first = np.repeat(key.row_documents[:-1], np.diff(key.row_documents))
        self.place = (np.arange(len(key)) - first).astype(np.int32)
        self.gold = _labels(key)
        self.said = [
            [label[row] if row != NONE else ABSENT for row in row_map.to_response.tolist()]
            for label, row_map in zip(map(_labels, toy.responses), toy.maps, strict=True)
            if row_map.to_response is not None
        ]

    def right(self, run: int, row: int) -> bool:
        return self.ground(self.said[run][row]) == self.ground(self.gold[row])

    def sites(self) -> Sites:
        """Every token of the key is a site; what is right gets the key's value."""
        rows = range(len(self.gold))
        judged = [
            [self.gold[row] if self.right(run, row) else self.said[run][row] for row in rows]
            for run in range(len(self.said))
        ]
        names, codes = recode_canonically([TextColumn.of(column) for column in [self.gold, *judged]])
        return Sites(
            document=self.document,
            sentence=self.sentence,
            place=self.place,
            key=codes[0],
            values=tuple(codes[1:]),
            names=names,
            attributes=self._attributes(),
        )

    def _attributes(self) -> dict[str, Attribute]:
        key = self.toy.key
        words = key.words
        assert words is not None
        sizes = np.diff(key.sentences)
        found = {
            "word": Attribute("text", lambda: words.intern().sorted()),
            "length": Attribute("number", lambda: np.repeat(sizes, sizes)),
            "plural": Attribute("truth", lambda: np.array([label == "N.pl" for label in self.gold])),
        }
        genre = key.documents.attributes.get("genre")
        if genre is not None:
            found["genre"] = Attribute("text", lambda: genre.take(self.document.astype(np.int64)))
        return found

    def left_out(self, policy: Policy) -> TextColumn | None:
        """Give a reason for labels that are ignored; none in a part that has no such label."""
        reasons = [f"{label} ignored" if label in policy.ignore else "" for label in self.gold]
        return TextColumn.of(reasons) if any(reasons) else None

    def items(self, *, half: bool) -> Items:
        """Make the key's tokens positive items, wrong values and surplus tokens negative ones."""
        table: dict[tuple[int, str, tuple[int, int]], list[float]] = {}
        runs = range(len(self.said))

        def claim(row: int, label: str, span: tuple[int, int], run: int, *, credit: float) -> None:
            table.setdefault((row, label, span), [np.nan for _ in runs])[run] = credit

        positive = set()
        for row, gold in enumerate(self.gold):
            place = (row, self.ground(gold), (NONE, NONE))
            table[place] = [np.nan for _ in runs]
            positive.add(place)
            for run in runs:
                value = self.said[run][row]
                if self.right(run, row):
                    claim(
                        row=place[0],
                        label=place[1],
                        span=place[2],
                        run=run,
                        credit=1.0 if value == gold or not half else 0.5,
                    )
                elif value != ABSENT:
                    claim(row, label=self.ground(value), span=(NONE, NONE), run=run, credit=0.0)
        for run, row, label, span in self._surplus():
            claim(row, label=self.ground(label), span=span, run=run, credit=0.0)
        order = sorted(table)
        credit = np.array([table[place] for place in order]).T
        rows = np.array([row for row, _, _ in order])
        labels = TextColumn.of(label for _, label, _ in order)
        return Items(
            document=self.document[rows],
            sentence=self.sentence[rows],
            place=self.place[rows],
            label=labels.codes,
            names=labels.names,
            positive=np.array([place in positive for place in order]),
            claimed=tuple(~np.isnan(column) for column in credit),
            credit=tuple(np.nan_to_num(column) for column in credit) if half else None,
        )

    def _surplus(self) -> Iterator[tuple[int, int, str, tuple[int, int]]]:
        """Yield run, row of the key, label and span of each token that the key does not have."""
        ends = [end for _, end in spans(self.toy.key)]
        for run, (response, row_map) in enumerate(zip(self.toy.responses, self.toy.maps, strict=True)):
            assert row_map.to_key is not None
            for row, (span, label) in enumerate(zip(spans(response), _labels(response), strict=True)):
                if row_map.to_key[row] == NONE:
                    inside = int(np.searchsorted(ends, span[0], side="right"))
                    begin = ends[inside - 1] if inside else 0
                    yield run, inside, label, (span[0] - begin, span[1] - begin)

    def statistics(self, kind: UnitKind, units: int) -> dict[str, NDArray[np.float64]]:
        """Count what is no sum over items: the longest streak of right tokens, and how many labels are used."""
        owner = self.document if kind == "document" else self.sentence
        streak, kinds, tokens = (np.zeros((units, len(self.said))) for _ in range(3))
        for unit in range(units):
            rows = np.flatnonzero(owner == unit).tolist()
            for run, said in enumerate(self.said):
                streak[unit, run] = _longest([said[row] == self.gold[row] for row in rows])
                used = {said[row] for row in rows} - {ABSENT}
                used |= {label for other, row, label, _ in self._surplus() if other == run and owner[row] == unit}
                kinds[unit, run] = len(used)
                tokens[unit, run] = len(rows)
        return {"streak": streak, "kinds": kinds, "tokens": tokens}


def _labels(side: Corpus) -> list[str]:
    return [label or "" for label in side.columns["value"].values()]


def _longest(truths: Sequence[bool]) -> int:
    best = here = 0
    for truth in truths:
        here = here + 1 if truth else 0
        best = max(best, here)
    return best


def _maker(name: str, part: str) -> Callable[[str | None], Measure]:
    def make(label: str | None) -> Measure:
        assert label is None
        return Measure(
            name=name,
            statistics=(part, "tokens"),
            finish=lambda sums: ratio(sums[part], sums["tokens"]),
            undefined="no token",
        )

    return make


@contextmanager
def registered() -> Iterator[None]:
    """Register the measures of the toy for a while; a test elsewhere lists those that the package has."""
    made = {name: _maker(name, part) for name, part in (("streak", "streak"), ("variety", "kinds"))}
    for name, make in made.items():
        register_measure(name, make)
    try:
        yield
    finally:
        for name in made:
            measures._MAKERS.pop(name, None)


@pytest.fixture(scope="module", autouse=True)
def toy_measures() -> Iterator[None]:
    """Import this name into a test module that uses the toy."""
    with registered():
        yield


def of_one_view(names: Iterable[str]) -> list[ParameterSet]:
    """Return names of findings as parameters; those of the strict view are for the slow run."""
    names = list(names)
    return mostly_slow(names, [each for each in names if "strict: " not in str(each)])


def findings(result: Result, by: Sequence[str] = (), where: Sequence[str] = ()) -> dict[str, Finding]:
    """Make every finding of every view, by name."""
    found: dict[str, Finding] = {}
    several = len(result.systems) > 1
    for view in result.verdicts.views:
        found[f"{view}: scores"] = result.scores(view=view)
        found[f"{view}: confusion"] = result.confusion(result.verdicts.runs[-1], view=view)
        for name in by:
            found[f"{view}: slices by {name}"] = result.slices(name, view=view)
        for condition in ("true", "solved_by == 0", *where):
            for top in (0, 3):
                found[f"{view}: {top} examples where {condition}"] = result.examples(condition, top=top, view=view)
        if several:
            found[f"{view}: pairs"] = result.pairs(view=view)
            found[f"{view}: difference"] = result.difference(view=view)
            found[f"{view}: combination"] = result.combination(view=view)
            found[f"{view}: significance"] = result.significance(view=view)
            found |= _of_many(result, view)
        if result.verdicts.view(view).candidates is not None:
            found[f"{view}: probabilities"] = result.probabilities(view=view)
            found[f"{view}: probabilities by document"] = result.probabilities(by="document", view=view)
        found[f"{view}: anatomy"] = result.anatomy(by=by, view=view)
    return found


def _of_many(result: Result, view: str) -> dict[str, Finding]:
    """Make the findings of several systems; a view without sites and items has no errors to compare."""
    first = result.systems[0]
    found: dict[str, Finding] = {
        "diversity": result.diversity(view=view),
        "suspects": result.suspects(view=view),
        "ablation": result.ablation(view=view),
        "leaderboard": result.leaderboard(view=view),
        "gate": result.gate(first, result.systems[1], fail_if_significantly_worse=True, view=view),
    }
    if any(len(system.runs) > 1 for system in result.verdicts.systems):
        found["stability"] = result.stability(view=view)
    judged = result.verdicts.view(view)
    if judged.chains is not None:
        found["chain pairs"] = result.chain_pairs(view=view)
    if judged.candidates is not None:
        found["expected pairs"] = result.expected_pairs(view=view)
    if len(judged.sites) or len(judged.items):
        found["complementarity"] = result.complementarity(view=view)
        found["against"] = result.against(first, view=view)
    return {f"{view}: {name}": finding for name, finding in found.items()}


def printed(result: Result, by: Sequence[str] = (), where: Sequence[str] = ()) -> dict[str, str]:
    """Make the JSON document of every finding, with signature and notes, as the commands print it."""
    notes = tuple(map(str, result.notes))
    return {name: build_document(each, result.signature, notes) for name, each in findings(result, by, where).items()}
