"""The database of a command: an embedded PostgreSQL, watched from its first moment, or the user's own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import MappingProxyType

from middlemark.databases.database import Database, DatabaseServer
from middlemark.databases.database_url import parameters_of, url_of
from middlemark.databases.postgresql import embedded_postgresql
from middlemark.databases.users_own import user_database
from middlemark.errors import HostError
from middlemark.processes.ending import POSTGRESQL, Part, members
from middlemark.processes.watchdog import Watchdog
from middlemark.records.placement import cpus_of_database, database_tier

NAME = "PostgreSQL"
UNPINNED: Mapping[str, frozenset[int]] = MappingProxyType({})
"""The CPUs of each server by its tier, where none are named."""


@contextmanager
def watched_servers(
    names: Sequence[str],
    urls: Mapping[str, str],
    watchdog: Watchdog,
    logs: Path,
    cpus: Mapping[str, frozenset[int]] = UNPINNED,
) -> Iterator[dict[str, Database]]:
    """Work on several PostgreSQL servers, by name: the user's where `urls` has one, else one of our own.

    Each of our own leaves its log in `logs`, and has the CPUs of its tier. Raises what `watched_database` raises.
    """
    with ExitStack() as stack:
        servers: dict[str, Database] = {}
        for name in names:
            several = len(names) > 1
            tier = database_tier(name if several else None)
            own = frozenset(cpus_of_database(tier, cpus))
            watched_as = f"{NAME} {name}" if several else NAME
            opened = watched_database(urls.get(name), watchdog, logs / f"{tier}.log", own, watched_as)
            servers[name] = stack.enter_context(opened)
        yield servers


@contextmanager
def watched_database(
    url: str | None, watchdog: Watchdog, log: Path, cpus: frozenset[int] = frozenset(), name: str = NAME
) -> Iterator[Database]:
    """Work on the user's PostgreSQL, or on one of our own, which is gone afterwards and has left its log at `log`.

    Our own uses these CPUs alone; where none are named, those of the lab. It is watched by `name`, which no other
    server of the lab has: what belongs to a watched process is told by it.

    Databases made in the user's have the watchdog's `name_part` in their names: `doctor` finds those of a killed lab.

    Raises HostError or MissingToolError when it cannot be used, InputError for a wrong URL.
    """
    if url is not None:
        with watched_user_database(url, watchdog) as database:
            yield database
        return
    with watchdog.private_folder("middlemark-postgresql-") as folder:
        try:
            with _embedded(watchdog, folder, cpus, name) as database:
                yield database
        finally:
            with suppress(OSError):
                log.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(folder / "server.log", log)


@contextmanager
def watched_user_database(url: str, watchdog: Watchdog) -> Iterator[Database]:
    """Work on the user's PostgreSQL; raises what `user_database` raises."""
    url = url_of(parameters_of(url))  # `doctor` reads it in another folder
    made: list[str] = []
    watchdog.databases_at(url)
    try:
        with user_database(url) as database:
            made = database.created
            yield database
    finally:
        if not made:
            watchdog.no_databases_at(url)


@contextmanager
def _embedded(watchdog: Watchdog, folder: Path, cpus: frozenset[int], name: str) -> Iterator[Database]:
    try:
        with ExitStack() as stack:
            with watchdog.expecting(Part.DATABASE, name):
                database = stack.enter_context(embedded_postgresql(folder, cpus=cpus))
                if database.server is None:
                    raise HostError("the embedded PostgreSQL has no process")
                watchdog.watch(database.server.pid, Part.DATABASE, name, POSTGRESQL)
            yield database
    finally:
        for watched in watchdog.watched(Part.DATABASE):
            if not members(watched):
                watchdog.forget(watched.pid)


def restart_watched(server: DatabaseServer, watchdog: Watchdog) -> None:
    """Start a server of `watched_database` again on its folder and port, whether it runs or was killed.

    Raises HostError when it does not come back.
    """
    before = server.pid
    name = next((one.name for one in watchdog.watched(Part.DATABASE) if one.pid == before), NAME)
    with watchdog.expecting(Part.DATABASE, name):
        server.restart()
        watchdog.watch(server.pid, Part.DATABASE, name, POSTGRESQL)
    watchdog.forget(before)
