"""A narrow terminal gets whole words: lines are broken between them, and tables are as wide as their longest words."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text
from test_drive_figures import Stopwatch, driven

from conftest import ROOT
from middlemark.audit.text import audit_table
from middlemark.cli.printing import print_lines, print_table
from middlemark.drive.table import print_result
from middlemark.records.point import Audit, AuditFinding, Outcome
from middlemark.wording import folded

_LIST = [sys.executable, "-m", "middlemark", "list"]


def on_terminal(columns: int, command: list[str]) -> list[str]:
    """Lines that a command prints on a real terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES"}}
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, stdin=theirs, env=environment, cwd=ROOT) as process:
        os.close(theirs)
        parts = []
        with suppress(OSError):  # EIO: the command has closed the terminal
            while part := os.read(ours, 65_536):
                parts.append(part)
        os.close(ours)
    assert process.returncode == 0
    return b"".join(parts).decode().replace("\r\n", "\n").splitlines()


@pytest.mark.parametrize("columns", [80, 60])
def test_a_terminal_gets_every_word_whole(columns: int) -> None:
    piped = subprocess.run(_LIST, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    lines = on_terminal(columns, _LIST)
    assert " ".join(lines).split() == piped.split()
    assert max(map(len, lines)) <= columns < max(map(len, piped.splitlines()))


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        ("short", ["short"]),
        ("ok       CPUs: two of them", ["ok       CPUs: two", "         of them"]),
        ("  a long name of it     text that is long", ["  a long name of it", "    text that is", "    long"]),
        ("free text without a label", ["free text without a", "label"]),
        ("in /a/path/longer/than/the/terminal now", ["in", "/a/path/longer/than/the/terminal", "now"]),
        ("one half-open interval", ["one half-open", "interval"]),
    ],
)
def test_a_line_is_broken_between_words_and_goes_on_under_its_text(line: str, lines: list[str]) -> None:
    assert folded(line, 20).splitlines() == lines


def test_a_table_is_wider_than_the_terminal_where_a_word_needs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    long = "/quite/a/path/that/is/longer/than/the/terminal.toml"
    message = f"{long} has no row"
    audit = Audit(
        findings=(AuditFinding(rule="Every row is there.", outcome=Outcome.FAILED, message=message),), passed=False
    )
    lines = _printed(monkeypatch, lambda: print_table(audit_table(audit)), columns=30)
    assert long in " ".join(lines)
    assert "outcome" in lines[0]


def test_a_table_between_lines_is_printed_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    audit = Audit(findings=(AuditFinding(rule="Every row is there.", outcome=Outcome.PASSED, message=""),), passed=True)
    lines = _printed(monkeypatch, lambda: print_lines(["go:", audit_table(audit), "a b c d e f g h i j"]), columns=16)
    assert lines[0] == "go:"
    assert lines[-2:] == ["a b c d e f g h", "i j"]
    assert "passed" in " ".join(lines)


def test_the_figures_of_a_drive_are_whole_and_under_their_names(tmp_path: Path) -> None:
    result, _, _ = driven(Stopwatch(), tmp_path)
    for columns in range(30, 91):
        out = io.StringIO()
        print_result(result, Console(file=out, width=columns, force_terminal=True, color_system=None))
        lines = [line.rstrip() for line in out.getvalue().splitlines()]
        assert max(map(len, lines)) <= max(columns, max(len(word) for line in lines for word in line.split()) + 2)
        heads = [line.split()[1:] for line in lines if line.startswith(" transaction")]
        names = ["count", "errors", "per", "s", "mean", "p50", "p90", "p95", "p99", "max"]
        assert [name for head in heads for name in head] == names
        rows = [line.split()[1:] for line in lines if line.startswith(" all ")]
        assert [len(row) + head.count("per") for row, head in zip(rows, heads, strict=True)] == [
            len(head) for head in heads
        ]


def _printed(monkeypatch: pytest.MonkeyPatch, prints: Callable[[], None], columns: int) -> list[str]:
    """Lines on a terminal of so many columns."""
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    prints()
    return [line.rstrip() for line in Text.from_ansi(out.getvalue()).plain.splitlines()]
