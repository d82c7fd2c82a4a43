"""Mixes, groups, giving up, pacing, sub-resources and authentication of a session file, with the real driver."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from pathlib import Path

import pytest
from other_server import Manners, misbehaving

from middlemark.drive.drive import DriveOptions, prepare
from middlemark.drive.options import DriveLoad
from middlemark.drive.thresholds import Thresholds
from middlemark.duration import Duration
from middlemark.records.driver_lines import DriverLines, Interval, Line
from middlemark.workload.driver import driving
from middlemark.workload.plan import write_plan

pytestmark = pytest.mark.long

Requests = list[tuple[str, str]]

TOP = "name: shop\nthink: {constant: 1ms}\nper_iteration: {connections: keep, cookies: keep}\n"


def driven(folder: Path, text: str, manners: Manners) -> tuple[Requests, list[Line]]:
    """Let one user run a session until the server has enough requests; return method and path, and the lines."""
    path = folder / "session.yaml"
    path.write_text(text, encoding="utf-8")
    with misbehaving(manners) as address:
        options = DriveOptions(
            path, (address,), Thresholds(0, None), DriveLoad(1), duration=Duration(60_000), ramp=Duration(0)
        )
        write_plan(prepare(options).plan, folder / "plan.json")
        with driving(folder / "plan.json", folder / "lines", log=folder / "log") as run:
            run.wait_for_hello()
            assert manners.enough.wait(60)
            run.stop()
    return [(method, path) for method, path, _, _ in manners.requests], list(DriverLines(folder / "lines"))


def errors(lines: list[Line]) -> set[str]:
    """Return the kinds of errors in a run; what is under way at its end is cut off."""
    intervals = [line for line in lines if isinstance(line, Interval)]
    return {kind for line in intervals for counts in line.transactions.values() for kind in counts.errors}


def test_each_iteration_runs_one_session_of_the_mix_drawn_by_its_weight(tmp_path: Path) -> None:
    mix = """\
mix:
  - {name: browse, weight: 9, steps: [{id: a, get: /a}, {id: b, get: /b}]}
  - {name: buy, steps: [{id: c, get: /c}]}
"""
    requests, _ = driven(tmp_path, TOP + mix, Manners(expect=400))
    paths = [path for _, path in requests]
    iterations = Counter("".join(paths).replace("/a/b", "B").replace("/c", "C").removesuffix("/a"))
    assert set(iterations) == {"B", "C"}
    # By the seed always the same; one in ten is drawn from some 200.
    assert 8 <= iterations["C"] <= 40 < iterations["B"]


def test_a_group_is_repeated_together_or_left_out_together(tmp_path: Path) -> None:
    steps = """\
steps:
  - {id: start, get: /s}
  - group:
      - {id: one, get: /1, capture: {token: {regex: 'token="(t[0-9])"'}}}
      - group: [{id: two, head: "/2?${token}", capture: {place: {header: X-Place}}}]
        repeat: 2
      - {id: three, get: "/3?${place}"}
    repeat: 2
    probability: 0.5
  - {id: never, get: /never, probability: 0}
"""
    requests, lines = driven(tmp_path, TOP + steps, Manners(expect=200))
    once = [("GET", "/1"), ("HEAD", "/2?t2"), ("HEAD", "/2?t2"), ("GET", "/3?here")]
    between = [list(them) for is_start, them in groupby(requests, lambda one: one == ("GET", "/s")) if not is_start]
    assert len(between) > 1
    assert all(them == once * 2 for them in between[:-1])
    starts = requests.count(("GET", "/s"))
    assert 0.25 * starts < len(between) < 0.75 * starts
    assert errors(lines) <= {"cut_off"}


def test_a_user_who_gives_up_makes_no_error(tmp_path: Path) -> None:
    steps = """\
steps:
  - {id: come, get: /in, abandon: 0.5}
  - {id: stay, get: /on, abandon: 1}
  - {id: more, get: /no}
"""
    requests, lines = driven(tmp_path, TOP + steps, Manners(expect=100))
    paths = Counter(path for _, path in requests)
    assert "/no" not in paths
    assert 0 < paths["/on"] < paths["/in"]
    assert errors(lines) <= {"cut_off"}
    assert sum(line.abandoned for line in lines if isinstance(line, Interval)) >= paths["/in"] - 1


def test_an_iteration_begins_by_its_pacing(tmp_path: Path) -> None:
    text = TOP + "pacing: {constant: 100ms}\nsteps: [{id: one, get: /1}, {id: two, get: /2}]\n"
    requests, lines = driven(tmp_path, text, Manners(expect=20))
    end_s = max(line.end_ns for line in lines if isinstance(line, Interval)) / 1e9
    # It never begins early, however slow the machine.
    assert requests.count(("GET", "/1")) <= end_s / 0.1 + 1


def test_steps_are_authenticated(tmp_path: Path) -> None:
    text = (
        TOP
        + """\
authentication: {basic: ["u-${who}", "secret"]}
feeds: {who: {range: [7, 8]}}
steps:
  - {id: own, get: /own}
  - {id: token, get: /token, authentication: {bearer: "b-${who}"}}
  - {id: header, get: /header, headers: {Authorization: mine}}
"""
    )
    manners = Manners(expect=3)
    driven(tmp_path, text, manners)
    sent = [headers["authorization"] for headers in manners.headers[:3]]
    assert sent == ["Basic dS03OnNlY3JldA==", "Bearer b-7", "mine"]


def test_the_sub_resources_of_a_page_are_fetched_with_it_and_kept(tmp_path: Path) -> None:
    page = '<img src="/objects/a.png"><link rel="stylesheet" href="/objects/b.css">'
    text = TOP + "sub_resources: {connections: 2, cache: per-user}\nsteps: [{id: page, get: /}]\n"
    requests, _ = driven(tmp_path, text, Manners(expect=20, page=page))
    paths = Counter(path for _, path in requests)
    assert paths["/"] > 10
    assert (paths["/objects/a.png"], paths["/objects/b.css"]) == (1, 1)
