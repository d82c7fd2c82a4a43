"""The records of a run are those of its lines, transaction by transaction."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from driven import SESSION, a_plan
from driver_records import read_records
from other_server import not_ours

from middlemark.records.driver_lines import DriverLines
from middlemark.workload.driver import driving
from middlemark.workload.window import driven


def recorded(folder: Path) -> Path:
    """Drive a session with records; return their file."""
    session = folder / "page.yaml"
    session.write_text(SESSION, encoding="utf-8")
    records = folder / "run.records"
    with not_ours(folder) as server:
        path = a_plan(session, server)
        plan = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps({**plan, "records": str(records)}), encoding="utf-8")
        with driving(path, folder / "lines", log=folder / "log") as run:
            run.wait()
    return records


def test_records_are_those_of_the_lines(tmp_path: Path) -> None:
    records = read_records(recorded(tmp_path))
    figures = driven(DriverLines(tmp_path / "lines")).whole
    rows = records.valid("page")
    assert len(rows) == figures.total.count > 0
    assert np.mean(rows["latency_us"]) / 1000 == pytest.approx(figures.total.mean_ms, rel=0.002)
    assert rows["latency_us"].max() / 1000 == pytest.approx(figures.total.max_ms, rel=0.002)
    assert set(rows["user"]) == {0, 1, 2, 3}
    ends = rows["start_ns"] / 1e9 + rows["latency_us"] / 1e6
    assert ends.min() >= figures.start_s - 1e-5
    assert ends.max() <= figures.start_s + figures.window_s + 1e-5
