"""Tables of response times: of each transaction, what they consist of, and how equally clients were served."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from middlemark.records.figures import RESPONSES, RESPONSES_EACH
from middlemark.records.findings import Findings
from middlemark.show.places import Place, place_columns, places
from middlemark.show.tables import Cell, Heading, Style, Table, Text, barred, columns_of, failures, fold, table, titled


def transactions(findings: Findings) -> Iterator[object]:
    """Yield the figures of each transaction of each combination, load by load."""
    spec = findings.run.specification
    yield Text(
        "Complete and valid responses inside the window, in ms: means of the rounds that count, of percentiles the "
        "lowest and the highest round. A bar is the mean against the slowest row. Every window is in the CSV file."
    )
    for number, load in enumerate(sorted(findings.run.loads, reverse=True)):
        found = places(findings, [load])
        inside = [one for place in found for one in (Heading(place.name), _transactions(place, spec.timed))]
        yield fold(findings.run.load_name(load), *inside, is_open=number == 0)


def _transactions(place: Place, timed: str) -> Table | None:
    names = sorted({name for window in place.windows for name in window.transactions})
    rows = place.parts(names, lambda window, name: window.transactions.get(name))
    slowest = max((row.mean("mean_ms") or 0.0 for row in rows), default=0.0)
    return table(
        [*rows, *place.parts([f"all {timed}s"], lambda window, _: window.total)],
        (timed, lambda row: row.part),
        ("#count, all rounds", lambda row: row.total("count")),
        ("#errors, all rounds", lambda row: failures(row.total("errors"))),
        ("#per s", lambda row: row.mean("tps")),
        ("#mean ms", lambda row: barred(row.mean("mean_ms"), slowest)),
        *columns_of("#p50: p50_ms | #p90: p90_ms | #p95: p95_ms | #p99: p99_ms | #max: max_ms", Place.range),
        wide=True,
    )


def times(findings: Findings) -> Iterator[object]:
    """Yield what the times consist of, how equally clients were served, and what connections were like."""
    spec, every = findings.run.specification, places(findings)
    lags = "#receive lag mean ms: mean_ms | #p50: p50_ms | #p99: p99_ms | #max ms: max_ms"
    yield from titled(
        "The driver's own part of the times",
        "Receive lag is how long the last byte of a response lay in the kernel until the driver read it, a part of "
        "every time above; the mean without it is what network and server took. It is not split where "
        f"{spec.timed}s failed, sub-resources were fetched or more than 1 % of the responses came without a stamp.",
        table(
            [lag for place in every for lag in place.parts([""], lambda w, _: w.receive_lag) if lag.known("mean_ms")],
            *place_columns(findings),
            *columns_of(f"#server mean ms: server_mean_ms | {lags}", Place.mean),
        ),
    )
    names = {"to the first byte": "first_byte", "page alone": "page", "whole": "total"}
    split = [place for place in every if any(window.first_byte or window.page for window in place.windows)]
    parts = [part for place in split for part in place.parts(names, lambda w, name: getattr(w, names[name]))]
    yield from titled(
        "Parts of the times",
        f"From the start of a {spec.timed} to the first byte of its last response, to its last without sub-resources.",
        table(
            [part for part in parts if part.known("mean_ms")],
            "combination: name | of the whole: part",
            ("#mean ms", lambda row: row.mean("mean_ms")),
            *columns_of("#p50: p50_ms | #p95: p95_ms | #max ms: max_ms", Place.range),
        ),
    )
    yield from _clients(findings, every)
    yield from _with_sub_resources(findings, every)
    yield from _connections(findings, every)


def _clients(findings: Findings, every: Sequence[Place]) -> Iterator[object]:
    spec = findings.run.specification
    fair = [(place, window.fairness) for place in every for window in place.windows if window.fairness]
    styles = {True: Style.PASSED, False: Style.FAILED, None: Style.MUTED}
    yield from titled(
        "How equally clients were served",
        f"The {spec.units} of each virtual user in each window, and the mean response times. Equal is a coefficient of "
        "variation of at most 10 % besides what chance adds, and no user beyond 25 % of the mean.",
        table(
            fair,
            "combination: 0.name",
            (f"#{findings.run.load_unit}", lambda row: row[1].clients),
            (f"#{spec.units}: min", lambda row: row[1].transactions_min),
            "#max: 1.transactions_max | #variation %: %1.transactions_cv",
            "#mean ms: min: 1.response_min_ms | #max: 1.response_max_ms | #variation %: %1.response_cv",
            ("verdict", lambda row: Cell(row[1].message, style=styles[row[1].equal])),
        ),
    )


def _with_sub_resources(findings: Findings, every: Sequence[Place]) -> Iterator[object]:
    fetched = any(window.sub_resources for place in every for window in place.windows)
    yield from titled(
        "Responses, with sub-resources",
        "Images, style sheets and scripts are responses too. Only combinations that send equally many for a page are "
        "ranked.",
        table(
            every if fetched else [],
            *place_columns(findings),
            (f"#{RESPONSES.unit}", lambda row: fmean(map(RESPONSES.of, row.windows))),
            (f"#{RESPONSES_EACH.title}", lambda row: fmean(map(RESPONSES_EACH.of, row.windows))),
        ),
    )


def _connections(findings: Findings, every: Sequence[Place]) -> Iterator[object]:
    closed = any(window.reconnected or window.odd_responses for place in every for window in place.windows)
    yield from titled(
        "Connections",
        "Opened inside the window; to open one after the server closed it is part of the response time.",
        table(
            every if closed else [],
            *place_columns(findings),
            *columns_of(
                "#opened: connections | #of them after the server had closed: reconnected | "
                "#odd responses: odd_responses",
                Place.mean,
            ),
        ),
    )
    yield from titled(
        "TLS",
        "Handshakes inside the first window; kept connections had theirs before it. The first of a user is full.",
        table(
            [(place, suite) for place in every for window in place.windows[:1] for suite in window.tls],
            "combination: 0.name | version: 1.version | cipher: 1.cipher",
            "#full: 1.full | #resumed: 1.resumed | #since the ramp-up began: 1.handshakes",
        ),
    )
