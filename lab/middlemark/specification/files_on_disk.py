"""Gives an application the folders of its sets of files, those that are made among them.

.build/file-sets/<spec>/<name>-<hash>/files/…        made once for each content of the description
.build/file-sets/<spec>/<name>-<hash>/requests.txt   the fixed list of requests: in each line a path below the folder
                                                     and, behind a tab, the bytes of that file
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from middlemark.errors import HostError, InputError
from middlemark.specification.file_set import MadeFiles, read_made_files
from middlemark.specification.specification import Specification

FILES = "files"
REQUESTS = "requests.txt"
LAYOUT = 2
"""Goes up with what lies in a folder that is made: an older one is not taken for it."""


@dataclass(frozen=True)
class FilesOnDisk:
    """Where a set of files is, and its list of requests (None where it has none)."""

    folder: Path
    requests: Path | None = None


def files_on_disk(specification: Specification, name: str) -> FilesOnDisk:
    """Return where a set of files is; it is made first where nobody has done so before.

    Raises InputError for a description that is wrong and a folder that is not there, HostError when nothing can be
    written.
    """
    description = specification.description.files[name]
    if description.made is None:
        folder = (specification.folder / (description.folder or "")).absolute()
        if not folder.is_dir():
            raise InputError(f"the files '{name}' are not there: {folder} is not a folder")
        return FilesOnDisk(folder)
    made = read_made_files(specification.folder / description.made)
    digest = hashlib.sha256(f"{LAYOUT} {made.model_dump_json()}".encode()).hexdigest()[:16]
    home = specification.folder.absolute().parents[1]
    place = home / ".build" / "file-sets" / specification.name / f"{name}-{digest}"
    if not place.is_dir():
        _make(made, place)
    return FilesOnDisk(place / FILES, place / REQUESTS if made.requests else None)


def request_lists(specification: Specification) -> dict[str, Path]:
    """Return the list of requests of each set of files that has one, by the name of the set; they are made first.

    Raises what `files_on_disk` raises.
    """
    lists = {name: files_on_disk(specification, name).requests for name in names_of_lists(specification)}
    return {name: file for name, file in lists.items() if file is not None}


def names_of_lists(specification: Specification) -> list[str]:
    """Return the names of the sets of files that have a list of requests; InputError for a wrong description."""
    described = {name: one.made for name, one in specification.description.files.items()}
    return [name for name, made in described.items() if made and read_made_files(specification.folder / made).requests]


def _make(made: MadeFiles, place: Path) -> None:
    """Write the set beside its place and put it there whole."""
    work: Path | None = None
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix="making-", dir=place.parent))
        # A server that runs as another user reads them, which mkdtemp's 0700 would prevent.
        work.chmod(0o755)
        _write(made, work)
        # Two labs may make the same at once: the first one's is as good.
        with suppress(OSError):
            work.rename(place)
        if not place.is_dir():
            raise HostError("the files cannot be kept", where=str(place))
    except OSError as error:
        raise HostError(f"cannot write here ({error.strerror})", where=str(place.parent)) from error
    finally:
        if work is not None:
            shutil.rmtree(work, ignore_errors=True)


def _write(made: MadeFiles, folder: Path) -> None:
    sizes = dict(made.files())
    for path, size in sizes.items():
        file = folder / FILES / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(made.content(path, size))
    if made.requests:
        lines = "".join(f"{path}\t{sizes[path]}\n" for path in made.requested())
        (folder / REQUESTS).write_text(lines, encoding="utf-8")
