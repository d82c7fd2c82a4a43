"""Where this machine's noise floors are kept, and which of them fit a run."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from platformdirs import user_state_path
from pydantic import ValidationError

from middlemark.records.noise import Noise, NoiseFloor
from middlemark.records.placement import Placement
from middlemark.records.run import Host, Run

UNIT = "users"


def noise_folder() -> Path:
    """Return the folder of the user's noise floors: `$XDG_STATE_HOME/middlemark/noise`, or below `~/.local/state`."""
    return user_state_path("middlemark") / "noise"


def floor_file(folder: Path, floor: NoiseFloor) -> Path:
    """Return where a floor is kept: named by its specification and subject, and a hash of what else must fit a run.

    Measured again, a floor takes the place of the one before it; that of another scale, placement or window does not.
    """
    must_fit = json.dumps([_machine(floor.host), _work(floor), sorted(floor.cpus.items()), floor.window_s])
    digest = hashlib.sha256(must_fit.encode()).hexdigest()[:8]
    name = f"{floor.spec}-{floor.subject}".replace("/", "_").replace(" ", "_")
    return folder / f"{name}-{digest}.json"


def fitting_noise(run: Run, folder: Path) -> Noise:
    """Return the floors that fit a run that begins now, or why none does.

    One fits that was measured on this machine under this kernel, with the run's specification, scale, session and think
    time, each role on the CPUs it has in the run, and a window no longer than the run's: shorter windows are noisier.
    Where the run's combinations have different CPUs, there must be one for each. Of each, those of the run's own
    subjects count, else those of others. Noise is measured with users, and arrivals by a timetable have another one.
    """
    if run.load_unit != UNIT:
        return Noise(note=f"noise is measured with {UNIT}, and this run's loads are {run.load_unit}")
    of_spec = [floor for floor in _floors(folder) if floor.spec == run.spec]
    of_machine = [floor for floor in of_spec if _machine(floor.host) == _machine(run.host)]
    of_work = [floor for floor in of_machine if _work(floor) == _work(run)]
    subjects = {subject for combination in run.combinations for subject in combination.subjects}
    fitting: list[NoiseFloor] = []
    for cpus in _placements(run):
        of_cpus = [floor for floor in of_work if floor.cpus == cpus]
        of_window = [floor for floor in of_cpus if floor.window_s <= run.phases.measure]
        if not of_window:
            return Noise(note=_why_none(run, of_spec, of_machine, of_work, of_cpus))
        own = [floor for floor in of_window if _subject(floor) in subjects]
        fitting += own or of_window
    return Noise(floors=tuple(fitting))


def _placements(run: Run) -> list[dict[str, tuple[int, ...]]]:
    """Return the CPUs of the roles in the run's combinations, each set of them once."""
    every = [one.cpus for one in run.placement.values()] or [{}]
    return [cpus for index, cpus in enumerate(every) if cpus not in every[:index]]


def _subject(floor: NoiseFloor) -> str:
    """Return the subject of a floor, with which the name of its combination begins: `go`, `go json`, `go, 2 CPUs`."""
    return re.split("[ ,]", floor.subject, maxsplit=1)[0]


def _why_none(
    run: Run,
    of_spec: Sequence[NoiseFloor],
    of_machine: Sequence[NoiseFloor],
    of_work: Sequence[NoiseFloor],
    of_cpus: Sequence[NoiseFloor],
) -> str:
    if of_cpus:
        shortest = min(floor.window_s for floor in of_cpus)
        return f"those measured had windows of {shortest:.1f} s at least, and this run's of {run.phases.measure:.1f} s"
    if of_work:
        last = Placement(cpus=max(of_work, key=_when).cpus)
        return f"the last was measured on other CPUs than each of the run's combinations has ({last.text})"
    if of_machine:
        scale, session, think = _work(max(of_machine, key=_when))
        return f"the last was measured at scale {scale} with the session {session} and a think time of {think}"
    if of_spec:
        host = max(of_spec, key=_when).host
        return f"the last was measured on {host.cpus} CPUs ({host.cpu}) under kernel {host.kernel}"
    return f"none was measured on this machine for {run.spec}"


def _work(what: Run | NoiseFloor) -> tuple[str, str, str]:
    return what.scale, what.session, what.think


def _when(floor: NoiseFloor) -> str:
    return floor.measured


def _machine(host: Host) -> tuple[str, int, str]:
    return host.cpu, host.cpus, host.kernel


def _floors(folder: Path) -> Iterator[NoiseFloor]:
    """Yield the stored floors by name. A file elsewhere than a floor is kept would outlive the next measurement."""
    for file in sorted(folder.glob("*.json")):
        with suppress(OSError, ValidationError):
            floor = NoiseFloor.model_validate_json(file.read_bytes())
            if file == floor_file(folder, floor):
                yield floor
