"""What is printed before anything is run: what changed, what is run for it and why, and what is left to `make test`."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from checks.quick.changes import Changes
from checks.quick.choosing import Choice
from checks.quick.durations import Durations
from checks.quick.parts import Part
from checks.quick.reasons import Reason

_AT_MOST = 20
_WIDTH = 120


def announcement(changed: Changes, parts: list[Part], choice: Choice, durations: Durations) -> str:
    """Return the text."""
    if not changed.files:
        return f"quick: nothing has changed since {changed.since}, so nothing is run; SINCE=REVISION looks further back"
    return "\n".join(_lines(changed, parts, choice, durations))


def _lines(changed: Changes, parts: list[Part], choice: Choice, durations: Durations) -> Iterator[str]:
    yield f"quick: changed since {changed.since}: {len(changed.files)}"
    yield from _few(list(changed.files))
    for part in parts:
        yield f"quick: {part.name}: make {' '.join(part.targets)}"
    guessed = sum(not durations.knows(test) for test in choice.chosen)
    guess = f", {guessed} of them never timed here" if guessed else ""
    yield f"quick: files of tests: {len(choice.chosen)}, about {choice.seconds:.0f} s{guess}"
    yield from _by_reason(choice.chosen)
    if choice.left:
        yield f"quick: left to make test for lack of time: {len(choice.left)}"
        yield from _by_reason(choice.left)
    if choice.full:
        yield f"quick: left to make test-full, for they are marked so: {len(choice.full)}"
        yield from _by_reason(choice.full)
    if choice.untested:
        yield f"quick: no test looks at these by name: {len(choice.untested)}"
        yield from _few(choice.untested)
    yield "quick: everything else is left to make test"


def _by_reason(tests: dict[str, Reason]) -> Iterator[str]:
    """Yield each reason with the tests it holds for, the closest first."""
    for reason in sorted(set(tests.values())):
        yield f"  {reason.words}:"
        names = " ".join(test for test, its in tests.items() if its == reason)
        yield from wrap(names, _WIDTH, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)


def _few(lines: list[str]) -> Iterator[str]:
    yield from (f"  {line}" for line in lines[:_AT_MOST])
    if len(lines) > _AT_MOST:
        yield f"  and {len(lines) - _AT_MOST} more"
