"""The map in ARCHITECTURE.md is the tree: all it shows exists, all that exists it shows, what is absent is absent."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from checks.conftest import Plant
from checks.listing import REPOSITORY, folders, read

_MAP = re.compile(r"^## The map\n.*?^```text\n(.*?)^```", re.MULTILINE | re.DOTALL)
_ABSENT = re.compile(r"^## Deliberately absent\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_INDENT = 2

# Folders whose content a newcomer looks for by name: the map shows everything directly below them.
OPEN = ("docs", "driver/src", "lab/middlemark", "platforms", "specs")


def stale_lines(root: Path) -> list[str]:
    """Return what ARCHITECTURE.md shows and the tree has not, and the other way round.

    A folder is shown with all folders directly below it or with none of them; those of OPEN with all.
    """
    text = read(root / "ARCHITECTURE.md")
    shown = _shown(text)
    existing = set(folders(root))
    opened = {"", *OPEN, *(folder.rpartition("/")[0] for folder in shown)}
    expected = {folder for folder in existing if folder.rpartition("/")[0] in opened}
    return [
        *(f"{folder}/ is in the map and not in the tree" for folder in sorted(shown - existing)),
        *(f"{folder}/ is in the tree and not in the map" for folder in sorted(expected - shown)),
        *(f"{folder}/ is called absent and exists" for folder in _absent(text) if folder in existing),
    ]


def _shown(text: str) -> set[str]:
    """Return the folders of the map: the first word of a line when it ends in `/`; its indentation says below which."""
    found = _MAP.search(text)
    shown: set[str] = set()
    above: list[str] = []
    for line in found[1].splitlines() if found else []:
        words = line.split()
        if not words or not words[0].endswith("/"):
            continue
        depth = (len(line) - len(line.lstrip())) // _INDENT
        above = [*above[:depth], words[0].rstrip("/")]
        shown.add("/".join(above))
    return shown


def _absent(text: str) -> list[str]:
    found = _ABSENT.search(text)
    return re.findall(r"`([\w/.-]+)/`", found[1]) if found else []


def test_the_map_is_the_tree() -> None:
    assert stale_lines(REPOSITORY) == []


def test_the_map_names_what_is_absent() -> None:
    assert _absent(read(REPOSITORY / "ARCHITECTURE.md"))


TEXT = """
## The map
```text
docs/        pages
  how-to/    recipes
results/     none
```
## Deliberately absent
- `servers/`: later
"""


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("docs/tutorial/a.md", "docs/tutorial/ is in the tree and not in the map"),
        ("tools/a.py", "tools/ is in the tree and not in the map"),
        ("specs/a/b.md", "specs/a/ is in the tree and not in the map"),
        ("servers/a/b.toml", "servers/ is called absent and exists"),
    ],
)
def test_a_folder_the_map_does_not_know_is_found(plant: Plant, name: str, found: str) -> None:
    root = plant({"ARCHITECTURE.md": TEXT.replace("results/     none\n", ""), "docs/how-to/a.md": "", name: ""})
    assert found in stale_lines(root)


def test_a_folder_only_the_map_knows_is_found(plant: Plant) -> None:
    root = plant({"ARCHITECTURE.md": TEXT, "docs/how-to/a.md": ""})
    assert stale_lines(root) == ["results/ is in the map and not in the tree"]
