"""`middlemark compare`: what differs, every ratio, and a word only where the spread between runs is known."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from synthetic_result import COMBINATIONS, Shape, write_synthetic
from typer.testing import CliRunner

from middlemark.cli import application
from middlemark.errors import InputError
from middlemark.experiment.ledger import build_of, note_spreads, spread_between_runs
from middlemark.judge.between import UNKNOWN, compare_results, run_spread, slower_by
from middlemark.judge.result import judge, read_findings
from middlemark.records.between import RunSpread
from middlemark.records.findings import Findings
from middlemark.records.run import Run
from middlemark.show.between import between_lines, between_page
from middlemark.verdict.words import Word

LOCAL = COMBINATIONS[0]
TIGHT = RunSpread(sigma=0.01, degrees=20, runs=21)


def result(root: Path, seed: int = 1, cost: float = 1.0, **changes: object) -> Findings:
    """A result of one combination, with so many times the CPU time; `changes` are of its run."""
    found = read_findings(write_synthetic(root, Shape((LOCAL,), (10,), repeats=3, rounds=3, seed=seed)))
    windows = []
    for window in found.windows:
        tiers = {
            name: tier.model_copy(update={"cpu_ms_per_transaction": cost * tier.cpu_ms_per_transaction})
            for name, tier in window.tiers.items()
        }
        windows.append(window.model_copy(update={"tiers": tiers}))
    run = found.run.model_copy(update=changes)
    return judge(Findings(**{**dict(found), "run": run, "windows": tuple(windows)}))


def supporting(found: Findings, users: float) -> Findings:
    """The same result, led by the users that each round supports."""
    led = found.run.specification.model_copy(update={"leads_with": ("users_at_limit",)})
    run = found.run.model_copy(update={"specification": led})
    windows = tuple(one.model_copy(update={"users_at_limit": users}) for one in found.windows)
    return judge(Findings(**{**dict(found), "run": run, "windows": windows}))


def unknown(_run: Run, _subject: str) -> None:
    """A ledger that has nothing."""


def tight(_run: Run, _subject: str) -> RunSpread:
    """A ledger of runs that lie close together."""
    return TIGHT


def test_without_a_known_spread_there_is_an_interval_and_no_word(tmp_path: Path) -> None:
    found = compare_results([result(tmp_path / "a"), result(tmp_path / "b", cost=2.0)], unknown)
    (one,) = found.leading()
    assert one.ratio == pytest.approx(2, rel=0.1)
    assert one.low is not None
    assert 1 < one.low < one.ratio < (one.high or 0)
    assert (one.word, one.reason, one.decided) == (Word.UNDECIDED, UNKNOWN, False)
    assert "spread between runs unknown" in found.answer


@pytest.mark.parametrize(
    ("cost", "word"), [(1.0, Word.EQUAL), (1.3, Word.SLOWER), (0.7, Word.FASTER), (1.025, Word.UNDECIDED)]
)
def test_a_known_spread_allows_a_word(tmp_path: Path, cost: float, word: Word) -> None:
    found = compare_results([result(tmp_path / "a"), result(tmp_path / "b", cost=cost)], tight)
    (one,) = found.leading()
    assert one.word == word
    assert one.reason == ""
    # t of 20 degrees of freedom × 1 % × √2.
    assert math.log((one.high or 0) / one.ratio) == pytest.approx(2.086 * 0.01 * math.sqrt(2), rel=1e-3)


def test_windows_that_scatter_more_than_the_ledger_knows_widen_the_interval(tmp_path: Path) -> None:
    def too_tight(_run: Run, _subject: str) -> RunSpread:
        return RunSpread(sigma=1e-6, degrees=1000, runs=1001)

    results = [result(tmp_path / "a"), result(tmp_path / "b", seed=2)]
    (alone,) = compare_results(results, unknown).leading()
    (one,) = compare_results(results, too_tight).leading()
    assert [one.low, one.high] == pytest.approx([alone.low, alone.high])


def test_several_comparisons_share_the_level(tmp_path: Path) -> None:
    # 3.4 % is certain by itself at a level of 5 %, and not among twelve.
    one = [result(tmp_path / "a"), result(tmp_path / "b", cost=1.034)]
    more = [result(tmp_path / f"more{n}") for n in range(11)]
    assert compare_results(one, tight).leading()[0].decided
    assert not any(each.decided for each in compare_results([*one, *more], tight).leading())


def test_the_answer_of_several_names_what_is_open_with_its_ratio(tmp_path: Path) -> None:
    results = [result(tmp_path / f"run{number}", cost=cost) for number, cost in enumerate((1.0, 1.025, 1.4))]
    assert re.fullmatch(
        r"By CPU time: go local of run C is slower by \d+ … \d+ %; "
        r"cannot tell: go local of run B \S+ to \S+ times\.",
        compare_results(results, tight).answer,
    )
    open_ones = compare_results([*results[:2], result(tmp_path / "more", cost=1.025)], unknown).answer
    assert open_ones.startswith("Cannot tell whether the CPU time differs from that of run A: go local of run B 0.9")
    assert open_ones.endswith(" times (spread between runs unknown).")


def test_the_answer_has_the_verb_of_the_leading_figure(tmp_path: Path) -> None:
    costly = compare_results([result(tmp_path / "a"), result(tmp_path / "b", cost=2.0)], tight)
    assert re.fullmatch(r"go local of run B needs \S+ to \S+ times the CPU time of run A\.", costly.answer)
    equal = compare_results([result(tmp_path / "c"), result(tmp_path / "d")], tight)
    assert equal.answer == "go local of run B needs as much CPU time as run A, within 5 %."


def test_users_at_the_limit_are_supported_as_in_the_report_of_a_run(tmp_path: Path) -> None:
    results = [supporting(result(tmp_path / name), users) for name, users in (("a", 100.0), ("b", 200.0))]
    answer = compare_results(results, tight).answer
    assert re.fullmatch(r"go local of run B supports \S+ to \S+ times the users of run A\.", answer)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"spec_version": "2"}, "the version of the specification"),
        ({"think": "5 s"}, "the think time"),
        ({"load_unit": "rate"}, "the unit of the loads"),
    ],
)
def test_what_prevents_a_comparison_comes_first_and_leaves_no_word(
    tmp_path: Path, changes: Mapping[str, object], what: str
) -> None:
    other = result(tmp_path / "b", cost=2.0, **changes, seed=1)
    found = compare_results([result(tmp_path / "a", seed=1), other], tight)
    assert (found.differing[0].what, found.differing[0].prevents) == (what, True)
    assert found.answer == f"The results are not comparable: they differ in {what}."
    assert not any(one.decided for one in found.leading())
    assert "Not comparable, as they differ in" in between_page(found)
    assert f"NOT COMPARABLE {what}" in "\n".join(between_lines(found, Path("page.html")))


def test_another_machine_is_not_comparable_and_another_kernel_is(tmp_path: Path) -> None:
    a = result(tmp_path / "a")
    for field, value, prevents in (("cpu", "Another CPU", True), ("cpus", 8, True), ("kernel", "7.0", False)):
        host = a.run.host.model_copy(update={field: value})
        found = compare_results([a, result(tmp_path / field, host=host)], tight)
        assert [one.prevents for one in found.differing] == [prevents]
        assert found.leading()[0].word == (Word.UNDECIDED if prevents else Word.EQUAL)


def test_another_build_is_named_by_its_inputs(tmp_path: Path) -> None:
    a = result(tmp_path / "a")
    found = compare_results([a, result(tmp_path / "b", inputs={**a.run.inputs, "platforms/go": "ef" * 32})], tight)
    assert not found.same_build
    assert [(one.what, one.values) for one in found.differing] == [("inputs: platforms/go", ("its own", "ef" * 8))]
    assert compare_results([a, result(tmp_path / "c")], tight).same_build


def test_a_run_that_is_not_valid_has_no_word(tmp_path: Path) -> None:
    found = compare_results([result(tmp_path / "a"), result(tmp_path / "b", cost=2.0, repeats=9)], tight)
    assert found.differing[0].what == "validity of the runs"
    assert not found.leading()[0].decided


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    a = result(tmp_path / "a")
    with pytest.raises(InputError, match="nothing to be compared with"):
        compare_results([a], tight)
    with pytest.raises(InputError, match="two results have this name"):
        compare_results([a, a], tight)
    other = read_findings(write_synthetic(tmp_path / "b", Shape((COMBINATIONS[1],), (10,))))
    with pytest.raises(InputError, match="no combination of this result is in another one"):
        compare_results([a, other], tight)


def test_a_spread_is_found_again_from_runs_of_several_builds() -> None:
    source, true = random.Random(5), 0.03  # noqa: S311 (made-up figures, no secret)
    levels = {
        f"build {build}": {
            f"run {run}": {place: (build + 1) * math.exp(source.gauss(0, true)) for place in ("x", "y")}
            for run in range(4)
        }
        for build in range(60)
    }
    found = run_spread(levels)
    assert found is not None
    assert (found.degrees, found.runs) == (180, 240)
    assert found.sigma == pytest.approx(true, rel=0.1)


@pytest.mark.parametrize(("runs", "known"), [(1, False), (2, False), (3, True)])
def test_three_runs_of_one_build_make_a_spread(tmp_path: Path, runs: int, known: bool) -> None:  # noqa: FBT001
    file = tmp_path / "ledger.ndjson"
    for number in range(runs):
        note_spreads(result(tmp_path / f"run{number}", cost=1 + number / 50), file)
        note_spreads(result(tmp_path / f"other{number}", inputs={"another": str(number)}), file)
    found = spread_between_runs(result(tmp_path / "asked").run, "go", file)
    assert (found is not None) is known
    if found is not None:
        assert (found.degrees, found.runs) == (2, 3)


def test_the_same_build_is_the_same_experiment_inputs_and_versions(tmp_path: Path) -> None:
    run = result(tmp_path / "a").run
    assert build_of(run) == build_of(result(tmp_path / "b", started="2027-01-01T00:00:00Z").run)
    others: tuple[dict[str, object], ...] = ({"inputs": {}}, {"versions": {}}, {"requested": "another"})
    for changes in others:
        assert build_of(run) != build_of(run.model_copy(update=changes))


def test_too_slow_is_what_all_of_the_interval_says(tmp_path: Path) -> None:
    found = compare_results([result(tmp_path / "a"), result(tmp_path / "b", cost=1.2)], tight)
    assert slower_by(found, 0.1) == found.leading()
    assert slower_by(found, 0.2) == []


def test_the_command_writes_a_page_a_table_and_junit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in "ab":
        write_synthetic(tmp_path / name, Shape((LOCAL,), (10,), repeats=3, rounds=3))
    files = [tmp_path / name for name in ("page.html", "figures.csv", "cases.xml")]
    words = ["compare", *(str(tmp_path / name) for name in "ab"), "--out", str(files[0])]
    done = CliRunner().invoke(application(words), [*words, "--csv", str(files[1]), "--junit", str(files[2])])
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert len(lines) <= 25
    assert lines[-1] == str(files[0])
    assert "spread between runs unknown" in files[0].read_text()
    rows = files[1].read_text().splitlines()
    assert {row.partition(",")[0] for row in rows[1:]} == {"a", "b"}
    assert 'skipped="1"' in files[2].read_text()
