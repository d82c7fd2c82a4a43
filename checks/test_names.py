"""No file, folder, package or class has a name that does not show what it is for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from checks.conftest import Plant
from checks.listing import REPOSITORY, files, folders, read

MEANINGLESS = {
    *("util", "utils", "helper", "helpers", "common", "commons", "misc", "manager", "managers"),
    *("base", "impl", "data", "foo"),
}
_TYPE = re.compile(
    r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:class|struct|enum|trait|type|interface|mod|package)\s+(\w+)", re.MULTILINE
)


def empty_names(root: Path) -> list[str]:
    """Return each folder, file and type whose whole name is one of MEANINGLESS."""
    found = [f"{folder}/" for folder in folders(root) if folder.rpartition("/")[2].lower() in MEANINGLESS]
    for path in files(root):
        name = path.relative_to(root).as_posix()
        if path.name.partition(".")[0].lower() in MEANINGLESS:
            found.append(name)
        if path.suffix in {".py", ".rs", ".go", ".java", ".ts", ".js"}:
            found += [f"{name}: {word}" for word in _TYPE.findall(read(path)) if word.lower() in MEANINGLESS]
    return found


def test_every_name_says_what_it_is_for() -> None:
    assert empty_names(REPOSITORY) == []


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("lab/utils.py", "", "lab/utils.py"),
        ("lab/common/clock.py", "", "lab/common/"),
        ("driver/pace.rs", "pub(crate) struct Manager;", "driver/pace.rs: Manager"),
        ("go/pace.go", "package helpers", "go/pace.go: helpers"),
        ("lab/pace.py", "class Base:", "lab/pace.py: Base"),
    ],
)
def test_a_meaningless_name_is_found(plant: Plant, name: str, text: str, found: str) -> None:
    assert empty_names(plant({name: text})) == [found]


def test_a_longer_name_may_hold_such_a_word(plant: Plant) -> None:
    assert empty_names(plant({"lab/database.py": "class DataSet:", "lab/common_words.py": ""})) == []
