"""What the command line says of itself: the help, the version, a wrong option."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from middlemark import __version__
from middlemark.cli import COMMANDS, application

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
# The options of the other commands stand in commands.md.
PAGES = {"run": "experiments.md", "drive": "sessions.md"}


def middlemark(*words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "COLUMNS": "80"}
    command = [sys.executable, "-m", "middlemark", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_the_help_says_every_command_in_a_whole_sentence() -> None:
    _, commands = middlemark("--help").stdout.split("Commands:\n")
    assert commands.count("\n") > 8
    assert [line for line in commands.splitlines() if not line.endswith(".") or line.endswith("..")] == []


def test_the_version_is_said_and_nothing_else() -> None:
    done = middlemark("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"middlemark {__version__}\n", "")


def test_a_wrong_option_is_two_sentences_and_names_the_help_of_its_command() -> None:
    done = middlemark("drive", "x.yaml", "--target", "http://127.0.0.1", "--max-error-rate", "3")
    assert done.returncode == 2
    assert done.stderr.endswith("less than or equal to 1. Try `middlemark drive --help`\n")
    assert middlemark("run").stderr.endswith("Missing argument 'EXPERIMENT'. Try `middlemark run --help`\n")
    assert middlemark("brew").stderr == "middlemark: No such command 'brew'. Try `middlemark --help`\n"
    assert middlemark("runn").stderr.endswith("Did you mean 'run'? Try `middlemark --help`\n")


@pytest.fixture(scope="module")
def every_command() -> typer.Typer:
    return application()


@pytest.mark.parametrize("command", COMMANDS)
def test_the_reference_names_every_option_of_a_command(every_command: typer.Typer, command: str) -> None:
    page = (REFERENCE / PAGES.get(command, "commands.md")).read_text(encoding="utf-8")
    text = CliRunner().invoke(every_command, [command, "--help"], env={"COLUMNS": "80"}).stdout
    assert command in text
    options = set(re.findall(r"^  (--[a-z0-9-]+)", text, re.MULTILINE)) - {"--help"}
    assert {option for option in options if f"`{option}" not in page and f" {option}" not in page} == set()


def test_the_reference_knows_every_command() -> None:
    _, commands = middlemark("--help").stdout.split("Commands:\n")
    page = (REFERENCE / "commands.md").read_text(encoding="utf-8")
    names = [line.split()[0] for line in commands.splitlines()]
    assert [name for name in names if f"`middlemark {name}" not in page] == []


@pytest.mark.parametrize("words", [("audit", "x"), ("new", "session", "x"), ("doctor",)])
def test_a_command_waits_for_no_library_of_another_one(words: tuple[str, ...]) -> None:
    program = (
        "import sys; from middlemark.cli import application; application(sys.argv[1:]); "
        "print(*{'middlemark.experiment', 'middlemark.judge', 'middlemark.show', 'numpy'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
