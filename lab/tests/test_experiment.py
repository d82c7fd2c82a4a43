"""Experiments: the file and what is wrong in it, the order of its points, the lengths of its phases."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from small_shop import ONE_PLATFORM, ONE_TIER, SHOP, shop, shop_checkout

from conftest import ROOT
from middlemark.duration import Duration
from middlemark.errors import InputError
from middlemark.experiment.choice_values import transport_of
from middlemark.experiment.definition import Experiment, RunOptions, apply, find_experiment, read_experiment
from middlemark.experiment.experiment_check import (
    check_counts,
    check_experiment,
    check_requested,
    require_tier_subject,
    session_file,
    with_subjects,
)
from middlemark.experiment.phases import MinPhases, Profile, point_phases, point_s
from middlemark.experiment.preparation import prepare
from middlemark.specification.specification import find_specification
from middlemark.workload.session import Counted, read_session

FILE = "spec: brokerage\nscale: tiny\nsubjects: [go]\nloads: {users: [1]}\nrounds: 2\nsessions: brokerage\n"


def file_of(tmp_path: Path, text: str) -> Path:
    """Write an experiment file."""
    path = tmp_path / "written.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_choice_is_written_as_one_value_or_a_list(tmp_path: Path) -> None:
    counts = "instances: {web: [1, 3], processor: 2}\nsettings: {MM_SESSION_SECONDS: 60}\n"
    experiment = read_experiment(file_of(tmp_path, FILE + counts + "reverse_proxy: nginx\nhttp: [1.0, 1.1]\n"))

    assert experiment.choices == {
        "reverse_proxy": ("nginx",),
        "instances.web": ("1", "3"),
        "instances.processor": ("2",),
        "MM_SESSION_SECONDS": ("60",),
        "http": ("1.0", "1.1"),
    }


def test_a_default_the_only_scale_and_the_only_session_are_no_choices(tmp_path: Path) -> None:
    path = file_of(tmp_path, FILE + "reverse_proxy: none\ntiers: {web: own}\ninstances: {web: 1}\n")
    assert read_experiment(path).choices == {}


def test_the_command_line_sets_any_choice_to_one_value_listed_or_not(tmp_path: Path) -> None:
    path = file_of(tmp_path, FILE + "reverse_proxy: [none, nginx]\n")
    choices = {
        "reverse_proxy": "nginx",
        "instances.web": "3",
        "orders": "sync",
        "MM_SESSION_SECONDS": "9",
        "threads": "2",
    }

    changed = apply(RunOptions(choices={**choices, "scale": "demo", "session": "other"}), read_experiment(path))

    assert changed.choices == {choice: (value,) for choice, value in choices.items()}
    assert (changed.scale, changed.sessions) == (("demo",), ("other",))


@pytest.mark.parametrize(
    "name", ["brokerage-web-services", "brokerage-bindings", "brokerage-messaging", "brokerage-web"]
)
def test_an_experiment_of_the_papers_is_valid_and_decides(name: str) -> None:
    experiment = read_experiment(find_experiment(name))

    assert experiment.spec == "brokerage"
    assert experiment.rounds >= 3


@pytest.mark.parametrize(
    ("least_s", "iteration_s", "window_s"),
    [(0, 4.0, 4.0), (8, 4.0, 8.0), (8.1, 4.0, 12.0), (7, 3.9, 7.8)],
)
def test_a_window_covers_whole_iterations_and_one_at_least(least_s: float, iteration_s: float, window_s: float) -> None:
    phases = point_phases(MinPhases(measure=Duration.of_seconds(least_s)), iteration_s)

    assert phases.measure == pytest.approx(window_s)


def test_a_ramp_is_never_shorter_than_one_iteration() -> None:
    assert point_phases(MinPhases(ramp=Duration.of_seconds(1)), 4.0).ramp == 4.0
    assert point_phases(MinPhases(ramp=Duration.of_seconds(9)), 4.0).ramp == 9.0


@pytest.mark.parametrize(
    ("written", "least", "most", "text"),
    [
        ("30s", None, 30, "30 s"),
        ("{at_most: 90s}", 15, 90, "15 … 90 s, until warm"),
        ("{at_least: 5s, at_most: 20s}", 5, 20, "5 … 20 s, until warm"),
        ("{at_least: 30s}", 30, 360, "30 … 360 s, until warm"),
    ],
)
def test_a_warm_up_has_a_fixed_length_or_two_between_which_it_ends(
    tmp_path: Path, written: str, least: float | None, most: float, text: str
) -> None:
    path = file_of(tmp_path, FILE + f"phases: {{warm: {written}}}\n")
    phases = point_phases(read_experiment(path).phases, 2.0)

    assert (phases.warm_at_least, phases.warm, phases.warm_text) == (least, most, text)
    point = phases.ramp + phases.settle + phases.measure + 4
    assert point_s(phases, databases=True) == pytest.approx(point)


def test_a_point_of_a_search_may_have_a_shorter_window() -> None:
    minimum = MinPhases(measure=Duration.of_seconds(60), search=Duration.of_seconds(5))

    assert point_phases(minimum, 19.0, searching=True).measure == pytest.approx(19)
    assert point_phases(minimum, 2.0, searching=True).measure == pytest.approx(6)
    assert point_phases(minimum, 19.0).measure == pytest.approx(76)
    assert point_phases(MinPhases(), 19.0, searching=True).measure == pytest.approx(19)


def test_the_demo_is_a_valid_experiment() -> None:
    demo = read_experiment(find_experiment("demo"))

    assert demo.modes["binding"] == ("local", "json")
    assert (demo.starts, demo.rounds) == (1, 5)


def test_an_unknown_experiment_names_the_one_that_was_meant() -> None:
    with pytest.raises(InputError, match=r"no experiment is called 'dmo'\. Did you mean 'demo'"):
        find_experiment("dmo")


@pytest.mark.parametrize(
    ("line", "replacement", "message"),
    [
        ("rounds: 2", "instances: {web: 0}", r":5: instances.web: expected 1 or more"),
        ("rounds: 2", "threads: 0", r":5: threads: expected 1 or more"),
        ("rounds: 2", "reverse_proxy: [none, none]", r":5: reverse_proxy: write each value once"),
        ("rounds: 2", "modes: {orders: []}", r":5: modes.orders: write at least one value"),
        ("rounds: 2", "settings: {MM_CONFIG_PAGE: on}", r":5: .*put it between quotes"),
        ("rounds: 2", "session: brokerage", r":5: session: unknown key 'session'. Did you mean 'sessions'"),
        ("rounds: 2", "round: 2", r":5: round: unknown key 'round'. Did you mean 'rounds'"),
        ("loads: {users: [1]}", "loads: {users: [3, 1]}", r":4: .*rising"),
        ("loads: {users: [1]}", "loads: {users: [0]}", r":4: .*at least one user"),
        ("rounds: 2", "phases: {warm: {at_most: 2s}}", r":5: .*`at_most` is below `at_least`, 15s"),
        ("rounds: 2", "phases: {warm: 2}", r":5: .*'2' is not a duration"),
        ("rounds: 2", "think: {constant: 200}", r":5: .*'200' is (no|not a) duration"),
        ("scale: tiny\n", "", "spec: brokerage has the scales .*, and the key 'scale' is missing"),
        ("scale: tiny", "scale: tony", ":2: scale: brokerage has no scale 'tony'. Did you mean 'tiny'"),
        ("sessions: brokerage", "sessions: [brokerag]", ":6: sessions: no session .*Did you mean 'brokerage'"),
        ("spec: brokerage", "spec: brokrage", "no specification is called 'brokrage'. Did you mean 'brokerage'"),
    ],
)
def test_a_mistake_in_the_file_is_named_with_its_line(
    tmp_path: Path, line: str, replacement: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        prepare(str(file_of(tmp_path, FILE.replace(line, replacement))), RunOptions(out=tmp_path))


@pytest.mark.parametrize(
    ("addition", "message"),
    [
        ("modes: {order: sync}", r":7: modes.order: brokerage has no mode 'order'. Did you mean 'orders'"),
        ("modes:\n  orders: [sync, synk]", r":8: modes.orders: 'synk' is not a value of orders. Did you mean 'sync'"),
        ("settings: {MM_SESSION: 5}", r":7: settings.MM_SESSION: 'MM_SESSION' .*Did you mean 'MM_SESSION_SECONDS'"),
        ("settings: {MM_SESSION_SECONDS: 0}", r":7: settings.MM_SESSION_SECONDS: .*expected 1 or more"),
        ("settings: {MM_CONFIG_PAGE: 'on'}", r":7: settings.MM_CONFIG_PAGE: "),
        ("instances: {wed: 1}", r":7: instances.wed: brokerage has no tier 'wed'. Did you mean 'web'"),
        ("reverse_proxy: ngin", r":7: reverse_proxy: no server is called 'ngin'. Did you mean 'nginx'"),
        ("reverse_proxy: liberty", r":7: reverse_proxy: liberty hosts applications"),
        ("tiers: {web: [own, goo]}", r":7: tiers.web: no platform is called 'goo'. Did you mean 'go'"),
        ("tiers: {wed: own}", r":7: tiers.wed: brokerage has no tier 'wed'. Did you mean 'web'"),
        ("tiers: {web: []}", r"tiers.web: write at least one value"),
        ("http: 2", r":7: http: '2' is not a value of http"),
        ("connections: kept", r":7: connections: 'kept' is not a value of connections. Did you mean 'keep'"),
        ("tls: minimum=2", r":7: tls: tls minimum: "),
        ("reference: {binding: json}", r":7: reference.binding: the experiment does not choose 'binding'"),
        ("reference: {subject: java}", r":7: reference.subject: 'java' is not among the values of subject"),
        (
            "placement: {driver: 0, database: 0, sut: 0, tiers: {wed: 0}}",
            r":7: placement.tiers.wed: .*Did you mean 'web'",
        ),
        (
            "faults: [{kinds: [kill-wed]}]",
            r":7: faults.kinds: 'kill-wed' is not a fault of brokerage. Did you mean 'kill-web'",
        ),
        ("faults: [{kinds: [kill-web], modes: {orders: sync}}]", r":7: .*does not choose 'orders'"),
        (
            "modes: {orders: sync}\nfaults: [{kinds: [kill-web], modes: {orders: synk}}]",
            r":8: faults.modes.orders: the experiment has no orders=synk. Did you mean 'sync'",
        ),
    ],
)
def test_what_the_specification_does_not_know_is_named_with_its_line(
    tmp_path: Path, addition: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        prepare(str(file_of(tmp_path, f"{FILE}{addition}\n")), RunOptions(out=tmp_path))


def test_a_scale_of_the_command_line_does_for_the_files(tmp_path: Path) -> None:
    path = file_of(tmp_path, FILE.replace("scale: tiny\n", ""))

    prepared = prepare(str(path), RunOptions(choices={"scale": "tiny"}, out=tmp_path))

    assert list(prepared.datasets) == ["tiny"]
    assert [one.path for one in prepared.combinations] == ["go/default"]


@pytest.mark.parametrize(
    ("choice", "value", "message"),
    [
        ("ordrs", "sync", "--set ordrs: brokerage has no mode 'ordrs'. Did you mean 'orders'"),
        ("instances.processor", "many", "--set instances.processor: expected a whole number from 1 up, found 'many'"),
        ("scale", "tony", "--set scale: brokerage has no scale 'tony'"),
    ],
)
def test_a_choice_of_the_command_line_that_is_wrong_is_refused_there(choice: str, value: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        prepare("demo", RunOptions(choices={choice: value}))


def test_the_command_line_sets_a_mode_that_the_file_does_not_list(tmp_path: Path) -> None:
    prepared = prepare("demo", RunOptions(choices={"orders": "async-queue"}, out=tmp_path))

    assert [one.path for one in prepared.combinations] == [
        "go/binding=local,orders=async-queue",
        "go/binding=json,orders=async-queue",
    ]


def test_a_session_that_a_subject_has_not_the_features_for_is_left_out(tmp_path: Path) -> None:
    text = "spec: spice\nsubjects: [go]\nsessions: [handler, cgi]\nloads: {users: [1]}\nrounds: 1\n"
    found = prepare(str(file_of(tmp_path, text)), RunOptions())

    assert [one.label for one in found.combinations] == ["go, session handler"]
    assert [(one.label, one.reason) for one in found.left_out] == [
        ("go, session cgi", "go has no feature 'cgi', which the session needs")
    ]


def test_a_session_that_needs_an_unknown_feature_is_refused_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = shop_checkout(tmp_path / "home", specification=re.sub(r"\[effects\.\w+\]\n(.+\n)*", "", SHOP))
    sessions = home / "specs" / "shop" / "sessions"
    sessions.mkdir()
    session = "name: visit\nthink: {constant: 1s}\nneeds: [moto]\nsteps: [{id: home, get: /}]\n"
    (sessions / "visit.yaml").write_text(session, encoding="utf-8")
    for database in ("goods", "money"):
        rules = home / "specs" / "shop" / database / "audit"
        rules.mkdir(parents=True, exist_ok=True)
        (rules / "none.sql").write_text("-- None.\nSELECT 1 WHERE false\n", encoding="utf-8")
    path = file_of(tmp_path, "spec: shop\nscale: small\nsubjects: [small]\nsessions: visit\nloads: {users: [1]}\n")
    monkeypatch.chdir(home)

    with pytest.raises(InputError, match=r"visit\.yaml:3: shop has no feature 'moto'\. Did you mean 'motto'"):
        prepare(str(path), RunOptions())


REST = "spec: brokerage\nscale: tiny\nloads: {users: [1]}\nsessions: brokerage\n"
MATRIX = "tiers: {web: [go, jakarta@liberty], services: [jakarta@liberty, go]}\n"
BROKERAGE = find_specification("brokerage", ROOT)


def experiment(tmp_path: Path, text: str, *, choices: dict[str, str] | None = None) -> Experiment:
    """Return an experiment as it is run, checked as `run` does."""
    path = file_of(tmp_path, REST + text)
    written = read_experiment(path)
    check_experiment(path, written, BROKERAGE, ROOT)
    check_requested(choices or {}, BROKERAGE, ROOT)
    return with_subjects(path, apply(RunOptions(choices=choices or {}), written), BROKERAGE)


def test_without_subjects_those_of_the_tier_that_the_entry_calls_are_compared(tmp_path: Path) -> None:
    found = experiment(tmp_path, MATRIX + "reference: {tiers.services: go}\n")

    assert found.subjects == ("jakarta@liberty", "go")
    assert found.choices == {"tiers.web": ("go", "jakarta@liberty")}
    assert found.reference == {"subject": "go"}


def test_with_subjects_every_named_tier_is_a_choice(tmp_path: Path) -> None:
    found = experiment(tmp_path, "subjects: [go]\ntiers: {web: [own, jakarta@liberty], processor: own}\n")

    assert found.subjects == ("go",)
    assert found.choices == {"tiers.web": ("own", "jakarta@liberty")}
    assert found.all_subjects == ("go", "jakarta@liberty")


def test_the_command_line_chooses_one_subject_of_a_tier(tmp_path: Path) -> None:
    found = experiment(tmp_path, MATRIX, choices={"tiers.web": "spring-boot", "tiers.services": "go"})

    assert found.subjects == ("go",)
    assert found.choices == {"tiers.web": ("spring-boot",)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"yaml:1: the experiment has no subjects"),
        ("tiers: {web: [go]}", r"yaml:5: the experiment has no subjects"),
        ("tiers: {web: [go], services: [own]}", r"yaml:5: 'own' is nobody here"),
        ("tiers: {services: [go, goo]}", r"yaml:5: tiers.services: no platform is called 'goo'. Did you mean 'go'"),
        ("tiers: {services: [go], wed: [go]}", r"yaml:5: tiers.wed: brokerage has no tier 'wed'. Did you mean 'web'"),
        ("tiers: {services: [go, go]}", r"yaml:5: tiers.services: write each value once"),
        (MATRIX + "reference: {tiers.web: spring-boot}", r"yaml:6: reference.tiers.web: 'spring-boot' is not among"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        experiment(tmp_path, text + "\n")


def test_an_experiment_without_subjects_says_how_to_name_them(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        experiment(tmp_path, "tiers: {web: [go]}\n")
    assert error.value.todo == "Write `subjects`, or in `tiers` the subjects of services, which web calls"


def test_a_tier_that_no_role_carries_alone_is_refused(tmp_path: Path) -> None:
    one = shop(tmp_path, specification=ONE_TIER, platform=ONE_PLATFORM).specification

    with pytest.raises(InputError, match="carries site alone, so that it never runs apart"):
        require_tier_subject("site", "go", one, ROOT)


def test_sessions_of_a_run_count_the_same() -> None:
    specification = find_specification("sums", ROOT / "lab" / "tests" / "checkout")
    sums, forms = (read_session(session_file(specification, name), {}) for name in ("sums", "forms"))
    counted = Counted(unit="sum", transactions=(sums.every_step[0].transaction,))

    check_counts({"sums": sums, "forms": forms}, specification)
    with pytest.raises(InputError, match=r"'forms' does not count what 'sums' counts.*--set session=NAME"):
        check_counts({"sums": sums.model_copy(update={"counts": counted}), "forms": forms}, specification)


def test_a_profile_has_a_think_time_of_its_own_and_users_connect_from_addresses(tmp_path: Path) -> None:
    written = "think: {constant: 10s}\nsources: [127.0.0.2, '::1']\nprofiles: {laptop: {think: {constant: 1s}}}\n"
    experiment = read_experiment(file_of(tmp_path, FILE + written))
    thinks = [apply(RunOptions(profile=profile), experiment).think for profile in (None, Profile.QUICK, Profile.LAPTOP)]
    assert [one.mean_s if one else None for one in thinks] == [10, 10, 1]
    transport = transport_of({}, sources=experiment.sources, receive_stamps=False)
    assert transport.sources == ("127.0.0.2", "::1")
    with pytest.raises(InputError, match=r"sources.1: 'localhost' is not an IP address"):
        read_experiment(file_of(tmp_path, FILE + "sources: [127.0.0.2, localhost]\n"))
