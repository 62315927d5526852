"""A leaderboard as a table: narrow at the front, so that thirty systems can be read in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from comparanda.show.cells import counted
from comparanda.show.links import Link, right_link
from comparanda.show.score_tables import stars
from comparanda.show.table import Field, Linked, Table, cut

if TYPE_CHECKING:
    from comparanda.comparison.leaderboard import Leaderboard, Refused, Standing


def leaderboard_tables(finding: Leaderboard, top: int | None) -> tuple[Table, ...]:
    """Put systems in rows: where they stand, by how much, and behind that the other measures."""
    beside = [score.measure for score in finding.standings[0].scores[1:]]
    fields = (
        Field("rank", "rank"),
        Field("system", "system"),
        Field(finding.measure, finding.measure, "share"),
        Field(f"{finding.measure}_interval", "95 % interval", "interval"),
        Field("group", "group", "number"),
        Field("ranks", "ranks"),
        Field("to_best", "Δ best", "points"),
        Field("to_best_p", "p (Holm)", "p"),
        *(Field(name, name, "share") for name in beside),
        Field("to_above", "Δ above", "points"),
        Field("only_right", "only right", "count"),
        Field("only_wrong", "only wrong", "count"),
    )
    rows, more = cut([_row(finding, each) for each in finding.standings], top, 0, "system", "systems")
    marks = {(number, 7): stars(row[7]) for number, row in enumerate(rows)}
    return (
        Table(
            "leaderboard",
            f"Leaderboard: {finding.measure}",
            fields,
            rows,
            (*more, *_notes(finding)),
            marks={place: mark for place, mark in marks.items() if mark},
        ),
    )


def _row(finding: Leaderboard, each: Standing) -> tuple[Any, ...]:
    links = [right_link(score.measure, finding.view, each.system) for score in each.scores]
    main, *others = each.scores
    best, above, alone = each.to_best, each.to_above, each.alone
    return (
        "–" if each.rank is None else each.rank,
        each.system,
        Linked(main.value, links[0]),
        (main.low, main.high),
        each.group,
        ranks(each),
        best.difference if best is not None else None if each.rank is None else 0.0,
        None if best is None else best.p_holm,
        *(Linked(score.value, link) for score, link in zip(others, links[1:], strict=True)),
        None if above is None else above.difference,
        None if alone is None else Linked(alone.right, Link(alone.right_where, view=finding.view)),
        None if alone is None else Linked(alone.wrong, Link(alone.wrong_where, view=finding.view)),
    )


def ranks(each: Standing) -> str | None:
    """Write the ranks that the tests leave open: `2–5`, or `1` alone."""
    if each.first_rank is None or each.last_rank is None:
        return None
    return str(each.first_rank) if each.first_rank == each.last_rank else f"{each.first_rank}–{each.last_rank}"


def _notes(finding: Leaderboard) -> list[str]:
    level = f"{100 * finding.level:g} %"
    drawn = f"{counted(finding.resamples, 'resample')}, seed {finding.seed}" if finding.resamples else "no resampling"
    notes = [f"{counted(finding.units, finding.unit)}, view {finding.view}; {drawn}"]
    if finding.untested is None:
        notes += [
            f"group: every system above is significantly better ({level}, randomisation, Holm over all pairs) than "
            "every one below",
            "ranks: one behind those that are significantly better, one before those that are significantly worse",
        ]
    else:
        notes.append(f"no groups: {finding.untested}")
    notes += [f"beware: {warning}" for warning in finding.warnings]
    notes += [f"{_listed(names)} are identical in all that is judged" for names in finding.identical]
    for each in finding.standings:
        notes += [f"{each.system}: {score.measure} is n/a: {score.reason}" for score in each.scores if score.reason]
    notes += [refusal(each) for each in finding.refused]
    if finding.passed_over:
        notes.append(f"passed over, no submissions: {', '.join(finding.passed_over)}")
    return notes


def refusal(each: Refused) -> str:
    """Say in one line why a submission is not ranked."""
    return f"not ranked: {each.system}: {'; '.join([each.reason, *each.details])}"


def _listed(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
