"""Where running labs are listed."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from middlemark.errors import HostError
from middlemark.processes.guard_process import Charge
from middlemark.processes.process_table import is_running

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


def other_runs(folder: Path) -> list[int]:
    """Return the process ids of other labs of this user that are measuring now."""
    charges = [charge for registry in sorted(folder.glob("*.json")) if (charge := charge_in(registry))]
    return [
        charge.lab_pid
        for charge in charges
        if charge.result and charge.lab_pid != os.getpid() and is_running(charge.lab_pid, charge.lab_started)
    ]


def looked_after(folder: Path, result: Path) -> int | None:
    """Return the process id of the lab that writes into a result folder, or of the guard that clears up after it."""
    for charge in (charge_in(registry) for registry in sorted(folder.glob("*.json"))):
        if charge and charge.result and Path(charge.result).resolve() == result.resolve() and is_looked_after(charge):
            alive = is_running(charge.lab_pid, charge.lab_started)
            return charge.lab_pid if alive else charge.guard_pid
    return None


def is_looked_after(charge: Charge) -> bool:
    """Say whether the lab or its guard still runs."""
    return is_running(charge.lab_pid, charge.lab_started) or is_running(charge.guard_pid, charge.guard_started)


def charge_in(registry: Path) -> Charge | None:
    """Return what a registry file says; None when it cannot be read."""
    try:
        return Charge.from_json(registry.read_text())
    except (OSError, ValueError, KeyError, TypeError):
        return None
