"""`python -m checks.verdicts.ab`: count the words of `middlemark ab` on equal servers, and on one that works more."""

from __future__ import annotations

import argparse
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from middlemark.ab.result import AbResult
from middlemark.ab.sequential import Word
from middlemark.errors import LabError, MissingToolError, TargetError

PAGES = Path(__file__).parent / "pages"
LANGUAGES = ("python", "go", "node")
MAX_FALSE = 0.05
MIN_FOUND = 0.9


def main(words: list[str]) -> int:
    """The exit status: 0 when the words are as good as promised, 1 when not, else that of the error."""
    options = _parsed(words)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        kept = [_is_kept(language, options) for language in options.language or LANGUAGES]
    except LabError as error:
        print(f"ab: {error}", file=sys.stderr)
        return error.exit_status
    except KeyboardInterrupt:
        return 130
    return 0 if all(kept) else 1


def _parsed(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m checks.verdicts.ab", description=__doc__)
    parser.add_argument("--language", action="append", choices=LANGUAGES, help="server; repeated for several")
    parser.add_argument("--equal", type=int, default=20, metavar="N", help="runs with equal servers")
    parser.add_argument("--slower", type=int, default=10, metavar="N", help="runs with a server that works more")
    parser.add_argument("--more", type=float, default=10.0, metavar="PERCENT", help="how much more it works")
    parser.add_argument("--budget", default="2m", help="--budget of each run")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first run")
    parser.add_argument("--out", type=Path, default=Path("results/ab"), help="folder for the JSON of each run")
    return parser.parse_args(words)


def _is_kept(language: str, options: argparse.Namespace) -> bool:
    options.out.mkdir(parents=True, exist_ok=True)
    with _served(language) as command:
        equal = Counter(_word(language, command, 0.0, run, options) for run in range(options.equal))
        slower = Counter(_word(language, command, options.more, run, options) for run in range(options.slower))
    false = equal[Word.SLOWER] + equal[Word.FASTER]
    found, wrong = slower[Word.SLOWER], slower[Word.FASTER]
    print(f"{language}: equal servers said to differ {false} of {options.equal} (at most {MAX_FALSE:.0%})")
    print(
        f"{language}: {options.more:g} % more work found {found} of {options.slower} (at least {MIN_FOUND:.0%}), "
        f"wrong directions {wrong}",
        flush=True,
    )
    return false <= MAX_FALSE * options.equal and found >= MIN_FOUND * options.slower and not wrong


@contextmanager
def _served(language: str) -> Iterator[str]:
    """Give the command that serves the page at {port}."""
    if language == "python":
        yield shlex.join([sys.executable, str(PAGES / "page.py"), "{port}"])
    elif language == "node":
        yield shlex.join(["node", str(PAGES / "page.js"), "{port}"])
    else:
        with tempfile.TemporaryDirectory(prefix="middlemark-ab-page-") as folder:
            program = str(Path(folder) / "page")
            go = shutil.which("go")
            if go is None:
                raise MissingToolError("the program `go` is not here")
            try:
                subprocess.run([go, "build", "-o", program, str(PAGES / "page.go")], check=True)
            except subprocess.CalledProcessError as error:
                raise TargetError(f"the page does not build ({error})") from error
            yield shlex.join([program, "{port}"])


def _word(language: str, command: str, more: float, run: int, options: argparse.Namespace) -> Word:
    """Compare the server with one that works `more` percent more, and print a line of it."""
    file = options.out / f"{language}-{more:g}-{run}.json"
    sides = ["--start", f"{command} 0", "--start", f"{command} {more:g}"]
    further = ["--budget", options.budget, "--seed", str(options.seed + run), "--json", str(file)]
    words = [sys.executable, "-m", "middlemark", "ab", *sides, *further]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise TargetError(f"the comparison ended with {done.returncode}: {done.stderr}")
    result = AbResult.model_validate_json(file.read_bytes())
    ratio = (result.b.cpu_ms_per_request or 0) / (result.a.cpu_ms_per_request or 1)
    print(
        f"{language} +{more:g} % run {run}: {result.conclusion()} {len(result.pairs)} pairs, {result.seconds:.0f} s, "
        f"B ÷ A of all slices {ratio:.3f}",
        flush=True,
    )
    return result.word


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
