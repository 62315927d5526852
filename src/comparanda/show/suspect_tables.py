"""Suspect places of the key as a table, to be read or to be annotated again."""

from __future__ import annotations

from comparanda.comparison.suspects import Suspect, SuspectCount, Suspects
from comparanda.show.cells import counted
from comparanda.show.table import Field, Table, cut

_SUSPECTS = 20  # how many rows are shown unless told otherwise

_FIELDS = (
    Field("rank", "rank", "figure"),
    Field("document", "document"),
    Field("place", "place"),
    Field("begin", "begin", "figure"),
    Field("end", "end", "figure"),
    Field("word", "word"),
    Field("key", "key"),
    Field("proposed", "proposed"),
    Field("agree", "agree", "figure"),
    Field("of", "of", "figure"),
    Field("kind", "kind"),
    Field("text", "text"),
    Field("decision", "decision"),
)


def suspect_tables(finding: Suspects, top: int | None) -> tuple[Table, ...]:
    """Return the suspects with their texts, and room for what an annotator decides."""
    rows, _ = cut([_row(each) for each in finding.suspects], top, _SUSPECTS, "suspect", "suspects")
    left = finding.count - len(rows)  # a finding may hold the first ones alone
    notes = (f"… {left:,} more suspect{'' if left == 1 else 's'} (--top 0 for all)",) if left else ()
    title = f"Suspect key: {counted(finding.count, 'site')} of {finding.sites:,}"
    if len(finding.runs) == 1:
        notes = (*notes, "beware: one run agrees with itself, so these are its errors; several runs make them suspects")
    least = "all" if finding.at_least == len(finding.runs) else f"at least {finding.at_least}"
    return (
        Table(
            "suspects",
            title,
            _FIELDS,
            rows,
            (
                *notes,
                f"{least} of {counted(len(finding.runs), 'run')} agree with each other against the key: "
                f"{_total(finding.agreed)}",
                f"in the key, and found by none: {_total(finding.unfound)}",
                "sorted by how many agree; something before nothing; fewer other answers; rarer changes of labels",
            ),
        ),
    )


def _row(each: Suspect) -> tuple[object, ...]:
    text = " ".join(part for part in (each.before, f"[{each.word}]", each.after) if part)
    return (
        each.rank,
        each.document,
        each.place,
        each.begin,
        each.end,
        each.word,
        each.key,
        each.proposed,
        each.agree,
        each.of,
        each.kind,
        text,
        "",
    )


def _total(total: SuspectCount) -> str:
    """Write a count with the condition that selects its sites or items."""
    written = counted(total.count, total.of.removesuffix("s"))
    return written if total.where is None or not total.count else f"{written} ({total.where})"
