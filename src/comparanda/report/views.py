"""The views of a page: overview, pairs, all systems together, labels, curves and suspects."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np

from comparanda.api.simulations import simulate_result
from comparanda.core.measures import is_computable, parse_measure
from comparanda.errors import ReadError
from comparanda.expressions import find_names, parse, unparse
from comparanda.expressions.syntax import And
from comparanda.feedback.findings import curve_chart
from comparanda.feedback.state import is_uncertain
from comparanda.findings.significance import write_warnings
from comparanda.render.count_links import Link
from comparanda.render.table import Field, Linked, Table, format_count, make_visible
from comparanda.report.card_texts import cut_begin, cut_end, fit_text, short_place
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


_MAX_FILES = 3
"""The maximal number of files named for one side."""


def how_made(result: Result, choices: Choices, reference: str | None = None) -> TextPart:
    """Return the inputs and settings of the comparison; without a key, with the name of the reference output."""
    facts = tuple((make_visible(name), make_visible(value)) for name, value in _facts(result, choices, reference))
    return TextPart(name="how", title="What was compared, and how", facts=facts)


def _facts(result: Result, choices: Choices, reference: str | None) -> Iterator[tuple[str, str]]:
    verdicts, context = result.verdicts, result.context(choices.view)
    view = context.view
    yield "task", verdicts.task
    if len(verdicts.views) > 1:
        yield "view", f"{view.name}, one of {', '.join(verdicts.views)}"
    files = _files(result)
    yield ("key", files.get("key", "n/a")) if reference is None else ("key", "none")
    if reference is not None:
        yield "reference", f"{reference}, with whose documents and words all are aligned: {files.get('key', 'n/a')}"
    for system in verdicts.systems:
        yield (
            f"{'system' if reference is None else 'output'} {system.name}",
            "; ".join(files.get(verdicts.runs[run], "n/a") for run in system.runs),
        )
    yield "documents", f"{len(verdicts.documents):,}"
    yield "sites", f"{len(view.sites):,}"
    for reason, count in view.left_out_counts.items():
        yield f"left out, {reason}", f"{count:,}"
    yield "measures", ", ".join(view.measures)
    yield from ((name.replace("_", " "), value) for name, value in verdicts.settings.items())
    yield "unit of resampling", format_count(len(context.active), verdicts.units.kind)
    yield "resamples", f"{result.resamples:,}" if result.resamples else "none: no intervals and no tests"
    yield "seed", str(result.seed)
    if result.zero_division is not None:
        yield "undefined ratios", f"{result.zero_division:g}"
    for warning in write_warnings(context) if result.resamples else ():
        yield "beware", warning
    yield "comparanda", __version__


def _files(result: Result) -> dict[str, str]:
    """Return the file names of the key ("key") and of each run, by name, as far as they are known."""
    named: dict[str, list[str]] = {}
    alone = len(result.verdicts.texts.parts) == 1  # files of many parts are not opened just for their names
    for part in result.verdicts.texts.parts:
        for side in part.words().sides:
            named.setdefault(side.name, []).extend(
                _file_names(side) if alone else [each.name for each in side.source.parts]
            )
    return {name: _join_files(list(dict.fromkeys(files))) for name, files in named.items()}


def _file_names(side: Side) -> list[str]:
    """Return the names of a side's files; files of a saved result may be missing, which leaves the numbers valid."""
    try:
        return [part.name for part in side.source().parts]
    except ReadError as problem:
        return [str(problem).partition("\n")[0]]


def _join_files(files: list[str]) -> str:
    left = len(files) - _MAX_FILES
    return ", ".join(files) if left <= 1 else f"{', '.join(files[:_MAX_FILES])} and {left:,} more files"


def notes_of(result: Result, choices: Choices) -> tuple[Note, ...]:
    """Return the notes on reading and aligning; their examples only if words of the corpus are allowed."""
    return result.notes if choices.text else tuple(replace(note, first=()) for note in result.notes)


def list_notes(result: Result, choices: Choices) -> TextPart:
    """Return these notes, each with its side."""
    facts = tuple(
        (make_visible(note.side), make_visible(str(note).removeprefix(f"{note.side}: ")))
        for note in notes_of(result, choices)
    )
    lines = () if facts else ("Nothing unusual was found in the inputs.",)
    return TextPart(name="notes", title="Notes", lines=lines, facts=facts)


# The overview: scores, significance of differences, inputs and settings.


