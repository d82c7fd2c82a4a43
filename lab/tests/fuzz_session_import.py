"""Looks for recordings on which the import breaks a promise: `fuzz_session_import.py SECONDS`, see `make fuzz`."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from odd_recordings import damaged, recordings

from middlemark.errors import LabError
from middlemark.session.importing import ImportRequest, import_recording
from middlemark.workload.session import read_session

_EXAMPLES_AT_ONCE = 1000
_LONGEST_MS = 20_000
"""An import of a few kilobytes takes milliseconds, also on a busy machine."""


def hold(recording: bytes) -> bool:
    """Return whether a recording is imported: it becomes a session that can be read, each time the same.

    Any other is refused by one message. AssertionError, or what was raised, where one of these promises is broken.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "odd.har"
        path.write_bytes(recording)
        first, again = (Path(folder) / name / "odd.yaml" for name in ("first", "again"))
        first.parent.mkdir()
        again.parent.mkdir()
        try:
            imported = import_recording(ImportRequest(path, first))
        except LabError:
            return False
        numbers = dict.fromkeys(imported.numbers, 10)
        assert read_session(first, numbers).model_dump() == imported.session.model_dump()
        import_recording(ImportRequest(path, again))
        assert first.read_bytes() == again.read_bytes()
        return True


def main(seconds: float) -> None:
    """Import recordings drawn anew until the time is over; raises what `hold` does."""
    executions = 0

    # Without shrinking, which takes minutes: the traceback shows the place, and the recording is small.
    @settings(
        max_examples=_EXAMPLES_AT_ONCE,
        deadline=_LONGEST_MS,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(recordings() | damaged())
    def look(recording: bytes) -> None:
        nonlocal executions
        executions += 1
        hold(recording)

    end = time.monotonic() + seconds
    while time.monotonic() < end:
        look()
    print(f"session-import: {executions} executions")


if __name__ == "__main__":
    main(float(sys.argv[1]))
