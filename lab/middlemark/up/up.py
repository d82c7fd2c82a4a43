"""Starts an application with its database for people to look at: the whole of `middlemark up` but its printing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from middlemark.checkout import checkout
from middlemark.databases.database import PREFIX, drop_database
from middlemark.databases.guarded_database import guarded_database
from middlemark.errors import HostError, TargetError
from middlemark.load.loading import load_dataset
from middlemark.processes.guard import Guard, guard
from middlemark.processes.ports import require_free
from middlemark.specification.dataset import Dataset, read_dataset, specification
from middlemark.subject.build import build, build_step
from middlemark.subject.subject import Subject, find_subject
from middlemark.topology.laying_out import laid_out
from middlemark.topology.topology import ServingOrder, Target, serving

SECONDS_BETWEEN_LOOKS = 0.5


@dataclass(frozen=True)
class UpOrder:
    """What to show. `modes` are wishes, also for the layout; `port` is a free one when None."""

    home: Path
    subject: Subject
    dataset: Dataset
    modes: Mapping[str, str]
    port: int | None
    database: str | None


def up_order(subject: str, spec: str, scale: str) -> UpOrder:
    """Return the order for a subject with the defaults of everything else; InputError when something is unknown."""
    home = checkout()
    dataset = read_dataset(specification(spec), scale)
    return UpOrder(home, find_subject(home, subject, spec), dataset, {}, None, None)


@dataclass(frozen=True)
class Standing:
    """What stands: the application, the address of its database with user and password, the folder of its logs."""

    target: Target
    database_url: str
    logs: Path


@contextmanager
def standing(order: UpOrder, tell: Callable[[str], None]) -> Iterator[Standing]:
    """Build, load and start; everything is gone when the context ends. `tell` hears what is being done.

    Raises HostError for a taken port, and what building, loading and starting raise. After a HostError or TargetError
    the logs stay: its message names them.
    """
    wishes, layout = laid_out(order.home, order.modes)
    modes = order.subject.chosen(wishes)
    if order.port is not None:
        require_free(order.port)
    with guard() as watch, _logs(watch) as logs:
        tell(build_step(order.subject))
        artifact = build(order.subject, order.home, watch)
        tell("starting the database")
        with guarded_database(order.database, watch, logs / "database.log") as database:
            tell(f"loading {order.dataset.spec} at scale {order.dataset.scale}")
            name = f"{PREFIX}up_{watch.name_part}"
            load_dataset(database, order.dataset, name)
            tell(f"starting {order.subject.name}")
            url = database.url(name)
            try:
                asked = ServingOrder(
                    order.subject,
                    artifact,
                    modes,
                    url,
                    logs,
                    port=order.port,
                    web_servers=layout.web_servers,
                    processors=layout.processors,
                    front=layout.front,
                )
                with serving(asked, watch) as target:
                    yield Standing(target, url, logs)
            finally:
                drop_database(database, name)


def wait_while_alive(target: Target) -> None:
    """Wait for ever; raise TargetError when a process of the application ends by itself."""
    while True:
        died = target.died()
        if died:
            raise TargetError(str(died), where=str(died.log), todo="Read its last lines there")
        time.sleep(SECONDS_BETWEEN_LOOKS)


@contextmanager
def _logs(watch: Guard) -> Iterator[Path]:
    """Give a private folder for logs. It stays when something failed that had written one."""
    with watch.private_folder("middlemark-up-") as folder:
        try:
            yield folder
        except (HostError, TargetError):
            if any(folder.iterdir()):
                watch.leave(folder)
            raise
