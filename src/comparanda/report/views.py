"""What was compared and how, and what was met on the way: the small print of a page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np

from comparanda.api.simulations import simulated
from comparanda.core.measures import can_be_told, measure
from comparanda.errors import ReadError
from comparanda.expressions import names_used, parse, unparse
from comparanda.expressions.syntax import And
from comparanda.feedback.findings import curve_chart
from comparanda.feedback.state import uncertain
from comparanda.findings.significance import warnings
from comparanda.render.links import Link
from comparanda.render.table import Field, Linked, Table, counted, visible
from comparanda.report.card_texts import cut_begin, cut_end, fitted, short_place
from comparanda.report.page_data import Choice, SuspectRow, SuspectsPart, TextPart, View
from comparanda.report.parts import chart_part, chart_parts, finding_parts, table_part, table_parts
from comparanda.tasks.prob.finding_tables import CHARTS, belief_tables
from comparanda.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from comparanda.api.simulations import Experiment
    from comparanda.core.excerpts import Side
    from comparanda.core.places import Note
    from comparanda.findings.complement import Complementarity
    from comparanda.findings.difference import Difference
    from comparanda.findings.diversity import Diversity
    from comparanda.findings.scores import Scores
    from comparanda.findings.suspects import Suspect, SuspectCount, Suspects
    from comparanda.findings.upper_bounds import Combination
    from comparanda.render.finding import Finding
    from comparanda.report.builder import Choices
    from comparanda.report.lists import Lists
    from comparanda.report.page_data import Part, TablePart
    from comparanda.result import Result
    from comparanda.tasks.prob.pair_findings import ExpectedPairs

    Pair = tuple[str, str]


_FILES = 3
"""How many files of one side are named."""


def how_made(result: Result, choices: Choices, ground: str | None = None) -> TextPart:
    """Return what was compared and how; without a key, the output that stands in its place is named."""
    facts = tuple((visible(name), visible(value)) for name, value in _facts(result, choices, ground))
    return TextPart(name="how", title="What was compared, and how", facts=facts)


def _facts(result: Result, choices: Choices, ground: str | None) -> Iterator[tuple[str, str]]:
    verdicts, context = result.verdicts, result.context(choices.view)
    view = context.view
    yield "task", verdicts.task
    if len(verdicts.views) > 1:
        yield "view", f"{view.name}, one of {', '.join(verdicts.views)}"
    files = _files(result)
    yield ("key", files.get("key", "n/a")) if ground is None else ("key", "none")
    if ground is not None:
        yield "ground", f"{ground}, whose documents and words are those of all: {files.get('key', 'n/a')}"
    for system in verdicts.systems:
        yield (
            f"{'system' if ground is None else 'output'} {system.name}",
            "; ".join(files.get(verdicts.runs[run], "n/a") for run in system.runs),
        )
    yield "documents", f"{len(verdicts.documents):,}"
    yield "sites", f"{len(view.sites):,}"
    for reason, count in view.left_out_counts.items():
        yield f"left out, {reason}", f"{count:,}"
    yield "measures", ", ".join(view.measures)
    yield from ((name.replace("_", " "), value) for name, value in verdicts.settings.items())
    yield "unit of resampling", counted(len(context.active), verdicts.units.kind)
    yield "resamples", f"{result.resamples:,}" if result.resamples else "none: no intervals and no tests"
    yield "seed", str(result.seed)
    if result.zero_division is not None:
        yield "undefined ratios", f"{result.zero_division:g}"
    for warning in warnings(context) if result.resamples else ():
        yield "beware", warning
    yield "comparanda", __version__


def _files(result: Result) -> dict[str, str]:
    """Return the files of the key ("key") and of each run by its name, as far as they are known."""
    named: dict[str, list[str]] = {}
    alone = len(result.verdicts.texts.parts) == 1  # the bytes of many parts are not read for their names
    for part in result.verdicts.texts.parts:
        for side in part.words().sides:
            named.setdefault(side.name, []).extend(_names(side) if alone else [each.name for each in side.source.parts])
    return {name: _listed(list(dict.fromkeys(files))) for name, files in named.items()}


def _names(side: Side) -> list[str]:
    """Return the names of a side's files; those of a saved result may be gone, and the numbers are still good."""
    try:
        return [part.name for part in side.source().parts]
    except ReadError as problem:
        return [str(problem).partition("\n")[0]]


def _listed(files: list[str]) -> str:
    left = len(files) - _FILES
    return ", ".join(files) if left <= 1 else f"{', '.join(files[:_FILES])} and {left:,} more files"


