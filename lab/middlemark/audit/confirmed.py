"""`audit/confirmed.toml` of a specification: what was answered must have happened, once, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Literal

import psycopg
from pydantic import Field

from middlemark.audit.driver_report import DriverReport
from middlemark.audit.reconciling import Found, Name, Requests, reconciled
from middlemark.audit.rules import FOLDER
from middlemark.databases.database import Connection
from middlemark.documents import Document, read_toml
from middlemark.errors import InputError
from middlemark.records.driver_lines import ResponseCounts
from middlemark.records.point import AuditFinding, Outcome, Reconciled, ReconciledName
from middlemark.specification.specification import FILE, Specification
from middlemark.wording import first_line


class PerResponse(StrEnum):
    """How many effects a valid response has."""

    ONE = "one"
    AT_MOST_ONE = "at most one"


class Each(Document):
    """How often the effect was found for whom: columns of names, then a count; `variables` say who each column is."""

    variables: tuple[tuple[str, ...], ...] = Field(min_length=1)
    count: str


class EffectDefinition(Document):
    """The lasting effect of a transaction."""

    effect: str = Field(description="its name in sentences, plural")
    database: str | None = Field(None, description="the database that is asked; the only one if left out")
    count: str = Field(description="SQL that counts it over the whole run")
    per_response: PerResponse = PerResponse.ONE
    each: Each | None = None


class ConfirmedDefinition(Document):
    """The whole file: transaction to its effect."""

    version: Literal[1]
    transactions: dict[str, EffectDefinition]


@dataclass(frozen=True)
class Effect:
    """The effect of a transaction: what the file holds, the database, and the name under which it is counted.

    That name is empty when spec.toml has none for the transaction.
    """

    definition: EffectDefinition
    database: str
    counted_as: str


@dataclass(frozen=True)
class Judged:
    """A finding for the effect of each transaction, and the numbers behind those that were compared."""

    findings: dict[str, AuditFinding]
    reconciled: dict[str, Reconciled]


def read_confirmed(specification: Specification) -> dict[str, Effect]:
    """Return the effect of each transaction that has one; none for a specification without the file.

    Raises InputError for a database that the specification does not have, and for a transaction whose effects
    spec.toml counts and the file does not know.
    """
    path = specification.folder / FOLDER / "confirmed.toml"
    transactions = read_toml(path, ConfirmedDefinition).transactions if path.is_file() else {}
    names = {name: effect for effect, one in specification.description.effects.items() for name in one.transactions}
    unknown = next((name for name in names if name not in transactions), None)
    if unknown is not None:
        raise InputError(
            f"effects: {names[unknown]} counts the transaction '{unknown}', which is not in {path.name}",
            where=str(specification.folder / FILE),
            todo=f"Add [transactions.{unknown}] to {path}",
        )
    return {
        name: Effect(one, _database_of(specification, one, path, name), names.get(name, ""))
        for name, one in transactions.items()
    }


def _database_of(specification: Specification, effect: EffectDefinition, path: Path, transaction: str) -> str:
    try:
        return specification.database_called(effect.database)
    except InputError as error:
        raise InputError(error.what, where=f"{path}: transactions.{transaction}.database", todo=error.todo) from error


def judge_confirmed(
    connections: Mapping[str, Connection], effects: Mapping[str, Effect], report: DriverReport | None
) -> Judged:
    """Compare each effect in its database with the responses; without a report nothing can be compared."""
    of = {name: connections[effect.database] for name, effect in effects.items()}
    if report is None:
        return Judged({name: _unchecked(of[name], name, effect) for name, effect in effects.items()}, {})
    numbers = {name: _reconciled(of[name], name, effect, report) for name, effect in effects.items()}
    findings = {name: _finding(name, effects[name].definition, found) for name, found in numbers.items()}
    return Judged(findings, numbers)


def _unchecked(connection: Connection, name: str, effect: Effect) -> AuditFinding:
    found = _number(connection, name, effect.definition.count)
    return AuditFinding(
        rule=_sentence(name, effect.definition),
        outcome=Outcome.NOT_CHECKED,
        message=f"found {found}; no driver's report to compare with",
    )


def _sentence(name: str, effect: EffectDefinition) -> str:
    return f"{effect.effect.capitalize()} in the database are those of the responses to {name}."


def _reconciled(connection: Connection, name: str, effect: Effect, report: DriverReport) -> Reconciled:
    definition = effect.definition
    counts = report.responses.get(name, ResponseCounts())
    named = [request for request in report.named if request.transaction == name]
    open_ended = any(request.calls for request in named)
    requests = Requests(valid=counts.valid, invalid=counts.invalid, open_ended=open_ended)
    for request in named:
        requests.add(request.outcome, _name(definition, request.variables))
    each = _each(connection, name, definition.each) if definition.each is not None and named else {}
    found = Found(total=_number(connection, name, definition.count), each=each)
    return reconciled(requests, found, effect=effect.counted_as, every=definition.per_response is PerResponse.ONE)


def _name(effect: EffectDefinition, variables: Mapping[str, str]) -> Name | None:
    """Return whose a request was, in the columns of `each`; None when its effect cannot be found by name."""
    if effect.each is None:
        return None
    values = [
        next((variables[one] for one in alternatives if one in variables), None)
        for alternatives in effect.each.variables
    ]
    return None if None in values else tuple(value for value in values if value is not None)


def _finding(name: str, effect: EffectDefinition, numbers: Reconciled) -> AuditFinding:
    lost = f": {numbers.lost} confirmed and missing" if numbers.lost else ""
    more = f": {numbers.doubled} that no response confirmed and no request without one explains"
    return AuditFinding(
        rule=_sentence(name, effect),
        outcome=Outcome.FAILED if numbers.lost or numbers.doubled else Outcome.PASSED,
        message=f"expected {_expected(numbers, effect)}, found {numbers.found}"
        + lost
        + (more if numbers.doubled else ""),
        count=numbers.lost + numbers.doubled,
        rows=tuple(map(_row, numbers.names)),
    )


def _row(one: ReconciledName) -> dict[str, str]:
    counts = {"valid": one.valid, "invalid": one.invalid, "unanswered": one.unanswered}
    return {
        "name": one.name,
        **{what: str(count) for what, count in counts.items() if count},
        "found": str(one.found),
    }


def _expected(numbers: Reconciled, effect: EffectDefinition) -> str:
    at_most = "at most " if effect.per_response is PerResponse.AT_MOST_ONE else ""
    parts = list(_explained(numbers))
    more = numbers.unanswered_done + numbers.invalid_done
    if not more:
        return f"{at_most}{numbers.confirmed} ({'; '.join(('valid responses', *parts))})"
    return f"{at_most}{numbers.confirmed} (valid responses) and {more} more ({'; '.join(parts)})"


def _explained(numbers: Reconciled) -> Iterator[str]:
    if numbers.unanswered:
        yield f"{numbers.unanswered} unanswered, {numbers.unanswered_done or 'none'} done"
    if numbers.invalid:
        yield f"{numbers.invalid} answered with an error or a wrong page, {numbers.invalid_done or 'none'} done"


def _each(connection: Connection, name: str, each: Each) -> dict[Name, int]:
    """Return how often the effect was found for whom."""
    found: dict[Name, int] = {}
    for *columns, count in _rows(connection, name, each.count):
        if len(columns) != len(each.variables):
            raise InputError(f"`each` of {name} must return a column for each variable, then a count", where=_FILE)
        key = tuple(str(column) for column in columns)
        found[key] = found.get(key, 0) + int(count or 0)
    return found


_FILE = f"{FOLDER}/confirmed.toml"


def _number(connection: Connection, name: str, query: str) -> int:
    rows = _rows(connection, name, query)
    return 0 if not rows or rows[0][0] is None else int(rows[0][0])


def _rows(connection: Connection, name: str, query: str) -> list[tuple[str | int | None, ...]]:
    try:
        return connection.execute(query.encode()).fetchall()
    except psycopg.OperationalError:
        raise  # the server's trouble, not this SQL's: who holds the connection reports it
    except psycopg.Error as error:
        raise InputError(f"the count of {name} cannot be asked ({first_line(error)})", where=_FILE) from error
