"""Every command the README names exists."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

from checks.conftest import Plant
from checks.listing import REPOSITORY, files, read

_CODE = re.compile(r"^```(?:sh|text)?\n(.*?)^```|`([^`\n]+)`", re.MULTILINE | re.DOTALL)
_QUOTED = re.compile(r'"[^"\n]*"')
_TARGET = re.compile(r"^([a-z][a-z-]*):", re.MULTILINE)
_FILE = re.compile(r"^(?:\./)?((?:checks|\.ci)/[\w./-]+)$")


def commands(text: str) -> list[list[str]]:
    """Return the commands of a page, as words: the lines of its code blocks and its code spans."""
    code = "\n".join(block or span for block, span in _CODE.findall(text))
    plain = _QUOTED.sub("", code.replace("\\\n", " "))
    lines = (line.partition(" #")[0].split() for line in plain.splitlines())
    return [words for words in lines if words]


def unknown_commands(root: Path, page: Path) -> list[str]:
    """Return the commands of `page` whose make target, file or `middlemark` command does not exist."""
    targets = set(_TARGET.findall(read(root / "Makefile")))
    found = []
    for words in commands(read(page)):
        program = words[0].removeprefix(".venv/bin/")
        arguments = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        if program == "make":
            found += [f"make {target}" for target in arguments if target not in targets]
        elif program == "middlemark" and arguments and not _known_to_middlemark(arguments[0]):
            found.append(f"middlemark {arguments[0]}")
        elif (file := _FILE.match(words[0])) and not (root / file[1]).exists():
            found.append(words[0])
    return found


@cache  # pages name the same few commands a hundred times
def _known_to_middlemark(command: str) -> bool:
    done = subprocess.run(
        [sys.executable, "-m", "middlemark", command, "--help"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_COLOR": "1"},
    )
    return done.returncode == 0


def test_every_command_of_the_readme_exists() -> None:
    assert unknown_commands(REPOSITORY, REPOSITORY / "README.md") == []


def test_every_command_of_the_other_pages_exists() -> None:
    pages = [REPOSITORY / "CONTRIBUTING.md", *files(REPOSITORY / "docs", ".md")]
    assert {page.name: found for page in pages if (found := unknown_commands(REPOSITORY, page))} == {}


def test_a_command_that_does_not_exist_is_found(plant: Plant) -> None:
    readme = "`make demo`, `make PYTHON=python3 coffee`\n```sh\nmiddlemark brew --hot\nchecks/kettle --on\n```\n"
    root = plant({"Makefile": "demo: setup\n\ttrue\n", "README.md": readme})
    found = sorted(unknown_commands(root, root / "README.md"))
    assert found == ["checks/kettle", "make coffee", "middlemark brew"]
