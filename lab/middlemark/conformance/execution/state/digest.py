"""The end state of a case as one digest: two platforms that did the same have the same, whatever ids they have drawn.

Only what differs from the loaded data set goes into it, for that is the same on both sides. A time is "a time" or
null. An id that was drawn after loading is replaced by what is known of it: the rows that name it, and what is known of
the other ids in those (colour refinement), so that neither its number nor the order of drawing counts. Which ids are
the same kind, the names of columns say: `order_id` is an order's in every table.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence

from middlemark.conformance.execution.state.loaded import Change
from middlemark.conformance.execution.state.tables import IdColumn, Table

_ROUNDS = 3
_Row = tuple[str, dict[str, object]]
_NewId = tuple[str, int]


def end_state(
    changes: Sequence[Change], tables: Sequence[Table], last_loaded: Mapping[IdColumn, int]
) -> tuple[str, ...]:
    """Return the changed rows as lines, in an order and with ids that depend on nothing but their content."""
    times = {table.name: set(table.times) for table in tables}
    kinds = _kinds_of_ids(last_loaded)
    rows: list[_Row] = [
        (
            f"{'+' if change.added else '-'} {change.table}",
            {
                kinds.get((change.table, column), column): value
                for column, value in _without_times(change.row, times[change.table]).items()
            },
        )
        for change in changes
    ]
    last = {**least_by_name(last_loaded), **{kinds[one]: value for one, value in last_loaded.items()}}
    names: dict[_NewId, str] = {
        (column, value): "new"
        for _, row in rows
        for column, value in row.items()
        if isinstance(value, int) and value > last.get(column, value)
    }
    for _ in range(_ROUNDS):
        mentions: dict[_NewId, list[str]] = {new: [] for new in names}
        for where, row in rows:
            for new in names.keys() & set(row.items()):
                mentions[new].append(_line(where, row, {**names, new: "itself"}))
        names = {new: _digest("\n".join(sorted(lines)))[:8] for new, lines in mentions.items()}
    return tuple(sorted(_line(where, row, names) for where, row in rows))


def digest(lines: Sequence[str]) -> str:
    """Return 16 hexadecimal digits for an end state."""
    return _digest("\n".join(lines))[:16]


def least_by_name(last_loaded: Mapping[IdColumn, int]) -> dict[str, int]:
    """Return the greatest loaded id by the name of its column, of columns with one name the least of these."""
    return {column: value for (_, column), value in sorted(last_loaded.items(), key=lambda one: -one[1])}


def _kinds_of_ids(last_loaded: Mapping[IdColumn, int]) -> dict[IdColumn, str]:
    """Return what the ids of each column are: the column's name, with its table's where several tables draw so."""
    drawing = Counter(column for _, column in last_loaded)
    return {(table, column): f"{table}.{column}" if drawing[column] > 1 else column for table, column in last_loaded}


def _without_times(row: Mapping[str, object], times: set[str]) -> dict[str, object]:
    return {name: "a time" if name in times and value is not None else value for name, value in row.items()}


def _line(where: str, row: Mapping[str, object], names: Mapping[_NewId, str]) -> str:
    shown = {
        column: f"new {names[column, value]}" if isinstance(value, int) and (column, value) in names else value
        for column, value in row.items()
    }
    return f"{where} {json.dumps(shown, ensure_ascii=False)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
