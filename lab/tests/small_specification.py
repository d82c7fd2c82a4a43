"""Specifications with few cases, and the Go application they run on, for tests of conformance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from middlemark.conformance.cases.suite import ABOUT_CASE
from middlemark.conformance.comparison.pages.canonical import PAGES
from middlemark.conformance.execution.request import VerifyRequest
from middlemark.conformance.result import ConformanceResult, Execution
from middlemark.conformance.verify import verify
from middlemark.databases.database import Database
from middlemark.load.stores import Store, Stores
from middlemark.processes.watchdog import watchdog
from middlemark.specification.specification import Specification, read_specification
from middlemark.subject.build import build
from middlemark.subject.subject import Subject, find_subject

ROOT = Path(__file__).parents[2]
BROKERAGE = ROOT / "specs" / "brokerage"
SYNC = ("sync",)


def specification_with(folder: Path, **files: str) -> Specification:
    """Return a brokerage in `folder` whose only cases are those of `files` (topic: YAML); without canonical pages."""
    spec = folder / "specs" / "brokerage"
    (spec / "cases").mkdir(parents=True)
    for part in BROKERAGE.iterdir():
        if part.name not in {"cases", PAGES}:
            (spec / part.name).symlink_to(part)
    (spec / PAGES).mkdir()
    for file in (BROKERAGE / PAGES).iterdir():
        if file.name != "pages.toml":
            (spec / PAGES / file.name).symlink_to(file)
    text = (BROKERAGE / PAGES / "pages.toml").read_text(encoding="utf-8")
    volatile = text[text.index("[[volatile]]") :]
    nowhere = 'modes = { orders = "async-xa" }'
    page = f'[[page]]\nfile = "glossary.html"\nget = "/glossary"\nstatus = 200\n{nowhere}\n'
    (spec / PAGES / "pages.toml").write_text(f"version = 1\n{page}{volatile}", encoding="utf-8")
    (spec / "cases" / "settle-orders.sql").symlink_to(BROKERAGE / "cases" / "settle-orders.sql")
    for topic, content in files.items():
        (spec / "cases" / f"{topic}.yaml").write_text(f"version: 1\n{content}", encoding="utf-8")
    (folder / "specs" / "README.md").symlink_to(ROOT / "specs" / "README.md")
    return read_specification(spec)


def stores_at(server: Database, template: str, database: str = "") -> Stores:
    """Return the brokerage's one database: a template, and a copy of it where one is used."""
    return {"brokerage": Store("brokerage", "database", server, template, database)}


def small_subject(bindings: Sequence[str] = ("local", "json"), orders: Sequence[str] = SYNC) -> Subject:
    """Return Go with fewer modes, so that there are few configurations."""
    return with_fewer_modes(find_subject(ROOT, "go", "brokerage"), bindings, orders)


def with_fewer_modes(
    subject: Subject, bindings: Sequence[str] = ("local", "json"), orders: Sequence[str] = SYNC
) -> Subject:
    """Return a subject with these bindings and order modes, and its first data access alone."""
    description = subject.platform.description
    own = description.specs["brokerage"]
    modes = {"binding": tuple(bindings), "data-access": own.modes["data-access"][:1], "orders": tuple(orders)}
    less = own.model_copy(update={"modes": modes})
    platform = replace(subject.platform, description=description.model_copy(update={"specs": {"brokerage": less}}))
    return replace(subject, platform=platform)


def built_go(runtime: Path) -> Path:
    """Return the artifact of the Go application."""
    with watchdog(runtime) as watch:
        return build(find_subject(ROOT, "go", "brokerage"), ROOT, watch)


def verified(spec: Specification, loaded: Stores, subject: Subject, **options: object) -> ConformanceResult:
    """Verify the subject with the cases of a small specification."""
    home = spec.folder.parent.parent
    request = VerifyRequest(
        home=home,
        specification=spec,
        subjects=(replace(subject, specification=spec),),
        logs=home / "logs",
        artifact=built_go(home / "runtime"),
        loaded=loaded,
    )
    return verify(replace(request, **options))  # type: ignore[arg-type]


def executions_by_case(result: ConformanceResult) -> dict[str, Execution]:
    """Return the executions of the only subject by the sentences of their cases, those of the files alone."""
    executions = result.subjects[0].executions
    return {execution.case: execution for execution in executions if execution.case != ABOUT_CASE}