def notes_of(result: Result, choices: Choices) -> tuple[Note, ...]:
    """Return what was met while reading and aligning; without words of the corpus, which places may quote."""
    return result.notes if choices.text else tuple(replace(note, first=()) for note in result.notes)


def noted(result: Result, choices: Choices) -> TextPart:
    """Return all of that, under the side it was met on."""
    facts = tuple(
        (visible(note.side), visible(str(note).removeprefix(f"{note.side}: "))) for note in notes_of(result, choices)
    )
    lines = () if facts else ("Nothing unusual was met while reading.",)
    return TextPart(name="notes", title="Notes", lines=lines, facts=facts)


# The view that comes first: scores, whether gaps are real, what was compared and how.


def overview(result: Result, choices: Choices, lists: Lists) -> View:
    """Return the view."""
    parts: list[Part] = [*finding_parts(ranking(result, choices), lists.number)]
    for found in _further(result, choices):
        parts += table_parts(found, lists.number)
    return View(name="overview", title="Overview", parts=(*parts, how_made(result, choices), noted(result, choices)))


def ranking(result: Result, choices: Choices) -> Finding:
    """Return what the page begins with: the leaderboard, or the scores of the only system."""
    several = len(result.systems) > 1
    return result.leaderboard(view=choices.view) if several else result.scores(view=choices.view)


def _further(result: Result, choices: Choices) -> Iterator[Finding]:
    """Yield the other findings about all systems; of a single one the scores stand already there."""
    view = choices.view
    if len(result.systems) > 1:
        yield result.scores(view=view)
        chains = result.verdicts.view(view).chains is not None
        yield result.chain_pairs(view=view) if chains else result.pairs(view=view)
        yield result.significance(view=view)
    if len(result.verdicts.runs) > len(result.systems):
        yield result.stability(view=view)


# Which pairs of systems a page holds, and what the views of pairs and of all systems share.
#
# All pairs are there where they are few, else those that people ask for first.


