"""Tables of response times: of each transaction, what they consist of, and how equally clients were served."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import fmean

from middlemark.records.findings import Findings
from middlemark.records.window import TransactionFigures, Window
from middlemark.show.places import Place, place_columns, places
from middlemark.show.tables import (
    Cell,
    Heading,
    Style,
    Table,
    Text,
    Value,
    barred,
    fold,
    rounded,
    span,
    table,
    titled,
)

PERCENT = 100.0


def transactions(findings: Findings) -> Iterator[object]:
    """Yield the figures of each transaction of each combination, load by load."""
    spec = findings.run.specification
    yield Text(
        "Only complete and valid responses inside the window count; times in ms. Means of the rounds that count; of "
        "percentiles, which are never averaged, the lowest and the highest round. The bar shows the mean against the "
        "slowest row of the table. The figures of every window are in the CSV file."
    )
    for number, load in enumerate(sorted(findings.run.loads, reverse=True)):
        found = places(findings, [load])
        inside = [one for place in found for one in (Heading(place.name), _transactions(place, spec.unit, spec.units))]
        if inside:
            yield fold(findings.run.load_name(load), *inside, is_open=number == 0)


def _transactions(place: Place, unit: str, units: str) -> Table | None:
    names = sorted({name for window in place.windows for name in window.transactions})
    rows = [(name, _of_transaction(name)) for name in names]
    slowest = max((place.mean(_time(of, "mean_ms")) or 0.0 for _, of in rows), default=0.0)
    rows.append((f"all {units}", lambda window: window.total))
    return table(
        rows,
        (unit, lambda row: row[0]),
        ("#count", lambda row: sum(one.count for one in _known(place, row[1]))),
        ("#errors", lambda row: _errors(sum(one.errors for one in _known(place, row[1])))),
        ("#per s", lambda row: place.mean(_time(row[1], "tps"))),
        ("#mean ms", lambda row: barred(place.mean(_time(row[1], "mean_ms")), slowest)),
        *(
            (f"#{title}", lambda row, name=name: _range([getattr(one, name) for one in _known(place, row[1])]))
            for title, name in (
                ("p50", "p50_ms"),
                ("p90", "p90_ms"),
                ("p95", "p95_ms"),
                ("p99", "p99_ms"),
                ("max", "max_ms"),
            )
        ),
        wide=True,
    )


def _of_transaction(name: str) -> Callable[[Window], TransactionFigures | None]:
    return lambda window: window.transactions.get(name)


def _known(place: Place, of: Callable[[Window], TransactionFigures | None]) -> list[TransactionFigures]:
    return [one for window in place.windows if (one := of(window)) is not None]


def _time(of: Callable[[Window], TransactionFigures | None], name: str) -> Callable[[Window], float | None]:
    def value(window: Window) -> float | None:
        figures = of(window)
        return None if figures is None else float(getattr(figures, name))

    return value


def _range(values: list[float]) -> Value:
    if not values:
        return None
    low, high = min(values), max(values)
    return Cell(rounded(low) if rounded(low) == rounded(high) else span(low, high), exact=fmean(values))


def _errors(count: int) -> Cell:
    return Cell(f"{count:,}", exact=count, style=Style.FAILED if count else Style.PLAIN)


def times(findings: Findings) -> Iterator[object]:
    """Yield what the times consist of, how equally clients were served, and what connections were like."""
    spec, every = findings.run.specification, places(findings)
    lag = [place for place in every if any(window.receive_lag for window in place.windows)]
    yield from titled(
        "The driver's own part of the times",
        "Receive lag is how long the last byte of a response lay in the kernel until the driver read it; it is part of "
        "every time above. The mean without these lags is what network and server took. It is not split where "
        f"{spec.units} failed, sub-resources of pages were fetched or more than 1 % of the responses came without a "
        "stamp.",
        table(
            lag,
            *place_columns(findings),
            ("#server mean ms", _lag("server_mean_ms")),
            ("#receive lag mean ms", _lag("mean_ms")),
            ("#p50", _lag("p50_ms")),
            ("#p99", _lag("p99_ms")),
            ("#max ms", _lag("max_ms")),
        ),
    )
    parts = [
        (place, name, of)
        for place in every
        for name, of in (
            ("to the first byte", lambda window: window.first_byte),
            ("page alone", lambda window: window.page),
            ("whole", lambda window: window.total),
        )
        if any(window.first_byte or window.page for window in place.windows) and _known(place, of)
    ]
    yield from titled(
        "Parts of the times",
        f"From the start of a {spec.unit} to the first byte of its last response, and to that response's last byte "
        "without the sub-resources of the page.",
        table(
            parts,
            ("combination", lambda row: row[0].name),
            ("of the whole", lambda row: row[1]),
            ("#mean ms", lambda row: row[0].mean(_time(row[2], "mean_ms"))),
            ("#p50", lambda row: _range([one.p50_ms for one in _known(row[0], row[2])])),
            ("#p95", lambda row: _range([one.p95_ms for one in _known(row[0], row[2])])),
            ("#max ms", lambda row: _range([one.max_ms for one in _known(row[0], row[2])])),
        ),
    )
    yield from _clients(findings, every)


def _clients(findings: Findings, every: list[Place]) -> Iterator[object]:
    spec = findings.run.specification
    fair = [(place, window.fairness) for place in every for window in place.windows if window.fairness]
    styles = {True: Style.PASSED, False: Style.FAILED, None: Style.MUTED}
    yield from titled(
        "How equally clients were served",
        f"The {spec.units} of each virtual user in each window, and the mean response times. Equal is a coefficient of "
        "variation of at most 10 % besides what chance adds, and no user beyond 25 % of the mean.",
        table(
            fair,
            ("combination", lambda row: row[0].name),
            (f"#{findings.run.load_unit}", lambda row: row[1].clients),
            (f"#{spec.units}: min", lambda row: row[1].transactions_min),
            ("#max", lambda row: row[1].transactions_max),
            ("#variation %", lambda row: PERCENT * row[1].transactions_cv),
            ("#mean ms: min", lambda row: row[1].response_min_ms),
            ("#max", lambda row: row[1].response_max_ms),
            ("#variation %", lambda row: None if row[1].response_cv is None else PERCENT * row[1].response_cv),
            ("verdict", lambda row: Cell(row[1].message, style=styles[row[1].equal])),
        ),
    )
    closed = any(window.reconnected for place in every for window in place.windows)
    yield from titled(
        "Connections",
        "Opened inside the window. A server may close a connection that is kept; the next request opens another one, "
        "as browsers do, and the time that takes is part of its response time.",
        table(
            every if closed else [],
            *place_columns(findings),
            ("#opened", lambda one: one.mean(lambda window: float(window.connections))),
            ("#of them after the server had closed", lambda one: one.mean(lambda window: float(window.reconnected))),
        ),
    )
    suites = [(place, suite) for place in every for window in place.windows[:1] for suite in window.tls]
    yield from titled(
        "TLS",
        "Handshakes inside the first window. A connection that is kept has its handshake before it; the first "
        "handshake of each user is always full.",
        table(
            suites,
            ("combination", lambda row: row[0].name),
            ("version", lambda row: row[1].version),
            ("cipher", lambda row: row[1].cipher),
            ("#full", lambda row: row[1].full),
            ("#resumed", lambda row: row[1].resumed),
            ("#since the ramp-up began", lambda row: row[1].handshakes),
        ),
    )


def _lag(name: str) -> Callable[[Place], Value]:
    return lambda place: place.mean(lambda window: getattr(window.receive_lag, name, None))
