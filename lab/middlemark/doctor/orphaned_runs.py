"""What orphaned runs have left running or lying, and how it is stopped and removed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from middlemark.databases.orphaned_databases import drop_copies, drop_databases, has_left_copies, orphaned_databases
from middlemark.errors import HostError
from middlemark.processes.ending import Ended, Watched, members
from middlemark.processes.runtime import is_looked_after, watch_list_in
from middlemark.processes.watchdog_process import WatchList, clear_up


@dataclass(frozen=True)
class OrphanedRun:
    """A run whose lab is gone, with what it left: running processes, folders, databases. `registry` is its file.

    `databases`: names by the URL of the server of the user's they lie in. `copies`: URLs of databases with copies of
    their tables. `silent`: servers that cannot be asked, with the reason.
    """

    registry: Path
    watch_list: WatchList
    running: list[Watched]
    databases: dict[str, list[str]]
    copies: list[str]
    silent: dict[str, HostError]

    @property
    def folders(self) -> list[str]:
        """Return the folders of the run that still exist."""
        return [folder for folder in self.watch_list.folders if Path(folder).exists()]


def orphaned_runs(folder: Path) -> list[OrphanedRun]:
    """Return the runs whose lab and watchdog are gone; forget those that left nothing."""
    found = []
    for registry in sorted(folder.glob("*.json")):
        watch_list = watch_list_in(registry)
        if watch_list is None or is_looked_after(watch_list):
            continue
        left = OrphanedRun(
            registry, watch_list, [one for one in watch_list.watched.values() if members(one)], *_databases(watch_list)
        )
        if left.running or left.folders or left.databases or left.copies or left.silent:
            found.append(left)
        else:
            registry.unlink(missing_ok=True)
    return found


def stop_orphaned_run(left: OrphanedRun) -> list[tuple[Watched, Ended]]:
    """Stop and remove what an orphaned run left, as its watchdog would have done; return how each process ended.

    Databases in servers that cannot be asked stay, and so does the registry. HostError when one cannot be dropped.
    """
    for url, names in left.databases.items():
        drop_databases(url, names)
    for url in left.copies:
        drop_copies(url)
    left.watch_list.servers[:] = left.silent
    return clear_up(
        left.watch_list, left.registry, "the lab and its watchdog were lost; stopped by `middlemark doctor --stop`"
    )


def _databases(watch_list: WatchList) -> tuple[dict[str, list[str]], list[str], dict[str, HostError]]:
    found: dict[str, list[str]] = {}
    copies: list[str] = []
    silent: dict[str, HostError] = {}
    for url in watch_list.servers:
        try:
            names = orphaned_databases(url, watch_list.token)
            copies += [url] if has_left_copies(url) else []
        except HostError as error:
            silent[url] = error
        else:
            found |= {url: names} if names else {}
    return found, copies, silent
