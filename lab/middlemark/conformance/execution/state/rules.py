"""All audit rules, asked after every case: of each database in one question, then those across databases."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator, Mapping, Sequence

import psycopg

from middlemark.audit.rules import Rule, judge_rule, read_rules
from middlemark.audit.rules_across import RuleAcross, judge_across, read_rules_across
from middlemark.databases.database import Connection
from middlemark.duration import Duration
from middlemark.records.point import AuditFinding, Outcome
from middlemark.specification.specification import Specification
from middlemark.wording import counted

_PAUSE_S = 0.02


class Rules:
    """The rules of a specification, ready to be asked of its databases."""

    def __init__(self, connections: Mapping[str, Connection], specification: Specification) -> None:
        # A rule about a session holds for what its virtual users send, and not for the users of a case.
        rules = [rule for rule in read_rules(specification) if rule.session is None]
        self._connections = connections
        self._by_database = {name: [rule for rule in rules if rule.database == name] for name in connections}
        self._questions = {name: _question(rules) for name, rules in self._by_database.items()}
        self._across = read_rules_across(specification)

    def broken(self, patience_s: float = 0.0) -> list[str]:
        """Return one text for each broken rule: its sentence and the first rows that break it.

        Rules that may be broken while the application works are asked again for `patience_s` at most.
        Raises TargetError when a rule cannot be asked.
        """
        deadline = time.monotonic() + patience_s
        rules = list(self._broken())
        while rules and all(rule.may_be_broken for rule in rules) and time.monotonic() < deadline:
            time.sleep(_PAUSE_S)
            rules = list(self._broken())
        found = [judge_rule(self._connections[rule.database], rule) for rule in rules]
        found += [judge_across(self._connections, _patient(rule, deadline)) for rule in self._across]
        return [_text(one) for one in found if one.outcome is Outcome.FAILED]

    def _broken(self) -> Iterator[Rule]:
        for name, rules in self._by_database.items():
            try:
                rows = self._connections[name].execute(self._questions[name], prepare=True).fetchall()
            except psycopg.OperationalError:
                raise
            except psycopg.Error:
                yield from rules  # one by one: the rule that cannot be asked is then named
                continue
            broken = {str(row[0]) for row in rows}
            yield from (rule for rule in rules if rule.name in broken)


def _question(rules: Sequence[Rule]) -> bytes:
    """Return the query for the names of the broken ones among the rules of one database."""
    parts = (f"SELECT '{rule.name}' WHERE EXISTS (\n{rule.query}\n)" for rule in rules)
    return (" UNION ALL ".join(parts) or "SELECT '' WHERE false").encode()


def _patient(rule: RuleAcross, deadline: float) -> RuleAcross:
    """Return a rule across databases that is asked again until the deadline at most."""
    left = max(0.0, min(rule.definition.within.seconds, deadline - time.monotonic()))
    definition = rule.definition.model_copy(update={"within": Duration.of_seconds(left)})
    return dataclasses.replace(rule, definition=definition)


def _text(finding: AuditFinding) -> str:
    rows = "; ".join(", ".join(f"{name} {value}" for name, value in row.items()) for row in finding.rows[:3])
    return f"{finding.rule} Found {counted(finding.count, 'row')}: {rows}"
