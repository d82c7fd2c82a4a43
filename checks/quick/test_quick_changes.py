"""`make quick` counts what differs from the remote's main, or from the revision it is given."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from checks.conftest import Plant
from checks.quick.changes import NoRevisionError, changes


def git(root: Path, *words: str) -> None:
    """Run git in `root`, as somebody."""
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *identity, *words], cwd=root, check=True, capture_output=True)  # noqa: S607 (as users have it)


def commit(root: Path, name: str) -> None:
    """Write a file of this name, and commit everything."""
    (root / name).write_text(name, encoding="utf-8")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", name)


@pytest.fixture
def root(plant: Plant) -> Path:
    """Give a checkout of `main` with two commits."""
    folder = plant({})
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder, "one")
    commit(folder, "two")
    return folder


def test_on_main_without_a_remote_the_last_commit_counts(root: Path) -> None:
    assert changes(root).files == ("two",)


def test_on_a_branch_without_a_remote_its_commits_count(root: Path) -> None:
    git(root, "switch", "--quiet", "--create", "idea")
    commit(root, "three")
    commit(root, "four")
    assert changes(root).files == ("four", "three")


def test_what_the_remote_has_does_not_count_and_what_main_got_meanwhile_neither(root: Path) -> None:
    git(root, "update-ref", "refs/remotes/origin/main", "HEAD")
    assert changes(root).files == ()
    commit(root, "three")
    git(root, "switch", "--quiet", "--detach", "HEAD~1")
    commit(root, "four")
    assert changes(root).files == ("four",)
    assert changes(root).since == "origin/main"


def test_a_revision_may_be_given(root: Path) -> None:
    commit(root, "three")
    assert changes(root, "HEAD~2").files == ("three", "two")


def test_what_is_not_committed_is_new_or_was_deleted_counts(root: Path) -> None:
    git(root, "update-ref", "refs/remotes/origin/main", "HEAD")
    (root / "one").write_text("other", encoding="utf-8")
    (root / "two").unlink()
    (root / "new folder").mkdir()
    (root / "new folder" / "ä").touch()
    assert changes(root).files == ("new folder/ä", "one", "two")


def test_with_one_commit_only_what_is_not_committed_counts(plant: Plant) -> None:
    root = plant({})
    git(root, "init", "--quiet", "--initial-branch=main")
    commit(root, "one")
    (root / "two").touch()
    assert changes(root).files == ("two",)


def test_an_unknown_revision_is_refused(root: Path) -> None:
    with pytest.raises(NoRevisionError, match="no common commit of HEAD and 'nowhere'"):
        changes(root, "nowhere")


def test_a_folder_without_commits_is_refused(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    root = plant({})
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(root.parent))
    with pytest.raises(NoRevisionError, match="no commit"):
        changes(root)
