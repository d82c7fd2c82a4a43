"""The Python files of the lab and of the checks: what each imports, and which names of files it mentions."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from checks.listing import files, read

_FOLDERS = ("lab", "checks")
# Who imports one of these looks at every file.
_LISTING = {"checks.listing.files", "checks.listing.folders"}
_ON_PATH = ("lab/tests/", "lab/")
TESTS = "test_"


@dataclass(frozen=True)
class Source:
    """One Python file: the files it imports, the words of its texts, and whether it lists the repository's files."""

    imports: frozenset[str]
    words: frozenset[str]
    lists_files: bool = False


def is_test(file: str) -> bool:
    """Tell whether pytest finds tests in this file."""
    path = PurePosixPath(file)
    return path.name.startswith(TESTS) and path.suffix == ".py"


def is_shared_by_tests(file: str) -> bool:
    """Tell whether the file is a part of the tests that import it."""
    return file.startswith("lab/tests/") or (PurePosixPath(file).name == "conftest.py")


def read_sources(root: Path, changed: Iterable[str]) -> dict[str, Source]:
    """Return every Python file by its path; importers of a `changed` one that was deleted still count as such."""
    paths = [path for folder in _FOLDERS for path in files(root / folder, ".py")]
    names = {path.relative_to(root).as_posix(): path for path in paths}
    modules = {module_of(name): name for name in {*names, *(file for file in changed if file.endswith(".py"))}}
    return {name: _source(path, modules) for name, path in names.items()}


def module_of(file: str) -> str:
    """Return the name by which a Python file is imported: `middlemark.errors` for `lab/middlemark/errors.py`."""
    for folder in _ON_PATH:
        if file.startswith(folder):
            file = file.removeprefix(folder)
            break
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _source(path: Path, modules: dict[str, str]) -> Source:
    try:
        tree = ast.parse(read(path))
    except SyntaxError:  # ruff says where
        return Source(frozenset(), frozenset())
    docstrings = {id(text) for text in _docstrings(tree)}
    words: set[str] = set()
    imported: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            words |= {word for text in node.value.split() for word in text.split("/")}
        elif isinstance(node, ast.Import):
            imported |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
    files_imported = frozenset(modules[name] for name in imported if name in modules)
    return Source(files_imported, frozenset(words), lists_files=bool(imported & _LISTING))


def _docstrings(tree: ast.AST) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                yield first.value
