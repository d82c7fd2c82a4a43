"""The ledger of this machine: one line for each subject of a finished run with what it showed of its starts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from statistics import fmean

from platformdirs import user_state_path
from pydantic import Field, ValidationError

from middlemark.errors import HostError
from middlemark.judge.between import run_spread
from middlemark.judge.spread import seen_spreads
from middlemark.records.between import RunSpread
from middlemark.records.figures import leading
from middlemark.records.findings import Measured
from middlemark.records.record import Record
from middlemark.records.run import Host, Run
from middlemark.records.side_files import Ledger, SeenSpread
from middlemark.saving import append_whole, saving_under


class LedgerLine(Record):
    """What a run has shown: `result` is the name of its folder. A later line of a run and subject replaces the former.

    `levels` has the mean of the leading figure by combination and load; `build` is the same for runs of all the same
    inputs. `cpu`, `cpus` and `kernel` are the machine's, since starts differ otherwise on another.
    """

    result: str
    cpu: str
    cpus: int
    kernel: str
    spec: str
    seen: SeenSpread
    build: str = ""
    levels: dict[str, float] = Field(default_factory=dict)


def ledger_file() -> Path:
    """The user's ledger: `$XDG_STATE_HOME/middlemark/ledger.ndjson`, or below `~/.local/state`."""
    return user_state_path("middlemark") / "ledger.ndjson"


def known_spreads(run: Run, file: Path) -> Ledger:
    """What the ledger has of the subjects of a run on this machine."""
    subjects = {one.subject for one in run.combinations}
    lines = [one for one in _lines(file) if _fits(one, run.host, run.spec) and one.seen.subject in subjects]
    last = {(one.result, one.seen.subject): one.seen for one in lines if one.seen.degrees}
    by_subject: dict[str, list[SeenSpread]] = {}
    for seen in last.values():
        by_subject.setdefault(seen.subject, []).append(seen)
    return Ledger(spreads=tuple(_sum(subject, every) for subject, every in sorted(by_subject.items())))


def note_spreads(measured: Measured, file: Path) -> str:
    """Add what a run has shown of its starts to the ledger; why that failed, as it costs no run its end."""
    run, host, build = measured.run, measured.run.host, build_of(measured.run)
    shown = {one.subject: one for one in seen_spreads(measured)}
    lines = [
        LedgerLine(
            result=measured.folder, cpu=host.cpu, cpus=host.cpus, kernel=host.kernel, spec=run.spec, build=build,
            seen=shown.get(subject, SeenSpread(subject=subject, squares=0.0, degrees=0.0, starts=0)),
            levels=_levels(measured, subject),
        ).model_dump_json()
        for subject in dict.fromkeys(one.subject for one in run.combinations)
    ]  # fmt: skip
    try:
        with saving_under(file.parent):
            file.parent.mkdir(parents=True, exist_ok=True)
        append_whole(file, "".join(f"{line}\n" for line in lines))
    except HostError as error:
        return f"the spread between starts is not kept for later runs: {error}"
    return ""


def spread_between_runs(run: Run, subject: str, file: Path) -> RunSpread | None:
    """What the ledger has of runs of one build of a subject on the machine of a run; None where that is too little."""
    builds: dict[str, dict[str, Mapping[str, float]]] = {}
    for one in _lines(file):
        if _fits(one, run.host, run.spec) and one.seen.subject == subject and one.levels:
            builds.setdefault(one.build, {})[one.result] = one.levels
    return run_spread(builds)


def build_of(run: Run) -> str:
    """The same for runs of the same experiment with the same inputs and versions."""
    parts = (run.requested, sorted(run.inputs.items()), sorted(run.versions.items()))
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _levels(measured: Measured, subject: str) -> dict[str, float]:
    """The mean of the leading figure of each combination of a subject, at the load at which it is compared."""
    found, figure = {}, leading(measured.run.specification)
    for one in measured.run.combinations:
        load = measured.run.top_load(one)
        values = [figure.of(window) for window in measured.valid(one, load)]
        if one.subject == subject and values and all(value > 0 for value in values):
            # Where the limit is crossed does not depend on the loads of the rounds, which each search chooses anew.
            found[one.path if measured.run.seeks_limit else f"{one.path} {load:g}"] = fmean(values)
    return found


def _sum(subject: str, every: list[SeenSpread]) -> SeenSpread:
    squares, degrees = sum(one.squares for one in every), sum(one.degrees for one in every)
    return SeenSpread(subject=subject, squares=squares, degrees=degrees, starts=sum(one.starts for one in every))


def _fits(line: LedgerLine, host: Host, spec: str) -> bool:
    return (line.cpu, line.cpus, line.kernel, line.spec) == (host.cpu, host.cpus, host.kernel, spec)


def _lines(file: Path) -> Iterator[LedgerLine]:
    """The lines that can be read: one that was cut hides no other."""
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    for line in text.splitlines():
        with suppress(ValidationError):
            yield LedgerLine.model_validate_json(line)
