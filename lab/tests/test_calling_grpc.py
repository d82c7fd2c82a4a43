"""Operations are called over gRPC, and an answer outside the proto is reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import grpc
import pytest
from called_application import SPEC

from middlemark.conformance.execution.calling import (
    ContractBroken,
    NoResponse,
    Performed,
    Refused,
    Result,
    Unread,
    caller,
)
from middlemark.conformance.execution.calling.over_grpc import response_type
from middlemark.errors import InputError

TIME = 1_769_846_400  # 2026-01-31 08:00:00 UTC
QUOTE: dict[str, object] = {
    "symbol": "s:1", "company": "C", "price": "89.19", "open": "89.19", "low": "89.19", "high": "89.19",
    "change": "0.00", "volume": 1,
}  # fmt: skip
UNKNOWN_SYMBOL = "There is no symbol s:1."


@dataclass
class WrongServices:
    """Services that give every call the same bytes, or end it with a status."""

    address: str = ""
    content: bytes = b""
    status: grpc.StatusCode = grpc.StatusCode.OK
    message: str = ""
    trailers: Sequence[tuple[str, str]] = ()
    received: list[bytes] = field(default_factory=list)

    def perform(self, request: bytes, context: grpc.ServicerContext) -> bytes:
        """Answer one call."""
        self.received.append(request)
        context.set_trailing_metadata(tuple(self.trailers))
        if self.status is not grpc.StatusCode.OK:
            context.abort(self.status, self.message)
        return self.content

    def refuse(self, status: grpc.StatusCode, code: str, message: str = UNKNOWN_SYMBOL) -> None:
        """Refuse from now on."""
        self.status, self.message, self.trailers = status, message, [("middlemark-code", code)]


class AnyMethod(grpc.GenericRpcHandler):
    """Hands every method to the same services, bytes as they are."""

    def __init__(self, services: WrongServices) -> None:
        self._services = services

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:
        """Return the handler of any method."""
        assert handler_call_details.method.startswith("/middlemark.brokerage.v1.Brokerage/")
        return grpc.unary_unary_rpc_method_handler(self._services.perform)


@pytest.fixture
def wrong() -> Iterator[WrongServices]:
    """Give services whose answers the test makes."""
    services = WrongServices()
    server = grpc.server(ThreadPoolExecutor(2), handlers=[AnyMethod(services)])
    services.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    yield services
    server.stop(None).wait()


def made(operation: str, values: dict[str, object]) -> bytes:
    """Return an answer of the operation as bytes."""
    return filled(operation, lambda message: message.MergeFrom(type(message)(**values)))


def filled(operation: str, fill: Callable[[Any], object]) -> bytes:
    """Return an answer of the operation as bytes, its message completed by `fill`."""
    message = response_type(SPEC.folder / "brokerage.proto", operation)()
    fill(message)
    content: bytes = message.SerializeToString()
    return content


def response_of(
    services: WrongServices, operation: str = "getQuote", request: dict[str, object] | None = None
) -> Result:
    """Return what a call gives."""
    calling = caller(SPEC, "grpc", f"http://{services.address}")
    try:
        return calling.call(operation, request or {"symbol": "s:1"})
    finally:
        calling.close()


def orders_of(services: WrongServices, fill: Callable[[Any], object]) -> Result:
    """Return what getOrders gives for one order that `fill` completes."""

    def one(orders: Any) -> None:
        order = orders.orders.add(
            order_id=7, type="buy", status="open", symbol="s:1", quantity=1, price="1.00", fee="24.95", total="25.95"
        )
        order.open_time.FromNanoseconds(TIME * 1_000_000_000 + 123_456_000)
        fill(order)

    services.content = filled("getOrders", one)
    return response_of(services, "getOrders", {"userId": "uid:1", "limit": 1})


def test_a_response_has_the_keys_of_the_json_contract(wrong: WrongServices) -> None:
    wrong.content = made("getQuote", QUOTE)
    assert response_of(wrong) == Performed(QUOTE, len(wrong.content))
    assert wrong.received == [b"\x0a\x03s:1"]


def test_times_are_text_and_what_is_absent_is_none(wrong: WrongServices) -> None:
    result = orders_of(wrong, lambda order: order.ClearField("holding_id"))
    assert isinstance(result, Performed)
    assert result.value == {
        "orders": [
            {
                "orderId": 7, "type": "buy", "status": "open", "symbol": "s:1", "quantity": 1, "price": "1.00",
                "fee": "24.95", "total": "25.95", "openTime": "2026-01-31T08:00:00.123456Z", "completionTime": None,
                "holdingId": None,
            }
        ]
    }  # fmt: skip


def test_a_status_with_its_code_is_a_refusal(wrong: WrongServices) -> None:
    wrong.refuse(grpc.StatusCode.NOT_FOUND, "unknown_symbol")
    assert response_of(wrong) == Refused("unknown_symbol", UNKNOWN_SYMBOL)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({**QUOTE, "price": "89.2"}, "at price"),
        ({**QUOTE, "price": ""}, "at price"),
        ({**QUOTE, "volume": -1}, "at volume"),
        ({**QUOTE, "symbol": "x" * 21}, "at symbol"),
    ],
)
def test_a_value_that_openapi_does_not_allow_is_reported(
    wrong: WrongServices, values: dict[str, object], text: str
) -> None:
    wrong.content = made("getQuote", values)
    with pytest.raises(ContractBroken, match=text):
        response_of(wrong)


def test_a_field_the_proto_does_not_know_is_reported(wrong: WrongServices) -> None:
    wrong.content = made("getQuote", QUOTE) + b"\x78\x01"  # field 15, a number
    with pytest.raises(ContractBroken, match=r"unknown to the proto: \['15'\]"):
        response_of(wrong)


def test_a_field_the_proto_does_not_know_is_reported_also_deep_inside(wrong: WrongServices) -> None:
    wrong.content = b"\x0a\x02\x78\x01"
    with pytest.raises(ContractBroken, match=r"a Quote with fields unknown to the proto: \['15'\]"):
        response_of(wrong, "getQuotes", {"symbols": ["s:1"]})


def test_bytes_that_are_not_a_message_are_reported(wrong: WrongServices) -> None:
    wrong.content = b"\xff"
    with pytest.raises(ContractBroken, match="bytes that are not a Quote"):
        response_of(wrong)


def test_a_time_finer_than_microseconds_is_reported(wrong: WrongServices) -> None:
    with pytest.raises(ContractBroken, match="not whole microseconds"):
        orders_of(wrong, lambda order: order.open_time.FromNanoseconds(TIME * 1_000_000_000 + 1))


@pytest.mark.parametrize("seconds", [2**62, -(2**62), 253_402_300_800])
def test_a_time_that_no_year_of_four_digits_has_is_reported(wrong: WrongServices, seconds: int) -> None:
    with pytest.raises(ContractBroken, match=f"{seconds} s since 1970"):
        orders_of(wrong, lambda order: setattr(order.open_time, "seconds", seconds))


def test_a_missing_time_is_reported(wrong: WrongServices) -> None:
    with pytest.raises(ContractBroken, match="openTime"):
        orders_of(wrong, lambda order: order.ClearField("open_time"))


@pytest.mark.parametrize(
    ("status", "trailers", "text"),
    [
        (grpc.StatusCode.INVALID_ARGUMENT, ["unknown_symbol"], "whose status is NOT_FOUND"),
        (grpc.StatusCode.ALREADY_EXISTS, ["user_exists"], "which it must not"),
        (grpc.StatusCode.NOT_FOUND, ["nothing_there"], "which it must not"),
        (grpc.StatusCode.NOT_FOUND, ["unknown_symbol"] * 2, "2 trailers middlemark-code"),
        (grpc.StatusCode.INTERNAL, [], "0 trailers middlemark-code"),
        (grpc.StatusCode.UNKNOWN, [], "0 trailers middlemark-code"),
    ],
)
def test_a_refusal_of_another_form_counts_as_one_of_malformed_input(
    wrong: WrongServices, status: grpc.StatusCode, trailers: list[str], text: str
) -> None:
    wrong.refuse(status, "", "no such field")
    wrong.trailers = [("middlemark-code", code) for code in trailers]
    result = response_of(wrong)
    assert isinstance(result, Unread)
    assert text in result.broken
    assert result.shown == "no such field"


@pytest.mark.parametrize(
    ("status", "trailers", "text"),
    [
        (grpc.StatusCode.UNKNOWN, ["internal"], "whose status is INTERNAL"),
        (grpc.StatusCode.INVALID_ARGUMENT, ["unavailable"], "whose status is UNAVAILABLE"),
        (grpc.StatusCode.UNAVAILABLE, [], "0 trailers middlemark-code"),
        (grpc.StatusCode.DEADLINE_EXCEEDED, [], "0 trailers middlemark-code"),
    ],
)
def test_a_failure_of_another_form_is_reported(
    wrong: WrongServices, status: grpc.StatusCode, trailers: list[str], text: str
) -> None:
    wrong.refuse(status, "")
    wrong.trailers = [("middlemark-code", code) for code in trailers]
    with pytest.raises(ContractBroken, match=text):
        response_of(wrong)


def test_a_response_with_a_code_is_reported(wrong: WrongServices) -> None:
    wrong.content, wrong.trailers = made("getQuote", QUOTE), [("middlemark-code", "internal")]
    with pytest.raises(ContractBroken, match="answered with the trailer"):
        response_of(wrong)


def test_a_request_outside_the_contract_may_be_read(wrong: WrongServices) -> None:
    wrong.content = made("getQuote", QUOTE)
    assert response_of(wrong, request={"symbol": "x" * 21}) == Performed(QUOTE, len(wrong.content))


@pytest.mark.parametrize("request_", [{"symbol": 7}, {"symbol": "s:1", "other": "x"}])
def test_what_the_proto_cannot_express_is_the_case_s_fault(wrong: WrongServices, request_: dict[str, object]) -> None:
    with pytest.raises(InputError, match="grpc cannot express"):
        response_of(wrong, request=request_)


def test_no_response_is_reported() -> None:
    with pytest.raises(NoResponse, match="UNAVAILABLE"):
        response_of(WrongServices("127.0.0.1:1"))
