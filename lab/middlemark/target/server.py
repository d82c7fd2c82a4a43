"""`server.toml`: all the lab knows about a server, which hosts an application or stands before it."""

from __future__ import annotations

import grp
import os
import pwd
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import jinja2
from pydantic import Field, field_validator

from middlemark.documents import Document, read_toml, suggestion, wrong_at
from middlemark.errors import InputError
from middlemark.results.run import NO_FRONT
from middlemark.target.ending import Ending, Whom
from middlemark.target.platform import Toolchain, require_tool

NOBODY = "nobody"

# What the callers of each binding speak; a binding that is not here speaks HTTP/1.1.
PROTOCOLS = {"grpc": "http/2"}
PLAIN_HTTP = "http/1.1"


class NotDefault(Document):
    """A setting of the server that differs from its own default."""

    what: str
    value: str
    why: str


class ServerDescription(Document):
    """The whole file. Commands are argument lists; `{program}` and `{folder}` stand for what is found and made."""

    name: str
    accepts: Literal["proxy"] = Field(description="proxy: it stands before an application and passes requests on")
    protocols: tuple[str, ...] = Field(min_length=1, description="what it passes on: http/1.1, http/2")
    toolchain: Toolchain = Field(description="shows the server's version, and how to install it")
    places: tuple[str, ...] = Field((), description="folders of the program besides PATH")
    templates: dict[str, str] = Field(description="source in this folder: target in {folder}")
    start: tuple[str, ...] = Field(min_length=1, description="stays in the foreground")
    stop_signal: Literal["SIGTERM", "SIGQUIT", "SIGINT"] = Field("SIGTERM", description="ends it kindly")
    ready_path: str = Field(description="answers 200, through it, when all is ready")
    ready_seconds: float = Field(30.0, gt=0)
    environment: dict[str, str] = Field({}, description="the whole environment besides PATH, HOME and LANG")
    not_default: tuple[NotDefault, ...] = Field((), description="disclosed in every report")

    @field_validator("templates")
    @classmethod
    def _stay_inside(cls, templates: dict[str, str]) -> dict[str, str]:
        for name in (*templates, *templates.values()):
            if Path(name).is_absolute() or ".." in Path(name).parts:
                raise wrong_at((name,), f"'{name}' lies outside the folder")
        return templates


@dataclass(frozen=True)
class Upstream:
    """What a front stands before and where: `address` is `host:port` of the application, `host` and `port` its own."""

    address: str
    host: str
    port: int


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
    def files(self) -> list[Path]:
        """Return the files that say how it runs."""
        return [self.folder / "server.toml", *(self.folder / source for source in self.description.templates)]

    @property
    def ending(self) -> Ending:
        """Return how it is ended: the kind signal to its leader, which ends its own workers, then SIGTERM."""
        kind = (self.description.stop_signal, 10.0)
        return Ending((kind, ("SIGTERM", 5.0)) if kind[0] != "SIGTERM" else (kind,), Whom.LEADER)

    def version(self) -> str:
        """Return the version that is installed; MissingToolError with the install command when there is none."""
        return require_tool(self._tool(), f"server {self.name}", self.name)

    def command(self, folder: Path) -> tuple[str, ...]:
        """Return the words that start it in its folder."""
        words = {"{program}": self._tool().command[0], "{folder}": str(folder)}
        return tuple(_replaced(word, words) for word in self.description.start)

    def configure(self, folder: Path, upstream: Upstream) -> None:
        """Write its files into `folder`; InputError when a template asks for what there is not."""
        for source, target in self.description.templates.items():
            try:
                text = _templates(self.folder).get_template(source).render(_variables(folder, upstream))
            except jinja2.TemplateError as error:
                raise InputError(f"this template is wrong ({error})", where=str(self.folder / source)) from error
            (folder / target).write_text(text, encoding="utf-8")

    def require_passes(self, binding: str) -> None:
        """Raise InputError when it cannot stand before services that are called over this binding."""
        reason = self.reason_against(binding)
        if reason:
            raise InputError(reason)

    def reason_against(self, binding: str) -> str:
        """Return why it cannot stand before services that are called over this binding; empty when it can."""
        needed = PROTOCOLS.get(binding, PLAIN_HTTP)
        if needed in self.description.protocols:
            return ""
        return f"{self.name} passes {', '.join(self.description.protocols)} on, binding={binding} needs {needed}"

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


def front_called(home: Path, name: str) -> Server | None:
    """Return the server that is to stand in front, None for `none`; InputError when there is no such server."""
    return None if name == NO_FRONT else load_server(home, name)


def _variables(folder: Path, upstream: Upstream) -> dict[str, object]:
    """Return what a template may use. `account` is set for root only: who the server's workers are to run as."""
    return {
        "folder": str(folder),
        "host": upstream.host,
        "port": upstream.port,
        "upstream": upstream.address,
        "account": None if os.geteuid() else NOBODY,
        "group": None if os.geteuid() else grp.getgrgid(pwd.getpwnam(NOBODY).pw_gid).gr_name,
    }


def _templates(folder: Path) -> jinja2.Environment:
    return jinja2.Environment(  # noqa: S701 (no HTML: settings of a server, from paths and ports of this host)
        loader=jinja2.FileSystemLoader(folder),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _replaced(word: str, words: dict[str, str]) -> str:
    for placeholder, value in words.items():
        word = word.replace(placeholder, value)
    return word
