"""The databases of a verification: servers with the data sets of cases as templates."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psycopg

from middlemark.databases.database import Database
from middlemark.load.stores import Stores, drop_all, load_all, server_names, servers_of, stores
from middlemark.processes.watchdog import Watchdog
from middlemark.specification.specification import Specification


@contextmanager
def loaded_stores(
    specification: Specification,
    urls: Mapping[str, str],
    watch: Watchdog,
    logs: Path,
    report: Callable[[str], None] = lambda _: None,
) -> Iterator[Stores]:
    """Hold a server for each database, the user's where `urls` has one, with the cases' data sets just loaded.

    `report` hears of each step. Raises what `stores` and `load_all` raise.
    """
    if specification.description.databases:
        own = set(server_names(specification).values())
        report("starting PostgreSQL" if len(own) == 1 else f"starting {len(own)} PostgreSQL servers")
    with stores(specification, urls, watch, logs) as found:
        for server in servers_of(found).values():
            if server.server is not None:
                _forget_durability(server)
        try:
            if found:
                report(f"loading {specification.name} at scale {specification.case_scale}")
            load_all(found, specification.datasets(specification.case_scale))
            yield found
        finally:
            drop_all(found)


def stores_of_environment(loaded: Stores, number: int) -> Stores:
    """Return the same templates with databases of an environment's own, by its number."""
    return {
        name: dataclasses.replace(store, database=f"{store.database}_{number}")  # found by the token that is in it
        for name, store in loaded.items()
    }


def _forget_durability(server: Database) -> None:
    """Let a server of our own forget everything in a crash: nothing of it outlives the verification."""
    with server.admin() as admin:
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            admin.execute(psycopg.sql.SQL("ALTER SYSTEM SET {} = off").format(psycopg.sql.Identifier(setting)))
        admin.execute("SELECT pg_reload_conf()")
