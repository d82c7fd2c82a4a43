"""Profiles: how much time a run takes, by what its figures are for."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT
from middlemark.duration import Duration
from middlemark.errors import InputError
from middlemark.experiment.definition import read_experiment
from middlemark.experiment.faults_definition import parse_fault
from middlemark.experiment.options import RunOptions, apply
from middlemark.experiment.phases import time_text
from middlemark.experiment.preparation import prepare
from middlemark.experiment.profiles import LENGTHS, Profile
from middlemark.verdict.judgement import MIN_BLOCKS

DEMO = ROOT / "experiments" / "demo.yaml"


@pytest.mark.parametrize(
    ("profile", "warm", "measure", "verdict"),
    [(Profile.QUICK, 5, 8, False), (Profile.LAPTOP, 30, 60, True), (Profile.PUBLISHABLE, 300, 1800, True)],
)
def test_a_profile_replaces_the_phases_and_the_number_of_blocks_and_nothing_else(
    profile: Profile, warm: int, measure: int, *, verdict: bool
) -> None:
    written = read_experiment(DEMO)
    found = apply(RunOptions(profile=profile), written)
    assert (found.phases.warm.seconds, found.phases.measure.seconds) == (warm, measure)
    own = written.phases.model_copy(update={"warm_by_subject": {"go": Duration(1)}})
    assert apply(RunOptions(profile=profile), written.model_copy(update={"phases": own})).phases == found.phases
    assert (found.repeats >= MIN_BLOCKS) == verdict
    assert found.model_copy(update={"phases": written.phases, "repeats": written.repeats}) == written


def test_options_of_their_own_go_before_the_profile() -> None:
    options = RunOptions(profile=Profile.LAPTOP, duration=Duration.parse("20s"), repeats=6)
    found = apply(options, read_experiment(DEMO))
    assert (found.phases.warm.seconds, found.phases.measure.seconds, found.repeats) == (30, 20, 6)


def test_faults_take_no_profile() -> None:
    faults = (parse_fault("kill-web@3s"),)
    with pytest.raises(InputError, match="--profile: faults have phases of their own"):
        apply(RunOptions(profile=Profile.QUICK, faults=faults), read_experiment(DEMO))
    with pytest.raises(InputError, match="--profile: faults have phases of their own"):
        apply(RunOptions(profile=Profile.QUICK), read_experiment(DEMO.with_name("brokerage-faults.yaml")))


def test_the_time_a_profile_takes_is_that_of_its_windows_and_what_is_around_them(tmp_path: Path) -> None:
    prepared = prepare("demo", RunOptions(profile=Profile.PUBLISHABLE, users=(10,), out=tmp_path))
    points = 2 * LENGTHS[Profile.PUBLISHABLE].repeats
    assert prepared.points == points
    assert 1 < prepared.budget_s / (points * (1800 + 300)) < 1.1


def test_each_session_takes_the_time_of_its_own_iterations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT / "lab" / "tests" / "checkout")
    options = RunOptions(duration=Duration.of_seconds(0.01), out=tmp_path)
    both = prepare("sums", options)
    form, sums = (
        prepare("sums", dataclasses.replace(options, choices={"session": session})) for session in ("forms", "sums")
    )

    assert both.points == form.points + sums.points
    assert form.budget_s < sums.budget_s
    assert both.budget_s == pytest.approx(form.budget_s + sums.budget_s)


def test_a_dry_run_shows_the_lengths_and_the_time(tmp_path: Path) -> None:
    words = ["run", "demo", "--profile", "publishable", "--users", "10", "--dry-run", "--out", str(tmp_path)]
    command = [sys.executable, "-m", "middlemark", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "profile publishable: warm-up 300 s, ramp 60.0 s, settling 30 s, window 180" in done.stdout, done.stderr
    assert done.stdout.splitlines()[-1].endswith(" hours after building and loading")
    assert done.stdout.splitlines()[-1].startswith("8 points, about 4.")
    wrong = subprocess.run([*command, "--profile", "fast"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "'quick', 'laptop', 'publishable'" in wrong.stderr


def test_lengths_are_given_in_hours_from_two_on() -> None:
    assert (time_text(90), time_text(7199), time_text(7200)) == ("1.5 minutes", "120.0 minutes", "2.0 hours")
