"""Turns the driver's lines into what the audit compares with."""

from __future__ import annotations

from collections.abc import Iterable

from middlemark.audit.confirmed import Answers, DriverReport, UnansweredRequest
from middlemark.load.lines import Confirmed, Line, Unanswered


def driver_report(lines: Iterable[Line]) -> DriverReport | None:
    """Return the driver's counts over all phases; None when it ended without saying what was confirmed."""
    confirmed: Confirmed | None = None
    unanswered: list[UnansweredRequest] = []
    for line in lines:
        if isinstance(line, Confirmed):
            confirmed = line
        elif isinstance(line, Unanswered):
            unanswered.append(UnansweredRequest(line.transaction, line.variables))
    if confirmed is None:
        return None
    answers = {name: Answers(counts.valid, counts.invalid) for name, counts in confirmed.transactions.items()}
    return DriverReport(answers, tuple(unanswered))
