"""How long after the load an application had completed the work that was left when the driver had ended."""

from __future__ import annotations

import time
from collections.abc import Mapping

from middlemark.audit.auditing import wait_until_done, wait_until_recovered
from middlemark.audit.rules import read_rules
from middlemark.databases.database import Connection
from middlemark.records.point import WorkLeft
from middlemark.specification.specification import Specification


def wait_until_drained(
    connections: Mapping[str, Connection], specification: Specification, *, after_crash: bool = False
) -> WorkLeft:
    """Return when no work is left, or when the time is over that the specification's audit gives it.

    After a crash first for what that has left in doubt: work may wait for it, and its time begins then.
    """
    every = read_rules(specification)
    rules = [rule for rule in every if rule.within_s]
    began = time.monotonic()
    recovery_s = max((rule.recovery_s for rule in every), default=0.0) if after_crash else 0.0
    recovered = not recovery_s or wait_until_recovered(connections, every)
    done = wait_until_done(connections, rules) and recovered
    limit_s = recovery_s + max((rule.within_s for rule in rules), default=0.0)
    return WorkLeft(done=done, seconds=time.monotonic() - began, limit_s=limit_s)
