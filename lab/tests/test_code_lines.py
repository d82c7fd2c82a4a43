"""Lines of code are counted by tier, from what platform.toml says, and shown by `middlemark lines` and the report."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from rejudged_result import with_run
from small_platform import small_checkout
from synthetic_result import write_synthetic

from middlemark.errors import InputError
from middlemark.judge.result import judge_folder
from middlemark.lines.code_lines import code_of_run
from middlemark.records.naming import label
from middlemark.records.run import Combination
from middlemark.records.run_parts import CodeLines
from middlemark.show.page import report_page
from middlemark.subject.code import Code, CodePart, CodeTier, counted_parts, files_of_parts, lines_by_tier
from middlemark.subject.platform import platforms
from middlemark.subject.subject import find_subject

ROOT = Path(__file__).parents[2]

JAVA = """\
package shop;

/** A word about it.
 */
// another
class Shop { // not a line of its own
  String text = "// no comment";
  /* begins
     ends */ int four = 4;
}
"""
DECLARED = """
[specs.brokerage.code]
uncounted = { tests = ["**/*_test.py"] }

[[specs.brokerage.code.parts]]
tier = "middle"
files = ["*.py"]

[[specs.brokerage.code.parts]]
tier = "data"
files = ["store/native/*"]
modes = { data-access = "native" }

[[specs.brokerage.code.parts]]
tier = "data"
files = ["store/other/*"]
modes = { data-access = "other" }
"""


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def code(*globs: str, **more: object) -> Code:
    return Code.model_validate({"parts": [{"tier": "middle", "files": globs}], **more})


def lines(folder: Path, *globs: str, **more: object) -> int:
    return sum(part.lines for part in counted_parts(folder, code(*globs, **more)))


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Give a checkout whose platform has two ways to its data: 2 and 3 lines beside 3 others."""
    home = small_checkout(tmp_path)
    folder = home / "platforms" / "small"
    files = {
        "application.py": '"""What it is."""\nimport json\n\nx = 1\n# end\ny = 2\n',
        "application_test.py": "assert 1\n",
        "store/native/rows.py": "a = 1\nb = 2\n",
        "store/other/rows.py": "a = 1\nb = 2\nc = 3\n",
        "platform.toml": (folder / "platform.toml").read_text() + DECLARED,
    }
    written(folder, files)
    return home


def test_comments_and_empty_lines_do_not_count_and_texts_do(tmp_path: Path) -> None:
    written(tmp_path, {"Shop.java": JAVA, "page.html": "<!DOCTYPE html>\n<!-- no -->\n\n<p>two</p>\n"})
    assert lines(tmp_path, "Shop.java") == 5
    assert lines(tmp_path, "page.html") == 2
    assert lines(tmp_path, "*") == 7


def test_a_file_whose_language_its_name_does_not_say_is_refused_until_it_is_named(tmp_path: Path) -> None:
    written(tmp_path, {"gain.tag": "<p>\n\n</p>\n"})
    with pytest.raises(InputError, match=r"Pygments does not know the language of gain\.tag.*Name it under"):
        lines(tmp_path, "*.tag")
    with pytest.raises(InputError, match="Pygments does not know the language jspp"):
        lines(tmp_path, "*.tag", languages={".tag": "jspp"})
    assert lines(tmp_path, "*.tag", languages={".tag": "jsp"}) == 2


def test_what_is_uncounted_counts_nowhere(tmp_path: Path) -> None:
    written(tmp_path, {"a.go": "package a\n", "a_test.go": "package a\n", "wire/b.go": "package b\n"})
    uncounted = {"tests": ["**/*_test.go"], "generated": ["wire/*"]}
    assert lines(tmp_path, "**/*.go", uncounted=uncounted) == 1


@pytest.mark.parametrize(
    ("parts", "message"),
    [(("a/*", "b/*.py"), "no file fits 'b/.*below"), (("a/*", "**/one.py"), r"a/one\.py is in two parts")],
)
def test_wrong_globs_are_refused(tmp_path: Path, parts: tuple[str, ...], message: str) -> None:
    written(tmp_path, {"a/one.py": "a = 1\n"})
    wrong = Code(parts=tuple(CodePart(tier=CodeTier.DATA, files=(glob,)) for glob in parts))
    with pytest.raises(InputError, match=message):
        files_of_parts(tmp_path, wrong)


def test_only_the_files_of_the_chosen_way_count(checkout: Path) -> None:
    subject = find_subject(checkout, "small", "brokerage")
    assert subject.implementation.code
    parts = counted_parts(subject.platform.folder, subject.implementation.code)
    native, other = (lines_by_tier(parts, {"data-access": way}) for way in ("native", "other"))
    assert (native[CodeTier.MIDDLE], native[CodeTier.DATA], native[CodeTier.USER_INTERFACE]) == (3, 2, 0)
    assert (other[CodeTier.MIDDLE], other[CodeTier.DATA]) == (3, 3)


def test_a_run_counts_each_way_once_and_says_which_combinations_take_it(checkout: Path) -> None:
    subject = find_subject(checkout, "small", "brokerage")
    choices: list[dict[str, str]] = [{"binding": "local"}, {"binding": "json", "data-access": "other"}, {}]
    taken = [Combination(subject="small", modes=m, label=label("small", m), path=f"small/{len(m)}") for m in choices]

    found = code_of_run({"small": subject}, taken)

    assert [(one.modes, one.combinations) for one in found] == [
        ({"data-access": "native"}, ["small/1", "small/0"]),
        ({"data-access": "other"}, ["small/2"]),
    ]
    assert [sum(one.tiers.values()) for one in found] == [5, 6]


def test_a_platform_that_says_nothing_of_its_code_is_left_out(tmp_path: Path) -> None:
    subject = find_subject(small_checkout(tmp_path), "small", "brokerage")
    combination = Combination(subject="small", modes={}, label="small", path="small/default")
    assert code_of_run({"small": subject}, [combination]) == []


def test_the_command_shows_every_platform_with_each_way(checkout: Path) -> None:
    command = [sys.executable, "-m", "middlemark", "lines"]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split() for line in done.stdout.splitlines()[1:]]
    assert rows == [
        ["small", "brokerage", "data-access=native", "0", "3", "2", "0", "5"],
        ["small", "brokerage", "data-access=other", "0", "3", "3", "0", "6"],
    ]


@pytest.mark.parametrize("platform", platforms(ROOT), ids=lambda platform: platform.name)
def test_every_platform_of_the_checkout_has_code_in_every_tier_that_it_needs(platform: object) -> None:
    found = [p for p in platforms(ROOT) if p == platform]
    for spec in found[0].description.specs.values():
        assert spec.code
        tiers = {part.tier for part in spec.code.parts}
        # Without a database there is no data tier, and a server may do with files and their configuration.
        least = set(CodeTier) if spec.resources else {CodeTier.USER_INTERFACE, CodeTier.CONFIGURATION}
        assert tiers >= least


def test_the_report_shows_the_lines_of_every_way(tmp_path: Path) -> None:
    findings = judge_folder(write_synthetic(tmp_path))
    assert "Lines of code" not in report_page(findings)
    tiers = {"user interface": 1183, "middle": 3152, "data": 835, "configuration": 302}
    ways = [
        CodeLines(platform="jakarta", modes={"data-access": way}, combinations=[], tiers=tiers)
        for way in ("jdbc", "jpa")
    ]

    section = report_page(with_run(tmp_path, code=ways)).partition('id="platforms"')[2].partition("</section>")[0]

    assert "jakarta, jdbc" in section
    assert "jakarta, jpa" in section
    assert "5,472" in section
    assert "no judgement" in section
