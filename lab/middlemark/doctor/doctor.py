"""Looks at this machine: is everything here that a run needs, and has anything been left behind?"""

from __future__ import annotations

import os
import platform as host
import resource
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path

import psutil

from middlemark.checkout import checkout
from middlemark.databases.database import COPIES
from middlemark.databases.database_url import without_password
from middlemark.databases.orphaned_databases import (
    drop_copies,
    drop_databases,
    has_left_copies,
    left_databases,
)
from middlemark.databases.programs import postgresql_programs, run_as
from middlemark.doctor.orphaned_runs import OrphanedRun, orphaned_runs, stop_orphaned_run
from middlemark.errors import HostError, InputError, LabError
from middlemark.processes.runtime import running_labs, runtime_folder
from middlemark.saving import temporary_folder
from middlemark.subject.installing import install_folder, is_installed
from middlemark.subject.platform import Platform, called, check_toolchain, platforms, require_tool
from middlemark.subject.server import Server, servers
from middlemark.workload.driver import driver_path

# A virtual user holds one connection in the driver and one in the application, and all of them share one limit each.
MIN_OPEN_FILES = 1024
MIN_FREE_MIB = 1024
MIB = 1 << 20
_SECONDS_FOR_A_VERSION = 30
_STOP = ("middlemark", "doctor", "--stop")


class State(StrEnum):
    """How a thing stands."""

    OK = "ok"
    MISSING = "missing"
    ORPHANED = "orphaned"


@dataclass(frozen=True)
class Finding:
    """One line of the doctor's: what was looked at, what was found, and the remedy when it is not in order."""

    state: State
    what: str
    found: str
    remedy: str = ""


def examine(urls: Sequence[str] = ()) -> Iterator[Finding]:
    """Yield a finding for everything a run needs, as it is found, and for servers of the user's at these URLs."""
    yield Finding(State.OK, "Python", host.python_version())
    yield _found("driver", lambda: str(driver_path()))
    yield _found("PostgreSQL", _postgresql)
    yield from _toolchains()
    yield from _servers()
    yield _cpus()
    yield _open_files()
    yield _free_space()
    yield from _orphans()
    yield from map(_left_databases, urls)


def stop_orphans(urls: Sequence[str] = ()) -> list[str]:
    """Stop and remove what orphaned runs have left, here and in servers at these URLs; return a line for each."""
    lines = []
    for left in orphaned_runs(runtime_folder()):
        removed = [f"{folder} removed" for folder in left.folders]
        removed += [f"database {name} dropped" for names in left.databases.values() for name in names]
        removed += [f"{_copies(url)} dropped" for url in left.copies]
        stopped = [f"{one.name} {end.how} {end.signal}".strip() for one, end in stop_orphaned_run(left)]
        if stopped or removed:
            lines.append(f"lab {left.watch_list.lab_pid}: " + ", ".join([*stopped, *removed]))
    for url in urls:
        names = left_databases(url, running_labs(runtime_folder()))
        drop_databases(url, names)
        if has_left_copies(url):
            drop_copies(url)
            lines.append(f"{_copies(url)} dropped")
        lines += [f"database {name} in {without_password(url)} dropped" for name in names]
    return lines


def _found(what: str, look: Callable[[], str]) -> Finding:
    """Return what `look` says; an expected error of it becomes a finding that is not in order."""
    try:
        return Finding(State.OK, what, look())
    except LabError as error:
        return Finding(State.MISSING, what, error.what, error.todo)


