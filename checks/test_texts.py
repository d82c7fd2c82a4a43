"""No committed file names one machine's folders or one network's package servers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from checks.conftest import Plant
from checks.listing import REPOSITORY, files, read

# A letter in brackets keeps this file from holding what it looks for.
_FOLDERS = re.compile(r"(?<![\w.}/-])/(?:ro[o]t|wor[k]|tm[p]|hom[e]|User[s])/[A-Za-z0-9_]")
_SERVERS = re.compile(
    r"https?:/[/](?:registry|repo1?|proxy|index|static|files|deb)\.|pythonhosted\.or[g]|--(?:extra-)?index-ur[l]\b"
    r"|\"resolved\":\s*\"htt[p]|GOPROX[Y]=|npmjs\.or[g]"
)


def machine_texts(root: Path) -> list[str]:
    """Return `file:line: text` for each folder of a machine and each package server."""
    return [
        f"{path.relative_to(root)}:{number}: {found[0]}"
        for path in files(root)
        for number, line in enumerate(read(path).splitlines(), start=1)
        for found in (_FOLDERS.search(line) or _SERVERS.search(line),)
        if found
    ]


def test_no_file_depends_on_one_machine() -> None:
    assert machine_texts(REPOSITORY) == []


@pytest.mark.parametrize(
    "text",
    [
        "cd /ro" + "ot/x",
        "open('/tm" + "p/report')",
        "https:/" + "/registry.example.org/simple",
        "pip install --index-ur" + "l x",
    ],
)
def test_a_text_of_one_machine_is_found(plant: Plant, text: str) -> None:
    [found] = machine_texts(plant({"docs/a.md": f"fine\n{text}\n"}))
    assert found.startswith("docs/a.md:2: ")


def test_addresses_of_pages_are_no_folders(plant: Plant) -> None:
    assert (
        machine_texts(plant({"a.md": "http://127.0.0.1:8080/hom" + "e/x, ${base}/tm" + "p/x, pages/wor" + "k/x"})) == []
    )
