"""How many virtual users the limit on open files allows: a connection is a file of the driver and one of the entry."""

from __future__ import annotations

import resource
from collections.abc import Iterable, Iterator

from middlemark.errors import InputError
from middlemark.experiment.loads import Loads
from middlemark.records.run import Combination
from middlemark.workload.session import Session

# Files of a process beside the connections of users: connections to databases and other tiers, libraries, pollers.
SPARE = 512


def most_users(session: Session) -> int | None:
    """Return how many users of a session may have their connections open at once; None without a limit."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if hard == resource.RLIM_INFINITY else max(1, (hard - SPARE) // session.connections)


def reach_of_searches(loads: Loads, sessions: Iterable[tuple[Combination, Session]]) -> Iterator[tuple[str, int]]:
    """Yield the path of each combination whose search ends below the range of the file, and its last load.

    Raises InputError where a load that is written needs more open files than there may be, or the lowest of a search.
    """
    for combination, session in sessions:
        most = most_users(session)
        levels = loads.levels or (loads.range.low,)
        if most is not None and loads.users_at(levels[-1]) > most:
            raise InputError(
                f"{loads.users_at(levels[-1]):,} users need more open files than the limit (`ulimit -Hn`) allows: "
                f"a user of '{session.name}' has up to {session.connections} connections",
                todo=f"Raise the limit, as root or in /etc/security/limits.conf, or take at most {most:,} users",
            )
        if loads.search is not None and most is not None and loads.users_at(loads.range.high) > most:
            yield combination.path, most
