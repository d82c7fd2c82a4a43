"""Measures what each transaction asks of the databases: one user alone runs the session, with a pause after each step.

Whatever reaches the databases between the begin of a step and that of the next one is the step's; the median over its
executions leaves out what the application does now and then by itself.
"""

from __future__ import annotations

import bisect
import dataclasses
import statistics
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path

from middlemark.databases.statement_log import LoggedStatement, logging_statements
from middlemark.databases.write_ahead_log import WrittenTransaction, keeping_log
from middlemark.duration import Duration
from middlemark.errors import HostError
from middlemark.experiment.load_run import load_settings, run_load
from middlemark.experiment.run_context import RunningSubject
from middlemark.load.stores import servers_of
from middlemark.records.driver_lines import Hello, Interval, Line
from middlemark.records.folder import write_json
from middlemark.records.side_files import StepWork, Work, work_file
from middlemark.saving import saving_under
from middlemark.workload.plan import Plan, PlanGroup, PlanPart, write_plan
from middlemark.workload.planning import PhaseLengths, make_plan
from middlemark.workload.think import Think
from middlemark.workload.transaction_records import TransactionRecord, read_transaction_records

# Long enough for a processor of queued orders to be done, and short enough that its idle looks are in few steps.
PAUSE = Think.of(Duration(100))
# Every combination gets the same requests, and is judged by as many of them: bytes depend on the rows that were drawn.
ITERATIONS = 5
MAX_SECONDS = 120.0
# The log's times are cut off to milliseconds, and two clocks are compared.
_CLOCKS_S = 0.005
# Statements that begin or end a transaction; a pool's look at a connection is an empty one or a comment.
_CONTROL = ("BEGIN", "START TRANSACTION", "COMMIT", "ROLLBACK", "END", "ABORT", "PREPARE TRANSACTION")
_LOOKS = ("", ";", "-- ping")


@dataclasses.dataclass(frozen=True)
class Execution:
    """What reached the databases in one execution of a step."""

    statements: tuple[str, ...]
    written: tuple[WrittenTransaction, ...]

    @property
    def own(self) -> list[str]:
        """The statements that neither begin nor end a transaction."""
        return [text for text in self.statements if not text.upper().startswith(_CONTROL)]


def keep_work(subject: RunningSubject) -> None:
    """Measure the work of a warm subject and write it into the result folder; without databases, or twice, nothing."""
    if subject.stores and not (file := work_file(subject.context.root, subject.combination)).is_file():
        write_json(file, work_of(subject))


def work_of(subject: RunningSubject) -> Work:
    """The work of each step of a session; what it wrote, the next reset removes. Raises what `run_load` raises."""
    path = subject.combination.path
    if (step := subject.session.calling_step) is not None:
        why = f"the calls that step '{step.id}' reports follow each other too closely to tell their work apart"
        return Work(combination=path, unavailable=why)
    folder = subject.context.root / "logs" / path / "work"
    subject.context.progress.step(f"counting the statements and rows of {subject.combination.label}")
    subject.reset()
    try:
        with ExitStack() as stack:
            servers = servers_of(subject.stores)
            logs = {tier: stack.enter_context(logging_statements(server)) for tier, server in servers.items()}
            written = {tier: stack.enter_context(keeping_log(server)) for tier, server in servers.items()}
            records, own = _run(subject, folder), subject.stores.values()
            databases = {store.database for store in own}
            sent = [one for log in logs.values() for one in log.statements() if one.database in databases]
            changed = [one for store in own for one in written[store.tier].transactions(store.database)]
            executions = executions_by_step(records, sent, changed)
    except HostError as error:
        return Work(combination=path, unavailable=str(error))
    names = {step.id: step.transaction for step in subject.session.every_step}
    steps = [step_work(step, name, executions[step]) for step, name in names.items() if step in executions]
    return Work(combination=path, steps=steps)


