"""The database of a run: an embedded PostgreSQL under the guard's eyes, or the user's own."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from middlemark.experiment.preparation import Preparation
from middlemark.target.database import Database
from middlemark.target.ending import POSTGRESQL, Part
from middlemark.target.guard import Guard
from middlemark.target.postgresql import embedded_postgresql
from middlemark.target.postgresql_own import user_database


@contextmanager
def experiment_database(preparation: Preparation, guard: Guard, logs: Path) -> Iterator[Database]:
    """Yield the database of the run; an embedded one is gone afterwards and has left its log in `logs`."""
    url = preparation.options.database
    if url is not None:
        with user_database(url) as database:
            yield database
        return
    with guard.removing(Path(tempfile.mkdtemp(prefix="middlemark-postgresql-"))) as folder:
        try:
            with embedded_postgresql(folder) as database:
                assert database.server is not None  # noqa: S101 (for the type checker: embedded means with a server)
                pid = database.server.pid
                guard.watch(pid, Part.DATABASE, "PostgreSQL", POSTGRESQL)
                yield database
            guard.forget(pid)
        finally:
            with suppress(OSError):
                shutil.copyfile(folder / "server.log", logs / "database.log")
