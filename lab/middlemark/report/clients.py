"""The tables of the report about single clients: how equally they were served, their connections and TLS."""

from __future__ import annotations

from middlemark.records.folder import Result
from middlemark.records.point import Fairness
from middlemark.report.figure import Cell, Style, Table, count, number
from middlemark.verdict.headline import point_name

STYLES = {True: Style.PASSED, False: Style.FAILED, None: Style.MUTED}


def fairness_table(result: Result) -> Table | None:
    """Return how equally the users of each point were served; None where their figures were not asked for."""
    found = [(p, p.verdict.fairness) for p in result.points if p.verdict and p.verdict.fairness]
    rows = [
        (
            Cell(point_name(result, p)),
            count(one.clients),
            count(one.transactions_min),
            count(one.transactions_max),
            number(100 * one.transactions_cv),
            *_responses(one),
            Cell(one.message, style=STYLES[one.equal]),
        )
        for p, one in found
    ]
    units = result.run.specification.units
    columns = (
        "point",
        "#users",
        f"#{units}: min",
        "#max",
        "#variation %",
        "#mean ms: min",
        "#max",
        "#variation %",
    )
    return Table((*columns, "verdict"), tuple(rows)) if rows else None


def tls_table(result: Result) -> Table | None:
    """Return what the connections of each point agreed on; None where nothing was encrypted."""
    rows = [
        (
            Cell(point_name(result, p)),
            Cell(one.version),
            Cell(one.cipher),
            count(one.full),
            count(one.resumed),
            number(100 * one.resumed / (one.full + one.resumed)) if one.full + one.resumed else Cell("none"),
            count(one.handshakes),
        )
        for p in result.points
        if p.verdict
        for one in p.verdict.tls
    ]
    columns = ("point", "version", "cipher", "#full", "#resumed", "#resumed %", "#since the ramp-up began")
    return Table(columns, tuple(rows)) if rows else None


def connections_table(result: Result) -> Table | None:
    """Return how many connections each point opened and why; None where no server closed one that was kept."""
    judged = [(p, p.verdict) for p in result.points if p.verdict]
    if not any(verdict.reconnected for _, verdict in judged):
        return None
    rows = [
        (Cell(point_name(result, p)), count(v.connections or 0), count(v.reconnected or 0))
        for p, v in judged
        if v.connections is not None
    ]
    return Table(("point", "#opened", "#of them after the server had closed"), tuple(rows))


def _responses(fairness: Fairness) -> tuple[Cell, Cell, Cell]:
    least, most, variation = fairness.response_min_ms, fairness.response_max_ms, fairness.response_cv
    return (
        Cell("none") if least is None else number(least),
        Cell("none") if most is None else number(most),
        Cell("none") if variation is None else number(100 * variation),
    )
