"""Where this machine's noise floors are kept, and which of them fit a run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import ValidationError

from middlemark.results.noise import Noise, NoiseFloor
from middlemark.results.run import Host, Run

# A run's window is whole iterations, which are a little longer or shorter from one run to the next.
AS_LONG = 0.9


def noise_folder() -> Path:
    """Return the folder of the user's noise floors: `$XDG_STATE_HOME/middlemark/noise`, or below `~/.local/state`."""
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "middlemark" / "noise"


def fitting_noise(run: Run, folder: Path) -> Noise:
    """Return the floors that fit a run that begins now, or why none does.

    One fits that was measured on this machine under this kernel, with the run's specification and a window no longer
    than the run's: shorter windows are noisier. Those of the run's own subjects count, else those of others.
    """
    known = list(_floors(folder))
    of_spec = [floor for floor in known if floor.spec == run.spec]
    of_machine = [floor for floor in of_spec if _same(floor.host, run.host)]
    fitting = [floor for floor in of_machine if floor.window_s * AS_LONG <= run.phases.measure]
    labels = {combination.label for combination in run.combinations}
    subjects = {combination.subject for combination in run.combinations}
    own = [floor for floor in fitting if floor.subject in labels or floor.subject.partition(" ")[0] in subjects]
    return Noise(floors=tuple(own or fitting), note="" if fitting else _why_none(run, of_spec, of_machine))


def _why_none(run: Run, of_spec: Sequence[NoiseFloor], of_machine: Sequence[NoiseFloor]) -> str:
    if of_machine:
        shortest = min(floor.window_s for floor in of_machine)
        return f"those measured had windows of {shortest:.1f} s at least, and this run's of {run.phases.measure:.1f} s"
    if of_spec:
        host = of_spec[-1].host
        return f"the last was measured on {host.cpus} CPUs ({host.cpu}) under kernel {host.kernel}"
    return f"none was measured on this machine for {run.spec}"


def _same(one: Host, other: Host) -> bool:
    return (one.cpu, one.cpus, one.kernel) == (other.cpu, other.cpus, other.kernel)


def _floors(folder: Path) -> Iterator[NoiseFloor]:
    """Yield the stored floors by name; a file of another version is no floor."""
    for file in sorted(folder.glob("*.json")):
        try:
            yield NoiseFloor.model_validate_json(file.read_bytes())
        except (OSError, ValidationError):
            continue
