"""What a page shows, looked through: its parts, its tables, and where its numbers lead."""

from __future__ import annotations

from collections.abc import Iterator

from comparanda.report.page_data import ItemList, Page, Part, TableCell, TablePart, View


def view(page: Page, name: str) -> View:
    """Return one view of a page."""
    return next(each for each in page.views if each.name == name)


def parts_of(page: Page) -> Iterator[Part]:
    """Yield all parts: of views, and of what can be chosen there."""
    for each in page.views:
        yield from each.parts
        for choice in each.choices:
            yield from choice.parts


def names(parts: tuple[Part, ...]) -> list[str]:
    """Return what parts are called."""
    return [part.name for part in parts]


def table(parts: tuple[Part, ...], name: str) -> TablePart:
    """Return the one table of a name."""
    (found,) = [part for part in parts if isinstance(part, TablePart) and part.name == name]
    return found


def column(part: TablePart, header: str) -> list[str]:
    """Return the texts of a column."""
    place = [each.header for each in part.columns].index(header)
    return [cell if isinstance(cell, str) else cell.text for cell in (row[place] for row in part.rows)]


def numbers(page: Page) -> Iterator[tuple[int, ItemList]]:
    """Yield every whole number in a table that leads somewhere, with the list behind it."""
    for part in parts_of(page):
        for row in part.rows if isinstance(part, TablePart) else ():
            for cell in row:
                if isinstance(cell, TableCell) and cell.list is not None:
                    written = cell.text.replace(",", "")
                    if written.isdecimal():
                        yield int(written), page.lists[cell.list]
