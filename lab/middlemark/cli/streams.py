"""What a command prints may meet a closed stream, a reader that is gone, a full disk or a poor encoding."""

from __future__ import annotations

import codecs
import io
import os
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, TextIO, cast

_ERRORS = "middlemark"
_IN_ASCII = {
    "×": "x",
    "÷": "/",
    "·": "-",
    "\N{EN DASH}": "-",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "≈": "~",
    "±": "+/-",
    "→": "->",
}
_IN_ASCII |= {"µ": "u", "─": "-", "✓": "v"}


class OutputLost(SystemExit):
    """Standard output takes nothing more: the command ends as on Ctrl-C, and what it has started is stopped.

    No LabError: what prints halfway through a run is no failure of what the run measures.
    """

    def __init__(self, error: OSError) -> None:
        """Take the refusal; a reader that is gone, like `head` that has enough, is worth no message."""
        gone = isinstance(error, BrokenPipeError)
        self.message = "" if gone else f"cannot write to standard output ({error.strerror})"
        super().__init__(1 if gone else 2)


class _Output(io.TextIOWrapper):
    """Standard output; its failure is OutputLost, which nothing on the way takes for that of another file."""

    def write(self, text: str, /) -> int:
        with self._delivered():
            return super().write(text)

    def flush(self) -> None:
        with self._delivered():
            super().flush()

    @contextmanager
    def _delivered(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            _lead_nowhere(self)
            raise OutputLost(error) from error


class _Messages(io.TextIOWrapper):
    """Standard error; there is no other place to say that it takes nothing more, so the command goes on."""

    def write(self, text: str, /) -> int:
        with suppress(OSError):
            return super().write(text)
        _lead_nowhere(self)
        return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError:
            _lead_nowhere(self)


@contextmanager
def standard_streams() -> Iterator[None]:
    """Give a command standard streams that are open, and take every character."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # Else the next file that is opened gets this number, and what is printed.
            os.open(os.devnull, os.O_RDWR)
    codecs.register_error(_ERRORS, _in_ascii)
    before = sys.stdout, sys.stderr
    output, messages = _Output(*_settings(sys.stdout, 1)), _Messages(*_settings(sys.stderr, 2))
    sys.stdout, sys.stderr = output, messages
    try:
        try:
            yield
        finally:
            output.flush()
    except OutputLost as lost:
        if lost.message:
            print(f"middlemark: {lost.message}", file=messages)
        raise
    finally:
        messages.flush()
        sys.stdout, sys.stderr = before
        output.detach()
        messages.detach()


def _settings(stream: TextIO | None, number: int) -> tuple[BinaryIO, str, str, None, bool]:
    """Return the arguments of a TextIOWrapper like a standard stream of Python's; None is one that was closed."""
    if stream is None:
        return cast("BinaryIO", open(number, "wb", closefd=False)), "utf-8", _ERRORS, None, True
    return stream.buffer, stream.encoding, _ERRORS, None, number == 2 or stream.isatty()


def _lead_nowhere(stream: io.TextIOWrapper) -> None:
    """Let what is still to be written, also when Python ends, go to nobody."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    """Replace what an encoding lacks by what reads alike."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    alike = (_IN_ASCII.get(sign) or unicodedata.normalize("NFKD", sign) for sign in lacking)
    return "".join(text if text.isascii() else "?" for text in alike), error.end
