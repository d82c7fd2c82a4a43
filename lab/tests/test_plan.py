"""The plan is exactly what docs/reference/driver.md describes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from middlemark.drive.address import is_this_host, target_address
from middlemark.duration import Duration
from middlemark.errors import InputError
from middlemark.workload.expected import expected_cycle, expected_iteration
from middlemark.workload.plan import ClosedLoad, Plan, read_plan, write_plan
from middlemark.workload.planning import (
    LoadSettings,
    PhaseLengths,
    make_plan,
)
from middlemark.workload.session import Session
from middlemark.workload.think import Think

SESSION = Session.model_validate(
    {
        "name": "shop",
        "think": {"exponential": "200ms"},
        "per_iteration": {"connections": "keep", "cookies": "new"},
        "feeds": {
            "user": {"range": [0, "accounts"], "format": "uid:{}", "per": "iteration"},
            "item": {"range": [1, 6]},
            "items": {"pick": 3, "distinct": True, "from": "item"},
            "new": {"unique": "{run}-{user}-{iteration}"},
        },
        "steps": [
            {
                "id": "look",
                "get": "/look?items=${items}",
                "expect": {"marker": "${user}", "path": "/look"},
                "capture": {
                    "a": {"regex": "(x)"},
                    "b": {"between": ["<", ">"]},
                    "c": {"json": "/a/0"},
                    "d": {"header": "Location"},
                },
                "probability": 0.5,
                "repeat": 2,
            },
            {
                "id": "order",
                "transaction": "buy",
                "post": "/order",
                "form": {"user": "${user}", "fixed": "1"},
                "headers": {"X-New": "${new}"},
                "think": {"uniform": ["100ms", "300ms"]},
                "identify": ["user"],
            },
            {"id": "note", "transaction": "buy", "post": "/note", "body": "${item}", "think": {"constant": "1s"}},
        ],
    }
)
STEPS = SESSION.every_step
PHASES = PhaseLengths(Duration(2000), Duration(500), Duration(8000), Duration(10_000))
SETTINGS = LoadSettings(
    targets=("http://127.0.0.1:8080/app", "http://127.0.0.1:8081"),
    users=40,
    phases=PHASES,
    run="r1",
    seed=7,
    numbers={"accounts": 50},
    threads=2,
    spread=Duration(1500),
)

DOCUMENTED = {
    "v": 1,
    "name": "shop",
    "run": "r1",
    "seed": 7,
    "targets": ["http://127.0.0.1:8080/app", "http://127.0.0.1:8081"],
    "load": {"model": "closed", "users": 40, "spread_ms": 1500},
    "think": {"exponential_ms": 200},
    "phases": {"ramp_ms": 2000, "settle_ms": 500, "measure_ms": 8000, "drain_ms": 10000},
    "connections": "keep",
    "cookies": "new",
    "threads": 2,
    "timeouts_ms": {"connect": 5000, "response": 60000},
    "limits": {"header_bytes": 262144, "body_bytes": 16777216},
    "report_responses": False,
    "feeds": [
        {"name": "user", "per": "iteration", "range": {"from": 0, "to": 50, "format": "uid:{}"}},
        {"name": "item", "per": "step", "range": {"from": 1, "to": 6, "format": "{}"}},
        {"name": "items", "per": "step", "pick": {"from": "item", "count": 3, "distinct": True, "join": ","}},
        {"name": "new", "per": "step", "unique": "{run}-{user}-{iteration}"},
    ],
    "steps": [
        {
            "id": "look",
            "transaction": "look",
            "method": "GET",
            "path": "/look?items=${items}",
            "form": None,
            "body": None,
            "headers": [],
            "expect": {"status": 200, "marker": "${user}", "path": "/look"},
            "capture": [
                {"name": "a", "regex": "(x)"},
                {"name": "b", "between": ["<", ">"]},
                {"name": "c", "json": "/a/0"},
                {"name": "d", "header": "Location"},
            ],
            "think": None,
            "probability": 0.5,
            "repeat": 2,
            "identify": [],
        },
        {
            "id": "order",
            "transaction": "buy",
            "method": "POST",
            "path": "/order",
            "form": [["user", "${user}"], ["fixed", "1"]],
            "body": None,
            "headers": [["X-New", "${new}"]],
            "expect": {"status": 200, "marker": None, "path": None},
            "capture": [],
            "think": {"uniform_ms": [100, 300]},
            "probability": 1,
            "repeat": 1,
            "identify": ["user"],
        },
        {
            "id": "note",
            "transaction": "buy",
            "method": "POST",
            "path": "/note",
            "form": None,
            "body": "${item}",
            "headers": [],
            "expect": {"status": 200, "marker": None, "path": None},
            "capture": [],
            "think": {"constant_ms": 1000},
            "probability": 1,
            "repeat": 1,
            "identify": [],
        },
    ],
}


def test_a_plan_is_written_as_documented_and_read_again(tmp_path: Path) -> None:
    plan = make_plan(SESSION, SETTINGS)
    write_plan(plan, tmp_path / "plan.json")
    assert json.loads((tmp_path / "plan.json").read_bytes()) == DOCUMENTED
    assert read_plan(tmp_path / "plan.json") == plan


def test_a_cycle_is_one_run_of_the_group_that_is_called_so() -> None:
    step = {"get": "/", "think": {"constant": "1s"}}
    group = {"group": [{"id": "a", **step}, {"id": "b", **step}], "repeat": 100, "cycle": True}
    written = {"name": "s", "think": {"constant": "9s"}, "steps": [{"id": "in", **step}, group]}
    session = Session.model_validate(written)
    assert expected_cycle(session, mean_response_s=0.5) == pytest.approx(2 * 1.5)
    assert expected_iteration(session, mean_response_s=0.5) == pytest.approx(201 * 1.5)
    scripts = [{"name": "x", "weight": 3, "steps": written["steps"]}, {"name": "y", "steps": [{"id": "c", **step}]}]
    mixed = Session.model_validate({"name": "s", "think": {"constant": "9s"}, "mix": scripts})
    assert expected_cycle(mixed, mean_response_s=0) == pytest.approx((3 * 2 + 1) / 4)
    nested = {"group": [{"group": [{"id": "d", **step}], "cycle": True}], "cycle": True}
    with pytest.raises(ValidationError, match="another group is the cycle already"):
        Session.model_validate({**written, "steps": [nested]})


def test_an_expected_iteration_counts_think_times_responses_repeats_and_probabilities() -> None:
    # look: 0.5 x 2 x (0.2 + r), order: 0.2 + r, note: 1 + r
    assert expected_iteration(SESSION, mean_response_s=0.05) == pytest.approx(1.4 + 3 * 0.05)
    assert expected_iteration(SESSION, Think.of(Duration(100)), mean_response_s=0) == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("target", "targets", "named"), [(None, ["http://a"], {}), ("desk", [], {"desk": ["http://b"]})]
)
def test_a_plan_has_the_targets_that_its_steps_name(
    target: str | None, targets: list[str], named: dict[str, list[str]]
) -> None:
    session = SESSION.model_copy(update={"steps": [one.model_copy(update={"target": target}) for one in STEPS]})
    others = {"desk": ("http://b",), "depot": ("http://c",)}
    plan = make_plan(
        session, LoadSettings(("http://a",), 1, PHASES, "r", numbers={"accounts": 2}, named_targets=others)
    )
    assert (plan.targets, plan.named_targets) == (targets, named)


def test_another_think_time_replaces_every_think_time() -> None:
    plan = make_plan(
        SESSION, LoadSettings(("http://a",), 1, PHASES, "r", think=Think.of(Duration(5)), numbers={"accounts": 2})
    )
    dumped = json.loads(plan.model_dump_json())
    assert dumped["think"] == {"constant_ms": 5}
    assert [step["think"] for step in dumped["steps"]] == [None, None, None]


@pytest.mark.parametrize(("ramp_ms", "spread_ms"), [(60_000, 1430), (1000, 1000)])
def test_users_start_over_one_expected_iteration_or_the_ramp_if_that_is_shorter(ramp_ms: int, spread_ms: float) -> None:
    phases = PhaseLengths(Duration(ramp_ms), Duration(0), Duration(1000))
    plan = make_plan(SESSION, LoadSettings(("http://a",), 5, phases, "r", numbers={"accounts": 2}))
    assert isinstance(plan.load, ClosedLoad)
    assert plan.load.spread_ms == pytest.approx(spread_ms)


def test_a_plan_has_own_only_where_numbers_are_and_needs_one_for_every_user() -> None:
    feeds = {**SESSION.feeds, "user": SESSION.feeds["user"].model_copy(update={"own": True})}
    session = SESSION.model_copy(update={"feeds": feeds})
    plan = make_plan(session, LoadSettings(("http://a",), 5, PHASES, "r", numbers={"accounts": 5}))
    user, item = json.loads(plan.model_dump_json(by_alias=True))["feeds"][:2]
    assert user["range"] == {"from": 0, "to": 5, "format": "uid:{}", "own": True}
    assert "own" not in item["range"]
    with pytest.raises(InputError, match="feed 'user' has 4 numbers for 5 users; each needs one of its own"):
        make_plan(session, LoadSettings(("http://a",), 5, PHASES, "r", numbers={"accounts": 4}))


def test_a_number_without_a_value_is_named() -> None:
    with pytest.raises(InputError, match=r"feed 'user' needs the number 'accounts'. Add --number accounts=N"):
        make_plan(SESSION, LoadSettings(("http://a",), 5, PHASES, "r"))


def test_a_plan_with_an_unknown_key_is_refused() -> None:
    with pytest.raises(ValidationError, match="Extra inputs"):
        Plan.model_validate({**DOCUMENTED, "colour": "blue"})


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("http://LocalHost", "http://localhost:80"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
        ("http://127.0.0.1:8080/app/", "http://127.0.0.1:8080/app"),
        ("http://[::1]:8080", "http://[::1]:8080"),
        ("https://shop.test/app/", "https://shop.test:443/app"),
        ("unix:/run/a.sock:/shop", "unix:/run/a.sock:/shop"),
    ],
)
def test_addresses_come_into_one_form(text: str, address: str) -> None:
    assert target_address(text) == address


@pytest.mark.parametrize("text", ["127.0.0.1:8080", "ftp://a", "http://", "http://a:x", "http://u@a", "http://a/?q=1"])
def test_an_address_that_is_not_a_target_is_wrong_input(text: str) -> None:
    with pytest.raises(InputError):
        target_address(text)


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("http://localhost:1", True),
        ("http://127.0.0.9:1", True),
        ("http://[::1]:1", True),
        ("unix:/run/a.sock", True),
        ("http://192.0.2.1:1", False),
    ],
)
def test_a_target_on_this_host_shares_its_cpus(address: str, local: bool) -> None:  # noqa: FBT001 (a case of the table)
    assert is_this_host(address) is local
