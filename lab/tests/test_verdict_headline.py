"""The sentence on top says what the files say, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from synthetic_result import ANYWHERE, APART, COMBINATIONS, Shape, write_synthetic

from middlemark.records.folder import read_result, write_json
from middlemark.records.run import Combination, RunStatus
from middlemark.report.page import report_page
from middlemark.verdict.contests import all_contests, contests
from middlemark.verdict.headline import counts, verdict_sentence
from middlemark.verdict.holm import holm
from middlemark.verdict.judgement import Word
from middlemark.verdict.naming import label, short_names
from middlemark.verdict.sharing import shared_said, sharing
from middlemark.verdict.yardsticks import CPU_TIME, THROUGHPUT


def sentence(folder: Path, shape: Shape) -> str:
    return verdict_sentence(read_result(write_synthetic(folder, shape)))


def test_two_blocks_have_a_ratio_a_range_and_no_verdict(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path))
    comparison = contests(result, CPU_TIME)[0].comparison
    assert verdict_sentence(result) == (
        f"json: {comparison.ratio:.2f} × the CPU time per transaction of local measured at 60 users "
        f"(blocks: {comparison.least:.2f} … {comparison.greatest:.2f}): cannot tell (2 blocks), a verdict needs 4; "
        "shared CPUs; conformance not checked"
    )
    assert counts(result)


def test_the_sentence_names_those_that_shared_cpus_when_others_did_not(tmp_path: Path) -> None:
    run = read_result(write_synthetic(tmp_path, Shape(placement=APART, loads=(10,)))).run
    local, json = (one.path for one in run.combinations)
    assert not shared_said(run)
    mixed = {"shared_cpus": True, "placement": {local: APART, json: ANYWHERE}}
    assert shared_said(run.model_copy(update=mixed)) == "shared CPUs: json"


def test_the_sentence_names_those_that_shared_cores_alone(tmp_path: Path) -> None:
    cores = APART.model_copy(update={"shared_cores": True})
    run = read_result(write_synthetic(tmp_path, Shape(placement=cores, loads=(10,)))).run
    local, json = (one.path for one in run.combinations)
    assert shared_said(run) == sharing(run) == "shared cores"
    mixed = run.model_copy(update={"shared_cpus": True, "placement": {local: cores, json: ANYWHERE}})
    assert shared_said(mixed) == "shared CPUs: json; shared cores: local"


def test_the_ratio_is_taken_from_the_measured_tiers_at_the_highest_load(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path, Shape(repeats=1, loads=(10, 60))))
    cost = {
        p.combination.modes["binding"]: p.verdict.tiers["web+services"].cpu_ms_per_transaction
        for p in result.points
        if p.load == 60 and p.combination and p.verdict
    }
    (contest,) = contests(result, CPU_TIME)
    assert contest.comparison.ratio == pytest.approx(cost["json"] / cost["local"])


def test_four_blocks_differ_as_long_as_the_noise_floor_is_unknown(tmp_path: Path) -> None:
    said = sentence(tmp_path, Shape(repeats=4, loads=(10,)))
    assert said.startswith("json costs 1.")
    assert "differs, noise floor not measured (4 blocks)" in said
    assert "faster" not in said
    assert "slower" not in said


def test_above_the_noise_floor_the_dearer_side_is_slower_and_the_lighter_one_faster(tmp_path: Path) -> None:
    floors = {CPU_TIME.name: 1.05, THROUGHPUT.name: 1.01}
    there = sentence(tmp_path / "there", Shape(repeats=4, loads=(10,), floors=floors))
    back = sentence(tmp_path / "back", Shape(repeats=4, loads=(10,), floors=floors, combinations=COMBINATIONS[::-1]))
    assert re.match(r"json costs 1\.\d\d × the CPU time .*: slower \(4 blocks\); ", there)
    assert re.match(r"local costs 0\.\d\d × the CPU time .*: faster \(4 blocks\); ", back)


def test_within_the_noise_floor_nothing_is_decided(tmp_path: Path) -> None:
    said = sentence(tmp_path, Shape(repeats=4, loads=(10,), floors={CPU_TIME.name: 1.6}))
    assert "measured at 10 users" in said
    assert "): cannot tell (4 blocks), within the noise floor of 60.0 %; " in said


def test_a_floor_counts_for_its_own_yardstick_only(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path, Shape(repeats=4, loads=(10,), floors={THROUGHPUT.name: 1.01})))
    (cost,), (rate,) = contests(result, CPU_TIME), contests(result, THROUGHPUT)
    assert cost.judgement.word is Word.DIFFERS
    assert rate.judgement.word is not Word.DIFFERS


def test_all_ranked_comparisons_of_a_run_are_judged_together(tmp_path: Path) -> None:
    soap = Combination(subject="go", modes={"binding": "soap"}, label="go soap", path="go/binding=soap")
    behind = laid_out("local", front="nginx")
    shape = Shape(combinations=(*COMBINATIONS, soap, behind), repeats=4, loads=(10,))
    found = [
        contest for some in all_contests(read_result(write_synthetic(tmp_path, shape))).values() for contest in some
    ]

    ranked = [contest for contest in found if not contest.label]
    expected = holm([contest.comparison.p_value or 0.0 for contest in ranked])

    assert (len(found), len(ranked)) == (9, 6)
    assert [contest.judgement.p_value for contest in ranked] == expected
    assert {contest.judgement.word for contest in found if contest.label} == {Word.NO_BLOCKS}


def test_invalid_points_are_counted_with_the_first_reason_and_their_block_is_left_out(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path, Shape(error_points=frozenset({1, 2}))))
    said = verdict_sentence(result)
    assert "cannot tell (1 block), a verdict needs 4" in said
    assert "2 of 12 points INVALID, the first (local, 30 users, block 1) by errors: " in said
    assert not counts(result)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (RunStatus.RUNNING, "not finished (still running or killed) after 5 of 12 points; "),
        (RunStatus.INTERRUPTED, "interrupted after 5 of 12 points; "),
        (RunStatus.FAILED, "failed after 5 of 12 points (the driver died); "),
        (RunStatus.FINISHED, "incomplete: 5 of 12 points; "),
    ],
)
def test_a_run_that_did_not_finish_says_so_first(tmp_path: Path, status: RunStatus, said: str) -> None:
    message = "the driver died" if status is RunStatus.FAILED else ""
    result = read_result(write_synthetic(tmp_path, Shape(stop_after=5, status=status, message=message)))
    assert verdict_sentence(result).startswith(said)
    assert (
        "json and local cannot be compared at 60 users: no block in which both count and were watched"
        in verdict_sentence(result)
    )
    assert not counts(result)


def test_one_combination_is_described_and_compared_with_nothing(tmp_path: Path) -> None:
    said = sentence(tmp_path, Shape(combinations=COMBINATIONS[:1], repeats=1, loads=(10,)))
    assert said.startswith("go local: 1.")
    assert "transactions per second at 10 users (1 point)" in said


def test_one_user_and_one_point_are_counted_in_the_singular(tmp_path: Path) -> None:
    said = sentence(tmp_path, Shape(combinations=COMBINATIONS[:1], repeats=1, loads=(1,), stop_after=0))
    assert said.startswith("incomplete: 0 of 1 point; go local has no valid point at 1 user; ")


def test_many_combinations_are_compared_with_the_first(tmp_path: Path) -> None:
    soap = Combination(subject="go", modes={"binding": "soap"}, label="go soap", path="go/binding=soap")
    said = sentence(tmp_path, Shape(combinations=(*COMBINATIONS, soap), repeats=1, loads=(10,)))
    assert said.startswith("CPU time per transaction against local at 10 users: json 1.")
    assert "; soap 2." in said


def combination(subject: str, **modes: str) -> Combination:
    path = f"{subject}/{','.join(f'{k}={v}' for k, v in modes.items())}"
    return Combination(subject=subject, modes=modes, label=" ".join((subject, *modes.values())), path=path)


def test_a_short_name_holds_only_what_tells_combinations_apart() -> None:
    same_orders = [
        combination("go", binding="local", orders="sync"),
        combination("java@x", binding="json", orders="sync"),
    ]
    assert list(short_names(same_orders).values()) == ["go local", "java@x json"]
    assert list(short_names(same_orders[:1]).values()) == ["go local sync"]


def test_a_run_whose_tiers_were_not_watched_has_no_cost_and_says_so(tmp_path: Path) -> None:
    write_synthetic(tmp_path, Shape(loads=(10,), repeats=1))
    for point in read_result(tmp_path).points:
        assert point.verdict
        write_json(point.folder / "verdict.json", point.verdict.model_copy(update={"tiers": {}}))
    result = read_result(tmp_path)
    assert "no block in which both count and were watched" in verdict_sentence(result)
    page = report_page(result)
    assert "No tier was measured." in page
    assert "nan" not in page


def laid_out(binding: str, **layout: str) -> Combination:
    modes = {"binding": binding, **layout}
    path = "go/" + ",".join(f"{mode}={value}" for mode, value in modes.items())
    return Combination(subject="go", modes=modes, label=label("go", modes), path=path)


def test_a_front_on_one_side_only_is_labelled_and_not_ranked(tmp_path: Path) -> None:
    pair = (laid_out("json", front="none"), laid_out("json", front="nginx"))
    said = sentence(tmp_path, Shape(combinations=pair, repeats=4, loads=(10,)))
    assert said.startswith("behind nginx: ")
    assert "not ranked: a front on one side only (4 blocks)" in said
    assert "costs" not in said
    assert "differs" not in said


def test_order_modes_that_promise_different_things_are_labelled_and_not_ranked(tmp_path: Path) -> None:
    pair = (laid_out("local", orders="sync"), laid_out("local", orders="async-queue", processors="2"))
    said = sentence(tmp_path, Shape(combinations=pair, repeats=4, loads=(10,)))
    assert "not ranked: order modes promise different things (4 blocks)" in said
    assert "costs" not in said


def test_each_combination_is_compared_with_the_first_of_its_kind(tmp_path: Path) -> None:
    four = [laid_out(binding, front=front) for front in ("none", "nginx") for binding in ("local", "json")]
    result = read_result(write_synthetic(tmp_path, Shape(combinations=tuple(four), repeats=4, loads=(10,))))
    names = short_names(four)

    found = [(names[c.b.path], names[c.a.path], bool(c.label)) for c in contests(result, CPU_TIME)]

    assert found == [
        ("json, direct", "local, direct", False),
        ("local, behind nginx", "local, direct", True),
        ("json, behind nginx", "local, behind nginx", False),
    ]


def test_of_many_ratios_the_sentence_names_the_ends_and_counts_the_words(tmp_path: Path) -> None:
    six = [laid_out(b, web_servers=n) for n in ("1", "3") for b in ("local", "json", "soap")]
    said = sentence(tmp_path, Shape(combinations=tuple(six), repeats=4, loads=(10,)))
    assert said.startswith("CPU time per transaction at 10 users: against local, 1 web server from ")
    assert " (local, 3 web servers) to 2." in said
    assert "(soap, " in said
    assert " of 5: differs, noise floor not measured (4 blocks)" in said
    assert said.count("\N{MULTIPLICATION SIGN}") == 2
