"""What is sent over gRPC as it is ends as the case says, or the failure says how it ended."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from called_application import brokerage
from small_specification import specification_with

from middlemark.conformance.execution.request import VerifyRequest
from middlemark.conformance.result import ConformanceResult, ExecutionOutcome
from middlemark.conformance.verify import verify
from middlemark.databases.database import Database
from middlemark.errors import InputError

NOBODY = "{method: GetAccount, hex: 0a03756964}, status: NOT_FOUND"
ACCOUNT = "method: GetAccount, hex"
CASES = f"""
cases:
  - name: holds in every way
    interfaces: [grpc]
    steps:
      - {{send_grpc: {{{ACCOUNT}: 0a057569643a31}}, status: OK}}
      - {{send_grpc: {{{ACCOUNT}: 0a05}}, malformed: true}}
      - {{send_grpc: {{{ACCOUNT}: 0a01ff}}, malformed: true}}
      - {{send_grpc: {{method: Fly}}, status: UNIMPLEMENTED}}
      - {{send_grpc: {{method: Fly}}, status: [NOT_FOUND, UNIMPLEMENTED]}}
      - {{send_grpc: {NOBODY}, code: unknown_user, message: There is no user uid.}}
  - name: ends with another status
    interfaces: [grpc]
    steps: [{{send_grpc: {{method: Fly}}, status: OK}}]
  - name: ends with none of several
    interfaces: [grpc]
    steps: [{{send_grpc: {{method: Fly}}, status: [OK, NOT_FOUND]}}]
  - name: ends with a code
    interfaces: [grpc]
    steps: [{{send_grpc: {NOBODY}}}]
  - name: ends without a code
    interfaces: [grpc]
    steps: [{{send_grpc: {{method: Fly}}, status: UNIMPLEMENTED, code: internal}}]
  - name: ends with another message
    interfaces: [grpc]
    steps: [{{send_grpc: {NOBODY}, code: unknown_user, message: None}}]
  - name: is no malformed message
    interfaces: [grpc]
    steps: [{{send_grpc: {{{ACCOUNT}: 0a057569643a31}}, malformed: true}}]
"""
FAILING = {
    "ends with another status": "expected the gRPC status OK with no code, found UNIMPLEMENTED with no code: ",
    "ends with none of several": "expected the gRPC status OK or NOT_FOUND with no code, found UNIMPLEMENTED with no ",
    "ends with a code": "expected the gRPC status NOT_FOUND with no code, found NOT_FOUND with unknown_user: ",
    "ends without a code": "expected the gRPC status UNIMPLEMENTED with internal, found UNIMPLEMENTED with no code: ",
    "ends with another message": 'message: expected "None", found "There is no user uid."',
    "is no malformed message": "expected a refusal as malformed, found the gRPC status OK with no code: ",
}


@pytest.fixture(scope="module")
def address(database_cluster: Database, tiny_template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of a running brokerage."""
    with brokerage(database_cluster, tiny_template, tmp_path_factory.mktemp("running")) as target:
        yield target.addresses[0]


def verified(folder: Path, address: str, cases: str) -> ConformanceResult:
    """Verify the address with these cases."""
    spec = specification_with(folder, topic=cases)
    return verify(VerifyRequest(folder, spec, (), folder / "logs", addresses=(address,)))


def test_a_message_ends_as_the_case_wants_or_the_failure_names_how(address: str, tmp_path: Path) -> None:
    executions = {one.case: one for one in verified(tmp_path, address, CASES).subjects[0].executions}
    holds = executions["holds in every way"]
    assert holds.outcome is ExecutionOutcome.PASSED, holds.failures
    failed = {name: one.failures[0].text for name, one in executions.items() if one.outcome is ExecutionOutcome.FAILED}
    assert failed.keys() == FAILING.keys()
    assert [name for name, text in FAILING.items() if text not in failed[name]] == []


def test_an_odd_number_of_digits_is_reported_with_its_line(address: str, tmp_path: Path) -> None:
    step = "{send_grpc: {method: Ping, hex: '${6*3}'}, status: OK}"
    case = f"cases:\n- name: half a byte\n  interfaces: [grpc]\n  steps:\n  - {step}"
    with pytest.raises(InputError, match=r"topic\.yaml:6: these are not bytes of two hexadecimal digits each"):
        verified(tmp_path, address, case)
