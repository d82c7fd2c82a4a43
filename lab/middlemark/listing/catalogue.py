"""What there is in the checkout to be started, loaded, driven and run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from middlemark.errors import InputError
from middlemark.experiment.definition import read_experiment
from middlemark.specification.specification import FILE, find_specification
from middlemark.subject.platform import Implementation, Platform, load_platform
from middlemark.subject.server import load_server
from middlemark.subject.subject import subject_names


@dataclass(frozen=True)
class Entry:
    """One thing that can be named on the command line, described in one line."""

    name: str
    description: str


def subjects(home: Path) -> Iterator[Entry]:
    """Yield each platform and, with it, the servers it runs on: what it implements, and its modes."""

    def of_platform(name: str) -> Iterator[Entry]:
        platform = load_platform(home, name)
        for spec, implementation in platform.description.specs.items():
            names = ", ".join(subject_names(home, platform, implementation)) or f"{name} (no server hosts it)"
            yield Entry(f"{names} {spec}", _described(platform, implementation))

    return _readable(_folders(home / "platforms", "platform.toml"), of_platform)


def reverse_proxies(home: Path) -> Iterator[Entry]:
    """Yield each server that can stand before an application, with what it passes on."""

    def of_server(name: str) -> Iterator[Entry]:
        server = load_server(home, name)
        if server.proxy is not None:
            yield Entry(name, f"passes {', '.join(server.proxy.protocols)} on")

    return _readable(_folders(home / "servers", "server.toml"), of_server)


def hosts(home: Path) -> Iterator[Entry]:
    """Yield each server that hosts applications, with its version and the kinds of artifact it takes."""

    def of_server(name: str) -> Iterator[Entry]:
        server = load_server(home, name)
        if server.hosts:
            yield Entry(name, f"{server.title}; hosts {', '.join(server.hosts)}")

    return _readable(_folders(home / "servers", "server.toml"), of_server)


def specifications(home: Path) -> Iterator[Entry]:
    """Yield each specification with its title, databases and scales."""

    def of_specification(name: str) -> Iterator[Entry]:
        description = find_specification(name, home).description
        scales = "; ".join(_scale(scale, numbers) for scale, numbers in description.scales.items())
        databases = ", ".join(description.databases) or "none"
        yield Entry(name, f"{description.title}; databases {databases}" + (f"; scales {scales}" if scales else ""))

    return _readable(_folders(home / "specs", FILE), of_specification)


def sessions(home: Path) -> Iterator[Entry]:
    """Yield each session of a specification with the comment at its top."""
    for file in sorted((home / "specs").glob("*/sessions/*.yaml")):
        yield Entry(f"{file.stem} {file.parent.parent.name}", _first_comment(file))


def experiments(home: Path) -> Iterator[Entry]:
    """Yield each experiment with its description."""

    def of_experiment(name: str) -> Iterator[Entry]:
        yield Entry(name, read_experiment(home / "experiments" / f"{name}.yaml").description)

    return _readable([file.stem for file in (home / "experiments").glob("*.yaml")], of_experiment)


def _folders(parent: Path, file: str) -> list[str]:
    return [found.parent.name for found in parent.glob(f"*/{file}")]


def _readable(names: Iterable[str], entries: Callable[[str], Iterable[Entry]]) -> Iterator[Entry]:
    """Yield what there is of each name; of one with a mistake that mistake, since the others can be used."""
    for name in sorted(names):
        try:
            yield from tuple(entries(name))
        except InputError as error:
            yield Entry(name, f"cannot be used: {error}")


def _described(platform: Platform, implementation: Implementation) -> str:
    modes = (f"{mode} {', '.join(values)}" for mode, values in implementation.modes.items())
    return "; ".join([platform.description.language, *modes])


def _scale(name: str, numbers: dict[str, int]) -> str:
    return f"{name} ({', '.join(f'{number:,} {of}' for of, number in numbers.items())})"


def _first_comment(file: Path) -> str:
    first = file.read_text(encoding="utf-8-sig").partition("\n")[0]
    return first.removeprefix("#").strip() if first.startswith("#") else ""
