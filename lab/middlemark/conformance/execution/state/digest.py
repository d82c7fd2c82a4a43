"""The end state of a case as one digest: two platforms that did the same have the same, whatever ids they have drawn.

Only what differs from the loaded data set goes into it, for that is the same on both sides. A time is "a time" or
null. An id that was drawn after loading is replaced by what is known of it: the rows that name it, and what is known of
the other ids in those (colour refinement), so that neither its number nor the order of drawing counts. Which ids are
the same kind, the names of columns say: `order_id` is an order's in every table. A uuid is drawn once in the world,
so that uuids are one kind in all columns of this type, also across databases.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from middlemark.conformance.execution.state.loaded import Change
from middlemark.conformance.execution.state.tables import IdColumn, LoadedIds, Table

_ROUNDS = 3
_UUID = "uuid"


@dataclass(frozen=True)
class _NewId:
    """An id that was drawn after loading; `kind` is the name of its column, or that of the type uuid."""

    kind: str
    value: int | str


_Row = tuple[str, dict[str, object]]


def end_state(changes: Sequence[Change], tables: Sequence[Table], loaded: LoadedIds) -> tuple[str, ...]:
    """Return the changed rows as lines, in an order and with ids that depend on nothing but their content."""
    times = {table.name: set(table.times) for table in tables}
    new_ids = _NewIds(tables, loaded)
    rows: list[_Row] = [
        (
            f"{'+' if change.added else '-'} {change.table}",
            {
                column: new_ids.marked(change.table, column, value)
                for column, value in _without_times(change.row, times[change.table]).items()
            },
        )
        for change in changes
    ]
    mentioned = [(_ids_of(row), where, row) for where, row in rows]
    names = dict.fromkeys((new for ids, _, _ in mentioned for new in ids), "new")
    for _ in range(_ROUNDS):
        mentions: dict[_NewId, list[str]] = {new: [] for new in names}
        for ids, where, row in mentioned:
            for new in ids:
                mentions[new].append(_line(where, row, {**names, new: "itself"}))
        names = {new: _digest("\n".join(sorted(lines)))[:8] for new, lines in mentions.items()}
    return tuple(sorted(_line(where, row, names) for where, row in rows))


def digest(lines: Sequence[str]) -> str:
    """Return 16 hexadecimal digits for an end state."""
    return _digest("\n".join(lines))[:16]


class _NewIds:
    """Which values of which columns are ids that were drawn after loading."""

    def __init__(self, tables: Sequence[Table], loaded: LoadedIds) -> None:
        drawing = Counter(column for _, column in loaded.last)
        kinds = {one: ".".join(one) if drawing[one[1]] > 1 else one[1] for one in loaded.last}
        self._kinds: dict[IdColumn, str] = kinds
        self._last = {**loaded.last_by_name(), **{kinds[one]: value for one, value in loaded.last.items()}}
        self._uuid_columns = {(table.name, column) for table in tables for column in table.uuids}
        self._loaded_uuids = loaded.uuids

    def marked(self, table: str, column: str, value: object) -> object:
        """Return a new id as such, any other value as it is."""
        if (table, column) in self._uuid_columns:
            return _NewId(_UUID, value) if isinstance(value, str) and value not in self._loaded_uuids else value
        kind = self._kinds.get((table, column), column)
        return _NewId(kind, value) if isinstance(value, int) and value > self._last.get(kind, value) else value


def _without_times(row: Mapping[str, object], times: set[str]) -> dict[str, object]:
    return {name: "a time" if name in times and value is not None else value for name, value in row.items()}


def _ids_of(row: Mapping[str, object]) -> set[_NewId]:
    return {value for value in row.values() if isinstance(value, _NewId)}


def _line(where: str, row: Mapping[str, object], names: Mapping[_NewId, str]) -> str:
    shown = {column: f"new {names[value]}" if isinstance(value, _NewId) else value for column, value in row.items()}
    return f"{where} {json.dumps(shown, ensure_ascii=False)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
