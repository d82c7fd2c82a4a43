"""Faults that are really injected: processes and the database die under load, come back, and the audit decides."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from run_command import finish

from conftest import ROOT
from middlemark.records.folder import PointResult, Result, read_result
from middlemark.records.point import Outcome
from middlemark.records.run import RunStatus

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
) -> tuple[subprocess.CompletedProcess[str], Result]:
    file = folder / "faulty.yaml"
    file.write_text(experiment, encoding="utf-8")
    done = finish(file, folder / "results", *words, home=home)
    found = list((folder / "results").glob("*-faulty-*"))
    assert found, done.stderr
    return done, read_result(found[0])


def outcomes(point: PointResult) -> dict[str, Outcome]:
    assert point.verdict is not None
    return {check.name: check.outcome for check in point.verdict.checks}


@pytest.mark.full
def test_one_fault_of_each_kind_loses_and_doubles_no_order(tmp_path: Path) -> None:
    done, result = run(tmp_path, EXPERIMENT.format(binding="json", orders="sync, async-queue") + ONE_OF_EACH)

    assert done.returncode == 0, done.stdout + done.stderr
    assert result.run.status is RunStatus.FINISHED
    assert [fault.kind for point in result.points for fault in point.faults] == [
        "kill-web", "kill-services", "kill-database", "freeze-database", "kill-processor"
    ]  # fmt: skip
    for point in result.points:
        _check_point(point)
    assert not (result.folder / "stopped.json").exists(), "the watchdog was told of every restart"
    *_, totals, _, _, sentence = done.stdout.splitlines()
    assert re.match(r"all: [\d,]+ orders confirmed, [\d,]+ found; .*; 0 lost, 0 doubled$", totals)
    assert re.match(
        r"5 faults injected under load: [\d,]+ orders confirmed, 0 lost, 0 doubled; 5 of 5 audits", sentence
    )
    assert "kill-processor (go processor)" in (result.folder / "report.html").read_text(encoding="utf-8")


def _check_point(point: PointResult) -> None:
    (fault,) = point.faults
    assert fault.done, fault.problem
    assert fault.injected_s is not None
    assert fault.ready_s is not None
    assert fault.injected_s >= fault.planned_s
    if fault.kind == "freeze-database":
        assert fault.ready_s - fault.injected_s >= 5
    assert outcomes(point)["audit"] is Outcome.PASSED
    assert outcomes(point)["faults"] is Outcome.PASSED
    for name in ("errors", "throughput drift", "driver pace", "Little's law", "mix"):
        assert outcomes(point)[name] is Outcome.NOT_CHECKED
    assert point.audit is not None
    buys = point.audit.reconciled["buy"]
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
    (point,) = result.points
    assert point.load == 20
    services, late = point.faults
    assert (services.target, services.done) == ("go web", True)
    assert (late.injected_s, late.done) == (None, False)
    assert "the load had ended" in late.problem
    assert outcomes(point)["audit"] is Outcome.PASSED
    assert outcomes(point)["faults"] is Outcome.FAILED
    assert "1 faults injected" not in done.stdout
    assert "1 fault injected" in done.stdout


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
    (point,) = result.points
    assert not point.valid
    assert outcomes(point)["faults"] is Outcome.PASSED
    assert outcomes(point)["audit"] is Outcome.FAILED
    assert point.audit is not None
    assert point.audit.reconciled["buy"].lost > 0
