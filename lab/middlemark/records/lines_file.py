"""The file of the driver's lines, read one line after the other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from middlemark.errors import InputError
from middlemark.records.driver_lines import Line, parse_line

# As the driver writes them; one that is written in another way is read all the same.
_OF_AN_INTERVAL = re.compile(rb'\{"v":1,"t_ns":\d+,"type":"(?:interval|audit)"')


class DriverLines:
    """The lines of an `intervals.ndjson`, also of a killed run, whose last line may be broken.

    They are read from the file each time they are iterated over, and never held together: a run of days has more of
    them than memory. Iterating raises InputError (file and line) when another line is broken or the file cannot be
    read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def __iter__(self) -> Iterator[Line]:
        """Yield each line."""
        return self._lines(lambda _: True)

    def few(self) -> Iterator[Line]:
        """Yield all but the intervals and their audits, of which a run has as many as it is long; they are not read."""
        return self._lines(lambda text: _OF_AN_INTERVAL.match(text) is None)

    def _lines(self, is_wanted: Callable[[bytes], bool]) -> Iterator[Line]:
        try:
            with self._path.open("rb") as file:
                for number, text in enumerate(file, 1):
                    # What stands after the last line feed was not written to its end.
                    if text.endswith(b"\n") and is_wanted(text):
                        yield from self._parsed(number, text)
        except OSError as error:
            raise InputError(f"cannot read the driver's lines ({error.strerror})", where=str(self._path)) from error

    def _parsed(self, number: int, text: bytes) -> Iterator[Line]:
        try:
            line = parse_line(text)
        except ValueError as error:
            raise InputError(f"not a line of the driver ({error})", where=f"{self._path}:{number}") from error
        if line is not None:
            yield line
