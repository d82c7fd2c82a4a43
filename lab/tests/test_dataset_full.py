"""Loading the largest scale costs at most twice what the bare SQL costs.

    pytest -m full -s lab/tests/test_dataset_full.py

prints both medians. Minutes, and a disk nobody else is busy on.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import pytest

from middlemark.databases.database import Database, checkpoint, create_database, drop_database
from middlemark.load.fingerprint import fingerprint
from middlemark.load.loading import load_dataset
from middlemark.specification.dataset import Dataset
from middlemark.specification.specification import read_specification

BROKERAGE = Path(__file__).parents[2] / "specs" / "brokerage"
NAME = "middlemark_full"
BLOCKS = 3
LIMIT = 2.0


def _bare(database: Database, dataset: Dataset) -> None:
    """Run the same SQL, each table by one statement, keys afterwards; no progress, statistics or freezing."""
    create_database(database, NAME)
    with database.connected(NAME) as connection:
        connection.execute(dataset.schema.encode())
        for statement in dataset.generate:
            last = dataset.numbers[statement.over] - 1
            connection.execute(statement.sql.format_map({**dataset.numbers, "first": 0, "last": last}).encode())
        connection.execute(dataset.keys.encode())


def _proven(database: Database, dataset: Dataset) -> None:
    """Load as a run does, fingerprint included."""
    load_dataset(database, dataset, NAME)
    with database.connected(NAME) as connection:
        fingerprint(connection)


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_loading_the_full_scale_costs_at_most_twice_the_bare_sql(database_cluster: Database) -> None:
    dataset = read_specification(BROKERAGE).datasets("full")["brokerage"]
    seconds: dict[str, list[float]] = {"bare": [], "load": []}
    for _ in range(BLOCKS):
        for name, work in (("bare", _bare), ("load", _proven)):
            drop_database(database_cluster, NAME)
            checkpoint(database_cluster)
            began = time.monotonic()
            work(database_cluster, dataset)
            seconds[name].append(time.monotonic() - began)
    drop_database(database_cluster, NAME)

    bare, load = (statistics.median(seconds[name]) for name in ("bare", "load"))
    print(f"\nbare {bare:.1f} s, load {load:.1f} s, ratio {load / bare:.2f} (limit {LIMIT:.1f}); {seconds}")
    assert load <= LIMIT * bare
