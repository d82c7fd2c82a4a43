"""Files of the user's are written whole or not at all; what is there otherwise stays as it is."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from conftest import ROOT
from middlemark.errors import HostError, InputError
from middlemark.saving import append_whole, write_new, write_whole

MIDDLEMARK = [sys.executable, "-m", "middlemark"]
LIMIT = 4096
TOO_LONG = "x" * (LIMIT + 1)
LIMITED = """
import resource, signal, sys
from pathlib import Path
from middlemark.errors import LabError
from middlemark.saving import *
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    {call}
except LabError as error:
    print(error, end="")
"""


def within_limit(call: str, folder: Path) -> str:
    """Return the message of a call in a process whose files have at most LIMIT bytes."""
    words = [sys.executable, "-c", LIMITED.format(call=call)]
    return subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True).stdout


def small_files() -> None:
    """Let no file become longer than 64 bytes, as if the disk were full."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))


@pytest.mark.parametrize(
    "call",
    [
        "write_whole(Path('file'), 'y' * 4097)",
        "write_new(Path('new'), 'y' * 4097)",
        "append_whole(Path('file'), 'y' * 4097)",
        "append_whole(Path('file'), 'y' * 4096)",
    ],
)
def test_what_does_not_fit_leaves_the_folder_as_it_was(tmp_path: Path, call: str) -> None:
    (tmp_path / "file").write_text("before\n", encoding="utf-8")
    name = "new" if "new" in call else "file"
    assert within_limit(call, tmp_path) == f"{name}: cannot write (File too large). Choose another place"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text(encoding="utf-8") == "before\n"


@pytest.mark.parametrize(
    "words",
    [
        ["new", "session", "shop"],
        ["session", "import", "a.har"],
        ["session", "import", "a.har", "--out", "kept.yaml", "--force"],
    ],
)
def test_a_command_that_cannot_finish_its_file_leaves_none(tmp_path: Path, words: list[str]) -> None:
    recording = (
        '{"log": {"entries": [{"startedDateTime": "2026-01-01T00:00:00Z", "time": 1, "request": {"method": "GET", '
        '"url": "http://a.example/", "headers": [], "cookies": []}, "response": {"status": 200, "headers": [], '
        '"content": {"mimeType": "text/html", "text": "<html></html>"}, "cookies": []}}]}}'
    )
    (tmp_path / "a.har").write_text(recording, encoding="utf-8")
    (tmp_path / "kept.yaml").write_text("before", encoding="utf-8")
    done = subprocess.run(
        [*MIDDLEMARK, *words], cwd=tmp_path, check=False, capture_output=True, text=True, preexec_fn=small_files
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "cannot write (File too large)" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.har", "kept.yaml"]
    assert (tmp_path / "kept.yaml").read_text(encoding="utf-8") == "before"


def test_a_platform_that_cannot_be_written_leaves_no_folder(tmp_path: Path) -> None:
    for name in ("specs", "servers"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "platforms").mkdir()
    words = [*MIDDLEMARK, "new", "platform", "cobol"]
    done = subprocess.run(words, cwd=tmp_path, check=False, capture_output=True, text=True, preexec_fn=small_files)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert list((tmp_path / "platforms").iterdir()) == []


def test_what_a_link_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("before", encoding="utf-8")
    link = tmp_path / "link"
    link.symlink_to("file")
    write_whole(link, "after")
    assert link.is_symlink()
    assert (tmp_path / "file").read_text(encoding="utf-8") == "after"


def test_the_rights_of_a_file_stay_and_a_new_one_has_those_of_the_user(tmp_path: Path) -> None:
    private, new = tmp_path / "private", tmp_path / "new"
    private.touch(mode=0o600)
    before = os.umask(0o027)
    try:
        write_whole(private, "after")
        write_whole(new, "new")
        write_new(tmp_path / "newer", "newer")
    finally:
        os.umask(before)
    files = (private, new, tmp_path / "newer")
    assert [oct(path.stat().st_mode & 0o777) for path in files] == ["0o600", "0o640", "0o640"]


def test_a_pipe_or_a_device_is_written_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    write_whole(pipe, "through a pipe")
    reader.join(timeout=10)
    assert read == ["through a pipe"]
    assert pipe.is_fifo()
    write_whole(Path(os.devnull), "to nobody")
    assert Path(os.devnull).is_char_device()
    with pytest.raises(HostError, match="no space left under /dev"):
        write_whole(Path("/dev/full"), "more than nothing")


def test_standard_output_can_be_named_as_a_file(tmp_path: Path) -> None:
    program = "from middlemark.saving import *; write_whole(Path('/dev/stdout'), 'a')"
    words = [sys.executable, "-c", program]
    assert subprocess.run(words, check=True, capture_output=True).stdout == b"a"
    with (tmp_path / "out").open("wb") as out:
        subprocess.run(words, check=True, stdout=out)
    assert (tmp_path / "out").read_bytes() == b"a"


def test_the_folder_of_a_file_that_is_not_there_is_the_users_mistake(tmp_path: Path) -> None:
    file = tmp_path / "no" / "file"
    with pytest.raises(HostError, match=f"{file}: cannot write .No such file or directory"):
        write_whole(file, "text")
    with pytest.raises(HostError, match="Is a directory"):
        write_whole(tmp_path, "text")
    append_whole(tmp_path / "file", "text")
    with pytest.raises(InputError, match="is there already"):
        write_new(tmp_path / "file", "text")
