"""Words over simulated runs, whose truth is known: seldom false, and never the wrong way round."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from checks.verdicts.simulation import (
    AT_HOME,
    DEMO,
    GO,
    GROUPS,
    JVM,
    PUBLIC,
    SLOW_COMPILER,
    Design,
    Row,
    row,
    simulated,
    table_lines,
)

RUNS = 150
SEEDS = range(1, RUNS + 1)
LEVEL = 0.05


def at_most(share: float, runs: int) -> int:
    """How many of so many runs are false by chance at most, but for once in a thousand, if that share is."""
    chance = total = (1 - share) ** runs
    number = 0
    while total < 0.999:
        number += 1
        chance *= (runs - number + 1) / number * share / (1 - share)
        total += chance
    return number


@pytest.mark.parametrize(
    ("design", "group"), [(DEMO, "G-G"), (DEMO, "G-J"), (AT_HOME, "G-G"), (AT_HOME, "G, 3 J"), (PUBLIC, "J-J")]
)
def test_equal_programs_are_seldom_found_to_differ(design: Design, group: str) -> None:
    found = row(design, group, GROUPS[group], 0.0, SEEDS)
    assert found.false <= at_most(LEVEL, RUNS), found


@pytest.mark.parametrize(("design", "apart", "least"), [(AT_HOME, 0.1, 0.85), (DEMO, 0.5, 0.95), (PUBLIC, 0.1, 0.95)])
def test_a_program_that_costs_more_is_found_and_never_the_other_one(design: Design, apart: float, least: float) -> None:
    for share in (0.05, apart):
        found = row(design, "G-G", GROUPS["G-G"], share, SEEDS)
        assert found.wrong == 0, found
        assert found.false <= at_most(LEVEL, RUNS), found
    assert found.right >= least * RUNS, found


def test_a_compiler_that_is_not_done_makes_no_false_word_as_its_rest_is_in_the_interval() -> None:
    programs = (GO, SLOW_COMPILER)
    few = range(1, 41)
    with_rests = row(AT_HOME, "", programs, 0.0, few)
    without = row(replace(AT_HOME, rests=False), "", programs, 0.0, few)
    assert (with_rests.false, with_rests.wrong) == (0, 0)
    assert with_rests.still >= 0.9 * len(few)
    # Else this test could not fail.
    assert without.false >= 0.9 * len(few)


def test_spreads_that_are_larger_than_assumed_are_what_makes_words_false() -> None:
    wild = replace(GO, sigma=0.06)
    found = row(DEMO, "", (wild, wild), 0.0, SEEDS)
    assert found.false > at_most(LEVEL, RUNS), found


def test_a_run_ends_with_the_start_after_which_everything_is_decided() -> None:
    apart = replace(GO, cost=math.log(1.5))
    (early, late) = (simulated(AT_HOME, programs, 1).minutes for programs in ((GO, apart), (JVM, JVM)))
    assert early < late
    assert simulated(AT_HOME, (GO, apart), 1) == simulated(AT_HOME, (GO, apart), 1)


def test_the_table_has_a_line_for_each_group_with_its_four_differences() -> None:
    rows = [Row(DEMO, "G-G", apart, 200, 3, 100, 0, 0, 2.0) for apart in (0.0, 0.05, 0.1, 0.5)]
    slow = Row(AT_HOME, "G-J, compiler not done", 0.0, 200, 0, 0, 150, 0, 23.0)
    assert list(table_lines(iter([*rows, slow])))[2:] == [
        "| quick | G-G | 1.5 % | 50 / 50 / 50 % | 0 | 2 / 2 / 2 / 2 |",
        "| laptop | G-J, compiler not done | 0.0 % | 75 % still getting faster | - | 23 |",
    ]
