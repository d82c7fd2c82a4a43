"""How the driver wakes for what is due: exactly where response times are ranked."""

from __future__ import annotations

from collections.abc import Iterable

from middlemark.records.placement import Placement
from middlemark.workload.plan import WakeUps


def wake_of(requested: WakeUps | None, placements: Iterable[Placement]) -> WakeUps | None:
    """Return what is `requested`, else exact if no CPU is shared in any placement, else None: the default.

    Coalesced wake-ups send requests in bursts, whose responses take longer (docs/reference/driver.md). Where CPUs are
    shared, response times are not ranked, and the CPU time that exact wake-ups cost would be taken from others.
    """
    if requested is not None:
        return requested
    return None if any(one.shared or one.driver_shares for one in placements) else WakeUps.EXACT