MOST_PAIRS = 66
"""So many pairs are all on the page: those of twelve systems, which a matrix has room for, too."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """The pairs of a page.

    Args:
        pairs: a base and a new system each, in the order of the systems.
        usual: the one that is shown first.
        all: how many pairs there are.
        errors: which errors of each system every other does not make; None where nothing is right or wrong by itself.

    """

    pairs: tuple[Pair, ...]
    usual: Pair
    all: int
    errors: Complementarity | None

    @property
    def left_out(self) -> int:
        """How many pairs the page does not hold."""
        return self.all - len(self.pairs)

    def holds(self, one: str, other: str) -> bool:
        """Whether two systems are a pair of the page, whichever is the base."""
        return (one, other) in self.pairs or (other, one) in self.pairs


def pairing(result: Result, choices: Choices) -> Pairing | None:
    """Choose the pairs; None where there is but one system.

    Of many systems each is there with the first, with the best, with those of the pair shown first, and with its
    neighbours in rank.
    """
    if len(result.systems) < 2:
        return None
    usual = result.pair(choices.base, choices.new, view=choices.view)
    every = list(combinations(result.systems, 2))
    wanted = {frozenset(usual)}
    if choices.pairs == "all" or len(every) <= MOST_PAIRS:
        wanted |= {frozenset(pair) for pair in every}
    else:
        ranked = _ranked(result, choices)
        for hub in (result.systems[0], ranked[0], *usual):
            wanted |= {frozenset((hub, name)) for name in ranked if name != hub}
        wanted |= {frozenset(pair) for pair in pairwise(ranked)}
    pairs = (usual if frozenset(pair) == frozenset(usual) else pair for pair in every if frozenset(pair) in wanted)
    return Pairing(tuple(pairs), usual, len(every), errors_of(result, choices, *result.systems))


def errors_of(result: Result, choices: Choices, *systems: str) -> Complementarity | None:
    """Return which errors of some systems the others do not make, if the view has errors one by one."""
    view = result.verdicts.view(choices.view)
    return result.complementarity(*systems, view=choices.view) if len(view.sites) or len(view.items) else None


def _ranked(result: Result, choices: Choices) -> list[str]:
    """Return the systems by their main score, the best first."""
    board = replace(result, resamples=0).leaderboard(view=choices.view)
    return [standing.system for standing in board.standings]


# The view of pairs: what one system fixes and breaks of another.


def pair_view(result: Result, choices: Choices, lists: Lists, pairing: Pairing | None) -> View | None:
    """Return the view, if there are two systems.

    The pair that is shown first has tests inside slices, which cost a resampling each; the others have none. A server
    makes every pair that is asked for, so nothing is left out then.
    """
    if pairing is None:
        return None
    expected, plain = _expected(result, choices), replace(result, resamples=0)
    made = []
    for pair in pairing.pairs:
        found = _difference(result if pair == pairing.usual else plain, choices, pair)
        made.append(_choice(lists, found, pairing.errors, expected))
    return View(
        name="pair",
        title="Pair",
        parts=(_left_out(pairing),) if pairing.left_out and not choices.served else (),
        choices=tuple(made),
        chosen=pairing.pairs.index(pairing.usual),
    )


def pair_choice(result: Result, choices: Choices, lists: Lists, base: str, *, new: str) -> Choice:
    """Return what is shown of one pair, which need not be among those of the page."""
    pair = result.pair(base, new, view=choices.view)
    errors = errors_of(result, choices, *pair)
    return _choice(lists, _difference(result, choices, pair), errors, _expected(result, choices))


def _left_out(pairing: Pairing) -> TextPart:
    """Say which pairs the page holds, and how to see the others."""
    base, new = pairing.usual
    said = (
        f"This page holds {len(pairing.pairs):,} of {counted(pairing.all, 'pair')}: each system with the first, with "
        f"the best, with {base} and {new}, and with its neighbours in rank. For all: comparanda report … --pairs all. "
        "For one of the others: --base NAME --new NAME."
    )
    return TextPart(name="left-out", title="Which pairs are here", lines=(visible(said),))


def _difference(result: Result, choices: Choices, pair: Pair) -> Difference:
    return result.difference(*pair, by=choices.by, view=choices.view)


def _expected(result: Result, choices: Choices) -> ExpectedPairs | None:
    """Return all pairs by expected counts; None without probabilities."""
    probable = result.verdicts.view(choices.view).candidates is not None
    return result.expected_pairs(view=choices.view) if probable else None


def _choice(lists: Lists, found: Difference, errors: Complementarity | None, expected: ExpectedPairs | None) -> Choice:
    """Return what is shown of a pair: its difference, whose errors are whose, and both by expected counts."""
    both = {found.base, found.new}
    parts: list[Part] = [] if found.different else [_no_difference(found)]
    parts += finding_parts(found, lists.number)
    if errors is not None:
        mine = tuple(each for each in errors.pairs if {each.first, each.second} == both)
        parts += table_parts(replace(errors, pairs=mine, diversity=None), lists.number)
    if expected is not None:
        ours = tuple(each for each in expected.pairs if {each.first, each.second} == both)
        parts += table_parts(replace(expected, pairs=ours), lists.number)
    title = visible(f"{found.base} → {found.new}")
    return Choice(title=title, base=found.base, new=found.new, parts=tuple(parts))


def _no_difference(found: Difference) -> TextPart:
    said = f"{found.base} and {found.new} say the same at all {counted(found.sites, 'site')}."
    if not found.sites:
        said = f"There is no site at which {found.base} and {found.new} could differ."
    return TextPart(name="no-difference", title="No difference", lines=(visible(said),))


# The view of all systems together: whose errors are whose, who is right with whom, and what they could reach.


def together_view(result: Result, choices: Choices, lists: Lists, pairing: Pairing | None) -> View | None:
    """Return the view, if there are two systems, and something that both can have right or wrong."""
    if pairing is None or pairing.errors is None:
        return None
    diverse = result.diversity(view=choices.view)
    parts: list[Part] = [_together_left_out(pairing)] if pairing.left_out else []
    parts += chart_parts(pairing.errors, lists.number)
    parts += table_parts(_errors_held(pairing, pairing.errors), lists.number)
    parts += chart_parts(diverse, lists.number)
    parts += table_parts(_runs_held(result, pairing, diverse), lists.number)
    parts += finding_parts(united(result, choices), lists.number)
    return View(name="together", title="Together", parts=tuple(parts))


def united(result: Result, choices: Choices) -> Combination:
    """Return what the systems could do together; upper bounds of single labels are shown where labels are."""
    return replace(result.combination(view=choices.view), labels=())


def _together_left_out(pairing: Pairing) -> TextPart:
    """Say that tables of pairs are not complete here, while charts are."""
    held = f"{len(pairing.pairs):,} of {counted(pairing.all, 'pair')}"
    said = f"Charts show all systems; the tables of pairs below hold {held}: those that the view of pairs has."
    return TextPart(name="left-out", title="Which pairs are here", lines=(said,))


def _errors_held(pairing: Pairing, found: Complementarity) -> Complementarity:
    """Leave the pairs that the page holds."""
    return replace(found, pairs=tuple(each for each in found.pairs if pairing.holds(each.first, each.second)))


def _runs_held(result: Result, pairing: Pairing, found: Diversity) -> Diversity:
    """Leave those pairs of runs whose systems are a pair that the page holds, or one and the same."""
    owner = {result.verdicts.runs[run]: system.name for system in result.verdicts.systems for run in system.runs}
    kept = []
    for each in found.pairs:
        one, other = owner[each.first], owner[each.second]
        if one == other or pairing.holds(one, other):
            kept.append(each)
    return replace(found, pairs=tuple(kept))


# The view of labels: how good all systems are at each, and which of them one system takes for which.


_MEASURES = {"f1": "F1 of each label", "precision": "Precision of each label", "recall": "Recall of each label"}
_SCORED = 100
"""So many labels have scores, the most frequent of the key."""


def labels_view(result: Result, choices: Choices, lists: Lists) -> View | None:
    """Return the view, if there are sites to look at."""
    if not len(result.verdicts.view(choices.view).sites):
        return None
    parts: list[Part] = []
    if len(result.verdicts.runs) > 1:
        parts.append(_oracle(result, choices, lists))
    scores = scores_by_label(result, choices)
    if scores is not None:
        parts += [table_part(each, lists.number) for each in _score_tables(result, choices, scores)]
    return View(
        name="labels",
        title="Labels",
        parts=tuple(parts),
        choices=tuple(_labels_choice(result, choices, lists, run) for run in result.verdicts.runs),
    )


def _labels_choice(result: Result, choices: Choices, lists: Lists, run: str) -> Choice:
    found = result.confusion(run, view=choices.view)
    return Choice(title=visible(run), system=run, parts=finding_parts(found, lists.number))


def _oracle(result: Result, choices: Choices, lists: Lists) -> TablePart:
    """Return how much of each label every run has right, and what the best combination could have."""
    found = result.combination(view=choices.view).tables(0)
    table = next(each for each in found if each.name == "oracle")
    called = result.verdicts.view(choices.view).kinds or "label"
    title = f"Right at the sites of each {called}, and the upper bound of any combination"
    return table_part(replace(table, title=title), lists.number)


def _score_tables(result: Result, choices: Choices, scores: Scores) -> Iterator[Table]:
    """Yield the tables of scores, and say in the first how many labels have none."""
    _, left = _scored_labels(result, choices)
    notes = (f"{counted(left, 'further label')} {'has' if left == 1 else 'have'} no scores here",) if left else ()
    for table in scores.tables(0):
        yield replace(table, title=_MEASURES.get(table.name, table.title), notes=(*table.notes, *notes))
        notes = ()


def scores_by_label(result: Result, choices: Choices) -> Scores | None:
    """Return precision, recall and F1 of each label of the key, where items have labels.

    Tables of several systems show no intervals, so none are drawn for them.
    """
    view = result.verdicts.view(choices.view)
    names = [f"{name}[{label}]" for name in _MEASURES for label in _scored_labels(result, choices)[0]]
    told = all(
        can_be_told(result.verdicts, view, statistic) for name in names for statistic in measure(name).statistics
    )
    if view.kinds is not None or not names or not told:
        return None
    drawn = result if len(result.systems) == 1 else replace(result, resamples=0)
    return replace(drawn.scores(*names, view=choices.view), outcomes=())


def _scored_labels(result: Result, choices: Choices) -> tuple[list[str], int]:
    """Return the most frequent labels of the key's items, as far as measures can name them, and how many are left."""
    items = result.verdicts.view(choices.view).items
    counts = items.positives
    order = sorted(np.flatnonzero(counts).tolist(), key=lambda code: (-int(counts[code]), code))
    names = [name for name in (items.names[code] for code in order) if name and "\n" not in name][:_SCORED]
    return names, len(order) - len(names)


