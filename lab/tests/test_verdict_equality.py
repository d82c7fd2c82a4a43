"""Figures are compared only of sides that did the same under the same conditions; else the reason is named."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.records.folder import PointResult, Result, read_result, write_json
from middlemark.records.run import Run
from middlemark.report.page import report_page
from middlemark.verdict.equality import Side, side, unequal
from middlemark.verdict.headline import verdict_sentence

SHAPE = Shape(loads=(10,), repeats=1)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """Give a result of two combinations that are equal but for their binding."""
    return read_result(write_synthetic(tmp_path_factory.mktemp("result"), SHAPE))


def sides(result: Result) -> tuple[Side, Side]:
    first, second = (side(result, combination) for combination in COMBINATIONS)
    return first, second


def with_run(one: Side, **changes: object) -> Side:
    return dataclasses.replace(one, run=one.run.model_copy(update=changes))


def with_about(point: PointResult, **changes: object) -> PointResult:
    assert point.point is not None
    about = {name: {**document, **changes} for name, document in point.point.about.items()}
    return dataclasses.replace(point, point=point.point.model_copy(update={"about": about}))


def with_settings(one: Side, **changes: str) -> Side:
    (point,) = one.points
    assert point.point is not None
    settings = point.point.about["web+services"]["settings"]
    assert isinstance(settings, dict)
    return dataclasses.replace(one, points=(with_about(point, settings={**settings, **changes}),))


def with_bytes(one: Side, factor: float) -> Side:
    (point,) = one.points
    assert point.verdict is not None
    verdict = point.verdict.model_copy(update={"bytes_per_s": point.verdict.bytes_per_s * factor})
    return dataclasses.replace(one, points=(dataclasses.replace(point, verdict=verdict),))


CHANGES: dict[str, tuple[Callable[[Side], Side], str]] = {
    "scale": (
        lambda s: with_run(s, scales={"full": {}}, fingerprints={"full": "9f" * 32}),
        "different scales (demo, full)",
    ),
    "data set": (lambda s: with_run(s, fingerprints={"demo": "00" * 32}), "different data sets"),
    "think time": (lambda s: with_run(s, think="1 s"), "different think times (200 ms, 1 s)"),
    "specification": (
        lambda s: dataclasses.replace(s, points=tuple(with_about(p, specification_version="2") for p in s.points)),
        "different specifications (brokerage 1, brokerage 2)",
    ),
    "durability": (
        lambda s: with_run(s, databases={"database": {**s.run.databases["database"], "synchronous_commit": "off"}}),
        "different durability (synchronous_commit on, off)",
    ),
    "cache": (lambda s: with_settings(s, market_summary_seconds="600"), "different market summary seconds (60, 600)"),
    "response size": (lambda s: with_bytes(s, 2.0), "different response sizes (5,200, 10,4"),
}


def test_sides_that_differ_in_what_is_compared_are_equal(result: Result) -> None:
    assert unequal(*sides(result)) == ()


@pytest.mark.parametrize("what", CHANGES)
def test_each_difference_is_a_reason_of_its_own(result: Result, what: str) -> None:
    change, message = CHANGES[what]
    first, second = (with_settings(one, market_summary_seconds="60") for one in sides(result))
    (reason,) = unequal(first, change(second))
    assert reason.startswith(message)


def test_another_place_or_mode_is_no_difference(result: Result) -> None:
    first, second = sides(result)
    assert unequal(first, with_settings(second, port="4711", orders="async-queue", database_pool="20")) == ()


def test_a_setting_that_a_process_does_not_have_is_no_difference(result: Result) -> None:
    first, second = sides(result)
    assert unequal(first, with_settings(second, database_pool="")) == ()


def test_what_is_not_equal_has_the_reason_and_is_ranked_nowhere(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path, Shape(loads=(10,), repeats=4)))
    for point in result.points:
        if point.combination == COMBINATIONS[1] and point.point is not None:
            changed = (
                with_settings(
                    side(result, COMBINATIONS[1]).__class__(result.run, COMBINATIONS[1], (point,)),
                    database_pool="200",
                )
                .points[0]
                .point
            )
            assert changed is not None
            write_json(point.folder / "point.json", changed)
    result = read_result(tmp_path)

    sentence = verdict_sentence(result)

    assert "not ranked: different database pool (20, 200), 4 rounds" in sentence
    assert "costs" not in sentence
    assert "not ranked: different database pool" in report_page(result)


def test_runs_of_different_scales_cannot_be_compared(tmp_path: Path) -> None:
    one = read_result(write_synthetic(tmp_path / "one", SHAPE))
    write_synthetic(tmp_path / "other", SHAPE)
    run = read_result(tmp_path / "other").run
    write_json(tmp_path / "other" / "run.json", Run.model_validate({**run.model_dump(), "scales": {"full": {}}}))
    other = read_result(tmp_path / "other")

    assert unequal(side(one, COMBINATIONS[0]), side(other, COMBINATIONS[0])) == ("different scales (demo, full)",)
