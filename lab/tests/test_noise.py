"""The machine's noise floor: what it means, where runs find it, and a real subject measured against itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from synthetic_result import COMBINATIONS, HOST, Shape, write_synthetic

from conftest import ROOT
from middlemark.errors import InputError, TargetError
from middlemark.experiment.known_noise import fitting_noise, floor_file, noise_folder
from middlemark.experiment.noise import measured_floor, prepare_noise
from middlemark.experiment.options import RunOptions
from middlemark.records.folder import read_result, write_json
from middlemark.records.noise import NoiseFloor
from middlemark.records.placement import Placement
from middlemark.records.run import Run
from middlemark.verdict.comparison import Block, compare
from middlemark.verdict.metrics import METRICS, REVERSE_PROXY_CPU
from middlemark.verdict.noise import noise_floor

EXPERIMENT = """\
spec: brokerage
scale: tiny
sessions: brokerage
subjects: [jakarta@liberty]
modes: {binding: [local]}
loads: {users: [2, 4]}
think: {constant: 50ms}
phases: {warm: 200ms, settle: 200ms, measure: 500ms, drain: 10s}
repeats: 9
"""


def test_nineteen_of_twenty_comparisons_of_equal_sides_over_four_blocks_stay_within_the_floor() -> None:
    draw = np.random.default_rng(6)
    within = 0
    for _ in range(1000):
        floor = noise_floor([Block(i, 1.0, ratio) for i, ratio in enumerate(np.exp(draw.normal(0, 0.03, 10)))])
        ratio = compare([Block(i, 1.0, ratio) for i, ratio in enumerate(np.exp(draw.normal(0, 0.03, 4)))]).ratio or 0
        within += 1 / floor <= ratio <= floor
    assert 0.93 <= within / 1000 <= 0.97


def test_what_always_differs_in_the_same_direction_lies_within_the_floor_too() -> None:
    assert noise_floor([Block(i, 100.0, 103.0) for i in range(8)]) > 1.03


def test_three_pairs_are_no_floor() -> None:
    with pytest.raises(ValueError, match="needs 4 pairs"):
        noise_floor([Block(i, 1.0, 1.0) for i in range(3)])


def floor(**changes: object) -> NoiseFloor:
    floors = {"throughput": 1.01}
    known = NoiseFloor(
        measured="2026-11-19T21:00:00Z", host=HOST, spec="brokerage", scale="demo",
        session="brokerage", subject="go", load=20, think="200 ms",
        window_s=8.0, pairs=10, floors=floors, result="20261119-210000-noise-go-0000",
    )  # fmt: skip
    return known.model_copy(update=changes)


def kept(folder: Path, *floors: NoiseFloor) -> Path:
    for one in floors:
        write_json(floor_file(folder, one), one)
    return folder


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Give a run on HOST with windows of 8 s."""
    return read_result(write_synthetic(tmp_path / "result", Shape(stop_after=0))).run


def test_the_floor_of_a_runs_own_subject_goes_before_those_of_others(tmp_path: Path, run: Run) -> None:
    java = floor(subject="jakarta@liberty, 2 CPUs", floors={"throughput": 1.09})
    assert fitting_noise(run, kept(tmp_path, java)).floor("throughput") == 1.09
    both = fitting_noise(run, kept(tmp_path, java, floor()))
    assert (both.floors, both.note) == ((floor(),), "")
    own = floor(subject="go, 2 CPUs")
    assert fitting_noise(run, kept(tmp_path / "own", java, own)).floors == (own,)


def test_of_several_floors_that_fit_the_greatest_counts(tmp_path: Path, run: Run) -> None:
    noise = fitting_noise(run, kept(tmp_path, floor(), floor(subject="go json", floors={"throughput": 1.02})))
    assert (noise.floor("throughput"), noise.floor("unknown")) == (1.02, None)


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"spec": "spice"}, "none was measured on this machine for brokerage"),
        ({"host": HOST.model_copy(update={"cpus": 8})}, "the last was measured on 8 CPUs (Some CPU at 2.8 GHz) under"),
        ({"host": HOST.model_copy(update={"kernel": "6.9"})}, "under kernel 6.9"),
        ({"think": "1 s"}, "the last was measured at scale demo with the session brokerage and a think time of 1 s"),
        ({"scale": "tiny"}, "the last was measured at scale tiny"),
        ({"cpus": {"driver": (0,), "sut": (1,)}}, "combinations has (driver: CPU 0; system under test: CPU 1)"),
        ({"window_s": 15.0}, "those measured had windows of 15.0 s at least, and this run's of 8.0 s"),
    ],
)
def test_a_floor_that_does_not_fit_is_not_used_and_the_reason_is_kept(
    tmp_path: Path, run: Run, changes: dict[str, object], note: str
) -> None:
    noise = fitting_noise(run, kept(tmp_path, floor(**changes)))
    assert noise.floors == ()
    assert note in noise.note


def test_a_floor_takes_the_place_of_one_that_fits_the_same_runs_and_of_no_other(tmp_path: Path) -> None:
    known = floor()
    assert floor_file(tmp_path, known).name.startswith("brokerage-go-")
    assert floor_file(tmp_path, floor(measured="2026-11-20T21:00:00Z", load=40)) == floor_file(tmp_path, known)
    others = (
        {"scale": "tiny"},
        {"session": "portfolio"},
        {"think": "1 s"},
        {"cpus": ONE},
        {"window_s": 15.0},
        {"host": HOST.model_copy(update={"kernel": "6.9"})},
    )
    assert len({floor_file(tmp_path, one) for one in (known, *(floor(**changes) for changes in others))}) == 7


