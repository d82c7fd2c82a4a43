"""The options of `middlemark drive` about load and transport, with the real driver against real servers."""

from __future__ import annotations

import json
import shutil
import ssl
import subprocess
from pathlib import Path

import pytest
from driven import SESSION, drive
from driver_records import read_records
from other_server import Manners, misbehaving


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "page.yaml"
    path.write_text(SESSION, encoding="utf-8")
    return path


def driven(session: Path, target: str, *more: str) -> dict[str, object]:
    done = drive(session, target, "--json", *more)
    assert done.returncode == 0, done.stderr + done.stdout
    result: dict[str, object] = json.loads(done.stdout)
    return result


def test_the_open_model_begins_by_its_timetable_and_shows_both_times(session: Path) -> None:
    with misbehaving(Manners()) as address:
        result = driven(session, address, "--rate", "40", "--arrivals", "constant", "--unit", "requests")
        done = drive(session, address, "--rate", "40")
    assert result["load"] == "40 requests arriving per second"
    assert (result["missed"], result["little_tps"]) == (0, None)
    assert isinstance(result["service"], dict)
    assert isinstance(result["total"], dict)
    # The response to an arrival at an edge of the window may come on either side of it, and late on a busy machine.
    assert 20 <= result["total"]["count"] <= 45
    assert result["service"]["count"] == result["total"]["count"]
    assert "-- Little's law: open model: " in done.stdout
    assert "limit: none" not in done.stdout
    assert "ok arrivals: 0 never began" in done.stdout
    assert "\n service time" in done.stdout


def test_arrivals_that_never_begin_fail_the_drive(session: Path) -> None:
    with misbehaving(Manners(seconds=0.5)) as address:
        done = drive(session, address, "--rate", "50", "--unit", "requests", "--users", "1")
    assert done.returncode == 1
    assert "never began" in done.stdout.splitlines()[-1]


def test_several_levels_have_figures_of_their_own(session: Path) -> None:
    with misbehaving(Manners()) as address:
        result = driven(session, address, "--users", "1,4")
        shown = drive(session, address, "--rate", "10,30")
    levels = result["levels"]
    assert isinstance(levels, list)
    assert [level["load"] for level in levels] == ["1 user", "4 users"]
    assert all(level["total"]["count"] > 0 for level in levels)
    assert (result["users"], result["total"]) == (4, levels[1]["total"])
    # Each has the driver's CPU time in its own window: together not more than the driver used in all.
    spent = [level["driver_cpu_s"] for level in levels]
    assert min(spent) > 0
    assert result["driver_cpu_s"] == spent[1]
    assert "by 4 users" in str(result["verdict"])
    assert "at the last of 2 levels" in str(result["verdict"])
    assert shown.stdout.count("arriving per second, think time") == 2
    assert "ok errors at 10 sessions arriving per second: " in shown.stdout


@pytest.mark.parametrize(
    ("option", "header", "value"),
    [
        (["--connection", "per-request"], "connection", "close"),
        (["--gzip"], "accept-encoding", "gzip"),
        (["--http1.0"], "(version)", "HTTP/1.0"),
        (["--source", "127.0.0.9"], "(from)", "127.0.0.9"),
    ],
)
def test_requests_travel_as_the_options_are(session: Path, option: list[str], header: str, value: str) -> None:
    manners = Manners()
    with misbehaving(manners) as address:
        driven(session, address, *option)
    assert {headers.get(header) for headers in manners.headers} == {value}


def test_a_time_out_is_as_long_as_its_option(session: Path) -> None:
    with misbehaving(Manners(seconds=5)) as address:
        done = drive(session, address, "--json", "--timeout", "first-byte=200ms", "--timeout", "connect=4s")
    assert done.returncode == 1
    assert set(json.loads(done.stdout)["errors_by_kind"]) == {"first_byte_timeout"}


def test_records_and_the_figures_of_each_user_are_kept(session: Path, tmp_path: Path) -> None:
    with misbehaving(Manners()) as address:
        result = driven(session, address, "--users", "3", "--records", "--per-client", "--out", str(tmp_path / "out"))
    assert isinstance(result["clients"], list)
    assert isinstance(result["total"], dict)
    assert sum(client["transactions"] for client in result["clients"]) == result["total"]["count"]
    records = read_records(Path(str(result["out"])) / "records.bin")
    assert records.head["transactions"] == ["page"]


@pytest.mark.skipif(shutil.which("openssl") is None, reason="a certificate is made by openssl")
def test_an_https_target_is_trusted_by_its_authority_alone(session: Path, tmp_path: Path) -> None:
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    files = ["-keyout", "key.pem", "-out", "ca.pem", "-subj", "/CN=localhost"]
    names = ["-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE"]
    subprocess.run([*words, *files, *names], check=True, capture_output=True, cwd=tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "ca.pem", tmp_path / "key.pem")
    with misbehaving(Manners(), context) as address:
        trusted = driven(session, address, "--tls", "ca=ca.pem", "--tls", "maximum=1.2", "--tls", "resumption=none")
        insecure = driven(session, address, "--tls", "insecure=yes")
        strange = drive(session, address, "--json")
    assert address.startswith("https://")
    assert isinstance(trusted["total"], dict)
    assert trusted["total"]["count"] > 0
    assert isinstance(trusted["tls"], list)
    (suite,) = trusted["tls"]
    assert suite["version"] == "1.2"
    assert (suite["full"], suite["resumed"]) == (trusted["connections"], 0)
    assert insecure["errors_by_kind"] == {}
    assert set(json.loads(strange.stdout)["errors_by_kind"]) == {"tls"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--users", "ten"], "--users: 'ten' is not a number of users. Write it like 20"),
        (["--users", "0"], "--users: a load has at least one user"),
        (["--rate", "fast"], "--rate: 'fast' is not a rate"),
        (["--rate", "0"], "--rate: '0': a rate is above 0"),
        (["--rate", "5", "--users", "1,2"], "--users: with a rate it is one number"),
        (["--unit", "requests"], "--unit: it is how a rate arrives, and --rate is missing. Add --rate"),
        (["--arrivals", "poisson"], "--arrivals: it is how a rate arrives"),
        (["--timeout", "respnse=1s"], "--timeout: 'respnse' is unknown. Did you mean 'response'?"),
        (["--timeout", "response=1"], "--timeout response: '1' is not a duration"),
        (["--timeout", "response=0s"], "--timeout response=0s: no response could come within 0s"),
        (["--tls", "ca"], "--tls: 'ca' has no value. Write it like ca="),
        (["--tls", "minimum=1.1"], "--tls minimum=1.1: '1.1' is not a value of minimum. "),
        (["--tls", "insecure=yes"], "--tls: no target is an https address"),
        (["--tls", "resumption=yes"], "'yes' is not a value of resumption. Known here: iteration, none, user"),
        (["--target", "https=http://127.0.0.1:9"], "no step goes to the target 'https'. No step names a target"),
        (["--list", "requests"], "--list: 'requests' is not NAME=FILE"),
        (["--source", "here"], "--source: 'here' is not an IP address"),
        (["--records"], "--records: records need a folder. Add --out DIR"),
    ],
)
def test_a_wrong_option_is_exit_2(session: Path, words: list[str], message: str) -> None:
    done = drive(session, "http://127.0.0.1:9", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr
