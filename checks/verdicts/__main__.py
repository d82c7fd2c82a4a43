"""`python -m checks.verdicts`: count the false verdicts on equal builds, and the right ones on one that burns more."""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
from pathlib import Path

from checks.verdicts.builds import checkout_of_builds
from checks.verdicts.judging import (
    MAX_FALSE,
    MIN_FOUND,
    burning_ratio,
    false_verdicts,
    found_slower,
    is_met,
    pairs_of,
    require_rounds,
    sample_lines,
    verdicts_of,
)
from middlemark.checkout import checkout
from middlemark.errors import LabError, TargetError
from middlemark.processes.watchdog import watchdog
from middlemark.records.folder import read_result
from middlemark.records.run import RunStatus
from middlemark.verdict.pair_verdicts import verdict_lines

EXPERIMENT = Path(__file__).parent / "verdicts.yaml"
SAMPLES = "samples.csv"


def main(words: list[str]) -> int:
    """Return the exit status: 0 when the verdicts are as good as promised, 1 when not, else that of the error."""
    options = _parsed(words)
    # Whoever ends a run by a signal wants nothing left behind either.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return _judged(options.result or _measured(options.out.resolve()))
    except LabError as error:
        print(f"verdicts: {error}", file=sys.stderr)
        return error.exit_status
    except KeyboardInterrupt:
        print("verdicts: interrupted", file=sys.stderr)
        return 130


def _parsed(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m checks.verdicts", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results/verdicts"), help="parent of the result folder")
    parser.add_argument("--result", type=Path, metavar="DIR", help="judge this result folder, measure nothing")
    return parser.parse_args(words)


def _measured(out: Path) -> Path:
    """Measure the builds and return the result folder; TargetError when not every point of it was measured."""
    before = set(out.glob("*"))
    with watchdog() as watch, watch.private_folder("middlemark-builds-") as folder:
        home = checkout_of_builds(checkout(), folder / "checkout")
        words = [sys.executable, "-m", "middlemark", "run", str(EXPERIMENT), "--out", str(out)]
        status = subprocess.run(words, cwd=home, check=False).returncode
    new = sorted(set(out.glob("*")) - before)
    # Status 1 without an error: it was measured to its end, and some points do not count.
    if len(new) != 1 or not _is_finished(new[0]):
        raise TargetError(f"the experiment ended with {status}", where=str(out), todo="Its own message is above")
    return new[0]


def _is_finished(folder: Path) -> bool:
    return read_result(folder).run.status is RunStatus.FINISHED


def _judged(folder: Path) -> int:
    result = read_result(folder)
    pairs = pairs_of(result)
    if result.run.status is not RunStatus.FINISHED:
        raise TargetError("this run has not ended", where=str(folder), todo="Measure anew: make bench-verdicts")
    folder = result.folder.resolve()
    (folder.parent / f"{folder.name}-{SAMPLES}").write_text("\n".join(sample_lines(pairs)) + "\n", encoding="utf-8")
    require_rounds(pairs)
    verdicts = verdicts_of(pairs)
    print(*verdict_lines(verdicts), sep="\n")
    print(f"the burning build spends {burning_ratio(pairs):.3f} times the CPU time of the equal ones")
    false, slower = false_verdicts(verdicts), found_slower(verdicts)
    left_out = sum(not point.valid for point in result.points)
    print(f"{len(result.points)} points, {left_out} of them left out as INVALID")
    print(f"equal builds said to differ: {false.of_that_kind} of {false.all} (at most {MAX_FALSE:.0%})")
    print(f"the burning build called slower: {slower.of_that_kind} of {slower.all} (at least {MIN_FOUND:.0%})")
    return 0 if is_met(false, slower) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
