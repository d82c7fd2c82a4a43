"""What limited a point: the tiers whose CPUs were full, and what was waited for."""

from __future__ import annotations

from enum import StrEnum

from middlemark.records.record import Record


class WaitKind(StrEnum):
    """What is waited for."""

    CPU = "CPU"
    POOL = "connection pool"
    LOCK = "lock"
    LOG = "log"
    DISK = "disk"
    INTERNAL = "internal lock"
    CLIENT = "client"
    OTHER = "other"
    UNREAD = "unread"


class Wait(Record):
    """What a tier waited for: how many requests, sessions or threads on average; `message` says it for people.

    `mean` None: that they waited was seen, and not how many.
    """

    kind: WaitKind
    tier: str
    mean: float | None
    message: str


class Limit(Record):
    """What limited a point. `by` has the tiers that filled their CPUs, none when no CPUs were full.

    `platform_peak`: only then may the throughput be called the platform's peak. `shared_cpus`: tiers could use them
    that are not all the platform's, and `by` has every one of these. `waits`: what was waited for, nearest to
    the users first. `in_progress`: transactions under way on average, `seen`: those of them that were seen somewhere;
    None where that was not worked out. `message` is all of it for people.
    """

    by: tuple[str, ...]
    platform_peak: bool
    message: str
    shared_cpus: bool = False
    waits: tuple[Wait, ...] = ()
    in_progress: float | None = None
    seen: float | None = None

    @property
    def text(self) -> str:
        """Return what limited it in a few words; empty when nothing did."""
        return "shared CPUs" if self.shared_cpus else " and ".join(self.by)
