"""Recordings from plausible to odd are imported or refused, never a traceback; `make fuzz` looks longer."""

from __future__ import annotations

from collections import Counter

from fuzz_session_import import hold
from hypothesis import HealthCheck, Phase, given, settings
from odd_recordings import damaged, recordings

SOME = settings(
    max_examples=60,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def test_an_odd_recording_is_imported_or_refused() -> None:
    outcomes = Counter[bool]()

    @SOME
    @given(recordings())
    def look(recording: bytes) -> None:
        outcomes[hold(recording)] += 1

    look()
    assert outcomes[True] > 10, "the recordings reach what makes a session"
    assert outcomes[False] > 0


def test_a_damaged_file_is_imported_or_refused() -> None:
    outcomes = Counter[bool]()

    @SOME
    @given(damaged())
    def look(recording: bytes) -> None:
        outcomes[hold(recording)] += 1

    look()
    assert outcomes[False] > 10
