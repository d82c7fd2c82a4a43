"""The figures of each virtual user as a table: a file of comma-separated values."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from middlemark.records.driver_lines import Client

CLIENTS = "clients.csv"
COLUMNS = ("user", "transactions", "errors", "mean_ms", "p50_ms", "p99_ms", "max_ms")


def write_clients(clients: Sequence[Client] | None, path: Path) -> None:
    """Write what each user saw in the measured window, if the driver reported it."""
    if clients is None:
        return
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        for client in clients:
            times = client.response_ms
            table.writerow(
                (client.user, client.transactions, client.errors, times.mean, times.p50, times.p99, times.max)
            )
