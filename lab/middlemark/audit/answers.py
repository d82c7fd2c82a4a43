"""Turns the driver's lines into what the audit compares with."""

from __future__ import annotations

from collections.abc import Iterable

from middlemark.audit.confirmed import Answers, DriverReport, NamedRequest
from middlemark.records.driver_lines import Answered, Confirmed, Hello, Line, Unanswered
from middlemark.records.point import Fate


def driver_report(lines: Iterable[Line]) -> DriverReport | None:
    """Return the driver's counts over all phases; None when it ended without saying what was confirmed."""
    confirmed: Confirmed | None = None
    named: list[NamedRequest] = []
    session = ""
    for line in lines:
        if isinstance(line, Confirmed):
            confirmed = line
        elif isinstance(line, Hello):
            session = line.name
        elif isinstance(line, Unanswered):
            named.append(NamedRequest(line.transaction, Fate.UNANSWERED, line.variables))
        elif isinstance(line, Answered):
            fate = Fate.VALID if line.valid else Fate.INVALID
            named.append(NamedRequest(line.transaction, fate, line.variables))
    if confirmed is None:
        return None
    answers = {name: Answers(counts.valid, counts.invalid) for name, counts in confirmed.transactions.items()}
    return DriverReport(answers, tuple(named), session)
