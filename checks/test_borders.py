"""Who may know whom: the tables of ARCHITECTURE.md, held against imports and words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from checks.conftest import Plant
from checks.listing import REPOSITORY, files, read

_PACKAGE_ROW = re.compile(r"^\| (`[a-z]+`(?:, `[a-z]+`)*) \| (.+?) \|", re.MULTILINE)
_NAME = re.compile(r"`([a-z]+)`")

# A driver that knew one of these could not drive any web site.
_DRIVER_NEVER = re.compile(
    r"\b(?:postgres\w*|psql|sql|database|python|brokerage|jakarta|golang|liberty|wildfly)\b|\b(?:lab|specs|platforms)/",
    re.IGNORECASE,
)
# The package of a specification's .proto begins with the lab's name too.
_PLATFORM_NEVER = re.compile(r"(?<![\w.-])lab/|\bmiddlemark-driver\b|\b(?:from|import) middlemark\b(?!\.\w+\.v\d)")

# Capitals matter where a name is also a word: "go", "rust", "spring".
_PRODUCTS = re.compile(
    r"\b(?:Go|[Gg]olang|Java|JVM|[Jj]akarta|Python|Rust|Node|C#|(?i:dotnet|javascript|postgresql|pgx|mysql|jdbc|jpa|"
    r"hibernate|eclipselink|liberty|wildfly|tomcat|nginx|apache|gomaxprocs|kafka|artemis))\b|\.NET\b"
)
_ALLOWED_IN_SPECS = {
    "*.sql": {"postgresql"},  # a schema is written for one database
    "dataset.toml": {"postgresql"},  # as above
    "README.md": {"postgresql", "pgx", "gomaxprocs"},  # the scheme of an address; the example of /about
}


@dataclass(frozen=True)
class Rule:
    """What a package may import: the `named` packages, or with `but_these` all others."""

    named: frozenset[str]
    but_these: bool

    def allows(self, other: str) -> bool:
        """Say whether the package may import another one."""
        return other != "cli" and (other in self.named) is not self.but_these


def allowed_imports(architecture: str) -> dict[str, Rule]:
    """Return for each package of the lab what it may import, as the table says."""
    allowed: dict[str, Rule] = {}
    for packages, known in _PACKAGE_ROW.findall(architecture):
        rule = Rule(frozenset(_NAME.findall(known)), known.startswith("everything"))
        allowed |= dict.fromkeys(_NAME.findall(packages), rule)
    return allowed


def forbidden_imports(root: Path) -> list[str]:
    """Return each import between packages of the lab that the table of ARCHITECTURE.md does not allow."""
    allowed = allowed_imports(read(root / "ARCHITECTURE.md"))
    found = []
    for path, importer, others in _imports_of_the_lab(root):
        if importer not in allowed:
            found.append(f"{path.relative_to(root)}: the table of ARCHITECTURE.md does not name `{importer}`")
            continue
        forbidden = (other for other in sorted(others) if not allowed[importer].allows(other))
        found += [f"{path.relative_to(root)}: imports {other}" for other in forbidden]
    return found


def cycles(root: Path) -> list[str]:
    """Return the packages of the lab that import one another in a circle, whatever the table says."""
    graph: dict[str, set[str]] = {}
    for _, importer, others in _imports_of_the_lab(root):
        graph.setdefault(importer, set()).update(others)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [" imports ".join(error.args[1][::-1])]
    return []


def _imports_of_the_lab(root: Path) -> Iterator[tuple[Path, str, set[str]]]:
    """Yield each file of the lab with its package and the other packages that it imports."""
    package = root / "lab" / "middlemark"
    for path in files(package, ".py"):
        importer = path.relative_to(package).parts[0].removesuffix(".py")
        if not importer.startswith("__"):
            yield path, importer, _imported(path) - {importer}


def importers_of_the_lab(root: Path) -> list[str]:
    """Return the Python files outside the lab and the checks that import the lab."""
    outside = (path for path in files(root, ".py") if path.relative_to(root).parts[0] not in {"lab", "checks"})
    return [str(path.relative_to(root)) for path in outside if _imported(path)]


def foreign_words(root: Path) -> list[str]:
    """Return each word in driver, platforms and specs that says they know somebody they must not know."""
    return [*_in_driver(root), *_in_platforms(root), *_in_specs(root)]


def _imported(path: Path) -> set[str]:
    """Return the parts of the lab a file imports: `records` for `from middlemark.records.run import Run`."""
    modules: list[str] = []
    for node in ast.walk(ast.parse(read(path))):
        if isinstance(node, ast.ImportFrom) and node.module == "middlemark":
            modules += [f"middlemark.{name.name}" for name in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules.append(node.module)
        elif isinstance(node, ast.Import):
            modules += [name.name for name in node.names]
    parts = [module.split(".") for module in modules]
    return {part[1] for part in parts if part[0] == "middlemark" and len(part) > 1 and not part[1].startswith("__")}


def _in_driver(root: Path) -> Iterator[str]:
    for path in files(root / "driver", ".rs"):
        yield from _found(root, path, _DRIVER_NEVER)


def _in_platforms(root: Path) -> Iterator[str]:
    names = sorted(folder.name for folder in (root / "platforms").glob("*") if folder.is_dir())
    for path in files(root / "platforms"):
        own = path.relative_to(root / "platforms").parts[0]
        others = "|".join(re.escape(name) for name in names if name != own)
        yield from _found(root, path, _PLATFORM_NEVER)
        if others:
            yield from _found(root, path, re.compile(rf"(?:platforms|\.\.)/(?:{others})\b"))


def _in_specs(root: Path) -> Iterator[str]:
    for path in files(root / "specs"):
        allowed = {word for pattern, words in _ALLOWED_IN_SPECS.items() if path.match(pattern) for word in words}
        yield from _found(root, path, _PRODUCTS, allowed)


def _found(root: Path, path: Path, words: re.Pattern[str], allowed: set[str] | None = None) -> Iterator[str]:
    for number, line in enumerate(read(path).splitlines(), start=1):
        for match in words.finditer(line):
            if match[0].lower() not in (allowed or set()):
                yield f"{path.relative_to(root)}:{number}: {match[0]}"


def test_the_lab_keeps_to_its_table() -> None:
    assert forbidden_imports(REPOSITORY) == []


def test_the_packages_of_the_lab_have_no_cycle() -> None:
    assert cycles(REPOSITORY) == []


def test_nobody_imports_the_lab() -> None:
    assert importers_of_the_lab(REPOSITORY) == []


def test_driver_platforms_and_specs_know_nobody_they_must_not() -> None:
    assert foreign_words(REPOSITORY) == []


TABLE = """
| package | may import |
|---|---|
| `experiment` | everything but `cli` |
| `report`, `verdict` | `results` |
| `results` | nobody |
"""


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("report/page.py", "from middlemark.processes.ports import free", "imports processes"),
        ("verdict/judge.py", "from middlemark import dataset", "imports dataset"),
        ("experiment/run.py", "import middlemark.cli.run", "imports cli"),
        ("results/run.py", "from middlemark.verdict.judge import judge", "imports verdict"),
        ("monitor/tiers.py", "", "the table of ARCHITECTURE.md does not name `monitor`"),
    ],
)
def test_a_forbidden_import_is_found(plant: Plant, name: str, text: str, found: str) -> None:
    root = plant({"ARCHITECTURE.md": TABLE, f"lab/middlemark/{name}": text})
    assert forbidden_imports(root) == [f"lab/middlemark/{name}: {found}"]


def test_a_cycle_is_found(plant: Plant) -> None:
    circle = {"a": "b", "b": "c", "c": "a"}
    root = plant({f"lab/middlemark/{one}/x.py": f"from middlemark.{other}.x import y" for one, other in circle.items()})
    (found,) = cycles(root)
    assert sorted(found.split(" imports ")[1:]) == ["a", "b", "c"]


def test_allowed_imports_pass(plant: Plant) -> None:
    text = "from middlemark.results.run import Run\nfrom middlemark.report.svg import text\nimport json\n"
    assert forbidden_imports(plant({"ARCHITECTURE.md": TABLE, "lab/middlemark/report/page.py": text})) == []


def test_an_importer_of_the_lab_is_found(plant: Plant) -> None:
    root = plant({"platforms/django/app.py": "import middlemark.errors", "checks/a.py": "import middlemark.errors"})
    assert importers_of_the_lab(root) == ["platforms/django/app.py"]


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("driver/src/main.rs", "// asks PostgreSQL", "PostgreSQL"),
        ("platforms/go/a.go", "// as ../jakarta/pom.xml", "../jakarta"),
        ("platforms/go/b.go", "// see lab/middlemark", "lab/"),
        ("specs/spice/README.md", "written in Go", "Go"),
        ("specs/spice/pages/home.html", "PostgreSQL", "PostgreSQL"),
    ],
)
def test_a_foreign_word_is_found(plant: Plant, name: str, text: str, found: str) -> None:
    assert foreign_words(plant({"platforms/jakarta/pom.xml": "", name: text})) == [f"{name}:1: {found}"]


def test_words_of_ones_own_pass(plant: Plant) -> None:
    root = plant(
        {
            "driver/src/main.rs": "fn main() {} // application/json",
            "platforms/go/a.go": "package go",
            "specs/spice/schema.sql": "-- PostgreSQL",
            "specs/spice/README.md": "users go on",
        }
    )
    assert foreign_words(root) == []
