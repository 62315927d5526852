"""Rules over two tables must say which rows belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparanda.rules.checks.complaints import complaint

if TYPE_CHECKING:
    from comparanda.rules.checks.readings import Reading

_SAY = 'say pair = "one-to-one" (each row once, the best pairs first) or pair = "many", or join by a row as in {join}'


def refuse_unpaired(reading: Reading) -> None:
    """Refuse a rule that writes to a partner row, or copies from one, and leaves open which row that is."""
    if reading.rule.pair is None and len(reading.rule.over) > 1:
        problem = _copies(reading) or _writes_both(reading)
        if problem is not None:
            first, second = reading.rule.over
            raise complaint(reading.rule, f"missing pair: {problem}", _SAY.format(join=f"{first}.partner == {second}"))


def _copies(reading: Reading) -> str | None:
    for write in reading.writes:
        mine = write.subject.variable
        if reading.has_siblings(mine) and not reading.is_own(write):
            other = reading.other(mine)
            table = reading.rule.over[other or ""]
            return f"it sets {write.name} from {other}, and {mine} may match several rows of {table}"
    return None


def _writes_both(reading: Reading) -> str | None:
    first, second = reading.rule.over
    written = {write.subject.variable for write in reading.writes}
    if written != {first, second} or reading.ways:
        return None
    return f"it writes to {first} and to {second}, and each of them may match several rows of the other"


def refuse_used_twice(reading: Reading) -> None:
    """Refuse one-to-one pairs whose rows are not used up: at the next turn they would be paired again."""
    if reading.rule.pair not in {"one-to-one", "one-to-one:optimal"}:
        return
    for variable, table in reading.rule.over.items():
        if not any(write.always_changes for write in reading.writes if write.subject.variable == variable):
            what = f'pair = "{reading.rule.pair}" does not use up {variable}, so a row of {table} could be paired again'
            hint = (
                f"test and set a column of {variable}, as in is_missing({variable}.partner) and {variable}.partner = …"
            )
            raise complaint(reading.rule, f"order-dependent: {what}", hint)
