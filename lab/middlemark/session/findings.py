"""Notes and warnings of the importer."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

UNPRINTABLE = re.compile(r"[^\x20-\x7e\xa1-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
"""Characters that YAML does not hold as they are, or that end a line or steer a terminal."""


def one_line(text: str) -> str:
    """Return a text with an escape for each unprintable character: a recording may hold any."""
    return UNPRINTABLE.sub(lambda character: character[0].encode("unicode_escape").decode(), text)


@dataclass
class Findings:
    """Sentences for the person who recorded: `notes` on what was done, `warnings` of what has to be checked."""

    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Add what was done; the same sentence only once."""
        text = one_line(text)
        if text not in self.notes:
            self.notes.append(text)

    def warn(self, text: str) -> None:
        """Add what has to be checked; the same sentence only once."""
        text = one_line(text)
        if text not in self.warnings:
            self.warnings.append(text)
