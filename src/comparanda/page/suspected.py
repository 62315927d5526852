"""The view of places at which the key may be wrong: a list for reviewers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparanda.expressions import names_used, parse, unparse
from comparanda.expressions.syntax import And
from comparanda.page.cards.texts import cut_begin, cut_end, fitted, short_place
from comparanda.page.data import SuspectRow, SuspectsPart, View
from comparanda.page.parts import table_part
from comparanda.show.cells import counted, visible
from comparanda.show.links import Link
from comparanda.show.table import Field, Linked, Table

if TYPE_CHECKING:
    from comparanda.comparison.suspects import Suspect, SuspectCount, Suspects
    from comparanda.page.building import Choices
    from comparanda.page.lists import Lists
    from comparanda.result import Result

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
    return Table("reasons", "Why the key is suspect", fields, rows)


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
