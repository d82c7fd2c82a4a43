"""The watchdog: a small process that outlives the lab and stops what it left behind. Standard library only.

It reads JSON lines from the lab on stdin. Their end without a goodbye means that the lab was killed: then it stops what
it was told to watch, part by part, removes the folders it was told to remove, and writes `stopped.json`. What it knows
lies in its registry file all the time, so that `middlemark doctor` can do the same if the watchdog was killed too.

    {"do": "watch", "process": {…}}     {"do": "forget", "pid": 4711}
    {"do": "remove", "folder": "…"}     {"do": "keep", "folder": "…"}
    {"do": "drop", "url": "…"}          {"do": "dropped", "url": "…"}
    {"do": "result", "folder": "…"}
    {"do": "goodbye"}                   {"do": "take over"}     nothing is left / stop what is left
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import shutil
import signal
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from middlemark.processes.ending import Ended, Ending, How, Part, Watched, Whom, end
from middlemark.processes.process_table import entry_of

HURRY_SECONDS = 5.0
"""How long each step of an ending may take once the lab is gone: nobody waits for the rest of a run any more."""

REMOVABLE_DEPTH = 3
"""A folder nearer to the root than /a/b is never removed, whatever the lab says."""


@dataclass
class WatchList:
    """What a watchdog looks after: the lab's processes and folders. Its registry file holds the same as JSON.

    `servers`: URLs of PostgreSQL servers of the user's, where databases with the token in their names may lie.
    """

    token: str
    lab_pid: int
    lab_started: str
    watchdog_pid: int
    watchdog_started: str
    watched: dict[int, Watched] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)
    servers: list[str] = field(default_factory=list)
    result: str = ""

    def to_json(self) -> str:
        """Return the watch_list as the text of a registry file."""
        content = dataclasses.asdict(self)
        content["watched"] = [dataclasses.asdict(one) for one in self.watched.values()]
        return json.dumps(content, indent=1)

    @staticmethod
    def from_json(text: str) -> WatchList:
        """Return the watch_list in a registry file; raise ValueError, KeyError or TypeError when it is none."""
        content = json.loads(text)
        watched = [watched_from(one) for one in content.pop("watched")]
        return WatchList(**content, watched={one.pid: one for one in watched})


def watched_from(content: dict[str, object]) -> Watched:
    """Return the process that the lab, or a registry file, describes."""
    ending = content["ending"]
    if not isinstance(ending, dict):
        raise TypeError("an ending is an object")
    return Watched(
        pid=int(str(content["pid"])),
        started=str(content["started"]),
        part=Part(str(content["part"])),
        name=str(content["name"]),
        token=str(content["token"]),
        ending=Ending(tuple((str(name), float(s)) for name, s in ending["steps"]), Whom(ending["whom"])),
    )


def stop_all(watch_list: WatchList) -> list[tuple[Watched, Ended]]:
    """End every watched process: part by part, the processes of one part at the same time."""
    ended: list[tuple[Watched, Ended]] = []
    for part in Part:
        together = [one for one in watch_list.watched.values() if one.part is part]
        threads = [threading.Thread(target=_end_into, args=(ended, one)) for one in together]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return ended


def _end_into(ended: list[tuple[Watched, Ended]], one: Watched) -> None:
    ended.append((one, end(one, hurry=HURRY_SECONDS)))


def remove_folders(watch_list: WatchList) -> list[str]:
    """Remove the folders the lab made for itself and return those that are gone."""
    gone = []
    for name in watch_list.folders:
        folder = Path(name)
        if not folder.is_absolute() or len(folder.parts) < REMOVABLE_DEPTH or folder.is_symlink():
            continue
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            gone.append(name)
    return gone


def clear_up(watch_list: WatchList, registry: Path, reason: str) -> list[tuple[Watched, Ended]]:
    """Stop and remove everything on the list, write `stopped.json`, and remove the registry file if nothing is left."""
    ended = stop_all(watch_list)
    removed = remove_folders(watch_list)
    if watch_list.result and Path(watch_list.result).is_dir():
        _write(Path(watch_list.result) / "stopped.json", _stopped(watch_list, reason, ended, removed))
    if not watch_list.servers and not any(how.how is How.SURVIVED for _, how in ended):
        registry.unlink(missing_ok=True)
    return ended


def _stopped(watch_list: WatchList, reason: str, ended: list[tuple[Watched, Ended]], removed: list[str]) -> str:
    processes = [
        {
            "part": one.part,
            "name": one.name,
            "pid": one.pid,
            "how": how.how,
            "signal": how.signal,
            "processes": how.processes,
            "seconds": round(how.seconds, 3),
        }
        for one, how in ended
    ]
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    content = {"v": 1, "when": when, "reason": reason, "lab_pid": watch_list.lab_pid, "processes": processes}
    return json.dumps({**content, "removed": removed}, indent=1) + "\n"


def _write(path: Path, text: str) -> None:
    """Write the file as a whole or not at all: a full disk must not end the watchdog."""
    new = path.with_name(f"{path.name}.new")
    try:
        new.write_text(text)
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)


def _obey(watch_list: WatchList, message: dict[str, object]) -> None:
    """Change `watch_list` as one line of the lab says."""
    folder = str(message.get("folder", ""))
    match message["do"]:
        case "watch":
            process = message["process"]
            if isinstance(process, dict):
                watched = watched_from(process)
                watch_list.watched[watched.pid] = watched
        case "forget":
            watch_list.watched.pop(int(str(message["pid"])), None)
        case "remove":
            watch_list.folders.append(folder)
        case "keep":
            with contextlib.suppress(ValueError):
                watch_list.folders.remove(folder)
        case "drop":
            watch_list.servers.append(str(message["url"]))
        case "dropped":
            with contextlib.suppress(ValueError):
                watch_list.servers.remove(str(message["url"]))
        case "result":
            watch_list.result = folder


def main(token: str, lab_pid: int, registry: Path) -> None:
    """Look after the lab `lab_pid` until its goodbye, or clear up after its sudden end."""
    # Ctrl-C is meant for the lab; and the watchdog ends by itself as soon as the lab has ended.
    for what in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT, signal.SIGTSTP, signal.SIGPIPE):
        signal.signal(what, signal.SIG_IGN)
    lab, me = entry_of(lab_pid), entry_of(os.getpid())
    watch_list = WatchList(token, lab_pid, lab.started if lab else "", os.getpid(), me.started if me else "")
    _write(registry, watch_list.to_json())
    print("ready", flush=True)
    reason = "the lab was killed"
    for line in sys.stdin:
        # The last line may be cut off by the lab's death: it then names nothing that was started.
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if message["do"] == "goodbye":
            registry.unlink(missing_ok=True)
            return
        if message["do"] == "take over":
            reason = "the lab was interrupted while it stopped what it had started"
            break
        _obey(watch_list, message)
        _write(registry, watch_list.to_json())
    clear_up(watch_list, registry, reason)
