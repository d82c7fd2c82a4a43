"""What came of a verification: every execution of every case, and where subjects differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Literal, NamedTuple

from pydantic import Field

from middlemark.records.record import Record

_NO_MODES = "default"


class ExecutionOutcome(StrEnum):
    """How an execution ended. A known failure failed exactly as `known-failures.toml` says."""

    PASSED = "passed"
    FAILED = "failed"
    KNOWN = "known failure"
    NOT_CHECKED = "not checked"


# A known failure is listed with its reason, which is why it differs from others.
NOT_COMPARED = frozenset({ExecutionOutcome.NOT_CHECKED, ExecutionOutcome.KNOWN})


class Failure(Record):
    """One thing that is not as specified: file:line, the step (empty: after the last), what was expected and found.

    `known` is the reason when `known-failures.toml` lists it.
    """

    where: str
    step: str
    text: str
    known: str = ""


class Choice(Record):
    """Which way a request went that may be refused or not; before it there were so many `responses`."""

    responses: int
    refused: bool


class Execution(Record):
    """One case, run once in one configuration over one interface (empty: it calls no operation).

    `configuration` has the value of each mode. `replaced` counts the volatile values in its pages, `sizes` the bytes of
    each page without them. `responses` and `end_state` are digests that equal applications have in common, empty where
    chance decides (`at_once`) or nothing was looked at. `choices` are those of requests that may be refused. `reason`
    says why it was not checked.
    """

    case: str
    topic: str
    rule: str
    where: str
    configuration: dict[str, str]
    interface: str
    outcome: ExecutionOutcome
    failures: tuple[Failure, ...] = ()
    reason: str = ""
    seconds: float = 0.0
    replaced: int = 0
    sizes: dict[str, int] = Field(default_factory=dict)
    responses: str = ""
    end_state: str = ""
    choices: tuple[Choice, ...] = ()

    @property
    def configuration_label(self) -> str:
        """Return the name of its configuration in tables."""
        return configuration_label(self.configuration)

    @property
    def label(self) -> str:
        """Return the name of the execution in lists."""
        return f"{self.case} [{self.configuration_label}{f', over {self.interface}' if self.interface else ''}]"

    def responses_until_parted(self, other: Execution) -> int | None:
        """Return how many responses came before the first request that only one of the two refused, None without.

        Such a request may be refused, and what comes after it may follow from that.
        """
        parting = (mine.responses for mine, theirs in zip(self.choices, other.choices, strict=False) if mine != theirs)
        return next(parting, None)

    def variant(self, platform_modes: Iterable[str]) -> str:
        """Return the values of the modes that platforms name, empty without any."""
        return ", ".join(self.configuration[mode] for mode in platform_modes if mode in self.configuration)

    def key(self, platform_modes: Iterable[str]) -> ExecutionKey:
        """Return what it has in common with an execution of another variant.

        The values of modes that platforms name are not in it: what can be seen from outside must not depend on them.
        """
        own = set(platform_modes)
        common = {mode: value for mode, value in self.configuration.items() if mode not in own}
        return ExecutionKey(self.case, configuration_label(common), self.interface)


class ExecutionKey(NamedTuple):
    """What executions of different variants have in common that are compared with each other."""

    case: str
    configuration: str
    interface: str


@dataclass(frozen=True)
class Observed:
    """An execution with what only a comparison with another needs: the notes and the rows behind its digests."""

    execution: Execution
    notes: tuple[str, ...] = ()
    end_state: tuple[str, ...] = ()


def configuration_label(modes: Mapping[str, str]) -> str:
    """Return the name of a configuration in tables: its mode values."""
    return ", ".join(f"{mode}={value}" for mode, value in modes.items()) or _NO_MODES


def pairing_name(subject: str, front_end: str) -> str:
    """Return what the front end of one subject on the tiers behind of another is called: `B on A`."""
    return f"{front_end} on {subject}"


def variants(subject: str, executions: Iterable[Execution], platform_modes: Iterable[str]) -> dict[str, str]:
    """Return the name of each variant of a subject that was run; the subject's own where there is only one."""
    modes = tuple(platform_modes)
    found = sorted({execution.variant(modes) for execution in executions})
    return {variant: subject if len(found) == 1 else f"{subject} ({variant})" for variant in found}


