"""Who is compared with whom, by which figure and over what; and when a run needs no further start."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from made_result import DEAR, HIGH, JSON, LOCAL, LOW, SOAP, Made, changed, combination, costing, made
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.judge.comparisons import Comparing, is_decided, looks
from middlemark.judge.groups import Comparability
from middlemark.judge.levels import levels_of
from middlemark.judge.result import judge, read_measured
from middlemark.judge.spread import ASSUMED, UNSEEN, expected_spread, remaining_change, seen_spreads
from middlemark.records.figures import BY_NAME, CPU_TIME, DATABASE_CPU
from middlemark.records.findings import Comparison, Findings, Measured, Use
from middlemark.records.run import Combination
from middlemark.records.run_parts import WarmUp
from middlemark.records.side_files import Ledger, SeenSpread
from middlemark.records.window import TierFigures
from middlemark.verdict import estimate
from middlemark.verdict.words import Word, holm, step_levels

AGAIN = LOCAL.model_copy(update={"label": "go local again", "path": f"{LOCAL.path},again"})
CPU = CPU_TIME.name


def measured(*costs: tuple[Combination, Sequence[float]], **changes: object) -> Measured:
    return made([(one, 10, costing(*cpu_ms)) for one, cpu_ms in costs], **changes)


def comparing(of: Measured) -> Comparing:
    return Comparing(of, Comparability(of), {one.path: levels_of(of, one) for one in of.run.combinations})


def pairs(of: Measured, metric: str = CPU) -> list[Comparison]:
    return judge(of).compared_by(metric)


def terms_of(of: Measured, a: Combination = LOCAL, b: Combination = JSON) -> estimate.Terms:
    return comparing(of).compare((a, 10), (b, 10), CPU_TIME).terms


def names(findings: Findings, found: Sequence[Comparison]) -> list[tuple[str, str, bool]]:
    return [(findings.name(one.b), findings.name(one.a), bool(one.not_ranked)) for one in found]


def test_the_ratio_is_taken_from_the_platforms_tiers_at_the_highest_load(tmp_path: Path) -> None:
    of = read_measured(write_synthetic(tmp_path, Shape(repeats=1, loads=(10, 60))))
    local, json = (of.of(one, 60)[0].tiers["web+services"].cpu_ms_per_transaction for one in COMBINATIONS)
    (one,) = pairs(of)
    assert (one.load_a, one.load_b) == (60, 60)
    assert one.ratio == pytest.approx(json / local)
    assert [(each.a, each.b) for each in one.rounds] == [(local, json)]


def test_the_dearer_side_is_slower_and_the_lighter_one_faster() -> None:
    ((there,), (back,)) = (pairs(measured((a, x), (b, y))) for a, x, b, y in
                           ((LOCAL, LOW, JSON, HIGH), (JSON, HIGH, LOCAL, LOW)))  # fmt: skip
    assert (there.word, there.decided, back.word, back.decided) == ("slower", True, "faster", True)
    assert there.ratio == pytest.approx(1 / (back.ratio or 0))
    assert there.text.startswith("slower by 3")
    assert there.text.endswith(" %, 4 rounds")


def test_a_round_in_which_one_side_does_not_count_is_left_out() -> None:
    failed = [one if number else costing(9.0, failed="errors")[0] for number, one in enumerate(costing(*HIGH))]
    (one,) = pairs(made([(LOCAL, 10, costing(*LOW)), (JSON, 10, failed)]))
    assert [each.repeat for each in one.rounds] == [1, 2, 3]
    assert one.ratio == pytest.approx(math.exp(sum(map(math.log, one.ratios)) / 3))


def test_every_comparison_is_made_once_and_neighbours_agree_with_pairs() -> None:
    java = combination("java", binding="local")
    costs = ((LOCAL, LOW), (JSON, HIGH), (SOAP, DEAR), (java, HIGH))
    points = [(one, load, costing(*cost)) for load in (10, 20) for one, cost in costs]
    findings = judge(made(points))
    keys = Counter((one.use, one.metric, one.a, one.b, one.load_a, one.load_b) for one in findings.comparisons)
    assert set(keys.values()) == {1}
    assert {use for use, *_ in keys} == {Use.PAIR, Use.RANK, Use.LOAD}
    by_sides = {(one.a, one.b): one for one in findings.compared_by(CPU)}
    neighbours = findings.compared_by(CPU, Use.RANK)
    both = [(by_sides[one.a, one.b], one) for one in neighbours if (one.a, one.b) in by_sides]
    assert both
    assert all((pair.ratio, pair.low, pair.high) == (near.ratio, near.low, near.high) for pair, near in both)
    assert {one.word for one in findings.comparisons if one.use is not Use.PAIR} == {""}


def test_rounds_of_one_start_have_the_spread_between_starts_in_their_interval() -> None:
    of = measured((LOCAL, LOW), (JSON, HIGH), rounds=4)
    (assumed,) = pairs(of)
    seen = SeenSpread(subject="go", squares=30 * 0.25**2, degrees=30.0, starts=31)
    (known,) = pairs(of.model_copy(update={"ledger": Ledger(spreads=(seen,))}))
    assert assumed.text.startswith("slower by ")
    assert assumed.text.endswith(" %, 1 start × 4 rounds; spread between starts 1.5 % (assumed)")
    # Starts of this machine that differ by a quarter leave nothing decided.
    assert known.text.startswith("cannot tell (-")
    assert known.text.endswith("; spread between starts 22.8 % (assumed, and seen in 31 earlier starts)")
    assert known.processes_low is not None
    assert known.processes_low > 1


def test_what_the_compiler_of_the_dearer_side_may_still_gain_forbids_a_word_against_it() -> None:
    warm_up = WarmUp(combination=JSON.path, start=0, seconds=60, limit_s=60, flat=None, compiler_share=0.1, rho=6.0)
    points = [(LOCAL, 10, costing(*LOW)), (JSON, 10, costing(*HIGH, compilers=0.1))]
    of = made(points, rounds=4, warm_ups=[warm_up])
    (one,) = pairs(of)
    assert (one.word, one.decided) == (Word.STILL_FASTER, False)
    assert one.text.startswith("still getting faster: not judged against it, 1 start × 4 rounds; ")
    found = {each.path: each for each in judge(of).combinations}
    assert found[JSON.path].remaining_change == pytest.approx(0.6)
    assert (found[LOCAL.path].remaining_change, found[JSON.path].spread.sigma) == (0, 0.03)
    # The work of the database is the same, whatever code the compiler makes.
    assert comparing(of).compare((LOCAL, 10), (JSON, 10), CPU_TIME).terms.b.rest == pytest.approx(0.6)
    assert comparing(of).compare((LOCAL, 10), (JSON, 10), DATABASE_CPU).terms.b.rest == 0


def with_database(of: Measured) -> Measured:
    """The same with a database, CPU times and throughputs that scatter."""
    windows = []
    for number, one in enumerate(of.windows):
        cpu_ms = 1 + number % 5 / 50
        database = TierFigures(cpu_s=1, cpu_share=1, cpu_ms_per_transaction=cpu_ms, memory_mean_mib=1, memory_max_mib=1)
        changes = {"throughput_tps": 100.0 + 3 * number % 7, "tiers": {**one.tiers, "database": database}}
        windows.append(one.model_copy(update=changes))
    return changed(of, windows)


def test_pairs_by_the_leading_figure_are_judged_together_and_those_by_all_others() -> None:
    near = (SOAP, (1.02, 1.06, 1.05, 1.01))
    of = with_database(measured((LOCAL, LOW), (JSON, (1.03, 1.05, 1.04, 1.03)), near))
    every = [one for one in judge(of).comparisons if one.use is Use.PAIR]
    by_path = {one.path: one for one in of.run.combinations}

    def alone(one: Comparison) -> estimate.LogRatio:
        found = comparing(of).compare((by_path[one.a], 10), (by_path[one.b], 10), BY_NAME[one.metric])
        assert found.estimate
        return found.estimate

    leading = [one for one in every if one.metric == CPU]
    others = [one for one in every if one.metric != CPU and one.rounds]
    assert (len(leading), len(others)) == (2, 4)
    # Of the 5 % of the only look those that lead have four fifths, and all others together the rest.
    for together, level in ((leading, 0.04), (others, 0.01)):
        estimates = [alone(one) for one in together]
        p_values = [one.p_value() or 0.0 for one in estimates]
        assert [one.p_value for one in together] == pytest.approx(holm(p_values))
        for one, known, own_level in zip(together, estimates, step_levels(p_values, level), strict=True):
            interval = known.interval(own_level)
            assert interval
            assert (one.word_low, one.word_high) == (interval.low, interval.high)
    assert {one.word for one in every if not one.rounds} == {Word.NO_ROUNDS}


def test_a_pair_that_is_not_ranked_takes_no_part_in_the_correction() -> None:
    behind = combination("go", binding="local", reverse_proxy="nginx")
    two, three = (
        pairs(measured((LOCAL, LOW), (JSON, (1.03, 1.05, 1.04, 1.03)), *more)) for more in ((), ((behind, HIGH),))
    )
    assert two[0].p_value == three[0].p_value
    assert (three[1].word, three[1].p_value, three[1].rounds != ()) == ("", None, True)
    assert three[1].text == "not ranked: a reverse proxy on one side only"


def chosen(binding: str, proxy: str) -> Combination:
    return combination("go", binding=binding, reverse_proxy=proxy)


FOUR = [chosen(binding, proxy) for proxy in ("none", "nginx") for binding in ("local", "json")]


def test_each_combination_is_compared_with_the_first_of_its_group() -> None:
    findings = judge(measured(*((one, LOW) for one in FOUR)))
    assert names(findings, findings.compared_by(CPU)) == [
        ("json, direct", "local, direct", False),
        ("local, behind nginx", "local, direct", True),
        ("json, behind nginx", "local, behind nginx", False),
    ]
    assert findings.groups == ["direct", "behind nginx"]


def test_with_references_each_combination_is_compared_with_its_own() -> None:
    references = {FOUR[0].path: FOUR[1].path, FOUR[2].path: FOUR[3].path, FOUR[1].path: FOUR[1].path}
    findings = judge(measured(*((one, LOW) for one in FOUR), references=references))
    assert names(findings, findings.compared_by(CPU)) == [
        ("local, direct", "json, direct", False),
        ("local, behind nginx", "json, behind nginx", False),
    ]


def test_a_control_is_compared_with_what_it_repeats_and_not_ranked() -> None:
    of = measured((LOCAL, LOW), (AGAIN, LOW), (JSON, HIGH))
    assert {one.b: one.not_ranked for one in pairs(of)} == {
        AGAIN.path: "a control: one combination twice",
        JSON.path: "",
    }
    # Where others have a reference, it is not compared with that once more.
    references = {LOCAL.path: JSON.path, AGAIN.path: JSON.path}
    found = pairs(changed(of, references=references))
    assert [(one.a, one.b, bool(one.not_ranked)) for one in found] == [
        (JSON.path, LOCAL.path, False),
        (LOCAL.path, AGAIN.path, True),
    ]


def test_combinations_that_were_not_kept_at_once_have_the_drift_of_the_machine_in_their_interval() -> None:
    of = measured((LOCAL, LOW), (JSON, HIGH), rounds=4)
    apart = changed(of, kept_together=[[LOCAL.path], [JSON.path]])
    assert terms_of(of).a.spread.sigma == pytest.approx(0.015)
    assert terms_of(apart).a.spread.sigma == pytest.approx(math.hypot(0.015, 0.05))
    (near,), (far,) = pairs(of), pairs(apart)
    assert (near.low or 0) > (far.low or 0)
    assert not seen_spreads(apart)


def test_by_load_the_side_with_more_throughput_is_the_upper_one_and_no_word_follows() -> None:
    java = combination("java", binding="local")
    points = [
        (one, load, [Made(tps, 1000 / tps)] * 3) for one, tps in ((java, 150.0), (LOCAL, 100.0)) for load in (5, 10)
    ]
    failed = [(LOCAL, 20, [Made(90.0, 9.0)] * 3), (java, 20, [Made(90.0, 9.0, failed="errors")] * 3)]
    found = [one for one in judge(made([*points, *failed])).comparisons if one.use is Use.LOAD]
    assert {(one.a, one.b, one.load_a) for one in found} == {(LOCAL.path, java.path, load) for load in (5, 10, 20)}
    throughputs = [one for one in found if one.metric == "throughput"]
    assert [one.ratio for one in throughputs] == [pytest.approx(1.5), pytest.approx(1.5), None]
    assert throughputs[2].reason == "java INVALID by errors"
    assert not any(one.word for one in found)


def with_rounds(starts: int, *, rounds: int = 3, costs: tuple[float, float] = (1.0, 1.4)) -> Measured:
    figures = [[cost * (1 + number % 3 / 100) for number in range(rounds * starts)] for cost in costs]
    return measured((LOCAL, figures[0]), (JSON, figures[1]), rounds=rounds)


def decided(of: Measured, *, to_publish: bool = False) -> bool:
    return is_decided(of, comparing(of).pairs(), to_publish=to_publish)


def test_a_run_is_decided_when_every_ranked_pair_has_a_word() -> None:
    assert decided(with_rounds(1))
    assert not decided(with_rounds(1, rounds=1))
    assert not decided(measured((LOCAL, LOW)))
    assert decided(measured((LOCAL, LOW), (JSON, LOW), rounds=1))
    assert not decided(measured((LOCAL, LOW), (AGAIN, LOW)))


def test_figures_to_be_published_rest_on_two_starts_and_small_differences_of_compiled_programs_on_four() -> None:
    assert [decided(with_rounds(starts), to_publish=True) for starts in (1, 2)] == [False, True]
    known = Ledger(spreads=(SeenSpread(subject="go", squares=30 * 0.005**2, degrees=300.0, starts=31),))
    warm_ups = [
        WarmUp(combination=side.path, start=0, seconds=60, limit_s=60, flat=None, compiled=True, compiler_share=0.0)
        for side in (LOCAL, JSON)
    ]
    small = [with_rounds(starts, costs=(1.0, 1.08)).model_copy(update={"ledger": known}) for starts in (2, 4)]
    compiled = [changed(one, warm_ups=warm_ups).model_copy(update={"ledger": known}) for one in small]
    assert [decided(one) for one in (*small, *compiled)] == [True] * 4
    assert [decided(one, to_publish=True) for one in small] == [True, True]
    assert [decided(one, to_publish=True) for one in compiled] == [False, True]


def test_a_look_has_the_level_of_the_starts_that_have_rounds_enough() -> None:
    """A start that was cut in its first round is measured again under its number: it has had no look."""
    begun = made([(one, 10, costing(*(1.0,) * 4)) for one in (LOCAL, JSON)], rounds=3)
    assert (looks(with_rounds(2)), looks(begun)) == (2, 1)
    levels = changed(with_rounds(2), alphas=(0.04, 0.0001))
    assert (pairs(levels)[0].word_low or 0) < (pairs(changed(levels, alphas=(0.04, 0.04)))[0].word_low or 0)


def ledger(squares: float, degrees: float, starts: int) -> Ledger:
    return Ledger(spreads=(SeenSpread(subject="go", squares=squares, degrees=degrees, starts=starts),))


def test_a_ledger_counts_by_its_degrees_of_freedom_and_never_says_that_starts_are_alike() -> None:
    # As much known as assumed: the variance lies in the middle.
    found = expected_spread(ledger(6 * 0.045**2, 6, 7), "go", compiles=False)
    assert found.sigma == pytest.approx(math.sqrt((0.015**2 + 0.045**2) / 2))
    assert (found.degrees, found.starts) == (12, 7)
    assert expected_spread(ledger(-1.0, 3, 4), "go", compiles=False).sigma == pytest.approx(0.005)
    assert expected_spread(ledger(-1.0, 3, 4), "java", compiles=False) == ASSUMED
    assert expected_spread(Ledger(), "go", compiles=True).sigma == 0.03


def test_two_starts_of_one_program_show_how_far_starts_lie_apart() -> None:
    again = LOCAL.model_copy(update={"label": "again", "path": f"{LOCAL.path},again"})
    apart = [math.exp(log) for log in (0.04, 0.04, -0.06, -0.06)]
    of = made([(LOCAL, 10, costing(*[1.0] * 4)), (again, 10, costing(*apart))], rounds=2)
    (seen,) = seen_spreads(of)
    # Windows of a start agree, so that nothing is taken off; half of the variance lies on each side.
    assert (seen.subject, seen.starts) == ("go", 2)
    assert seen.degrees == pytest.approx(2.0)
    assert seen.squares == pytest.approx((0.04**2 + 0.06**2) / 2)
    # Of one window a start shows nothing.
    assert not seen_spreads(made([(LOCAL, 10, costing(1.0)), (again, 10, costing(1.1))], rounds=2))


def warmed(rho: float | None = None, **changes: object) -> WarmUp:
    warm_up = WarmUp(
        combination=LOCAL.path, start=0, seconds=120, limit_s=360, flat=None, compiled=True, compiler_share=0.02,
        rho=rho,
    )  # fmt: skip
    return warm_up.model_copy(update=changes)


def compiling(shares: tuple[float | None, ...], *warm_ups: WarmUp) -> Measured:
    """A result in which the first combination's compiler has these shares at 60 users, by round."""
    rounds = [costing(1.0, compilers=share)[0] for share in shares]
    points = [(LOCAL, 30, costing(*[1.0] * len(shares))), (LOCAL, 60, rounds), (JSON, 60, costing(1.0))]
    return made(points, warm_ups=list(warm_ups))


