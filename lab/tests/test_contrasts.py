"""Contrasts: pairs that the specification sets against each other, judged with all others and shown in their tables."""

from __future__ import annotations

import itertools
import re

from made_result import SPECIFICATION, Made, combination, made
from rejudged_result import page_of
from report_html import words

from middlemark.judge.result import judge
from middlemark.records.findings import Comparison, Findings, Use
from middlemark.records.run_parts import ContrastRecord, NotRankedValues

SOAP = ContrastRecord(name="SOAP ÷ binary", upper={"protocol": "soap"}, lower={"protocol": "binary"})
RATES = {"binary": {"ping": 8000.0, "store": 100.0}, "soap": {"ping": 4000.0, "store": 80.0}}
"""Calls per second of the first subject; the second one makes twice as many."""


def findings(*contrasts: ContrastRecord, **changes: object) -> Findings:
    points = [
        (combination(subject, protocol=protocol, operation=operation), 1, [Made(times * rate * noise, 1.0) for noise in
         (0.99, 1.0, 1.01, 1.0)])
        for (subject, times), (protocol, rates) in itertools.product({"one": 1, "two": 2}.items(), RATES.items())
        for operation, rate in rates.items()
    ]  # fmt: skip
    specification = SPECIFICATION.model_copy(update={"leads_with": ("throughput",), "contrasts": contrasts, **changes})
    return judge(made(points, specification=specification))


def of_contrasts(found: Findings) -> list[Comparison]:
    return [one for one in found.comparisons if one.contrasts and one.metric == "throughput"]


def test_a_contrast_is_between_those_that_differ_in_nothing_else() -> None:
    found = of_contrasts(findings(SOAP))
    assert [(one.a, one.b, round(one.ratio or 0, 2)) for one in found] == [
        (f"{subject}/protocol=binary,operation={operation}", f"{subject}/protocol=soap,operation={operation}", ratio)
        for subject in ("one", "two")
        for operation, ratio in (("ping", 0.5), ("store", 0.8))
    ]
    assert all(one.decided and one.contrasts == ("SOAP ÷ binary",) for one in found)


def test_a_contrast_that_is_compared_anyway_is_made_once() -> None:
    first, *others = of_contrasts(findings(SOAP))
    assert first.use is Use.PAIR
    assert {one.use for one in others} == {Use.CONTRAST}


def test_what_a_contrast_names_is_no_reason_against_its_word() -> None:
    rule = NotRankedValues(values=("binary", "soap"), why="they promise different things")
    judged = findings(SOAP, never_ranked_together={"protocol": (rule,)})
    shown = [(one.use, one.not_ranked, one.decided) for one in of_contrasts(judged)]
    assert shown == [(Use.CONTRAST, "", True)] * 4
    assert "SOAP ÷ binary: 0.50 … 0.80 ×, 4 of 4 certain" in words(page_of(judged))


def test_sessions_that_a_contrast_names_are_no_reason_against_its_word() -> None:
    contrast = ContrastRecord(name="calls ÷ files", upper={"session": "calls"}, lower={"session": "files"})
    points = [
        (combination("one", session=session), 1, [Made(rate * noise, 1.0) for noise in (0.99, 1.0, 1.01, 1.0)])
        for session, rate in {"files": 2000.0, "calls": 500.0}.items()
    ]
    specification = SPECIFICATION.model_copy(update={"leads_with": ("throughput",), "contrasts": (contrast,)})
    (found,) = of_contrasts(judge(made(points, specification=specification, sessions=["files", "calls"])))
    assert (found.not_ranked, found.decided) == ("", True)


def test_a_contrast_with_any_reverse_proxy_is_between_each_and_none() -> None:
    contrast = ContrastRecord(name="behind ÷ direct", upper={"reverse_proxy": "any"}, lower={"reverse_proxy": "none"})
    rates = {"none": 2000.0, "nginx": 1000.0, "haproxy": 500.0}
    points = [
        (combination("one", reverse_proxy=proxy), 1, [Made(rate * noise, 1.0) for noise in (0.99, 1.0, 1.01, 1.0)])
        for proxy, rate in rates.items()
    ]
    specification = SPECIFICATION.model_copy(update={"leads_with": ("throughput",), "contrasts": (contrast,)})
    result = judge(made(points, specification=specification))
    found = {(one.a, one.b, round(one.ratio or 0, 2), one.not_ranked) for one in of_contrasts(result)}
    direct = "one/reverse_proxy=none"
    assert found == {(direct, "one/reverse_proxy=nginx", 0.5, ""), (direct, "one/reverse_proxy=haproxy", 0.25, "")}
    table = words(page_of(result)).partition("behind ÷ direct: ")[2]
    assert re.match(r"0\.25 … 0\.50 ×, 2 of 2 certain one nginx 0\.50 .* haproxy 0\.25 ", table)


def test_contrasts_share_the_false_words_with_all_other_comparisons() -> None:
    def p_value(found: Findings) -> float:
        pair = next(one for one in found.comparisons if one.use is Use.PAIR and one.metric == "throughput")
        assert pair.p_value is not None
        return pair.p_value

    assert p_value(findings(SOAP)) > p_value(findings())


def test_the_answer_knows_no_contrasts() -> None:
    assert findings(SOAP).answer == findings().answer


def test_the_report_has_a_table_for_each_contrast() -> None:
    shown = words(page_of(findings(SOAP)))
    assert "SOAP ÷ binary: 0.50 … 0.80 ×, 4 of 4 certain" in shown
    assert "Contrasts" not in words(page_of(findings()))
