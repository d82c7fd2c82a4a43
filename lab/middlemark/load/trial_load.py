"""Loads the data sets of a specification for `middlemark load`: as a trial, or to stay in the user's servers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from middlemark.databases.database import PREFIX, drop_database
from middlemark.databases.users_own import keep_database
from middlemark.load.fingerprint import fingerprint, row_counts
from middlemark.load.loading import Progress
from middlemark.load.stores import Store, stores
from middlemark.processes.watchdog import watchdog
from middlemark.specification.dataset import Dataset
from middlemark.specification.specification import Specification


@dataclass(frozen=True)
class Loaded:
    """What was loaded: rows of each table, seconds it took, and the fingerprint of the content.

    `database` is its name in the server, `kept` says that it stays there.
    """

    name: str
    database: str
    tables: dict[str, int]
    seconds: float
    fingerprint: str
    kept: bool


def trial_load(
    specification: Specification, scale: str, urls: Mapping[str, str], progress: Callable[[Progress], None]
) -> list[Loaded]:
    """Load every database, into the user's server where `urls` has one, which keeps it, or into one of our own."""
    datasets = specification.datasets(scale)
    with (
        watchdog() as watch,
        watch.private_folder("middlemark-load-") as logs,
        stores(specification, urls, watch, logs) as these,
    ):
        found = [
            _loaded(store, datasets[name], _name(specification, store, scale), progress)
            for name, store in these.items()
        ]
        for one in found:
            if one.kept:
                keep_database(these[one.name].server, these[one.name].template, one.database)
        return found


def _name(specification: Specification, store: Store, scale: str) -> str:
    """Return the name under which a database may stay: two specifications may call theirs the same."""
    return PREFIX + "_".join(dict.fromkeys((specification.name, store.name, scale)))


def _loaded(store: Store, dataset: Dataset, name: str, progress: Callable[[Progress], None]) -> Loaded:
    """Load a database under the name by which `doctor` finds what a killed lab left; it is called `name` when all is.

    What was loaded before goes first: there need not be room for both.
    """
    if store.is_users:
        drop_database(store.server, name)
    began = time.monotonic()
    store.load(dataset, progress)
    seconds = time.monotonic() - began
    with store.server.connected(store.template) as connection:
        return Loaded(store.name, name, row_counts(connection), seconds, fingerprint(connection), store.is_users)
