"""What the driver reports of a whole run: how many responses it got, and whose they were where it names them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from middlemark.records.driver_lines import Confirmed, Hello, Line, ResponseCounts, ResponseLine, Unanswered
from middlemark.records.point import RequestOutcome


@dataclass(frozen=True)
class NamedRequest:
    """A request of which the driver reports whose it was: the step's `identify` variables.

    `calls`: its response was to report calls that the application makes, and broke off.
    """

    transaction: str
    outcome: RequestOutcome
    variables: Mapping[str, str]
    calls: bool = False


@dataclass(frozen=True)
class DriverReport:
    """The driver's counts over all phases. A transaction missing in `responses` was never answered.

    `named` holds every unanswered request; the responses only where the plan asked the driver to name them. `session`
    is the name of the session that was run.
    """

    responses: Mapping[str, ResponseCounts]
    named: tuple[NamedRequest, ...] = ()
    session: str = ""


class ReportOfDriver:
    """Takes the driver's lines in, one after the other; `report` is None when it ended without its line `confirmed`."""

    def __init__(self) -> None:
        self._confirmed: Confirmed | None = None
        self._named: list[NamedRequest] = []
        self._session = ""

    def hear(self, line: Line) -> None:
        """Take in a line."""
        if isinstance(line, Confirmed):
            self._confirmed = line
        elif isinstance(line, Hello):
            self._session = line.name
        elif isinstance(line, Unanswered):
            outcome = RequestOutcome.UNANSWERED
            self._named.append(NamedRequest(line.transaction, outcome, line.variables, line.calls))
        elif isinstance(line, ResponseLine):
            outcome = RequestOutcome.VALID if line.valid else RequestOutcome.INVALID
            self._named.append(NamedRequest(line.transaction, outcome, line.variables))

    @property
    def report(self) -> DriverReport | None:
        """The driver's counts over all phases."""
        if self._confirmed is None:
            return None
        return DriverReport(self._confirmed.transactions, tuple(self._named), self._session)


def driver_report(lines: Iterable[Line]) -> DriverReport | None:
    """The driver's counts over all phases; None when it ended without its line `confirmed`."""
    found = ReportOfDriver()
    for line in lines:
        found.hear(line)
    return found.report
