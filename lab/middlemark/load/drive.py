"""Drives a session against any http address: the whole of `middlemark drive` but its printing."""

from __future__ import annotations

import math
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from middlemark.dataset.definition import read_dataset
from middlemark.errors import InputError, TargetError
from middlemark.load.address import check_answering, is_this_host, target_address
from middlemark.load.driver import driving, write_hlog
from middlemark.load.duration import Duration
from middlemark.load.expected import expected_iteration
from middlemark.load.lines import Line, read_lines
from middlemark.load.plan import Plan, write_plan
from middlemark.load.planning import LoadSettings, PhaseLengths, make_plan
from middlemark.load.session import Session, read_session
from middlemark.load.think import Think
from middlemark.load.thresholds import Thresholds
from middlemark.load.window import WindowFigures, errors_by_transaction, window_figures
from middlemark.results.folder import check_writable, saving_under, write_json
from middlemark.results.point import Check, Outcome, TransactionFigures
from middlemark.results.run import Record
from middlemark.verdict.driver import driver_checks, little_tps, self_audit_of

LEAST_WINDOW_S = 10.0
LEAST_ITERATIONS = 2
LEAST_RAMP_S = 1.0


@dataclass(frozen=True)
class DriveOrder:
    """What the user asks for. None: `duration` two expected iterations or 10 s, `ramp` one expected iteration."""

    session: Path
    targets: tuple[str, ...]
    thresholds: Thresholds
    users: int = 10
    duration: Duration | None = None
    ramp: Duration | None = None
    think: Think | None = None
    seed: int = 1
    numbers: Mapping[str, int] | None = None
    scale: str = "demo"


@dataclass(frozen=True)
class PreparedDrive:
    """An order that was checked: its session, the plan, and the numbers that the session names."""

    order: DriveOrder
    session: Session
    plan: Plan
    numbers: Mapping[str, int]

    @property
    def seconds(self) -> float:
        """Return how long it takes without the drain."""
        return self.plan.windows[-1][1]


class DriveResult(Record):
    """`drive.json`, and what `--json` prints: the figures of the window and what became of the thresholds.

    `passed`: no threshold was missed and nobody interrupted. `checks` say whether the driver was the limit; they do not
    decide. `little_tps` is the throughput Little's law expects, None where it does not hold. `out` is the result
    folder, when one was asked for.
    """

    v: Literal[1] = 1
    session: str
    targets: list[str]
    users: int
    think: str
    seed: int
    started: str
    interrupted: bool
    window_s: float
    throughput_tps: float
    little_tps: float | None
    iterations: int
    abandoned: int
    transactions: dict[str, TransactionFigures]
    total: TransactionFigures
    error_rate: float
    errors_by_kind: dict[str, int]
    errors_by_transaction: dict[str, dict[str, int]]
    bytes_per_s: float
    driver_cpu_s: float
    driver_lateness_p50_ms: float
    driver_lateness_p99_ms: float
    checks: list[Check]
    thresholds: list[Check]
    passed: bool
    verdict: str
    out: str | None


def prepare(order: DriveOrder) -> PreparedDrive:
    """Read the session, make the plan and try the targets; InputError or HostError before anything is sent."""
    if order.duration == Duration(0):
        raise InputError("a window of 0s measures nothing", where="--duration", todo="Give it at least some seconds")
    if not order.session.exists():
        raise InputError(
            "there is no such session file", where=str(order.session), todo="`middlemark new session NAME` writes one"
        )
    numbers = {**_scale_numbers(order), **(order.numbers or {})}
    session = read_session(order.session, numbers)
    targets = tuple(target_address(target) for target in order.targets)
    settings = LoadSettings(
        targets=targets,
        users=order.users,
        phases=_phases(order, expected_iteration(session, order.think)),
        run=secrets.token_hex(4),
        seed=order.seed,
        think=order.think,
        numbers=numbers,
    )
    plan = make_plan(session, settings)
    check_answering(targets)
    return PreparedDrive(order, session, plan, numbers)


def drive(prepared: PreparedDrive, out: Path | None, tell: Callable[[Line], None]) -> DriveResult:
    """Play the session and return its figures; Ctrl-C ends it early. `tell` gets the driver's lines as they come.

    With `out` everything that was measured is kept in a new folder there. Raises TargetError when the driver fails,
    HostError when nothing can be written.
    """
    started = datetime.now(UTC)
    with _folder(out, f"drive-{prepared.session.name}-{started:%Y%m%d-%H%M%S}") as folder, saving_under(folder):
        shutil.copyfile(prepared.order.session, folder / "session.yaml")
        write_plan(prepared.plan, folder / "plan.json")
        interrupted = _play(folder, tell)
        lines = read_lines(folder / "intervals.ndjson")
        write_hlog(folder / "intervals.ndjson", folder / "latency.hlog")
        result = _result(prepared, lines, interrupted=interrupted, started=started, out=folder)
        if out is None:
            return result.model_copy(update={"out": None})
        write_json(folder / "drive.json", result)
        return result


