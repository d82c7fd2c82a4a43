"""Numbers and failures in words for people."""

from __future__ import annotations

import re
import textwrap

TIMES = "\N{MULTIPLICATION SIGN}"


def counted(number: int, name: str) -> str:
    """Return a number with the name of what it counts: `1 user`, `1,200 users`."""
    return f"{number:,} {name}" + ("" if number == 1 else "s")


def rounded(value: float) -> str:
    """A number with about three digits, thousands grouped."""
    size = abs(value)
    decimals = 0 if size >= 100 or size == 0 else 1 if size >= 10 else 2 if size >= 1 else 3
    return f"{value:,.{decimals}f}"


def few_or_many(value: float) -> str:
    """Return a mean of counts: few with up to two decimals, from a hundred on as a whole number."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}".rstrip("0").rstrip(".")


def moment(seconds: float) -> str:
    """Return a moment since a begin, or a length, for people: `45 s`, `30 min`, `4 h 05 min`, `24 h`."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 120:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest:02} min" if rest else f"{hours} h"


def sentence(text: str) -> str:
    """Return a text as a sentence begins; it may be empty."""
    return text[:1].upper() + text[1:]


def first_line(error: Exception) -> str:
    """Return the first line of a failure's message; its type when the message is empty."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def folded(line: str, width: int) -> str:
    """Return a line in lines of at most `width` characters, broken between words; a longer word stays whole.

    The next lines begin under the text behind the label: behind two blanks, where that leaves half of the width.
    """
    if len(line) <= width:
        return line
    label = re.match(r"\s*(?:\S+(?: \S+)*  +)?", line)
    indent = label.end() if label and label.end() <= width // 2 else len(line) - len(line.lstrip()) + 2
    return textwrap.fill(line, width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
