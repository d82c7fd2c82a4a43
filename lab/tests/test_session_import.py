"""`middlemark session import` makes a session of a real recording, refuses any other file, and loses nothing."""

from __future__ import annotations

import json
import os
import random
import signal
import statistics
import subprocess
import sys
from pathlib import Path

import pytest
from made_recording import Recording

from middlemark.duration import Duration
from middlemark.errors import InputError
from middlemark.session.importing import ImportRequest, import_recording
from middlemark.workload.feed import Per
from middlemark.workload.session import Session, read_session
from middlemark.workload.step import Capture

TRADING = Path(__file__).parent / "recordings" / "trading.har"
BROKERAGE = Path(__file__).parents[2] / "specs" / "brokerage" / "sessions" / "brokerage.yaml"
NUMBERS = {"accounts": 50, "quotes": 100}


def run_import(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "middlemark", "session", "import", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


@pytest.fixture(scope="module")
def trading(tmp_path_factory: pytest.TempPathFactory) -> Session:
    out = tmp_path_factory.mktemp("imported") / "trading.yaml"
    import_recording(ImportRequest(TRADING, out, BROKERAGE))
    return read_session(out, NUMBERS)


def test_what_a_person_did_is_one_step_each_without_redirects_and_static_files(trading: Session) -> None:
    assert [(step.id, step.method.value, step.path) for step in trading.every_step] == [
        ("start", "GET", "/"),
        ("login", "POST", "/login"),
        ("quotes-1", "GET", "/quotes"),
        ("quotes-2", "GET", "/quotes?symbols=${symbol}"),
        ("buy", "POST", "/buy"),
        ("portfolio", "GET", "/portfolio"),
        ("sell", "POST", "/sell"),
        ("account", "GET", "/account"),
        ("logout", "POST", "/logout"),
    ]
    assert [step.transaction for step in trading.every_step[2:4]] == ["quotes", "quotes"]
    assert trading.every_step[1].expect.path == "/home"


def test_pages_are_identified_by_their_titles(trading: Session) -> None:
    assert [step.expect.marker for step in trading.every_step[:3]] == [
        "<title>Welcome · Middlemark Brokerage</title>",
        "<title>Home · Middlemark Brokerage</title>",
        "<title>Quotes · Middlemark Brokerage</title>",
    ]
    assert {step.expect.status for step in trading.every_step} == {200}


def test_values_that_pages_gave_are_captured_where_they_stand_alone(trading: Session) -> None:
    steps = {step.id: step for step in trading.every_step}
    # In the portfolio the bought holding is the last of six; the order that bought it names it alone.
    assert steps["quotes-2"].capture == {"shown-symbol": Capture(between=('name="symbol" value="', '"'))}
    assert steps["buy"].form == {"symbol": "${shown-symbol}", "quantity": "10"}
    assert steps["buy"].capture == {"holding_id": Capture(between=('<dd class="holding-id">', "</dd>"))}
    assert steps["sell"].form == {"holding_id": "${holding_id}"}
    assert steps["sell"].identify == ("holding_id",)
    assert sum(len(step.capture) for step in trading.every_step) == 2


def test_who_logs_in_becomes_the_feed_of_the_specification(trading: Session) -> None:
    assert trading.every_step[1].form == {"user_id": "${user}", "password": "xxx"}
    assert trading.feeds["user"].range == (0, "accounts")
    assert trading.feeds["user"].per is Per.ITERATION
    assert trading.feeds["user"].own, "two virtual users are never the same customer at once"
    assert not trading.feeds["symbol"].own
    assert set(trading.feeds) == {"user", "symbol"}, "feeds that no value fits are left out"


def test_think_times_are_the_gaps_of_the_recording(trading: Session) -> None:
    entries = json.loads(TRADING.read_text(encoding="utf-8"))["log"]["entries"]
    assert all(step.think is not None for step in trading.every_step[:-1])
    assert trading.every_step[-1].think is None
    # All gaps, responses and redirects together take from the first request to the last: 10 ms of rounding each.
    recorded = _seconds(entries[-4]["startedDateTime"]) - _seconds(entries[0]["startedDateTime"])
    documents = [entry for entry in entries if entry["_resourceType"] == "document"]
    responses = sum(entry["time"] for entry in documents[:-1]) / 1000
    thinks = sum(step.think.mean_s for step in trading.every_step if step.think)
    assert thinks + responses == pytest.approx(recorded, abs=0.1)
    assert trading.think.mean_s == statistics.median(step.think.mean_s for step in trading.every_step if step.think)


def _seconds(stamp: str) -> float:
    hours, minutes, seconds = stamp.removesuffix("Z").partition("T")[2].split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


def test_without_feeds_the_recorded_user_is_kept_with_a_warning(tmp_path: Path) -> None:
    done = run_import(tmp_path, str(TRADING))
    assert done.returncode == 0
    assert done.stdout == (
        "Try it: middlemark drive trading.yaml --target http://brokerage.test --users 1\ntrading.yaml\n"
    )
    assert "30 static files left out; a session with `sub_resources` fetches" in done.stderr
    assert "1 redirect folded" in done.stderr
    assert "warning: step login: every virtual user sends the same user_id; `--feeds SESSION.yaml`" in done.stderr
    assert "warning: step login: the recorded password stands in the session file" in done.stderr
    text = (tmp_path / "trading.yaml").read_text(encoding="utf-8")
    assert "  # as recorded: every virtual user sends the same user_id; a feed makes them differ\n  - id: login" in text
    assert "# CHECK: step login: the recorded password" in text
    assert read_session(tmp_path / "trading.yaml", {}).every_step[1].form == {"user_id": "uid:7", "password": "xxx"}


def test_numbers_that_the_feeds_need_stand_in_the_command_to_try(tmp_path: Path) -> None:
    done = run_import(tmp_path, str(TRADING), "--feeds", str(BROKERAGE))
    assert "--users 1 --number accounts=N --number quotes=N\n" in done.stdout
    assert "every virtual user" not in done.stderr


def test_a_session_that_is_there_is_replaced_only_by_force_and_only_by_a_whole_one(tmp_path: Path) -> None:
    mine = tmp_path / "trading.yaml"
    mine.write_text("mine", encoding="utf-8")
    refused = run_import(tmp_path, str(TRADING))
    assert refused.returncode == 2
    assert "trading.yaml: is there already and is not overwritten. Choose another --out, or --force" in refused.stderr
    wrong = tmp_path / "wrong.har"
    wrong.write_text("{", encoding="utf-8")
    assert run_import(tmp_path, str(wrong), "--out", "trading.yaml", "--force").returncode == 2
    assert mine.read_text(encoding="utf-8") == "mine"
    assert run_import(tmp_path, str(TRADING), "--force").returncode == 0
    assert read_session(mine, {}).name == "trading"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["trading.yaml", "wrong.har"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.har", None, "a.har: cannot read this file (No such file or directory)"),
        ("a.har", b"\xff\xfe\x00", "a.har:1: cannot read this file (not UTF-8 text)"),
        ("a.har", b"<html>", "a.har:1: this is not JSON"),
        ("a.har", b'{"log": {\n"entries": [}', "a.har:2: this is not JSON"),
        ("a.har", b"[" * 100_000, "a.har: this JSON has too many levels"),
        ("a.har", b"[]", "a.har: expected keys with their values, found an empty list"),
        ("a.har", b'{"name": "shop"}', "a.har: the key 'log' is missing"),
        (
            "a.har",
            b'{"log": {"entries": []}}',
            "a.har: this recording holds no request. Record before you open the site",
        ),
        ("a.har", b'{"log": {"entries": [{"startedDateTime": "now"}]}}', "a.har: log.entries.0.startedDateTime: "),
        ("a.har.zip", b"PK", "a.har.zip: this is an archive"),
    ],
)
def test_any_other_file_is_one_message(tmp_path: Path, name: str, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    before = sorted(tmp_path.iterdir())
    done = run_import(tmp_path, name)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"middlemark: {message}")
    assert "Traceback" not in done.stderr
    assert sorted(tmp_path.iterdir()) == before


