"""Pages that hold hardly anything, made by hand."""

from __future__ import annotations

from collections.abc import Sequence

from comparanda.report.page_data import Choice, Column, ItemList, Page, Part, TableCell, TablePart, TextPart, View

ONE_LIST = ItemList(where="correction", words="correction", count=0, of="sites", cards=())
OVERVIEW = View(name="overview", title="Overview", parts=(TextPart(name="notes", title="Notes", lines=("none",)),))


def small(*views: View, title: str = "tag: a, b", systems: Sequence[str] = ("a", "b"), served: bool = False) -> Page:
    """Return a page with the overview and these views."""
    return Page(
        title=title,
        task="tag",
        systems={name: (name,) for name in systems},
        runs=tuple(systems),
        signature="task:tag",
        notes=(),
        embedded="no example",
        seed=13,
        views=(OVERVIEW, *views),
        lists=(ONE_LIST,),
        cards=(),
        served=served,
    )


def table(name: str, headers: str, rows: Sequence[Sequence[str | TableCell]], *, top: int = 20) -> TablePart:
    """Return a table; a header that begins with # is that of numbers."""
    columns = tuple(Column(header=each.lstrip("#"), numeric=each.startswith("#")) for each in headers.split())
    return TablePart(name=name, title=name.title(), columns=columns, rows=tuple(map(tuple, rows)), top=top)


def pairs(systems: Sequence[str], *parts: Part) -> View:
    """Return the view of all pairs, each once, with the same parts."""
    chosen = [(base, new) for at, base in enumerate(systems) for new in systems[at + 1 :]]
    choices = (Choice(title=f"{base} → {new}", base=base, new=new, parts=parts) for base, new in chosen)
    return View(name="pair", title="Pair", choices=tuple(choices))
