"""What was proven of a subject's conformance before it was loaded, and played again afterwards."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Proof:
    """A complete verification of the program that is measured. `failed` counts plays, `first` names the first of them.

    `known` are plays that failed as the list of known failures says; `missed` are entries of that list that passed.
    `environment` (`NAME=value`) was added while its cases were played, and is not there when it is measured.
    """

    started: str
    commit: str
    plays: int
    failed: int
    known: int
    missed: int
    not_checked: int
    first: str = ""
    environment: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether everything that was played is as specified, or failed as the list says."""
        return not self.failed and not self.missed


@dataclass(frozen=True)
class Replay:
    """Cases played again on the application that has just been loaded; `first` says what was wrong with the first."""

    plays: int
    failed: int
    first: str = ""
