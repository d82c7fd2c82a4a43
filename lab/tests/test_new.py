"""`middlemark new` writes valid files to start from and never overwrites."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from small_platform import small_checkout
from small_shop import ONE_TIER, shop_checkout

from middlemark.subject.platform import check_toolchain, load_platform
from middlemark.subject.subject import find_subject
from middlemark.subject.tuning import tuning_of


def new(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "middlemark", "new", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    home = small_checkout(tmp_path / "home")
    (home / "platforms" / "small").rename(tmp_path / "small")
    return home


def test_a_new_session_says_the_command_to_try_it(tmp_path: Path) -> None:
    done = new(tmp_path, "session", "shop")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "Try it: middlemark drive shop.yaml --target http://127.0.0.1:8080\nshop.yaml\n"
    assert new(tmp_path, "session", "shop").returncode == 2


def test_a_new_platform_is_valid_for_the_lab(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = new(checkout, "platform", "rust-axum")
    assert (done.returncode, done.stderr) == (0, "")
    platform = load_platform(checkout, "rust-axum")
    (implementation,) = platform.description.specs.values()
    assert implementation.build[-1] == "{artifact}"
    assert find_subject(checkout, "rust-axum", "brokerage").modes == {
        "data-access": ("native",),
        "binding": ("local",),
        "orders": ("sync",),
    }
    assert (implementation.roles, implementation.features) == (("web", "services", "processor", "all"), ())
    # The lab's own interpreter, whatever `python3` is: this one has no PATH to find another by.
    assert implementation.start == ("{python}", "{artifact}")
    monkeypatch.setenv("PATH", "")
    assert check_toolchain(platform) == f"{sys.version_info.major}.{sys.version_info.minor}.{sys.version_info.micro}"
    assert platform.description.language == "Python", "the toolchain that stands there as an example is Python's"
    readme = (checkout / "platforms" / "rust-axum" / "README.md").read_text()
    assert "middlemark up rust-axum brokerage" in readme
    assert "| `middlemark verify rust-axum --spec brokerage --only pages-welcome` |" in readme
    assert readme.index("| pages-welcome |") < readme.index("| operations-queued |")
    assert tuning_of(platform).note == "Nothing has been tried"


def test_a_new_platform_names_what_its_specification_has(tmp_path: Path) -> None:
    home = shop_checkout(tmp_path)
    assert new(home, "platform", "fresh").returncode == 0
    fresh = find_subject(home, "fresh", "shop")
    assert fresh.modes == {"calls": ("inside",), "receipts": ("none",), "store": ("native",)}
    assert [(one.kind, one.name) for one in fresh.implementation.resources] == [
        ("database", "goods"),
        ("database", "money"),
    ]


def test_a_new_platform_of_one_tier_without_a_database_has_no_roles_and_resources(tmp_path: Path) -> None:
    home = shop_checkout(tmp_path, specification=ONE_TIER)
    assert new(home, "platform", "fresh", "shop").returncode == 0
    implementation = find_subject(home, "fresh", "shop").implementation
    assert (implementation.roles, implementation.modes, implementation.resources) == ((), {}, ())


def test_a_new_platform_says_for_which_of_several_specifications(tmp_path: Path) -> None:
    home = shop_checkout(tmp_path)
    (home / "specs" / "other").mkdir()
    (home / "specs" / "other" / "spec.toml").write_text(ONE_TIER, encoding="utf-8")
    done = new(home, "platform", "fresh")
    assert (done.returncode, done.stderr) == (
        2,
        "middlemark: this checkout has 2 specifications. Name one of other, shop\n",
    )
    assert new(home, "platform", "fresh", "other").returncode == 0


def test_a_platform_that_is_there_is_not_touched(checkout: Path) -> None:
    mine = checkout / "platforms" / "go"
    mine.mkdir()
    done = new(checkout, "platform", "go")
    assert done.returncode == 2
    assert "is there already and is not overwritten" in done.stderr
    assert list(mine.iterdir()) == []


@pytest.mark.parametrize("name", ["../go", "Go", "a b", ""])
def test_a_wrong_name_of_a_platform_is_refused(checkout: Path, name: str) -> None:
    done = new(checkout, "platform", name)
    assert done.returncode == 2
    assert "is not a name for a platform" in done.stderr
    assert list((checkout / "platforms").iterdir()) == []


def test_a_platform_needs_a_checkout(tmp_path: Path) -> None:
    done = new(tmp_path, "platform", "go")
    assert done.returncode == 2
    assert "no Middlemark checkout here" in done.stderr
