"""Plays a few cases on an application that has just been loaded: does it still do what it is specified to do?"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from middlemark.audit.rules import read_rules
from middlemark.conformance.cases.case import REPLAY
from middlemark.conformance.cases.suite import Placed, read_cases
from middlemark.conformance.execution.lost_connections import wait_until_noticed
from middlemark.conformance.execution.order import SCALE, LoadedServer
from middlemark.conformance.execution.play import play_case
from middlemark.conformance.execution.state.loaded import LeftBehindError, Loaded
from middlemark.conformance.execution.state.rules import Rules
from middlemark.conformance.execution.steps.browser import open_client
from middlemark.conformance.execution.steps.stage import Addresses, CaseDatabase, Stage
from middlemark.conformance.result import Play
from middlemark.databases.database import exists
from middlemark.errors import TargetError
from middlemark.load.loading import load_dataset, reset_database
from middlemark.records.proof import Replay
from middlemark.records.run import ORDERS, SYNC
from middlemark.specification.dataset import read_dataset
from middlemark.topology.topology import Target
from middlemark.wording import first_line

NOT_NOTICED = "before the first case a connection that was cut may still have been in a pool"


@dataclass(frozen=True)
class ReplayOrder:
    """What to play on: the application as it stands, its database's name, and where the cases' own data set is kept.

    The template is loaded when it is not there yet; the application's database is a copy of it afterwards.
    """

    target: Target
    spec_folder: Path
    place: LoadedServer
    name: str


def replay(order: ReplayOrder) -> Replay | None:
    """Play the cases tagged `replay` over the pages; None when the specification has none for this mode of orders.

    An application that does not survive the change of its data has failed them all. Raises InputError for a wrong case
    file.
    """
    orders = order.target.modes.get(ORDERS, SYNC)
    cases = [placed for placed in _cases(order.spec_folder) if not placed.case.orders or orders in placed.case.orders]
    if not cases:
        return None
    server, template = order.place.server, order.place.template
    if not exists(server, template):
        load_dataset(server, read_dataset(order.spec_folder, SCALE), template)
    reset_database(server, template, order.name)
    try:
        order.target.wait_until_ready()
    except TargetError as error:
        return Replay(plays=len(cases), failed=len(cases), first=f"before the first: {first_line(error)}")
    wrong = [_wrong(placed, text) for placed, text in _played(order, cases, orders) if text]
    return Replay(plays=len(cases), failed=len(wrong), first=wrong[0] if wrong else "")


@cache
def _cases(spec_folder: Path) -> tuple[Placed, ...]:
    """Return the cases to play; reading all files takes longer than playing these."""
    return tuple(placed for placed in read_cases(spec_folder) if REPLAY in placed.case.tags)


def _played(order: ReplayOrder, cases: list[Placed], orders: str) -> Iterator[tuple[Placed, str]]:
    """Yield each case with what was wrong, empty when nothing was."""
    server = order.place.server
    with ExitStack() as stack:
        connection = stack.enter_context(server.connected(order.name))
        connection.execute("SET synchronous_commit = off")
        rules = Rules(connection, read_rules(order.spec_folder))
        database = CaseDatabase(server, order.name, connection, Loaded(connection), rules)
        address = order.target.addresses[0]
        client = stack.enter_context(open_client(address))
        stage = Stage(Addresses(address, None, None), order.spec_folder, orders, database, threading.Event(), client)
        stack.callback(stage.close)
        # The change of the data has cut the connections: no case is to meet one of them in a pool.
        noticed = wait_until_noticed(order.target, client, server.url(order.name))
        note = "" if noticed else f" ({NOT_NOTICED})"
        for placed in cases:
            failure = _first_failure(play_case(placed, "", "", stage).play)
            try:
                database.loaded.put_back()
            except LeftBehindError as left:
                yield placed, (failure or f"afterwards: {left}") + note
                return
            yield placed, failure and failure + note


def _first_failure(play: Play) -> str:
    return next((f"{failure.step or 'at the end'}: {failure.text}" for failure in play.failures), "")


def _wrong(placed: Placed, text: str) -> str:
    return f"{placed.case.name}, {text}"
