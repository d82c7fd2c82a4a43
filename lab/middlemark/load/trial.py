"""Loads a data set for `middlemark load`: to try it out, or to leave it in a database of the user's."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from middlemark.databases.database import PREFIX, Database
from middlemark.databases.postgresql import embedded_postgresql
from middlemark.databases.users_own import keep_database, user_database
from middlemark.load.fingerprint import fingerprint, row_counts
from middlemark.load.loading import Progress, load_dataset
from middlemark.processes.ending import Part
from middlemark.processes.guard import guard
from middlemark.specification.dataset import Dataset


@dataclass(frozen=True)
class Loaded:
    """What was loaded: rows of each table, seconds it took, and the fingerprint of the content."""

    database: str
    tables: dict[str, int]
    seconds: float
    fingerprint: str


def rehearse(dataset: Dataset, url: str | None, progress: Callable[[Progress], None]) -> Loaded:
    """Load into the user's database, which keeps it, or into one of our own, which goes."""
    name = f"{PREFIX}{dataset.spec}_{dataset.scale}"
    with _server(url) as database:
        began = time.monotonic()
        load_dataset(database, dataset, name, progress)
        seconds = time.monotonic() - began
        with database.connected(name) as connection:
            loaded = Loaded(name, row_counts(connection), seconds, fingerprint(connection))
        keep_database(database, name)
        return loaded


@contextmanager
def _server(url: str | None) -> Iterator[Database]:
    """Hold the user's server, or one of our own which a guard stops if this process is killed."""
    if url is not None:
        with user_database(url) as database:
            yield database
        return
    with guard() as watching, ExitStack() as stack:
        place = stack.enter_context(watching.private_folder("middlemark-postgresql-"))
        stack.enter_context(watching.expecting(Part.DATABASE, "PostgreSQL"))
        yield stack.enter_context(embedded_postgresql(place))
