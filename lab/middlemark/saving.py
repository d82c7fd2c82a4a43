"""Writes files whole or not at all, and says what a file system refuses."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from middlemark.errors import HostError, InputError
from middlemark.wording import sentence

# Of a file system that is full, or whose user has used up the quota.
_NO_SPACE = {errno.ENOSPC, errno.EDQUOT}
# `/dev/stdout` leads to a file that is open: another one in its place would not be the one that is read.
_OPEN_FILES = {("/", "dev"), ("/", "proc")}
ANOTHER_TMPDIR = "set TMPDIR to another folder"


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file by a temporary file beside it and a rename: what was there stays until the new one is complete.

    What a link leads to is written, the rights of a file that is there stay, and what is no regular file (`/dev/null`,
    a pipe) is written as it is. Raises HostError when the file system refuses.
    """
    data = content.encode() if isinstance(content, str) else content
    with _saving(path):
        if (path.exists() and not path.is_file()) or path.parts[:2] in _OPEN_FILES:
            path.write_bytes(data)
            return
        place = path.resolve()
        with _complete(place, data) as temporary:
            if place.exists():
                temporary.chmod(stat.S_IMODE(place.stat().st_mode))
            temporary.replace(place)


def write_new(path: Path, content: str | bytes) -> None:
    """Write a file that must not be there yet; InputError when it is, HostError when the file system refuses."""
    try:
        data = content.encode() if isinstance(content, str) else content
        with _saving(path), _complete(path, data) as temporary:
            # Unlike a rename this replaces nothing.
            os.link(temporary, path)
            temporary.unlink()
    except HostError as error:
        if not isinstance(error.__cause__, FileExistsError):
            raise
        todo = "Choose another name"
        raise InputError("is there already and is not overwritten", where=str(path), todo=todo) from error


def append_whole(path: Path, text: str) -> None:
    """Append to a file, all of the text or nothing; HostError when the file system refuses."""
    with _saving(path), path.open("ab", buffering=0) as file:
        before = file.seek(0, os.SEEK_END)
        try:
            data = memoryview(text.encode())
            while data:
                data = data[file.write(data) :]
        except OSError:
            file.truncate(before)
            raise


@contextmanager
def _complete(path: Path, content: bytes) -> Iterator[Path]:
    """Hold a complete file beside a path under another name; it is gone when the context fails."""
    temporary = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}")
    # Unlike the functions of `tempfile` this leaves the rights to the user's umask.
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        yield temporary
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def _saving(path: Path) -> Iterator[None]:
    """Turn a file system's refusal of one file into a HostError that names it."""
    with saving_under(path.absolute().parent):
        try:
            yield
        except OSError as error:
            error.filename = str(path)
            raise


@contextmanager
def saving_under(folder: Path, elsewhere: str = "choose another place") -> Iterator[None]:
    """Turn a file system's refusal while something is saved under `folder` into a HostError.

    `elsewhere`: how a user moves it.
    """
    try:
        yield
    except OSError as error:
        if error.errno in _NO_SPACE:
            raise no_space(folder, elsewhere) from error
        where = str(error.filename or folder)
        raise HostError(f"cannot write ({error.strerror})", where=where, todo=sentence(elsewhere)) from error


def no_space(folder: Path, elsewhere: str) -> HostError:
    """Return the error for a full file system, also when another program was the one that could not write."""
    return HostError(f"no space left under {folder}: free some or {elsewhere}")


def temporary_folder() -> Path:
    """Return the folder of temporary files; HostError when nothing can be written there.

    Python passes in silence over a TMPDIR that it cannot use, and would fill the folder that was not meant.
    """
    given = os.environ.get("TMPDIR")
    with saving_under(Path(given or "/tmp"), ANOTHER_TMPDIR):  # noqa: S108 (named in a message only)
        folder = Path(given or tempfile.gettempdir()).absolute()
        _try_to_write(folder)
    return folder


def check_writable(out: Path) -> None:
    """Write a few bytes under `out` and remove them; HostError when the file system refuses."""
    with saving_under(out):
        out.mkdir(parents=True, exist_ok=True)
        _try_to_write(out)


def _try_to_write(folder: Path) -> None:
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"\0" * 65536)
            file.flush()
    except OSError as error:
        error.filename = str(folder)  # not a name made up at random
        raise