# The view of curves: whether probabilities come true, precision over recall, and what asking a user would gain.


STRATEGIES = ("entropy", "fgain", "high", "low", "random")
"""The strategies of feedback that a page tries: those that cost little, and chance to compare them with."""

QUESTIONS = 200
"""How many questions each asks: enough to see which way curves go."""


def curves_view(result: Result, choices: Choices, lists: Lists) -> View | None:
    """Return the view, if there are probabilities."""
    if result.verdicts.view(choices.view).candidates is None:
        return None
    found = result.probabilities(view=choices.view)
    charts = (chart_part(draw(found), lists.number) for draw in CHARTS.values())
    tables = (table_part(table, lists.number) for table in belief_tables(found, 0))
    return View(
        name="curves",
        title="Curves",
        parts=(*charts, *tables),
        choices=tuple(_curves_choice(each, choices, lists) for each in experiments(result, choices)),
    )


def experiments(result: Result, choices: Choices) -> Iterator[Experiment]:
    """Try which questions to ask first about each output of a single run that has something uncertain."""
    candidates = result.verdicts.view(choices.view).candidates
    if candidates is None:
        return
    for system in result.verdicts.systems:
        if len(system.runs) == 1 and uncertain(candidates[system.runs[0]].beliefs.weight).any():
            yield simulated(result, STRATEGIES, system=system.name, budget=QUESTIONS, seed=result.seed)


