"""`point.json`, `verdict.json` and `audit.json` of a point: what was loaded, what came out, whether it counts."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from middlemark.records.limit import Limit
from middlemark.records.record import Record
from middlemark.records.run import Load


class Outcome(StrEnum):
    """How one check of a point ended."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_CHECKED = "not checked"


class Point(Record):
    """`point.json`: one load of one combination in one repeat. `index` counts the points of the run from 0.

    `segment`, from 0, counts how often the run had been resumed before.
    """

    v: Literal[1] = 1
    index: int
    combination: str
    load: Load
    repeat: int
    started: str
    seed: int
    plan_sha256: str
    expected_iteration_s: float
    window_s: float
    about: dict[str, dict[str, object]]
    segment: int = 0


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


class Check(Record):
    """One condition of a valid point.

    `found` and `limit` are numbers in the unit that docs/reference/results.md names for the condition; None where the
    condition is no number. `message` is what was found and `requirement` what must be, for people. `reason`: why it was
    not checked; None where it was, and where `message` is all there is to it.
    """

    name: str
    outcome: Outcome
    message: str
    requirement: str
    found: float | None = None
    limit: float | None = None
    reason: str | None = None

    @property
    def text(self) -> str:
        """Return all of it in one line for people."""
        return f"{self.name}: {self.message} (limit: {self.requirement})"


class TransactionFigures(Record):
    """Figures of one transaction inside the window; times in ms; `sd_ms` is the standard deviation."""

    count: int
    errors: int
    tps: float
    mean_ms: float
    sd_ms: float
    p50_ms: float
    p90_ms: float
    p95_ms: float
    p99_ms: float
    p999_ms: float
    max_ms: float


class ReceiveLag(Record):
    """How long the last byte of each response lay in the kernel until the driver read it, inside the window; in ms.

    It is part of every response time. `server_mean_ms` is the mean time of a transaction without the lags of its
    responses: what network and server took; None where transactions failed, sub-resources of pages were fetched or
    more than 1 % of the responses came without a stamp.
    """

    responses: int
    mean_ms: float
    p50_ms: float
    p99_ms: float
    max_ms: float
    server_mean_ms: float | None


class TlsSuite(Record):
    """A version and cipher of TLS that connections agreed on, from the begin of the ramp-up on.

    Of all `handshakes` so many were in the window: `full` ones, and those that `resumed` a session.
    """

    version: str
    cipher: str
    handshakes: int
    full: int
    resumed: int


class Fairness(Record):
    """How equally the virtual users were served in the window, by docs/reference/results.md#fairness.

    Of their valid transactions and of their mean response times: coefficient of variation, smallest and largest. A
    user without a valid transaction has no response time. `equal` None: not judged; `message` says why.
    """

    clients: int
    transactions_mean: float
    transactions_cv: float
    transactions_min: int
    transactions_max: int
    response_cv: float | None
    response_min_ms: float | None
    response_max_ms: float | None
    equal: bool | None
    message: str


class ReportedPoolFigures(Record):
    """The connections of a tier to one database in the window, as the tier reports them: means.

    `full`: share of the samples in which all `size` were given out; `waiting`: requests that waited for one, None where
    its library does not count them.
    """

    size: int
    in_use: float
    full: float
    waiting: float | None = None


class ObservedPoolFigures(Record):
    """The sessions of a tier in the window, as PostgreSQL saw them; the tier may have `size`.

    `in_work`: mean number in a statement or a transaction; `full`: share of the looks at which these were `size`.
    """

    size: int
    in_work: float
    full: float


class TierFigures(Record):
    """What one tier used inside the window. `cpu_s` is CPU time (user + system), `cpu_share` of one CPU.

    `waiting_for_cpu` is how many of its threads on average were ready and had no CPU; `unread`, how many connections on
    average had sent what it had not read. `compiler_s` is CPU time of its compiler threads, None where its description
    names none. None where unavailable. `pools` by database, where it reports them.
    `net_received_mib_per_s`, `net_sent_mib_per_s`: payload of TCP at its own listeners, of its callers alone; what
    `connections_ended` in the window moved since the last look is not in them.
    """

    cpu_s: float
    cpu_share: float
    cpu_ms_per_transaction: float
    memory_mean_mib: float
    memory_max_mib: float
    switches_per_s: float | None = None
    waiting_for_cpu: float | None = None
    compiler_s: float | None = None
    read_mib_per_s: float | None = None
    written_mib_per_s: float | None = None
    unread: float | None = None
    net_received_mib_per_s: float | None = None
    net_sent_mib_per_s: float | None = None
    connections_ended: int | None = None
    pools: dict[str, ReportedPoolFigures] = Field(default_factory=dict)


