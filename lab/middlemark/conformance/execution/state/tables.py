"""What tables a specification's database has, as far as putting them back needs to know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from middlemark.databases.database import Connection
from middlemark.errors import InputError

IdColumn = tuple[str, str]
"""A table and the column in which it draws ids."""

_TABLES = """
SELECT c.relname,
       array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE a.attgenerated = ''),
       array_agg(a.attname::text ORDER BY a.attnum)
           FILTER (WHERE pg_get_serial_sequence(c.oid::regclass::text, a.attname) IS NOT NULL),
       array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE t.typcategory = 'D'),
       array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE 'uuid'::regtype IN (t.oid, t.typbasetype)),
       (SELECT array_agg(k.attname::text ORDER BY k.attnum)
        FROM pg_index AS i JOIN pg_attribute AS k ON k.attrelid = c.oid AND k.attnum = ANY (i.indkey)
        WHERE i.indrelid = c.oid AND i.indisprimary)
FROM pg_class AS c
JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type AS t ON t.oid = a.atttypid
WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
GROUP BY c.oid, c.relname ORDER BY c.relname
"""
_REFERENCES = """
SELECT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint
WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND conrelid <> confrelid
"""


@dataclass(frozen=True)
class Table:
    """A table with the columns that are written; computed ones are left out.

    `identities` draw their own values, `times` hold dates or times, `uuids` hold values of type uuid, `key` is primary.
    """

    name: str
    columns: tuple[str, ...]
    identities: tuple[str, ...]
    times: tuple[str, ...]
    uuids: tuple[str, ...]
    key: tuple[str, ...]


@dataclass(frozen=True)
class LoadedIds:
    """The ids of the loaded data: the greatest one of each column that draws integers, and every uuid.

    Any greater integer and any other uuid was drawn since.
    """

    last: Mapping[IdColumn, int] = field(default_factory=dict)
    uuids: frozenset[str] = frozenset()

    def last_by_name(self) -> dict[str, int]:
        """Return the greatest loaded id by the name of its column, of columns with one name the least of these."""
        return {column: value for (_, column), value in sorted(self.last.items(), key=lambda one: -one[1])}


def read_tables(connection: Connection) -> tuple[Table, ...]:
    """Return the tables of schema `public`, each after those its foreign keys refer to.

    Raises InputError for a table without a primary key: its rows could not be told apart.
    """
    tables = {
        name: Table(name, *(tuple(columns or ()) for columns in kinds))
        for name, *kinds in connection.execute(_TABLES).fetchall()
    }
    for table in tables.values():
        if not table.key:
            raise InputError(f"the table {table.name} has no primary key", where="keys.sql", todo="Give it one")
    needs: dict[str, set[str]] = {name: set() for name in tables}
    for table_name, referred in connection.execute(_REFERENCES).fetchall():
        needs[table_name].add(referred)
    ordered: list[Table] = []
    while needs:
        free = sorted(name for name, others in needs.items() if not others & needs.keys())
        if not free:
            raise InputError(f"the foreign keys of {', '.join(sorted(needs))} refer to each other", where="keys.sql")
        ordered += [tables[name] for name in free]
        for name in free:
            del needs[name]
    return tuple(ordered)
