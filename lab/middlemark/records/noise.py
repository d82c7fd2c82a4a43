"""`noise.json`: the machine's A/A noise floors by which a run is judged, without the files they came from."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from middlemark.records.run import Host, Record

NOISE = "noise.json"


class NoiseFloor(Record):
    """How far apart equal sides lie on a machine, as `middlemark noise` has measured it, A against A.

    `floors` has for each yardstick a ratio from 1 up. `subject` names the combination; `load` are users, `window_s` is
    the least length of a point's window in seconds (whole iterations make it longer), `pairs` counts those whose points
    both count. `result` is the name of the result folder it was taken from, `measured` when, as RFC 3339 in UTC. `cpus`
    are those of each role; empty when nothing was pinned.
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
    """The whole file: the floors that fit the run; where there is none, `note` says why."""

    v: Literal[1] = 1
    floors: tuple[NoiseFloor, ...] = ()
    note: str = ""

    def floor(self, yardstick: str) -> float | None:
        """Return the greatest floor of a yardstick, as a ratio from 1 up; None when it was not measured."""
        return max((floor.floors[yardstick] for floor in self.floors if yardstick in floor.floors), default=None)


def read_noise(result: Path) -> Noise:
    """Return the floors of a result; none when the file is not there, as in a run cut at its very begin, or broken."""
    try:
        return Noise.model_validate_json((result / NOISE).read_bytes())
    except (OSError, ValidationError):
        return Noise(note="this result has no noise.json")
