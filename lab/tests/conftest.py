"""What tests share: one embedded PostgreSQL and one Chromium for the whole session."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from middlemark.databases.database import Database
from middlemark.databases.postgresql import embedded_postgresql
from middlemark.load.loading import load_dataset
from middlemark.specification.specification import read_specification

ROOT = Path(__file__).parents[2]
BROKERAGE = ROOT / "specs" / "brokerage"
# Nothing but the pages under test: no sandbox for root, no look at the network.
CHROMIUM_OPTIONS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run",
]  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest: one that is begun last keeps every other worker waiting."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture(scope="session", autouse=True)
def _signals_of_a_terminal() -> None:
    """Undo what `nohup` and background jobs leave to children: they ignore an ignored signal, not a handled one."""
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


@pytest.fixture(scope="session", autouse=True)
def _user_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let each of several workers look like a user of its own: a run beside another one of the same user counts not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("runtime")))
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


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
    load_dataset(database_cluster, read_specification(BROKERAGE).datasets("tiny")["brokerage"], name)
    return name


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Give a headless Chromium."""
    with chromium() as running:
        yield running


@contextmanager
def chromium(*options: str) -> Iterator[Browser]:
    """Run a headless Chromium; without one the tests fail rather than pass over pages nobody has looked at."""
    found = (shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))
    program = next((path for path in found if path), None)
    if program is None:
        pytest.fail("Chromium is not here: apt install chromium (Debian), brew install chromium (macOS)")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=[*CHROMIUM_OPTIONS, *options])
        yield running
        running.close()
