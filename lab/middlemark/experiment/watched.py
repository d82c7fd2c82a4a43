"""What the monitor watches of a subject besides its processes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import chain
from urllib.parse import urlsplit

from middlemark.experiment.running_subject import RunningSubject
from middlemark.monitor.clients import PoolOwner
from middlemark.monitor.database import WatchedDatabase
from middlemark.monitor.watches import Watches, watches
from middlemark.processes.affinity import usable_cpus
from middlemark.specification.resources import DatabaseDefinition
from middlemark.topology.target import Member


@contextmanager
def watches_of(subject: RunningSubject, *, with_databases: bool) -> Iterator[Watches]:
    """Watch the subject's connections, compiler threads, CPUs and neighbours, `with_databases` databases and pools too.

    Databases and processes that faults freeze or kill would hold the monitor up.
    """
    # Where nothing is pinned, what is measured may run wherever the lab may.
    pinned = frozenset(chain.from_iterable(subject.placement.cpus.values()))
    with _connections_of(subject, with_databases=with_databases) as found:
        yield dataclasses.replace(
            found,
            compilers=subject.target.compiler_threads,
            neighbours=tuple(chain.from_iterable(subject.neighbours.values())),
            cpus=pinned or frozenset(usable_cpus()),
        )


def _connections_of(subject: RunningSubject, *, with_databases: bool) -> AbstractContextManager[Watches]:
    members = subject.target.members
    # What comes and goes at the entry the driver counts by itself, exactly, and on thousands of connections.
    counted = [member.tier for member in members if member.tier not in subject.target.entry_tiers]
    ports: dict[str, tuple[int, ...]] = {}
    for member in members:
        ports[member.tier] = (*ports.get(member.tier, ()), *member.ports.values())
    if not with_databases:
        return watches({}, ports, {}, counted)
    for store in subject.stores.values():
        port = urlsplit(store.url).port
        if port is not None and not store.is_users:
            ports[store.tier] = (port,)
            counted.append(store.tier)
    definitions = subject.target.subject.specification.description.databases
    addresses: dict[str, tuple[str, ...]] = {}
    for member in members:
        if any(one.variable in member.process.spec.settings for one in definitions.values()):
            addresses[member.tier] = (*addresses.get(member.tier, ()), member.address)
    databases = {
        name: WatchedDatabase(store.server, store.database, _owners(members, definitions[name]))
        for name, store in subject.stores.items()
    }
    return watches(databases, ports, addresses, counted)


def _owners(members: tuple[Member, ...], database: DatabaseDefinition) -> dict[str, PoolOwner]:
    """Return the tiers that work on a database, with the sizes of their pools; none without a setting for these."""
    owners: dict[str, PoolOwner] = {}
    for member in members:
        settings = member.process.spec.settings
        if database.pool and database.variable in settings:
            default = member.subject.specification.description.settings[database.pool].default_text
            before = owners.get(member.tier, PoolOwner((), 0))
            size = int(settings.get(database.pool) or default)
            owners[member.tier] = PoolOwner((*before.pids, member.process.pid), before.size + size)
    return owners
