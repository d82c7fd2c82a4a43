"""Transactions in doubt, of two-phase commit: waits until databases show some, and follows these to their end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence

from middlemark.databases.database import Connection
from middlemark.databases.prepared_transactions import ended_transactions, prepared_transactions
from middlemark.load.stores import Store
from middlemark.records.run_parts import InDoubt, TransactionOutcome

# A freeze that leaves nothing in doubt lasts so long. After 10 s without an answer a branch may be rolled back.
_LOOK_SECONDS = 0.3
# A process that is frozen may hold a lock that the look for transactions needs. Then the freeze ends.
_LOOK_LIMIT_SECONDS = 2.0
# A transaction that stays prepared for so long waits for what is frozen: it takes milliseconds otherwise.
_WAITING_SECONDS = 0.1
_PAUSE_SECONDS = 0.02
_FOLLOW_PAUSE_SECONDS = 0.2


def transactions_in_doubt(
    databases: Sequence[tuple[Store, Connection]], thaw: Callable[[], object], limit_s: float = _LOOK_LIMIT_SECONDS
) -> tuple[InDoubt, ...]:
    """Transactions that stay prepared in these databases during a freeze.

    It returns as soon as there are some, and none after `_LOOK_SECONDS`. When the look has not ended after `limit_s`,
    `thaw` ends the freeze, and there are none.
    """
    expired = threading.Event()

    def end_freeze() -> None:
        expired.set()  # first: the look ends as soon as the freeze does
        thaw()

    limit = threading.Timer(limit_s, end_freeze)
    limit.start()
    try:
        found = _stay_prepared(databases)
    finally:
        limit.cancel()
        limit.join()
    return () if expired.is_set() else found


def _stay_prepared(databases: Sequence[tuple[Store, Connection]]) -> tuple[InDoubt, ...]:
    deadline = time.monotonic() + _LOOK_SECONDS
    time.sleep(_WAITING_SECONDS)  # younger ones may be about to end by themselves
    while True:
        found = tuple(
            InDoubt(database=store.name, gid=one.gid, xid=one.xid, prepared_s=one.age_s)
            for store, connection in databases
            for one in prepared_transactions(connection, store.database)
            if one.age_s >= _WAITING_SECONDS
        )
        if found or time.monotonic() > deadline:
            return found
        time.sleep(_PAUSE_SECONDS)  # nothing tells when one is prepared


def follow(
    in_doubt: tuple[InDoubt, ...], stores: Mapping[str, Store], limit_s: float, clock: Callable[[], float]
) -> tuple[InDoubt, ...]:
    """The transactions with outcomes, when all have ended or after `limit_s`; `clock`: seconds since the hello."""
    deadline = time.monotonic() + limit_s
    while True:
        in_doubt = tuple(one for name, store in stores.items() for one in _followed(in_doubt, name, store, clock))
        if all(one.ended_s is not None for one in in_doubt) or time.monotonic() > deadline:
            return in_doubt
        time.sleep(_FOLLOW_PAUSE_SECONDS)  # nothing tells when one ends


def _followed(in_doubt: Sequence[InDoubt], name: str, store: Store, clock: Callable[[], float]) -> list[InDoubt]:
    """Those of one database, with the end of each that has ended meanwhile."""
    here = [one for one in in_doubt if one.database == name]
    waiting = [one.xid for one in here if one.ended_s is None]
    if not waiting:
        return here
    with store.connected() as connection:
        committed = ended_transactions(connection, waiting)
    outcomes = {True: TransactionOutcome.COMMITTED, False: TransactionOutcome.ROLLED_BACK}
    now = clock()
    return [
        one.model_copy(update={"outcome": outcomes[committed[one.xid]], "ended_s": now})
        if one.xid in committed
        else one
        for one in here
    ]
