"""Every kind of step does what the manual says, and what it leaves is put back before the next case."""

from __future__ import annotations

import pytest
from small_specification import executions_by_case, small_subject, specification_with, stores_at, verified

from middlemark.conformance.result import Execution, ExecutionOutcome
from middlemark.databases.database import Database

# The case `untouched …` finds the data set as it was loaded, whatever the case before it has done.
CASES = r"""
cases:
  - name: untouched at the beginning
    steps: &untouched
      - sql: >-
          SELECT (SELECT sum(balance) FROM accounts), (SELECT count(*) FROM orders), (SELECT count(*) FROM holdings),
          (SELECT last_value FROM orders_order_id_seq), (SELECT count(*) FROM quotes WHERE price <> open),
          (SELECT sum(login_count) FROM accounts)
        rows: [["48773572.58", "250", "250", "250", "0", "0"]]
  - name: captures go into every place
    steps:
      - call: buy
        with: {userId: "uid:1", symbol: "s:1", quantity: 3}
        capture: {order: orderId, holding: holdingId}
      - call: getHolding
        with: {userId: "uid:1", holdingId: "${holding}"}
        response: {quantity: 3, holdingId: "${holding}"}
      - get: /portfolio
        user: uid:1
        expect: {look: [{at: "input[name=holding_id][value='${holding}']", count: 1}]}
        capture: {shown: {at: "tbody tr:last-child .holding-id, tbody tr:last-child input", attribute: value}}
      - sql: SELECT user_id AS who FROM accounts JOIN orders USING (account_id) WHERE order_id = ${order}
        rows: [["uid:1"]]
        capture: {who: who}
      - post: /sell
        form: {holding_id: "${holding}"}
        expect: {look: [{at: "#user", text: "${who}"}]}
      - send: {method: POST, path: /services/json/getAccount, body: '{"userId": "${who}"}'}
        expect: {json: {userId: "${who}"}}
  - name: untouched after captures
    steps: *untouched
  - name: a repeated character is as long as it says
    steps:
      - call: login
        with: {userId: "${x*51}", password: xxx}
        refused: {code: invalid_input, message: The user id has more than 50 characters.}
  - name: two sells at once of one holding
    steps:
      - at_once: [[&sell {call: sell, with: {userId: "uid:1", holdingId: 6}}], [*sell]]
        outcomes:
          - {performed: 1, refused: {unknown_holding: 1}}
          - {performed: 1, refused: {already_being_sold: 1}}
  - name: outcomes that do not come
    steps:
      - at_once: [[*sell], [*sell]]
        outcomes: {performed: 2}
  - name: pages at once are counted by status
    steps:
      - at_once:
          - - {post: /sell, as: a, user: "uid:1", form: {holding_id: "7"}}
          - - {get: /home, as: b}
        outcomes: {status: {200: 1, 303: 1}}
  - name: a client at once fails with its own step
    steps:
      - at_once:
          - - &buy {call: buy, with: {userId: "uid:1", symbol: "s:1", quantity: 1}}
          - - *buy
            - {get: /, expect: {status: 404}}
  - name: a refused call at once has captured nothing
    steps:
      - at_once:
          - - {call: sell, with: {userId: "uid:1", holdingId: 999999}, capture: {order: orderId}}
            - {sql: "SELECT ${order}"}
          - - *buy
  - name: a redirection has nothing to capture
    steps: [{get: /home, capture: {user: {at: "#user"}}}]
  - name: reading is not kept from what another holds
    steps:
      - hold: SELECT * FROM accounts WHERE user_id = 'uid:1' FOR UPDATE
        during:
          - {call: getAccount, with: {userId: "uid:1"}}
      - *buy
  - name: connections that are cut are gone
    steps:
      - *buy
      - sql: >-
          SELECT string_agg(pid::text, ',') AS pids FROM pg_stat_activity
          WHERE datname = current_database() AND application_name <> 'middlemark'
        rows: [[{pattern: '[0-9,]+'}]]
        capture: {pids: pids}
      - cut: connections
      - sql: SELECT count(*) FROM pg_stat_activity WHERE pid IN (${pids})
        rows: [["0"]]
        within: 5s
  - name: a repeated step knows its number
    steps:
      - repeat: 3
        steps:
          - call: buy
            with: {userId: "uid:2", symbol: "s:2", quantity: "${number}"}
            response: {quantity: "${number}"}
      - {settle: orders}
      - {wait: 1ms}
      - sql: SELECT sum(quantity) FROM orders WHERE order_id > 250
        rows: [["6"]]
  - name: a repeated step that fails says in which round
    steps:
      - repeat: 3
        steps: [{sql: "SELECT ${number} < 3", rows: [["true"]]}]
  - name: rows with a value of the case say whose each value is
    steps:
      - repeat: 1
        steps: [{sql: "SELECT 2", rows: [["${number}"]]}]
  - name: a serialization failure is made twice and repeated
    fails: [{table: orders, on: insert, times: 2}]
    steps: [*buy]
  - name: a failure without end
    fails: [{table: quotes, on: update, sqlstate: "XX000"}]
    steps:
      - {call: buy, with: {userId: "uid:1", symbol: "s:1", quantity: 1}, refused: {code: internal}}
  - name: a table that cannot be read
    fails: [{table: quotes, on: read}]
    steps: [{call: getQuote, with: {symbol: "s:1"}, refused: {code: internal}}]
  - name: set up before the first step
    set_up: ["UPDATE accounts SET balance = 1 WHERE user_id = 'uid:1'"]
    audited: false
    steps:
      - {call: buy, with: {userId: "uid:1", symbol: "s:1", quantity: 1}, refused: {code: insufficient_funds}}
  - name: a broken rule is found at the end
    set_up: ["UPDATE accounts SET balance = 1 WHERE user_id = 'uid:1'"]
    steps: [{get: /}]
  - name: untouched after damage
    steps: *untouched
  - name: tables that are others are found
    set_up: ["CREATE TABLE left_behind (x bigint PRIMARY KEY)"]
    steps: [{get: /}]
  - name: untouched after a table was left behind
    steps: *untouched
  - name: a table that is away when a step fails
    steps:
      - sql: ALTER TABLE quotes RENAME TO quotes_elsewhere
      - {get: /, expect: {status: 404}}
      - sql: ALTER TABLE quotes_elsewhere RENAME TO quotes
  - name: untouched after a table was away
    steps: *untouched
  - name: a setting that was changed
    steps:
      - post: /config
        form: {binding: local, services_url: "", orders: sync, market_summary_seconds: "60"}
        expect: {location: /config}
  - name: the setting is as before
    steps: [{get: /config, expect: {look: [{at: "#market_summary_seconds", attribute: {value: "0"}}]}}]
  - name: browsers have cookies of their own
    steps:
      - {get: /home, as: anna, user: "uid:1", expect: {look: [{at: "#user", text: "uid:1"}]}}
      - {get: /home, as: ben, expect: {location: /}}
      - {get: /home, as: ben, user: "uid:2", expect: {look: [{at: "#user", text: "uid:2"}]}}
      - {get: /home, as: anna, expect: {look: [{at: "#user", text: "uid:1"}]}}
      - {send: {path: /home}, as: anna, expect: {look: [{at: "#user", text: "uid:1"}]}}
      - {send: {path: /home}, expect: {status: 303}}
  - name: nobody is logged in any more
    steps: [{get: /home, as: anna, expect: {location: /}}]
  - name: a path is sent as a browser does
    steps:
      - {get: "/<b>", expect: {status: 404, look: [{at: "#message", text: "There is no page /<b>."}]}}
"""
FAILING = {
    "outcomes that do not come": ("step 1", "outcomes: expected 2 performed, found 1 performed, 1 refused"),
    "a client at once fails with its own step": ("step 1, client 2, step 2", "status: expected 404, found 200"),
    "a refused call at once has captured nothing": (
        "step 1, client 1, step 2",
        "'order' has no value (known: none)",
    ),
    "a redirection has nothing to capture": ("step 1", "capture user: expected a page, found 303 to /"),
    "rows with a value of the case say whose each value is": (
        "step 1, step 1",
        'expected "1", found "2" (expected: ${number}; found: by the query)',
    ),
    "a repeated step that fails says in which round": ("step 1, step 1", "round 3 of 3: rows[0][0]: expected"),
    "a broken rule is found at the end": ("", "audit: Every balance is the opening balance"),
    "a table that is away when a step fails": ("step 2", "status: expected 404, found 200"),
    "tables that are others are found": ("", "after the case: tables, keys, triggers or functions are not those"),
}


