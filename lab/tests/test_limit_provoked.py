"""What a real point waited for is named: a pool of one connection, and rows that somebody else has locked."""

from __future__ import annotations

import threading

import psycopg
import pytest
from provocations import Provoking, application, begins
from test_conditions_provoked import Provoked, run

from middlemark.records.driver_lines import Line, PhaseName
from middlemark.records.window import WaitKind

pytestmark = pytest.mark.full

EXPERIMENT = """\
spec: brokerage
scale: tiny
sessions: brokerage
subjects: [go]
modes: {binding: [local]}
settings: {MM_DATABASE_POOL: [1]}
loads: {users: [20, 40]}
think: {constant: 1ms}
phases: {warm: 200ms, settle: 1s, measure: 3s, drain: 10s}
rounds: 1
replacements: 0
work: false
"""
LOCKED, ONE_CONNECTION = 20, 40
HELD_S, FREE_S = 0.2, 0.02


class LockedRows:
    """Holds the locks of all quotes for most of the window, and lets go of them again and again."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._hold, daemon=True)

    def hear(self, line: Line) -> None:
        """Begin before the window, and end behind it."""
        if begins(line, PhaseName.SETTLE):
            self.thread.start()
        elif begins(line, PhaseName.DRAIN):
            self.over.set()
            self.thread.join()

    def _hold(self) -> None:
        with psycopg.connect(application().environ()["MM_DATABASE_URL"]) as connection:
            while not self.over.wait(FREE_S):
                connection.execute("SELECT 1 FROM quotes ORDER BY symbol FOR UPDATE")
                self.over.wait(HELD_S)
                connection.rollback()


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Provoked:
    """Run once, two points."""
    return run(tmp_path_factory.mktemp("limited"), EXPERIMENT, Provoking({LOCKED: LockedRows().hear}, {}))


def test_a_pool_of_one_connection_is_what_many_users_wait_for(result: Provoked) -> None:
    limit = result.window(ONE_CONNECTION).limit
    assert limit is not None
    pool = next(wait for wait in limit.waits if wait.kind is WaitKind.POOL)
    assert pool.tier == "web+services"
    assert (pool.mean or 0) >= 0.1 * (limit.in_progress or 0)
    assert "waiting for the connection pool of web+services: " in limit.message
    assert "all 1 in use in " in limit.message
    assert limit.message in result.report


def test_rows_that_another_session_has_locked_are_what_a_pools_sessions_wait_for(result: Provoked) -> None:
    window = result.window(LOCKED)
    assert window.limit is not None
    kinds = [wait.kind for wait in window.limit.waits]
    assert kinds[0] is WaitKind.POOL
    assert WaitKind.LOCK in kinds
    assert "for row locks: " in window.limit.message
    assert window.databases["brokerage"].pools["web+services"].full > 0.5
