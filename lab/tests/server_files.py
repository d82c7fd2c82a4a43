"""The files of a server that hosts an archive, written without starting it, and how it would be started."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from small_war import small_war_checkout

from conftest import ROOT
from middlemark.processes.ending import Part
from middlemark.processes.ports import LOOPBACK
from middlemark.processes.process import ProcessSpec
from middlemark.processes.watchdog import Watchdog
from middlemark.subject.installing import installed
from middlemark.subject.subject import Subject, find_subject
from middlemark.topology.certificate import Authority
from middlemark.topology.hosting import Application, hosted
from middlemark.topology.request import Program

URL = "postgresql://user:pass%26word@127.0.0.1:1/name"


def write_files(
    subject: Subject,
    folder: Path,
    settings: dict[str, str],
    tiers: tuple[str, ...] = (),
    modes: dict[str, str] | None = None,
) -> ProcessSpec:
    """Write the server's files into `folder` and return how it would be started."""
    assert subject.server
    (folder / "artifact").touch()
    listening = {"MM_HOST": LOOPBACK, "MM_PORT": "8080"}
    alone = ProcessSpec(subject.name, Part.APPLICATION, (), folder, folder / "log", listening | settings, ports=(8080,))
    application = Application(
        subject, subject.server, Path("/install"), folder, folder / "artifact", {}, tiers, modes or {}
    )
    return hosted(application, alone)


def write_brokerage_files(server: str, folder: Path, *tiers: str, orders: str) -> ProcessSpec:
    """Write the files of a server for a process of the brokerage with these tiers, or web and services."""
    folder.mkdir()
    subject = find_subject(ROOT, f"jakarta@{server}", "brokerage")
    role, tiers = ("web", tiers) if tiers else ("all", ("web", "services"))
    url = URL if "services" in tiers else ""
    settings = {"MM_ROLE": role, "MM_DATABASE_URL": url, "MM_PROCESSOR_CONCURRENCY": "7"}
    return write_files(subject, folder, settings, tiers, {"orders": orders})


def write_petstore_files(server: str, folder: Path, settings: dict[str, str]) -> ProcessSpec:
    """Write the files of a server for a process of the Pet Store, which works on two databases by default."""
    folder.mkdir()
    subject = find_subject(ROOT, f"jakarta@{server}", "petstore")
    both = {
        "MM_ROLE": "all",
        "MM_CATALOG_URL": URL,
        "MM_ORDERS_URL": URL,
        "MM_CATALOG_POOL": "3",
        "MM_ORDERS_POOL": "4",
    }
    return write_files(subject, folder, both | settings)


def write_small_files(server: str, folder: Path, url: str = URL, *, xa: bool = False) -> ProcessSpec:
    """Write the files of a server for the small application with a database at this address."""
    folder.mkdir(exist_ok=True)
    home = small_war_checkout(folder / "checkout", ROOT / "servers" / server)
    description = home / "platforms" / "small" / "platform.toml"
    description.write_text(description.read_text().replace("xa = false", f"xa = {str(xa).lower()}"))
    subject = find_subject(home, f"small@{server}", "brokerage")
    return write_files(subject, folder, {"MM_ROLE": "all", "MM_DATABASE_URL": url})


def write_files_with_tls(server: str, folder: Path, *, mutual: bool = False) -> None:
    """Write the files of a server with a listener over TLS; `mutual`: only for who has a certificate."""
    subject = find_subject(ROOT, f"jakarta@{server}", "spice")
    settings = {"MM_ENCRYPTION": "tls", **settings_of_tls(Authority(folder), 8443)}
    write_files(with_authority(subject) if mutual else subject, folder, settings)


def with_authority(subject: Subject) -> Subject:
    """Return a subject whose tiers trust each other by certificates."""
    description = subject.specification.description
    assert description.tls
    tls = description.tls.model_copy(update={"authority": "MM_AUTHORITY"})
    trusting = description.model_copy(update={"tls": tls})
    return replace(subject, specification=replace(subject.specification, description=trusting))


def settings_of_tls(authority: Authority, port: int) -> dict[str, str]:
    """Return the settings of a process of SPICE that listens over TLS, and the authority that it may ask for."""
    pair = authority.issue("server", "server")
    return {
        "MM_TLS_PORT": str(port),
        "MM_TLS_CERTIFICATE": str(pair.certificate),
        "MM_TLS_KEY": str(pair.key),
        "MM_AUTHORITY": str(authority.certificate),
    }


def spec_of(program: Program, watching: Watchdog, folder: Path, port: int) -> ProcessSpec:
    """Return how the server is started with the program in it; `folder` takes its files."""
    server = program.subject.server
    assert server
    settings = {"MM_HOST": LOOPBACK, "MM_PORT": str(port), "MM_ROLE": "all", "MM_DATABASE_URL": URL}
    alone = ProcessSpec(
        f"{program.subject.name} web",
        Part.APPLICATION,
        (),
        folder,
        folder.parent / "web.log",
        settings,
        f"http://{LOOPBACK}:{port}/health",
        ports=(port,),
    )
    install = installed(server, watching)
    return hosted(Application(program.subject, server, install, folder, program.artifact, {}), alone)
