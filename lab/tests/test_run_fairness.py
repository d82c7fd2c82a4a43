"""A run against a server that slows half of its clients down: that is seen, and ends the useful loads."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from report_html import HTML, parsed, words

from middlemark.judge.result import judge, read_measured
from middlemark.records.findings import Findings, Measured
from middlemark.show.page import report_page

CHECKOUT = Path(__file__).parent / "checkout"
FEW, MANY = 2, 4
EXPERIMENT = f"""\
spec: sums
sessions: [forms]
subjects: [plain]
modes: {{method: [formula, loop]}}
think: {{constant: 0ms}}
per_client: true
loads: {{users: [{FEW}, {MANY}]}}
phases: {{warm: 200ms, settle: 200ms, measure: 6s}}
rounds: 1
replacements: 0
work: false
"""
# Every client waits as long, and longer than a busy machine makes it wait besides; by the second method half of the
# open connections wait longer, as soon as there are more than a few. Open ones: parity of all that ever came would
# slow down all of them or none where each user connects twice.
SLOWER = f"""
    open = slowed = 0
    counting = threading.Lock()

    def setup(self) -> None:
        with Handler.counting:
            Handler.open += 1
            self.is_slowed = METHOD == "loop" and 2 * Handler.slowed < Handler.open
            Handler.slowed += self.is_slowed
        super().setup()

    def finish(self) -> None:
        with Handler.counting:
            Handler.open -= 1
            Handler.slowed -= self.is_slowed
        super().finish()

    def do_GET(self) -> None:
        # How long the server takes: three times as long for those that it slows down.
        time.sleep(0.12 if self.is_slowed and Handler.open > {FEW} else 0.04)
        self.answer()

    def answer(self) -> None:
"""

pytestmark = [pytest.mark.full, pytest.mark.long]


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    """Give the result of a run against that server."""
    folder = tmp_path_factory.mktemp("fairness")
    home = folder / "checkout"
    shutil.copytree(CHECKOUT, home)
    program = home / "platforms" / "plain" / "sums" / "sums.py"
    text = program.read_text(encoding="utf-8")
    assert "\n    def do_GET(self) -> None:\n" in text
    text = text.replace("\n    def do_GET(self) -> None:\n", SLOWER).replace(
        "import sys\n", "import sys\nimport threading\nimport time\n"
    )
    program.write_text(text, encoding="utf-8")
    (home / "experiments" / "half.yaml").write_text(EXPERIMENT, encoding="utf-8")
    words = [sys.executable, "-m", "middlemark", "run", "half", "--out", str(folder / "results")]
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(folder), "HOME": str(folder)}
    done = subprocess.run(words, cwd=home, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    (root,) = (folder / "results").iterdir()
    found = _undisturbed(read_measured(root))
    if any("fewer than" in window.fairness.message for window in found.windows if window.fairness):
        pytest.skip("the machine leaves too little CPU time for clients to be judged")
    return found


def _undisturbed(measured: Measured) -> Findings:
    """What is found where every window counts: what else a busy machine disturbed is not the matter here."""
    assert [window.errors_by_kind for window in measured.windows] == [{}] * 4
    windows = tuple(window.model_copy(update={"valid": True}) for window in measured.windows)
    return judge(measured.model_copy(update={"windows": windows}))


def test_clients_that_are_slowed_down_end_the_useful_loads(result: Findings) -> None:
    equal, slowed = (one.useful for one in result.combinations)
    assert (equal.load, equal.next_load, equal.why_not) == (MANY, None, "")
    assert (slowed.load, slowed.next_load) == (FEW, MANY)
    assert slowed.why_not.startswith("clients not served equally in 1 of 1 round: transactions vary by up to ")


def test_the_report_shows_it_and_every_answer_was_counted_with_its_length(result: Findings) -> None:
    form = '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Sums</title></head>\n<body>'
    form += '<h1>Sums</h1><form action="/sum"><input name="to"></form></body></html>\n'
    assert {window.mean_body_bytes for window in result.windows} == {len(form)}
    entries = [words(one) for one in parsed(report_page(result)).iter(f"{HTML}td")]
    (useful,) = [one for one in entries if one.startswith(f"{FEW} users") and "clients not served equally" in one]
    assert f"not at {MANY} users" in useful
    assert any(" of formula" in one and f" {len(form)} B" in one for one in entries)
