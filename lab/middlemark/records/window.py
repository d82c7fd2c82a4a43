"""What the judge finds of one window: its figures, its checks, and what it was like over time."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from middlemark.records.point import Audit, Outcome
from middlemark.records.record import Record
from middlemark.records.run import Load
from middlemark.records.run_parts import Fault
from middlemark.records.samples import Disturbance, ObservedPool, Statement
from middlemark.records.soak import Soak


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
        """What limited it in a few words; empty when nothing did."""
        return "shared CPUs" if self.shared_cpus else " and ".join(self.by)


class Forbids(StrEnum):
    """What a failed check keeps a point from: any use of its figures, or a ranking by its response times alone."""

    EVERYTHING = "everything"
    RESPONSE_TIMES = "response times"


class Check(Record):
    """One condition of a valid point.

    `found` and `limit` are numbers in the unit that docs/reference/results.md names for the condition; None where the
    condition is no number. `message` is what was found and `requirement` what must be, for people. `reason`: why it was
    not checked; None where it was, and where `message` is all there is to it. A failure `forbids` what it disturbs.
    """

    name: str
    outcome: Outcome
    message: str
    requirement: str
    found: float | None = None
    limit: float | None = None
    reason: str | None = None
    forbids: Forbids = Forbids.EVERYTHING

    def keeps_from(self, use: Forbids) -> bool:
        """Whether the check failed and forbids this."""
        return self.outcome is Outcome.FAILED and self.forbids in {use, Forbids.EVERYTHING}

    @property
    def text(self) -> str:
        """All of it in one line for people."""
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
    pools: dict[str, ObservedPool] = Field(default_factory=dict)


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


class Stretch(Record):
    """A rate between two moments, in seconds since the driver's hello."""

    start_s: float
    end_s: float
    rate: float


class Part(StrEnum):
    """What a window is for: the rounds that are compared, a search, or nothing since it was set aside."""

    ROUND = "round"
    SEARCH = "search"
    ASIDE = "aside"


class Window(Record):
    """One window as it was judged; it counts when it is `valid`, by `checks`.

    `path` is its folder in the result, `place` that of the window measured instead of one that was set aside (`aside`
    says why). `total` covers all transactions; `errors_by_kind` is over the window; `little_tps` is users ÷ (mean think
    + mean response), the throughput Little's law expects; None where the law does not hold, as with pacing, or where
    failed transactions leave nothing to compare; `limit` is None where a tier was not watched, `places` is where the
    transactions under way were on average. `receive_lag`: when stamps of the kernel were asked for. `first_byte` and
    `page`, with `split_times`: times of all transactions to the first byte of the last response, and to its last byte
    without sub-resources. `connections` were opened in the window, `reconnected` of them because the server had closed
    a kept one. Complete `responses`, `sub_resources` of pages among them; `mean_body_bytes` of one, as it came over the
    wire. `compiler_share`: of the CPU time
    of the platform's tiers, None where none declares compiler threads. `disturbances` are what `verdict/witnesses.py`
    saw of the machine; they are no conditions. `throughput_course` in transactions per second and `cpu_course` in % of
    one CPU, of all tiers, go over all phases; the window began at `start_s`. `response_times` is its histogram,
    encoded. With faults no tier and no limit is known: the CPU time of a process that was killed is lost. `soak`: when
    the load was held to see whether it is sustained. `users_at_limit`, of a window just
    inside the limit that was searched: where its round crosses that limit.
    """

    path: str
    part: Part
    combination: str
    load: Load
    repeat: int
    index: int
    started: str
    segment: int
    seed: int
    plan_sha256: str
    planned_s: float
    about: dict[str, dict[str, object]]
    aside: str = ""
    place: str = ""
    valid: bool
    users: int
    start_s: float
    window_s: float
    throughput_tps: float
    little_tps: float | None
    transactions: dict[str, TransactionFigures]
    total: TransactionFigures
    errors_by_kind: dict[str, int]
    bytes_per_s: float
    sent_bytes_per_s: float
    connections: int
    reconnected: int
    odd_responses: int = 0
    responses: int = 0
    sub_resources: int = 0
    mean_body_bytes: float | None
    tiers: dict[str, TierFigures]
    databases: dict[str, DatabaseFigures] = Field(default_factory=dict)
    host: HostFigures | None = None
    compiler_share: float | None = None
    checks: tuple[Check, ...]
    limit: Limit | None = None
    places: dict[str, float] = Field(default_factory=dict)
    receive_lag: ReceiveLag | None = None
    tls: tuple[TlsSuite, ...] = ()
    fairness: Fairness | None = None
    first_byte: TransactionFigures | None = None
    page: TransactionFigures | None = None
    disturbances: tuple[Disturbance, ...] = ()
    audit: Audit | None = None
    faults: tuple[Fault, ...] = ()
    statements: tuple[Statement, ...] = ()
    throughput_course: tuple[Stretch, ...] = ()
    cpu_course: tuple[Stretch, ...] = ()
    response_times: str = ""
    soak: Soak | None = None
    users_at_limit: float | None = None

    @property
    def reasons(self) -> list[str]:
        """Why it does not count, a line for each failed check; none when it does.

        A broken audit comes first: wrong data explain errors, and errors do not explain wrong data.
        """
        failed = [check for check in self.checks if check.keeps_from(Forbids.EVERYTHING)]
        return [check.text for check in sorted(failed, key=lambda check: check.name != "audit")]

    @property
    def is_audited_wrong(self) -> bool:
        """Whether a rule of the audit is broken."""
        return any(check.name == "audit" and check.outcome is Outcome.FAILED for check in self.checks)

    @property
    def times_valid(self) -> bool:
        """Whether its response times may be ranked, as far as its checks show."""
        return self.valid and not any(check.keeps_from(Forbids.RESPONSE_TIMES) for check in self.checks)

    @property
    def reports_calls(self) -> bool:
        """Whether responses report calls, each a transaction: the size of a report is not the size of an answer.

        Any other transaction has a response at least, which at the edge of a window may lie outside.
        """
        return 0 < 2 * self.responses < self.total.count

    @property
    def under_way(self) -> float:
        """Transactions under way on average: throughput × mean response time (Little's law)."""
        return self.total.tps * self.total.mean_ms / 1000

    def failed(self, name: str) -> bool:
        """Whether a check of that name failed."""
        return any(check.name == name and check.outcome is Outcome.FAILED for check in self.checks)
