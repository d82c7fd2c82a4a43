"""Lets one lab of several make what all of them need."""

from __future__ import annotations

import fcntl
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from middlemark.errors import HostError

SILENT_S = 1.0
"""Nobody wonders about a wait that is shorter."""


@contextmanager
def only_one(lock: Path, other: str, todo: str = "") -> Iterator[None]:
    """Wait until no other lab holds the file `lock`, and keep the others waiting until the context ends.

    Whoever waits for more than a second reads once, on stderr, that it is for `other` and which process does that.
    Raises HostError with `todo` when its folder cannot be written; the lock of a killed lab is free.
    """
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        # What is in it stays until the lock is held: the process that holds it.
        file = lock.open("a+", encoding="ascii")
    except OSError as error:
        raise HostError(f"cannot write here ({error.strerror})", where=str(lock.parent), todo=todo) from error
    with file:
        _wait_for(file, other)
        file.truncate(0)
        file.write(f"{os.getpid()}")
        file.flush()
        yield


def _wait_for(file: IO[str], other: str) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        notice = threading.Timer(SILENT_S, _notify, (Path(file.name), other))
        notice.daemon = True
        notice.start()
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
        finally:
            notice.cancel()


def _notify(lock: Path, other: str) -> None:
    """Say what is waited for; who holds the lock has written its number, but for the moment in which it took it."""
    pid = lock.read_text(encoding="ascii")
    print(f"waiting for {other}" + (f" (pid {pid}) …" if pid else " …"), file=sys.stderr)
