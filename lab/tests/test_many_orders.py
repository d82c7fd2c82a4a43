"""A user with thousands of orders waits no longer than others: every page reads what it shows through an index.

    pytest -m full -s lab/tests/test_many_orders.py

loads the largest scale, measures the pages of two users in turn and prints the ratio of their medians.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from middlemark.databases.database import Database, drop_database
from middlemark.load.loading import load_dataset
from middlemark.processes.watchdog import Watchdog, watchdog
from middlemark.specification.specification import read_specification
from middlemark.subject.build import build
from middlemark.subject.subject import find_subject
from middlemark.topology.deployment import deployed
from middlemark.topology.request import DeploymentRequest, Program

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
BROKERAGE = ROOT / "specs" / "brokerage"
BUSY, USUAL = "uid:1", "uid:2"
ORDERS = {BUSY: 5_000, USUAL: 100}
PAGES = ("/account", "/account?orders=all", "/home", "/portfolio")
TABLES = ("accounts", "holdings", "orders", "profiles")
REPEATS = 10  # from the sixth on, PostgreSQL may take one plan for all values
MEASURED = 200
LIMIT = 1.1

# Both keep the five holdings of the data set, or their portfolios would differ in size. Orders come in pairs, a buy and
# the sell of what it has bought; the last one of an odd number is a buy whose holding is no longer there.
_PLACED = """
WITH placed AS (
    SELECT n, account_id, nextval(pg_get_serial_sequence('holdings', 'holding_id')) AS holding
    FROM accounts, generate_series(1, %(more)s, 2) AS n WHERE user_id = %(user)s
)
INSERT INTO orders (
    account_id, order_type, status, symbol, quantity, price, fee, open_time, completion_time, holding_id, seen
)
SELECT account_id, type, 'closed', 's:' || n %% 100, 1, 10, 24.95, at, at + interval '1 second', holding, true
FROM placed, (VALUES (0, 'buy'), (1, 'sell')) AS pair (rank, type),
     LATERAL (SELECT timestamptz '2019-12-01 00:00:00+00' + n * interval '1 minute' AS at) AS time
WHERE n + rank <= %(more)s ORDER BY n, rank
"""
_READ = """
SELECT relname, seq_scan, coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables WHERE relname = ANY (%s)
"""


@contextmanager
def _loaded(database: Database, scale: str) -> Iterator[str]:
    """Give the name of a database of that scale in which both users have their orders."""
    name = f"middlemark_many_{scale}"
    load_dataset(database, read_specification(BROKERAGE).datasets(scale)["brokerage"], name)
    with database.connected(name) as connection:
        for user, number in ORDERS.items():
            connection.execute(_PLACED, {"user": user, "more": number - 5})
            counted = connection.execute(
                "SELECT count(*) FROM orders JOIN accounts USING (account_id) WHERE user_id = %s", [user]
            ).fetchone()
            assert counted == (number,)
        connection.execute("VACUUM (ANALYZE)")
    yield name
    drop_database(database, name)


@pytest.fixture(scope="module")
def watching(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watchdog]:
    with watchdog(tmp_path_factory.mktemp("watchdog")) as running:
        yield running


@pytest.fixture(scope="module")
def go(tmp_path_factory: pytest.TempPathFactory, watching: Watchdog) -> Program:
    """Give the Go application, built."""
    subject = find_subject(ROOT, "go", "brokerage")
    return Program(subject, build(subject, tmp_path_factory.mktemp("built"), watching))


@contextmanager
def _application(go: Program, database_url: str, watching: Watchdog, logs: Path) -> Iterator[str]:
    request = DeploymentRequest(go, {}, {"brokerage": database_url}, logs, settings={"MM_DATABASE_POOL": "1"})
    with deployed(request, watching) as target:
        yield target.addresses[0]


@contextmanager
def _visitor(address: str, user: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=address, trust_env=False, timeout=30) as browser:
        assert browser.post("/login", data={"user_id": user, "password": "xxx"}).status_code == httpx.codes.SEE_OTHER
        yield browser


def _read(database: Database, name: str) -> dict[str, tuple[int, int]]:
    """Return sequential scans and rows fetched through an index, by table."""
    with database.connected(name) as connection:
        return {table: (scans, fetched) for table, scans, fetched in connection.execute(_READ, [list(TABLES)])}


def test_no_page_reads_more_than_it_shows_however_many_orders_there_are(
    database_cluster: Database, go: Program, watching: Watchdog, tmp_path: Path
) -> None:
    fetched: dict[str, dict[str, int]] = {}
    with _loaded(database_cluster, "demo") as name:
        for user in ORDERS:
            before = _read(database_cluster, name)
            with (
                _application(go, database_cluster.url(name), watching, tmp_path) as address,
                _visitor(address, user) as visitor,
            ):
                for _ in range(REPEATS):
                    for page in PAGES:
                        assert visitor.get(page).status_code == httpx.codes.OK
            # The application's connection has told what it read when it ended.
            after = _read(database_cluster, name)
            assert {table: after[table][0] - before[table][0] for table in TABLES} == dict.fromkeys(TABLES, 0)
            fetched[user] = {table: after[table][1] - before[table][1] for table in TABLES}

    assert fetched[BUSY] == fetched[USUAL]
    assert fetched[BUSY]["orders"] == REPEATS * (5 + 100)
    assert fetched[BUSY]["holdings"] == REPEATS * (5 + 5)


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_a_user_with_many_orders_waits_no_longer_at_full_scale(
    database_cluster: Database, go: Program, watching: Watchdog, tmp_path: Path
) -> None:
    with (
        _loaded(database_cluster, "full") as name,
        _application(go, database_cluster.url(name), watching, tmp_path) as address,
        _visitor(address, BUSY) as busy,
        _visitor(address, USUAL) as usual,
    ):
        ratios = {page: _ratio(busy, usual, page) for page in PAGES}

    assert all(ratio <= LIMIT for ratio in ratios.values()), ratios


def _ratio(busy: httpx.Client, usual: httpx.Client, page: str) -> float:
    """Return the ratio of the medians of both users' times for a page, visited in turn."""
    times: dict[int, list[float]] = {0: [], 1: []}
    for visit in range(MEASURED):
        for user in (0, 1) if visit % 2 else (1, 0):
            began = time.perf_counter()
            assert (busy, usual)[user].get(page).status_code == httpx.codes.OK
            times[user].append(time.perf_counter() - began)
    medians = [statistics.median(times[user]) * 1000 for user in (0, 1)]
    ratio = medians[0] / medians[1]
    print(f"\n{page}: p50 {medians[0]:.3f} ms with 5,000 orders, {medians[1]:.3f} ms with 100: ratio {ratio:.3f}")
    return ratio
