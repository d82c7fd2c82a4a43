"""Which tests to run: the closest to what changed, as many as there is time for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from checks.listing import read
from checks.quick.durations import Durations, workers
from checks.quick.reasons import Nearness, Reason, Sight
from checks.quick.sources import read_sources

# All tests of the file; single ones pytest leaves out.
_FULL = re.compile(r"^pytestmark = .*\bpytest\.mark\.full\b", re.MULTILINE)


@dataclass
class Choice:
    """The tests to run, those there is no time for, those marked `full`; changed files that no test looks at."""

    seconds: float = 0.0
    chosen: dict[str, Reason] = field(default_factory=dict)
    left: dict[str, Reason] = field(default_factory=dict)
    full: dict[str, Reason] = field(default_factory=dict)
    untested: list[str] = field(default_factory=list)


def choose(root: Path, changed: Sequence[str], durations: Durations, seconds: float) -> Choice:
    """Choose tests for `changed` that take `seconds` at most, by the clock, with the Makefile's workers."""
    sight = Sight(read_sources(root, changed))
    found = sight.reasons(changed)
    for test in sight.looking_at_everything():
        found.add(test, Reason(Nearness.EVERYTHING, "looks at every file"))
    choice = Choice(untested=found.untested)
    total = 0.0
    for test in sorted(found.reasons, key=lambda one: (found.reasons[one].nearness, durations.of(one), one)):
        if _FULL.search(read(root / test)):
            choice.full[test] = found.reasons[test]
            continue
        takes = durations.of(test)
        # A file's tests stay together, so its own time is the least.
        if max(takes, (total + takes) / workers()) <= seconds:
            choice.chosen[test] = found.reasons[test]
            choice.seconds = max(choice.seconds, takes)
            total += takes
        else:
            choice.left[test] = found.reasons[test]
    choice.seconds = max(choice.seconds, total / workers())
    return choice
