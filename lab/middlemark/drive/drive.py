"""Drives a session against any http address: all of `middlemark drive` but its printing."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from middlemark.drive.options import DriveOptions, PreparedDrive, prepare
from middlemark.drive.result import DriveResult, drive_result
from middlemark.errors import TargetError
from middlemark.records.driver_lines import DriverLines, Line
from middlemark.records.folder import write_json
from middlemark.saving import check_writable, saving_under, temporary_folder
from middlemark.workload.driver import driving, write_hlog
from middlemark.workload.plan import write_plan

__all__ = ["DriveOptions", "DriveResult", "PreparedDrive", "drive", "prepare"]

RECORDS = "records.bin"


def drive(prepared: PreparedDrive, out: Path | None, on_line: Callable[[Line], None]) -> DriveResult:
    """Run the session and return its figures; Ctrl-C ends it early. `on_line` gets the driver's lines as they come.

    With `out` everything that was measured is kept in a new folder there. Raises TargetError when the driver fails,
    HostError when nothing can be written.
    """
    started = datetime.now(UTC)
    with _folder(out, f"drive-{prepared.session.name}-{started:%Y%m%d-%H%M%S}") as folder, saving_under(folder):
        shutil.copyfile(prepared.options.session, folder / "session.yaml")
        records = str(folder / RECORDS) if prepared.options.further.records else None
        write_plan(prepared.plan.model_copy(update={"records": records}), folder / "plan.json")
        interrupted = _run(folder, on_line)
        lines = DriverLines(folder / "intervals.ndjson")
        write_hlog(folder / "intervals.ndjson", folder / "latency.hlog")
        result = drive_result(prepared, lines, interrupted=interrupted, started=started, out=folder)
        if out is None:
            return result.model_copy(update={"out": None})
        write_json(folder / "drive.json", result)
        return result


@contextmanager
def _folder(out: Path | None, name: str) -> Iterator[Path]:
    if out is None:
        with tempfile.TemporaryDirectory(prefix="middlemark-drive-", dir=temporary_folder()) as private:
            yield Path(private)
        return
    folder = out / name
    with saving_under(out):
        out.mkdir(parents=True, exist_ok=True)
        folder.mkdir()
    yield folder


def _run(folder: Path, on_line: Callable[[Line], None]) -> bool:
    """Return whether it was interrupted."""
    with driving(folder / "plan.json", folder / "intervals.ndjson", log=folder / "driver.log") as driver:
        try:
            driver.wait(on_line)
        except KeyboardInterrupt:
            driver.stop()
            return True
        except TargetError:
            # A driver that cannot write its lines ends without a message; the full disk is the reason.
            check_writable(folder)
            raise
    return False