ONE, TWO = ({"driver": (0,), "database": (0,), "sut": sut} for sut in ((1,), (0, 1)))


@pytest.fixture
def counted(run: Run) -> Run:
    """Give the run with one CPU for its first combination and two for the others."""
    first, *others = (one.path for one in run.combinations)
    placement = {first: Placement(cpus=ONE), **{path: Placement(cpus=TWO) for path in others}}
    return run.model_copy(update={"placement": placement})


def test_each_number_of_cpus_needs_a_floor_whose_window_fits(tmp_path: Path, counted: Run) -> None:
    kept(tmp_path, floor(cpus=TWO), floor(cpus=ONE, subject="go json", window_s=15.0))
    none = fitting_noise(counted, tmp_path)
    assert (none.floors, none.note) == (
        (),
        "those measured had windows of 15.0 s at least, and this run's of 8.0 s",
    )
    kept(tmp_path, floor(cpus=ONE, subject="go local"))
    assert [one.cpus for one in fitting_noise(counted, tmp_path).floors] == [ONE, TWO]


def test_a_floor_of_others_counts_on_cpus_on_which_no_own_was_measured(tmp_path: Path, counted: Run) -> None:
    java = floor(subject="jakarta@liberty", cpus=ONE, floors={"throughput": 1.09})
    noise = fitting_noise(counted, kept(tmp_path, floor(cpus=TWO), java))
    assert (len(noise.floors), noise.floor("throughput")) == (2, 1.09)


def test_arrivals_by_a_timetable_are_not_judged_by_the_noise_of_users(tmp_path: Path, run: Run) -> None:
    rates = run.model_copy(update={"load_unit": "sessions per second"})
    noise = fitting_noise(rates, kept(tmp_path, floor()))
    assert (noise.floors, noise.note) == (
        (),
        "noise is measured with users, and this run's loads are sessions per second",
    )


def test_a_broken_file_is_no_floor_and_a_missing_folder_holds_none(tmp_path: Path, run: Run) -> None:
    (tmp_path / "broken.json").write_text('{"v":1', encoding="utf-8")
    assert fitting_noise(run, tmp_path).floors == ()
    assert fitting_noise(run, tmp_path / "none").note == "none was measured on this machine for brokerage"


def test_a_floor_under_another_name_than_its_own_is_none(tmp_path: Path, run: Run) -> None:
    file = floor_file(kept(tmp_path, floor()), floor())
    file.rename(tmp_path / "brokerage-go.json")
    assert fitting_noise(run, tmp_path).floors == ()


def test_the_floor_comes_from_the_pairs_that_count_and_too_few_make_none(tmp_path: Path) -> None:
    shape = Shape(combinations=COMBINATIONS, loads=(10,), repeats=5, error_points=frozenset({0}))
    found = measured_floor(read_result(write_synthetic(tmp_path / "five", shape)))
    assert (found.pairs, set(found.floors)) == (4, {metric.name for metric in METRICS} - {REVERSE_PROXY_CPU.name})
    few = read_result(write_synthetic(tmp_path / "four", Shape(loads=(10,), repeats=4, error_points=frozenset({0}))))
    with pytest.raises(TargetError, match="only 3 of 4 pairs count, and a noise floor needs 4"):
        measured_floor(few)


def test_several_combinations_do_not_stand_against_themselves(tmp_path: Path) -> None:
    file = tmp_path / "several.yaml"
    file.write_text(EXPERIMENT.replace("[local]", "[local, json]"), encoding="utf-8")
    with pytest.raises(InputError, match=r"these are 2 combinations \(go local, go json\)"):
        prepare_noise(str(file), RunOptions(subject="go", out=tmp_path))


@pytest.mark.full
@pytest.mark.timeout(1200)
def test_a_subject_is_measured_against_itself_in_pairs_and_the_next_run_knows_the_floor(tmp_path: Path) -> None:
    file = tmp_path / "short.yaml"
    file.write_text(EXPERIMENT, encoding="utf-8")
    words = ["noise", "go", "--experiment", str(file), "--pairs", "4", "--out", str(tmp_path / "out")]
    done = subprocess.run(
        [sys.executable, "-m", "middlemark", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )

    (folder,) = (tmp_path / "out").iterdir()
    result = read_result(folder)
    assert [p.path.rpartition("/")[0] for p in result.points[:4]] == [
        "go/binding=local/4", "go/binding=local,again/4", "go/binding=local,again/4", "go/binding=local/4",
    ]  # fmt: skip
    assert len({p.point.seed for p in result.points if p.point}) == 4  # Both points of a pair have the same requests.
    both_count = [all(p.valid for p in result.points if p.repeat == pair) for pair in range(4)]
    if sum(both_count) < 4:  # Other work on this machine may disturb a pair; then nothing may be kept.
        assert done.returncode == 1
        assert "pairs count, and a noise floor needs 4" in done.stderr
        return
    assert done.returncode == 0, done.stderr
    (file,) = noise_folder().glob("brokerage-go_local-*.json")
    assert done.stdout.splitlines()[-3] == f"kept for the runs that follow: {file}"
    stored = NoiseFloor.model_validate_json(file.read_bytes())
    assert (stored.pairs, stored.load, stored.result) == (sum(both_count), 4, folder.name)
    assert done.stdout.splitlines()[-2] == str(folder / "report.html")
    assert all(ratio >= 1 for ratio in stored.floors.values())
    assert fitting_noise(result.run, noise_folder()).floors == (stored,)
