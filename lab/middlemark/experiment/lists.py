"""The lists that the feeds of a session draw from: in an experiment those of the specification's sets of files."""

from __future__ import annotations

from middlemark.documents import suggestion
from middlemark.errors import InputError
from middlemark.specification.files_on_disk import names_of_lists
from middlemark.specification.specification import Specification
from middlemark.workload.session import Session


def check_lists(session: Session, specification: Specification) -> None:
    """Raise InputError for the first feed whose list is neither a set of files with requests nor a file beside it."""
    known = names_of_lists(specification)
    for name, feed in session.feeds.items():
        if feed.lines is not None and feed.lines not in known and not (session.folder / feed.lines).is_file():
            what = f"feed '{name}' of '{session.name}' draws from the list '{feed.lines}', which is neither a file "
            raise InputError(
                what + f"beside the session nor a set of files with requests. {suggestion(feed.lines, known)}"
            )
