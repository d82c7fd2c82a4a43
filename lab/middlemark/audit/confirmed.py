"""`specs/<name>/audit/confirmed.toml`: what was answered must have happened, once, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Literal

import psycopg
from pydantic import Field

from middlemark.audit.reconciling import Asked, Found, reconciled
from middlemark.databases.database import Connection
from middlemark.documents import Document, read_toml
from middlemark.errors import InputError
from middlemark.records.point import AuditFinding, Fate, Outcome, Reconciled


@dataclass(frozen=True)
class Answers:
    """Complete answers to one transaction over the whole run: those that passed every check, and the others."""

    valid: int = 0
    invalid: int = 0


@dataclass(frozen=True)
class NamedRequest:
    """A request of which the driver says whose it was: the step's `identify` variables."""

    transaction: str
    fate: Fate
    variables: Mapping[str, str]


@dataclass(frozen=True)
class DriverReport:
    """What the driver says about the whole run. A transaction missing in `answers` was never answered.

    `named` holds every unanswered request; the answers only where the plan asked the driver to tell them. `session` is
    the name of the session that was played.
    """

    answers: Mapping[str, Answers]
    named: tuple[NamedRequest, ...] = ()
    session: str = ""


class Traces(StrEnum):
    """How many traces an answer leaves in the database."""

    ONE = "one"
    AT_MOST_ONE = "at most one"


class Each(Document):
    """How often the effect was found for whom: columns of names, then a count; `variables` say who each column is."""

    variables: tuple[tuple[str, ...], ...] = Field(min_length=1)
    count: str


class Effect(Document):
    """The lasting effect of a transaction; `count` returns how often it is found. `order`: it places an order."""

    effect: str
    count: str
    traces: Traces = Traces.ONE
    order: bool = False
    each: Each | None = None


class ConfirmedDefinition(Document):
    """The whole file: transaction to its effect."""

    version: Literal[1]
    transactions: dict[str, Effect]


@dataclass(frozen=True)
class Judged:
    """What the driver's answers led to: a finding for each effect, and the numbers behind those that were compared."""

    findings: list[AuditFinding]
    reconciled: dict[str, Reconciled]


def read_confirmed(spec_folder: Path) -> ConfirmedDefinition | None:
    """Return the file, or None when the specification has none."""
    path = spec_folder / "audit" / "confirmed.toml"
    return read_toml(path, ConfirmedDefinition) if path.is_file() else None


def judge_confirmed(connection: Connection, definition: ConfirmedDefinition, report: DriverReport | None) -> Judged:
    """Compare each effect in the database with the answers; without a report nothing can be said."""
    if report is None:
        return Judged([_unchecked(connection, name, effect) for name, effect in definition.transactions.items()], {})
    numbers = {name: _reconciled(connection, name, effect, report) for name, effect in definition.transactions.items()}
    findings = [_finding(name, definition.transactions[name], found) for name, found in numbers.items()]
    return Judged(findings, numbers)


def _unchecked(connection: Connection, name: str, effect: Effect) -> AuditFinding:
    found = _number(connection, name, effect.count)
    return AuditFinding(
        rule=_sentence(name, effect),
        outcome=Outcome.NOT_CHECKED,
        message=f"found {found}; no driver's report to compare with",
    )


def _sentence(name: str, effect: Effect) -> str:
    return f"{effect.effect.capitalize()} in the database are those of the answers to {name}."


def _reconciled(connection: Connection, name: str, effect: Effect, report: DriverReport) -> Reconciled:
    answers = report.answers.get(name, Answers())
    requests = [request for request in report.named if request.transaction == name]
    asked = Asked(valid=answers.valid, invalid=answers.invalid)
    for request in requests:
        asked.add(request.fate, _name(effect, request.variables))
    traces = _each(connection, name, effect) if effect.each is not None and requests else {}
    found = Found(total=_number(connection, name, effect.count), each=traces)
    return reconciled(asked, found, order=effect.order, every=effect.traces is Traces.ONE)


def _name(effect: Effect, variables: Mapping[str, str]) -> tuple[str, ...] | None:
    """Return whose a request was, in the columns of `each`; None when it cannot be traced."""
    if effect.each is None:
        return None
    values = [
        next((variables[one] for one in alternatives if one in variables), None)
        for alternatives in effect.each.variables
    ]
    return None if None in values else tuple(value for value in values if value is not None)


def _finding(name: str, effect: Effect, numbers: Reconciled) -> AuditFinding:
    lost = f": {numbers.lost} confirmed and not there" if numbers.lost else ""
    more = f": {numbers.doubled} that nobody was told of and no request without an answer explains"
    return AuditFinding(
        rule=_sentence(name, effect),
        outcome=Outcome.FAILED if numbers.lost or numbers.doubled else Outcome.PASSED,
        message=f"expected {_expected(numbers, effect)}, found {numbers.found}"
        + lost
        + (more if numbers.doubled else ""),
        count=numbers.lost + numbers.doubled,
        rows=numbers.rows,
    )


def _expected(numbers: Reconciled, effect: Effect) -> str:
    least = "at most " if effect.traces is Traces.AT_MOST_ONE else ""
    parts = list(_explained(numbers))
    more = numbers.unanswered_done + numbers.invalid_done
    if not more:
        return f"{least}{numbers.confirmed} ({'; '.join(('valid answers', *parts))})"
    return f"{least}{numbers.confirmed} (valid answers) and {more} more ({'; '.join(parts)})"


def _explained(numbers: Reconciled) -> Iterator[str]:
    if numbers.unanswered:
        yield f"{numbers.unanswered} unanswered, {numbers.unanswered_done or 'none'} done"
    if numbers.invalid:
        yield f"{numbers.invalid} answered with an error or a wrong page, {numbers.invalid_done or 'none'} done"


def _each(connection: Connection, name: str, effect: Effect) -> dict[tuple[str, ...], int]:
    """Return how often the effect was found for whom."""
    if effect.each is None:
        return {}
    traces: dict[tuple[str, ...], int] = {}
    for *columns, count in _rows(connection, name, effect.each.count):
        if len(columns) != len(effect.each.variables):
            raise InputError(f"`each` of {name} must return a column for each variable, then a count", where=_FILE)
        key = tuple(str(column) for column in columns)
        traces[key] = traces.get(key, 0) + int(count or 0)
    return traces


_FILE = "audit/confirmed.toml"


def _number(connection: Connection, name: str, query: str) -> int:
    rows = _rows(connection, name, query)
    return 0 if not rows or rows[0][0] is None else int(rows[0][0])


def _rows(connection: Connection, name: str, query: str) -> list[tuple[str | int | None, ...]]:
    try:
        return connection.execute(query.encode()).fetchall()
    except psycopg.OperationalError:
        raise  # the server's trouble, not this SQL's: who holds the connection tells it
    except psycopg.Error as error:
        first = str(error).strip().splitlines()[0]
        raise InputError(f"the count of {name} cannot be asked ({first})", where=_FILE) from error
