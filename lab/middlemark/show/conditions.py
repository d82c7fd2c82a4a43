"""Tables of whether windows count: conditions, audits, faults, the spread between starts, and windows as they ran."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from middlemark.records.faults import Fault
from middlemark.records.figures import CPU_TIME
from middlemark.records.findings import Findings
from middlemark.records.point import Audit, AuditFinding, Outcome, Reconciled
from middlemark.records.window import Check, Window
from middlemark.show.curves import run_sequence
from middlemark.show.tables import (
    OUTCOMES,
    Bullets,
    Cell,
    Style,
    Table,
    Text,
    Value,
    fold,
    muted,
    pairs,
    rounded,
    table,
    titled,
)
from middlemark.wording import counted

EFFECTS = (
    ("#found", "found"),
    ("#unanswered", "unanswered"),
    ("#of them done", "unanswered_done"),
    ("#answered with an error", "invalid"),
    ("#of them done", "invalid_done"),
    ("#lost", "lost"),
    ("#doubled", "doubled"),
)


def marks(findings: Findings) -> Bullets | None:
    """Everything that is to be known beside the answer, in full."""
    found = tuple((mark.kind, mark.text) for mark in findings.marks)
    return Bullets(found) if found else None


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
    yield from titled("Failed conditions", "", _values(findings, failed))
    yield fold("Which window met which condition", every, is_open=len(windows) <= 12)
    yield fold("What was found of each condition", _summary(windows, names))
    yield from titled("Conditions that were not checked", "", _not_checked(windows))
    yield from titled(
        "Spread between starts",
        "Equal starts of one program differ too. This much of it was assumed or known when the run began, and is in "
        "every interval; the starts of the run itself count besides.",
        table(
            findings.combinations,
            ("combination", lambda one: one.name),
            ("#spread between starts", lambda one: Cell(f"{100 * one.spread.sigma:.1f} %", exact=one.spread.sigma)),
            ("known", lambda one: "from this machine's ledger" if one.spread.starts else "assumed"),
            ("#starts seen", lambda one: one.spread.starts),
            ("#degrees of freedom", lambda one: one.spread.degrees),
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


def _values(findings: Findings, found: Sequence[tuple[Window, Check]]) -> Table | None:
    return table(
        found,
        ("window", lambda row: findings.window_name(row[0])),
        ("condition", lambda row: row[1].name),
        ("found", lambda row: row[1].message),
        ("limit", lambda row: row[1].requirement),
        ("outcome", lambda row: row[1].outcome),
    )


def _summary(windows: Sequence[Window], names: Sequence[str]) -> Table | None:
    by_name = {name: [check for window in windows for check in window.checks if check.name == name] for name in names}

    def number(name: str, outcome: Outcome) -> int:
        return sum(check.outcome is outcome for check in by_name[name])

    def values(name: str) -> Value:
        found = [check.found for check in by_name[name] if check.found is not None and math.isfinite(check.found)]
        return f"{rounded(min(found))} … {rounded(max(found))}" if found else muted("no number")

    return table(
        names,
        ("condition", lambda name: name),
        ("limit", lambda name: by_name[name][0].requirement),
        ("#passed", lambda name: number(name, Outcome.PASSED)),
        ("#failed", lambda name: number(name, Outcome.FAILED)),
        ("#not checked", lambda name: number(name, Outcome.NOT_CHECKED)),
        ("found, lowest … highest", values),
        ("for example", lambda name: by_name[name][0].message),
    )


def _not_checked(windows: Sequence[Window]) -> Bullets | None:
    found: dict[str, list[str]] = {}
    for window in windows:
        for check in window.checks:
            if check.outcome is Outcome.NOT_CHECKED:
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
            ("found", lambda row: row[1].message),
            (
                "first rows",
                lambda row: " | ".join(", ".join(f"{k}={v}" for k, v in one.items()) for one in row[1].rows),
            ),
            ("outcome", lambda row: row[1].outcome),
        ),
    )
    by_rule: dict[str, list[AuditFinding]] = {}
    for _, finding in every:
        by_rule.setdefault(_rule(finding), []).append(finding)
    yield fold(
        "Findings by rule",
        table(
            by_rule.items(),
            ("rule", lambda row: row[0]),
            ("#passed", lambda row: sum(one.outcome is Outcome.PASSED for one in row[1])),
            ("#failed", lambda row: sum(one.outcome is Outcome.FAILED for one in row[1])),
            ("#not checked", lambda row: sum(one.outcome is Outcome.NOT_CHECKED for one in row[1])),
            ("for example", lambda row: row[1][0].message),
        ),
    )


def _rule(finding: AuditFinding) -> str:
    return f"{finding.database}: {finding.rule}" if finding.database else finding.rule


def faults(findings: Findings) -> Iterator[object]:
    """Yield the faults of each window and what became of the effects that audits count; nothing without faults."""
    windows = [window for window in findings.rounds if window.faults]
    if not windows:
        return
    yield Text(
        "Each was injected while the driver went on. The audit compares every response with the databases: what was "
        "confirmed must be there, once; what was not answered, or with an error, may have been done or not. With "
        "faults the conditions on errors, pace and drift are not applied."
    )
    plurals = findings.run.specification.effects
    columns = []
    for effect, plural in plurals.items():
        for title, field in ((f"#{plural} confirmed", "confirmed"), *EFFECTS):
            columns.append((title, lambda some, effect=effect, field=field: _effect(some, effect, field)))
    rows = [*([window] for window in windows), windows]
    yield table(
        rows,
        ("window", lambda some: findings.window_name(some[0]) if len(some) == 1 or some is not windows else "all"),
        ("fault", lambda some: _kinds([fault for one in some for fault in one.faults], all_of=some is windows)),
        ("#injected at s", lambda some: Cell("") if some is windows else _moments(some[0].faults)),
        ("#ready after s", lambda some: Cell("") if some is windows else _ready(some[0].faults)),
        *columns,
        ("audit", lambda some: _audit([one.audit for one in some])),
        wide=True,
    )


def _kinds(found: Sequence[Fault], *, all_of: bool) -> str:
    if all_of:
        return f"{sum(fault.done for fault in found)} injected"
    return ", ".join(f"{fault.kind} ({fault.target})" if fault.target else fault.kind for fault in found)


def _moments(found: Sequence[Fault]) -> Cell:
    text = ", ".join("never" if fault.injected_s is None else f"{fault.injected_s:.1f}" for fault in found)
    return Cell(text, style=_style(found))


def _ready(found: Sequence[Fault]) -> Cell:
    texts = (
        "never" if one.injected_s is None or one.ready_s is None else f"{one.ready_s - one.injected_s:.1f}"
        for one in found
    )
    return Cell(", ".join(texts), style=_style(found))


def _style(found: Sequence[Fault]) -> Style:
    return Style.PLAIN if all(fault.done for fault in found) else Style.FAILED


def _effect(windows: Sequence[Window], effect: str, field: str) -> Cell:
    counts: list[Reconciled] = [
        one for window in windows if window.audit for one in window.audit.reconciled.values() if one.effect == effect
    ]
    number = sum(getattr(one, field) for one in counts)
    wrong = field in {"lost", "doubled"}
    style = (Style.FAILED if number else Style.PASSED) if wrong else Style.PLAIN
    return Cell(f"{number:,}", exact=number, style=style)


def _audit(found: Sequence[Audit | None]) -> Cell:
    if len(found) > 1:
        return Cell(f"{sum(audit is not None and audit.passed for audit in found)} of {len(found)} passed")
    audit = found[0]
    if audit is None:
        return Cell("none", style=Style.FAILED)
    return Cell("passed", style=Style.PASSED) if audit.passed else Cell("failed", style=Style.FAILED)


def in_sequence(findings: Findings) -> Iterator[object]:
    """Yield the windows as they ran, one after the other, and those that were set aside."""
    yield run_sequence(findings)
    spec = findings.run.specification
    several = len({window.segment for window in findings.rounds}) > 1
    places = list(enumerate(findings.rounds, 1))
    yield table(
        places,
        ("#place", lambda row: row[0]),
        ("combination", lambda row: findings.name(row[1].combination)),
        (f"#{findings.run.load_unit}", lambda row: f"{row[1].load:g}"),
        ("#round", lambda row: row[1].repeat + 1),
        ("started", lambda row: row[1].started.replace("T", " ")),
        ("#per s", lambda row: row[1].throughput_tps),
        (f"#CPU ms per {spec.unit}", lambda row: CPU_TIME.of(row[1])),
        ("#p95 ms", lambda row: row[1].total.p95_ms),
        ("#response B", lambda row: row[1].mean_body_bytes),
        ("counts", lambda row: _counts(row[1])),
        ("disturbed", lambda row: Cell("; ".join(one.text for one in row[1].disturbances))),
        *((("#segment", lambda row: row[1].segment + 1),) if several else ()),
        wide=True,
    )
    if findings.unfinished:
        yield pairs(dict.fromkeys(findings.unfinished, "not finished"))
    cpu = f"#CPU ms per {spec.unit}"
    aside = [window for window in findings.windows if window.aside]
    instead = {window.path: window for window in findings.windows if not window.aside}
    yield fold(
        "Set aside: windows that were disturbed, and those of rounds that were cut",
        table(
            aside,
            ("window", findings.window_name),
            ("started", lambda window: window.started.replace("T", " ")),
            ("why", lambda window: window.aside),
            ("#per s", lambda window: window.throughput_tps),
            (cpu, CPU_TIME.of),
            ("#per s, measured again", lambda window: _of(instead.get(window.place), "throughput")),
            (f"{cpu}, measured again", lambda window: _of(instead.get(window.place), "cost")),
        ),
    )


def _of(window: Window | None, what: str) -> Value:
    if window is None:
        return None
    return window.throughput_tps if what == "throughput" else CPU_TIME.of(window)
