"""The experiment file: what to compare, under which load, how often."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

from pydantic import Field, field_validator

from middlemark.checkout import checkout
from middlemark.documents import Document, read_yaml, suggestion, wrong_at
from middlemark.duration import Duration
from middlemark.errors import InputError
from middlemark.experiment.faults_definition import FaultPoints
from middlemark.experiment.listed import Counts, CpuCounts, Names, Text, Texts
from middlemark.experiment.loads import Loads
from middlemark.experiment.min_phases import MinPhases
from middlemark.experiment.placing import ALL, RequestedPlacement
from middlemark.experiment.profiles import OwnProfile, Profile
from middlemark.records.choices import (
    CONNECTIONS,
    CPUS,
    HTTP,
    NO_PROXY,
    OWN,
    REVERSE_PROXY,
    SCALE,
    SESSION,
    THREADS,
    TLS,
    instances_of,
    subject_of,
)
from middlemark.records.run import Combination
from middlemark.workload.plan import WakeUps
from middlemark.workload.planning import checked_interval
from middlemark.workload.think import Think

SUBJECT = "subject"
"""In `reference`: the subject, which is no choice."""


class Experiment(Document):
    """An experiment: all combinations of subjects, choices and loads, measured in rounds.

    What the specification does not know is found by `check_experiment`, which reads the specification.
    """

    description: str = Field("", description="one line for `middlemark list`")
    spec: str = Field(description="a folder in specs/")
    scale: Names = Field((), description="scales of spec.toml; left out where the specification has none")
    sessions: Names = Field(min_length=1, description="files in the specification's sessions/, without .yaml")
    subjects: tuple[str, ...] = Field(
        (),
        description="PLATFORM or PLATFORM@SERVER; left out where `tiers` names those of the entry and a tier it calls",
    )
    tiers: dict[str, Names] = Field({}, description="tier: subjects that run it, `own` for that of the other tiers")
    modes: dict[str, Names] = Field({}, description="mode of the specification: values")
    settings: dict[str, Texts] = Field({}, description="setting (MM_…) that runs may set: values")
    reverse_proxy: Names = Field((NO_PROXY,), min_length=1, description="none, or servers in servers/ that pass on")
    instances: dict[str, Counts] = Field({}, description="tier: number of its processes")
    http: Texts = Field((), description="HTTP version of the driver: 1.1 or 1.0, which keeps no connection")
    connections: Names = Field((), description="how long the driver uses one: keep, per-iteration, per-request")
    tls: Names = Field((), description="TLS of the driver, as KEY=VALUE,…: minimum=1.3")
    threads: Counts = Field((), description="event loops of the driver")
    cpus: CpuCounts = Field(
        (),
        description="CPUs of the system under test: how many, or `all` that placement leaves; a combination for each",
    )
    placement: RequestedPlacement | None = Field(
        None, description="CPUs by role, or none: nothing is pinned; by default shared out"
    )
    reference: dict[str, Text] = Field(
        {}, description="choice, or subject: value; the combination with it is what the others are relative to"
    )
    loads: Loads
    think: Think | None = Field(None, description="replaces the session's think time; the report shows it")
    warm_users: int | None = Field(
        None,
        ge=1,
        description="users of the warm-up, who do not think, instead of its load; with a compiler those measured",
    )
    phases: MinPhases = MinPhases()
    starts: int = Field(1, ge=1, description="how often every subject is started anew; nothing with `faults`")
    rounds: int = Field(3, ge=1, description="windows of each combination and load in each start")
    control: bool = Field(
        default=False, description="the first combination is kept twice, to show how far equal sides lie apart"
    )
    budget: Duration | None = Field(None, description="no further start is begun that would end later than this")
    profiles: dict[Profile, OwnProfile] = Field({}, description="what profiles are in this experiment")
    faults: tuple[FaultPoints, ...] = Field((), description="points with one fault each, instead of rounds")
    seed: int = Field(1, ge=0, description="seed of every random choice")
    wake: WakeUps | None = Field(None, description="how the driver wakes for what is due; by default as the load needs")
    receive_stamps: bool = Field(
        default=False, description="the kernel stamps answers: the report shows the driver's own part of the times"
    )
    split_times: bool = Field(
        default=False, description="the report shows times to the first byte, and of pages without their sub-resources"
    )
    interval: Duration | None = Field(
        None, description="length of the intervals in which the driver counts, 1s to 60s; by default 1s"
    )
    replacements: int = Field(
        2, ge=0, description="how often a window that the machine disturbed is measured again; the last one counts"
    )
    work: bool = Field(
        default=True, description="statements, rows and log of each transaction are counted after the first warm-up"
    )
    per_client: bool = Field(
        default=False, description="the figures of each virtual user are kept, and how equally they were served"
    )

    @field_validator("interval")
    @classmethod
    def _as_the_driver_counts(cls, interval: Duration | None) -> Duration | None:
        return None if interval is None else checked_interval(interval)

    @field_validator("threads", "cpus", "instances")
    @classmethod
    def _at_least_one(cls, numbers: tuple[int, ...] | dict[str, tuple[int, ...]]) -> object:
        of_tiers: dict[str, tuple[Any, ...]] = numbers if isinstance(numbers, dict) else {"": numbers}
        for tier, counts in of_tiers.items():
            if any(number != ALL and number < 1 for number in counts):
                raise wrong_at((tier,) if tier else (), "expected 1 or more")
        return numbers

    @field_validator(
        "scale", "sessions", "reverse_proxy", "http", "connections", "tls", "threads", "cpus",
        "modes", "settings", "instances", "tiers",
    )  # fmt: skip
    @classmethod
    def _each_once(cls, values: tuple[object, ...] | dict[str, tuple[object, ...]]) -> object:
        by_name = values if isinstance(values, dict) else {"": values}
        for name, listed in by_name.items():
            if name and not listed:
                raise wrong_at((name,), "write at least one value")
            if len(set(listed)) < len(listed):
                raise wrong_at((name,) if name else (), "write each value once")
        return values

    @property
    def choices(self) -> dict[str, tuple[str, ...]]:
        """Return what makes combinations, with its values as text: every mode, every other choice that is made.

        A default alone is none, nor are the only scale and the only session.
        """
        others = {
            **{subject_of(tier): subjects if subjects != (OWN,) else () for tier, subjects in self.tiers.items()},
            REVERSE_PROXY: self.reverse_proxy if self.reverse_proxy != (NO_PROXY,) else (),
            **{instances_of(tier): _texts(n) if n != (1,) else () for tier, n in self.instances.items()},
            **self.settings,
            SCALE: self.scale if len(self.scale) > 1 else (),
            SESSION: self.sessions if len(self.sessions) > 1 else (),
            HTTP: self.http,
            CONNECTIONS: self.connections,
            TLS: self.tls,
            THREADS: _texts(self.threads),
            CPUS: _texts(self.cpus),
        }
        return {**self.modes, **{choice: values for choice, values in others.items() if values}}

    @property
    def all_subjects(self) -> tuple[str, ...]:
        """Return every subject that runs something, each once."""
        named = (subject for subject in chain.from_iterable(self.tiers.values()) if subject != OWN)
        return tuple(dict.fromkeys([*self.subjects, *named]))

    @property
    def cpu_counts(self) -> tuple[int, ...]:
        """Return the numbers of CPUs, without `all`."""
        return tuple(one for one in self.cpus if isinstance(one, int))

    @property
    def everything_chosen(self) -> dict[str, tuple[str, ...]]:
        """Return the choices, and the only scale and session too."""
        return {**self.choices, SCALE: self.scale, SESSION: self.sessions}

    def scale_of(self, combination: Combination) -> str | None:
        """Return the scale of a combination; None for a specification without scales."""
        return combination.modes.get(SCALE) or next(iter(self.scale), None)

    def session_of(self, combination: Combination) -> str:
        """Return the name of the session of a combination."""
        return combination.modes.get(SESSION) or self.sessions[0]


def _texts(numbers: Iterable[int | str]) -> tuple[str, ...]:
    return tuple(map(str, numbers))


def find_experiment(name: str) -> Path:
    """Return the file of an experiment: a path, or a name in experiments/; InputError names what there is."""
    if name.endswith((".yaml", ".yml")) or "/" in name:
        path = Path(name)
        if path.is_file():
            return path
        raise InputError("this experiment file does not exist", where=name)
    folder = checkout() / "experiments"
    path = folder / f"{name}.yaml"
    if path.is_file():
        return path
    known = sorted(file.stem for file in folder.glob("*.yaml"))
    raise InputError(f"no experiment is called '{name}'. {suggestion(name, known)}", where=str(folder))


def read_experiment(path: Path) -> Experiment:
    """Return the experiment file, checked in itself; InputError with file:line."""
    return read_yaml(path, Experiment)
