"""Steps that name their targets, and values drawn from lists, with the real driver against real servers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from driven import drive
from other_server import Manners, misbehaving

from middlemark.drive.result import DriveResult

SHOP = """\
name: shop
think: {constant: 5ms}
steps:
  - {id: look, get: /look, expect: {marker: "<h1>shop</h1>"}}
  - {id: order, target: cash-desk, get: /order, expect: {marker: "<h1>desk</h1>"}}
"""
LISTED = """\
name: listed
think: {constant: 5ms}
per_iteration: {connections: keep, cookies: new}
feeds:
  file: {list: LIST, draw: sequence, columns: [size, color], as_path: true}
steps:
  - id: file
    get: /${file}
    headers: {X-Note: "${color}"}
    expect: {length: "${size}"}
"""


def written(folder: Path, text: str) -> Path:
    """Write a session and return its file."""
    path = folder / "session.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_steps_go_to_the_targets_they_name(tmp_path: Path) -> None:
    shop, desk, other = Manners(page="<h1>shop</h1>"), Manners(page="<h1>desk</h1>"), Manners(page="<h1>desk</h1>")
    with misbehaving(shop) as first, misbehaving(desk) as second, misbehaving(other) as third:
        named = [word for one in (second, third) for word in ("--target", f"cash-desk={one}")]
        done = drive(written(tmp_path, SHOP), first, *named, "--json")
    assert done.returncode == 0, done.stderr + done.stdout
    result = json.loads(done.stdout)
    assert (result["targets"], result["named_targets"]) == ([first], {"cash-desk": [second, third]})
    assert result["errors_by_kind"] == {}
    assert {path for _, path, _, _ in shop.requests} == {"/look"}
    assert {path for one in (desk, other) for _, path, _, _ in one.requests} == {"/order"}
    assert desk.requests
    assert other.requests


def test_a_target_without_an_address_is_named_with_its_step(tmp_path: Path) -> None:
    done = drive(written(tmp_path, SHOP), "http://127.0.0.1:9")
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        "step 'order' goes to the target 'cash-desk', which has no address. Add --target cash-desk=URL" in done.stderr
    )
    done = drive(written(tmp_path, SHOP), "cash-desk=http://127.0.0.1:9")
    assert "step 'look' names no target, and all addresses have names. Add --target URL" in done.stderr


@pytest.mark.parametrize("named", [False, True])
def test_a_list_gives_paths_lengths_and_further_columns(tmp_path: Path, *, named: bool) -> None:
    paths = [f"{number}/x.html?a=b" for number in range(20)]
    manners = Manners()
    # What the server answers: its page, a token with the length of the path, and braces.
    sizes = [len(f'{manners.page} token="t{len(path) + 1}" {{}}') for path in paths]
    lines = zip(paths, sizes, strict=True)
    text = "".join(f"{path}\t{size}\tcolor-{number}\n" for number, (path, size) in enumerate(lines))
    (tmp_path / "files.txt").write_text(text, encoding="utf-8")
    session = written(tmp_path, LISTED.replace("LIST", "requests" if named else "files.txt"))
    words = ["--list", "requests=files.txt"] if named else []
    with misbehaving(manners) as address:
        done = drive(session, address, "--json", "--users", "1", *words)
    assert done.returncode == 0, done.stderr + done.stdout
    requested = [(path, note) for _, path, note, _ in manners.requests]
    expected = [(f"/{path}", f"color-{number}") for number, path in enumerate(paths)]
    assert len(requested) > 20
    assert requested == (expected * (len(requested) // 20 + 1))[: len(requested)]


def test_another_length_is_an_error_of_its_own(tmp_path: Path) -> None:
    session = SHOP.partition("  - {id: order")[0].replace("expect: {", "expect: {length: 6250, ")
    with misbehaving(Manners(page="<h1>shop</h1>")) as address:
        done = drive(written(tmp_path, session), address)
    assert done.returncode == 1
    assert "length: the response is longer or shorter than the session expects" in done.stdout


def test_a_list_that_is_not_there_is_exit_2(tmp_path: Path) -> None:
    done = drive(written(tmp_path, LISTED.replace("LIST", "files.txt")), "http://127.0.0.1:9")
    assert (done.returncode, done.stdout) == (2, "")
    assert "feed 'file' draws from a file that does not exist" in done.stderr
    assert "--list files.txt=FILE" in done.stderr


def test_users_whom_the_server_slows_down_are_not_served_equally(tmp_path: Path) -> None:
    session = written(tmp_path, SHOP.partition("  - {id: order")[0])
    equal, unequal = (driven_per_client(session, slow) for slow in (0, 4))
    assert equal.fairness is not None
    assert unequal.fairness is not None
    assert unequal.clients is not None
    assert (equal.fairness.equal, equal.fairness.message) == (True, "clients served equally"), equal.fairness
    assert (unequal.fairness.equal, unequal.fairness.clients) == (False, 8), unequal.fairness
    assert unequal.fairness.transactions_cv > 0.2
    slowest = max(client.response_ms.mean for client in unequal.clients)
    assert slowest > 15
    assert unequal.fairness.response_max_ms == slowest


def driven_per_client(session: Path, slow: int) -> DriveResult:
    """Drive eight users, so many of whom get their responses late, and return the result."""
    manners = Manners(page="<h1>shop</h1>", seconds_from={f"127.0.0.{10 + user}": 0.02 for user in range(slow)})
    sources = [word for user in range(8) for word in ("--source", f"127.0.0.{10 + user}")]
    with misbehaving(manners) as address:
        done = drive(session, address, "--json", "--per-client", "--users", "8", *sources)
    assert done.returncode == 0, done.stderr + done.stdout
    return DriveResult.model_validate_json(done.stdout)
