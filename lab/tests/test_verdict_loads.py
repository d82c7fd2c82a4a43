"""The sentence of runs whose loads were not written: a limit ended them, or a search found them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.experiment.finished import Finished
from middlemark.experiment.journal import Journal
from middlemark.experiment.load_chooser import LoadChooser, not_yet_searched
from middlemark.experiment.loads import Loads
from middlemark.records.folder import Result, read_result, write_json
from middlemark.records.limit import Limit
from middlemark.records.run import Load, LoadLimits, RunStatus, Searched, SearchedPoint
from middlemark.report.page import report_page
from middlemark.search.seen import Seen
from middlemark.verdict.headline import verdict_sentence
from middlemark.verdict.searches import agree
from middlemark.verdict.validity import run_is_valid

LOCAL, JSON = (combination.path for combination in COMBINATIONS)


def changed(folder: Path, shape: Shape, **changes: object) -> Result:
    """Return a result whose run.json has changes."""
    run = read_result(write_synthetic(folder, shape)).run
    write_json(folder / "run.json", run.model_copy(update=changes))
    return read_result(folder)


def test_combinations_are_compared_at_the_highest_load_inside_the_limits_of_all(tmp_path: Path) -> None:
    # Indexes 5 and 8 are json at 60 users, in both rounds.
    result = changed(tmp_path, Shape(error_points=frozenset({5, 8})), outside={JSON: 60})

    sentence = verdict_sentence(result)

    assert " measured at 30 users (rounds: " in sentence
    assert "2 of 12 points INVALID, each at a load outside the limits" in sentence
    assert run_is_valid(result)


def test_an_invalid_point_inside_its_own_limits_decides(tmp_path: Path) -> None:
    # Index 2 is local at 60 users, which json alone could not serve.
    result = changed(tmp_path, Shape(error_points=frozenset({2, 5})), outside={JSON: 60})

    sentence = verdict_sentence(result)

    assert "2 of 12 points INVALID, the first (local, 60 users, round 1) by errors: " in sentence
    assert sentence.endswith("; 1 of them at a load outside the limits; conformance not checked")
    assert not run_is_valid(result)


@pytest.mark.parametrize(
    ("chosen", "outside", "top"),
    [
        ({LOCAL: [10, 30, 60], JSON: [10, 30]}, {LOCAL: 60, JSON: 30}, 10),
        ({LOCAL: [10, 30, 60], JSON: [10, 30]}, {JSON: 30}, 10),
        ({LOCAL: [10, 30], JSON: [10]}, {LOCAL: 30, JSON: 10}, 10),
        ({LOCAL: [10, 30, 60], JSON: [10, 30, 60]}, {}, 60),
    ],
)
def test_the_load_of_the_comparison_follows_from_what_each_combination_could_serve(
    tmp_path: Path, chosen: dict[str, list[Load]], outside: dict[str, Load], top: Load
) -> None:
    run = changed(tmp_path, Shape(stop_after=0), chosen=chosen, outside=outside).run

    assert [run.top_load(one) for one in run.combinations] == [top, top]


def test_where_nothing_is_inside_the_limits_the_points_that_are_compared_decide(tmp_path: Path) -> None:
    shape = Shape(loads=(10,), repeats=1, error_points=frozenset({1}))
    result = changed(tmp_path, shape, outside={LOCAL: 10, JSON: 10})

    assert not run_is_valid(result)


def searched(peak: Load | None, **changes: object) -> Searched:
    """Return what a search found whose own figure, 999/s, is better than what any round measures."""
    found = Searched(
        limits=LoadLimits(mean_ms=3000, p90_ms=None, errors=0.0001),
        peak=peak,
        throughput_tps=999.0,
        peak_known=True,
        inside=peak,
        outside=None,
        limit_known=True,
        points=[],
    )
    return found.model_copy(update=changes)


def test_the_throughput_at_a_peak_is_that_of_the_rounds(tmp_path: Path) -> None:
    found = {LOCAL: searched(10), JSON: searched(10, peak_known=False)}
    result = changed(tmp_path, Shape(loads=(10,)), searched=found, chosen={LOCAL: [10], JSON: [10]})

    low, high = sorted(p.verdict.throughput_tps for p in result.of(COMBINATIONS[0], 10) if p.verdict)
    sentence = verdict_sentence(result)

    assert sentence.startswith(f"highest throughput: local {low:,.1f} … {high:,.1f}/s at 10 users, json ")
    assert "/s at 10 users (not narrowed down); " in sentence
    assert "999" not in sentence


def test_a_search_that_ended_at_the_edge_or_on_invalid_points_says_so(tmp_path: Path) -> None:
    found = {LOCAL: searched(10, at_edge=True), JSON: searched(10, at_edge=True, doubtful=[20, 40])}
    result = changed(tmp_path, Shape(loads=(10,)), searched=found, chosen={LOCAL: [10], JSON: [10]})

    assert (
        "; the search of local ended at the edge of its range (10 users); the search of json ended at the edge of its "
        "range (10 users) and on INVALID points (20, 40 users)" in verdict_sentence(result)
    )
    assert "10 users (at the edge of its range (10 users) and on INVALID points (20, 40 users))" in report_page(result)


def test_a_search_that_ran_out_of_points_on_its_highest_load_says_that_the_peak_may_lie_beyond(tmp_path: Path) -> None:
    points = [SearchedPoint(load=load, throughput_tps=9, mean_ms=4, inside=True, valid=True) for load in (5, 10, 20)]
    found = {
        LOCAL: searched(10, peak_known=False, points=points[:2]),
        JSON: searched(10, peak_known=False, points=points),
    }
    result = changed(tmp_path, Shape(loads=(10,)), searched=found, chosen={LOCAL: [10], JSON: [10]})

    beyond = "at the highest load that it measured (10 users): the peak may lie beyond"
    assert f"; the search of local ended {beyond}" in verdict_sentence(result)
    assert "the search of json" not in verdict_sentence(result)
    assert f"10 users (no points left to narrow it down; {beyond})" in report_page(result)


def test_a_peak_at_which_the_database_was_full_is_no_peak_of_the_platform(tmp_path: Path) -> None:
    found = {LOCAL: searched(10), JSON: searched(10)}
    result = changed(tmp_path, Shape(loads=(10,)), searched=found, chosen={LOCAL: [10], JSON: [10]})
    full = {
        LOCAL: Limit(by=("database",), platform_peak=False, message=""),
        JSON: Limit(by=("web",), platform_peak=True, message=""),
    }
    for point in result.points:
        assert point.verdict is not None
        assert point.combination is not None
        limited = point.verdict.model_copy(update={"limit": full[point.combination.path]})
        write_json(point.folder / "verdict.json", limited)

    sentence = verdict_sentence(read_result(result.folder))

    assert "/s at 10 users, limited by database, no peak of the platform, json " in sentence
    assert sentence.count("no peak of the platform") == 1


def test_the_figure_of_a_search_is_said_only_where_no_round_counts_and_is_marked(tmp_path: Path) -> None:
    # Indexes 0 and 3 are local, in both rounds.
    shape = Shape(loads=(10,), error_points=frozenset({0, 3}))
    found = {LOCAL: searched(10), JSON: searched(None)}

    sentence = verdict_sentence(changed(tmp_path, shape, searched=found, chosen={LOCAL: [10], JSON: []}))

    assert sentence.startswith(
        "highest throughput: local about 999/s in the search at 10 users, json none that counts; "
    )


def test_a_run_that_ended_while_it_searched_says_so(tmp_path: Path) -> None:
    spent = [SearchedPoint(load=4, throughput_tps=999.0, mean_ms=4.0, inside=True, valid=True)]
    begun = searched(4, ended=False, peak_known=False, points=spent)
    shape = Shape(loads=(), status=RunStatus.INTERRUPTED)
    result = changed(tmp_path, shape, searched={LOCAL: begun, JSON: searched(None, ended=False)})

    sentence = verdict_sentence(result)

    assert sentence.startswith(
        "interrupted while searching, after 1 point of the searches; "
        "highest throughput: local about 999/s in the search at 4 users (not narrowed down); "
        "json and local cannot be compared at the peak of each (the search has not ended): "
    )
    assert result.expected_points == 4
    assert "4 users so far: the search has not ended" in report_page(result)


def test_a_search_is_in_the_result_as_far_as_it_has_come(tmp_path: Path) -> None:
    result = changed(tmp_path, Shape(loads=(10,)))
    loads = Loads.model_validate({"search": "peak"})
    chooser = LoadChooser(loads)
    begun = result.run.model_copy(update={"searched": not_yet_searched(loads, COMBINATIONS)})

    chooser.learn_search(COMBINATIONS[0], [Seen(10, 9.0, 0.1, 0.1)], ended=False)
    Journal(tmp_path, begun, Finished((), (), chooser)).choose(chooser)
    found = read_result(tmp_path).run.searched

    assert [point.load for point in found[LOCAL].points] == [10]
    assert not found[LOCAL].ended
    assert found[JSON].points == []
    assert not found[JSON].ended


def test_the_first_load_outside_the_limits_is_in_the_result(tmp_path: Path) -> None:
    run = changed(tmp_path, Shape(loads=(10, 30))).run
    loads = Loads.model_validate({"users": [10, 30], "until": {"mean": "3s"}})
    chooser = LoadChooser(loads)
    seen = [Seen(10, 9.0, 0.1, 0.1), Seen(30, 9.0, 0.1, 0.1, failing=True)]

    chooser.learn_climb(COMBINATIONS[0], seen)
    Journal(tmp_path, run, Finished((), (), chooser)).choose(chooser)

    assert read_result(tmp_path).run.outside == {LOCAL: 30}


@pytest.mark.parametrize(
    ("seen", "rounds", "agrees"),
    [
        (1000.0, [990.0, 1010.0, 1000.0], True),
        (1040.0, [999.0, 1000.0, 1001.0], True),  # within 5 %
        (2146.0, [1215.0, 1230.0, 1220.0, 1225.0], False),
        (1300.0, [800.0, 1200.0, 1000.0], True),  # rounds that scatter like this might show it
        (2000.0, [1000.0, 1001.0], True),  # too few rounds to tell
    ],
)
def test_a_search_agrees_with_the_rounds_when_one_more_might_have_shown_it(
    seen: float, rounds: list[float], *, agrees: bool
) -> None:
    assert agree(seen, rounds) == agrees


def test_a_search_with_which_the_rounds_do_not_agree_is_in_the_sentence(tmp_path: Path) -> None:
    spent = [SearchedPoint(load=10, throughput_tps=9000.0, mean_ms=4.0, inside=True, valid=True)]
    shape = Shape(loads=(10,), repeats=3)
    result = changed(tmp_path, shape, searched={LOCAL: searched(10, points=spent), JSON: searched(10, points=[])})

    assert re.search(
        r"the search of local saw 9,000/s at its peak, the rounds \d+ … \d+/s there", verdict_sentence(result)
    )
