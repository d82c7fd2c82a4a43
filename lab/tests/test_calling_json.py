"""Operations are called over JSON, and an answer outside openapi.yaml is told."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from called_application import SPEC, WrongServer, wrong_server

from middlemark.conformance.execution.calling import Answered, Binding, ContractBroken, Refused, caller
from middlemark.errors import InputError

QUOTE = {
    "symbol": "s:1", "company": "C", "price": "89.19", "open": "89.19", "low": "89.19", "high": "89.19",
    "change": "0.00", "volume": 1,
}  # fmt: skip
PROBLEM = {
    "type": "about:blank", "title": "unknown_symbol", "status": 404, "detail": "There is no symbol s:9.",
    "code": "unknown_symbol",
}  # fmt: skip


@pytest.fixture
def wrong() -> Iterator[WrongServer]:
    """Give a server whose answers the test makes."""
    with wrong_server() as server:
        yield server


def answer_of(server: WrongServer, operation: str = "getQuote") -> Answered | Refused:
    """Return what a call gives."""
    calling = caller(Binding.JSON, server.address, SPEC)
    try:
        return calling.call(operation, {"symbol": "s:1"} if operation == "getQuote" else {})
    finally:
        calling.close()


def test_an_operation_the_specification_does_not_have_is_the_case_s_fault(wrong: WrongServer) -> None:
    with pytest.raises(InputError, match="Did you mean 'getQuote'"):
        answer_of(wrong, "getQuot")


def test_an_answer_as_described_is_taken_also_from_another_server(wrong: WrongServer) -> None:
    wrong.body = json.dumps(QUOTE).encode()
    wrong.content_type = "application/json; charset=utf-8"
    assert answer_of(wrong) == Answered(QUOTE, len(wrong.body))


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({**QUOTE, "price": 89.19}, "89.19 is no whole number"),
        ({**QUOTE, "price": "89.2"}, "at price"),
        ({**QUOTE, "price": "089.20"}, "at price"),
        ({**QUOTE, "volume": "1"}, "at volume"),
        ({**QUOTE, "volume": 2**63}, "int64"),
        ({**QUOTE, "trades": 1}, "'trades' was unexpected"),
        ({key: value for key, value in QUOTE.items() if key != "low"}, "'low' is a required property"),
        ({**QUOTE, "company": None}, "at company"),
        ([QUOTE], "a body that is no object"),
    ],
)
def test_an_answer_that_openapi_does_not_allow_is_told(wrong: WrongServer, body: object, told: str) -> None:
    wrong.body = json.dumps(body).encode()
    with pytest.raises(ContractBroken, match=told):
        answer_of(wrong)


@pytest.mark.parametrize(
    ("body", "content_type", "told"),
    [
        (b'{"a": 1, "a": 1}', "application/json", "a key stands there twice"),
        (b"{", "application/json", "a body that is wrong"),
        (b'{"symbol": "\xff"}', "application/json", "a body that is wrong"),
        (json.dumps(QUOTE).encode(), "text/json", "Content-Type 'text/json'"),
        (json.dumps(QUOTE).encode(), "application/json; charset=iso-8859-1", "Content-Type"),
    ],
)
def test_an_answer_that_is_no_json_is_told(wrong: WrongServer, body: bytes, content_type: str, told: str) -> None:
    wrong.body, wrong.content_type = body, content_type
    with pytest.raises(ContractBroken, match=told):
        answer_of(wrong)


@pytest.mark.parametrize(
    ("problem", "status", "told"),
    [
        (PROBLEM, 400, "status 400"),
        (PROBLEM, 418, "status 418, which it must not"),
        ({**PROBLEM, "status": 400}, 404, "at status"),
        ({**PROBLEM, "title": "unknown_user"}, 404, "differ"),
        ({**PROBLEM, "code": "nothing_there", "title": "nothing_there"}, 404, "at code"),
        ({**PROBLEM, "instance": "/x"}, 404, "'instance' was unexpected"),
        ({"code": "unknown_symbol"}, 404, "required"),
    ],
)
def test_a_refusal_outside_the_contract_is_told(
    wrong: WrongServer, problem: dict[str, object], status: int, told: str
) -> None:
    wrong.status, wrong.content_type, wrong.body = status, "application/problem+json", json.dumps(problem).encode()
    with pytest.raises(ContractBroken, match=told):
        answer_of(wrong)


def test_a_refusal_that_is_no_problem_document_is_told(wrong: WrongServer) -> None:
    wrong.status, wrong.body = 404, json.dumps(PROBLEM).encode()
    with pytest.raises(ContractBroken, match="instead of application/problem"):
        answer_of(wrong)


def test_a_code_that_the_operation_does_not_have_is_told(wrong: WrongServer) -> None:
    wrong.status, wrong.content_type, wrong.body = 404, "application/problem+json", json.dumps(PROBLEM).encode()
    with pytest.raises(ContractBroken, match="status 404, which it must not"):
        answer_of(wrong, "ping")


def test_an_answer_to_a_request_that_must_be_refused_is_told(wrong: WrongServer) -> None:
    wrong.body = json.dumps(QUOTE).encode()
    calling = caller(Binding.JSON, wrong.address, SPEC)
    with pytest.raises(ContractBroken, match=r"answered a request that has .* at symbol"):
        calling.call("getQuote", {"symbol": "x" * 21})
    calling.close()


def test_no_answer_is_told() -> None:
    calling = caller(Binding.JSON, "http://127.0.0.1:1", SPEC)
    with pytest.raises(ContractBroken, match="was not answered"):
        calling.call("ping", {})
    calling.close()
