"""What a server that hosts an application is given: the application, its data sources, and what it says of itself."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from middlemark.databases.database import without_password
from middlemark.errors import InputError
from middlemark.processes.process import ProcessSpec
from middlemark.specification.description import DatabaseDefinition, SpecificationDescription
from middlemark.specification.specification import about_name
from middlemark.specification.tiers import Protocol
from middlemark.subject.platform import Resource
from middlemark.subject.server import Server
from middlemark.subject.subject import Subject
from middlemark.topology.about import About, NotDefault
from middlemark.topology.proxying import workers

ABOUT_SERVER = "MM_SERVER"
ABOUT_FILE = "server.json"
PASSABLE = 0o711


@dataclass(frozen=True)
class Application:
    """What is hosted, on which server, installed where (None for the machine's own), in which private folder.

    `ports` are the further ports of the server by their names.
    """

    subject: Subject
    server: Server
    install: Path | None
    folder: Path
    artifact: Path
    ports: Mapping[str, int]


@dataclass(frozen=True)
class TlsListener:
    """A listener over TLS as a template of the server takes it: its port, and files with certificate and key."""

    port: str
    certificate: str
    key: str


@dataclass(frozen=True)
class DataSource:
    """A database as a template of the server takes it; all values are text."""

    name: str
    xa: bool
    host: str
    port: str
    database: str
    user: str
    password: str = dataclasses.field(repr=False)
    pool: str


def hosted(application: Application, unhosted: ProcessSpec) -> ProcessSpec:
    """Write the server's files and return how it is started with the application in it.

    `unhosted` says what the application gets wherever it runs: its settings, log, ports. Raises InputError for a wrong
    database URL or a wrong template.
    """
    server, folder = application.server, application.folder
    description = server.description
    use = description.uses[application.subject.implementation.artifact]
    settings = unhosted.settings
    if not use.resources:
        # Root's workers run as nobody: they pass through the folder, in which no password of a database lies.
        folder.chmod(PASSABLE)
    place = folder / use.artifact
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(application.artifact.absolute())
    specification = application.subject.specification
    variables = {
        "folder": str(folder),
        "install": str(application.install or ""),
        "artifact": str(place),
        "host": settings["MM_HOST"],
        "port": str(unhosted.ports[0]),
        "ports": {name: str(port) for name, port in application.ports.items()},
        "databases": data_sources(application, settings),
        "queues": [one.name for one in application.subject.implementation.resources if one.kind == "queue"],
        "about": _about(application, settings),
        "files": {
            name: settings[one.variable]
            for name, one in specification.description.files.items()
            if one.variable in settings
        },
        "tls": _tls(specification.description, settings),
        **workers(),
    }
    server.write(use, folder, variables)
    (folder / ABOUT_FILE).write_text(json.dumps(about_server(server)), encoding="utf-8")
    words = server.words(folder, application.install, application.ports)
    return dataclasses.replace(
        unhosted,
        command=server.command(words),
        folder=folder,
        settings={**settings, **server.environment(words), ABOUT_SERVER: str(folder / ABOUT_FILE)},
        ready_seconds=description.ready_seconds,
        ports=(*unhosted.ports, *application.ports.values()),
        ending=server.ending,
        failures=description.failures,
    )


def application_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the settings among an environment that an application tells in its `/about`."""
    return {name: v for name, v in environment.items() if name.startswith("MM_") and name != ABOUT_SERVER}


def _tls(description: SpecificationDescription, settings: Mapping[str, str]) -> TlsListener | None:
    """Return the listener over TLS of a process with these settings, None where it has none."""
    tls, entry = description.tls, description.tiers[description.entry]
    port = settings.get(entry.listens.get(Protocol.HTTPS, ""), "")
    if tls is None or not port:
        return None
    return TlsListener(port, settings[tls.certificate], settings[tls.key])


def data_sources(application: Application, settings: Mapping[str, str]) -> list[DataSource]:
    """Return the data sources for the databases that a process with these settings works on."""
    subject = application.subject
    found = []
    for resource in subject.implementation.resources:
        if resource.kind == "database":
            database = subject.specification.description.databases[resource.name]
            url = settings.get(database.variable, "")
            if url:
                found.append(_data_source(resource, (database.variable, url), _pool(subject, database, settings)))
    return found


def _pool(subject: Subject, database: DatabaseDefinition, settings: Mapping[str, str]) -> str:
    """Return the number of connections in the pool of a database; empty where the specification has no setting."""
    if database.pool is None:
        return ""
    return settings.get(database.pool) or subject.specification.description.settings[database.pool].default_text


def about_server(server: Server) -> dict[str, object]:
    """Return what the application is to show of the server (specs/README.md, MM_SERVER)."""
    description = server.description
    return {
        "server": server.title,
        "versions": {description.name: description.version, **description.components},
        "not_default": [row.model_dump(include={"what", "value", "why"}) for row in description.not_default],
    }


def _about(application: Application, settings: Mapping[str, str]) -> dict[str, object]:
    """Return the whole of `/about`, for a server whose application is files and no program that could answer it."""
    specification = application.subject.specification
    roles, own = specification.description.roles, application_settings(settings)
    carried = roles.carries[own[roles.variable]] if roles else tuple(specification.description.tiers)
    return {
        "platform": application.subject.platform.name,
        "specification": specification.name,
        "specification_version": specification.version,
        "commit": "unknown",
        "roles": list(carried),
        "settings": {about_name(name): without_password(v) if "://" in v else v for name, v in own.items()},
        **about_server(application.server),
    }


def undisclosed(server: Server, name: str, about: About) -> list[str]:
    """Return one text for everything of the server that the process `name` does not show, none when it shows all."""
    shown = [] if about.server == server.title else [f"{name}: server is {about.server}, it runs on {server.title}"]
    rows = [
        NotDefault.model_validate(row.model_dump(include={"what", "value", "why"}))
        for row in server.description.not_default
    ]
    return shown + [f"{name}: not_default does not show {row.what}" for row in rows if row not in about.not_default]


def _data_source(resource: Resource, address: tuple[str, str], pool: str) -> DataSource:
    """Return a data source of the database at an address, given as variable and URL."""
    variable, url = address
    try:
        parts = urlsplit(url)
        port = parts.port or 5432
    except ValueError as error:
        raise _wrong_url(variable, str(error)) from error
    if parts.scheme not in {"postgresql", "postgres"} or not parts.hostname or not parts.path.strip("/"):
        raise _wrong_url(variable, "scheme, host and name are needed")
    return DataSource(
        name=resource.name,
        xa=resource.xa,
        host=parts.hostname,
        port=str(port),
        database=unquote(parts.path.removeprefix("/")),
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        pool=pool,
    )


def _wrong_url(variable: str, why: str) -> InputError:
    return InputError(
        f"this is not the address of a database ({why})",
        where=variable,
        todo="It is postgresql://user:password@host:port/name",
    )
