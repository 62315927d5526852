"""The rules of the `.clp` files, run by CLIPS: an old and well-tried engine that knows nothing of ours.

What CLIPS leaves open it is told: rows come with their numbers by content, and similarities of texts as facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import clips
from rapidfuzz import fuzz

from comparanda.rules.facts import normalise_text
from tests.rules.plain_spans import overlaps
from tests.rules.span_inputs import Input, Judged, Row, in_content_order

FOLDER = Path(__file__).parent
NIL: Final = clips.Symbol("nil")

_CONSTRUCT = re.compile(r"^\((def\w+) +([\w-]+)", re.MULTILINE)


class Clips:
    """One `.clp` file: what is common, and one module for each group, in the order in which they run."""

    def __init__(self, path: Path) -> None:
        source = re.sub(r"^;.*\n", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        begins = [found.start() for found in _CONSTRUCT.finditer(source)]
        constructs = [source[begin:end] for begin, end in zip(begins, [*begins[1:], None], strict=True)]
        self.modules: dict[str, list[str]] = {}
        for construct in constructs:
            found = _CONSTRUCT.match(construct)
            assert found is not None
            if found[1] == "defmodule":
                self.modules[found[2]] = []
            self.modules[next(reversed(self.modules))].append(construct)
        self.common = self.modules.pop("MAIN")

    def new(self, modules: Iterable[str] = ()) -> clips.Environment:
        """Return an environment that knows what is common, and some modules."""
        environment = clips.Environment()
        for construct in self.common:
            environment.build(construct)
        for module in modules:
            for construct in self.modules[module]:
                environment.build(construct)
        return environment

    @cached_property
    def environment(self) -> clips.Environment:
        """The environment that all inputs are run in, with all modules."""
        return self.new(self.modules)

    def run(self, rows: Input, *, strategy: str = "depth") -> Judged:
        """Judge an input."""
        environment = self.environment
        environment.eval(f"(set-strategy {strategy})")
        environment.reset()
        order = {table: in_content_order(spans) for table, spans in rows.items()}
        asserted(environment, self.facts(rows, order))
        environment.eval(f"(focus {' '.join(self.modules)})")
        environment.run()
        return self.verdicts(environment, order)

    def filled(self, facts: Iterable[tuple[str, Mapping[str, Any]]]) -> clips.Environment:
        """Return an environment that knows some facts, but no rules yet."""
        environment = self.new()
        environment.reset()
        asserted(environment, facts)
        return environment

    def staged(self, environment: clips.Environment) -> None:
        """Build each module when its turn comes, run it, and take its rules away: the fastest way."""
        for module, constructs in self.modules.items():
            for construct in constructs:
                environment.build(construct)
            environment.eval(f"(focus {module})")
            environment.run()
            for rule in list(environment.rules()):
                rule.undefine()

    def facts(self, rows: Input, order: Mapping[str, Sequence[int]]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the facts: spans by content, and how alike the texts of overlapping ones are."""
        known = {table: self.slots(table) for table in order}
        for table, numbers in order.items():
            for place, number in enumerate(numbers):
                span = described(rows[table][number])
                yield table, {"row": place, **{slot: span[slot] for slot in known[table] if slot in span}}
        if any("(deftemplate alike " in construct for construct in self.common):
            sides = [[rows[table][number] for number in order[table]] for table in ("system", "key")]
            for first, second, similarity in alike(*sides):
                yield "alike", {"system": first, "key": second, "similarity": similarity}

    def slots(self, table: str) -> list[str]:
        """Return the slots of a table's spans."""
        (template,) = (construct for construct in self.common if construct.startswith(f"(deftemplate {table}\n"))
        return re.findall(r"\(slot (\w+)", template)

    def verdicts(self, environment: clips.Environment, order: Mapping[str, Sequence[int]]) -> Judged:
        """Return what the rules have set, in the order of the input."""
        cells: dict[tuple[str, str], tuple[Any, ...]] = {}
        for table, others in (("system", "key"), ("key", "system")):
            by_row = {fact["row"]: dict(fact) for fact in environment.find_template(table).facts()}
            places = {number: place for place, number in enumerate(order[table])}
            spans = [by_row[places[number]] for number in range(len(places))]
            for column in (slot for slot in self.slots(table) if slot not in GIVEN):
                values = [plain(span[column]) for span in spans]
                if column == "partner":
                    values = [None if value is None else order[others][value] for value in values]
                cells[table, column] = tuple(values)
        return Judged(cells)


GIVEN = {"row", "doc", "begin", "end", "length", "label", "text", "norm", "id", "confidence", "after"}
"""The slots that come with the input."""


def asserted(environment: clips.Environment, facts: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    """Put facts into an environment; what is missing stays out of its slot."""
    templates: dict[str, Any] = {}
    for name, slots in facts:
        template = templates.get(name) or templates.setdefault(name, environment.find_template(name))
        template.assert_fact(**{slot: value for slot, value in slots.items() if value is not None})


def plain(value: Any) -> Any:
    """Return a value of CLIPS as one of Python's."""
    if isinstance(value, clips.Symbol):
        return {"nil": None, "TRUE": True, "FALSE": False}[str(value)]
    return value


def described(span: Row) -> Row:
    """Return a span with what follows from its text and its ends."""
    norm = None if span.get("text") is None else normalise_text(span["text"])
    return {**span, "norm": norm, "length": span["end"] - span["begin"]}


def alike(system: Sequence[Row], key: Sequence[Row]) -> Iterator[tuple[int, int, float]]:
    """Yield overlapping spans with texts, and the similarity of these."""
    for place, first in enumerate(system):
        for other, second in enumerate(key):
            if overlaps(first, second) and first["text"] is not None and second["text"] is not None:
                yield place, other, fuzz.ratio(first["text"], second["text"])