def build_overview(result: Result, choices: Choices, lists: Lists) -> View:
    """Return the first view of the page."""
    parts: list[Part] = [*finding_parts(choose_ranking(result, choices), lists.number)]
    for found in _further_findings(result, choices):
        parts += table_parts(found, lists.number)
    return View(
        name="overview", title="Overview", parts=(*parts, how_made(result, choices), list_notes(result, choices))
    )


def choose_ranking(result: Result, choices: Choices) -> Finding:
    """Return the first finding of the page: the leaderboard, or the scores of the only system."""
    several = len(result.systems) > 1
    return result.leaderboard(view=choices.view) if several else result.scores(view=choices.view)


def _further_findings(result: Result, choices: Choices) -> Iterator[Finding]:
    """Yield the other findings about all systems; the scores of a single system come first already."""
    view = choices.view
    if len(result.systems) > 1:
        yield result.scores(view=view)
        chains = result.verdicts.view(view).chains is not None
        yield result.chain_pairs(view=view) if chains else result.pairs(view=view)
        yield result.significance(view=view)
    if len(result.verdicts.runs) > len(result.systems):
        yield result.stability(view=view)


# The pairs of systems in a page: all of them if they are few, else the most interesting ones.


MOST_PAIRS = 66
"""Up to this number all pairs are on the page: those of twelve systems, which also fit into a matrix."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """The pairs of a page.

    Args:
        pairs: base and new system of each pair, in the order of the systems.
        usual: the pair displayed first.
        all: the total number of pairs.
        errors: the errors of each system that every other does not make; None if there are neither sites nor items.

    """

    pairs: tuple[Pair, ...]
    usual: Pair
    all: int
    errors: Complementarity | None

    @property
    def left_out(self) -> int:
        """The number of pairs that are not in the page."""
        return self.all - len(self.pairs)

    def holds(self, one: str, other: str) -> bool:
        """Whether two systems are a pair of the page, in either direction."""
        return (one, other) in self.pairs or (other, one) in self.pairs


def choose_pairs(result: Result, choices: Choices) -> Pairing | None:
    """Choose the pairs; None if there is only one system.

    With many systems, each is paired with the first, with the best, with those of the pair displayed first, and with
    its neighbours in rank.
    """
    if len(result.systems) < 2:
        return None
    usual = result.pair(choices.base, choices.new, view=choices.view)
    every = list(combinations(result.systems, 2))
    wanted = {frozenset(usual)}
    if choices.pairs == "all" or len(every) <= MOST_PAIRS:
        wanted |= {frozenset(pair) for pair in every}
    else:
        ranked = _rank_systems(result, choices)
        for hub in (result.systems[0], ranked[0], *usual):
            wanted |= {frozenset((hub, name)) for name in ranked if name != hub}
        wanted |= {frozenset(pair) for pair in pairwise(ranked)}
    pairs = (usual if frozenset(pair) == frozenset(usual) else pair for pair in every if frozenset(pair) in wanted)
    return Pairing(tuple(pairs), usual, len(every), errors_of(result, choices, *result.systems))


def errors_of(result: Result, choices: Choices, *systems: str) -> Complementarity | None:
    """Return the errors of each given system that the others do not make; None if there are neither sites nor items."""
    view = result.verdicts.view(choices.view)
    return result.complementarity(*systems, view=choices.view) if len(view.sites) or len(view.items) else None


def _rank_systems(result: Result, choices: Choices) -> list[str]:
    """Return the systems by their main score, the best first."""
    board = replace(result, resamples=0).leaderboard(view=choices.view)
    return [standing.system for standing in board.standings]


# The view of pairs: corrections and new errors of one system relative to another.


def pair_view(result: Result, choices: Choices, lists: Lists, pairing: Pairing | None) -> View | None:
    """Return the view of pairs, if there are two systems.

    The pair displayed first has tests within slices, each of which costs a resampling; the others have none. A server
    computes every pair on request, so none is left out then.
    """
    if pairing is None:
        return None
    expected, plain = _expected_pairs(result, choices), replace(result, resamples=0)
    made = []
    for pair in pairing.pairs:
        found = _compare_pair(result if pair == pairing.usual else plain, choices, pair)
        made.append(_build_pair_choice(lists, found, pairing.errors, expected))
    return View(
        name="pair",
        title="Pair",
        parts=(_left_out_part(pairing),) if pairing.left_out and not choices.served else (),
        choices=tuple(made),
        chosen=pairing.pairs.index(pairing.usual),
    )


def pair_choice(result: Result, choices: Choices, lists: Lists, base: str, *, new: str) -> Choice:
    """Return the display of one pair, which may be missing from the page."""
    pair = result.pair(base, new, view=choices.view)
    errors = errors_of(result, choices, *pair)
    return _build_pair_choice(lists, _compare_pair(result, choices, pair), errors, _expected_pairs(result, choices))


def _left_out_part(pairing: Pairing) -> TextPart:
    """Return a text with the pairs that the page contains, and the options for the others."""
    base, new = pairing.usual
    text = (
        f"This page contains {len(pairing.pairs):,} of {format_count(pairing.all, 'pair')}: each system with "
        f"the first, with the best, with {base} and {new}, and with its neighbours in rank. "
        "For all: comparanda report … --pairs all. For one of the others: --base NAME --new NAME."
    )
    return TextPart(name="left-out", title="Pairs on this page", lines=(make_visible(text),))


def _compare_pair(result: Result, choices: Choices, pair: Pair) -> Difference:
    return result.difference(*pair, by=choices.by, view=choices.view)


def _expected_pairs(result: Result, choices: Choices) -> ExpectedPairs | None:
    """Return all pairs by expected counts; None without probabilities."""
    probable = result.verdicts.view(choices.view).candidates is not None
    return result.expected_pairs(view=choices.view) if probable else None


def _build_pair_choice(
    lists: Lists, found: Difference, errors: Complementarity | None, expected: ExpectedPairs | None
) -> Choice:
    """Return the display of a pair: its difference, its complementary errors, and both by expected counts."""
    both = {found.base, found.new}
    parts: list[Part] = [] if found.different else [_no_difference_part(found)]
    parts += finding_parts(found, lists.number)
    if errors is not None:
        mine = tuple(each for each in errors.pairs if {each.first, each.second} == both)
        parts += table_parts(replace(errors, pairs=mine, diversity=None), lists.number)
    if expected is not None:
        ours = tuple(each for each in expected.pairs if {each.first, each.second} == both)
        parts += table_parts(replace(expected, pairs=ours), lists.number)
    title = make_visible(f"{found.base} → {found.new}")
    return Choice(title=title, base=found.base, new=found.new, parts=tuple(parts))


def _no_difference_part(found: Difference) -> TextPart:
    text = f"{found.base} and {found.new} are equal at all {format_count(found.sites, 'site')}."
    if not found.sites:
        text = f"There is no site at which {found.base} and {found.new} could differ."
    return TextPart(name="no-difference", title="No difference", lines=(make_visible(text),))


# The view of all systems together: complementary errors, diversity, and combinations.


def together_view(result: Result, choices: Choices, lists: Lists, pairing: Pairing | None) -> View | None:
    """Return the view of all systems, if there are two systems and some sites or items."""
    if pairing is None or pairing.errors is None:
        return None
    diverse = result.diversity(view=choices.view)
    parts: list[Part] = [_together_left_out_part(pairing)] if pairing.left_out else []
    parts += chart_parts(pairing.errors, lists.number)
    parts += table_parts(_filter_errors(pairing, pairing.errors), lists.number)
    parts += chart_parts(diverse, lists.number)
    parts += table_parts(_filter_run_pairs(result, pairing, diverse), lists.number)
    parts += finding_parts(combine_systems(result, choices), lists.number)
    return View(name="together", title="Together", parts=tuple(parts))


def combine_systems(result: Result, choices: Choices) -> Combination:
    """Return the combination of the systems without upper bounds per label, which are in the view of labels."""
    return replace(result.combination(view=choices.view), labels=())


def _together_left_out_part(pairing: Pairing) -> TextPart:
    """Return a text that says which tables of pairs are incomplete; charts are complete."""
    held = f"{len(pairing.pairs):,} of {format_count(pairing.all, 'pair')}"
    text = f"Charts show all systems; the tables of pairs below contain {held}: those in the view of pairs."
    return TextPart(name="left-out", title="Pairs on this page", lines=(text,))


def _filter_errors(pairing: Pairing, found: Complementarity) -> Complementarity:
    """Keep the pairs that are in the page."""
    return replace(found, pairs=tuple(each for each in found.pairs if pairing.holds(each.first, each.second)))


def _filter_run_pairs(result: Result, pairing: Pairing, found: Diversity) -> Diversity:
    """Keep the pairs of runs of one system, or of two systems whose pair is in the page."""
    owner = {result.verdicts.runs[run]: system.name for system in result.verdicts.systems for run in system.runs}
    kept = []
    for each in found.pairs:
        one, other = owner[each.first], owner[each.second]
        if one == other or pairing.holds(one, other):
            kept.append(each)
    return replace(found, pairs=tuple(kept))


# The view of labels: scores of all systems per label, and the confusions of each run.


_MEASURES = {"f1": "F1 of each label", "precision": "Precision of each label", "recall": "Recall of each label"}
_MAX_SCORED = 100
"""The maximal number of labels with scores, the most frequent of the key."""


def labels_view(result: Result, choices: Choices, lists: Lists) -> View | None:
    """Return the view of labels, if there are sites."""
    if not len(result.verdicts.view(choices.view).sites):
        return None
    parts: list[Part] = []
    if len(result.verdicts.runs) > 1:
        parts.append(_oracle_part(result, choices, lists))
    scores = scores_by_label(result, choices)
    if scores is not None:
        parts += [table_part(each, lists.number) for each in _score_tables(result, choices, scores)]
    return View(
        name="labels",
        title="Labels",
        parts=tuple(parts),
        choices=tuple(_build_labels_choice(result, choices, lists, run) for run in result.verdicts.runs),
    )


def _build_labels_choice(result: Result, choices: Choices, lists: Lists, run: str) -> Choice:
    found = result.confusion(run, view=choices.view)
    return Choice(title=make_visible(run), system=run, parts=finding_parts(found, lists.number))


def _oracle_part(result: Result, choices: Choices, lists: Lists) -> TablePart:
    """Return the accuracy of each run per label, and the upper bound of any combination."""
    found = result.combination(view=choices.view).tables(0)
    table = next(each for each in found if each.name == "oracle")
    called = result.verdicts.view(choices.view).kinds or "label"
    title = f"Right at the sites of each {called}, and the upper bound of any combination"
    return table_part(replace(table, title=title), lists.number)


def _score_tables(result: Result, choices: Choices, scores: Scores) -> Iterator[Table]:
    """Yield the tables of scores; the first one notes the number of labels without scores."""
    _, left = _scored_labels(result, choices)
    notes = (f"{format_count(left, 'further label')} {'has' if left == 1 else 'have'} no scores here",) if left else ()
    for table in scores.tables(0):
        yield replace(table, title=_MEASURES.get(table.name, table.title), notes=(*table.notes, *notes))
        notes = ()


def scores_by_label(result: Result, choices: Choices) -> Scores | None:
    """Return precision, recall and F1 of each label of the key, if items have labels.

    Tables of several systems have no intervals, so none are computed for them.
    """
    view = result.verdicts.view(choices.view)
    names = [f"{name}[{label}]" for name in _MEASURES for label in _scored_labels(result, choices)[0]]
    computable = all(
        is_computable(result.verdicts, view, statistic)
        for name in names
        for statistic in parse_measure(name).statistics
    )
    if view.kinds is not None or not names or not computable:
        return None
    drawn = result if len(result.systems) == 1 else replace(result, resamples=0)
    return replace(drawn.scores(*names, view=choices.view), outcomes=())


def _scored_labels(result: Result, choices: Choices) -> tuple[list[str], int]:
    """Return the most frequent labels of the key's items that measures can name, and the number of other labels."""
    items = result.verdicts.view(choices.view).items
    counts = items.positives
    order = sorted(np.flatnonzero(counts).tolist(), key=lambda code: (-int(counts[code]), code))
    names = [name for name in (items.names[code] for code in order) if name and "\n" not in name][:_MAX_SCORED]
    return names, len(order) - len(names)


