"""The state of a comparison on stderr: one live line on a terminal, else a short line every 30 s."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.text import Text

PERIOD_S = 30.0


@contextmanager
def progress_line(console: Console) -> Iterator[Callable[[str], None]]:
    """Give what shows a state, until the context ends."""
    if console.is_terminal:
        with Live(Text("starting"), console=console, auto_refresh=False, transient=True) as live:
            yield lambda state: live.update(Text(state, no_wrap=True, overflow="ellipsis"), refresh=True)
        return
    shown = time.monotonic()

    def show(state: str) -> None:
        nonlocal shown
        if time.monotonic() - shown >= PERIOD_S:
            shown = time.monotonic()
            console.print(state, highlight=False, markup=False, soft_wrap=True)

    yield show
