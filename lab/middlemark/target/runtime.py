"""Where running labs are listed, and what is done about labs that are gone but left something running."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from middlemark.errors import HostError
from middlemark.target.ending import Ended, Watched, members
from middlemark.target.guard_process import Charge, clear_up
from middlemark.target.left_databases import drop_left_databases, left_databases
from middlemark.target.process_table import is_running

PRIVATE = 0o700


def runtime_folder() -> Path:
    """Return the user's private folder for what runs now, making it: one file for each running lab lies in it.

    `$XDG_RUNTIME_DIR/middlemark`, else `~/.local/state/middlemark`, else a folder with the user's number among the
    temporary files. Raises HostError when none of them can be made or belongs to somebody else.
    """
    places = [Path(tempfile.gettempdir()) / f"middlemark-{os.getuid()}"]
    home = Path.home()
    if home.is_dir() and os.access(home, os.W_OK):
        places.insert(0, home / ".local" / "state" / "middlemark")
    given = os.environ.get("XDG_RUNTIME_DIR")
    if given and os.access(given, os.W_OK):
        places.insert(0, Path(given) / "middlemark")
    for place in places:
        if made_private(place):
            return place
    raise HostError(
        "no private folder can be made for the list of running labs",
        where=", ".join(str(place) for place in places),
        todo="Set XDG_RUNTIME_DIR to a folder of your own",
    )


def made_private(folder: Path) -> bool:
    """Make the folder if need be and close it to everybody else; tell whether it is the user's own now."""
    try:
        folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        state = folder.lstat()
        if state.st_uid != os.getuid() or not folder.is_dir() or folder.is_symlink():
            return False
        folder.chmod(PRIVATE)
    except OSError:
        return False
    return True


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
        charge = _charge_in(registry)
        if charge is None or _is_looked_after(charge):
            continue
        left = LeftOver(registry, charge, [one for one in charge.watched.values() if members(one)], *_databases(charge))
        if left.running or left.folders or left.databases or left.silent:
            found.append(left)
        else:
            registry.unlink(missing_ok=True)
    return found


def other_runs(folder: Path) -> list[int]:
    """Return the process ids of other labs of this user that are measuring now."""
    charges = [charge for registry in sorted(folder.glob("*.json")) if (charge := _charge_in(registry))]
    return [
        charge.lab_pid
        for charge in charges
        if charge.result and charge.lab_pid != os.getpid() and is_running(charge.lab_pid, charge.lab_started)
    ]


def looked_after(folder: Path, result: Path) -> int | None:
    """Return the process id of the lab that writes into a result folder, or of the guard that clears up after it."""
    for charge in (_charge_in(registry) for registry in sorted(folder.glob("*.json"))):
        if charge and charge.result and Path(charge.result).resolve() == result.resolve() and _is_looked_after(charge):
            alive = is_running(charge.lab_pid, charge.lab_started)
            return charge.lab_pid if alive else charge.guard_pid
    return None


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


def _is_looked_after(charge: Charge) -> bool:
    return is_running(charge.lab_pid, charge.lab_started) or is_running(charge.guard_pid, charge.guard_started)


def _charge_in(registry: Path) -> Charge | None:
    try:
        return Charge.from_json(registry.read_text())
    except (OSError, ValueError, KeyError, TypeError):
        return None
