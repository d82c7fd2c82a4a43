"""Python imports what pyproject.toml declares and nothing else, and what is fuzzed is what is built.

What works by luck fails for the next user.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from checks.conftest import Plant
from checks.listing import REPOSITORY, files, read

# Where the module is not called like the package.
_MODULE = {
    "grpcio": "grpc",
    "grpcio-tools": "grpc_tools",
    "hdrhistogram": "hdrh",
    "protobuf": "google",
    "pyjwt": "jwt",
    "pyyaml": "yaml",
}
# What a declared package brings as part of its own interface.
_BROUGHT = {"jinja2": "markupsafe", "pydantic": "pydantic_core", "zeep": "requests"}


def undeclared(root: Path) -> list[str]:
    """Return `file: module` for each import that no declared dependency brings: of the lab, and of tests and checks.

    A folder of checks whose programs run in an environment of their own declares what that holds in `requirements.in`.
    """
    project = _project(root)
    package, outside = root / "lab" / "middlemark", (root / "lab" / "tests", root / "checks")
    declared = _modules(project["dependencies"])
    of_tests = [*declared, *_modules(project.get("optional-dependencies", {}).get("dev", []))]
    for more in sorted((root / "checks").glob("*/requirements.in")):
        of_tests += _modules(read(more).splitlines())
    ours = {"middlemark", "checks", *(path.stem for folder in outside for path in files(folder, ".py"))}
    return [
        *_unknown(root, package, {"middlemark", *declared}),
        *(found for folder in outside for found in _unknown(root, folder, {*ours, *of_tests})),
    ]


def unused(root: Path) -> list[str]:
    """Return the declared modules that no file of the lab names."""
    texts = [read(path) for path in files(root / "lab" / "middlemark", ".py")]
    modules = _modules(_project(root)["dependencies"])
    return [module for module in modules if not any(re.search(rf"\b{module}\b", text) for text in texts)]


def _project(root: Path) -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads(read(root / "pyproject.toml"))["project"]
    return project


def _modules(requirements: list[str]) -> list[str]:
    names = [re.split(r"[^\w.-]", line, maxsplit=1)[0].lower() for line in requirements]
    return [_MODULE.get(name, name.replace("-", "_")) for name in names]


def _unknown(root: Path, folder: Path, known: set[str]) -> list[str]:
    brought = {_BROUGHT[module] for module in known if module in _BROUGHT}
    return [
        f"{path.relative_to(root)}: {module}"
        for path in files(folder, ".py")
        for module in sorted(_imported(path) - known - brought - sys.stdlib_module_names)
    ]


def _imported(path: Path) -> set[str]:
    modules = set()
    for node in ast.walk(ast.parse(read(path))):
        if isinstance(node, ast.Import):
            modules |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules.add(node.module.partition(".")[0])
    return modules


def stale_in_lock_of_fuzzers(root: Path) -> list[str]:
    """Return what driver/fuzz/Cargo.lock lacks of the driver's dependencies, or has in another version than it."""
    manifest = tomllib.loads(read(root / "driver" / "Cargo.toml"))
    own, of_fuzzers = (
        tomllib.loads(read(root / "driver" / folder / "Cargo.lock"))["package"] for folder in ("", "fuzz")
    )
    locked = next(package for package in of_fuzzers if package["name"] == manifest["package"]["name"])
    versions = {(package["name"], package["version"]) for package in own}
    names = {name for name, _ in versions}
    return [
        # A version stands behind the name where there are several.
        *(manifest["dependencies"].keys() - {needed.partition(" ")[0] for needed in locked["dependencies"]}),
        *(
            f"{package['name']} {package['version']}"
            for package in of_fuzzers
            if package["name"] in names and (package["name"], package["version"]) not in versions
        ),
    ]


def test_every_import_is_declared() -> None:
    assert undeclared(REPOSITORY) == []


def test_every_dependency_is_used() -> None:
    assert unused(REPOSITORY) == []


def test_an_undeclared_import_and_an_unused_dependency_are_found(plant: Plant) -> None:
    root = plant(
        {
            "pyproject.toml": '[project]\ndependencies = ["PyYAML>=6", "my-queue[fast]>=1"]\n'
            '[project.optional-dependencies]\ndev = ["pytest"]\n',
            "lab/middlemark/a.py": "import json\nimport yaml.nodes\nfrom click import echo\nfrom middlemark import b\n",
            "lab/middlemark/b.py": "import pytest\n",
            "lab/tests/c.py": "import pytest\nimport yaml\nimport d\nimport click\n",
            "lab/tests/d.py": "",
        }
    )
    assert undeclared(root) == ["lab/middlemark/a.py: click", "lab/middlemark/b.py: pytest", "lab/tests/c.py: click"]
    assert unused(root) == ["my_queue"]


def test_what_is_fuzzed_has_the_libraries_of_the_driver() -> None:
    assert stale_in_lock_of_fuzzers(REPOSITORY) == []


def test_a_library_that_the_fuzzers_lack_or_have_in_another_version_is_found(plant: Plant) -> None:
    url, driver = '[[package]]\nname = "url"\nversion = "{}"\n', '[[package]]\nname = "d"\nversion = "1"\n'
    root = plant(
        {
            "driver/Cargo.toml": '[package]\nname = "d"\n[dependencies]\nurl = "2"\nclap = "4"\n',
            "driver/Cargo.lock": url.format("2.1") + driver + 'dependencies = ["clap", "url"]\n',
            "driver/fuzz/Cargo.lock": url.format("2.5") + driver + 'dependencies = ["url 2.5"]\n',
        }
    )
    assert stale_in_lock_of_fuzzers(root) == ["clap", "url 2.5"]
