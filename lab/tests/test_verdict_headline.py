"""The sentence on top has what the files have, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from synthetic_result import ANYWHERE, APART, COMBINATIONS, Shape, write_synthetic

from middlemark.records.folder import read_result, write_json
from middlemark.records.ledger import SeenSpread
from middlemark.records.run import Combination, RunStatus
from middlemark.records.specification import NotRankedValues
from middlemark.records.warm_up import WarmUp
from middlemark.report.figure import rounded
from middlemark.report.key_figures import Value, key_figures
from middlemark.report.page import report_page
from middlemark.report.ranking import ranking
from middlemark.verdict.comparability import comparability_groups
from middlemark.verdict.headline import headline, verdict_sentence
from middlemark.verdict.holm import holm
from middlemark.verdict.metrics import CPU_TIME, DATABASE_CPU
from middlemark.verdict.naming import label, short_names
from middlemark.verdict.pairwise import all_pairwise_comparisons, pairwise_comparisons
from middlemark.verdict.sharing import shared_text, sharing
from middlemark.verdict.validity import run_is_valid
from middlemark.verdict.warm_ups import remaining_change
from middlemark.verdict.words import Word


def sentence(folder: Path, shape: Shape) -> str:
    return verdict_sentence(read_result(write_synthetic(folder, shape)))


def test_two_rounds_have_a_ratio_a_range_and_no_verdict(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path))
    comparison = pairwise_comparisons(result, CPU_TIME)[0].comparison
    assert verdict_sentence(result) == (
        f"json: {comparison.ratio:.2f} × the CPU time per transaction of local measured at 60 users "
        f"(rounds: {comparison.min_ratio:.2f} … {comparison.max_ratio:.2f}): cannot tell, 2 rounds; "
        "a word needs 3 rounds that both sides have; shared CPUs; conformance not checked"
    )
    assert run_is_valid(result)


def test_the_sentence_names_those_that_shared_cpus_when_others_did_not(tmp_path: Path) -> None:
    run = read_result(write_synthetic(tmp_path, Shape(placement=APART, loads=(10,)))).run
    local, json = (one.path for one in run.combinations)
    assert not shared_text(run)
    mixed = {"shared_cpus": True, "placement": {local: APART, json: ANYWHERE}}
    assert shared_text(run.model_copy(update=mixed)) == "shared CPUs: json"


def test_the_sentence_names_those_that_shared_cores_alone(tmp_path: Path) -> None:
    cores = APART.model_copy(update={"shared_cores": True})
    run = read_result(write_synthetic(tmp_path, Shape(placement=cores, loads=(10,)))).run
    local, json = (one.path for one in run.combinations)
    assert shared_text(run) == sharing(run) == "shared cores"
    mixed = run.model_copy(update={"shared_cpus": True, "placement": {local: cores, json: ANYWHERE}})
    assert shared_text(mixed) == "shared CPUs: json; shared cores: local"


def test_the_ratio_is_taken_from_the_platforms_tiers_at_the_highest_load(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path, Shape(repeats=1, loads=(10, 60))))
    cost = {
        p.combination.modes["binding"]: p.verdict.tiers["web+services"].cpu_ms_per_transaction
        for p in result.points
        if p.load == 60 and p.combination and p.verdict
    }
    (one,) = pairwise_comparisons(result, CPU_TIME)
    assert one.comparison.ratio == pytest.approx(cost["json"] / cost["local"])


def test_the_dearer_side_is_slower_and_the_lighter_one_faster(tmp_path: Path) -> None:
    there = sentence(tmp_path / "there", Shape(repeats=4, loads=(10,)))
    back = sentence(tmp_path / "back", Shape(repeats=4, loads=(10,), combinations=COMBINATIONS[::-1]))
    assert re.match(r"json costs 1\.\d\d × the CPU time .*: slower by \d+ … \d+ %, 4 rounds; ", there)
    assert re.match(r"local costs 0\.\d\d × the CPU time .*: faster by \d+ … \d+ %, 4 rounds; ", back)


def test_rounds_of_one_start_have_the_spread_between_starts_in_their_interval(tmp_path: Path) -> None:
    seen = SeenSpread(subject="go", squares=30 * 0.25**2, degrees=30.0, starts=31)
    assumed = sentence(tmp_path / "assumed", Shape(repeats=3, rounds=3, loads=(10,)))
    known = sentence(tmp_path / "known", Shape(repeats=3, rounds=3, loads=(10,), seen=(seen,)))
    assert re.match(r"json costs 1\.\d\d × .*: slower by \d+ … \d+ %, 1 start × 3 rounds; spread between", assumed)
    assert "; spread between starts 1.5 % (assumed); " in assumed
    # Starts of this machine that differ by a quarter leave nothing decided.
    assert re.search(r": cannot tell \(-\d+ … \+\d+ %\), 1 start × 3 rounds; ", known)
    assert "; spread between starts 22.8 % (known from 31 starts); " in known


def test_what_the_compiler_of_the_dearer_side_may_still_gain_forbids_a_word_against_it(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path, Shape(repeats=3, rounds=3, loads=(10,))))
    for point in result.of(COMBINATIONS[1], 10):
        assert point.verdict
        tiers = {
            name: one.model_copy(update={"compiler_s": 0.1 * one.cpu_s}) if name == "web+services" else one
            for name, one in point.verdict.tiers.items()
        }
        write_json(point.folder / "verdict.json", point.verdict.model_copy(update={"tiers": tiers}))
    json = COMBINATIONS[1]
    warm_up = WarmUp(combination=json.path, start=0, seconds=60, limit_s=60, flat=None, compiler_share=0.1, rho=6.0)
    write_json(tmp_path / "run.json", result.run.model_copy(update={"warm_ups": [warm_up]}))
    result = read_result(tmp_path)

    assert remaining_change(result, json, 10) == pytest.approx(0.6)
    assert remaining_change(result, COMBINATIONS[0], 10) == 0
    (one,) = pairwise_comparisons(result, CPU_TIME)
    assert one.judgement.word is Word.STILL_FASTER
    assert one.comparison.terms.b.spread.sigma == 0.03
    (database,) = pairwise_comparisons(result, DATABASE_CPU)
    assert database.comparison.terms.b.rest == 0
    text = verdict_sentence(result)
    assert "json: 1." in text
    assert ": still getting faster: not judged against it, 1 start × 3 rounds; " in text
    assert "still getting faster" in headline(result)


def test_pairs_by_the_leading_metric_are_judged_together_and_those_by_all_others(tmp_path: Path) -> None:
    soap = Combination(subject="go", modes={"binding": "soap"}, label="go soap", path="go/binding=soap")
    behind = chosen("local", reverse_proxy="nginx")
    shape = Shape(combinations=(*COMBINATIONS, soap, behind), repeats=4, loads=(10,))
    found = [
        one
        for some in all_pairwise_comparisons(read_result(write_synthetic(tmp_path, shape))).values()
        for one in some
        if one.comparison.rounds
    ]

    ranked = [one for one in found if not one.not_ranked]
    estimates = [one.comparison.estimate for one in ranked]
    p_values = [one.p_value() or 0.0 for one in estimates if one]
    # The two pairs by the metric that leads, and those by all other metrics.
    expected = [*holm(p_values[:2]), *holm(p_values[2:])]

    assert (len(found), len(ranked)) == (9, 6)
    assert [one.judgement.p_value for one in ranked] == expected
    assert {one.judgement.word for one in found if one.not_ranked} == {Word.NO_ROUNDS}


def test_invalid_points_are_counted_with_the_first_reason_and_their_round_is_left_out(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path, Shape(error_points=frozenset({1, 2}))))
    text = verdict_sentence(result)
    assert "cannot tell, 1 round; a word needs 3 rounds that both sides have" in text
    assert "2 of 12 points INVALID, the first (local, 30 users, round 1) by errors: " in text
    assert not run_is_valid(result)


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (RunStatus.RUNNING, "not finished (still running or killed) after 5 of 12 points; "),
        (RunStatus.INTERRUPTED, "interrupted after 5 of 12 points; "),
        (RunStatus.FAILED, "failed after 5 of 12 points (the driver died); "),
        (RunStatus.FINISHED, "incomplete: 5 of 12 points; "),
    ],
)
def test_a_run_that_did_not_finish_says_so_first(tmp_path: Path, status: RunStatus, text: str) -> None:
    message = "the driver died" if status is RunStatus.FAILED else ""
    result = read_result(write_synthetic(tmp_path, Shape(stop_after=5, status=status, message=message)))
    assert verdict_sentence(result).startswith(text)
    assert (
        "json and local cannot be compared at 60 users: no round in which both count and were watched"
        in verdict_sentence(result)
    )
    assert not run_is_valid(result)


def test_one_combination_is_described_and_compared_with_nothing(tmp_path: Path) -> None:
    text = sentence(tmp_path, Shape(combinations=COMBINATIONS[:1], repeats=1, loads=(10,)))
    assert text.startswith("go local: 1.")
    assert "transactions per second at 10 users (1 point)" in text


def test_one_user_and_one_point_are_counted_in_the_singular(tmp_path: Path) -> None:
    text = sentence(tmp_path, Shape(combinations=COMBINATIONS[:1], repeats=1, loads=(1,), stop_after=0))
    assert text.startswith("incomplete: 0 of 1 point; go local has no valid point at 1 user; ")


def test_many_combinations_are_compared_with_the_first(tmp_path: Path) -> None:
    soap = Combination(subject="go", modes={"binding": "soap"}, label="go soap", path="go/binding=soap")
    text = sentence(tmp_path, Shape(combinations=(*COMBINATIONS, soap), repeats=1, loads=(10,)))
    assert text.startswith("CPU time per transaction against local at 10 users: json 1.")
    assert "; soap 2." in text


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


def test_a_run_whose_tiers_were_not_watched_has_no_cost(tmp_path: Path) -> None:
    write_synthetic(tmp_path, Shape(loads=(10,), repeats=1))
    for point in read_result(tmp_path).points:
        assert point.verdict
        write_json(point.folder / "verdict.json", point.verdict.model_copy(update={"tiers": {}}))
    result = read_result(tmp_path)
    assert "no round in which both count and were watched" in verdict_sentence(result)
    page = report_page(result)
    assert "No tier was measured." in page
    assert "nan" not in page


def chosen(binding: str, **choices: str) -> Combination:
    modes = {"binding": binding, **choices}
    path = "go/" + ",".join(f"{mode}={value}" for mode, value in modes.items())
    return Combination(subject="go", modes=modes, label=label("go", modes), path=path)


def test_a_reverse_proxy_on_one_side_only_is_not_ranked(tmp_path: Path) -> None:
    pair = (chosen("json", reverse_proxy="none"), chosen("json", reverse_proxy="nginx"))
    text = sentence(tmp_path, Shape(combinations=pair, repeats=4, loads=(10,)))
    assert text.startswith("behind nginx: ")
    assert "not ranked: a reverse proxy on one side only, 4 rounds" in text
    assert "costs" not in text
    assert "differs" not in text


def test_order_modes_that_promise_different_things_are_not_ranked(tmp_path: Path) -> None:
    pair = (chosen("local", orders="sync"), chosen("local", orders="async-queue", **{"instances.processor": "2"}))
    text = sentence(tmp_path, Shape(combinations=pair, repeats=4, loads=(10,)))
    assert "not ranked: order modes promise different things, 4 rounds" in text
    assert "costs" not in text


def test_each_combination_is_compared_with_the_first_of_its_comparability_group(tmp_path: Path) -> None:
    four = [chosen(binding, reverse_proxy=proxy) for proxy in ("none", "nginx") for binding in ("local", "json")]
    result = read_result(write_synthetic(tmp_path, Shape(combinations=tuple(four), repeats=4, loads=(10,))))
    names = short_names(four)

    found = [(names[c.b.path], names[c.a.path], bool(c.not_ranked)) for c in pairwise_comparisons(result, CPU_TIME)]

    assert found == [
        ("json, direct", "local, direct", False),
        ("local, behind nginx", "local, direct", True),
        ("json, behind nginx", "local, behind nginx", False),
    ]


def test_two_that_may_be_ranked_with_a_third_alone_are_in_no_group_together(tmp_path: Path) -> None:
    three = tuple(chosen(binding) for binding in ("soap", "local", "json"))
    result = read_result(write_synthetic(tmp_path, Shape(combinations=three, repeats=1, loads=(10,))))
    rule = NotRankedValues(values=("local", "json"), why="these promise different things")
    specification = result.run.specification.model_copy(update={"never_ranked_together": {"binding": (rule,)}})
    write_json(tmp_path / "run.json", result.run.model_copy(update={"specification": specification}))
    result = read_result(tmp_path)

    groups = [[one.modes["binding"] for one in group] for group in comparability_groups(result)]
    ranked = [(one.b.modes["binding"], bool(one.not_ranked)) for one in pairwise_comparisons(result, CPU_TIME)]

    assert groups == [["soap", "local"], ["json"]]
    assert ranked == [("local", False), ("json", False)]


def test_the_ratio_in_large_type_is_of_what_is_ranked(tmp_path: Path) -> None:
    three = (chosen("local", reverse_proxy="none"), chosen("json", reverse_proxy="none"),
             chosen("soap", reverse_proxy="nginx"))  # fmt: skip
    result = read_result(write_synthetic(tmp_path, Shape(combinations=three, repeats=1, loads=(10,))))
    json, soap = pairwise_comparisons(result, CPU_TIME)

    figure = key_figures(result)[0]

    assert (bool(json.not_ranked), bool(soap.not_ranked)) == (False, True)
    assert figure.label == "CPU time per transaction, json, direct ÷ local, direct"
    assert figure.values == (Value(f"{json.comparison.ratio:.2f} ×"),)
    assert figure.note == "cannot tell; 1 not ranked"


def test_figures_in_large_type_and_ranking_are_those_at_the_load_of_the_comparison(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path, Shape(repeats=1, loads=(10, 30, 60))))
    outside = {one.path: 60 for one in COMBINATIONS}
    write_json(tmp_path / "run.json", result.run.model_copy(update={"outside": outside}))
    result = read_result(tmp_path)
    assert result.run.top_name == "30 users"
    cost = [
        p.verdict.tiers["web+services"].cpu_ms_per_transaction
        for p in result.points
        if p.load == 30 and p.verdict
    ]  # fmt: skip

    figure = next(one for one in key_figures(result) if one.label == "CPU-ms per transaction")
    (ranked,) = ranking(result)

    assert [value.text for value in figure.values] == [rounded(one) for one in cost]
    assert figure.note == "at 30 users, mean of the rounds"
    assert [row[1].exact for row in ranked.table.rows] == sorted(cost)


def test_of_many_ratios_the_sentence_names_the_ends_and_counts_the_words(tmp_path: Path) -> None:
    six = [chosen(b, **{"instances.web": n}) for n in ("1", "3") for b in ("local", "json", "soap")]
    text = sentence(tmp_path, Shape(combinations=tuple(six), repeats=4, loads=(10,)))
    assert text.startswith("CPU time per transaction at 10 users: against local, 1 × web from ")
    assert " (local, 3 × web) to 2." in text
    assert "(soap, " in text
    assert "4 of 5: slower, 1 of 5: equal within 5 %" in text
    assert len(re.findall(r"\d\.\d\d \N{MULTIPLICATION SIGN}", text)) == 2


@pytest.mark.parametrize(
    ("choices", "reason"),
    [
        ({"scale": ("tiny", "demo")}, "different scales (tiny, demo)"),
        ({"session": ("one", "two")}, "different sessions (one, two)"),
        ({"MM_DATABASE_POOL": ("20", "50")}, "different MM_DATABASE_POOL (20, 50)"),
        ({"connections": ("keep", "close")}, "different connections of the driver (keep, close)"),
        ({"cpus": ("1", "2")}, "different numbers of CPUs"),
    ],
)
def test_what_ran_under_other_conditions_is_not_ranked_with_the_reason(
    tmp_path: Path, choices: dict[str, tuple[str, str]], reason: str
) -> None:
    pair = [chosen("local", **{name: values[side] for name, values in choices.items()}) for side in (0, 1)]
    text = sentence(tmp_path, Shape(combinations=tuple(pair), repeats=4, loads=(10,)))
    assert f"not ranked: {reason}, 4 rounds" in text


def test_every_choice_has_its_words() -> None:
    choices = {
        "binding": "json", "scale": "demo", "session": "browse", "reverse_proxy": "nginx", "tiers.web": "go",
        "cpus": "1", "instances.web": "2", "MM_POOL": "5", "http": "1.0", "threads": "4",
    }  # fmt: skip
    assert label("java", choices) == (
        "java json, scale demo, session browse, behind nginx, web of go, 1 CPU, 2 × web, MM_POOL=5, HTTP/1.0, "
        "4 driver threads"
    )
    assert label("go", {"reverse_proxy": "none"}) == "go, direct"


def test_with_references_each_combination_is_compared_with_its_own(tmp_path: Path) -> None:
    four = [chosen(binding, reverse_proxy=proxy) for proxy in ("none", "nginx") for binding in ("local", "json")]
    folder = write_synthetic(tmp_path, Shape(combinations=tuple(four), repeats=4, loads=(10,)))
    run = read_result(folder).run
    references = {four[0].path: four[1].path, four[2].path: four[3].path, four[1].path: four[1].path}
    write_json(folder / "run.json", run.model_copy(update={"references": references}))
    result = read_result(folder)
    names = short_names(four)

    found = pairwise_comparisons(result, CPU_TIME)

    assert [(names[one.b.path], names[one.a.path]) for one in found] == [
        ("local, direct", "json, direct"),
        ("local, behind nginx", "json, behind nginx"),
    ]
    assert verdict_sentence(result).startswith(
        "CPU time per transaction at 10 users: local, direct against json, direct 0."
    )
    assert "CPU time per transaction against the reference of each" in report_page(result)


def test_the_sentence_compares_by_the_metric_with_which_the_specification_leads(tmp_path: Path) -> None:
    folder = write_synthetic(tmp_path, Shape(repeats=4, loads=(10,)))
    run = read_result(folder).run
    led = run.specification.model_copy(update={"leads_with": ("throughput", "users_at_peak"), "unit": "page"})
    write_json(folder / "run.json", run.model_copy(update={"specification": led}))
    result = read_result(folder)

    assert re.match(r"json(:| reaches) [01]\.\d\d × the throughput of local", verdict_sentence(result))
    page = report_page(result)
    assert "pages per second" in page
    assert "CPU ms per page" in page
    assert "transaction" not in page.replace('href="#transactions"', "").replace('id="transactions"', "")


def test_very_many_ratios_are_one_line_with_their_ends_and_words(tmp_path: Path) -> None:
    many = tuple(
        Combination(subject=subject, modes=(modes := {"binding": binding, "session": session}),
                    label=label(subject, modes), path=f"{subject}/binding={binding},session={session}")
        for session in "abcd" for subject, binding in (("one", "local"), ("two", "json"))
    )  # fmt: skip
    shape = Shape(combinations=many, loads=(10,), repeats=4)
    result = read_result(write_synthetic(tmp_path, shape))
    found = [one for one in pairwise_comparisons(result, CPU_TIME) if not one.not_ranked]
    ratios = [one.comparison.ratio for one in found if one.comparison.ratio]

    line = headline(result)

    assert len(line) <= 100
    assert line.startswith(
        f"CPU time per transaction at 10 users: {min(ratios):.2f} … {max(ratios):.2f} × in 4 groups: "
    )
    assert line.endswith("4 slower")
    assert verdict_sentence(result).startswith(line)
    page = report_page(result)
    assert f"<h1>{line}</h1>" in page
    assert "<li>shared CPUs</li><li>conformance not checked</li></ul>" in page
