"""What each tier received and sent over the network at the load compared, as far as it is known; else why it is not."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from middlemark.records.folder import Result
from middlemark.records.placement import DRIVER
from middlemark.records.point import Verdict
from middlemark.records.run import Combination
from middlemark.report.figure import Cell, Style, Table, number
from middlemark.report.tier_charts import tier_names
from middlemark.verdict.naming import short_names

MIB = 2**20
OF_DRIVER = "all it exchanged, with headers of HTTP; over TLS before encryption"
BY_DRIVER = "called by the virtual users: what it exchanged with them is the driver's"
NOT_COUNTED = "not counted: the kernel knows no bytes of a process, and its connections were not looked at"


def network_table(result: Result) -> Table:
    """Return a row for each tier of each combination that has a point that counts."""
    names = short_names(result.run.combinations)
    rows = []
    for combination in result.run.combinations:
        verdicts = [p.verdict for p in result.compared(combination) if p.valid and p.verdict]
        tiers = [tier for tier in tier_names(result) if any(tier in verdict.tiers for verdict in verdicts)]
        rows += [
            (Cell(names[combination.path]), Cell(tier), *_row(result, combination, tier, verdicts)) for tier in tiers
        ]
    return Table(("combination", "tier", "#received MiB/s", "#sent MiB/s", "remarks"), tuple(rows))


def _row(result: Result, combination: Combination, tier: str, verdicts: Sequence[Verdict]) -> tuple[Cell, Cell, Cell]:
    if tier == DRIVER:
        received = number(statistics.fmean(verdict.bytes_per_s for verdict in verdicts) / MIB)
        sent = [verdict.sent_bytes_per_s for verdict in verdicts if verdict.sent_bytes_per_s is not None]
        return received, number(statistics.fmean(sent) / MIB) if sent else _none(), _remark(OF_DRIVER)
    if tier in _called_by_driver(result, combination):
        return _none(), _none(), _remark(BY_DRIVER)
    found = [verdict.tiers[tier] for verdict in verdicts if tier in verdict.tiers]
    rates = [(one.net_received_mib_per_s, one.net_sent_mib_per_s) for one in found]
    known = [(received, sent) for received, sent in rates if received is not None and sent is not None]
    if not known:
        return _none(), _none(), _remark(NOT_COUNTED)
    ended = sum(one.connections_ended or 0 for one in found)
    remark = (
        f"at least: the last bytes of {ended:,} connections that ended are missing"
        if ended
        else "on its callers' connections"
    )
    means = [statistics.fmean(values) for values in zip(*known, strict=True)]
    return number(means[0]), number(means[1]), _remark(remark)


def _called_by_driver(result: Result, combination: Combination) -> set[str]:
    """Return the tiers that virtual users call; none where the run has not recorded it."""
    record = result.run.deployments.get(combination.path)
    called = {call.to for call in record.driver} if record else set()
    return {"+".join(process.tiers) for process in record.processes if process.name in called} if record else set()


def _none() -> Cell:
    return Cell("none", style=Style.MUTED)


def _remark(text: str) -> Cell:
    return Cell(text, style=Style.MUTED)