# The view of curves: calibration, precision over recall, and the gain of asking a user.


STRATEGIES = ("entropy", "fgain", "high", "low", "random")
"""The feedback strategies simulated for a page: the cheap ones, and random choice as a baseline."""

QUESTIONS = 200
"""The number of questions of each strategy: enough to show the trend of curves."""


def curves_view(result: Result, choices: Choices, lists: Lists) -> View | None:
    """Return the view of curves, if there are probabilities."""
    if result.verdicts.view(choices.view).candidates is None:
        return None
    found = result.probabilities(view=choices.view)
    charts = (chart_part(draw(found), lists.number) for draw in CHARTS.values())
    tables = (table_part(table, lists.number) for table in belief_tables(found, 0))
    return View(
        name="curves",
        title="Curves",
        parts=(*charts, *tables),
        choices=tuple(_build_curves_choice(each, choices, lists) for each in simulate_strategies(result, choices)),
    )


def simulate_strategies(result: Result, choices: Choices) -> Iterator[Experiment]:
    """Simulate the feedback strategies for each system with a single run that has uncertain spans."""
    candidates = result.verdicts.view(choices.view).candidates
    if candidates is None:
        return
    for system in result.verdicts.systems:
        if len(system.runs) == 1 and is_uncertain(candidates[system.runs[0]].beliefs.weight).any():
            yield simulate_result(result, STRATEGIES, system=system.name, budget=QUESTIONS, seed=result.seed)


