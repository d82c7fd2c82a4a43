"""A program that compiles while it runs is warm when its compiler is done."""

from __future__ import annotations

import pytest

from middlemark.verdict.compilation import MAX_RHO, MIN_RHO, Compiling, is_done, last_span, rest, rho_of

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


def test_a_virtual_machine_that_goes_on_compiling_this_and_that_has_nothing_left() -> None:
    assert rest(12.0, 0.0049) == 0
    assert rest(12.0, 0.005) == pytest.approx(0.06)
