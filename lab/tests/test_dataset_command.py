"""`middlemark load`: a trial load that leaves nothing, or a database in a server of the user's."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import psutil
from small_shop import specification

from middlemark.databases.database import Database, drop_database, exists

ROOT = Path(__file__).parents[2]
NAME = "middlemark_brokerage_tiny"
VERDICT = re.compile(r"Loaded 700 rows of brokerage at scale tiny in \d+\.\d s, fingerprint ([0-9a-f]{16})\.")


def _middlemark(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "middlemark", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )


def _fingerprint(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stderr
    found = VERDICT.fullmatch(done.stdout.splitlines()[-1])
    assert found, done.stdout
    return found[1]


def test_a_trial_load_prints_rows_and_fingerprint(database_cluster: Database) -> None:
    trial = _middlemark("load", "brokerage", "--scale", "tiny")
    own = _middlemark("load", "brokerage", "--scale", "tiny", "--database", database_cluster.url("postgres"))

    assert re.search(r"^ accounts +50 rows *$", trial.stdout, re.MULTILINE)
    assert _fingerprint(trial) == _fingerprint(own)
    drop_database(database_cluster, NAME)


def test_what_is_loaded_into_the_users_server_stays_and_is_replaced_by_the_next(database_cluster: Database) -> None:
    for _ in range(2):
        done = _middlemark("load", "brokerage", "--scale", "tiny", "--database", database_cluster.url("postgres"))
        assert f"Stays as database {NAME}; `middlemark audit" in done.stdout.splitlines()[-2]
        assert exists(database_cluster, NAME)

    assert database_cluster.password not in done.stdout + done.stderr
    drop_database(database_cluster, NAME)


def test_a_load_that_is_interrupted_leaves_nothing(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "middlemark", "load", "brokerage", "--scale", "full"],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    while process.poll() is None and not list(tmp_path.glob("middlemark-postgresql-*/data/postmaster.pid")):
        psutil.wait_procs([psutil.Process(process.pid)], timeout=0.02)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate()

    assert process.returncode == 130, output
    assert output.splitlines()[-1] == "middlemark: interrupted"
    assert [path.name for path in tmp_path.iterdir()] == ["middlemark"]
    assert list((tmp_path / "middlemark").iterdir()) == []


def test_wrong_input_is_one_message() -> None:
    for words, message in (
        (("load", "brokrage"), "no specification is called 'brokrage'. Did you mean 'brokerage'?"),
        (("load", "brokerage", "--scale", "huge"), "brokerage has no scale 'huge'. Known here: demo, full, tiny"),
        (("load", "brokerage", "--database", "mysql://x"), "this is not a database URL"),
    ):
        done = _middlemark(*words)
        assert done.returncode == 2
        assert done.stderr.startswith("middlemark: ")
        assert message in done.stderr
        assert done.stderr.count("\n") == 1


EMPTY = """
title = "Notes"
version = 1
[tiers.app]
listens = { http = "MM_PORT" }
entry = true
databases = ["notes"]
[databases.notes]
variable = "MM_DATABASE_URL"
folder = "db"
"""


def test_a_database_may_begin_empty(tmp_path: Path) -> None:
    folder = specification(tmp_path, EMPTY, "notes").folder / "db"
    folder.mkdir()
    (tmp_path / "platforms").mkdir()
    (tmp_path / "specs" / "README.md").touch()
    (tmp_path / "databases").symlink_to(ROOT / "databases")
    for name, text in {"schema": "CREATE TABLE notes (id bigint)", "keys": ""}.items():
        (folder / f"{name}.sql").write_text(text)
    (folder / "dataset.toml").write_text("version = 1\n")

    done = subprocess.run(
        [sys.executable, "-m", "middlemark", "load", "notes"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert re.search(r"^ notes +0 rows *$", done.stdout, re.MULTILINE)
    assert re.search(r"^Loaded 0 rows of notes in \d+\.\d s, fingerprint ", done.stdout, re.MULTILINE)
