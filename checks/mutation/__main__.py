"""`python -m checks.mutation named|made --out FILE`: judges mutants by verify and its audit."""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from checks.mutation.crew import Crew
from checks.mutation.gremlins import listed
from checks.mutation.ledger import Heading, Judgement, Ledger, digest
from checks.mutation.mutant import Mutant
from checks.mutation.named import list_of, named
from checks.mutation.run import Run
from checks.mutation.summary import not_met, reasons, refusals, summary, verdict
from checks.mutation.survivors import survivors
from checks.mutation.tasks import WorkerOrder
from checks.mutation.workshop import BUILD_SECONDS, copied
from middlemark.checkout import checkout
from middlemark.errors import InputError, LabError
from middlemark.processes.guard import guard
from middlemark.processes.process import ProcessSpec
from middlemark.subject.subject import Subject, find_subject

GO, SPEC = "go", "brokerage"
FOLDERS = frozenset({".", "postgres"})
NAMED, MADE = "named", "made"


@dataclass(frozen=True)
class Order:
    """What the command line asks for."""

    mutants: str
    subject: str
    out: Path
    only: list[str]
    cases: list[str]
    once: bool
    jobs: int
    seed: int


def main(words: list[str]) -> int:
    """Return the exit status: 0 all is as survivors.toml says, 1 it is not, 2 wrong input."""
    order = _parsed(words)
    # Whoever ends a run by a signal wants nothing left behind either.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with guard() as watch, watch.private_folder("middlemark-mutants-") as folder:
            return _run(order, checkout(), folder)
    except LabError as error:
        print(f"mutation: {error}", file=sys.stderr)
        return error.exit_status
    except KeyboardInterrupt:
        print(f"mutation: interrupted; the same --out {order.out} goes on", file=sys.stderr)
        return 130


def _parsed(words: list[str]) -> Order:
    parser = argparse.ArgumentParser(prog="python -m checks.mutation", description=__doc__)
    parser.add_argument("mutants", choices=[NAMED, MADE], help="those of a list, or all that gremlins makes of Go")
    parser.add_argument("--subject", default=GO, help="who is changed, PLATFORM or PLATFORM@SERVER")
    parser.add_argument("--out", type=Path, required=True, help="the ledger; what it holds already is not judged again")
    for name, help_text in (
        ("--only", "only mutants whose name, rule or file holds this (or another --only)"),
        ("--cases", "only cases whose name holds this (or another --cases), for a short look"),
    ):
        parser.add_argument(name, default=[], action="append", metavar="TEXT", help=help_text)
    parser.add_argument("--once", action="store_true", help="each case once, not in every cell and over every binding")
    parser.add_argument("--jobs", type=int, default=2, help="workers at the same time")
    parser.add_argument("--seed", type=int, default=1, help="of the order of mutants and plays")
    return Order(**vars(parser.parse_args(words)))


def _run(order: Order, home: Path, folder: Path) -> int:
    state = copied(home, folder / "listing")
    subject = find_subject(state, order.subject, SPEC)
    every = _every(order.mutants, subject)
    mutants = [mutant for mutant in every if _is_meant(mutant, order.only)]
    if not mutants:
        raise InputError(f"no mutant is about '{order.only[0]}'", todo="Look for words of its name, rule or file")
    ledger = Ledger(order.out, _heading(order, digest(state, home / "lab" / "middlemark")))
    waiting = [mutant for mutant in mutants if mutant.name not in ledger.checked]
    print(f"{len(mutants)} of {len(every)} mutants, {len(waiting)} of them not judged yet", flush=True)
    unsteady: dict[str, str] = {}
    if waiting:
        workers = range(1, order.jobs + 1)
        homes = [copied(state, folder / f"worker-{number}") for number in workers]
        os.nice(10)
        with Crew([WorkerOrder(one, subject.name, SPEC, tuple(order.cases)) for one in homes]) as crew:
            rng = random.Random(order.seed)  # noqa: S311 (an order, no secret)
            run = Run(crew, ledger, rng, _say, _start_seconds(subject), once=order.once)
            run.judge(waiting)
            unsteady = run.unsteady
    judgements = [ledger.judgements[mutant.name] for mutant in mutants]
    whole = not order.only and not order.cases
    return _told(order, judgements, [mutant.name for mutant in every] if whole else [], unsteady)


def _every(mutants: str, subject: Subject) -> list[Mutant]:
    platform = subject.platform
    if mutants == NAMED:
        return named(list_of(platform.name), platform.folder, SPEC)
    if subject.name != GO:
        raise InputError(f"gremlins makes no mutants of {platform.description.language}", todo="Leave out --subject")
    return listed(platform.folder, SPEC, FOLDERS)


def _start_seconds(subject: Subject) -> float:
    """Return how long a mutant may need before its plays: to be built, to start, and to start once more."""
    ready = subject.server.description.ready_seconds if subject.server else ProcessSpec.ready_seconds
    return BUILD_SECONDS + 2 * ready


def _heading(order: Order, state: str) -> Heading:
    return Heading(
        mutants=order.mutants,
        subject=order.subject,
        digest=state,
        seed=order.seed,
        cases=tuple(sorted(order.cases)),
        once=order.once,
    )


def _is_meant(mutant: Mutant, words: list[str]) -> bool:
    return not words or any(word in f"{mutant.name}\n{mutant.rule}\n{mutant.file}" for word in words)


def _say(text: str) -> None:
    print(text, flush=True)


def _told(order: Order, judgements: list[Judgement], names: list[str], unsteady: dict[str, str]) -> int:
    """Print the summary and return the exit status. `names` are all mutants there are, none for a part of them."""
    is_named = order.mutants == NAMED
    known = {} if is_named else survivors()
    wrong = refusals(judgements, known, every_one=is_named)
    wrong += [f"fails on the unchanged application: {play}" for play in unsteady]
    wrong += not_met(names, known) if names else []
    for line in [*summary(judgements), *reasons(judgements, known), *wrong, str(order.out), verdict(judgements, wrong)]:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
