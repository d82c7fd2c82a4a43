"""The files of SPICE are those of its README and its sessions: how many, how long, how often they are requested."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from checks.listing import REPOSITORY, read
from middlemark.specification.file_set import FileClass, MadeFiles, read_made_files
from middlemark.workload.session import read_session

SPICE = REPOSITORY / "specs" / "spice"
PAGE_BYTES = 6250
MIX = {("files", None): 0.75, ("program", None): 0.17, ("files", "https"): 0.06, ("program", "https"): 0.02}
"""What is requested over which listener; none is the plain one (specs/spice/README.md, Virtual users)."""


@pytest.fixture(scope="module")
def site() -> MadeFiles:
    return read_made_files(SPICE / "site.toml")


def row(number: int, one: FileClass) -> str:
    """Return a class as the README's table has it."""
    return f"| {number} | {one.files:,} | {one.smallest:,} … {one.largest:,} | {one.share} |"


def test_there_are_six_thousand_files_of_sixty_million_bytes(site: MadeFiles) -> None:
    sizes = dict(site.files())
    assert (len(sizes), sum(sizes.values())) == (6000, 60_000_000)
    assert (min(sizes.values()), max(sizes.values())) == (223, 529_000)


def test_the_mean_response_is_as_long_as_the_page_of_a_program(site: MadeFiles) -> None:
    sizes, requested = dict(site.files()), site.requested()
    assert len(requested) == site.requests == 100_000
    assert site.mean_response() == pytest.approx(PAGE_BYTES, rel=0.005)
    assert sum(sizes[path] for path in requested) / len(requested) == pytest.approx(PAGE_BYTES, rel=0.005)
    assert set(requested) == set(sizes)
    assert len((SPICE / "pages" / "page.html").read_bytes()) == PAGE_BYTES


def test_the_readme_has_the_classes(site: MadeFiles) -> None:
    text = read(SPICE / "README.md")
    assert [row(number, one) for number, one in enumerate(site.classes, 1) if row(number, one) not in text] == []


@pytest.mark.parametrize("name", ["shop-handler", "shop-cgi"])
def test_the_mixes_of_a_shop_have_their_shares(name: str) -> None:
    session = read_session(SPICE / "sessions" / f"{name}.yaml", {})
    weights: defaultdict[tuple[str, str | None], float] = defaultdict(float)
    for (_, script), step in zip(session.scripts, session.every_step, strict=True):
        weights["files" if "${file}" in (step.get or "") else "program", step.target] += script.weight
    assert {what: weight / sum(weights.values()) for what, weight in weights.items()} == pytest.approx(MIX)


@pytest.mark.parametrize("file", sorted((SPICE / "sessions").glob("*.yaml")), ids=lambda file: file.stem)
def test_every_answer_is_checked_by_its_length_and_files_come_from_the_list(file: Path) -> None:
    session = read_session(file, {})
    lengths = {step.id: step.expect.length for step in session.every_step}
    programs = {id_: length for id_, length in lengths.items() if "static" not in id_}
    assert programs == dict.fromkeys(programs, PAGE_BYTES)
    assert {length for id_, length in lengths.items() if id_ not in programs} <= {"${size}"}
    files = session.feeds.get("file")
    assert files is None or (files.lines, files.columns) == ("site", ("size",))


def test_a_file_of_the_set_has_the_bytes_that_its_class_says(site: MadeFiles) -> None:
    assert [path for path, size in site.files() if len(site.content(path, size)) != size] == []
