"""The experiment file: what to compare, under which load, how often."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationInfo, WithJsonSchema, field_validator

from middlemark.checkout import checkout
from middlemark.documents import Document, read_yaml, suggestion, wrong_at
from middlemark.duration import Duration
from middlemark.errors import InputError
from middlemark.experiment.faults_definition import FaultPoints
from middlemark.experiment.loads import Loads
from middlemark.experiment.placing import Wanted
from middlemark.records.run import CPUS, FRONT, NO_FRONT, PROCESSORS, WEB_SERVERS
from middlemark.workload.plan import WakeUps
from middlemark.workload.think import Think

# Modes whose values specs/README.md lists; any other mode has the values a platform names.
KNOWN_VALUES = {
    "binding": ("local", "soap", "json", "grpc"),
    "orders": ("sync", "async-queue", "async-xa"),
}


def _listed(value: object) -> object:
    """Return a single value as a list of one."""
    return [value] if isinstance(value, str | int) else value


def _schema(item: dict[str, Any]) -> WithJsonSchema:
    return WithJsonSchema({"anyOf": [item, {"type": "array", "items": item, "minItems": 1, "uniqueItems": True}]})


Counts = Annotated[tuple[int, ...], BeforeValidator(_listed), _schema({"type": "integer", "minimum": 1})]
Names = Annotated[tuple[str, ...], BeforeValidator(_listed), _schema({"type": "string"})]


class LeastPhases(Document):
    """Least lengths of a point's phases; ramp and window grow to whole iterations."""

    warm: Duration = Field(Duration(5_000), description="warm-up after each start")
    warm_by_subject: dict[str, Duration] = Field({}, description="warm-up of single subjects, instead of `warm`")
    ramp: Duration = Field(Duration(0), description="users start; never shorter than one expected iteration")
    settle: Duration = Field(Duration(1_000), description="between ramp and window")
    measure: Duration = Field(Duration(8_000), description="the window: whole expected iterations, at least two")
    drain: Duration = Field(Duration(10_000), description="started transactions finish for at most this long")


class Experiment(Document):
    """An experiment: all combinations of subjects, mode values and loads, repeated in blocks."""

    description: str = Field("", description="one line for `middlemark list`")
    spec: str = Field(description="a folder in specs/")
    scale: str = Field(description="a scale of the specification's dataset.toml")
    session: str = Field(description="a file in the specification's sessions/, without .yaml")
    subjects: tuple[str, ...] = Field(min_length=1, description="PLATFORM or PLATFORM@SERVER")
    modes: dict[str, tuple[str, ...]] = Field({}, description="mode: values; binding, orders, data-access")
    front: Names = Field(
        (NO_FRONT,), min_length=1, description="none, or servers in servers/ that stand before the services"
    )
    web_servers: Counts = Field((1,), min_length=1, description="web processes, each iteration of a user on the next")
    processors: Counts = Field((1,), min_length=1, description="processor processes of asynchronous orders")
    cpus: Counts = Field(
        (), description="CPUs of the system under test: how many of them; one combination for each number"
    )
    placement: Wanted | None = Field(
        None, description="CPUs by role, or none: nothing is pinned; by default shared out"
    )
    loads: Loads
    think: Think | None = Field(None, description="replaces the session's think time; the report says so")
    warm_users: int | None = Field(
        None, ge=1, description="users of the warm-up, who do not think, instead of its load"
    )
    phases: LeastPhases = LeastPhases()

    @field_validator("modes")
    @classmethod
    def _values_are_known(cls, modes: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        for mode, values in modes.items():
            for index, value in enumerate(values):
                if mode in KNOWN_VALUES and value not in KNOWN_VALUES[mode]:
                    hint = suggestion(value, KNOWN_VALUES[mode])
                    raise wrong_at((mode, index), f"'{value}' is no {mode}. {hint}")
        return modes

    @field_validator("phases")
    @classmethod
    def _only_subjects_warm_up(cls, phases: LeastPhases, info: ValidationInfo) -> LeastPhases:
        subjects = info.data.get("subjects", tuple(phases.warm_by_subject))
        for subject in phases.warm_by_subject:
            if subject not in subjects:
                hint = suggestion(subject, subjects)
                raise wrong_at(("warm_by_subject", subject), f"'{subject}' is no subject of the experiment. {hint}")
        return phases

    @field_validator("web_servers", "processors", "cpus")
    @classmethod
    def _at_least_one(cls, numbers: tuple[int, ...]) -> tuple[int, ...]:
        if any(number < 1 for number in numbers):
            raise ValueError("there is at least one")
        return numbers

    @field_validator("front", "web_servers", "processors", "cpus")
    @classmethod
    def _each_once(cls, values: tuple[object, ...]) -> tuple[object, ...]:
        if len(set(values)) < len(values):
            raise ValueError("write each value once")
        return values

    @property
    def choices(self) -> dict[str, tuple[str, ...]]:
        """Return every mode, and each choice of the layout that is not its default, with its values as text."""
        layout = {
            FRONT: self.front if self.front != (NO_FRONT,) else (),
            WEB_SERVERS: tuple(map(str, self.web_servers)) if self.web_servers != (1,) else (),
            PROCESSORS: tuple(map(str, self.processors)) if self.processors != (1,) else (),
            CPUS: tuple(map(str, self.cpus)),
        }
        return {**self.modes, **{choice: values for choice, values in layout.items() if values}}

    repeats: int = Field(2, ge=1, description="number of blocks; nothing with `faults`")
    faults: tuple[FaultPoints, ...] = Field((), description="points with one fault each, instead of blocks")
    seed: int = Field(1, ge=0, description="seed of every random choice")
    wake: WakeUps | None = Field(None, description="how the driver wakes for what is due; by default as the load needs")
    receive_stamps: bool = Field(
        default=False, description="the kernel stamps answers: the report tells the driver's own part of the times"
    )


def find_experiment(name: str) -> Path:
    """Return the file of an experiment: a path, or a name in experiments/; InputError names what there is."""
    if name.endswith((".yaml", ".yml")) or "/" in name:
        path = Path(name)
        if path.is_file():
            return path
        raise InputError("there is no such experiment file", where=name)
    folder = checkout() / "experiments"
    path = folder / f"{name}.yaml"
    if path.is_file():
        return path
    known = sorted(file.stem for file in folder.glob("*.yaml"))
    raise InputError(f"no experiment is called '{name}'. {suggestion(name, known)}", where=str(folder))


def read_experiment(path: Path) -> Experiment:
    """Return the experiment file, checked in itself; InputError with file:line."""
    return read_yaml(path, Experiment)
