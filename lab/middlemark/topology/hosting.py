"""What a server that hosts an application is given: the application, its data sources, and what it says of itself."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict

from middlemark.databases.database import DEFAULT_PORT
from middlemark.databases.database_url import SHAPE, parameters_of, without_password
from middlemark.errors import InputError
from middlemark.processes.process import ProcessSpec
from middlemark.specification.description import SpecificationDescription
from middlemark.specification.resources import DatabaseDefinition
from middlemark.specification.specification import about_name
from middlemark.specification.tiers import Protocol
from middlemark.subject.platform import Resource
from middlemark.subject.server import Server
from middlemark.subject.subject import Subject
from middlemark.topology.about import About, NotDefault
from middlemark.topology.certificate import STORE_PASSWORD, Certificate, trust_store
from middlemark.topology.workers import FOR_EVERYBODY, account, count_of, require_passable


class AboutServer(TypedDict):
    """What a server says of itself."""

    server: str
    versions: dict[str, str]
    not_default: list[dict[str, str]]


ABOUT_SERVER = "MM_SERVER"
ABOUT_FILE = "server.json"


@dataclass(frozen=True)
class Application:
    """What is hosted, on which server, installed where (None for the machine's own), in which private folder.

    `ports` are the further ports of the server by their names; `tiers` are those that the process carries, `modes` has
    the chosen values.
    """

    subject: Subject
    server: Server
    install: Path | None
    folder: Path
    artifact: Path
    ports: Mapping[str, int]
    tiers: tuple[str, ...] = ()
    modes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TlsListener:
    """A listener over TLS as a template of the server takes it.

    `certificate` and `key` are files (PEM), `key_store` has both (PKCS #12). With a `trust_store` (PKCS #12) it accepts
    only clients with a certificate of that authority. `password` is that of both stores.
    """

    port: str
    certificate: str
    key: str
    key_store: str
    trust_store: str | None
    password: str = STORE_PASSWORD


@dataclass(frozen=True)
class GivenOut:
    """A set of files as a template of the server takes it: its folder, and the address below which it is given out."""

    address: str
    folder: str


@dataclass(frozen=True)
class DataSource:
    """A database as a template of the server takes it; all values are text.

    `parameters` are further ones of libpq, of those alone that the server takes.
    """

    name: str
    xa: bool
    host: str
    port: str
    database: str
    user: str
    password: str = dataclasses.field(repr=False)
    pool: str
    recovery_seconds: str
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Queue:
    """A queue as a template of the server takes it; numbers are text.

    `listener` is the message-driven bean that gets its messages, at most `concurrency` at once. One whose transaction
    was rolled back is tried again after so many seconds. Unless it is `used` this process never sends anything to it.
    """

    name: str
    listener: str
    concurrency: str
    retry_seconds: str
    used: bool


def hosted(application: Application, unhosted: ProcessSpec) -> ProcessSpec:
    """Write the server's files and return how it is started with the application in it.

    `unhosted` says what the application gets wherever it runs: its settings, log, ports. Raises InputError for a wrong
    database URL or a wrong template.
    """
    server, folder = application.server, application.folder
    description, kind = server.description, application.subject.implementation.artifact
    settings = unhosted.settings
    if not description.uses[kind].resources:
        # Root's workers run as nobody: they pass through the folder, in which no password of a database lies.
        folder.chmod(FOR_EVERYBODY)
    place = folder / description.uses[kind].artifact
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(application.artifact.absolute())
    server.write(kind, folder, _variables(application, unhosted, place))
    (folder / ABOUT_FILE).write_text(json.dumps(about_server(server, kind)), encoding="utf-8")
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


def _variables(application: Application, unhosted: ProcessSpec, place: Path) -> dict[str, object]:
    """Return the variables of the templates of a host; HostError when root's workers cannot reach the application."""
    settings, description = unhosted.settings, application.subject.specification.description
    given_out = _given_out(description, settings)
    if application.server.description.drops_rights:
        require_passable((application.artifact, *(Path(one.folder) for one in given_out)))
    return {
        "folder": str(application.folder),
        "install": str(application.install or ""),
        "artifact": str(place),
        "host": settings["MM_HOST"],
        "port": str(unhosted.ports[0]),
        "ports": {name: str(port) for name, port in application.ports.items()},
        "databases": data_sources(application, settings),
        "other_databases": _other_databases(application, settings),
        "queues": queues(application, settings),
        "about": _about(application, settings),
        "files": {name: settings[one.variable] for name, one in description.files.items() if one.variable in settings},
        "given_out": given_out,
        "tls": _tls(description, settings),
        "cpus": count_of(unhosted.cpus),
        **account(),
    }


def application_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the settings among an environment that an application tells in its `/about`."""
    return {name: v for name, v in environment.items() if name.startswith("MM_") and name != ABOUT_SERVER}


def _tls(description: SpecificationDescription, settings: Mapping[str, str]) -> TlsListener | None:
    """Return the listener over TLS of a process with these settings, None where it has none."""
    tls = description.tls
    variables = (tier.listens.get(Protocol.HTTPS, "") for tier in description.tiers.values())
    port = next((settings[variable] for variable in variables if variable in settings), "")
    if tls is None or not port:
        return None
    own = Certificate(Path(settings[tls.certificate]), Path(settings[tls.key]))
    trusted = str(trust_store(Path(settings[tls.authority]))) if tls.authority else None
    return TlsListener(port, str(own.certificate), str(own.key), str(own.key_store), trusted)


def _given_out(description: SpecificationDescription, settings: Mapping[str, str]) -> list[GivenOut]:
    """Return the sets of files that a process with these settings gives out by their addresses."""
    return [
        GivenOut(one.address, settings[one.variable])
        for one in description.files.values()
        if one.address and one.variable in settings
    ]


def data_sources(application: Application, settings: Mapping[str, str]) -> list[DataSource]:
    """Return the data sources for the databases that a process with these settings works on."""
    subject = application.subject
    found = []
    for resource in subject.resources_in(application.modes):
        if resource.kind == "database":
            database = subject.specification.description.databases[resource.name]
            url = settings.get(database.variable, "")
            if url:
                found.append(_data_source(resource, (database.variable, url), _chosen(subject, database, settings)))
    return found


def _other_databases(application: Application, settings: Mapping[str, str]) -> list[str]:
    """Return the names of the databases that the application works on, but not a process with these settings."""
    worked_on = {one.name for one in data_sources(application, settings)}
    databases = (one.name for one in application.subject.implementation.resources if one.kind == "database")
    return [name for name in dict.fromkeys(databases) if name not in worked_on]


def queues(application: Application, settings: Mapping[str, str]) -> list[Queue]:
    """Return every queue of the application, with what the settings of a process say of it."""
    subject, specification = application.subject, application.subject.specification
    used = specification.queues_in_use(application.tiers, application.modes)
    found = []
    for resource in subject.implementation.resources:
        if resource.kind == "queue":
            queue = specification.description.queues[resource.name]
            concurrency, retry = (_setting(subject, one, settings) for one in (queue.concurrency, queue.retry))
            found.append(Queue(resource.name, resource.listener, concurrency, retry, resource.name in used))
    return found


def _chosen(subject: Subject, database: DatabaseDefinition, settings: Mapping[str, str]) -> tuple[str, str]:
    """Size of the pool and seconds of the recovery of a database; each empty where the specification has no setting."""
    pool, recovery = (
        "" if one is None else _setting(subject, one, settings) for one in (database.pool, database.recovery)
    )
    return pool, recovery


def _setting(subject: Subject, name: str, settings: Mapping[str, str]) -> str:
    """Return the value of a setting, its default where it is not set."""
    return settings.get(name) or subject.specification.description.settings[name].default_text


def about_server(server: Server, kind: str) -> AboutServer:
    """Return what an application of this kind is to show of the server (specs/README.md, MM_SERVER)."""
    description = server.description
    return {
        "server": server.title,
        "versions": {description.name: description.version or server.runs_on(), **description.components},
        "not_default": [one.row for one in server.not_default(kind)],
    }


def _about(application: Application, settings: Mapping[str, str]) -> dict[str, object]:
    """Return the whole of `/about`, for a server whose application is files and no program that could answer it."""
    subject, specification = application.subject, application.subject.specification
    server = about_server(application.server, subject.implementation.artifact)
    roles, own = specification.description.roles, application_settings(settings)
    carried = roles.carries[own[roles.variable]] if roles else tuple(specification.description.tiers)
    not_in_effect = dict.fromkeys(specification.given_settings, "")
    known = specification.description.settings
    defaults = {about_name(one): known[one].default_text for one in specification.known_settings(subject.features)}
    return {
        "platform": subject.platform.name,
        "server": server["server"],
        "specification": specification.name,
        "specification_version": specification.version,
        "commit": "unknown",
        "roles": list(carried),
        "settings": not_in_effect
        | defaults
        | {about_name(name): without_password(v) if "://" in v else v for name, v in own.items()},
        "versions": server["versions"],
        "not_default": [*server["not_default"], *(one.row for one in subject.implementation.not_default)],
    }


def undisclosed(server: Server, kind: str, name: str, about: About) -> list[str]:
    """Return one text for everything of the server that the process `name` does not show, none when it shows all.

    `kind` is that of the artifact it hosts.
    """
    shown = [] if about.server == server.title else [f"{name}: server is {about.server}, it runs on {server.title}"]
    rows = [NotDefault.model_validate(one.row) for one in server.not_default(kind)]
    return shown + [f"{name}: not_default does not show {row.what}" for row in rows if row not in about.not_default]


def _data_source(resource: Resource, address: tuple[str, str], chosen: tuple[str, str]) -> DataSource:
    """Return a data source of the database at an address, given as variable and URL."""
    variable, url = address
    pool, recovery_seconds = chosen
    try:
        parameters = parameters_of(url)
    except InputError as error:
        raise InputError(error.what, where=variable, todo=error.todo) from error
    if not parameters.get("host") or not parameters.get("dbname"):
        raise InputError("the database URL names no host or no database", where=variable, todo=f"Write {SHAPE}")
    return DataSource(
        name=resource.name,
        xa=resource.xa,
        host=parameters.pop("host"),
        port=parameters.pop("port", DEFAULT_PORT),
        database=parameters.pop("dbname"),
        user=parameters.pop("user", ""),
        password=parameters.pop("password", ""),
        parameters=parameters,
        pool=pool,
        recovery_seconds=recovery_seconds,
    )
