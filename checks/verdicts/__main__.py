"""`python -m checks.verdicts`: count the false words of reports on equal builds, and what is said of one that burns."""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from checks.verdicts.builds import FAMILIES, Family, checkout_of_builds
from checks.verdicts.judging import Report, interval_text, is_met, lines, report_of
from middlemark.checkout import checkout
from middlemark.errors import LabError, TargetError
from middlemark.judge.result import judge_folder
from middlemark.processes.watchdog import watchdog
from middlemark.records.folder import read_run
from middlemark.records.run import RunStatus

HERE = Path(__file__).parent


def main(words: list[str]) -> int:
    """Return the exit status: 0 when the words are as good as promised, 1 when not, else that of the error."""
    options = _parsed(words)
    # Whoever ends a run by a signal wants nothing left behind either.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    family = FAMILIES[options.family]
    try:
        folders = options.result or _measured(options, family)
        reports = [_read(folder, family) for folder in folders]
    except LabError as error:
        print(f"verdicts: {error}", file=sys.stderr)
        return error.exit_status
    except KeyboardInterrupt:
        print("verdicts: interrupted", file=sys.stderr)
        return 130
    print(*lines(reports, family), sep="\n")
    return 0 if is_met(reports, family) else 1


def _parsed(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m checks.verdicts", description=__doc__)
    parser.add_argument("family", choices=FAMILIES, help="which builds")
    parser.add_argument("--runs", type=int, default=10, metavar="N", help="runs, each with a report of its own")
    parser.add_argument("--out", type=Path, default=Path("results/verdicts"), help="parent of the result folders")
    parser.add_argument("--result", type=Path, nargs="+", metavar="DIR", help="judge these results, measure nothing")
    return parser.parse_args(words)


def _measured(options: argparse.Namespace, family: Family) -> Iterator[Path]:
    """Measure the builds in run after run, and yield the result folders; TargetError when a run has none that ended."""
    out = options.out.resolve() / options.family
    experiment = HERE / f"{options.family}.yaml"
    with watchdog() as watch, watch.private_folder("middlemark-builds-") as folder:
        home = checkout_of_builds(checkout(), folder / "checkout", family)
        for number in range(options.runs):
            before = set(out.glob("*"))
            words = [sys.executable, "-m", "middlemark", "run", str(experiment), "--out", str(out)]
            log = out / f"run-{number}.log"
            log.parent.mkdir(parents=True, exist_ok=True)
            with log.open("w", encoding="utf-8") as file:
                status = subprocess.run(words, cwd=home, check=False, stdout=file, stderr=file).returncode
            new = [one for one in set(out.glob("*")) - before if one.is_dir()]
            # Status 1 without an error: it was measured to its end, and some windows do not count.
            if len(new) != 1 or read_run(new[0]).status is not RunStatus.FINISHED:
                raise TargetError(f"run {number} ended with {status}", where=str(log), todo="Its messages are there")
            yield new[0]


def _read(folder: Path, family: Family) -> Report:
    """Return the report of a result, and print a line of it."""
    report = report_of(judge_folder(folder), family)
    print(f"{folder.name}: {'; '.join(map(interval_text, report.leading))}", flush=True)
    return report


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
