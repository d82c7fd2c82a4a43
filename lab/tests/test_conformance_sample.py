"""A sample is always the same part of a verification: of every topic and every interface, on few applications."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_shop import PLATFORM, shop
from small_specification import ROOT, small_subject, specification_with

from middlemark.conformance.cases.suite import Placed, read_cases
from middlemark.conformance.comparison.pages.canonical import page_cases
from middlemark.conformance.execution.configuration import Extent, configurations, sampled
from middlemark.conformance.execution.pairing import pairings
from middlemark.conformance.execution.request import VerifyRequest, chosen_cases
from middlemark.conformance.execution.sample import sample_of
from middlemark.conformance.reporting.text import verdict
from middlemark.conformance.result import ConformanceResult, Execution, ExecutionOutcome, SubjectResult
from middlemark.specification.specification import find_specification
from middlemark.subject.subject import find_subject

CASE = "- {name: 'A case with the number %d', steps: [{get: /}]}"
SETTINGS = "settings: {MM_SESSION_SECONDS: '1'}\ncases:\n- {name: a case of its own, steps: [{get: /}]}"


@pytest.fixture(scope="module")
def cases() -> tuple[Placed, ...]:
    """Give the cases and canonical pages of the brokerage."""
    specification = find_specification("brokerage", ROOT)
    return (*page_cases(specification), *read_cases(specification))


def test_it_has_every_canonical_page_and_every_topic_but_those_with_settings(cases: tuple[Placed, ...]) -> None:
    sample = sample_of(cases)
    assert {one.topic for one in sample} == {one.topic for one in cases if not one.settings}
    assert [one for one in sample if one.is_page] == [one for one in cases if one.is_page]
    assert not any(one.settings for one in sample)
    assert len(cases) / 6 < len(sample) < len(cases) / 2


def test_a_case_is_in_it_whatever_stands_beside_it(tmp_path: Path) -> None:
    every = [CASE % number for number in range(40)]
    picked = {}
    for name, lines in (("all", every), ("half", every[20:])):
        spec = specification_with(tmp_path / name, many="\n".join(["cases:", *lines]), own=SETTINGS)
        request = VerifyRequest(tmp_path, spec, (small_subject(),), tmp_path, sample=True)
        picked[name] = [one.case.name for one in chosen_cases(request, read_cases(spec))]
    assert picked["half"][1:] == [name for name in picked["all"] if int(name.rpartition(" ")[2]) > 20]
    assert picked["all"][0].endswith(" 0")
    assert 4 < len(picked["all"]) < 14


def test_each_case_calls_over_one_interface_and_all_together_over_each(cases: tuple[Placed, ...]) -> None:
    (pairing,) = pairings([find_subject(ROOT, "go", "brokerage")], cases, sample=True)
    sample = sample_of(cases)
    base, beside = pairing.configurations
    assert (base.extent, beside.extent) == (Extent.COMPLETE, Extent.INTEROP)
    executions = [(placed.case.name, interface) for placed, interface, _ in base.executions(sample)]
    assert len(dict(executions)) == len(executions)
    assert {interface for _, interface in executions} == {"", *base.interfaces}
    assert 0 < len(beside.executions(sample)) < len(executions) / 2


def test_beside_the_first_configuration_it_has_one_in_which_every_mode_has_its_last_value(tmp_path: Path) -> None:
    found = configurations(shop(tmp_path, platform=PLATFORM.replace('store = ["rows"]', 'store = ["rows", "columns"]')))
    first, other = sampled(found)
    assert first.name.removeprefix("calls=") == "inside, receipts=none, store=rows"
    assert other.name.removeprefix("calls=") == "binary, receipts=printed, store=columns"
    assert (other.varied, other.interfaces) == (("calls", "receipts", "store"), ("binary",))


def test_it_is_called_a_sample_and_proves_nothing_for_a_run(tmp_path: Path) -> None:
    spec = specification_with(tmp_path, topic="cases: [{name: a case of its own, steps: [{get: /}]}]")
    assert not VerifyRequest(tmp_path, spec, (), tmp_path, sample=True).runs_all
    one = Execution(
        case="c", topic="t", rule="", where="t.yaml:1", configuration={}, interface="", outcome=ExecutionOutcome.PASSED
    )
    subject = SubjectResult(
        subject="go", specification="shop", specification_version="3", commit="none", seconds=1.0, started="now",
        configurations=(), not_offered=(), missed=(), notes=(), executions=(one,),
    )  # fmt: skip
    text = verdict(ConformanceResult(subjects=(subject,), differences=(), sample=True))
    assert text == "A sample is verified: go passed 1 of 1 execution of 1 case."
