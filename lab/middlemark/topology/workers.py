"""The workers of a server: who they run as when root starts it, how many CPUs they have, what they must reach.

Root's workers run as nobody. They pass through the folders above what they serve, and read that.
"""

from __future__ import annotations

import grp
import os
import pwd
import stat
from collections.abc import Collection, Iterable
from pathlib import Path

from middlemark.errors import HostError
from middlemark.processes.affinity import usable_cpus

NOBODY = "nobody"
FOR_EVERYBODY = 0o711  # who knows the name of a folder passes through it
_OTHERS_PASS = stat.S_IXOTH


def account() -> dict[str, str | None]:
    """Return the templates' `account` and `group`: whom workers run as, none for those of an ordinary user."""
    if os.geteuid():
        return {"account": None, "group": None}
    return {"account": NOBODY, "group": grp.getgrgid(pwd.getpwnam(NOBODY).pw_gid).gr_name}


def count_of(cpus: Collection[int]) -> int:
    """Return how many CPUs the workers have that are kept on these; on none: those of the lab."""
    return len(cpus) or len(usable_cpus()) or os.cpu_count() or 1


def require_passable(paths: Iterable[Path]) -> None:
    """Raise HostError when root's workers, which run as nobody, cannot reach one of the folders."""
    if os.geteuid():
        return
    for path in paths:
        place = path.resolve()
        for folder in (place, *place.parents):
            if not folder.stat().st_mode & _OTHERS_PASS:
                raise HostError(
                    f"the server's workers run as {NOBODY} and cannot reach {place}",
                    where=str(folder),
                    todo="Let others pass through this folder (chmod o+x), or run the lab as an ordinary user",
                )
