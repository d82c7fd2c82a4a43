"""Experiments: the file, its combinations, the order of its points, the lengths of its phases."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from conftest import ROOT
from middlemark.duration import Duration
from middlemark.errors import InputError
from middlemark.experiment.combinations import combinations
from middlemark.experiment.definition import LeastPhases, find_experiment, read_experiment
from middlemark.experiment.options import RunOptions, apply
from middlemark.experiment.phases import budget_s, point_phases
from middlemark.experiment.schedule import schedule
from middlemark.records.run import Combination
from middlemark.subject.server import load_server
from middlemark.verdict.naming import short_names

FILE = "spec: brokerage\nscale: tiny\nsubjects: [go]\nloads: {users: [1]}\nrepeats: 2\nsession: brokerage\n"

PAIR = ("go", "java")


class Offers:
    """A subject that offers two bindings and one order mode."""

    def offers(self, mode: str) -> Sequence[str]:
        """Return the values of the mode."""
        return {"binding": ("local", "json"), "orders": ("sync",)}.get(mode, ())


def test_every_subject_meets_every_value_of_every_mode() -> None:
    possible, left_out = combinations({"go": Offers()}, {"binding": ("local", "json"), "orders": ("sync",)})

    assert [c.path for c in possible] == ["go/binding=local,orders=sync", "go/binding=json,orders=sync"]
    assert [c.label for c in possible] == ["go local sync", "go json sync"]
    assert left_out == []


def test_what_a_subject_cannot_do_is_left_out_with_the_reason() -> None:
    possible, left_out = combinations({"go": Offers()}, {"binding": ("local", "soap")})

    assert [c.label for c in possible] == ["go local"]
    assert [(c.label, c.reason) for c in left_out] == [
        ("go soap", "go does not offer binding=soap (it offers local, json)")
    ]


class OffersAll:
    """A subject that offers every binding and two order modes."""

    def offers(self, mode: str) -> Sequence[str]:
        """Return the values of the mode."""
        return {"binding": ("local", "json", "grpc"), "orders": ("sync", "async-queue")}.get(mode, ())


def test_every_mode_meets_every_front_and_number_of_web_servers() -> None:
    choices = {"binding": ("local", "json"), "front": ("none", "nginx"), "web_servers": ("1", "3")}

    possible, left_out = combinations({"go": OffersAll()}, choices, {"nginx": load_server(ROOT, "nginx")})

    assert len(possible) == 8
    assert left_out == []
    assert possible[-1].label == "go json, behind nginx, 3 web servers"
    assert possible[-1].path == "go/binding=json,front=nginx,web_servers=3"
    assert possible[-1].own_modes == {"binding": "json"}
    assert short_names(possible)[possible[0].path] == "local, direct, 1 web server"


def test_what_a_front_cannot_pass_on_is_left_out_with_the_reason() -> None:
    choices = {"binding": ("json", "grpc"), "front": ("none", "nginx")}

    possible, left_out = combinations({"go": OffersAll()}, choices, {"nginx": load_server(ROOT, "nginx")})

    assert [c.label for c in possible] == ["go json, direct", "go json, behind nginx", "go grpc, direct"]
    assert [(c.label, c.reason) for c in left_out] == [
        ("go grpc, behind nginx", "nginx passes http/1.1 on, binding=grpc needs http/2")
    ]


def test_only_asynchronous_orders_have_a_number_of_processors() -> None:
    choices = {"orders": ("sync", "async-queue"), "processors": ("1", "2")}

    possible, left_out = combinations({"go": OffersAll()}, choices)

    assert [c.path for c in possible] == [
        "go/orders=sync",
        "go/orders=async-queue,processors=1",
        "go/orders=async-queue,processors=2",
    ]
    assert list(short_names(possible).values()) == ["sync", "async-queue, 1 processor", "async-queue, 2 processors"]
    assert left_out == []


def test_a_layout_is_written_as_one_value_or_a_list(tmp_path: Path) -> None:
    path = tmp_path / "layout.yaml"
    path.write_text(FILE + "front: nginx\nweb_servers: [1, 3]\nprocessors: 2\n", encoding="utf-8")

    experiment = read_experiment(path)

    assert experiment.choices == {"front": ("nginx",), "web_servers": ("1", "3"), "processors": ("2",)}


def test_what_is_not_laid_out_otherwise_is_no_choice(tmp_path: Path) -> None:
    path = tmp_path / "plain.yaml"
    path.write_text(FILE + "front: none\nweb_servers: 1\n", encoding="utf-8")

    assert read_experiment(path).choices == {}


def test_the_command_line_narrows_the_layout_like_a_mode(tmp_path: Path) -> None:
    path = tmp_path / "layout.yaml"
    path.write_text(FILE + "front: [none, nginx]\n", encoding="utf-8")

    narrowed = apply(RunOptions(modes={"front": "nginx", "web_servers": "3"}), read_experiment(path))

    assert narrowed.choices == {"front": ("nginx",), "web_servers": ("3",)}
    with pytest.raises(InputError, match="'many' is no number of processors"):
        apply(RunOptions(modes={"processors": "many"}), read_experiment(path))


@pytest.mark.parametrize("name", ["brokerage-web-services", "brokerage-messaging", "brokerage-full"])
def test_an_experiment_of_the_papers_is_valid_and_decides(name: str) -> None:
    experiment = read_experiment(find_experiment(name))

    assert experiment.spec == "brokerage"
    assert experiment.repeats >= 4 or not len(experiment.choices) > 1


def test_the_order_of_combinations_and_of_loads_alternates_from_block_to_block() -> None:
    possible, _ = combinations({"go": Offers()}, {"binding": ("local", "json")})

    order = [(s.repeat, s.combination.label, s.loads) for s in schedule(possible, [10, 30], 3)]

    assert order == [
        (0, "go local", (10, 30)),
        (0, "go json", (10, 30)),
        (1, "go json", (30, 10)),
        (1, "go local", (30, 10)),
        (2, "go local", (10, 30)),
        (2, "go json", (10, 30)),
    ]


@pytest.mark.parametrize(
    ("least_s", "iteration_s", "window_s"),
    [(0, 4.0, 8.0), (8, 4.0, 8.0), (8.1, 4.0, 12.0), (7, 3.9, 7.8)],
)
def test_a_window_covers_whole_iterations_and_two_at_least(least_s: float, iteration_s: float, window_s: float) -> None:
    phases = point_phases(LeastPhases(measure=Duration.of_seconds(least_s)), iteration_s)

    assert phases.measure == pytest.approx(window_s)


def test_a_ramp_is_never_shorter_than_one_iteration() -> None:
    assert point_phases(LeastPhases(ramp=Duration.of_seconds(1)), 4.0).ramp == 4.0
    assert point_phases(LeastPhases(ramp=Duration.of_seconds(9)), 4.0).ramp == 9.0


def test_a_subject_may_have_a_warm_up_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(FILE + "phases: {warm: 30s, warm_by_subject: {go: 4s}}\n", encoding="utf-8")
    written = read_experiment(path)

    phases = point_phases(written.phases, 2.0)
    assert (phases.warm_of("go"), phases.warm_of("java"), phases.warm_said) == (4, 30, "30 s (go 4 s)")
    point = phases.ramp + phases.settle + phases.measure + 4
    (go,), (java,) = (schedule([Combination(subject=name, modes={}, label=name, path=name)], [1], 1) for name in PAIR)
    assert budget_s(phases, 2, [go, java]) == pytest.approx(2 * point + (4 + 3) + (30 + 3))
    alone = [point_phases(apply(RunOptions(subject=name), written).phases, 2.0) for name in PAIR]
    assert [phases.warm_said for phases in alone] == ["4 s", "30 s"]


def test_the_demo_is_a_valid_experiment() -> None:
    demo = read_experiment(find_experiment("demo"))

    assert demo.modes["binding"] == ("local", "json")
    assert demo.repeats == 2


def test_an_unknown_experiment_names_the_one_that_was_meant() -> None:
    with pytest.raises(InputError, match=r"no experiment is called 'dmo'\. Did you mean 'demo'"):
        find_experiment("dmo")


@pytest.mark.parametrize(
    ("line", "replacement", "message"),
    [
        ("repeats: 2", "web_servers: 0", r":5: web_servers: there is at least one"),
        ("repeats: 2", "front: [none, none]", r":5: front: write each value once"),
        ("repeats: 2", "repeat: 2", r":5: repeat: unknown key 'repeat'. Did you mean 'repeats'"),
        ("loads: {users: [1]}", "loads: {users: [3, 1]}", r":4: .*rising"),
        ("loads: {users: [1]}", "loads: {users: [0]}", r":4: .*at least one user"),
        ("repeats: 2", "phases: {warm_by_subject: {goo: 9s}}", r":5: .*'goo' is no subject .*\. Did you mean 'go'"),
        ("repeats: 2", "think: {constant: 200}", r":5: .*'200' is no duration"),
    ],
)
def test_a_mistake_in_the_file_is_named_with_its_line(
    tmp_path: Path, line: str, replacement: str, message: str
) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(FILE.replace(line, replacement), encoding="utf-8")

    with pytest.raises(InputError, match=message):
        read_experiment(path)
