"""`python -m checks.quick [--since REVISION] [--list]`: prints what it runs for what changed and why, and runs it."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

from checks.listing import REPOSITORY
from checks.quick.announcement import announcement
from checks.quick.changes import Changes, NoRevisionError, changes
from checks.quick.choosing import Choice, choose
from checks.quick.durations import Durations
from checks.quick.parts import Part, wanted

# Of the three minutes, for what is not counted: make, the start of workers, a machine that is busy.
SECONDS, RESERVE = 180.0, 20.0
MIN_FOR_TESTS = 30.0


def main(words: list[str]) -> int:
    """Return the worst exit status of what was run; 2 when Git does not know what changed."""
    parser = argparse.ArgumentParser(prog="python -m checks.quick", description=__doc__)
    parser.add_argument("--since", default="", help="the revision since whose common commit files count as changed")
    parser.add_argument("--list", action="store_true", help="print what would be run, and run nothing")
    options = parser.parse_args(words)
    try:
        changed = changes(REPOSITORY, options.since)
    except NoRevisionError as error:
        print(f"quick: {error}", file=sys.stderr)
        return 2
    parts = wanted(changed.files)
    durations = Durations(REPOSITORY)
    for_tests = max(MIN_FOR_TESTS, SECONDS - RESERVE - sum(part.seconds for part in parts))
    choice = choose(REPOSITORY, changed.files, durations, for_tests) if changed.files else Choice()
    print(announcement(changed, parts, choice, durations), flush=True)
    return 0 if options.list or not changed.files else _run(changed, parts, choice)


def _run(changed: Changes, parts: list[Part], choice: Choice) -> int:
    began = time.monotonic()
    targets = [[target] for part in parts for target in part.targets]
    if choice.chosen:
        targets.append(["test-chosen", f"TESTS={' '.join(choice.chosen)}", *_without_driver(changed, choice)])
    statuses = {words[0]: _make(words) for words in targets}
    failed = [target for target, status in statuses.items() if status]
    took = f"in {time.monotonic() - began:.0f} s"
    print(f"\nquick: {'FAILED ' + took + ': make ' + ' '.join(failed) if failed else 'passed ' + took}")
    return max(statuses.values(), default=0)


def _make(words: list[str]) -> int:
    return subprocess.run(["make", "--no-print-directory", *words], check=False).returncode  # noqa: S607 (the make that runs this)


def _without_driver(changed: Changes, choice: Choice) -> list[str]:
    """Return what keeps make from building the driver for tests that do not start it."""
    needless = not any(test.startswith("lab/") for test in choice.chosen)
    return ["DRIVER_SOURCES="] if needless and any(file.startswith("driver/") for file in changed.files) else []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
