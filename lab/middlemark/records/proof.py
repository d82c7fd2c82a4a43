"""What was proven of a subject's conformance before it was loaded, and which cases were run again afterwards."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Proof:
    """A complete verification of the program that is measured. `failed` counts executions, `first` names the first.

    `changed`: files differed from the `commit`.
    `known` are executions that failed as the list of known failures says; `missed` are entries of that list that
    passed. `environment` (`NAME=value`) was added while its cases were run, and is not there when it is measured.
    """

    started: str
    commit: str
    executions: int
    failed: int
    known: int
    missed: int
    not_checked: int
    first: str = ""
    environment: tuple[str, ...] = ()
    changed: bool = False

    @property
    def passed(self) -> bool:
        """Return whether every execution passed, or failed as the list says."""
        return not self.failed and not self.missed


@dataclass(frozen=True)
class Replay:
    """Cases run again on the application that has just been loaded; `first` is what was wrong with the first."""

    executions: int
    failed: int
    first: str = ""
