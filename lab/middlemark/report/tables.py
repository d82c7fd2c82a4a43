"""The tables of the report: transactions, checks, audits, what differs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from middlemark.records.choices import is_mode, is_setting
from middlemark.records.folder import Result
from middlemark.records.point import AuditFinding, Outcome, TransactionFigures, Verdict
from middlemark.records.run import Load
from middlemark.report.figure import Cell, Style, Table, count, number
from middlemark.verdict.headline import point_name
from middlemark.verdict.naming import short_names

STYLES = {Outcome.PASSED: Style.PASSED, Outcome.FAILED: Style.FAILED, Outcome.NOT_CHECKED: Style.MUTED}


@dataclass(frozen=True)
class PointTable:
    """A table of one point."""

    title: str
    valid: bool
    table: Table


@dataclass(frozen=True)
class LoadTables:
    """The tables of all points of one load."""

    load: Load
    tables: tuple[PointTable, ...]


def transaction_tables(result: Result) -> list[LoadTables]:
    """Return the table of every judged point, the highest load first."""
    found = [
        LoadTables(
            load,
            tuple(
                PointTable(point_name(result, point), point.valid, _transactions(result, point.verdict))
                for c in result.run.combinations
                for point in result.of(c, load)
                if point.verdict is not None
            ),
        )
        for load in sorted(result.run.loads, reverse=True)
    ]
    return [part for part in found if part.tables]


def receive_lags(result: Result) -> Table | None:
    """Return what of the times of each point was the driver's own; None without stamps of the kernel."""
    lags = [(p, p.verdict.receive_lag) for p in result.points if p.verdict and p.verdict.receive_lag]
    rows = [
        (
            Cell(point_name(result, p)),
            count(lag.responses),
            Cell("not split", style=Style.MUTED) if lag.server_mean_ms is None else number(lag.server_mean_ms),
            number(lag.mean_ms),
            number(lag.p50_ms),
            number(lag.p99_ms),
            number(lag.max_ms),
        )
        for p, lag in lags
    ]
    columns = ("point", "#responses", "#server mean ms", "#receive lag mean ms", "#p50", "#p99", "#max ms")
    return Table(columns, tuple(rows)) if rows else None


def check_table(result: Result) -> Table:
    """Return a row for each point and a column for each condition: ✓ or a word, the values stand below."""
    judged = [p for p in result.points if p.verdict is not None]
    names = list(dict.fromkeys(check.name for p in judged if p.verdict for check in p.verdict.checks))
    rows = []
    for p in judged:
        outcomes = {check.name: check.outcome for check in p.verdict.checks} if p.verdict else {}
        cells = [_mark(outcomes.get(name, Outcome.NOT_CHECKED)) for name in names]
        counted = Cell("valid", style=Style.PASSED) if p.valid else Cell("INVALID", style=Style.FAILED)
        if p.valid and p.verdict and not p.verdict.times_valid:
            counted = Cell("valid, but not its response times", style=Style.PASSED)
        rows.append((Cell(point_name(result, p)), *cells, counted))
    return Table(("point", *names, "counts"), tuple(rows))


def check_values(result: Result) -> Table:
    """Return every condition of every point with its value and limit."""
    rows = [
        (Cell(point_name(result, p)), Cell(c.name), Cell(c.message), Cell(c.requirement), _outcome(c.outcome))
        for p in result.points
        if p.verdict is not None
        for c in p.verdict.checks
    ]
    return Table(("point", "condition", "found", "limit", "outcome"), tuple(rows))


def audit_findings(result: Result) -> Table:
    """Return every finding of every audit."""
    rows = [
        (Cell(point_name(result, p)), Cell(_rule(f)), Cell(f.message), Cell(_rows(f.rows)), _outcome(f.outcome))
        for p in result.points
        if p.audit is not None
        for f in p.audit.findings
    ]
    return Table(("point", "rule", "found", "first rows", "outcome"), tuple(rows))


def failures(table: Table) -> Table | None:
    """Return the rows whose outcome, the last column, is a failure; None when there is none."""
    rows = tuple(row for row in table.rows if row[-1].style is Style.FAILED)
    return Table(table.columns, rows) if rows else None


def audit_summary(result: Result) -> str:
    """Return how many audits passed, and which points have none."""
    audits = [p.audit for p in result.points if p.audit is not None]
    missing = [point_name(result, p) for p in result.points if p.audit is None]
    passed = f"{sum(a.passed for a in audits)} of {len(audits)} audits passed."
    return passed + (f" Without an audit: {'; '.join(missing)}." if missing else "")


def not_checked(result: Result) -> list[tuple[str, str]]:
    """Return each condition that was not checked at some point, with at how many and the first message."""
    found: dict[str, list[str]] = {}
    for p in result.points:
        for check in p.verdict.checks if p.verdict else []:
            if check.outcome is Outcome.NOT_CHECKED:
                found.setdefault(check.name, []).append(check.message)
    return [(name, _where(values, len([p for p in result.points if p.verdict]))) for name, values in found.items()]


