"""How long after the load an application had completed the work that was left when the driver had ended."""

from __future__ import annotations

import time
from collections.abc import Mapping

from middlemark.audit.auditing import wait_until_done
from middlemark.audit.rules import read_rules
from middlemark.databases.database import Connection
from middlemark.records.work_left import WorkLeft
from middlemark.specification.specification import Specification


def wait_until_drained(connections: Mapping[str, Connection], specification: Specification) -> WorkLeft:
    """Return when no work is left, or when the time is over that the specification's audit gives it."""
    rules = [rule for rule in read_rules(specification) if rule.within_s]
    began = time.monotonic()
    done = wait_until_done(connections, rules)
    return WorkLeft(done, time.monotonic() - began, max((rule.within_s for rule in rules), default=0.0))