def test_what_is_left_is_the_share_in_the_windows_times_what_it_was_worth() -> None:
    of = compiling((0.02, 0.04), warmed(4.0), warmed(5.0), warmed(9.0, combination=JSON.path))
    assert remaining_change(of, LOCAL, 60) == pytest.approx(5 * 0.03)
    assert (remaining_change(of, LOCAL, 30), remaining_change(of, JSON, 60)) == (0, 0)


def test_a_warm_up_that_shows_nothing_leaves_the_upper_bound() -> None:
    assert remaining_change(compiling((0.02,)), LOCAL, 60) == pytest.approx(12 * 0.02)


def test_a_virtual_machine_that_compiles_this_and_that_is_done() -> None:
    assert remaining_change(compiling((0.004, 0.005)), LOCAL, 60) == 0


def test_compilers_that_were_declared_and_not_seen_leave_everything_open() -> None:
    unseen = warmed(5.0, compiler_share=None)
    assert remaining_change(compiling((0.0,), unseen), LOCAL, 60) == UNSEEN


def test_a_program_without_compiler_threads_that_was_not_flat_may_still_change_by_what_its_warm_up_showed() -> None:
    falling = warmed(compiled=None, compiler_share=None, flat=False, change=-0.08, uncertainty=0.02, change_s=60)
    assert remaining_change(compiling((None,), falling), LOCAL, 60) == pytest.approx(0.1)
    assert remaining_change(compiling((None,), falling.model_copy(update={"flat": True})), LOCAL, 60) == 0


def test_a_warm_up_at_its_limit_is_named_with_its_share() -> None:
    assert warmed(5.0, compiled=False).ending == "not compiled, limit of 360 s, compiler 2.0 % of the CPU time"
    assert warmed(5.0).ending == "compiled, compiler 2.0 % of the CPU time"
    assert warmed(5.0, compiled=None).ending == "fixed length"
