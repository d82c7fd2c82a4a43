"""`platform.toml`: all the lab knows about a platform."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from middlemark.documents import Document, read_toml, suggestion, wrong_at
from middlemark.errors import InputError, MissingToolError
from middlemark.subject.code import Code
from middlemark.subject.disclosed import Disclosed

_VERSION = re.compile(r"(\d+(?:\.\d+)+|\d+)")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")  # Maven writes them into pipes too, and they hold numbers
# Only a program that never ends is left to itself: Maven has needed more than 30 s on a busy machine.
_VERSION_SECONDS = 240


class Toolchain(Document):
    """What builds and starts the platform: a command that shows its version, the least version, how to install it."""

    command: tuple[str, ...] = Field(min_length=1, description="shows the version")
    minimum: str = Field(description="least version")
    debian: str = Field(description="how to install it on Debian")
    macos: str = Field(description="how to install it on macOS")
    name: str = Field("", description="what people call it; the language, or the command of a server, when left out")
    runs_on: str = Field(
        "", description="pattern in what the command shows; its group is the version of the language it runs on"
    )

    @field_validator("runs_on")
    @classmethod
    def _have_one_group(cls, pattern: str) -> str:
        try:
            groups = re.compile(pattern).groups
        except re.error as error:
            raise wrong_at((), f"'{pattern}' is not a pattern ({error})") from error
        if pattern and groups != 1:
            raise wrong_at((), f"'{pattern}' needs one group, around the version")
        return pattern


class Resource(Document):
    """Something that has to be there before the application starts."""

    kind: Literal["database", "queue"]
    name: str = Field(description="of a database or queue of the specification; a server makes jdbc/{name}, jms/{name}")
    xa: bool = Field(default=False, description="a database that takes part in distributed transactions")
    parameters: tuple[str, ...] = Field(
        (),
        description="of a database: further parameters of libpq in its URL that the application takes, as sslmode; "
        "host for the folder of a socket",
    )
    listener: str = Field("", description="of a queue: the name of the message-driven bean that gets its messages")
    when: dict[str, tuple[str, ...]] = Field(
        {}, max_length=1, description="a mode: the values with which it is so; a server that lacks the kind lacks these"
    )

    @model_validator(mode="after")
    def _has_keys_of_its_kind(self) -> Self:
        if self.kind == "queue" and self.xa:
            raise wrong_at(("xa",), "a queue always takes part in distributed transactions")
        if self.kind == "queue" and self.parameters:
            raise wrong_at(("parameters",), "a queue has no URL")
        if self.kind == "database" and self.listener:
            raise wrong_at(("listener",), "nothing listens to a database")
        return self

    def is_beside(self, other: Resource) -> bool:
        """Say whether the two never hold at once: one mode has other values in each."""
        return any(not set(values) & set(other.when.get(mode, values)) for mode, values in self.when.items())


PROGRAM = "program"


class RoleProgram(Document):
    """A program for one role, beside the artifact that carries the others. It starts by itself, never on a server."""

    build: tuple[str, ...] = Field(min_length=1, description="makes {artifact}, the program of this role")
    start: tuple[str, ...] = Field(min_length=1, description="starts {artifact}")
    ready_seconds: float = Field(60.0, gt=0, description="how long it may take until /health answers 200")
    memory_mib: int = Field(256, gt=0, description="most that a process of it takes")
    cases_environment: dict[str, str] = Field({}, description="added while cases run; never in a measurement")


class Implementation(Document):
    """How the platform implements one specification. Commands are argument lists, run in the platform's folder."""

    build: tuple[str, ...] = Field(
        min_length=1, description="makes {artifact}; {python} is the interpreter that runs the lab"
    )
    artifact: str = Field(
        PROGRAM, description="what `build` makes: program, or a kind that servers host, like war or files"
    )
    start: tuple[str, ...] = Field((), description="starts {artifact} by itself; left out, a server has to host it")
    ready_seconds: float = Field(60.0, gt=0, description="how long it may take until /health answers 200, by itself")
    memory_mib: int = Field(256, gt=0, description="most that a process of it takes; by it subjects run together")
    cases_environment: dict[str, str] = Field(
        {}, description="added while cases run: the same program, quicker to start; never in a measurement"
    )
    roles: tuple[str, ...] = Field((), description="roles of the specification that it knows")
    programs: dict[str, RoleProgram] = Field({}, description="role: a program of its own, beside the artifact")
    modes: dict[str, Annotated[tuple[str, ...], Field(min_length=1)]] = Field(
        {}, description="mode: values it offers, the first is its default; a mode left out has the specification's"
    )
    features: tuple[str, ...] = Field((), description="features of the specification that it has")
    feature_abilities: dict[str, str] = Field(
        {}, description="feature: the ability of a server without which it does not have the feature there"
    )
    not_default: tuple[Disclosed, ...] = Field(
        (), description="of an application of files, which has no program that could show it in /about"
    )
    resources: tuple[Resource, ...] = ()
    code: Code | None = Field(None, description="which files are which tier, for the count of lines")

    @model_validator(mode="after")
    def _can_be_started(self) -> Self:
        if self.artifact == PROGRAM and not self.start:
            raise wrong_at(("start",), "a program needs `start`; an artifact that servers host names its kind")
        return self

    @model_validator(mode="after")
    def _programs_are_of_roles(self) -> Self:
        for role in self.programs:
            if role not in self.roles:
                raise wrong_at(("programs", role), f"'{role}' is not among the roles. {suggestion(role, self.roles)}")
        return self

    @model_validator(mode="after")
    def _abilities_are_for_features(self) -> Self:
        for feature in self.feature_abilities:
            if feature not in self.features:
                what = f"'{feature}' is not among the features. {suggestion(feature, self.features)}"
                raise wrong_at(("feature_abilities", feature), what)
        return self

    @model_validator(mode="after")
    def _resources_differ(self) -> Self:
        for one, other in itertools.combinations(self.resources, 2):
            if (one.kind, one.name) == (other.kind, other.name) and not one.is_beside(other):
                raise wrong_at(("resources",), f"the {one.kind} '{one.name}' is there more than once")
        return self

    def of_role(self, role: str) -> Implementation:
        """The implementation in a process of a role: with the program of that role where it has one."""
        program = self.programs.get(role)
        return self.model_copy(update={**dict(program), "artifact": PROGRAM}) if program else self


