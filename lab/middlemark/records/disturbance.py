"""What disturbed a window, seen without a look at the figures of what is measured."""

from __future__ import annotations

from middlemark.records.record import Record


class Disturbance(Record):
    """One excess of a witness: the share that it `found`, and its `limit`; `text` is both in words."""

    witness: str
    found: float
    limit: float
    text: str

    def is_at_least(self, times: float) -> bool:
        """Whether it found so many times its limit."""
        return self.found >= times * self.limit
