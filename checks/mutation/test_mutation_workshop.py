"""A mutant that cannot be built is distinguished from a machine that has no time to build it."""

from __future__ import annotations

from pathlib import Path

import pytest

from checks.conftest import Plant
from checks.mutation import workshop
from checks.mutation.mutant import Mutant
from checks.mutation.workshop import NotCompilingError, Workshop
from middlemark.errors import HostError
from middlemark.subject.subject import find_subject

PLATFORM = """
name = "small"
language = "Text"
[toolchain]
name = "Shell"
command = ["sh", "-c", "echo 1"]
minimum = "1"
debian = "apt install dash"
macos = "brew install dash"
[specs.sums]
build = ["sh", "-c", "{command}"]
start = ["{{artifact}}"]
"""
SPECIFICATION = """
title = "Sums"
version = 1
[tiers.calculator]
listens = { http = "MM_PORT" }
entry = true
"""
TIMES = Mutant("a", "r", "a.txt", 2, "+", "*", 1, 3)


def shop(plant: Plant, command: str) -> Workshop:
    """Return the workshop of a platform that is built by a shell command."""
    root = plant(
        {
            "platforms/small/platform.toml": PLATFORM.format(command=command),
            "platforms/small/a.txt": "1 + 1",
            "specs/sums/spec.toml": SPECIFICATION,
        }
    )
    return Workshop(find_subject(root, "small", "sums"), root)


def test_the_mutant_is_what_is_built_and_the_source_is_as_before(plant: Plant) -> None:
    made = shop(plant, "cp a.txt {artifact}")
    assert made.build(TIMES).read_text(encoding="utf-8") == "1 * 1"
    assert made.build().read_text(encoding="utf-8") == "1 + 1"


def test_what_was_built_before_is_gone_also_where_it_is_a_folder(plant: Plant) -> None:
    made = shop(plant, "mkdir {artifact} && cp a.txt {artifact}")
    for content in ("1 * 1", "1 + 1"):
        program = made.build(TIMES if content == "1 * 1" else None)
        assert (program / "a.txt").read_text(encoding="utf-8") == content


def test_what_the_compiler_refuses_does_not_compile(plant: Plant) -> None:
    with pytest.raises(NotCompilingError, match="no such sign"):
        shop(plant, "echo no such sign; exit 1").build(TIMES)


def test_a_build_that_takes_too_long_is_not_a_judgement(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workshop, "BUILD_SECONDS", 0.1)
    made = shop(plant, "exec sleep 60")
    with pytest.raises(HostError, match="building small takes more than"):
        made.build(TIMES)
    assert Path(made.module, "a.txt").read_text(encoding="utf-8") == "1 + 1"
