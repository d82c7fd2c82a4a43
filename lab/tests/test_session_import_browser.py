"""The whole way: a person trades in Chromium, the recording is imported, many users repeat it without an error."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from recorded_trading import Sold, record_trading
from up_command import up

pytestmark = [pytest.mark.long, pytest.mark.full]

BROKERAGE = Path(__file__).parents[2] / "specs" / "brokerage" / "sessions" / "brokerage.yaml"
NUMBERS = ["--number", "accounts=50", "--number", "quotes=100"]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with up(tmp_path_factory.mktemp("up")) as running:
        yield running.address()


@pytest.fixture(scope="module", params=list(Sold))
def session(
    browser: Browser, address: str, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Path:
    """Give the session of somebody who has traded just now."""
    folder = tmp_path_factory.mktemp("recorded")
    record_trading(browser, address, folder / "trading.har", request.param)
    lab(folder, "session", "import", "trading.har", "--feeds", str(BROKERAGE))
    return folder / "trading.yaml"


def lab(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "middlemark", *words], capture_output=True, text=True, check=False, cwd=folder
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_many_users_repeat_what_one_person_did_without_a_failed_check(session: Path, address: str) -> None:
    # Two of eight users were the same of fifty customers again and again, if each had not its own.
    many = ["--users", "8", "--think", "50ms", "--ramp", "1s", "--duration", "6s"]
    done = lab(
        session.parent, "drive", session.name, "--target", address, *NUMBERS, *many, "--json", "--out", "results"
    )
    result = json.loads(done.stdout)
    assert result["total"]["errors"] == 0
    assert result["iterations"] >= 8
    assert all(figures["count"] > 0 for figures in result["transactions"].values())
    confirmed, end = _lines(Path(session.parent / result["out"]))
    # Ramp-up and ramp-down included: no response failed a check, none was missing.
    assert all(counts["invalid"] == 0 for counts in confirmed["transactions"].values())
    assert (end["errors"], end["unanswered"]) == ({}, 0)


def test_one_user_repeats_it_at_the_pace_of_the_person(session: Path, address: str) -> None:
    done = lab(session.parent, "drive", session.name, "--target", address, *NUMBERS, "--users", "1", "--json")
    result = json.loads(done.stdout)
    assert result["total"]["errors"] == 0
    assert result["iterations"] >= 1


def _lines(folder: Path) -> tuple[dict[str, dict[str, dict[str, int]]], dict[str, object]]:
    lines = [json.loads(line) for line in (folder / "intervals.ndjson").read_text(encoding="utf-8").splitlines()]
    (confirmed,) = [line for line in lines if line["type"] == "confirmed"]
    return confirmed, lines[-1]
