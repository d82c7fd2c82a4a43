"""The spread between starts: assumed, known from the machine's ledger, and what a compiler has left to gain."""

from __future__ import annotations

import math

import pytest
from made_result import combination, costing, made

from middlemark.judge.spread import ASSUMED, UNSEEN, expected_spread, remaining_change, seen_spreads
from middlemark.records.findings import Measured
from middlemark.records.ledger import Ledger, SeenSpread
from middlemark.records.warm_up import WarmUp

LOCAL, JSON = (combination("go", binding=binding) for binding in ("local", "json"))


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
