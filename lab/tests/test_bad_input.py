"""Whatever is wrong with what the user gave, the answer is one message with where and what to do, and exit status 2."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest
from run_command import MIDDLEMARK

from conftest import ROOT
from middlemark.databases.database import Database
from middlemark.processes.ports import free_port

EXPERIMENT = """\
spec: brokerage
scale: tiny
sessions: brokerage
subjects: [go]
modes: {binding: [local]}
loads: {users: [1]}
"""


def refused(*words: str, path: str | None = None) -> str:
    """Return the message of a command that must end with status 2, having changed and printed nothing else."""
    environment = dict(os.environ) if path is None else {**os.environ, "PATH": path}
    done = subprocess.run(
        [*MIDDLEMARK, *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert done.stderr.count("middlemark:") == 1
    return done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run", "dmo"), "no experiment is called 'dmo'. Did you mean 'demo'?"),
        (
            ("run", "demo", "--set", "bindng=json"),
            "--set bindng: brokerage has no mode 'bindng'. Did you mean 'binding'?",
        ),
        (
            ("run", "demo", "--set", "orders=async-xa"),
            "go does not offer orders=async-xa (it offers sync, async-queue)",
        ),
        (("run", "demo", "--set", "reverse_proxy=ngnix"), "no server is called 'ngnix'. Did you mean 'nginx'?"),
        (
            ("run", "demo", "--set", "instances.processor=two"),
            "--set instances.processor: expected a whole number from 1 up, found 'two'",
        ),
        (("run", "demo", "--set", "MM_SESSION_SECONDS=0"), "MM_SESSION_SECONDS: expected 1 or more, found 0"),
        (("run", "demo", "--set", "MM_CONFIG_PAGE=on"), "'MM_CONFIG_PAGE' cannot be set in a run"),
        (("run", "demo", "--set", "binding=jsno"), "'jsno' is not a value of binding. Did you mean 'json'?"),
        (("run", "demo", "--users", "0"), "a load has at least one user"),
        (("run", "demo", "--duration", "5"), "'5' is not a duration"),
        (("run", "demo", "--nothing"), "No such option: --nothing"),
        (("up", "goo", "brokerage"), "no platform is called 'goo'. Did you mean 'go'?"),
        (("up", "go", "brokrage"), "'brokrage'"),
        (("load", "brokerage", "--scale", "huge"), "brokerage has no scale 'huge'. Known here: demo"),
        (
            ("report", "."),
            "this folder is not a result: it has no run.json. Give the folder that `middlemark run` printed",
        ),
        (
            ("drive", "nothing.yaml", "--target", "http://127.0.0.1:1"),
            "nothing.yaml: this session file does not exist. `middlemark new session NAME` writes one",
        ),
    ],
)
def test_what_is_wrong_on_the_command_line_is_refused_with_what_there_is(words: tuple[str, ...], message: str) -> None:
    assert message in refused(*words)


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("scale: tiny", "scal: tiny", "wrong.yaml:2: scal: unknown key 'scal'. Did you mean 'scale'?"),
        ("scale: tiny", "scale: huge", "wrong.yaml:2: scale: brokerage has no scale 'huge'"),
        ("spec: brokerage", "spec: brokrage", "no specification is called 'brokrage'. Did you mean 'brokerage'?"),
        (
            "sessions: brokerage",
            "sessions: brokrage",
            "wrong.yaml:3: sessions: no session of brokerage is called 'brokrage'. Did you mean 'brokerage'?",
        ),
        ("subjects: [go]", "subjects: [go@liberty]", "go does not run on 'liberty'. Write go"),
        ("subjects: [go]", "subjects: [jakarta]", "jakarta needs a server that hosts it"),
        (
            "binding: [local]",
            "binding: [local, jsno]",
            "wrong.yaml:5: modes.binding: 'jsno' is not a value of binding. Did you mean 'json'?",
        ),
        ("users: [1]", "users: [1", "wrong.yaml:"),
    ],
)
def test_a_mistake_in_an_experiment_is_refused_with_its_place(
    tmp_path: Path, right: str, wrong: str, message: str
) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(EXPERIMENT.replace(right, wrong), encoding="utf-8")

    assert message in refused("run", str(path))


def test_an_undefined_variable_in_a_session_is_refused_with_its_line(tmp_path: Path) -> None:
    session = tmp_path / "session.yaml"
    session.write_text(
        "name: a\nthink: {constant: 1s}\nsteps:\n  - id: look\n    get: /look?user=${user}\n", encoding="utf-8"
    )

    assert "session.yaml:5:" in refused("drive", str(session), "--target", "http://127.0.0.1:1")


def test_a_missing_toolchain_is_named_with_how_to_install_it(tmp_path: Path) -> None:
    for program in ("git", "sh"):
        found = shutil.which(program)
        assert found
        (tmp_path / program).symlink_to(found)

    message = refused("run", "demo", path=str(tmp_path))

    assert "Go 1.25 or later is needed and is not here" in message
    assert "Debian: the archive of https://go.dev/dl into /usr/local" in message
    assert "macOS: brew install go" in message


def test_a_busy_port_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        message = refused("up", "go", "brokerage", "--scale", "tiny", "--port", str(port))

    assert f"{port}" in message
    assert "in use" in message or "taken" in message


def test_a_database_that_nobody_serves_is_reported_without_the_password(tmp_path: Path) -> None:
    url = f"postgresql://somebody:secret-word@127.0.0.1:{free_port()}/postgres"

    message = refused("run", "demo", "--out", str(tmp_path), "--database", url)

    assert list(tmp_path.iterdir()) == []
    assert "no PostgreSQL answers" in message
    assert "Start PostgreSQL or check host and port of the URL" in message
    assert "secret-word" not in message


def test_a_wrong_password_is_reported_without_it(tmp_path: Path, database_cluster: Database) -> None:
    url = f"postgresql://{database_cluster.user}:secret-word@{database_cluster.address}/postgres"

    message = refused("run", "demo", "--out", str(tmp_path), "--database", url)

    assert "wrong password" in message
    assert database_cluster.address in message
    assert "secret-word" not in message
