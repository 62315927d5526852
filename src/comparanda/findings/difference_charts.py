"""The difference of two systems as charts: which labels change to which, and the gains and losses of each label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from comparanda.render.charts import Balance, DivergingChart, Flow, FlowChart, FlowKind, Side
from comparanda.render.charts.canvas import make_chart_name
from comparanda.render.charts.theme import CHANGE, GAIN, LOSS, display_label, shorten_name
from comparanda.render.count_links import Link
from comparanda.render.table import format_cell

if TYPE_CHECKING:
    from comparanda.findings.difference import Difference, DifferenceClass, LabelDifference, Transition

_SHOWN_FLOWS, _SHOWN_LABELS = 12, 20  # the number of bands and rows drawn; the rest are combined
_STYLES = {"correction": ("✓", GAIN), "new_error": ("✗", LOSS), "changed_error": ("≠", CHANGE)}
_OTHERS = "(others)"


def flow_chart(finding: Difference) -> FlowChart:
    """Return the chart of labels that change from base to new system, the most frequent kinds and the rest."""
    kinds = {each.name: _flow_kind(finding, each) for each in finding.classes}
    every = [(each, one) for each in finding.classes for one in each.transitions]
    first = sorted(every, key=lambda pair: -pair[1].count)[:_SHOWN_FLOWS]  # ties keep their order
    flows: list[Flow] = []
    others: list[Flow] = []
    for each in finding.classes:
        mine = [one for of, one in first if of is each]
        both_wrong = each.name == "changed_error"
        flows += [
            _make_flow(finding, kinds[each.name], one, display_label(one.key) if both_wrong else "") for one in mine
        ]
        others += _other_flow(finding, kinds[each.name], each, mine)
    counts = ", ".join(f"{kind.count:,} {kind.name}" for kind in kinds.values())
    largest = "; ".join(
        f"{kinds[each.name].name} {' → '.join(shorten_name(display_label(label)) for label in (one.base, one.new))} "
        f"{one.count:,}"
        for each, one in first[:3]
    )
    return FlowChart(
        title=f"What changes from {shorten_name(finding.base)} to {shorten_name(finding.new)}",
        subtitle="the width of a band is proportional to its count; in brackets the key's label, where both are wrong",
        description=f"{counts}. The most frequent changes: {largest or 'none'}.",
        left=finding.base,
        right=finding.new,
        kinds=tuple(kinds.values()),
        flows=(*flows, *others),
        name=make_chart_name("flow", finding.base, finding.new),
    )


def _link(finding: Difference, where: str) -> Link:
    return Link(where, finding.base, finding.new, finding.view)


def _flow_kind(finding: Difference, each: DifferenceClass) -> FlowKind:
    sign, style = _STYLES[each.name]
    name = f"{each.name.replace('_', ' ')}{'' if each.count == 1 else 's'}"
    return FlowKind(name=name, sign=sign, style=style, count=each.count, link=_link(finding, each.where))


def _make_flow(finding: Difference, kind: FlowKind, one: Transition, note: str) -> Flow:
    source, target, link = display_label(one.base), display_label(one.new), _link(finding, one.where)
    return Flow(source=source, target=target, kind=kind, count=one.count, note=note, link=link)


def _other_flow(
    finding: Difference, kind: FlowKind, each: DifferenceClass, shown: Sequence[Transition]
) -> Iterator[Flow]:
    """Yield the band of all changes of a class that have no band of their own."""
    count = each.count - sum(one.count for one in shown)
    if count:
        link = _link(finding, _exclude(each.where, (one.where for one in shown)))
        yield Flow(source=_OTHERS, target=_OTHERS, kind=kind, count=count, link=link)


def _exclude(where: str, shown: Iterable[str]) -> str:
    """Write the condition of all sites that match one condition and none of the others."""
    others = " or ".join(f"({each})" for each in shown)
    return f"{where} and not ({others})" if others else where


def gain_chart(finding: Difference) -> DivergingChart:
    """Return the chart of corrections and new errors by key label, or of changed shares where no counts are known."""
    counts = _count_by_label(finding)
    rows = _share_rows(finding) if counts is None else _count_rows(finding, *counts)
    made = f"the {_SHOWN_LABELS} labels with the most changes; " if len(finding.labels) > _SHOWN_LABELS else ""
    unit = "points of accuracy" if counts is None else "Δ: corrections less new errors"
    listed = ", ".join(f"{shorten_name(each.name)} {each.text}" for each in rows[:5])
    return DivergingChart(
        title=f"Gains and losses from {shorten_name(finding.base)} to {shorten_name(finding.new)}",
        subtitle=f"by label of the key; {made}{unit}",
        description=f"By label of the key, the largest gain first: {listed or 'nothing changes'}.",
        lost="✗ new errors" if counts is not None else "✗ fewer right",
        gained="✓ corrections" if counts is not None else "✓ more right",
        total="" if counts is None else "Δ",
        rows=tuple(rows),
        name=make_chart_name("gains", finding.base, finding.new),
    )


def _count_by_label(finding: Difference) -> tuple[Counter[str], Counter[str]] | None:
    """Count corrections and new errors by key label; None where transitions are not distinguished by label."""
    known = {each.label for each in finding.labels}
    counts = []
    for name in ("correction", "new_error"):
        mine: Counter[str] = Counter()
        for one in finding.of(name).transitions:
            mine[one.key] += one.count
        counts.append(mine)
    return (counts[0], counts[1]) if {*counts[0], *counts[1]} <= known else None


def _count_rows(finding: Difference, won: Counter[str], lost: Counter[str]) -> list[Balance]:
    changed = [each for each in finding.labels if won[each.label] + lost[each.label]]
    changed.sort(key=lambda each: (-won[each.label] - lost[each.label], each.label))
    shown = sorted(changed[:_SHOWN_LABELS], key=lambda each: (lost[each.label] - won[each.label], each.label))
    rows = [
        _balance(finding, name=each.label, where=each.where, won=won[each.label], lost=lost[each.label])
        for each in shown
    ]
    rest = changed[_SHOWN_LABELS:]
    if rest:
        which = f"not ({' or '.join(f'({each.where})' for each in shown)})"
        gained, given_up = (sum(of[each.label] for each in rest) for of in (won, lost))
        rows.append(_balance(finding, name=_OTHERS, where=which, won=gained, lost=given_up))
    return rows


def _balance(finding: Difference, name: str, where: str, won: int, *, lost: int) -> Balance:
    return Balance(
        name=display_label(name),
        lost=_side(finding, f"new_error and {where}", lost),
        gained=_side(finding, f"correction and {where}", won),
        text=f"{won - lost:+,}" if won != lost else "0",
    )


def _side(finding: Difference, where: str, count: int) -> Side | None:
    return Side(value=count, text=f"{count:,}", link=_link(finding, where)) if count else None


def _share_rows(finding: Difference) -> list[Balance]:
    # labels are sorted by difference, the largest first
    changed = [each for each in finding.labels if each.difference][:_SHOWN_LABELS]
    return [_share_row(each) for each in sorted(changed, key=lambda each: (-each.difference, each.label))]


def _share_row(each: LabelDifference) -> Balance:
    value = format_cell("points", each.difference)
    side = Side(value=abs(each.difference), text=value)
    better = each.difference > 0
    return Balance(name=display_label(each.label), lost=None if better else side, gained=side if better else None)
