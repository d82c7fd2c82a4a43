"""The limits of a load: up to which its users are still answered in time."""

from __future__ import annotations

import math

from pydantic import Field

from middlemark.documents import Document
from middlemark.duration import Duration
from middlemark.records.run import LoadLimits
from middlemark.records.window import Window
from middlemark.search.seen import Seen
from middlemark.verdict.conditions import ERROR_LIMIT, error_share


class Limits(Document):
    """A load is outside when one of these is reached, over all transactions of the window; or arrivals never began."""

    mean: Duration = Field(Duration(3_000), description="mean response")
    p90: Duration | None = Field(None, description="90th percentile of the response")
    errors: float = Field(ERROR_LIMIT, gt=0, le=1, description="failed ÷ all transactions, 0 … 1")

    def seen(self, window: Window) -> Seen:
        """A window as a search sees it; one without any answer fails."""
        total = window.total
        strains = [_part(total.mean_ms, self.mean)] + ([] if self.p90 is None else [_part(total.p90_ms, self.p90)])
        return Seen(
            load=window.load,
            throughput=window.throughput_tps,
            response_s=total.mean_ms / 1000,
            strain=max(strains),
            failing=error_share(total, window.errors_by_kind) >= self.errors or window.failed("arrivals"),
            counts=window.valid,
        )

    @property
    def record(self) -> LoadLimits:
        """Return the limits as `run.json` has them."""
        return LoadLimits(mean_ms=self.mean.ms, p90_ms=None if self.p90 is None else self.p90.ms, errors=self.errors)


def _part(ms: float, limit: Duration) -> float:
    return ms / limit.ms if limit.ms else math.inf