def test_an_import_that_is_interrupted_is_one_word(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.har")
    command = [sys.executable, "-m", "middlemark", "session", "import", "a.har"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path) as running,
        (tmp_path / "a.har").open("w", encoding="utf-8"),  # waits until the import has begun to read
    ):
        running.send_signal(signal.SIGINT)
        assert running.communicate() == ("", "middlemark: interrupted\n")
    assert running.returncode == 130
    assert [path.name for path in tmp_path.iterdir()] == ["a.har"]


def test_a_recording_without_anything_to_send_is_refused_with_the_reason(tmp_path: Path) -> None:
    path = Recording().get("/", status=0).write(tmp_path / "a.har")
    done = run_import(tmp_path, str(path))
    assert done.returncode == 2
    assert "no request to http://shop.test in it can be sent again\n  GET / left out: it has no response" in done.stderr


def test_another_site_of_the_recording_can_be_chosen(tmp_path: Path) -> None:
    made = Recording().get("http://news.test/", "<h1>News</h1>").get("/", "<h1>Shop</h1>")
    path = made.write(tmp_path / "a.har")
    done = run_import(tmp_path, str(path), "--origin", "http://shop.test/")
    assert "warning: 1 request to http://news.test left out: a session has one site (http://shop.test)" in done.stderr
    assert read_session(tmp_path / "a.yaml", {}).every_step[0].expect.marker == "<h1>Shop</h1>"
    wrong = run_import(tmp_path, str(path), "--origin", "shop", "--force")
    assert (
        "--origin: no request went to 'shop'. Sites of this recording: http://news.test, http://shop.test"
        in wrong.stderr
    )


