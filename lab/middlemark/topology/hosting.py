"""What a server that hosts an application is given: the application, its data sources, and what it says of itself."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from middlemark.errors import InputError
from middlemark.processes.process import ProcessSpec
from middlemark.subject.platform import Resource
from middlemark.subject.server import Server
from middlemark.topology.about import About, NotDefault

DATABASE_URL = "MM_DATABASE_URL"
DATABASE_POOL = "MM_DATABASE_POOL"
DEFAULT_POOL = "20"  # specs/README.md
ABOUT_SERVER = "MM_SERVER"
ABOUT_FILE = "server.json"


@dataclass(frozen=True)
class Application:
    """What is hosted, on which server, installed where (None for the machine's own), in which private folder."""

    server: Server
    install: Path | None
    folder: Path
    artifact: Path
    resources: tuple[Resource, ...]


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


def hosted(application: Application, alone: ProcessSpec) -> ProcessSpec:
    """Write the server's files and return how it is started with the application in it.

    `alone` says what the application gets wherever it runs: its settings, log, ports. Raises InputError for a
    resource the server cannot make, a wrong database URL, or a wrong template.
    """
    server, folder = application.server, application.folder
    description = server.description
    settings = alone.settings
    place = folder / description.artifact
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(application.artifact.absolute())
    variables = {
        "folder": str(folder),
        "install": str(application.install or ""),
        "artifact": str(place),
        "host": settings["MM_HOST"],
        "port": settings["MM_PORT"],
        "databases": data_sources(application, settings),
    }
    server.write(folder, variables)
    (folder / ABOUT_FILE).write_text(json.dumps(about_server(server)), encoding="utf-8")
    words = server.words(folder, application.install)
    return dataclasses.replace(
        alone,
        command=server.command(words),
        folder=folder,
        settings={**settings, **server.environment(words), ABOUT_SERVER: str(folder / ABOUT_FILE)},
        ready_seconds=description.ready_seconds,
        ending=server.ending,
        failures=description.failures,
    )


def application_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the settings among an environment that an application tells in its `/about`."""
    return {name: v for name, v in environment.items() if name.startswith("MM_") and name != ABOUT_SERVER}


def data_sources(application: Application, settings: Mapping[str, str]) -> list[DataSource]:
    """Return the data sources that the application's settings ask for; none in a process without a database."""
    for resource in application.resources:
        if resource.kind != "database":
            what = f"{application.server.name} makes no {resource.kind} yet, '{resource.name}' is one"
            raise InputError(what, where="platform.toml")
    url = settings.get(DATABASE_URL, "")
    if not url:
        return []
    pool = settings.get(DATABASE_POOL) or DEFAULT_POOL
    return [_data_source(resource, url, pool) for resource in application.resources]


def about_server(server: Server) -> dict[str, object]:
    """Return what the application is to show of the server (specs/README.md, MM_SERVER)."""
    description = server.description
    return {
        "server": server.title,
        "versions": {description.name: description.version, **description.components},
        "not_default": [row.model_dump(include={"what", "value", "why"}) for row in description.not_default],
    }


def undisclosed(server: Server, name: str, about: About) -> list[str]:
    """Return one text for everything of the server that the process `name` does not show, none when it shows all."""
    shown = [] if about.server == server.title else [f"{name}: server is {about.server}, it runs on {server.title}"]
    rows = [
        NotDefault.model_validate(row.model_dump(include={"what", "value", "why"}))
        for row in server.description.not_default
    ]
    return shown + [f"{name}: not_default does not show {row.what}" for row in rows if row not in about.not_default]


def _data_source(resource: Resource, url: str, pool: str) -> DataSource:
    try:
        parts = urlsplit(url)
        port = parts.port or 5432
    except ValueError as error:
        raise _wrong_url(str(error)) from error
    if parts.scheme not in {"postgresql", "postgres"} or not parts.hostname or not parts.path.strip("/"):
        raise _wrong_url("scheme, host and name are needed")
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


def _wrong_url(why: str) -> InputError:
    return InputError(
        f"this is no address of a database ({why})",
        where=DATABASE_URL,
        todo="It is postgresql://user:password@host:port/name",
    )
