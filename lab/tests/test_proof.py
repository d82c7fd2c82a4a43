"""A complete verification is found by a run of exactly what was verified, and by no other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from small_platform import small_checkout
from small_servers import HOSTS_WAR, small_server
from test_proof_of_configuration import passes

from middlemark.conformance.reporting.own_executions import MeasuredConfiguration
from middlemark.conformance.reporting.proof import Verified, copy_proof, keep_proof, proof_in
from middlemark.conformance.result import Execution, ExecutionOutcome, Failure, SubjectResult
from middlemark.experiment.preparation import Preparation
from middlemark.experiment.proofs import copy_proofs
from middlemark.processes.watchdog import watchdog
from middlemark.records.point import Proof
from middlemark.records.run import Combination
from middlemark.subject.build import build
from middlemark.subject.server import load_server
from middlemark.subject.subject import find_subject
from middlemark.topology.request import Program


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Give a checkout with one small platform."""
    return small_checkout(tmp_path / "home")


def built(home: Path, name: str = "small") -> Verified:
    subject = find_subject(home, name, "brokerage")
    with watchdog() as watch:
        return Verified(Program(subject, build(subject, home, watch)))


def proven(root: Path, home: Path, **modes: str) -> Proof | None:
    """Return what a result folder has of `small` in a configuration."""
    description = find_subject(home, "small", "brokerage").specification.description
    return proof_in(root, "small", MeasuredConfiguration(description, modes or {"binding": "local"}))


def result_with(*outcomes: ExecutionOutcome, missed: tuple[str, ...] = ()) -> SubjectResult:
    """Return a verification whose executions ended so."""
    executions = tuple(
        Execution(
            case=f"case {number}",
            topic="pages",
            rule="",
            where=f"pages.yaml:{number}",
            configuration={"binding": "local"},
            interface="",
            outcome=outcome,
            failures=(Failure(where=f"pages.yaml:{number}", step="step 1", text="another page"),)
            if outcome is ExecutionOutcome.FAILED
            else (),
        )
        for number, outcome in enumerate(outcomes, start=1)
    )
    return SubjectResult(
        subject="small",
        specification="brokerage",
        specification_version="1",
        commit="0a1b2c3",
        started="2026-11-20T08:05:00+00:00",
        seconds=12.5,
        configurations=(),
        not_offered=(),
        missed=missed,
        notes=(),
        executions=executions,
    )


def test_what_was_never_verified_has_no_proof(home: Path, tmp_path: Path) -> None:
    assert not copy_proof(built(home), tmp_path)
    assert proven(tmp_path, home) is None


def test_a_proof_is_copied_into_the_result_and_has_what_was_run(home: Path, tmp_path: Path) -> None:
    keep_proof(built(home), result_with(ExecutionOutcome.PASSED, ExecutionOutcome.KNOWN, ExecutionOutcome.NOT_CHECKED))

    assert copy_proof(built(home), tmp_path)

    proof = proven(tmp_path, home)
    assert proof is not None
    assert passes(proof)
    assert (proof.executions, proof.failed, proof.known, proof.not_checked) == (3, 0, 1, 1)
    assert (tmp_path / "conformance" / "small.json").is_file()


def test_a_proof_names_the_environment_its_cases_were_run(home: Path, tmp_path: Path) -> None:
    quick = result_with(ExecutionOutcome.PASSED).model_copy(update={"environment": {"JDK_JAVA_OPTIONS": "-Xint"}})
    keep_proof(built(home), quick)
    copy_proof(built(home), tmp_path)

    proof = proven(tmp_path, home)
    assert proof is not None
    assert proof.environment == ("JDK_JAVA_OPTIONS=-Xint",)


def test_a_failed_verification_is_a_proof_of_the_contrary(home: Path, tmp_path: Path) -> None:
    keep_proof(built(home), result_with(ExecutionOutcome.PASSED, ExecutionOutcome.FAILED))
    copy_proof(built(home), tmp_path)

    proof = proven(tmp_path, home)
    assert proof is not None
    assert not passes(proof)
    assert (proof.failed, proof.first) == (1, "case 2 [binding=local]")


