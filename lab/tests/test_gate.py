"""The gate: an application that does not obey its specification makes every point of a run INVALID, with the reason.

The other conditions of a figure that counts are provoked in `test_conditions_provoked.py`.
"""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from run_command import found_in
from small_specification import ROOT, specification_with

from middlemark.records.findings import Findings
from middlemark.records.folder import REPORT
from middlemark.records.point import Outcome
from middlemark.records.run import RunStatus
from middlemark.records.window import Check, Window

pytestmark = pytest.mark.long

CASES = """
cases:
  - name: The quotes are shown with their prices
    tags: [replay]
    steps:
      - get: /quotes?symbols=s:1
        user: uid:1
        expect: {look: [{at: "body", attribute: {data-page: quotes}}]}
"""
WRONG = """
cases:
  - name: The quotes are on another page
    tags: [replay]
    steps:
      - get: /quotes?symbols=s:1
        user: uid:1
        expect: {look: [{at: "body", attribute: {data-page: home}}]}
"""
EXPERIMENT = """\
spec: brokerage
scale: tiny
sessions: brokerage
subjects: [go]
modes: {binding: [local]}
loads: {users: [2]}
think: {constant: 20ms}
phases: {warm: 200ms, settle: 100ms, measure: 500ms, drain: 10s}
rounds: 1
replacements: 0
work: false
"""
PAIRED = EXPERIMENT.replace("subjects: [go]", "tiers: {web: [go, twin], services: [go]}").replace(
    "[local]", "[json, local]"
)
FIELDS = (("json", "go"), ("json", "twin"), ("local", "go"))


def checkout(folder: Path, cases: str) -> Path:
    """Write a checkout with few cases and Go."""
    specification_with(folder, few=cases)
    (folder / "databases").symlink_to(ROOT / "databases")
    (folder / "platforms").mkdir()
    (folder / "platforms" / "go").symlink_to(ROOT / "platforms" / "go")
    (folder / "short.yaml").write_text(EXPERIMENT, encoding="utf-8")
    return folder


def middlemark(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "GOFLAGS": "-buildvcs=false"}
    command = [sys.executable, "-m", "middlemark", *words]
    return subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, check=False)


def run(home: Path, out: str) -> Findings:
    done = middlemark(home, "run", "short.yaml", "--out", out)
    assert list((home / out).glob("*/run.json")), done.stderr
    return found_in(result_folder(home, out))


def result_folder(home: Path, out: str) -> Path:
    (run,) = (home / out).glob("*/run.json")
    return run.parent


def conformance(window: Window) -> Check:
    return next(check for check in window.checks if check.name == "conformance")


def by_path(result: Findings) -> dict[str, Window]:
    return {window.combination: window for window in result.rounds}


def test_what_was_verified_is_named_with_the_point_and_kept_in_the_result(tmp_path: Path) -> None:
    home = checkout(tmp_path, CASES)
    verified = middlemark(home, "verify", "go", "--out", "verified")
    after = run(home, "after")

    assert verified.returncode == 0, verified.stdout + verified.stderr
    found = conformance(after.rounds[0])
    assert found.outcome is Outcome.PASSED, found.message
    folder = result_folder(home, "after")
    kept = json.loads((folder / "conformance" / "go.json").read_text(encoding="utf-8"))
    assert len(kept["executions"]) > 2  # the case that every specification has is run in each configuration
    assert "2 executions; 1 case passed after the load" in found.message
    assert "conformance/go.json" in (folder / "manifest.sha256").read_text(encoding="utf-8")


def test_a_wrong_page_makes_every_point_invalid(tmp_path: Path) -> None:
    home = checkout(tmp_path, WRONG)
    verified = middlemark(home, "verify", "go", "--out", "verified")
    result = run(home, "out")
    (window,) = result.rounds

    assert verified.returncode == 1
    assert result.run.status is RunStatus.FAILED
    assert not result.run_is_valid
    assert not window.valid
    (reason,) = [reason for reason in window.reasons if reason.startswith("conformance: ")]
    assert "executions failed, the first: The quotes are on another page [" in reason
    assert "1 of 1 cases failed after the load, the first: The quotes are on another page, step 1: " in reason
    assert window.throughput_tps > 0
    report = html.unescape((result_folder(home, "out") / REPORT).read_text(encoding="utf-8"))
    assert conformance(window).message in report
    assert result.marks[0].text.startswith("1 of 1 window is INVALID")
    assert result.answer in report
    assert all(mark.text in report for mark in result.marks)


