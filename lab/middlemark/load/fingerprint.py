"""Proves what rows a database holds: the same rows give the same fingerprint, in whatever order they lie."""

from __future__ import annotations

import hashlib

from psycopg import sql

from middlemark.databases.database import Connection

_TABLES = """
SELECT c.relname, string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ',' ORDER BY a.attnum)
FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
GROUP BY c.relname ORDER BY c.relname
"""
_SEQUENCES = """
SELECT sequencename, coalesce(last_value, 0) FROM pg_sequences WHERE schemaname = 'public' ORDER BY sequencename
"""
# Rows are hashed by PostgreSQL (hash_record_extended, 64 bits, since version 14) and added up, in any order.
_ROWS = "SELECT count(*), coalesce(sum(hash_record_extended(t, 0)), 0) FROM {} AS t"


def fingerprint(connection: Connection) -> str:
    """Return 16 hexadecimal digits for the content of schema `public`: tables, columns, rows, where sequences stand."""
    lines: list[str] = []
    with connection.transaction():
        connection.execute("SET LOCAL parallel_setup_cost = 0")
        connection.execute("SET LOCAL parallel_tuple_cost = 0")
        for table, columns in connection.execute(_TABLES).fetchall():
            row = connection.execute(sql.SQL(_ROWS).format(sql.Identifier(table))).fetchone()
            lines.append(f"{table}({columns}) {row}")
        lines += [f"{name} {value}" for name, value in connection.execute(_SEQUENCES).fetchall()]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def row_counts(connection: Connection) -> dict[str, int]:
    """Return the number of rows of each table."""
    counts: dict[str, int] = {}
    for table, _ in connection.execute(_TABLES).fetchall():
        row = connection.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))).fetchone()
        counts[table] = 0 if row is None else int(row[0])
    return counts
