"""When a run ends with exit status 0, and when it needs no further start."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.records.folder import Result, read_result, write_json
from middlemark.records.point import Outcome
from middlemark.records.run import RunStatus
from middlemark.records.warm_up import WarmUp
from middlemark.verdict.metrics import CPU_TIME
from middlemark.verdict.pairwise import is_decided, looks, pairwise_comparisons
from middlemark.verdict.spread import seen_spreads
from middlemark.verdict.validity import DATA, run_is_valid

LOCAL, JSON = COMBINATIONS


def with_failures(folder: Path, condition: str, *repeats: int) -> Result:
    """Return a start of three rounds in which a condition failed in these windows of one combination."""
    result = read_result(write_synthetic(folder, Shape(repeats=3, rounds=3, loads=(10,))))
    for point in result.of(LOCAL, 10):
        assert point.verdict
        if point.repeat in repeats:
            known = {check.name: check for check in point.verdict.checks}
            failed = next(iter(known.values())).model_copy(update={"name": condition, "outcome": Outcome.FAILED})
            checks = [*(check for name, check in known.items() if name != condition), failed]
            changed = point.verdict.model_copy(update={"valid": False, "checks": checks})
            write_json(point.folder / "verdict.json", changed)
    return read_result(folder)


def test_a_window_in_which_the_driver_was_the_limit_is_no_failure_while_enough_others_count(tmp_path: Path) -> None:
    assert run_is_valid(with_failures(tmp_path / "none", "driver CPU"))
    assert run_is_valid(with_failures(tmp_path / "one", "driver CPU", 1))
    assert not run_is_valid(with_failures(tmp_path / "two", "driver CPU", 0, 1))


@pytest.mark.parametrize("condition", DATA)
def test_a_single_window_with_wrong_data_is_a_failure(tmp_path: Path, condition: str) -> None:
    assert not run_is_valid(with_failures(tmp_path, condition, 1))


def test_a_run_that_was_interrupted_is_not_valid(tmp_path: Path) -> None:
    shape = Shape(repeats=3, rounds=3, loads=(10,), status=RunStatus.INTERRUPTED)
    assert not run_is_valid(read_result(write_synthetic(tmp_path, shape)))


def test_a_start_that_was_cut_is_expected_to_have_the_rounds_it_has(tmp_path: Path) -> None:
    write_synthetic(tmp_path, Shape(repeats=4, rounds=3, loads=(10,)))
    run = read_result(tmp_path).run
    write_json(tmp_path / "run.json", run.model_copy(update={"repeats": 6}))
    assert not run_is_valid(read_result(tmp_path))
    cut = {one.path: 2 for one in COMBINATIONS}
    write_json(tmp_path / "run.json", run.model_copy(update={"repeats": 6, "cut": cut}))
    assert run_is_valid(read_result(tmp_path))


def test_a_run_is_decided_when_every_ranked_pair_has_a_word(tmp_path: Path) -> None:
    """The synthetic sides differ by a half; two rounds of one start each leave their spread unknown."""
    assert is_decided(write_synthetic(tmp_path / "many", Shape(repeats=5, rounds=5, loads=(10,))))
    assert not is_decided(write_synthetic(tmp_path / "few", Shape(repeats=2, rounds=5, loads=(10,))))
    assert not is_decided(write_synthetic(tmp_path / "alone", Shape(combinations=(LOCAL,), repeats=5, rounds=5)))


def test_figures_to_be_published_rest_on_two_starts_and_small_differences_of_compiled_programs_on_four(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two, four = (
        write_synthetic(tmp_path / str(starts), Shape(repeats=3 * starts, rounds=3, loads=(10,)))
        for starts in (1, 2, 4)
    )
    assert [is_decided(folder, to_publish=True) for folder in (one, two)] == [False, True]
    monkeypatch.setattr("middlemark.verdict.pairwise.SMALL", math.log(2))
    assert is_decided(two, to_publish=True)
    for folder in (two, four):
        run = read_result(folder).run
        warm_ups = [
            WarmUp(combination=side.path, start=0, seconds=60, limit_s=60, flat=None, compiled=True, compiler_share=0.0)
            for side in COMBINATIONS
        ]
        write_json(folder / "run.json", run.model_copy(update={"warm_ups": warm_ups}))
    assert [is_decided(folder, to_publish=True) for folder in (two, four)] == [False, True]
    assert is_decided(two)


def test_a_look_has_the_level_of_the_starts_that_have_rounds_enough(tmp_path: Path) -> None:
    """A start that was cut in its first round is measured again under its number: it has had no look."""
    whole = read_result(write_synthetic(tmp_path / "whole", Shape(repeats=6, rounds=3, loads=(10,))))
    begun = read_result(write_synthetic(tmp_path / "begun", Shape(repeats=4, rounds=3, loads=(10,))))
    assert (looks(whole), looks(begun)) == (2, 1)


def test_a_control_is_set_beside_what_it_repeats_also_where_others_have_a_reference(tmp_path: Path) -> None:
    again = LOCAL.model_copy(update={"label": "go local again", "path": f"{LOCAL.path},again"})
    folder = write_synthetic(tmp_path / "run", Shape((LOCAL, again, JSON), repeats=3, rounds=3, loads=(10,)))
    run = read_result(folder).run
    write_json(
        folder / "run.json", run.model_copy(update={"references": {LOCAL.path: JSON.path, again.path: JSON.path}})
    )
    found = pairwise_comparisons(read_result(folder), CPU_TIME)
    ranked = {(one.a.label, one.b.label): not one.not_ranked for one in found}
    assert ranked == {(JSON.label, LOCAL.label): True, (LOCAL.label, again.label): False}


def test_combinations_that_were_not_kept_at_once_have_the_drift_of_the_machine_in_their_interval(
    tmp_path: Path,
) -> None:
    together = read_result(write_synthetic(tmp_path, Shape(repeats=5, rounds=5, loads=(10,))))
    apart = together.run.model_copy(update={"kept_together": [[LOCAL.path], [JSON.path]]})
    write_json(tmp_path / "run.json", apart)

    (near,), (far,) = (pairwise_comparisons(one, CPU_TIME) for one in (together, read_result(tmp_path)))

    assert near.comparison.terms.a.spread.sigma == pytest.approx(0.015)
    assert far.comparison.terms.a.spread.sigma == pytest.approx(math.hypot(0.015, 0.05))
    assert not seen_spreads(read_result(tmp_path))


def test_a_control_is_shown_and_not_ranked(tmp_path: Path) -> None:
    again = LOCAL.model_copy(update={"label": "go local again", "path": f"{LOCAL.path},again"})
    shape = Shape(combinations=(LOCAL, again, JSON), repeats=3, rounds=3, loads=(10,))

    found = pairwise_comparisons(read_result(write_synthetic(tmp_path, shape)), CPU_TIME)

    words = {one.b.label: one.not_ranked for one in found}
    assert words == {"go local again": "a control: one combination twice", "go json": ""}
