"""Plays the cases on an application that somebody else has started, known by its address alone."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from psycopg import sql

from middlemark.audit.rules import read_rules
from middlemark.conformance.cases.needs import database_need
from middlemark.conformance.cases.settings import SETTINGS
from middlemark.conformance.cases.suite import Placed
from middlemark.conformance.execution.cell import Cell, Extent
from middlemark.conformance.execution.play import not_checked, play_case
from middlemark.conformance.execution.state.loaded import LeftBehindError, Loaded
from middlemark.conformance.execution.state.rules import Rules
from middlemark.conformance.execution.state.tables import COPIES
from middlemark.conformance.execution.steps.browser import open_client
from middlemark.conformance.execution.steps.stage import Addresses, CaseDatabase, Stage
from middlemark.conformance.failure import Stopped
from middlemark.conformance.result import DATA_ACCESS, Played
from middlemark.databases.database import PREFIX, Database, drop_database
from middlemark.databases.users_own import database_at, user_database
from middlemark.errors import InputError, TargetError
from middlemark.load.fingerprint import fingerprint
from middlemark.load.loading import load_dataset
from middlemark.records.run import BINDING, ORDERS, SYNC
from middlemark.specification.dataset import Dataset
from middlemark.topology.about import About, read_about


@dataclass(frozen=True)
class AddressOrder:
    """An application at `address` (http://host:port); `database` is the URL of its database, if that is known."""

    address: str
    spec_folder: Path
    dataset: Dataset
    database: str | None


@dataclass(frozen=True)
class AddressResult:
    """What came of it: every play, what is not offered, and what a reader must know."""

    plays: tuple[Played, ...]
    not_offered: tuple[str, ...]
    notes: tuple[str, ...]


def play_address(
    order: AddressOrder, cases: Sequence[Placed], hear: Callable[[Played], bool], stop: threading.Event
) -> AddressResult:
    """Play the cases without settings of their own. `hear` is told of every play; when it returns True, that was all.

    Raises TargetError when nothing answers or the data set cannot be put back, InputError when the application is of
    another specification or version, or the database does not hold the data set.
    """
    about = read_about(order.address)
    _require_version(about, order)
    with ExitStack() as stack:
        client = stack.enter_context(open_client(order.address))
        addresses, offered = _offered(order.address, about, client)
        database = None if order.database is None else stack.enter_context(_database(order, order.database))
        orders = about.settings.get(ORDERS, SYNC)
        stage = Stage(addresses, order.spec_folder, orders, database, stop, client)
        stack.callback(stage.close)
        cell = Cell(_modes(about), offered, Extent.COMPLETE)
        played: list[Played] = []
        for placed, binding in cell.plays([one for one in cases if not one.settings]):
            one = _play(placed, binding, cell, stage)
            if one is None:
                break
            played.append(one)
            if hear(one):
                break
    missing = tuple(f"binding {one}" for one in ("json", "soap", "grpc") if one not in offered)
    return AddressResult(tuple(played), missing, tuple(_notes(about, order)))


def _require_version(about: About, order: AddressOrder) -> None:
    """Refuse an application that says it obeys other rules than those the cases ask for."""
    said = (about.specification, about.specification_version)
    wanted = (order.dataset.spec, str(order.dataset.version))
    if said != wanted:
        raise InputError(
            f"this application says that its specification is {' '.join(said)}, the cases are of {' '.join(wanted)}",
            where=f"{order.address}/about",
            todo="Start one of that specification and version, or use the Middlemark that the application was made for",
        )


def _play(placed: Placed, binding: str, cell: Cell, stage: Stage) -> Played | None:
    need = None if stage.database else database_need(placed, stage.orders)
    if need:
        return not_checked(placed, cell.name, binding, f"{need} needs --database URL")
    try:
        played = play_case(placed, cell.name, binding, stage)
    except Stopped:
        return None
    if stage.database is not None:
        try:
            stage.database.loaded.put_back()
        except LeftBehindError as left:
            raise TargetError(
                f"the data set cannot be put back after this case ({left})", where=placed.where, todo="Load it anew"
            ) from left
    return played


def _modes(about: About) -> dict[str, str]:
    """Return the modes in the order in which a subject's cells name them."""
    names = {DATA_ACCESS: "data_access", BINDING: "binding", ORDERS: "orders"}
    return {mode: about.settings[name] for mode, name in names.items() if about.settings.get(name)}


def _offered(address: str, about: About, client: httpx.Client) -> tuple[Addresses, tuple[str, ...]]:
    """Return where operations are called, and over which bindings the process offers them."""
    services = address if "services" in about.roles else None
    port = about.settings.get("grpc_port", "")
    grpc = f"http://{urlsplit(address).hostname}:{port}" if services and port else None
    has_wsdl = services is not None and _has_wsdl(f"{services}/services/soap?wsdl", client)
    offered = [*(["json"] if services else []), *(["soap"] if has_wsdl else []), *(["grpc"] if grpc else [])]
    return Addresses(address, services, grpc), tuple(offered)


def _has_wsdl(where: str, client: httpx.Client) -> bool:
    """Say whether the process describes itself for SOAP; TargetError when it does not answer at all."""
    try:
        return client.get(where).status_code == httpx.codes.OK
    except httpx.HTTPError as error:
        raise TargetError(
            f"does not answer ({error or type(error).__name__})",
            where=where,
            todo="See the application's log",
        ) from error


def _notes(about: About, order: AddressOrder) -> Iterator[str]:
    for name, wanted in SETTINGS.items():
        came = about.settings.get(name.removeprefix("MM_").lower(), "")
        if came != wanted:
            yield f"note: the cases expect {name}={wanted}, this application has {came or 'none'}"
    if order.database is None:
        yield (
            "note: without --database the data set is not put back between cases: a case can fail because of an "
            "earlier one. Load the data set at scale tiny first"
        )


@contextmanager
def _database(order: AddressOrder, url: str) -> Iterator[CaseDatabase]:
    """Work on the application's own database: copies of its tables lie beside them until the context ends."""
    name = database_at(url)[1]
    drop = sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(COPIES))
    with user_database(url) as server, server.connected(name) as connection:
        _require_loaded(server, name, order)
        connection.execute(drop)
        try:
            rules = Rules(connection, read_rules(order.spec_folder))
            yield CaseDatabase(server, name, connection, Loaded(connection), rules)
        finally:
            connection.execute(drop)


def _require_loaded(server: Database, name: str, order: AddressOrder) -> None:
    """Refuse a database that holds anything but the data set as it is loaded; a second one shows how that is."""
    fresh = f"{PREFIX}fresh_{secrets.token_hex(6)}"
    load_dataset(server, order.dataset, fresh)
    prints = []
    for one in (fresh, name):
        with server.connected(one) as connection:
            prints.append(fingerprint(connection))
    drop_database(server, fresh)
    if prints[0] != prints[1]:
        raise InputError(
            f"this database does not hold the data set {order.dataset.spec} at scale {order.dataset.scale} as loaded",
            where=f"{server.address}/{name}",
            todo=f"Load it with `middlemark load {order.dataset.spec} --scale {order.dataset.scale}`",
        )
