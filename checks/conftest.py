"""What the checks share: a small tree to break a rule in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Plant = Callable[..., Path]


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    """Give a function that writes files, `plant({"docs/a.md": "text"})`, and returns the root of their tree."""

    def write(contents: dict[str, str]) -> Path:
        for name, text in contents.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path

    return write
