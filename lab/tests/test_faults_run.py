"""Faults that are really injected: processes and the database die under load, come back, and the audit decides."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from run_command import finish, found_in

from conftest import ROOT
from middlemark.records.findings import Findings
from middlemark.records.point import Outcome
from middlemark.records.run import RunStatus
from middlemark.records.window import Window

pytestmark = pytest.mark.long

EXPERIMENT = """\
spec: brokerage
scale: tiny
sessions: brokerage
subjects: [go]
modes: {{binding: [{binding}], orders: [{orders}]}}
loads: {{users: [2, 20]}}
think: {{constant: 50ms}}
phases: {{warm: 200ms, settle: 100ms, measure: 4s}}
"""
ONE_OF_EACH = """\
faults:
  - kinds: [kill-web, kill-services, kill-database, freeze-database]
    modes: {orders: sync}
  - kinds: [kill-processor]
    modes: {orders: async-queue}
"""


def run(
    folder: Path, experiment: str, *words: str, home: Path = ROOT
) -> tuple[subprocess.CompletedProcess[str], Findings]:
    file = folder / "faulty.yaml"
    file.write_text(experiment, encoding="utf-8")
    done = finish(file, folder / "results", *words, home=home)
    assert list((folder / "results").glob("*-faulty-*")), done.stderr
    return done, found_in(result_folder(folder))


def result_folder(folder: Path) -> Path:
    (found,) = (folder / "results").glob("*-faulty-*")
    return found


def outcomes(window: Window) -> dict[str, Outcome]:
    return {check.name: check.outcome for check in window.checks}


@pytest.mark.full
def test_one_fault_of_each_kind_loses_and_doubles_no_order(tmp_path: Path) -> None:
    done, result = run(tmp_path, EXPERIMENT.format(binding="json", orders="sync, async-queue") + ONE_OF_EACH)

    assert done.returncode == 0, done.stdout + done.stderr
    assert result.run.status is RunStatus.FINISHED
    assert [fault.kind for window in result.rounds for fault in window.faults] == [
        "kill-web", "kill-services", "kill-database", "freeze-database", "kill-processor"
    ]  # fmt: skip
    for window in result.rounds:
        _check_window(window)
    assert not (result_folder(tmp_path) / "stopped.json").exists(), "the watchdog was told of every restart"
    assert re.match(
        r"Under 5 faults, of [\d,]+ orders that were confirmed, none was lost and none was doubled; "
        r"5 of 5 audits passed\.$",
        result.answer,
    )
    assert result.answer in " ".join(done.stdout.split())
    assert "kill-processor (go processor)" in (result_folder(tmp_path) / "report.html").read_text(encoding="utf-8")


def _check_window(window: Window) -> None:
    (fault,) = window.faults
    assert fault.done, fault.problem
    assert fault.injected_s is not None
    assert fault.ready_s is not None
    assert fault.injected_s >= fault.planned_s
    if fault.kind == "freeze-database":
        assert fault.ready_s - fault.injected_s >= 5
    assert outcomes(window)["audit"] is Outcome.PASSED
    assert outcomes(window)["faults"] is Outcome.PASSED
    for name in ("errors", "throughput drift", "driver pace", "Little's law", "mix"):
        assert outcomes(window)[name] is Outcome.NOT_CHECKED
    assert window.audit is not None
    buys = window.audit.reconciled["buy"]
    assert buys.by_name
    assert buys.confirmed > 0
    assert (buys.lost, buys.doubled) == (0, 0)
    assert buys.found == buys.confirmed + buys.unanswered_done + buys.invalid_done


def test_in_local_killed_services_are_the_web_process_and_a_fault_after_the_load_makes_the_point_invalid(
    tmp_path: Path,
) -> None:
    done, result = run(
        tmp_path,
        EXPERIMENT.format(binding="local", orders="sync"),
        *("--fault", "kill-services@2s", "--fault", "kill-web@1h"),
    )

    assert done.returncode == 1
    (window,) = result.rounds
    assert window.load == 20
    services, late = window.faults
    assert (services.target, services.done) == ("go web", True)
    assert (late.injected_s, late.done) == (None, False)
    assert "the load had ended" in late.problem
    assert outcomes(window)["audit"] is Outcome.PASSED
    assert outcomes(window)["faults"] is Outcome.FAILED
    assert "Under 1 fault, " in done.stdout
    assert "1 of 1 audit passed" in result.answer


@pytest.mark.full
def test_a_database_that_confirms_before_it_writes_loses_orders_and_the_audit_says_so(tmp_path: Path) -> None:
    home = tmp_path / "checkout"
    home.mkdir()
    for name in ("specs", "platforms", "servers", "lab"):
        (home / name).symlink_to(ROOT / name)
    settings = home / "databases" / "postgresql" / "postgresql.conf"
    settings.parent.mkdir(parents=True)
    safe = (ROOT / "databases" / "postgresql" / "postgresql.conf").read_text(encoding="utf-8")
    settings.write_text(safe + "\nsynchronous_commit = off\nwal_writer_delay = '10s'\n", encoding="utf-8")

    done, result = run(
        tmp_path,
        EXPERIMENT.format(binding="local", orders="sync"),
        *("--fault", "kill-database@4s"),
        home=home,
    )

    assert done.returncode == 1
    (window,) = result.rounds
    assert not window.valid
    assert outcomes(window)["faults"] is Outcome.PASSED
    assert outcomes(window)["audit"] is Outcome.FAILED
    assert window.audit is not None
    assert window.audit.reconciled["buy"].lost > 0
