"""What a reader must know to judge or repeat a run besides the machine: the versions, the inputs, what was tuned."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from middlemark import __version__
from middlemark.experiment.phases import warm_up_text
from middlemark.experiment.preparation import Preparation
from middlemark.experiment.wake import wake_of
from middlemark.records.run_parts import Tuning
from middlemark.specification.specification import FILE, Specification
from middlemark.subject.build import content_hash
from middlemark.subject.platform import called, check_toolchain
from middlemark.subject.server import PROXY, Server
from middlemark.subject.tuning import tuning_of
from middlemark.workload.driver import driver_path


def versions(preparation: Preparation, driver: str) -> dict[str, str]:
    """Return component: version of what takes part besides the applications, which show their own in `/about`."""
    found = {"middlemark": __version__, "middlemark-driver": driver, "python": platform.python_version()}
    for subject in preparation.subjects.all.values():
        found[f"{called(subject.platform)}, which builds {subject.platform.name}"] = check_toolchain(subject.platform)
    return found | {server.name: server.version() for server in _servers(preparation)}


def inputs(preparation: Preparation, changed: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of all that decides what is run, by name; of a platform its digest as `build` has it.

    `changed` files of the checkout are among them: they are in no commit.
    """
    home = preparation.home
    files = [preparation.file, *preparation.session_files, home / "specs" / "README.md"]
    files += [*_files_of(preparation.specification), home / "databases" / "postgresql" / "postgresql.conf"]
    files += [file for server in _servers(preparation) for file in server.files]
    files += [home / name for name in changed]
    found = hashes((file for file in dict.fromkeys(files) if file.is_file()), home)
    found["middlemark-driver"] = hashlib.sha256(driver_path().read_bytes()).hexdigest()
    for subject in preparation.subjects.all.values():
        name = f"platforms/{subject.platform.name} and specs/{subject.spec} (first 16 digits, with the toolchain)"
        found[name] = content_hash(subject, home, check_toolchain(subject.platform))
    return found


def tuning(preparation: Preparation) -> list[Tuning]:
    """Return the tuning log of every platform that takes part, each once."""
    platforms = {subject.platform.name: subject.platform for subject in preparation.subjects.all.values()}
    return [tuning_of(one) for one in platforms.values()]


def not_default(preparation: Preparation) -> list[dict[str, str]]:
    """Return what differs from the defaults of the specification, the sessions, the lab and the reverse proxies."""
    experiment = preparation.experiment
    rows = [*_other_think(preparation), *_other_warm_ups(preparation)]
    rows += [
        {"what": name, "value": ", ".join(values), "why": "set by the experiment"}
        for name, values in experiment.settings.items()
    ]
    rows += [
        {**row.row, "what": f"{name}: {row.what}"}
        for name, proxy in preparation.reverse_proxies.items()
        for row in proxy.not_default(PROXY)
    ]
    if experiment.wake is not None:
        rows.append({"what": "wake-ups of the driver", "value": experiment.wake, "why": "set by the experiment"})
    elif wake := wake_of(None, map(preparation.cpus.of, preparation.combinations)):
        rows.append({"what": "wake-ups of the driver", "value": wake, "why": "response times are ranked"})
    return rows


def hashes(files: Iterable[Path], root: Path) -> dict[str, str]:
    """Return the SHA-256 of each file by its path relative to `root`, or by its name when it lies elsewhere."""
    return {_name(path, root): hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(files)}


def now() -> str:
    """Return the time as RFC 3339 in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _files_of(specification: Specification) -> Iterator[Path]:
    """Yield the files of a specification on which figures depend: rules, contracts, data sets, audits, file sets."""
    folder, description = specification.folder, specification.description
    yield from (folder / FILE, folder / "README.md")
    yield from (folder / one.file for one in description.interfaces.values())
    yield from (folder / one.query for one in description.unfinished.values())
    yield from folder.glob("audit/*")
    for name in description.databases:
        own = specification.database_folder(name)
        yield from (own / file for file in ("schema.sql", "dataset.toml", "keys.sql"))
        yield from own.glob("audit/*")
    for files in description.files.values():
        yield from (folder / files.folder).rglob("*") if files.folder else ()
        yield from (folder / files.made,) if files.made else ()


def _servers(preparation: Preparation) -> list[Server]:
    """Return the servers that host a subject or stand before one, each once."""
    hosts = (subject.server for subject in preparation.subjects.all.values() if subject.server is not None)
    return list({server.name: server for server in (*hosts, *preparation.reverse_proxies.values())}.values())


def _other_think(preparation: Preparation) -> Iterator[dict[str, str]]:
    """Yield the think time when it is not the sessions' own."""
    own = ", ".join(dict.fromkeys(str(session.think) for session in preparation.sessions.values()))
    think = preparation.experiment.think
    if think and str(think) != own:
        yield {
            "what": "think time",
            "value": str(think),
            "why": f"set by the experiment; the session's own is {own}",
        }


def _other_warm_ups(preparation: Preparation) -> Iterator[dict[str, str]]:
    """Yield what the warm-up has of its own."""
    users = preparation.experiment.warm_users
    if users is not None:
        why = "set by the experiment, instead of the load"
        yield {"what": "load of the warm-up", "value": warm_up_text(users), "why": why}


def _name(path: Path, root: Path) -> str:
    return str(path.relative_to(root)) if path.is_relative_to(root) else path.name
