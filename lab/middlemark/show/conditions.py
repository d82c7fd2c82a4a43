"""Tables of whether windows count: conditions, audits, faults, the spread between starts, and windows as they ran."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from middlemark.records.figures import CPU_TIME
from middlemark.records.findings import Findings
from middlemark.records.point import Audit, AuditFinding, Outcome, sum_of_effect
from middlemark.records.run_parts import Fault, TransactionOutcome
from middlemark.records.window import Check, Window
from middlemark.show.curves import run_sequence
from middlemark.show.tables import (
    OUTCOMES,
    Bullets,
    Cell,
    Column,
    Style,
    Table,
    Text,
    cell,
    columns_of,
    failures,
    fold,
    muted,
    pairs,
    span,
    table,
    titled,
)
from middlemark.wording import counted

EFFECTS = (
    "#found: found | #unanswered: unanswered | #of them done: unanswered_done | #answered with an error: invalid | "
    "#of them done: invalid_done | #lost: lost | #doubled: doubled"
)


def marks(findings: Findings) -> Bullets | None:
    """Everything that is to be known beside the answer, in full."""
    return Bullets(tuple(("", one.text) for one in findings.marks)) if findings.marks else None


def conditions(findings: Findings) -> Iterator[object]:
    """Yield which conditions each window met, those that failed with their values, and a summary of all."""
    windows = findings.rounds
    if not windows:
        yield Text("No window was finished.", "none")
        return
    names = list(dict.fromkeys(check.name for window in windows for check in window.checks))
    yield Text("A window counts when no condition failed; ✓ is passed.")
    every = table(
        windows,
        ("window", findings.window_name),
        *((name, lambda window, name=name: _mark(window, name)) for name in names),
        ("counts", _counts),
        wide=True,
    )
    failed = [(window, check) for window in windows for check in window.checks if check.outcome is Outcome.FAILED]
    yield from titled(
        "Failed conditions",
        "",
        table(
            failed,
            ("window", lambda row: findings.window_name(row[0])),
            "condition: 1.name | found: 1.message | limit: 1.requirement | outcome: 1.outcome",
        ),
    )
    yield fold("Which window met which condition", every, is_open=len(windows) <= 12)
    yield fold(
        "What was found of each condition",
        _outcomes("condition", ((check.name, check) for window in windows for check in window.checks)),
    )
    yield from titled("Conditions that were not checked", "", _not_checked(windows))
    yield from titled(
        "Spread between starts",
        "Equal starts of one program differ too: so much was known before the run, and is in every interval.",
        table(
            findings.combinations,
            "combination: name",
            ("#spread between starts", lambda one: Cell(f"{100 * one.spread.sigma:.1f} %", exact=one.spread.sigma)),
            ("known", lambda one: "from this machine's ledger" if one.spread.starts else "assumed"),
            "#starts seen: spread.starts | #degrees of freedom: spread.degrees",
        ),
    )


def _mark(window: Window, name: str) -> Cell:
    outcome = next((check.outcome for check in window.checks if check.name == name), Outcome.NOT_CHECKED)
    # A word in each of many columns would be wider than paper, and hide the few that failed.
    return Cell("✓" if outcome is Outcome.PASSED else outcome.value, style=OUTCOMES[outcome])


def _counts(window: Window) -> Cell:
    if not window.valid:
        return Cell("INVALID", style=Style.FAILED)
    return Cell("valid" if window.times_valid else "valid, but not its response times", style=Style.PASSED)


def _outcomes(what: str, found: Iterable[tuple[str, Check | AuditFinding]]) -> Table | None:
    """How often each name had which outcome, with the numbers that were found where it has any."""
    by_name: dict[str, list[Check | AuditFinding]] = {}
    for name, one in found:
        by_name.setdefault(name, []).append(one)

    def values(every: Sequence[Check | AuditFinding]) -> Cell | None:
        checks = [one.found for one in every if isinstance(one, Check)]
        numbers = [number for number in checks if number is not None and math.isfinite(number)]
        return Cell(span(min(numbers), max(numbers))) if numbers else muted("no number") if checks else None

    return table(
        by_name.items(),
        f"{what}: 0 | limit: 1.0.requirement",
        *((f"#{o.value}", lambda row, o=o: sum(one.outcome is o for one in row[1])) for o in OUTCOMES),
        ("found, lowest … highest", lambda row: values(row[1])),
        "for example: 1.0.message",
    )


def _not_checked(windows: Sequence[Window]) -> Bullets | None:
    found: dict[str, list[str]] = {}
    for check in (check for window in windows for check in window.checks if check.outcome is Outcome.NOT_CHECKED):
        found.setdefault(check.name, []).append(check.message)
    items = []
    for name, messages in found.items():
        where = "at every window" if len(messages) == len(windows) else f"at {len(messages)} of {len(windows)} windows"
        first = "the first" if len(set(messages)) > 1 else "each"
        items.append((name, f"{where}; {first}: {messages[0]}"))
    return Bullets(tuple(items)) if items else None


def audits(findings: Findings) -> Iterator[object]:
    """Yield how many audits passed, the rules that were broken, and a summary of all."""
    found = [(window, window.audit) for window in findings.rounds if window.audit is not None]
    passed = sum(audit.passed for _, audit in found)
    yield Text(f"{passed} of {counted(len(found), 'audit')} passed.", "")
    every = [(window, finding) for window, audit in found for finding in audit.findings]
    broken = [row for row in every if row[1].outcome is Outcome.FAILED]
    yield from titled(
        "Broken rules",
        "",
        table(
            broken,
            ("window", lambda row: findings.window_name(row[0])),
            ("rule", lambda row: _rule(row[1])),
            "found: 1.message",
            ("first rows", lambda row: " | ".join(", ".join(f"{k}={v}" for k, v in o.items()) for o in row[1].rows)),
            "outcome: 1.outcome",
        ),
    )
    yield fold("Findings by rule", _outcomes("rule", ((_rule(finding), finding) for _, finding in every)))


def _rule(finding: AuditFinding) -> str:
    return f"{finding.database}: {finding.rule}" if finding.database else finding.rule


def faults(findings: Findings) -> Iterator[object]:
    """Yield the faults of each window and what became of the effects that audits count; nothing without faults."""
    windows = [window for window in findings.rounds if window.faults]
    if not windows:
        return
    yield Text(
        "Each was injected while the driver went on. What was confirmed must be in the databases, once; what was not "
        "answered, or with an error, may be or not. Conditions on errors, pace and drift are not applied."
    )
    columns: list[Column[Sequence[Window]]] = []
    for effect, plural in findings.run.specification.effects.items():
        columns.append((f"#{plural} confirmed", partial(_effect, effect, field="confirmed")))
        columns += columns_of(EFFECTS, partial(_effect, effect))
    yield table(
        [*([window] for window in windows), windows],
        ("window", lambda some: "all" if some is windows else findings.window_name(some[0])),
        ("fault", lambda some: _kinds([fault for one in some for fault in one.faults], all_of=some is windows)),
        ("#injected at s", lambda some: Cell("") if some is windows else _moments(some[0].faults, ready=False)),
        ("#ready after s", lambda some: Cell("") if some is windows else _moments(some[0].faults, ready=True)),
        ("in doubt", lambda some: _in_doubt([fault for one in some for fault in one.faults])),
        *columns,
        ("audit", lambda some: _audit([one.audit for one in some])),
        wide=True,
    )


def _kinds(found: Sequence[Fault], *, all_of: bool) -> str:
    if all_of:
        return f"{sum(fault.done for fault in found)} injected"
    return ", ".join(f"{fault.kind} ({fault.target})" if fault.target else fault.kind for fault in found)


def _moments(found: Sequence[Fault], *, ready: bool) -> Cell:
    """When faults were injected, or how long after it the tier was ready."""
    texts = []
    for one in found:
        begin, end = (one.injected_s, one.ready_s) if ready else (0.0, one.injected_s)
        texts.append("never" if begin is None or end is None else f"{end - begin:.1f}")
    return Cell(", ".join(texts), style=Style.PLAIN if all(fault.done for fault in found) else Style.FAILED)


def _in_doubt(found: Sequence[Fault]) -> Cell | None:
    """What became of the transactions in doubt, and the longest time that one of them was prepared."""
    every = [(fault, one) for fault in found for one in fault.in_doubt]
    if not every:
        return None
    outcomes = Counter(one.outcome for _, one in every)
    ages = [one.prepared_s + one.ended_s - (fault.injected_s or 0) for fault, one in every if one.ended_s is not None]
    longest = f"; longest {max(ages):.1f} s" if ages else ""
    text = ", ".join(f"{outcomes[one]:,} {one}" for one in TransactionOutcome if outcomes[one])
    left = any(fault.left_prepared for fault in found)
    return Cell(text + longest, style=Style.FAILED if left else Style.PLAIN)


def _effect(effect: str, windows: Sequence[Window], field: str) -> Cell:
    number = getattr(sum_of_effect([window.audit for window in windows if window.audit], effect), field)
    return failures(number, Style.PASSED) if field in {"lost", "doubled"} else cell(number)


def _audit(found: Sequence[Audit | None]) -> Cell:
    passed = sum(audit is not None and audit.passed for audit in found)
    if len(found) > 1:
        return Cell(f"{passed} of {len(found)} passed")
    text = "none" if found[0] is None else "passed" if passed else "failed"
    return Cell(text, style=Style.PASSED if passed else Style.FAILED)


def in_sequence(findings: Findings) -> Iterator[object]:
    """Yield the windows as they ran, one after the other, and those that were set aside."""
    yield run_sequence(findings)
    spec = findings.run.specification
    several = len({window.segment for window in findings.rounds}) > 1
    cpu = f"#CPU ms per {spec.unit}"
    yield table(
        enumerate(findings.rounds, 1),
        "#place: 0",
        ("combination", lambda row: findings.name(row[1].combination)),
        (f"#{findings.run.load_unit}", lambda row: f"{row[1].load:g}"),
        ("#round", lambda row: row[1].repeat + 1),
        ("started", lambda row: row[1].started.replace("T", " ")),
        "#per s: 1.throughput_tps",
        (cpu, lambda row: CPU_TIME.of(row[1])),
        "#p95 ms: 1.total.p95_ms | #response B: 1.mean_body_bytes",
        ("counts", lambda row: _counts(row[1])),
        ("disturbed", lambda row: Cell("; ".join(one.text for one in row[1].disturbances))),
        *((("#segment", lambda row: row[1].segment + 1),) if several else ()),
        wide=True,
    )
    if findings.unfinished:
        yield pairs({name: f"not finished: {why}" for name, why in findings.unfinished.items()})
    instead = {window.path: window for window in findings.windows if not window.aside}
    yield fold(
        "Set aside: windows that were disturbed, and those of rounds that were cut",
        table(
            [(window, instead.get(window.place)) for window in findings.windows if window.aside],
            ("window", lambda row: findings.window_name(row[0])),
            ("started", lambda row: row[0].started.replace("T", " ")),
            "why: 0.aside | #per s: 0.throughput_tps",
            (cpu, lambda row: CPU_TIME.of(row[0])),
            "#per s, measured again: 1.throughput_tps",
            (f"{cpu}, measured again", lambda row: CPU_TIME.of(row[1]) if row[1] else None),
        ),
    )
