"""Why a file of tests looks at a changed file, and how closely."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import PurePosixPath

from checks.quick.parts import is_tested_apart
from checks.quick.sources import TESTS, Source, is_shared_by_tests, is_test, module_of


class Nearness(IntEnum):
    """How closely a test looks at a changed file; the closest are run first."""

    ITSELF = 0
    EVERYTHING = 1
    DIRECT = 2
    ONE_BETWEEN = 3
    FURTHER = 4


@dataclass(frozen=True, order=True)
class Reason:
    """Why a test is chosen."""

    nearness: Nearness
    words: str


@dataclass
class Found:
    """The best reason of each test, and the changed files that no test looks at."""

    reasons: dict[str, Reason] = field(default_factory=dict)
    untested: list[str] = field(default_factory=list)

    def add(self, test: str, reason: Reason) -> None:
        """Keep the reason if it is the best of its test so far."""
        self.reasons[test] = min(reason, self.reasons.get(test, reason))


class Sight:
    """What the tests among some sources see."""

    def __init__(self, sources: dict[str, Source]) -> None:
        self._sources = sources
        self._distances = {test: self._distances_from(test) for test in sources if is_test(test)}

    def reasons(self, changed: Iterable[str]) -> Found:
        """Return why which tests look at what was changed; for each file only the nearest ones."""
        found = Found()
        for file in changed:
            reasons = dict(self._of_python(file) if file.endswith(".py") else self._of_others(file))
            close = {test: one for test, one in reasons.items() if one.nearness < Nearness.FURTHER}
            nearest = min((one.words for one in reasons.values()), default="")
            for test, reason in (close or {test: one for test, one in reasons.items() if one.words == nearest}).items():
                found.add(test, reason)
            if not reasons and not is_tested_apart(file):
                found.untested.append(file)
        return found

    def looking_at_everything(self) -> list[str]:
        """Return the tests that list the files of the whole repository."""
        return [test for test in self._distances if self._sources[test].lists_files]

    def _of_python(self, file: str) -> Iterator[tuple[str, Reason]]:
        for test, distances in self._distances.items():
            distance = distances.get(file)
            if test == file:
                yield test, Reason(Nearness.ITSELF, "was changed itself")
            elif distance == 0:
                yield test, Reason(Nearness.ITSELF, f"uses {file}")
            elif distance == 1:
                yield test, Reason(Nearness.DIRECT, f"imports {module_of(file)}")
            elif _is_named_after(test, file):
                yield test, Reason(Nearness.DIRECT, f"is named after {file}")
            elif distance == 2:
                yield test, Reason(Nearness.ONE_BETWEEN, f"imports what imports {module_of(file)}")
            elif distance:
                yield test, Reason(Nearness.FURTHER, f"is {distance} imports from {module_of(file)}")

    def _of_others(self, file: str) -> Iterator[tuple[str, Reason]]:
        """Yield the tests that mention the file, or else its folder; what has tests of its own counts by name only."""
        path = PurePosixPath(file)
        beside = "checks/" if _is_looked_at_by_checks(path) else ""
        for name in [path.name] if is_tested_apart(file) else reversed(path.parts):
            mentioning = {source for source, its in self._sources.items() if _mentions(its, name, path)}
            reasons = {}
            for test, distances in self._distances.items():
                if not test.startswith(beside):
                    continue
                distance = min((distances[source] for source in mentioning if source in distances), default=None)
                if distance == 0:
                    reasons[test] = Reason(Nearness.DIRECT, f"mentions {name}")
                elif distance == 1:
                    reasons[test] = Reason(Nearness.ONE_BETWEEN, f"imports what mentions {name}")
            if reasons:
                yield from reasons.items()
                return

    def _distances_from(self, test: str) -> dict[str, int]:
        """Return how many imports lie between a test and each file; what tests share is part of them."""
        distances = {test: 0}
        waiting = deque([test])
        while waiting:
            here = waiting.popleft()
            for there in self._sources[here].imports if here in self._sources else ():
                distance = distances[here] + (not is_shared_by_tests(there))
                if distance < distances.get(there, distance + 1):
                    distances[there] = distance
                    waiting.append(there)
        return distances


def _is_named_after(test: str, file: str) -> bool:
    words = set(PurePosixPath(file).stem.split("_"))
    return words <= set(PurePosixPath(test).stem.removeprefix(TESTS).split("_"))


def _is_looked_at_by_checks(path: PurePosixPath) -> bool:
    """Return whether only the checks look at the file: a page, what builds and checks; the lab's tests write such."""
    return path.suffix == ".md" or path.parts[0] in {"checks", ".ci"} or len(path.parts) == 1


def _mentions(source: Source, name: str, path: PurePosixPath) -> bool:
    """Return whether a source has the name; an ordinary word (`run`) counts only beside its folder's (`.ci`)."""
    if name not in source.words:
        return False
    return name != path.name or "." in name or path.parent.name in source.words or path.parent == PurePosixPath()
