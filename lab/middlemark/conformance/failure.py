"""How a case fails: by a step that finds something else than the case expects, in words that stand by themselves."""

from __future__ import annotations

from middlemark.documents import Location


class StepFailed(Exception):  # noqa: N818 (a finding about the application, not an error of ours)
    """What was expected and found. `location` is the step's below the case, known once it has left the step.

    `passing`: the application could not be reached or said that it is not available, which may pass.
    """

    def __init__(self, what: str, location: Location = (), *, passing: bool = False) -> None:
        super().__init__(what)
        self.what = what
        self.location = location
        self.passing = passing


class Stopped(Exception):  # noqa: N818 (nobody's error)
    """Somebody asked the whole verification to stop."""
