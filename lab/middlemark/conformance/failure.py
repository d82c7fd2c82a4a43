"""How a case fails: by a step whose answer is not what the case says, told so that it can be understood by itself."""

from __future__ import annotations

from middlemark.documents import Location


class StepFailed(Exception):  # noqa: N818 (a finding about the application, no error of ours)
    """What was expected and what came. `location` is the step's below the case, known once it has left the step."""

    def __init__(self, what: str, location: Location = ()) -> None:
        super().__init__(what)
        self.what = what
        self.location = location


class Stopped(Exception):  # noqa: N818 (nobody's error)
    """Somebody asked the whole verification to stop."""
