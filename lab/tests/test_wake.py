"""The driver wakes exactly where response times are ranked."""

from __future__ import annotations

import pytest

from middlemark.experiment.wake import wake_of
from middlemark.records.placement import Placement
from middlemark.workload.plan import WakeUps

APART, SHARED = Placement(shared=False, driver_shares=False), Placement(shared=False)


@pytest.mark.parametrize(
    ("placements", "expected"),
    [([APART, APART], WakeUps.EXACT), ([APART, SHARED], None), ([SHARED], None)],
)
def test_the_driver_wakes_exactly_where_it_has_cpus_of_its_own(
    placements: list[Placement], expected: WakeUps | None
) -> None:
    assert wake_of(None, placements) is expected


def test_an_experiment_decides_for_itself() -> None:
    assert wake_of(WakeUps.COALESCED, [APART]) is WakeUps.COALESCED
    assert wake_of(WakeUps.EXACT, [SHARED]) is WakeUps.EXACT
