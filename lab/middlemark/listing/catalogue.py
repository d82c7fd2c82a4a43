"""What there is in the checkout to be started, loaded, driven and run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from middlemark.experiment.definition import read_experiment
from middlemark.specification.specification import read_specification, specification_folders
from middlemark.subject.platform import Implementation, Platform, platforms
from middlemark.subject.server import servers
from middlemark.subject.subject import subject_names


@dataclass(frozen=True)
class Entry:
    """One thing that can be named on the command line, described in one line."""

    name: str
    description: str


def subjects(home: Path) -> Iterator[Entry]:
    """Yield each platform and, with it, the servers it runs on: what it implements, and its modes."""
    for platform in platforms(home):
        for spec, implementation in platform.description.specs.items():
            names = ", ".join(subject_names(home, platform, implementation)) or f"{platform.name} (no server hosts it)"
            yield Entry(f"{names} {spec}", _described(platform, implementation))


def reverse_proxies(home: Path) -> Iterator[Entry]:
    """Yield each server that can stand before an application, with what it passes on."""
    for server in servers(home):
        if server.proxy is not None:
            yield Entry(server.name, f"passes {', '.join(server.proxy.protocols)} on")


def hosts(home: Path) -> Iterator[Entry]:
    """Yield each server that hosts applications, with its version and the kinds of artifact it takes."""
    for server in servers(home):
        if server.hosts:
            yield Entry(server.name, f"{server.title}; hosts {', '.join(server.hosts)}")


def specifications(home: Path) -> Iterator[Entry]:
    """Yield each specification with its title, databases and scales."""
    for folder in specification_folders(home):
        specification = read_specification(folder)
        description = specification.description
        scales = "; ".join(_scale(name, numbers) for name, numbers in description.scales.items())
        databases = ", ".join(description.databases) or "none"
        yield Entry(
            specification.name,
            f"{description.title}; databases {databases}" + (f"; scales {scales}" if scales else ""),
        )


def sessions(home: Path) -> Iterator[Entry]:
    """Yield each session of a specification with the comment at its top."""
    for file in sorted((home / "specs").glob("*/sessions/*.yaml")):
        yield Entry(f"{file.stem} {file.parent.parent.name}", _first_comment(file))


def experiments(home: Path) -> Iterator[Entry]:
    """Yield each experiment with its description."""
    for file in sorted((home / "experiments").glob("*.yaml")):
        yield Entry(file.stem, read_experiment(file).description)


def _described(platform: Platform, implementation: Implementation) -> str:
    modes = (f"{mode} {', '.join(values)}" for mode, values in implementation.modes.items())
    return "; ".join([platform.description.language, *modes])


def _scale(name: str, numbers: dict[str, int]) -> str:
    return f"{name} ({', '.join(f'{number:,} {of}' for of, number in numbers.items())})"


def _first_comment(file: Path) -> str:
    first = file.read_text(encoding="utf-8-sig").partition("\n")[0]
    return first.removeprefix("#").strip() if first.startswith("#") else ""
