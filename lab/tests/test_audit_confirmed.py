"""What was answered must be in the database once; what was not answered may be; nothing else may."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from simulated_trading import Brokerage

from middlemark.audit.answers import driver_report
from middlemark.audit.auditing import audit
from middlemark.audit.confirmed import (
    Answers,
    DriverReport,
    UnansweredRequest,
    judge_confirmed,
    read_confirmed,
)
from middlemark.dataset.loading import reset_database
from middlemark.load.lines import AnswerCounts, Confirmed, Unanswered
from middlemark.results.point import AuditFinding, Outcome
from middlemark.target.database import Connection, Database

BROKERAGE = Path(__file__).parents[2] / "specs" / "brokerage"
NAME = "middlemark_audit_confirmed"
ANSWERS = {
    "login": Answers(2),
    "logout": Answers(1),
    "register": Answers(2),
    "buy": Answers(3),
    "sell": Answers(1),
    "home": Answers(17, 1),
}


@pytest.fixture(scope="module")
def traded(database_cluster: Database, tiny_template: str) -> str:
    """Give a database in which exactly ANSWERS has happened; new:2 bought s:5 once."""
    reset_database(database_cluster, tiny_template, NAME)
    with database_cluster.connected(NAME) as connection:
        brokerage = Brokerage(connection)
        brokerage.login("uid:1")
        brokerage.login("uid:1")
        brokerage.logout("uid:1")
        brokerage.register("new:1")
        brokerage.register("new:2")
        holding = brokerage.buy("new:1", "s:4")
        brokerage.buy("new:1", "s:4")
        brokerage.buy("new:2", "s:5")
        brokerage.sell("new:1", holding)
    return NAME


@pytest.fixture
def connection(database_cluster: Database, traded: str) -> Iterator[Connection]:
    """Give a connection to the traded database."""
    with database_cluster.connected(traded) as connection:
        yield connection


def _finding(connection: Connection, transaction: str, report: DriverReport | None) -> AuditFinding:
    definition = read_confirmed(BROKERAGE)
    assert definition is not None
    position = list(definition.transactions).index(transaction)
    return judge_confirmed(connection, definition, report)[position]


def _report(transaction: str, answers: Answers, *unanswered: UnansweredRequest) -> DriverReport:
    return DriverReport({**ANSWERS, transaction: answers}, unanswered)


def test_an_audit_passes_when_every_answer_is_there_once(connection: Connection) -> None:
    found = audit(connection, BROKERAGE, DriverReport(ANSWERS))

    assert found.passed
    assert all(finding.outcome == Outcome.PASSED for finding in found.findings)


@pytest.mark.parametrize("transaction", ["login", "logout", "register", "buy", "sell"])
def test_a_confirmed_answer_that_is_not_there_fails(connection: Connection, transaction: str) -> None:
    answers = Answers(ANSWERS[transaction].valid + 1)

    finding = _finding(connection, transaction, _report(transaction, answers))

    assert finding.outcome == Outcome.FAILED
    assert finding.count == 1
    assert "1 confirmed and not there" in finding.message


@pytest.mark.parametrize("transaction", ["login", "logout", "register", "buy", "sell"])
def test_what_nobody_was_told_of_fails(connection: Connection, transaction: str) -> None:
    answers = Answers(ANSWERS[transaction].valid - 1)

    finding = _finding(connection, transaction, _report(transaction, answers))

    assert finding.outcome == Outcome.FAILED
    assert f"expected {answers.valid} (valid answers), found {answers.valid + 1}" in finding.message


@pytest.mark.parametrize(
    ("transaction", "variables"),
    [
        ("login", {"user": "uid:1"}),
        ("logout", {"user": "uid:1"}),
        ("register", {"new_user": "new:2"}),
        ("buy", {"new_user": "new:2", "symbol": "s:5"}),
        ("sell", {"holding_id": "251"}),
    ],
)
def test_an_unanswered_request_explains_what_was_done(
    connection: Connection, transaction: str, variables: dict[str, str]
) -> None:
    answers = Answers(ANSWERS[transaction].valid - 1)

    finding = _finding(
        connection, transaction, _report(transaction, answers, UnansweredRequest(transaction, variables))
    )

    assert finding.outcome == Outcome.PASSED, finding.message
    assert finding.rows == ({"unanswered": "1", "done": "1", **variables},)


@pytest.mark.parametrize(
    ("transaction", "variables"),
    [
        ("login", {"user": "uid:2"}),
        ("logout", {"new_user": "new:1"}),
        ("register", {"new_user": "new:3"}),
        ("buy", {"new_user": "new:2", "symbol": "s:6"}),
        ("sell", {"holding_id": "252"}),
    ],
)
def test_another_users_unanswered_request_explains_nothing(
    connection: Connection, transaction: str, variables: dict[str, str]
) -> None:
    answers = Answers(ANSWERS[transaction].valid - 1)

    finding = _finding(
        connection, transaction, _report(transaction, answers, UnansweredRequest(transaction, variables))
    )

    assert finding.outcome == Outcome.FAILED
    assert "1 that nobody was told of" in finding.message


def test_an_unanswered_request_that_was_not_done_changes_nothing(connection: Connection) -> None:
    lost = UnansweredRequest("buy", {"new_user": "new:2", "symbol": "s:99"})

    finding = _finding(connection, "buy", _report("buy", ANSWERS["buy"], lost))

    assert finding.outcome == Outcome.PASSED
    assert finding.message == "expected 3 (valid answers; 1 unanswered, none done), found 3"


def test_a_request_sent_once_explains_one_effect_only(connection: Connection) -> None:
    lost = UnansweredRequest("buy", {"new_user": "new:1", "symbol": "s:4"})

    finding = _finding(connection, "buy", _report("buy", Answers(1), lost))

    assert finding.outcome == Outcome.FAILED
    assert finding.count == 1


def test_an_answer_that_failed_a_check_may_or_may_not_have_been_done(connection: Connection) -> None:
    assert _finding(connection, "buy", _report("buy", Answers(2, 1))).outcome == Outcome.PASSED
    assert _finding(connection, "buy", _report("buy", Answers(3, 1))).outcome == Outcome.PASSED
    assert _finding(connection, "buy", _report("buy", Answers(1, 1))).outcome == Outcome.FAILED


def test_a_request_that_cannot_be_traced_may_have_been_done(connection: Connection) -> None:
    finding = _finding(connection, "buy", _report("buy", Answers(2), UnansweredRequest("buy", {})))

    assert finding.outcome == Outcome.PASSED


def test_a_transaction_the_driver_never_names_must_not_have_happened(connection: Connection) -> None:
    finding = _finding(connection, "sell", DriverReport({}))

    assert finding.outcome == Outcome.FAILED


def test_without_a_drivers_report_the_counts_are_not_checked(connection: Connection) -> None:
    found = audit(connection, BROKERAGE, None)

    assert found.passed
    assert [finding.outcome for finding in found.findings].count(Outcome.NOT_CHECKED) == len(ANSWERS) - 1


def test_the_drivers_lines_become_a_report() -> None:
    lost = Unanswered(
        v=1,
        t_ns=1,
        type="unanswered",
        user=0,
        iteration=0,
        step="buy-1",
        transaction="buy",
        kind="closed",
        variables={"symbol": "s:1"},
    )
    confirmed = Confirmed(v=1, t_ns=2, type="confirmed", transactions={"buy": AnswerCounts(valid=4, invalid=1)})

    report = driver_report([lost, confirmed])

    assert report == DriverReport({"buy": Answers(4, 1)}, (UnansweredRequest("buy", {"symbol": "s:1"}),))
    assert driver_report([lost]) is None
