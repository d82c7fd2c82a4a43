"""The conditions of a figure that counts, each provoked in a real point: the reason is in its findings and the report.

A wrong page is provoked in `test_gate.py`. Two runs serve all the others: one at scale tiny with a point for each
provocation, one at scale demo whose application becomes slower and slower. On a machine so busy that a
provocation cannot work, its test is skipped and says so.
"""

from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from provocations import (
    BUSY_SESSIONS,
    Before,
    Freezing,
    Provocation,
    Provoking,
    Saturation,
    application,
    child,
    damage_an_order,
    fail_responses,
)
from run_command import found_in

from conftest import ROOT
from middlemark.experiment.definition import RunOptions
from middlemark.experiment.preparation import prepare
from middlemark.experiment.progress import Progress
from middlemark.experiment.running import run_experiment
from middlemark.judge.groups import circumstances, unequal
from middlemark.records.findings import Findings
from middlemark.records.folder import MANIFEST, REPORT, inspect
from middlemark.records.point import Outcome
from middlemark.records.run import RunStatus
from middlemark.records.window import Window
from middlemark.verdict.limit import FULL

EXPERIMENT = """\
spec: brokerage
scale: {scale}
sessions: brokerage
subjects: [go]
modes: {{binding: [local]}}
loads: {{users: [{users}]}}
think: {{constant: {think}}}
phases: {{warm: 200ms, settle: 1s, measure: {measure}, drain: 10s}}
rounds: 1
replacements: 0
work: false
"""
# Users of the points in which something is provoked.
FAILED_RESPONSES, DAMAGED_ORDER, STARVED_DRIVER, SATURATED_DATABASE = 2, 3, 4, 5
DRIFT = 12
# The drift that is provoked is larger than the mean; beside others that take the CPU for seconds it cannot be seen.
MAX_NOISE = 100
# So much of the window all sessions were ready to run, as far as the kernel tells.
READY = 0.95


@dataclass(frozen=True)
class Provoked:
    """A run in which something was provoked: its folder, and what it has found."""

    root: Path
    found: Findings

    def window(self, users: int) -> Window:
        """The window with so many users."""
        return next(window for window in self.found.rounds if window.load == users)

    @property
    def report(self) -> str:
        """The text of its report."""
        return html.unescape((self.root / REPORT).read_text(encoding="utf-8"))


def run(folder: Path, text: str, progress: Progress) -> Provoked:
    """Run an experiment in this checkout; it has finished."""
    (folder / "provoked.yaml").write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        patch.setenv("GOFLAGS", "-buildvcs=false")
        preparation = prepare(str(folder / "provoked.yaml"), RunOptions(out=folder / "results"))
        with progress:
            root = run_experiment(preparation, ["run", "provoked.yaml"], progress)
    found = found_in(root)
    assert found.run.status is RunStatus.FINISHED, found.run.message
    return Provoked(root, found)


@pytest.fixture(scope="module")
def saturation() -> Saturation:
    """Give what keeps the database's CPU busy in its point."""
    return Saturation()


@pytest.fixture(scope="module")
def result(saturation: Saturation, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Provoked]:
    """Run once at scale tiny: a point for each provocation, with CPUs that only the database has, where there are."""
    with saturation.open:
        provocations: dict[int, Provocation] = {
            FAILED_RESPONSES: fail_responses,
            DAMAGED_ORDER: damage_an_order,
            STARVED_DRIVER: Freezing(lambda: child("middlemark-driver"), 0.8, 0.8).hear,
        }
        before: dict[int, Before] = {}
        text = EXPERIMENT.format(scale="tiny", users="2, 3, 4, 5", think="20ms", measure="2s")
        usable = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
        if len(usable) > 1:
            text += f'placement: {{driver: "{usable[0]}", database: "{usable[1]}", sut: "{usable[0]}"}}\n'
            provocations[SATURATED_DATABASE] = saturation.hear
            before[SATURATED_DATABASE] = saturation.begin
        yield run(tmp_path_factory.mktemp("provoked"), text, Provoking(provocations, before))


@pytest.fixture(scope="module")
def drifting(tmp_path_factory: pytest.TempPathFactory) -> Provoked:
    """Run once at scale demo with an application that has less and less of its time."""
    slower = Freezing(application, 0.0, 0.95)
    # Short think times do not hide it; twelve intervals tell a trend from the noise of a busy machine.
    text = EXPERIMENT.format(scale="demo", users=DRIFT, think="20ms", measure="12s")
    return run(tmp_path_factory.mktemp("drifting"), text, Provoking({DRIFT: slower.hear}, {DRIFT: slower.expect}))


def invalid_by(result: Provoked, users: int, *conditions: str) -> list[str]:
    """Return the reasons of a point that one of these conditions made INVALID; each is in the report."""
    window, report = result.window(users), result.report
    assert not window.valid
    broken = [check for check in window.checks if check.name in conditions and check.outcome is Outcome.FAILED]
    reasons = [f"{check.name}: {check.message} (limit: {check.requirement})" for check in broken]
    assert reasons, window.reasons
    assert set(reasons) <= set(window.reasons)
    assert all(check.message in report for check in broken)
    assert "INVALID" in report
    assert result.found.marks[0].kind == "INVALID"
    assert not result.found.run_is_valid
    return reasons


