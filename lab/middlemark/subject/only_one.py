"""Lets one lab of several make what all of them need."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from middlemark.errors import HostError


@contextmanager
def only_one(lock: Path, todo: str = "") -> Iterator[None]:
    """Wait until no other lab holds the file `lock`, and keep the others waiting until the context ends.

    Raises HostError with `todo` when its folder cannot be written; the lock of a killed lab is free.
    """
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        file = lock.open("w")
    except OSError as error:
        raise HostError(f"cannot write here ({error.strerror})", where=str(lock.parent), todo=todo) from error
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
