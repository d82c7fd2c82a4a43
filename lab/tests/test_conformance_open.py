"""What a specification leaves open may come in any form; what it asks for all the same is held against it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripted_server import PROBLEM, Response, Scripted, scripted_server
from small_specification import specification_with

from middlemark.conformance.cases.suite import read_cases
from middlemark.conformance.comparison.comparing import differences
from middlemark.conformance.execution.run_case import run_case
from middlemark.conformance.execution.state.case_databases import case_databases
from middlemark.conformance.execution.steps.browser import open_client
from middlemark.conformance.execution.steps.context import Addresses, Context
from middlemark.conformance.result import ExecutionOutcome, Observed
from middlemark.databases.database import CopyStrategy, Database, create_database, drop_database

NAME = "middlemark_open"
QUOTE = (
    '{"symbol": "s:1", "company": "C", "price": "89.19", "open": "89.19", "low": "89.19", "high": "89.19",'
    ' "change": "0.00", "volume": 1}'
)
FAULT = (
    '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><e:Fault><faultcode>e:{}</faultcode>'
    "<faultstring>x</faultstring></e:Fault></e:Body></e:Envelope>"
)
CASES = """
cases:
  - name: a malformed page
    steps: [{send: {path: /page}, malformed: true}]
  - name: a malformed visit
    steps: [{get: /page, malformed: true}]
  - name: malformed pages at once
    steps:
      - at_once: [[&page {get: /page, malformed: true}], [*page]]
        outcomes: {status: {400: 2}}
  - name: an application that is not ready
    steps: [{send: {path: /health}, expect: {status: 503}}]
  - name: a malformed envelope
    steps: [{send: {path: /services/soap, method: POST, body: x}, malformed: true}]
  - name: a page that may be refused
    steps: [{get: /page, expect: {status: 303, location: /there}, may_refuse: true}, {send: {path: /next}}]
  - name: a status of several
    steps: [{send: {path: /page}, expect: {status: [200, 404]}}, {send: {path: /page}, expect: {status: 4xx}}]
  - name: a page of several statuses
    steps: [{get: /page, expect: {status: [404, 405]}}]
  - name: a page that is looked at
    steps: [{get: /page, expect: {status: 4xx, look: [{at: p, text: yes}]}}]
  - name: a page within an outage
    steps: [{get: /page, expect: {status: 303}, within: 2s}]
  - name: a page until it is as expected
    steps: [{send: {path: /page}, expect: {body: three}, until: 5s}]
  - name: a page until it is too late
    steps: [{send: {path: /page}, expect: {body: three}, until: 1ms}]
  - name: a malformed call
    interfaces: [json]
    steps: [{call: getQuote, with: {symbol: 7}, refused: malformed}]
  - name: a call that may be refused
    interfaces: [json]
    steps: [{call: getQuote, with: {symbol: 7}, response: {symbol: "s:1"}, may_refuse: true}]
  - name: a call with one of several messages
    interfaces: [json]
    steps: [{call: getQuote, with: {symbol: "s:1"}, refused: {code: unknown_symbol, message: [one, two]}}]
  - name: a call whose message is open
    interfaces: [json]
    steps: [{call: getQuote, with: {symbol: "s:1"}, refused: {code: unknown_symbol, message: {pattern: "t.*"}}}]
  - name: a call within an outage
    interfaces: [json]
    steps: [{call: getQuote, with: {symbol: "s:1"}, response: {symbol: "s:1"}, within: 2s}]
  - name: nothing changes
    changes: nothing
    steps: [{sql: SELECT 1}]
  - name: nothing changes but a row
    changes: nothing
    steps: [{sql: UPDATE profiles SET email = 'x' WHERE user_id = 'uid:3'}]
  - name: two notifications
    steps: [{notified: here, times: 2, during: [{sql: NOTIFY here}, {sql: NOTIFY there}, {sql: NOTIFY here}]}]
  - name: one notification and no more
    steps: [{notified: here, times: 1, during: [{sql: NOTIFY here}, {sql: NOTIFY here}]}]
