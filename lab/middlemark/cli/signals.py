"""SIGTERM and SIGHUP end a command like Ctrl-C, so that everything is stopped in order."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def ending_on_signals() -> Iterator[None]:
    """Raise KeyboardInterrupt in the main thread when SIGTERM or SIGHUP comes, until the context ends.

    One that whoever started the command has ignored stays ignored: `nohup middlemark run …` outlives its terminal.
    """
    before = {kind: signal.getsignal(kind) for kind in (signal.SIGTERM, signal.SIGHUP)}
    for kind, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(kind, _interrupt)
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)


def _interrupt(number: int, _: FrameType | None) -> None:
    raise KeyboardInterrupt(signal.Signals(number).name)
