"""A run whose session uses a plain and a TLS listener of a small application, with the real driver."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from middlemark.judge.result import judge_folder

CHECKOUT = Path(__file__).parent / "checkout"
SESSION = """\
name: both
think: {constant: 5ms}
feeds:
  number: {list: numbers.txt, draw: sequence, columns: [sum]}
steps:
  - {id: form, get: /, expect: {marker: "<h1>Sums</h1>"}}
  - {id: sum, target: https, get: "/sum?to=${number}", expect: {marker: 'id="sum">${sum}<'}}
  - {id: again, target: https, get: /, expect: {length: FORM_BYTES}}
"""
EXPERIMENT = """\
spec: sums
sessions: [both]
subjects: [plain]
modes: {method: [formula]}
tls: ["resumption=iteration", "resumption=none"]
connections: per-request
per_client: true
loads: {users: [2]}
phases: {warm: 200ms, settle: 200ms, measure: 2s}
rounds: 1
replacements: 0
work: false
"""
ENCRYPTED = """
import ssl
import threading

context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(SETTINGS["tls_certificate"], SETTINGS["tls_key"])
encrypted = http.server.ThreadingHTTPServer((SETTINGS["host"], int(SETTINGS["tls_port"])), Handler)
encrypted.daemon_threads = True
encrypted.socket = context.wrap_socket(encrypted.socket, server_side=True, do_handshake_on_connect=False)
threading.Thread(target=encrypted.serve_forever, daemon=True).start()
server.serve_forever()
"""

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a checkout whose application of sums listens over TLS too."""
    home = tmp_path_factory.mktemp("home") / "checkout"
    shutil.copytree(CHECKOUT, home)
    platform, spec = home / "platforms" / "plain", home / "specs" / "sums"
    replace(platform / "sums" / "sums.py", "server.serve_forever()\n", ENCRYPTED)
    replace(spec / "spec.toml", '{ http = "MM_PORT" }', '{ http = "MM_PORT", https = "MM_TLS_PORT" }')
    with (spec / "spec.toml").open("a", encoding="utf-8") as description:
        description.write('\n[tls]\ncertificate = "MM_TLS_CERTIFICATE"\nkey = "MM_TLS_KEY"\n')
    form = '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Sums</title></head>\n<body>'
    form += '<h1>Sums</h1><form action="/sum"><input name="to"></form></body></html>\n'
    (spec / "sessions" / "both.yaml").write_text(SESSION.replace("FORM_BYTES", str(len(form))), encoding="utf-8")
    numbers = "".join(f"{last}\t{last * (last + 1) // 2}\n" for last in range(1, 51))
    (spec / "sessions" / "numbers.txt").write_text(numbers, encoding="utf-8")
    (home / "experiments" / "both.yaml").write_text(EXPERIMENT, encoding="utf-8")
    return home


def replace(file: Path, old: str, new: str) -> None:
    """Replace a text of a file that must be there."""
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def run(checkout: Path, tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the experiment."""
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path)}
    command = [sys.executable, "-m", "middlemark", "run", "both", "--out", str(tmp_path / "results"), *words]
    return subprocess.run(
        command, cwd=checkout, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def test_a_session_uses_both_listeners_and_the_point_shows_tls_and_fairness(checkout: Path, tmp_path: Path) -> None:
    done = run(checkout, tmp_path)
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    (root,) = (tmp_path / "results").iterdir()
    begins, found = set(), judge_folder(root)
    for resumption in ("iteration", "none"):
        (window,) = [one for one in found.windows if f"resumption={resumption}" in one.path]
        folder = root / "points" / window.path
        plan = json.loads((folder / "plan.json").read_text())
        (plain,), (encrypted,) = plan["targets"], plan["named_targets"]["https"]
        assert (plain.partition(":")[0], encrypted.partition(":")[0]) == ("http", "https")
        begins.add(plan["feeds"][0]["list"]["begin"])
        assert window.errors_by_kind == {}
        (suite,) = window.tls
        assert suite.version == "1.3"
        assert suite.full + suite.resumed <= suite.handshakes
        # Each iteration has two handshakes; the second resumes the session of the first.
        share = suite.resumed / (suite.full + suite.resumed)
        assert share == pytest.approx(0.5 if resumption == "iteration" else 0, abs=0.1)
        assert window.fairness is not None
        assert window.fairness.clients == 2
        rows = list(csv.DictReader((folder / "clients.csv").read_text().splitlines()))
        assert sum(int(row["transactions"]) for row in rows) == window.total.count
    (begin,) = begins
    assert 0 < begin < 1, "both sides of a block go on from the same line, and another block from another one"
    report = (root / "report.html").read_text(encoding="utf-8")
    assert "How equally clients were served" in report
    assert suite.cipher in report


TO_A_TIER = """\
name: tiers
think: {constant: 5ms}
steps:
  - {id: form, get: /, expect: {marker: "<h1>Sums</h1>"}}
  - {id: sum, target: spare, get: "/sum?to=4", expect: {marker: 'id="sum">10<'}}
"""
TWO_TIERS = """
[tiers.spare]
listens = { http = "MM_PORT" }

[roles]
variable = "MM_ROLE"
carries = { calculator = ["calculator"], spare = ["spare"], all = ["calculator", "spare"] }

[modes.method]
"""


def test_a_step_goes_to_another_tier_than_the_entry(tmp_path: Path) -> None:
    home = tmp_path / "tiers"
    shutil.copytree(CHECKOUT, home)
    spec, platform = home / "specs" / "sums", home / "platforms" / "plain"
    replace(spec / "spec.toml", "\n[modes.method]\n", TWO_TIERS)
    replace(
        platform / "platform.toml", 'modes = { method = ["f', 'roles = ["calculator", "spare"]\nmodes = { method = ["f'
    )
    (spec / "sessions" / "both.yaml").write_text(TO_A_TIER, encoding="utf-8")
    alone = "".join(f"{line}\n" for line in EXPERIMENT.splitlines() if not line.startswith(("tls", "connections")))
    (home / "experiments" / "both.yaml").write_text(alone, encoding="utf-8")

    done = run(home, tmp_path)

    assert done.returncode in {0, 1}, done.stdout + done.stderr
    (root,) = (tmp_path / "results").iterdir()
    (window,) = judge_folder(root).windows
    assert window.errors_by_kind == {}
    assert {name: one.count > 0 for name, one in window.transactions.items()} == {"form": True, "sum": True}
    plan = json.loads((root / "points" / window.path / "plan.json").read_text())
    assert plan["targets"] != plan["named_targets"]["spare"]
    (deployment,) = json.loads((root / "run.json").read_text())["deployments"].values()
    ports = {one["name"]: one["ports"]["http"] for one in deployment["processes"]}
    assert {one["to"]: one["port"] for one in deployment["driver"]} == ports


def test_a_listener_that_there_is_not_is_refused_before_anything_starts(checkout: Path, tmp_path: Path) -> None:
    home = tmp_path / "other"
    shutil.copytree(checkout, home)
    replace(home / "specs" / "sums" / "sessions" / "both.yaml", "sum, target: https", "sum, target: tls")
    done = run(home, tmp_path)
    assert done.returncode == 2
    assert (
        "step 'sum' of 'both' goes to the target 'tls', which is neither a listener of calculator nor another tier"
        in done.stderr
    )
    replace(home / "specs" / "sums" / "sessions" / "both.yaml", "target: https, ", "")
    replace(home / "specs" / "sums" / "sessions" / "both.yaml", "sum, target: tls", "sum")
    done = run(home, tmp_path)
    assert done.returncode == 2
    assert "no step goes to a listener over https" in done.stderr
