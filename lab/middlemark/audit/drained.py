"""How long after the load the last order was completed: what a durable queue still held when the driver had ended."""

from __future__ import annotations

import time
from pathlib import Path

from middlemark.audit.auditing import wait_until_done
from middlemark.audit.rules import read_rules
from middlemark.databases.database import Connection
from middlemark.records.work_left import WorkLeft


def wait_until_drained(connection: Connection, spec_folder: Path) -> WorkLeft:
    """Return when no work is left, or when the time is over that the specification's audit gives it."""
    rules = [rule for rule in read_rules(spec_folder) if rule.within_s]
    began = time.monotonic()
    done = wait_until_done(connection, rules)
    return WorkLeft(done, time.monotonic() - began, max((rule.within_s for rule in rules), default=0.0))
