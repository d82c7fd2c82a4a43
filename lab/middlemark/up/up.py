"""Starts an application with its databases for people to look at: the whole of `middlemark up` but its printing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from middlemark.databases.database_url import without_password
from middlemark.databases.watched_database import UNPINNED
from middlemark.errors import HostError, InputError, TargetError
from middlemark.load.stores import Store, Stores, drop_all, load_all, reset_all, server_names, stores, urls_of
from middlemark.processes.ports import require_free
from middlemark.processes.watchdog import Watchdog, watchdog
from middlemark.records.choices import NAMED, REVERSE_PROXY, instances_of, tier_run
from middlemark.records.placement import Placement
from middlemark.specification.dataset import Dataset
from middlemark.specification.specification import Specification
from middlemark.subject.build import build
from middlemark.subject.subject import Subject
from middlemark.topology.choices import planned_deployment
from middlemark.topology.deployment import deployed
from middlemark.topology.request import Program, require_takes
from middlemark.topology.target import Target

SECONDS_BETWEEN_LOOKS = 0.5


@dataclass(frozen=True)
class UpRequest:
    """What to show. `choices` are those of a combination; `port` is a free one when None.

    `databases` are URLs of the user's own servers, by database. `placement` has the CPUs of roles; a role without runs
    wherever the lab does.
    """

    home: Path
    subject: Subject
    scale: str
    choices: Mapping[str, str] = field(default_factory=dict)
    port: int | None = None
    databases: Mapping[str, str] = field(default_factory=dict)
    placement: Placement | None = None

    @property
    def specification(self) -> Specification:
        """Return the specification of the subject."""
        return self.subject.specification

    @property
    def datasets(self) -> dict[str, Dataset]:
        """Return the data set of every database; InputError for an unknown scale."""
        return self.specification.datasets(self.scale)


@dataclass(frozen=True)
class Running:
    """What is up: the application, its databases, the folder of its logs."""

    target: Target
    stores: Stores
    logs: Path


@contextmanager
def running_application(request: UpRequest, report: Callable[[str], None]) -> Iterator[Running]:
    """Build, load and start; everything is gone when the context ends. `report` hears what is being done.

    Raises InputError for a wrong choice, HostError for a taken port, and what building, loading and starting raise.
    After a HostError or TargetError the logs stay: its message names them.
    """
    _check_choices(request.choices)
    planned = planned_deployment(request.home, request.subject, request.choices)
    modes, datasets = request.subject.chosen(planned.modes), request.datasets
    if request.port is not None:
        require_free(request.port)
    with watchdog() as watch, _logs(watch) as logs:
        artifact = build(request.subject, request.home, watch, report)
        with _loaded(request, datasets, watch, logs, report) as these:
            report(f"starting {request.subject.name}")
            deployment = replace(
                planned,
                program=Program(request.subject, artifact),
                modes=modes,
                databases=urls_of(these),
                logs=logs,
                port=request.port,
                placement=request.placement,
            )
            with deployed(deployment, watch) as target:
                yield Running(target, these, logs)


def _check_choices(choices: Mapping[str, str]) -> None:
    """Raise InputError for a choice that does not concern how an application is deployed."""
    for name in choices:
        if (name in NAMED and name != REVERSE_PROXY) or tier_run(name) is not None:
            todo = f"Choose a mode, a setting, {REVERSE_PROXY} or {instances_of('TIER')}"
            raise InputError(f"'{name}' is for experiments", where="--set", todo=todo)


@contextmanager
def _loaded(  # the five are what a database needs
    request: UpRequest, datasets: Mapping[str, Dataset], watch: Watchdog, logs: Path, report: Callable[[str], None]
) -> Iterator[Stores]:
    """Give the databases with the data sets in them; they are dropped when the context ends."""
    for step in _database_steps(request):
        report(step)
    cpus = request.placement.databases if request.placement else UNPINNED
    with stores(request.specification, request.databases, watch, logs, cpus) as these:
        require_takes(request.subject, urls_of(these))
        if these:
            report(f"loading {request.specification.name} at scale {request.scale}")
        try:
            load_all(these, datasets)
            reset_all(these)
            yield these
        finally:
            drop_all(these)


def _database_steps(request: UpRequest) -> Iterator[str]:
    servers = server_names(request.specification)
    for server in dict.fromkeys(servers.values()):
        names = [name for name, one in servers.items() if one == server]
        own = next((request.databases[name] for name in names if name in request.databases), None)
        which = "the database" + "s" * (len(names) > 1) + f" {' and '.join(names)}" * (len(servers) > 1)
        yield f"starting {which}" if own is None else f"connecting to {which} at {without_password(own)}"


def wait_while_alive(target: Target) -> None:
    """Wait for ever; raise TargetError when a process of the application ends by itself."""
    while True:
        died = target.died()
        if died:
            raise TargetError(str(died), where=str(died.log), todo="Read its last lines there")
        time.sleep(SECONDS_BETWEEN_LOOKS)


def shown_url(store: Store) -> str:
    """Return the address of a database as it may be printed: the password of the user's own server stays the user's."""
    return without_password(store.url) if store.is_users else store.url


@contextmanager
def _logs(watch: Watchdog) -> Iterator[Path]:
    """Give a private folder for logs. It stays when something failed that had written one."""
    with watch.private_folder("middlemark-up-") as folder:
        try:
            yield folder
        except (HostError, TargetError):
            if any(folder.iterdir()):
                watch.leave(folder)
            raise
