"""Sets of files that are made: sizes by classes, contents that differ, a list of requests that never changes."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from small_shop import SHOP, specification

from middlemark.cli.files import files
from middlemark.errors import HostError, InputError
from middlemark.experiment.experiment_check import check_session
from middlemark.specification.file_set import MadeFiles, read_made_files
from middlemark.specification.files_on_disk import files_on_disk, request_lists
from middlemark.workload.session import Session

MADE = SHOP.replace('folder = "pictures"', 'made = "pictures.toml"')
PICTURES = """
version = 1
begin = "<p>{path}</p>"
filler = "ab"
end = "."
requests = 40

[[classes]]
path = "small/{number}.html"
files = 3
smallest = 30
largest = 41
share = 3

[[classes]]
path = "large/{number}.html"
files = 2
smallest = 100
largest = 1000
share = 1
"""

SESSION = {
    "name": "look",
    "think": {"constant": "0s"},
    "feeds": {"file": {"list": "pictures"}},
    "steps": [{"id": "look", "get": "/"}],
}


def pictures(folder: Path, text: str = PICTURES) -> MadeFiles:
    """Write the description of a set and read it."""
    file = folder / "pictures.toml"
    file.write_text(text, encoding="utf-8")
    return read_made_files(file)


def test_sizes_are_evenly_spaced_in_their_class(tmp_path: Path) -> None:
    assert dict(pictures(tmp_path).files()) == {
        "small/0.html": 30,
        "small/1.html": 35,
        "small/2.html": 41,
        "large/0.html": 100,
        "large/1.html": 1000,
    }


def test_the_only_file_of_a_class_is_the_smallest(tmp_path: Path) -> None:
    one = pictures(tmp_path, PICTURES.replace("files = 2", "files = 1"))
    assert dict(one.files())["large/0.html"] == 100


def test_a_file_holds_its_path_and_is_filled_up_to_its_size(tmp_path: Path) -> None:
    made = pictures(tmp_path)
    assert made.content("small/1.html", 35) == b"<p>small/1.html</p>" + b"abababababababa" + b"."
    assert {len(made.content(path, size)) - size for path, size in made.files()} == {0}


def test_the_mean_response_follows_from_the_shares(tmp_path: Path) -> None:
    assert pictures(tmp_path).mean_response() == pytest.approx(0.75 * 106 / 3 + 0.25 * 550)


def test_the_list_of_requests_has_the_shares_exactly_and_is_always_the_same(tmp_path: Path) -> None:
    made = pictures(tmp_path)
    requested = made.requested()
    assert Counter(path.partition("/")[0] for path in requested) == {"small": 30, "large": 10}
    assert Counter(requested) == {
        **dict.fromkeys(("small/0.html", "small/1.html", "small/2.html"), 10),
        **dict.fromkeys(("large/0.html", "large/1.html"), 5),
    }
    assert requested == made.requested()
    assert requested[:3] == ("large/1.html", "small/0.html", "small/0.html")


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("small/{number}", "small/file", "classes.0.path: 'small/file.html' must hold {number} once"),
        ("largest = 41", "largest = 29", "classes.0.largest: 29 is smaller than the smallest, 30"),
        ("smallest = 30", "smallest = 19", "classes.0.smallest: begin and end alone take 20 bytes"),
        ('filler = "ab"', 'filler = "ä"', "filler: it is cut anywhere, so that it may only hold ASCII"),
        ("large/{number}", "small/{number}", "classes: two files are called 'small/0.html'"),
        ("requests = 40", "requests = 42", "requests: 42 cannot be divided by the shares, 4 in all"),
        ("small/{number}", "../{number}", "classes.0.path:"),
        ("share = 3", "shares = 3", "classes.0.shares: unknown key 'shares'. Did you mean 'share'?"),
    ],
)
def test_a_set_that_cannot_be_made_is_refused_with_its_place(
    tmp_path: Path, right: str, wrong: str, message: str
) -> None:
    assert right in PICTURES
    with pytest.raises(InputError) as caught:
        pictures(tmp_path, PICTURES.replace(right, wrong))
    assert str(caught.value).startswith(f"{tmp_path}/pictures.toml: {message}")


def test_a_set_is_written_once_where_everybody_may_read_it(tmp_path: Path) -> None:
    spec = specification(tmp_path, MADE)
    made = pictures(spec.folder)
    found = files_on_disk(spec, "pictures")
    files = {
        path.relative_to(found.folder).as_posix(): path.read_bytes()
        for path in found.folder.rglob("*")
        if path.is_file()
    }
    assert files == {path: made.content(path, size) for path, size in made.files()}
    assert found.requests
    sizes = dict(made.files())
    lines = [f"{path}\t{sizes[path]}" for path in made.requested()]
    assert found.requests.read_text(encoding="utf-8").splitlines() == lines
    assert found.folder.parent.stat().st_mode & 0o777 == 0o755
    written = (found.folder / "small" / "0.html").stat().st_mtime_ns
    assert files_on_disk(spec, "pictures") == found
    assert (found.folder / "small" / "0.html").stat().st_mtime_ns == written
    assert sorted(path.name for path in found.folder.parent.parent.iterdir()) == [found.folder.parent.name]


def test_a_changed_description_makes_another_set(tmp_path: Path) -> None:
    spec = specification(tmp_path, MADE)
    pictures(spec.folder)
    before = files_on_disk(spec, "pictures").folder
    read_made_files.cache_clear()
    pictures(spec.folder, PICTURES.replace("requests = 40\n", ""))
    after = files_on_disk(spec, "pictures")
    assert after.folder != before
    assert after.requests is None


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_nobody_may_write_to_is_said(tmp_path: Path) -> None:
    spec = specification(tmp_path, MADE)
    pictures(spec.folder)
    tmp_path.chmod(0o555)
    with pytest.raises(HostError, match="cannot write here"):
        files_on_disk(spec, "pictures")


def test_what_stands_in_a_file_is_known_without_making_it(tmp_path: Path) -> None:
    spec = specification(tmp_path, MADE)
    made = pictures(spec.folder)
    assert spec.file_content("pictures/small/0.html") == made.content("small/0.html", 30)
    assert spec.file_content("spec.toml") == (spec.folder / "spec.toml").read_bytes()
    for name in ("pictures/small/3.html", "pictures", "nothing.css"):
        with pytest.raises(InputError, match=f"the file '{name}' does not exist"):
            spec.file_content(name)


def test_the_command_prints_the_variable_and_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pictures(specification(tmp_path, MADE).folder)
    (tmp_path / "specs" / "README.md").touch()
    (tmp_path / "platforms").mkdir()
    monkeypatch.chdir(tmp_path)
    assert files("shop") == 0
    requests, folder = capsys.readouterr().out.splitlines()
    assert (Path(folder.removeprefix("MM_PICTURES=")) / "large" / "1.html").stat().st_size == 1000
    assert Path(requests.removeprefix("list of requests: ")).is_file()


def test_a_session_draws_from_the_list_of_requests_of_a_set(tmp_path: Path) -> None:
    spec = specification(tmp_path, MADE)
    pictures(spec.folder)
    found = files_on_disk(spec, "pictures").requests
    assert request_lists(spec) == {"pictures": found}
    session = Session.model_validate(SESSION).within(tmp_path)
    check_session(session, spec)
    with pytest.raises(InputError) as caught:
        check_session(Session.model_validate(SESSION | {"feeds": {"file": {"list": "picture"}}}).within(tmp_path), spec)
    assert "draws from the list 'picture', which is neither" in str(caught.value)
    assert "Did you mean 'pictures'?" in str(caught.value)
