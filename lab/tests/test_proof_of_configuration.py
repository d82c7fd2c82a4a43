"""A point is judged by the executions of its own configuration, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import ROOT
from middlemark.conformance.reporting.own_executions import MeasuredConfiguration
from middlemark.conformance.reporting.proof import proof_in
from middlemark.conformance.result import Execution, ExecutionOutcome, SubjectResult
from middlemark.records.point import Outcome, Proof, Replay
from middlemark.specification.specification import find_specification
from middlemark.verdict.conditions import conformance_check

BASE = {"binding": "local", "orders": "sync", "data-access": "jdbc"}
PASSED, FAILED, KNOWN = ExecutionOutcome.PASSED, ExecutionOutcome.FAILED, ExecutionOutcome.KNOWN
LABEL_OF_SOAP = "Buying [binding=local, orders=sync, data-access=jdbc, over soap]"


def execution(case: str, interface: str = "", outcome: ExecutionOutcome = PASSED, **modes: str) -> Execution:
    """Return an execution of a case; modes that are not named are those of the base configuration."""
    named = {name.replace("_", "-"): value for name, value in modes.items()}
    return Execution(
        case=case, topic="", rule="", where="cases.yaml:1", configuration={**BASE, **named},
        interface=interface, outcome=outcome,
    )  # fmt: skip


def passes(proof: Proof) -> bool:
    """Whether a window measured by this proof meets the condition `conformance`."""
    replay = Replay(executions=1, failed=0)
    return conformance_check({"some": proof}, replay).outcome is Outcome.PASSED


def proof_of(root: Path, executions: list[Execution], *, missed: tuple[str, ...] = (), **modes: str) -> Proof:
    """Return what a verification with these executions proves of a configuration."""
    result = SubjectResult(
        subject="some", specification="brokerage", specification_version="1", commit="0a1b2c3",
        started="2026-11-20T08:05:00+00:00", seconds=1.0, configurations=(), not_offered=(), missed=missed, notes=(),
        executions=tuple(executions),
    )  # fmt: skip
    (root / "conformance").mkdir(exist_ok=True)
    (root / "conformance" / "some.json").write_text(result.model_dump_json(), encoding="utf-8")
    named = {name.replace("_", "-"): value for name, value in modes.items()}
    description = find_specification("brokerage", ROOT).description
    proof = proof_in(root, "some", MeasuredConfiguration(description, {**BASE, **named}))
    assert proof is not None
    return proof


SOAP_FAILS = [
    execution("A page"),
    execution("Buying", "json"),
    execution("Buying", "grpc"),
    execution("Buying", "soap", FAILED),
    execution("A page", binding="soap"),
    execution("A page", binding="json"),
]


def test_a_case_that_fails_over_one_interface_fails_the_points_that_use_it_and_no_others(tmp_path: Path) -> None:
    in_process, json = (proof_of(tmp_path, SOAP_FAILS, binding=binding) for binding in ("local", "json"))
    soap = proof_of(tmp_path, SOAP_FAILS, binding="soap")

    assert passes(in_process)
    assert (in_process.executions, in_process.failed, in_process.failed_elsewhere) == (1, 0, 1)
    assert passes(json)
    assert (json.executions, json.failed_elsewhere) == (2, 1), "its page, and the operation over JSON"
    assert not passes(soap)
    assert (soap.failed, soap.failed_elsewhere, soap.first) == (1, 0, LABEL_OF_SOAP)


def test_a_case_that_fails_over_every_interface_fails_what_lies_behind_them_too(tmp_path: Path) -> None:
    every = [execution("A page"), *(execution("Buying", one, FAILED) for one in ("json", "soap", "grpc"))]

    assert proof_of(tmp_path, every, binding="local").failed == 3


def test_a_case_of_a_single_interface_says_nothing_of_what_lies_behind_it(tmp_path: Path) -> None:
    assert passes(proof_of(tmp_path, [execution("A page"), execution("A fault", "soap", FAILED)], binding="local"))


def test_a_page_that_fails_in_process_fails_only_there(tmp_path: Path) -> None:
    both = [execution("A page", outcome=FAILED), execution("A page", binding="json")]

    assert not passes(proof_of(tmp_path, both, binding="local"))
    assert passes(proof_of(tmp_path, both, binding="json"))


@pytest.mark.parametrize("mode", [{"data_access": "jpa"}, {"orders": "async-queue"}])
def test_another_value_of_any_mode_is_another_configuration(tmp_path: Path, mode: dict[str, str]) -> None:
    both = [execution("A page"), execution("A page", "", FAILED, **mode), execution("Buying", "soap", FAILED, **mode)]

    assert passes(proof_of(tmp_path, both))
    other = proof_of(tmp_path, both, missed=(), **mode)
    assert (passes(other), other.failed, other.failed_elsewhere) == (False, 1, 1)


def test_a_configuration_in_which_no_case_was_run_is_not_verified(tmp_path: Path) -> None:
    proof = proof_of(tmp_path, [execution("A page"), execution("Buying", "json")], binding="json", orders="async-queue")

    assert (proof.verified, passes(proof), proof.executions) == (False, False, 0)
    assert proof.configuration == "binding=json, orders=async-queue, data-access=jdbc"


def test_what_was_not_checked_verifies_nothing(tmp_path: Path) -> None:
    assert not proof_of(tmp_path, [execution("A page", "", ExecutionOutcome.NOT_CHECKED)]).verified


def test_what_fails_over_an_interface_in_use_counts_also_where_the_modes_were_not_verified(tmp_path: Path) -> None:
    queued = execution("Buying", "json", FAILED, orders="async-queue")

    proof = proof_of(tmp_path, [execution("A page"), queued], binding="json", orders="async-queue")

    assert (proof.failed, proof.first) == (1, queued.label)


def test_a_known_failure_that_did_not_fail_counts_in_its_configuration(tmp_path: Path) -> None:
    missed = (f"{LABEL_OF_SOAP}: does not fail any more",)
    every = [execution("A page"), execution("Buying", "soap"), execution("A page", binding="soap")]

    assert passes(proof_of(tmp_path, every, missed=missed))
    assert proof_of(tmp_path, every, missed=missed, binding="soap").missed == 1
