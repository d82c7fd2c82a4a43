"""Notes and warnings of the importer."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Findings:
    """Sentences for the person who recorded: `notes` on what was done, `warnings` of what has to be checked."""

    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Add what was done; the same sentence only once."""
        if text not in self.notes:
            self.notes.append(text)

    def warn(self, text: str) -> None:
        """Add what has to be checked; the same sentence only once."""
        if text not in self.warnings:
            self.warnings.append(text)
