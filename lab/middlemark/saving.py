"""Writes files whole or not at all, and says what a file system refuses."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from middlemark.errors import HostError, InputError

# Of a file system that is full, or whose user has used up the quota.
_NO_SPACE = {errno.ENOSPC, errno.EDQUOT}


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file by a temporary file beside it and a rename: what was there stays until the new one is complete."""
    with _complete(path, content) as temporary:
        temporary.replace(path)


def write_new(path: Path, text: str) -> None:
    """Write a file that must not be there yet; InputError when it is, HostError when the file system refuses."""
    try:
        with saving_under(path.parent), _complete(path, text) as temporary:
            # Unlike a rename this replaces nothing.
            os.link(temporary, path)
            temporary.unlink()
    except HostError as error:
        if not isinstance(error.__cause__, FileExistsError):
            raise
        todo = "Choose another name"
        raise InputError("is there already and is not overwritten", where=str(path), todo=todo) from error


@contextmanager
def _complete(path: Path, content: str | bytes) -> Iterator[Path]:
    """Hold a complete file beside a path under another name; it is gone when the context fails."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        temporary.chmod(0o644)
        yield temporary
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def saving_under(folder: Path) -> Iterator[None]:
    """Turn a file system's refusal while something is saved under `folder` into a HostError."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_SPACE:
            raise HostError(f"no space left under {folder}: free some or choose another place") from error
        raise HostError(
            f"cannot write ({error.strerror})", where=str(error.filename or folder), todo="Choose another place"
        ) from error


def check_writable(out: Path) -> None:
    """Write a few bytes under `out` and remove them; HostError when the file system refuses."""
    with saving_under(out):
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out) as file:
            file.write(b"\0" * 65536)
            file.flush()
