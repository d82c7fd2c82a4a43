"""`ledger.json`: the spread between starts by which a run is judged, as this machine's ledger had it."""

from __future__ import annotations

from typing import Literal

from middlemark.records.record import Record

LEDGER = "ledger.json"


class SeenSpread(Record):
    """How far starts of a subject lay apart: `squares` is the sum of squares of the logarithm of its leading figure.

    Divided by the `degrees` of freedom it is the variance between starts, without that of windows; what these hide
    has fewer degrees, and the sum may be below 0 where they scatter more than starts do. `starts` is how many it was
    seen in.
    """

    subject: str
    squares: float
    degrees: float
    starts: int


class Ledger(Record):
    """The whole file: what the machine's ledger knew of the run's subjects when it began."""

    v: Literal[1] = 1
    spreads: tuple[SeenSpread, ...] = ()

    def of(self, subject: str) -> SeenSpread | None:
        """What was seen of a subject; None for nothing."""
        return next((one for one in self.spreads if one.subject == subject), None)
