"""The `middlemark` command from its first moment; `python -m middlemark` is the same."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The signals that ask a command to end. One that its starter ignores stays ignored."""


def main() -> None:
    """Run the command line; a signal while it is imported ends the process at once, and none does when it is done."""
    for kind in ENDING:
        if signal.getsignal(kind) is not signal.SIG_IGN:
            signal.signal(kind, _end)
    from middlemark.cli import main as run  # noqa: PLC0415 (it takes long enough to be interrupted)

    try:
        run()
    finally:
        # Python dies of SIGINT at its end when the interruption came inside of any `exec` of a text, as dataclasses do;
        # the next one makes it forget that (run_eval_code_obj in CPython's pythonrun.c).
        exec("")  # noqa: S102 (of nothing)
        # Python gives up its handlers when it ends, and would die of a signal: what the command says is its status.
        for kind in ENDING:
            signal.signal(kind, signal.SIG_IGN)


def _end(_number: int, _frame: FrameType | None) -> None:
    """End with nothing to stop. An exception would be lost where Python ignores it, or shown with a traceback."""
    with suppress(Exception, SystemExit):
        sys.stdout.flush()
    with suppress(OSError):
        os.write(2, b"middlemark: interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    main()
