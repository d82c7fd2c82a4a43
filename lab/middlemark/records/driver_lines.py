"""The lines that the driver writes: the NDJSON of docs/reference/driver.md, typed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, RootModel, ValidationError

from middlemark.errors import InputError
from middlemark.explaining import first_mistake
from middlemark.records.point import Outcome


class _Part(BaseModel):
    # A newer driver may write more than this lab knows.
    model_config = ConfigDict(extra="ignore", frozen=True)


class DriverLine(_Part):
    """What every line has: `t_ns` counts nanoseconds since `hello` on the monotonic clock."""

    v: Literal[1]
    t_ns: int


class PhaseName(StrEnum):
    """The phases of a point, in order."""

    RAMP = "ramp"
    SETTLE = "settle"
    MEASURE = "measure"
    DRAIN = "drain"


class EndReason(StrEnum):
    """Why a drive ended."""

    FINISHED = "finished"
    SIGNAL = "signal"
    LEASE = "lease"


class Hello(DriverLine):
    """The first line. `monotonic_ns` is the origin of every `t_ns` on CLOCK_MONOTONIC.

    The first ramp-up begins at `start_ns`. `users` and `threads` are those of this driver, also of a shared load.
    Older drivers do not name the host, begin 20 ms after this line and count each second.
    """

    type: Literal["hello"]
    driver: str
    wall_clock: datetime
    monotonic_ns: int
    seed: int
    plan_sha256: str
    name: str
    run: str
    users: int
    threads: int
    pid: int
    host: str = ""
    start_ns: int = 20_000_000
    interval_ms: float = 1000.0


class PhaseLine(DriverLine):
    """A phase starts; `level` counts the levels of load from 0, where the plan names levels."""

    type: Literal["phase"]
    phase: PhaseName
    level: int | None = None


class TransactionCounts(_Part):
    """Counts of one transaction in one interval; the histogram is encoded, in µs, of valid responses.

    In the open model it counts from the intended begin, and `service` from the true one. When the plan asks for it:
    `first_byte` to the first byte of the last response, `page` to its last byte, without sub-resources.
    """

    count: int
    errors: dict[str, int]
    histogram: str
    service: str | None = None
    first_byte: str | None = None
    page: str | None = None


class Handshakes(_Part):
    """Handshakes of TLS that agreed on the same version and cipher: full ones, and those of resumed sessions."""

    version: str
    cipher: str
    full: int
    resumed: int


class Counts(DriverLine):
    """What was counted over a time; `users` at its end.

    Open model: `waited` arrivals had found no free user when they began, `missed` ones never began. Iterations are
    `failed` when a step failed, `abandoned` when the user gave up. `sub_resources` of pages that were fetched.
    `reconnected`: kept connections that the server had closed, made anew. `odd_responses`: those that were not
    quite HTTP, and read as browsers do. `requests` of which at least one byte was sent; complete `responses`, and
    the `body_bytes` of these. `level` as in `phase`.
    """

    phase: PhaseName
    level: int | None = None
    start_ns: int
    end_ns: int
    users: int
    iterations: int
    failed: int
    connections: int
    bytes_sent: int
    bytes_received: int
    transactions: dict[str, TransactionCounts]
    tls: list[Handshakes] = []
    abandoned: int = 0
    waited: int = 0
    missed: int = 0
    sub_resources: int = 0
    # Older drivers fail where a connection was closed.
    reconnected: int = 0
    odd_responses: int = 0
    # Older drivers do not count them.
    requests: int = 0
    responses: int = 0
    body_bytes: int = 0

    @property
    def seconds(self) -> float:
        """Its true length."""
        return (self.end_ns - self.start_ns) / 1e9

    @property
    def count(self) -> int:
        """The valid transactions."""
        return sum(counts.count for counts in self.transactions.values())

    @property
    def errors(self) -> int:
        """The failed transactions."""
        return sum(sum(counts.errors.values()) for counts in self.transactions.values())


class Interval(Counts):
    """Counts of one interval: of a phase as long as the plan asks for, a second by default, or the rest of it."""

    type: Literal["interval"]


class Window(Counts):
    """The sums of the measured window of a level, histograms included, which the driver writes at its end.

    `missed` counts over all phases of the level. The rest are sums of the window's audits, which older drivers lack.
    """

    type: Literal["window"]
    cpu_user_ns: int | None = None
    cpu_system_ns: int | None = None
    lateness: str | None = None
    receive_lag: str | None = None
    unstamped: int | None = None


class SliceLine(DriverLine):
    """A slice is over at `t_ns`: steps might begin from `go_ns` to `hold_ns`, and no response is missing any more."""

    type: Literal["slice"]
    slice: int
    go_ns: int
    hold_ns: int


class ThreadCpu(_Part):
    """CPU time of one event loop since its start."""

    cpu_ns: int


class AuditLine(DriverLine):
    """The driver's report on itself; CPU times since its start, histograms (encoded, µs) of the interval before."""

    type: Literal["audit"]
    cpu_user_ns: int
    cpu_system_ns: int
    threads: list[ThreadCpu]
    rss_bytes: int
    lateness: str
    lag: str
    # When the plan asks for `receive_stamps`: how long the last byte of each response lay in the kernel.
    receive_lag: str | None = None
    # Then too: complete responses that the kernel has not stamped, which are not in `receive_lag`.
    unstamped: int | None = None


