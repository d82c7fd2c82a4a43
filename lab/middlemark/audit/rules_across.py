"""The rules across databases in `audit/across/*.toml`: the rows of one query against those of another database.

Two databases have no common snapshot. Such a rule is therefore asked again as long as it is broken, for its `within`.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

import psycopg
from pydantic import Field

from middlemark.audit.rules import FOLDER, MAX_ROWS, finding, refused
from middlemark.databases.database import Connection
from middlemark.documents import Document, read_toml, suggestion
from middlemark.duration import Duration
from middlemark.errors import InputError
from middlemark.records.point import AuditFinding, Outcome
from middlemark.specification.specification import Specification

_PAUSE_S = 0.1

Row = tuple[str | None, ...]
"""Values as text; None is SQL's NULL, which is no text."""
Rows = Counter[Row]


class Relation(StrEnum):
    """What must hold between the rows of the two sides. A row that is there twice counts twice."""

    EQUAL = "equal"
    LEFT_IN_RIGHT = "left in right"


class Side(Document):
    """The rows of one query."""

    database: str
    query: str = Field(description="SQL; its columns are those of the other side, in the same order")


class RuleAcrossDefinition(Document):
    """The whole file. Rows are compared as the text that PostgreSQL makes of their values."""

    sentence: str = Field(min_length=8, description="the rule in one sentence, as reports show it")
    relation: Relation = Relation.EQUAL
    within: Duration = Field(Duration(0), description="asked again for so long while it is broken")
    left: Side
    right: Side


@dataclass(frozen=True)
class RuleAcross:
    """One rule across databases: its file's name, and what the file holds."""

    name: str
    definition: RuleAcrossDefinition


@dataclass(frozen=True)
class _Found:
    """The rows of a side by their values, and the names of its columns."""

    columns: tuple[str, ...]
    rows: Rows


def read_rules_across(specification: Specification) -> list[RuleAcross]:
    """Return the rules across databases by file name, none for most specifications.

    Raises InputError for a file that is wrong, or names a database that the specification does not have.
    """
    rules = []
    known = list(specification.description.databases)
    for path in sorted((specification.folder / FOLDER / "across").glob("*.toml")):
        definition = read_toml(path, RuleAcrossDefinition)
        for side in (definition.left, definition.right):
            if side.database not in known:
                raise InputError(
                    f"'{side.database}' is not a database of {specification.name}. {suggestion(side.database, known)}",
                    where=str(path),
                )
        rules.append(RuleAcross(path.stem, definition))
    return rules


def judge_across(connections: Mapping[str, Connection], rule: RuleAcross) -> AuditFinding:
    """Ask both databases until the rule holds, at most for its `within`; return what was found last.

    Raises TargetError when a side cannot be asked, InputError when the two have not as many columns.
    """
    deadline = time.monotonic() + rule.definition.within.seconds
    while True:
        began_asking = time.monotonic()
        found = _judge_once(connections, rule)
        now = time.monotonic()
        if found.outcome is Outcome.PASSED or now >= deadline:
            return found
        # Asking takes CPU time from the work that is waited for: half of it at most.
        time.sleep(min(max(_PAUSE_S, now - began_asking), deadline - now))


def _judge_once(connections: Mapping[str, Connection], rule: RuleAcross) -> AuditFinding:
    definition = rule.definition
    left, right = (_rows(connections[side.database], side, rule.name) for side in (definition.left, definition.right))
    if len(left.columns) != len(right.columns):
        raise InputError(
            f"the rule {rule.name} compares {len(left.columns)} columns of {definition.left.database} with "
            f"{len(right.columns)} of {definition.right.database}",
            todo="Both queries return the same columns in the same order",
        )
    breaking = [("left", definition.left, left.columns, left.rows - right.rows)]
    if definition.relation is Relation.EQUAL:
        breaking.append(("right", definition.right, right.columns, right.rows - left.rows))
    count = sum(rows.total() for *_, rows in breaking)
    every = (row for side in breaking for row in _shown(*side))
    return finding(definition.sentence, count, tuple(islice(every, MAX_ROWS)))


def _shown(name: str, side: Side, columns: tuple[str, ...], rows: Rows) -> Iterator[dict[str, str]]:
    """Yield the rows that only one side has, with the side's name."""
    texts = (["NULL" if value is None else value for value in row] for row in rows.elements())
    for row in sorted(texts):
        yield {"only": f"{name} ({side.database})", **dict(zip(columns, row, strict=True))}


def _rows(connection: Connection, side: Side, name: str) -> _Found:
    try:
        cursor = connection.execute(side.query.strip().removesuffix(";").encode())
    except psycopg.OperationalError:
        raise  # the server's trouble, not this SQL's: who holds the connection reports it
    except psycopg.Error as error:
        raise refused(name, connection, error) from error
    columns = tuple(column.name for column in cursor.description or ())
    result = cursor.pgresult
    if result is None:
        return _Found(columns, Counter())
    # As the server writes them: Python's types would make two texts of one value, or one of two.
    values = (
        tuple(_text(result.get_value(row, column)) for column in range(result.nfields)) for row in range(result.ntuples)
    )
    return _Found(columns, Counter(values))


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode()
