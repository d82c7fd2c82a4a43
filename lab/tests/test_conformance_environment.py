"""An application is started again between two cases only when the case before could have left something in it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from small_specification import executions_by_case, small_subject, specification_with, stores_at, verified

from middlemark.conformance.result import ExecutionOutcome
from middlemark.databases.database import Database
from middlemark.specification.specification import Specification

CUT = """
cases:
  - name: connections are cut, and the case does not look what comes of it
    steps: [&look {call: getQuote, with: {symbol: "s:1"}}, {cut: connections}]
  - name: many look at once after the connections were cut
    steps: [{at_once: [[*look], [*look], [*look], [*look], [*look], [*look]], outcomes: {performed: 6}}]
"""
CHANGED = """
cases:
  - name: a setting is changed
    steps:
      - post: /config
        user: uid:1
        form: {binding: local, services_url: "", orders: sync, market_summary_seconds: "9"}
  - name: the setting is what it was
    steps: [{send: {path: /about}, expect: {json: {settings: {market_summary_seconds: "0"}}}}]
"""


# No audit looks whether all work of the first is done.
UNAUDITED = """
cases:
  - name: a case is not audited
    audited: false
    steps: [&look {call: getQuote, with: {symbol: "s:1"}}]
  - name: a case comes after it
    steps: [*look]
"""
UNFINISHED = """
cases:
  - name: a case leaves an order open
    audited: false
    steps: [{sql: "UPDATE orders SET status = 'open' WHERE order_id = 1"}]
  - name: a case comes after it
    steps: [{call: getQuote, with: {symbol: "s:1"}}]
"""


def with_queues_always(spec: Specification) -> Specification:
    """Return the specification with queues in every mode, and work that may be unfinished."""
    queues = {name: one.model_copy(update={"when": {}}) for name, one in spec.description.queues.items()}
    unfinished = {name: one.model_copy(update={"when": {}}) for name, one in spec.description.unfinished.items()}
    described = spec.description.model_copy(update={"queues": queues, "unfinished": unfinished})
    return replace(spec, description=described)


@pytest.mark.parametrize(
    ("cases", "queues", "starts"),
    [(CUT, False, 1), (CHANGED, False, 2), (UNAUDITED, True, 1), (UNFINISHED, False, 1), (UNFINISHED, True, 2)],
)
def test_an_application_starts_again_only_when_it_has_to(  # noqa: PLR0913 (fixtures and parameters)
    database_cluster: Database, tiny_template: str, tmp_path: Path, *, cases: str, queues: bool, starts: int
) -> None:
    spec = specification_with(tmp_path, kept=cases)
    spec = with_queues_always(spec) if queues else spec
    names = tuple(line.partition("name: ")[2] for line in cases.splitlines() if line.startswith("  - name: "))
    result = verified(spec, stores_at(database_cluster, tiny_template), small_subject(), names=names)
    executions = executions_by_case(result)
    assert {name: (one.outcome, one.failures) for name, one in executions.items()} == dict.fromkeys(
        names, (ExecutionOutcome.PASSED, ())
    )
    (log,) = (tmp_path / "logs").glob("*/all.log")
    assert log.read_text(encoding="utf-8").count("msg=listening") == starts


LEFT = """
cases:
  - name: a setting of the front end is changed
    tags: [interop]
    steps:
      - post: /config
        form: {binding: json, services_url: "http://127.0.0.1:1", orders: sync, market_summary_seconds: "9"}
  - name: the setting is what it was
    tags: [interop]
    steps: [{send: {path: /about}, expect: {json: {settings: {market_summary_seconds: "0"}}}}]
"""
BOUGHT = """
cases:
  - name: a share is bought on a page
    tags: [interop]
    steps: [{post: /buy, user: "uid:1", form: {symbol: "s:3", quantity: "10"}}]
  - name: another share is bought on a page
    tags: [interop]
    steps: [{post: /buy, user: "uid:1", form: {symbol: "s:4", quantity: "10"}}]
"""


def test_the_processes_behind_are_started_once_for_all_front_ends(
    database_cluster: Database, tiny_template: str, tmp_path: Path
) -> None:
    spec = specification_with(tmp_path, bought=BOUGHT)
    result = verified(spec, stores_at(database_cluster, tiny_template), small_subject(("json", "soap", "grpc")))
    assert {one.outcome for one in result.subjects[0].executions} == {ExecutionOutcome.PASSED}
    logs = {name: list((tmp_path / "logs").glob(f"*/{name}.log")) for name in ("services", "web")}
    starts = {
        name: sum(log.read_text(encoding="utf-8").count("msg=listening") for log in files)
        for name, files in logs.items()
    }
    assert starts == {"services": 1, "web": 3}


def test_a_setting_that_a_case_left_ends_the_processes_behind_too(
    database_cluster: Database, tiny_template: str, tmp_path: Path
) -> None:
    spec = specification_with(tmp_path, changed=LEFT)
    result = verified(spec, stores_at(database_cluster, tiny_template), small_subject(("json", "soap")))
    assert {one.outcome for one in result.subjects[0].executions} == {ExecutionOutcome.PASSED}
    logs = list((tmp_path / "logs").glob("*/services.log"))
    assert sum(log.read_text(encoding="utf-8").count("msg=listening") for log in logs) == 3