"""


@pytest.fixture(scope="module")
def application() -> Iterator[Scripted]:
    """Give the server that is the application."""
    with scripted_server() as scripted:
        yield scripted


@pytest.fixture
def server(application: Scripted) -> Scripted:
    """Give it without any responses."""
    application.responses.clear()
    application.requests.clear()
    return application


@pytest.fixture(scope="module")
def context(
    database_cluster: Database, tiny_template: str, tmp_path_factory: pytest.TempPathFactory, application: Scripted
) -> Iterator[Context]:
    """Give a run context with a database of its own and the scripted application."""
    spec = specification_with(tmp_path_factory.mktemp("open"), topic=CASES)
    drop_database(database_cluster, NAME)
    create_database(database_cluster, NAME, tiny_template, CopyStrategy.LOG)
    addresses = Addresses(application.address, {"services": application.address}, {"json": application.address})
    with (
        case_databases(spec, {"brokerage": (database_cluster, NAME)}) as databases,
        open_client(application.address) as client,
    ):
        context = Context(spec, addresses, {"orders": "sync"}, databases, threading.Event(), client, list)
        yield context
        context.close()
    drop_database(database_cluster, NAME)


def observed(context: Context, name: str) -> Observed:
    """Run the case of that name."""
    (one,) = [one for one in read_cases(context.specification) if one.case.name == name]
    return run_case(one, {}, "json", context)


def failure(context: Context, name: str) -> str:
    """Run the case of that name and return how it failed, the empty text when it did not."""
    execution = observed(context, name).execution
    assert (execution.outcome is ExecutionOutcome.FAILED) == bool(execution.failures)
    return execution.failures[0].text if execution.failures else ""


@pytest.mark.parametrize("name", ["a malformed page", "a malformed visit"])
def test_malformed_input_is_refused_with_any_4xx_in_any_form(context: Context, server: Scripted, name: str) -> None:
    for status in (400, 404, 415, 431):
        server.responses["/page"] = [Response(status, "<h1>no HTML5, and no header", "text/html")]
        assert failure(context, name) == ""
    for status in (200, 303, 500, 503):
        server.responses["/page"] = [Response(status, "<p>oh")]
        assert failure(context, name).startswith("status: expected 4xx, the refusal of a malformed request, found")


def test_malformed_requests_at_once_count_under_their_status(context: Context, server: Scripted) -> None:
    server.responses["/page"] = [Response(400)]
    assert failure(context, "malformed pages at once") == ""
    server.responses["/page"] = [Response(404)]
    assert failure(context, "malformed pages at once") == "outcomes: expected 2 status 400, found 2 status 404"


def test_malformed_input_over_soap_is_refused_with_4xx_or_a_fault_of_the_client(
    context: Context, server: Scripted
) -> None:
    for status, blamed in ((400, "Server"), (500, "Client"), (500, "VersionMismatch"), (500, "MustUnderstand")):
        server.responses["/services/soap"] = [Response(status, FAULT.format(blamed), "text/xml")]
        assert failure(context, "a malformed envelope") == "", blamed
    for status, body in ((500, FAULT.format("Server")), (500, "no XML"), (200, FAULT.format("Client"))):
        server.responses["/services/soap"] = [Response(status, body, "text/xml")]
        assert failure(context, "a malformed envelope").startswith("status: expected 4xx"), body


def test_what_may_be_refused_is_as_expected_or_refused(context: Context, server: Scripted) -> None:
    server.responses["/next"] = [Response()]
    server.responses["/page"] = [Response(400, "no")]
    assert failure(context, "a page that may be refused") == ""
    server.responses["/page"] = [Response(500, "no")]
    assert failure(context, "a page that may be refused") == "status: expected 303, found 500: no"


def test_where_two_part_nothing_further_is_compared(context: Context, server: Scripted) -> None:
    def found(status: int, after: str) -> Observed:
        server.responses = {"/page": [Response(status)], "/next": [Response(200, after)]}
        return observed(context, "a page that may be refused")

    refused, other, differs = found(400, "a"), found(404, "a"), found(400, "b")
    assert list(differences(("one", "two"), ([refused], [other]), ())) == []
    (difference,) = differences(("one", "two"), ([refused], [differs]), ())
    assert (difference.what, difference.text) == ("responses", "step 2: 200 text/plain a / step 2: 200 text/plain b")


def test_a_step_that_parts_two_hides_only_what_comes_after_it(context: Context, server: Scripted) -> None:
    def found(status: int, symbol: str) -> Observed:
        quote = QUOTE.replace("s:1", symbol)
        body = quote if status == 200 else "no"
        server.responses["/services/json/getQuote"] = [Response(status, body, "application/json")]
        return observed(context, "a call that may be refused")

    refused, performed = found(400, "s:1"), found(200, "s:1")
    assert refused.execution.responses != performed.execution.responses
    assert list(differences(("one", "two"), ([refused], [performed]), ())) == []
    assert [one.what for one in differences(("one", "two"), ([performed], [found(200, "s:2")]), ())] == [
        "outcome",
        "responses",
    ]


def test_a_status_may_be_one_of_several_or_of_a_class(context: Context, server: Scripted) -> None:
    server.responses["/page"] = [Response(404, "<p>x", "text/html")]
    one = observed(context, "a status of several")
    assert not one.execution.failures
    server.responses["/page"] = [Response(200, "<p>x"), Response(418, "teapot")]
    other = observed(context, "a status of several")
    assert one.notes == other.notes == ("step 1: 200 or 404", "step 2: 4xx")
    server.responses["/page"] = [Response(405)]
    assert failure(context, "a status of several").startswith("status: expected 200 or 404, found 405")
    assert failure(context, "a page of several statuses") == ""
    server.responses["/page"] = [Response(404, "<!DOCTYPE html><title>x</title><p>yes", "text/html; charset=utf-8")]
    assert failure(context, "a page that is looked at") == "header cache-control: expected no-store, found none"


def test_a_request_is_repeated_only_while_the_application_is_away(context: Context, server: Scripted) -> None:
    away, back = [Response(503), Response(0), Response(503)], Response(303)
    server.responses["/page"] = [*away, back]
    one = observed(context, "a page within an outage")
    assert not one.execution.failures
    assert server.requests == ["GET /page"] * 4
    assert one.notes == ("step 1: 303 None",)
    server.responses["/page"] = [Response(503), Response(500), back]
    assert failure(context, "a page within an outage").startswith("status: expected 303, found 500")
    server.responses["/page"] = [Response(503)]
    text = failure(context, "a page within an outage")
    assert text == "status: expected 303, found 503:  (repeated for 2s)"


def test_a_call_is_repeated_only_while_it_is_unavailable(context: Context, server: Scripted) -> None:
    def problem(status: int, code: str) -> Response:
        body = f'{{"status": {status}, "detail": "The service is away.", "code": "{code}"}}'
        return Response(status, body, PROBLEM)

    away, quote = problem(503, "unavailable"), Response(200, QUOTE, "application/json")
    server.responses["/services/json/getQuote"] = [away, Response(0), away, quote]
    one = observed(context, "a call within an outage")
    assert not one.execution.failures
    assert len(one.notes) == 1
    server.responses["/services/json/getQuote"] = [away, problem(500, "internal"), quote]
    text = failure(context, "a call within an outage")
    assert text == "expected a response, found the refusal internal: The service is away."


def test_a_request_is_repeated_until_the_response_is_as_expected(context: Context, server: Scripted) -> None:
    late = [Response(404), Response(200, "two"), Response(200, "three")]
    server.responses["/page"] = list(late)
    assert failure(context, "a page until it is as expected") == ""
    server.responses["/page"] = list(late)
    assert "(repeated for 1ms)" in failure(context, "a page until it is too late")


@pytest.mark.parametrize("name", ["a malformed call", "a call that may be refused"])
def test_a_malformed_call_is_refused_in_any_form_that_blames_the_client(
    context: Context, server: Scripted, name: str
) -> None:
    invalid = '{"status": 400, "detail": "any", "code": "invalid_input"}'
    for response in (Response(400, invalid, PROBLEM), Response(415), Response(400, "<p>no", "text/html")):
        server.responses["/services/json/getQuote"] = [response]
        assert failure(context, name) == "", response
    for status, code in ((500, "internal"), (503, "unavailable")):
        problem = f'{{"status": {status}, "detail": "any", "code": "{code}"}}'
        server.responses["/services/json/getQuote"] = [Response(status, problem, PROBLEM)]
        assert failure(context, name) == f"expected a refusal of the client's request, found the refusal {code}: any"


def test_what_must_be_refused_as_malformed_is_not_performed(context: Context, server: Scripted) -> None:
    server.responses["/services/json/getQuote"] = [Response(200, QUOTE, "application/json")]
    assert failure(context, "a malformed call").startswith("expected a refusal as malformed, found the response")
    assert failure(context, "a call that may be refused") == ""


def refused(context: Context, server: Scripted, name: str, message: str) -> Observed:
    """Return what a case observes of a refusal with this message."""
    problem = f'{{"status": 404, "detail": "{message}", "code": "unknown_symbol"}}'
    server.responses["/services/json/getQuote"] = [Response(404, problem, PROBLEM)]
    return observed(context, name)


def test_a_refusal_may_have_any_message_that_a_matcher_allows(context: Context, server: Scripted) -> None:
    one, two, three = (
        refused(context, server, "a call whose message is open", text) for text in ("one", "two", "three")
    )
    assert two.notes == three.notes == ("step 1: refused unknown_symbol",)
    assert not two.execution.failures
    assert [one.text for one in one.execution.failures] == ['message: expected what matches /t.*/, found "one"']


def test_a_refusal_may_have_one_of_several_messages(context: Context, server: Scripted) -> None:
    name = "a call with one of several messages"
    one, two, three = (refused(context, server, name, text) for text in ("one", "two", "three"))
    assert one.notes == two.notes == ("step 1: refused unknown_symbol",)
    assert not one.execution.failures
    assert three.execution.failures[0].text == 'message: expected "one", found "three" (nor one of the 1 others)'


def test_a_case_that_changes_nothing_leaves_every_row_as_it_was(context: Context) -> None:
    assert failure(context, "nothing changes") == ""
    (broken,) = observed(context, "nothing changes but a row").execution.failures
    context.require_databases().put_back()
    assert broken.text.startswith("changes: expected no row that differs from the loaded data, found 2: + profiles")
    file, _, line = broken.where.rpartition(":")
    assert Path(file).read_text(encoding="utf-8").splitlines()[int(line) - 1] == "    changes: nothing"


def test_notifications_are_counted(context: Context) -> None:
    assert failure(context, "two notifications") == ""
    assert failure(context, "one notification and no more") == "expected 1 notifications of here, found 2"


@pytest.mark.parametrize(
    "body",
    [
        "java.lang.IllegalStateException: no",
        "<pre>\tat org.apache.catalina.core.StandardWrapper.invoke(StandardWrapper.java:77)</pre>",
        "goroutine 17 [running]:",
        "json: cannot unmarshal number into Go struct field Quote.symbol of type string",
        "SRVE0190E: File not found: NullPointerException",
        "pages/home.go:33: no such template",
        "ERROR: duplicate key value violates unique constraint &quot;accounts_user_id_key&quot; (SQLSTATE 23505)",
        "SELECT balance FROM accounts WHERE user_id = $1",
        "Cannot open /usr/lib/pages.html",
        "dial tcp 127.0.0.1:5432: connect: connection refused",
    ],
)
def test_no_refusal_shows_internals(context: Context, server: Scripted, body: str) -> None:
    server.responses["/page"] = [Response(404, body, "text/html")]
    for name in ("a malformed page", "a malformed visit", "a status of several"):
        assert failure(context, name).startswith("expected no internals in what is refused, found: "), name
    server.responses["/services/json/getQuote"] = [Response(400, body)]
    assert failure(context, "a malformed call").startswith("expected no internals in what is refused, found: ")


def test_why_an_application_is_not_ready_is_for_those_who_run_it(context: Context, server: Scripted) -> None:
    server.responses["/health"] = [Response(503, "dial tcp 127.0.0.1:5432: connection refused")]
    assert failure(context, "an application that is not ready") == ""


@pytest.mark.parametrize(
    "body",
    [
        "There is no page /index.html.",
        "The service is not available at the moment. Please try again.",
        "Something went wrong. The details are in the log.",
        "404 Not Found: nginx/1.24.0 (Ubuntu)",
        "The quantity must be a whole number from 1 to 1000000. Select one from 1 to 20 symbols.",
        "Unmarshalling Error: For input string: &quot;many&quot;",
        FAULT.format("Client"),
    ],
)
def test_what_a_refusal_may_say_is_no_internal(context: Context, server: Scripted, body: str) -> None:
    server.responses["/page"] = [Response(404, body)]
    assert failure(context, "a malformed page") == ""
