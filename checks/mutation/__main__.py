"""`python -m checks.mutation named|made --out FILE`: judges mutants by verify and its audit."""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from checks.mutation.gremlins import listed
from checks.mutation.mutant import Mutant
from checks.mutation.named import list_of, named
from checks.mutation.results_log import Heading, Judgement, ResultsLog, digest
from checks.mutation.run import Run
from checks.mutation.summary import not_met, reasons, refusals, summary, verdict
from checks.mutation.survivors import survivors
from checks.mutation.tasks import WorkerSpec
from checks.mutation.worker_pool import WorkerPool
from checks.mutation.workshop import BUILD_SECONDS, copied
from middlemark.checkout import checkout
from middlemark.errors import InputError, LabError
from middlemark.processes.process import ProcessSpec
from middlemark.processes.watchdog import watchdog
from middlemark.subject.subject import Subject, find_subject

GO, BROKERAGE = "go", "brokerage"
FOLDERS = frozenset({".", "postgres"})
NAMED, MADE = "named", "made"


@dataclass(frozen=True)
class Options:
    """What the command line asks for."""

    mutants: str
    subject: str
    spec: str
    out: Path
    only: list[str]
    cases: list[str]
    once: bool
    jobs: int
    seed: int


def main(words: list[str]) -> int:
    """Return the exit status: 0 all is as survivors.toml says, 1 it is not, 2 wrong input."""
    options = _parsed(words)
    # Whoever ends a run by a signal wants nothing left behind either.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with watchdog() as watch, watch.private_folder("middlemark-mutants-") as folder:
            return _run(options, checkout(), folder)
    except LabError as error:
        print(f"mutation: {error}", file=sys.stderr)
        return error.exit_status
    except KeyboardInterrupt:
        print(f"mutation: interrupted; the same command with --out {options.out} resumes it", file=sys.stderr)
        return 130


def _parsed(words: list[str]) -> Options:
    parser = argparse.ArgumentParser(prog="python -m checks.mutation", description=__doc__)
    parser.add_argument("mutants", choices=[NAMED, MADE], help="those of a list, or all that gremlins makes of Go")
    parser.add_argument("--subject", default=GO, help="who is changed, PLATFORM or PLATFORM@SERVER")
    parser.add_argument("--spec", default=BROKERAGE, help="the specification whose application is changed")
    parser.add_argument(
        "--out", type=Path, required=True, help="the results log; what counts there is not judged again"
    )
    for name, help_text in (
        ("--only", "only mutants whose name, rule or file holds this (or another --only)"),
        ("--cases", "only cases whose name holds this (or another --cases), for a short look"),
    ):
        parser.add_argument(name, default=[], action="append", metavar="TEXT", help=help_text)
    once = "each case once, not in every configuration and over every interface"
    parser.add_argument("--once", action="store_true", help=once)
    parser.add_argument("--jobs", type=int, default=2, help="workers at the same time")
    parser.add_argument("--seed", type=int, default=1, help="of the order of mutants and executions")
    return Options(**vars(parser.parse_args(words)))


def _run(options: Options, home: Path, folder: Path) -> int:
    state = copied(home, folder / "listing")
    subject = find_subject(state, options.subject, options.spec)
    every = _every(options, subject)
    mutants = [mutant for mutant in every if _is_meant(mutant, options.only)]
    if not mutants:
        raise InputError(f"no mutant is about '{options.only[0]}'", todo="Look for words of its name, rule or file")
    log = ResultsLog(options.out, _heading(options, digest(state, home / "lab" / "middlemark")))
    waiting = [mutant for mutant in mutants if mutant.name not in log.checked]
    print(f"{len(mutants)} of {len(every)} mutants, {len(waiting)} of them not judged yet", flush=True)
    unreliable: dict[str, str] = {}
    if waiting:
        workers = range(1, options.jobs + 1)
        homes = [copied(state, folder / f"worker-{number}") for number in workers]
        os.nice(10)
        with WorkerPool([WorkerSpec(one, subject.name, options.spec, tuple(options.cases)) for one in homes]) as pool:
            rng = random.Random(options.seed)  # noqa: S311 (an order, no secret)
            run = Run(pool, log, rng, _show, _start_seconds(subject), once=options.once)
            run.judge(waiting)
            unreliable = run.unreliable
    judgements = [log.judgements[mutant.name] for mutant in mutants]
    whole = not options.only and not options.cases
    return _report(options, judgements, [mutant.name for mutant in every] if whole else [], unreliable)


def _every(options: Options, subject: Subject) -> list[Mutant]:
    platform, spec = subject.platform, options.spec
    if options.mutants == NAMED:
        return named(list_of(platform.name, spec), platform.folder, spec)
    if (subject.name, spec) != (GO, BROKERAGE):
        todo = "Leave out --subject and --spec"
        raise InputError(f"gremlins makes mutants of {GO}'s {BROKERAGE} alone", todo=todo)
    return listed(platform.folder, spec, FOLDERS)


def _start_seconds(subject: Subject) -> float:
    """Return how long a mutant may need before its executions: to be built, to start, and to start once more."""
    ready = subject.server.description.ready_seconds if subject.server else ProcessSpec.ready_seconds
    return BUILD_SECONDS + 2 * ready


def _heading(options: Options, state: str) -> Heading:
    return Heading(
        mutants=options.mutants,
        subject=options.subject,
        digest=state,
        seed=options.seed,
        cases=tuple(sorted(options.cases)),
        once=options.once,
    )


def _is_meant(mutant: Mutant, words: list[str]) -> bool:
    return not words or any(word in f"{mutant.name}\n{mutant.rule}\n{mutant.file}" for word in words)


def _show(text: str) -> None:
    print(text, flush=True)


def _report(options: Options, judgements: list[Judgement], names: list[str], unreliable: dict[str, str]) -> int:
    """Print the summary and return the exit status. `names` are all mutants there are, none for a part of them."""
    is_named = options.mutants == NAMED
    known = {} if is_named else survivors()
    wrong = refusals(judgements, known, every_one=is_named)
    wrong += [f"fails on the unchanged application: {execution}" for execution in unreliable]
    wrong += not_met(names, known) if names else []
    for line in [
        *summary(judgements),
        *reasons(judgements, known),
        *wrong,
        str(options.out),
        verdict(judgements, wrong),
    ]:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
