"""What a warm-up was like, as `run.json` has it."""

from __future__ import annotations

from pydantic import Field

from middlemark.records.record import Record


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