# Linux cuts the names of threads off there (proc(5), comm: TASK_COMM_LEN of 16 with its end).
ThreadName = Annotated[str, Field(min_length=1, max_length=15)]


class PlatformDescription(Document):
    """The whole file."""

    name: str
    language: str
    toolchain: Toolchain
    compiler_threads: tuple[ThreadName, ...] | None = Field(
        None,
        description="names of the threads that compile while a program runs, as in /proc/PID/task/*/comm; none ([]) "
        "where everything is compiled before; on a server its own count",
    )
    tuning: str = Field("", description="file of this folder with the settings that were tried; tuning.schema.json")
    specs: dict[str, Implementation] = Field(min_length=1)


@dataclass(frozen=True)
class Platform:
    """A platform in its folder."""

    folder: Path
    description: PlatformDescription

    @property
    def name(self) -> str:
        """Return the name of the folder, by which people call the platform."""
        return self.folder.name


def platforms(home: Path) -> list[Platform]:
    """Return every platform of the checkout, by name; InputError when a description is wrong."""
    return [_read(file.parent) for file in sorted((home / "platforms").glob("*/platform.toml"))]


def load_platform(home: Path, name: str) -> Platform:
    """Return the platform called `name`; InputError names those there are."""
    folder = home / "platforms" / name
    if "/" not in name and (folder / "platform.toml").is_file():
        return _read(folder)
    known = [file.parent.name for file in (home / "platforms").glob("*/platform.toml")]
    raise InputError(f"no platform is called '{name}'. {suggestion(name, sorted(known))}", where="platforms/")


@dataclass(frozen=True)
class ToolVersion:
    """What a tool's command shows: its version and, where `runs_on` asks for it, that of the language it runs on."""

    tool: str
    runs_on: str = ""


def command_words(words: Iterable[str], artifact: Path | None = None) -> tuple[str, ...]:
    """Return a command of a platform: `{artifact}` is what was built, `{python}` the interpreter that runs the lab."""
    named = (word.replace("{python}", sys.executable) for word in words)
    return tuple(word if artifact is None else word.replace("{artifact}", str(artifact)) for word in named)


def toolchain_version(toolchain: Toolchain) -> ToolVersion | None:
    """Return what the toolchain's command shows, None when there is no such program."""
    command = command_words(toolchain.command)
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_VERSION_SECONDS)
    except (FileNotFoundError, PermissionError, subprocess.TimeoutExpired):
        return None
    shown = _COLOURS.sub("", done.stdout + done.stderr)
    found = _VERSION.search(shown)
    if done.returncode != 0 or not found:
        return None
    runs_on = re.search(toolchain.runs_on, shown) if toolchain.runs_on else None
    return ToolVersion(found[1], runs_on[1] if runs_on else "")


def check_toolchain(platform: Platform, server: str = "", serves: str = "") -> str:
    """Return the toolchain's version, of one that itself runs on the language with that: `3.8.7 on Java 17.0.15`.

    Raises MissingToolError with the install command when it is missing or too old, and when it compiles with another
    version of the language than `serves`, the one on which `server` is to run what it makes.
    """
    shown = _required(platform.description.toolchain, f"platform {platform.name}", called(platform))
    language = platform.description.language
    compiles = _VERSION.search(shown.runs_on)
    if server and compiles and compiles[1] != serves:
        raise MissingToolError(
            f"{called(platform)} compiles with {language} {compiles[1]} and {server} runs on {language} {serves}; "
            "one has to do both",
            where=f"platform {platform.name}",
            todo=f"Let {called(platform)} take the first on PATH: for Java unset JAVA_HOME, or set it to that one",
        )
    return f"{shown.tool} on {language} {shown.runs_on}" if shown.runs_on else shown.tool


def called(platform: Platform) -> str:
    """Return what people call the platform's toolchain."""
    return platform.description.toolchain.name or platform.description.language


def require_tool(toolchain: Toolchain, where: str, name: str = "") -> str:
    """Return the version of a tool that people call `name`; MissingToolError when it is missing or too old."""
    return _required(toolchain, where, name).tool


def _required(toolchain: Toolchain, where: str, name: str = "") -> ToolVersion:
    """Return what a tool shows of itself; MissingToolError when it is missing or too old."""
    name = name or toolchain.name or toolchain.command[0]
    shown = toolchain_version(toolchain)
    if shown is not None and _numbers(shown.tool) >= _numbers(toolchain.minimum):
        return shown
    found = "is not here" if shown is None else f"is {shown.tool}"
    raise MissingToolError(
        f"{name} {toolchain.minimum} or later is needed and {found} (`{' '.join(toolchain.command)}`)",
        where=where,
        todo=f"Debian: {toolchain.debian}. macOS: {toolchain.macos}",
    )


def _read(folder: Path) -> Platform:
    return Platform(folder, read_toml(folder / "platform.toml", PlatformDescription))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