def test_failed_responses_make_a_point_invalid_with_their_kinds(result: Provoked) -> None:
    (reason,) = invalid_by(result, FAILED_RESPONSES, "errors")
    kinds = result.window(FAILED_RESPONSES).errors_by_kind
    assert kinds
    counts = ", ".join(f"{kind} {count:,}" for kind, count in kinds.items())
    assert f": {counts}; the first {next(iter(kinds))}: " in reason
    assert "expected status 200, found status 500" in reason
    assert reason.endswith(" (limit: < 0.01 %)")


def test_a_damaged_order_makes_a_point_invalid_with_the_rule_it_breaks(result: Provoked) -> None:
    (reason,) = invalid_by(result, DAMAGED_ORDER, "audit")
    audit = result.window(DAMAGED_ORDER).audit
    assert audit is not None
    broken = [finding for finding in audit.findings if finding.outcome is Outcome.FAILED]
    assert f"the first: {broken[0].rule}: {broken[0].message}" in reason
    # A price that the symbol never had, and a balance and a holding that do not go with it.
    assert any(finding.rule.startswith("Every order of a run has a price its symbol has had") for finding in broken)
    assert all(finding.count == 1 for finding in broken)


def test_a_starved_driver_makes_a_point_invalid_with_how_late_it_was(result: Provoked) -> None:
    (reason,) = invalid_by(result, STARVED_DRIVER, "driver pace")
    assert "ms" in reason


def test_a_saturated_database_is_named_as_the_limit_and_its_point_is_no_peak_of_the_platform(
    result: Provoked, saturation: Saturation
) -> None:
    if not result.found.run.placement["go/binding=local"].cpus:
        pytest.skip("a database has no CPU of its own here")
    window = result.window(SATURATED_DATABASE)
    skip_if_others_had_its_cpu(window, saturation)
    assert window.limit is not None
    assert window.limit.by == ("database",)
    assert not window.limit.platform_peak
    assert window.limit.message.startswith("limited by database, no peak of the platform: database used ")
    assert window.limit.message in result.report
    others = [result.window(users).limit for users in (FAILED_RESPONSES, DAMAGED_ORDER)]
    assert all(limit is not None and limit.by != ("database",) for limit in others)


def skip_if_others_had_its_cpu(window: Window, saturation: Saturation) -> None:
    """Skip where the sessions had less than 90 % of the CPU though all were ready to run, or could not begin in time.

    Sessions that were not ready have failed to provoke anything, and that is no fault of others.
    """
    used = window.tiers["database"]
    if used.cpu_share >= FULL:
        return
    if (late_s := saturation.late_s()) > 0:
        pytest.skip(f"the lab had so little of its CPU that the sessions began {late_s:.1f} s late")
    if used.waiting_for_cpu is not None:
        assert used.cpu_share + used.waiting_for_cpu >= READY * BUSY_SESSIONS
    pytest.skip(f"others were given {100 * (1 - used.cpu_share):.0f} % of the database's CPU while the sessions waited")


@pytest.mark.full
def test_an_application_that_becomes_slower_shows_its_drift_in_a_point_that_counts(drifting: Provoked) -> None:
    window = drifting.window(DRIFT)
    value = next(check.message for check in window.checks if check.name == "throughput drift")
    noise = re.search(r"± ([0-9.]+) %", value)
    assert noise, value
    if float(noise[1]) > MAX_NOISE:
        pytest.skip(f"on this machine nobody could tell a trend now: {value}")
    assert value.startswith("-")
    assert "% over the window" in value
    assert not any("drift" in reason for reason in window.reasons)


@pytest.mark.full
def test_a_run_at_another_scale_cannot_be_compared(result: Provoked, drifting: Provoked) -> None:
    first, other = (circumstances(one.found, one.found.run.combinations[0]) for one in (result, drifting))
    assert "different scales (tiny, demo)" in unequal(first, other)
    assert unequal(first, first) == ()


def test_one_edited_byte_of_any_file_of_a_real_result_is_named(result: Provoked, tmp_path: Path) -> None:
    folder = shutil.copytree(result.root, tmp_path / "result")
    assert inspect(folder).deviants == ()
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in {REPORT, MANIFEST}]
    kinds = {path.name for path in files}
    assert {"run.json", "ledger.json", "point.json", "plan.json", "intervals.ndjson", "findings.json"} <= kinds
    assert {"monitor.ndjson", "audit.json", "evidence.json", "driver.log", "database.log"} <= kinds
    for file in files:
        whole = file.read_bytes()
        middle = len(whole) // 2
        edited = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :] if whole else b"x"
        file.write_bytes(edited)
        assert [str(one) for one in inspect(folder).deviants] == [f"changed: {file.relative_to(folder)}"]
        file.write_bytes(whole)
    (folder / "run.json").write_bytes((folder / "run.json").read_bytes().replace(b"tiny", b"tinz", 1))
    command = [sys.executable, "-m", "middlemark", "check", str(folder)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "Check failed: changed: run.json."
