"""A real run of an application with a queue of its server, which a reset of the databases does not empty.

`test_kept_subject.py` has the rule alone.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from own_checkout import checkout_at
from run_command import finish, found_in

from middlemark.records.point import Outcome

pytestmark = pytest.mark.full

QUEUE = """
[queues.parcels]
concurrency = "MM_PARCELS"
retry = "MM_RETRY_SECONDS"

[settings.MM_PARCELS]
type = "integer"
default = 1
"""
FIRST = "buyer:p0-"
EXPERIMENT = """\
spec: supply
scale: tiny
sessions: supply
subjects: [plain]
loads: {users: [1, 2, 3]}
think: {constant: 50ms}
phases: {warm: 200ms, settle: 100ms, measure: 500ms}
rounds: 1
replacements: 0
work: false
"""


def test_a_subject_starts_anew_after_a_point_whose_queue_was_not_drained_and_after_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The application finds psycopg where the lab does.
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    home = _checkout(tmp_path / "home")
    experiment = tmp_path / "queue.yaml"
    experiment.write_text(EXPERIMENT, encoding="utf-8")

    done = finish(experiment, tmp_path / "out", home=home)

    (folder,) = (tmp_path / "out").iterdir()
    windows = sorted(found_in(folder).rounds, key=lambda window: window.load)
    drained = [check.outcome for window in windows for check in window.checks if check.name == "drained"]
    assert drained == [Outcome.FAILED, Outcome.PASSED, Outcome.PASSED], done.stderr
    log = (folder / "logs" / "run.log").read_text(encoding="utf-8")
    steps = [line.partition("] ")[2].split(",")[0] for line in log.splitlines()]
    assert [step for step in steps if step == "plain" or step.startswith("starting")] == [
        "starting plain",
        "plain",
        "starting plain",
        "plain",
        "plain",
    ]


def _checkout(home: Path) -> Path:
    """Return a checkout whose sales lie in a queue, where those of the first point stay."""
    checkout_at(home)
    supply, program = home / "specs" / "supply", home / "platforms" / "plain" / "supply" / "supply.py"
    ship = 'ship({"sale": number, "item": int(sale["item"]), "amount": int(sale["amount"])})'
    for file, text, replacement in (
        (supply / "spec.toml", 'databases = ["sales"]\n', 'databases = ["sales"]\nqueues = ["parcels"]\n'),
        (supply / "spec.toml", "\n[scales.tiny]", f"{QUEUE}\n[scales.tiny]"),
        (supply / "audit" / "across" / "shipped.toml", 'within = "20s"', 'within = "1s"'),
        (supply / "sales" / "audit" / "none-pending.sql", "within: 20 s", "within: 1 s"),
        (program, "\nROLE, HOST = ", '\nSETTINGS.setdefault("parcels", "1")\nROLE, HOST = '),
        (program, ship, f'if not sale["buyer"].startswith("{FIRST}"):\n        {ship}'),
        (program, "WHERE state = 'pending'", f"WHERE state = 'pending' AND NOT starts_with(buyer, '{FIRST}')"),
    ):
        before = file.read_text(encoding="utf-8")
        assert before.count(text) == 1
        file.write_text(before.replace(text, replacement), encoding="utf-8")
    return home