def _where(values: list[str], points: int) -> str:
    places = "at every point" if len(values) == points else f"at {len(values)} of {points} points"
    return f"{places}; {'the first' if len(set(values)) > 1 else 'each'}: {values[0]}"


def differences(result: Result) -> Table | None:
    """Return the choices, settings and versions in which those that were started differ; None when none do."""
    names = short_names(result.run.combinations)
    shown = {c.path: _facts(result, c.path) for c in result.run.combinations}
    chosen = {
        c.path: {_title(choice): value for choice, value in c.modes.items() if not is_mode(choice)}
        for c in result.run.combinations
    }
    facts = {path: {**chosen[path], **values} for path, values in shown.items() if values}
    keys = dict.fromkeys(key for values in facts.values() for key in values)
    rows = [
        (Cell(key), *(Cell(values.get(key, "none")) for values in facts.values()))
        for key in keys
        if len({values.get(key) for values in facts.values()}) > 1
    ]
    return Table(("what", *(names[path] for path in facts)), tuple(rows)) if rows else None


def _title(choice: str) -> str:
    return choice if is_setting(choice) else choice.replace("_", " ")


def not_started(result: Result) -> str:
    """Return which of several combinations were never started, so that nothing is known of them; empty when none."""
    names = short_names(result.run.combinations)
    missing = [names[c.path] for c in result.run.combinations if not _facts(result, c.path)]
    others = len(names) - len(missing)
    if not missing or len(names) < 2:
        return ""
    text = f"{', '.join(missing)} {'was' if len(missing) == 1 else 'were'} not started"
    return f"{text}; nothing to compare." if others < 2 else f"{text} and cannot be compared."


def _facts(result: Result, path: str) -> dict[str, str]:
    """Return what the first `/about` of a combination shows; where its processes differ, with the process.

    Addresses and roles are left out: every start chooses them anew.
    """
    specification = result.run.specification
    places = {f"settings {name}" for name in {*specification.given_settings} - {*specification.mode_settings}}
    about = next(
        (p.point.about for p in result.points if p.point and p.point.combination == path and p.point.about), {}
    )
    found: dict[str, dict[str, str]] = {}
    for process, document in about.items():
        for key, value in flat_about(document).items():
            if key != "roles" and key not in places:
                found.setdefault(key, {})[process] = value
    return {key: _joined(values) for key, values in found.items()}


def _joined(values: Mapping[str, str]) -> str:
    if len(set(values.values())) == 1:
        return next(iter(values.values()))
    return ", ".join(f"{value} ({process})" for process, value in values.items())


def flat_about(document: Mapping[str, object]) -> dict[str, str]:
    """Return an `/about` as name to value: its objects by `object name`, what is not default by `not default: what`."""
    flat: dict[str, str] = {}
    for key, value in document.items():
        if isinstance(value, Mapping):
            flat |= {f"{key} {inner}": str(content) for inner, content in value.items()}
        elif key == "not_default" and isinstance(value, list):
            flat |= {
                f"not default: {row.get('what')}": str(row.get("value")) for row in value if isinstance(row, Mapping)
            }
        elif isinstance(value, list):
            flat[key] = ", ".join(map(str, value)) or "none"
        else:
            flat[key] = str(value)
    return flat


def _transactions(result: Result, verdict: Verdict) -> Table:
    specification = result.run.specification
    columns = (specification.unit, "#count", "#errors", "#per s", "#mean ms", "#p50", "#p90", "#p95", "#p99", "#max ms")
    slowest = max((t.p95_ms for t in verdict.transactions.values()), default=0.0)
    rows = [_figures(name, t, slowest) for name, t in sorted(verdict.transactions.items())]
    return Table(columns, (*rows, _figures(f"all {specification.units}", verdict.total, 0.0)))


def _figures(name: str, t: TransactionFigures, slowest: float) -> tuple[Cell, ...]:
    errors = Cell(f"{t.errors:,}", exact=t.errors, style=Style.FAILED if t.errors else Style.PLAIN)
    return (
        Cell(name),
        count(t.count),
        errors,
        number(t.tps),
        number(t.mean_ms),
        number(t.p50_ms),
        number(t.p90_ms),
        number(t.p95_ms, bar_of=slowest),
        number(t.p99_ms),
        number(t.max_ms),
    )


def _outcome(outcome: Outcome) -> Cell:
    return Cell(outcome.value, style=STYLES[outcome])


def _mark(outcome: Outcome) -> Cell:
    # A word in each of many columns would be wider than paper, and hide the few that failed.
    return Cell("✓", style=STYLES[outcome]) if outcome is Outcome.PASSED else _outcome(outcome)


def _rule(finding: AuditFinding) -> str:
    return f"{finding.database}: {finding.rule}" if finding.database else finding.rule


def _rows(rows: tuple[dict[str, str], ...]) -> str:
    return " | ".join(", ".join(f"{key}={value}" for key, value in row.items()) for row in rows)
