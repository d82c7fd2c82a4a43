"""All audit rules in one question, because they are asked after every case."""

from __future__ import annotations

import time
from collections.abc import Sequence

import psycopg

from middlemark.audit.rules import Rule, judge_rule
from middlemark.databases.database import Connection
from middlemark.records.point import Outcome

_PAUSE_S = 0.02


class Rules:
    """The rules of a specification, ready to be asked of one database."""

    def __init__(self, connection: Connection, rules: Sequence[Rule]) -> None:
        # What a session's customers type says nothing of the customers of a case.
        rules = [rule for rule in rules if rule.session is None]
        self._connection = connection
        self._rules = {rule.name: rule for rule in rules}
        self._question = " UNION ALL ".join(
            f"SELECT '{rule.name}' WHERE EXISTS (\n{rule.query}\n)" for rule in rules
        ).encode()

    def broken(self, patience_s: float = 0.0) -> list[str]:
        """Return one text for each broken rule: its sentence and the first rows that break it.

        Rules that may be broken while the application finishes its work are asked again for `patience_s` at most.
        Raises TargetError when a rule cannot be asked.
        """
        deadline = time.monotonic() + patience_s
        names = self._names_of_broken()
        while names and all(self._rules[name].within_s for name in names) and time.monotonic() < deadline:
            time.sleep(_PAUSE_S)
            names = self._names_of_broken()
        found = [judge_rule(self._connection, self._rules[name]) for name in names]
        return [
            f"{one.rule} Found {one.count} rows: {'; '.join(_shown(row) for row in one.rows[:3])}"
            for one in found
            if one.outcome is Outcome.FAILED
        ]

    def _names_of_broken(self) -> list[str]:
        try:
            return [name for (name,) in self._connection.execute(self._question, prepare=True).fetchall()]
        except psycopg.OperationalError:
            raise
        except psycopg.Error:
            return list(self._rules)  # one by one: the rule that cannot be asked says so


def _shown(row: dict[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in row.items())
