"""Operations of the real application are called over every interface, and result the same over all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing

import pytest
from called_application import SPEC, brokerage

from middlemark.conformance.execution.calling import Caller, Performed, Refused, Result, caller
from middlemark.databases.database import Database
from middlemark.topology.target import Target

CLIENTS = 6
INTERFACES = ("json", "soap", "grpc")
REQUESTS: dict[str, Mapping[str, object]] = {
    "ping": {},
    "getAccount": {"userId": "uid:1"},
    "getProfile": {"userId": "uid:1"},
    "getHoldings": {"userId": "uid:1"},
    "getHolding": {"userId": "uid:1", "holdingId": 6},
    "getOrders": {"userId": "uid:1", "limit": 3},
    "getQuote": {"symbol": "s:1"},
    "getQuotes": {"symbols": ["s:2", "s:1", "s:2"]},
}


@pytest.fixture(scope="module")
def target(
    database_cluster: Database, tiny_template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Target]:
    """Give the running application."""
    with brokerage(database_cluster, tiny_template, tmp_path_factory.mktemp("calling")) as running:
        yield running


@pytest.fixture(params=INTERFACES)
def services(request: pytest.FixtureRequest, target: Target) -> Iterator[Caller]:
    """Give a caller for each interface."""
    with closing(caller_of(target, request.param)) as calling:
        yield calling


def caller_of(target: Target, interface: str) -> Caller:
    """Return a new caller of the application."""
    return caller(SPEC, interface, target.interfaces[interface])


def value(result: Result) -> Mapping[str, object]:
    """Return what was answered."""
    assert isinstance(result, Performed)
    return result.value


def test_an_order_has_amounts_times_and_ids(services: Caller) -> None:
    result = services.call("buy", {"userId": "uid:7", "symbol": "s:3", "quantity": 2})
    order = value(result)
    assert isinstance(result, Performed)
    assert result.raw_size > 60
    assert order["fee"] == "24.95"
    assert order["status"] == "closed"
    assert isinstance(order["holdingId"], int)
    assert isinstance(order["completionTime"], str)
    assert order["completionTime"] >= str(order["openTime"])


def test_every_operation_can_be_called(services: Caller) -> None:
    user = f"user of {type(services).__name__}"
    texts = {"fullName": "Ünï <b>", "address": "", "email": "&", "creditCard": ""}
    values = {"userId": user, "password": "p", **texts}
    assert value(services.call("register", {**values, "openBalance": "100.00"}))["balance"] == "100.00"
    assert value(services.call("login", {"userId": user, "password": "p"}))["loginCount"] == 2
    assert value(services.call("updateProfile", {**values, "password": ""})) == {"userId": user, **texts}
    bought = value(services.call("buy", {"userId": user, "symbol": "s:0", "quantity": 1}))
    sold = value(services.call("sell", {"userId": user, "holdingId": bought["holdingId"]}))
    assert value(services.call("getClosedOrders", {"userId": user})) == {"orders": [bought, sold]}
    assert value(services.call("getClosedOrders", {"userId": user})) == {"orders": []}
    assert value(services.call("logout", {"userId": user})) == {}
    assert len(str(value(services.call("getMarketSummary", {})))) > 100


def test_every_interface_has_the_same_responses(target: Target) -> None:
    with ExitStack() as stack:
        callers = [stack.enter_context(closing(caller_of(target, interface))) for interface in INTERFACES]
        for operation, request in REQUESTS.items():
            first, *others = [value(one.call(operation, request)) for one in callers]
            assert others == [first, first], operation


@pytest.mark.parametrize(
    ("operation", "request_", "refused"),
    [
        ("getQuote", {"symbol": "s:9999"}, Refused("unknown_symbol", "There is no symbol s:9999.")),
        ("getQuote", {"symbol": ""}, Refused("invalid_input", "The symbol is missing.")),
        ("getQuote", {"symbol": "x" * 21}, Refused("invalid_input", "The symbol has more than 20 characters.")),
        ("getQuotes", {"symbols": []}, Refused("invalid_input", "Ask for 1 to 20 symbols.")),
        ("getQuotes", {"symbols": ["s:1"] * 21}, Refused("invalid_input", "Ask for 1 to 20 symbols.")),
        (
            "login",
            {"userId": "é", "password": "y"},
            Refused("authentication_failed", "Unknown user or wrong password."),
        ),
        ("getHolding", {"userId": "uid:1", "holdingId": 1}, Refused("unknown_holding", "User uid:1 has no holding 1.")),
        (
            "sell",
            {"userId": "uid:1", "holdingId": -(2**63)},
            Refused("invalid_input", "The holding id must be a whole number from 1."),
        ),
    ],
)
def test_a_refusal_has_its_code_and_message(
    services: Caller, operation: str, request_: Mapping[str, object], refused: Refused
) -> None:
    assert services.call(operation, request_) == refused


@pytest.mark.parametrize("interface", INTERFACES)
def test_callers_of_several_threads_do_not_disturb_each_other(target: Target, interface: str) -> None:
    def ask(number: int) -> list[object]:
        with closing(caller_of(target, interface)) as calling:
            symbols = [f"s:{(number * 10 + step) % 100}" for step in range(20)]
            return [value(calling.call("getQuote", {"symbol": symbol}))["symbol"] == symbol for symbol in symbols]

    with ThreadPoolExecutor(CLIENTS) as pool:
        assert all(all(right) for right in pool.map(ask, range(CLIENTS)))
