"""Time left of a run: by its plan until one window has ended, then by the windows so far."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StartTime:
    """The plan from the beginning of a start on: when the run ends, the start's windows, the starts that follow."""

    ends_at: float
    windows: int
    following_s: float


class TimeLeft:
    """Seconds that a run still takes, in the times of one clock.

    A coming window is expected to take the mean of this start's windows, those that were measured again included.
    """

    def __init__(self, window_s: float) -> None:
        self._window_s = window_s
        self._start: StartTime | None = None
        self._first: tuple[int, float] | None = None
        self._last: tuple[int, float] | None = None
        self._measuring_since = 0.0

    def expect(self, start: StartTime) -> None:
        """Take the plan of a start that begins."""
        self._start, self._first, self._last = start, None, None

    def measuring(self, measured: int, now: float) -> None:
        """Note that a window of a round begins after so many of the run; the same number: it is measured again."""
        self._measuring_since = now
        if self._last is None or self._last[0] != measured:
            self._last = (measured, now)
        self._first = self._first or self._last

    def seconds(self, windows_left: int, now: float) -> float | None:
        """Seconds left, with so many windows of the whole run; None without a plan."""
        if self._start is None:
            return None
        # Those of a search are shorter; and a way up that ends early leaves fewer than were planned.
        rounds_left = min(windows_left, self._start.windows)
        if self._first is None or self._last is None or self._last == self._first:
            # A window takes its phases at least; of one that is measured a part is over.
            spent_s = min(self._window_s, now - self._measuring_since) if self._first else 0.0
            return max(self._start.ends_at - now, rounds_left * self._window_s - spent_s)
        done = self._last[0] - self._first[0]
        each_s = (self._last[1] - self._first[1]) / done
        this_s = max(each_s - (now - self._last[1]), self._window_s - (now - self._measuring_since), 0.0)
        return this_s + (min(self._start.windows - done, rounds_left) - 1) * each_s + self._start.following_s
