"""Every command that a page names exists, with its options."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import typer

from checks.conftest import Plant
from checks.listing import REPOSITORY, files, read
from middlemark.cli import application

_CODE = re.compile(r"^```(?:sh|text)?\n(.*?)^```|`([^`\n]+)`", re.MULTILINE | re.DOTALL)
_QUOTED = re.compile(r'"[^"\n]*"')
_TARGET = re.compile(r"^([a-z][a-z-]*):", re.MULTILINE)
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_FILE = re.compile(r"^(?:\./)?((?:checks|\.ci)/[\w./-]+)$")


@cache
def _program() -> Any:
    return typer.main.get_command(application())


def commands(text: str) -> list[list[str]]:
    """Return the commands of a page, as words: the lines of its code blocks and its code spans."""
    code = "\n".join(block or span for block, span in _CODE.findall(text))
    plain = _QUOTED.sub("", code.replace("\\\n", " "))
    lines = (line.partition(" #")[0].split() for line in plain.splitlines())
    return [words for words in lines if words]


def unknown_commands(root: Path, page: Path) -> list[str]:
    """Return the commands of `page` whose make target, file, `middlemark` command or option does not exist."""
    targets = set(_TARGET.findall(read(root / "Makefile")))
    found = []
    for words in commands(read(page)):
        program = words[0].removeprefix(".venv/bin/")
        arguments = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        if program == "make":
            found += [f"make {target}" for target in arguments if target not in targets]
        elif program == "middlemark" and arguments:
            found += [f"middlemark {what}" for what in _unknown_to_middlemark(arguments, words)]
        elif (file := _FILE.match(words[0])) and not (root / file[1]).exists():
            found.append(words[0])
    return found


def _unknown_to_middlemark(arguments: list[str], words: list[str]) -> list[str]:
    """Return the command, or the options that it does not have."""
    known = _program()
    names: list[str] = []
    for word in arguments:
        if not hasattr(known, "commands"):
            break
        names.append(word)
        if word not in known.commands:
            return [" ".join(names)]
        known = known.commands[word]
    options = {"--help", *(option for one in known.params for option in one.opts)}
    wrong = (option for word in words for option in _OPTION.findall(word) if option not in options)
    return [" ".join([*names, option]) for option in wrong]


def test_every_command_of_the_readme_exists() -> None:
    assert unknown_commands(REPOSITORY, REPOSITORY / "README.md") == []


def test_every_command_of_the_other_pages_exists() -> None:
    # What has changed names what is there no more.
    others = {REPOSITORY / "README.md", REPOSITORY / "CHANGELOG.md"}
    pages = [page for page in files(REPOSITORY, ".md") if page not in others]
    assert {page: found for page in pages if (found := unknown_commands(REPOSITORY, page))} == {}


def test_a_command_that_does_not_exist_is_found(plant: Plant) -> None:
    readme = "`make demo`, `make PYTHON=python3 coffee`\n```sh\nmiddlemark brew --hot\nchecks/kettle --on\n"
    readme += "middlemark new kettle\nmiddlemark new session tea --hot\nmiddlemark list --hot --help\n```\n"
    root = plant({"Makefile": "demo: setup\n\ttrue\n", "README.md": readme})
    found = sorted(unknown_commands(root, root / "README.md"))
    wrong = ["middlemark brew", "middlemark list --hot", "middlemark new kettle", "middlemark new session --hot"]
    assert found == ["checks/kettle", "make coffee", *wrong]
