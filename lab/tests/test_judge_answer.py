"""The sentence on top answers in words that need no knowledge of the lab, and asserts only what is decided."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from made_result import DEAR, HIGH, JSON, LOCAL, LOW, SOAP, SPECIFICATION, WEB, Made, combination, costing, made
from synthetic_result import Shape, write_synthetic

from middlemark.judge.result import judge, judge_folder
from middlemark.records.findings import Findings, Use
from middlemark.records.point import Audit, Reconciled
from middlemark.records.run import Combination, LoadLimits, RunStatus, Searched
from middlemark.records.run_parts import Fault, InDoubt, NotRankedValues, WarmUp

WIDE = (0.8, 1.3, 1.1, 1.0)
Costs = tuple[Combination, Sequence[float]]


def found(*costs: Costs, **changes: object) -> Findings:
    """The findings of rounds at 10 users with these CPU times."""
    return judge(made([(one, 10, costing(*cpu_ms)) for one, cpu_ms in costs], **changes))


def answer(*costs: Costs, **changes: object) -> str:
    return found(*costs, **changes).answer


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (HIGH, "Json needs 1.39 to 1.41 times the CPU time of local."),
        ((0.7, 0.71, 0.72, 0.7), "Json needs 0.69 to 0.73 times the CPU time of local."),
        (LOW, "Json needs as much CPU time as local, within 5 %."),
        (
            WIDE,
            "Cannot tell whether json needs more CPU time than local: 0.7 to 1.5 times "
            "(the measurements differ too much to tell).",
        ),
        ((1.4, 1.6), "Cannot tell whether json needs more CPU time than local: 1.40 to 1.58 times (too few rounds)."),
        ((1.4,), "Cannot tell whether json needs more CPU time than local: 1.40 times (too few rounds)."),
    ],
)
def test_of_a_pair_the_answer_is_one_sentence_with_a_range(other: Sequence[float], expected: str) -> None:
    assert answer((LOCAL, LOW[: len(other)]), (JSON, other)) == expected


def test_the_range_is_that_of_the_interval_from_which_the_word_follows() -> None:
    """Among others a word needs a wider interval than one alone."""
    alone = found((LOCAL, LOW), (JSON, HIGH)).compared_by("cpu_ms_per_transaction")[0]
    several = found((LOCAL, LOW), (JSON, WIDE), (SOAP, DEAR)).compared_by("cpu_ms_per_transaction")
    assert alone.word_low is not None
    assert alone.low is not None
    assert alone.word_low < alone.low
    assert several[1].word_high is not None
    assert several[1].high is not None
    assert several[1].word_high > several[1].high


def test_a_mode_whose_values_have_phrases_is_answered_by_what_is_done() -> None:
    phrases = {"binding": {"local": "calling services in process", "json": "calling services over JSON"}}
    worded = SPECIFICATION.model_copy(update={"phrases": phrases})
    pair = (LOCAL, LOW), (JSON, HIGH)
    expected = "Calling services over JSON costs 1.39 to 1.41 times the CPU time of calling services in process."
    assert answer(*pair, specification=worded) == expected
    # With a value that has none all have their names.
    assert answer(*pair, (SOAP, DEAR), specification=worded).startswith("Local needs the least CPU time; json ")
    # Two subjects differ in more than what is done.
    java = combination("java", binding="json")
    assert answer((LOCAL, LOW), (java, HIGH), specification=worded).startswith("Java json needs 1.39 ")


def test_by_throughput_it_is_reached_and_more_is_better() -> None:
    led = SPECIFICATION.model_copy(update={"leads_with": ("throughput",)})
    rates = (1000.0, 1001.0, 999.0, 1000.0)
    points = [(one, 10, [Made(rate * by, 5.0) for rate in rates]) for one, by in ((LOCAL, 1.0), (JSON, 0.5))]
    assert judge(made(points, specification=led)).answer == "Json reaches 0.50 times the throughput of local."
    several = [*points, (SOAP, 10, [Made(rate * 0.25, 5.0) for rate in rates])]
    assert judge(made(several, specification=led)).answer.startswith("Local reaches the most throughput; json 0.50 ")


def test_a_few_are_compared_with_the_first_which_is_the_best_only_where_all_are_decided() -> None:
    assert answer((LOCAL, LOW), (JSON, HIGH), (SOAP, DEAR)) == (
        "Local needs the least CPU time; json 1.39 to 1.41 times, soap 2.39 to 2.41 times."
    )
    assert answer((LOCAL, LOW), (JSON, HIGH), (SOAP, LOW)) == (
        "Compared with the CPU time of local: json 1.39 to 1.41 times, soap as much, within 5 %."
    )
    assert answer((JSON, HIGH), (LOCAL, LOW), (SOAP, DEAR)).startswith("Compared with the CPU time of json: local 0.7")
    open_one = answer((LOCAL, LOW), (JSON, WIDE), (SOAP, DEAR))
    assert re.fullmatch(
        r"Compared with the CPU time of local: json not known \(\S+ to \S+ times; the measurements differ too much to "
        r"tell\), soap \S+ to \S+ times\.",
        open_one,
    )
    lost = [*((one, 10, costing(*cost)) for one, cost in ((LOCAL, LOW), (JSON, HIGH))),
            (SOAP, 10, costing(*DEAR, failed="errors"))]  # fmt: skip
    assert judge(made(lost)).answer.endswith(", soap was not compared.")


def test_of_many_the_ends_are_named_and_the_certain_differences_counted() -> None:
    many = [combination(f"p{number}", binding="local") for number in range(6)]
    costs = [LOW, HIGH, DEAR, LOW, WIDE, (3.0, 3.01, 2.99, 3.0)]
    assert answer(*zip(many, costs, strict=True)) == (
        "Of 6 combinations p0 needs the least CPU time, 1 ms; p5 the most, 3 ms. 3 of 5 differences are certain."
    )


def test_what_is_not_ranked_is_not_known_whatever_its_figures() -> None:
    rule = NotRankedValues(values=("local", "json", "soap"), why="bindings promise different things")
    apart = SPECIFICATION.model_copy(update={"never_ranked_together": {"binding": (rule,)}})
    pair = found((LOCAL, LOW), (JSON, HIGH), specification=apart)
    assert pair.answer == (
        "Cannot tell whether json needs more CPU time than local: 1.39 to 1.41 times "
        "(not ranked: bindings promise different things)."
    )
    few = answer((LOCAL, LOW), (JSON, HIGH), (SOAP, DEAR), specification=apart)
    assert few == (
        "Cannot tell how the CPU time compares with that of local: json 1.39 to 1.41 times, soap 2.39 to 2.41 times "
        "(not ranked: bindings promise different things)."
    )
    # What is ranked is answered, and the rest is not in the sentence.
    two = SPECIFICATION.model_copy(
        update={"never_ranked_together": {"binding": (rule.model_copy(update={"values": ("local", "soap")}),)}}
    )
    some = answer((LOCAL, LOW), (JSON, HIGH), (SOAP, DEAR), specification=two)
    assert some == "Json needs 1.39 to 1.41 times the CPU time of local."


def test_a_side_that_still_gets_faster_leaves_the_question_open() -> None:
    warm_up = WarmUp(combination=JSON.path, start=0, seconds=60, limit_s=60, flat=None, compiler_share=0.1, rho=6.0)
    points = [(LOCAL, 10, costing(*LOW)), (JSON, 10, costing(*HIGH, compilers=0.1))]
    text = judge(made(points, warm_ups=[warm_up])).answer
    assert re.fullmatch(
        r"Cannot tell whether json needs more CPU time than local: 0\.8 to 1\.4 times "
        r"\(one side was still getting faster\)\.", text,
    )  # fmt: skip


def test_without_a_round_in_which_both_count_they_were_not_compared() -> None:
    points = [(LOCAL, 10, costing(*LOW)), (JSON, 10, costing(*HIGH, failed="errors"))]
    assert judge(made(points)).answer == "Json and local were not compared: no round in which both count."
    unwatched = [(one, 10, [Made(100.0, 5.0)] * 4) for one in (LOCAL, JSON)]
    assert judge(made(unwatched)).answer == "Json and local were not compared: no round in which both count."


def test_one_combination_has_its_figures() -> None:
    assert answer((LOCAL, (2.0, 2.0))) == (
        "Go local needs 2 ms of CPU time for a page and serves 100 pages per second at 10 users."
    )
    assert judge(made([(LOCAL, 1, [Made(100.0, 5.0)])])).answer == "Go local serves 100 pages per second at 1 user."
    invalid = [(LOCAL, 10, costing(1.0, failed="errors"))]
    assert judge(made(invalid)).answer == "Go local has no window that counts at 10 users."
    assert judge(made([])).answer == "No combination was run."


def test_a_control_alone_is_no_second_combination() -> None:
    again = LOCAL.model_copy(update={"label": "go local again", "path": f"{LOCAL.path},again"})
    assert answer((LOCAL, LOW), (again, LOW)).startswith("Go local needs 1 ms of CPU time for a page ")
    assert answer((LOCAL, LOW), (again, LOW), (JSON, HIGH)).startswith("Json needs 1.39 to 1.41 times ")


@pytest.mark.parametrize(
    ("peak", "expected"),
    [(10, "Go local serves at most 100 pages per second, to 10 users."),
     (None, "Go local has no load at which a window counts.")],
)  # fmt: skip
def test_of_a_search_the_most_it_serves_is_that_of_the_rounds(peak: int | None, expected: str) -> None:
    searched = Searched(
        limits=LoadLimits(mean_ms=3000, p90_ms=None, errors=0.0001), peak=peak, throughput_tps=999.0, peak_known=True,
        inside=peak, outside=None, limit_known=True, points=[],
    )  # fmt: skip
    assert answer((LOCAL, LOW), searched={LOCAL.path: searched}) == expected


def test_a_run_with_faults_answers_what_was_lost() -> None:
    faults = tuple(Fault(kind="kill", planned_s=1, target=WEB, injected_s=1, ready_s=2) for _ in range(6))
    counted = Reconciled(
        effect="order", by_name=True, confirmed=120_000, found=0, unanswered=0, unanswered_done=0, invalid=0,
        invalid_done=0, lost=1, doubled=0,
    )  # fmt: skip
    kept = counted.model_copy(update={"effect": "payment", "lost": 0})
    audit = Audit(passed=False, findings=[], reconciled={"buy": counted, "pay": kept})
    specification = SPECIFICATION.model_copy(update={"effects": {"order": "orders", "payment": "payments"}})
    points = [(one, 10, costing(1.0, 1.0)) for one in (LOCAL, JSON)]
    measured = made(points, specification=specification, faults={one.path: [[], []] for one in (LOCAL, JSON)})
    windows = tuple(one.model_copy(update={"faults": faults, "audit": audit}) for one in measured.windows)
    assert judge(measured.model_copy(update={"windows": windows})).answer == (
        "Under 24 faults, of 480,000 orders that were confirmed, 4 were lost and none was doubled; "
        "of 480,000 payments that were confirmed, none was lost and none was doubled; 0 of 4 audits passed."
    )


def test_a_run_with_transactions_in_doubt_answers_how_many_are_left() -> None:
    ended = InDoubt(database="orders", gid="a:1", xid=1, prepared_s=0.2, ended_s=3)
    left = InDoubt(database="orders", gid="a:2", xid=2, prepared_s=0.2)
    fault = Fault(kind="kill", planned_s=1, target=WEB, injected_s=1, ready_s=2, in_doubt=(ended, left))
    measured = made([(LOCAL, 10, costing(1.0))], faults={LOCAL.path: [[]]})
    windows = tuple(one.model_copy(update={"faults": (fault,)}) for one in measured.windows)
    answer = judge(measured.model_copy(update={"windows": windows})).answer
    assert answer == "Under 1 fault, of 2 transactions in doubt 1 was left prepared; 0 of 0 audits passed."


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (RunStatus.RUNNING, "Not finished (still running or killed) after 5 of 12 windows. "),
        (RunStatus.INTERRUPTED, "Interrupted after 5 of 12 windows. "),
        (RunStatus.FAILED, "Failed after 5 of 12 windows (the driver died). "),
        (RunStatus.FINISHED, "Incomplete: 5 of 12 windows. "),
    ],
)
def test_a_run_that_did_not_finish_says_so_first(tmp_path: Path, status: RunStatus, text: str) -> None:
    message = "the driver died" if status is RunStatus.FAILED else ""
    findings = judge_folder(write_synthetic(tmp_path, Shape(stop_after=5, status=status, message=message)))
    assert findings.answer.startswith(text)
    assert findings.answer.endswith(" were not compared: no round in which both count.")
    assert findings.status == text[0].lower() + text[1:-2]
    assert not findings.run_is_valid


def test_the_basis_is_the_load_the_rounds_and_the_spread_that_was_taken() -> None:
    pair = (LOCAL, LOW), (JSON, HIGH)
    assert found(*pair).basis == "Measured at 10 users; 4 rounds."
    assert found(*pair, rounds=4).basis == (
        "Measured at 10 users; 1 start × 4 rounds; spread between starts 1.5 % (assumed)."
    )
    assert found((LOCAL, LOW)).basis == "Measured at 10 users; 4 rounds."


def test_the_answer_is_of_the_comparisons_that_the_findings_hold(tmp_path: Path) -> None:
    findings = judge_folder(write_synthetic(tmp_path, Shape(repeats=5, rounds=5, loads=(10,))))
    (pair,) = findings.compared_by(findings.metric, Use.PAIR)
    assert pair.word_low is not None
    assert pair.word_high is not None
    assert f" {pair.word_low:.2f} to {pair.word_high:.2f} times " in findings.answer
