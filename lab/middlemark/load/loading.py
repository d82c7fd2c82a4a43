"""Loads a data set into a template database and makes exact copies of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import psycopg

from middlemark.databases.database import (
    Connection,
    CopyStrategy,
    Database,
    checkpoint,
    create_database,
    drop_database,
)
from middlemark.errors import InputError
from middlemark.specification.dataset import Dataset


@dataclass(frozen=True)
class Progress:
    """How far loading is: `done` of `total` numbers generated, `rows` so far, and the step being worked on."""

    step: str
    done: int
    total: int
    rows: int


def load_dataset(
    database: Database, dataset: Dataset, name: str, progress: Callable[[Progress], None] = lambda _: None
) -> int:
    """Make the database `name` and fill it; one that was made by Middlemark before is replaced. Returns the rows.

    The rows come first and the keys afterwards, which is five times as fast as the other way round. Freezing the rows
    now keeps the first reader of every row from writing it again inside a measured window.
    """
    drop_database(database, name)
    create_database(database, name)
    total = dataset.total
    done = rows = 0
    with database.connected(name) as connection:
        # Else what a killed lab has begun is worked on to its end. Servers of few systems can look.
        with suppress(psycopg.errors.InvalidParameterValue):
            connection.execute("SET client_connection_check_interval = '1s'")
        _run(connection, dataset.schema, f"{dataset.folder}/schema.sql")
        for part in dataset.slices():
            progress(Progress(part.table, done, total, rows))
            rows += _run(connection, part.sql, f"{dataset.folder}/dataset.toml, table {part.table}")
            done += part.size
        progress(Progress("keys and indexes", done, total, rows))
        _run(connection, dataset.keys, f"{dataset.folder}/keys.sql")
        progress(Progress("statistics", done, total, rows))
        connection.execute("VACUUM (FREEZE, ANALYZE)")
    checkpoint(database)
    progress(Progress("loaded", total, total, rows))
    return rows


def reset_database(database: Database, template: str, name: str) -> None:
    """Make `name` an exact copy of `template`, whoever is connected to it; their pools reconnect.

    Ends with a checkpoint, so that none falls into what is measured next.
    """
    drop_database(database, name)
    create_database(database, name, template, CopyStrategy.FILES)
    checkpoint(database)


def _run(connection: Connection, statement: str, where: str) -> int:
    """Run SQL of the specification, committed at its end; return the rows it wrote."""
    try:
        return max(0, connection.execute(statement.encode()).rowcount)
    except psycopg.OperationalError:
        raise  # the server's trouble, not this SQL's: who holds the connection tells it
    except psycopg.Error as error:
        first = str(error).strip().splitlines()[0]
        raise InputError(f"PostgreSQL refuses this SQL ({first})", where=where) from error
