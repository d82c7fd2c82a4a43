"""The ledger of this machine: one line for each subject of a finished run with what it showed of its starts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from platformdirs import user_state_path
from pydantic import ValidationError

from middlemark.records.folder import Result
from middlemark.records.ledger import Ledger, SeenSpread
from middlemark.records.record import Record
from middlemark.records.run import Host, Run
from middlemark.verdict.spread import seen_spreads


class LedgerLine(Record):
    """What a run has shown: `result` is the name of its folder. A later line of a run and subject replaces the former.

    `cpu`, `cpus` and `kernel` are the machine's, since starts differ otherwise on another.
    """

    result: str
    cpu: str
    cpus: int
    kernel: str
    spec: str
    seen: SeenSpread


def ledger_file() -> Path:
    """The user's ledger: `$XDG_STATE_HOME/middlemark/ledger.ndjson`, or below `~/.local/state`."""
    return user_state_path("middlemark") / "ledger.ndjson"


def known_spreads(run: Run, file: Path) -> Ledger:
    """What the ledger has of the subjects of a run on this machine."""
    subjects = {one.subject for one in run.combinations}
    lines = [one for one in _lines(file) if _fits(one, run.host, run.spec) and one.seen.subject in subjects]
    last = {(one.result, one.seen.subject): one.seen for one in lines}
    by_subject: dict[str, list[SeenSpread]] = {}
    for seen in last.values():
        by_subject.setdefault(seen.subject, []).append(seen)
    return Ledger(spreads=tuple(_sum(subject, every) for subject, every in sorted(by_subject.items())))


def note_spreads(result: Result, file: Path) -> None:
    """Add what a run has shown of its starts to the ledger. A ledger that cannot be written costs no run its end."""
    host = result.run.host
    lines = [
        LedgerLine(
            result=result.folder.resolve().name, cpu=host.cpu, cpus=host.cpus, kernel=host.kernel,
            spec=result.run.spec, seen=seen,
        ).model_dump_json()
        for seen in seen_spreads(result)
    ]  # fmt: skip
    if not lines:
        return
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as ledger:
            ledger.write("".join(f"{line}\n" for line in lines))


def _sum(subject: str, every: list[SeenSpread]) -> SeenSpread:
    return SeenSpread(
        subject=subject,
        squares=sum(one.squares for one in every),
        degrees=sum(one.degrees for one in every),
        starts=sum(one.starts for one in every),
    )


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
