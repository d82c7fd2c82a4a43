"""What the importer has to say besides the session."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Findings:
    """Sentences for the person who recorded: `notes` say what was done, `warnings` what has to be looked at."""

    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Say what was done; the same sentence only once."""
        if text not in self.notes:
            self.notes.append(text)

    def warn(self, text: str) -> None:
        """Say what has to be looked at; the same sentence only once."""
        if text not in self.warnings:
            self.warnings.append(text)
