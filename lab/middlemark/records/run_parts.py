"""Parts of `run.json`: how combinations ran and warmed up, faults, what is known of platform and specification."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from middlemark.records.record import Record


class CallRecord(Record):
    """A call to another process, or to a database server by its tier; `over` is the interface or protocol in words.

    `port` is that of the listener, None where it is not known.
    """

    to: str
    over: str
    port: int | None = None


class ProcessRecord(Record):
    """A process of the subject, or a reverse proxy before one.

    `tiers` are those it carries; `runs` is what runs in it, a subject or a server; `ports` are by protocol.
    """

    name: str
    tiers: tuple[str, ...]
    runs: str
    ports: dict[str, int]
    calls: tuple[CallRecord, ...] = ()


class DatabaseRecord(Record):
    """A database server by its tier; `users_own`: the lab did not start it. `port` None: a socket, or not known."""

    tier: str
    port: int | None = None
    users_own: bool = False


class DeploymentRecord(Record):
    """The first start of a combination: ports differ from start to start, all else does not."""

    driver: tuple[CallRecord, ...]
    processes: tuple[ProcessRecord, ...]
    databases: tuple[DatabaseRecord, ...] = Field(default=())


class Trial(Record):
    """A setting that was tried on a platform, one at a time: its value against the one before, and what came of it."""

    setting: str
    value: str
    before: str
    measured: str
    kept: bool
    why: str


class Tuning(Record):
    """The tuning log of a platform: what was tried one at a time, in how many runs, and the hours that took.

    `note` is what else is to be known, for instance that nothing has been tried.
    """

    platform: str
    runs: int
    hours: float
    note: str
    trials: list[Trial]


class CodeLines(Record):
    """Lines of code of a platform by tier, as these combinations (their paths) use it.

    A line counts when more than white space and comment stands in it; tests and generated code do not. `modes` are
    those on which the numbers depend.
    """

    platform: str
    modes: dict[str, str]
    combinations: list[str]
    tiers: dict[str, int]


class NotRankedValues(Record):
    """Values of a mode that are never ranked against each other, and why."""

    values: tuple[str, ...]
    why: str


class EfficiencyRecord(Record):
    """What the specification calls an efficiency, and the choices of the combination that each is relative to."""

    name: str
    reference: dict[str, str]


class ContrastRecord(Record):
    """Two sets of choices that the specification sets against each other, as `name` says: upper ÷ lower."""

    name: str
    upper: dict[str, str]
    lower: dict[str, str]


class SpecificationRecord(Record):
    """The part of `spec.toml` that the figures of a run depend on.

    `given_settings` are names in /about of what the lab chooses by itself or what is compared: they may differ between
    two sides; `mode_settings` are those of modes among them. `never_ranked_together` is by mode. `effects` has the
    plural of each effect that audits count by name.
    `unit` is what counts, singular: each transaction, or the `counted` ones alone; `leads_with` are the metrics with
    which a report begins.
    `phrases`: what is done with a value of a mode, as a sentence has it, by mode and value.
    `efficiency`: by which choices a report shows what is left of a reference's speed; None for none.
    `contrasts`: which combinations a report sets against each other besides those that are ranked.
    """

    title: str
    unit: str
    leads_with: tuple[str, ...]
    counted: tuple[str, ...] = ()
    databases: tuple[str, ...] = ()
    given_settings: tuple[str, ...] = ()
    mode_settings: tuple[str, ...] = ()
    never_ranked_together: dict[str, tuple[NotRankedValues, ...]] = Field(default_factory=dict)
    effects: dict[str, str] = Field(default_factory=dict)
    efficiency: EfficiencyRecord | None = None
    contrasts: tuple[ContrastRecord, ...] = ()
    phrases: dict[str, dict[str, str]] = Field(default_factory=dict)

    @property
    def timed(self) -> str:
        """Unit of each response time, singular: transactions that are not counted have one, too."""
        return "transaction" if self.counted else self.unit

    @property
    def units(self) -> str:
        """What counts, plural."""
        return f"{self.unit}s"

    @property
    def rate(self) -> str:
        """The unit of a throughput, for people."""
        return f"{self.units} per second"


class WarmUpCourse(Record):
    """A stretch of a warm-up: seconds from its begin to the end of the stretch, CPU ms per transaction in it.

    `compiler_share`: of the CPU time, that of compiler threads; None where none are declared. `at_load`: of the look at
    the measured load.
    """

    end_s: float
    cpu_ms: float
    compiler_share: float | None = None
    at_load: bool = False


class WarmUp(Record):
    """One warm-up of a combination (its path) in a `start`, from 0.

    It took `seconds`; `limit_s` is the longest it might have taken, without the look at the measured load that follows
    where `users` without think time warmed up (None: the measured load did).

    With compiler threads, None without: `compiler_share` of the CPU time in its last 20 s, None too where no thread has
    a declared name; `compiled`: that was at most 1 % at its end, None where that decided nothing, as with a fixed
    length; `rho`: by how much a share of the compiler may still change the logarithm of the cost.

    Without them: `flat`: at its end CPU time per transaction no longer changed, None where that decided nothing. At its
    end it was expected to change by `change` in `change_s` seconds, relative to its mean, with this `uncertainty`; None
    when there was too little to see. `course` has up to 24 stretches, and up to 4 of the look.
    """

    combination: str
    start: int
    seconds: float
    limit_s: float
    flat: bool | None
    change_s: float | None = None
    change: float | None = None
    uncertainty: float | None = None
    users: int | None = None
    compiled: bool | None = None
    compiler_share: float | None = None
    rho: float | None = None
    course: list[WarmUpCourse] = Field(default_factory=list)

    @property
    def declares_compilers(self) -> bool:
        """Whether the names of compiler threads are declared."""
        return self.rho is not None or self.compiled is not None

    @property
    def compilers_unseen(self) -> bool:
        """Whether no thread had a declared name, so that nothing is known of what its compiler has left."""
        return self.declares_compilers and self.compiler_share is None

    @property
    def warm(self) -> bool | None:
        """Whether the rule that applied found it warm at its end; None where none applied."""
        return self.flat if self.compiled is None else self.compiled

    @property
    def ending(self) -> str:
        """What ended it, in words."""
        if self.warm is None:
            return f"fixed length, {self.still_going}" if self.compilers_unseen else "fixed length"
        done, not_done = ("flat", "not flat") if self.compiled is None else ("compiled", "not compiled")
        ended = done if self.warm else f"{not_done}, limit of {self.limit_s:g} s"
        return f"{ended}, {self.still_going}"

    @property
    def still_going(self) -> str:
        """What still went on at its end, in words."""
        if self.compilers_unseen:
            return "no thread with the name of a compiler's was seen"
        if self.compiler_share is not None:
            return f"compiler {100 * self.compiler_share:.1f} % of the CPU time"
        if self.change is None or self.uncertainty is None or self.change_s is None:
            return "CPU time per transaction unavailable"
        change = f"{100 * self.change:+.1f} % (± {100 * self.uncertainty:.1f} %)"
        return f"CPU time per transaction {change} in {self.change_s:.0f} s"


class PlannedFault(Record):
    """A fault that a point is to have: `at_s` seconds after the ramp began; None: a seeded moment inside the window."""

    kind: str
    at_s: float | None = None


class TransactionOutcome(StrEnum):
    """What became of a transaction that was in doubt."""

    COMMITTED = "committed"
    ROLLED_BACK = "rolled back"
    STILL_PREPARED = "still prepared"


class InDoubt(Record):
    """A transaction that was prepared in a database, for `prepared_s` seconds, when a fault was injected.

    `ended_s` is when its end was seen, in seconds since the driver's hello; None: it was still prepared.
    """

    database: str
    gid: str
    xid: int
    prepared_s: float
    outcome: TransactionOutcome = TransactionOutcome.STILL_PREPARED
    ended_s: float | None = None


class Fault(Record):
    """One fault. Times are seconds since the driver's hello, where the ramp begins.

    `target` is the process or server into which it was injected. `injected_s` is None when it never was, `ready_s` when
    not everything worked again; `problem` is the reason. `in_doubt` are the transactions among which it was injected.
    """

    kind: str
    planned_s: float
    target: str = ""
    injected_s: float | None = None
    ready_s: float | None = None
    problem: str = ""
    in_doubt: tuple[InDoubt, ...] = ()

    @property
    def done(self) -> bool:
        """Whether it was injected and everything worked again."""
        return self.injected_s is not None and self.ready_s is not None and not self.problem

    @property
    def left_prepared(self) -> tuple[InDoubt, ...]:
        """The transactions in doubt that have not ended."""
        return tuple(one for one in self.in_doubt if one.ended_s is None)


class Faults(Record):
    """The whole file: a point's faults in the order of their planned times."""

    v: Literal[1] = 1
    faults: tuple[Fault, ...]


class Resumption(Record):
    """A moment at which a run that had ended early was resumed.

    `ended` is when it had ended, None when that is not known, as when the machine stopped; `reason` is what had ended
    it. `points` were finished and stay; those `aside` were finished too, but not their round, and count no more.
    """

    at: str
    ended: str | None
    reason: str
    points: int
    aside: list[str] = Field(default_factory=list)

    @property
    def text(self) -> str:
        """What stays and what does not, for people."""
        stay = f"{self.points} finished {'point stays' if self.points == 1 else 'points stay'}"
        number = len(self.aside)
        if not number:
            return stay
        more = "point of a round that was cut is" if number == 1 else "points of a round that was cut are"
        return f"{stay}, {number} finished {more} set aside"
