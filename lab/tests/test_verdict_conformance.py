"""Conformance is a condition of every point: proven before the load, looked at again after it."""

from __future__ import annotations

import pytest

from middlemark.records.point import Outcome, Proof, Replay
from middlemark.verdict.conditions import conformance_check

PROOF = Proof(
    started="2026-11-20T08:05:00+00:00", commit="0a1b2c3", executions=575, failed=0, known=0, missed=0, not_checked=0
)
REPLAY = Replay(executions=8, failed=0)
FAILED = PROOF.model_copy(update={"failed": 2, "first": "Buying shows the order [local]"})
MISSED = PROOF.model_copy(update={"missed": 1})


def test_both_parts_pass_and_are_shown() -> None:
    check = conformance_check({"go": PROOF}, REPLAY)
    assert check.outcome is Outcome.PASSED
    assert check.message == (
        "verified 2026-11-20 08:05:00+00:00 at commit 0a1b2c3: 575 executions; "
        "8 cases passed after the load, on the processes that were measured"
    )


def test_the_check_shows_with_which_environment_the_cases_were_run() -> None:
    quick = PROOF.model_copy(update={"environment": ("JDK_JAVA_OPTIONS=-XX:TieredStopAtLevel=1",)})

    check = conformance_check({"go": quick}, REPLAY)

    assert check.outcome is Outcome.PASSED
    environment = "cases run with JDK_JAVA_OPTIONS=-XX:TieredStopAtLevel=1 (not measured so)"
    assert f"{environment}: 575 executions; 8 cases" in check.message
    assert "cases run with" not in conformance_check({"go": PROOF}, REPLAY).message


@pytest.mark.parametrize(
    ("proof", "replay", "outcome", "message"),
    [
        (None, REPLAY, Outcome.NOT_CHECKED, "not verified before"),
        (PROOF, None, Outcome.NOT_CHECKED, "no case with the tag replay was run after the load"),
        (FAILED, REPLAY, Outcome.FAILED, "2 of 575 executions failed, the first: Buying shows the order [local]"),
        (MISSED, REPLAY, Outcome.FAILED, "1 known failures did not fail"),
        (
            PROOF,
            Replay(executions=8, failed=1, first="a page, step 2: 404"),
            Outcome.FAILED,
            "1 of 8 cases failed after the load, the first: a",
        ),
        (None, Replay(executions=8, failed=1, first="a page"), Outcome.FAILED, "1 of 8 cases failed after the load"),
        (FAILED, None, Outcome.FAILED, "2 of 575 executions failed"),
    ],
)
def test_the_worse_part_decides(proof: Proof | None, replay: Replay | None, outcome: Outcome, message: str) -> None:
    check = conformance_check({"go": proof}, replay)
    assert check.outcome is outcome
    assert message in check.message


@pytest.mark.parametrize(
    ("other", "outcome", "message"),
    [
        (PROOF, Outcome.PASSED, "java: verified 2026"),
        (None, Outcome.NOT_CHECKED, "java: what was measured was not verified before"),
        (FAILED, Outcome.FAILED, "at commit 0a1b2c3: 2 of 575 executions failed"),
    ],
)
def test_every_subject_that_runs_a_tier_must_be_proven(other: Proof | None, outcome: Outcome, message: str) -> None:
    check = conformance_check({"go": PROOF, "java": other}, REPLAY)

    assert check.outcome is outcome
    assert check.message.startswith("go: verified 2026")
    assert message in check.message


def test_files_in_no_commit_are_shown_with_the_proof() -> None:
    changed = PROOF.model_copy(update={"changed": True})

    message = conformance_check({"go": changed}, REPLAY).message

    assert "commit 0a1b2c3 with changes that are in no commit: 575" in message


def test_what_failed_in_other_configurations_is_shown_and_does_not_count() -> None:
    check = conformance_check({"go": PROOF.model_copy(update={"failed_elsewhere": 3})}, REPLAY)

    assert check.outcome is Outcome.PASSED
    assert "575 executions; 3 failed in other configurations; 8 cases passed" in check.message


def test_a_configuration_that_was_not_verified_is_not_checked() -> None:
    other = PROOF.model_copy(update={"executions": 0, "configuration": "binding=json, orders=async-queue"})

    check = conformance_check({"go": other}, REPLAY)

    assert check.outcome is Outcome.NOT_CHECKED
    why = "but not in the configuration that was measured (binding=json, orders=async-queue): it changes one mode"
    assert f"at commit 0a1b2c3, {why} at a time" in check.message