def test_a_damaged_recording_is_imported_or_refused_but_never_a_bug(tmp_path: Path) -> None:
    text = TRADING.read_text(encoding="utf-8")
    draws = random.Random(7)  # noqa: S311 (damages, no secrets)
    refused = 0
    for number in range(150):
        damaged = json.loads(text)
        for _ in range(draws.randint(1, 6)):
            _damage(damaged, draws)
        path = tmp_path / f"{number}.har"
        path.write_text(json.dumps(damaged), encoding="utf-8")
        try:
            imported = import_recording(ImportRequest(path, tmp_path / f"{number}.yaml", BROKERAGE))
            read_session(imported.path, NUMBERS)
        except InputError:
            refused += 1
    assert 0 < refused < 150


def _damage(recording: object, draws: random.Random) -> None:
    """Replace or remove one part somewhere below."""
    part: object = recording
    while True:
        keys: list[object] = list(part) if isinstance(part, dict) else list(range(len(part)))  # type: ignore[arg-type]
        if not keys:
            return
        key = draws.choice(keys)
        below = part[key]  # type: ignore[index]
        if isinstance(below, dict | list) and below and draws.random() < 0.9:
            part = below
            continue
        if isinstance(part, dict) and draws.random() < 0.3:
            del part[key]
        else:
            odd = [None, "", 0, -1, 302, "\u0000${x}", "a b\n'\"", [], {}, "http://[", below]
            part[key] = draws.choice(odd)  # type: ignore[index]
        return


def test_think_times_without_gaps_are_a_second(tmp_path: Path) -> None:
    path = Recording().get("/", "<h1>Shop</h1>").write(tmp_path / "a.har")
    session = import_recording(ImportRequest(path, tmp_path / "a.yaml")).session
    assert session.think.constant == Duration(1000)
