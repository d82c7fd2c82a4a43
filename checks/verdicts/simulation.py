"""How often the words are right on a machine whose truth is known: whole runs, simulated, and judged by the lab's code.

`python -m checks.verdicts.simulation` prints the table with its seed. What is made up: a machine that drifts, bursts of
foreign load that the witnesses mostly see, windows that scatter, starts that differ, and compilers that warm up.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from middlemark.judge.comparisons import starts_to_publish
from middlemark.judge.spread import ASSUMED, ASSUMED_COMPILED
from middlemark.records.figures import Better
from middlemark.records.findings import Round, Spread
from middlemark.verdict.compilation import MAX_RHO, MIN_RHO, rest
from middlemark.verdict.estimate import Prior, Ratio, Terms, compare, needed_in_start
from middlemark.verdict.words import DECIDED, LAPTOP, LEADING_SHARE, PUBLISHABLE, QUICK, Word, judge, level_of_look

DRIFT, DRIFT_S = 0.05, 600.0
BURST, BURST_SHARE, BURST_SEEN = 0.15, 0.1, 0.9
WINDOW_NOISE, WINDOW_NOISE_S = 0.03, 15.0
MAX_REPLACED = 2
READY_S = 12.0
WARM_SHARE = 0.01
SETTLED = DECIDED | {Word.EQUAL}


@dataclass(frozen=True)
class Program:
    """A program with the logarithm of its cost, the true spread between its starts, and how it warms up.

    Of the time t that it has worked, its cost is higher by `excess` · exp(-t / `tau`), and its compiler has the share
    `compiler` · exp(-t / `tau`) of its CPU time. `spread` is what the lab takes for the spread between its starts.
    """

    cost: float
    sigma: float
    spread: Spread
    tau: tuple[float, float] = (0.0, 0.0)
    excess: float = 0.0
    compiler: float = 0.0


GO = Program(0.0, 0.01, ASSUMED)
JVM = Program(0.0, 0.03, ASSUMED_COMPILED, (60.0, 120.0), 0.9, 0.5)
SLOW_COMPILER = replace(JVM, tau=(240.0, 240.0))


@dataclass(frozen=True)
class Design:
    """Starts at most, rounds of each, and lengths in seconds.

    No start follows that would end after `budget_s`. `to_publish`: with a control, and starts as published figures need
    them. `rests`: what a compiler leaves widens the interval.
    """

    name: str
    alphas: tuple[float, ...]
    starts: int
    rounds: int
    window_s: float
    gap_s: float
    warm_limit_s: float
    budget_s: float = math.inf
    to_publish: bool = False
    rests: bool = True


DEMO = Design("quick", QUICK, 1, 5, 8, 4, 120)
AT_HOME = Design("laptop", LAPTOP, 2, 5, 15, 12, 360, budget_s=45 * 60)
PUBLIC = Design("publishable", PUBLISHABLE, 4, 3, 600, 100, 600, to_publish=True)


@dataclass
class _Process:
    """A program since it was started."""

    program: Program
    offset: float
    tau: float
    worked_s: float = 0.0
    shares: list[float] = field(default_factory=list)
    rho: float = 0.0

    def heat(self) -> float:
        """How much of what there was to compile is left."""
        return math.exp(-self.worked_s / self.tau) if self.tau else 0.0


@dataclass
class _Machine:
    """A clock and a speed that drifts."""

    random: random.Random
    clock_s: float = 0.0
    drift: float = 0.0

    def pass_by(self, seconds: float) -> None:
        """Let time pass."""
        keep = math.exp(-seconds / DRIFT_S)
        self.drift = keep * self.drift + DRIFT * math.sqrt(1 - keep * keep) * self.random.gauss(0, 1)
        self.clock_s += seconds


@dataclass(frozen=True)
class Outcome:
    """The words of a run for each program against the first, and the minutes it took."""

    words: tuple[Word, ...]
    minutes: float


def simulated(design: Design, programs: Sequence[Program], seed: int) -> Outcome:
    """Run programs as a design has it, with a look after each start, until everything is decided."""
    machine = _Machine(random.Random(seed))  # noqa: S311 (made-up figures, no secret)
    machine.drift = DRIFT * machine.random.gauss(0, 1)
    figures: list[list[list[float]]] = []
    shares: list[list[tuple[float, float]]] = [[] for _ in programs]
    words: tuple[Word, ...] = ()
    # The control takes its time in each start; nothing is concluded from it.
    control = programs[:1] if design.to_publish else ()
    for start in range(design.starts):
        processes = [_started(machine, design, program) for program in (*programs, *control)]
        warmed_s = sum(READY_S + process.worked_s for process in processes)
        figures.append(_rounds(machine, design, processes))
        for known, process in zip(shares, processes, strict=False):
            known.append((process.rho, fmean(process.shares)))
        rests = [rest(max(rho for rho, _ in one), fmean(share for _, share in one)) for one in shares]
        level = LEADING_SHARE * level_of_look(design.alphas, start + 1)
        compared = [
            _compared(figures, (programs[0], programs[b]), b, (rests[0], rests[b]), design)
            for b in range(1, len(programs))
        ]
        words = tuple(one.word for one in judge(compared, level))
        windows_s = design.rounds * len(processes) * (design.gap_s + design.window_s)
        if _is_enough(design, programs, compared, words) or machine.clock_s + warmed_s + windows_s > design.budget_s:
            break
    return Outcome(words, machine.clock_s / 60)


def _is_enough(design: Design, programs: Sequence[Program], compared: Sequence[Ratio], words: Sequence[Word]) -> bool:
    first = programs[0]
    for program, comparison, word in zip(programs[1:], compared, words, strict=True):
        if word not in SETTLED or comparison.estimate is None:
            return False
        both = bool(first.compiler and program.compiler)
        needed = starts_to_publish(comparison.estimate.log, both_compile=both) if design.to_publish else 1
        if comparison.estimate.starts < needed:
            return False
    return True


def _compared(
    figures: Sequence[Sequence[Sequence[float]]],
    pair: tuple[Program, Program],
    place: int,
    rests: tuple[float, float],
    design: Design,
) -> Ratio:
    rounds = [
        Round(start * design.rounds + number, one[0], one[place], start)
        for start, every in enumerate(figures)
        for number, one in enumerate(every)
    ]
    a, b = (Prior(one.spread, left if design.rests else 0.0) for one, left in zip(pair, rests, strict=True))
    return compare(rounds, Terms(Better.LOWER, a, b, needed_in_start(design.rounds)))


def _started(machine: _Machine, design: Design, program: Program) -> _Process:
    """Start a program and warm it up until its compiler is done, or as long as it may."""
    process = _Process(program, machine.random.gauss(0, program.sigma), machine.random.uniform(*program.tau))
    warm = process.tau * math.log(program.compiler / WARM_SHARE) if program.compiler else 20.0
    process.worked_s = min(max(warm, 20.0), design.warm_limit_s)
    machine.pass_by(READY_S + process.worked_s)
    if program.compiler:
        # The cost of the first and the last 20 s by the share of the compiler in them, as the lab estimates it.
        process.rho = min(max(1.5 * program.excess / program.compiler, MIN_RHO), MAX_RHO)
    return process


def _rounds(machine: _Machine, design: Design, processes: Sequence[_Process]) -> list[list[float]]:
    """Measure the rounds of a start: one window of each process in random order."""
    rounds = []
    for _ in range(design.rounds):
        order = machine.random.sample(range(len(processes)), len(processes))
        costs = {place: _window(machine, design, processes[place]) for place in order}
        rounds.append([costs[place] for place in range(len(processes))])
    return rounds


def _window(machine: _Machine, design: Design, process: _Process) -> float:
    """Measure a window, again at once where a witness saw a disturbance."""
    for attempt in range(MAX_REPLACED + 1):
        machine.pass_by(design.gap_s + design.window_s / 2)
        process.worked_s += design.gap_s + design.window_s / 2
        burst = machine.random.random() < BURST_SHARE
        noise = WINDOW_NOISE * math.sqrt(WINDOW_NOISE_S / design.window_s) * machine.random.gauss(0, 1)
        program, heat = process.program, process.heat()
        log = program.cost + process.offset + machine.drift + noise + program.excess * heat + BURST * burst
        machine.pass_by(design.window_s / 2)
        process.worked_s += design.window_s / 2
        seen = burst and machine.random.random() < BURST_SEEN
        if not seen or attempt == MAX_REPLACED:
            break
    process.shares.append(program.compiler * heat)
    return math.exp(log)


@dataclass(frozen=True)
class Row:
    """A line of the table: programs of a design, the second of which costs more by `apart`, over so many runs.

    `false` are runs with any false word, `right` those that say "slower" of the second, `still` those that say that it
    is still getting faster, `wrong` those with a direction that is the other one.
    """

    design: Design
    name: str
    apart: float
    runs: int
    false: int
    right: int
    still: int
    wrong: int
    minutes: float


def row(design: Design, name: str, programs: Sequence[Program], apart: float, seeds: range) -> Row:
    """Simulate runs in which the second program costs more by a share of `apart`; all others are equal to the first."""
    made = list(programs)
    made[1] = replace(made[1], cost=made[1].cost + math.log(1 + apart))
    every = [simulated(design, made, seed) for seed in seeds]
    # "Equal within 5 %" is true of 5 %, too, and false of more.
    truths = [{Word.SLOWER} if apart else {Word.EQUAL}, *({Word.EQUAL} for _ in made[2:])]
    asserted = DECIDED | {Word.EQUAL} if apart > 0.05 else DECIDED
    false = sum(
        any(word in asserted and word not in truth for word, truth in zip(one.words, truths, strict=True))
        for one in every
    )
    firsts = [one.words[0] for one in every]
    return Row(
        design, name, apart, len(every), false, sum(word is Word.SLOWER for word in firsts),
        sum(word is Word.STILL_FASTER for word in firsts), sum(word is Word.FASTER for word in firsts) if apart else 0,
        fmean(one.minutes for one in every),
    )  # fmt: skip


GROUPS: dict[str, tuple[Program, ...]] = {
    "G-G": (GO, GO),
    "G-J": (GO, JVM),
    "J-J": (JVM, JVM),
    "G, 3 J": (GO, JVM, JVM, JVM),
}
TABLE = (
    (DEMO, ("G-G", "G-J")),
    (AT_HOME, ("G-G", "G-J", "J-J", "G, 3 J")),
    (PUBLIC, ("G-G", "J-J", "G, 3 J")),
)


def rows(runs: int, seed: int) -> Iterator[Row]:
    """The table, the last lines with a compiler that is not done when its warm-up ends."""
    seeds = range(seed, seed + runs)
    for design, names in TABLE:
        for name in names:
            for apart in (0.0, 0.05, 0.1, 0.5):
                yield row(design, name, GROUPS[name], apart, seeds)
    for design in (AT_HOME, replace(AT_HOME, name="laptop, no rests", rests=False)):
        yield row(design, "G-J, compiler not done", (GO, SLOW_COMPILER), 0.0, seeds)


def table_lines(every: Iterator[Row]) -> Iterator[str]:
    """The table in Markdown, one line for the four differences of a group."""
    yield "| design | programs | false word if equal | right at 5 / 10 / 50 % | wrong direction | minutes |"
    yield "|---|---|---|---|---|---|"
    for first in every:
        if "not done" in first.name:
            still = f"{100 * first.still / first.runs:.0f} % still getting faster"
            begin = f"| {first.design.name} | {first.name} | {_share(first.false, first)}"
            yield f"{begin} | {still} | - | {first.minutes:.0f} |"
            continue
        others = [next(every) for _ in range(3)]
        right = " / ".join(f"{100 * one.right / one.runs:.0f}" for one in others)
        wrong = sum(one.wrong for one in others)
        minutes = " / ".join(f"{one.minutes:.0f}" for one in (first, *others))
        yield f"| {first.design.name} | {first.name} | {_share(first.false, first)} | {right} % | {wrong} | {minutes} |"


def _share(number: int, of: Row) -> str:
    return f"{100 * number / of.runs:.1f} %"


def main(words: list[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m checks.verdicts.simulation", description=__doc__)
    parser.add_argument("--runs", type=int, default=1000, help="simulated runs of each figure")
    parser.add_argument("--seed", type=int, default=1, help="the first run's; each further run has the next one")
    options = parser.parse_args(words)
    print(f"{options.runs} runs of each, seeds {options.seed} to {options.seed + options.runs - 1}", flush=True)
    for line in table_lines(rows(options.runs, options.seed)):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