class ConfigurationResult(Record):
    """One configuration of a subject: the value of each mode, its executions counted."""

    configuration: dict[str, str]
    cases: int
    executions: int
    passed: int
    failed: int
    known: int
    not_checked: int
    replaced: int
    seconds: float

    @property
    def label(self) -> str:
        """Return its name in tables."""
        return configuration_label(self.configuration)


class SubjectResult(Record):
    """`conformance/<subject>.json`: one application held against the specification.

    `platform`, `server` and `versions` are what `/about` says of where it ran, `artifact` is the hash of its build.
    They are empty of a front end on the tiers behind of another subject.
    `missed` lists known failures that were run and did not fail. `not_offered` says what the platform does not have.
    `environment` was added to that of a measurement. `platform_modes` are the modes whose values the platform names.
    `changed` are files of the checkout that differ from the commit.
    """

    v: Literal[1] = 1
    subject: str
    platform: str = ""
    server: str = ""
    artifact: str = ""
    versions: dict[str, str] = Field(default_factory=dict)
    specification: str
    specification_version: str
    commit: str
    changed: tuple[str, ...] = ()
    started: str
    seconds: float
    configurations: tuple[ConfigurationResult, ...]
    platform_modes: tuple[str, ...] = ()
    not_offered: tuple[str, ...]
    missed: tuple[str, ...]
    notes: tuple[str, ...]
    environment: dict[str, str] = Field(default_factory=dict)
    executions: tuple[Execution, ...]

    def comparable(self, variant: str) -> dict[ExecutionKey, Execution]:
        """Return the executions of this variant that are compared with others, by their keys."""
        return {
            execution.key(self.platform_modes): execution
            for execution in self.executions
            if execution.variant(self.platform_modes) == variant and execution.outcome not in NOT_COMPARED
        }

    @property
    def failed(self) -> int:
        """Return the number of failed executions."""
        return sum(execution.outcome is ExecutionOutcome.FAILED for execution in self.executions)

    @property
    def passed(self) -> bool:
        """Say whether it obeys the specification as far as cases were run."""
        return not self.failed and not self.missed


class Difference(Record):
    """Two variants that differ in one execution: in `what` (outcome, responses, size, end state) and how."""

    one: str
    other: str
    execution: str
    what: str
    text: str


class Compared(NamedTuple):
    """Two variants and the number of executions that both have, neither not checked nor a known failure."""

    one: str
    other: str
    executions: int


class ConformanceResult(Record):
    """The whole verification. `stopped` says why it ended before every case had run, else it is empty.

    `only` are the words or names by which cases were chosen, none when all were run; `sample`: only part of them was.
    """

    v: Literal[1] = 1
    only: tuple[str, ...] = ()
    sample: bool = False
    subjects: tuple[SubjectResult, ...]
    differences: tuple[Difference, ...]
    stopped: str = ""

    @property
    def checked(self) -> list[tuple[str, dict[ExecutionKey, Execution]]]:
        """Return the name of each variant of each subject with its executions that are compared."""
        return [
            (name, subject.comparable(variant))
            for subject in self.subjects
            for variant, name in variants(subject.subject, subject.executions, subject.platform_modes).items()
        ]

    @property
    def compared(self) -> tuple[Compared, ...]:
        """Return for each pair of variants in how many executions they were compared."""
        return tuple(
            Compared(one, other, len(ours.keys() & theirs.keys()))
            for (one, ours), (other, theirs) in combinations(self.checked, 2)
        )

    @property
    def passed(self) -> bool:
        """Say whether every subject obeys the specification and no execution that two variants have differs."""
        return not self.stopped and not self.differences and all(subject.passed for subject in self.subjects)
