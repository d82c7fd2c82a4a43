"""What tests share: one embedded PostgreSQL for the whole session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from middlemark.target.database import Database
from middlemark.target.postgresql import embedded_postgresql


@pytest.fixture(scope="session")
def database_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """Give a running PostgreSQL; a test makes databases of its own names in it."""
    settings = Path(__file__).parents[2] / "databases" / "postgresql" / "postgresql.conf"
    with embedded_postgresql(tmp_path_factory.mktemp("cluster") / "postgresql", settings) as database:
        yield database
