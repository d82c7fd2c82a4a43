"""`server.toml`: all the lab knows about a server, which hosts an application or stands before it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Self

import jinja2
from pydantic import Field, field_validator, model_validator

from middlemark.documents import Document, read_toml, suggestion, wrong_at
from middlemark.errors import InputError
from middlemark.processes.ending import Ending, Whom
from middlemark.processes.known_failures import KnownFailure
from middlemark.records.choices import NO_PROXY
from middlemark.specification.tiers import Protocol
from middlemark.subject.disclosed import NotDefault
from middlemark.subject.platform import ThreadName, Toolchain, require_tool

# What a proxy has to pass on for each protocol of a specification.
PASSED_ON: dict[str, str] = {Protocol.HTTP: "http/1.1", Protocol.GRPC: "http/2", Protocol.UNIX: "unix"}
PROXY = "proxy"


class FetchedFile(Document):
    """A file that the install command leaves in {folder}."""

    name: str
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    unpack: bool = Field(default=False, description="a zip: what is in it is kept, itself not")


class Install(Document):
    """How the server comes to this machine: fetched once, checked, and kept for every later run."""

    toolchain: Toolchain = Field(description="what fetches it")
    command: tuple[str, ...] = Field(min_length=1, description="leaves the files in {folder}")
    files: tuple[FetchedFile, ...] = Field(min_length=1)
    size: str = Field(description="how much is fetched, for people who wait")


class Use(Document):
    """One use of a server: it stands before an application (`proxy`), or hosts artifacts of a kind (`war`, `site`)."""

    protocols: tuple[Literal["http/1.1", "http/2", "tcp"], ...] = Field((), description="what a proxy passes on")
    ready_path: str = Field("", description="of a proxy: answers 200, through it, when all is ready")
    balances: bool = Field(
        default=False, description="one stands before all processes of a tier, and keeps a session with one of them"
    )
    artifact: str = Field("", description="where the artifact lies in {folder}, of a use that hosts")
    templates: dict[str, str] = Field({}, description="source in this folder: target in {folder}")
    resources: tuple[Literal["database", "queue"], ...] = Field(
        (), description="kinds of resources that it makes for an application"
    )
    database_parameters: tuple[str, ...] = Field(
        (), description="further parameters of libpq in the URL of a database that its data sources take, as sslmode"
    )
    abilities: tuple[str, ...] = Field(
        (), description="what it does for an application that not every server does, as cgi; platforms name it"
    )
    not_default: tuple[NotDefault, ...] = Field((), description="disclosed beside those of every use")

    @field_validator("templates")
    @classmethod
    def _stay_inside(cls, templates: dict[str, str]) -> dict[str, str]:
        for name in (*templates, *templates.values()):
            if Path(name).is_absolute() or ".." in Path(name).parts:
                raise wrong_at((name,), f"'{name}' lies outside the folder")
        return templates


class ServerDescription(Document):
    """The whole file. Commands are argument lists.

    In `start`, `configure`, the environments and the install command `{program}`, `{server}`, `{install}` and
    `{folder}` stand for the program that was found, this file's folder, what was installed, and the private folder of
    one process; `{port.NAME}` for one of its `ports`.
    """

    name: str
    uses: dict[str, Use] = Field(min_length=1, description="proxy, or the kind of artifact that it hosts: what for")
    toolchain: Toolchain = Field(description="shows the version of what runs it, and how to install that")
    places: tuple[str, ...] = Field((), description="folders of the program besides PATH")
    version: str = Field("", description="of a server that the lab installs")
    components: dict[str, str] = Field({}, description="versions of parts of it that an application uses")
    install: Install | None = Field(None, description="without it the server is the machine's own")
    ports: tuple[str, ...] = Field((), description="names of further ports; each process gets free ones")
    configure: tuple[tuple[str, ...], ...] = Field((), description="commands run once its files are written, in order")
    start: tuple[str, ...] = Field(min_length=1, description="stays in the foreground")
    stop_signal: Literal["SIGTERM", "SIGQUIT", "SIGINT"] = Field("SIGTERM", description="ends it kindly")
    stop_seconds: float = Field(10.0, gt=0, description="how long that may take")
    ready_seconds: float = Field(30.0, gt=0)
    memory_mib: int = Field(256, gt=0, description="most that a process of it takes; by it subjects run together")
    environment: dict[str, str] = Field({}, description="the environment besides PATH, HOME, LANG and MM_*")
    cases_environment: dict[str, str] = Field(
        {}, description="added while cases run: the same program, quicker to start; never in a measurement"
    )
    compiler_threads: tuple[ThreadName, ...] | None = Field(
        None, description="names of the threads that compile what it hosts, as in /proc/PID/task/*/comm; [] for none"
    )
    drops_rights: bool = Field(
        default=False,
        description="workers of a host that root starts run as `account`: what they cannot reach is refused",
    )
    not_default: tuple[NotDefault, ...] = Field((), description="of every use; disclosed in every report")
    failures: tuple[KnownFailure, ...] = Field((), description="which setting is wrong when it does not become ready")

    @model_validator(mode="after")
    def _uses_are_complete(self) -> Self:
        for kind, use in self.uses.items():
            if (kind == PROXY) != bool(use.protocols):
                raise wrong_at(("uses", kind, "protocols"), "a proxy says what it passes on, and no other use does")
            if (kind == PROXY) != bool(use.ready_path):
                raise wrong_at(("uses", kind, "ready_path"), "a proxy says where it is ready, and no other use does")
            if use.balances and kind != PROXY:
                raise wrong_at(("uses", kind, "balances"), "only a proxy shares requests out")
            if (kind == PROXY) == bool(use.artifact):
                raise wrong_at(("uses", kind, "artifact"), "a use that hosts says where the artifact lies, a proxy not")
        return self


@dataclass(frozen=True)
class Server:
    """A server in its folder."""

    folder: Path
    description: ServerDescription

    @property
    def name(self) -> str:
        """Return the name of the folder, by which people call the server."""
        return self.folder.name

    @property
    def title(self) -> str:
        """Return its name and version as its makers write them."""
        return f"{self.description.name} {self.description.version}".strip()

    @property
    def files(self) -> list[Path]:
        """Return the files that say how it runs: all of its folder, in which its commands find more, but pages."""
        found = (file for file in sorted(self.folder.rglob("*")) if file.is_file() and file.suffix != ".md")
        return [file for file in found if "__pycache__" not in file.parts]

    @property
    def hosts(self) -> tuple[str, ...]:
        """Return the kinds of artifact that it hosts."""
        return tuple(kind for kind in self.description.uses if kind != PROXY)

    @property
    def proxy(self) -> Use | None:
        """Return its use as a reverse proxy; None when it has none."""
        return self.description.uses.get(PROXY)

    @property
    def balances(self) -> bool:
        """Whether, as a proxy, one shares requests out to all processes of a tier."""
        return self.proxy is not None and self.proxy.balances

    def not_default(self, kind: str) -> tuple[NotDefault, ...]:
        """Return its settings that are not its own defaults in one use, those of every use first."""
        return (*self.description.not_default, *self.description.uses[kind].not_default)

    def for_cases(self) -> Server:
        """Return the server as it runs while cases run: its processes live for seconds, and nothing is measured."""
        both = {**self.description.environment, **self.description.cases_environment}
        return replace(self, description=self.description.model_copy(update={"environment": both}))

    @property
    def ending(self) -> Ending:
        """Return how it is ended: the kind signal to its leader, which ends its own workers, then SIGTERM."""
        kind = (self.description.stop_signal, self.description.stop_seconds)
        return Ending((kind, ("SIGTERM", 5.0)) if kind[0] != "SIGTERM" else (kind,), Whom.LEADER)

    def version(self) -> str:
        """Return its version; MissingToolError with the install command when what runs it is not here."""
        runs_on = self.runs_on()
        return f"{self.description.version} on {self._called} {runs_on}" if self.description.version else runs_on

    def runs_on(self) -> str:
        """Return the version of what runs it; MissingToolError with the install command when that is not here."""
        return require_tool(self._tool(), f"server {self.name}", self._called)

    def words(self, folder: Path, install: Path | None, ports: Mapping[str, int]) -> dict[str, str]:
        """Return what stands for the placeholders of its commands."""
        return {
            "{program}": self._tool().command[0],
            "{server}": str(self.folder),
            "{folder}": str(folder),
            "{install}": str(install or ""),
            **{f"{{port.{name}}}": str(port) for name, port in ports.items()},
        }

    def command(self, words: Mapping[str, str]) -> tuple[str, ...]:
        """Return the words that start it."""
        return tuple(replaced(word, words) for word in self.description.start)

    def environment(self, words: Mapping[str, str]) -> dict[str, str]:
        """Return its part of the environment."""
        return {name: replaced(value, words) for name, value in self.description.environment.items()}

    def write(self, kind: str, folder: Path, variables: Mapping[str, object]) -> None:
        """Write the files of one use into `folder`; InputError when a template asks for what is not there."""
        settings = {one.variable: one.value for one in self.not_default(kind) if one.variable}
        for source, target in self.description.uses[kind].templates.items():
            try:
                text = _templates(self.folder).get_template(source).render({**settings, **variables})
            except jinja2.TemplateError as error:
                raise InputError(f"this template is wrong ({error})", where=str(self.folder / source)) from error
            (folder / target).parent.mkdir(parents=True, exist_ok=True)
            (folder / target).write_text(text, encoding="utf-8")

    def reason_against(self, listener: str) -> str:
        """Return why it cannot stand before a listener that is called; empty when it can."""
        if self.proxy is None:
            return f"{self.name} hosts applications and stands before none"
        needed = PASSED_ON.get(listener, "tcp")
        if needed in self.proxy.protocols:
            return ""
        return f"{self.name} passes {', '.join(self.proxy.protocols)} on, and {needed} is needed"

    @property
    def _called(self) -> str:
        return self.description.toolchain.name or self.description.toolchain.command[0]

    def _tool(self) -> Toolchain:
        """Return the command that shows the version, the program with its path where it is found."""
        tool = self.description.toolchain
        path = os.pathsep.join((os.environ.get("PATH", os.defpath), *self.description.places))
        found = shutil.which(tool.command[0], path=path)
        return tool if found is None else tool.model_copy(update={"command": (found, *tool.command[1:])})


def load_server(home: Path, name: str) -> Server:
    """Return the server called `name`; InputError names those there are."""
    folder = home / "servers" / name
    if "/" not in name and (folder / "server.toml").is_file():
        return Server(folder, read_toml(folder / "server.toml", ServerDescription))
    known = sorted(file.parent.name for file in (home / "servers").glob("*/server.toml"))
    raise InputError(f"no server is called '{name}'. {suggestion(name, known)}", where="servers/")


def servers(home: Path) -> list[Server]:
    """Return every server of the checkout, by name; InputError when a description is wrong."""
    return [load_server(home, file.parent.name) for file in sorted((home / "servers").glob("*/server.toml"))]


def servers_that_host(home: Path, artifact: str | None) -> list[Server]:
    """Return the servers that host an artifact of this kind, by name; one with a mistake hosts none."""
    if artifact is None:
        return []
    found = []
    for file in sorted((home / "servers").glob("*/server.toml")):
        with suppress(InputError):
            found.append(load_server(home, file.parent.name))
    return [server for server in found if artifact in server.hosts]


def load_reverse_proxy(home: Path, name: str) -> Server | None:
    """Return the server that is to stand in front, None for `none`; InputError when it cannot, or is not there."""
    if name == NO_PROXY:
        return None
    server = load_server(home, name)
    if server.proxy is None:
        raise InputError(f"{name} hosts applications and stands before none", todo=f"Write PLATFORM@{name}")
    return server


def replaced(word: str, words: Mapping[str, str]) -> str:
    """Return the word with the placeholders in it replaced."""
    for placeholder, value in words.items():
        word = word.replace(placeholder, value)
    return word


def _templates(folder: Path) -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        undefined=jinja2.StrictUndefined,
        autoescape=jinja2.select_autoescape(("xml.template",)),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
