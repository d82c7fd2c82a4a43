"""Every file of a platform is code of one tier, or uncounted for a reason: no line is left out by oversight."""

from __future__ import annotations

import tomllib
from pathlib import Path

from checks.conftest import Plant
from checks.listing import REPOSITORY, files, read
from middlemark.subject.code import Code, files_of_parts, uncounted_files


def unassigned(root: Path) -> list[str]:
    """Return the files of platforms that no part of any specification counts and none leaves out."""
    found = []
    for description in sorted((root / "platforms").glob("*/platform.toml")):
        folder = description.parent
        specs = tomllib.loads(read(description))["specs"].values()
        known: set[Path] = set()
        for code in (Code.model_validate(spec["code"]) for spec in specs if "code" in spec):
            known |= uncounted_files(folder, code)
            known.update(*files_of_parts(folder, code))
        found += [file.relative_to(root).as_posix() for file in files(folder) if file not in known]
    return found


def test_every_file_of_a_platform_is_assigned() -> None:
    assert unassigned(REPOSITORY) == []


def test_a_file_that_nobody_assigned_is_found(plant: Plant) -> None:
    toml = '[specs.shop.code]\nuncounted = { other = ["*.toml"] }\nparts = [{ tier = "data", files = ["a/*"] }]\n'
    root = plant({"platforms/x/platform.toml": toml, "platforms/x/a/b.go": "", "platforms/x/c.go": ""})
    assert unassigned(root) == ["platforms/x/c.go"]
