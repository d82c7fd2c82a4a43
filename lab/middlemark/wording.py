"""Numbers and failures in words for people."""

from __future__ import annotations

TIMES = "\N{MULTIPLICATION SIGN}"


def counted(number: int, name: str) -> str:
    """Return a number with the name of what it counts: `1 user`, `1,200 users`."""
    return f"{number:,} {name}" + ("" if number == 1 else "s")


def first_line(error: Exception) -> str:
    """Return the first line of a failure's message; its type when the message is empty."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