def _scale_numbers(order: DriveOrder) -> Mapping[str, int]:
    """Return the numbers of the scale when the session lies in specs/<spec>/sessions/."""
    spec = order.session.resolve().parent.parent
    if order.session.resolve().parent.name == "sessions" and (spec / "dataset.toml").is_file():
        return read_dataset(spec, order.scale).numbers
    return {}


def _phases(order: DriveOrder, iteration_s: float) -> PhaseLengths:
    iterations = max(LEAST_ITERATIONS, math.ceil(LEAST_WINDOW_S / iteration_s))
    return PhaseLengths(
        ramp=order.ramp or Duration.of_seconds(max(LEAST_RAMP_S, iteration_s)),
        settle=Duration(0),
        measure=order.duration or Duration.of_seconds(iterations * iteration_s),
    )


@contextmanager
def _folder(out: Path | None, name: str) -> Iterator[Path]:
    if out is None:
        with tempfile.TemporaryDirectory(prefix="middlemark-drive-") as private:
            yield Path(private)
        return
    folder = out / name
    with saving_under(out):
        out.mkdir(parents=True, exist_ok=True)
        folder.mkdir()
    yield folder


def _play(folder: Path, tell: Callable[[Line], None]) -> bool:
    """Return whether it was interrupted."""
    with driving(folder / "plan.json", folder / "intervals.ndjson", log=folder / "driver.log") as run:
        try:
            run.wait(tell)
        except KeyboardInterrupt:
            run.stop()
            return True
        except TargetError:
            # A driver that cannot write its lines ends without a word; the full disk is the news.
            check_writable(folder)
            raise
    return False


def _result(
    prepared: PreparedDrive, lines: Sequence[Line], *, interrupted: bool, started: datetime, out: Path
) -> DriveResult:
    order, session = prepared.order, prepared.session
    figures = window_figures(lines)
    thresholds = order.thresholds.checks(figures)
    audit = self_audit_of(lines)
    shared = any(is_this_host(target) for target in prepared.plan.targets)
    checks = driver_checks(audit, shared_cpus=shared) if figures.total.count else []
    missed = [check for check in thresholds if check.outcome is Outcome.FAILED]
    return DriveResult(
        session=session.name,
        targets=prepared.plan.targets,
        users=order.users,
        think=str(order.think or session.think),
        seed=order.seed,
        started=started.isoformat(timespec="seconds"),
        interrupted=interrupted,
        window_s=figures.window_s,
        throughput_tps=figures.total.tps,
        little_tps=little_tps(audit),
        iterations=figures.iterations,
        abandoned=figures.abandoned,
        transactions=figures.transactions,
        total=figures.total,
        error_rate=figures.error_rate,
        errors_by_kind=figures.errors_by_kind,
        errors_by_transaction=errors_by_transaction(lines),
        bytes_per_s=figures.bytes_received_per_s,
        driver_cpu_s=figures.driver.cpu_s,
        driver_lateness_p50_ms=figures.driver.lateness_p50_ms,
        driver_lateness_p99_ms=figures.driver.lateness_p99_ms,
        checks=checks,
        thresholds=thresholds,
        passed=not missed and not interrupted,
        verdict=_verdict(figures, order.users, thresholds, interrupted=interrupted) + _doubt(checks),
        out=str(out),
    )


def _verdict(figures: WindowFigures, users: int, thresholds: list[Check], *, interrupted: bool) -> str:
    total = figures.total
    missed = [f"{check.value} ({check.limit})" for check in thresholds if check.outcome is Outcome.FAILED]
    if interrupted and not figures.window_s:
        return "INTERRUPTED before the measured window began: nothing was measured."
    p99 = f"p99 {total.p99_ms:,.1f} ms, " if total.count else ""
    figured = (
        f"{total.tps:,.1f} transactions/s by {users:,} users in {figures.window_s:.1f} s, {p99}{total.errors:,} errors"
    )
    if interrupted:
        return f"INTERRUPTED: {figured} so far."
    return f"FAIL: {'; '.join(missed)}." if missed else f"PASS: {figured}."


def _doubt(checks: list[Check]) -> str:
    """Return a sentence when the driver may have been the limit."""
    failed = [check.name for check in checks if check.outcome is Outcome.FAILED]
    return f" The driver may have been the limit: see {', '.join(failed)}." if failed else ""
