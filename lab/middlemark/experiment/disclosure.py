"""What a reader must know to judge or repeat a run: versions, inputs, what was tuned, and the machine as it is."""

from __future__ import annotations

import hashlib
import os
import platform
import resource
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import psutil

from middlemark import __version__
from middlemark.checkout import changed_files, commit_of
from middlemark.databases.database_url import word_without_password
from middlemark.experiment.experiment_check import session_file
from middlemark.experiment.loads import not_yet_searched
from middlemark.experiment.phases import warm_up_text
from middlemark.experiment.placing import wake_of
from middlemark.experiment.preparation import Preparation
from middlemark.experiment.schedule import specification_record
from middlemark.records.folder import result_folder
from middlemark.records.run import Host, Run, RunStatus
from middlemark.specification.specification import FILE, NO_SCALE, Specification
from middlemark.subject.build import content_hash
from middlemark.subject.platform import called, check_toolchain
from middlemark.subject.server import PROXY, Server
from middlemark.subject.tuning import tuning_of
from middlemark.verdict.words import levels_for
from middlemark.workload.driver import driver_path, driver_version


def now() -> str:
    """The time as RFC 3339 in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def first_record(preparation: Preparation, command: list[str]) -> Run:
    """The record of a run that has just started: all that is known before anything is measured."""
    experiment, specification = preparation.experiment, preparation.specification
    placement, changed = preparation.placements, _changed(preparation)
    platforms = {subject.platform.name: subject.platform for subject in preparation.subjects.all.values()}
    return Run(
        name=preparation.name,
        description=experiment.description,
        status=RunStatus.RUNNING,
        started=now(),
        command=[word_without_password(word) for word in command],
        versions=_versions(preparation),
        commit=commit_of(preparation.home),
        changed=changed,
        host=host(len(preparation.cpus.usable)),
        spec=experiment.spec,
        spec_version=specification.version,
        specification=specification_record(specification, preparation.sessions.values(), experiment.loads.leads),
        scales={scale: dict(specification.numbers(scale)) for scale in preparation.datasets if scale != NO_SCALE},
        fingerprints={},
        databases={},
        sessions=list(preparation.sessions),
        think=_joined(experiment.think or session.think for session in preparation.sessions.values()),
        loads=list(experiment.loads.levels),
        load_unit=experiment.loads.unit,
        limits=experiment.loads.limits.record,
        repeats=max(
            (len(points) for points in preparation.faults.values()), default=experiment.starts * experiment.rounds
        ),
        rounds=experiment.rounds,
        start_s=sum(map(preparation.start_s, (p for p in preparation.plans if p.number == 0))),
        alphas=levels_for(experiment.starts),
        kept_together=[[one.path for one in group] for group in preparation.groups],
        searched=not_yet_searched(experiment.loads, preparation.combinations),
        faults=preparation.faults,
        phases=preparation.phases,
        shared_cpus=any(one.shared for one in placement.values()),
        placement=placement,
        profile=preparation.options.profile,
        combinations=preparation.combinations,
        references=dict(preparation.references),
        left_out=preparation.left_out,
        not_default=[{"what": what, "value": value, "why": why} for what, value, why in _not_default(preparation)],
        inputs=_inputs(preparation, changed),
        requested=hashlib.sha256(experiment.model_dump_json().encode()).hexdigest(),
        tuning=[tuning_of(one) for one in platforms.values()],
        seed=experiment.seed,
        budget_s=preparation.budget_s,
        points=[],
    )


def _versions(preparation: Preparation) -> dict[str, str]:
    """Component: version of what takes part besides the applications, which show their own in `/about`."""
    found = {"middlemark": __version__, "middlemark-driver": driver_version(), "python": platform.python_version()}
    for subject in preparation.subjects.all.values():
        found[f"{called(subject.platform)}, which builds {subject.platform.name}"] = check_toolchain(subject.platform)
    return found | {server.name: server.version() for server in _servers(preparation)}


def _inputs(preparation: Preparation, changed: Iterable[str]) -> dict[str, str]:
    """SHA-256 of all that decides what is run, by name, also of `changed` files, which are in no commit."""
    home = preparation.home
    files = [
        preparation.file,
        *(session_file(preparation.specification, name) for name in preparation.sessions),
        home / "specs" / "README.md",
    ]
    files += [*_files_of(preparation.specification), home / "databases" / "postgresql" / "postgresql.conf"]
    files += [file for server in _servers(preparation) for file in server.files]
    files += [home / name for name in changed]
    found = {
        str(file.relative_to(home)) if file.is_relative_to(home) else file.name: _sha256(file)
        for file in sorted(set(files))
        if file.is_file()
    }
    found["middlemark-driver"] = _sha256(driver_path())
    for subject in preparation.subjects.all.values():
        name = f"platforms/{subject.platform.name} and specs/{subject.spec} (first 16 digits, with the toolchain)"
        found[name] = content_hash(subject, check_toolchain(subject.platform))
    return found


def _not_default(preparation: Preparation) -> Iterator[tuple[str, str, str]]:
    """What differs from the defaults of specification, sessions, lab and reverse proxies, its value, and why."""
    experiment, set_here = preparation.experiment, "set by the experiment"
    own = _joined(session.think for session in preparation.sessions.values())
    if experiment.think and str(experiment.think) != own:
        yield "think time", str(experiment.think), f"{set_here}; the session's own is {own}"
    if experiment.warm_users is not None:
        yield "load of the warm-up", warm_up_text(experiment.warm_users), f"{set_here}, instead of the load"
    yield from ((name, ", ".join(values), set_here) for name, values in experiment.settings.items())
    for name, proxy in preparation.reverse_proxies.items():
        yield from ((f"{name}: {row.what}", row.value, row.why) for row in proxy.not_default(PROXY))
    if wake := wake_of(experiment.wake, preparation.placements.values()):
        yield "wake-ups of the driver", wake, set_here if experiment.wake else "response times are ranked"


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _files_of(specification: Specification) -> Iterator[Path]:
    """Yield the files of a specification on which figures depend: rules, contracts, data sets, audits, file sets."""
    folder, description = specification.folder, specification.description
    yield from (folder / FILE, folder / "README.md")
    yield from (folder / one.file for one in description.interfaces.values())
    yield from (folder / one.query for one in description.unfinished.values())
    yield from folder.glob("audit/*")
    # The sessions of a run are named one by one; what they send is beside them.
    yield from (file for file in specification.sessions.rglob("*") if file.suffix != ".yaml")
    for name in description.databases:
        own = specification.database_folder(name)
        yield from (own / file for file in ("schema.sql", "dataset.toml", "keys.sql"))
        yield from own.glob("audit/*")
    for files in description.files.values():
        yield from (folder / files.folder).rglob("*") if files.folder else ()
        yield from (folder / files.made,) if files.made else ()


def _servers(preparation: Preparation) -> list[Server]:
    hosts = (subject.server for subject in preparation.subjects.all.values() if subject.server is not None)
    return list({server.name: server for server in (*hosts, *preparation.reverse_proxies.values())}.values())


def _joined(texts: Iterable[object]) -> str:
    return ", ".join(dict.fromkeys(map(str, texts)))


def _changed(preparation: Preparation) -> list[str]:
    """The files of the checkout that differ from its commit; results are none of what is run."""
    home, resume = preparation.home, preparation.options.resume
    out = (preparation.options.out if resume is None else result_folder(resume).parent).resolve()
    names = changed_files(home)
    return names if home.is_relative_to(out) else [name for name in names if not (home / name).is_relative_to(out)]


_SYS, _PROC = Path("/sys"), Path("/proc")
# What decides how processes, memory and sockets are treated: name for people, file, and which word of it is in effect.
_KERNEL_SETTINGS = {
    "clock source": _SYS / "devices/system/clocksource/clocksource0/current_clocksource",
    "CPU frequency governor": _SYS / "devices/system/cpu/cpu0/cpufreq/scaling_governor",
    "transparent huge pages": _SYS / "kernel/mm/transparent_hugepage/enabled",
    "vm.swappiness": _PROC / "sys/vm/swappiness",
    "vm.overcommit_memory": _PROC / "sys/vm/overcommit_memory",
    "net.core.somaxconn": _PROC / "sys/net/core/somaxconn",
    "net.ipv4.tcp_max_syn_backlog": _PROC / "sys/net/ipv4/tcp_max_syn_backlog",
    "net.ipv4.ip_local_port_range": _PROC / "sys/net/ipv4/ip_local_port_range",
    "net.ipv4.tcp_congestion_control": _PROC / "sys/net/ipv4/tcp_congestion_control",
    "Spectre v2": _SYS / "devices/system/cpu/vulnerabilities/spectre_v2",
}
_POLICIES = {0: "normal", 1: "first in, first out", 2: "round robin", 3: "batch", 5: "idle", 6: "deadline"}
_LIMITS = {"open files": resource.RLIMIT_NOFILE, "processes": getattr(resource, "RLIMIT_NPROC", None)}


def host(usable_cpus: int = 0) -> Host:
    """Describe this machine and what of it the lab may use; `usable_cpus` 0: all the system has."""
    return Host(
        system=_pretty_system(),
        kernel=platform.release(),
        cpu=_cpu_name(),
        cpus=usable_cpus or os.cpu_count() or 1,
        memory_mib=psutil.virtual_memory().total // 2**20,
        open_files=resource.getrlimit(resource.RLIMIT_NOFILE)[0],
        hardware=dict(_hardware()),
        limits=dict(_limits()),
        kernel_settings=dict(_kernel_settings()),
    )


def file_system(folder: Path) -> str:
    """Type and device of the file system that holds a folder, as `ext4 on /dev/sda1`; `unknown` elsewhere."""
    place = folder.resolve()
    mounts = [part for part in psutil.disk_partitions(all=True) if place.is_relative_to(part.mountpoint)]
    if not mounts:
        return "unknown"
    nearest = max(mounts, key=lambda part: len(part.mountpoint))
    return f"{nearest.fstype} on {nearest.device}"


def _hardware() -> Iterator[tuple[str, str]]:
    yield "architecture", platform.machine()
    yield "CPUs of the machine", f"{psutil.cpu_count()} ({psutil.cpu_count(logical=False) or 'unknown'} cores)"
    with suppress(OSError, NotImplementedError):
        if frequency := psutil.cpu_freq():
            yield "CPU frequency", f"{frequency.max or frequency.current:,.0f} MHz"
    for name, file in (("L2 cache", "index2"), ("L3 cache", "index3")):
        if size := _read(_SYS / "devices/system/cpu/cpu0/cache" / file / "size"):
            yield name, size
    model = " ".join(filter(None, (_read(_SYS / "class/dmi/id" / part) for part in ("sys_vendor", "product_name"))))
    if model:
        yield "model", model
    # The CPU shows whether a hypervisor is between it and the system.
    flags = next((line for line in _read(_PROC / "cpuinfo").splitlines() if line.startswith(("flags", "Features"))), "")
    yield "virtual machine", "unknown" if not flags else "yes" if "hypervisor" in flags.split() else "no"
    yield "swap", f"{psutil.swap_memory().total // 2**20:,} MiB"


def _limits() -> Iterator[tuple[str, str]]:
    for name, kind in _LIMITS.items():
        if kind is not None:
            soft = resource.getrlimit(kind)[0]
            yield name, "unlimited" if soft == resource.RLIM_INFINITY else f"{soft:,}"
    # Of this process, version 2: cgroups(7).
    line = next((line for line in _read(_PROC / "self/cgroup").splitlines() if line.startswith("0::")), "0::/")
    group = _SYS / "fs/cgroup" / line.removeprefix("0::").lstrip("/")
    for name, file in (("CPU time of the control group", "cpu.max"), ("memory of the control group", "memory.max")):
        if found := _read(group / file):
            yield name, "unlimited" if found.startswith("max") else found
    if hasattr(os, "sched_getscheduler"):
        yield "scheduling", _POLICIES.get(os.sched_getscheduler(0), "unknown")
        yield "nice", str(os.getpriority(os.PRIO_PROCESS, 0))


def _kernel_settings() -> Iterator[tuple[str, str]]:
    for name, file in _KERNEL_SETTINGS.items():
        if found := _read(file):
            chosen = found.partition("[")[2].partition("]")[0]
            yield name, chosen or " ".join(found.split())


def _read(file: Path) -> str:
    """A file of the system without the white space around it; empty when there is none or it is refused."""
    try:
        return file.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _pretty_system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return f"{platform.system()} {platform.mac_ver()[0]}".strip()


def _cpu_name() -> str:
    for line in _read(_PROC / "cpuinfo").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
