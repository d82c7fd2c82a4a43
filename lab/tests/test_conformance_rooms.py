"""The rooms of conformance point one way: the format of cases, comparing, running them, reporting what came of it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import middlemark.conformance

PACKAGE = "middlemark.conformance"
HOME = Path(middlemark.conformance.__file__).parent
ROOMS = {
    "cases": set[str](),
    "comparison": {"cases"},
    "reporting": set[str](),
    "execution": {"cases", "comparison", "reporting.progress"},
}


def imported(file: Path) -> set[str]:
    """Return the modules of conformance that a file imports, without the name of the package."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    return {module.removeprefix(f"{PACKAGE}.") for module in modules if module.startswith(f"{PACKAGE}.")}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_those_below_it(room: str) -> None:
    files = list((HOME / room).rglob("*.py"))
    assert files
    allowed = {room, "result", "failure", *ROOMS[room]}
    for file in files:
        others = {module for module in imported(file) if not {module.partition(".")[0], module} & allowed}
        assert others == set(), file


def test_every_folder_is_a_room() -> None:
    assert {folder.name for folder in HOME.iterdir() if folder.is_dir() and folder.name != "__pycache__"} == set(ROOMS)
