"""Everything a case can say of an answer holds where it is so, and fails with a readable text where it is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_specification import executions_by_case, small_subject, specification_with, stores_at, verified

from middlemark.conformance.cases.suite import ABOUT_CASE
from middlemark.conformance.result import Execution, ExecutionOutcome
from middlemark.databases.database import Database

CALL = 'call: getAccount, with: {userId: "uid:1"}'
BUY = 'call: buy, with: {userId: "uid:1", symbol: "s:1", quantity: 1}'
UNKNOWN = 'call: getAccount, with: {userId: "nobody"}'
ACCOUNT = "get: /account, user: uid:1"
HOLDINGS = 'call: getHoldings, with: {userId: "uid:1"}'
LAST_ORDER = "SELECT max(order_id) FROM orders"
FIRST_ORDER = "SELECT min(order_id) FROM orders"
JSON = 'send: {method: POST, path: /services/json/getQuote, body: \'{"symbol": "s:1"}\'}'
WSDL = "send: {path: '/services/soap?wsdl'}"

# step: what holds · what does not hold · what the failure says
CASES: dict[str, tuple[str, str, str]] = {
    "a literal text": (
        f'{CALL}, response: {{balance: "970144.74"}}',
        f'{CALL}, response: {{balance: "970144.75"}}',
        'response.balance: expected "970144.75", found "970144.74"',
    ),
    "a literal number is not a text": (
        f"{CALL}, response: {{accountId: 2}}",
        f'{CALL}, response: {{accountId: "2"}}',
        'response.accountId: expected "2", found 2',
    ),
    "a pattern matches from beginning to end": (
        f"{CALL}, response: {{accountId: {{pattern: '[0-9]'}}, userId: {{pattern: 'uid:.'}}}}",
        f"{CALL}, response: {{userId: {{pattern: 'uid'}}}}",
        'response.userId: expected what matches /uid/, found "uid:1"',
    ),
    "now is after the beginning of the case": (
        f"{BUY}, response: {{openTime: {{time: now}}}}",
        f"{CALL}, response: {{lastLogin: {{time: now}}}}",
        "response.lastLogin: expected a time from",
    ),
    "anything is not nothing": (
        f"{BUY}, response: {{holdingId: {{any: true}}}}",
        f"{BUY}, response: {{nothingLikeIt: {{any: true}}}}",
        "response.nothingLikeIt: expected anything, found nothing",
    ),
    "not a value": (
        f"{BUY}, response: {{status: {{not: open}}}}",
        f"{BUY}, response: {{status: {{not: closed}}}}",
        'response.status: expected anything else, found "closed"',
    ),
    "what the database says": (
        f"{BUY}, response: {{orderId: {{sql: {LAST_ORDER}}}}}",
        f"{BUY}, response: {{orderId: {{sql: {FIRST_ORDER}}}}}",
        'response.orderId: expected "1" (what the database says)',
    ),
    "a list has as many elements": (
        f"{HOLDINGS}, response: {{holdings: [{{holdingId: 6}}, {{}}, {{}}, {{}}, {{symbol: 's:9'}}]}}",
        f"{HOLDINGS}, response: {{holdings: [{{holdingId: 6}}]}}",
        "response.holdings: expected 1 elements, found 5",
    ),
    "a list is compared in order": (
        f"{HOLDINGS}, response: {{holdings: [{{holdingId: 6}}, {{holdingId: 7}}, {{}}, {{}}, {{}}]}}",
        f"{HOLDINGS}, response: {{holdings: [{{holdingId: 7}}, {{holdingId: 6}}, {{}}, {{}}, {{}}]}}",
        "response.holdings[0].holdingId: expected 7, found 6",
    ),
    "a refusal": (
        f"{UNKNOWN}, refused: {{code: unknown_user, message: There is no user nobody.}}",
        f"{UNKNOWN}, refused: {{code: unknown_symbol}}",
        "expected the refusal unknown_symbol, found unknown_user: There is no user nobody.",
    ),
    "a message": (
        f"{UNKNOWN}, refused: {{code: unknown_user, message: {{pattern: '.*nobody.*'}}}}",
        f"{UNKNOWN}, refused: {{code: unknown_user, message: Nobody there}}",
        'message: expected "Nobody there", found "There is no user nobody."',
    ),
    "an answer where a refusal is expected": (
        f"{CALL}",
        f"{CALL}, refused: {{code: unknown_user}}",
        "expected the refusal unknown_user, found the response",
    ),
    "a refusal where an answer is expected": (CALL, UNKNOWN, "expected a response, found the refusal unknown_user"),
    "the status of a page": (
        f"{ACCOUNT}, expect: {{status: 200}}",
        f"{ACCOUNT}, expect: {{status: 404}}",
        "status: expected 404, found 200: Account",
    ),
    "a page is answered": (ACCOUNT, "get: /nowhere", "status: expected 200 or 303, found 404: 404 Not Found"),
    "where a page redirects to": (
        "get: /home, expect: {location: /}",
        "get: /home, expect: {location: /login}",
        "Location: expected /login, found /",
    ),
    "headers": (
        "get: /, expect: {headers: {cache-control: no-store, location: null}}",
        "get: /, expect: {headers: {cache-control: private}}",
        'header cache-control: expected "private", found "no-store"',
    ),
    "a header that is not there": (
        "get: /, expect: {headers: {x-powered-by: null}}",
        "get: /, expect: {headers: {content-type: null}}",
        "header content-type: expected null",
    ),
    "the number of elements": (
        f'{ACCOUNT}, expect: {{look: [{{at: "#orders tbody tr", count: 5}}]}}',
        f'{ACCOUNT}, expect: {{look: [{{at: "#orders tbody tr", count: 4}}]}}',
        "#orders tbody tr: expected 4 elements, found 5",
    ),
    "an element that is there": (
        f'{ACCOUNT}, expect: {{look: [{{at: "#account-id"}}]}}',
        f'{ACCOUNT}, expect: {{look: [{{at: "#holding-id"}}]}}',
        "#holding-id: expected at least one element, found none",
    ),
    "the text of an element": (
        f'{ACCOUNT}, expect: {{look: [{{at: "#account-id", text: "2"}}]}}',
        f'{ACCOUNT}, expect: {{look: [{{at: "#account-id", text: "3"}}]}}',
        'text of #account-id: expected "3", found "2"',
    ),
    "the texts of elements": (
        f'{ACCOUNT}, expect: {{look: [{{at: .order-id, text: ["10", "9", "8", "7", "6"]}}]}}',
        f'{ACCOUNT}, expect: {{look: [{{at: .order-id, text: ["10", "9", "8", "6", "7"]}}]}}',
        'text of .order-id[3]: expected "6", found "7"',
    ),
    "a pattern in the text of an element": (
        f"{ACCOUNT}, expect: {{look: [{{at: h1, matches: 'c+o'}}]}}",
        f"{ACCOUNT}, expect: {{look: [{{at: h1, matches: 'o+c'}}]}}",
        'text of h1: expected what holds /o+c/, found "Account"',
    ),
    "attributes": (
        f'{ACCOUNT}, expect: {{look: [{{at: "#address", attribute: {{name: address, onclick: null}}}}]}}',
        f'{ACCOUNT}, expect: {{look: [{{at: "#address", attribute: {{name: email}}}}]}}',
        'attribute name of #address: expected "email", found "address"',
    ),
    "a file": (
        "get: /style.css, expect: {file: pages/style.css}",
        "get: /style.css, expect: {file: schema.sql}",
        "body: expected the",
    ),
    "a page without its file": (
        "get: /, expect: {page: welcome.html}",
        "get: /, expect: {page: register.html}",
        "not the page register.html: at head > title: expected",
    ),
    "JSON": (
        f'{JSON}, expect: {{json: {{symbol: "s:1", price: "89.19"}}}}',
        f'{JSON}, expect: {{json: {{price: "89.20"}}}}',
        'body.price: expected "89.20", found "89.19"',
    ),
    "a body": (
        "send: {path: /health}, expect: {body: {pattern: 'ok\\s*'}}",
        "send: {path: /health}, expect: {body: {pattern: 'no'}}",
        "body: expected what matches /no/",
    ),
    "what a body holds": (
        "send: {path: /health}, expect: {body_matches: 'k'}",
        "send: {path: /health}, expect: {body_matches: 'x'}",
        "body: expected what holds /x/",
    ),
    "the number of XML elements": (
        f"{WSDL}, expect: {{xml: [{{at: '//wsdl:service', count: 1}}]}}",
        f"{WSDL}, expect: {{xml: [{{at: '//wsdl:service', count: 2}}]}}",
        "//wsdl:service: expected 2, found 1",
    ),
    "the text of an XML attribute": (
        f"{WSDL}, expect: {{xml: [{{at: '/wsdl:definitions/@targetNamespace', text: 'urn:middlemark:brokerage:1'}}]}}",
        f"{WSDL}, expect: {{xml: [{{at: '/wsdl:definitions/@targetNamespace', text: 'urn:none'}}]}}",
        'expected "urn:none", found "urn:middlemark:brokerage:1"',
    ),
    "rows": (
        "sql: \"SELECT user_id, true, NULL FROM accounts WHERE account_id = 2\", rows: [['uid:1', 'true', null]]",
        "sql: SELECT user_id FROM accounts WHERE account_id = 2, rows: [['uid:2']]",
        'rows[0][0]: expected "uid:2", found "uid:1"',
    ),
    "rows that come within a time": (
        "sql: SELECT 1, rows: [['1']], within: 2s",
        "sql: SELECT 1, rows: [['2']], within: 100ms",
        'rows[0][0]: expected "2", found "1" (repeated for 100ms)',
    ),
}


@pytest.fixture(scope="module")
def executions(
    database_cluster: Database, tiny_template: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Execution]:
    """Run two cases for each of CASES: one that holds and one that does not."""
    lines = ["cases:"]
    for name, (right, wrong, _) in CASES.items():
        for sentence, step in ((f"{name}: holds", right), (f"{name}: does not hold", wrong)):
            lines += [f"  - name: {sentence!r}", f"    steps: [{{{step}}}]"]
    spec = specification_with(tmp_path_factory.mktemp("matchers"), matchers="\n".join(lines))
    loaded = stores_at(database_cluster, tiny_template)
    subject = small_subject(("local", "soap", "json"))
    # The complete configuration alone: in the others runs what is tagged `interop`.
    return {
        one.case: one
        for one in verified(spec, loaded, subject).subjects[0].executions
        if one.interface in {"", "json"} and one.case != ABOUT_CASE
    }


@pytest.mark.parametrize("name", CASES)
def test_what_is_so_holds(executions: dict[str, Execution], name: str) -> None:
    execution = executions[f"{name}: holds"]
    assert (execution.outcome, execution.failures) == (ExecutionOutcome.PASSED, ())


@pytest.mark.parametrize("name", CASES)
def test_what_is_not_so_fails_and_names_what_was_found(executions: dict[str, Execution], name: str) -> None:
    execution = executions[f"{name}: does not hold"]
    assert execution.outcome is ExecutionOutcome.FAILED
    assert CASES[name][2] in execution.failures[0].text
    assert execution.failures[0].step == "step 1"
    file, _, line = execution.failures[0].where.rpartition(":")
    assert CASES[name][1] in Path(file).read_text(encoding="utf-8").splitlines()[int(line) - 1]


def test_every_execution_is_counted_and_timed(executions: dict[str, Execution]) -> None:
    assert len(executions) == 2 * len(CASES)
    assert all(execution.seconds > 0 for execution in executions.values())


def test_executions_of_one_case_are_found_by_its_sentence(
    database_cluster: Database, tiny_template: str, tmp_path: Path
) -> None:
    spec = specification_with(tmp_path, one="cases: [{name: one case alone, steps: [{get: /}]}]")
    result = verified(spec, stores_at(database_cluster, tiny_template), small_subject())
    assert list(executions_by_case(result)) == ["one case alone"]
    assert result.passed
