"""What was answered must be in the database once; what was not answered may be; nothing else may."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from simulated_trading import Brokerage

from middlemark.audit.auditing import audit
from middlemark.audit.confirmed import judge_confirmed, read_confirmed
from middlemark.audit.driver_report import DriverReport, NamedRequest, driver_report
from middlemark.databases.database import Connection, Database
from middlemark.errors import InputError
from middlemark.load.loading import reset_database
from middlemark.records.driver_lines import Confirmed, ResponseCounts, ResponseLine, Unanswered
from middlemark.records.point import AuditFinding, Outcome, Reconciled, RequestOutcome
from middlemark.specification.specification import read_specification

BROKERAGE = read_specification(Path(__file__).parents[2] / "specs" / "brokerage")
NAME = "middlemark_audit_confirmed"


def counts(valid: int, invalid: int = 0) -> ResponseCounts:
    """Return so many responses."""
    return ResponseCounts(valid=valid, invalid=invalid)


RESPONSES = {
    "login": counts(2),
    "logout": counts(1),
    "register": counts(2),
    "buy": counts(3),
    "sell": counts(1),
    "home": counts(17, 1),
}
EFFECTS = read_confirmed(BROKERAGE)


@pytest.fixture(scope="module")
def named(database_cluster: Database, tiny_template: str) -> DriverReport:
    """Give what a driver says that tells every answer; the database holds exactly this. new:2 bought s:5 once."""
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
        return brokerage.report()


@pytest.fixture
def connection(database_cluster: Database, named: DriverReport) -> Iterator[Connection]:
    """Give a connection to the traded database."""
    assert named.responses == {name: one for name, one in RESPONSES.items() if name != "home"}
    with database_cluster.connected(NAME) as connection:
        yield connection


def _judged(connection: Connection, transaction: str, report: DriverReport | None) -> tuple[AuditFinding, Reconciled]:
    judged = judge_confirmed({"brokerage": connection}, EFFECTS, report)
    return judged.findings[transaction], judged.reconciled[transaction]


def _finding(connection: Connection, transaction: str, report: DriverReport | None) -> AuditFinding:
    return _judged(connection, transaction, report)[0]


def _lost(transaction: str, variables: dict[str, str]) -> NamedRequest:
    return NamedRequest(transaction, RequestOutcome.UNANSWERED, variables)


def _report(transaction: str, responses: ResponseCounts, *requests: NamedRequest) -> DriverReport:
    return DriverReport({**RESPONSES, transaction: responses}, requests)


def _with(report: DriverReport, removed: NamedRequest, *added: NamedRequest) -> DriverReport:
    """Return the report with a valid answer taken away and other requests in its place."""
    requests = list(report.named)
    requests.remove(removed)
    requests += added
    responses = dict(report.responses)
    for name in {removed.transaction, *(request.transaction for request in added)}:
        outcomes = [request.outcome for request in requests if request.transaction == name]
        responses[name] = counts(outcomes.count(RequestOutcome.VALID), outcomes.count(RequestOutcome.INVALID))
    return replace(report, responses=responses, named=tuple(requests))


def test_an_audit_passes_when_every_answer_is_there_once(connection: Connection) -> None:
    found = audit({"brokerage": connection}, BROKERAGE, DriverReport(RESPONSES))

    assert found.passed
    assert all(finding.outcome == Outcome.PASSED for finding in found.findings)
    assert len(found.reconciled) == len(EFFECTS)
    assert not found.reconciled["buy"].by_name


@pytest.mark.parametrize("transaction", ["login", "logout", "register", "buy", "sell"])
def test_a_confirmed_answer_that_is_not_there_fails(connection: Connection, transaction: str) -> None:
    responses = counts(RESPONSES[transaction].valid + 1)

    finding = _finding(connection, transaction, _report(transaction, responses))

    assert finding.outcome == Outcome.FAILED
    assert finding.count == 1
    assert "1 confirmed and missing" in finding.message


@pytest.mark.parametrize("transaction", ["login", "logout", "register", "buy", "sell"])
def test_what_nobody_was_told_of_fails(connection: Connection, transaction: str) -> None:
    responses = counts(RESPONSES[transaction].valid - 1)

    finding = _finding(connection, transaction, _report(transaction, responses))

    assert finding.outcome == Outcome.FAILED
    assert f"expected {responses.valid} (valid responses), found {responses.valid + 1}" in finding.message


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
    responses = counts(RESPONSES[transaction].valid - 1)

    finding = _finding(connection, transaction, _report(transaction, responses, _lost(transaction, variables)))

    assert finding.outcome == Outcome.PASSED, finding.message
    assert [row["unanswered"] for row in finding.rows] == ["1"]
    assert "1 unanswered, 1 done" in finding.message


def test_a_report_of_calls_that_broke_off_explains_any_number_and_no_loss(connection: Connection) -> None:
    for valid, outcome in ((1, Outcome.PASSED), (4, Outcome.FAILED)):
        broken = NamedRequest("buy", RequestOutcome.UNANSWERED, {}, calls=True)
        finding, numbers = _judged(connection, "buy", _report("buy", counts(valid), broken))
        assert finding.outcome == outcome, finding.message
        assert (numbers.doubled, numbers.lost) == (0, max(0, valid - 3))


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
    responses = counts(RESPONSES[transaction].valid - 1)

    finding = _finding(connection, transaction, _report(transaction, responses, _lost(transaction, variables)))

    assert finding.outcome == Outcome.FAILED
    assert "1 that no response confirmed" in finding.message


def test_an_unanswered_request_that_was_not_done_changes_nothing(connection: Connection) -> None:
    lost = _lost("buy", {"new_user": "new:2", "symbol": "s:99"})

    finding = _finding(connection, "buy", _report("buy", RESPONSES["buy"], lost))

    assert finding.outcome == Outcome.PASSED
    assert finding.message == "expected 3 (valid responses; 1 unanswered, none done), found 3"


def test_a_request_sent_once_explains_one_effect_only(connection: Connection) -> None:
    lost = _lost("buy", {"new_user": "new:1", "symbol": "s:4"})

    finding = _finding(connection, "buy", _report("buy", counts(1), lost))

    assert finding.outcome == Outcome.FAILED
    assert finding.count == 1


def test_an_answer_that_failed_a_check_may_or_may_not_have_been_done(connection: Connection) -> None:
    assert _finding(connection, "buy", _report("buy", counts(2, 1))).outcome == Outcome.PASSED
    assert _finding(connection, "buy", _report("buy", counts(3, 1))).outcome == Outcome.PASSED
    assert _finding(connection, "buy", _report("buy", counts(1, 1))).outcome == Outcome.FAILED


def test_a_request_that_cannot_be_traced_may_have_been_done(connection: Connection) -> None:
    finding = _finding(connection, "buy", _report("buy", counts(2), _lost("buy", {})))

    assert finding.outcome == Outcome.PASSED


def test_a_transaction_the_driver_never_names_must_not_have_happened(connection: Connection) -> None:
    finding = _finding(connection, "sell", DriverReport({}))

    assert finding.outcome == Outcome.FAILED


BOUGHT = NamedRequest("buy", RequestOutcome.VALID, {"user": "new:2", "symbol": "s:5"})


def test_with_names_every_answer_is_compared_by_itself(connection: Connection, named: DriverReport) -> None:
    found = audit({"brokerage": connection}, BROKERAGE, named)

    assert found.passed
    buys = found.reconciled["buy"]
    assert (buys.by_name, buys.confirmed, buys.found, buys.lost, buys.doubled) == (True, 3, 3, 0, 0)


def test_one_order_lost_and_another_doubled_do_not_cancel(connection: Connection, named: DriverReport) -> None:
    lost = replace(BOUGHT, variables={"user": "new:2", "symbol": "s:6"})

    finding, numbers = _judged(connection, "buy", _with(named, BOUGHT, lost))

    assert (numbers.confirmed, numbers.found) == (3, 3)
    assert (numbers.lost, numbers.doubled) == (1, 1)
    assert finding.outcome == Outcome.FAILED
    assert {row["name"]: (row.get("valid", "0"), row["found"]) for row in finding.rows} == {
        "new:2 s:5": ("0", "1"),
        "new:2 s:6": ("1", "0"),
    }


def test_without_names_they_would_cancel_and_the_numbers_say_that_nobody_was_named(connection: Connection) -> None:
    finding, numbers = _judged(connection, "buy", DriverReport(RESPONSES))

    assert finding.outcome == Outcome.PASSED
    assert not numbers.by_name


@pytest.mark.parametrize(("outcome", "done"), [(RequestOutcome.UNANSWERED, (1, 0)), (RequestOutcome.INVALID, (0, 1))])
def test_what_was_not_confirmed_is_looked_up_in_the_database(
    connection: Connection, named: DriverReport, outcome: RequestOutcome, done: tuple[int, int]
) -> None:
    never = replace(BOUGHT, outcome=outcome, variables={"user": "new:2", "symbol": "s:9"})

    finding, numbers = _judged(connection, "buy", _with(named, BOUGHT, replace(BOUGHT, outcome=outcome), never))

    assert finding.outcome == Outcome.PASSED, finding.message
    assert (numbers.confirmed, numbers.unanswered + numbers.invalid) == (2, 2)
    assert (numbers.unanswered_done, numbers.invalid_done) == done


def test_a_lost_order_is_not_made_good_by_one_that_was_not_confirmed(
    connection: Connection, named: DriverReport
) -> None:
    lost = replace(BOUGHT, variables={"user": "new:1", "symbol": "s:7"})
    unanswered = replace(BOUGHT, outcome=RequestOutcome.UNANSWERED)

    finding, numbers = _judged(connection, "buy", _with(named, BOUGHT, lost, unanswered))

    assert (numbers.confirmed, numbers.found, numbers.unanswered_done) == (3, 3, 1)
    assert (numbers.lost, numbers.doubled) == (1, 0)
    assert finding.outcome == Outcome.FAILED


def test_a_changed_profile_needs_an_update_that_was_answered(database_cluster: Database, tiny_template: str) -> None:
    name = "middlemark_audit_profile"
    reset_database(database_cluster, tiny_template, name)
    with database_cluster.connected(name) as connection:
        connection.execute("UPDATE profiles SET email = '' WHERE user_id = 'uid:3'")

        assert _finding(connection, "update-profile", DriverReport({})).outcome == Outcome.FAILED
        for updates in (1, 7):
            report = DriverReport({"update-profile": counts(updates)})
            assert _finding(connection, "update-profile", report).outcome == Outcome.PASSED


def test_without_a_drivers_report_the_counts_are_not_checked(connection: Connection) -> None:
    found = audit({"brokerage": connection}, BROKERAGE, None)

    assert found.passed
    assert [finding.outcome for finding in found.findings].count(Outcome.NOT_CHECKED) == len(EFFECTS)
    assert found.reconciled == {}


def test_the_drivers_lines_become_a_report() -> None:
    request = {"v": 1, "t_ns": 1, "user": 0, "iteration": 0, "step": "buy-1", "transaction": "buy"}
    lost = Unanswered.model_validate(
        {**request, "type": "unanswered", "kind": "closed", "variables": {"symbol": "s:1"}}
    )
    good = ResponseLine.model_validate({**request, "type": "response", "valid": True, "variables": {"symbol": "s:2"}})
    bad = ResponseLine.model_validate({**request, "type": "response", "valid": False, "variables": {"symbol": "s:3"}})
    confirmed = Confirmed(v=1, t_ns=2, type="confirmed", transactions={"buy": counts(1, 1)})

    report = driver_report([lost, good, bad, confirmed])

    assert report == DriverReport(
        {"buy": counts(1, 1)},
        (
            NamedRequest("buy", RequestOutcome.UNANSWERED, {"symbol": "s:1"}),
            NamedRequest("buy", RequestOutcome.VALID, {"symbol": "s:2"}),
            NamedRequest("buy", RequestOutcome.INVALID, {"symbol": "s:3"}),
        ),
    )
    assert driver_report([lost]) is None


def test_a_query_with_too_few_columns_is_refused(connection: Connection) -> None:
    buy = EFFECTS["buy"].definition
    assert buy.each is not None
    wrong = buy.model_copy(update={"each": buy.each.model_copy(update={"count": "SELECT 's:1', 1"})})
    report = _report("buy", counts(3), _lost("buy", {"user": "a", "symbol": "b"}))

    with pytest.raises(InputError, match="a column for each variable"):
        judge_confirmed({"brokerage": connection}, {"buy": replace(EFFECTS["buy"], definition=wrong)}, report)
