"""The case that every specification has: `verify` asks of `/about` what a run will ask."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from run_command import found_in

from conftest import ROOT
from middlemark.conformance.cases.suite import ABOUT_CASE
from middlemark.records.point import Outcome

CHECKOUT = Path(__file__).parent / "checkout"
ABOUT = '"settings": SETTINGS,'
SECONDS = 120

pytestmark = pytest.mark.long


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Give a checkout with the specification `sums` alone."""
    home = tmp_path / "checkout"
    shutil.copytree(CHECKOUT, home, ignore=shutil.ignore_patterns("supply*"))
    (home / "databases").symlink_to(ROOT / "databases")
    file = home / "platforms" / "plain" / "platform.toml"
    file.write_text(file.read_text().partition("[specs.supply]")[0])
    return home


def changed(home: Path, before: str, after: str) -> None:
    """Replace a text in the application."""
    file = home / "platforms" / "plain" / "sums" / "sums.py"
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after))


def middlemark(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, in a home of its own."""
    return subprocess.run(
        [sys.executable, "-m", "middlemark", *words],
        cwd=home,
        env={**os.environ, "XDG_RUNTIME_DIR": str(home.parent), "HOME": str(home.parent)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


@pytest.mark.parametrize(
    ("shown", "fault"),
    [
        ('"settings": {k: v for k, v in SETTINGS.items() if k != "port"},', "calculator: port is missing, "),
        ('"settings": {**SETTINGS, "host": "0.0.0.0"},', "calculator: host is 0.0.0.0, 127.0.0.1 was requested"),
        ('"settings": {**SETTINGS, "method": "loop"},', "calculator: method is loop, formula was requested"),
    ],
)
def test_an_application_that_does_not_show_how_it_was_started_is_not_verified(
    home: Path, shown: str, fault: str
) -> None:
    changed(home, ABOUT, shown)
    done = middlemark(home, "verify", "plain")
    assert done.returncode == 1, done.stdout + done.stderr
    assert fault in done.stdout
    assert ABOUT_CASE in done.stdout


def test_a_setting_that_nobody_has_set_is_shown_too(home: Path) -> None:
    spec = home / "specs" / "sums" / "spec.toml"
    spec.write_text(spec.read_text().replace("in_cases = 2\n", ""))
    changed(home, 'SETTINGS.setdefault("rounds", "1")', 'SETTINGS.get("rounds", "1")')
    done = middlemark(home, "verify", "plain", "--only", "shows every setting")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "calculator: rounds is missing, /about shows every setting" in done.stdout


@pytest.mark.full
def test_a_specification_without_cases_can_be_verified_and_a_run_of_it_has_conformance_checked(home: Path) -> None:
    shutil.rmtree(home / "specs" / "sums" / "cases")
    (home / "specs" / "sums" / "pages" / "pages.toml").unlink()
    verified = middlemark(home, "verify", "plain")
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert "Verified: plain passed 2 of 2 executions of 1 case." in verified.stdout
    run = middlemark(home, "run", "sums", "--out", "results")
    assert "verify" not in run.stderr, run.stderr
    (found,) = (home / "results").glob("*/findings.json")
    checks = {(one.name, one.outcome) for window in found_in(found.parent).rounds for one in window.checks}
    assert {("conformance", Outcome.PASSED), ("settings", Outcome.PASSED)} <= checks
    assert not {one for one in checks if one[0] in {"conformance", "settings"} and one[1] is not Outcome.PASSED}
