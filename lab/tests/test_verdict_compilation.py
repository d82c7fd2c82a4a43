"""A program that compiles while it runs is warm when its compiler is done; what is left is never taken for nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.records.folder import Result, read_result, write_json
from middlemark.records.warm_up import WarmUp
from middlemark.verdict.compilation import MAX_RHO, MIN_RHO, Compiling, is_done, last_span, rho_of
from middlemark.verdict.warm_ups import compiler_share, ending_text, remaining_change, warm_up_reservation

# Seconds since its start, CPU ms per request and share of the compiler in 20 s: Open Liberty on one CPU, 200 users.
LIBERTY = [
    (68, 8.76, 0.32), (92, 3.13, 0.16), (117, 2.19, 0.13), (165, 1.18, 0.16), (188, 1.12, 0.26), (211, 0.90, 0.30),
    (234, 0.61, 0.18), (258, 0.58, 0.11), (281, 0.60, 0.09), (304, 0.53, 0.06), (327, 0.50, 0.013), (350, 0.50, 0.002),
]  # fmt: skip
# .NET: its compiler thread comes and goes, and costs were three times those of the end with a share of 2 %.
DOTNET = [(20, 0.591, 0.022), (38, 0.600, 0.051), (56, 0.265, 0.0), (74, 0.186, 0.0), (92, 0.185, 0.0)]


def seconds(*spans: tuple[float, float], each: int = 20) -> list[Compiling]:
    """Return stretches of a second: spans of this length with the cost of a request in ms and the compiler's share."""
    per_second = [span for span in spans for _ in range(each)]
    return [
        Compiling(float(n), n + 1.0, 1000, cost_ms, cost_ms * share) for n, (cost_ms, share) in enumerate(per_second)
    ]


@pytest.mark.parametrize(("course", "done_at"), [(LIBERTY, 350), (DOTNET, 92)])
def test_of_what_was_measured_only_the_end_is_warm(course: list[tuple[int, float, float]], done_at: int) -> None:
    done = [
        at for n, (at, _, _) in enumerate(course) if is_done(seconds(*[(cost, c) for _, cost, c in course[: n + 1]]))
    ]
    assert done[0] == done_at


def test_a_compiler_that_is_done_is_not_waited_for() -> None:
    assert is_done(seconds((1.0, 0.004), (1.0, 0.002)))
    # What a neighbour makes dearer is no sign of compiling.
    assert is_done(seconds((1.0, 0.004), (1.3, 0.002)))


def test_too_little_to_see_is_not_warm() -> None:
    assert not is_done([])
    assert not is_done(seconds((1.0, 0.0)))
    assert last_span(seconds((1.0, 0.0), each=10)) is None
    assert not is_done([Compiling(float(n), n + 1.0, 0, 0.0, 0.0) for n in range(60)])


def test_rho_is_by_how_much_a_share_of_the_compiler_changes_the_cost() -> None:
    # ln 2 × 1.5 for 20 points of share.
    assert rho_of(seconds((2.0, 0.21), (1.5, 0.1), (1.0, 0.01))) == pytest.approx(5.2, abs=0.01)
    assert rho_of(seconds(*[(cost, share) for _, cost, share in LIBERTY])) == MAX_RHO
    assert rho_of(seconds((1.01, 0.3), (1.0, 0.01))) == MIN_RHO


def test_a_course_that_does_not_show_it_has_the_largest_rho() -> None:
    assert rho_of([]) == MAX_RHO
    assert rho_of(seconds((2.0, 0.2), each=30)) == MAX_RHO
    assert rho_of(seconds((1.0, 0.011), (1.0, 0.01))) == MAX_RHO


def warmed(combination: str, rho: float | None, *, compiled: bool | None = True) -> WarmUp:
    return WarmUp(
        combination=combination, start=0, seconds=120, limit_s=360, flat=None, compiled=compiled, compiler_share=0.02,
        rho=rho,
    )  # fmt: skip


def compiling(folder: Path, shares: dict[int, float | None], *warm_ups: WarmUp) -> Result:
    """Return a result in which `web` of the first combination at 60 users has this share in each repeat."""
    write_synthetic(folder, Shape(repeats=len(shares)))
    result = read_result(folder)
    for point in result.of(COMBINATIONS[0], 60):
        assert point.verdict is not None
        share = shares[point.repeat]
        web = point.verdict.tiers["web+services"]
        spent = None if share is None else share * web.cpu_s
        tiers = {**point.verdict.tiers, "web+services": web.model_copy(update={"compiler_s": spent})}
        write_json(point.folder / "verdict.json", point.verdict.model_copy(update={"tiers": tiers}))
    write_json(folder / "run.json", result.run.model_copy(update={"warm_ups": list(warm_ups)}))
    return read_result(folder)


def test_what_is_left_is_the_share_in_the_windows_times_what_it_was_worth(tmp_path: Path) -> None:
    first, second = COMBINATIONS
    result = compiling(
        tmp_path, {0: 0.02, 1: 0.04}, warmed(first.path, 4.0), warmed(first.path, 5.0), warmed(second.path, 9.0)
    )
    assert remaining_change(result, first, 60) == pytest.approx(5 * 0.03)
    assert remaining_change(result, first, 30) == 0
    assert remaining_change(result, second, 60) == 0


def test_a_warm_up_that_shows_nothing_leaves_the_upper_bound(tmp_path: Path) -> None:
    assert remaining_change(compiling(tmp_path, {0: 0.02}), COMBINATIONS[0], 60) == pytest.approx(12 * 0.02)


def test_a_virtual_machine_that_compiles_this_and_that_is_done(tmp_path: Path) -> None:
    assert remaining_change(compiling(tmp_path, {0: 0.004, 1: 0.005}), COMBINATIONS[0], 60) == 0


def test_the_share_is_that_of_all_tiers_of_the_platform(tmp_path: Path) -> None:
    (point,) = compiling(tmp_path, {0: 0.5}).of(COMBINATIONS[0], 60)
    assert point.verdict is not None
    tiers = point.verdict.tiers
    others = {
        name: tiers["web+services"].model_copy(update={"compiler_s": None})
        for name in ("services", "driver", "database")
    }
    verdict = point.verdict.model_copy(update={"tiers": {**others, "web": tiers["web+services"]}})
    assert compiler_share(verdict) == pytest.approx(0.25)
    assert compiler_share(verdict.model_copy(update={"tiers": others})) is None


def test_a_warm_up_at_its_limit_is_named_with_its_share(tmp_path: Path) -> None:
    ended = warmed(COMBINATIONS[0].path, 5.0, compiled=False)
    assert ending_text(ended) == "not compiled, limit of 360 s, compiler 2.0 % of the CPU time"
    assert ending_text(warmed("", 5.0)) == "compiled, compiler 2.0 % of the CPU time"
    assert ending_text(warmed("", 5.0, compiled=None)) == "fixed length"
    run = compiling(tmp_path, {0: 0.02}, ended).run
    assert warm_up_reservation(run).startswith("1 of 1 warm-up reached the limit without being warm, the first: local")
