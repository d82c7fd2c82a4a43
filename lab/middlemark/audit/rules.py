"""The rules `audit/*.sql` of each database: each returns the rows that break it; its first line is its sentence.

A second line may say more: `-- within: 60 s` that the state is reached only when all work is done, so that the rule is
asked again for so long; `-- recovery: 300 s` that a crash may have broken it until everything has recovered, which is
waited for before all other work; `-- session: NAME` that the rule is about users of that session.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import psycopg

from middlemark.databases.database import Connection
from middlemark.duration import Duration
from middlemark.errors import InputError, TargetError
from middlemark.records.point import AuditFinding, Outcome
from middlemark.specification.specification import Specification
from middlemark.wording import first_line

FOLDER = "audit"
MAX_ROWS = 10
_WITHIN = "-- within: "
_RECOVERY = "-- recovery: "
_SESSION = "-- session: "


@dataclass(frozen=True)
class Rule:
    """One rule: its file's name, its sentence, the query for the rows that break it, and the database that is asked.

    `within_s` is for how many seconds it may be broken while the application finishes its work, `recovery_s` while it
    recovers from a crash; `session` is the session it is about, None when it is about all data.
    """

    name: str
    sentence: str
    query: str
    database: str = ""
    within_s: float = 0.0
    recovery_s: float = 0.0
    session: str | None = None

    @property
    def may_be_broken(self) -> bool:
        """Say whether it may be broken as long as the application works."""
        return self.within_s > 0 or self.recovery_s > 0


def read_rules(specification: Specification) -> list[Rule]:
    """Return the rules of every database of a specification by file name.

    Raises InputError when a database has none, or a rule has no sentence.
    """
    return [rule for name in specification.description.databases for rule in _rules_of(specification, name)]


def _rules_of(specification: Specification, database: str) -> list[Rule]:
    folder = specification.database_folder(database) / FOLDER
    rules = [_read_rule(path, database) for path in sorted(folder.glob("*.sql"))]
    if not rules:
        raise InputError("this database has no audit rules (*.sql)", where=str(folder))
    return rules


def _read_rule(path: Path, database: str) -> Rule:
    query = path.read_text(encoding="utf-8-sig")
    first = query.split("\n", 1)[0]
    if not first.startswith("-- "):
        raise InputError("the first line must be a comment: the rule in one sentence", where=f"{path}:1")
    return Rule(
        name=path.stem,
        sentence=first.removeprefix("-- ").strip(),
        query=query.strip().removesuffix(";"),
        database=database,
        within_s=_seconds(query, _WITHIN, f"{path}:2"),
        recovery_s=_seconds(query, _RECOVERY, f"{path}:2"),
        session=_value_of(query, _SESSION),
    )


def _value_of(query: str, key: str) -> str | None:
    """Return the value of a key on the second line, None when another key or none stands there."""
    second = query.split("\n", 2)[1] if "\n" in query else ""
    return second.removeprefix(key).strip() if second.startswith(key) else None


def _seconds(query: str, key: str, where: str) -> float:
    length = _value_of(query, key)
    if length is None:
        return 0.0
    try:
        return Duration.parse(length.replace(" ", "")).seconds
    except ValueError as error:
        raise InputError(f"not a length of time ({error})", where=where, todo=f"Write it like {key}60 s") from error


def judge_rule(connection: Connection, rule: Rule) -> AuditFinding:
    """Ask the database for rows that break the rule; TargetError when it cannot be asked."""
    wrapped = "\n".join(
        ["SELECT count(*) OVER () AS breaking_rows, * FROM (", rule.query, f") AS rule LIMIT {MAX_ROWS}"]
    )
    try:
        cursor = connection.execute(wrapped.encode())
    except psycopg.OperationalError:
        raise  # the server's trouble, not this SQL's: who holds the connection reports it
    except psycopg.Error as error:
        raise refused(rule.name, connection, error) from error
    names = [column.name for column in cursor.description or ()][1:]
    found = cursor.fetchall()
    rows = tuple({name: str(value) for name, value in zip(names, row[1:], strict=True)} for row in found)
    return finding(rule.sentence, int(found[0][0]) if found else 0, rows)


def finding(sentence: str, count: int, rows: tuple[dict[str, str], ...]) -> AuditFinding:
    """Return what came of a rule that so many rows break; `rows` are the first of them."""
    return AuditFinding(
        rule=sentence,
        outcome=Outcome.FAILED if count else Outcome.PASSED,
        message=f"expected no row that breaks it, found {count}" if count else "holds for every row",
        count=count,
        rows=rows,
    )


def refused(name: str, connection: Connection, error: psycopg.Error) -> TargetError:
    """Return the error for a rule whose SQL the database refuses."""
    return TargetError(
        f"the rule {name} cannot be asked ({first_line(error)})",
        where=f"database {connection.info.dbname}",
        todo="Is this a database of that specification, and may this user read it?",
    )
