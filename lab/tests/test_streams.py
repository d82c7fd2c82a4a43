"""What is printed may meet a closed stream, a reader that is gone, a full disk or a poor encoding."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from middlemark.cli import COMMANDS

MIDDLEMARK = [sys.executable, "-m", "middlemark"]
FULL = Path("/dev/full")
UNWRITABLE = "middlemark: cannot write to standard output (No space left on device)\n"


EVERY_HELP = """
import os, sys
from middlemark.cli import COMMANDS, main
for command in COMMANDS:
    os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
    sys.argv[1:] = [command, "--help"]
    try:
        main()
    except SystemExit as end:
        assert end.code == 2, (command, end.code)
"""


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
def test_a_full_disk_behind_the_output_is_one_line_of_every_command() -> None:
    done = subprocess.run([sys.executable, "-c", EVERY_HELP], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, UNWRITABLE * len(COMMANDS))


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
def test_a_full_disk_behind_the_output_is_one_line() -> None:
    with FULL.open("w") as full:
        done = subprocess.run([*MIDDLEMARK, "list"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, UNWRITABLE)


@pytest.mark.parametrize("words", [["list"], ["drive", "--help"]])
def test_a_reader_that_is_gone_ends_a_command_quietly(words: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*MIDDLEMARK, *words], stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("number", [0, 1, 2])
def test_with_a_closed_stream_a_command_does_its_work(number: int, tmp_path: Path) -> None:
    # Python itself opens the files it is about to run with the number that is free.
    closing = partial(os.close, number)
    words = [*MIDDLEMARK, "new", "session", "shop"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False, preexec_fn=closing)
    assert (done.returncode, done.stderr) == (0, "")
    assert "steps:" in (tmp_path / "shop.yaml").read_text(encoding="utf-8")
    again = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False, preexec_fn=closing)
    assert again.returncode == 2
    assert again.stderr == (
        "" if number == 2 else "middlemark: shop.yaml: is there already and is not overwritten. Choose another name\n"
    )


def test_a_full_disk_behind_the_messages_changes_no_status() -> None:
    with FULL.open("w") as full:
        done = subprocess.run([*MIDDLEMARK, "brew"], stdout=subprocess.PIPE, stderr=full, check=False)
    assert (done.returncode, done.stdout) == (2, b"")


def test_a_character_that_an_encoding_lacks_is_replaced_by_what_reads_alike() -> None:
    program = (
        "from middlemark.cli.streams import standard_streams\n"
        "import sys\n"
        "with standard_streams():\n"
        "    print('1.25 × ≤ 3 µs …')\n"
        "    print('± ½ 漢', file=sys.stderr)\n"
    )
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"1.25 x <= 3 us ...\n", b"+/- ? ?\n")
