"""Figures are compared only of sides that did the same under the same conditions; else the reason is named."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from made_result import SPECIFICATION, changed, combination, costing, made
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.judge.groups import Circumstances, Comparability, circumstances, unequal
from middlemark.judge.result import judge, read_measured
from middlemark.records.findings import Measured
from middlemark.records.naming import label, short_names
from middlemark.records.run import Run
from middlemark.records.run_parts import NotRankedValues
from middlemark.records.window import Window

CPU = "cpu_ms_per_transaction"
COSTS = costing(1.0, 1.01, 0.99, 1.0)


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """Give a result of two combinations that are equal but for their binding, with a cache in both."""
    of = read_measured(write_synthetic(tmp_path_factory.mktemp("result"), Shape(loads=(10,), repeats=1)))
    return with_settings(of, {0, 1}, market_summary_seconds="60")


def with_settings(of: Measured, indexes: set[int], **changes: str) -> Measured:
    def settled(window: Window) -> Window:
        if window.index not in indexes:
            return window
        about = {}
        for name, document in window.about.items():
            settings = document["settings"]
            assert isinstance(settings, dict)
            about[name] = {**document, "settings": {**settings, **changes}}
        return window.model_copy(update={"about": about})

    return changed(of, [settled(one) for one in of.windows])


def second(of: Measured, **changes: object) -> Measured:
    """The same with changes of the window of the second combination."""
    return changed(of, [one.model_copy(update=changes) if one.index else one for one in of.windows])


def with_run(of: Measured, **changes: object) -> Circumstances:
    return circumstances(changed(of, **changes), COMBINATIONS[1])


def with_version(of: Measured) -> Measured:
    about = {name: {**document, "specification_version": "2"} for name, document in of.windows[1].about.items()}
    return second(of, about=about)


def durable(of: Measured) -> dict[str, dict[str, str]]:
    return {"database": {**of.run.databases["database"], "synchronous_commit": "off"}}


CHANGES: dict[str, tuple[Callable[[Measured], Circumstances], str]] = {
    "scale": (
        lambda of: with_run(of, scales={"full": {}}, fingerprints={"full": "9f" * 32}),
        "different scales (demo, full)",
    ),
    "data set": (lambda of: with_run(of, fingerprints={"demo": "00" * 32}), "different data sets"),
    "think time": (lambda of: with_run(of, think="1 s"), "different think times (200 ms, 1 s)"),
    "specification": (
        lambda of: circumstances(with_version(of), COMBINATIONS[1]),
        "different specifications (brokerage 1, brokerage 2)",
    ),
    "durability": (
        lambda of: with_run(of, databases=durable(of)),
        "different durability (synchronous_commit on, off)",
    ),
    "cache": (
        lambda of: circumstances(with_settings(of, {1}, market_summary_seconds="600"), COMBINATIONS[1]),
        "different market summary seconds (60, 600)",
    ),
    "response size": (
        lambda of: circumstances(second(of, bytes_per_s=2 * of.windows[1].bytes_per_s), COMBINATIONS[1]),
        "different response sizes (5,200, 10,4",
    ),
}


def test_sides_that_differ_in_what_is_compared_are_equal(measured: Measured) -> None:
    first, other = (circumstances(measured, one) for one in COMBINATIONS)
    assert unequal(first, other) == ()


@pytest.mark.parametrize("what", CHANGES)
def test_each_difference_is_a_reason_of_its_own(measured: Measured, what: str) -> None:
    change, message = CHANGES[what]
    (reason,) = unequal(circumstances(measured, COMBINATIONS[0]), change(measured))
    assert reason.startswith(message)


def test_reports_of_calls_may_have_any_size(measured: Measured) -> None:
    apart = second(measured, bytes_per_s=2 * measured.windows[1].bytes_per_s)
    reporting = changed(apart, [one.model_copy(update={"responses": 1}) for one in apart.windows])
    first, other = (circumstances(reporting, one) for one in COMBINATIONS)
    assert unequal(first, other) == ()


def test_pages_with_fewer_images_are_not_ranked_with_those_that_have_more(measured: Measured) -> None:
    images = {"sub_resources": 400, "responses": 500}
    of = changed(measured, [one.model_copy(update=images) for one in measured.windows])
    whole = circumstances(of, COMBINATIONS[0])
    assert whole.responses_each == pytest.approx(500 / (of.windows[0].total.count + of.windows[0].total.errors))
    assert circumstances(measured, COMBINATIONS[0]).responses_each is None
    (reason,) = unequal(whole, circumstances(second(of, responses=400), COMBINATIONS[1]))
    assert re.fullmatch(r"different responses per transaction \(\S+, \S+\)", reason)
    assert unequal(whole, circumstances(second(of, responses=490), COMBINATIONS[1])) == ()


def test_another_place_or_mode_is_no_difference_nor_a_setting_that_a_process_does_not_have(measured: Measured) -> None:
    first = circumstances(measured, COMBINATIONS[0])
    for changes in ({"port": "4711", "orders": "async-queue"}, {"database_pool": ""}):
        assert unequal(first, circumstances(with_settings(measured, {1}, **changes), COMBINATIONS[1])) == ()


def test_runs_of_different_scales_cannot_be_compared(measured: Measured) -> None:
    one = circumstances(measured, COMBINATIONS[0])
    other = dataclasses.replace(one, run=Run.model_validate({**one.run.model_dump(), "scales": {"full": {}}}))
    assert unequal(one, other) == ("different scales (demo, full)",)


def test_what_is_not_equal_has_the_reason_and_is_ranked_nowhere(tmp_path: Path) -> None:
    of = read_measured(write_synthetic(tmp_path, Shape(loads=(10,), repeats=4)))
    others = {one.index for one in of.windows if one.combination == COMBINATIONS[1].path}
    findings = judge(with_settings(of, others, database_pool="200"))
    reason = "different database pool (20, 200)"
    assert findings.answer.startswith("Cannot tell whether ")
    assert findings.answer.endswith(f" times (not ranked: {reason}).")
    assert [one.text for one in findings.compared_by(CPU)] == [f"not ranked: {reason}"]
    assert [one.rank for one in findings.combinations] == [None, None]
    (mark,) = (one for one in findings.marks if one.kind == "not ranked")
    assert mark.text == f"Json and local are not ranked against each other: {reason}."


@pytest.mark.parametrize(
    ("choices", "reason"),
    [
        ({"scale": ("tiny", "demo")}, "different scales (tiny, demo)"),
        ({"session": ("one", "two")}, "different sessions (one, two)"),
        ({"MM_DATABASE_POOL": ("20", "50")}, "different MM_DATABASE_POOL (20, 50)"),
        ({"connections": ("keep", "close")}, "different connections of the driver (keep, close)"),
        ({"cpus": ("1", "2")}, "different numbers of CPUs"),
        ({"reverse_proxy": ("none", "nginx")}, "a reverse proxy on one side only"),
        ({"reverse_proxy": ("apache", "nginx")}, "different reverse proxies"),
        ({"orders": ("sync", "queue")}, "order modes promise different things"),
        ({"instances.web": ("1", "3")}, ""),
    ],
)
def test_what_ran_under_other_conditions_is_not_ranked_with_the_reason(
    choices: dict[str, tuple[str, str]], reason: str
) -> None:
    rule = NotRankedValues(values=("sync", "queue"), why="order modes promise different things")
    specification = SPECIFICATION.model_copy(update={"never_ranked_together": {"orders": (rule,)}})
    pair = [combination("go", **{name: values[side] for name, values in choices.items()}) for side in (0, 1)]
    findings = judge(made([(one, 10, COSTS) for one in pair], specification=specification))
    (found,) = findings.compared_by(CPU)
    assert found.not_ranked == reason
    assert found.decided is False
    assert len(findings.groups) == (2 if reason else 1)


def test_two_that_may_be_ranked_with_a_third_alone_are_in_no_group_together() -> None:
    three = [combination("go", binding=binding) for binding in ("soap", "local", "json")]
    rule = NotRankedValues(values=("local", "json"), why="these promise different things")
    specification = SPECIFICATION.model_copy(update={"never_ranked_together": {"binding": (rule,)}})
    of = made([(one, 10, COSTS) for one in three], specification=specification)
    groups = [[one.modes["binding"] for one in group] for group in Comparability(of).groups]
    assert groups == [["soap", "local"], ["json"]]
    assert [bool(one.not_ranked) for one in judge(of).compared_by(CPU)] == [False, False]


def test_a_short_name_holds_only_what_tells_combinations_apart() -> None:
    same_orders = [
        combination("go", binding="local", orders="sync"),
        combination("java@x", binding="json", orders="sync"),
    ]
    assert list(short_names(same_orders).values()) == ["go local", "java@x json"]
    assert list(short_names(same_orders[:1]).values()) == ["go local sync"]


def test_every_choice_has_its_words() -> None:
    choices = {
        "binding": "json", "scale": "demo", "session": "browse", "reverse_proxy": "nginx", "tiers.web": "go",
        "cpus": "1", "instances.web": "2", "MM_POOL": "5", "http": "1.0", "threads": "4",
    }  # fmt: skip
    assert label("java", choices) == (
        "java json, scale demo, session browse, behind nginx, web of go, 1 CPU, 2 × web, MM_POOL=5, HTTP/1.0, "
        "4 driver threads"
    )
    assert label("go", {"reverse_proxy": "none"}) == "go, direct"