def _curves_choice(tried: Experiment, choices: Choices, lists: Lists) -> Choice:
    """Return what was found of one output; its most frequent texts are words of the corpus."""
    finding = tried.finding
    if not choices.text:
        finding = replace(finding, repeated=replace(finding.repeated, largest=()))
    chart = chart_part(curve_chart(finding, tried.trials), lists.number)
    parts: tuple[Part, ...] = (chart, *table_parts(finding, lists.number))
    return Choice(title=visible(finding.system), system=finding.system, parts=parts)


# The view of places at which the key may be wrong: a list for reviewers.


MOST_SUSPECTS = 2_000
"""So many suspects are on the page; nobody reads more of them there."""


def suspects_view(result: Result, choices: Choices, lists: Lists) -> View | None:
    """Return the view, if several runs can agree against the key."""
    if len(result.verdicts.runs) < 2 or not len(result.verdicts.view(choices.view).sites):
        return None
    found = result.suspects(top=MOST_SUSPECTS, view=choices.view)
    part = SuspectsPart(
        name="suspects",
        title=f"{counted(found.count, 'suspect site')} of {found.sites:,}",
        suspects=tuple(_row(each, found, choices, lists) for each in found.suspects),
        notes=tuple(_notes(found)),
    )
    return View(name="suspects", title="Suspects", parts=(table_part(_reasons(found), lists.number), part))


def _row(suspect: Suspect, found: Suspects, choices: Choices, lists: Lists) -> SuspectRow:
    where = suspect.where if choices.text else without_words(suspect.where)
    return SuspectRow(
        rank=suspect.rank,
        document=fitted(suspect.document),
        place=short_place(suspect.place),
        begin=suspect.begin,
        end=suspect.end,
        before=visible(cut_begin(suspect.before)) if choices.text else "",
        word=fitted(suspect.word) if choices.text else "",
        after=visible(cut_end(suspect.after)) if choices.text else "",
        key=fitted(suspect.key),
        proposed=fitted(suspect.proposed),
        agree=suspect.agree,
        of=suspect.of,
        kind=suspect.kind,
        list=lists.number(Link(where, view=found.view)),
    )


def without_words(where: str) -> str:
    """Take out of a conjunction what names words of the corpus: more sites may fulfil the rest.

    >>> without_words('document == "d" and word == "secret" and key == "A"')
    'document == "d" and key == "A"'
    """
    root = parse(where).root
    parts = root.operands if isinstance(root, And) else (root,)
    kept = [written for written in map(unparse, parts) if not names_used(written) & {"word", "text"}]
    return " and ".join(kept) or "true"


def _reasons(found: Suspects) -> Table:
    """Return how many sites or items are suspect for which reason."""
    least = "all" if found.at_least == len(found.runs) else f"at least {found.at_least}"
    rows = (
        (
            f"{least} of {counted(len(found.runs), 'run')} agree with each other against the key",
            *_counted(found, found.agreed),
        ),
        ("in the key, and found by none", *_counted(found, found.unfound)),
    )
    fields = (Field("reason", "reason"), Field("count", "count", "count"), Field("of", "of"))
    return Table(name="reasons", title="Why the key is suspect", fields=fields, rows=rows)


def _counted(found: Suspects, total: SuspectCount) -> tuple[Linked, str]:
    link = None if total.where is None else Link(total.where, view=found.view)
    return Linked(total.count, link), total.of


def _notes(found: Suspects) -> list[str]:
    """Say how suspects are sorted, and what is not here."""
    notes = ["sorted by how many agree; something before nothing; fewer other answers; rarer changes of labels"]
    left = found.count - len(found.suspects)
    if left:
        notes.append(f"{counted(left, 'more suspect')}: comparanda suspects --top 0")
    return notes
