"""The rules in `specs/<name>/audit/*.sql`: each returns the rows that break it; its first line is its sentence.

A second line may say more: `-- within: 60 s` that the state is reached only when all work is done, so that the rule is
asked again for so long; `-- session: NAME` that the rule is about customers of that session.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import psycopg

from middlemark.databases.database import Connection
from middlemark.duration import Duration
from middlemark.errors import InputError, TargetError
from middlemark.records.point import AuditFinding, Outcome

_ROWS_SHOWN = 10
_WITHIN = "-- within: "
_SESSION = "-- session: "


@dataclass(frozen=True)
class Rule:
    """One rule: its file's name, its sentence, and the query for the rows that break it.

    `within_s` says for how many seconds it may be broken while the application finishes its work; `session` is the
    session it is about, None when it is about all data.
    """

    name: str
    sentence: str
    query: str
    within_s: float = 0.0
    session: str | None = None


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
    return Rule(
        name=path.stem,
        sentence=first.removeprefix("-- ").strip(),
        query=query.strip().removesuffix(";"),
        within_s=_within_s(query, f"{path}:2"),
        session=_said(query, _SESSION),
    )


def _said(query: str, key: str) -> str | None:
    """Return what the second line says for a key, None when it says something else."""
    second = query.split("\n", 2)[1] if "\n" in query else ""
    return second.removeprefix(key).strip() if second.startswith(key) else None


def _within_s(query: str, where: str) -> float:
    length = _said(query, _WITHIN)
    if length is None:
        return 0.0
    try:
        return Duration.parse(length.replace(" ", "")).seconds
    except ValueError as error:
        raise InputError(f"no length of time ({error})", where=where, todo="Write it like -- within: 60 s") from error


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
