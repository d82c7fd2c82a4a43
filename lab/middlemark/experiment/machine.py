"""Describes the machine: what a reader needs to judge its figures, read from the system as it is."""

from __future__ import annotations

import os
import platform
import resource
from collections.abc import Iterator
from pathlib import Path

import psutil

from middlemark.records.run import Host

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
    """Return type and device of the file system that holds a folder, as `ext4 on /dev/sda1`; `unknown` elsewhere."""
    place = folder.resolve()
    mounts = [part for part in psutil.disk_partitions(all=True) if place.is_relative_to(part.mountpoint)]
    if not mounts:
        return "unknown"
    nearest = max(mounts, key=lambda part: len(part.mountpoint))
    return f"{nearest.fstype} on {nearest.device}"


def _hardware() -> Iterator[tuple[str, str]]:
    yield "architecture", platform.machine()
    yield "CPUs of the machine", f"{psutil.cpu_count()} ({psutil.cpu_count(logical=False) or 'unknown'} cores)"
    frequency = _frequency()
    if frequency:
        yield "CPU frequency", f"{frequency:,.0f} MHz"
    for name, file in (("L2 cache", "index2"), ("L3 cache", "index3")):
        size = _read(_SYS / "devices/system/cpu/cpu0/cache" / file / "size")
        if size:
            yield name, size
    model = " ".join(filter(None, (_read(_SYS / "class/dmi/id" / part) for part in ("sys_vendor", "product_name"))))
    if model:
        yield "model", model
    yield "virtual machine", _virtual()
    yield "swap", f"{psutil.swap_memory().total // 2**20:,} MiB"


def _frequency() -> float:
    try:
        frequency = psutil.cpu_freq()
    except (OSError, NotImplementedError):
        return 0.0
    return (frequency.max or frequency.current) if frequency else 0.0


def _virtual() -> str:
    """Return whether the CPU shows that a hypervisor stands between it and the system."""
    flags = next((line for line in _read(_PROC / "cpuinfo").splitlines() if line.startswith(("flags", "Features"))), "")
    return "unknown" if not flags else "yes" if "hypervisor" in flags.split() else "no"


def _limits() -> Iterator[tuple[str, str]]:
    for name, kind in _LIMITS.items():
        if kind is not None:
            soft = resource.getrlimit(kind)[0]
            yield name, "unlimited" if soft == resource.RLIM_INFINITY else f"{soft:,}"
    for name, file in (("CPU time of the control group", "cpu.max"), ("memory of the control group", "memory.max")):
        found = _read(_control_group() / file)
        if found:
            yield name, "unlimited" if found.startswith("max") else found
    if hasattr(os, "sched_getscheduler"):
        yield "scheduling", _POLICIES.get(os.sched_getscheduler(0), "unknown")
        yield "nice", str(os.getpriority(os.PRIO_PROCESS, 0))


def _control_group() -> Path:
    """Return the folder of this process's control group (version 2), cgroups(7)."""
    line = next((line for line in _read(_PROC / "self/cgroup").splitlines() if line.startswith("0::")), "0::/")
    return _SYS / "fs/cgroup" / line.removeprefix("0::").lstrip("/")


def _kernel_settings() -> Iterator[tuple[str, str]]:
    for name, file in _KERNEL_SETTINGS.items():
        found = _read(file)
        if found:
            chosen = found.partition("[")[2].partition("]")[0]
            yield name, chosen or " ".join(found.split())


def _read(file: Path) -> str:
    """Return a file of the system without the white space around it; empty when there is none or it is refused."""
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
