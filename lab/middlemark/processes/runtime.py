"""Where running labs are listed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from platformdirs import user_state_path

from middlemark.errors import HostError
from middlemark.processes.process_table import is_running
from middlemark.processes.watchdog_process import WatchList
from middlemark.saving import temporary_folder

PRIVATE = 0o700


def runtime_folder() -> Path:
    """Return the user's private folder for what runs now, making it: one file for each running lab lies in it.

    `$XDG_RUNTIME_DIR/middlemark`, else `~/.local/state/middlemark`, the user's state folder, else a folder with the
    user's number among the temporary files. Raises HostError when none of them can be made or belongs to somebody else.
    """
    tried = []
    for place in _places():
        if made_private(place):
            return place
        tried.append(place)
    raise HostError(
        "no private folder can be made for the list of running labs",
        where=", ".join(str(place) for place in tried),
        todo="Set XDG_RUNTIME_DIR to a folder of your own",
    )


def _places() -> Iterator[Path]:
    # platformdirs would take another folder where others may read this one; ours in it is private in any case.
    given = os.environ.get("XDG_RUNTIME_DIR")
    if given and os.access(given, os.W_OK):
        yield Path(given) / "middlemark"
    if os.access(Path.home(), os.W_OK):
        yield user_state_path("middlemark")
    yield temporary_folder() / f"middlemark-{os.getuid()}"


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
    watch_lists = [watch_list for registry in sorted(folder.glob("*.json")) if (watch_list := watch_list_in(registry))]
    return [
        watch_list.lab_pid
        for watch_list in watch_lists
        if watch_list.result
        and watch_list.lab_pid != os.getpid()
        and is_running(watch_list.lab_pid, watch_list.lab_started)
    ]


def running_labs(folder: Path) -> list[str]:
    """Return the tokens of the labs of this user that still run, or are cleared up after."""
    watch_lists = (watch_list_in(registry) for registry in folder.glob("*.json"))
    return [one.token for one in watch_lists if one and is_looked_after(one)]


def looked_after(folder: Path, result: Path) -> int | None:
    """Return the process id of the lab that writes into a result folder, or of the watchdog that clears up after it."""
    for watch_list in (watch_list_in(registry) for registry in sorted(folder.glob("*.json"))):
        if (
            watch_list
            and watch_list.result
            and Path(watch_list.result).resolve() == result.resolve()
            and is_looked_after(watch_list)
        ):
            alive = is_running(watch_list.lab_pid, watch_list.lab_started)
            return watch_list.lab_pid if alive else watch_list.watchdog_pid
    return None


def is_looked_after(watch_list: WatchList) -> bool:
    """Say whether the lab or its watchdog still runs."""
    return is_running(watch_list.lab_pid, watch_list.lab_started) or is_running(
        watch_list.watchdog_pid, watch_list.watchdog_started
    )


def watch_list_in(registry: Path) -> WatchList | None:
    """Return what a registry file says; None when it cannot be read."""
    try:
        return WatchList.from_json(registry.read_text())
    except (OSError, ValueError, KeyError, TypeError):
        return None
