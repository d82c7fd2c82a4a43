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
from middlemark.experiment import preparation
from middlemark.experiment.definition import RunOptions, apply, read_experiment
from middlemark.experiment.faults_definition import parse_fault
from middlemark.experiment.phases import LENGTHS, START_S, Profile, time_text
from middlemark.experiment.preparation import prepare

DEMO = ROOT / "experiments" / "demo.yaml"


@pytest.mark.parametrize(
    ("profile", "warm", "measure", "numbers"),
    [
        (Profile.QUICK, (5, 120), 8, (1, 5)),
        (Profile.LAPTOP, (15, 360), 15, (2, 5)),
        (Profile.PUBLISHABLE, (60, 600), 600, (4, 3)),
    ],
)
def test_a_profile_replaces_the_phases_and_the_numbers_of_starts_and_rounds_and_nothing_else(
    profile: Profile, warm: tuple[int, int], measure: int, numbers: tuple[int, int]
) -> None:
    written = read_experiment(DEMO)
    found = apply(RunOptions(profile=profile), written)
    lengths = found.phases
    assert (lengths.warm_at_least.seconds, lengths.warm_at_most.seconds) == warm
    assert lengths.measure.seconds == measure
    assert (found.starts, found.rounds) == numbers
    as_written = {key: getattr(written, key) for key in ("phases", "starts", "rounds", "budget", "control")}
    assert found.model_copy(update=as_written) == written


def test_options_of_their_own_go_before_the_profile() -> None:
    options = RunOptions(profile=Profile.LAPTOP, duration=Duration.parse("20s"), rounds=6)
    found = apply(options, read_experiment(DEMO))
    assert (found.phases.warm, found.phases.measure.seconds, found.rounds) == (
        LENGTHS[Profile.LAPTOP].phases.warm,
        20,
        6,
    )


OWN = """
profiles:
  quick:
    phases: {warm: 1s, measure: 3s}
    rounds: 3
    loads: {users: [2, 5]}
    choices: {http: 1.0, binding: json}
"""


def own(tmp_path: Path, text: str = OWN) -> Path:
    """Write the demo with profiles of its own."""
    file = tmp_path / "own.yaml"
    file.write_text(DEMO.read_text(encoding="utf-8") + text, encoding="utf-8")
    return file


def test_an_experiment_says_what_a_profile_is_in_it(tmp_path: Path) -> None:
    found = prepare(str(own(tmp_path)), RunOptions(profile=Profile.QUICK, out=tmp_path))
    quick = LENGTHS[Profile.QUICK].phases
    assert found.experiment.phases == quick.model_copy(
        update={"warm": Duration.of_seconds(1), "measure": Duration.of_seconds(3)}
    )
    assert (found.experiment.rounds, found.experiment.loads.levels) == (3, (2, 5))
    assert [one.modes for one in found.combinations] == [{"binding": "json", "http": "1.0"}]

    chosen = RunOptions(profile=Profile.QUICK, choices={"binding": "local"}, users=(7,), rounds=1, out=tmp_path)
    found = prepare(str(own(tmp_path)), chosen)
    assert (found.experiment.rounds, found.experiment.loads.levels) == (1, (7,))
    assert [one.modes for one in found.combinations] == [{"binding": "local", "http": "1.0"}]

    written = read_experiment(DEMO)
    assert apply(RunOptions(profile=Profile.LAPTOP), read_experiment(own(tmp_path))).loads == written.loads


