"""SIGTERM and SIGHUP end a command like Ctrl-C: everything is stopped in order."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from middlemark.__main__ import ENDING


@contextmanager
def ending_on_signals() -> Iterator[None]:
    """Raise KeyboardInterrupt in the main thread when one of the signals comes, until the context ends.

    One that the command's starter ignores stays ignored: `nohup middlemark run …` outlives its terminal.
    """
    before = {kind: signal.getsignal(kind) for kind in ENDING}
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
