"""A mutant: one changed place in one file of the application."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from middlemark.errors import InputError


@dataclass(frozen=True)
class Mutant:
    """A change of one place. `name` stays the same when lines above it move.

    `file` is relative to the platform's folder, `offset` counts the bytes before the place; `rule` is what it breaks: a
    rule of the specification, or the mutators that made it. `line` and `column` (in bytes) are counted from 1. Where
    nothing counts which executions reach the place, `cases` and `configuration` name those to try.
    """

    name: str
    rule: str
    file: str
    offset: int
    original: str
    replacement: str
    line: int
    column: int
    cases: tuple[str, ...] = ()
    configuration: str = ""

    def is_tried_with(self, execution: str) -> bool:
        """Return whether to try an execution: `CASE [CONFIGURATION]` or `CASE [CONFIGURATION, over INTERFACE]`."""
        case, _, place = execution.removesuffix("]").rpartition(" [")
        return not self.cases or (case in self.cases and place.partition(", over ")[0] == self.configuration)

    @property
    def span(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return where the original text begins and ends, white space around it left out: lines and columns."""
        text = self.original.encode()
        lead = len(text) - len(text.lstrip())
        return self._place(text[:lead]), self._place(text.rstrip())

    def _place(self, before: bytes) -> tuple[int, int]:
        lines = before.count(b"\n")
        column = len(before) - before.rfind(b"\n") if lines else self.column + len(before)
        return self.line + lines, column

    def apply(self, module: Path) -> None:
        """Change the file of a module's copy. Raises InputError when the original text is not there."""
        path = module / self.file
        text = path.read_bytes()
        old = self.original.encode()
        end = self.offset + len(old)
        if text[self.offset : end] != old:
            raise InputError(f"'{self.original}' is not at byte {self.offset}", where=str(path))
        path.write_bytes(text[: self.offset] + self.replacement.encode() + text[end:])


def line_and_column(text: bytes, offset: int) -> tuple[int, int]:
    """Return where a byte stands, both counted from 1, as Go's tools count them."""
    before = text[:offset]
    return before.count(b"\n") + 1, offset - (before.rfind(b"\n") + 1) + 1


def line_at(text: bytes, offset: int) -> str:
    """Return the line around a byte, without the white space at its ends."""
    begin = text.rfind(b"\n", 0, offset) + 1
    end = text.find(b"\n", offset)
    return text[begin : end if end >= 0 else len(text)].decode().strip()
