"""The databases of a specification in use: each on its server, loaded once as a template and reset from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from middlemark.databases.database import PREFIX, Connection, Database, drop_database
from middlemark.databases.database_url import KEYWORDS, parameters_of
from middlemark.databases.watched_database import UNPINNED, watched_servers
from middlemark.errors import InputError
from middlemark.load.fingerprint import fingerprint
from middlemark.load.loading import Progress, load_dataset, reset_database
from middlemark.processes.watchdog import Watchdog
from middlemark.records.placement import database_tier
from middlemark.specification.dataset import Dataset
from middlemark.specification.specification import Specification


@dataclass(frozen=True)
class Store:
    """One database of a specification. `database` is the name of the one in use, a copy of `template`.

    `tier` is the name under which its server is watched.
    """

    name: str
    tier: str
    server: Database
    template: str
    database: str

    @property
    def url(self) -> str:
        """Return the address of the database in use, as applications take it."""
        return self.server.url(self.database)

    @property
    def is_users(self) -> bool:
        """Say whether it lies in a server of the user's."""
        return self.server.server is None

    def connected(self) -> AbstractContextManager[Connection]:
        """Hold a connection to the database in use; raises what `Database.connected` raises."""
        return self.server.connected(self.database)

    def reset(self) -> None:
        """Bring the database back to exactly the loaded state."""
        reset_database(self.server, self.template, self.database)

    def load(self, dataset: Dataset, progress: Callable[[Progress], None] = lambda _: None) -> int:
        """Make the template and fill it; return the rows."""
        return load_dataset(self.server, dataset, self.template, progress)


Stores = Mapping[str, Store]
"""Every database of a specification by its name; none for a specification without databases."""


@contextmanager
def stores(
    specification: Specification,
    urls: Mapping[str, str],
    watchdog: Watchdog,
    logs: Path,
    cpus: Mapping[str, frozenset[int]] = UNPINNED,
) -> Iterator[Stores]:
    """Hold a server for each database of the specification; nothing is loaded yet.

    `urls` are those of the user's own servers by database; a database without has one of our own, on the
    CPUs of its tier. Raises InputError for an unknown name in `urls` and for two URLs of one server, and what
    `watched_servers` raises.
    """
    names = server_names(specification)
    of_servers: dict[str, str] = {}
    for name, url in urls.items():
        server = names[specification.database_called(name)]
        if of_servers.setdefault(server, url) != url:
            what = f"the databases of the server '{server}' have different URLs"
            raise InputError(what, where="--database", todo="Give the URL of one of them")
    with watched_servers(list(dict.fromkeys(names.values())), of_servers, watchdog, logs, cpus) as servers:
        several = len(servers) > 1
        yield {
            name: Store(
                name=name,
                tier=database_tier(server if several else None),
                server=servers[server],
                template=f"{PREFIX}template_{name}_{watchdog.name_part}",
                database=f"{PREFIX}run_{name}_{watchdog.name_part}",
            )
            for name, server in names.items()
        }


def server_names(specification: Specification) -> dict[str, str]:
    """Return the name of the server of each database: its own, or the one that several share."""
    return {name: database.server or name for name, database in specification.description.databases.items()}


def servers_of(these: Stores) -> dict[str, Database]:
    """Return each server once, by the tier under which it is watched."""
    return {store.tier: store.server for store in these.values()}


def load_all(
    these: Stores, datasets: Mapping[str, Dataset], progress: Callable[[Progress], None] = lambda _: None
) -> int:
    """Load the data set of every database into its template; return the rows."""
    return sum(store.load(datasets[name], progress) for name, store in these.items())


def reset_all(these: Stores) -> None:
    """Bring every database back to exactly the loaded state."""
    for store in these.values():
        store.reset()


def drop_databases(these: Stores) -> None:
    """Drop every database in use."""
    for store in these.values():
        drop_database(store.server, store.database)


def drop_all(these: Stores) -> None:
    """Drop every database in use, and every template."""
    drop_databases(these)
    for store in these.values():
        drop_database(store.server, store.template)


def urls_of(these: Stores) -> dict[str, str]:
    """Return the address of every database in use."""
    return {name: store.url for name, store in these.items()}


def fingerprint_of(these: Stores) -> str:
    """Return what proves which rows the templates hold: of several databases `name fingerprint, …`; empty of none."""
    found = {}
    for name, store in these.items():
        with store.server.connected(store.template) as connection:
            found[name] = fingerprint(connection)
    return next(iter(found.values())) if len(found) == 1 else ", ".join(f"{n} {one}" for n, one in found.items())


def parse_urls(specification: Specification, texts: tuple[str, ...]) -> dict[str, str]:
    """Return the URLs of `--database`: `NAME=URL`, or the URL alone where there is one database.

    Raises InputError for a name that the specification does not have, for one given twice, and for what is not a URL.
    """
    found: dict[str, str] = {}
    for text in texts:
        name, equals, url = text.partition("=")
        known = specification.description.databases
        is_url = not equals or "://" in name or (name.strip() in KEYWORDS and name not in known)
        database = specification.database_called(None if is_url else name)
        if database in found:
            raise InputError(f"the database '{database}' is given twice", where="--database")
        found[database] = text if is_url else url
        parameters_of(found[database])
    return found
