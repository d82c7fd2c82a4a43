"""What a reader must know to judge or repeat a run besides the machine: the versions, the inputs, what was tuned."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from middlemark import __version__
from middlemark.experiment.preparation import Preparation
from middlemark.records.run import Tuning
from middlemark.subject.build import content_hash
from middlemark.subject.platform import called, check_toolchain
from middlemark.subject.server import Server
from middlemark.subject.tuning import tuning_of
from middlemark.workload.driver import driver_path


def versions(preparation: Preparation, driver: str) -> dict[str, str]:
    """Return component: version of what takes part besides the applications, which tell their own by `/about`."""
    found = {"middlemark": __version__, "middlemark-driver": driver, "python": platform.python_version()}
    for subject in preparation.subjects.values():
        found[f"{called(subject.platform)}, which builds {subject.platform.name}"] = check_toolchain(subject.platform)
    return found | {server.name: server.version() for server in _servers(preparation)}


def inputs(preparation: Preparation, changed: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of all that decides what is run, by name; of a platform its digest as `build` has it.

    `changed` files of the checkout are among them: they are in no commit.
    """
    home, spec = preparation.home, preparation.spec_folder
    files = [preparation.file, preparation.session_file, home / "specs" / "README.md"]
    files += [spec / name for name in ("README.md", "schema.sql", "dataset.toml", "keys.sql", "openapi.yaml")]
    files += [*(spec / "audit").glob("*"), home / "databases" / "postgresql" / "postgresql.conf"]
    files += [file for server in _servers(preparation) for file in server.files]
    files += [home / name for name in changed]
    found = hashes((file for file in dict.fromkeys(files) if file.is_file()), home)
    found["middlemark-driver"] = hashlib.sha256(driver_path().read_bytes()).hexdigest()
    for subject in preparation.subjects.values():
        name = f"platforms/{subject.platform.name} and specs/{subject.spec} (first 16 digits, with the toolchain)"
        found[name] = content_hash(subject, home, check_toolchain(subject.platform))
    return found


def tuning(preparation: Preparation) -> list[Tuning]:
    """Return the tuning log of every platform that takes part, each once."""
    platforms = {subject.platform.name: subject.platform for subject in preparation.subjects.values()}
    return [tuning_of(one) for one in platforms.values()]


def _servers(preparation: Preparation) -> list[Server]:
    """Return the servers that host a subject or stand in front, each once."""
    hosts = (subject.server for subject in preparation.subjects.values() if subject.server is not None)
    return list({server.name: server for server in (*hosts, *preparation.fronts.values())}.values())


def hashes(files: Iterable[Path], root: Path) -> dict[str, str]:
    """Return the SHA-256 of each file by its path relative to `root`, or by its name when it lies elsewhere."""
    return {_name(path, root): hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(files)}


def now() -> str:
    """Return the time as RFC 3339 in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _name(path: Path, root: Path) -> str:
    return str(path.relative_to(root)) if path.is_relative_to(root) else path.name
