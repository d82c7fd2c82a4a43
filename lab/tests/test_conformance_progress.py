"""A verification shows how far it is, also where its output is a file."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest

from middlemark.conformance.reporting.progress import Progress
from middlemark.conformance.result import Execution, ExecutionOutcome


def execution(method: str, outcome: ExecutionOutcome = ExecutionOutcome.PASSED) -> Execution:
    """Return an execution that took 2 s."""
    return Execution(
        case="a case", topic="t", rule="", where="t.yaml:1", configuration={"method": method}, interface="",
        outcome=outcome, seconds=2.0,
    )  # fmt: skip


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return what was written to stderr, without the times."""
    return [re.sub(r"^\[\d+:\d\d\] ", "", line) for line in capsys.readouterr().err.splitlines()]


def test_every_finished_configuration_has_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(tmp_path / "executions.ndjson")
    for method, number in (("loop", 1), ("formula", 2), ("formula", 1)):
        progress.plans("plain", f"method={method}", number)
    progress.step("running 3 cases")
    progress.executed("plain", execution("formula"))
    progress.executed("plain", execution("loop", ExecutionOutcome.FAILED))
    progress.executed("plain", execution("formula"))
    assert lines(capsys) == [
        "running 3 cases",
        "failed: plain: a case [method=loop]",
        "plain, method=loop: 1 execution, 1 failed, 2 s",
    ]
    progress.executed("plain", execution("formula"))
    assert lines(capsys) == ["plain, method=formula: 3 executions, 0 failed, 6 s"]
    assert len((tmp_path / "executions.ndjson").read_text(encoding="utf-8").splitlines()) == 4


def test_silence_is_broken_with_how_far_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = threading.active_count()
    progress = Progress(tmp_path / "executions.ndjson", silence=0.01)
    found: list[str] = []
    with progress.never_silent():
        progress.step("building plain")
        while found.count("building plain") < 3:
            found += lines(capsys)
        progress.plans("plain", "method=loop", 1_000)
        progress.executed("plain", execution("loop"))
        while "1 of 1,000 executions, 0 failed: plain, method=loop" not in found:
            found += lines(capsys)
    assert threading.active_count() == before