def _build_curves_choice(tried: Experiment, choices: Choices, lists: Lists) -> Choice:
    """Return the display of one experiment, without the most frequent texts if words are not allowed."""
    finding = tried.finding
    if not choices.text:
        finding = replace(finding, repeated=replace(finding.repeated, largest=()))
    chart = chart_part(curve_chart(finding, tried.trials), lists.number)
    parts: tuple[Part, ...] = (chart, *table_parts(finding, lists.number))
    return Choice(title=make_visible(finding.system), system=finding.system, parts=parts)


# The view of suspects: a list of likely errors in the key for reviewers.


MOST_SUSPECTS = 2_000
"""The maximal number of suspects on the page, more than a reviewer reads there."""


def suspects_view(result: Result, choices: Choices, lists: Lists) -> View | None:
    """Return the view of suspects, if there are several runs that can agree against the key."""
    if len(result.verdicts.runs) < 2 or not len(result.verdicts.view(choices.view).sites):
        return None
    found = result.suspects(top=MOST_SUSPECTS, view=choices.view)
    part = SuspectsPart(
        name="suspects",
        title=f"{format_count(found.count, 'suspect site')} of {found.sites:,}",
        suspects=tuple(_suspect_row(each, found, choices, lists) for each in found.suspects),
        notes=tuple(_suspect_notes(found)),
    )
    return View(name="suspects", title="Suspects", parts=(table_part(_reasons_table(found), lists.number), part))


