"""What tests share: one embedded PostgreSQL for the whole session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from middlemark.dataset.definition import read_dataset
from middlemark.dataset.loading import load_dataset
from middlemark.target.database import Database
from middlemark.target.postgresql import embedded_postgresql

ROOT = Path(__file__).parents[2]
BROKERAGE = ROOT / "specs" / "brokerage"


@pytest.fixture(scope="session")
def database_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """Give a running PostgreSQL; a test makes databases of its own names in it."""
    settings = ROOT / "databases" / "postgresql" / "postgresql.conf"
    with embedded_postgresql(tmp_path_factory.mktemp("cluster") / "postgresql", settings) as database:
        yield database


@pytest.fixture(scope="session")
def tiny_template(database_cluster: Database) -> str:
    """Give the name of a template with the brokerage at scale tiny; use it with `reset_database`."""
    name = "middlemark_tiny_template"
    load_dataset(database_cluster, read_dataset(BROKERAGE, "tiny"), name)
    return name