def step_work(step: str, transaction: str, executions: Sequence[Execution]) -> StepWork:
    """The medians of a step's executions; of an even number the lower one, so that they are figures that occurred."""
    statements = statistics.median_low([len(one.own) for one in executions])
    return StepWork(
        step=step,
        transaction=transaction,
        count=len(executions),
        statements=statements,
        transaction_control=statistics.median_low([len(one.statements) - len(one.own) for one in executions]),
        rows=statistics.median_low([sum(part.rows for part in one.written) for one in executions]),
        wal_bytes=statistics.median_low([sum(part.wal_bytes for part in one.written) for one in executions]),
        texts=next(one.own for one in executions if len(one.own) == statements),
    )


def _run(subject: RunningSubject, folder: Path) -> list[tuple[float, TransactionRecord]]:
    """Run the session; return its transactions with their begins, seconds since 1970."""
    records = folder / "records.bin"
    with saving_under(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write_plan(_plan(subject, records), folder / "plan.json")
    ended: list[int] = []  # iterations, the first included

    def hear(line: Line) -> None:
        if isinstance(line, Interval):
            ended.append(line.iterations)

    lines = run_load(subject, folder, hear, enough=lambda: sum(ended) >= ITERATIONS)
    if subject.target.queues:
        subject.drained()
    hello = next(line for line in lines.few() if isinstance(line, Hello))
    origin_s = (time.time_ns() - time.monotonic_ns() + hello.monotonic_ns) / 1e9
    return [(origin_s + one.start_ns / 1e9, one) for one in read_transaction_records(records)]


def _plan(subject: RunningSubject, records: Path) -> Plan:
    """The plan of one user who pauses after each step; each step is counted under its own name."""
    session = subject.session.model_copy(update={"pacing": None})
    lengths = PhaseLengths(Duration(0), Duration(0), Duration.of_seconds(MAX_SECONDS))
    settings = dataclasses.replace(
        load_settings(subject, 1, lengths, "work"), users=1, think=PAUSE, arrivals=None, records=str(records)
    )
    plan = make_plan(session, settings)
    scripts = [script.model_copy(update={"steps": _by_step(script.steps)}) for script in plan.mix]
    return plan.model_copy(update={"steps": _by_step(plan.steps), "mix": scripts})


def _by_step(parts: Iterable[PlanPart]) -> list[PlanPart]:
    return [
        part.model_copy(update={"group": _by_step(part.group)})
        if isinstance(part, PlanGroup)
        else part.model_copy(update={"transaction": part.id})
        for part in parts
    ]


def executions_by_step(
    records: Sequence[tuple[float, TransactionRecord]],
    sent: Iterable[LoggedStatement],
    changed: Iterable[WrittenTransaction],
) -> dict[str, list[Execution]]:
    """Statements and written transactions by the step in whose time they were.

    Left out are steps that failed, the last one, which nothing ends, and where there are more the first iteration,
    in which connections are opened and caches filled, and those that not every combination may have reached.
    """
    begins = [begin for begin, _ in records]
    statements: dict[int, list[str]] = {}
    transactions: dict[int, list[WrittenTransaction]] = {}
    for one in sent:
        if one.text not in _LOOKS:
            statements.setdefault(_place(begins, one.time_s), []).append(one.text)
    for change in changed:
        transactions.setdefault(_place(begins, change.time_s), []).append(change)
    found: dict[str, list[Execution]] = {}
    whole = [(place, record) for place, (_, record) in enumerate(records[:-1]) if record.valid]
    later = [(place, record) for place, record in whole if 0 < record.iteration < ITERATIONS]
    all_later = {record.transaction for _, record in later} == {record.transaction for _, record in whole}
    for place, record in later if all_later else whole:
        execution = Execution(tuple(statements.get(place, ())), tuple(transactions.get(place, ())))
        found.setdefault(record.transaction, []).append(execution)
    return found


def _place(begins: Sequence[float], time_s: float) -> int:
    """The position of the step in whose time something was; -1 before the first."""
    return bisect.bisect_right(begins, time_s + _CLOCKS_S) - 1
