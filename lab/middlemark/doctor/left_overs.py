"""What labs that are gone have left running or lying, and how it is stopped and removed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from middlemark.databases.left_databases import drop_left_databases, left_databases
from middlemark.errors import HostError
from middlemark.processes.ending import Ended, Watched, members
from middlemark.processes.guard_process import Charge, clear_up
from middlemark.processes.runtime import charge_in, is_looked_after


@dataclass(frozen=True)
class LeftOver:
    """A lab that is gone, with what it left: running processes, folders, databases. `registry` is its file.

    `databases`: names by the URL of the server of the user's they lie in. `silent`: servers that cannot be asked, with
    the reason.
    """

    registry: Path
    charge: Charge
    running: list[Watched]
    databases: dict[str, list[str]]
    silent: dict[str, HostError]

    @property
    def folders(self) -> list[str]:
        """Return the folders of the lost lab that still exist."""
        return [folder for folder in self.charge.folders if Path(folder).exists()]


def left_overs(folder: Path) -> list[LeftOver]:
    """Return what labs left whose guard was lost too; forget those that left nothing."""
    found = []
    for registry in sorted(folder.glob("*.json")):
        charge = charge_in(registry)
        if charge is None or is_looked_after(charge):
            continue
        left = LeftOver(registry, charge, [one for one in charge.watched.values() if members(one)], *_databases(charge))
        if left.running or left.folders or left.databases or left.silent:
            found.append(left)
        else:
            registry.unlink(missing_ok=True)
    return found


def stop_left_over(left: LeftOver) -> list[tuple[Watched, Ended]]:
    """Stop and remove what a lost lab left, as its guard would have done, and say how each process ended.

    Databases in servers that cannot be asked stay, and so does the registry. HostError when one cannot be dropped.
    """
    for url in left.databases:
        drop_left_databases(url, left.charge.token)
    left.charge.servers[:] = left.silent
    return clear_up(
        left.charge, left.registry, "the lab and its guard were lost; stopped by `middlemark doctor --stop`"
    )


def _databases(charge: Charge) -> tuple[dict[str, list[str]], dict[str, HostError]]:
    found: dict[str, list[str]] = {}
    silent: dict[str, HostError] = {}
    for url in charge.servers:
        try:
            names = left_databases(url, charge.token)
        except HostError as error:
            silent[url] = error
        else:
            found |= {url: names} if names else {}
    return found, silent
