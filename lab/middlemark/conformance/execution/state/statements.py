"""The SQL that finds what has changed in a table since it was loaded, and that puts it back."""

from __future__ import annotations

from collections.abc import Iterable

from psycopg import sql

from middlemark.conformance.execution.state.tables import Table
from middlemark.databases.database import COPIES


def keep(table: Table) -> sql.Composed:
    """Copy a table as it is now."""
    return sql.SQL(
        "CREATE TABLE {copy} AS TABLE {table}; ALTER TABLE {copy} ADD PRIMARY KEY ({key}); ANALYZE {copy}"
    ).format(copy=_copy(table), table=_own(table), key=_columns(table.key))


def changes(tables: Iterable[Table]) -> sql.Composed:
    """Ask for all rows that differ: table, whether the row is one of now, the row as JSON."""
    one = (
        "(SELECT {name}, true, to_jsonb(r)::text FROM (TABLE {table} EXCEPT ALL TABLE {copy}) AS r)"
        " UNION ALL (SELECT {name}, false, to_jsonb(r)::text FROM (TABLE {copy} EXCEPT ALL TABLE {table}) AS r)"
    )
    parts = [sql.SQL(one).format(name=table.name, table=_own(table), copy=_copy(table)) for table in tables]
    return sql.SQL("{} ORDER BY 1, 2, 3").format(sql.SQL(" UNION ALL ").join(parts))


def last_id(table: Table, column: str) -> sql.Composed:
    """Ask for the greatest loaded value of an identity column."""
    return sql.SQL("SELECT coalesce(max({}), 0) FROM {}").format(sql.Identifier(column), _copy(table))


def uuids(tables: Iterable[Table]) -> sql.Composed:
    """Ask for every loaded value of a column of type uuid."""
    parts: list[sql.Composable] = [
        sql.SQL("SELECT {column}::text FROM {copy} WHERE {column} IS NOT NULL").format(
            column=sql.Identifier(column), copy=_copy(table)
        )
        for table in tables
        for column in table.uuids
    ]
    return sql.SQL(" UNION ").join(parts or [sql.SQL("SELECT WHERE false")])


def lock(tables: Iterable[Table]) -> sql.Composed:
    """Wait for whoever writes, and keep everybody else from it."""
    return sql.SQL("LOCK TABLE {} IN EXCLUSIVE MODE").format(sql.SQL(", ").join(_own(table) for table in tables))


def delete(table: Table) -> sql.Composed:
    """Remove the rows that were not loaded."""
    return sql.SQL("DELETE FROM {table} AS now WHERE NOT EXISTS (SELECT FROM {copy} AS loaded WHERE {same})").format(
        table=_own(table), copy=_copy(table), same=_same_key(table)
    )


def update(table: Table) -> sql.Composed:
    """Give the rows that were loaded otherwise their values again; without other columns than the key nothing."""
    values = [column for column in table.columns if column not in table.key]
    if not values:
        return sql.SQL("SELECT").format()
    return sql.SQL(
        "UPDATE {table} AS now SET ({columns}) = ROW ({values}) FROM {copy} AS loaded"
        " WHERE {same} AND now IS DISTINCT FROM loaded"
    ).format(
        table=_own(table),
        copy=_copy(table),
        columns=_columns(values),
        values=sql.SQL(", ").join(sql.Identifier("loaded", column) for column in values),
        same=_same_key(table),
    )


def insert(table: Table) -> sql.Composed:
    """Write the rows again that are not there any more."""
    return sql.SQL(
        "INSERT INTO {table} ({columns}) OVERRIDING SYSTEM VALUE SELECT {columns} FROM {copy} AS loaded"
        " WHERE NOT EXISTS (SELECT FROM {table} AS now WHERE {same})"
    ).format(table=_own(table), columns=_columns(table.columns), copy=_copy(table), same=_same_key(table))


def set_sequence(name: str, value: int | None) -> sql.Composed:
    """Have a sequence stand where it stood; None: it has never been used."""
    return sql.SQL("SELECT setval({}, {}, {})").format(f"public.{name}", value or 1, value is not None)


def _own(table: Table) -> sql.Composable:
    return sql.Identifier("public", table.name)


def _copy(table: Table) -> sql.Composable:
    return sql.Identifier(COPIES, table.name)


def _columns(columns: Iterable[str]) -> sql.Composed:
    return sql.SQL(", ").join(sql.Identifier(column) for column in columns)


def _same_key(table: Table) -> sql.Composed:
    pairs = [
        sql.SQL("{} = {}").format(sql.Identifier("now", column), sql.Identifier("loaded", column))
        for column in table.key
    ]
    return sql.SQL(" AND ").join(pairs)
