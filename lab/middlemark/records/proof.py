"""What was proven of a subject's conformance before it was loaded, and which cases were run again afterwards."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Proof:
    """What a complete verification of the program that is measured shows of the configuration it is measured in.

    All counts are of executions of that configuration. `failed` are those that failed, `first` names the first.
    `configuration` names it, `executions` is 0 where it was not verified. `changed`: files differed from the `commit`.
    `known` are executions that failed as the list of known failures says; `missed` are entries of that list that
    passed. `failed_elsewhere` are those of other configurations that failed. `environment` (`NAME=value`) was added
    while its cases were run, and is not there when it is measured.
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
    configuration: str = ""
    failed_elsewhere: int = 0

    @property
    def verified(self) -> bool:
        """Return whether a case was checked in the configuration."""
        return self.executions > self.not_checked

    @property
    def passed(self) -> bool:
        """Return whether the configuration was verified, and every execution passed, or failed as the list says."""
        return self.verified and not self.failed and not self.missed


@dataclass(frozen=True)
class Replay:
    """Cases run again on the application that has just been loaded; `first` is what was wrong with the first."""

    executions: int
    failed: int
    first: str = ""