def test_a_known_failure_that_did_not_fail_is_not_a_pass(home: Path, tmp_path: Path) -> None:
    keep_proof(built(home), result_with(ExecutionOutcome.PASSED, missed=("case 1",)))
    copy_proof(built(home), tmp_path)

    proof = proven(tmp_path, home)
    assert proof is not None
    assert not passes(proof)


def test_a_session_leaves_a_proof_as_it_is_and_a_case_does_not(home: Path, tmp_path: Path) -> None:
    specification = home / "specs" / "brokerage"
    for name in ("sessions", "cases"):
        (specification / name).unlink()  # the small checkout only links to the brokerage's
        (specification / name).mkdir()
    keep_proof(built(home), result_with(ExecutionOutcome.PASSED))
    (specification / "sessions" / "other.yaml").write_text("one more\n", encoding="utf-8")
    assert copy_proof(built(home), tmp_path)
    (specification / "cases" / "other.yaml").write_text("one more\n", encoding="utf-8")
    assert not copy_proof(built(home), tmp_path)


def test_a_run_names_the_command_for_modes_that_it_changes_together(home: Path, tmp_path: Path) -> None:
    verified = built(home)
    usual = {"data-access": "native", "binding": "json", "orders": "sync"}
    complete = result_with(ExecutionOutcome.PASSED)
    alone = complete.executions[0].model_copy(update={"configuration": usual})
    keep_proof(verified, complete.model_copy(update={"executions": (alone,)}))
    combinations = [
        Combination(label=o, path=o, subject="small", modes={"binding": "json", "orders": o})
        for o in ("sync", "async-queue")
    ]
    reported: list[str] = []

    preparation = cast("Preparation", SimpleNamespace(home=home, combinations=combinations))
    copy_proofs(preparation, {"small": verified.program}, tmp_path, reported.append)

    assert reported == [
        "small: 1 configuration of this run with several modes changed together, not verified so: "
        "`middlemark verify small --configuration data-access=native,binding=json,orders=async-queue` does it"
    ]


@pytest.mark.parametrize("changed", ["platforms/small/application.py", "specs/brokerage/cases.yaml"])
def test_another_content_was_not_verified(home: Path, tmp_path: Path, changed: str) -> None:
    keep_proof(built(home), result_with(ExecutionOutcome.PASSED))
    with (home / changed).open("a", encoding="utf-8") as file:
        file.write("# changed\n")

    assert not copy_proof(built(home), tmp_path)


@pytest.mark.parametrize(("changed", "proven"), [("serve.py", False), ("war.template", False), ("README.md", True)])
def test_a_server_with_other_files_was_not_verified(home: Path, tmp_path: Path, changed: str, *, proven: bool) -> None:
    folder = small_server(home, "other", HOSTS_WAR)
    alone = built(home)
    subject = replace(alone.program.subject, name="small@other", server=load_server(home, "other"))
    hosted = Verified(replace(alone.program, subject=subject))
    keep_proof(hosted, result_with(ExecutionOutcome.PASSED))
    with (folder / changed).open("a", encoding="utf-8") as file:
        file.write("changed\n")

    assert copy_proof(hosted, tmp_path) == proven
    assert not copy_proof(alone, tmp_path)


def test_half_a_proof_is_not_a_proof(home: Path, tmp_path: Path) -> None:
    keep_proof(built(home), result_with(ExecutionOutcome.PASSED))
    copy_proof(built(home), tmp_path)
    file = tmp_path / "conformance" / "small.json"
    file.write_bytes(file.read_bytes()[:50])

    assert proven(tmp_path, home) is None


def test_the_proof_of_a_pairing_is_of_what_was_built_of_both(home: Path, tmp_path: Path) -> None:
    elsewhere = small_checkout(tmp_path / "elsewhere", name="other")
    behind, front_end = built(home).program, built(elsewhere, "other").program
    together = Verified(behind, front_end)
    assert together.name == "other on small"
    keep_proof(together, result_with(ExecutionOutcome.PASSED))

    assert copy_proof(together, tmp_path)
    assert not copy_proof(Verified(front_end, behind), tmp_path)
    assert not copy_proof(built(home), tmp_path)
    with (elsewhere / "platforms/other/application.py").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert not copy_proof(Verified(behind, built(elsewhere, "other").program), tmp_path)