@pytest.mark.full
def test_each_field_of_a_heat_map_is_judged_by_the_proof_of_its_pairing(tmp_path: Path) -> None:
    home = checkout(tmp_path, CASES.replace("[replay]", "[interop, replay]"))
    shutil.copytree(ROOT / "platforms" / "go", home / "platforms" / "twin")
    # A point of which /about says another platform ends the run.
    about = home / "platforms" / "twin" / "process" / "about.go"
    about.write_text(about.read_text(encoding="utf-8").replace('Platform: "go"', 'Platform: "twin"'), encoding="utf-8")
    (home / "short.yaml").write_text(PAIRED, encoding="utf-8")
    verified = middlemark(home, "verify", "go", "twin", "--out", "verified")
    result = run(home, "out")
    windows = by_path(result)

    assert verified.returncode == 0, verified.stdout + verified.stderr
    own, mixed, in_process = (f"go/binding={value},tiers.web={web}" for value, web in FIELDS)
    assert {path: conformance(window).outcome for path, window in windows.items()} == dict.fromkeys(
        (own, mixed, in_process), Outcome.PASSED
    )
    assert "twin on go: verified" in conformance(windows[mixed]).message
    assert {one.path: one.tiers for one in result.run.combinations}[mixed] == {"web": "twin", "services": "go"}
    assert {"web", "services"} <= set(windows[mixed].tiers)
    assert "web+services" in windows[in_process].tiers
    report = html.unescape((result_folder(home, "out") / REPORT).read_text(encoding="utf-8"))
    assert "not offered: the web process of twin cannot carry services of go" in report


@pytest.mark.full
def test_a_point_with_several_modes_changed_is_proven_where_they_were_verified_together(tmp_path: Path) -> None:
    home = checkout(tmp_path, CASES.replace("[replay]", "[interop, replay]"))
    both = EXPERIMENT.replace("[local]", "[json], orders: [sync, async-queue]")
    (home / "short.yaml").write_text(both, encoding="utf-8")
    assert middlemark(home, "verify", "go", "--out", "verified").returncode == 0
    alone, together = (f"go/binding=json,orders={orders}" for orders in ("sync", "async-queue"))

    middlemark(home, "run", "short.yaml", "--out", "before")

    windows = by_path(found_in(result_folder(home, "before")))
    assert conformance(windows[alone]).outcome is Outcome.PASSED
    assert conformance(windows[together]).outcome is Outcome.NOT_CHECKED
    assert "it changes one mode at a time; 1 case passed after the load" in conformance(windows[together]).message
    log = (result_folder(home, "before") / "logs" / "run.log").read_text(encoding="utf-8")
    (command,) = re.findall("go: 1 configuration of this run .* not verified so: `middlemark (.*)` does it", log)
    assert command == "verify go --spec brokerage --configuration data-access=pgx,binding=json,orders=async-queue"

    assert middlemark(home, *command.split(), "--out", "verified").returncode == 0

    after = by_path(run(home, "after"))
    assert {path: conformance(one).outcome for path, one in after.items()} == dict.fromkeys(windows, Outcome.PASSED)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("steps: [{call: getQuotes, with: {}}]", "a case with `call` cannot be tagged replay"),
        ("fails: [{table: orders, on: insert}]\n    steps: [{get: /}]", "a case with `fails` cannot be tagged replay"),
    ],
)
def test_a_case_that_needs_more_than_pages_cannot_be_replayed(tmp_path: Path, wrong: str, message: str) -> None:
    home = checkout(tmp_path, f"\ncases:\n  - name: A case that asks for more\n    tags: [replay]\n    {wrong}\n")
    done = middlemark(home, "verify", "--check-cases")

    assert done.returncode == 2
    assert message in done.stderr
