"""Experiments in which subjects run single tiers: how they are written, set, refused, and how long they warm up."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_shop import ONE_PLATFORM, ONE_TIER, shop

from conftest import ROOT
from middlemark.errors import InputError
from middlemark.experiment.definition import Experiment, read_experiment
from middlemark.experiment.experiment_check import check_experiment, check_requested
from middlemark.experiment.options import RunOptions, apply
from middlemark.experiment.tier_subjects import require_tier_subject, with_subjects
from middlemark.specification.specification import find_specification

REST = "spec: brokerage\nscale: tiny\nloads: {users: [1]}\nsessions: brokerage\n"
MATRIX = "tiers: {web: [go, jakarta@liberty], services: [jakarta@liberty, go]}\n"
BROKERAGE = find_specification("brokerage", ROOT)


def experiment(tmp_path: Path, text: str, *, choices: dict[str, str] | None = None) -> Experiment:
    """Return an experiment as it is run, checked as `run` does."""
    path = tmp_path / "experiment.yaml"
    path.write_text(REST + text, encoding="utf-8")
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