class DatabaseFigures(Record):
    """What PostgreSQL counted inside the window, to about a second: its sessions report no more often.

    `cache_hit_share` is None without a look at any block. Of the whole server, None where unavailable: what was written
    to the write-ahead log, whole pages in it, `checkpoints` begun, what checkpoints wrote. `waits`: sessions with work
    on average, by what they waited for (as in `monitor.ndjson`), over so many `looks`; `pools` by tier.
    """

    commits_per_s: float
    rollbacks_per_s: float
    deadlocks: int
    cache_hit_share: float | None
    temporary_mib: float
    max_waiting_locks: int
    mean_active_sessions: float
    log_mib_per_s: float | None = None
    full_pages_per_s: float | None = None
    checkpoints: int | None = None
    checkpoint_mib: float | None = None
    looks: int = 0
    waits: dict[str, float] = Field(default_factory=dict)
    pools: dict[str, ObservedPoolFigures] = Field(default_factory=dict)


class DiskFigures(Record):
    """One disk inside the window; `busy` is the share of the time in which it had something to do."""

    busy: float
    read_mib_per_s: float
    written_mib_per_s: float


class HostFigures(Record):
    """The whole machine inside the window; None where unavailable. `stolen_cpus`: given to others meanwhile.

    `*_stalled`: share of the time in which a task of the machine waited for it.
    """

    loopback_mib_per_s: float | None = None
    network_mib_per_s: float | None = None
    stolen_cpus: float | None = None
    cpu_stalled: float | None = None
    io_stalled: float | None = None
    memory_stalled: float | None = None
    disks: dict[str, DiskFigures] = Field(default_factory=dict)


class Verdict(Record):
    """`verdict.json`: the figures of the window and whether they count, by `checks`.

    `total` covers all transactions; `errors_by_kind` is over the window; `little_tps` is users ÷ (mean think + mean
    response), the throughput Little's law expects; None where the law does not hold, as with pacing, or where failed
    transactions leave nothing to compare; `limit` is None where a tier was not watched. `receive_lag`: when stamps of
    the kernel were asked for, the driver's own part of the times. `databases` are by their names. `tls`: what
    connections over it agreed on. `fairness`: when the experiment asks for the figures of each virtual user.
    `first_byte` and `page`, with `split_times`: times of all transactions to the first byte of the last response, and
    to its last byte without sub-resources. `connections` were opened in the window, `reconnected` of them because the
    server had closed a kept one; None in results of older versions.
    `bytes_per_s` were received by the driver, `sent_bytes_per_s` sent; None in results of older versions.
    `mean_body_bytes`: of a complete response, as it came over the wire; None where the driver did not count them.
    """

    v: Literal[1] = 1
    valid: bool
    shared_cpus: bool
    users: int
    window_s: float
    throughput_tps: float
    little_tps: float | None
    transactions: dict[str, TransactionFigures]
    total: TransactionFigures
    errors_by_kind: dict[str, int]
    bytes_per_s: float
    tiers: dict[str, TierFigures]
    checks: list[Check]
    limit: Limit | None = None
    databases: dict[str, DatabaseFigures] = Field(default_factory=dict)
    host: HostFigures | None = None
    receive_lag: ReceiveLag | None = None
    tls: tuple[TlsSuite, ...] = ()
    fairness: Fairness | None = None
    first_byte: TransactionFigures | None = None
    page: TransactionFigures | None = None
    connections: int | None = None
    reconnected: int | None = None
    mean_body_bytes: float | None = None
    sent_bytes_per_s: float | None = None

    @property
    def reasons(self) -> list[str]:
        """Return why it does not count, a line for each failed check; none when it does."""
        return [check.text for check in self.checks if check.outcome is Outcome.FAILED]
