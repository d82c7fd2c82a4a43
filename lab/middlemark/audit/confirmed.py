"""`specs/<name>/audit/confirmed.toml`: what was answered must have happened, once, and nothing else.

With *valid* answers, answers that failed a check (*invalid*) and requests without an answer (*unanswered*):

    valid  ≤  found in the database  ≤  valid + invalid + unanswered requests the database shows as done

What exceeds the valid answers belongs to the users those requests name, as far as no invalid answer explains it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psycopg
from pydantic import Field

from middlemark.documents import Document, read_toml
from middlemark.errors import InputError
from middlemark.results.point import AuditFinding, Outcome
from middlemark.target.database import Connection

_LINES_SHOWN = 10


@dataclass(frozen=True)
class Answers:
    """Complete answers to one transaction over the whole run: those that passed every check, and the others."""

    valid: int = 0
    invalid: int = 0


@dataclass(frozen=True)
class UnansweredRequest:
    """A request of which something was sent and no complete answer came, with the step's `identify` variables."""

    transaction: str
    variables: Mapping[str, str]


@dataclass(frozen=True)
class DriverReport:
    """What the driver says about the whole run. A transaction missing in `answers` was never answered."""

    answers: Mapping[str, Answers]
    unanswered: tuple[UnansweredRequest, ...] = ()


class UnansweredQuery(Document):
    """How to find what requests without an answer did: `count` has a %(name)s for each of `variables`."""

    variables: tuple[str, ...] = Field(min_length=1)
    count: str


class Effect(Document):
    """The lasting effect of a transaction; `count` returns how often it is found."""

    effect: str
    count: str
    unanswered: tuple[UnansweredQuery, ...] = ()


class ConfirmedDefinition(Document):
    """The whole file: transaction to its effect."""

    version: Literal[1]
    transactions: dict[str, Effect]


@dataclass(frozen=True)
class _Traced:
    """Unanswered requests of one transaction, resolved: how many may have been done, and which."""

    sent: int
    done: int
    rows: tuple[dict[str, str], ...]


def read_confirmed(spec_folder: Path) -> ConfirmedDefinition | None:
    """Return the file, or None when the specification has none."""
    path = spec_folder / "audit" / "confirmed.toml"
    return read_toml(path, ConfirmedDefinition) if path.is_file() else None


def judge_confirmed(
    connection: Connection, definition: ConfirmedDefinition, report: DriverReport | None
) -> list[AuditFinding]:
    """Compare each effect in the database with the answers; without a report nothing can be said."""
    if report is None:
        return [
            AuditFinding(
                rule=_sentence(name, effect),
                outcome=Outcome.NOT_CHECKED,
                message=f"found {_count(connection, name, effect.count, {})}; no driver's report to compare with",
            )
            for name, effect in definition.transactions.items()
        ]
    return [_judge(connection, name, effect, report) for name, effect in definition.transactions.items()]


def _sentence(name: str, effect: Effect) -> str:
    return f"{effect.effect.capitalize()} in the database are those of the answers to {name}."


def _judge(connection: Connection, name: str, effect: Effect, report: DriverReport) -> AuditFinding:
    answers = report.answers.get(name, Answers())
    found = _count(connection, name, effect.count, {})
    traced = _trace(connection, name, effect, report.unanswered)
    most = answers.valid + answers.invalid + traced.done
    excess = max(0, found - most)
    missing = max(0, answers.valid - found)
    return AuditFinding(
        rule=_sentence(name, effect),
        outcome=Outcome.FAILED if excess or missing else Outcome.PASSED,
        message=f"expected {_expected(answers, traced)}, found {found}"
        + (f": {missing} confirmed and not there" if missing else "")
        + (f": {excess} that nobody was told of and no unanswered request explains" if excess else ""),
        count=excess + missing,
        rows=traced.rows,
    )


def _expected(answers: Answers, traced: _Traced) -> str:
    most = answers.valid + answers.invalid + traced.done
    if most == answers.valid:
        lost = f"; {traced.sent} unanswered, none done" if traced.sent else ""
        return f"{answers.valid} (valid answers{lost})"
    parts = [f"{answers.invalid} invalid answers"] if answers.invalid else []
    if traced.sent:
        parts.append(f"{traced.done} of {traced.sent} unanswered requests that may have been done")
    return f"{answers.valid} (valid answers) to {most} (with {' and '.join(parts)})"


def _trace(connection: Connection, name: str, effect: Effect, unanswered: tuple[UnansweredRequest, ...]) -> _Traced:
    """Ask for each distinct unanswered request how often its effect is there; never more than it was sent."""
    sent = Counter(tuple(sorted(request.variables.items())) for request in unanswered if request.transaction == name)
    done = 0
    rows: list[dict[str, str]] = []
    for variables, times in sent.items():
        query = _query_for(effect, {key for key, _ in variables})
        # What cannot be traced may have been done.
        there = _count(connection, name, query.count, dict(variables)) if query else times
        done += min(times, there)
        if len(rows) < _LINES_SHOWN:
            rows.append({"unanswered": str(times), "done": str(min(times, there)), **dict(variables)})
    return _Traced(sent=sent.total(), done=done, rows=tuple(rows))


def _query_for(effect: Effect, known: set[str]) -> UnansweredQuery | None:
    """Return the query that uses most of the known variables."""
    fitting = [query for query in effect.unanswered if known.issuperset(query.variables)]
    return max(fitting, key=lambda query: len(query.variables), default=None)


def _count(connection: Connection, name: str, query: str, variables: Mapping[str, str]) -> int:
    try:
        row = connection.execute(query.encode(), variables or None).fetchone()
    except psycopg.OperationalError:
        raise  # the server's trouble, not this SQL's: who holds the connection tells it
    except psycopg.Error as error:
        first = str(error).strip().splitlines()[0]
        raise InputError(f"the count of {name} cannot be asked ({first})", where="audit/confirmed.toml") from error
    return 0 if row is None or row[0] is None else int(row[0])
