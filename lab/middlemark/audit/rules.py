"""The rules in `specs/<name>/audit/*.sql`: each returns the rows that break it; its first line is its sentence."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import psycopg

from middlemark.errors import InputError, TargetError
from middlemark.results.point import AuditFinding, Outcome
from middlemark.target.database import Connection

_ROWS_SHOWN = 10


@dataclass(frozen=True)
class Rule:
    """One rule: its file's name, its sentence, and the query for the rows that break it."""

    name: str
    sentence: str
    query: str


def read_rules(spec_folder: Path) -> list[Rule]:
    """Return the rules of a specification by file name; InputError when there are none or one has no sentence."""
    folder = spec_folder / "audit"
    rules = [_read_rule(path) for path in sorted(folder.glob("*.sql"))]
    if not rules:
        raise InputError("this specification has no audit rules (*.sql)", where=str(folder))
    return rules


def _read_rule(path: Path) -> Rule:
    query = path.read_text(encoding="utf-8")
    first = query.split("\n", 1)[0]
    if not first.startswith("-- "):
        raise InputError("the first line must be a comment that says the rule in one sentence", where=f"{path}:1")
    return Rule(name=path.stem, sentence=first.removeprefix("-- ").strip(), query=query.strip().removesuffix(";"))


def judge_rule(connection: Connection, rule: Rule) -> AuditFinding:
    """Ask the database for rows that break the rule."""
    wrapped = "\n".join(
        ["SELECT count(*) OVER () AS breaking_rows, * FROM (", rule.query, f") AS rule LIMIT {_ROWS_SHOWN}"]
    )
    try:
        cursor = connection.execute(wrapped.encode())
    except psycopg.OperationalError:
        raise  # the server's trouble, not this SQL's: who holds the connection tells it
    except psycopg.Error as error:
        first = str(error).strip().splitlines()[0]
        raise TargetError(
            f"the rule {rule.name} cannot be asked ({first})",
            where=f"database {connection.info.dbname}",
            todo="Is this a database of that specification, and may this user read it?",
        ) from error
    names = [column.name for column in cursor.description or ()][1:]
    found = cursor.fetchall()
    count = int(found[0][0]) if found else 0
    return AuditFinding(
        rule=rule.sentence,
        outcome=Outcome.FAILED if count else Outcome.PASSED,
        message=f"expected no row that breaks it, found {count}" if count else "holds for every row",
        count=count,
        rows=tuple({name: str(value) for name, value in zip(names, row[1:], strict=True)} for row in found),
    )
