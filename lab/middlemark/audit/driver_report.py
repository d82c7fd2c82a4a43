"""What the driver reports of a whole run: how many responses it got, and whose they were where it names them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from middlemark.records.driver_lines import Confirmed, Hello, Line, ResponseCounts, ResponseLine, Unanswered
from middlemark.records.point import RequestOutcome


@dataclass(frozen=True)
class NamedRequest:
    """A request of which the driver reports whose it was: the step's `identify` variables."""

    transaction: str
    outcome: RequestOutcome
    variables: Mapping[str, str]


@dataclass(frozen=True)
class DriverReport:
    """The driver's counts over all phases. A transaction missing in `responses` was never answered.

    `named` holds every unanswered request; the responses only where the plan asked the driver to name them. `session`
    is the name of the session that was run.
    """

    responses: Mapping[str, ResponseCounts]
    named: tuple[NamedRequest, ...] = ()
    session: str = ""


def driver_report(lines: Iterable[Line]) -> DriverReport | None:
    """Return the driver's counts over all phases; None when it ended without its line `confirmed`."""
    confirmed: Confirmed | None = None
    named: list[NamedRequest] = []
    session = ""
    for line in lines:
        if isinstance(line, Confirmed):
            confirmed = line
        elif isinstance(line, Hello):
            session = line.name
        elif isinstance(line, Unanswered):
            named.append(NamedRequest(line.transaction, RequestOutcome.UNANSWERED, line.variables))
        elif isinstance(line, ResponseLine):
            outcome = RequestOutcome.VALID if line.valid else RequestOutcome.INVALID
            named.append(NamedRequest(line.transaction, outcome, line.variables))
    return None if confirmed is None else DriverReport(confirmed.transactions, tuple(named), session)