@pytest.fixture(scope="module")
def executions(
    database_cluster: Database, tiny_template: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Execution]:
    """Run all cases in one configuration, in their order."""
    spec = specification_with(tmp_path_factory.mktemp("steps"), steps=CASES)
    names = tuple(line.partition("name: ")[2] for line in CASES.splitlines() if line.startswith("  - name: "))
    return executions_by_case(verified(spec, stores_at(database_cluster, tiny_template), small_subject(), names=names))


def test_what_a_case_wants_is_done(executions: dict[str, Execution]) -> None:
    failed = {name: one.failures for name, one in executions.items() if one.outcome is not ExecutionOutcome.PASSED}
    assert failed.keys() == FAILING.keys(), failed


@pytest.mark.parametrize("name", FAILING)
def test_a_failure_names_its_step_and_what_came(executions: dict[str, Execution], name: str) -> None:
    step, text = FAILING[name]
    failure = executions[name].failures[0]
    assert failure.step == step
    assert text in failure.text


def test_the_end_state_of_a_case_has_a_digest_and_one_by_chance_has_none(executions: dict[str, Execution]) -> None:
    untouched = executions["untouched at the beginning"].end_state
    assert untouched == executions["nobody is logged in any more"].end_state
    assert executions["captures go into every place"].end_state not in {"", untouched}
    assert executions["two sells at once of one holding"].end_state == ""
