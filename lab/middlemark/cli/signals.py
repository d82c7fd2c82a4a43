"""SIGTERM ends a command like Ctrl-C, so that everything is stopped in order."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def ending_on_sigterm() -> Iterator[None]:
    """Raise KeyboardInterrupt in the main thread when SIGTERM or SIGHUP comes, until the context ends."""
    before = {kind: signal.signal(kind, _interrupt) for kind in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)


def _interrupt(number: int, _: FrameType | None) -> None:
    raise KeyboardInterrupt(signal.Signals(number).name)
