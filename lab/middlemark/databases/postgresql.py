"""The embedded PostgreSQL: a private server in a private folder that leaves nothing behind.

folder/            0700
    data/          the cluster
    password       of the user `middlemark`, 0600
    server.log     messages of the server
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from middlemark.checkout import checkout
from middlemark.databases.database import Database
from middlemark.databases.programs import postgresql_programs, run_as
from middlemark.databases.shared_memory import release_shared_memory, shared_memory_of
from middlemark.errors import HostError
from middlemark.processes.affinity import on_cpus
from middlemark.processes.exit_status import ends_within, status_if_ended
from middlemark.processes.ports import free_port
from middlemark.saving import ANOTHER_TMPDIR, no_space, saving_under, temporary_folder

USER = "middlemark"
_HOST = "127.0.0.1"
_READY_SECONDS = 120.0
_STOP_SECONDS = 60.0
_KILL_SECONDS = 10.0
_POLL_SECONDS = 0.02
_PORT_TRIES = 5
_UNFINISHED = "data.unfinished"
_NO_SPACE = os.strerror(errno.ENOSPC)
_SEVERITY = re.compile(r"(LOG|WARNING|ERROR|FATAL|PANIC):\s+")
_CHATTER = ("starting PostgreSQL", "listening on", "database system is", "redirecting log")


@contextmanager
def embedded_postgresql(
    folder: Path | None = None, settings: Path | None = None, cpus: frozenset[int] = frozenset()
) -> Iterator[Database]:
    """Run a PostgreSQL of our own; on leaving, nothing of it runs any more.

    Args:
        folder: keeps the cluster, and is used again when it holds one; None: a temporary folder, removed at the end.
        settings: a postgresql.conf fragment; None: `databases/postgresql/postgresql.conf` of the checkout.
        cpus: those the server and its sessions may use; none: those of the lab.

    Raises:
        MissingToolError: no PostgreSQL programs.
        HostError: it cannot run here; the reason is from the server's log.
    """
    chosen = settings or checkout() / "databases" / "postgresql" / "postgresql.conf"
    place = folder or Path(tempfile.mkdtemp(prefix="middlemark-postgresql-", dir=temporary_folder()))
    try:
        server = EmbeddedServer(place, chosen, cpus)
        try:
            server.start()
            yield Database(
                host=_HOST,
                port=str(server.port),
                user=USER,
                password=server.password,
                version=server.version,
                server=server,
            )
        finally:
            server.stop()
    finally:
        if folder is None:
            shutil.rmtree(place, ignore_errors=True)


class EmbeddedServer:
    """The server of one folder. `pid` is the postmaster's; it leads its own session and process group."""

    def __init__(self, folder: Path, settings: Path, cpus: frozenset[int] = frozenset()) -> None:
        """Make the cluster in `folder` unless it holds one."""
        self._folder = folder.resolve()
        self._cpus = cpus
        self.data = self._folder / "data"
        self.log = self._folder / "server.log"
        self.port = 0
        self.version = 0
        self._settings = settings.read_text(encoding="utf-8")
        self._programs = postgresql_programs()
        self._as = run_as(self._programs)
        self._process: subprocess.Popen[bytes] | None = None
        self._shared_memory: set[Path] = set()
        self.password = self._prepared_folder()

    @property
    def folder(self) -> Path:
        """Return the private folder that holds the cluster."""
        return self._folder

    @property
    def pid(self) -> int:
        """Return the process id of the postmaster."""
        if self._process is None:
            raise HostError("PostgreSQL does not run", where=str(self.folder))
        return self._process.pid

    def pids(self) -> tuple[int, ...]:
        """Return every process of this server, the postmaster first.

        Backends leave the postmaster's process group and, when it was killed, its family; all work in the same folder.
        """
        found = [process.pid for process in psutil.process_iter() if _works_in(process, self.data)]
        return tuple(sorted(found, key=lambda pid: (self._process is None or pid != self._process.pid, pid)))

    def alive(self) -> bool:
        """Return whether the postmaster runs."""
        return self._process is not None and status_if_ended(self._process) is None

    def lacked_space(self) -> bool:
        """Return whether its disk has been full since it was started."""
        return self.log.is_file() and _NO_SPACE in self.log.read_text(encoding="utf-8", errors="replace")

    def start(self) -> None:
        """Start the server on its port (a free one at first) and wait until it answers."""
        for _ in range(_PORT_TRIES):
            port = self.port or free_port()
            if self._starts_on(port):
                self.port = port
                self._shared_memory |= shared_memory_of(self.pids())
                return
            reason = self._reason()
            self.stop()
            if _NO_SPACE in reason:
                raise no_space(self.folder, ANOTHER_TMPDIR)
            if self.port or "could not bind" not in reason:
                raise HostError(f"PostgreSQL did not start ({reason})", where=str(self.log))
        raise HostError("PostgreSQL found no free port", where=_HOST)

    def restart(self) -> None:
        """Stop the server if it still runs and start it on the same folder and port."""
        self.stop(release=False)
        self.start()

    def stop(self, *, release: bool = True) -> None:
        """Stop the server: fast, then at once, then by force. `release` frees the memory a killed one left."""
        process = self._process
        if process is not None and status_if_ended(process) is None:
            for pid in self.pids():  # a frozen one would not hear the rest
                _send(pid, signal.SIGCONT)
            for kind, seconds in ((signal.SIGINT, _STOP_SECONDS), (signal.SIGQUIT, _KILL_SECONDS)):
                _send(process.pid, kind)
                if ends_within(process, seconds):
                    break
        self._kill_the_rest()
        if process is not None:
            process.wait()
        self._process = None
        if release:
            release_shared_memory(self.data, self._shared_memory)
            self._shared_memory = set()

    def _prepared_folder(self) -> str:
        """Return the password of the cluster in the folder, after making folder and cluster if needed."""
        with saving_under(self.folder, ANOTHER_TMPDIR):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._as.own(self.folder)
            closed = self._as.closed_on_the_way_to(self.folder)
            if closed is not None:
                raise HostError(
                    f"PostgreSQL refuses root, and an ordinary user cannot pass through this folder to {self.folder}",
                    where=str(closed),
                    todo=f"Set TMPDIR to a folder that everybody can reach, or run `chmod o+x {closed}`",
                )
            secret = self.folder / "password"
            if not (self.data / "PG_VERSION").is_file():
                if {path.name for path in self.folder.iterdir()} - {_UNFINISHED, secret.name, self.log.name}:
                    raise HostError("this folder holds other files", where=str(self.folder), todo="Name an empty one")
                self._initialise(secret)
            return secret.read_text(encoding="utf-8").strip()

    def _initialise(self, secret: Path) -> None:
        """Make the cluster under another name first: an interrupted initdb leaves one that looks finished."""
        unfinished = self.folder / _UNFINISHED
        shutil.rmtree(unfinished, ignore_errors=True)
        secret.touch(mode=0o600)
        secret.write_text(secrets.token_urlsafe(24) + "\n", encoding="utf-8")
        self._as.own(secret)
        done = subprocess.run(
            [
                *self._as.prefix,
                *(str(self._programs / "initdb"), "--pgdata", str(unfinished), "--username", USER),
                *("--pwfile", str(secret), "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"),
                *("--data-checksums", "--no-sync", "--no-instructions"),
            ],
            user=self._as.user,
            group=self._as.group,
            cwd=self.folder,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if _NO_SPACE in done.stderr:
            raise no_space(self.folder, ANOTHER_TMPDIR)
        if done.returncode != 0:
            reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise HostError(f"initdb could not make the database ({reason})", where=str(self.folder))
        unfinished.rename(self.data)

    def _starts_on(self, port: int) -> bool:
        """Start the postmaster on `port`; return whether it answers."""
        conf, hba = self.data / "postgresql.conf", self.data / "pg_hba.conf"
        with saving_under(self.folder, ANOTHER_TMPDIR):
            conf.write_text(f"{self._settings}\nlisten_addresses = '{_HOST}'\nport = {port}\n", encoding="utf-8")
            hba.write_text(f"host all all {_HOST}/32 scram-sha-256\n", encoding="utf-8")
        self.log.unlink(missing_ok=True)
        self.log.touch(mode=0o600)
        self._as.own(conf, hba, self.log)
        # Every session is a child of the postmaster and inherits its CPUs.
        with self.log.open("ab") as log, on_cpus(self._cpus):
            self._process = subprocess.Popen(
                [*self._as.prefix, str(self._programs / "postgres"), "-D", str(self.data)],
                user=self._as.user,
                group=self._as.group,
                cwd=self.folder,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        deadline = time.monotonic() + _READY_SECONDS
        while status_if_ended(self._process) is None and time.monotonic() < deadline:
            if self._accepts(port):
                return True
            time.sleep(_POLL_SECONDS)
        return False

    def _accepts(self, port: int) -> bool:
        try:
            server = Database(_HOST, str(port), USER, self.password, server=self)
            with server.admin() as connection:
                self.version = connection.info.server_version
        except HostError:
            return False
        return True

    def _reason(self) -> str:
        """Return the messages of the server's log about its failure, without time, process and chatter."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        messages = [
            text
            for _, mark, text in (_SEVERITY.split(line, maxsplit=1) for line in lines if _SEVERITY.search(line))
            if not (mark == "LOG" and text.startswith(_CHATTER))
        ]
        return "; ".join(messages[-3:]) or (lines or ["its log is empty"])[-1].strip()

    def _kill_the_rest(self) -> None:
        """Kill what is left, and wait until it is gone: a new server refuses a folder that a process still uses."""
        deadline = time.monotonic() + _KILL_SECONDS
        while time.monotonic() < deadline:
            left = self.pids()
            if not left:
                return
            self._shared_memory |= shared_memory_of(left)
            for pid in left:
                _send(pid, signal.SIGKILL)
            if self._process is not None:
                status_if_ended(self._process)
            time.sleep(_POLL_SECONDS)
        raise HostError(f"PostgreSQL cannot be stopped (processes {self.pids()})", where=str(self.folder))


def _environment() -> dict[str, str]:
    """Return our environment without PostgreSQL's variables, which would move the folder, port or messages."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "LANG"))}
    return {**kept, "LC_ALL": "C", "TZ": "UTC"}


def _works_in(process: psutil.Process, data: Path) -> bool:
    try:
        return process.cwd() == str(data) and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.NoSuchProcess, psutil.AccessDenied, OSError):
        return False


def _send(pid: int, kind: signal.Signals) -> None:
    try:
        os.kill(pid, kind)
    except ProcessLookupError:
        return