def _postgresql() -> str:
    programs = postgresql_programs()
    prefix = run_as(programs).prefix
    command = [str(programs / "postgres"), "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_SECONDS_FOR_A_VERSION)
    as_whom = "as an ordinary user in a user namespace" if prefix else "as you" if os.geteuid() else "as nobody"
    return f"{done.stdout.strip().rpartition(' ')[2]} in {programs}, runs {as_whom}"


def _toolchains() -> Iterator[Finding]:
    try:
        known = platforms(checkout())
    except InputError as error:
        yield Finding(State.MISSING, "checkout", error.what, error.todo)
        return
    for platform in known:
        found = _found(f"platform {platform.name}", partial(_toolchain, platform))
        runs_by_itself = any(one.start for one in platform.description.specs.values())
        yield found if runs_by_itself or found.state is State.OK else _not_needed(found)


def _not_needed(missing: Finding) -> Finding:
    """Return what is missing as in order: only experiments that name it need it."""
    return Finding(State.OK, missing.what, f"not here, needed only where an experiment names it. {missing.remedy}")


def _toolchain(platform: Platform) -> str:
    return f"{called(platform)} {check_toolchain(platform)}"


def _servers() -> Iterator[Finding]:
    """Yield what is known of servers; a missing one is in order, for only experiments that name it need it."""
    try:
        home = checkout()
    except InputError:
        return  # the toolchains have said so
    try:
        known = servers(home)
    except InputError as error:
        yield Finding(State.MISSING, "servers", f"{error.where}: {error.what}", error.todo or "Correct this file")
        return
    for server in known:
        found = _found(f"server {server.name}", partial(_server, server))
        yield found if found.state is State.OK else _not_needed(found)


def _server(server: Server) -> str:
    """Return its version, and of one that the lab installs whether it has; MissingToolError without what it needs."""
    version, install = server.version(), server.description.install
    if install is None:
        return version
    if is_installed(server):
        return f"{version}, in {install_folder(server)}"
    require_tool(install.toolchain, f"server {server.name}")
    return f"{version}, fetched when first needed ({install.size})"


def _cpus() -> Finding:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Finding(State.OK, "CPUs", f"{usable}; `middlemark run EXPERIMENT --dry-run` says who gets which")


def _open_files() -> Finding:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    found = f"{soft} at once in one process"
    if soft >= MIN_OPEN_FILES:
        return Finding(State.OK, "open files", found)
    return Finding(State.MISSING, "open files", found, f"ulimit -n {min(65536, hard) if hard > 0 else 65536}")


def _free_space() -> Finding:
    free = shutil.disk_usage(Path.cwd()).free // MIB
    try:
        temporary = shutil.disk_usage(temporary_folder()).free // MIB
    except HostError as error:
        return Finding(State.MISSING, "temporary files", f"{error}")
    memory = psutil.virtual_memory().available // MIB
    found = f"{free:,} MiB here, {temporary:,} MiB for databases, {memory:,} MiB of memory"
    if min(free, temporary) >= MIN_FREE_MIB:
        return Finding(State.OK, "free space", found)
    return Finding(State.MISSING, "free space", found, f"Free {MIN_FREE_MIB:,} MiB, or set TMPDIR to a larger disk")


def _orphans() -> Iterator[Finding]:
    try:
        found = orphaned_runs(runtime_folder())
    except LabError as error:
        yield Finding(State.MISSING, "orphans", error.what, error.todo)
        return
    for left in found:
        if left.running or left.folders or left.databases or left.copies:
            yield Finding(State.ORPHANED, "orphans", _described(left), shlex.join(_STOP))
        for reason in left.silent.values():
            described = f"perhaps databases of the orphaned run of lab {left.watch_list.lab_pid}: {reason}"
            remedy = f"Then {shlex.join(_STOP)}; or remove {left.registry} if they do not matter"
            yield Finding(State.ORPHANED, "orphans", described, remedy)
    if not found:
        yield Finding(State.OK, "orphans", "none")


def _left_databases(url: str) -> Finding:
    shown = without_password(url)
    try:
        left = left_databases(url, running_labs(runtime_folder()))
        left += [f"the schema {COPIES}"] if has_left_copies(url) else []
    except LabError as error:
        return Finding(State.MISSING, "databases", f"{shown}: {error.what}", error.todo)
    if not left:
        return Finding(State.OK, "databases", f"no run has left any in {shown}")
    remedy = f"Unless a Middlemark on another machine works there: {shlex.join([*_STOP, '--database', shown])}"
    return Finding(State.ORPHANED, "databases", f"of ended runs in {shown}: {', '.join(left)}", remedy)


def _copies(url: str) -> str:
    return f"schema {COPIES} in {without_password(url)}"


def _described(left: OrphanedRun) -> str:
    running = [f"{one.name} (pid {one.pid})" for one in left.running]
    databases = [f"{name} in {without_password(url)}" for url, names in left.databases.items() for name in names]
    return f"of the orphaned run of lab {left.watch_list.lab_pid}: " + ", ".join(
        [*running, *left.folders, *databases, *map(_copies, left.copies)]
    )