def _suspect_row(suspect: Suspect, found: Suspects, choices: Choices, lists: Lists) -> SuspectRow:
    where = suspect.where if choices.text else without_words(suspect.where)
    return SuspectRow(
        rank=suspect.rank,
        document=fit_text(suspect.document),
        place=short_place(suspect.place),
        begin=suspect.begin,
        end=suspect.end,
        before=make_visible(cut_begin(suspect.before)) if choices.text else "",
        word=fit_text(suspect.word) if choices.text else "",
        after=make_visible(cut_end(suspect.after)) if choices.text else "",
        key=fit_text(suspect.key),
        proposed=fit_text(suspect.proposed),
        agree=suspect.agree,
        of=suspect.of,
        kind=suspect.kind,
        list=lists.number(Link(where, view=found.view)),
    )


def without_words(where: str) -> str:
    """Remove the operands of a conjunction that contain words of the corpus; the rest may match more sites.

    >>> without_words('document == "d" and word == "secret" and key == "A"')
    'document == "d" and key == "A"'
    """
    root = parse(where).root
    parts = root.operands if isinstance(root, And) else (root,)
    kept = [written for written in map(unparse, parts) if not find_names(written) & {"word", "text"}]
    return " and ".join(kept) or "true"


def _reasons_table(found: Suspects) -> Table:
    """Return the number of suspect sites or items per reason."""
    least = "all" if found.at_least == len(found.runs) else f"at least {found.at_least}"
    rows = (
        (
            f"{least} of {format_count(len(found.runs), 'run')} agree with each other against the key",
            *_linked_count(found, found.agreed),
        ),
        ("in the key, and found by none", *_linked_count(found, found.unfound)),
    )
    fields = (Field("reason", "reason"), Field("count", "count", "count"), Field("of", "of"))
    return Table(name="reasons", title="Why the key is suspect", fields=fields, rows=rows)


def _linked_count(found: Suspects, total: SuspectCount) -> tuple[Linked, str]:
    link = None if total.where is None else Link(total.where, view=found.view)
    return Linked(total.count, link), total.of


def _suspect_notes(found: Suspects) -> list[str]:
    """Return notes on the order of suspects and the number left out."""
    notes = ["sorted by how many agree; values before empty ones; fewer other answers; rarer changes of labels"]
    left = found.count - len(found.suspects)
    if left:
        notes.append(f"{format_count(left, 'more suspect')}: comparanda suspects --top 0")
    return notes
