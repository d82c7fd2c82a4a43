"""The lab imports what pyproject.toml declares and nothing else: what works by luck fails for the next user."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

from checks.conftest import Plant
from checks.listing import REPOSITORY, files, read

# Where the module is not called like the package.
_MODULE = {
    "grpcio": "grpc",
    "grpcio-tools": "grpc_tools",
    "hdrhistogram": "hdrh",
    "protobuf": "google",
    "pyyaml": "yaml",
}
# What a declared package brings as part of its own interface.
_BROUGHT = {"jinja2": "markupsafe", "pydantic": "pydantic_core", "zeep": "requests"}


def undeclared(root: Path) -> list[str]:
    """Return `file: module` for each import of the lab that no declared dependency brings."""
    declared = _declared(root)
    brought = (_BROUGHT[module] for module in declared if module in _BROUGHT)
    known = {*sys.stdlib_module_names, "middlemark", *declared, *brought}
    package = root / "lab" / "middlemark"
    return [
        f"{path.relative_to(root)}: {module}"
        for path in files(package, ".py")
        for module in sorted(_imported(path) - known)
    ]


def unused(root: Path) -> list[str]:
    """Return the declared modules that no file of the lab names."""
    texts = [read(path) for path in files(root / "lab" / "middlemark", ".py")]
    return [module for module in _declared(root) if not any(re.search(rf"\b{module}\b", text) for text in texts)]


def _declared(root: Path) -> list[str]:
    project = tomllib.loads(read(root / "pyproject.toml"))["project"]
    names = [re.split(r"[^\w.-]", line, maxsplit=1)[0].lower() for line in project["dependencies"]]
    return [_MODULE.get(name, name.replace("-", "_")) for name in names]


def _imported(path: Path) -> set[str]:
    modules = set()
    for node in ast.walk(ast.parse(read(path))):
        if isinstance(node, ast.Import):
            modules |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules.add(node.module.partition(".")[0])
    return modules


def test_every_import_is_declared() -> None:
    assert undeclared(REPOSITORY) == []


def test_every_dependency_is_used() -> None:
    assert unused(REPOSITORY) == []


def test_an_undeclared_import_and_an_unused_dependency_are_found(plant: Plant) -> None:
    root = plant(
        {
            "pyproject.toml": '[project]\ndependencies = ["PyYAML>=6", "my-queue[fast]>=1"]\n',
            "lab/middlemark/a.py": "import json\nimport yaml.nodes\nfrom click import echo\nfrom middlemark import b\n",
        }
    )
    assert undeclared(root) == ["lab/middlemark/a.py: click"]
    assert unused(root) == ["my_queue"]
