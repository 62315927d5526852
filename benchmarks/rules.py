"""Rules on spans: against one sort of both tables, against CLIPS, on one document, on a long one."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.spans import spans
from benchmarks.timing import cpu_seconds

if TYPE_CHECKING:
    from comparanda.rules.engine import Engine, Outcome
    from comparanda.rules.facts import Facts

MILLION = 1_000_000
A_PORTION = 1_000
"""How many spans of each side an environment of CLIPS gets: more slow it down, fewer do not pay."""

Report = Callable[..., None]
Portion = list[tuple[str, dict[str, Any]]]


def engine(*, similarity: bool = True) -> Engine:
    """Return the 27 rules that the tests hold against CLIPS; or all but the one that compares texts."""
    from tests.rules.clips import FOLDER

    from comparanda.rules.compiler import compile_rules
    from comparanda.rules.engine import Engine
    from comparanda.rules.rule_files import load

    declared = load(FOLDER / "many_rules.toml")
    rules = tuple(rule for rule in declared.rules if similarity or "similarity(" not in rule.when)
    return Engine(compile_rules(replace(declared, rules=rules)))


def one_sort(facts: Mapping[str, Facts]) -> Callable[[], object]:
    """Sort both tables by document, begin, end and label."""
    from comparanda.core.text_columns import TextColumn

    keys = []
    for side in facts.values():
        columns = [side.columns[name] for name in ("label", "end", "begin", "doc")]
        keys.append(tuple(each.codes if isinstance(each, TextColumn) else each for each in columns))
    return lambda: [np.lexsort(each) for each in keys]


def bench_rules(report: Report) -> None:
    """Time the rules in all four ways."""
    _against_a_sort(report)
    _against_clips(report)
    _one_document(report)
    _long_document(report)


def _against_a_sort(report: Report) -> None:
    whole, plain = engine(), engine(similarity=False)
    for order, shuffled in (("", False), ("shuffled, ", True)):
        facts = spans(MILLION, shuffled=shuffled)
        cases: dict[str, Callable[[], object]] = {
            "sort": one_sort(facts),
            "whole": partial(whole.run, facts),
            "plain": partial(plain.run, facts),
        }
        best = cpu_seconds(cases)
        for made, seconds, bar in ((whole, best["whole"], 6), (plain, best["plain"], 4)):
            ratio = seconds / best["sort"]
            what = f"1M + 1M spans, {order}{len(made.rule_set.rules)} rules"
            report(f"{what} {seconds:.2f} s / sort {best['sort']:.2f} s", ratio, f"≤ {bar}", met=ratio <= bar)


def _against_clips(report: Report) -> None:
    from tests.rules.clips import FOLDER, Clips

    facts, ours = spans(MILLION // 10), engine()
    clips = Clips(FOLDER / "many_rules.clp")
    outcome = ours.run(facts)
    best = cpu_seconds({"ours": partial(ours.run, facts)})["ours"]
    found: Counter[tuple[Any, ...]] = Counter()
    spent = np.zeros(3)
    for portion in _portions(clips, outcome):
        times = [time.process_time()]
        environment = clips.filled(portion)
        times.append(time.process_time())
        clips.staged(environment)
        times.append(time.process_time())
        found.update(_results(environment))
        spent += np.diff([*times, time.process_time()])
        del environment
    if found != _our_results(outcome):
        raise AssertionError(f"CLIPS finds {found}, comparanda {_our_results(outcome)}")
    asserting, firing, reading = spent.tolist()
    ratio = (asserting + firing) / best
    what = f"100k + 100k spans: CLIPS {asserting + firing:.2f} s / {len(ours.rule_set.rules)} rules {best:.3f} s"
    report(what, ratio, "≥ 15", met=ratio >= 15)
    print(
        f"  also: {firing / best:.1f} without asserting its facts ({asserting:.2f} s), "
        f"{spent.sum() / best:.1f} with reading its results ({reading:.2f} s)",
        flush=True,
    )


COLUMNS = ("result", "set_aside", "document", "mention")


def _results(environment: Any) -> Iterator[tuple[Any, ...]]:
    from tests.rules.clips import plain

    for table in ("system", "key"):
        for fact in environment.find_template(table).facts():
            yield (table, *(plain(fact[column]) for column in COLUMNS))


def _our_results(outcome: Outcome) -> Counter[tuple[Any, ...]]:
    found: Counter[tuple[Any, ...]] = Counter()
    for table in ("system", "key"):
        rows = zip(*(outcome.texts(table, column) for column in COLUMNS), strict=True)
        found.update((table, *row) for row in rows)
    return found


def _portions(clips: Any, outcome: Outcome) -> Iterator[Portion]:
    """Yield the facts of whole documents as CLIPS takes them: by content, with the similarities that may matter."""
    from rapidfuzz import fuzz

    from comparanda.rules.facts import State

    state: State = outcome.state
    names = state.pool.names
    given = {table: [slot for slot in clips.slots(table) if slot in GIVEN] for table in ("system", "key")}
    columns = {
        table: {slot: _plain(state.tables[table].columns[slot], names) for slot in (*slots, "text")}
        for table, slots in given.items()
    }
    documents = {table: state.tables[table].columns["doc"] for table in given}
    last = 1 + max(int(each.max()) for each in documents.values())
    cuts = [*range(0, last, A_PORTION // 20), last]
    for first, end in pairwise(cuts):
        rows = {table: range(*np.searchsorted(documents[table], [first, end]).tolist()) for table in given}
        portion: Portion = []
        for table, numbers in rows.items():
            for row in numbers:
                cells = {slot: columns[table][slot][row] for slot in given[table]}
                portion.append((table, {"row": row, **cells}))
        for mine, theirs in _near(columns, rows):
            score = fuzz.ratio(columns["system"]["text"][mine], columns["key"]["text"][theirs])
            portion.append(("alike", {"system": mine, "key": theirs, "similarity": score}))
        yield portion


GIVEN = ("doc", "begin", "end", "label", "norm", "id", "confidence")


def _plain(column: Any, names: Sequence[str]) -> list[Any]:
    if column.dtype == np.int32:
        return [None if code < 0 else names[code] for code in column.tolist()]
    values: list[Any] = column.tolist()
    return values


def _near(columns: Mapping[str, Mapping[str, list[Any]]], rows: Mapping[str, range]) -> Iterator[tuple[int, int]]:
    """Yield pairs with one label that overlap and are not equal, so that a fuzzy match may ask for their texts."""
    by_place: dict[tuple[Any, ...], list[int]] = {}
    for row in rows["key"]:
        by_place.setdefault((columns["key"]["doc"][row], columns["key"]["label"][row]), []).append(row)
    mine, theirs = columns["system"], columns["key"]
    for row in rows["system"]:
        begin, end = mine["begin"][row], mine["end"][row]
        for other in by_place.get((mine["doc"][row], mine["label"][row]), ()):
            place = theirs["begin"][other], theirs["end"][other]
            if begin < place[1] and place[0] < end and (begin, end) != place:
                yield row, other


def _one_document(report: Report) -> None:
    facts, ours = spans(100, a_document=100), engine()
    again = 200
    spent = 1000 * cpu_seconds({"document": _repeated(ours, facts, again)})["document"] / again
    report("a document of 100 + 100 spans, ms", spent, "≤ 2", met=spent <= 2)


def _long_document(report: Report) -> None:
    ours, again = engine(), 10
    short, long = spans(10_000), spans(10_000, a_document=10_000)
    best = cpu_seconds({"short": _repeated(ours, short, again), "long": _repeated(ours, long, again)})
    each = {name: 1e6 * seconds / again / 20_000 for name, seconds in best.items()}
    ratio = each["long"] / each["short"]
    what = f"a document of 10k + 10k spans {each['long']:.2f} µs a span / short ones {each['short']:.2f} µs"
    report(what, ratio, "≤ 3", met=ratio <= 3)


def _repeated(made: Engine, facts: Mapping[str, Facts], times: int) -> Callable[[], None]:
    def run() -> None:
        for _ in range(times):
            made.run(facts)

    return run