class _OfStep(DriverLine):
    """A step that one user ran; `variables` are the values of its `identify`."""

    user: int
    iteration: int
    step: str
    transaction: str
    variables: dict[str, str]


class Unanswered(_OfStep):
    """A request of which at least one byte was sent and no complete response came, to report `calls` or not."""

    type: Literal["unanswered"]
    kind: str
    calls: bool = False


class FailedCheck(_OfStep):
    """A response that failed a check, one of the first five of its kind: the request, and the beginning of the body."""

    type: Literal["failed_check"]
    kind: str
    request: str
    expected: str
    status: int
    body: str


class ResponseLine(_OfStep):
    """A complete response to a step that identifies whose it was, when the plan asks for it."""

    type: Literal["response"]
    valid: bool


class ResponseCounts(_Part):
    """Complete responses to one transaction over the whole run: all checks passed, or one failed."""

    valid: int = 0
    invalid: int = 0


class Confirmed(DriverLine):
    """Complete responses over the whole run, all phases."""

    type: Literal["confirmed"]
    transactions: dict[str, ResponseCounts]


class RuleName(StrEnum):
    """The rules by which the driver was the limit or was not."""

    THREAD_CPU = "thread_cpu"
    LATENESS_P50 = "lateness_p50"
    LATENESS_P99 = "lateness_p99"
    RECEIVE_LAG_P99 = "receive_lag_p99"
    LITTLES_LAW = "littles_law"
    MIX = "mix"
    LOCAL_PORTS = "local_ports"


class DriverRule(_Part):
    """One rule of the driver's judgement of itself; `found` and `limit` in the unit that docs/reference names.

    A newer driver may have rules that this lab does not know by name.
    """

    rule: str
    outcome: Annotated[Outcome, BeforeValidator(lambda text: text.replace("_", " "))]
    found: float | None
    limit: float | None
    message: str


class ClientTimes(_Part):
    """Response times in milliseconds; 0 without any."""

    mean: float
    p50: float
    p99: float
    max: float


class Times(ClientTimes):
    """Some times, in milliseconds."""

    count: int


class SelfAudit(DriverLine):
    """How the driver judges itself over the measured windows of all levels, and the figures that rests on.

    `users` is their mean, `think_mean_ms` is expected for each transaction. No rule was looked at when the run ended
    before its first window.
    """

    type: Literal["self_audit"]
    users: float
    think_mean_ms: float
    response_ms: Times
    rules: list[DriverRule]


class Client(_Part):
    """What one user saw in the measured windows; `transactions` are the valid ones."""

    user: int
    transactions: int
    errors: int
    response_ms: ClientTimes


class Clients(DriverLine):
    """What each user saw in the measured windows, when the plan asks for it (`per_client`)."""

    type: Literal["clients"]
    clients: list[Client]


class End(DriverLine):
    """The last line: sums over the whole run."""

    type: Literal["end"]
    reason: EndReason
    transactions: int
    errors: dict[str, int]
    unanswered: int
    cpu_user_ns: int
    cpu_system_ns: int
    max_rss_bytes: int
    # Older drivers do not judge themselves.
    driver_limited: bool | None = None
    limited_by: str | None = None


Line = (
    Hello | PhaseLine | Interval | AuditLine | Unanswered | FailedCheck | ResponseLine | Confirmed | Clients | Window
    | SliceLine | SelfAudit | End
)  # fmt: skip


class _AnyLine(RootModel[Line]):
    root: Line = Field(discriminator="type")


def parse_line(text: bytes) -> Line | None:
    """The typed line, None for a type this lab does not know; raise ValueError when it is not a line."""
    try:
        return _AnyLine.model_validate_json(text).root
    except ValidationError as error:
        if error.errors()[0]["type"] == "union_tag_invalid":
            return None
        raise ValueError(first_mistake(error)) from error


# As the driver writes them; one that is written in another way is read all the same.
_OF_AN_INTERVAL = re.compile(rb'\{"v":1,"t_ns":\d+,"type":"(?:interval|audit)"')


class DriverLines:
    """The lines of an `intervals.ndjson`, also of a killed run, whose last line may be broken.

    They are read from the file each time they are iterated over, and never held together: a run of days has more of
    them than memory. Iterating raises InputError (file and line) when another line is broken or the file cannot be
    read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def __iter__(self) -> Iterator[Line]:
        """Yield each line."""
        return self._lines(lambda _: True)

    def few(self) -> Iterator[Line]:
        """Yield all but the intervals and their audits, of which a run has as many as it is long; they are not read."""
        return self._lines(lambda text: _OF_AN_INTERVAL.match(text) is None)

    def _lines(self, is_wanted: Callable[[bytes], bool]) -> Iterator[Line]:
        try:
            with self._path.open("rb") as file:
                for number, text in enumerate(file, 1):
                    # What stands after the last line feed was not written to its end.
                    if text.endswith(b"\n") and is_wanted(text):
                        yield from self._parsed(number, text)
        except OSError as error:
            raise InputError(f"cannot read the driver's lines ({error.strerror})", where=str(self._path)) from error

    def _parsed(self, number: int, text: bytes) -> Iterator[Line]:
        try:
            line = parse_line(text)
        except ValueError as error:
            raise InputError(f"not a line of the driver ({error})", where=f"{self._path}:{number}") from error
        if line is not None:
            yield line
