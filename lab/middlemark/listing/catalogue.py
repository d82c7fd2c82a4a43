"""What there is in the checkout to be started, loaded, played and run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from middlemark.documents import read_toml
from middlemark.experiment.definition import read_experiment
from middlemark.specification.dataset import DatasetDefinition
from middlemark.subject import server as servers
from middlemark.subject.platform import Implementation, Platform, platforms
from middlemark.subject.subject import SELF


@dataclass(frozen=True)
class Entry:
    """One thing that can be named on the command line, described in one line."""

    name: str
    description: str


def subjects(home: Path) -> Iterator[Entry]:
    """Yield each platform and, with it, the servers it runs on: what it implements, and its modes."""
    for platform in platforms(home):
        for spec, implementation in platform.description.specs.items():
            yield Entry(f"{_hosted(platform, implementation)} {spec}", _described(platform, implementation))


def fronts(home: Path) -> Iterator[Entry]:
    """Yield each server that can stand in front, with what it passes on."""
    for server in servers.fronts(home):
        yield Entry(server.name, f"passes {', '.join(server.description.protocols)} on")


def hosts(home: Path) -> Iterator[Entry]:
    """Yield each server that hosts applications, with its version."""
    for server in servers.hosts(home):
        yield Entry(server.name, server.title)


def specifications(home: Path) -> Iterator[Entry]:
    """Yield each specification that has a data set, with its scales."""
    for file in sorted((home / "specs").glob("*/dataset.toml")):
        scales = read_toml(file, DatasetDefinition).scales
        yield Entry(file.parent.name, "scales " + "; ".join(_scale(name, numbers) for name, numbers in scales.items()))


def sessions(home: Path) -> Iterator[Entry]:
    """Yield each session of a specification with the comment at its top."""
    for file in sorted((home / "specs").glob("*/sessions/*.yaml")):
        yield Entry(f"{file.stem} {file.parent.parent.name}", _first_comment(file))


def experiments(home: Path) -> Iterator[Entry]:
    """Yield each experiment with its description."""
    for file in sorted((home / "experiments").glob("*.yaml")):
        yield Entry(file.stem, read_experiment(file).description)


def _hosted(platform: Platform, implementation: Implementation) -> str:
    names = (platform.name if server == SELF else f"{platform.name}@{server}" for server in implementation.hosting)
    return ", ".join(names)


def _described(platform: Platform, implementation: Implementation) -> str:
    modes = {"binding": implementation.bindings, **implementation.modes}
    return f"{platform.description.language}; " + "; ".join(f"{mode} {', '.join(v)}" for mode, v in modes.items())


def _scale(name: str, numbers: dict[str, int]) -> str:
    return f"{name} ({', '.join(f'{number:,} {of}' for of, number in numbers.items())})"


def _first_comment(file: Path) -> str:
    first = file.read_text(encoding="utf-8").partition("\n")[0]
    return first.removeprefix("#").strip() if first.startswith("#") else ""
