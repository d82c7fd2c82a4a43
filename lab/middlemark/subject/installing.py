"""Installs a server that this machine does not have, once for all later runs of its user.

~/.cache/middlemark/servers/<server>-<version>-<hash>/   what was fetched, checked and unpacked; only ever read
~/.cache/middlemark/servers/<server>.log                 output of the last fetch
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shlex
import zipfile
from pathlib import Path

from platformdirs import user_cache_path

from middlemark.errors import InputError, TargetError
from middlemark.processes.ending import Part
from middlemark.processes.process import ProcessSpec, last_lines, running
from middlemark.processes.watchdog import Watchdog
from middlemark.subject.only_one import only_one
from middlemark.subject.platform import require_tool
from middlemark.subject.server import FetchedFile, Install, Server, replaced

_LAST_LINES = 15
_BLOCK = 1 << 20


def install_folder(server: Server) -> Path | None:
    """Return where the server lies once it is installed; None for one that the machine has of its own."""
    install = server.description.install
    if install is None:
        return None
    what = f"{install.command} {install.files}"
    mark = hashlib.sha256(what.encode()).hexdigest()[:12]
    return _cache() / f"{server.name}-{server.description.version}-{mark}"


def is_installed(server: Server) -> bool:
    """Tell whether the server can be started without fetching anything."""
    folder = install_folder(server)
    return folder is None or folder.is_dir()


def installed(server: Server, watchdog: Watchdog) -> Path | None:
    """Return where the server lies, fetched now or before; None for one that the machine has of its own.

    Two labs that want it at once fetch it once. A fetch under way ends with the lab and leaves nothing. Raises
    MissingToolError without the program that fetches, TargetError when it fails or brings something else.
    """
    install, folder = server.description.install, install_folder(server)
    if install is None or folder is None or folder.is_dir():
        return folder
    require_tool(install.toolchain, f"server {server.name}")
    # A name of its own: the watchdog of a killed lab removes that lab's, while the next one already works.
    new = folder.with_name(f"{folder.name}.{secrets.token_hex(4)}.new")
    todo = "Set XDG_CACHE_HOME to a folder of your own"
    other = f"another installation of {server.title}"
    with only_one(folder.with_name(f"{server.name}.lock"), other, todo), watchdog.removing(new) as work:
        # Somebody else may have brought it while this lab waited.
        if not folder.is_dir():
            work.mkdir()
            _fetch(server, install, work, watchdog)
            for file in install.files:
                _check(server, file, work)
                if file.unpack:
                    _unpack(work / file.name)
            work.rename(folder)
    return folder


def _cache() -> Path:
    """Return the user's folder for what can be fetched again."""
    return user_cache_path("middlemark") / "servers"


def _fetch(server: Server, install: Install, work: Path, watchdog: Watchdog) -> None:
    """Run the install command with the environment of the user, which names proxies and caches."""
    log = work.parent / f"{server.name}.log"
    log.unlink(missing_ok=True)
    words = server.words(work, None, {})
    command = tuple(replaced(word, words) for word in install.command)
    settings = {name: value for name, value in os.environ.items() if not name.startswith("MM_")}
    spec = ProcessSpec(f"install of {server.name}", Part.TOOL, command, work, log, settings)
    with running(spec, watchdog) as process:
        status = process.wait()
    if status:
        last = "".join(f"\n    {line}" for line in last_lines(log, _LAST_LINES))
        raise TargetError(
            f"fetching {server.description.name} {server.description.version} ended with {status}",
            where=shlex.join(command),
            todo=f"All output is in {log}; its last lines:{last}" if last else "It has no output",
        )


def _check(server: Server, file: FetchedFile, work: Path) -> None:
    """Raise TargetError unless the file is what server.toml says; then nothing of it is kept."""
    where = f"{server.folder / 'server.toml'}: {file.name}"
    try:
        found = _sha256(work / file.name)
    except OSError as error:
        raise InputError(f"the install command brought no such file ({error.strerror})", where=where) from error
    if found != file.sha256:
        raise TargetError(
            f"what was fetched has the SHA-256 {found}, not {file.sha256}",
            where=where,
            todo="Nothing of it is kept. Try again; if it stays so, compare sha256 in server.toml with the makers'",
        )


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as content:
        while block := content.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _unpack(archive: Path) -> None:
    """Put the content of the zip beside it, programs as programs, and remove the zip."""
    with zipfile.ZipFile(archive) as content:
        for entry in content.infolist():
            made = Path(content.extract(entry, archive.parent))
            permissions = entry.external_attr >> 16 & 0o777
            if permissions and not entry.is_dir():
                made.chmod(permissions)
    archive.unlink()