def test_a_profile_may_leave_out_subjects_and_values_of_modes(tmp_path: Path) -> None:
    text = OWN.replace("choices: {http: 1.0, binding: json}", "subjects: [go]\n    modes: {binding: [json]}")
    file = own(tmp_path, text)
    file.write_text(file.read_text(encoding="utf-8").replace("subjects: [go]", "subjects: [go, spring-boot]", 1))

    found = [apply(RunOptions(profile=profile), read_experiment(file)) for profile in (Profile.QUICK, Profile.LAPTOP)]

    assert [one.subjects for one in found] == [("go",), ("go", "spring-boot")]
    assert [one.modes["binding"] for one in found] == [("json",), ("local", "json")]


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("binding: json", "binding: jsonx", "profiles.quick.choices.binding: 'jsonx' is not a value of binding"),
        ("quick:", "quickly:", "profiles.quickly"),
        ("rounds: 3", "subjects: [goo]", "profiles.quick.subjects: 'goo' is not among the experiment's. Did you mean"),
        ("rounds: 3", "modes: {binding: [jsn]}", "profiles.quick.modes.binding: 'jsn' is not among the experiment's."),
        ("warm: 1s", "warm: {at_most: 5s}", "`at_most` is below `at_least`, 15s"),
    ],
)
def test_a_wrong_profile_of_an_experiment_is_refused_with_its_place(
    tmp_path: Path, right: str, wrong: str, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        prepare(str(own(tmp_path, OWN.replace(right, wrong))), RunOptions(out=tmp_path))
    assert "own.yaml:" in str(caught.value)
    assert message in str(caught.value)


def test_faults_take_no_profile() -> None:
    faults = (parse_fault("kill-web@3s"),)
    with pytest.raises(InputError, match="--profile: faults have phases of their own"):
        apply(RunOptions(profile=Profile.QUICK, faults=faults), read_experiment(DEMO))
    with pytest.raises(InputError, match="--profile: faults have phases of their own"):
        apply(RunOptions(profile=Profile.QUICK), read_experiment(DEMO.with_name("brokerage-faults.yaml")))


def test_the_time_a_profile_takes_is_that_of_its_windows_and_what_is_around_them(tmp_path: Path) -> None:
    prepared = prepare("demo", RunOptions(profile=Profile.PUBLISHABLE, users=(10,), out=tmp_path))
    lengths = LENGTHS[Profile.PUBLISHABLE]
    assert prepared.points == 3 * lengths.starts * lengths.rounds  # the control too
    assert 1 < prepared.budget_s / (prepared.points * (600 + 60 + 30) + 3 * lengths.starts * 60) < 1.1
    plan = prepared.plans[0]
    warmed = {one.path: 30.0 for one in plan.group}
    assert prepared.start_s(plan) - prepared.start_s(plan, warmed) == pytest.approx(len(plan.group) * 30)


@pytest.mark.parametrize("name", ["brokerage-web", "brokerage-web-services", "brokerage-messaging"])
def test_the_first_start_of_the_papers_tests_fits_the_budget_of_a_laptop_and_windows_to_be_published_are_long(
    name: str, tmp_path: Path
) -> None:
    laptop, publishable = (
        prepare(name, RunOptions(profile=profile, out=tmp_path)) for profile in (Profile.LAPTOP, Profile.PUBLISHABLE)
    )

    budget = laptop.experiment.budget
    assert budget
    assert laptop.search_s({}) + laptop.start_s(laptop.plans[0]) <= budget.seconds + 15 * 60
    assert publishable.phases.measure >= 600
    for one in (laptop, publishable):
        assert one.experiment.loads.search == "peak"
        assert (one.experiment.scale, one.experiment.think) == (("full",), None)
        subjects = {combination.subject for combination in one.combinations}
        assert subjects >= {"go", "jakarta@liberty", "jakarta@wildfly"}


def test_a_warm_up_is_followed_by_a_look_only_where_it_was_not_the_measured_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    web, remoting = (
        prepare(name, RunOptions(profile=Profile.LAPTOP, out=tmp_path)) for name in ("brokerage-web", "remoting")
    )
    by_java, others = (
        [one for one in web.plans[0].group if one.subject.startswith("jakarta") is java] for java in (True, False)
    )
    of_remoting = next(one for one in remoting.combinations if one.subject == "jakarta@liberty")

    # Users who think are not those of the warm-up; on the only CPU these are few.
    assert web.warm_users(by_java[0], 100, compiles=True) in {3, 100}
    assert web.warm_users(others[0], 100, compiles=False) is None
    assert remoting.warm_users(of_remoting, 1, compiles=True) in {3, None}
    seconds = [one.start_s(one.plans[0]) for one in (web, remoting)]
    monkeypatch.setattr(preparation, "MIN_LOOK_S", 0.0)
    looks = [before - one.start_s(one.plans[0]) for before, one in zip(seconds, (web, remoting), strict=True)]
    assert looks[0] >= 30.0 * len(by_java)
    assert looks[1] == 0 or remoting.warm_users(of_remoting, 1, compiles=True)


def test_each_session_takes_the_time_of_its_own_iterations_and_no_start_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT / "lab" / "tests" / "checkout")
    options = RunOptions(duration=Duration.of_seconds(0.01), out=tmp_path)
    both = prepare("sums", options)
    form, sums = (
        prepare("sums", dataclasses.replace(options, choices={"session": session})) for session in ("forms", "sums")
    )

    assert both.points == form.points + sums.points
    assert form.budget_s < sums.budget_s
    assert len(both.combinations) == 2 * len(form.combinations) == 8
    assert both.budget_s == pytest.approx(form.budget_s + sums.budget_s - 4 * START_S)


def test_a_dry_run_shows_the_lengths_and_the_time(tmp_path: Path) -> None:
    words = ["run", "demo", "--profile", "publishable", "--users", "10", "--dry-run", "--out", str(tmp_path)]
    command = [sys.executable, "-m", "middlemark", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    lengths = "profile publishable: warm-up 60 … 600 s, until warm, ramp 60.0 s, settling 30 s"
    assert f"{lengths}, window 60" in done.stdout, done.stderr
    again = "; a disturbed window is measured again, up to 2 times"
    assert done.stdout.splitlines()[-1].endswith(f" hours on a quiet machine after building and loading{again}")
    assert done.stdout.splitlines()[-1].startswith("36 windows, at most 7.")
    wrong = subprocess.run([*command, "--profile", "fast"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "'quick', 'laptop', 'publishable'" in wrong.stderr


def test_lengths_are_given_as_exactly_as_they_are_known() -> None:
    assert [time_text(each) for each in (3, 41.6, 150, 7199, 7200)] == [
        "10 seconds",
        "40 seconds",
        "2 minutes",
        "120 minutes",
        "2.0 hours",
    ]
