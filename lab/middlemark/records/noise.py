"""`noise.json`: the machine's A/A noise floors by which a run is judged, without the files they came from."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from middlemark.records.record import Record
from middlemark.records.run import Host

NOISE = "noise.json"


class NoiseFloor(Record):
    """How far apart equal sides lie on a machine, as `middlemark noise` has measured it, A against A.

    `floors` has a ratio from 1 up for each metric, by its name. `subject` names the combination; `load` are users,
    `window_s` is the shortest window of a point in seconds (whole iterations make it longer), `pairs` counts those
    whose points both count. `result` is the name of the result folder it was taken from, `measured` when, as RFC 3339
    in UTC. `cpus` are those of each role; empty when nothing was pinned.
    """

    v: Literal[1] = 1
    measured: str
    host: Host
    spec: str
    scale: str
    session: str
    subject: str
    load: int
    think: str
    window_s: float
    pairs: int
    floors: dict[str, float]
    result: str
    cpus: dict[str, tuple[int, ...]] = Field(default_factory=dict)


class Noise(Record):
    """The whole file: the floors that fit the run; where there is none, `note` is the reason."""

    v: Literal[1] = 1
    floors: tuple[NoiseFloor, ...] = ()
    note: str = ""

    def floor(self, metric: str) -> float | None:
        """Return the greatest floor of a metric, as a ratio from 1 up; None when it was not measured."""
        return max((floor.floors[metric] for floor in self.floors if metric in floor.floors), default=None)


def read_noise(result: Path) -> Noise:
    """Return the floors of a result; none when the file is broken or missing, as in a run cut at its begin."""
    try:
        return Noise.model_validate_json((result / NOISE).read_bytes())
    except (OSError, ValidationError):
        return Noise(note="this result has no noise.json")
