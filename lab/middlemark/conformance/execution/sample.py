"""The sample of a verification: few executions, always the same, that notice a broken platform.

Of the cases: the canonical pages, the first case of each topic, and one in five of the others by its name, so that a
case is in or out whatever stands beside it. Those with settings of their own are out: they need an application of their
own, and starting one costs some platforms more than all these cases. Of the configurations: the first one, where a case
calls over one interface instead of all, and one in which every mode has its last value, with one in five of what runs
there.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from middlemark.conformance.cases.placed import Placed

_ONE_IN = 5


def number_of(placed: Placed) -> int:
    """Return a number that only the name of the case decides."""
    return zlib.crc32(placed.case.name.encode())


def is_picked(placed: Placed) -> bool:
    """Say whether the name of a case puts it into every sample."""
    return number_of(placed) % _ONE_IN == 0


def sample_of(cases: Sequence[Placed]) -> tuple[Placed, ...]:
    """Return the cases of the sample in their order."""
    alike = [placed for placed in cases if not placed.settings]
    first = {placed.topic: placed for placed in reversed(alike)}
    return tuple(one for one in alike if one.is_page or is_picked(one) or first[one.topic] is one)
