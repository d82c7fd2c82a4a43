"""How long a file of tests takes: what earlier runs of pytest have written, or a guess."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from collections import defaultdict
from pathlib import Path

from checks.listing import read

# pytest's own format of results, written by the targets of the Makefile.
FOLDER = Path(".build") / "durations"
LAB, CHECKS, LONG = 15.0, 2.0, 150.0
_MARK = "pytest.mark.long"


class Durations:
    """Seconds of a file's tests, together; the latest result of a file counts."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[str, float] = {}
        for result in sorted((root / FOLDER).glob("*.xml"), key=lambda path: path.stat().st_mtime):
            self._known.update(_seconds(result))

    def of(self, test: str) -> float:
        """Return the seconds of the file `test`, a path relative to the root."""
        if test in self._known:
            return self._known[test]
        if not test.startswith("lab/"):
            return CHECKS
        return LONG if _MARK in read(self._root / test) else LAB

    def knows(self, test: str) -> bool:
        """Tell whether `of` returns what was measured."""
        return test in self._known


def workers() -> int:
    """Return how many workers of pytest the Makefile asks for."""
    return max(1, min(6, (os.cpu_count() or 1) * 3 // 2))


def _seconds(result: Path) -> dict[str, float]:
    """Return the seconds of each file of tests in one result; nothing for one that was cut short."""
    try:
        cases = ET.parse(result).iter("testcase")  # noqa: S314 (pytest wrote it, in this checkout)
    except ET.ParseError:
        return {}
    seconds: defaultdict[str, float] = defaultdict(float)
    for case in cases:
        seconds[case.get("classname", "").replace(".", "/") + ".py"] += float(case.get("time", 0))
    return dict(seconds)
