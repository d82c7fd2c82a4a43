"""The raw records of a point: what was loaded, what was looked at around the load, and what the audit found."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Literal

from pydantic import Field

from middlemark.records.record import Record
from middlemark.records.run import Load
from middlemark.records.soak import SoakPlan


class Outcome(StrEnum):
    """How one check of a point ended."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_CHECKED = "not checked"


class Point(Record):
    """`point.json`: one load of one combination in one repeat. `index` counts the points of the run from 0.

    `segment`, from 0, counts how often the run had been resumed before. `open_model`: arrivals by a timetable, by at
    most so many `users`. `counted` are the transactions that count, none where all do.
    """

    v: Literal[2] = 2
    index: int
    combination: str
    load: Load
    repeat: int
    started: str
    seed: int
    plan_sha256: str
    expected_iteration_s: float
    window_s: float
    users: int
    open_model: bool = False
    counted: tuple[str, ...] = ()
    about: dict[str, dict[str, object]]
    segment: int = 0
    soak: SoakPlan | None = None


class WorkLeft(Record):
    """Whether all work that was left was done within `limit_s` seconds, and how many seconds that took."""

    done: bool
    seconds: float
    limit_s: float


class ObservedAffinity(Record):
    """On which CPUs tiers could run: a text for each that was not on its own, and the names of those not observed.

    Both are empty when every tier was on its own CPUs.
    """

    misplaced: tuple[str, ...] = ()
    not_observed: tuple[str, ...] = ()


class Proof(Record):
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
        """Whether a case was checked in the configuration."""
        return self.executions > self.not_checked


class Replay(Record):
    """Cases run again on the application that has just been loaded; `first` is what was wrong with the first."""

    executions: int
    failed: int
    first: str = ""


class Evidence(Record):
    """`evidence.json`: what was looked at around the load of a point; it is written last, and without it none counts.

    `about_changes`: a text for each setting that was not as requested before the point, or different after it; None
    when /about was not compared. `other_runs`: process ids of labs of the same user that measured at the same time.
    `work_left` None: nothing waited until no work was left. `proofs`: of every subject that takes part, None for one
    that was never verified completely; `replay` None: no case was run after the load.
    """

    v: Literal[1] = 1
    about_changes: tuple[str, ...] | None = None
    other_runs: tuple[int, ...] = ()
    work_left: WorkLeft | None = None
    proofs: dict[str, Proof | None] = Field(default_factory=dict)
    replay: Replay | None = None
    affinity: ObservedAffinity = ObservedAffinity()


class AuditFinding(Record):
    """One rule of the audit. `rows` are the first that break it, `count` says how many there are.

    `database` is the name of the database that was asked; empty where a specification has one only, and for a rule
    across databases, whose rows name the side they are on.
    """

    rule: str
    outcome: Outcome
    message: str
    count: int = 0
    rows: tuple[dict[str, str], ...] = ()
    database: str = ""


class RequestOutcome(StrEnum):
    """How a request ended: a valid response, a response that failed a check, or none that is complete."""

    VALID = "valid"
    INVALID = "invalid"
    UNANSWERED = "unanswered"


class ReconciledName(Record):
    """What the driver and the database hold of one name: requests by how they ended, and effects that were found."""

    name: str
    valid: int = 0
    invalid: int = 0
    unanswered: int = 0
    found: int


class Reconciled(Record):
    """What was answered to one transaction, against what was done, over all phases.

    `effect` is the name under which its effects are counted, empty for none. `by_name`: compared for each name that the
    driver gave; else only the totals, in which one lost and one doubled would cancel. `confirmed` are the valid
    responses, `found` is what the database holds. Of `unanswered` requests and of responses that failed a check
    (`invalid`) some were done. `names` are the first worth a look.
    """

    effect: str
    by_name: bool
    confirmed: int
    found: int
    unanswered: int
    unanswered_done: int
    invalid: int
    invalid_done: int
    lost: int
    doubled: int
    names: tuple[ReconciledName, ...] = ()


class Audit(Record):
    """`audit.json`: what the databases hold of what the driver saw, over all phases.

    `reconciled` has the numbers of each transaction with a lasting effect; none without a driver's report. `effects`
    are the names under which effects are counted.
    """

    v: Literal[1] = 1
    passed: bool
    findings: list[AuditFinding]
    reconciled: dict[str, Reconciled] = Field(default_factory=dict)
    effects: tuple[str, ...] = ()


def sum_of_effect(audits: Iterable[Audit], effect: str) -> Reconciled:
    """The sums of an effect over audits, of all transactions that have it."""
    own = [one for audit in audits for one in audit.reconciled.values() if one.effect == effect]
    names = [name for name in Reconciled.model_fields if name not in {"effect", "by_name", "names"}]
    sums = {name: sum(getattr(one, name) for one in own) for name in names}
    return Reconciled(effect=effect, by_name=all(one.by_name for one in own), **sums)
