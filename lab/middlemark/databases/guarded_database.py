"""The database of a command: an embedded PostgreSQL under the guard's eyes from its first moment, or the user's own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from middlemark.databases.database import Database, DatabaseServer
from middlemark.databases.postgresql import embedded_postgresql
from middlemark.databases.users_own import user_database
from middlemark.errors import HostError
from middlemark.processes.ending import POSTGRESQL, Part, members
from middlemark.processes.guard import Guard

NAME = "PostgreSQL"


@contextmanager
def guarded_database(
    url: str | None, guard: Guard, log: Path, cpus: frozenset[int] = frozenset()
) -> Iterator[Database]:
    """Work on the user's PostgreSQL, or on one of our own, which is gone afterwards and has left its log at `log`.

    Our own uses these CPUs alone; where none are named, those of the lab.

    Databases made in the user's have the guard's `name_part` in their names: `doctor` finds those of a killed lab.

    Raises HostError or MissingToolError when there is none, InputError for a wrong URL.
    """
    if url is not None:
        with _own(url, guard) as database:
            yield database
        return
    with guard.private_folder("middlemark-postgresql-") as folder:
        try:
            with _embedded(guard, folder, cpus) as database:
                yield database
        finally:
            with suppress(OSError):
                log.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(folder / "server.log", log)


@contextmanager
def _own(url: str, guard: Guard) -> Iterator[Database]:
    made: list[str] = []
    guard.databases_at(url)
    try:
        with user_database(url) as database:
            made = database.created
            yield database
    finally:
        if not made:
            guard.no_databases_at(url)


@contextmanager
def _embedded(guard: Guard, folder: Path, cpus: frozenset[int]) -> Iterator[Database]:
    try:
        with ExitStack() as stack:
            with guard.expecting(Part.DATABASE, NAME):
                database = stack.enter_context(embedded_postgresql(folder, cpus=cpus))
                if database.server is None:
                    raise HostError("the embedded PostgreSQL has no process")
                guard.watch(database.server.pid, Part.DATABASE, NAME, POSTGRESQL)
            yield database
    finally:
        for watched in guard.watched(Part.DATABASE):
            if not members(watched):
                guard.forget(watched.pid)


def restart_guarded(server: DatabaseServer, guard: Guard) -> None:
    """Start a server of `guarded_database` again on its folder and port, whether it runs or was killed.

    Raises HostError when it does not come back.
    """
    before = server.pid
    with guard.expecting(Part.DATABASE, NAME):
        server.restart()
        guard.watch(server.pid, Part.DATABASE, NAME, POSTGRESQL)
    guard.forget(before)
