"""Specifications with few cases, and the Go application they are played on, for tests of the conformance engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from middlemark.conformance.comparison.pages.canonical import PAGES
from middlemark.conformance.execution.order import LoadedServer, VerifyOrder
from middlemark.conformance.result import ConformanceResult, Play
from middlemark.conformance.verify import verify
from middlemark.processes.guard import guard
from middlemark.subject.build import build
from middlemark.subject.subject import Subject, find_subject

ROOT = Path(__file__).parents[2]
BROKERAGE = ROOT / "specs" / "brokerage"
SYNC = ("sync",)


def specification_with(folder: Path, **files: str) -> Path:
    """Write a brokerage into `folder` whose only cases are those of `files` (topic: YAML); without canonical pages."""
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
    page = '[[page]]\nfile = "glossary.html"\nget = "/glossary"\nstatus = 200\norders = "never"\n'
    (spec / PAGES / "pages.toml").write_text(f'version = 1\nscale = "tiny"\n{page}{volatile}', encoding="utf-8")
    (spec / "cases" / "settle-orders.sql").symlink_to(BROKERAGE / "cases" / "settle-orders.sql")
    for topic, content in files.items():
        (spec / "cases" / f"{topic}.yaml").write_text(f"version: 1\n{content}", encoding="utf-8")
    (folder / "specs" / "README.md").symlink_to(ROOT / "specs" / "README.md")
    return spec


def small_subject(bindings: Sequence[str] = ("local", "json"), orders: Sequence[str] = SYNC) -> Subject:
    """Return Go with fewer modes, so that there are few cells."""
    return with_fewer_modes(find_subject(ROOT, "go", "brokerage"), bindings, orders)


def with_fewer_modes(
    subject: Subject, bindings: Sequence[str] = ("local", "json"), orders: Sequence[str] = SYNC
) -> Subject:
    """Return a subject with these bindings and order modes, and its first data access alone."""
    description = subject.platform.description
    own = description.specs["brokerage"]
    modes = {"data-access": own.modes["data-access"][:1], "orders": tuple(orders)}
    less = own.model_copy(update={"bindings": tuple(bindings), "modes": modes})
    platform = replace(subject.platform, description=description.model_copy(update={"specs": {"brokerage": less}}))
    return replace(subject, platform=platform)


def built_go(runtime: Path) -> Path:
    """Return the artifact of the Go application."""
    with guard(runtime) as watch:
        return build(find_subject(ROOT, "go", "brokerage"), ROOT, watch)


def verified(spec: Path, loaded: LoadedServer, subject: Subject, **wishes: object) -> ConformanceResult:
    """Verify the subject with the cases of a small specification."""
    artifact = built_go(spec.parent / "runtime")
    order = VerifyOrder(
        home=spec.parent.parent,
        spec_folder=spec,
        subjects=(subject,),
        logs=spec.parent.parent / "logs",
        artifact=artifact,
        loaded=loaded,
    )
    return verify(replace(order, **wishes))  # type: ignore[arg-type]


def plays_by_case(result: ConformanceResult) -> dict[str, Play]:
    """Return the plays of the only subject by the sentences of their cases."""
    return {play.case: play for play in result.subjects[0].plays}
